"""TermWeighter: columns multiplied by what a metric says of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import diags_array
from sklearn.base import BaseEstimator, TransformerMixin

from termsift._typing import Array
from termsift.border.matrices import is_sparse
from termsift.estimators.fitting import CountsMixin
from termsift.estimators.validation import checked_matrix, input_names, metric_options
from termsift.metrics import AnyMetric
from termsift.scoring import metric_with_options, term_weights


class TermWeighter(CountsMixin[Array], TransformerMixin, BaseEstimator):
    """Multiply each column of X by the score of its term: supervised weighting instead of idf.

    Parameters
    ----------
    metric : str, Metric or function of Cells
        A name in `termsift.metrics()`: "bns" is BNS scaling (Forman 2008), "rf" relevance frequency,
        "igm" inverse gravity moment with its weight 1 + 7 igm.
    reduce : {"max", "mean", "weighted", "sum"}
        How the scores of the classes are combined into one weight per term.
    options : dict, optional
        Options of the metric.
    keep_counts : bool
        Whether to keep `counts_` after fitting.

    Attributes
    ----------
    counts_ : Counts
    weights_ : (terms,)

    >>> X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 0], [0, 1, 1]])
    >>> TermWeighter("acc2").fit(X, [1, 1, 0, 0]).weights_
    array([1. , 0.5, 0. ])

    """

    def __init__(
        self,
        metric: AnyMetric = "bns",
        reduce: str = "max",
        options: dict[str, Any] | None = None,
        keep_counts: bool = True,
    ) -> None:
        self.metric = metric
        self.reduce = reduce
        self.options = options
        self.keep_counts = keep_counts

    @property
    def weights_(self) -> Array:
        """The weight of each term."""
        return self._learned

    def transform(self, X: Any) -> Any:
        """X with weighted columns, sparse if X is sparse."""
        X = checked_matrix(self, X)
        weights = self.weights_.astype(X.dtype) if X.dtype == np.float32 else self.weights_
        return X @ diags_array(weights) if is_sparse(X) else X * weights

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns, unchanged."""
        return input_names(self, input_features)

    def _check(self) -> None:
        metric_with_options(self.metric)

    def _learn(self) -> Array:
        return term_weights(
            self._known_counts, self.metric, reduce=self.reduce, **metric_options(self.options)
        )
