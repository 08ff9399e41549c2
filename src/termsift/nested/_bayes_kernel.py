"""Compiled sums of naive Bayes along a path of selections, for any number of classes at once.

Invariants:
- A path has steps; at step s the chosen terms are a beginning of one list (the positive terms, more with each
  step) and a beginning of another (the negative terms, fewer with each step). The lists share no term.
- `step[t]` is the first step at which a positive term is in, or the last at which a negative one is;
  -1 for a term that is never chosen.
- Only sums of positive terms grow with the step and only those of negative terms shrink, so both are sums of
  what is chosen, never differences: documents with the same chosen terms have the same sums, to the last bit.
"""

from __future__ import annotations

import numpy as np
from numba import njit


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
