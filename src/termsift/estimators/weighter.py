"""TermWeighter: columns multiplied by what a metric says of them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.sparse import diags_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from termsift._typing import Array
from termsift.counts import Counts
from termsift.estimators.fitting import add_documents, adopt, counts_of, names_in, term_tags, validated
from termsift.labels import is_sparse
from termsift.metrics import AnyMetric, metric_from
from termsift.scoring import score


class TermWeighter(TransformerMixin, BaseEstimator):
    """Multiply each column of X by a metric of its term: supervised weighting in place of idf.

    Parameters
    ----------
    metric : str, Metric or function of Cells
        A name of `termsift.metrics()`: "bns" is BNS scaling (Forman 2008), "rf" relevance frequency,
        "igm" inverse gravity moment with its weight 1 + 7 igm.
    reduce : {"max", "mean", "weighted", "sum"}
        How the scores of the classes become one weight per term.
    options : dict, optional
        The metric's own.

    Attributes
    ----------
    counts_ : Counts
    weights_ : (terms,)

    >>> X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 0], [0, 1, 1]])
    >>> TermWeighter("acc2").fit(X, [1, 1, 0, 0]).weights_
    array([1. , 0.5, 0. ])

    """

    def __init__(
        self, metric: AnyMetric = "bns", reduce: str = "max", options: dict[str, Any] | None = None
    ) -> None:
        self.metric = metric
        self.reduce = reduce
        self.options = options

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count and weigh."""
        self.counts_ = counts_of(self, X, y, sample_weight, reset=True)
        self._weights: Array | None = self._weigh()
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add documents to what was counted. The weights are computed when next asked for."""
        add_documents(self, X, y, sample_weight)
        self._weights = None
        return self

    @classmethod
    def from_counts(cls, counts: Counts, metric: AnyMetric = "bns", **parameters: Any) -> Self:
        """A fitted weighter from counts made elsewhere."""
        weighter = cls(metric, **parameters)
        adopt(weighter, counts)
        weighter._weights = weighter._weigh()
        return weighter

    @property
    def weights_(self) -> Array:
        """The weight of each term."""
        check_is_fitted(self, "counts_")
        if self._weights is None:
            self._weights = self._weigh()
        return self._weights

    def transform(self, X: Any) -> Any:
        """X with its columns weighted, sparse where X is."""
        check_is_fitted(self, "counts_")
        X = validated(self, X, reset=False)
        weights = self.weights_.astype(X.dtype) if X.dtype == np.float32 else self.weights_
        return X @ diags_array(weights) if is_sparse(X) else X * weights

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns, which stay."""
        names: Array = names_in(self, input_features)
        return names

    def _weigh(self) -> Array:
        line = metric_from(self.metric)
        values = np.asarray(score(self.counts_, self.metric, reduce=self.reduce, **(self.options or {})))
        return values if line.weight is None else line.weight(values)

    def __sklearn_tags__(self) -> Any:
        return term_tags(super().__sklearn_tags__())
