"""Compiled dual coordinate descent for linear support vector machines on nested selections of 0/1 features.

The problem is LinearSVC(loss="hinge", C=C): min over alpha of alpha'Q alpha / 2 - sum alpha, 0 <= alpha <= C,
Q_ij = y_i y_j (x_i.x_j + 1); the 1 is scikit-learn's bias, a feature that every document has.
Hsieh, Chang, Lin, Keerthi and Sundararajan (2008), algorithm 3: random order, and shrinking.

Invariants:
- A row lists its terms by their rank, ascending, so the terms of a selection of the k best are a beginning of
  every row: `ends[d]` is where it stops. A larger selection moves the ends, nothing else.
- `w` is the sum of alpha_i y_i x_i over all rows within their ends, `bias` that of alpha_i y_i, always.
- A smaller selection's alphas are a feasible start for a larger one.
"""

from __future__ import annotations

import numpy as np
from numba import njit, uint64


@njit(cache=True, nogil=True)
def ranked_rows(indptr, indices, order, n_rows):  # type: ignore[no-untyped-def]
    """Rows of the chosen columns of a CSC matrix, each row's entries being ranks, ascending."""
    starts = np.zeros(n_rows + 1, dtype=np.int64)
    for r in range(order.size):
        for k in range(indptr[order[r]], indptr[order[r] + 1]):
            starts[indices[k] + 1] += 1
    for d in range(n_rows):
        starts[d + 1] += starts[d]
    at = starts[:-1].copy()
    ranks = np.empty(starts[-1], dtype=np.int32)
    for r in range(order.size):
        for k in range(indptr[order[r]], indptr[order[r] + 1]):
            d = indices[k]
            ranks[at[d]] = r
            at[d] += 1
    return starts, ranks


@njit(inline="always")
def shuffled(active, n, state):  # type: ignore[no-untyped-def]
    """Shuffle the first n in place by xorshift. Returns the new state."""
    for i in range(n - 1, 0, -1):
        state ^= state << uint64(13)
        state ^= state >> uint64(7)
        state ^= state << uint64(17)
        j = np.int64(state % uint64(i + 1))
        active[i], active[j] = active[j], active[i]
    return state


@njit(cache=True, nogil=True)
def hinge(starts, ends, ranks, y, C, tolerance, passes, alpha, w, bias):  # type: ignore[no-untyped-def]
    """Improve alpha, w and the bias until no projected gradient is farther from another than `tolerance`.

    Returns the bias and the passes made.
    """
    n = y.size
    active = np.arange(n)
    size = n
    state = uint64(88172645463325252)
    highest, lowest = np.inf, -np.inf
    for made in range(passes):
        new_highest, new_lowest = -np.inf, np.inf
        state = shuffled(active, size, state)
        s = 0
        while s < size:
            i = active[s]
            g = bias
            for k in range(starts[i], ends[i]):
                g += w[ranks[k]]
            g = y[i] * g - 1
            projected = 0.0
            if alpha[i] == 0:
                if g > highest:
                    size -= 1
                    active[s], active[size] = active[size], active[s]
                    continue
                if g < 0:
                    projected = g
            elif alpha[i] == C:
                if g < lowest:
                    size -= 1
                    active[s], active[size] = active[size], active[s]
                    continue
                if g > 0:
                    projected = g
            else:
                projected = g
            new_highest, new_lowest = max(new_highest, projected), min(new_lowest, projected)
            if abs(projected) > 1e-12:
                old = alpha[i]
                alpha[i] = min(max(old - g / (ends[i] - starts[i] + 1), 0.0), C)
                step = (alpha[i] - old) * y[i]
                bias += step
                for k in range(starts[i], ends[i]):
                    w[ranks[k]] += step
            s += 1
        if new_highest - new_lowest <= tolerance:
            if size == n:
                return bias, made + 1
            size = n
            highest, lowest = np.inf, -np.inf
            continue
        highest = new_highest if new_highest > 0 else np.inf
        lowest = new_lowest if new_lowest < 0 else -np.inf
    return bias, passes


@njit(cache=True, nogil=True)
def moved(starts, ends, ranks, k):  # type: ignore[no-untyped-def]
    """Move the ends to the selection of the k best."""
    for d in range(ends.size):
        e = ends[d]
        while e < starts[d + 1] and ranks[e] < k:
            e += 1
        ends[d] = e


@njit(cache=True, nogil=True)
def hinge_path(starts, ranks, y, other_starts, other_ranks, sizes, n_terms, C, tolerance, passes):  # type: ignore[no-untyped-def]
    """Fit the selections of ascending sizes, each from the alphas of the one before.

    Returns (sizes, others) margins of other documents, and the passes made.
    """
    n, m = y.size, other_starts.size - 1
    alpha, w, bias = np.zeros(n), np.zeros(n_terms), 0.0
    ends, other_ends = starts[:-1].copy(), other_starts[:-1].copy()
    margins, made = np.empty((sizes.size, m)), np.zeros(sizes.size, dtype=np.int64)
    for s in range(sizes.size):
        before = ends.copy()
        moved(starts, ends, ranks, sizes[s])
        for d in range(n):
            if alpha[d] != 0:
                for k in range(before[d], ends[d]):
                    w[ranks[k]] += alpha[d] * y[d]
        bias, made[s] = hinge(starts, ends, ranks, y, C, tolerance, passes, alpha, w, bias)
        moved(other_starts, other_ends, other_ranks, sizes[s])
        for d in range(m):
            total = bias
            for k in range(other_starts[d], other_ends[d]):
                total += w[other_ranks[k]]
            margins[s, d] = total
    return margins, made
