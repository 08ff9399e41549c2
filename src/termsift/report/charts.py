"""Charts of report pages, terms in ROC space, landscapes of metrics, and chart files."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from functools import cache, partial
from importlib import metadata
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from termsift._internal.errors import EngineError, InvalidInputError
from termsift._internal.files import atomic_write
from termsift._internal.resources import load_cached_text
from termsift._internal.tables import Table
from termsift._internal.typing import Array, check_positive_integer
from termsift.counts import Counts
from termsift.metrics import Metric
from termsift.metrics import metrics as catalogue
from termsift.report.plane import Plane, check_has_isoclines, isocline, make_surface
from termsift.selection import AnyMethod, parse_method

if sys.flags.optimize > 1:
    raise EngineError("charts need Altair, which requires docstrings; run Python without -OO")

import altair as alt
import vl_convert


class ScriptJSONEncoder(json.JSONEncoder):
    """JSON encoder for script elements: no text can end the element."""

    def encode(self, o: Any) -> str:
        """Encode a value with every < escaped."""
        return super().encode(o).replace("<", "\\u003c")


# options of Altair by extension; it warns about options that a format does not use
FORMATS: dict[str, dict[str, Any]] = {
    ".html": {"format": "html", "inline": True, "json_kwds": {"cls": ScriptJSONEncoder}},
    ".png": {"format": "png", "scale_factor": 2},
    ".svg": {"format": "svg"},
    ".pdf": {"format": "pdf"},
}


def save_chart(chart: Any, path: str | os.PathLike[str]) -> None:
    """Write a chart as a self-contained page or as an image.

    Parameters
    ----------
    chart : altair.Chart or altair.LayerChart
        As returned by `roc_space`, `landscape`, `Scores.plot`, ...
    path : str or path
        File to write; its extension sets the format: .html, .png, .svg or .pdf.

    Raises
    ------
    InvalidInputError
        If the file has another extension.

    Examples
    --------
    >>> import tempfile
    >>> from termsift.report.charts import landscape
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_chart(landscape("acc2", levels=[0.5]), Path(folder) / "acc2.svg")
    ...     (Path(folder) / "acc2.svg").read_text(encoding="utf-8")[:4]
    '<svg'

    """
    extension = Path(path).suffix.lower()
    if extension not in FORMATS:
        raise InvalidInputError(
            f"a chart file must have the extension .html, .png, .svg or .pdf, got {os.fspath(path)!r}"
        )
    with atomic_write(path) as temporary:
        chart.save(str(temporary), **FORMATS[extension])


def add_padding(chart: Any) -> Any:
    """Add padding to a chart, because fonts of other machines may be wider."""
    padding = {"left": 5, "top": 5, "right": 40, "bottom": 5}
    return chart.properties(padding=padding).configure_axis(titlePadding=10)


Records: TypeAlias = list[dict[str, Any]]
WIDTH, HEIGHT = 640, 480
POINT_STYLES = {"word": ("#9a9a9a", "circle"), "stop word": ("#7b3294", "diamond")}


def roc_space(
    counts: Counts,
    for_class: object,
    metrics: Sequence[str] = ("bns", "ig", "chi2", "odds", "pr", "df"),
    *,
    k: int = 100,
    min_df: float = 0,
    stop_words: Iterable[str] = (),
) -> Any:
    """Draw the terms of a class in ROC space with each metric's isocline for its best k terms.

    Terms with the same counts share a point. On a page, hovering shows its words, and the chart can be moved
    and zoomed. Forman (2003), figures 2, 3 and 13.

    Parameters
    ----------
    counts : Counts
        As returned by `ts.count`.
    for_class : object
        Class of interest.
    metrics : str or sequence of str, default ("bns", "ig", "chi2", "odds", "pr", "df")
        Names of metrics that are functions of a term's cells.
    k : int, default 100
        Number of terms a metric selects; terms that tie with the last term lie on the line.
    min_df : float, default 0
        Terms in fewer documents are not selected; they lie below a black line.
    stop_words : iterable of str, optional
        Terms to mark.

    Returns
    -------
    altair.LayerChart
        Chart of the terms and the isoclines.

    Raises
    ------
    InvalidInputError
        If `k` is larger than the number of terms to select from, or a metric has no isocline.
    UnknownNameError
        If the class or a metric is unknown.

    Examples
    --------
    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> picture = roc_space(counts, "spam", ["bns"], k=2)
    >>> [point["words"] for point in picture.to_dict()["layer"][0]["data"]["values"]]
    ['prize', 'today', 'free', 'lunch']

    """
    if not isinstance(counts, Counts):
        raise InvalidInputError(f"roc_space takes Counts, got {type(counts).__name__}; use ts.count first")
    if isinstance(stop_words, str):
        raise InvalidInputError(f"stop_words must be a list of words, got the string {stop_words!r}")
    check_positive_integer(k)
    plane = Plane.from_counts(counts, for_class, min_df)
    n_frequent = int(plane.is_frequent.sum())
    if k > n_frequent:
        raise InvalidInputError(
            f"k must be at most {n_frequent}, the number of terms to select from, got {k}"
        )
    names = [metrics] if isinstance(metrics, str) else metrics
    isocline_metrics = [check_has_isoclines(catalogue()[name], "isocline") for name in names]
    # aliases of a metric are drawn once, under its name
    thresholds = {metric.name: plane.threshold(metric.name, k) for metric in isocline_metrics}
    x = alt.X("fp:Q", title=f"documents outside {for_class}", **count_axis_options(plane.neg))
    y = alt.Y("tp:Q", title=f"documents of {for_class}", **count_axis_options(plane.pos))
    points = point_layer(plane.describe_points(set(stop_words), thresholds))
    ends: Records = [{"fp": 0, "tp": 0}, {"fp": plane.neg, "tp": plane.pos}]
    layers = [points, data_layer(ends).mark_line(color="#bbbbbb", strokeWidth=1, clip=True)]
    legend = "grey: equally frequent inside and outside"
    if n_frequent < len(plane.is_frequent):
        legend += f"; black: terms in {min_df:,} documents"
        # evenly spaced by square root, so that the line is smooth
        tp = np.linspace(0, np.sqrt(min(min_df, plane.pos)), 30) ** 2
        rare: Records = [{"fp": min_df - t, "tp": t} for t in tp.tolist()]
        layers.append(data_layer(rare).mark_line(color="black", strokeWidth=1.5, clip=True))
    layers.append(isocline_layer(plane, thresholds, k))
    title = alt.Title(
        f"Terms of {for_class} in ROC space",
        subtitle=[f"beyond each coloured line: the best {k:,} of {n_frequent:,} terms, with ties", legend],
        anchor="start",
    )
    chart = alt.layer(*(layer.encode(x=x, y=y) for layer in layers), title=title)
    return add_padding(chart.interactive())


def data_layer(values: Records) -> Any:
    """Return a layer of the ROC space chart with inline data."""
    return alt.Chart(alt.Data(values=values), width=WIDTH, height=HEIGHT)


def count_axis_options(end: float) -> dict[str, Any]:
    """Return scale and axis of counts from 0 to the end; square roots spread out the rare terms near 0."""
    # Vega's default ticks are evenly spaced, which leaves none near 0
    ticks = [0, *(digit * 10**n for n in range(9) for digit in (1, 2, 5))]
    axis = alt.Axis(labelOverlap="greedy", labelSeparation=4, grid=False, values=ticks)
    return {"scale": alt.Scale(type="sqrt", domain=[0, end], nice=False, padding=10), "axis": axis}


def isocline_layer(plane: Plane, thresholds: dict[str, float], k: int) -> Any:
    """Return the isoclines, one colour per metric."""
    values: Records = [
        {"metric": name, "line": i, "step": step, "fp": round(fp, 3), "tp": round(tp, 3)}
        for name, threshold in thresholds.items()
        for i, path in enumerate(plane.isocline(name, threshold))
        for step, (fp, tp) in enumerate(path.tolist())
    ]
    colour = alt.Color("metric:N", title=f"the best {k:,} by", sort=list(thresholds))
    layer = data_layer(values).mark_line(strokeWidth=2, clip=True)
    return layer.encode(color=colour, detail="line:N", order="step:Q")


def point_layer(points: Records) -> Any:
    """Return the points of terms; their size shows the number of words."""
    kinds = [kind for kind in POINT_STYLES if any(point["kind"] == kind for point in points)]
    colours, shapes = ([POINT_STYLES[kind][i] for kind in kinds] for i in (0, 1))
    legend = {} if len(kinds) > 1 else {"legend": None}
    max_number = max(point["number"] for point in points)
    tooltip = [
        alt.Tooltip("words:N"),
        alt.Tooltip("number:Q", title="number of words", format=","),
        alt.Tooltip("tp:Q", title="documents of the class", format=",~g"),
        alt.Tooltip("fp:Q", title="documents outside", format=",~g"),
        alt.Tooltip("selected by:N"),
    ]
    fill = alt.Fill("kind:N", title=None, scale=alt.Scale(domain=kinds, range=colours), **legend)
    shape = alt.Shape("kind:N", title=None, scale=alt.Scale(domain=kinds, range=shapes), **legend)
    size_scale = alt.Scale(type="log", domain=[1, max(max_number, 2)], range=[10, 200])
    size_legend = alt.Legend(values=[10**n for n in range(6) if 10**n <= max_number], format=",")
    size = alt.Size("number:Q", title="words at a point", scale=size_scale, legend=size_legend)
    layer = data_layer(points).mark_point(filled=True, opacity=0.5, clip=True, aria=False)
    return layer.encode(fill=fill, shape=shape, size=size, tooltip=tooltip)


LANDSCAPE_SIZE = 420
LANDSCAPE_LINES = 160  # of the grid, in each direction
EDGE_LINES = 12  # consecutive integers at both ends of the grid
MAX_LEVELS = 40


def landscape(
    metric: AnyMethod = "bns",
    *,
    positives: int = 50,
    negatives: int = 1750,
    levels: int | Sequence[float] = 12,
) -> Any:
    """Draw the contours of a metric over tpr and fpr.

    Each line joins terms with equal scores, for a class of the given size. Forman (2003), appendix C.

    Parameters
    ----------
    metric : str, Metric or function of Cells, default "bns"
        A metric whose score depends only on a term's cells, with options as in "bns(zero='replace')".
    positives, negatives : int, default 50 and 1750
        Number of documents inside and outside the class.
    levels : int or sequence of float, default 12
        Values to draw; or their number, to divide the plane into equal areas.

    Returns
    -------
    altair.Chart
        Chart of the contours.

    Raises
    ------
    InvalidInputError
        If a number of documents or the levels are not valid, or the metric has no landscape.
    UnknownNameError
        If the metric is unknown.

    Examples
    --------
    >>> picture = landscape("acc2", levels=[0.5])
    >>> [round(point["tpr"] - point["fpr"], 2) for point in picture.to_dict()["data"]["values"]][0]
    -0.5

    """
    return add_padding(unpadded_landscape(metric, positives, negatives, levels))


def unpadded_landscape(
    metric: AnyMethod, positives: int, negatives: int, levels: int | Sequence[float]
) -> Any:
    """Draw a landscape without padding, so that several can be combined; see `landscape`."""
    for name, value in (("positives", positives), ("negatives", negatives)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise InvalidInputError(f"{name} must be a positive number of documents, got {value!r}")
    method = parse_method(metric)
    name = str(method) if method.metric.name != "<lambda>" else "a function"
    options = landscape_options(method.metric, dict(method.options))
    sizes = np.array([positives])
    surface = make_surface(method.metric, (name,), sizes, positives + negatives, **options)
    grid = landscape_grid(negatives), landscape_grid(positives)
    axes = (np.linspace(0, end, LANDSCAPE_LINES) for end in (negatives, positives))
    level_list = level_values(levels, surface(*np.meshgrid(*axes)))
    points = [
        {"level": level, "line": f"{level} {i}", "step": step, "fpr": fp / negatives, "tpr": tp / positives}
        for level in level_list
        for i, path in enumerate(isocline(surface, level, *grid))
        for step, (fp, tp) in enumerate(path.round(4).tolist())
    ]
    subtitle = f"{positives:,} documents inside, {negatives:,} outside"
    title = alt.Title(f"Landscape of {name}", subtitle=subtitle, anchor="start")
    scale = alt.Scale(domain=[0, 1], nice=False)
    axis = alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1], grid=False)
    x = alt.X("fpr:Q", title="fpr: share of other documents with the term", scale=scale, axis=axis)
    y = alt.Y("tpr:Q", title="tpr: share of the class's documents with the term", scale=scale, axis=axis)
    colours = alt.Scale(domain=level_list, scheme="viridis")
    colour = alt.Color("level:O", title="score", sort=level_list[::-1], scale=colours)
    chart = alt.Chart(alt.Data(values=points), width=LANDSCAPE_SIZE, height=LANDSCAPE_SIZE, title=title)
    lines = chart.mark_line(strokeWidth=1.5, clip=True)
    return lines.encode(x=x, y=y, color=colour, detail="line:N", order="step:Q")


def landscape_options(metric: Metric, options: dict[str, Any]) -> dict[str, Any]:
    """Return options with which the scores of a metric depend on tp and fp only."""
    # the formula is the same for documents and occurrences
    options = options | ({"of": "df"} if metric.of else {}) | ({"per_class": True} if metric.summed else {})
    # the number of terms is that of a corpus, not of the points drawn
    options |= {"adjust": "none"} if "adjust" in metric.options else {}
    has_cells = (metric.of_cells or metric.cellwise) and not metric.single_label
    if not has_cells or metric.count_type(options) == "tf":
        raise InvalidInputError(f"{metric.name} has no landscape: its scores depend on more than tp and fp")
    return options


def landscape_grid(end: int) -> Array:
    """Return evenly spaced grid lines from 0 to the end, and all integers near both ends.

    Metrics change most near the ends. For few documents there are lines between integers too, except in the
    first and last step: metrics may change abruptly between 0 and slightly more than 0.
    """
    even = np.linspace(0, end, min(LANDSCAPE_LINES, max(end + 1, LANDSCAPE_LINES // 2)))
    even = np.round(even) if end >= LANDSCAPE_LINES // 2 else even[(even >= 1) & (even <= end - 1)]
    near = np.arange(min(EDGE_LINES, end + 1))
    return np.unique(np.concatenate([even, near, end - near]))


def level_values(levels: int | Sequence[float], scores: Array) -> list[float]:
    """Return the distinct levels to draw, ascending."""
    if isinstance(levels, int | np.integer) and not isinstance(levels, bool):
        if not 1 <= levels <= MAX_LEVELS:
            raise InvalidInputError(f"levels must be 1 to {MAX_LEVELS}, or a list of values, got {levels}")
        levels = np.quantile(scores, np.linspace(0, 1, int(levels) + 2)[1:-1]).tolist()
    try:
        values = np.unique(np.asarray(levels, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"levels must be an integer or a list of values, got {levels!r}") from error
    if not len(values) or values.ndim != 1 or not np.isfinite(values).all():
        raise InvalidInputError(f"levels must be one or more finite values, got {levels!r}")
    return [float(f"{value:.6g}") for value in values.tolist()]


FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
RATES = [0, *(float(f"{digit}e{power}") for power in range(-6, 0) for digit in (1, 2, 5)), 1]
KINDS = ("positive", "negative", "neutral", "positive chosen", "negative chosen")
# names of CSS variables, which differ between light and dark pages
COLOUR_NAMES = ("positive-pale", "negative-pale", "other-pale", "positive", "negative")
COLOURS = [f"var(--{name})" for name in COLOUR_NAMES]
RING = {"filled": False, "stroke": "var(--ink)", "strokeWidth": 2.5, "opacity": 1, "aria": False}
LABEL_SPACE = 0.2  # share of the height above the best value, for the label of the recommended point
CONFIG = {
    "background": "transparent",
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--soft)", "titleColor": "var(--soft)", "domainColor": "var(--rule)",
        "tickColor": "var(--rule)", "gridColor": "var(--grid)", "labelFontSize": 12, "titleFontSize": 12,
        "titleFontWeight": "normal", "titlePadding": 10, "labelPadding": 6,
    },
}  # fmt: skip


def named_data_chart(name: str) -> Any:
    """Return a chart whose data are provided by the script."""
    return alt.Chart(alt.NamedData(name=name))


def page_chart(chart: Any, height: int, description: str) -> dict[str, Any]:
    """Return the specification of a chart as wide as its container."""
    sized = chart.properties(width="container", height=height, description=description)
    spec: dict[str, Any] = sized.to_dict()
    spec.pop("$schema")
    return spec | {"config": CONFIG, "autosize": {"type": "fit", "contains": "padding"}}


def label_layers(data: str, **text: Any) -> list[Any]:
    """Return the labels of a chart and a halo below them, because they may lie on points and lines."""
    text |= {"align": "left", "dx": alt.expr("datum.dx"), "dy": alt.expr("datum.dy"), "aria": False}
    halo = named_data_chart(data).mark_text(stroke="var(--paper)", strokeWidth=4, strokeJoin="round", **text)
    fill = alt.expr("datum.soft ? 'var(--soft)' : 'var(--ink)'")
    labels = named_data_chart(data).mark_text(fill=fill, **text)
    return [layer.encode(text="text:N") for layer in (halo, labels)]


def rate_axis_options(field: str, title: str) -> dict[str, Any]:
    """Return an axis of rates on a logarithmic scale that includes 0, because most terms are rare.

    The script sets the constant, 1 / documents, and the domain for each class.
    """
    scale = alt.Scale(type="symlog", constant=0.001, domain=[0, 1], nice=False, padding=8)
    text = {"labelExpr": "format(datum.value, '~%')", "labelOverlap": "greedy", "labelSeparation": 6}
    axis = alt.Axis(values=RATES, grid=True, **text)
    return {"shorthand": f"{field}:Q", "title": title, "scale": scale, "axis": axis}


def map_chart() -> dict[str, Any]:
    """Return the map of terms: points, isoclines, labels, the term searched for."""
    x = alt.X(**rate_axis_options("x", "share of other documents with the term"))
    y = alt.Y(**rate_axis_options("y", "share of the class's documents with the term"))
    # on logarithmic scales with different constants equal rates are no straight line
    equal = alt.Chart(alt.InlineData(values=[{"x": rate, "y": rate} for rate in RATES]))
    diagonal = equal.mark_line(stroke="var(--rule)", strokeWidth=1, clip=True, aria=False)
    stroke = {"strokeWidth": 1.5, "clip": True, "aria": False}
    isoclines = named_data_chart("lines").mark_line(stroke="var(--ink)", **stroke)
    paths = isoclines.encode(detail="line:N", order="step:Q")
    dots = named_data_chart("points").mark_point(
        filled=True, opacity=0.9, tooltip={"content": "data"}, aria=False
    )
    colour = alt.Color("kind:N", legend=None, scale=alt.Scale(domain=KINDS, range=COLOURS))
    points = dots.encode(color=colour, size=alt.Size("size:Q", legend=None, scale=None))
    searched = named_data_chart("searched").mark_point(size=260, **RING)
    labels = label_layers("labels", baseline="middle", fontSize=11.5)
    layers = [diagonal, points, paths, searched, *labels]
    chart = alt.layer(*(layer.encode(x=x, y=y) for layer in layers))
    description = "Terms of the chosen class in ROC space; the table next to it lists the same terms."
    return page_chart(chart, 620, description)


def curve_chart(goal: str, curve: Table) -> dict[str, Any]:
    """Return the chart of the goal by number of terms: a line and a band per method."""
    numbers = sorted({max(round(float(n)), 1) for n in curve["terms"]})
    low = min(float(row["mean"]) - float(row["error"]) for row in curve)
    high = max(float(row["mean"]) + float(row["error"]) for row in curve)
    ends = [numbers[0], max(numbers[-1], numbers[0] + 1)]
    ticks = [digit * 10**n for n in range(9) for digit in (1, 2, 5) if ends[0] <= digit * 10**n <= ends[1]]
    axis = alt.Axis(values=ticks or numbers, format=",", labelOverlap="greedy", labelSeparation=6, grid=False)
    x_scale = alt.Scale(type="log", domain=ends, nice=False, padding=14)
    x = alt.X("terms:Q", title="number of terms", scale=x_scale, axis=axis)
    y_scale = alt.Scale(domain=[low, high + max(LABEL_SPACE * (high - low), 1e-6)], nice=False, padding=10)
    y = alt.Y("mean:Q", title=goal, scale=y_scale, axis=alt.Axis(tickCount=6, grid=True))
    colour = alt.Color("colour:N", scale=None, legend=None)
    low_edge = alt.Y("low:Q", title=goal, scale=y_scale)
    area = named_data_chart("band").mark_area(opacity=0.12, aria=False)
    band = area.encode(x=x, y=low_edge, y2="high:Q", color=colour, detail="method:N")
    rule = named_data_chart("level").mark_rule(strokeDash=[5, 4], strokeWidth=1.5, aria=False)
    weight = alt.StrokeWidth("weight:Q", scale=None, legend=None)
    curves = named_data_chart("curve").mark_line(aria=False).encode(order="terms:Q", strokeWidth=weight)
    curves = curves.encode(x=x, y=y, color=colour, detail="method:N")
    dot = {"filled": True, "size": 48, "opacity": 1, "tooltip": {"content": "data"}, "aria": False}
    dots = named_data_chart("curve").mark_point(**dot)
    chosen = named_data_chart("chosen").mark_point(size=280, **RING)
    font = {"fontSize": 12.5, "fontWeight": "bold", "lineHeight": 16, "limit": alt.expr("datum.limit")}
    labels = label_layers("chosen", baseline="top", **font)
    layers = [band, rule.encode(y=y, color=colour), curves, dots.encode(x=x, y=y, color=colour)]
    layers += [layer.encode(x=x, y=y) for layer in (*labels, chosen)]
    description = f"{goal} by number of terms, one line per method; the table below has the same values."
    return page_chart(alt.layer(*layers), 400, description)


@cache
def vega_script() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script, in the version that Altair needs."""
    version = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    # cached on disk, because bundling is slow
    bundle = partial(vl_convert.javascript_bundle, "window.vegaEmbed = vegaEmbed;", vl_version=version)
    return load_cached_text(f"vega-embed-{version}-{metadata.version('vl-convert-python')}.js", bundle)
