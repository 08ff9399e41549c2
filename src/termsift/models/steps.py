"""Steps from counts of terms to the features of a linear classifier.

counts -> elementwise transform -> term weights -> feature matrix -> norm. The norm is over all terms, over
the terms of each class, or over the features that replace the terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.typing import Array

COUNTS, BINARY, LOG = TRANSFORMS = ("counts", "binary", "log")
NO_NORM, ALL_TERMS, CLASS_TERMS, FEATURES = NORMS = ("none", "all terms", "class terms", "features")
MAX_VALUES = 1 << 22  # decision values that are computed at once


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Steps from counts of terms to features.

    Parameters
    ----------
    transform : "counts", "binary" (0/1), or "log" (1 + log of the count)
    weights : (terms,) weight of each term, such as idf; or None
    norm : what is scaled to unit length: "none", "all terms", "class terms" or "features"
    class_terms : (terms, classes) 0/1, the terms of each class, if the norm is over these
    features : (terms, features) linear map, if features such as word clusters replace the terms

    """

    transform: str = COUNTS
    weights: Array | None = None
    norm: str = NO_NORM
    class_terms: csr_array[Any] | None = None
    features: csr_array[Any] | None = None

    def weigh(self, rows: Any) -> csr_array[Any]:
        """Return transformed and weighted counts (documents, terms), without a norm."""
        rows = csr_array(rows)
        data = np.ones(len(rows.data)) if self.transform == BINARY else rows.data.astype(np.float64)
        if self.transform == LOG:
            data = 1 + np.log(data)
        if self.weights is not None:
            data *= self.weights[rows.indices]
        return csr_array((data, rows.indices, rows.indptr), shape=rows.shape)

    def apply(self, rows: Any) -> csr_array[Any]:
        """Return the features (documents, features) of counts; a norm over class terms is left out."""
        weighed = self.weigh(rows)
        if self.features is not None:
            weighed = csr_array(weighed @ self.features)
        return weighed if self.norm in (NO_NORM, CLASS_TERMS) else scale_rows(weighed, row_lengths(weighed))

    def decision_values(self, rows: Any, coefficients: Array, intercepts: Array) -> Array:
        """Return the decision values (documents, classes) of counts."""
        rows, values = csr_array(rows), np.empty((rows.shape[0], len(intercepts)))
        size = max(MAX_VALUES // max(len(intercepts), 1), 1)
        for start in range(0, rows.shape[0], size):
            # slicing copies, so a single block is taken as it is
            block = rows if rows.shape[0] <= size else rows[start : start + size]
            features = self.apply(block)
            products = features @ coefficients
            if self.class_terms is not None:
                products /= self.class_lengths(features)
            values[start : start + size] = products + intercepts
        return values

    def class_lengths(self, weighed: csr_array[Any]) -> Array:
        """Return the length of each document in the terms of each class, 1 if it has none of them."""
        assert self.class_terms is not None
        squares = csr_array((weighed.data**2, weighed.indices, weighed.indptr), shape=weighed.shape)
        lengths = np.sqrt((squares @ self.class_terms).toarray())
        lengths[lengths == 0] = 1
        return np.asarray(lengths)

    def contributions(self, row: csr_array[Any], coefficients: Array) -> Array:
        """Return the contribution (entries, classes) of each stored term of one document."""
        weighed = self.weigh(row)
        terms, values = weighed.indices, weighed.data[:, None]
        if self.features is not None:
            # each term has a share in the features, which are scaled together
            features = csr_array(weighed @ self.features)
            length = row_lengths(features)[0] if self.norm == FEATURES else 1.0
            return np.asarray(values / length * (self.features[terms] @ coefficients))
        if self.class_terms is not None:
            return np.asarray(values * coefficients[terms] / self.class_lengths(weighed))
        length = row_lengths(weighed)[0] if self.norm == ALL_TERMS else 1.0
        return np.asarray(values / length * coefficients[terms])


def row_lengths(rows: csr_array[Any]) -> Array:
    """Return the Euclidean length of each row, 1 for an empty one."""
    numbers = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    lengths = np.sqrt(np.bincount(numbers, rows.data**2, rows.shape[0]))
    lengths[lengths == 0] = 1
    return lengths


def scale_rows(rows: csr_array[Any], lengths: Array) -> csr_array[Any]:
    """Return the rows divided by their lengths."""
    data = rows.data / np.repeat(lengths, np.diff(rows.indptr))
    return csr_array((data, rows.indices, rows.indptr), shape=rows.shape)
