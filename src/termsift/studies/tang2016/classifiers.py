"""The classifiers of the paper, each in the ways that it can be read. All give (sizes, judged, classes)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from termsift._typing import Array
from termsift.experiment.classifiers import one_vs_rest_margins
from termsift.experiment.classifiers.bayes import Bayes
from termsift.experiment.classifiers.linear import BINARY_SVM, SVM
from termsift.experiment.folds import Fold
from termsift.nested.bayes import BayesPath
from termsift.nested.linear import RankedRows, linear_margins
from termsift.nested.paths import SelectionPath
from termsift.ranking import Ranking

Margins = Callable[[Fold, Ranking, Array], Array]


def svm_margins(fold: Fold, ranking: Ranking, sizes: Array) -> Array:
    """Of 0/1 features; two classes are one machine."""
    margins = one_vs_rest_margins(BINARY_SVM, fold, ranking, sizes, mirrored=True)
    return largest_of_tied(margins, fold, BINARY_SVM.loss.tolerance)


def tf_idf_svm_margins(fold: Fold, ranking: Ranking, sizes: Array) -> Array:
    """Of tf-idf, rows of unit length."""
    margins = one_vs_rest_margins(SVM, fold, ranking, sizes, mirrored=True)
    return largest_of_tied(margins, fold, SVM.loss.tolerance)


def count_svm_margins(fold: Fold, ranking: Ranking, sizes: Array) -> Array:
    """Of counts, rows of unit length."""
    parts = (fold.train.columns, fold.test_columns)
    here, there = (RankedRows.of(ranking.orders[0], part.astype(np.float64)) for part in parts)
    fitted = [linear_margins(SVM.loss, here, inside, there, sizes) for inside in fold.train.truth.T]
    return largest_of_tied(np.stack(fitted, axis=2), fold, SVM.loss.tolerance)


def largest_of_tied(margins: Array, fold: Fold, exact: float) -> Array:
    """Margins, or where they tie the sizes of the classes, so that the largest of these is taken.

    Margins that differ by less than the fit is exact are tied.
    With ten terms that can be every second document: it has none of them, and all its margins are -1.
    """
    if fold.is_mirrored:
        return margins
    tied = margins >= margins.max(axis=-1, keepdims=True) - exact
    return np.where(tied, fold.counts.class_sizes, 0)


def all_terms_margins(fold: Fold, ranking: Ranking, sizes: Array) -> Array:
    """Naive Bayes whose probabilities are those of all terms, chosen or not: eq. 3 with its M."""
    sums, _, _ = chosen_sums(fold, ranking, sizes)
    return sums


def pooled_margins(fold: Fold, ranking: Ranking, sizes: Array) -> Array:
    """The same, with all other terms as one more variable: eq. 24 and 26."""
    sums, left, shares = chosen_sums(fold, ranking, sizes)
    chosen = np.exp(shares[ranking.orders[0]]).cumsum(axis=0)[sizes - 1]
    # of all terms nothing is left, and no document has any of it: its share must be finite alone
    pool: Array = np.log1p(-np.minimum(chosen, np.nextafter(1.0, 0.0)))
    margins: Array = sums + left[:, :, None] * pool[:, None, :]
    return margins


def chosen_sums(fold: Fold, ranking: Ranking, sizes: Array) -> tuple[Array, Array, Array]:
    """Logarithms of prior times likelihood of the chosen terms, all occurrences of others, log shares.

    (sizes, judged, classes), (sizes, judged), (terms, classes)
    """
    counts = fold.counts
    path = SelectionPath.along(ranking.orders[0], sizes)
    model = BayesPath(path, counts.tf.toarray(), counts.class_sizes / counts.documents)
    shares = np.stack([model.log_shares(own) for own in model.counts.T], axis=1)
    sums, lengths = model.sums(fold.test, shares, *path.borders(len(shares)))
    whole = np.asarray(fold.test.sum(axis=1)).ravel()
    return np.moveaxis(sums, 1, 0) + np.log(model.priors), whole - lengths.T, shares


MARGINS: dict[str, Margins] = {
    "NB": Bayes().margins,
    "NB of all terms": all_terms_margins,
    "NB with a pool": pooled_margins,
    "NB of each class": partial(one_vs_rest_margins, Bayes()),
    "SVM": svm_margins,
    "SVM of counts": count_svm_margins,
    "SVM of tf-idf": tf_idf_svm_margins,
}
# F1 is that of each class's own yes or no, not of decisions between the classes
OF_EACH = ("NB of each class",)
