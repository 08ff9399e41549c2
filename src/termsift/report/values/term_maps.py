"""The terms of a class that a page draws: counts, scores, what each metric chooses, and its isoclines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from termsift._typing import Array
from termsift.contingency import ROUNDING
from termsift.counts import Counts
from termsift.metrics import Metric
from termsift.ranking import turns
from termsift.report.charts.plane import Plane, contours
from termsift.report.values.rankings import ClassRanking, Rankings, class_scores

# terms drawn, over all classes, and of one class
ALL_DRAWN, MOST_DRAWN, FEWEST_DRAWN = 14_000, 800, 320


@dataclass(frozen=True, slots=True, eq=False)
class TermMap:
    """The drawn terms of a class.

    rows : (drawn,) their rows in the counts, ascending
    tp, fp : (drawn,) documents inside and outside the class that hold them
    scores : (metrics, drawn), to four digits that count, as a page shows them
    rankings : for each metric, as places among the drawn
    isoclines : for each metric and number of terms its lines; none for a metric that has none
    """

    column: int
    pos: float
    neg: float
    rows: Array
    tp: Array
    fp: Array
    scores: Array
    rankings: tuple[ClassRanking, ...]
    isoclines: tuple[list[list[list[int]]], ...]


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
    for m, metric in enumerate(metrics):
        values = class_scores(counts, columns, metric)
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
    lines = [
        contours(plane, metric, at) if metric.follows_from_cells and plane.pos and plane.neg else []
        for metric, at in zip(metrics, reached.tolist(), strict=True)
    ]
    placed = tuple(
        ClassRanking(*(drawn_places(rows, part) for part in (one.best, one.speaking, one.against)))
        for one in own
    )
    return TermMap(
        column, plane.pos, plane.neg, rows, plane.tp[rows], plane.fp[rows], scores, placed, tuple(lines)
    )


def drawn_places(rows: Array, wanted: Array) -> Array:
    """Where the wanted rows are among the drawn, -1 where one is not drawn."""
    at = np.minimum(np.searchsorted(rows, wanted), len(rows) - 1)
    return np.where(rows[at] == wanted, at, -1)
