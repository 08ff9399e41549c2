"""Charts of scores and comparisons: effects of terms, terms in ROC space, accuracy by size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array, check_positive_integer
from termsift.metrics import EXPECTED, Scores
from termsift.report.charts import add_padding, count_axis
from termsift.report.formatting import clip_name, format_count
from termsift.report.keywords import format_rounded_share
from termsift.report.plane import Plane
from termsift.report.summary import Findings

POSITIVE, NEGATIVE, INSIGNIFICANT = "#1f6f8b", "#b5522b", "#a8a8a8"
WIDTH, HEIGHT = 900, 640  # of the chart in ROC space, in pixels
MAX_PANELS = 12  # classes drawn in one chart
CHARACTER_WIDTH, LINE_HEIGHT = 6.2, 12  # of labels, in pixels; wide characters take twice the width
CURVE_COLOURS = ("#1f6f8b", "#b5522b", "#4c8c4a", "#7b5aa6", "#b08a1e", "#c2527e", "#3d6ea8", "#6b6b6b")
OTHER_COLOUR = "#c4c4c4"


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
        raise InvalidInputError(f"one chart shows 1 to {MAX_PANELS} classes, got {len(classes)}; name some")
    directions = ["positive", "negative"] if direction == "both" else [direction]
    panels = []
    for name in classes:
        # weighted documents have no significance
        known = expected if scores.of_class(name).p is not None else None
        tables = [scores.top(name, n, direction=side, expected=known) for side in directions]
        rows = [row for table in tables for row in table]
        if rows:
            panels.append(effect_panel(scores, name, rows))
    if not panels:
        raise InvalidInputError("there are no significant terms to draw; use expected=None to draw all terms")
    return add_padding(panels[0] if len(panels) == 1 else alt.concat(*panels, columns=2))


def effect_panel(scores: Scores, name: object, rows: list[dict[str, Any]]) -> Any:
    """Return the bars of one class, largest effect first."""
    rows = sorted(rows, key=lambda row: -row["effect"])
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


def plot_terms(scores: Scores, name: object, *, max_labels: int = 400, scale: str = "sqrt") -> Any:
    """Draw the terms of a class in ROC space, with as many labels as fit without overlap, best terms first.

    Parameters
    ----------
    scores : Scores
        As returned by `ts.score`, with a score for each class.
    name : object
        Class.
    max_labels : int, default 400
        Maximum number of labels.
    scale : {"sqrt", "linear"}, default "sqrt"
        Scale of the axes.

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
    sign = np.where(plane.tp * plane.neg >= plane.fp * plane.pos, POSITIVE, NEGATIVE)
    colours = np.where(is_grey, INSIGNIFICANT, sign)
    points = plane.describe_points((), {})
    first = {
        (fp, tp): i
        for i, (fp, tp) in reversed(list(enumerate(zip(plane.fp.tolist(), plane.tp.tolist(), strict=True))))
    }
    for point in points:
        point["colour"] = str(colours[first[point["fp"], point["tp"]]])
    # most terms are rare, so the axes end at the most frequent term
    ends = float(plane.fp.max()), float(plane.tp.max())
    labels = place_labels(plane, ends, best[: 10 * max_labels], max_labels, scale)
    x = alt.X("fp:Q", title="documents of the other classes", **count_axis(scale, ends[0]))
    y = alt.Y("tp:Q", title=f"documents of {clip_name(name, 40)}", **count_axis(scale, ends[1]))
    base = alt.Chart(width=WIDTH, height=HEIGHT)
    corners = alt.Data(values=[{"fp": 0, "tp": 0}, {"fp": plane.neg, "tp": plane.pos}])
    diagonal = base.properties(data=corners).mark_line(color="#cccccc", strokeWidth=1, clip=True)
    tooltip = [
        "words:N",
        alt.Tooltip("tp:Q", title="in the class"),
        alt.Tooltip("fp:Q", title="in the others"),
    ]
    dots = base.properties(data=alt.Data(values=points)).mark_circle(size=14, opacity=0.7)
    dots = dots.encode(color=alt.Color("colour:N", scale=None), tooltip=tooltip)
    place = {"align": "left", "dx": alt.expr("datum.dx"), "dy": alt.expr("datum.dy"), "fontSize": 10.5}
    text = base.properties(data=alt.Data(values=labels))
    # a halo keeps labels on points legible
    halo, words = (
        text.mark_text(baseline="middle", **place, **style).encode(text="text:N")
        for style in ({"stroke": "white", "strokeWidth": 3, "strokeJoin": "round"}, {"fill": "#222222"})
    )
    subtitle = [
        f"{len(labels):,} of {len(best):,} significant terms are labelled, best by {scores.metric} first",
        "grey: not significant; line: equally frequent in the class and in the others",
    ]
    title = alt.Title(f"Terms of {clip_name(name, 60)}", subtitle=subtitle, anchor="start")
    return add_padding(
        alt.layer(*(layer.encode(x=x, y=y) for layer in (diagonal, dots, halo, words)), title=title)
    )


