"""Charts: those of a page, terms in ROC space, and how a chart becomes a file."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, TypeAlias

import altair as alt
import numpy as np
import vl_convert

from termsift._internal.errors import EngineError, InvalidInputError, unknown
from termsift._internal.expressions import check_k
from termsift._internal.files import replacing
from termsift._internal.resources import kept_text
from termsift._internal.tables import Table
from termsift._internal.typing import Array
from termsift.counts import Counts
from termsift.metrics import score
from termsift.report.roc_space import Plane, imagined, isocline, metric_of_cells
from termsift.selection import AnyMethod, parse_method

if sys.flags.optimize > 1:
    raise EngineError("charts are drawn by Altair, which reads its own docstrings; run Python without -OO")


class InPages(json.JSONEncoder):
    """JSON that stays inside its script, whatever the words are: none of them can close it."""

    def encode(self, o: Any) -> str:
        """Text, in which < is written as its number."""
        return super().encode(o).replace("<", "\\u003c")


# Altair warns of options that have no meaning for a format
FORMATS: dict[str, dict[str, Any]] = {
    ".html": {"format": "html", "inline": True, "json_kwds": {"cls": InPages}},
    ".png": {"format": "png"},
    ".svg": {"format": "svg"},
}


def save_chart(chart: Any, path: str | os.PathLike[str]) -> None:
    """Write a chart as a page with all its scripts included, or as an image: .html, .png or .svg.

    chart : an Altair chart
    path : the file to write; its extension sets the format

    >>> import tempfile
    >>> from termsift.report.charts import landscape
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_chart(landscape("acc2", levels=[0.5]), Path(folder) / "acc2.svg")
    ...     (Path(folder) / "acc2.svg").read_text(encoding="utf-8")[:4]
    '<svg'
    """
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise InvalidInputError(f"a chart is saved as .html, .png or .svg, got {os.fspath(path)!r}")
    with replacing(path) as temporary:
        chart.save(str(temporary), **FORMATS[suffix])


def roomy(drawing: Any) -> Any:
    """A chart with room for letters that are wider where it is looked at than where it was made."""
    room = {"left": 5, "top": 5, "right": 40, "bottom": 5}
    return drawing.properties(padding=room).configure_axis(titlePadding=10)


Points: TypeAlias = list[dict[str, Any]]
WIDTH, HEIGHT = 640, 480
SCALES = ("sqrt", "linear")
POINTS = {"word": ("#9a9a9a", "circle"), "stop word": ("#7b3294", "diamond")}


def roc_space(
    counts: Counts,
    for_class: object,
    metrics: Sequence[str] = ("bns", "ig", "chi2", "odds", "pr", "df"),
    *,
    k: int = 100,
    min_df: float = 0,
    stop_words: Iterable[str] = (),
    scale: str = "sqrt",
) -> Any:
    """Terms in ROC space, with each metric's isocline for its best k terms, as an Altair chart.

    Terms with the same cells share a point. On a page, hovering shows its words, and the chart can be moved
    and zoomed. Forman (2003), figures 2, 3 and 13.

    Parameters
    ----------
    counts : as returned by `ts.count`
    for_class : the class that terms speak for or against
    metrics : names of metrics that are functions of a term's cells
    k : number of terms a metric chooses; terms tied for the last place all lie on the line
    min_df : terms in fewer documents are not chosen; they lie below a black line
    stop_words : terms to mark
    scale : "sqrt", which spreads out the rare words near the origin, or "linear"

    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> picture = roc_space(counts, "spam", ["bns"], k=2)
    >>> [point["words"] for point in picture.to_dict()["layer"][0]["data"]["values"]]
    ['prize', 'today', 'free', 'lunch']

    """
    plane = drawn_plane(counts, for_class, k, min_df, stop_words, scale)
    names = list(dict.fromkeys(map(metric_of_cells, [metrics] if isinstance(metrics, str) else metrics)))
    thresholds = {name: plane.threshold(name, k) for name in names}
    x = alt.X("fp:Q", title=f"documents outside {for_class}", **count_axis(scale, plane.neg))
    y = alt.Y("tp:Q", title=f"documents of {for_class}", **count_axis(scale, plane.pos))
    layers = [point_layer(plane.cells(set(stop_words), thresholds)), *rule_layers(plane, min_df)]
    layers.append(isocline_layer(plane, thresholds, k))
    title = alt.Title(
        f"Where terms of {for_class} occur", subtitle=subtitle(plane, k, min_df), anchor="start"
    )
    return roomy(alt.layer(*(layer.encode(x=x, y=y) for layer in layers), title=title).interactive())


def drawn_plane(
    counts: Counts, for_class: object, k: int, min_df: float, stop_words: Iterable[str], scale: str
) -> Plane:
    """The plane of the class, if all that was asked for can be drawn."""
    if not isinstance(counts, Counts):
        raise InvalidInputError(f"roc_space takes Counts, got {type(counts).__name__}")
    if scale not in SCALES:
        raise unknown("scale", scale, SCALES)
    if isinstance(stop_words, str):
        raise InvalidInputError(f"stop_words must be a list of words, got the string {stop_words!r}")
    check_k(k)
    plane = Plane.of(counts, for_class, min_df)
    if k > plane.kept.sum():
        raise InvalidInputError(
            f"k must be at most {plane.kept.sum()}, the number of terms to choose from, got {k}"
        )
    return plane


def layer_of(values: Points) -> Any:
    """A layer of the picture, of some points."""
    return alt.Chart(alt.Data(values=values), width=WIDTH, height=HEIGHT)


def subtitle(plane: Plane, k: int, min_df: float) -> list[str]:
    """What the lines are."""
    lines = [
        f"beyond each coloured line: the best {k:,} of {plane.kept.sum():,} terms, and ties with the last",
        "grey: as frequent inside as outside",
    ]
    return lines if plane.kept.all() else [lines[0], f"{lines[1]}; black: terms in {min_df:,} documents"]


def count_axis(scale: str, end: float) -> dict[str, Any]:
    """The scale and axis of counts from 0 to the end."""
    # Vega's own ticks are even, which leaves none near 0 on a scale of square roots
    ticks = {"values": [0, *(digit * 10**n for n in range(9) for digit in (1, 2, 5))]}
    values = ticks if scale == "sqrt" else {}
    return {
        "scale": alt.Scale(type=scale, domain=[0, end], nice=False, padding=10),
        "axis": alt.Axis(labelOverlap="greedy", labelSeparation=4, grid=False, **values),
    }


def rule_layers(plane: Plane, min_df: float) -> list[Any]:
    """The diagonal, and the line on which terms are in min_df documents, where some are in fewer."""
    ends: Points = [{"fp": 0, "tp": 0}, {"fp": plane.neg, "tp": plane.pos}]
    drawn = [layer_of(ends).mark_line(color="#bbbbbb", strokeWidth=1, clip=True)]
    if not plane.kept.all():
        tp = np.linspace(0, np.sqrt(min(min_df, plane.pos)), 30) ** 2
        values: Points = [{"fp": min_df - t, "tp": t} for t in tp.tolist()]
        drawn.append(layer_of(values).mark_line(color="black", strokeWidth=1.5, clip=True))
    return drawn


def isocline_layer(plane: Plane, thresholds: dict[str, float], k: int) -> Any:
    """A colour for each metric."""
    values: Points = [
        {"metric": name, "line": i, "step": step, "fp": round(fp, 3), "tp": round(tp, 3)}
        for name, threshold in thresholds.items()
        for i, line in enumerate(plane.isocline(name, threshold))
        for step, (fp, tp) in enumerate(line.tolist())
    ]
    return layer_of(values).mark_line(strokeWidth=2, clip=True).encode(
        color=alt.Color("metric:N", title=f"the best {k:,} by", sort=list(thresholds)),
        detail="line:N",
        order="step:Q",
    )  # fmt: skip


def point_layer(cells: Points) -> Any:
    """A point for each cell, larger for more words."""
    kinds = [kind for kind in POINTS if any(cell["kind"] == kind for cell in cells)]
    colours, shapes = ([POINTS[kind][i] for kind in kinds] for i in (0, 1))
    legend = {} if len(kinds) > 1 else {"legend": None}
    most = max(cell["number"] for cell in cells)
    tooltip = [
        alt.Tooltip("words:N"),
        alt.Tooltip("number:Q", title="number of words", format=","),
        alt.Tooltip("tp:Q", title="documents of the class", format=",~g"),
        alt.Tooltip("fp:Q", title="documents outside", format=",~g"),
        alt.Tooltip("chosen by:N"),
    ]
    return layer_of(cells).mark_point(filled=True, opacity=0.5, clip=True, aria=False).encode(
        fill=alt.Fill("kind:N", title=None, scale=alt.Scale(domain=kinds, range=colours), **legend),
        shape=alt.Shape("kind:N", title=None, scale=alt.Scale(domain=kinds, range=shapes), **legend),
        size=alt.Size(
            "number:Q",
            title="words at a point",
            scale=alt.Scale(type="log", domain=[1, max(most, 2)], range=[10, 200]),
            legend=alt.Legend(values=[10**n for n in range(6) if 10**n <= most], format=","),
        ),
        tooltip=tooltip,
    )  # fmt: skip


SIDE = 420
LINES = 160  # of the grid, each way
EDGE = 12  # and all whole numbers so far from its ends
MOST_LEVELS = 40


def landscape(
    metric: AnyMethod = "bns",
    *,
    positives: int = 50,
    negatives: int = 1750,
    levels: int | Sequence[float] = 12,
) -> Any:
    """The contours of a metric over tpr and fpr, as an Altair chart.

    Each line joins terms with equal scores, for a class of the given size. Forman (2003), appendix C.

    Parameters
    ----------
    metric : a metric whose score depends only on a term's cells, with options as in "bns(zero='replace')",
        or a function of Cells
    positives, negatives : number of documents inside and outside the class
    levels : the values to draw; or their number, to divide the plane into equal areas

    >>> picture = landscape("acc2", levels=[0.5])
    >>> [round(point["tpr"] - point["fpr"], 2) for point in picture.to_dict()["data"]["values"]][0]
    -0.5

    """
    return roomy(landscape_map(metric, positives, negatives, levels))


def landscape_map(metric: AnyMethod, positives: int, negatives: int, levels: int | Sequence[float]) -> Any:
    """The map of a landscape alone, so that several can stand side by side."""
    for name, value in (("positives", positives), ("negatives", negatives)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise InvalidInputError(f"{name} must be a number of documents, at least 1, got {value!r}")
    method = parse_method(metric)
    line = method.metric
    name = str(method) if line.name != "<lambda>" else "a function"
    if not line.follows_from_cells or line.summed:
        raise InvalidInputError(
            f"{line.name} has no landscape: its scores do not follow from tp and fp alone"
        )

    def surface(fp: Array, tp: Array) -> Array:
        terms = imagined((name,), np.array([positives]), positives + negatives, fp, tp)
        found: Array = np.asarray(score(terms, line, **dict(method.options))).reshape(np.shape(fp))
        return found

    grid = grid_lines(negatives), grid_lines(positives)
    evenly = np.meshgrid(np.linspace(0, negatives, LINES), np.linspace(0, positives, LINES))
    drawn = level_values(levels, surface(*evenly))
    points = [
        {"level": level, "line": f"{level} {i}", "step": step, "fpr": fp / negatives, "tpr": tp / positives}
        for level in drawn
        for i, path in enumerate(isocline(surface, level, *grid))
        for step, (fp, tp) in enumerate(path.round(4).tolist())
    ]
    return contour_chart(points, drawn, name, f"{positives:,} documents inside, {negatives:,} outside")


def grid_lines(end: int) -> Array:
    """The lines of the grid from 0 to the end: evenly, and all whole numbers near both, where metrics turn.

    Of few documents they lie between whole numbers too, but for the first and the last step: metrics treat 0
    and a little more than 0 as far apart.
    """
    even = np.linspace(0, end, min(LINES, max(end + 1, LINES // 2)))
    even = np.round(even) if end >= LINES // 2 else even[(even >= 1) & (even <= end - 1)]
    near = np.arange(min(EDGE, end + 1))
    return np.unique(np.concatenate([even, near, end - near]))


def level_values(levels: int | Sequence[float], values: Array) -> list[float]:
    """The levels to draw, ascending, each once."""
    if isinstance(levels, int | np.integer) and not isinstance(levels, bool):
        if not 1 <= levels <= MOST_LEVELS:
            raise InvalidInputError(f"levels must be 1 to {MOST_LEVELS}, or the values to draw, got {levels}")
        levels = np.quantile(values, np.linspace(0, 1, int(levels) + 2)[1:-1]).tolist()
    try:
        found = np.unique(np.asarray(levels, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"levels must be a number of them, or the values to draw, got {levels!r}"
        ) from error
    if not len(found) or found.ndim != 1 or not np.isfinite(found).all():
        raise InvalidInputError(f"levels must be finite values, at least one, got {levels!r}")
    return [float(f"{value:.6g}") for value in found.tolist()]


def contour_chart(points: list[dict[str, Any]], levels: list[float], name: str, subtitle: str) -> Any:
    """The contours in ROC space, from low in blue to high in yellow."""
    axis = alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1], grid=False)
    scale = alt.Scale(domain=[0, 1], nice=False)
    title = alt.Title(f"The landscape of {name}", subtitle=subtitle, anchor="start")
    colour = alt.Color(
        "level:O", title="score", sort=levels[::-1], scale=alt.Scale(domain=levels, scheme="viridis")
    )
    return (
        alt.Chart(alt.Data(values=points), width=SIDE, height=SIDE, title=title)
        .mark_line(strokeWidth=1.5, clip=True)
        .encode(
            x=alt.X(
                "fpr:Q", title="fpr: share of the documents outside with the term", scale=scale, axis=axis
            ),
            y=alt.Y(
                "tpr:Q", title="tpr: share of the documents of the class with it", scale=scale, axis=axis
            ),
            color=colour,
            detail="line:N",
            order="step:Q",
        )
    )


FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
RATES = [0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1]
KINDS = ("for", "against", "other", "for chosen", "against chosen")
COLOURS = ("var(--for-pale)", "var(--against-pale)", "var(--other-pale)", "var(--for)", "var(--against)")
NAME_ROOM = 0.2
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


def data_set(name: str) -> Any:
    """A chart of data that the script gives."""
    return alt.Chart(alt.NamedData(name=name))


def page_chart(chart: Any, height: int, description: str) -> dict[str, Any]:
    """The chart as wide as its place on the page."""
    sized = chart.properties(width="container", height=height, description=description)
    spec: dict[str, Any] = sized.to_dict()
    spec.pop("$schema")
    return spec | {"config": CONFIG, "autosize": {"type": "fit", "contains": "padding"}}


def rate_axis(field: str, title: str) -> dict[str, Any]:
    """A rate from 0 to 1; square roots, since most terms are rare."""
    scale = alt.Scale(type="sqrt", domain=[0, 1], nice=False)
    text = {"labelExpr": "format(datum.value, '~%')", "labelOverlap": "greedy", "labelSeparation": 4}
    axis = alt.Axis(values=RATES, grid=True, **text)
    return {"shorthand": f"{field}:Q", "title": title, "scale": scale, "axis": axis}


def map_chart() -> dict[str, Any]:
    """Terms in ROC space: points, isocline, floor, the names of the first, the one that was looked for."""
    x = alt.X(**rate_axis("x", "share of the other documents that hold the term"))
    y = alt.Y(**rate_axis("y", "share of the class's documents that hold the term"))
    diagonal = alt.Chart(alt.InlineData(values=[{"x": 0, "y": 0}, {"x": 1, "y": 1}])).mark_line(
        stroke="var(--rule)", strokeWidth=1, aria=False
    )
    lines = data_set("lines").mark_line(stroke="var(--ink)", strokeWidth=1.5, clip=True, aria=False).encode(
        detail="line:N", order="step:Q"
    )  # fmt: skip
    floors = data_set("floors").mark_line(
        stroke="var(--chance)", strokeWidth=1.5, strokeDash=[5, 4], clip=True, aria=False
    )
    dots = data_set("points").mark_point(filled=True, opacity=0.9, tooltip={"content": "data"}, aria=False)
    points = dots.encode(
        color=alt.Color("kind:N", legend=None, scale=alt.Scale(domain=KINDS, range=COLOURS)),
        size=alt.Size("size:Q", legend=None, scale=None),
    )  # fmt: skip
    found = data_set("found").mark_point(
        filled=False, size=260, stroke="var(--ink)", strokeWidth=2.5, opacity=1, aria=False
    )
    place = {"align": "left", "baseline": "middle", "dx": alt.expr("datum.dx"), "dy": alt.expr("datum.dy")}
    text = {"fontSize": 12, "aria": False, **place}
    halo = data_set("labels").mark_text(stroke="var(--paper)", strokeWidth=4, strokeJoin="round", **text)
    names = data_set("labels").mark_text(fill="var(--ink)", **text)
    floors = floors.encode(detail="line:N", order="step:Q")
    layers = [diagonal, points, floors, lines, found, halo.encode(text="text:N"), names.encode(text="text:N")]
    chart = alt.layer(*(layer.encode(x=x, y=y) for layer in layers))
    return page_chart(
        chart, 520, "Terms of the chosen class in ROC space; the table beside it has the same terms."
    )


def curve_chart(goal: str, curve: Table) -> dict[str, Any]:
    """The goal against the number of terms, a line and a band per method; one scale for all classifiers."""
    numbers = sorted({max(round(float(n)), 1) for n in curve["terms"]})
    low = min(float(row["mean"]) - float(row["error"]) for row in curve)
    high = max(float(row["mean"]) + float(row["error"]) for row in curve)
    ends = [numbers[0], max(numbers[-1], numbers[0] + 1)]
    ticks = [digit * 10**n for n in range(9) for digit in (1, 2, 5) if ends[0] <= digit * 10**n <= ends[1]]
    axis = alt.Axis(values=ticks, format=",", labelOverlap="greedy", labelSeparation=6, grid=False)
    across = alt.Scale(type="log", domain=ends, nice=False, padding=14)
    x = alt.X("terms:Q", title="number of terms", scale=across, axis=axis)
    # above the best there is room for the name of the recommended point
    up = alt.Scale(domain=[low, high + max(NAME_ROOM * (high - low), 1e-6)], nice=False, padding=10)
    y = alt.Y("mean:Q", title=goal, scale=up, axis=alt.Axis(tickCount=6, grid=True))
    colour = alt.Color("colour:N", scale=None, legend=None)
    band = data_set("band").mark_area(opacity=0.12, aria=False).encode(
        x=x, y=alt.Y("low:Q", title=goal, scale=up), y2="high:Q", color=colour, detail="method:N"
    )  # fmt: skip
    rule = data_set("level").mark_rule(strokeDash=[5, 4], strokeWidth=1.5, aria=False)
    line = data_set("curve").mark_line(aria=False).encode(
        x=x, y=y, color=colour, detail="method:N", order="terms:Q",
        strokeWidth=alt.StrokeWidth("weight:Q", scale=None, legend=None),
    )  # fmt: skip
    dots = data_set("curve").mark_point(
        filled=True, size=48, opacity=1, tooltip={"content": "data"}, aria=False
    )
    chosen = data_set("chosen").mark_point(
        filled=False, size=280, stroke="var(--ink)", strokeWidth=2.5, opacity=1, aria=False
    )
    place = {"align": "left", "baseline": "top", "dx": alt.expr("datum.dx"), "dy": alt.expr("datum.dy")}
    text = {
        "fontSize": 12.5,
        "fontWeight": "bold",
        "lineHeight": 16,
        "limit": alt.expr("datum.limit"),
        **place,
    }
    halo = data_set("chosen").mark_text(
        stroke="var(--paper)", strokeWidth=4, strokeJoin="round", aria=False, **text
    )
    name = data_set("chosen").mark_text(fill="var(--ink)", aria=False, **text)
    layers = [band, rule.encode(y=y, color=colour), line, dots.encode(x=x, y=y, color=colour)]
    layers += [mark.encode(x=x, y=y, text="text:N") for mark in (halo, name)]
    layers.append(chosen.encode(x=x, y=y))
    said = f"{goal} against the number of terms, a line per method; the table below has the same figures."
    return page_chart(alt.layer(*layers), 400, said)


@cache
def vega_script() -> str:
    """Vega, Vega-Lite and Vega-Embed, as vl-convert bundles them for the version Altair writes for."""
    version = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])

    def bundle() -> str:
        made: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=version)
        return made

    return kept_text(f"vega-{version}-{metadata.version('vl-convert-python')}.js", bundle)
