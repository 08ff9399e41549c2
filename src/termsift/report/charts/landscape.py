"""The landscape of a metric: its contours over the rates of a term inside and outside a class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from termsift._typing import Array
from termsift.errors import InvalidInput
from termsift.methods import AnyMethod, method_from
from termsift.report.charts import roomy
from termsift.report.charts.isoclines import isocline
from termsift.report.charts.plane import imagined
from termsift.scoring import score

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
            raise InvalidInput(f"{name} must be a number of documents, at least 1, got {value!r}")
    method = method_from(metric)
    line = method.metric
    name = str(method) if line.name != "<lambda>" else "a function"
    if not line.follows_from_cells or line.summed:
        raise InvalidInput(f"{line.name} has no landscape: its scores do not follow from tp and fp alone")

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
            raise InvalidInput(f"levels must be 1 to {MOST_LEVELS}, or the values to draw, got {levels}")
        levels = np.quantile(values, np.linspace(0, 1, int(levels) + 2)[1:-1]).tolist()
    try:
        found = np.unique(np.asarray(levels, dtype=np.float64))
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"levels must be a number of them, or the values to draw, got {levels!r}"
        ) from error
    if not len(found) or found.ndim != 1 or not np.isfinite(found).all():
        raise InvalidInput(f"levels must be finite values, at least one, got {levels!r}")
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
