"""GreedyDiscriminationSelector: terms chosen one after the other, each for what it adds to the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from termsift._typing import Array
from termsift.counts import Counts
from termsift.discrimination.distributions import Distributions
from termsift.discrimination.divergence import scores_of
from termsift.discrimination.greedy import ranking_of
from termsift.estimators import chosen
from termsift.estimators.fitting import add_documents, adopt, counts_of, term_tags
from termsift.policies import check_k, within
from termsift.scores import Scores


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What a search found: the terms in order, what each term adds, and the divergence after each step."""

    ranking: Array
    scores: Scores
    divergences: Array


class GreedyDiscriminationSelector(SelectorMixin, BaseEstimator):
    """Keep the k columns of X that a greedy search finds to hold the classes of y furthest apart.

    Each step takes the term with which the divergence of those taken is largest: the J divergence of two
    classes, the Jeffreys-Multi-Hypothesis divergence of more. Tang, Kay and He (2016), algorithm 1, exact.

    Parameters
    ----------
    k : int
        How many terms to keep.

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

    Several labels a document are given as an indicator matrix y. A document then counts in each of its
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

    def __init__(self, k: int = 1000) -> None:
        self.k = k

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count and search."""
        check_k(self.k)
        self.counts_ = counts_of(self, X, y, sample_weight, reset=True)
        self._found: Found | None = self._search()
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add documents to what was counted. The search is made when its result is next asked for.

        So the first parts may hold one class only.
        """
        check_k(self.k)
        add_documents(self, X, y, sample_weight)
        self._found = None
        return self

    @classmethod
    def from_counts(cls, counts: Counts, k: int = 1000) -> Self:
        """A fitted selector from counts made elsewhere: of files, of a cluster, of yesterday."""
        selector = cls(k)
        check_k(k)
        adopt(selector, counts)
        selector._found = selector._search()
        return selector

    @property
    def ranking_(self) -> Array:
        """The columns kept, in the order they were taken."""
        return self._searched().ranking

    @property
    def selection_(self) -> Array:
        """The columns kept, as every selector has them."""
        return self._searched().ranking

    @property
    def divergences_(self) -> Array:
        """The divergence after each step."""
        return self._searched().divergences

    @property
    def scores_(self) -> Scores:
        """What each term adds to the divergence."""
        return self._searched().scores

    transform = chosen.transform
    get_feature_names_out = chosen.get_feature_names_out
    to_vectorizer = chosen.to_vectorizer
    _get_support_mask = chosen.get_support_mask

    def _searched(self) -> Found:
        check_is_fitted(self, "counts_")
        if self._found is None:
            self._found = self._search()
        return self._found

    def _search(self) -> Found:
        distributions = Distributions.of(self.counts_)
        ranking = ranking_of(distributions, self.counts_, within(self.k, len(self.counts_.terms)))
        scores = scores_of(distributions, ranking)
        return Found(
            ranking, Scores(scores, self.counts_, "greedy_discrimination", 2), scores[ranking].cumsum()
        )

    def __sklearn_tags__(self) -> Any:
        return term_tags(super().__sklearn_tags__())
