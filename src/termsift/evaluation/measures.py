"""Measures of binary decisions, break-even points, and measures of rankings.

tp and fp are the documents accepted rightly and wrongly, fn and tn those rejected wrongly and rightly.
Counts are numbers or arrays of one shape. 0/0 is 0 in every measure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array
from termsift.counts import ratio


def precision(tp: ArrayLike, fp: ArrayLike) -> Array:
    """Return the precision, tp / (tp + fp): the share of accepted documents that belong to the class.

    Parameters
    ----------
    tp, fp : int, float or array
        Numbers of true and of false positives.

    Returns
    -------
    array
        Precision, of the same shape; 0 if the denominator is 0.

    Examples
    --------
    >>> float(precision(3, 1))
    0.75

    """
    tp = np.asarray(tp)
    return ratio(tp, tp + np.asarray(fp))


def recall(tp: ArrayLike, fn: ArrayLike) -> Array:
    """Return the recall, tp / (tp + fn): the share of the class's documents that are accepted.

    Parameters
    ----------
    tp, fn : int, float or array
        Numbers of true positives and of false negatives.

    Returns
    -------
    array
        Recall, of the same shape; 0 if the denominator is 0.

    Examples
    --------
    >>> float(recall(3, 1))
    0.75

    """
    tp = np.asarray(tp)
    return ratio(tp, tp + np.asarray(fn))


def f1(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike) -> Array:
    """Return the harmonic mean of precision and recall, 2 tp / (2 tp + fp + fn).

    Parameters
    ----------
    tp, fp, fn : int, float or array
        Numbers of true positives, false positives and false negatives.

    Returns
    -------
    array
        F1, of the same shape; 0 if the denominator is 0.

    Examples
    --------
    >>> f1([3, 0, 0], [1, 2, 0], [1, 0, 0])
    array([0.75, 0.  , 0.  ])

    """
    # 2.0, because small integer types would overflow
    hits = 2.0 * np.asarray(tp)
    return ratio(hits, hits + np.asarray(fp) + np.asarray(fn))


def f_beta(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, *, beta: float) -> Array:
    """Return F with recall weighted beta times as much as precision.

    (1 + beta^2) tp / ((1 + beta^2) tp + fp + beta^2 fn).
    Zheng, Wu and Srihari (2004), section 3, after van Rijsbergen (1979).

    Parameters
    ----------
    tp, fp, fn : int, float or array
        Numbers of true positives, false positives and false negatives.
    beta : float
        Weight of recall relative to precision, at least 0.

    Returns
    -------
    array
        F, of the same shape; 0 if the denominator is 0.

    Raises
    ------
    InvalidInputError
        If beta is negative or not finite.

    Examples
    --------
    >>> round(float(f_beta(3, 1, 3, beta=2)), 3)
    0.536

    """
    if not 0 <= beta < np.inf:
        raise InvalidInputError(f"beta must be at least 0 and finite, got {beta!r}")
    hits = (1 + beta**2) * np.asarray(tp)
    return ratio(hits, hits + np.asarray(fp) + beta**2 * np.asarray(fn))


def accuracy(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, tn: ArrayLike) -> Array:
    """Return the share of correct decisions, (tp + tn) / (tp + fp + fn + tn).

    Parameters
    ----------
    tp, fp, fn, tn : int, float or array
        Numbers of true positives, false positives, false negatives and true negatives.

    Returns
    -------
    array
        Accuracy, of the same shape; 0 if the denominator is 0.

    Examples
    --------
    >>> float(accuracy(3, 1, 0, 4))
    0.875

    """
    correct = np.asarray(tp) + np.asarray(tn)
    return ratio(correct, correct + np.asarray(fp) + np.asarray(fn))


def as_floats(name: str, values: ArrayLike) -> Array:
    """Return the values as an array of floats."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name} must be numbers: {error}") from error


def as_finite_floats(name: str, values: ArrayLike) -> Array:
    """Return the values as an array of finite floats."""
    array = as_floats(name, values)
    if not np.isfinite(array).all():
        raise InvalidInputError(f"{name} must be finite, got {array[~np.isfinite(array)][0]}")
    return array


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Break-even point: documents with a score of at least `threshold` are accepted.

    Attributes
    ----------
    threshold : float
        A number between two neighbouring scores; inf if no document is accepted, -inf if all are. If none is
        accepted although a score is inf, it is NaN, which no score reaches.
    tp, fp, fn : int
        Numbers of true positives, false positives and false negatives at that point.

    Examples
    --------
    >>> break_even([0.9, 0.8, 0.3], [True, True, False]).threshold
    0.55

    """

    threshold: float
    tp: int
    fp: int
    fn: int

    @property
    def precision(self) -> float:
        """Share of accepted documents that belong to the class."""
        return float(precision(self.tp, self.fp))

    @property
    def recall(self) -> float:
        """Share of the class's documents that are accepted."""
        return float(recall(self.tp, self.fn))

    @property
    def f1(self) -> float:
        """TP / (TP + (FP + FN) / 2)."""
        return float(f1(self.tp, self.fp, self.fn))


