"""Kernels of dual coordinate descent for linear classifiers on nested selections.

The problems are those of scikit-learn, for a class against the rest. The bias is the weight of a feature that
every document has, so Q_ij = y_i y_j (x_i.x_j + 1). The C of a document is C times its weight; documents with
a C of 0 are ignored:
- LinearSVC(C=C), the squared hinge, for rows of unit length: min over alpha >= 0 of
  alpha'(Q + I / 2C) alpha / 2 - sum alpha.
  Hsieh, Chang, Lin, Keerthi and Sundararajan (2008), algorithm 3: random order, and shrinking.
- LogisticRegression(C=C, solver="liblinear") for rows of unit length: min over 0 < alpha < C of
  alpha'Q alpha / 2 + sum of alpha log alpha + (C - alpha) log(C - alpha). Yu, Huang and Lin (2011).
  An alpha is stored as its logit u, alpha = C / (1 + exp(-u)): the condition of a coordinate is then
  u + a (alpha - alpha_0) + b = 0, which increases with u, so Newton steps within a bracket always converge.

Invariants:
- A row lists its terms by ascending rank, so a selection of the k best terms is a prefix of every row, which
  stops at `ends[d]`. A larger selection only moves the ends.
- `scale[d]` makes the length of the prefix 1; it is 0 for an empty prefix.
- `w` is the sum of alpha_i y_i x_i over all rows within their ends, and `bias` that of alpha_i y_i, always.
- The alphas of a smaller selection are a feasible start for a larger one.
"""

from __future__ import annotations

import numpy as np
from numba import uint64

from termsift._internal.kernels import njit

SEED = 88172645463325252
NEWTON_STEPS = 30  # at most, for one coordinate
NEWTON_TOLERANCE = 1e-3  # largest residual of the condition of a coordinate


@njit(cache=True, nogil=True)
def csc_to_ranked_rows(indptr, indices, data, order, n_rows):  # type: ignore[no-untyped-def]
    """Return starts, ascending ranks and values of the rows of a CSC matrix for the columns in an order."""
    starts = np.zeros(n_rows + 1, dtype=np.int64)
    for r in range(order.size):
        for k in range(indptr[order[r]], indptr[order[r] + 1]):
            starts[indices[k] + 1] += 1
    for d in range(n_rows):
        starts[d + 1] += starts[d]
    # columns are visited by rank, so appending to each row sorts it
    ends = starts[:-1].copy()
    ranks, values = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1])
    for r in range(order.size):
        for k in range(indptr[order[r]], indptr[order[r] + 1]):
            end = ends[indices[k]]
            ranks[end], values[end] = r, data[k]
            ends[indices[k]] += 1
    return starts, ranks, values


@njit(cache=True, nogil=True)
def extend_rows(starts, ends, ranks, values, scale, k):  # type: ignore[no-untyped-def]
    """Move the ends to the selection of the k best terms, and scale the rows to unit length."""
    for d in range(ends.size):
        e = ends[d]
        while e < starts[d + 1] and ranks[e] < k:
            e += 1
        ends[d] = e
        total = 0.0
        for j in range(starts[d], e):
            total += values[j] * values[j]
        scale[d] = 1 / np.sqrt(total) if total > 0 else 0.0


@njit(inline="always")
def shuffle(active, n, state):  # type: ignore[no-untyped-def]
    """Shuffle the first n items in place by xorshift, and return the new state."""
    for i in range(n - 1, 0, -1):
        state ^= state << uint64(13)
        state ^= state >> uint64(7)
        state ^= state << uint64(17)
        j = np.int64(state % uint64(i + 1))
        active[i], active[j] = active[j], active[i]
    return state


@njit(inline="always")
def decision_value(starts, ends, ranks, values, scale, w, bias, d):  # type: ignore[no-untyped-def]
    """Return the decision value of a row."""
    total = 0.0
    for k in range(starts[d], ends[d]):
        total += w[ranks[k]] * values[k]
    return total * scale[d] + bias


@njit(inline="always")
def unrolled_decision_value(starts, ends, ranks, values, scale, w, bias, d):  # type: ignore[no-untyped-def]
    """Return the decision value of a row, summed in another order."""
    # four independent sums, because a single one waits for each addition to finish
    a, b, c, e = 0.0, 0.0, 0.0, 0.0
    k, end = starts[d], ends[d]
    while k + 3 < end:
        a += w[ranks[k]] * values[k]
        b += w[ranks[k + 1]] * values[k + 1]
        c += w[ranks[k + 2]] * values[k + 2]
        e += w[ranks[k + 3]] * values[k + 3]
        k += 4
    while k < end:
        a += w[ranks[k]] * values[k]
        k += 1
    return ((a + b) + (c + e)) * scale[d] + bias


@njit(inline="always")
def add_row(starts, ends, ranks, values, scale, w, d, step):  # type: ignore[no-untyped-def]
    """Add a multiple of a row to the weights."""
    for k in range(starts[d], ends[d]):
        w[ranks[k]] += step * scale[d] * values[k]


