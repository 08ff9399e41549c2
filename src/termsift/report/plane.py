"""Terms in ROC space, and isoclines: lines on which a metric has a constant value."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array
from termsift.counts import ROUNDING, Counts, build_cells
from termsift.metrics import AnyMetric, Metric, as_metric, score

# metric as a function of arrays fp and tp of the same shape
Surface: TypeAlias = Callable[[Array, Array], Array]
BISECTIONS = 30


def isocline(surface: Surface, threshold: float, fp: Array, tp: Array) -> list[Array]:
    """Return the lines that separate cells at or above the threshold from the others.

    Marching squares: a line crosses exactly the grid edges whose ends lie on different sides of the
    threshold, so it separates the grid points correctly whatever the surface does between them.

    Parameters
    ----------
    surface : metric as a function of fp and tp
    threshold : value of the metric on the line
    fp, tp : columns and rows of the grid, ascending

    Returns
    -------
    list of arrays (points, 2) of fp and tp

    """
    is_above = surface(*np.meshgrid(fp, tp)) >= threshold
    numbers, upper, lower = find_crossed_edges(is_above, fp, tp)
    return join_crossings(is_above, numbers, find_crossings(surface, threshold, upper, lower))


def find_crossed_edges(is_above: Array, fp: Array, tp: Array) -> tuple[Array, Array, Array]:
    """Return number, upper end and lower end of each grid edge that crosses the threshold."""
    rows, columns = is_above.shape
    horizontal = np.argwhere(is_above[:, 1:] != is_above[:, :-1])
    vertical = np.argwhere(is_above[1:] != is_above[:-1])
    # edges are numbered: horizontal ones first, then vertical ones
    numbers = np.concatenate([horizontal @ [columns - 1, 1], rows * (columns - 1) + vertical @ [columns, 1]])
    start = np.concatenate([horizontal, vertical])
    end = start + np.repeat([[0, 1], [1, 0]], [len(horizontal), len(vertical)], axis=0)
    start_is_above = is_above[tuple(start.T)][:, None]
    upper, lower = (
        np.column_stack([fp[points[:, 1]], tp[points[:, 0]]]).astype(np.float64)
        for points in (np.where(start_is_above, start, end), np.where(start_is_above, end, start))
    )
    return numbers, upper, lower


def join_crossings(is_above: Array, numbers: Array, points: Array) -> list[Array]:
    """Join the crossing points of the numbered edges into lines."""
    order = np.argsort(numbers, kind="stable")
    pairs = order[np.searchsorted(numbers[order], link_edges(is_above))]
    return [points[path] for path in trace_paths(pairs)]


def find_crossings(
    surface: Surface, threshold: float | Array, upper: Array, lower: Array, bisections: int = BISECTIONS
) -> Array:
    """Find by bisection where each edge crosses the threshold.

    The result is never an end of the edge, so a grid point on the threshold lies beyond the line.
    """
    for _ in range(bisections):
        middle = (upper + lower) / 2
        is_above = (surface(*middle.T) >= threshold)[:, None]
        upper, lower = np.where(is_above, middle, upper), np.where(is_above, lower, middle)
    return (upper + lower) / 2


def link_edges(is_above: Array) -> Array:
    """Return the pairs of edges by which lines enter and leave each square, shape (links, 2).

    A square has zero, two or four crossed edges; four are linked lower left and upper right.
    """
    rows, columns = is_above.shape
    horizontal = np.arange(rows * (columns - 1)).reshape(rows, columns - 1)
    vertical = horizontal.size + np.arange((rows - 1) * columns).reshape(rows - 1, columns)

    def around_squares(horizontal: Array, vertical: Array) -> Array:
        return np.stack([horizontal[:-1], vertical[:, :-1], horizontal[1:], vertical[:, 1:]], axis=-1)

    is_crossed = around_squares(is_above[:, 1:] != is_above[:, :-1], is_above[1:] != is_above[:-1])
    # the edges of a square are in the order lower, left, upper, right, so crossed ones are linked in pairs
    return np.asarray(around_squares(horizontal, vertical)[is_crossed].reshape(-1, 2))


def trace_paths(pairs: Array) -> list[list[int]]:
    """Join links end to end: open lines first, then closed ones. An edge has one or two links."""
    neighbors: dict[int, list[int]] = {}
    for a, b in pairs.tolist():
        neighbors.setdefault(a, []).append(b)
        neighbors.setdefault(b, []).append(a)
    edges = list(dict.fromkeys(pairs.ravel().tolist()))
    # a line that starts at an edge with one link is open
    starts = sorted(edges, key=lambda edge: len(neighbors[edge]) > 1)
    paths = []
    for start in starts:
        if not neighbors[start]:
            continue
        path = [start]
        while neighbors[path[-1]]:
            edge = path[-1]
            # the last link first, and each link is followed once
            following = neighbors[edge].pop()
            neighbors[following].remove(edge)
            path.append(following)
        paths.append(path)
    return paths


MAX_GRID_LINES, MIN_GRID_LINES = 1000, 60  # in each direction
MAX_POINT_WORDS = 12
# contours of a page: grid lines in each direction, resolution, and bisections (of 1/70, to 0.0005)
PAGE_GRID_LINES, PAGE_RESOLUTION, PAGE_BISECTIONS = 70, 1000, 5


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """Terms of one class as points in ROC space.

    Parameters
    ----------
    counts : counts of that class, for the terms that occur
    fp, tp : (terms,), documents outside and inside the class that contain the term
    is_frequent : (terms,), whether a term is frequent enough to be selected

    """

    counts: Counts
    fp: Array
    tp: Array
    is_frequent: Array

    @classmethod
    def from_counts(cls, counts: Counts, name: object, min_df: float) -> Plane:
        """Build the plane of a class."""
        class_counts = counts.of_class(name)
        if not class_counts.term_df.all():
            class_counts = class_counts.keep(np.flatnonzero(class_counts.term_df > 0))
        tp, df = class_counts.df.toarray()[:, 0], class_counts.term_df
        return cls(class_counts, df - tp, tp, df >= min_df)

    @property
    def pos(self) -> float:
        """Number of documents in the class."""
        return float(self.counts.class_sizes[0])

    @property
    def neg(self) -> float:
        """Number of documents outside the class."""
        return float(self.counts.documents - self.counts.class_sizes[0])

    def surface(self, metric: AnyMetric) -> Surface:
        """Return the metric as a function of fp and tp."""
        return make_surface(metric, self.counts.classes, self.counts.class_sizes, self.counts.documents)

    def threshold(self, metric: str, k: int) -> float:
        """Return the k-th best score of frequent terms, lowered by the tolerance for rounding."""
        values = self.surface(metric)(self.fp[self.is_frequent], self.tp[self.is_frequent])
        kth = float(np.partition(values, len(values) - k)[len(values) - k])
        return kth - ROUNDING * abs(kth)

    def isocline(self, metric: str, threshold: float) -> list[Array]:
        """Return the lines that separate frequent terms at or above the threshold from the others."""
        fp, tp = self.fp[self.is_frequent], self.tp[self.is_frequent]
        return isocline(
            self.surface(metric), threshold, count_grid_lines(fp, self.neg), count_grid_lines(tp, self.pos)
        )

    def describe_points(
        self, stop_words: Collection[str], thresholds: dict[str, float]
    ) -> list[dict[str, Any]]:
        """Return each distinct point with its first words and the metrics that select it.

        Stop words are points apart from other terms.
        """
        terms = self.counts.terms
        is_stop = np.fromiter((term in stop_words for term in terms), bool, len(terms))
        points, index = np.unique(np.column_stack([self.fp, self.tp, is_stop]), axis=0, return_inverse=True)
        by_point = np.split(np.argsort(index.ravel(), kind="stable"), np.cumsum(np.bincount(index.ravel())))
        selected = {name: self.surface(name)(*points[:, :2].T) >= t for name, t in thresholds.items()}
        return [
            {
                "fp": fp,
                "tp": tp,
                "kind": "stop word" if stop else "word",
                "number": len(rows),
                "words": join_first_words(terms[rows]),
                "selected by": ", ".join(m for m in selected if selected[m][i] and self.is_frequent[rows[0]])
                or "none",
            }
            for i, ((fp, tp, stop), rows) in enumerate(zip(points.tolist(), by_point[:-1], strict=True))
        ]


def make_surface(
    metric: AnyMetric, classes: tuple[Any, ...], sizes: Array, documents: float, **options: Any
) -> Surface:
    """Return a metric with its options as a function of fp and tp, for the only one of the classes."""

    def surface(fp: Array, tp: Array) -> Array:
        # counts of hypothetical terms, one for each pair of fp and tp
        inside, df = np.ravel(tp).astype(np.float64), np.ravel(fp + tp).astype(np.float64)
        n = len(df)
        column = csr_array((inside, np.zeros(n, dtype=np.intp), np.arange(n + 1)), shape=(n, 1))
        counts = Counts(np.arange(n), classes, documents, sizes, column, column, column, df, df, df)
        return np.asarray(score(counts, metric, **options)).reshape(np.shape(fp))

    return surface


def count_grid_lines(counts: Array, end: float) -> Array:
    """Return grid lines from 0 to the end, at the values and some more; thinned out if there are too many.

    Most terms are rare, so the lines are evenly spaced by square root and all small values are kept. They
    lie at integers, because metrics may change abruptly between 0 and slightly more than 0.
    """
    even = np.round(np.linspace(0, np.sqrt(end), MIN_GRID_LINES) ** 2)
    positions = np.unique(np.concatenate([[0.0, end], counts, even[:-1]]))
    if len(positions) <= MAX_GRID_LINES:
        return positions
    spread = np.linspace(0, np.sqrt(end), MAX_GRID_LINES // 2) ** 2
    nearest = np.minimum(np.searchsorted(positions, spread), len(positions) - 1)
    return np.unique(np.concatenate([positions[: MAX_GRID_LINES // 2], positions[nearest]]))


def join_first_words(terms: Array) -> str:
    """Join the first terms, with the number of further ones.

    >>> join_first_words(np.array(["a", "b"], dtype=object))
    'a, b'
    >>> join_first_words(np.array(list("abcdefghijklmn"), dtype=object))
    'a, b, c, d, e, f, g, h, i, j, k, l and 2 more'
    """
    text = ", ".join(str(term) for term in terms[:MAX_POINT_WORDS])
    n_more = len(terms) - MAX_POINT_WORDS
    return f"{text} and {n_more:,} more" if n_more > 0 else text


def check_has_isoclines(metric: Metric, drawing: str) -> Metric:
    """Return a metric, or raise an error if its scores depend on more than tp and fp."""
    if metric.is_function_of_cells and not metric.summed:
        return metric
    raise InvalidInputError(f"{metric.name} has no {drawing}: its scores depend on more than tp and fp")


def page_isoclines(plane: Plane, metric: AnyMetric, thresholds: Sequence[float]) -> list[list[list[int]]]:
    """Return simplified isoclines for each threshold, each as u, v, u, v, ...

    u and v are thousandths of log(1 + fp) and log(1 + tp) of all documents, the coordinates of the page.
    """
    surface = fast_surface(plane, as_metric(metric))
    ends = np.log1p([plane.neg, plane.pos])
    steps = [np.expm1(np.linspace(0, end, PAGE_GRID_LINES)) for end in ends]
    grid = [np.unique([*np.round(values[:-1]), values[-1]]) for values in steps]
    values = surface(*np.meshgrid(*grid))
    above = [values >= threshold for threshold in thresholds]
    edges = [find_crossed_edges(is_above, *grid) for is_above in above]
    sizes = [len(numbers) for numbers, _, _ in edges]
    upper, lower = (np.concatenate([edge[i] for edge in edges]) for i in (1, 2))
    # all thresholds at once, because each call of a metric has a high fixed cost
    crossings = find_crossings(surface, np.repeat(thresholds, sizes), upper, lower, PAGE_BISECTIONS)
    points = np.clip(np.log1p(crossings) / ends, 0, 1)
    point_groups = np.split(points, np.cumsum(sizes)[:-1])
    paths = [
        join_crossings(is_above, numbers, group)
        for is_above, (numbers, _, _), group in zip(above, edges, point_groups, strict=True)
    ]
    simplified = iter(simplify_paths([path for threshold_paths in paths for path in threshold_paths]))
    return [[next(simplified) for _ in threshold_paths] for threshold_paths in paths]


def fast_surface(plane: Plane, metric: Metric) -> Surface:
    """Return the metric as a function of fp and tp, without building counts if it takes cells."""
    if not metric.of_cells:
        return plane.surface(metric)
    function, pos, documents = metric.function, np.array(plane.pos), float(plane.counts.documents)
    return lambda fp, tp: function(build_cells(tp, fp + tp, pos, documents))


def simplify_paths(paths: Sequence[Array]) -> list[list[int]]:
    """Round paths to the page's resolution and remove points within one step of a straight line.

    Douglas-Peucker on all spans of all paths at once: there are thousands of short paths.
    """
    if not paths:
        return []
    points = np.round(PAGE_RESOLUTION * np.concatenate(paths)).astype(np.int64)
    ends = np.cumsum([len(path) for path in paths])
    first, last = np.concatenate([[0], ends[:-1]]), ends - 1
    is_kept = np.zeros(len(points), dtype=bool)
    is_kept[first] = is_kept[last] = True
    while len(first):
        # shorter spans have no point between their ends
        first, last = first[last - first >= 2], last[last - first >= 2]
        middle, distance = find_farthest(points, first, last)
        middle, first, last = middle[distance > 1], first[distance > 1], last[distance > 1]
        is_kept[middle] = True
        first, last = np.concatenate([first, middle]), np.concatenate([middle, last])
    sizes = np.cumsum(is_kept)[ends - 1]
    return [path.ravel().tolist() for path in np.split(points[is_kept], sizes[:-1])]


def find_farthest(points: Array, first: Array, last: Array) -> tuple[Array, Array]:
    """Find the point of each span farthest from the line between its ends, and its distance.

    If both ends are the same point, the distance to that point is used.
    """
    if not len(first):
        return first, np.zeros(0)
    sizes = last - first + 1
    begin = np.cumsum(sizes) - sizes
    span = np.repeat(np.arange(len(first)), sizes)
    indices = np.arange(len(span)) + (first - begin)[span]
    x, y = (points[indices] - points[first][span]).T.astype(np.float64)
    direction = (points[last] - points[first]).astype(np.float64)
    length = np.hypot(direction[:, 0], direction[:, 1])[span]
    cross = np.abs(direction[span, 0] * y - direction[span, 1] * x)
    distance = np.where(length > 0, cross / np.where(length > 0, length, 1), np.hypot(x, y))
    largest = np.maximum.reduceat(distance, begin)
    # the first of the points at the largest distance
    candidates = np.flatnonzero(distance == largest[span])
    return indices[candidates[np.searchsorted(candidates, begin)]], largest
