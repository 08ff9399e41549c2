"""Best terms of classes by each metric, and agreement of metrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from termsift._internal.ranking import (
    code_point_ranks,
    has_char_ngrams,
    rank_subset,
    rank_terms,
    top_without_nested,
)
from termsift._internal.typing import Array
from termsift.counts import Block, Counts, iter_blocks
from termsift.metrics import EXPECTED, ExactTest, Metric, check_scorable, score_block

# metrics with scores for each class; every family is represented
REPORT_METRICS = (
    "ig", "bns", "chi2", "cc", "or", "odds", "acc2", "f1", "pow", "mi", "hypergeometric", "log_odds_prior",
    "md", "c_tf_idf",
)  # fmt: skip
LIST_LENGTH = 10  # positive and negative terms listed for a class
MAX_CORRELATION_TERMS = 5000
FULL_EFFECT = 8.0  # log odds ratio of a bar of full width


@dataclass(frozen=True, slots=True, eq=False)
class ClassRanking:
    """Terms of one class ranked by one metric, as rows of the counts, best first.

    Parameters
    ----------
    best : best terms regardless of direction and significance
    positive : best significant positive terms, without nested n-grams
    negative : best significant negative terms; for one-sided metrics those with the lowest scores
    n_omitted : number of positive and negative terms that are not significant and have higher scores than
        the last of the first LIST_LENGTH

    """

    best: Array
    positive: Array
    negative: Array
    n_omitted: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Rankings:
    """Rankings of classes by several metrics.

    Parameters
    ----------
    by_metric : for each metric, the ranking of each class
    correlation : (metrics, metrics), Spearman correlation over positive terms, averaged over classes
    n_correlated : number of most frequent terms used for the correlation
    tests : for each class, the p-values of all terms, and the p-value up to which they are significant;
        None for weighted documents

    """

    by_metric: tuple[tuple[ClassRanking, ...], ...]
    correlation: Array
    n_correlated: int
    tests: tuple[tuple[Array | None, float | None], ...]

    def overlap(self, k: int) -> Array:
        """Return the mean overlap of the k best terms of a class, shape (metrics, metrics)."""
        tops = [[set(ranking.best[:k].tolist()) for ranking in rankings] for rankings in self.by_metric]
        return np.array([[mean_overlap(first, second) for second in tops] for first in tops])


def mean_overlap(first: Sequence[set[int]], second: Sequence[set[int]]) -> float:
    """Return the mean share of common elements of two lists of sets."""
    shares = [len(a & b) / max(len(a), 1) for a, b in zip(first, second, strict=True)]
    return sum(shares) / max(len(shares), 1)


def rank_classes(
    counts: Counts, columns: list[int], metrics: Sequence[Metric], depth: int, keep_nested: bool = False
) -> Rankings:
    """Rank the terms of some classes by each metric.

    Parameters
    ----------
    counts : counts of terms that occur
    columns : classes to rank
    metrics : metrics to rank by
    depth : number of best terms to keep per class
    keep_nested : whether lists keep n-grams nested in longer ones with nearly the same documents

    """
    blocks = iter_blocks(select_classes(counts, columns))
    associations = (block.map_cells(lambda cells: cells.association) for block in blocks)
    # 1 for positive terms, -1 for negative ones and 0 for independent ones; a byte each, as there are many
    signs = np.concatenate([np.sign(values).astype(np.int8) for values in associations])
    test, names = ExactTest(counts), [counts.classes[c] for c in columns]
    tests = tuple((test.p(name), test.alpha(name, EXPECTED)) for name in names)
    # of each class, the positive and the negative terms: those to list, and those that are not significant
    listable: list[list[tuple[Array, Array]]] = []
    for class_signs, (p, alpha) in zip(signs.T, tests, strict=True):
        is_significant = np.ones(len(signs), bool) if p is None or alpha is None else p <= alpha
        directions = [class_signs == 1, class_signs == -1]
        listable.append(
            [(np.flatnonzero(d & is_significant), np.flatnonzero(d & ~is_significant)) for d in directions]
        )
    df, order = counts.term_df, code_point_ranks(counts.terms)
    characters = has_char_ngrams(counts.analyzer)

    def list_terms(rows: tuple[Array, Array], scores: Array) -> tuple[Array, int]:
        listed, omitted = rows

        def top(n: int) -> Array:
            return rank_subset(listed, scores, df, order, n)

        if keep_nested:
            terms = top(depth)
        else:
            terms = top_without_nested(top, depth, counts.terms, df, characters=characters)
        lowest = scores[terms[:LIST_LENGTH]].min(initial=np.inf)
        return terms, int(np.count_nonzero(scores[omitted] > lowest))

    # a sample of the terms is enough for correlations
    frequent = rank_terms(df, df, order, MAX_CORRELATION_TERMS)
    by_metric, frequent_scores = [], []
    for metric, scores in score_by_metric(counts, columns, metrics):
        frequent_scores.append(scores[frequent])
        rankings = []
        # a copy of one class at a time, because each is read many times
        for values, rows in zip(map(np.ascontiguousarray, scores.T), listable, strict=True):
            positive, n_positive = list_terms(rows[0], values)
            # one-sided metrics give negative terms negative scores
            negative, n_negative = list_terms(rows[1], -values if metric.sided == 1 else values)
            best = rank_terms(values, df, order, depth)
            rankings.append(ClassRanking(best, positive, negative, (n_positive, n_negative)))
        by_metric.append(tuple(rankings))
    all_scores, is_positive = np.stack(frequent_scores), signs[frequent] > 0
    tables = [rank_correlation(all_scores[:, is_positive[:, c], c]) for c in range(len(columns))]
    return Rankings(tuple(by_metric), np.mean(tables, axis=0), len(frequent), tests)


def rank_correlation(scores: Array) -> Array:
    """Return Spearman's correlation of scores (metrics, terms); 0 for a metric whose scores all tie."""
    from scipy.stats import rankdata  # takes half a second to import

    ranks = rankdata(scores, axis=1)
    centered = ranks - ranks.mean(axis=1, keepdims=True) if ranks.shape[1] else ranks
    norms = np.sqrt((centered**2).sum(axis=1, keepdims=True))
    unit = centered / np.where(norms > 0, norms, 1.0)
    return np.clip(unit @ unit.T, -1, 1)


