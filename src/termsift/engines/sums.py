"""Sums by class, as the kernels give them, become the tables of Counts."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csc_array, csr_array

from termsift.counts import Array, exact

# (terms, df, tf, tf2) of one class, ascending by term
Sums: TypeAlias = tuple[Array, Array, Array, Array]


def tables(columns: list[Sums], size: int) -> tuple[csr_array[Any], csr_array[Any], csr_array[Any]]:
    """Sums that stand class by class as three sparse tables of terms x classes with one pattern."""
    none = [(np.zeros(0, dtype=np.int64),) * 4]
    term_of, *values = (np.concatenate([column[i] for column in columns or none]) for i in range(4))
    starts = np.concatenate([[0], np.cumsum([len(column[0]) for column in columns], dtype=np.int64)])
    shape = (size, len(columns))
    by_term = csc_array((np.arange(len(term_of)), term_of, starts), shape=shape).tocsr()
    df, tf, tf2 = (
        csr_array((exact(value[by_term.data]), by_term.indices, by_term.indptr), shape=shape)
        for value in values
    )
    return df, tf, tf2


def spread(sums: Sums, size: int) -> tuple[Array, Array, Array]:
    """Sparse sums as three full vectors."""
    terms, *values = sums
    full = [np.zeros(size, dtype=value.dtype) for value in values]
    for total, value in zip(full, values, strict=True):
        total[terms] = value
    return exact(full[0]), exact(full[1]), exact(full[2])
