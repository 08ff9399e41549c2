"""Compiled sums of naive Bayes over nested selections, for all classes at once.

`step[t]` is the first selection that holds a term, -1 where none does; selections grow with the step.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def class_sums(indptr, indices, data, step, logs, n_steps):  # type: ignore[no-untyped-def]
    """(steps, documents, classes) sums of count * logs[t, c] over chosen terms; (steps, documents) counts."""
    n, classes = indptr.size - 1, logs.shape[1]
    sums, totals = np.zeros((n_steps, n, classes)), np.zeros((n_steps, n))
    for d in range(n):
        for k in range(indptr[d], indptr[d + 1]):
            s = step[indices[k]]
            if s < 0:
                continue
            value = float(data[k])
            totals[s, d] += value
            for c in range(classes):
                sums[s, d, c] += value * logs[indices[k], c]
        for s in range(1, n_steps):
            totals[s, d] += totals[s - 1, d]
            for c in range(classes):
                sums[s, d, c] += sums[s - 1, d, c]
    return sums, totals
