"""Interface of classifiers, and paths of nested selections that they are fitted along."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from termsift._internal.ranking import Ranking, rank_terms
from termsift._internal.typing import Array, ClassIndex, DocumentStepArray, SizeDocumentClassArray
from termsift.evaluation.splits import Fold

BINARY = "binary"


class Classifier(Protocol):
    """Classifier that can be fitted along a path of selections."""

    @property
    def name(self) -> str:
        """Name in tables."""

    @property
    def cost(self) -> int:
        """Approximate run time as a multiple of that of naive Bayes."""

    @property
    def size_stride(self) -> int:
        """Step between the sizes that are tried, counted from the largest: 2 tries every second size."""

    @property
    def uses_tfidf(self) -> bool:
        """Whether its features are tf-idf rows of unit length rather than counts."""

    @property
    def representation(self) -> str:
        """Representation of the rows, as appended to the name; empty for the default."""

    @property
    def representations(self) -> tuple[str, ...]:
        """Alternative representations: "binary", or METRIC for the weights of any metric."""

    @property
    def description(self) -> str:
        """Phrase for use in a sentence."""

    def fit_path(self, fold: Fold, path: SelectionPath) -> Callable[[ClassIndex], DocumentStepArray]:
        """Return a function from a class index to its decision values against the rest, (test, steps)."""

    def decision_values(self, fold: Fold, ranking: Ranking, sizes: Array) -> SizeDocumentClassArray:
        """Return the decision values, (sizes, test documents, classes)."""

    def confidences(self, fold: Fold, ranking: Ranking, sizes: Array) -> SizeDocumentClassArray:
        """Return values that can be compared across documents, as ranking-based goals need."""

    def make_estimator(self) -> Any:
        """Return the equivalent scikit-learn classifier of one class against another."""


class RepresentationNames:
    """Mixin of classifiers with a `base` name, a `title` and a representation, which is appended to both."""

    __slots__ = ()

    @property
    def name(self: Any) -> str:
        """Name with the representation, such as "svm:bns"."""
        return f"{self.base}:{self.representation}" if self.representation else str(self.base)

    @property
    def description(self: Any) -> str:
        """Description with the representation, such as "a linear SVM of terms weighted by bns"."""
        if not self.representation:
            return str(self.title)
        weighted = f"terms weighted by {self.representation}"
        return f"{self.title} of {'0/1 features' if self.representation == BINARY else weighted}"


def one_vs_rest_decision_values(
    classifier: Classifier, fold: Fold, ranking: Ranking, sizes: Array, *, mirrored: bool = False
) -> SizeDocumentClassArray:
    """Return one-vs-rest decision values, (sizes, test documents, classes).

    A class of all or no training documents has infinite values.

    mirrored : fit only the second of two exclusive classes, and negate its values for the first
    """
    # each class is contiguous in memory, because classes are fitted one after the other
    decision_values = np.moveaxis(np.empty((fold.n_classes, len(sizes), len(fold.truth))), 0, 2)
    is_mirrored = mirrored and fold.is_mirrored
    paths = [SelectionPath.from_ranking(order, sizes) for order in ranking.orders]
    # classes with the same terms share the preparation of a path
    shared = None if ranking.local else classifier.fit_path(fold, paths[0])
    for c in range(is_mirrored, fold.n_classes):
        inside = fold.train.truth[:, c]
        if inside.all() or not inside.any():
            decision_values[:, :, c] = np.inf if inside.all() else -np.inf
            continue
        decision_values[:, :, c] = (shared or classifier.fit_path(fold, paths[c]))(c).T
    if is_mirrored:
        decision_values[:, :, 0] = -decision_values[:, :, 1]
    return decision_values


@dataclass(frozen=True, slots=True, eq=False)
class SelectionPath:
    """Selections of k terms: the first sizes[step] of one list, and the remaining ones from another.

    first : positive terms, the strongest first
    last : negative terms, the strongest first
    sizes : (steps,) number of terms from `first`, ascending
    """

    k: int
    first: Array
    last: Array
    sizes: Array

    @classmethod
    def from_scores(cls, values: Array, df: Array, terms: Array, k: int, ratios: Array) -> SelectionPath:
        """Return the path of a one-sided metric for ascending ratios of positive terms.

        Fractions of a term are rounded half up. Zheng, Wu and Srihari (2004), section 4.
        """
        first, last = (rank_terms(signed, df, terms, k) for signed in (values, -values))
        return cls(k, first, last, ratio_sizes(k, ratios))

    @classmethod
    def from_ranking(cls, order: Array, sizes: Array) -> SelectionPath:
        """Return the path of the first terms of one ranking, for ascending sizes."""
        return cls(int(sizes[-1]), order[: sizes[-1]], order[:0], np.asarray(sizes))

    @property
    def is_disjoint(self) -> bool:
        """Whether no term is on both lists."""
        return not len(np.intersect1d(self.first, self.last))

    @property
    def terms(self) -> Array:
        """Terms of both lists, ascending."""
        return np.unique(np.concatenate([self.first, self.last]))

    def renumber(self, kept_terms: Array) -> SelectionPath:
        """Return the path with terms numbered by their index among the kept terms, which are ascending."""
        first, last = np.searchsorted(kept_terms, self.first), np.searchsorted(kept_terms, self.last)
        return SelectionPath(self.k, first, last, self.sizes)

    def terms_at_step(self, step: int) -> Array:
        """Return the terms of a step; a term on both lists counts once and the next one follows."""
        size = int(self.sizes[step])
        first = self.first[:size]
        last = self.last[~np.isin(self.last, first)]
        return np.concatenate([first, last[: self.k - size]])

    def term_steps(self, n_terms: int) -> tuple[Array, Array]:
        """Return the step at which each term enters or leaves (-1: never chosen), and which are positive.

        For a positive term it is the first step that has it, for a negative term the last.
        """
        step, positive = np.full(n_terms, -1, dtype=np.int64), np.zeros(n_terms, dtype=bool)
        # each step has fewer negative terms: term i is in while k - size > i
        ranks = np.arange(len(self.last))
        step[self.last] = np.searchsorted(self.sizes, self.k - ranks, side="left") - 1
        enters = np.searchsorted(self.sizes, np.arange(len(self.first)), side="right")
        step[self.first] = np.where(enters < len(self.sizes), enters, -1)
        positive[self.first] = True
        return step, positive


def fit_each_step(
    classifier: Classifier, fold: Fold, path: SelectionPath
) -> Callable[[ClassIndex], DocumentStepArray]:
    """Return a function as of `Classifier.fit_path` that fits every step by itself.

    For paths with negative terms, and classifiers that can only add terms to those of the previous step.
    """
    k = np.array([path.k])
    steps = [SelectionPath.from_ranking(path.terms_at_step(s), k) for s in range(len(path.sizes))]
    fitted = [classifier.fit_path(fold, step) for step in steps]
    return lambda c: np.concatenate([values(c) for values in fitted], axis=1)


def ratio_sizes(k: int, ratios: Array) -> Array:
    """Return the number of terms of each ratio of k, rounded half up.

    >>> ratio_sizes(10, np.array([0, 0.25, 1]))
    array([ 0,  3, 10])
    """
    return np.asarray(np.floor(np.asarray(ratios) * k + 0.5).astype(np.int64))
