"""GreedyDiscriminationSelector: terms chosen one after the other, each for what it adds to the others."""

from __future__ import annotations

from sklearn.base import BaseEstimator

from termsift._typing import Array
from termsift.discrimination.divergence import Distributions, term_gains
from termsift.discrimination.greedy import ranking_of
from termsift.estimators.fitting import CountsMixin, SelectionMixin
from termsift.policies import TopK, within
from termsift.scores import Scores
from termsift.selection import Selection


class GreedyDiscriminationSelector(SelectionMixin, CountsMixin[Selection], BaseEstimator):
    """Keep the k columns of X that a greedy search finds to hold the classes of y furthest apart.

    Each step takes the term with which the divergence of those taken is largest: the J divergence of two
    classes, the Jeffreys-Multi-Hypothesis divergence of more. Tang, Kay and He (2016), algorithm 1, exact.

    Parameters
    ----------
    k : int
        How many terms to keep.
    keep_counts : bool
        Whether `counts_` and `scores_` stay after fitting.

    Attributes
    ----------
    counts_ : Counts
        What was counted; `partial_fit` adds to it.
    ranking_ : (chosen,) int
        The columns kept, in the order they were taken; `selection_` is the same.
    divergences_ : (chosen,)
        The divergence after each step. It never falls.
    scores_ : Scores
        What each term adds to the divergence: one that was taken at its step, any other if it came next.
    selected_ : Selection
        The terms kept as a value.

    Several labels per document are given as an indicator matrix y. A document then counts in each of its
    classes, and a class is told from the mixture of the other classes, by their sizes. Documents without a
    label count in none.

    >>> import numpy as np
    >>> X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 0], [0, 1, 1]])
    >>> selector = GreedyDiscriminationSelector(k=2).fit(X, [1, 1, 0, 0])
    >>> selector.ranking_
    array([0, 1])
    >>> selector.divergences_.round(3)
    array([0.346, 0.375])

    """

    def __init__(self, k: int = 1000, keep_counts: bool = True) -> None:
        self.k = k
        self.keep_counts = keep_counts

    @property
    def ranking_(self) -> Array:
        """The columns kept, in the order they were taken."""
        return self.selection_

    @property
    def divergences_(self) -> Array:
        """The divergence after each step."""
        return self.selected_.rows["score"].cumsum()

    def _learn(self) -> Selection:
        distributions = Distributions.of(self._known_counts)
        ranking = ranking_of(distributions, self._known_counts, within(self.k, len(self._known_counts.terms)))
        scores = Scores(term_gains(distributions, ranking), self._known_counts, "greedy_discrimination", 2)
        return Selection.of(ranking, scores, TopK(self.k))
