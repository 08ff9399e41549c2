"""Naive Bayes for all steps of a path at once: sums over ranked terms are prefix sums.

It is fast enough to choose the ratio of positive to negative terms inside a fold: `choose_shared_ratio`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp
from sklearn.naive_bayes import ComplementNB, MultinomialNB

from termsift._internal.ranking import Ranking
from termsift._internal.typing import Array
from termsift.counts import Counts
from termsift.evaluation.classifiers import paths
from termsift.evaluation.confusion import Confusion
from termsift.evaluation.goals import GOALS
from termsift.evaluation.splits import Fold, inner_split
from termsift.metrics import Scores
from termsift.selection import interleave_rankings, positive_negative_rankings

RATIOS = (1.0, 0.75, 0.5, 0.25)  # shares of positive terms to choose from, the largest first
INNER_FOLD = "inner fold of the training set"  # key among the derived folds of a fold


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


def choose_shared_ratio(scored: Callable[[Counts], Scores], fold: Fold, k: int) -> float:
    """Return the ratio with the best macro-averaged F1 of naive Bayes on a validation set.

    F1 is the mean over k, k/2, k/4, ... terms.
    """
    # the inner fold is cached, because several metrics choose their ratio on it
    if INNER_FOLD not in fold.derived_folds:
        division = inner_split(fold.train, fold.seed)
        inner = Fold.from_indices(fold.train, *division, fold.seed).with_train_terms()
        fold.derived_folds[INNER_FOLD] = inner
    inner = fold.derived_folds[INNER_FOLD]
    inside = inner.train.truth
    if not np.any(inside.any(axis=0) & ~inside.all(axis=0)):
        return RATIOS[0]
    max_size = min(k, len(inner.train.terms))
    sizes = np.unique([max(max_size >> halvings, 1) for halvings in range(5)])
    rankings, means = positive_negative_rankings(scored(inner.counts), max_size), []
    for ratio in RATIOS:
        ranking = Ranking((interleave_rankings(rankings, ratio, max_size),))
        values = MultinomialNaiveBayes().decision_values(inner, ranking, sizes)
        is_single, classes = inner.train.is_single, inner.counts.classes
        confusion = Confusion.from_decision_values(values, inner.truth, is_single, classes)
        means.append(float(GOALS["f1_macro"].values(confusion).mean()))
    # argmax returns the first, which is the largest, of equally good ratios
    return RATIOS[int(np.argmax(means))]
