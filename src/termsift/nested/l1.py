"""Logistic regression with the L1 penalty: which terms it gives a weight."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csc_array

from termsift._typing import Array

TOLERANCE = 1e-3  # of the penalty, by which a condition of the optimum may be broken
ROUNDS = 1000


def l1_weights(columns: Any, truth: Array, C: float = 1.0) -> Array:
    """(terms,) the weights by which a class is told from the rest; 0 for most.

    Of LogisticRegression(l1_ratio=1, C=C, solver="liblinear") of scikit-learn, nearer to the optimum.

    columns : the documents by column (CSC)
    truth : (documents,) whether each is in the class
    """
    from termsift.nested._l1_kernel import l1_logistic

    y = np.where(truth, 1.0, -1.0)
    found: Array = l1_logistic(columns.indptr, columns.indices, columns.data, y, C, TOLERANCE, ROUNDS)
    return found


def unit_rows(columns: csc_array[Any]) -> csc_array[Any]:
    """The same documents, the length of each row 1."""
    lengths = np.sqrt(np.bincount(columns.indices, columns.data**2, columns.shape[0]))
    lengths[lengths == 0] = 1
    data = columns.data / lengths[columns.indices]
    return csc_array((data, columns.indices, columns.indptr), shape=columns.shape)
