"""Kernels along a path of selections: sums of naive Bayes, and logistic regression of 0/1 features.

Invariants:
- At each step of a path the selected terms are a prefix of one list (positive terms, more with each step) and
  a prefix of another (negative terms, fewer with each step). The lists share no term.
- Naive Bayes: `step[t]` is the first step with a positive term, or the last step with a negative one; -1 for
  a term that is never selected.
  Sums of positive terms only grow with the step and sums of negative terms only shrink, so both are sums of
  selected terms, never differences: documents with the same selected terms have the same sums, to the last
  bit.
- Logistic regression: E[d] is exp(f) of a document's decision value f, and p = 1 / (1 + E[d]) the probability
  of the rest. Features are 0 or 1, so a change of one weight multiplies E of all documents with the term by
  one number: no exponential in the inner loop. The gradient of a weight is a number of documents minus their
  p.
"""

from __future__ import annotations

import numpy as np

from termsift._internal.kernels import njit

MAX_ODDS = 1e250  # of E, so that one more multiplication does not overflow


@njit(cache=True, nogil=True)
def path_sums(indptr, indices, data, step, positive, factors, n_steps):  # type: ignore[no-untyped-def]
    """Return (documents, steps, columns) sums of count * factors[t, column] over the selected terms."""
    n, columns = indptr.size - 1, factors.shape[1]
    out, down = np.zeros((n, n_steps, columns)), np.zeros((n_steps, columns))
    for d in range(n):
        down[:] = 0
        for k in range(indptr[d], indptr[d + 1]):
            t = indices[k]
            s = step[t]
            if s < 0:
                continue
            value = float(data[k])
            if positive[t]:
                for c in range(columns):
                    out[d, s, c] += value * factors[t, c]
            else:
                for c in range(columns):
                    down[s, c] += value * factors[t, c]
        # a positive term is in all later steps, a negative one in all earlier steps
        for c in range(columns):
            for s in range(1, n_steps):
                out[d, s, c] += out[d, s - 1, c]
            for s in range(n_steps - 2, -1, -1):
                down[s, c] += down[s + 1, c]
            for s in range(n_steps):
                out[d, s, c] += down[s, c]
    return out


@njit(cache=True, nogil=True)
def fit_logistic(  # type: ignore[no-untyped-def]
    indptr, indices, y, columns, penalty, bias_penalty, tolerance, passes, w, bias, E
):
    """Fit a logistic regression to the columns of a 0/1 matrix from initial weights, and return the bias.

    Minimises sum log(1 + exp(-y f)) + penalty / 2 * w.w + bias_penalty / 2 * bias^2 by coordinate descent,
    with Newton steps in a region where the curvature is bounded: Zhang and Oles (2001), section 4. A bias
    with infinite penalty stays unchanged.
    Stops when a pass over all columns finds no gradient above `tolerance`.
    """
    n = y.size
    E[:] = bias
    # number of documents of a column outside the class: its gradient without any p
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
        # Newton step of the bias
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
                E[d] = min(E[d] * factor, MAX_ODDS)
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
                # in the region: the logarithm of p (1 - p) changes no faster than the decision value
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
                E[indices[k]] = min(E[indices[k]] * factor, MAX_ODDS)
        if worst <= tolerance and full:
            break
        # once the active columns are at their optimum, the next pass checks all
        full = worst <= tolerance
    return bias


@njit(cache=True, nogil=True)
def logistic_path(  # type: ignore[no-untyped-def]
    indptr, indices, y, first, last, sizes, k, penalty, bias_penalty, tolerance, passes,
    test_indptr, test_indices, n_test,
):  # fmt: skip
    """Fit each step of a path from the weights of the previous one; return (test documents, steps) values.

    A step with the same terms as the previous one has the same decision values.
    """
    n = y.size
    decision_values = np.empty((n_test, sizes.size))
    w, E = np.zeros(indptr.size - 1), np.empty(n)
    positive = np.sum(y > 0)
    bias = np.log((positive + 0.5) / (n - positive + 0.5)) if bias_penalty < np.inf else 0.0
    values = np.empty(n_test)
    for s in range(sizes.size):
        if s == 0 or sizes[s] != sizes[s - 1]:
            columns = np.concatenate((first[: sizes[s]], last[: k - sizes[s]]))
            if s:
                # terms that left the selection
                w[last[k - sizes[s] : k - sizes[s - 1]]] = 0
            bias = fit_logistic(
                indptr, indices, y, columns, penalty, bias_penalty, tolerance, passes, w, bias, E
            )
            values[:] = bias
            for t in columns:
                for j in range(test_indptr[t], test_indptr[t + 1]):
                    values[test_indices[j]] += w[t]
        decision_values[:, s] = values
    return decision_values