def break_even(scores: ArrayLike, truth: ArrayLike) -> BreakEven:
    """Return the break-even point of one problem.

    Parameters
    ----------
    scores : (documents,) array
        Scores of the documents, larger for documents that are more likely to belong to the class. They may be
        infinite but not NaN.
    truth : (documents,) array of bool
        Whether each document belongs to the class, as True and False or 1 and 0.

    Returns
    -------
    BreakEven
        The threshold and the decisions.

    Raises
    ------
    InvalidInputError
        If the shapes do not match, a score is NaN, or truth has values other than True, False, 1 and 0.

    Examples
    --------
    >>> point = break_even([0.9, 0.8, 0.3, 0.1], [True, False, True, False])
    >>> point.threshold, point.tp, point.fp, point.fn, point.f1
    (0.55, 1, 1, 1, 0.5)

    """
    values, belongs = validate_scores(scores, truth)
    if values.ndim != 1:
        raise InvalidInputError(f"scores must have one dimension, got {values.ndim} dimensions")
    tp, fp, fn = count_ties_together(values, belongs)
    bounds = np.concatenate([[-np.inf], np.sort(values), [np.inf]])
    rejected = len(values) - tp - fp
    lower, upper = float(bounds[rejected]), float(bounds[rejected + 1])
    threshold = lower / 2 + upper / 2
    if tp + fp == 0:
        threshold = float("nan") if lower == upper else upper
    elif rejected == 0:
        threshold = lower
    elif not lower < threshold < upper:
        # neighbouring and infinite floats have no number between them
        threshold = upper
    return BreakEven(threshold, tp, fp, fn)


def break_even_counts(scores: ArrayLike, truth: ArrayLike) -> tuple[Array, Array, Array]:
    """Return tp, fp and fn at the break-even point of each problem.

    Parameters
    ----------
    scores : (documents,) or (documents, problems) array
        Scores of the documents, larger for documents that are more likely to belong to the class. They may be
        infinite but not NaN.
    truth : (documents,) or (documents, problems) array of bool
        Whether each document belongs to the class, as True and False or 1 and 0. One dimension means the same
        truth for all problems.

    Returns
    -------
    tp, fp, fn : (problems,) arrays of int
        Counts at the break-even point; 0-dimensional arrays if scores have one dimension.

    Raises
    ------
    InvalidInputError
        If the shapes do not match, a score is NaN, or truth has values other than True, False, 1 and 0.

    Examples
    --------
    >>> tuple(int(count) for count in break_even_counts([0.9, 0.8, 0.3, 0.1], [True, False, True, False]))
    (1, 1, 1)

    """
    return count_problems(count_ties_together, scores, truth)


def break_even_f1(scores: ArrayLike, truth: ArrayLike) -> Array:
    """Return F1 at the break-even point of each problem.

    Parameters
    ----------
    scores : (documents,) or (documents, problems) array
        Scores of the documents, larger for documents that are more likely to belong to the class. They may be
        infinite but not NaN.
    truth : (documents,) or (documents, problems) array of bool
        Whether each document belongs to the class, as True and False or 1 and 0. One dimension means the same
        truth for all problems.

    Returns
    -------
    (problems,) array of float
        F1 at the break-even point; a 0-dimensional array if scores have one dimension.

    Raises
    ------
    InvalidInputError
        If the shapes do not match, a score is NaN, or truth has values other than True, False, 1 and 0.

    Examples
    --------
    >>> break_even_f1([[0.9, 0.1], [0.8, 0.2], [0.3, 0.3]], [True, True, False])
    array([1. , 0.5])

    """
    return f1(*break_even_counts(scores, truth))


def shared_break_even_counts(scores: ArrayLike, truth: ArrayLike) -> tuple[Array, Array, Array]:
    """Return tp, fp and fn if exactly P documents are accepted, tied documents fractionally.

    P is the number of documents of the class. The counts are fractional if scores tie at the cut.
    This is the average over all orders of the tied documents, so precision always equals recall.

    Parameters
    ----------
    scores : (documents,) or (documents, problems) array
        Scores of the documents, larger for documents that are more likely to belong to the class. They may be
        infinite but not NaN.
    truth : (documents,) or (documents, problems) array of bool
        Whether each document belongs to the class, as True and False or 1 and 0. One dimension means the same
        truth for all problems.

    Returns
    -------
    tp, fp, fn : (problems,) arrays of float
        Counts at the break-even point; 0-dimensional arrays if scores have one dimension.

    Raises
    ------
    InvalidInputError
        If the shapes do not match, a score is NaN, or truth has values other than True, False, 1 and 0.

    Examples
    --------
    >>> shared_break_even_counts([0.9, 0.5, 0.5, 0.1], [True, True, False, False])
    (array(1.5), array(0.5), array(0.5))

    """
    return count_problems(count_ties_shared, scores, truth)


