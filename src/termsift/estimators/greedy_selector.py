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
    """Keep the k columns of X that best separate the classes of y, found by greedy search.

    Each step takes the term that makes the divergence of the terms taken largest: the J divergence for two
    classes, the Jeffreys-Multi-Hypothesis divergence for more. Tang, Kay and He (2016), algorithm 1, exact.

    Parameters
    ----------
    k : int
        Number of terms to keep.
    keep_counts : bool
        Whether to keep `counts_` and `scores_` after fitting.

    Attributes
    ----------
    counts_ : Counts
        The counts of the training documents; `partial_fit` adds to them.
    ranking_ : (chosen,) int
        The columns kept, in the order they were taken; the same as `selection_`.
    divergences_ : (chosen,)
        The divergence after each step. It never falls.
    scores_ : Scores
        What each term adds to the divergence: a term taken, at its step; any other, if it were taken next.
    selected_ : Selection
        The chosen terms as a Selection.

    Several labels per document are given as an indicator matrix y. A document then counts in each of its
    classes, and a class is compared with the mixture of the other classes, weighted by size. Documents
    without a label count in no class.

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
