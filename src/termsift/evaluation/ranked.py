"""Measures of how documents are ranked for a class, at whatever threshold: no decision is taken.

Documents of equal score are accepted together. Where no document belongs, a measure is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from termsift._typing import Array
from termsift.errors import InvalidInput
from termsift.evaluation.breakeven import as_booleans
from termsift.evaluation.measures import numbers


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
        raise InvalidInput(f"a recall is above 0 and at most 1, got {least!r}")
    precision, recall = precision_recall(scores, truth, weights)
    # sums of weights are floats: what rounding alone keeps below the share reaches it
    return float(precision[recall >= least - 1e-12].max(initial=0.0))