def score_by_metric(
    counts: Counts, columns: list[int], metrics: Sequence[Metric]
) -> Iterator[tuple[Metric, Array]]:
    """Yield each metric with its scores of some classes, shape (terms, columns).

    A metric with one score per term has the same score in every column.
    """
    # metrics of cells look at each class alone, so the blocks of the selected classes are shared
    selected_blocks = list(iter_blocks(select_classes(counts, columns)))
    for metric in metrics:
        check_scorable(counts, metric, {})
        if metric.of_cells:
            yield metric, score_selected_columns(selected_blocks, metric, slice(None), len(columns))
        else:
            yield metric, score_selected_columns(iter_blocks(counts), metric, columns, len(columns))


def score_selected_columns(blocks: Iterable[Block], metric: Metric, columns: Any, width: int) -> Array:
    """Return the scores of the selected columns of all blocks, shape (terms, width)."""
    tables = []
    for block in blocks:
        scores = score_block(block, metric, {})
        if scores.ndim == 1:
            tables.append(np.broadcast_to(scores[:, None], (len(scores), width)))
        else:
            tables.append(scores[:, columns])
    # a single block need not be copied
    return tables[0] if len(tables) == 1 else np.concatenate(tables)


def select_classes(counts: Counts, columns: list[int]) -> Counts:
    """Return the counts of some classes; the totals still cover all documents."""
    if columns == list(range(len(counts.classes))):
        return counts
    tables = (counts.df[:, columns], counts.tf[:, columns], counts.tf2[:, columns])
    totals = (counts.term_df, counts.term_tf, counts.term_tf2)
    classes = tuple(counts.classes[c] for c in columns)
    sizes = counts.class_sizes[columns]
    return Counts(counts.terms, classes, counts.documents, sizes, *tables, *totals, counts.analyzer)
