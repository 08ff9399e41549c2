"""SelectionPath: nested selections, from one list of terms or from two that are ranked once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from termsift._internal.ranking import Ranking, rank_terms
from termsift._internal.typing import Array
from termsift.evaluation.splits import Fold


class Classifier(Protocol):
    """What judges selections."""

    @property
    def name(self) -> str:
        """What it is called in tables."""

    @property
    def cost(self) -> int:
        """How long it takes, about, against naive Bayes."""

    @property
    def size_stride(self) -> int:
        """Of the numbers of terms, every how many-th it is tried with, from the largest down."""

    @property
    def uses_tfidf(self) -> bool:
        """Whether it reads tf-idf rows of unit length; else it reads counts."""

    @property
    def representation(self) -> str:
        """How it reads a row, as it is written behind its name; empty for as usual."""

    @property
    def representations(self) -> tuple[str, ...]:
        """How else it may read a row: "binary", or by the weights of a METRIC."""

    @property
    def description(self) -> str:
        """What it is called in sentences."""

    def fit_path(self, fold: Fold, path: SelectionPath) -> Callable[[int], Array]:
        """For a class, by its place, the margins (judged, steps) against the rest along a path."""

    def decision_values(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """What it says of each class."""

    def confidences(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """The same, of a kind by which documents can be compared."""

    def make_estimator(self) -> Any:
        """The scikit-learn classifier that does the same, of one class against another."""


def one_vs_rest_decision_values(
    classifier: Classifier, fold: Fold, ranking: Ranking, sizes: Array, *, mirrored: bool = False
) -> Array:
    """(sizes, judged, classes) margins of each class against the rest; infinite for one of all or none.

    mirrored : of two classes that exclude each other the second alone is fitted
    """
    # a class after the other in memory, as they are fitted
    margins = np.moveaxis(np.empty((fold.n_classes, len(sizes), len(fold.truth))), 0, 2)
    opposite = mirrored and fold.is_mirrored
    shared = (
        None
        if ranking.local
        else classifier.fit_path(fold, SelectionPath.from_ranking(ranking.orders[0], sizes))
    )
    for c in range(opposite, fold.n_classes):
        inside = fold.train.truth[:, c]
        if inside.all() or not inside.any():
            margins[:, :, c] = np.inf if inside.all() else -np.inf
            continue
        fitted = shared or classifier.fit_path(fold, SelectionPath.from_ranking(ranking.orders[c], sizes))
        margins[:, :, c] = fitted(c).T
    if opposite:
        margins[:, :, 0] = -margins[:, :, 1]
    return margins


def marked(name: str, reads: str) -> str:
    """A classifier as it is written with how it reads a row.

    >>> marked("svm", "bns"), marked("svm", "")
    ('svm:bns', 'svm')
    """
    return f"{name}:{reads}" if reads else name


def as_read(words: str, reads: str) -> str:
    """A classifier as sentences name it with how it reads a row.

    >>> as_read("a linear SVM", "bns")
    'a linear SVM of terms weighted by bns'
    """
    if not reads:
        return words
    return f"{words} of {'0/1 features' if reads == BINARY else f'terms weighted by {reads}'}"


BINARY = "binary"


@dataclass(frozen=True, slots=True, eq=False)
class SelectionPath:
    """k terms at each step: the first sizes[step] of one list, the rest of them from another.

    first : the terms that speak most for the class, the strongest first
    last : those that speak most against it, the strongest first
    sizes : (steps,) how many are taken from `first`, never less than at the step before
    """

    k: int
    first: Array
    last: Array
    sizes: Array

    @classmethod
    def from_scores(cls, values: Array, df: Array, terms: Array, k: int, ratios: Array) -> SelectionPath:
        """The path of a one-sided metric: shares of positive terms, ascending.

        A share of a term is rounded, a half up. Zheng, Wu and Srihari (2004), section 4.
        """
        return cls(
            k, rank_terms(values, df, terms, k), rank_terms(-values, df, terms, k), count_shares(k, ratios)
        )

    @classmethod
    def from_ranking(cls, order: Array, sizes: Array) -> SelectionPath:
        """The first terms of one ranking, for ascending sizes."""
        return cls(int(sizes[-1]), order[: sizes[-1]], order[:0], np.asarray(sizes))

    @property
    def totals(self) -> Array:
        """(steps,): how many terms each step chooses. Without a second list they are the sizes alone."""
        total: Array = self.sizes + np.minimum(self.k - self.sizes, len(self.last))
        return total

    @property
    def is_plain(self) -> bool:
        """Whether no term is on both lists, as when there are twice as many as are chosen."""
        return not len(np.intersect1d(self.first, self.last))

    @property
    def terms(self) -> Array:
        """All that some step may choose, ascending."""
        return np.unique(np.concatenate([self.first, self.last]))

    def within(self, terms: Array) -> SelectionPath:
        """The same path where only these terms are left, ascending, and numbered anew."""
        first, last = (np.searchsorted(terms, side) for side in (self.first, self.last))
        return SelectionPath(self.k, first, last, self.sizes)

    def shortened(self, k: int, ratios: Array) -> SelectionPath:
        """The path of fewer terms, from the lists that were ranked once."""
        return SelectionPath(k, self.first[:k], self.last[:k], count_shares(k, ratios))

    def chosen(self, step: int) -> Array:
        """The terms of a step. One that is on both lists is chosen once, and the second list goes on."""
        size = int(self.sizes[step])
        first = self.first[:size]
        last = self.last[~np.isin(self.last, first)]
        return np.concatenate([first, last[: self.k - size]])

    def borders(self, n_terms: int) -> tuple[Array, Array]:
        """For each term the first step it is in, if negative the last, -1 for none; which are positive."""
        step, positive = np.full(n_terms, -1, dtype=np.int64), np.zeros(n_terms, dtype=bool)
        place = np.arange(len(self.last))
        # negative terms are fewer with each step: term i is in while k - size > i
        step[self.last] = np.searchsorted(self.sizes, self.k - place, side="left") - 1
        enters = np.searchsorted(self.sizes, np.arange(len(self.first)), side="right")
        step[self.first] = np.where(enters < len(self.sizes), enters, -1)
        positive[self.first] = True
        return step, positive


def count_shares(k: int, ratios: Array) -> Array:
    """How many of k terms each ratio is: a share of a term is rounded, a half up.

    >>> count_shares(10, np.array([0, 0.25, 1]))
    array([ 0,  3, 10])
    """
    shares: Array = np.floor(np.asarray(ratios) * k + 0.5).astype(np.int64)
    return shares
