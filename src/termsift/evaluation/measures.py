"""Measures of yes-or-no decisions, from their counts: numbers, or arrays of any one shape.

tp and fp are the documents accepted rightly and wrongly, fn and tn those rejected wrongly and rightly.
0/0 is 0 in every measure: nothing was right. Below them, numbers as they are checked at the border.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array
from termsift.counts import ratio


def precision(tp: ArrayLike, fp: ArrayLike) -> Array:
    """Precision, the share of accepted documents that belong to the class: tp / (tp + fp).

    tp : true positives, numbers or arrays
    fp : false positives, numbers or arrays

    >>> float(precision(3, 1))
    0.75
    """
    tp = np.asarray(tp)
    return ratio(tp, tp + np.asarray(fp))


def recall(tp: ArrayLike, fn: ArrayLike) -> Array:
    """Recall, the share of the class's documents that are accepted: tp / (tp + fn).

    tp : true positives, numbers or arrays
    fn : false negatives, numbers or arrays

    >>> float(recall(3, 1))
    0.75
    """
    tp = np.asarray(tp)
    return ratio(tp, tp + np.asarray(fn))


def f1(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike) -> Array:
    """The harmonic mean of precision and recall: 2 tp / (2 tp + fp + fn).

    tp : true positives, numbers or arrays
    fp : false positives, numbers or arrays
    fn : false negatives, numbers or arrays

    >>> f1([3, 0, 0], [1, 2, 0], [1, 0, 0])
    array([0.75, 0.  , 0.  ])
    """
    return f_beta(tp, fp, fn, beta=1.0)


def f_beta(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, *, beta: float) -> Array:
    """F with recall weighted beta times as much as precision.

    (1 + beta^2) tp / ((1 + beta^2) tp + fp + beta^2 fn).
    Zheng, Wu and Srihari (2004), section 3, after van Rijsbergen (1979).

    tp : true positives, numbers or arrays
    fp : false positives, numbers or arrays
    fn : false negatives, numbers or arrays
    beta : the weight of recall relative to precision

    >>> round(float(f_beta(3, 1, 3, beta=2)), 3)
    0.536
    """
    if not 0 <= beta < np.inf:
        raise InvalidInputError(f"beta must be a number of at least 0, got {beta!r}")
    hits = (1 + beta**2) * np.asarray(tp)
    return ratio(hits, hits + np.asarray(fp) + beta**2 * np.asarray(fn))


def accuracy(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, tn: ArrayLike) -> Array:
    """Accuracy, the share of right decisions: (tp + tn) / (tp + fp + fn + tn).

    tp : true positives, numbers or arrays
    fp : false positives, numbers or arrays
    fn : false negatives, numbers or arrays
    tn : true negatives, numbers or arrays

    >>> float(accuracy(3, 1, 0, 4))
    0.875
    """
    right = np.asarray(tp) + np.asarray(tn)
    return ratio(right, right + np.asarray(fp) + np.asarray(fn))


def numbers(name: str, values: ArrayLike) -> Array:
    """The values as an array of floats."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name} must be numbers: {error}") from error


def finite(name: str, values: ArrayLike) -> Array:
    """The values as an array of floats, all finite."""
    array = numbers(name, values)
    if not np.isfinite(array).all():
        raise InvalidInputError(f"{name} must be finite, got {array[~np.isfinite(array)][0]}")
    return array


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
        return float(precision(self.tp, self.fp))

    @property
    def recall(self) -> float:
        """The share of the class's documents that are accepted."""
        return float(recall(self.tp, self.fn))

    @property
    def f1(self) -> float:
        """TP / (TP + (FP + FN) / 2)."""
        return float(f1(self.tp, self.fp, self.fn))


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
        raise InvalidInputError(f"scores must be of one problem, got {values.ndim} dimensions")
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
    return f1(*break_even_counts(scores, truth))


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
        raise InvalidInputError(f"scores of shape {values.shape} do not fit truth of shape {belongs.shape}")
    if np.isnan(values).any():
        raise InvalidInputError(
            f"scores must not be NaN; document {np.argwhere(np.isnan(values))[0][0]} has one"
        )
    return values, belongs


def as_booleans(truth: ArrayLike) -> Array:
    """True and False, from themselves or from 1 and 0."""
    array = np.asarray(truth)
    if array.dtype == bool:
        return array
    wrong = ~np.isin(array, (0, 1))
    if wrong.any():
        raise InvalidInputError(f"truth holds True and False or 1 and 0, got {array[wrong][0]}")
    return array.astype(bool)


def precision_recall(scores: ArrayLike, truth: ArrayLike, weights: Any = None) -> tuple[Array, Array]:
    """Precision and recall at every threshold, from the highest score down.

    scores, truth : (documents,); weights : (documents,) what each counts for

    >>> precision_recall([0.9, 0.8, 0.8, 0.1], [1, 1, 0, 0])
    (array([1.        , 0.66666667, 0.5       ]), array([0.5, 1. , 1. ]))
    """
    values, belongs = numbers("scores", scores), as_booleans(truth)
    own = np.ones(len(values)) if weights is None else numbers("weights", weights)
    order = np.argsort(-values, kind="stable")
    ends = np.flatnonzero(np.append(values[order][1:] != values[order][:-1], True))[: len(values)]
    accepted = np.cumsum(own[order])[ends]
    right = np.cumsum((own * belongs)[order])[ends]
    total = (own * belongs).sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(right / accepted), np.nan_to_num(right / total)


def average_precision(scores: ArrayLike, truth: ArrayLike, weights: Any = None) -> float:
    """Precision at each threshold, weighted by the recall it adds: the area under the steps.

    >>> average_precision([0.9, 0.8, 0.3], [1, 0, 1])
    0.8333333333333333
    """
    precision, recall = precision_recall(scores, truth, weights)
    return float((np.diff(recall, prepend=0.0) * precision).sum())


def precision_at_recall(scores: ArrayLike, truth: ArrayLike, least: float, weights: Any = None) -> float:
    """The best precision of a threshold that finds at least such a share of what belongs.

    >>> precision_at_recall([0.9, 0.8, 0.3], [1, 0, 1], 0.5)
    1.0
    """
    if not 0 < least <= 1:
        raise InvalidInputError(f"a recall is above 0 and at most 1, got {least!r}")
    precision, recall = precision_recall(scores, truth, weights)
    # sums of weights are floats: what rounding alone keeps below the share reaches it
    return float(precision[recall >= least - 1e-12].max(initial=0.0))
