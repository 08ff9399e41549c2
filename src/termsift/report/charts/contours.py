"""Isoclines for a page: several thresholds on one grid, as few points as the eye needs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from termsift._typing import Array
from termsift.contingency import cells_of
from termsift.metrics import AnyMetric, Metric, metric_from
from termsift.report.charts.isoclines import Surface, crossed_edges, crossings, joined_lines
from termsift.report.charts.plane import Plane

# lines of the grid each way, and points of the page's plane each way
LINES, FINE = 70, 1000
HALVINGS = 8


def contours(plane: Plane, metric: AnyMetric, thresholds: Sequence[float]) -> list[list[list[int]]]:
    """For each threshold the lines that part what reaches it, each as u, v, u, v, ...

    u and v are thousandths of the square roots of fpr and tpr, which is where a page draws them.
    """
    surface = surface_of_cells(plane, metric_from(metric))
    grid = grid_lines(plane.neg), grid_lines(plane.pos)
    values = surface(*np.meshgrid(*grid))
    reached = [values >= threshold for threshold in thresholds]
    edges = [crossed_edges(beyond, *grid) for beyond in reached]
    sizes = [len(numbers) for numbers, _, _ in edges]
    start, end = (np.concatenate([edge[i] for edge in edges]) for i in (1, 2))
    # all thresholds at once: a metric is a call of many small steps
    met = crossings(surface, np.repeat(thresholds, sizes), start, end, HALVINGS)
    points = np.sqrt(np.clip(met / [plane.neg, plane.pos], 0, 1))
    own = np.split(points, np.cumsum(sizes)[:-1])
    return [
        [simplified(path) for path in joined_lines(beyond, numbers, at)]
        for beyond, (numbers, _, _), at in zip(reached, edges, own, strict=True)
    ]


def surface_of_cells(plane: Plane, metric: Metric) -> Surface:
    """The metric as a function of fp and tp; many times quicker than by way of counts, where it can be."""
    if not metric.of_cells:
        return plane.surface(metric)
    function, pos, documents = metric.function, np.array(plane.pos), float(plane.counts.documents)
    return lambda fp, tp: function(cells_of(tp, fp + tp, pos, documents))


def grid_lines(end: float) -> Array:
    """Whole numbers from 0 to the end, even by their square roots: most terms are rare."""
    return np.unique(np.append(np.round(np.linspace(0, np.sqrt(end), LINES) ** 2)[:-1], [0.0, end]))


def simplified(path: Array) -> list[int]:
    """The path on the page's plane, without the points that lie within one step of a straight line."""
    points = np.round(FINE * path).astype(np.int64)
    kept = [0, len(points) - 1]
    spans = [(0, len(points) - 1)]
    while spans:
        first, last = spans.pop()
        if last - first < 2:
            continue
        far = distances(points[first : last + 1])
        middle = first + int(far.argmax())
        if far.max() > 1:
            kept.append(middle)
            spans += [(first, middle), (middle, last)]
    flat: list[int] = points[sorted(set(kept))].ravel().tolist()
    return flat


def distances(points: Array) -> Array:
    """From each point to the line between the first and the last, or to the first where they are one."""
    start, along = points[0].astype(np.float64), (points[-1] - points[0]).astype(np.float64)
    offsets = points - start
    length = float(np.hypot(along[0], along[1]))
    across = np.abs(along[0] * offsets[:, 1] - along[1] * offsets[:, 0])
    found: Array = across / length if length else np.hypot(offsets[:, 0], offsets[:, 1])
    return found
