"""TermSelector: a metric and a policy, as a scikit-learn selector."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from termsift._typing import Array
from termsift.counts import Counts
from termsift.estimators import chosen
from termsift.estimators.fitting import add_documents, adopt, counts_of, spark_counts_of, term_tags
from termsift.inputs import is_spark
from termsift.methods import AnyMethod, Method, method_of
from termsift.policies import Policy
from termsift.scores import Scores
from termsift.selection import Selection


class TermSelector(SelectorMixin, BaseEstimator):
    """Keep the columns of X that tell the classes of y apart.

    Parameters
    ----------
    metric : str, Metric or function of Cells
        A name of `termsift.metrics()`, or one's own; or a whole method, such as "bns:turns".
    k : int
        How many terms to keep, where there is no policy.
    reduce : {"max", "mean", "weighted", "sum", "round_robin"}
        How the scores of the classes become one score per term.
    policy : policy, optional
        How terms are chosen, in place of the k best: `Percentile(10)`, `PositiveNegative(50, 0.8)`, ...
    options : dict, optional
        The metric's own, such as {"smoothing": 0.5}.

    Attributes
    ----------
    counts_ : Counts
        What was counted; `partial_fit` adds to it.
    scores_ : Scores
        What the metric says of each term.
    selection_ : (chosen,) int
        The columns kept, best first.

    Several labels a document are given as an indicator matrix y.

    >>> import numpy as np
    >>> X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 0], [0, 1, 1]])
    >>> TermSelector("chi2", k=1).fit(X, [1, 1, 0, 0]).get_support()
    array([ True, False, False])

    """

    def __init__(
        self,
        metric: AnyMethod = "bns",
        k: int = 1000,
        reduce: str = "max",
        policy: Policy | str | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.metric = metric
        self.k = k
        self.reduce = reduce
        self.policy = policy
        self.options = options

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count, score and select.

        X may be a frame of Spark: y names its labels, sample_weight its weights, and the one other column
        is the texts. What is transformed later is a matrix of the terms that were counted.
        """
        self._method()
        if is_spark(X):
            adopt(self, spark_counts_of(X, y, sample_weight))
        else:
            self.counts_ = counts_of(self, X, y, sample_weight, reset=True)
        self._chosen: Selection | None = self._select()
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add documents to what was counted. The selection is made when it is next asked for.

        So the first parts may hold one class only.
        """
        self._method()
        add_documents(self, X, y, sample_weight)
        self._chosen = None
        return self

    @classmethod
    def from_counts(cls, counts: Counts, metric: AnyMethod = "bns", **parameters: Any) -> Self:
        """A fitted selector from counts made elsewhere: of files, of a cluster, of yesterday."""
        selector = cls(metric, **parameters)
        adopt(selector, counts)
        selector._chosen = selector._select()
        return selector

    @property
    def scores_(self) -> Scores:
        """What the metric says of each term."""
        scores: Scores = self._selected().scores  # type: ignore[assignment]
        return scores

    @property
    def selection_(self) -> Array:
        """The columns kept, best first."""
        return self._selected().indices

    transform = chosen.transform
    get_feature_names_out = chosen.get_feature_names_out
    to_vectorizer = chosen.to_vectorizer
    _get_support_mask = chosen.get_support_mask

    def _selected(self) -> Selection:
        check_is_fitted(self, "counts_")
        if self._chosen is None:
            self._chosen = self._select()
        return self._chosen

    def _select(self) -> Selection:
        return self._method().selection(self.counts_)

    def _method(self) -> Method:
        method = method_of(self.metric, self.policy, self.reduce, self.options or {})
        return method if self.policy is not None else method.of_at_most(self.k)

    def __sklearn_tags__(self) -> Any:
        return term_tags(super().__sklearn_tags__())
