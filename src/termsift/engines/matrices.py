"""Counts of a matrix of documents x terms: sparse of every SciPy format, dense, or a data frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.errors import InvalidInputError, listed
from termsift._internal.matrices import csr_of, is_sparse, sound_matrix
from termsift._internal.resources import is_small
from termsift._internal.typing import LARGEST, SMALLEST, Array, as_terms
from termsift.counts import Counts, Labels, frame_parts, given_labels, is_frame
from termsift.engines.accumulator import Sums, emptied, joined_counts, summed_counts, weight_levels

LARGEST_WHOLE = 1 << 20


def count_matrix(
    X: Any,
    labels: Any,
    *,
    terms: Iterable[str] | None = None,
    sample_weight: Any = None,
    analyzer: str | None = None,
) -> Counts:
    """Counts of a matrix, in one compiled pass over its nonzeros. Nothing is made dense.

    X : (documents, terms), counts of 0, or from 2**-53 to 2**53; above 0 means the document contains the term
    terms : names of the columns; of a data frame its own, else x0, x1, ...

    >>> count_matrix(np.array([[1, 0], [2, 1]]), ["a", "b"]).tf.toarray()
    array([[1, 2],
           [0, 1]])
    """
    rows, names = named_rows(X, terms)
    known = given_labels(labels, rows.shape[0])
    return summed(rows, known, names, as_weights(sample_weight, known.size), analyzer)


def is_matrix(data: Any) -> bool:
    """Whether the data is documents x terms rather than texts."""
    if is_sparse(data) or is_frame(data):
        return True
    return isinstance(data, np.ndarray) and (data.ndim != 1 or data.dtype.kind in "iubf")


def named_rows(X: Any, terms: Iterable[str] | None) -> tuple[csr_array[Any], Array]:
    """The matrix by rows, and the names of its columns; a data frame has its own."""
    if is_frame(X):
        names, X = (X.columns, X.sparse.to_coo()) if is_sparse_frame(X) else frame_parts(X)
        terms = names if terms is None else terms
    rows = as_rows(X)
    return rows, column_names(terms, rows.shape[1])


def summed(
    rows: csr_array[Any], labels: Labels, terms: Array, weights: Array, analyzer: str | None
) -> Counts:
    """The sums of all classes, and of all documents; those of weights do not depend on the order."""
    by_level = weight_levels(weights, rows.data)
    return joined_counts(
        {level: summed_level(rows, labels, terms, own, analyzer) for level, own in by_level.items()}
    )


def summed_level(
    rows: csr_array[Any], labels: Labels, terms: Array, weights: Array, analyzer: str | None
) -> Counts:
    """The sums of all classes, and of all documents, at one level of the weights."""
    summer, n = Summer([rows], weights), rows.shape[0]
    columns = [summer.of([labels.of(c)]) for c in range(len(labels.classes))]
    every = None if labels.single else summer.of([np.arange(n)])
    documents = sum(weights.tolist()) if weights.size else n
    return summed_counts(terms, labels.classes, documents, labels.sizes(weights), columns, every, analyzer)


class Summer:
    """The kernel with its scratch arrays, for the documents of one matrix; NumPy, where that is small.

    parts : the matrix, in one part or more; where there are weights, or it is small, in one
    """

    def __init__(self, parts: Sequence[csr_array[Any]], weights: Array) -> None:
        first = parts[0]
        whole = first.data.dtype.kind == "i" and (not weights.size or weights.dtype.kind == "i")
        self.kind = np.int64 if whole else np.float64
        self.parts, self.weights = parts, weights
        self.limits = limits_of(first.data.dtype)
        self.plain = is_small(sum(part.nnz for part in parts))
        size = 0 if self.plain else first.shape[1]
        self.scratch = [np.zeros(size, dtype=self.kind) for _ in range(3)]
        self.touched = np.empty(size, dtype=np.int64)

    def of(self, documents: Sequence[Array]) -> Sums:
        """(terms, df, tf, tf2) of some documents of each part, ascending by term."""
        if self.plain:
            return self.plain_sums(documents[0])
        df, tf, tf2 = self.scratch
        n = 0
        for part, own in zip(self.parts, documents, strict=True):
            if len(own):
                n += self.touched_by(part, own, n)
        return emptied(df, tf, tf2, self.touched, n)

    def plain_sums(self, documents: Array) -> Sums:
        """The sums by NumPy."""
        from termsift.engines.accumulator import class_sums

        rows = self.parts[0]
        sums, bad = class_sums(rows, *self.limits, self.weights, documents, self.kind)
        check_place(rows, bad)
        return sums

    def touched_by(self, part: csr_array[Any], documents: Array, n: int) -> int:
        """Add documents of a part by the kernel, where n terms were touched; how many more are now."""
        from termsift.engines._sums_kernel import class_sums

        arrays = part.indptr, part.indices, part.data
        more, bad = class_sums(
            *arrays, *self.limits, self.weights, documents, *self.scratch, self.touched[n:]
        )
        check_place(part, bad)
        return int(more)


def check_place(rows: csr_array[Any], bad: int) -> None:
    """An error where a stored value is bad, at this place."""
    if bad >= 0:
        raise InvalidInputError(bad_value(rows, bad))


def limits_of(kind: Any) -> tuple[Any, Any]:
    """The least and the most that a count above 0 may be; whole ones are known to be small."""
    return (kind.type(1), np.iinfo(kind).max) if kind.kind == "i" else (SMALLEST, LARGEST)


def bad_value(rows: csr_array[Any], k: int) -> str:
    """What is wrong with the k-th stored value."""
    value = rows.data[k]
    document = int(np.searchsorted(rows.indptr, k, side="right")) - 1
    place = f"document {document}, term {rows.indices[k]}"
    if value < 0:
        return f"Negative values in data passed to X: {value} at {place}; counts must be at least 0"
    if not np.isfinite(value):
        return f"counts must be finite, got {value} at {place}; X contains NaN or infinity"
    return f"counts must be 0, or lie between 2**-53 and 2**53, got {value} at {place}"


def as_rows(X: Any) -> csr_array[Any]:
    """The matrix by rows, each term at most once per row; the caller's own is not changed."""
    X = sound_matrix(X)
    if X.ndim != 2:
        raise InvalidInputError(f"X must be a matrix of documents x terms, got {X.ndim} dimensions")
    if X.dtype.kind not in "iubf":
        raise InvalidInputError(f"X must hold numbers, got {X.dtype}")
    rows = csr_of(X)
    if not rows.has_canonical_format and has_repeats(rows):
        rows = rows.copy()
        rows.sum_duplicates()
    # whole numbers stay whole, unless the sum of their squares could leave 64 bits
    most = int(rows.data.max(initial=0)) if rows.dtype.kind in "iub" else LARGEST_WHOLE + 1
    kind = np.int64 if most <= LARGEST_WHOLE and most * most * rows.shape[0] < 2**62 else np.float64
    return rows if rows.dtype == kind else rows.astype(kind)


