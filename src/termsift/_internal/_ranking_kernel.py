"""Kernel of round-robin selection."""

from __future__ import annotations

import numpy as np

from termsift._internal.kernels import njit


@njit(cache=True, nogil=True)
def round_robin_kernel(indices, starts, n, k):  # type: ignore[no-untyped-def]
    """Return the first k distinct indices below n that the orders choose in turn.

    Order c is indices[starts[c]:starts[c + 1]]; cursor[c] is its first position not examined yet.
    """
    is_chosen = np.zeros(n, dtype=np.bool_)
    chosen = np.empty(min(k, n), dtype=np.intp)
    cursor, size, previous_size = starts[:-1].copy(), 0, -1
    # a round that adds nothing means that all orders are exhausted
    while size < chosen.size and size != previous_size:
        previous_size = size
        for c in range(cursor.size):
            while cursor[c] < starts[c + 1] and is_chosen[indices[cursor[c]]]:
                cursor[c] += 1
            if cursor[c] < starts[c + 1] and size < chosen.size:
                chosen[size] = indices[cursor[c]]
                is_chosen[chosen[size]] = True
                size += 1
    return chosen[:size]
