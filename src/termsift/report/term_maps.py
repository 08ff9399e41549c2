"""The terms of a class that a page draws: counts, scores, what each metric chooses, and its isoclines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from termsift._internal.ranking import turns
from termsift._internal.typing import Array
from termsift.counts import ROUNDING, Counts
from termsift.metrics import Metric
from termsift.report.formatting import LONGEST
from termsift.report.rankings import ClassRanking, Floors, Rankings, class_floors, effects, scores_by_metric
from termsift.report.roc_space import Plane, contours

# terms drawn, over all classes, and of one class
ALL_DRAWN, MOST_DRAWN, FEWEST_DRAWN = 14_000, 800, 320


@dataclass(frozen=True, slots=True, eq=False)
class TermMap:
    """The drawn terms of a class.

    rows : (drawn,) their rows in the counts, ascending
    tp, fp : (drawn,) documents inside and outside the class that hold them
    scores : (metrics, drawn), to four digits that count, as a page shows them
    effects : (3, drawn) how large the difference is, and the interval of it, to two digits after the point
    floors : for each metric the score at which chance begins, for the class and against it; None if unknown
    rankings : for each metric, as places among the drawn
    isoclines : for each metric and number of terms its lines; none for a metric that has none
    floor_lines : for each metric the lines at its floors
    """

    column: int
    pos: float
    neg: float
    rows: Array
    tp: Array
    fp: Array
    scores: Array
    effects: Array
    floors: tuple[Floors, ...]
    rankings: tuple[ClassRanking, ...]
    isoclines: tuple[list[list[list[int]]], ...]
    floor_lines: tuple[list[list[int]], ...]

    def is_chance(self, m: int) -> Array:
        """(drawn,) whether a term does not reach the floor of a metric, on its side."""
        floor, ceiling = self.floors[m]
        against = self.tp * self.neg < self.fp * self.pos
        below = np.zeros(len(self.rows), dtype=bool) if floor is None else self.scores[m] < floor
        if ceiling is None or ceiling == floor:
            return below & ~against if ceiling is None else below
        return np.where(against, self.scores[m] > ceiling, below)


def term_maps(
    counts: Counts, columns: list[int], metrics: Sequence[Metric], ranked: Rankings, ks: Sequence[int]
) -> tuple[TermMap, ...]:
    """The maps of some classes."""
    most = max(FEWEST_DRAWN, min(MOST_DRAWN, ALL_DRAWN // max(len(columns), 1)))
    by_class = list(zip(*ranked.by_metric, strict=True))
    drawn = [drawn_rows(own, counts.term_df, most) for own in by_class]
    scores, thresholds = drawn_scores(counts, columns, metrics, drawn, by_class, ks)
    return tuple(
        term_map(counts, column, metrics, drawn[i], scores[i], thresholds[i], by_class[i])
        for i, column in enumerate(columns)
    )


def drawn_rows(own: Sequence[ClassRanking], df: Array, most: int) -> Array:
    """The rows of the terms to draw, as many as fit.

    First those shown as bars, then the first metric's best, the others' in turn, the most frequent of all.
    """
    bars = [rows for ranking in own for rows in (ranking.speaking, ranking.against)]
    in_turn = turns([ranking.best for ranking in own], most)
    frequent = np.argsort(-df, kind="stable")[:most]
    wanted = list(dict.fromkeys(np.concatenate([*bars, own[0].best, in_turn, frequent]).tolist()))
    return np.sort(np.array(wanted[:most], dtype=np.intp))


def drawn_scores(
    counts: Counts,
    columns: list[int],
    metrics: Sequence[Metric],
    drawn: Sequence[Array],
    by_class: Sequence[Sequence[ClassRanking]],
    ks: Sequence[int],
) -> tuple[list[Array], list[Array]]:
    """For each class the scores of its drawn terms, and of its k-th best: (metrics, drawn), (metrics, ks)."""
    scores = [np.empty((len(metrics), len(rows))) for rows in drawn]
    thresholds = [np.empty((len(metrics), len(ks))) for _ in columns]
    last = np.array(ks) - 1
    for m, (_, values) in enumerate(scores_by_metric(counts, columns, metrics)):
        for i, rows in enumerate(drawn):
            scores[i][m] = four_digits(values[rows, i])
            thresholds[i][m] = values[by_class[i][m].best[last], i]
    return scores, thresholds


def four_digits(values: Array) -> Array:
    """The values to four digits that count.

    >>> four_digits(np.array([0.00123456, 12345.6]))
    array([1.235e-03, 1.235e+04])
    """
    return np.array([float(f"{value:.4g}") for value in values.tolist()])


def term_map(
    counts: Counts,
    column: int,
    metrics: Sequence[Metric],
    rows: Array,
    scores: Array,
    thresholds: Array,
    own: Sequence[ClassRanking],
) -> TermMap:
    """The map of one class."""
    plane = Plane.of(counts, counts.classes[column], 0)
    reached = thresholds - ROUNDING * np.abs(thresholds)
    floors = class_floors(counts, column, tuple(metrics))
    lines = [
        map_lines(plane, metric, at, floor)
        for metric, at, floor in zip(metrics, reached.tolist(), floors, strict=True)
    ]
    placed = tuple(
        ClassRanking(*(drawn_places(rows, part) for part in (one.best, one.speaking, one.against)))
        for one in own
    )
    tp, fp = plane.tp[rows], plane.fp[rows]
    return TermMap(
        column=column,
        pos=plane.pos,
        neg=plane.neg,
        rows=rows,
        tp=tp,
        fp=fp,
        scores=scores,
        effects=effects(tp, fp, plane.pos, plane.neg).round(2),
        floors=tuple((shown_floor(low), shown_floor(high)) for low, high in floors),
        rankings=placed,
        isoclines=tuple(cuts for cuts, _ in lines),
        floor_lines=tuple(at_floor for _, at_floor in lines),
    )


def shown_floor(value: float | None) -> float | None:
    """A floor to as many digits as the scores have; the largest number there is where none can be reached."""
    if value is None:
        return None
    largest = np.finfo(float).max
    return float(f"{value:.4g}") if np.isfinite(value) else float(np.copysign(largest, value))


def map_lines(
    plane: Plane, metric: Metric, thresholds: list[float], floors: Floors
) -> tuple[list[list[list[int]]], list[list[int]]]:
    """The isoclines of a metric at each threshold, and all those at its floors."""
    if not (metric.follows_from_cells and plane.pos and plane.neg):
        return [], []
    known = sorted({floor for floor in floors if floor is not None and np.isfinite(floor)})
    found = contours(plane, metric, [*thresholds, *(v - ROUNDING * abs(v) for v in known)])
    cuts, at_floors = found[: len(thresholds)], found[len(thresholds) :]
    return cuts, [line for lines in at_floors for line in lines]


def drawn_places(rows: Array, wanted: Array) -> Array:
    """Where the wanted rows are among the drawn, -1 where one is not drawn."""
    at = np.minimum(np.searchsorted(rows, wanted), len(rows) - 1)
    return np.where(rows[at] == wanted, at, -1)


# of a page, for the counts of terms that are drawn nowhere
MOST_BYTES = 700_000
# of a number with its comma, and of a term with its quotes
NUMBER, QUOTES = 4, 3


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """Terms whose counts a page holds.

    rows : their rows in the counts, ascending
    df : (rows,) the documents that hold each
    inside : for each the places of the classes shown that hold it, and the documents of each class
    least : every term in so many documents is among them; 0 where all terms are
    """

    rows: Array
    df: Array
    inside: tuple[list[tuple[int, float]], ...]
    least: float


def lookup_of(counts: Counts, shown: Sequence[TermMap]) -> Lookup:
    """The terms to look up."""
    table = counts.df[:, [one.column for one in shown]].tocsr()
    frequent, least = frequent_rows(counts.terms, counts.term_df, np.diff(table.indptr))
    rows = np.unique(np.concatenate([frequent, *(one.rows for one in shown)]))
    own = table[rows]
    pairs = list(zip(own.indices.tolist(), own.data.tolist(), strict=True))
    inside = tuple(pairs[a:b] for a, b in zip(own.indptr[:-1].tolist(), own.indptr[1:].tolist(), strict=True))
    return Lookup(rows, counts.term_df[rows], inside, least)


def frequent_rows(terms: Array, df: Array, classes: Array) -> tuple[Array, float]:
    """The rows of the terms in enough documents for all of them to fit, and how many documents that are."""
    cost = (
        np.minimum(name_sizes(list(map(str, terms.tolist()))), LONGEST) + QUOTES + NUMBER * (2 + 2 * classes)
    )
    order = np.argsort(-df, kind="stable")
    fitting = int(np.searchsorted(np.cumsum(cost[order]), MOST_BYTES, side="right"))
    if fitting == len(df):
        return np.arange(len(df)), 0.0
    # of terms in as many documents as the first that does not fit there are all or none
    above = np.flatnonzero(df > df[order[fitting]])
    return above, float(df[above].min()) if len(above) else float("inf")


def name_sizes(names: list[str]) -> Array:
    """The bytes of each name; all are encoded at once, where no name holds what parts them."""
    parts = "\0".join(names).encode("utf-8", "replace").split(b"\0")
    if len(parts) != len(names):
        parts = [name.encode("utf-8", "replace") for name in names]
    return np.fromiter(map(len, parts), np.int64, len(names))
