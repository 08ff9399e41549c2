"""Kernels of dual coordinate descent for the squared hinge, several classes against the rest at once.

The problem of each class is that of `_linear_kernel.squared_hinge`, as are rows, ends and scales. About one
in ten documents of a class has an alpha above 0, so most time is spent on checking the others repeatedly.
Here all documents are checked for all classes at once, so each row is read once, and between two checks each
class descends only on the documents that its last check found above 0 or not at their optimum.

Invariants:
- `w[c]` is the sum of alpha[c, i] y[c, i] x_i over all rows within their ends, `bias[c]` that of alpha y.
- A class is done only after a check of all documents finds that the highest and the lowest projected gradient
  differ by at most `tolerance`.
- Classes do not influence each other: the result is the same for any block of classes.
"""

from __future__ import annotations

import numpy as np
from numba import uint64

from termsift._internal.kernels import njit
from termsift.evaluation.classifiers._linear_kernel import SEED, hinge_pass, write_primal_weights

DESCENT_SHARE = 0.15  # tolerance of a descent, as a share of the difference that the check found


@njit(inline="always")
def shuffle_fast(active, n, state):  # type: ignore[no-untyped-def]
    """Shuffle the first n items in place by xorshift without a division, and return the new state."""
    for i in range(n - 1, 0, -1):
        state ^= state << uint64(13)
        state ^= state >> uint64(7)
        state ^= state << uint64(17)
        j = np.int64(((state >> uint64(32)) * uint64(i + 1)) >> uint64(32))
        active[i], active[j] = active[j], active[i]
    return state


@njit(cache=True, nogil=True)
def write_class_decision_values(starts, ends, ranks, values, scale, w, bias, classes, k, out):  # type: ignore[no-untyped-def]
    """Write (rows, classes) the decision values of some classes for the k best terms."""
    # the weights of a term for all classes are contiguous, because they are read together
    W = np.empty((k, classes.size))
    for c in range(classes.size):
        for t in range(k):
            W[t, c] = w[classes[c], t]
    sums = np.empty(classes.size)
    for d in range(ends.size):
        sums[:] = 0.0
        for j in range(starts[d], ends[d]):
            value, rank = values[j], ranks[j]
            for c in range(sums.size):
                sums[c] += value * W[rank, c]
        for c in range(sums.size):
            out[d, c] = sums[c] * scale[d] + bias[classes[c]]


@njit(cache=True, nogil=True)
def run_hinge_passes(  # type: ignore[no-untyped-def]
    starts, ends, ranks, values, scale, norms, y, costs, tolerance, passes, active, alpha, w, bias, state
):
    """Improve a class on its active documents, and return the bias and the state of the random numbers."""
    highest, size = np.inf, active.size
    for _ in range(passes):
        state = shuffle_fast(active, size, state)
        size, bias, new_highest, new_lowest = hinge_pass(
            starts, ends, ranks, values, scale, norms, y, costs, True, active, size, highest, alpha, w, bias
        )
        if new_highest - new_lowest <= tolerance:
            break
        highest = new_highest if new_highest > 0 else np.inf
    return bias, state


@njit(cache=True, nogil=True)
def one_vs_rest_squared_hinge(  # type: ignore[no-untyped-def]
    starts, ends, ranks, values, scale, y, costs, tolerance, passes, alpha, w, bias, k
):
    """Improve all classes from their alphas; y, costs and alpha are (classes, documents), w (classes, terms).

    k : number of selected terms
    """
    n = y.shape[1]
    norms = np.where(scale > 0, 2.0, 1.0)  # rows of unit length, and the feature of the bias
    remaining = np.arange(y.shape[0])
    for c in remaining:
        bias[c] = write_primal_weights(starts, ends, ranks, values, scale, alpha[c], y[c], w[c])
    active = np.empty(n, dtype=np.int64)
    states = np.full(remaining.size, uint64(SEED))
    buffer = np.empty(n * remaining.size)
    for _ in range(passes):
        check = buffer[: n * remaining.size].reshape((n, remaining.size))
        write_class_decision_values(starts, ends, ranks, values, scale, w, bias, remaining, k, check)
        is_open = np.zeros(remaining.size, dtype=np.bool_)
        for column in range(remaining.size):
            c = remaining[column]
            highest, lowest, size = 0.0, 0.0, 0
            for i in range(n):
                if costs[c, i] > 0:
                    g = y[c, i] * check[i, column] - 1 + 0.5 / costs[c, i] * alpha[c, i]
                    if alpha[c, i] > 0 or g < 0:
                        highest, lowest = max(highest, g), min(lowest, g)
                        active[size] = i
                        size += 1
            if highest - lowest > tolerance:
                is_open[column] = True
                # far from the optimum a precise descent is wasted: the next check finds other documents
                near = max(tolerance, DESCENT_SHARE * (highest - lowest))
                bias[c], states[c] = run_hinge_passes(
                    starts, ends, ranks, values, scale, norms, y[c], costs[c], near, passes,
                    active[:size], alpha[c], w[c], bias[c], states[c],
                )  # fmt: skip
        remaining = remaining[is_open]
        if not remaining.size:
            break
