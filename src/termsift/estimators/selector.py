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
        A name of `termsift.metrics()`, or one's own; or a whole method, such as "bns:turns".
    k : int
        How many terms to keep, where there is no policy.
    reduce : {"max", "mean", "weighted", "sum", "round_robin"}
        How the scores of the classes become one score per term.
    policy : policy, optional
        How terms are chosen, in place of the k best: `Percentile(10)`, `PositiveNegative(50, 0.8)`, ...
    options : dict, optional
        The metric's own, such as {"smoothing": 0.5}.
    keep_counts : bool
        Whether `counts_` and `scores_` stay after fitting. A selector without them is as small as its terms;
        `partial_fit` needs them.

    Attributes
    ----------
    counts_ : Counts
        What was counted; `partial_fit` adds to it.
    scores_ : Scores
        What the metric says of each term.
    selection_ : (chosen,) int
        The columns kept, best first.
    selected_ : Selection
        The chosen terms as a value: `selected_.to_json("terms.json")`, `selected_.table()`, ...
    expected_by_chance_ : float or None
        How many of the chosen terms chance alone would give, where that is known.

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
        """How many of the chosen terms chance would give, worked out when asked for; None if unknown."""
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
    """`SelectKBest(ScoreFunction("bns"), k=100)`.

    Gives (scores, p-values) where the metric has p-values, the least over the classes, else the scores.

    metric : a name of the catalogue, a Metric, or a function of Cells
    reduce : how the scores of the classes become one score per term
    options : the metric's own

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
        """The scores of the columns of X, with p-values where there are any."""
        counts = count_matrix(X, y)
        values = np.asarray(score(counts, self.metric, reduce=self.reduce, **self.options))
        p = score(counts, self.metric, **self.options).p
        return values if p is None else (values, p.min(axis=1))
