"""Compiled dual coordinate descent for linear classifiers on nested selections.

The problems are scikit-learn's own, a class against the rest, the bias a feature that every document has,
Q_ij = y_i y_j (x_i.x_j + 1). C is that of each document, C times what it counts for; where it is 0 the
document has no say:
- LinearSVC(C=C), the squared hinge, of rows of unit length: min over alpha >= 0 of
  alpha'(Q + I / 2C) alpha / 2 - sum alpha.
  Hsieh, Chang, Lin, Keerthi and Sundararajan (2008), algorithm 3: random order, and shrinking.
- LogisticRegression(C=C, solver="liblinear") of rows of unit length: min over 0 < alpha < C of
  alpha'Q alpha / 2 + sum of alpha log alpha + (C - alpha) log(C - alpha). Yu, Huang and Lin (2011).
  An alpha is kept as its logit u, alpha = C / (1 + exp(-u)): the condition of a coordinate is then
  u + a (alpha - alpha_0) + b = 0, which rises with u, so Newton's steps within a bracket always find it.

Invariants:
- A row lists its terms by their rank, ascending, so the terms of a selection of the k best are a beginning of
  every row: `ends[d]` is where it stops. A larger selection moves the ends, nothing else.
- `scale[d]` makes the length of the beginning 1; it is 0 for an empty one.
- `w` is the sum of alpha_i y_i x_i over all rows within their ends, `bias` that of alpha_i y_i, always.
- A smaller selection's alphas are a feasible start for a larger one.
"""

from __future__ import annotations

import numpy as np
from numba import uint64

from termsift._internal.kernels import njit

SEED = 88172645463325252
STEPS = 30  # Newton's, for one coordinate
NEAR = 1e-3  # how near the condition of a coordinate is met


@njit(cache=True, nogil=True)
def ranked_rows(indptr, indices, data, order, n_rows):  # type: ignore[no-untyped-def]
    """Rows of the chosen columns of a CSC matrix: ranks, ascending, and the values at them."""
    starts = np.zeros(n_rows + 1, dtype=np.int64)
    for r in range(order.size):
        for k in range(indptr[order[r]], indptr[order[r] + 1]):
            starts[indices[k] + 1] += 1
    for d in range(n_rows):
        starts[d + 1] += starts[d]
    at = starts[:-1].copy()
    ranks, values = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1])
    for r in range(order.size):
        for k in range(indptr[order[r]], indptr[order[r] + 1]):
            place = at[indices[k]]
            ranks[place], values[place] = r, data[k]
            at[indices[k]] += 1
    return starts, ranks, values


@njit(cache=True, nogil=True)
def move_ends(starts, ends, ranks, k):  # type: ignore[no-untyped-def]
    """Move the ends to the selection of the k best."""
    for d in range(ends.size):
        e = ends[d]
        while e < starts[d + 1] and ranks[e] < k:
            e += 1
        ends[d] = e


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
def scales(starts, ends, values, out):  # type: ignore[no-untyped-def]
    """What makes each row's length 1."""
    for d in range(ends.size):
        total = 0.0
        for k in range(starts[d], ends[d]):
            total += values[k] * values[k]
        out[d] = 1 / np.sqrt(total) if total > 0 else 0.0


@njit(inline="always")
def margin(starts, ends, ranks, values, scale, w, bias, d):  # type: ignore[no-untyped-def]
    """What the model says of a row."""
    total = 0.0
    for k in range(starts[d], ends[d]):
        total += w[ranks[k]] * values[k]
    return total * scale[d] + bias


@njit(inline="always")
def add_row(starts, ends, ranks, values, scale, w, d, step):  # type: ignore[no-untyped-def]
    """Add a row to the weights, `step` times."""
    for k in range(starts[d], ends[d]):
        w[ranks[k]] += step * scale[d] * values[k]


