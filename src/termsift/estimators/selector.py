"""TermSelector: a metric and a policy as a scikit-learn selector; ScoreFunction, for its own selectors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from termsift._typing import Array
from termsift.engines.memory.matrix import count_matrix
from termsift.estimators.fitting import CountsMixin, SelectionMixin
from termsift.estimators.validation import metric_options
from termsift.methods import AnyMethod, Method, method_of
from termsift.metrics import AnyMetric
from termsift.policies import Policy
from termsift.scoring import metric_with_options, score
from termsift.selection import Selection, chance_words


class TermSelector(SelectionMixin, CountsMixin[Selection], BaseEstimator):
    """Keep the columns of X that tell the classes of y apart.

    Parameters
    ----------
    metric : str, Metric, function of Cells, or Method
        A name in `termsift.metrics()`, or your own metric; or a complete method, such as "bns:turns".
    k : int
        Number of terms to keep if no policy is given.
    reduce : {"max", "mean", "weighted", "sum", "round_robin"}
        How the scores of the classes are combined into one score per term.
    policy : policy, optional
        How to choose terms, instead of the k best: `Percentile(10)`, `PositiveNegative(50, 0.8)`, ...
    options : dict, optional
        Options of the metric, such as {"smoothing": 0.5}.
    keep_counts : bool
        Whether to keep `counts_` and `scores_` after fitting. Without them a selector is as small as its
        terms; `partial_fit` needs them.

    Attributes
    ----------
    counts_ : Counts
        The counts of the training documents; `partial_fit` adds to them.
    scores_ : Scores
        The metric's scores.
    selection_ : (chosen,) int
        The columns kept, best first.
    selected_ : Selection
        The chosen terms as a Selection: `selected_.to_json("terms.json")`, `selected_.table()`, ...
    expected_by_chance_ : float or None
        Number of the chosen terms expected by chance alone, if known.

    Several labels per document are given as an indicator matrix y.

    >>> X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 0], [0, 1, 1]])
    >>> TermSelector("chi2", k=1).fit(X, [1, 1, 0, 0]).get_support()
    array([ True, False, False])

    """

    _chance: tuple[Selection, float | None] | None = None

    def __init__(
        self,
        metric: AnyMethod = "bns",
        k: int = 1000,
        reduce: str = "max",
        policy: Policy | str | None = None,
        options: dict[str, Any] | None = None,
        keep_counts: bool = True,
    ) -> None:
        self.metric = metric
        self.k = k
        self.reduce = reduce
        self.policy = policy
        self.options = options
        self.keep_counts = keep_counts

    @property
    def expected_by_chance_(self) -> float | None:
        """Number of the chosen terms expected by chance, computed on access; None if unknown."""
        selection = self.selected_
        if self._chance is None or self._chance[0] is not selection:
            self._chance = selection, selection.expected_by_chance
        return self._chance[1]

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        plain = str(super().__repr__(N_CHAR_MAX))
        if self._result is None:
            return plain
        words = chance_words(len(self._result), self.expected_by_chance_)
        return f"{plain}  # {words}" if words else plain

    def _check(self) -> None:
        self._method()

    def _learn(self) -> Selection:
        return self._method().selection(self._known_counts)

    def _method(self) -> Method:
        method = method_of(self.metric, self.policy, self.reduce, metric_options(self.options))
        return method if self.policy is not None else method.of_at_most(self.k)


@dataclass(frozen=True)
class ScoreFunction:
    """A score function for scikit-learn: `SelectKBest(ScoreFunction("bns"), k=100)`.

    Returns (scores, p-values) if the metric has p-values, the smallest over the classes; else the scores.

    metric : a name in the catalogue, a Metric, or a function of Cells
    reduce : how the scores of the classes are combined into one score per term
    options : options of the metric

    >>> X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 0], [0, 1, 1]])
    >>> values, p = ScoreFunction("acc2")(X, [1, 1, 0, 0])
    >>> values
    array([1. , 0.5, 0. ])
    >>> p.round(3)
    array([0.333, 1.   , 1.   ])
    """

    metric: AnyMetric
    reduce: str = "max"
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        metric_with_options(self.metric)

    def __call__(self, X: Any, y: Any) -> Array | tuple[Array, Array]:
        """The scores of the columns of X, with p-values if there are any."""
        counts = count_matrix(X, y)
        values = np.asarray(score(counts, self.metric, reduce=self.reduce, **self.options))
        p = score(counts, self.metric, **self.options).p
        return values if p is None else (values, p.min(axis=1))
