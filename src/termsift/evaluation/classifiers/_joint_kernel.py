"""Compiled dual coordinate descent of the squared hinge, several classes against the rest at once.

The problem of each class is that of `_linear_kernel.squared_hinge`, and so are rows, ends and scales. Of the
documents of a class one in ten has an alpha above 0, so what takes time is to look at the others, again and
again. Here all documents are looked at for all classes at once, a row being read once, and between two looks
each class descends on the documents alone that its last look found short of the optimum or above 0.

Invariants:
- `w[c]` is the sum of alpha[c, i] y[c, i] x_i over all rows within their ends, `bias[c]` that of alpha y.
- No class is done before a look at all documents finds no projected gradient farther than `tolerance` from 0
  together with the one farthest on the other side.
- What a class goes through depends on no other class: the result is the same for any block of classes.
"""

from __future__ import annotations

import numpy as np
from numba import uint64

from termsift._internal.kernels import njit
from termsift.evaluation.classifiers._linear_kernel import SEED, add_row, unit_weights

FIRST = 0.15  # of what a look finds farthest, as near as a descent goes before the next


@njit(inline="always")
def shuffled_quickly(active, n, state):  # type: ignore[no-untyped-def]
    """Shuffle the first n in place by xorshift, without a division. Returns the new state."""
    for i in range(n - 1, 0, -1):
        state ^= state << uint64(13)
        state ^= state >> uint64(7)
        state ^= state << uint64(17)
        j = np.int64(((state >> uint64(32)) * uint64(i + 1)) >> uint64(32))
        active[i], active[j] = active[j], active[i]
    return state


@njit(inline="always")
def unrolled_margin(starts, ends, ranks, values, scale, w, bias, d):  # type: ignore[no-untyped-def]
    """What the model says of a row, by four sums side by side: one alone waits for each addition."""
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


@njit(cache=True, nogil=True)
def class_margins(starts, ends, ranks, values, scale, W, bias, out):  # type: ignore[no-untyped-def]
    """(rows, classes) what each class says of each row; W is (terms, classes)."""
    sums = np.empty(bias.size)
    for d in range(ends.size):
        sums[:] = 0.0
        for k in range(starts[d], ends[d]):
            value, rank = values[k], ranks[k]
            for c in range(sums.size):
                sums[c] += value * W[rank, c]
        for c in range(sums.size):
            out[d, c] = sums[c] * scale[d] + bias[c]


@njit(cache=True, nogil=True)
def by_term(w, chosen, k):  # type: ignore[no-untyped-def]
    """(terms, classes) the weights of some classes for the k best terms."""
    found = np.empty((k, chosen.size))
    for c in range(chosen.size):
        for t in range(k):
            found[t, c] = w[chosen[c], t]
    return found


@njit(cache=True, nogil=True)
def descend(  # type: ignore[no-untyped-def]
    starts, ends, ranks, values, scale, y, costs, tolerance, passes, active, n, alpha, w, bias, state
):
    """Improve a class on the first n of the active documents. Returns the bias, and the state of the lot."""
    size = n
    highest = np.inf
    for _ in range(passes):
        new_highest, new_lowest = -np.inf, np.inf
        state = shuffled_quickly(active, size, state)
        s = 0
        while s < size:
            i = active[s]
            soft = 0.5 / costs[i]
            g = y[i] * unrolled_margin(starts, ends, ranks, values, scale, w, bias, i) - 1 + soft * alpha[i]
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
            break
        highest = new_highest if new_highest > 0 else np.inf
    return bias, state


@njit(cache=True, nogil=True)
def joint_squared_hinge(  # type: ignore[no-untyped-def]
    starts, ends, ranks, values, scale, y, costs, tolerance, passes, alpha, w, bias, k
):
    """Improve all classes from their alphas; y, costs and alpha are (classes, documents), w (classes, terms).

    k : how many terms are chosen
    """
    n = y.shape[1]
    left = np.arange(y.shape[0])
    for c in left:
        bias[c] = unit_weights(starts, ends, ranks, values, scale, alpha[c], y[c], w[c])
    active = np.empty(n, dtype=np.int64)
    states = np.full(left.size, uint64(SEED))
    found = np.empty((n, left.size))
    for _ in range(passes):
        margins = found.ravel()[: n * left.size].reshape((n, left.size))
        class_margins(starts, ends, ranks, values, scale, by_term(w, left, k), bias[left], margins)
        stays = np.zeros(left.size, dtype=np.bool_)
        for place in range(left.size):
            c = left[place]
            highest, lowest, size = 0.0, 0.0, 0
            for i in range(n):
                if costs[c, i] > 0:
                    g = y[c, i] * margins[i, place] - 1 + 0.5 / costs[c, i] * alpha[c, i]
                    if alpha[c, i] > 0 or g < 0:
                        highest, lowest = max(highest, g), min(lowest, g)
                        active[size] = i
                        size += 1
            if highest - lowest > tolerance:
                stays[place] = True
                # while many are far from it, no nearer than some way: the next look finds others
                near = max(tolerance, FIRST * (highest - lowest))
                bias[c], states[c] = descend(
                    starts, ends, ranks, values, scale, y[c], costs[c], near, passes, active, size,
                    alpha[c], w[c], bias[c], states[c],
                )  # fmt: skip
        left = left[stays]
        if not left.size:
            break
