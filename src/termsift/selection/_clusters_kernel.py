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

from termsift._internal.kernels import njit


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


@njit(cache=True, nogil=True)
def merged_profiles(indptr, indices, data, order, k, n_classes):  # type: ignore[no-untyped-def]
    """Which profile each was merged into, itself if into none: follow it to the end for the cluster.

    One profile after the other, in order, becomes a cluster, and the closest two of k + 1 merge.
    `loss[i, j]` is what merging rows i and j loses, `near[i]` the row for which it is least.
    A merge changes two rows: the merged one, and the one that the next profile takes over.
    """
    n = k + 1
    joint = np.zeros((n, n_classes))
    level = np.zeros(n)
    loss = np.full((n, n), np.inf)
    near = np.zeros(n, dtype=np.int64)
    first = order[:n].copy()
    into = np.arange(order.size)
    for i in range(n):
        take(indptr, indices, data, first[i], joint, level, i)
        weigh(joint, level, loss, i, i)
    for i in range(n):
        near[i] = np.argmin(loss[i])
    for step in range(n, order.size + 1):
        a, b = closest(loss, near)
        joint[a] += joint[b]
        level[a] = negentropy(joint[a])
        into[first[b]] = first[a]
        if step == order.size:
            break
        first[b] = order[step]
        take(indptr, indices, data, first[b], joint, level, b)
        weigh(joint, level, loss, a, n)
        weigh(joint, level, loss, b, n)
        for j in range(n):
            look_again(loss, near, j, a, b)
    return into


@njit(cache=True, nogil=True)
def take(indptr, indices, data, g, joint, level, i):  # type: ignore[no-untyped-def]
    """Put a profile into row i."""
    joint[i] = 0
    for e in range(indptr[g], indptr[g + 1]):
        joint[i, indices[e]] = data[e]
    level[i] = negentropy(joint[i])


@njit(cache=True, nogil=True)
def negentropy(row):  # type: ignore[no-untyped-def]
    """Sum x log x - X log X of a row x with the sum X: minus P(W_j) H(C | W_j)."""
    total = 0.0
    value = 0.0
    for x in row:
        if x > 0:
            total += x
            value += x * np.log(x)
    return value - total * np.log(total)


@njit(cache=True, nogil=True)
def weigh(joint, level, loss, i, n):  # type: ignore[no-untyped-def]
    """What merging row i with each of the first n others loses; `level` is the negentropy of each row."""
    for j in range(n):
        if j != i:
            loss[i, j] = level[i] + level[j] - negentropy(joint[i] + joint[j])
            loss[j, i] = loss[i, j]


@njit(cache=True, nogil=True)
def closest(loss, near):  # type: ignore[no-untyped-def]
    """The two rows that lose least when merged, the first of several."""
    best = 0
    for i in range(near.size):
        if loss[i, near[i]] < loss[best, near[best]]:
            best = i
    return min(best, near[best]), max(best, near[best])


@njit(cache=True, nogil=True)
def look_again(loss, near, j, a, b):  # type: ignore[no-untyped-def]
    """Set near[j] after rows a and b have changed."""
    if j in (a, b) or near[j] in (a, b):
        near[j] = np.argmin(loss[j])
        return
    for other in (a, b):
        least = loss[j, near[j]]
        if loss[j, other] < least or (loss[j, other] == least and other < near[j]):
            near[j] = other
