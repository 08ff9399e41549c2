"""Rankings of positive and negative terms: Zheng, Wu and Srihari (2004), section 4.

A positive term is more frequent in the class than outside, a negative term less; the sign of a one-sided
metric shows which.
"""

from __future__ import annotations

from math import log

from termsift._internal.errors import InvalidInputError
from termsift._internal.ranking import Ranking, code_point_rank, interleave, rank_terms, round_robin
from termsift._internal.typing import Array
from termsift.metrics import Scores, metrics

RATIO_NAMES = ("auto", "size")
MIN_RATIO = 0.05  # of positive terms, for the smallest classes


def rank_positive_negative(scores: Scores, k: int, ratios: list[float], per_class: bool) -> Ranking:
    """Return k terms for all classes, which choose in turn, or k terms for each class.

    Positive and negative terms are interleaved so that every prefix has the same ratio.

    ratios : share of positive terms for each class to choose for
    """
    orders = [
        interleave(positive, negative, ratio, k)
        for (positive, negative), ratio in zip(positive_negative_rankings(scores, k), ratios, strict=True)
    ]
    if per_class and len(orders) > 1:
        return Ranking(tuple(orders), local=True)
    return Ranking((round_robin(orders, k),))


def resolve_class_ratios(ratio: float | str | tuple[float, ...], scores: Scores) -> list[float]:
    """Return the ratio of each class to choose for; "auto" is an error."""
    sizes = scores.counts.class_sizes[positive_class_slice(scores)]
    if ratio == "size":
        shares = sizes / max(scores.counts.documents, 1)
        return [ratio_by_size(share) for share in shares.tolist()]
    if isinstance(ratio, str):
        raise InvalidInputError(
            "the ratio 'auto' must be tuned on documents; give a number or 'size', or use "
            "PositiveNegativeSelector, compare, or `termsift select` with a file"
        )
    if not isinstance(ratio, tuple):
        return [ratio] * len(sizes)
    if len(ratio) != len(sizes):
        raise InvalidInputError(f"ratio has {len(ratio)} values for {len(sizes)} classes")
    return list(ratio)


def positive_class_slice(scores: Scores) -> slice:
    """Return the columns of the classes to choose for: the second of two exclusive classes, otherwise all."""
    return slice(1, 2) if len(scores.classes) == 2 and scores.counts.single_label else slice(None)


def one_sided_scores(scores: Scores) -> Array:
    """Return the scores of the classes to choose for; an error unless their sign gives the direction."""
    if scores.sided != 1:
        names = ", ".join(metric.name for metric in metrics() if metric.sided == 1)
        raise InvalidInputError(
            f"PositiveNegative needs a one-sided metric, but {scores.metric} is not one-sided; "
            f"use one of: {names}"
        )
    if scores.values.ndim != 2:
        raise InvalidInputError(
            f"PositiveNegative needs a score for each class, but {scores.metric} has one score per term"
        )
    columns: Array = scores.values[:, positive_class_slice(scores)]
    return columns


def positive_negative_rankings(scores: Scores, k: int) -> list[tuple[Array, Array]]:
    """Return for each class to choose for its k most positive and its k most negative terms."""
    df, ranks = scores.counts.term_df, code_point_rank(scores.terms)
    return [
        (rank_terms(column, df, ranks, k), rank_terms(-column, df, ranks, k))
        for column in one_sided_scores(scores).T
    ]


def ratio_by_size(share: float) -> float:
    """Return the share of positive terms for a class with this share of the documents.

    A line over the logarithm of the share: the mean of the two least-squares lines through the ratios of CC
    that were best for 58 classes of ApteMod, with naive Bayes and with logistic regression at 50 terms
    (studies/results/zheng2004/ratios.csv). Small classes need negative terms most.

    >>> ratio_by_size(0.07), ratio_by_size(0.001), ratio_by_size(0.0)
    (0.54, 0.18, 0.05)
    """
    if not share > 0:
        return MIN_RATIO
    return round(min(max(0.77 + 0.086 * log(share), MIN_RATIO), 1.0), 2)
