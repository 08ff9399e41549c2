"""Isoclines: the lines in ROC space on which a metric has one value."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array
from termsift.counts import ROUNDING, Counts, cells_of
from termsift.metrics import AnyMetric, Metric, metric_from, metrics, score

# of fp and tp, arrays of one shape
Surface: TypeAlias = Callable[[Array, Array], Array]
HALVINGS = 30


def isocline(surface: Surface, threshold: float, fp: Array, tp: Array) -> list[Array]:
    """The lines between the cells that reach the threshold and those that do not, each (points, 2): fp, tp.

    fp, tp : the columns and rows of the grid on which the surface is looked at, ascending

    Marching squares: a line crosses each edge of the grid whose ends differ, and no other.
    So it parts the cells of the grid exactly, whatever the surface is between them.
    """
    reached = surface(*np.meshgrid(fp, tp)) >= threshold
    numbers, over, under = crossed_edges(reached, fp, tp)
    return joined_lines(reached, numbers, crossings(surface, threshold, over, under))


def crossed_edges(reached: Array, fp: Array, tp: Array) -> tuple[Array, Array, Array]:
    """The numbers of the edges whose ends differ, the end that is reached and the other: (edges, 2) each."""
    rows, columns = reached.shape
    along = np.argwhere(reached[:, 1:] != reached[:, :-1])
    across = np.argwhere(reached[1:] != reached[:-1])
    # an edge is known by its number: those along rows first, then those across
    numbers = np.concatenate([along @ [columns - 1, 1], rows * (columns - 1) + across @ [columns, 1]])
    low = np.concatenate([along, across])
    high = low + np.repeat([[0, 1], [1, 0]], [len(along), len(across)], axis=0)
    is_low = reached[tuple(low.T)][:, None]
    ends = np.where(is_low, low, high), np.where(is_low, high, low)
    over, under = (np.column_stack([fp[at[:, 1]], tp[at[:, 0]]]).astype(np.float64) for at in ends)
    return numbers, over, under


def joined_lines(reached: Array, numbers: Array, points: Array) -> list[Array]:
    """The lines through the points at which the edges of those numbers are crossed."""
    order = np.argsort(numbers, kind="stable")
    pairs = order[np.searchsorted(numbers[order], links(reached))]
    return [points[path] for path in paths(pairs)]


def crossings(
    surface: Surface, threshold: float | Array, over: Array, under: Array, halvings: int = HALVINGS
) -> Array:
    """Where the threshold is met between what reaches it and what does not: by halving.

    Never at an end itself: a cell on the threshold lies beyond the line, by less than can be seen.
    """
    for _ in range(halvings):
        middle = (over + under) / 2
        reached = (surface(*middle.T) >= threshold)[:, None]
        over, under = np.where(reached, middle, over), np.where(reached, under, middle)
    return (over + under) / 2


def links(reached: Array) -> Array:
    """(links, 2): the numbers of the edges that a line enters and leaves a square by.

    A square has none, two or four edges whose ends differ; four are linked below left and above right.
    """
    rows, columns = reached.shape
    along = np.arange(rows * (columns - 1)).reshape(rows, columns - 1)
    across = along.size + np.arange((rows - 1) * columns).reshape(rows - 1, columns)
    differ_along, differ_across = reached[:, 1:] != reached[:, :-1], reached[1:] != reached[:-1]
    edges = np.stack([along[:-1], across[:, :-1], along[1:], across[:, 1:]], axis=-1)
    differ = np.stack(
        [differ_along[:-1], differ_across[:, :-1], differ_along[1:], differ_across[:, 1:]], axis=-1
    )
    pairs: Array = edges[differ].reshape(-1, 2)
    return pairs


def paths(pairs: Array) -> list[list[int]]:
    """The links joined end to end: open lines first, then closed ones. An edge has one link or two."""
    size = int(pairs.max(initial=-1)) + 1
    one, other = [-1] * size, [-1] * size
    for a, b in pairs.tolist():
        (one if one[a] < 0 else other)[a] = b
        (one if one[b] < 0 else other)[b] = a
    edges = list(dict.fromkeys(pairs.ravel().tolist()))
    starts = [edge for edge in edges if other[edge] < 0] + [edge for edge in edges if other[edge] >= 0]
    return [walked(start, one, other) for start in starts if one[start] >= 0]


def walked(start: int, one: list[int], other: list[int]) -> list[int]:
    """The edges from a start on, as far as links go; those that were followed are gone."""
    path, at = [start], start
    while True:
        if other[at] >= 0:
            after, other[at] = other[at], -1
        elif one[at] >= 0:
            after, one[at] = one[at], -1
        else:
            return path
        if one[after] == at:
            one[after] = other[after]
        other[after] = -1
        path.append(after)
        at = after


# a grid has at most so many lines each way, and at least so many beyond those of the terms
MOST, LEAST = 1000, 60
WORDS = 12
# of the contours of a page: lines of the grid each way, points of the page's plane each way
LINES, FINE = 70, 1000
ROUGH_HALVINGS = 5  # of an edge of 1/70: to a quarter of a thousandth


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """The terms of one class as points.

    counts : of that class against all documents, and of the terms that occur
    fp, tp : (terms,) documents outside and inside the class that hold the term
    kept : (terms,) whether a term is frequent enough to be chosen
    """

    counts: Counts
    fp: Array
    tp: Array
    kept: Array

    @classmethod
    def of(cls, counts: Counts, name: object, min_df: float) -> Plane:
        """The plane of a class."""
        own = counts.of_class(name)
        if not own.term_df.all():
            own = own.keep(np.flatnonzero(own.term_df > 0))
        tp = own.df.toarray()[:, 0]
        return cls(own, own.term_df - tp, tp, own.term_df >= min_df)

    @property
    def pos(self) -> float:
        """The documents of the class."""
        return float(self.counts.class_sizes[0])

    @property
    def neg(self) -> float:
        """The documents outside it."""
        return float(self.counts.documents - self.counts.class_sizes[0])

    def surface(self, metric: AnyMetric) -> Surface:
        """The metric as a function of fp and tp: the scores of terms that would have them."""

        def values(fp: Array, tp: Array) -> Array:
            own = self.counts
            terms = imagined(own.classes, own.class_sizes, own.documents, fp, tp)
            scores: Array = np.asarray(score(terms, metric)).reshape(np.shape(fp))
            return scores

        return values

    def threshold(self, metric: str, k: int) -> float:
        """The k-th best score of the terms kept; scores that only rounding tells from it reach it too."""
        values = self.surface(metric)(self.fp[self.kept], self.tp[self.kept])
        kth = float(np.partition(values, len(values) - k)[len(values) - k])
        return kth - ROUNDING * abs(kth)

    def isocline(self, metric: str, threshold: float) -> list[Array]:
        """The lines that part the terms that reach the threshold from the others, each (points, 2)."""
        grid = steps(self.fp[self.kept], self.neg), steps(self.tp[self.kept], self.pos)
        return isocline(self.surface(metric), threshold, *grid)

    def cells(self, stop_words: Collection[str], thresholds: dict[str, float]) -> list[dict[str, Any]]:
        """Each distinct point once, stop words apart, with its first words and the metrics that choose it."""
        stops = np.fromiter((term in stop_words for term in self.counts.terms), bool, len(self.counts.terms))
        points, place = np.unique(np.column_stack([self.fp, self.tp, stops]), axis=0, return_inverse=True)
        by_point = np.split(np.argsort(place.ravel(), kind="stable"), np.cumsum(np.bincount(place.ravel())))
        chosen = {name: self.surface(name)(*points[:, :2].T) >= at for name, at in thresholds.items()}
        return [
            {
                "fp": fp,
                "tp": tp,
                "kind": "stop word" if stop else "word",
                "number": len(rows),
                "words": first_words(self.counts.terms[rows]),
                "chosen by": ", ".join(m for m in chosen if chosen[m][i] and self.kept[rows[0]]) or "none",
            }
            for i, ((fp, tp, stop), rows) in enumerate(zip(points.tolist(), by_point[:-1], strict=True))
        ]


def imagined(classes: tuple[Any, ...], sizes: Array, documents: float, fp: Array, tp: Array) -> Counts:
    """Counts of terms that would be in so many documents outside and inside the one class, of its size."""
    inside, df = np.ravel(tp).astype(np.float64), np.ravel(fp + tp).astype(np.float64)
    n = len(df)
    column = csr_array((inside, np.zeros(n, dtype=np.intp), np.arange(n + 1)), shape=(n, 1))
    return Counts(np.arange(n), classes, documents, sizes, column, column, column, df, df, df)


def steps(values: Array, end: float) -> Array:
    """The lines of a grid from 0 to the end: at the values, and some more; thinned where there are too many.

    Most words are rare, so lines lie evenly by their square roots, and the first are all kept.
    They lie at whole numbers, since metrics treat 0 and a little more than 0 as far apart.
    """
    even = np.round(np.linspace(0, np.sqrt(end), LEAST) ** 2)
    lines = np.unique(np.concatenate([[0.0, end], values, even[:-1]]))
    if len(lines) <= MOST:
        return lines
    spread = np.linspace(0, np.sqrt(end), MOST // 2) ** 2
    nearest = np.minimum(np.searchsorted(lines, spread), len(lines) - 1)
    return np.unique(np.concatenate([lines[: MOST // 2], lines[nearest]]))


def first_words(terms: Array) -> str:
    """The first words as one line, and how many more there are.

    >>> first_words(np.array(["a", "b"], dtype=object))
    'a, b'
    >>> first_words(np.array(list("abcdefghijklmn"), dtype=object))
    'a, b, c, d, e, f, g, h, i, j, k, l and 2 more'
    """
    shown = ", ".join(str(term) for term in terms[:WORDS])
    return shown if len(terms) <= WORDS else f"{shown} and {len(terms) - WORDS:,} more"


def metric_of_cells(name: str) -> str:
    """The name of a metric, if its score of a term follows from the term's cell alone."""
    line = metrics().named(name)
    if line.follows_from_cells and not line.summed:
        return line.name
    raise InvalidInputError(f"{line.name} has no isocline: its scores do not follow from tp and fp alone")


