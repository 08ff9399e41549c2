"""Counts of a document-term matrix: sparse in any SciPy format, dense, or a data frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.errors import InvalidInputError, quote_names
from termsift._internal.matrices import is_sparse, to_csr, validate_matrix
from termsift._internal.resources import can_skip_kernels
from termsift._internal.typing import MAX_EXACT, MIN_POSITIVE, Array, as_term_array
from termsift.counts import Counts, Labels, frame_columns, is_frame, validate_labels
from termsift.engines.accumulator import Sums, build_counts, drain_scratch, sum_class_numpy

MAX_INTEGER_COUNT = 1 << 20


def count_matrix(
    X: Any,
    labels: Any,
    *,
    terms: Iterable[str] | None = None,
    sample_weight: Any = None,
    analyzer: str | None = None,
) -> Counts:
    """Count a matrix in one compiled pass over its nonzeros, without making it dense.

    Parameters
    ----------
    X : matrix, (documents, terms)
        Counts: 0, or from 2**-53 to 2**53. A document contains each term with a count above 0.
    labels : array-like
        Labels, as for `ts.count`.
    terms : iterable of str, optional
        Names of the columns; by default those of a data frame, else x0, x1, ...
    sample_weight : array-like, optional
        Weight of each document.
    analyzer : str, optional
        Name of the analyzer that made the matrix.

    Returns
    -------
    Counts

    Examples
    --------
    >>> count_matrix(np.array([[1, 0], [2, 1]]), ["a", "b"]).tf.toarray()
    array([[1, 2],
           [0, 1]])

    """
    rows, names = parse_matrix(X, terms)
    labels = validate_labels(labels, rows.shape[0])
    return count_rows(rows, labels, names, as_weights(sample_weight, labels.size), analyzer)


def is_matrix(data: Any) -> bool:
    """Check whether the data is a document-term matrix rather than texts."""
    if is_sparse(data) or is_frame(data):
        return True
    return isinstance(data, np.ndarray) and (data.ndim != 1 or data.dtype.kind in "iubf")


def parse_matrix(X: Any, terms: Iterable[str] | None) -> tuple[csr_array[Any], Array]:
    """Return the matrix as CSR and the names of its columns."""
    if is_frame(X):
        kinds = {type(dtype).__name__ for dtype in X.dtypes} if hasattr(X, "sparse") else set()
        names, X = (X.columns, X.sparse.to_coo()) if kinds == {"SparseDtype"} else frame_columns(X)
        terms = names if terms is None else terms
    rows = as_csr(X)
    return rows, column_names(terms, rows.shape[1])


def count_rows(
    rows: csr_array[Any], labels: Labels, terms: Array, weights: Array, analyzer: str | None
) -> Counts:
    """Count validated rows by class; an empty array of weights counts each document once."""
    summer = ClassSummer([rows], weights)
    class_sums = [summer.sum_documents([labels.class_documents(c)]) for c in range(len(labels.classes))]
    total = None if labels.is_single_label else summer.sum_documents([np.arange(labels.size)])
    n_documents = float(weights.sum()) if weights.size else labels.size
    class_sizes = labels.class_sizes(weights)
    return build_counts(terms, labels.classes, n_documents, class_sizes, class_sums, total, analyzer)


class ClassSummer:
    """Sums over documents of a matrix: by the kernel with its scratch arrays, or NumPy if it is small.

    Parameters
    ----------
    batches : sequence of csr_array
        The matrix in one or several batches of rows.
    weights : Array
        Weights of the documents of the only batch, or empty.

    """

    def __init__(self, batches: Sequence[csr_array[Any]], weights: Array) -> None:
        dtype = batches[0].data.dtype
        self.dtype = np.int64 if dtype.kind == "i" and not weights.size else np.float64
        self.batches, self.weights = batches, weights
        # integers were checked to be small before
        is_integer = dtype.kind == "i"
        self.limits = (dtype.type(1), np.iinfo(dtype).max) if is_integer else (MIN_POSITIVE, MAX_EXACT)
        self.is_small = len(batches) == 1 and can_skip_kernels(batches[0].nnz)
        n_terms = 0 if self.is_small else batches[0].shape[1]
        self.scratch = [np.zeros(n_terms, dtype=self.dtype) for _ in range(3)]
        self.touched = np.empty(n_terms, dtype=np.int64)

    def sum_documents(self, documents: Sequence[Array]) -> Sums:
        """Return (terms, df, tf, tf2) of some documents of each batch, ascending by term."""
        if self.is_small:
            rows = self.batches[0]
            sums, invalid = sum_class_numpy(rows, self.limits, self.weights, documents[0], self.dtype)
            check_value(rows, invalid)
            return sums
        from termsift.engines._sums_kernel import sum_class

        n_touched = 0
        for rows, chosen in zip(self.batches, documents, strict=True):
            arrays = rows.indptr, rows.indices, rows.data
            touched = self.touched[n_touched:]
            n_new, invalid = sum_class(*arrays, *self.limits, self.weights, chosen, *self.scratch, touched)
            check_value(rows, invalid)
            n_touched += int(n_new)
        df, tf, tf2 = self.scratch
        return drain_scratch(df, tf, tf2, self.touched, n_touched)


def check_value(rows: csr_array[Any], position: int) -> None:
    """Raise an error for the stored value at this position, unless it is -1."""
    if position < 0:
        return
    value = rows.data[position]
    document = int(np.searchsorted(rows.indptr, position, side="right")) - 1
    where = f"document {document}, term {rows.indices[position]}"
    if value < 0:
        problem = f"Negative values in data passed to X: {value} at {where}; counts must be at least 0"
    elif not np.isfinite(value):
        problem = f"counts must be finite, got {value} at {where}; X contains NaN or infinity"
    else:
        problem = f"counts must be 0, or lie between 2**-53 and 2**53, got {value} at {where}"
    raise InvalidInputError(problem)


def as_csr(X: Any) -> csr_array[Any]:
    """Return the matrix as CSR with each term at most once per row, without changing X."""
    X = validate_matrix(X)
    if X.ndim != 2:
        raise InvalidInputError(f"X must be a matrix of documents x terms, got {X.ndim} dimensions")
    if X.dtype.kind not in "iubf":
        raise InvalidInputError(f"X must hold numbers, got {X.dtype}")
    rows = to_csr(X)
    if not rows.has_canonical_format and has_repeated_terms(rows):
        rows = rows.copy()
        rows.sum_duplicates()
    # integers stay integers, unless the sum of their squares could exceed 64 bits
    largest = int(rows.data.max(initial=0)) if rows.dtype.kind in "iub" else MAX_INTEGER_COUNT + 1
    fits = largest <= MAX_INTEGER_COUNT and largest * largest * rows.shape[0] < 2**62
    dtype = np.int64 if fits else np.float64
    return rows if rows.dtype == dtype else rows.astype(dtype)


def has_repeated_terms(rows: csr_array[Any]) -> bool:
    """Check whether a row stores a term twice; vectorizers leave rows unsorted, which is harmless."""
    if can_skip_kernels(rows.nnz):
        document = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        keys = document * rows.shape[1] + rows.indices[: len(document)]
        return len(np.unique(keys)) < len(keys)
    from termsift.engines._sums_kernel import has_repeated_columns

    return bool(has_repeated_columns(rows.indptr, rows.indices, np.full(rows.shape[1], -1, dtype=np.int64)))


def column_names(terms: Iterable[str] | None, n_columns: int) -> Array:
    """Return the names of the columns, checked to be distinct; x0, x1, ... by default."""
    if terms is None:
        return as_term_array(f"x{i}" for i in range(n_columns))
    if isinstance(terms, str) or not isinstance(terms, Iterable):
        raise InvalidInputError(f"terms must be a list of column names, got {terms!r}")
    names = as_term_array(map(str, terms.tolist() if isinstance(terms, np.ndarray) else terms))
    if len(names) != n_columns:
        raise InvalidInputError(f"X has {n_columns} columns but there are {len(names)} terms")
    if len(set(names)) < n_columns:
        repeated = [name for name, times in Counter(names).items() if times > 1]
        raise InvalidInputError(f"terms repeat: {quote_names(repeated, 5)}; column names must be distinct")
    return names


def as_weights(sample_weight: Any, n_documents: int) -> Array:
    """Return one validated float64 weight per document, or an empty array for None."""
    if sample_weight is None:
        return np.zeros(0)
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError("sample_weight must be numbers, one per document") from error
    if weights.ndim == 0:
        weights = np.full(n_documents, float(weights))
    if weights.shape != (n_documents,):
        raise InvalidInputError(f"{n_documents} documents but sample_weight has shape {weights.shape}")
    if np.ma.is_masked(sample_weight) or not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise InvalidInputError("sample_weight must be finite and at least 0")
    invalid = weights[(weights > MAX_EXACT) | ((weights < MIN_POSITIVE) & (weights > 0))]
    if invalid.size:
        raise InvalidInputError(f"sample_weight must be 0, or lie between 2**-53 and 2**53, got {invalid[0]}")
    return weights
