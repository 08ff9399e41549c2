"""Compiled loops of word clusters.

Invariants:
- Profiles are rows of a sparse matrix (profiles, classes), each a distribution over classes.
- `log_q[c, j]` is the logarithm of P(class c | cluster j), or a number so low that any share of it decides.
- KL(p || q_j) = sum p log p - sum p log q_j, and only the second sum depends on j: the nearest cluster is
  that of the largest sum. All clusters are summed together, so the inner loops run along memory.
- A profile leaves its cluster for a strictly nearer one only, and of several for the first: the result
  depends on neither threads nor spans.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def nearest(indptr, indices, data, log_q, labels, start, stop):  # type: ignore[no-untyped-def]
    """The cluster of least divergence for each of the profiles from `start` up to `stop`."""
    k = log_q.shape[1]
    sums = np.empty(k)
    out = np.empty(stop - start, dtype=np.int64)
    for g in range(start, stop):
        sums[:] = 0
        for e in range(indptr[g], indptr[g + 1]):
            p = data[e]
            row = log_q[indices[e]]
            for j in range(k):
                sums[j] += p * row[j]
        best = labels[g]
        for j in range(k):
            if sums[j] > sums[best]:
                best = j
        out[g - start] = best
    return out
