"""ROC space: the terms of a class by the documents inside and outside it that hold them, and isoclines."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._typing import Array
from termsift.contingency import ROUNDING, cells_of
from termsift.counts import Counts
from termsift.errors import InvalidInput
from termsift.metrics import AnyMetric, Metric, metric_from, metrics
from termsift.report.charts.isoclines import Surface, crossed_edges, crossings, isocline, joined_lines
from termsift.scoring import score

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
    raise InvalidInput(f"{line.name} has no isocline: its scores do not follow from tp and fp alone")


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
