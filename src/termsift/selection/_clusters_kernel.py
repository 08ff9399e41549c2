"""Kernel of word clusters.

Invariants:
- Profiles are rows of a sparse matrix (profiles, classes), each a distribution over classes.
- `log_q[c, j]` is the logarithm of P(class c | cluster j), or a very low number that outweighs all others.
- KL(p || q_j) = sum p log p - sum p log q_j, and only the second sum depends on j: the nearest cluster has
  the largest sum. All clusters are summed together, so that the inner loops read memory in order.
- A profile leaves its cluster only for a strictly nearer one, the first if several tie: the result depends
  neither on threads nor on batches.
"""

from __future__ import annotations

import numpy as np

from termsift._internal.kernels import njit


@njit(cache=True, nogil=True)
def nearest_clusters(indptr, indices, data, log_q, current_labels, start, stop):  # type: ignore[no-untyped-def]
    """Return the cluster of smallest divergence for each of the profiles from `start` up to `stop`."""
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
        best = current_labels[g]
        for j in range(k):
            if sums[j] > sums[best]:
                best = j
        out[g - start] = best
    return out
