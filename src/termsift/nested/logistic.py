"""Logistic regression of 0/1 features for all steps of a path, each from the weights of the one before."""

from __future__ import annotations

from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.nested._logistic_kernel import logistic_path
from termsift.nested.paths import SelectionPath

PASSES = 5000


def logistic_margins(
    path: SelectionPath, columns: Any, truth: Array, others: Any, *, penalty: float, tolerance: float = 0.01
) -> Array:
    """(others, steps) margins of documents that are judged.

    Minimises sum log(1 + exp(-y f)) + penalty / 2 * w.w with a free bias, where a document has a term or not.

    Parameters
    ----------
    columns : the documents fitted, by column (CSC); a stored value is a term the document has
    truth : (documents,) whether each is in the class
    others : documents to judge, likewise
    tolerance : no derivative of the sum is larger when the fit ends

    """
    margins: Array = logistic_path(
        columns.indptr, columns.indices, np.where(truth, 1.0, -1.0), path.first, path.last, path.sizes,
        path.k, penalty, tolerance, PASSES, others.indptr, others.indices, others.shape[0],
    )  # fmt: skip
    return margins
