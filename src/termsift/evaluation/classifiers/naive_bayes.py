"""Naive Bayes for all steps of a path at once: sums over ranked terms are prefix sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp
from sklearn.naive_bayes import ComplementNB, MultinomialNB

from termsift._internal.ranking import Ranking
from termsift._internal.typing import Array, ClassIndex, DocumentStepArray, SizeDocumentClassArray
from termsift.evaluation.classifiers import paths
from termsift.evaluation.splits import Fold

# alternatives to shares and smoothing of the selected terms alone, as suffixes of a classifier's name
SMOOTH_ALL, ALL_TERMS, LENGTH = "smooth_all", "all_terms", "length"
DESCRIPTIONS = {
    paths.BINARY: "of 0/1 features",
    SMOOTH_ALL: "smoothed for all terms",
    ALL_TERMS: "with probabilities among all terms",
    LENGTH: "with a distribution of the document length in each class",
}


@dataclass(frozen=True, slots=True, eq=False)
class NaiveBayesPath:
    """Naive Bayes fitted for every step of a path; a class against the rest is a problem of two classes.

    counts : (terms, classes) occurrences of each term in the documents of each class
    priors : (classes,) share of documents in each class
    smoothing : number added to every count; 1 is Laplace smoothing
    denominator : of a term's probability. By default the occurrences of the selected terms, with smoothing
        for each of them; SMOOTH_ALL: with smoothing for all terms; ALL_TERMS: the occurrences of all terms
        with smoothing for each; LENGTH: the default, and the posterior includes p(l | c) (see below)
    class_sizes : (classes,) number of documents, for LENGTH

    The number l of selected terms in a document of class c is geometric with the mean of the class:
    eq. 4 of Tang, Kay and He (2016), who leave the distribution open. It varies as texts do (a Poisson
    distribution has far too little variance), and its logarithm is linear in l, so the model stays linear.
    """

    path: paths.SelectionPath
    counts: Array
    priors: Array
    smoothing: float = 1.0
    denominator: str = ""
    class_sizes: Array | None = None

    def log_posteriors(self, rows: Any) -> Array:
        """Return (documents, steps, classes) log of prior times likelihood; -inf for an empty class."""
        path, (step, positive) = self.path, self.path.term_steps(len(self.counts))
        sums, lengths = self.sum_selected_terms(rows, np.log(self.counts + self.smoothing), step, positive)
        # smoothing is added for all terms, or for the selected ones
        n_smoothed = path.sizes + np.minimum(path.k - path.sizes, len(path.last))
        if self.denominator in (SMOOTH_ALL, ALL_TERMS):
            n_smoothed = len(self.counts)
        smoothing_total = self.smoothing * n_smoothed
        with np.errstate(divide="ignore"):
            log_priors = np.log(self.priors)
        n_steps, is_selected = len(self.path.sizes), step >= 0
        first, last = is_selected & positive, is_selected & ~positive
        for c, counts in enumerate(self.counts.T):
            # occurrences of the selected terms: positive terms accumulate, negative ones leave
            entered = np.bincount(step[first], counts[first], n_steps).cumsum()
            selected = entered + np.bincount(step[last], counts[last], n_steps)[::-1].cumsum()[::-1]
            total = counts.sum() if self.denominator == ALL_TERMS else selected
            log_total, log_prior = np.log(total + smoothing_total), log_priors[c]
            if self.denominator == LENGTH and self.class_sizes is not None:
                log_growth, log_empty = geometric_length_coefficients(
                    selected, self.class_sizes[c], self.smoothing
                )
                log_total, log_prior = log_total - log_growth, log_prior + log_empty
            sums[:, :, c] = log_prior + sums[:, :, c] - lengths * log_total
        return sums

    def sum_selected_terms(self, rows: Any, logs: Array, step: Array, positive: Array) -> tuple[Array, Array]:
        """Return (documents, steps, classes) sums of counts times logs, and (documents, steps) of counts."""
        from termsift.evaluation.classifiers._path_kernel import path_sums

        csr, n_steps = (rows.indptr, rows.indices, rows.data), len(self.path.sizes)
        # a column of ones adds up the counts
        sums = path_sums(*csr, step, positive, np.column_stack([logs, np.ones(len(logs))]), n_steps)
        return sums[:, :, :-1], sums[:, :, -1]


def geometric_length_coefficients(
    occurrences: Array, documents: Array | float, smoothing: float
) -> tuple[Array, Array]:
    """Return a and b of log p(l | c) = a l + b, the geometric distribution with the mean of a class."""
    mean = (occurrences + smoothing) / (documents + smoothing)
    log_empty = -np.log1p(mean)
    return np.log(mean) + log_empty, log_empty


@dataclass(frozen=True, slots=True)
class MultinomialNaiveBayes(paths.RepresentationNames):
    """Multinomial naive Bayes.

    smoothing : number added to every count; 1 is Laplace smoothing
    representation : "binary" for 0/1 features instead of counts, or the denominator of a NaiveBayesPath
    """

    smoothing: float = 1.0
    representation: str = ""
    base: ClassVar[str] = "multinomial_nb"
    title: ClassVar[str] = "naive Bayes"
    estimator: ClassVar[Any] = MultinomialNB
    has_priors: ClassVar[bool] = True
    representations: ClassVar[tuple[str, ...]] = tuple(DESCRIPTIONS)
    cost: ClassVar[int] = 1
    size_stride: ClassVar[int] = 1
    uses_tfidf: ClassVar[bool] = False

    @property
    def description(self) -> str:
        """Phrase for use in a sentence, such as "naive Bayes smoothed for all terms"."""
        return f"{self.title} {DESCRIPTIONS[self.representation]}" if self.representation else self.title

    def fit_path(self, fold: Fold, path: paths.SelectionPath) -> Callable[[ClassIndex], DocumentStepArray]:
        """Return a function from a class index to its decision values against the rest, (test, steps)."""
        fold = fold.binary if self.representation == paths.BINARY else fold

        def fit_class(class_index: int) -> Array:
            inside = fold.train.class_tf[:, [class_index]].toarray().ravel()
            # the rest is counted as all occurrences minus those of the class
            counts = np.stack([inside, fold.train.counts.term_tf - inside], axis=1)
            size, documents = fold.train.counts.class_sizes[class_index], fold.train.counts.documents
            sizes = np.array([size, documents - size])
            priors = np.array([size / documents, 1 - size / documents]) if self.has_priors else np.ones(2)
            posteriors = NaiveBayesPath(
                path, counts, priors, self.smoothing, self.representation, sizes
            ).log_posteriors(fold.test)
            return self.posterior_decision_values(posteriors)

        return fit_class

    def posterior_decision_values(self, posteriors: Array) -> Array:
        """Return the decision values of a class against the rest, from the log posteriors of the two."""
        return np.asarray(posteriors[:, :, 0] - posteriors[:, :, 1])

    def joint_log_posteriors(self, fold: Fold, path: paths.SelectionPath) -> Array:
        """Return (test documents, steps, classes) log posteriors; -inf for a class without documents."""
        sizes = fold.train.counts.class_sizes
        priors = sizes / fold.train.counts.documents
        return NaiveBayesPath(
            path, fold.train.counts.tf.toarray(), priors, self.smoothing, self.representation, sizes
        ).log_posteriors(fold.test)

    def decision_values(self, fold: Fold, ranking: Ranking, sizes: Array) -> SizeDocumentClassArray:
        """Return log posteriors if labels are single and classes share terms, else one-vs-rest values."""
        if ranking.local or not fold.train.labels.is_single_label:
            return paths.one_vs_rest_decision_values(self, fold, ranking, sizes)
        path = paths.SelectionPath.from_ranking(ranking.orders[0], sizes)
        is_binary = self.representation == paths.BINARY
        return np.moveaxis(self.joint_log_posteriors(fold.binary if is_binary else fold, path), 1, 0)

    def confidences(self, fold: Fold, ranking: Ranking, sizes: Array) -> SizeDocumentClassArray:
        """Return the log odds of each class against all others together."""
        values = self.decision_values(fold, ranking, sizes)
        if ranking.local or not fold.train.labels.is_single_label:
            return values
        rest = [logsumexp(np.delete(values, c, axis=2), axis=2) for c in range(fold.n_classes)]
        with np.errstate(invalid="ignore"):
            odds = values - np.stack(rest, axis=2)
        return np.where(np.isneginf(values), -np.inf, odds)

    def make_estimator(self) -> Any:
        """Return the scikit-learn classifier."""
        return self.estimator(alpha=self.smoothing)

    def adapt_denominator(self, estimator: Any, class_lengths: Array, n_terms: int) -> None:
        """Give an estimator that was fitted to the selected terms the denominator of this classifier.

        lengths : (classes,) occurrences of all terms in the classes of the estimator
        n_terms : number of all terms
        """
        selected = estimator.feature_count_.sum(axis=1)
        if self.representation in (SMOOTH_ALL, ALL_TERMS):
            total = (
                class_lengths if self.representation == ALL_TERMS else selected
            ) + self.smoothing * n_terms
            logs = np.log(estimator.feature_count_ + self.smoothing)
            estimator.feature_log_prob_ = logs - np.log(total)[:, None]
        elif self.representation == LENGTH:
            growth, empty = geometric_length_coefficients(selected, estimator.class_count_, self.smoothing)
            estimator.feature_log_prob_ = estimator.feature_log_prob_ + growth[:, None]
            estimator.class_log_prior_ = estimator.class_log_prior_ + empty


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
    representations: ClassVar[tuple[str, ...]] = (paths.BINARY,)

    def joint_log_posteriors(self, fold: Fold, path: paths.SelectionPath) -> Array:
        """Return (test documents, steps, classes) negative log likelihoods of the other classes."""
        complement = fold.train.counts.term_tf[:, None] - fold.train.counts.tf.toarray()
        model = NaiveBayesPath(path, complement, np.ones(fold.n_classes), self.smoothing)
        values = -model.log_posteriors(fold.test)
        values[:, :, fold.train.counts.class_sizes == 0] = -np.inf
        return values


OFFERED = (MultinomialNaiveBayes(), ComplementNaiveBayes())
