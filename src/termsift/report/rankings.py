"""The best terms of classes by each metric, and where metrics agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.stats import rankdata

from termsift._internal.ranking import best, best_of_rows, code_point_rank, first_lines, of_characters
from termsift._internal.typing import Array
from termsift.counts import Block, Cells, Counts, blocks
from termsift.metrics import (
    AnyMetric,
    FloorSearch,
    Margins,
    Metric,
    chance_floors,
    check,
    has_whole_documents,
    metric_from,
    odds_ratio,
    odds_ratio_interval,
    of_block,
)

# with scores of each class, of every family, and known from the literature
OFFERED = (
    "ig", "bns", "chi2", "cc", "or", "odds", "acc2", "f1", "pow", "mi", "hypergeometric", "log_odds_prior",
    "md", "c_tf_idf",
)  # fmt: skip
SIDE = 10
# ranks are compared on so many terms at most, the most frequent
COMPARED = 5000


@dataclass(frozen=True, slots=True, eq=False)
class ClassRanking:
    """The terms of one class by one metric, as rows of the counts, best first.

    best : the best of all
    speaking : the best of those that speak for the class, n-grams that say the same in one line
    against : the best of those that speak against it; of a one-sided metric those of lowest score
    """

    best: Array
    speaking: Array
    against: Array


@dataclass(frozen=True, slots=True, eq=False)
class Rankings:
    """What metrics say of classes.

    by_metric : for each metric the ranking of each class
    correlation : (metrics, metrics), Spearman's over the terms that speak for a class, the classes' mean
    compared : how many terms, the most frequent, it looks at
    """

    by_metric: tuple[tuple[ClassRanking, ...], ...]
    correlation: Array
    compared: int

    def overlap(self, k: int) -> Array:
        """(metrics, metrics): the share of the k best terms of a class that two metrics have in common."""
        tops = [[set(ranking.best[:k].tolist()) for ranking in rankings] for rankings in self.by_metric]
        return np.array([[mean_shared(mine, theirs) for theirs in tops] for mine in tops])


def mean_shared(mine: Sequence[set[int]], theirs: Sequence[set[int]]) -> float:
    """The share that two lists of sets have in common, on average."""
    shares = [len(a & b) / max(len(a), 1) for a, b in zip(mine, theirs, strict=True)]
    return sum(shares) / max(len(shares), 1)


def class_rankings(
    counts: Counts, columns: list[int], metrics: Sequence[Metric], deep: int, keep_parts: bool = False
) -> Rankings:
    """The rankings of some classes, the best `deep` terms of each; `keep_parts` keeps n-grams as they are."""
    signs = lean_signs(counts, columns)
    order = code_point_rank(counts.terms)
    frequent = best(counts.term_df, counts.term_df, order, COMPARED)
    by_metric, seen = [], []
    for metric, values in scores_by_metric(counts, columns, metrics):
        seen.append(values[frequent])
        by_metric.append(
            tuple(
                class_ranking(counts, values[:, c], signs[:, c], metric.sided, order, deep, keep_parts)
                for c in range(len(columns))
            )
        )
    return Rankings(tuple(by_metric), mean_correlation(np.stack(seen), signs[frequent] > 0), len(frequent))


def class_ranking(
    counts: Counts, values: Array, signs: Array, sided: int, order: Array, deep: int, keep_parts: bool
) -> ClassRanking:
    """The ranking of one class by its scores; `order` are the places of the terms in code-point order."""
    df = counts.term_df

    def among(side: int, scores: Array) -> Array:
        rows = np.flatnonzero(signs == side)

        def first(n: int) -> Array:
            return best_of_rows(rows, scores, df, order, n)

        if keep_parts:
            return first(SIDE)
        return first_lines(first, SIDE, counts.terms, df, characters=of_characters(counts.analyzer))

    away = -values if sided == 1 else values
    return ClassRanking(best(values, df, order, deep), among(1, values), among(-1, away))


def lean_signs(counts: Counts, columns: list[int]) -> Array:
    """(terms, columns): 1 where a term speaks for a class, -1 against, 0 neither."""
    parts = [block.of_cells(lean_sign) for block in blocks(narrowed(counts, columns))]
    return np.concatenate(parts) if parts else np.zeros((0, len(columns)), dtype=np.int8)


def lean_sign(cells: Cells) -> Array:
    """1 where the term speaks for the class, -1 against, 0 neither."""
    return np.sign(cells.lean).astype(np.int8)


def mean_correlation(values: Array, among: Array) -> Array:
    """(metrics, metrics) from scores (metrics, terms, classes), over those terms of each class; the mean."""
    found = [rank_correlation(values[:, among[:, c], c]) for c in range(values.shape[2])]
    return np.mean(found, axis=0) if found else np.eye(len(values))


def rank_correlation(values: Array) -> Array:
    """Spearman's, of scores (metrics, terms); where all terms tie there is none, which counts as 0."""
    ranks = rankdata(values, axis=1)
    centred = ranks - ranks.mean(axis=1, keepdims=True) if ranks.shape[1] else ranks
    lengths = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    unit = centred / np.where(lengths > 0, lengths, 1.0)
    return np.clip(unit @ unit.T, -1, 1)