def place_labels(
    plane: Plane, ends: tuple[float, float], rows: Array, max_labels: int, scale: str
) -> list[dict[str, Any]]:
    """Return labels next to the points of some terms, without overlap; a term without space has none."""
    to_unit = np.sqrt if scale == "sqrt" else np.asarray
    x = 10 + (WIDTH - 20) * to_unit(plane.fp / max(ends[0], 1))
    y = HEIGHT - 10 - (HEIGHT - 20) * to_unit(plane.tp / max(ends[1], 1))
    boxes = np.zeros((max_labels, 4))
    labels: list[dict[str, Any]] = []
    for row in rows.tolist():
        text = clip_name(plane.counts.terms[row], 40)
        width = CHARACTER_WIDTH * sum(1 if ord(character) < 0x1100 else 2 for character in text)
        for dx, dy in ((5, 0), (-5 - width, 0), (-width / 2, -9), (-width / 2, 9)):
            left, top = x[row] + dx, y[row] + dy - LINE_HEIGHT / 2
            used = boxes[: len(labels)]
            overlaps = (left < used[:, 2]) & (used[:, 0] < left + width)
            overlaps &= (top < used[:, 3]) & (used[:, 1] < top + LINE_HEIGHT)
            if (
                left >= 0
                and left + width <= WIDTH
                and 0 <= top <= HEIGHT - LINE_HEIGHT
                and not overlaps.any()
            ):
                boxes[len(labels)] = left, top, left + width, top + LINE_HEIGHT
                place = {"fp": float(plane.fp[row]), "tp": float(plane.tp[row])}
                labels.append({**place, "text": text, "dx": dx, "dy": dy})
                break
        if len(labels) == max_labels:
            break
    return labels


def plot_curve(findings: Findings, max_methods: int = 8) -> Any:
    """Draw the goal by number of terms: a line per method, best methods first, and the recommendation.

    Parameters
    ----------
    findings : Findings
        As returned by `Comparison.findings`.
    max_methods : int, default 8
        Number of methods with a colour; others are grey.

    Returns
    -------
    altair.LayerChart
        Chart; bands are standard errors.

    """
    rows = [{"name": f"{row['method']}, {row['classifier']}", **row} for row in findings.curve]
    best: dict[str, float] = {}
    for row in sorted(rows, key=lambda row: -row["mean"]):
        best.setdefault(row["name"], row["mean"])
    shown = list(best)[: min(max_methods, len(CURVE_COLOURS))]
    chosen = dict(findings.chosen)
    chosen_name = f"{chosen['method']}, {chosen['classifier']}"
    shown = list(dict.fromkeys([chosen_name, *shown]))[: len(CURVE_COLOURS)]
    keys = ("name", "terms", "mean", "error")
    values = [
        {key: row[key] if key == "name" else round(float(row[key]), 6) for key in keys}
        | {"low": row["mean"] - row["error"], "high": row["mean"] + row["error"]}
        for row in rows
        if row["name"] in shown
    ]
    colour = alt.Color(
        "name:N",
        title=None,
        sort=shown,
        scale=alt.Scale(domain=shown, range=list(CURVE_COLOURS[: len(shown)])),
    )
    x = alt.X(
        "terms:Q",
        title="number of terms",
        scale=alt.Scale(type="log", nice=False, padding=12),
        axis=alt.Axis(format="~s", grid=False),
    )
    y = alt.Y("mean:Q", title=findings.goal, scale=alt.Scale(zero=False))
    chart = alt.Chart(alt.Data(values=values), width=520, height=340)
    band = chart.mark_area(opacity=0.12).encode(
        x=x, y=alt.Y("low:Q", title=findings.goal), y2="high:Q", color=colour
    )
    line = chart.mark_line(point=True).encode(x=x, y=y, color=colour, tooltip=list(keys))
    point = {"terms": float(chosen["terms"]), "mean": float(chosen["mean"])}
    ring = (
        alt.Chart(alt.Data(values=[point]))
        .mark_point(size=260, color="#222222", strokeWidth=2)
        .encode(x=x, y=y)
    )
    n_others = len(best) - len(shown)
    n_terms = format_count(round(float(chosen["terms"])))
    subtitle = [f"circle: recommended ({chosen_name}, {n_terms} terms); bands: standard error"]
    subtitle += [f"{n_others} more methods are not drawn"] if n_others > 0 else []
    return add_padding(
        alt.layer(
            band,
            line,
            ring,
            title=alt.Title("Accuracy by number of terms", subtitle=subtitle, anchor="start"),
        )
    )
