"""Validation of matrices from callers, before compiled code of SciPy or termsift follows their indices."""

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
    """Return whether the data is a sparse matrix or array of SciPy."""
    return bool(issparse(data))


def validate_matrix(X: Any) -> Any:
    """Return a sparse or dense matrix with a dtype that SciPy supports; raise if it is damaged or masked.

    SciPy trusts the indices of a sparse matrix: wrong ones read and write outside of its memory.
    """
    if not is_sparse(X):
        if np.ma.is_masked(X):
            raise InvalidInputError("the matrix has masked values; fill them, as in X.filled(0)")
        X = np.asarray(X)
    elif X.ndim == 2:
        check_sparse_structure(X)
    return to_native_dtype(X)


def to_csr(X: Any) -> csr_array[Any]:
    """Return a validated matrix as CSR, in a dtype that can hold the sum of duplicate entries."""
    if not is_sparse(X):
        return csr_array(X)
    if X.format in ("lil", "dok"):
        with translate_entry_errors(X):
            X = X.tocsr()
    dtype: Any = np.float64
    if X.dtype.kind == "b":
        rows = csr_array(X.astype(np.int64))
        # repeated entries are true, as scipy's own conversion has it, not 2
        rows.sum_duplicates()
        np.minimum(rows.data, 1, out=rows.data)
        return rows
    if X.dtype.kind == "c":
        dtype = X.dtype
    elif X.dtype.kind in "iub":
        # sums of entries below 2**31 cannot overflow 64 bits
        is_narrow = X.dtype.itemsize <= 4
        if is_narrow or (X.data.max(initial=0) < 2**31 and X.data.min(initial=0) > -(2**31)):
            dtype = np.int64
    if X.dtype == dtype:
        return csr_array(X)
    if X.format == "csr":
        return csr_array((X.data.astype(dtype), X.indices, X.indptr), shape=X.shape)
    return csr_array(X.astype(dtype))


def to_native_dtype(X: Any) -> Any:
    """Return the matrix in native byte order, with 16-bit floats as float32 and long ones as float64."""
    dtype = X.dtype.newbyteorder("=")
    if dtype.kind == "f" and dtype.itemsize not in (4, 8):
        dtype = np.dtype(np.float32 if dtype.itemsize < 4 else np.float64)
    return X if X.dtype == dtype else X.astype(dtype)


def check_sparse_structure(X: Any) -> None:
    """Check that the arrays of a sparse matrix fit each other, and its indices the shape."""
    if X.format in ("csr", "csc", "bsr"):
        check_compressed(X)
    elif X.format == "dia":
        if X.data.ndim != 2 or X.offsets.shape != X.data.shape[:1] or X.offsets.dtype.kind != "i":
            raise damaged_matrix_error(X, "the numbers of offsets and diagonals differ")
    else:
        for indices, size in zip(entry_coordinates(X), X.shape, strict=True):
            check_index_bounds(X, indices, size)


def check_compressed(X: Any) -> None:
    """Check `indptr` and `indices` of a CSR, CSC or BSR matrix."""
    n_major, n_minor = X.shape[::-1] if X.format == "csc" else X.shape
    if X.format == "bsr":
        if X.data.ndim != 3:
            raise damaged_matrix_error(X, "its data is not an array of blocks")
        n_major, n_minor = n_major // X.data.shape[1], n_minor // X.data.shape[2]
    indptr, indices = X.indptr, X.indices
    for array in (indptr, indices):
        if array.ndim != 1 or array.dtype.kind != "i" or not array.dtype.isnative:
            raise damaged_matrix_error(X, "its indices are not one-dimensional arrays of integers")
    if len(indptr) != n_major + 1 or indptr[0] != 0 or bool((indptr[1:] < indptr[:-1]).any()):
        raise damaged_matrix_error(X, f"its indptr is not {n_major + 1} ascending values from 0")
    if indptr[-1] > min(len(indices), len(X.data)):
        raise damaged_matrix_error(X, f"its indptr ends at {indptr[-1]}, but it has {len(X.data)} entries")
    check_index_bounds(X, indices[: indptr[-1]], n_minor)


def check_index_bounds(X: Any, indices: Array, size: int) -> None:
    """Check that all indices are at least 0 and below the size."""
    # viewed as unsigned integers, negative indices are the largest, so one comparison is enough
    if indices.size and indices.view(f"u{indices.itemsize}").max() >= size:
        invalid = indices[(indices < 0) | (indices >= size)][0]
        raise damaged_matrix_error(X, f"index {invalid} is out of range (0 to {size - 1})")


def entry_coordinates(X: Any) -> tuple[Array, ...]:
    """Return row and column indices of the entries of a COO, DOK or LIL matrix."""
    if X.format == "coo":
        if any(indices.shape != X.data.shape or indices.dtype.kind != "i" for indices in X.coords):
            raise damaged_matrix_error(X, "the numbers of entries, rows and columns differ")
        return tuple(X.coords)
    if X.format == "dok":
        with translate_entry_errors(X):
            pairs = np.array(list(X.keys()), dtype=np.int64).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]
    lengths = [len(row) for row in X.rows]
    if lengths != [len(row) for row in X.data] or len(lengths) != X.shape[0]:
        raise damaged_matrix_error(X, "the numbers of entries and columns differ")
    with translate_entry_errors(X):
        columns = np.array(list(chain.from_iterable(X.rows)), dtype=np.int64)
    return np.repeat(np.arange(len(lengths)), lengths), columns


@contextmanager
def translate_entry_errors(X: Any) -> Iterator[None]:
    """Raise InvalidInputError if NumPy or SciPy cannot convert the lists or keys of a matrix."""
    try:
        yield
    except (TypeError, ValueError, OverflowError) as error:
        raise damaged_matrix_error(X, f"its entries or indices are not numbers: {error}") from error


def damaged_matrix_error(X: Any, reason: str) -> InvalidInputError:
    """Return the error for an inconsistent sparse matrix."""
    size = " x ".join(map(str, X.shape[:2]))
    return InvalidInputError(f"the sparse matrix ({X.format}, {size}) is damaged: {reason}")