@njit(cache=True, nogil=True)
def write_primal_weights(starts, ends, ranks, values, scale, alpha, y, w):  # type: ignore[no-untyped-def]
    """Compute the weights from the alphas, and return the bias."""
    w[:] = 0
    bias = 0.0
    for d in range(ends.size):
        if alpha[d] != 0:
            bias += alpha[d] * y[d]
            add_row(starts, ends, ranks, values, scale, w, d, alpha[d] * y[d])
    return bias


@njit(cache=True, nogil=True)
def write_decision_values(starts, ends, ranks, values, scale, w, bias, out):  # type: ignore[no-untyped-def]
    """Write the decision values of all rows."""
    for d in range(ends.size):
        out[d] = decision_value(starts, ends, ranks, values, scale, w, bias, d)


@njit(cache=True, nogil=True)
def hinge_pass(  # type: ignore[no-untyped-def]
    starts, ends, ranks, values, scale, norms, y, costs, unrolled, active, size, highest, alpha, w, bias
):
    """Improve the first `size` active documents once, each by the minimum of its coordinate.

    norms : squared length of each row, with the feature of the bias
    A document with an alpha of 0 and a gradient above `highest` moves behind the others (shrinking). Returns
    the number of documents before it, the bias, and the highest and the lowest projected gradient.
    """
    new_highest, new_lowest = -np.inf, np.inf
    s = 0
    while s < size:
        i = active[s]
        if unrolled:
            value = unrolled_decision_value(starts, ends, ranks, values, scale, w, bias, i)
        else:
            value = decision_value(starts, ends, ranks, values, scale, w, bias, i)
        soft = 0.5 / costs[i]
        g = y[i] * value - 1 + soft * alpha[i]
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
            alpha[i] = max(old - g / (norms[i] + soft), 0.0)
            step = (alpha[i] - old) * y[i]
            bias += step
            add_row(starts, ends, ranks, values, scale, w, i, step)
        s += 1
    return size, bias, new_highest, new_lowest


@njit(cache=True, nogil=True)
def squared_hinge(starts, ends, ranks, values, scale, y, costs, tolerance, passes, alpha, w, bias):  # type: ignore[no-untyped-def]
    """Improve alpha and w until projected gradients differ by at most `tolerance`, and return the bias."""
    # factors of the columns, as of NB-SVM, change the lengths of the rows
    norms = np.ones(y.size)
    for d in range(y.size):
        for k in range(starts[d], ends[d]):
            norms[d] += (values[k] * scale[d]) ** 2
    active = np.flatnonzero(costs)
    size = active.size
    state = uint64(SEED)
    highest = np.inf
    for _ in range(passes):
        state = shuffle(active, size, state)
        size, bias, new_highest, new_lowest = hinge_pass(
            starts, ends, ranks, values, scale, norms, y, costs, False, active, size, highest, alpha, w, bias
        )
        if new_highest - new_lowest > tolerance:
            highest = new_highest if new_highest > 0 else np.inf
        elif size == active.size:
            break
        else:
            # the remaining documents are at their optimum: check those that were shrunk away
            size, highest = active.size, np.inf
    return bias


@njit(cache=True, nogil=True)
def logistic_dual(starts, ends, ranks, values, scale, y, costs, tolerance, passes, alpha, w, bias):  # type: ignore[no-untyped-def]
    """Improve alpha and w until no derivative of the dual is above `tolerance`, and return the bias."""
    active = np.flatnonzero(costs)
    n = active.size
    state = uint64(SEED)
    logit = np.zeros(y.size)
    for s in range(n):
        logit[active[s]] = np.log(alpha[active[s]] / (costs[active[s]] - alpha[active[s]]))
    for _ in range(passes):
        worst = 0.0
        state = shuffle(active, n, state)
        for s in range(n):
            i = active[s]
            C = costs[i]
            b = y[i] * decision_value(starts, ends, ranks, values, scale, w, bias, i)
            u = logit[i]
            worst = max(worst, abs(u + b))
            if abs(u + b) <= 0.1 * tolerance:
                continue
            a = 2.0 if scale[i] > 0 else 1.0
            base = b - a * alpha[i]
            low, high = -base - a * C, -base
            for _ in range(NEWTON_STEPS):
                share = 1 / (1 + np.exp(-u))
                f = u + a * C * share + base
                if f > 0:
                    high = u
                else:
                    low = u
                if abs(f) <= NEWTON_TOLERANCE:
                    break
                u -= f / (1 + a * C * share * (1 - share))
                if not low < u < high:
                    u = (low + high) / 2
            # beyond these limits a float alpha equals 0 or C
            u = max(-30.0, min(30.0, u))
            new = C / (1 + np.exp(-u))
            step = (new - alpha[i]) * y[i]
            alpha[i], logit[i] = new, u
            bias += step
            add_row(starts, ends, ranks, values, scale, w, i, step)
        if worst <= tolerance:
            break
    return bias
