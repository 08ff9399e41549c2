"""Matrices from outside, checked before compiled loops, SciPy's or ours, follow their indices."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array


def is_sparse(data: Any) -> bool:
    """Whether the data is a sparse matrix or array of SciPy."""
    return bool(issparse(data))


def validate_matrix(X: Any) -> Any:
    """The matrix, sparse or dense, of numbers that SciPy takes; an error for one that is damaged or masked.

    SciPy trusts the indices of a sparse matrix, and reads and writes outside of its memory where they lie.
    """
    if not is_sparse(X):
        if np.ma.is_masked(X):
            raise InvalidInputError("the matrix has masked values; fill them, as in X.filled(0)")
        X = np.asarray(X)
    elif X.ndim == 2:
        check_sparse_structure(X)
    return to_native_dtype(X)


def to_csr(X: Any) -> csr_array[Any]:
    """A checked matrix by rows. Repeated entries are added up, or kept, in a type that holds their sums."""
    if not is_sparse(X):
        return csr_array(X)
    if X.format in ("lil", "dok"):
        with translate_entry_errors(X):
            X = X.tocsr()
    kind = sum_dtype(X)
    if X.dtype == kind:
        return csr_array(X)
    if X.format == "csr":
        return csr_array((X.data.astype(kind), X.indices, X.indptr), shape=X.shape)
    return csr_array(X.astype(kind))


def sum_dtype(X: Any) -> Any:
    """The type in which entries of a sparse matrix can be added: int64 where they are whole and not huge."""
    if X.dtype.kind not in "iub":
        return X.dtype if X.dtype.kind == "c" else np.float64
    small = X.dtype.itemsize <= 4 or (X.data.max(initial=0) < 2**31 and X.data.min(initial=0) > -(2**31))
    return np.int64 if small else np.float64


def to_native_dtype(X: Any) -> Any:
    """The matrix in the byte order of this machine; floats of 16 bits as 32, of more than 64 as 64."""
    kind = X.dtype.newbyteorder("=")
    if kind.kind == "f" and kind.itemsize not in (4, 8):
        kind = np.dtype(np.float32 if kind.itemsize < 4 else np.float64)
    return X if X.dtype == kind else X.astype(kind)


def check_sparse_structure(X: Any) -> None:
    """An error unless a sparse matrix holds together: its arrays fit each other, and indices its shape."""
    if X.format in ("csr", "csc", "bsr"):
        check_compressed(X)
    elif X.format == "dia":
        if X.data.ndim != 2 or X.offsets.shape != X.data.shape[:1] or X.offsets.dtype.kind != "i":
            raise damaged_matrix_error(X, "it has not one offset for each diagonal")
    else:
        for places, size in zip(entry_coordinates(X), X.shape, strict=True):
            check_index_bounds(X, places, size)


def check_compressed(X: Any) -> None:
    """An error unless the runs of a matrix by rows, columns or blocks rise, and end within its entries."""
    runs, size = X.shape[::-1] if X.format == "csc" else X.shape
    if X.format == "bsr":
        if X.data.ndim != 3:
            raise damaged_matrix_error(X, "its entries are not blocks")
        runs, size = runs // X.data.shape[1], size // X.data.shape[2]
    starts, places = X.indptr, X.indices
    if any(part.ndim != 1 or part.dtype.kind != "i" or not part.dtype.isnative for part in (starts, places)):
        raise damaged_matrix_error(X, "its indices are not lists of whole numbers")
    if len(starts) != runs + 1 or starts[0] != 0 or bool((starts[1:] < starts[:-1]).any()):
        raise damaged_matrix_error(X, f"its indptr does not rise from 0 in {runs} steps")
    if starts[-1] > min(len(places), len(X.data)):
        raise damaged_matrix_error(X, f"its indptr ends at {starts[-1]}, and there are {len(X.data)} entries")
    check_index_bounds(X, places[: starts[-1]], size)


def check_index_bounds(X: Any, places: Array, size: int) -> None:
    """An error unless all indices are at least 0 and below the size."""
    # as unsigned numbers the negative ones are the largest
    if places.size and places.view(f"u{places.itemsize}").max() >= size:
        strange = places[(places < 0) | (places >= size)][0]
        raise damaged_matrix_error(X, f"it has the index {strange}, where they go from 0 to {size - 1}")


def entry_coordinates(X: Any) -> tuple[Array, ...]:
    """The rows and the columns of the entries of a matrix that is made of pairs, or of lists."""
    if X.format == "coo":
        if any(part.shape != X.data.shape or part.dtype.kind != "i" for part in X.coords):
            raise damaged_matrix_error(X, "it has not a row and a column for each entry")
        return tuple(X.coords)
    if X.format == "dok":
        with translate_entry_errors(X):
            pairs = np.array(list(X.keys()), dtype=np.int64).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]
    lengths = [len(row) for row in X.rows]
    if lengths != [len(row) for row in X.data] or len(lengths) != X.shape[0]:
        raise damaged_matrix_error(X, "it has not a column for each entry")
    with translate_entry_errors(X):
        columns = np.array(list(chain.from_iterable(X.rows)), dtype=np.int64)
    return np.repeat(np.arange(len(lengths)), lengths), columns


@contextmanager
def translate_entry_errors(X: Any) -> Iterator[None]:
    """An error for what NumPy and SciPy raise where lists or keys of a matrix hold something else."""
    try:
        yield
    except (TypeError, ValueError, OverflowError) as error:
        raise damaged_matrix_error(X, f"its entries are not numbers at whole numbers: {error}") from error


def damaged_matrix_error(X: Any, what: str) -> InvalidInputError:
    """The error for a sparse matrix that does not hold together."""
    return InvalidInputError(
        f"the sparse matrix ({X.format}, {X.shape[0]} x {X.shape[1]}) is damaged: {what}"
    )