def has_repeats(rows: csr_array[Any]) -> bool:
    """Whether a row holds a term twice. Vectorizers leave rows unsorted, which does no harm here."""
    if is_small(rows.nnz):
        from termsift.engines.accumulator import repeats as repeats_plainly

        return repeats_plainly(rows.indptr, rows.indices, rows.shape[1])
    from termsift.engines._sums_kernel import repeats

    last = np.full(rows.shape[1], -1, dtype=np.int64)
    return bool(repeats(rows.indptr, rows.indices, last))


def is_sparse_frame(frame: Any) -> bool:
    """Whether all columns of a pandas frame are sparse."""
    kinds = {type(dtype).__name__ for dtype in frame.dtypes} if hasattr(frame, "sparse") else set()
    return kinds == {"SparseDtype"}


def column_names(terms: Iterable[str] | None, size: int) -> Array:
    """The names of the terms: as many as columns, each once."""
    if terms is None:
        return as_terms(f"x{i}" for i in range(size))
    if isinstance(terms, str) or not isinstance(terms, Iterable):
        raise InvalidInputError(f"terms must be the names of the columns, a list of texts, got {terms!r}")
    names = as_terms(map(str, terms.tolist() if isinstance(terms, np.ndarray) else terms))
    if len(names) != size:
        raise InvalidInputError(f"X has {size} columns but there are {len(names)} terms")
    if len(set(names)) < size:
        repeated = [name for name, times in Counter(names).items() if times > 1]
        raise InvalidInputError(f"terms repeat: {listed(repeated, 5)}; each column needs its own name")
    return names


def as_weights(sample_weight: Any, size: int) -> Array:
    """Weights as floats, empty for none: one per document, 0 or within the range of counts."""
    if sample_weight is None:
        return np.zeros(0)
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError("sample_weight must be numbers, one per document") from error
    if weights.ndim == 0:
        weights = np.full(size, float(weights))
    if weights.shape != (size,):
        raise InvalidInputError(f"{size} documents but sample_weight has shape {weights.shape}")
    if np.ma.is_masked(sample_weight) or not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise InvalidInputError("sample_weight must be finite and at least 0")
    strange = weights[(weights > LARGEST) | ((weights < SMALLEST) & (weights > 0))]
    if strange.size:
        raise InvalidInputError(f"sample_weight must be 0, or lie between 2**-53 and 2**53, got {strange[0]}")
    return weights
