"""Compiled loops along a path of selections: sums of naive Bayes, and logistic regression of 0/1 features.

Invariants:
- A path has steps; at step s the chosen terms are a beginning of one list (the positive terms, more with each
  step) and a beginning of another (the negative terms, fewer with each step). The lists share no term.
- Bayes: `step[t]` is the first step at which a positive term is in, or the last at which a negative one is;
  -1 for a term that is never chosen.
  Only sums of positive terms grow with the step and only those of negative terms shrink, so both are sums of
  what is chosen, never differences: documents with the same chosen terms have the same sums, to the last bit.
- Logistic: E[d] is exp(f) of a document's margin f, and p = 1 / (1 + E[d]) what the model gives the rest.
  Features are 0 or 1, so a change of one weight multiplies E of all documents that hold the term by one
  number: no exponential in the inner loop. The gradient of a weight is a count of documents less their p.
"""

from __future__ import annotations

import numpy as np

from termsift._internal.kernels import njit

LARGEST = 1e250  # of E: below what overflows when it is multiplied once more


@njit(cache=True, nogil=True)
def path_sums(indptr, indices, data, step, positive, logs, n_steps):  # type: ignore[no-untyped-def]
    """(documents, steps, classes) sums of count * logs[t, c] over chosen terms; (documents, steps) counts."""
    n, classes = indptr.size - 1, logs.shape[1]
    out, lengths = np.zeros((n, n_steps, classes)), np.zeros((n, n_steps))
    down, down_lengths = np.zeros((n_steps, classes)), np.zeros(n_steps)
    for d in range(n):
        down[:] = 0
        down_lengths[:] = 0
        for k in range(indptr[d], indptr[d + 1]):
            t = indices[k]
            s = step[t]
            if s < 0:
                continue
            value = float(data[k])
            if positive[t]:
                lengths[d, s] += value
                for c in range(classes):
                    out[d, s, c] += value * logs[t, c]
            else:
                down_lengths[s] += value
                for c in range(classes):
                    down[s, c] += value * logs[t, c]
        for s in range(1, n_steps):
            lengths[d, s] += lengths[d, s - 1]
            for c in range(classes):
                out[d, s, c] += out[d, s - 1, c]
        for s in range(n_steps - 2, -1, -1):
            down_lengths[s] += down_lengths[s + 1]
            for c in range(classes):
                down[s, c] += down[s + 1, c]
        for s in range(n_steps):
            lengths[d, s] += down_lengths[s]
            for c in range(classes):
                out[d, s, c] += down[s, c]
    return out, lengths


@njit(cache=True, nogil=True)
def logistic(  # type: ignore[no-untyped-def]
    indptr, indices, y, columns, penalty, bias_penalty, tolerance, passes, w, bias, E
):
    """Fit a logistic regression to the columns of a 0/1 matrix, from the weights given. Returns the bias.

    Minimises sum log(1 + exp(-y f)) + penalty / 2 * w.w + bias_penalty / 2 * bias^2, one weight after the
    other, each by Newton's step within a region where the curvature is bounded: Zhang and Oles (2001),
    section 4. A bias of infinite penalty stays as it is given.
    Stops when a pass over all columns finds no gradient above `tolerance`.
    """
    n = y.size
    E[:] = bias
    # how many documents of a column are outside the class: its gradient without any p
    outside = np.zeros(columns.size)
    for c in range(columns.size):
        for k in range(indptr[columns[c]], indptr[columns[c] + 1]):
            E[indices[k]] += w[columns[c]]
            outside[c] += y[indices[k]] < 0
    for d in range(n):
        E[d] = np.exp(E[d])
    all_outside = np.sum(y < 0)
    region = np.full(columns.size, 1.0)
    active = np.ones(columns.size, dtype=np.bool_)
    full = True
    for _ in range(passes):
        worst = 0.0
        # the bias, which every document has: Newton's step
        g, h = 0.0, 1.0
        if bias_penalty < np.inf:
            g = all_outside + bias_penalty * bias
            h = 1e-12 + bias_penalty
            for d in range(n):
                p = 1 / (1 + E[d])
                g -= p
                h += p * (1 - p)
        worst = max(worst, abs(g))
        if abs(g) > 0.5 * tolerance:
            delta = max(-1.0, min(1.0, -g / h))
            bias += delta
            factor = np.exp(delta)
            for d in range(n):
                E[d] = min(E[d] * factor, LARGEST)
        for c in range(columns.size):
            if not (full or active[c]):
                continue
            t = columns[c]
            first, last = indptr[t], indptr[t + 1]
            g = penalty * w[t] + outside[c]
            h = penalty
            reach = np.exp(region[c])
            for k in range(first, last):
                p = 1 / (1 + E[indices[k]])
                g -= p
                # within the region: the logarithm of p (1 - p) changes no faster than the margin
                h += min(0.25, p * (1 - p) * reach)
            active[c] = abs(g) > 0.5 * tolerance
            worst = max(worst, abs(g))
            if not active[c]:
                continue
            delta = max(-region[c], min(region[c], -g / h))
            region[c] = max(2 * abs(delta), region[c] / 2)
            w[t] += delta
            factor = np.exp(delta)
            for k in range(first, last):
                E[indices[k]] = min(E[indices[k]] * factor, LARGEST)
        if worst <= tolerance:
            if full:
                break
            full = True
        else:
            full = False
    return bias


@njit(cache=True, nogil=True)
def add_margins(indptr, indices, columns, w, bias, out):  # type: ignore[no-untyped-def]
    """The margins of the documents of a 0/1 matrix."""
    out[:] = bias
    for c in range(columns.size):
        value = w[columns[c]]
        for k in range(indptr[columns[c]], indptr[columns[c] + 1]):
            out[indices[k]] += value


@njit(cache=True, nogil=True)
def logistic_path(  # type: ignore[no-untyped-def]
    indptr, indices, y, first, last, sizes, k, penalty, bias_penalty, tolerance, passes,
    other_indptr, other_indices, judged,
):  # fmt: skip
    """Fit each step of a path from the weights of the one before. Returns the margins of others.

    A step that chooses what the one before chose has its margins.
    """
    n = y.size
    found = np.empty((judged, sizes.size))
    w, E = np.zeros(indptr.size - 1), np.empty(n)
    positive = np.sum(y > 0)
    bias = np.log((positive + 0.5) / (n - positive + 0.5)) if bias_penalty < np.inf else 0.0
    margins = np.empty(judged)
    for s in range(sizes.size):
        if s == 0 or sizes[s] != sizes[s - 1]:
            columns = np.concatenate((first[: sizes[s]], last[: k - sizes[s]]))
            if s:
                # what left the selection has no weight
                w[last[k - sizes[s] : k - sizes[s - 1]]] = 0
            bias = logistic(indptr, indices, y, columns, penalty, bias_penalty, tolerance, passes, w, bias, E)
            add_margins(other_indptr, other_indices, columns, w, bias, margins)
        found[:, s] = margins
    return found
