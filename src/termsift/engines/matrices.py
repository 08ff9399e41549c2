"""Sums of term counts by class, and Counts of document-term matrices and of batches of texts.

A matrix may be sparse in any SciPy format, dense, or a data frame.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csc_array, csr_array

from termsift._internal.errors import InvalidInputError, quote_names
from termsift._internal.matrices import to_csr, validate_matrix
from termsift._internal.resources import spend_python_budget
from termsift._internal.typing import (
    MAX_EXACT,
    MIN_POSITIVE,
    Array,
    as_term_array,
    to_exact_dtype,
    to_exact_number,
)
from termsift.counts import Counts, Labels, frame_columns, is_frame, sort_classes, validate_labels
from termsift.text import Lexicon, RankedTerms, map_codes

MAX_INTEGER_COUNT = 1 << 20
# (terms, df, tf, tf2) of one class, ascending by term
Sums: TypeAlias = tuple[Array, Array, Array, Array]


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
    return count_rows(rows, labels, names, weights_or_empty(sample_weight, labels.size), analyzer)


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
        self.is_small = len(batches) == 1 and spend_python_budget(batches[0].nnz)
        n_terms = 0 if self.is_small else batches[0].shape[1]
        self.scratch = [np.zeros(n_terms, dtype=self.dtype) for _ in range(3)]
        self.touched = np.empty(n_terms, dtype=np.int64)

    def sum_documents(self, documents_by_batch: Sequence[Array]) -> Sums:
        """Return (terms, df, tf, tf2) of some documents of each batch, ascending by term."""
        if self.is_small:
            rows = self.batches[0]
            sums, invalid = sum_class_numpy(
                rows, self.limits, self.weights, documents_by_batch[0], self.dtype
            )
            if invalid >= 0:
                raise invalid_count_error(rows, invalid)
            return sums
        from termsift.engines._sums_kernel import sum_class

        n_touched = 0
        for rows, chosen in zip(self.batches, documents_by_batch, strict=True):
            arrays = rows.indptr, rows.indices, rows.data
            touched = self.touched[n_touched:]
            n_new, invalid = sum_class(*arrays, *self.limits, self.weights, chosen, *self.scratch, touched)
            if invalid >= 0:
                raise invalid_count_error(rows, invalid)
            n_touched += int(n_new)
        df, tf, tf2 = self.scratch
        return drain_scratch(df, tf, tf2, self.touched, n_touched)


def invalid_count_error(rows: csr_array[Any], position: int) -> InvalidInputError:
    """Return the error for the stored value at this position."""
    value = rows.data[position]
    document = int(np.searchsorted(rows.indptr, position, side="right")) - 1
    where = f"document {document}, term {rows.indices[position]}"
    if value < 0:
        problem = f"Negative values in data passed to X: {value} at {where}; counts must be at least 0"
    elif not np.isfinite(value):
        problem = f"counts must be finite, got {value} at {where}; X contains NaN or infinity"
    else:
        problem = f"counts must be 0 or between 2**-53 and 2**53, got {value} at {where}"
    return InvalidInputError(problem)


def as_csr(X: Any) -> csr_array[Any]:
    """Return the matrix as CSR with each term at most once per row, without changing X."""
    X = validate_matrix(X)
    if X.ndim != 2:
        raise InvalidInputError(f"X must be a matrix of documents x terms, got {X.ndim} dimensions")
    if X.dtype.kind not in "iubf":
        message = f"X must contain numbers, got {X.dtype}; for a data frame of texts, pass text= and label="
        raise InvalidInputError(message)
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
    if spend_python_budget(rows.nnz):
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
        raise InvalidInputError(f"terms must be distinct; repeated: {quote_names(repeated, 5)}")
    return names


def weights_or_empty(sample_weight: Any, n_documents: int) -> Array:
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
        raise InvalidInputError(f"sample_weight must be 0 or between 2**-53 and 2**53, got {invalid[0]}")
    return weights


def drain_scratch(df: Array, tf: Array, tf2: Array, touched: Array, n_touched: int) -> Sums:
    """Return the sums of the touched terms, ascending by term, and reset the scratch arrays to zero."""
    # sorting few terms is faster than a pass over all of them, and the other way round
    if n_touched * 16 < df.size:
        terms = np.sort(touched[:n_touched])
        sums = terms, df[terms], tf[terms], tf2[terms]
        for scratch in (df, tf, tf2):
            scratch[terms] = 0
        return sums
    from termsift.engines._sums_kernel import move_sums

    terms = np.empty(n_touched, dtype=touched.dtype)
    df_sums, tf_sums, tf2_sums = (np.empty(n_touched, dtype=scratch.dtype) for scratch in (df, tf, tf2))
    move_sums(df, tf, tf2, terms, df_sums, tf_sums, tf2_sums)
    return terms, df_sums, tf_sums, tf2_sums


def build_counts(
    terms: Array,
    classes: tuple[Any, ...],
    n_documents: float,
    class_sizes: Iterable[float],
    class_sums: list[Sums],
    total_sums: Sums | None,
    analyzer: str | None,
) -> Counts:
    """Build Counts from the sums of each class and of all documents (None: the classes add up to them)."""
    shape = (len(terms), len(class_sums))
    columns = [np.concatenate([sums[i] for sums in class_sums] or [np.zeros(0, int)]) for i in range(4)]
    starts = np.concatenate([[0], np.cumsum([len(sums[0]) for sums in class_sums], dtype=np.int64)])
    # one conversion of positions from columns to rows serves all three tables
    by_term = csc_array((np.arange(starts[-1]), columns[0], starts), shape=shape).tocsr()
    tables = [
        csr_array((to_exact_dtype(values[by_term.data]), by_term.indices, by_term.indptr), shape=shape)
        for values in columns[1:]
    ]
    totals: list[Array]
    if total_sums is None:
        totals = [table @ np.ones(len(class_sums), dtype=table.dtype) for table in tables]
    else:
        totals = []
        for values in total_sums[1:]:
            total = np.zeros(len(terms), dtype=values.dtype)
            total[total_sums[0]] = values
            totals.append(total)
    fields: Any = (*tables, *map(to_exact_dtype, totals), analyzer)
    sizes = to_exact_dtype(np.asarray(class_sizes))
    return Counts(terms, classes, to_exact_number(n_documents), sizes, *fields)


@dataclass(frozen=True, slots=True, eq=False)
class BatchSums:
    """Sums of one batch of documents.

    Parameters
    ----------
    lexicon : Lexicon
        Tokens and n-grams of the batch.
    by_class : dict
        (codes, df, tf, tf2) of each class name; codes refer to the lexicon.
    total : tuple or None
        The same sums over all documents; None if each document is in one class, so that classes add up.
    class_sizes : dict
        Number of documents of each class name, or the sum of their weights.
    n_documents : float
        Number of documents, or the sum of their weights.

    """

    lexicon: Lexicon
    by_class: dict[Any, Sums]
    total: Sums | None
    class_sizes: dict[Any, float]
    n_documents: float


class Accumulator:
    """Running sums of batches; terms have at least `min_tokens` tokens.

    Sums are integers, unless a batch has float sums (weights): then all are float64.
    """

    def __init__(self, min_tokens: int, lexicon: Lexicon | None = None) -> None:
        self.min_tokens = min_tokens
        self.lexicon = Lexicon() if lexicon is None else lexicon
        self.is_single_label = True
        self.is_integer = True
        self.by_class: dict[Any, list[Sums]] = {}
        self.total: list[Sums] = []
        self.class_sizes: dict[Any, float] = {}
        self.n_documents: float = 0
        self.sums_nbytes = 0

    def add(self, batch: BatchSums) -> None:
        """Add a batch with a lexicon of its tokens."""
        tokens, nodes = self.lexicon.merge(batch.lexicon)
        self.lexicon.stops = batch.lexicon.stops
        self.add_mapped(batch, tokens, nodes)

    def add_mapped(self, batch: BatchSums, tokens: Array, nodes: Array) -> None:
        """Add a batch, given the number of each of its tokens and n-grams in this lexicon."""

        def map_sums(sums: Sums) -> Sums:
            codes, df, tf, tf2 = sums
            self.is_integer &= df.dtype.kind == "i"
            return map_codes(codes, tokens, -1 - nodes), df, tf, tf2

        by_class = {name: map_sums(sums) for name, sums in batch.by_class.items()}
        for name, sums in by_class.items():
            self.by_class.setdefault(name, []).append(sums)
        self.sums_nbytes += count_nbytes(by_class.values())
        if batch.total is None:
            self.total += by_class.values()
        else:
            self.is_single_label = False
            self.total.append(map_sums(batch.total))
            self.sums_nbytes += count_nbytes(self.total[-1:])
        for name, size in batch.class_sizes.items():
            self.class_sizes[name] = self.class_sizes.get(name, 0) + size
        self.n_documents += batch.n_documents

    @property
    def nbytes(self) -> int:
        """Memory of the lexicon and the sums, in bytes."""
        lexicon, tokens = self.lexicon, self.lexicon.tokens
        arrays = (tokens.arena, tokens.rows, tokens.table, lexicon.parents, lexicon.lasts, lexicon.pairs)
        return self.sums_nbytes + sum(array.nbytes for array in arrays)

    def compact(self) -> None:
        """Add up the batches of each class, so that each term is stored once per class."""
        n_tokens = len(self.lexicon.tokens)
        adder, ranks = self.lexicon_order_adder()

        def add_up(batches: list[Sums]) -> list[Sums]:
            numbers, df, tf, tf2 = adder.add_up(batches, ranks)
            return [narrow_sums((np.where(numbers < n_tokens, numbers, n_tokens - 1 - numbers), df, tf, tf2))]

        self.by_class = {name: add_up(batches) for name, batches in self.by_class.items()}
        by_class = [sums for batches in self.by_class.values() for sums in batches]
        self.total = by_class if self.is_single_label else add_up(self.total)
        self.sums_nbytes = count_nbytes(by_class if self.is_single_label else by_class + self.total)

    def lexicon_order_adder(self) -> tuple[SumsAdder, RankedTerms]:
        """Return an adder for terms in lexicon order (tokens, then n-grams), and their ranks in it."""
        n_tokens, n_ngrams = len(self.lexicon.tokens), int(self.lexicon.size[0])
        numbers = np.arange(n_tokens + n_ngrams, dtype=np.int32)
        adder = SumsAdder(len(numbers), self.is_integer)
        return adder, RankedTerms([], numbers[:n_tokens], numbers[n_tokens:])

    def drain_to_counts(self, analyzer: str | None, classes: tuple[Any, ...] | None = None) -> Counts:
        """Return the Counts of all batches, terms in code-point order, and empty the accumulator."""
        classes = sort_classes(self.class_sizes) if classes is None else classes
        class_sizes = [self.class_sizes.get(name, 0) for name in classes]
        ranked, self.lexicon = self.lexicon.rank_terms(self.min_tokens), Lexicon()
        terms, adder = as_term_array(ranked.names), SumsAdder(len(ranked.names), self.is_integer)
        total = None if self.is_single_label else adder.add_up(self.total, ranked)
        self.total.clear()
        class_sums = [adder.add_up(self.by_class.pop(name, []), ranked) for name in classes]
        counts = build_counts(terms, classes, self.n_documents, class_sizes, class_sums, total, analyzer)
        return drop_absent_terms(counts)

    def clear_terms_and_sums(self) -> None:
        """Forget the lexicon and the sums, and keep the numbers of documents."""
        self.lexicon, self.by_class, self.total, self.sums_nbytes = Lexicon(), {}, [], 0


class SumsAdder:
    """Kernel that adds up sums of batches, with its scratch arrays."""

    def __init__(self, n_terms: int, is_integer: bool) -> None:
        dtype = np.int64 if is_integer else np.float64
        self.scratch = [np.zeros(n_terms, dtype=dtype) for _ in range(3)]
        self.touched = np.empty(n_terms, dtype=np.int32)

    def add_up(self, batches: list[Sums], ranked: RankedTerms) -> Sums:
        """Return the sum of the batches; terms are given by their rank, ascending."""
        from termsift.engines._sums_kernel import add_sums

        n_touched = 0
        for codes, df, tf, tf2 in batches:
            n_touched = add_sums(ranked.ranks(codes), df, tf, tf2, *self.scratch, self.touched, n_touched)
        df, tf, tf2 = self.scratch
        return drain_scratch(df, tf, tf2, self.touched, n_touched)


def count_nbytes(batches: Iterable[Sums]) -> int:
    """Return the memory of sums, in bytes."""
    return sum(array.nbytes for sums in batches for array in sums)


def narrow_sums(sums: Sums) -> Sums:
    """Store sums in 32 bits if they are integers and fit."""
    codes, df, tf, tf2 = sums
    # df <= tf <= tf2 for integer counts, so tf2 decides for all three
    if df.dtype.kind != "i" or tf2.max(initial=0) >= 2**31:
        return codes.astype(np.int32), df, tf, tf2
    return codes.astype(np.int32), df.astype(np.int32), tf.astype(np.int32), tf2.astype(np.int32)


def drop_absent_terms(counts: Counts) -> Counts:
    """Drop terms that occur only in documents of weight 0."""
    is_present = counts.term_df > 0
    return counts if is_present.all() else counts.keep(np.flatnonzero(is_present))


def sum_class_numpy(
    rows: csr_array[Any], limits: tuple[Any, Any], weights: Array, documents: Array, dtype: Any
) -> tuple[Sums, int]:
    """Return the sums of some documents by NumPy, and the position of an invalid value, or -1.

    Small inputs take this path, so that nobody waits for the kernel to compile.
    """
    starts, lengths = rows.indptr[documents].astype(np.int64), np.diff(rows.indptr)[documents]
    # positions of all entries of the documents, document by document
    positions = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
    values = rows.data[positions]
    weight = np.repeat(weights[documents], lengths) if weights.size else np.ones(len(values), dtype=dtype)
    is_used = (values != 0) & (weight != 0)
    positions, values, weight = positions[is_used], values[is_used], weight[is_used]
    invalid = np.flatnonzero(~((values >= limits[0]) & (values <= limits[1])))
    if invalid.size:
        return (positions[:0], values[:0], values[:0], values[:0]), int(positions[invalid[0]])
    terms, index = np.unique(rows.indices[positions], return_inverse=True)
    df, tf, tf2 = (np.zeros(len(terms), dtype=dtype) for _ in range(3))
    np.add.at(df, index, weight)
    np.add.at(tf, index, weight * values)
    np.add.at(tf2, index, weight * values * values)
    return (terms.astype(np.int64), df, tf, tf2), -1