def count_problems(
    count_problem: Callable[..., Any], scores: ArrayLike, truth: ArrayLike
) -> tuple[Array, Array, Array]:
    """Return three (problems,) arrays of the counts of each problem, 0-dimensional for a single problem."""
    values, belongs = validate_scores(scores, truth)
    columns = np.atleast_2d(values.T)
    truths = np.broadcast_to(belongs.T, columns.shape)
    counts = np.array([count_problem(*problem) for problem in zip(columns, truths, strict=True)])
    counts = counts.reshape(*values.shape[1:], 3)
    return counts[..., 0], counts[..., 1], counts[..., 2]


def count_ties_shared(scores: Array, truth: Array) -> tuple[float, float, float]:
    """Return tp, fp and fn of the P highest scores, averaged over all orders of ties."""
    positives = scores[truth]
    size = len(positives)
    if not size:
        return 0.0, 0.0, 0.0
    index = len(scores) - size
    pivot = np.partition(scores, index)[index]
    above, tied = np.count_nonzero(scores > pivot), np.count_nonzero(scores == pivot)
    tp = np.count_nonzero(positives > pivot) + np.count_nonzero(positives == pivot) * (size - above) / tied
    return tp, size - tp, size - tp


def count_ties_together(scores: Array, truth: Array) -> tuple[int, int, int]:
    """Return tp, fp and fn if all documents tied at the P-th highest score are accepted, or none is."""
    positives = scores[truth]
    size = len(positives)
    if not size:
        return 0, 0, 0
    index = len(scores) - size
    pivot = np.partition(scores, index)[index]
    without = int(np.count_nonzero(scores > pivot)), int(np.count_nonzero(positives > pivot))
    including = int(np.count_nonzero(scores >= pivot)), int(np.count_nonzero(positives >= pivot))
    # the nearer cut, or the one with the larger F1 if both are equally near
    accepted, tp = min(without, including, key=lambda cut: (abs(cut[0] - size), -cut[1] / (cut[0] + size)))
    return tp, accepted - tp, size - tp


def validate_scores(scores: ArrayLike, truth: ArrayLike) -> tuple[Array, Array]:
    """Return the scores as floats and the truth as booleans, with matching shapes."""
    values, belongs = as_floats("scores", scores), as_booleans(truth)
    if values.ndim not in (1, 2) or belongs.shape not in (values.shape, values.shape[:1]):
        raise InvalidInputError(
            f"scores must have shape (documents,) or (documents, problems), and truth the same shape or "
            f"(documents,); got {values.shape} and {belongs.shape}"
        )
    if np.isnan(values).any():
        document = np.argwhere(np.isnan(values))[0][0]
        raise InvalidInputError(f"scores must not be NaN; the score of document {document} is NaN")
    return values, belongs


def as_booleans(truth: ArrayLike) -> Array:
    """Return the truth as booleans, from booleans or 1 and 0."""
    array = np.asarray(truth)
    if array.dtype == bool:
        return array
    invalid = ~np.isin(array, (0, 1))
    if invalid.any():
        raise InvalidInputError(f"truth must contain True and False or 1 and 0 only; got {array[invalid][0]}")
    return array.astype(bool)


def precision_recall(scores: ArrayLike, truth: ArrayLike, weights: Any = None) -> tuple[Array, Array]:
    """Return precision and recall at every threshold, from the highest score down.

    scores, truth : (documents,); weights : (documents,) sample weights

    >>> precision_recall([0.9, 0.8, 0.8, 0.1], [1, 1, 0, 0])
    (array([1.        , 0.66666667, 0.5       ]), array([0.5, 1. , 1. ]))
    """
    values, belongs = as_floats("scores", scores), as_booleans(truth)
    sample_weights = np.ones(len(values)) if weights is None else as_floats("weights", weights)
    order = np.argsort(-values, kind="stable")
    ends = np.flatnonzero(np.append(values[order][1:] != values[order][:-1], True))[: len(values)]
    accepted = np.cumsum(sample_weights[order])[ends]
    tp = np.cumsum((sample_weights * belongs)[order])[ends]
    total = (sample_weights * belongs).sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(tp / accepted), np.nan_to_num(tp / total)


def average_precision(scores: ArrayLike, truth: ArrayLike, weights: Any = None) -> float:
    """Return the mean of the precision at each threshold, weighted by the increase in recall.

    >>> average_precision([0.9, 0.8, 0.3], [1, 0, 1])
    0.8333333333333333
    """
    precision, recall = precision_recall(scores, truth, weights)
    return float((np.diff(recall, prepend=0.0) * precision).sum())


def precision_at_recall(scores: ArrayLike, truth: ArrayLike, min_recall: float, weights: Any = None) -> float:
    """Return the highest precision of the thresholds with at least this recall.

    >>> precision_at_recall([0.9, 0.8, 0.3], [1, 0, 1], 0.5)
    1.0
    """
    if not 0 < min_recall <= 1:
        raise InvalidInputError(f"min_recall must be above 0 and at most 1, got {min_recall!r}")
    precision, recall = precision_recall(scores, truth, weights)
    # tolerates the rounding of sums of weights
    return float(precision[recall >= min_recall - 1e-12].max(initial=0.0))
