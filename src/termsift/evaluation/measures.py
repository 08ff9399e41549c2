"""Measures of yes-or-no decisions, from their counts: numbers, or arrays of any one shape.

tp and fp are the documents accepted rightly and wrongly, fn and tn those rejected wrongly and rightly.
0/0 is 0 in every measure: nothing was right. Below them, numbers as they are checked at the border.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from termsift._typing import Array
from termsift.contingency import ratio
from termsift.errors import InvalidInput


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
        raise InvalidInput(f"beta must be a number of at least 0, got {beta!r}")
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
        raise InvalidInput(f"{name} must be numbers: {error}") from error


def finite(name: str, values: ArrayLike) -> Array:
    """The values as an array of floats, all finite."""
    array = numbers(name, values)
    if not np.isfinite(array).all():
        raise InvalidInput(f"{name} must be finite, got {array[~np.isfinite(array)][0]}")
    return array
