"""Compiled round-robin.

Invariants:
- The orders are joined: order c is indices[starts[c] : starts[c + 1]].
- at[c] is the first place of order c that was not looked at; what is before it is taken.
"""

from __future__ import annotations

import numpy as np

from termsift._internal.kernels import njit


@njit(cache=True, nogil=True)
def round_robin_kernel(indices, starts, n, k):  # type: ignore[no-untyped-def]
    """The first k indices below n that the orders take, each in its turn, none twice."""
    taken = np.zeros(n, dtype=np.bool_)
    chosen = np.empty(min(k, n), dtype=np.intp)
    at, size, before = starts[:-1].copy(), 0, -1
    while size < chosen.size and size != before:
        before = size
        for c in range(at.size):
            while at[c] < starts[c + 1] and taken[indices[at[c]]]:
                at[c] += 1
            if at[c] < starts[c + 1] and size < chosen.size:
                chosen[size] = indices[at[c]]
                taken[chosen[size]] = True
                size += 1
    return chosen[:size]
