"""The break-even point: the threshold at which as many documents are accepted as belong.

Zheng, Wu and Srihari (2004), section 5.3: the point where precision equals recall, in practice where
abs(FP - FN) is smallest. With m documents accepted and P that belong, FP - FN = (m - TP) - (P - TP) = m - P.
So the best cut is the one nearest to the P-th highest score, and is found without sorting.

Documents of equal score are always on the same side, so the order of documents never matters.
Of two cuts equally near, the one of larger F1 is taken, then the higher one.
Where no document belongs, or there is none, nothing is accepted, and F1 is 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from termsift._typing import Array
from termsift.errors import InvalidInput
from termsift.evaluation import measures
from termsift.evaluation.measures import numbers


@dataclass(frozen=True, slots=True)
class BreakEven:
    """A break-even point: documents with a score of at least `threshold` are accepted.

    threshold : between two neighbouring scores; inf if no document is accepted, -inf if all are.
        If none is accepted although a score is inf, it is NaN, which no score reaches.

    tp, fp, fn : the decisions at that point

    >>> break_even([0.9, 0.8, 0.3], [True, True, False]).threshold
    0.55
    """

    threshold: float
    tp: int
    fp: int
    fn: int

    @property
    def precision(self) -> float:
        """The share of accepted documents that belong to the class."""
        return float(measures.precision(self.tp, self.fp))

    @property
    def recall(self) -> float:
        """The share of the class's documents that are accepted."""
        return float(measures.recall(self.tp, self.fn))

    @property
    def f1(self) -> float:
        """TP / (TP + (FP + FN) / 2)."""
        return float(measures.f1(self.tp, self.fp, self.fn))


def break_even(scores: ArrayLike, truth: ArrayLike) -> BreakEven:
    """The break-even point of one problem. Scores may be infinite but not NaN.

    scores : (documents,)
    truth : (documents,) of True and False, or 1 and 0

    >>> point = break_even([0.9, 0.8, 0.3, 0.1], [True, False, True, False])
    >>> point.threshold, point.tp, point.fp, point.fn, point.f1
    (0.55, 1, 1, 1, 0.5)
    """
    values, belongs = scored_truth(scores, truth)
    if values.ndim != 1:
        raise InvalidInput(f"scores must be of one problem, got {values.ndim} dimensions")
    tp, fp, fn = counts_at_cut(values, belongs)
    return BreakEven(threshold(values, tp + fp), tp, fp, fn)


def break_even_counts(scores: ArrayLike, truth: ArrayLike) -> tuple[Array, Array, Array]:
    """tp, fp and fn at the break-even point of each problem: (problems,), or 0-dimensional for one.

    scores : (documents,) or (documents, problems)
    truth : (documents,), the same for all problems, or (documents, problems)

    >>> tuple(int(found) for found in break_even_counts([0.9, 0.8, 0.3, 0.1], [True, False, True, False]))
    (1, 1, 1)
    """
    values, belongs = scored_truth(scores, truth)
    columns = np.atleast_2d(values.T)
    truths = np.broadcast_to(belongs.T, columns.shape)
    found = [counts_at_cut(column, own) for column, own in zip(columns, truths, strict=True)]
    tp, fp, fn = np.array(found, dtype=np.int64).reshape(*values.shape[1:], 3).T
    return tp, fp, fn


def break_even_f1(scores: ArrayLike, truth: ArrayLike) -> Array:
    """F1 at the break-even point of each problem, shaped as in `break_even_counts`.

    scores : (documents,) or (documents, problems)
    truth : (documents,), the same for all problems, or (documents, problems)

    >>> break_even_f1([[0.9, 0.1], [0.8, 0.2], [0.3, 0.3]], [True, True, False])
    array([1. , 0.5])
    """
    return measures.f1(*break_even_counts(scores, truth))


def shared_break_even_counts(scores: ArrayLike, truth: ArrayLike) -> tuple[Array, Array, Array]:
    """tp, fp and fn if exactly P documents are accepted: those tied at the cut share what is left.

    This is the average over all orders of the tied documents, so precision always equals recall.
    Arguments and results are those of `break_even_counts`, but counts may be fractional if scores tie.

    scores : (documents,) or (documents, problems)
    truth : (documents,), the same for all problems, or (documents, problems)

    >>> shared_break_even_counts([0.9, 0.5, 0.5, 0.1], [True, True, False, False])
    (array(1.5), array(0.5), array(0.5))
    """
    values, belongs = scored_truth(scores, truth)
    columns = np.atleast_2d(values.T)
    truths = np.broadcast_to(belongs.T, columns.shape)
    found = [shared_tp(column, own) for column, own in zip(columns, truths, strict=True)]
    tp = np.array(found, dtype=np.float64).reshape(values.shape[1:])
    wrong: Array = np.asarray(np.count_nonzero(belongs, axis=0) - tp)
    return tp, wrong, wrong


def shared_tp(scores: Array, truth: Array) -> float:
    """The true positives among the P highest scores, of those that tie with the last its share."""
    ours = scores[truth]
    size = len(ours)
    if not size:
        return 0.0
    place = len(scores) - size
    pivot = np.partition(scores, place)[place]
    above, tied = np.count_nonzero(scores > pivot), np.count_nonzero(scores == pivot)
    return np.count_nonzero(ours > pivot) + np.count_nonzero(ours == pivot) * (size - above) / tied


def counts_at_cut(scores: Array, truth: Array) -> tuple[int, int, int]:
    """tp, fp and fn at the break-even point: the P-th highest score's ties are all in or all out."""
    ours = scores[truth]
    size = len(ours)
    if not size:
        return 0, 0, 0
    place = len(scores) - size
    pivot = np.partition(scores, place)[place]
    without = int(np.count_nonzero(scores > pivot)), int(np.count_nonzero(ours > pivot))
    including = int(np.count_nonzero(scores >= pivot)), int(np.count_nonzero(ours >= pivot))
    accepted, tp = min(without, including, key=lambda cut: (abs(cut[0] - size), -cut[1] / (cut[0] + size)))
    return tp, accepted - tp, size - tp


def threshold(scores: Array, accepted: int) -> float:
    """What exactly so many scores reach."""
    bounds = np.concatenate([[-np.inf], np.sort(scores), [np.inf]])
    rejected = len(scores) - accepted
    lower, upper = float(bounds[rejected]), float(bounds[rejected + 1])
    if accepted == 0:
        return float("nan") if lower == upper else upper
    if rejected == 0:
        return lower
    middle = lower / 2 + upper / 2
    # of neighbouring floats, and of infinite ones, there is no middle
    return middle if lower < middle < upper else upper


def scored_truth(scores: ArrayLike, truth: ArrayLike) -> tuple[Array, Array]:
    """The scores as floats and the truth as booleans, of shapes that fit."""
    values, belongs = numbers("scores", scores), as_booleans(truth)
    if values.ndim not in (1, 2) or belongs.shape not in (values.shape, values.shape[:1]):
        raise InvalidInput(f"scores of shape {values.shape} do not fit truth of shape {belongs.shape}")
    if np.isnan(values).any():
        raise InvalidInput(f"scores must not be NaN; document {np.argwhere(np.isnan(values))[0][0]} has one")
    return values, belongs


def as_booleans(truth: ArrayLike) -> Array:
    """True and False, from themselves or from 1 and 0."""
    array = np.asarray(truth)
    if array.dtype == bool:
        return array
    wrong = ~np.isin(array, (0, 1))
    if wrong.any():
        raise InvalidInput(f"truth holds True and False or 1 and 0, got {array[wrong][0]}")
    return array.astype(bool)
