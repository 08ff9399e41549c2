"""Labels, in any of their forms, become one set of classes a document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from termsift.errors import InvalidInput
from termsift.labels import sorted_classes


def label_sets(labels: Any) -> tuple[tuple[Any, ...], list[frozenset[Any]]]:
    """The classes, and those of each document, of 1-d labels, lists of labels or an indicator matrix.

    >>> label_sets([["a", "b"], []])
    (('a', 'b'), [frozenset({...}), frozenset()])
    """
    if is_indicator(labels):
        return of_indicator(labels)
    values = listed_labels(labels)
    several = any(is_several(value) for value in values)
    sets = [of_document(i, value if several else (value,)) for i, value in enumerate(values)]
    return sorted_classes(name for names in sets for name in names), sets


def is_indicator(labels: Any) -> bool:
    """Whether the labels are a matrix or data frame, a column for each class."""
    return len(getattr(labels, "shape", ())) == 2


def of_indicator(labels: Any) -> tuple[tuple[int, ...], list[frozenset[int]]]:
    """Columns of zeros and ones; the classes are 0, 1, ..."""
    matrix: Any = labels if issparse(labels) else np.asarray(labels)
    if matrix.dtype.kind not in "iubf":
        raise InvalidInput(f"a 2-d array of labels must be an indicator of 0 and 1, got {matrix.dtype}")
    indicator = csr_array(matrix, copy=True)
    indicator.eliminate_zeros()
    if not np.all(indicator.data == 1):
        bad = indicator.data[indicator.data != 1][0]
        raise InvalidInput(f"an indicator matrix of labels holds 0 and 1 only, got {bad}")
    rows = np.split(indicator.indices, indicator.indptr[1:-1])[: indicator.shape[0]]
    return tuple(range(indicator.shape[1])), [frozenset(row.tolist()) for row in rows]


def listed_labels(labels: Any) -> list[Any]:
    """A list of the items of a list, array, Series of any library, or Arrow array."""
    if isinstance(labels, str | bytes | dict) or not isinstance(labels, Iterable):
        raise InvalidInput(f"labels must be a list, one item a document, got {type(labels).__name__}")
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(labels, method):
            return list(getattr(labels, method)())
    return list(labels)


def of_document(i: int, names: Any) -> frozenset[Any]:
    """The labels of document i."""
    if not is_several(names):
        raise InvalidInput(f"document {i} has the label {names!r} where others have lists of labels")
    scalars = [name.item() if isinstance(name, np.generic) else name for name in names]
    if any(is_several(name) for name in scalars):
        raise InvalidInput(f"document {i} has the label {scalars[0]!r}, which is not a single value")
    if any(name is None or name != name for name in scalars):
        raise InvalidInput(f"document {i} has a missing label; drop it or give it a class")
    return frozenset(scalars)


def is_several(value: object) -> bool:
    """Whether a document's label is a collection of labels."""
    return isinstance(value, list | tuple | set | frozenset | np.ndarray)