@njit(cache=True, nogil=True)
def unit_weights(starts, ends, ranks, values, scale, alpha, y, w):  # type: ignore[no-untyped-def]
    """Write the weights of rows of unit length, whose scales are new. Returns the bias."""
    w[:] = 0
    bias = 0.0
    for d in range(ends.size):
        if alpha[d] != 0:
            bias += alpha[d] * y[d]
            add_row(starts, ends, ranks, values, scale, w, d, alpha[d] * y[d])
    return bias


@njit(cache=True, nogil=True)
def write_unit_margins(starts, ends, ranks, values, scale, w, bias, out):  # type: ignore[no-untyped-def]
    """The margins of rows of unit length."""
    for d in range(ends.size):
        out[d] = margin(starts, ends, ranks, values, scale, w, bias, d)


@njit(cache=True, nogil=True)
def squared_hinge(starts, ends, ranks, values, scale, y, costs, tolerance, passes, alpha, w, bias):  # type: ignore[no-untyped-def]
    """Improve alpha, w and the bias until no projected gradient is farther from another than `tolerance`."""
    active = np.flatnonzero(costs)
    n = active.size
    size = n
    state = uint64(SEED)
    highest = np.inf
    for _ in range(passes):
        new_highest, new_lowest = -np.inf, np.inf
        state = shuffled(active, size, state)
        s = 0
        while s < size:
            i = active[s]
            soft = 0.5 / costs[i]
            g = y[i] * margin(starts, ends, ranks, values, scale, w, bias, i) - 1 + soft * alpha[i]
            projected = g
            if alpha[i] == 0:
                if g > highest:
                    size -= 1
                    active[s], active[size] = active[size], active[s]
                    continue
                projected = min(g, 0.0)
            new_highest, new_lowest = max(new_highest, projected), min(new_lowest, projected)
            if abs(projected) > 1e-12:
                old = alpha[i]
                length = 2.0 if scale[i] > 0 else 1.0
                alpha[i] = max(old - g / (length + soft), 0.0)
                step = (alpha[i] - old) * y[i]
                bias += step
                add_row(starts, ends, ranks, values, scale, w, i, step)
            s += 1
        if new_highest - new_lowest <= tolerance:
            if size == n:
                break
            size = n
            highest = np.inf
            continue
        highest = new_highest if new_highest > 0 else np.inf
    return bias


@njit(cache=True, nogil=True)
def logistic_dual(starts, ends, ranks, values, scale, y, costs, tolerance, passes, alpha, w, bias):  # type: ignore[no-untyped-def]
    """Improve alpha, w and the bias until no derivative of the dual is above `tolerance`."""
    active = np.flatnonzero(costs)
    n = active.size
    state = uint64(SEED)
    logit = np.zeros(y.size)
    for s in range(n):
        logit[active[s]] = np.log(alpha[active[s]] / (costs[active[s]] - alpha[active[s]]))
    for _ in range(passes):
        worst = 0.0
        state = shuffled(active, n, state)
        for s in range(n):
            i = active[s]
            C = costs[i]
            b = y[i] * margin(starts, ends, ranks, values, scale, w, bias, i)
            u = logit[i]
            worst = max(worst, abs(u + b))
            if abs(u + b) <= 0.1 * tolerance:
                continue
            a = 2.0 if scale[i] > 0 else 1.0
            base = b - a * alpha[i]
            low, high = -base - a * C, -base
            for _ in range(STEPS):
                share = 1 / (1 + np.exp(-u))
                f = u + a * C * share + base
                if f > 0:
                    high = u
                else:
                    low = u
                if abs(f) <= NEAR:
                    break
                u -= f / (1 + a * C * share * (1 - share))
                if not low < u < high:
                    u = (low + high) / 2
            # within what floats can tell from 0 and C
            u = max(-30.0, min(30.0, u))
            new = C / (1 + np.exp(-u))
            step = (new - alpha[i]) * y[i]
            alpha[i], logit[i] = new, u
            bias += step
            add_row(starts, ends, ranks, values, scale, w, i, step)
        if worst <= tolerance:
            break
    return bias
