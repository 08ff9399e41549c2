"""Charts of scores and comparisons: effects of terms, terms in ROC space, accuracy by size."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError
from termsift._internal.ranking import drop_nested_terms, has_char_ngrams
from termsift._internal.typing import Array, check_positive_integer
from termsift.metrics import EXPECTED, Scores
from termsift.report.charts import RATES, add_padding, alt, save_chart  # type: ignore[attr-defined]
from termsift.report.formatting import clip_name, format_count
from termsift.report.keywords import format_rounded_share
from termsift.report.plane import Plane
from termsift.report.summary import Findings, select_columns

POSITIVE, NEGATIVE, INSIGNIFICANT = "#1f6f8b", "#b5522b", "#a8a8a8"
WIDTH, HEIGHT, MARGIN = 1000, 700, 10  # of the chart in ROC space, in pixels
MAX_PANELS = 12  # classes drawn in one chart
DIRECTIONS = ("positive", "negative")
CHARACTER_WIDTH, LINE_HEIGHT = 6.2, 12  # of labels, in pixels; wide characters take twice the width
CURVE_COLOURS = ("#1f6f8b", "#b5522b", "#4c8c4a", "#7b5aa6", "#b08a1e", "#c2527e", "#20b2aa", "#6b6b6b")
EXPORT_EXTENSIONS = (".svg", ".png")


def plot_effects(
    scores: Scores,
    classes: Sequence[object],
    n: int = 10,
    *,
    direction: str = "both",
    expected: float | None = EXPECTED,
) -> Any:
    """Draw the best terms of classes as bars of their effects, with confidence intervals and shares.

    Parameters
    ----------
    scores : Scores
        As returned by `ts.score`, with a score for each class.
    classes : sequence
        Names of 1 to 12 classes; each is a panel.
    n : int, default 10
        Number of terms in each direction.
    direction : {"both", "positive", "negative"}, default "both"
        Terms to draw.
    expected : float, optional
        Draw only significant terms, with this expected number of false positives; None draws all.

    Returns
    -------
    altair.Chart
        Chart, which `save_chart` writes as SVG, PNG, PDF or HTML.

    Raises
    ------
    InvalidInputError
        If there are no scores per class, too many classes, or no terms to draw.
    UnknownNameError
        If a class or the direction is unknown.

    """
    check_positive_integer(n, "n")
    if not 1 <= len(classes) <= MAX_PANELS:
        raise InvalidInputError(
            f"one chart shows 1 to {MAX_PANELS} classes, got {len(classes)}; choose some with --class, or "
            "draw a chart of each with termsift report --export"
        )
    directions = DIRECTIONS if direction == "both" else [direction]
    drawn = (effect_panel(scores, name, n, directions, expected) for name in classes)
    panels = [panel for panel in drawn if panel is not None]
    if not panels:
        raise InvalidInputError("there are no significant terms to draw; use expected=None to draw all terms")
    return add_padding(panels[0] if len(panels) == 1 else alt.concat(*panels, columns=2))


def effect_panel(
    scores: Scores,
    name: object,
    n: int = 10,
    directions: Sequence[str] = DIRECTIONS,
    expected: float | None = EXPECTED,
) -> Any:
    """Return the bars of one class, largest effect first; None if there are no terms."""
    # weighted documents have no significance
    known = expected if scores.of_class(name).p is not None else None
    tables = [scores.top(name, n, direction=side, expected=known) for side in directions]
    rows = sorted((row for table in tables for row in table), key=lambda row: -row["effect"])
    if not rows:
        return None
    ends = [row[key] for row in rows for key in ("effect", "low", "high") if np.isfinite(row[key])]
    low, high = min(0.0, *ends), max(0.0, *ends)
    values = []
    for row in rows:
        inside, outside = row["tp"] / max(row["tp"] + row["fn"], 1), row["fp"] / max(row["fp"] + row["tn"], 1)
        shares = f"{format_rounded_share(inside)} / {format_rounded_share(outside)}"
        interval = {key: float(np.clip(row[key], low, high)) for key in ("effect", "low", "high")}
        values.append({"term": clip_name(row["term"], 40), "shares": shares, **interval})
    size = scores.counts.class_sizes[scores.counts.class_index(name)]
    documents = f"{format_count(size)} of {format_count(scores.counts.documents)} documents"
    _, _, measure = scores.default_effect.description.partition("effect = ")
    measure, _, interval_text = measure.partition("; low-high = ")
    subtitle = [
        f"{documents}, ranked by {scores.metric}",
        f"lines: {interval_text}; right: share in the class / in the others",
    ]
    title = alt.Title(clip_name(name, 60), subtitle=subtitle, anchor="start", frame="group")
    chart = alt.Chart(alt.Data(values=values), width=330, height=alt.Step(19), title=title)
    axis = alt.Axis(title=None, labelLimit=220, labelPadding=8, ticks=False, domain=False, minExtent=110)
    y = alt.Y("term:N", sort=[value["term"] for value in values], axis=axis)
    x = alt.X(
        "effect:Q", title=measure, scale=alt.Scale(domain=[low, high], nice=5), axis=alt.Axis(tickCount=5)
    )
    zero = chart.mark_rule(color="#777777").encode(x=alt.datum(0))
    colour = alt.condition("datum.effect > 0", alt.value(POSITIVE), alt.value(NEGATIVE))
    tooltip = ["term:N", alt.Tooltip("shares:N", title="share in / outside"), "effect:Q", "low:Q", "high:Q"]
    bars = chart.mark_bar(height=11, opacity=0.75).encode(x=x, y=y, color=colour, tooltip=tooltip)
    intervals = chart.mark_rule(color="#222222", strokeWidth=1.3).encode(x="low:Q", x2="high:Q", y=y)
    text = chart.mark_text(align="left", dx=8, fontSize=10.5, color="#444444")
    return alt.layer(bars, zero, intervals, text.encode(x=alt.value(330), y=y, text="shares:N"))


def plot_terms(scores: Scores, name: object, *, max_labels: int = 400) -> Any:
    """Draw the terms of a class in ROC space, with as many labels as fit without overlap, best terms first.

    The axes are logarithmic from one document, and include 0.

    Parameters
    ----------
    scores : Scores
        As returned by `ts.score`, with a score for each class.
    name : object
        Class.
    max_labels : int, default 400
        Maximum number of labels.

    Returns
    -------
    altair.LayerChart
        Chart; on a page, hovering shows the words of every point.

    Raises
    ------
    InvalidInputError
        If there are no scores per class.
    UnknownNameError
        If the class is unknown.

    """
    plane = Plane.from_counts(scores.counts, name, 0)
    occurs = np.flatnonzero(scores.counts.term_df > 0)
    row_of = np.full(len(scores.terms), -1)
    row_of[occurs] = np.arange(len(occurs))
    significant = scores.significant(for_class=name)
    is_grey = np.zeros(len(occurs), dtype=bool) if significant is None else ~significant[occurs]
    best = row_of[scores.top_rows(name, len(scores.terms))]
    best = best[(best >= 0) & ~is_grey[best]]
    shares = plane.fp / max(plane.neg, 1), plane.tp / max(plane.pos, 1)
    points = plane.describe_points((), {})
    # terms with the same counts have the same p
    grey = set(zip(plane.fp[is_grey].tolist(), plane.tp[is_grey].tolist(), strict=True))
    for point in points:
        x, y = point["fp"] / max(plane.neg, 1), point["tp"] / max(plane.pos, 1)
        colour = POSITIVE if y >= x else NEGATIVE
        point |= {"x": x, "y": y, "colour": INSIGNIFICANT if (point["fp"], point["tp"]) in grey else colour}
    # selected terms are drawn on top
    points.sort(key=lambda point: point["colour"] != INSIGNIFICANT)
    # without n-grams nested in others
    words, is_char = best[: 3 * max_labels], has_char_ngrams(scores.counts.analyzer)
    terms, df = plane.counts.terms[words], plane.counts.term_df[words]
    words = words[drop_nested_terms(terms, df, characters=is_char)]
    labels = place_labels(plane, words, max_labels)
    others = [other for other in scores.classes if str(other) != str(name)]
    outside = clip_name(others[0], 40) if len(others) == 1 and scores.counts.single_label else "other classes"
    titles = [f"share of the documents of {side}" for side in (outside, clip_name(name, 40))]
    axes = zip((plane.neg, plane.pos), shares, titles, strict=True)
    x, y = (share_axis(field, *values) for field, values in zip("xy", axes, strict=True))
    # named, because Altair copies and validates data in every step
    datasets = {"points": points, "labels": labels, "equal": [{"x": rate, "y": rate} for rate in RATES]}
    layer = {name: alt.Chart(alt.NamedData(name), width=WIDTH, height=HEIGHT) for name in datasets}
    diagonal = layer["equal"].mark_line(color="#cccccc", strokeWidth=1, clip=True)
    counts = {"tp": "in the class", "fp": "in the others"}
    tooltip = ["words:N", *(alt.Tooltip(f"{field}:Q", title=text) for field, text in counts.items())]
    dots = layer["points"].mark_circle(size=14, opacity=0.7, aria=False)
    dots = dots.encode(color=alt.Color("colour:N", scale=None), tooltip=tooltip)
    place = {
        "align": alt.expr("datum.align"),
        "dx": alt.expr("datum.dx"),
        "dy": alt.expr("datum.dy"),
        "fontSize": 10.5,
    }
    # a halo keeps labels on points legible
    halo, names = (
        layer["labels"].mark_text(baseline="middle", **place, **style).encode(text="text:N")
        for style in ({"stroke": "white", "strokeWidth": 3, "strokeJoin": "round"}, {"fill": "#222222"})
    )
    subtitle = [
        f"{len(labels):,} of {len(best):,} significant terms are labelled, best by {scores.metric} first",
        "grey: not significant; line: equally frequent in the class and in the others",
    ]
    title = alt.Title(f"Terms of {clip_name(name, 60)}", subtitle=subtitle, anchor="start")
    chart = add_padding(
        alt.layer(*(mark.encode(x=x, y=y) for mark in (diagonal, dots, halo, names)), title=title)
    )
    chart.datasets = datasets
    return chart


def share_axis(field: str, documents: float, shares: Array, title: str) -> Any:
    """Return a logarithmic axis whose unit is one document, up to the largest share."""
    unit, end = 1 / max(documents, 1), float(shares.max(initial=0)) or 1.0
    ticks = [rate for rate in RATES if rate <= end and (rate >= unit / 2 or not rate)]
    scale = alt.Scale(type="symlog", constant=unit, domain=[0, end], nice=False, padding=MARGIN)
    text = {"labelExpr": "format(datum.value, '~%')", "labelOverlap": "greedy", "labelSeparation": 4}
    axis = alt.Axis(values=ticks, grid=False, **text)
    return (alt.X if field == "x" else alt.Y)(f"{field}:Q", title=title, scale=scale, axis=axis)


def export_charts(scores: Scores, classes: Sequence[object], folder: Path) -> list[Path]:
    """Write the effects and the map of the classes of a report as SVG and PNG files; return their paths.

    A class without significant terms has only a map.
    """
    paths: list[Path] = []
    slugs: list[str] = []
    for name in (scores.classes[column] for column in select_columns(scores.counts, classes)):
        slug = re.sub(r"[^\w.-]+", "-", str(name)).strip("-.")[:60] or "class"
        # names that differ only in case are the same file on some systems
        slugs.append(slug.casefold())
        n_same, panel = slugs.count(slugs[-1]), effect_panel(scores, name)
        charts = {"map": plot_terms(scores, name), "effects": panel and add_padding(panel)}
        for kind, chart in charts.items():
            for extension in EXPORT_EXTENSIONS if chart else ():
                paths.append(folder / f"{slug}{f'-{n_same}' if n_same > 1 else ''}-{kind}{extension}")
                save_chart(chart, paths[-1])
    return paths


def place_labels(plane: Plane, rows: Array, max_labels: int) -> list[dict[str, Any]]:
    """Return labels next to the points of some terms, without overlap; a term without space has none."""

    def positions(counts: Array, size: int) -> Array:
        log = np.log1p(counts)
        scaled: Array = MARGIN + (size - 2 * MARGIN) * log / max(log.max(initial=0), 1e-9)
        return scaled

    x, y = positions(plane.fp, WIDTH), HEIGHT - positions(plane.tp, HEIGHT)
    boxes = np.zeros((2 * max_labels, 4))  # of labels and of their points
    labels: list[dict[str, Any]] = []
    for row in rows.tolist():
        text = clip_name(plane.counts.terms[row], 40)
        width = CHARACTER_WIDTH * sum(1 if ord(character) < 0x1100 else 2 for character in text)
        corners = [(dx, dy) for dx in (4, -4 - width) for dy in (-8, 8)]
        for dx, dy in ((5, 0), (-5 - width, 0), (-width / 2, -9), (-width / 2, 9), *corners):
            left, top = x[row] + dx, y[row] + dy - LINE_HEIGHT / 2
            right, bottom = left + width, top + LINE_HEIGHT
            used = boxes[: 2 * len(labels)]
            overlaps = (left < used[:, 2]) & (used[:, 0] < right) & (top < used[:, 3]) & (used[:, 1] < bottom)
            if left >= 0 and right <= WIDTH and top >= 0 and bottom <= HEIGHT and not overlaps.any():
                point = x[row] - 2, y[row] - 2, x[row] + 2, y[row] + 2
                boxes[2 * len(labels) : 2 * len(labels) + 2] = (left, top, right, bottom), point
                shares = {"x": plane.fp[row] / max(plane.neg, 1), "y": plane.tp[row] / max(plane.pos, 1)}
                # fonts differ from the estimated width, so a label is anchored at its point
                align, shift = ("left", 0.0) if dx > 0 else ("right", width)
                if dx == -width / 2:
                    align, shift = "center", width / 2
                labels.append({**shares, "text": text, "dx": dx + shift, "dy": dy, "align": align})
                break
        if len(labels) == max_labels:
            break
    return labels


def plot_curve(findings: Findings) -> Any:
    """Draw the goal by number of terms: a line per method, best methods first, and the recommendation.

    Parameters
    ----------
    findings : Findings
        As returned by `Comparison.findings`.

    Returns
    -------
    altair.LayerChart
        Chart; the band shows the standard errors of the recommended method.

    """
    rows = [{"name": f"{row['method']}, {row['classifier']}", **row} for row in findings.curve]
    best: dict[str, float] = {}
    for row in sorted(rows, key=lambda row: -row["mean"]):
        best.setdefault(row["name"], row["mean"])
    chosen = dict(findings.chosen)
    chosen_name = f"{chosen['method']}, {chosen['classifier']}"
    shown = list(dict.fromkeys([chosen_name, *best]))[: len(CURVE_COLOURS)]
    keys = ("name", "terms", "mean", "error")
    values = [
        {key: row[key] if key == "name" else round(float(row[key]), 6) for key in keys}
        | {"low": row["mean"] - row["error"], "high": row["mean"] + row["error"]}
        for row in rows
        if row["name"] in shown
    ]
    colours = alt.Scale(domain=shown, range=list(CURVE_COLOURS[: len(shown)]))
    colour = alt.Color("name:N", title=None, sort=shown, legend=alt.Legend(labelLimit=320), scale=colours)
    axis = alt.Axis(format=",", grid=False, labelOverlap="greedy")
    scale = alt.Scale(type="log", nice=False, padding=12)
    x = alt.X("terms:Q", title="number of terms", scale=scale, axis=axis)
    y = alt.Y("mean:Q", title=findings.goal, scale=alt.Scale(zero=False))
    chart = alt.Chart(alt.Data(values=values), width=520, height=340)
    # bands of all methods would hide the lines
    band = chart.properties(data=alt.Data(values=[row for row in values if row["name"] == chosen_name]))
    band = band.mark_area(opacity=0.15, color=CURVE_COLOURS[0])
    band = band.encode(x=x, y=alt.Y("low:Q", title=findings.goal), y2="high:Q")
    tooltip = ["name:N", *(f"{key}:Q" for key in keys[1:])]
    line = chart.mark_line(point=True).encode(x=x, y=y, color=colour, tooltip=tooltip)
    mean, error = float(chosen["mean"]), float(chosen["error"])
    point = {"terms": float(chosen["terms"]), "mean": mean, "low": mean - error, "high": mean + error}
    base = alt.Chart(alt.Data(values=[point])).encode(x=x)
    ring = base.mark_point(size=260, color="#222222", strokeWidth=2).encode(y=y)
    # a method of a single size has no band
    bar = base.mark_rule(color="#222222", opacity=0.6).encode(
        y=alt.Y("low:Q", title=findings.goal), y2="high:Q"
    )
    n_others = len(best) - len(shown)
    n_terms = format_count(round(float(chosen["terms"])))
    subtitle = [f"circle: recommended ({chosen_name}, {n_terms} terms); band and bar: standard error"]
    subtitle += [f"{n_others} more methods are not drawn"] if n_others > 0 else []
    text = f"{findings.goal[0].upper()}{findings.goal[1:]} by number of terms"
    title = alt.Title(text, subtitle=subtitle, anchor="start")
    return add_padding(alt.layer(band, line, bar, ring, title=title))
