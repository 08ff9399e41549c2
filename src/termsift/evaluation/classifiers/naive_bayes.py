"""Multinomial naive Bayes for all steps of a path at once: sums over ranked terms are prefix sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from scipy.special import logsumexp
from sklearn.naive_bayes import ComplementNB, MultinomialNB

from termsift._internal.ranking import Ranking
from termsift._internal.typing import Array
from termsift.evaluation.classifiers.paths import (
    Classifier,
    SelectionPath,
    append_representation,
    describe_features,
    one_vs_rest_decision_values,
)
from termsift.evaluation.splits import Fold


@dataclass(frozen=True, slots=True, eq=False)
class NaiveBayesPath:
    """Classes that compete, fitted for every step of a path; a class against the rest is two of them.

    counts : (terms, classes) occurrences of each term in the documents of each class
    priors : (classes,) the share of documents in each class
    smoothing : what is added to every count: 1 is Laplace's
    """

    path: SelectionPath
    counts: Array
    priors: Array
    smoothing: float = 1.0

    def log_posteriors(self, rows: Any) -> Array:
        """(documents, steps, classes): the logarithms of prior times likelihood; -inf for an empty class.

        The vocabulary of a step is its terms.
        """
        step, positive = self.path.borders(len(self.counts))
        sums, lengths = self.sums(rows, np.log(self.counts + self.smoothing), step, positive)
        room = self.smoothing * self.vocabulary_size
        with np.errstate(divide="ignore"):
            log_priors = np.log(self.priors)
        for c, counts in enumerate(self.counts.T):
            text = np.log(self.totals(counts, step, positive) + room)
            sums[:, :, c] = log_priors[c] + sums[:, :, c] - lengths * text
        return sums

    @property
    def vocabulary_size(self) -> Array | int:
        """(steps,): the number of terms that smoothing is added for."""
        return self.path.totals

    def sums(self, rows: Any, logs: Array, step: Array, positive: Array) -> tuple[Array, Array]:
        """(documents, steps, classes) sums of counts times logs, and (documents, steps) of counts."""
        from termsift.evaluation.classifiers._path_kernel import path_sums

        sums, lengths = path_sums(
            rows.indptr, rows.indices, rows.data, step, positive, logs, len(self.path.sizes)
        )
        return sums, lengths

    def totals(self, counts: Array, step: Array, positive: Array) -> Array:
        """(steps,): the sum of the counts of the chosen terms."""
        n, known = len(self.path.sizes), step >= 0
        up, down = known & positive, known & ~positive
        entered = np.bincount(step[up], counts[up], n).cumsum()
        left = np.bincount(step[down], counts[down], n)[::-1].cumsum()[::-1]
        total: Array = entered + left
        return total


class NaiveBayes(Classifier, Protocol):
    """Naive Bayes, whose classes may compete for a document."""

    def joint_margins(self, fold: Fold, order: Array, sizes: Array) -> Array:
        """(sizes, judged, classes) what it says of classes that compete."""


def is_one_by_one(fold: Fold, ranking: Ranking) -> bool:
    """Whether each class is held against the rest: it has terms of its own, or documents several labels."""
    return ranking.local or not fold.train.is_single


def competing_margins(bayes: NaiveBayes, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
    """Joint where each document has one label and all classes the same terms; -inf for one never seen."""
    if is_one_by_one(fold, ranking):
        return one_vs_rest_decision_values(bayes, fold, ranking, sizes)
    return bayes.joint_margins(fold, ranking.orders[0], sizes)


def competing_odds(bayes: NaiveBayes, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
    """How far each class is above the others."""
    found = bayes.decision_values(fold, ranking, sizes)
    return found if is_one_by_one(fold, ranking) else odds_against_rest(found)


def both_sides(fold: Fold, c: int) -> Array:
    """(terms, 2) the occurrences in a class, and in the rest."""
    inside = fold.train.tf[:, [c]].toarray().ravel()
    return np.stack([inside, fold.counts.term_tf - inside], axis=1)


@dataclass(frozen=True, slots=True)
class MultinomialNaiveBayes:
    """Multinomial naive Bayes.

    smoothing : what is added to every count: 1 is Laplace's
    reads : "binary" for 0/1 features in place of counts
    """

    smoothing: float = 1.0
    representation: str = ""
    representations: ClassVar[tuple[str, ...]] = ("binary",)
    cost: ClassVar[int] = 1
    size_stride: ClassVar[int] = 1
    uses_tfidf: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """Name with the representation."""
        return append_representation("multinomial_nb", self.representation)

    @property
    def description(self) -> str:
        """Description with the representation."""
        return describe_features("naive Bayes", self.representation)

    def fit_path(self, fold: Fold, path: SelectionPath) -> Callable[[int], Array]:
        """For a class the margins of the path against the rest."""
        fold = fold.binary if self.representation else fold

        def class_margins(c: int) -> Array:
            sides = both_sides(fold, c)
            share = fold.counts.class_sizes[c] / fold.counts.documents
            model = NaiveBayesPath(path, sides, np.array([share, 1 - share]), self.smoothing)
            for_class, for_rest = np.moveaxis(model.log_posteriors(fold.test), 2, 0)
            margins: Array = for_class - for_rest
            return margins

        return class_margins

    def joint_margins(self, fold: Fold, order: Array, sizes: Array) -> Array:
        """(sizes, judged, classes) logarithms of prior times likelihood; -inf for a class never seen."""
        fold = fold.binary if self.representation else fold
        counts = fold.counts
        priors = counts.class_sizes / counts.documents
        model = NaiveBayesPath(
            SelectionPath.from_ranking(order, sizes), counts.tf.toarray(), priors, self.smoothing
        )
        return np.moveaxis(model.log_posteriors(fold.test), 1, 0)

    decision_values = competing_margins
    confidences = competing_odds

    def make_estimator(self) -> MultinomialNB:
        """MultinomialNB."""
        return MultinomialNB(alpha=self.smoothing)


@dataclass(frozen=True, slots=True)
class ComplementNaiveBayes:
    """Naive Bayes of complements: a class is what its text is not, by the text of all other classes.

    Rennie, Shih, Teevan and Karger (2003), as scikit-learn's ComplementNB has it: without priors, so that
    a large class is no better off than a small one.

    reads : "binary" for 0/1 features in place of counts
    """

    smoothing: float = 1.0
    representation: str = ""
    representations: ClassVar[tuple[str, ...]] = ("binary",)
    cost: ClassVar[int] = 1
    size_stride: ClassVar[int] = 1
    uses_tfidf: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """Name with the representation."""
        return append_representation("complement_nb", self.representation)

    @property
    def description(self) -> str:
        """Description with the representation."""
        return describe_features("complement naive Bayes", self.representation)

    def fit_path(self, fold: Fold, path: SelectionPath) -> Callable[[int], Array]:
        """For a class the margins of the path against the rest: of two classes each is the other's rest."""
        fold = fold.binary if self.representation else fold

        def class_margins(c: int) -> Array:
            model = NaiveBayesPath(path, both_sides(fold, c), np.ones(2), self.smoothing)
            for_class, for_rest = np.moveaxis(model.log_posteriors(fold.test), 2, 0)
            margins: Array = for_class - for_rest
            return margins

        return class_margins

    def joint_margins(self, fold: Fold, order: Array, sizes: Array) -> Array:
        """(sizes, judged, classes) how unlike the text of all other classes; -inf for a class never seen."""
        fold = fold.binary if self.representation else fold
        counts = fold.counts
        others = counts.term_tf[:, None] - counts.tf.toarray()
        path = SelectionPath.from_ranking(order, sizes)
        model = NaiveBayesPath(path, others, np.ones(fold.n_classes), self.smoothing)
        found = -np.moveaxis(model.log_posteriors(fold.test), 1, 0)
        found[:, :, counts.class_sizes == 0] = -np.inf
        return found

    decision_values = competing_margins
    confidences = competing_odds

    def make_estimator(self) -> ComplementNB:
        """ComplementNB."""
        return ComplementNB(alpha=self.smoothing)


def odds_against_rest(margins: Array) -> Array:
    """How far each class is above all others together, of logarithms that compete."""
    classes = margins.shape[2]
    others = [logsumexp(np.delete(margins, c, axis=2), axis=2) for c in range(classes)]
    with np.errstate(invalid="ignore"):
        odds = margins - np.stack(others, axis=2)
    found: Array = np.where(np.isneginf(margins), -np.inf, odds)
    return found


OFFERED = (MultinomialNaiveBayes(), ComplementNaiveBayes())
