"""Linear support vector machines of 0/1 features for nested selections, each from the one before."""

from __future__ import annotations

from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.nested._svm_kernel import hinge_path, ranked_rows

PASSES = 1000  # scikit-learn's own


def hinge_margins(
    order: Array,
    columns: Any,
    truth: Array,
    others: Any,
    sizes: Array,
    *,
    C: float = 1.0,
    tolerance: float = 0.01,
    passes: int = PASSES,
) -> Array:
    """(sizes, others) margins of LinearSVC(loss="hinge", C=C) with the k best terms, for ascending sizes k.

    Parameters
    ----------
    order : the terms, best first; as many as the largest size, or all there are
    columns : the documents fitted, by column (CSC); a stored value is a term the document has
    truth : (documents,) whether each is in the class
    others : documents to judge, likewise
    tolerance : how far projected gradients may differ when the fit ends; scikit-learn's is 1e-4
    passes : over the documents, at most

    """
    starts, ranks = ranked_rows(columns.indptr, columns.indices, order, columns.shape[0])
    other_starts, other_ranks = ranked_rows(others.indptr, others.indices, order, others.shape[0])
    y = np.where(truth, 1.0, -1.0)
    margins, _ = hinge_path(
        starts, ranks, y, other_starts, other_ranks, np.asarray(sizes), len(order), C, tolerance, passes
    )
    found: Array = margins
    return found
