"""Support vector machine with the hinge loss on 0/1 features, for nested selections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.svm import LinearSVC

from termsift._internal.typing import Array
from termsift.evaluation import Fold
from termsift.evaluation.classifiers import RankedRows, SelectionPath, one_vs_rest_decision_values

PASSES = 1000  # scikit-learn's default
TOLERANCE = 0.01  # largest difference between projected gradients at the end of a fit


def hinge_decision_values(
    train: RankedRows,
    truth: Array,
    test: RankedRows,
    sizes: Array,
    *,
    C: float = 1.0,
    weights: Array | None = None,
    tolerance: float = TOLERANCE,
    passes: int = PASSES,
) -> Array:
    """Return the decision values for the k best terms of the rows, for ascending sizes k.

    Parameters
    ----------
    train, test : rows that list their terms by rank
    truth : (training documents,) whether each document belongs to the class
    sizes : numbers of terms, ascending
    C : cost of a training error
    weights : (training documents,) weight of each document; None means 1
    tolerance : largest difference between projected gradients at the end of a fit
    passes : maximum number of passes over the training documents

    Returns
    -------
    array of shape (sizes, test documents)

    """
    from termsift_studies import _hinge_kernel as kernel

    train_ends, test_ends = train.starts[:-1].copy(), test.starts[:-1].copy()
    y = np.where(truth, 1.0, -1.0)
    costs = C * (np.ones(len(train)) if weights is None else weights)
    alpha, w, bias = np.zeros(len(train)), np.zeros(train.n_terms), 0.0
    decision_values = np.empty((len(sizes), len(test)))
    for out, size in zip(decision_values, np.asarray(sizes).tolist(), strict=True):
        # the solution for fewer terms is a feasible start: only the weights of the new terms are missing
        previous_ends = train_ends.copy()
        kernel.move_ends(train.starts, train_ends, train.ranks, size)
        kernel.extend_weights(previous_ends, train_ends, train.ranks, alpha, y, w)
        rows = train.starts, train_ends, train.ranks
        bias = kernel.hinge(*rows, y, costs, tolerance, passes, alpha, w, bias)
        kernel.move_ends(test.starts, test_ends, test.ranks, size)
        kernel.write_decision_values(test.starts, test_ends, test.ranks, w, bias, out)
    return decision_values


@dataclass(frozen=True, slots=True)
class BinarySvm:
    """Linear SVM of 0/1 features with the hinge loss: LinearSVC(loss="hinge").

    A stored value means that the document has the term.
    """

    C: float = 1.0
    name: ClassVar[str] = "binary svm"
    description: ClassVar[str] = "a linear SVM of 0/1 features"
    cost: ClassVar[int] = 8
    size_stride: ClassVar[int] = 1
    uses_tfidf: ClassVar[bool] = False
    representation: ClassVar[str] = ""
    representations: ClassVar[tuple[str, ...]] = ()

    def fit_path(self, fold: Fold, path: SelectionPath) -> Callable[[int], Array]:
        """Return a function from a class index to its decision values along the path, against the rest."""
        columns = fold.train.columns, fold.test_columns
        train, test = (RankedRows.from_columns(path.first, part) for part in columns)
        weights = fold.train.weights if fold.train.weights.size else None

        def fit_class(class_index: int) -> Array:
            truth = fold.train.truth[:, class_index]
            return hinge_decision_values(train, truth, test, path.sizes, C=self.C, weights=weights).T

        return fit_class

    decision_values = confidences = one_vs_rest_decision_values

    def make_estimator(self) -> LinearSVC:
        """Return the equivalent scikit-learn classifier."""
        return LinearSVC(loss="hinge", C=self.C)


BINARY_SVM = BinarySvm()
