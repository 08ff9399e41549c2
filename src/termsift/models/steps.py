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

    def map_terms(self, rows: Any) -> csr_array[Any]:
        """Return the features (documents, features) of counts, before they are scaled."""
        weighed = self.weigh(rows)
        return weighed if self.features is None else csr_array(weighed @ self.features)

    def row_norms(self, rows: csr_array[Any]) -> Array:
        """Return the length of each row (documents, 1), or of its terms of each class; 1 for an empty one."""
        if self.norm == NO_NORM:
            return np.ones((rows.shape[0], 1))
        squares = csr_array((rows.data**2, rows.indices, rows.indptr), shape=rows.shape)
        sums = squares.sum(axis=1)[:, None]
        if self.class_terms is not None:
            sums = (squares @ self.class_terms).toarray()
        return np.asarray(np.sqrt(np.where(sums == 0, 1, sums)))

    def compute_features(self, rows: Any) -> csr_array[Any]:
        """Return the features (documents, features) of counts; a norm over class terms is left out."""
        features = self.map_terms(rows)
        if self.norm in (ALL_TERMS, FEATURES):
            features.data /= np.repeat(self.row_norms(features), np.diff(features.indptr))
        return features

    def decision_values(self, rows: Any, coefficients: Array, intercepts: Array) -> Array:
        """Return the decision values (documents, classes) of counts."""
        rows, values = csr_array(rows), np.empty((rows.shape[0], len(intercepts)))
        size = max(MAX_VALUES // max(len(intercepts), 1), 1)
        for start in range(0, rows.shape[0], size):
            # slicing copies, so a single block is taken as it is
            block = rows if rows.shape[0] <= size else rows[start : start + size]
            features = self.map_terms(block)
            values[start : start + size] = features @ coefficients / self.row_norms(features) + intercepts
        return values

    def contributions(self, row: csr_array[Any], coefficients: Array) -> Array:
        """Return the contribution (entries, classes) of each stored term of one document."""
        weighed = self.weigh(row)
        terms = weighed.indices
        # each term has a share in the features, which are scaled together
        factors = coefficients[terms] if self.features is None else self.features[terms] @ coefficients
        return np.asarray(weighed.data[:, None] * factors / self.row_norms(self.map_terms(row)))
