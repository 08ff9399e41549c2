"""Kernel of logistic regression with the L1 penalty, which leaves most weights at 0.

Minimises |w|_1 + |bias| + C * sum log(1 + exp(-y f)), the objective of liblinear, by Newton steps: the loss
is approximated by its parabola, on which coordinate descent improves the weights, and the step is halved
until the objective decreases. Yuan, Ho and Lin (2012).

Among thousands of terms some dozens get a weight, so only terms are updated that have one, or whose
derivative exceeds the penalty. All other terms are checked when these are at their optimum.

Invariants:
- f[d] is the decision value of document d by w and the bias, always.
- A fit ends only after a check of all terms finds no optimality condition violated by more than `tolerance`.
"""

from __future__ import annotations

import numpy as np

from termsift._internal.kernels import njit

PASSES = 50  # coordinate descent passes over the active terms, on one parabola
HALVINGS = 40
MIN_DECREASE = 0.01  # share of the decrease predicted by the parabola that a step must reach


@njit(inline="always")
def optimality_violation(w, g):  # type: ignore[no-untyped-def]
    """Return by how much a weight with derivative g violates the optimality condition."""
    if w > 0:
        return abs(g + 1)
    return abs(g - 1) if w < 0 else max(abs(g) - 1, 0.0)


@njit(inline="always")
def l1_weight_step(weight, gradient, curvature):  # type: ignore[no-untyped-def]
    """Return the change of a weight to the minimum of its parabola plus its absolute value."""
    if gradient + 1 <= curvature * weight:
        return -(gradient + 1) / curvature
    return -(gradient - 1) / curvature if gradient - 1 >= curvature * weight else -weight


@njit(cache=True, nogil=True)
def logistic_loss(f, y, C):  # type: ignore[no-untyped-def]
    """Return C times the sum of the losses of all documents."""
    total = 0.0
    for d in range(f.size):
        m = y[d] * f[d]
        # the exponent is never positive, so it does not overflow
        total += np.log1p(np.exp(-m)) if m > 0 else np.log1p(np.exp(m)) - m
    return C * total


@njit(cache=True, nogil=True)
def write_newton_step(  # type: ignore[no-untyped-def]
    indptr, indices, data, active, G, bias_slope, curvatures, w, bias, tolerance, step, value_changes
):
    """Write the step of the active weights and the change of decision values; return the step of the bias."""
    h = np.full(active.size, 1e-12)
    for a in range(active.size):
        for k in range(indptr[active[a]], indptr[active[a] + 1]):
            h[a] += curvatures[indices[k]] * data[k] * data[k]
    bias_h = curvatures.sum() + 1e-12
    step[:], value_changes[:] = 0, 0
    bias_step = 0.0
    for _ in range(PASSES):
        g = bias_slope
        for d in range(value_changes.size):
            g += curvatures[d] * value_changes[d]
        change = l1_weight_step(bias + bias_step, g, bias_h)
        bias_step += change
        for d in range(value_changes.size):
            value_changes[d] += change
        worst = abs(change) * bias_h
        for a in range(active.size):
            t = active[a]
            g = G[a]
            for k in range(indptr[t], indptr[t + 1]):
                g += data[k] * curvatures[indices[k]] * value_changes[indices[k]]
            change = l1_weight_step(w[t] + step[a], g, h[a])
            if change != 0:
                step[a] += change
                worst = max(worst, abs(change) * h[a])
                for k in range(indptr[t], indptr[t + 1]):
                    value_changes[indices[k]] += change * data[k]
        if worst <= tolerance:
            break
    return bias_step


@njit(cache=True, nogil=True)
def fit_l1_logistic(indptr, indices, data, y, C, tolerance, rounds):  # type: ignore[no-untyped-def]
    """Return the weights of the columns of a CSC matrix; y is 1 or -1."""
    n = y.size
    w, bias = np.zeros(indptr.size - 1), 0.0
    f, slopes, curves, moves = np.zeros(n), np.empty(n), np.empty(n), np.empty(n)
    active, G = np.empty(0, dtype=np.int64), np.empty(0)
    all_terms, gradients = np.arange(w.size), np.empty(w.size)
    loss, full = logistic_loss(f, y, C), False
    for _ in range(rounds):
        for d in range(n):
            p = 1 / (1 + np.exp(-f[d]))
            slopes[d], curves[d] = C * (p - (y[d] > 0)), C * p * (1 - p)
        worst = optimality_violation(bias, slopes.sum())
        checked = all_terms if full else active
        for a in range(checked.size):
            g = 0.0
            for k in range(indptr[checked[a]], indptr[checked[a] + 1]):
                g += data[k] * slopes[indices[k]]
            gradients[a] = g
            worst = max(worst, optimality_violation(w[checked[a]], g))
        if worst <= tolerance:
            # the active terms are at their optimum: check all before the end
            if full:
                break
            full = True
            continue
        chosen = np.zeros(checked.size, dtype=np.bool_)
        for a in range(checked.size):
            chosen[a] = w[checked[a]] != 0 or abs(gradients[a]) > 1
        active, G = checked[chosen], gradients[: checked.size][chosen]
        full = False
        step = np.empty(active.size)
        bias_step = write_newton_step(
            indptr, indices, data, active, G, slopes.sum(), curves, w, bias, 0.1 * worst, step, moves
        )
        # Armijo condition: the objective must decrease by a share of the prediction
        predicted = slopes.sum() * bias_step + abs(bias + bias_step) - abs(bias)
        for a in range(active.size):
            predicted += G[a] * step[a] + abs(w[active[a]] + step[a]) - abs(w[active[a]])
        share = 1.0
        for _ in range(HALVINGS):
            new_loss = logistic_loss(f + share * moves, y, C)
            change = new_loss - loss + abs(bias + share * bias_step) - abs(bias)
            for a in range(active.size):
                change += abs(w[active[a]] + share * step[a]) - abs(w[active[a]])
            if change <= MIN_DECREASE * share * predicted:
                break
            share /= 2
        else:
            break
        f += share * moves
        loss, bias = new_loss, bias + share * bias_step
        for a in range(active.size):
            w[active[a]] += share * step[a]
    return w
