"""A picture of what metrics choose: terms in ROC space, and the line at which each metric cuts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import altair as alt
import numpy as np

from termsift.counts import Counts
from termsift.errors import InvalidInput, unknown
from termsift.policies import check_k
from termsift.report.charts import roomy
from termsift.report.charts.plane import Plane, metric_of_cells

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
        raise InvalidInput(f"roc_space takes Counts, got {type(counts).__name__}")
    if scale not in SCALES:
        raise unknown("scale", scale, SCALES)
    if isinstance(stop_words, str):
        raise InvalidInput(f"stop_words must be a list of words, got the string {stop_words!r}")
    check_k(k)
    plane = Plane.of(counts, for_class, min_df)
    if k > plane.kept.sum():
        raise InvalidInput(
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
