"""Linear classifiers of tf-idf rows of unit length for nested selections, each fitted from the one before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from termsift._typing import Array
from termsift.nested._unit_kernel import ranked_values, unit_path

PASSES = 1000  # scikit-learn's own


@dataclass(frozen=True, slots=True, eq=False)
class RankedRows:
    """The documents fitted and those judged, each listing its terms by their place in an order.

    fitted, judged : starts of the rows, ranks, values
    n_terms : how many terms are in the order
    """

    fitted: tuple[Array, Array, Array]
    judged: tuple[Array, Array, Array]
    n_terms: int

    @classmethod
    def of(cls, order: Array, fitted: Any, judged: Any) -> RankedRows:
        """From matrices by column (CSC)."""
        here, there = (
            ranked_values(matrix.indptr, matrix.indices, matrix.data, order, matrix.shape[0])
            for matrix in (fitted, judged)
        )
        return cls(here, there, len(order))

    def svm_margins(self, truth: Array, sizes: Array, *, C: float, tolerance: float = 0.02) -> Array:
        """(sizes, judged): LinearSVC(C=C) with the k best terms, rows of unit length, for each size k."""
        return self.margins(False, truth, sizes, C, tolerance)

    def logistic_margins(self, truth: Array, sizes: Array, *, C: float, tolerance: float = 0.05) -> Array:
        """The same of LogisticRegression(C=C, solver="liblinear")."""
        return self.margins(True, truth, sizes, C, tolerance)

    def margins(self, is_logistic: bool, truth: Array, sizes: Array, C: float, tolerance: float) -> Array:
        """By dual coordinate descent; sizes ascend."""
        y = np.where(truth, 1.0, -1.0)
        found: Array = unit_path(
            is_logistic, *self.fitted, y, *self.judged, sizes, self.n_terms, C, tolerance, PASSES
        )
        return found


def tf_idf(columns: csc_array[Any], idf: Array) -> csc_array[Any]:
    """Counts as (1 + log count) idf, rows not yet of unit length: TfidfTransformer(sublinear_tf=True)."""
    factors = np.repeat(idf, np.diff(columns.indptr))
    data = (1 + np.log(columns.data)) * factors
    return csc_array((data, columns.indices, columns.indptr), shape=columns.shape)


def inverse_document_frequencies(df: Array, documents: float) -> Array:
    """scikit-learn's, smoothed: log((1 + N) / (1 + df)) + 1."""
    idf: Array = np.log((1 + documents) / (1 + df)) + 1
    return idf
