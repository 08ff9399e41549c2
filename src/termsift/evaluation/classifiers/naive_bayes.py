"""Naive Bayes for all steps of a path at once: sums over ranked terms are prefix sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp
from sklearn.naive_bayes import ComplementNB, MultinomialNB

from termsift._internal.ranking import Ranking
from termsift._internal.typing import Array
from termsift.evaluation.classifiers import paths
from termsift.evaluation.splits import Fold


@dataclass(frozen=True, slots=True, eq=False)
class NaiveBayesPath:
    """Naive Bayes fitted for every step of a path; a class against the rest is a problem of two classes.

    counts : (terms, classes) occurrences of each term in the documents of each class
    priors : (classes,) share of documents in each class
    smoothing : number added to every count; 1 is Laplace smoothing
    """

    path: paths.SelectionPath
    counts: Array
    priors: Array
    smoothing: float = 1.0

    def log_posteriors(self, rows: Any) -> Array:
        """Return (documents, steps, classes) log of prior times likelihood; -inf for an empty class.

        The vocabulary of a step is its terms.
        """
        step, positive = self.path.borders(len(self.counts))
        sums, lengths = self.sums(rows, np.log(self.counts + self.smoothing), step, positive)
        smoothing_total = self.smoothing * self.vocabulary_size
        with np.errstate(divide="ignore"):
            log_priors = np.log(self.priors)
        n_steps, is_selected = len(self.path.sizes), step >= 0
        first, last = is_selected & positive, is_selected & ~positive
        for c, counts in enumerate(self.counts.T):
            # occurrences of the selected terms: positive terms accumulate, negative ones leave
            entered = np.bincount(step[first], counts[first], n_steps).cumsum()
            remaining = np.bincount(step[last], counts[last], n_steps)[::-1].cumsum()[::-1]
            log_total = np.log(entered + remaining + smoothing_total)
            sums[:, :, c] = log_priors[c] + sums[:, :, c] - lengths * log_total
        return sums

    @property
    def vocabulary_size(self) -> Array | int:
        """Number of terms that smoothing is added for, (steps,)."""
        sizes: Array = self.path.sizes + np.minimum(self.path.k - self.path.sizes, len(self.path.last))
        return sizes

    def sums(self, rows: Any, logs: Array, step: Array, positive: Array) -> tuple[Array, Array]:
        """Return (documents, steps, classes) sums of counts times logs, and (documents, steps) of counts."""
        from termsift.evaluation.classifiers._path_kernel import path_sums

        csr, n_steps = (rows.indptr, rows.indices, rows.data), len(self.path.sizes)
        # a column of ones adds up the counts
        sums = path_sums(*csr, step, positive, np.column_stack([logs, np.ones(len(logs))]), n_steps)
        return sums[:, :, :-1], sums[:, :, -1]


@dataclass(frozen=True, slots=True)
class MultinomialNaiveBayes(paths.RepresentationNames):
    """Multinomial naive Bayes.

    smoothing : number added to every count; 1 is Laplace smoothing
    representation : "binary" for 0/1 features instead of counts
    """

    smoothing: float = 1.0
    representation: str = ""
    base: ClassVar[str] = "multinomial_nb"
    title: ClassVar[str] = "naive Bayes"
    estimator: ClassVar[Any] = MultinomialNB
    has_priors: ClassVar[bool] = True
    representations: ClassVar[tuple[str, ...]] = ("binary",)
    cost: ClassVar[int] = 1
    size_stride: ClassVar[int] = 1
    uses_tfidf: ClassVar[bool] = False

    def fit_path(self, fold: Fold, path: paths.SelectionPath) -> Callable[[int], Array]:
        """Return a function from a class index to its decision values against the rest, (test, steps)."""
        fold = fold.binary if self.representation else fold

        def class_decision_values(c: int) -> Array:
            inside = fold.train.tf[:, [c]].toarray().ravel()
            # the rest is counted as all occurrences minus those of the class
            counts = np.stack([inside, fold.counts.term_tf - inside], axis=1)
            share = fold.counts.class_sizes[c] / fold.counts.documents
            priors = np.array([share, 1 - share]) if self.has_priors else np.ones(2)
            posteriors = NaiveBayesPath(path, counts, priors, self.smoothing).log_posteriors(fold.test)
            decision_values: Array = posteriors[:, :, 0] - posteriors[:, :, 1]
            return decision_values

        return class_decision_values

    def joint_log_posteriors(self, fold: Fold, path: paths.SelectionPath) -> Array:
        """Return (test documents, steps, classes) log posteriors; -inf for a class without documents."""
        priors = fold.counts.class_sizes / fold.counts.documents
        return NaiveBayesPath(path, fold.counts.tf.toarray(), priors, self.smoothing).log_posteriors(
            fold.test
        )

    def decision_values(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """Return log posteriors if labels are single and classes share terms, else one-vs-rest values."""
        if ranking.local or not fold.train.is_single:
            return paths.one_vs_rest_decision_values(self, fold, ranking, sizes)
        path = paths.SelectionPath.from_ranking(ranking.orders[0], sizes)
        posteriors = self.joint_log_posteriors(fold.binary if self.representation else fold, path)
        return np.moveaxis(posteriors, 1, 0)

    def confidences(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """Return the log odds of each class against all others together."""
        values = self.decision_values(fold, ranking, sizes)
        if ranking.local or not fold.train.is_single:
            return values
        rest = [logsumexp(np.delete(values, c, axis=2), axis=2) for c in range(fold.n_classes)]
        with np.errstate(invalid="ignore"):
            odds = values - np.stack(rest, axis=2)
        return np.where(np.isneginf(values), -np.inf, odds)

    def make_estimator(self) -> Any:
        """Return the scikit-learn classifier."""
        return self.estimator(alpha=self.smoothing)


@dataclass(frozen=True, slots=True)
class ComplementNaiveBayes(MultinomialNaiveBayes):
    """Complement naive Bayes: a class is modelled by the text of all other classes.

    Rennie, Shih, Teevan and Karger (2003), as implemented by scikit-learn's ComplementNB: without priors, so
    that large classes have no advantage.
    """

    base: ClassVar[str] = "complement_nb"
    title: ClassVar[str] = "complement naive Bayes"
    estimator: ClassVar[Any] = ComplementNB
    has_priors: ClassVar[bool] = False

    def joint_log_posteriors(self, fold: Fold, path: paths.SelectionPath) -> Array:
        """Return (test documents, steps, classes) negative log likelihoods of the other classes."""
        complement = fold.counts.term_tf[:, None] - fold.counts.tf.toarray()
        model = NaiveBayesPath(path, complement, np.ones(fold.n_classes), self.smoothing)
        values = -model.log_posteriors(fold.test)
        values[:, :, fold.counts.class_sizes == 0] = -np.inf
        return values


OFFERED = (MultinomialNaiveBayes(), ComplementNaiveBayes())
