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
    """Keep k columns of X that tell the classes of y apart and do not say the same.

    Each step takes the term that is worth most beside those taken, by mutual informations of which documents
    hold the terms; how often does not count. One label per document.

    Parameters
    ----------
    criterion : {"cmim", "jmi", "mrmr"}
        What a term is worth: "cmim", what it adds to the term taken that leaves it least to add (Fleuret
        2004); "jmi", what it and each term taken say of the class together (Yang and Moody 1999); "mrmr",
        what it says of the class less what it says of the terms taken (Peng, Long and Ding 2005).
    k : int
        How many terms to keep.
    pool : int
        The candidates: so many of the best terms by the metric. More than the pool are kept in its order.
    metric : str, Metric or function of Cells
        A name of `termsift.metrics()`, or one's own.
    keep_counts : bool
        Whether `counts_` and `scores_` stay after fitting.

    Attributes
    ----------
    counts_ : Counts
    scores_ : Scores
        What the metric says of each term.
    selection_ : (chosen,) int
        The columns kept, in the order they were taken.
    values_ : (chosen in the pool,)
        What each was worth when it was taken, in nats.
    selected_ : Selection
        The terms kept as a value.

    The second column says the same as the first:

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
        """Count, take the pool, and choose."""
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
