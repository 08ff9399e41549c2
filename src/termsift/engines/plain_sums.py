"""What the loops of `_sums_kernel` give, by NumPy: for small matrices, where no compiled loop is loaded.

The sums are added in the same order, so they are equal to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._typing import Array
from termsift.engines.sums import Sums


def class_sums(
    rows: csr_array[Any], least: Any, most: Any, weights: Array, documents: Array, kind: Any
) -> tuple[Sums, int]:
    """The sums of some documents, and the place of a bad value, or -1."""
    at = entries_of(rows.indptr, documents)
    lengths = np.diff(rows.indptr)[documents]
    value = rows.data[at]
    weight = np.repeat(weights[documents], lengths) if weights.size else np.ones(len(at), dtype=kind)
    used = (value != 0) & (weight != 0)
    at, value, weight = at[used], value[used], weight[used]
    strange = np.flatnonzero(~((value >= least) & (value <= most)))
    if strange.size:
        return (at[:0], value[:0], value[:0], value[:0]), int(at[strange[0]])
    terms, place = np.unique(rows.indices[at], return_inverse=True)
    sums = [np.zeros(len(terms), dtype=kind) for _ in range(3)]
    for total, part in zip(sums, (weight, weight * value, weight * value * value), strict=True):
        np.add.at(total, place, part)
    return (terms.astype(np.int64), sums[0], sums[1], sums[2]), -1


def entries_of(indptr: Array, documents: Array) -> Array:
    """The places of all entries of some documents, document by document."""
    starts, lengths = indptr[documents].astype(np.int64), np.diff(indptr)[documents].astype(np.int64)
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(lengths.sum())


def repeats(indptr: Array, indices: Array, size: int) -> bool:
    """Whether a row holds a column twice, of `size` columns."""
    row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    keys = row * size + indices[: len(row)]
    return len(np.unique(keys)) < len(keys)
