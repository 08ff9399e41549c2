"""Arrays of one form: names as objects, whole numbers as integers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from termsift._typing import Array


def as_terms(names: Iterable[object]) -> Array:
    """Names as an array of str. NumPy's own string arrays drop trailing zero bytes, so this is of objects."""
    names = list(names)
    terms = np.empty(len(names), dtype=object)
    terms[:] = names
    return terms


def exact(values: Array) -> Array:
    """The values as int64 where all of them are whole, else as float64: one value, one form."""
    if values.dtype.kind in "iub":
        return values.astype(np.int64, copy=False)
    if values.size and np.abs(values).max() >= 2**53:
        return values.astype(np.float64, copy=False)
    whole = values.astype(np.int64)
    return whole if np.array_equal(whole, values) else values.astype(np.float64, copy=False)