def contours(plane: Plane, metric: AnyMetric, thresholds: Sequence[float]) -> list[list[list[int]]]:
    """For each threshold the lines that part what reaches it, each as u, v, u, v, ...: few enough for a page.

    u and v are thousandths of the square roots of fpr and tpr, which is where a page draws them.
    """
    surface = surface_of_cells(plane, metric_from(metric))
    grid = grid_lines(plane.neg), grid_lines(plane.pos)
    values = surface(*np.meshgrid(*grid))
    reached = [values >= threshold for threshold in thresholds]
    edges = [crossed_edges(beyond, *grid) for beyond in reached]
    sizes = [len(numbers) for numbers, _, _ in edges]
    over, under = (np.concatenate([edge[i] for edge in edges]) for i in (1, 2))
    # all thresholds at once: a metric is a call of many small steps
    met = crossings(surface, np.repeat(thresholds, sizes), over, under, ROUGH_HALVINGS)
    points = np.sqrt(np.clip(met / [plane.neg, plane.pos], 0, 1))
    own = np.split(points, np.cumsum(sizes)[:-1])
    lines = [
        joined_lines(beyond, numbers, at)
        for beyond, (numbers, _, _), at in zip(reached, edges, own, strict=True)
    ]
    drawn = iter(simplified([path for paths in lines for path in paths]))
    return [[next(drawn) for _ in paths] for paths in lines]


