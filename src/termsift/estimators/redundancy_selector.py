"""RedundancyAwareSelector: terms that do not say the same, each for what it adds to those before it."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator

from termsift.estimators.fitting import SelectionMixin
from termsift.estimators.validation import sample_documents, term_tags
from termsift.methods import Method, method_of
from termsift.metrics import AnyMetric
from termsift.policies import RedundancyAware
from termsift.redundancy import redundancy_choice


class RedundancyAwareSelector(SelectionMixin, BaseEstimator):
    """Keep k columns of X that tell the classes of y apart without being redundant.

    Each step takes the most valuable term given those already taken, measured by mutual information. Only the
    presence of a term in a document matters, not how often it occurs. One label per document.

    Parameters
    ----------
    criterion : {"cmim", "jmi", "mrmr"}
        The value of a term. "cmim": what it adds to whichever taken term leaves it the least to add (Fleuret
        2004). "jmi": the joint information of the term and each taken term about the class (Yang and Moody
        1999). "mrmr": its information about the class minus that about the taken terms (Peng, Long and Ding
        2005).
    k : int
        Number of terms to keep.
    pool : int
        Number of candidates: the best terms by the metric. If k is larger, further terms follow in the
        metric's order.
    metric : str, Metric or function of Cells
        A name in `termsift.metrics()`, or your own metric.
    keep_counts : bool
        Whether to keep `counts_` and `scores_` after fitting.

    Attributes
    ----------
    counts_ : Counts
    scores_ : Scores
        The metric's scores.
    selection_ : (chosen,) int
        The columns kept, in the order they were taken.
    values_ : (chosen in the pool,)
        The value of each term when it was taken, in nats.
    selected_ : Selection
        The chosen terms as a Selection.

    The second column is a copy of the first:

    >>> import numpy as np
    >>> X = np.array([[1, 1, 0], [1, 1, 1], [1, 1, 0], [0, 0, 1], [0, 0, 1], [1, 1, 1]])
    >>> RedundancyAwareSelector("cmim", k=2).fit(X, [1, 1, 1, 0, 0, 0]).selection_
    array([0, 2])

    """

    def __init__(
        self,
        criterion: str = "cmim",
        k: int = 1000,
        pool: int = 3000,
        metric: AnyMetric = "ig",
        keep_counts: bool = True,
    ) -> None:
        self.criterion = criterion
        self.k = k
        self.pool = pool
        self.metric = metric
        self.keep_counts = keep_counts

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count, form the pool of candidates, and choose."""
        method = self._method()
        documents = sample_documents(self, X, y, sample_weight, reset=True)
        self.counts_ = documents.counts
        self._learned, self.values_ = redundancy_choice(documents, method)
        return self._settled()

    def _method(self) -> Method:
        self._check()
        return method_of(self.metric, RedundancyAware(self.k, self.criterion, self.pool), "max", {})

    def __sklearn_tags__(self) -> Any:
        tags = term_tags(super().__sklearn_tags__())
        tags.target_tags.multi_output = False
        return tags
