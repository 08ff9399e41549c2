"""Compiled dual coordinate descent for the hinge loss of 0/1 features on nested selections.

The problem is that of LinearSVC(loss="hinge", C=C), a class against the rest, with the bias as a feature of
every document, Q_ij = y_i y_j (x_i.x_j + 1): minimize alpha'Q alpha / 2 - sum alpha over 0 <= alpha_i <= C_i,
where C_i is C times the weight of document i. Hsieh, Chang, Lin, Keerthi and Sundararajan (2008),
algorithm 3: random order and shrinking.

Invariants:
- A row lists its terms by ascending rank, so the k best terms are a prefix of it that stops at `ends[d]`.
- `w` is the sum of alpha_i y_i x_i over all rows up to their ends, `bias` that of alpha_i y_i.
- The alphas of a smaller selection are a feasible start for a larger one.
"""

from __future__ import annotations

import numpy as np
from numba import uint64

from termsift._internal.kernels import njit

SEED = 88172645463325252


@njit(cache=True, nogil=True)
def move_ends(starts, ends, ranks, k):  # type: ignore[no-untyped-def]
    """Move the ends of all rows to the selection of the k best terms."""
    for d in range(ends.size):
        e = ends[d]
        while e < starts[d + 1] and ranks[e] < k:
            e += 1
        ends[d] = e


@njit(inline="always")
def shuffle(active, n, state):  # type: ignore[no-untyped-def]
    """Shuffle the first n in place by xorshift. Return the new state."""
    for i in range(n - 1, 0, -1):
        state ^= state << uint64(13)
        state ^= state >> uint64(7)
        state ^= state << uint64(17)
        j = np.int64(state % uint64(i + 1))
        active[i], active[j] = active[j], active[i]
    return state


@njit(cache=True, nogil=True)
def hinge(starts, ends, ranks, y, costs, tolerance, passes, alpha, w, bias):  # type: ignore[no-untyped-def]
    """Improve alpha and w in place until all projected gradients are within `tolerance`. Return the bias."""
    active = np.flatnonzero(costs)
    n = active.size
    size = n
    state = uint64(SEED)
    highest, lowest = np.inf, -np.inf
    for _ in range(passes):
        new_highest, new_lowest = -np.inf, np.inf
        state = shuffle(active, size, state)
        s = 0
        while s < size:
            i = active[s]
            g = bias
            for k in range(starts[i], ends[i]):
                g += w[ranks[k]]
            g = y[i] * g - 1
            projected = 0.0
            if alpha[i] == 0:
                # shrinking: a document at a bound that its gradient holds it to is skipped in later passes
                if g > highest:
                    size -= 1
                    active[s], active[size] = active[size], active[s]
                    continue
                if g < 0:
                    projected = g
            elif alpha[i] == costs[i]:
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
                alpha[i] = min(max(old - g / (ends[i] - starts[i] + 1), 0.0), costs[i])
                step = (alpha[i] - old) * y[i]
                bias += step
                for k in range(starts[i], ends[i]):
                    w[ranks[k]] += step
            s += 1
        if new_highest - new_lowest <= tolerance:
            if size == n:
                return bias
            # the active documents are optimal: check the skipped ones too before ending
            size = n
            highest, lowest = np.inf, -np.inf
            continue
        highest = new_highest if new_highest > 0 else np.inf
        lowest = new_lowest if new_lowest < 0 else -np.inf
    return bias


@njit(cache=True, nogil=True)
def extend_weights(before, ends, ranks, alpha, y, w):  # type: ignore[no-untyped-def]
    """Add the terms between the previous ends and the current ones to the weights."""
    for d in range(ends.size):
        if alpha[d] != 0:
            for k in range(before[d], ends[d]):
                w[ranks[k]] += alpha[d] * y[d]


@njit(cache=True, nogil=True)
def write_decision_values(starts, ends, ranks, w, bias, out):  # type: ignore[no-untyped-def]
    """Write the decision value of every row."""
    for d in range(ends.size):
        total = bias
        for k in range(starts[d], ends[d]):
            total += w[ranks[k]]
        out[d] = total
