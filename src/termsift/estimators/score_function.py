"""Any metric as the score function of scikit-learn's own selectors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.engines.memory.matrix import count_matrix
from termsift.metrics import AnyMetric, metric_from
from termsift.scoring import score


@dataclass(frozen=True)
class ScoreFunction:
    """`SelectKBest(ScoreFunction("bns"), k=100)`.

    Gives (scores, p-values) where the metric has p-values, the least over the classes, else the scores.

    >>> X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 0], [0, 1, 1]])
    >>> ScoreFunction("acc2")(X, [1, 1, 0, 0])
    array([1. , 0.5, 0. ])
    """

    metric: AnyMetric
    reduce: str = "max"
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        metric_from(self.metric)

    def __call__(self, X: Any, y: Any) -> Array | tuple[Array, Array]:
        """The scores of the columns of X, with p-values where there are any."""
        counts = count_matrix(X, np.asarray(y))
        values = np.asarray(score(counts, self.metric, reduce=self.reduce, **self.options))
        if metric_from(self.metric).p is None:
            return values
        p = score(counts, self.metric, **self.options).p
        return values if p is None else (values, p.min(axis=1))
