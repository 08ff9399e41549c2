"""Compiled logistic regression with the L1 penalty, for the few terms that it keeps.

Minimises |w|_1 + |bias| + C * sum log(1 + exp(-y f)), which is what liblinear does, by Newton's steps: the
loss is taken for its parabola, on which one weight after the other is improved, and the step is halved until
the whole falls. Yuan, Ho and Lin (2012).

Of thousands of terms some dozens get a weight, so only those are moved that have one, or whose derivative is
above the penalty. All others are looked at when these are at their optimum, and then it is that of all.

Invariants:
- f[d] is the margin of document d by w and the bias, always.
- No fit ends before a look at all terms finds no condition of the optimum broken by more than `tolerance`.
"""

from __future__ import annotations

import numpy as np

from termsift._internal.kernels import njit

PASSES = 50  # over the terms that move, on one parabola
HALVINGS = 40
ENOUGH = 0.01  # of what the parabola promises, for a step to be taken


@njit(inline="always")
def broken(w, g):  # type: ignore[no-untyped-def]
    """How far a weight of derivative g is from the condition of the optimum."""
    if w > 0:
        return abs(g + 1)
    return abs(g - 1) if w < 0 else max(abs(g) - 1, 0.0)


@njit(inline="always")
def improved(w, g, h):  # type: ignore[no-untyped-def]
    """The change of a weight to the least point of its parabola and its size."""
    if g + 1 <= h * w:
        return -(g + 1) / h
    return -(g - 1) / h if g - 1 >= h * w else -w


@njit(cache=True, nogil=True)
def loss_of(f, y, C):  # type: ignore[no-untyped-def]
    """The loss of all documents."""
    total = 0.0
    for d in range(f.size):
        m = y[d] * f[d]
        total += np.log1p(np.exp(-m)) if m > 0 else np.log1p(np.exp(m)) - m
    return C * total


@njit(cache=True, nogil=True)
def newton_step(indptr, indices, data, active, G, bias_slope, curves, w, bias, near, step, moved):  # type: ignore[no-untyped-def]
    """Write the step of the active weights and what it moves margins by. Returns the bias's."""
    h = np.full(active.size, 1e-12)
    for a in range(active.size):
        for k in range(indptr[active[a]], indptr[active[a] + 1]):
            h[a] += curves[indices[k]] * data[k] * data[k]
    bias_h = curves.sum() + 1e-12
    step[:], moved[:] = 0, 0
    bias_step = 0.0
    for _ in range(PASSES):
        g = bias_slope
        for d in range(moved.size):
            g += curves[d] * moved[d]
        change = improved(bias + bias_step, g, bias_h)
        bias_step += change
        for d in range(moved.size):
            moved[d] += change
        worst = abs(change) * bias_h
        for a in range(active.size):
            t = active[a]
            g = G[a]
            for k in range(indptr[t], indptr[t + 1]):
                g += data[k] * curves[indices[k]] * moved[indices[k]]
            change = improved(w[t] + step[a], g, h[a])
            if change != 0:
                step[a] += change
                worst = max(worst, abs(change) * h[a])
                for k in range(indptr[t], indptr[t + 1]):
                    moved[indices[k]] += change * data[k]
        if worst <= near:
            break
    return bias_step


@njit(cache=True, nogil=True)
def l1_logistic(indptr, indices, data, y, C, tolerance, rounds):  # type: ignore[no-untyped-def]
    """(terms,) the weights of the columns of a CSC matrix; y is 1 or -1."""
    n = y.size
    w, bias = np.zeros(indptr.size - 1), 0.0
    f, slopes, curves, moved = np.zeros(n), np.empty(n), np.empty(n), np.empty(n)
    active, G = np.empty(0, dtype=np.int64), np.empty(0)
    every, every_G = np.arange(w.size), np.empty(w.size)
    loss, full = loss_of(f, y, C), False
    for _ in range(rounds):
        for d in range(n):
            p = 1 / (1 + np.exp(-f[d]))
            slopes[d], curves[d] = C * (p - (y[d] > 0)), C * p * (1 - p)
        worst = broken(bias, slopes.sum())
        looked = every if full else active
        for a in range(looked.size):
            g = 0.0
            for k in range(indptr[looked[a]], indptr[looked[a] + 1]):
                g += data[k] * slopes[indices[k]]
            every_G[a] = g
            worst = max(worst, broken(w[looked[a]], g))
        if worst <= tolerance:
            if full:
                break
            full = True
            continue
        chosen = np.zeros(looked.size, dtype=np.bool_)
        for a in range(looked.size):
            chosen[a] = w[looked[a]] != 0 or abs(every_G[a]) > 1
        active, G = looked[chosen], every_G[: looked.size][chosen]
        full = False
        step = np.empty(active.size)
        bias_step = newton_step(
            indptr, indices, data, active, G, slopes.sum(), curves, w, bias, 0.1 * worst, step, moved
        )
        promised = slopes.sum() * bias_step + abs(bias + bias_step) - abs(bias)
        for a in range(active.size):
            promised += G[a] * step[a] + abs(w[active[a]] + step[a]) - abs(w[active[a]])
        share = 1.0
        for _ in range(HALVINGS):
            new_loss = loss_of(f + share * moved, y, C)
            change = new_loss - loss + abs(bias + share * bias_step) - abs(bias)
            for a in range(active.size):
                change += abs(w[active[a]] + share * step[a]) - abs(w[active[a]])
            if change <= ENOUGH * share * promised:
                break
            share /= 2
        else:
            break
        f += share * moved
        loss, bias = new_loss, bias + share * bias_step
        for a in range(active.size):
            w[active[a]] += share * step[a]
    return w