def surface_of_cells(plane: Plane, metric: Metric) -> Surface:
    """The metric as a function of fp and tp; many times quicker than by way of counts, where it can be."""
    if not metric.of_cells:
        return plane.surface(metric)
    function, pos, documents = metric.function, np.array(plane.pos), float(plane.counts.documents)
    return lambda fp, tp: function(cells_of(tp, fp + tp, pos, documents))


def grid_lines(end: float) -> Array:
    """Whole numbers from 0 to the end, even by their square roots: most terms are rare."""
    return np.unique(np.append(np.round(np.linspace(0, np.sqrt(end), LINES) ** 2)[:-1], [0.0, end]))


def simplified(paths: Sequence[Array]) -> list[list[int]]:
    """Paths on the page's plane, without the points that lie within one step of a straight line.

    All spans of all paths are halved at once: a path has few points, and there are thousands.
    """
    if not paths:
        return []
    points = np.round(FINE * np.concatenate(paths)).astype(np.int64)
    ends = np.cumsum([len(path) for path in paths])
    first, last = np.concatenate([[0], ends[:-1]]), ends - 1
    kept = np.zeros(len(points), dtype=bool)
    kept[first] = kept[last] = True
    while len(first):
        first, last = first[last - first >= 2], last[last - first >= 2]
        middle, far = farthest(points, first, last)
        middle, first, last = middle[far > 1], first[far > 1], last[far > 1]
        kept[middle] = True
        first, last = np.concatenate([first, middle]), np.concatenate([middle, last])
    numbers = np.cumsum(kept)[ends - 1]
    return [path.ravel().tolist() for path in np.split(points[kept], numbers[:-1])]


def farthest(points: Array, first: Array, last: Array) -> tuple[Array, Array]:
    """Of each span of points the first that is farthest from the line between its ends, and how far it is.

    Where the ends are one, it is the distance to them.
    """
    if not len(first):
        return first, np.zeros(0)
    sizes = last - first + 1
    begin = np.cumsum(sizes) - sizes
    span = np.repeat(np.arange(len(first)), sizes)
    at = np.arange(len(span)) + (first - begin)[span]
    x, y = (points[at] - points[first][span]).T.astype(np.float64)
    along = (points[last] - points[first]).astype(np.float64)
    length = np.hypot(along[:, 0], along[:, 1])[span]
    across = np.abs(along[span, 0] * y - along[span, 1] * x)
    far = np.where(length > 0, across / np.where(length > 0, length, 1), np.hypot(x, y))
    most = np.maximum.reduceat(far, begin)
    reached = np.flatnonzero(far == most[span])
    return at[reached[np.searchsorted(reached, begin)]], most