def class_scores(counts: Counts, columns: list[int], metric: AnyMetric) -> Array:
    """(terms, columns): the metric's scores of some classes; one score per term stands for each of them."""
    return next(values for _, values in scores_by_metric(counts, columns, [metric_from(metric)]))


def scores_by_metric(
    counts: Counts, columns: list[int], metrics: Sequence[Metric]
) -> Iterator[tuple[Metric, Array]]:
    """Each metric with its scores of some classes; what metrics of cells share is laid out once."""
    narrow = list(blocks(narrowed(counts, columns)))
    for line in metrics:
        check(counts, line, {})
        # cells of a class do not depend on the others, so the others need not be laid out
        if line.of_cells:
            yield line, block_scores(narrow, line, slice(None), len(columns))
        else:
            yield line, block_scores(blocks(counts), line, columns, len(columns))


def block_scores(runs: Iterable[Block], line: Metric, kept: Any, width: int) -> Array:
    """(terms, width): a metric's scores over blocks, of those of their classes that are kept."""
    parts = []
    for block in runs:
        values = of_block(block, line, {})
        wide = np.broadcast_to(values[:, None], (len(values), width)) if values.ndim == 1 else values
        parts.append(wide[:, kept] if values.ndim == 2 else wide)
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.zeros((0, width))


def narrowed(counts: Counts, columns: list[int]) -> Counts:
    """The counts of some of the classes against all documents."""
    if columns == list(range(len(counts.classes))):
        return counts
    parts = (counts.df[:, columns], counts.tf[:, columns], counts.tf2[:, columns])
    totals = (counts.term_df, counts.term_tf, counts.term_tf2)
    classes = tuple(counts.classes[c] for c in columns)
    sizes = counts.class_sizes[columns]
    return Counts(counts.terms, classes, counts.documents, sizes, *parts, *totals, counts.analyzer)


# of terms that speak for a class, and of those against it; None where chance is not known
Floors: TypeAlias = tuple[float | None, float | None]
# the effect that a bar of full length stands for: the odds are three thousand times as high
FULL_EFFECT, MOST_EFFECT = 8.0, 99.0
# of the terms of a class, so many reach the floor by chance
EXPECTED = 1.0


def effects(tp: Array, fp: Array, pos: float, neg: float) -> Array:
    """(3, terms): the log odds ratio of each term, one half added to each cell, and its interval by Woolf."""
    cells = Cells(tp, fp, pos - tp, neg - fp)
    # an end that is infinite is far beyond the page
    ends = np.stack([odds_ratio(cells), *odds_ratio_interval(cells)])
    return ends.clip(-MOST_EFFECT, MOST_EFFECT)


def class_floors(counts: Counts, column: int, metrics: tuple[Metric, ...]) -> tuple[Floors, ...]:
    """For each metric where chance begins for a class; a floor that no term can reach is infinite."""
    size = counts.class_sizes[column]
    if not has_whole_documents(counts) or not 0 < size < counts.documents:
        return ((None, None),) * len(metrics)
    searches = [floor_searches(metric) for metric in metrics]
    margins = Margins.of(counts).of_size(size)
    found = iter(chance_floors(margins, [search for own in searches for search in own]))
    floors = [[next(found) for _ in own] for own in searches]
    # of two-sided scores there is one for both sides
    return tuple((own[0], own[-1]) if own else (None, None) for own in floors)


def floor_searches(metric: Metric) -> list[FloorSearch]:
    """The floors to look for: of all terms, and of a one-sided metric of those against the class."""
    function = metric.of_documents({})
    if function is None:
        return []
    both = [FloorSearch(function, EXPECTED)]
    return both if metric.sided != 1 else [*both, FloorSearch(function, EXPECTED, -1, 1)]
