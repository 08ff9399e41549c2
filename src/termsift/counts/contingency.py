"""2x2 tables of terms and classes: cells, blocks of terms with their distinct cells, contrasts of classes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array, TermClassArray
from termsift.counts.counts import Counts, class_columns

T = TypeVar("T")
ROUNDING = 1e-13  # largest rounding error of a difference that should be 0, relative to the sums it is of
MAX_MEMOIZED_CELLS = 1 << 18  # sums and rates of more cells are not kept between metrics: 2 MB per array
MAX_SHARED_DF = 1000  # terms in more documents rarely share cells with another term
BLOCK_CELLS = 1 << 22  # cells of a block: 32 MB per array of float64
MAX_CACHED_BLOCK_CELLS = 1 << 23  # larger counts do not cache their blocks, which take 8 bytes per cell
CHUNK_CELLS = 1 << 17  # cells of a chunk: temporary arrays stay in the processor's cache


@dataclass(frozen=True)
class Cells:
    """Cells of the 2x2 table of a term and a class; arrays of one shape, which are never modified.

    Sums and rates are computed once, because many metrics score the same cells.

    ```
                     in c   not in c
    contains t        tp       fp
    lacks t           fn       tn
    ```
    """

    tp: Array
    fp: Array
    fn: Array
    tn: Array
    _memo: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def map(self, function: Callable[[Array], Array]) -> Cells:
        """Return the cells with a function applied to each of the four arrays."""
        return Cells(function(self.tp), function(self.fp), function(self.fn), function(self.tn))

    def memoize(self, function: Callable[[Cells], T]) -> T:
        """Return the function's value for these cells, computed once."""
        if function not in self._memo:
            self._memo[function] = function(self)
        value: T = self._memo[function]
        return value

    @cached_property
    def pos(self) -> Array:
        """Documents of the class."""
        return self.tp + self.fn

    @cached_property
    def neg(self) -> Array:
        """Documents outside the class."""
        return self.fp + self.tn

    @cached_property
    def df(self) -> Array:
        """Documents that contain the term."""
        return self.tp + self.fp

    @cached_property
    def documents(self) -> Array:
        """Number of documents."""
        return self.pos + self.neg

    @cached_property
    def tpr(self) -> Array:
        """Share of the class's documents that contain the term, 0 for an empty class."""
        return ratio(self.tp, self.pos)

    @cached_property
    def fpr(self) -> Array:
        """Share of the documents outside the class that contain the term, 0 if there are none."""
        return ratio(self.fp, self.neg)

    @cached_property
    def association(self) -> Array:
        """AD - BC: above 0 for positive terms of the class, below 0 for negative ones."""
        ad, bc = self.tp * self.tn, self.fp * self.fn
        # weighted counts leave a rounding error if term and class are independent
        return np.where(np.abs(ad - bc) <= ROUNDING * (ad + bc), 0.0, ad - bc)

    @cached_property
    def is_defined(self) -> Array:
        """True if documents contain the term, and documents are in the class and outside."""
        return np.asarray((self.df > 0) & (self.pos > 0) & (self.neg > 0))

    def zero_undefined(self, values: Array) -> Array:
        """Return the values, with 0 for a term in no document or a class of no or all documents."""
        return np.where(self.is_defined, values, 0.0)

    def smooth(self, added: float) -> Cells:
        """Return the cells with `added` in each: expected likelihood estimation."""
        return self.map(lambda cell: cell + added)


class DistinctCells(NamedTuple):
    """Distinct cells of a table, and the index of each term's cell among them."""

    cells: Cells
    index_by_class_and_term: Array


def ratio(numerator: Array, denominator: Array) -> Array:
    """Return numerator / denominator, and 0 if the denominator is 0."""
    can_divide = np.asarray(denominator) != 0
    if can_divide.all():
        return np.asarray(np.divide(numerator, denominator))
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    # the order that np.divide chooses above, so that later sums do not depend on whether there are zeros
    order: Any = "F" if np.isfortran(np.asarray(numerator)) else "C"
    return np.divide(numerator, denominator, out=np.zeros(shape, order=order), where=can_divide)


def build_cells(tp: Array, term_df: Array, class_sizes: Array, n_documents: float) -> Cells:
    """Return cells from the documents with both, with the term, in the class, and in all.

    With several labels per document classes overlap, so tn is computed from N, not from the other classes.
    """
    fp, fn = term_df - tp, class_sizes - tp
    tn = n_documents - tp - fp - fn
    # metrics test whether a cell is empty, and sums of weights miss 0 by a rounding error
    tolerance = ROUNDING * n_documents
    return Cells(tp, *(np.where(cell <= tolerance, 0.0, cell) for cell in (fp, fn, tn)))


def _all_cells(cells: Cells) -> DistinctCells:
    """Return all cells as distinct ones: weighted counts, and those of few terms, rarely agree."""
    flat = cells.map(lambda cell: np.ravel(cell, order="F"))
    return DistinctCells(flat, np.arange(cells.tp.size).reshape(cells.tp.shape[::-1]))


def _find_distinct(table: csr_array[Any], totals: Array, sizes: Array, n_documents: float) -> DistinctCells:
    """Return the distinct cells, and the (classes, terms) index of each term's cell among them.

    Most terms are rare, so there are few distinct (df, tp). If a class lacks a term, tp = 0 and the df alone
    determines the cell.

    table, totals : (terms, classes) and (terms,) of documents or occurrences
    sizes, n_documents : documents or occurrences of each class, and of all
    """
    n_terms, n_classes = table.shape
    by_class = table.tocsc()
    term_df = totals.astype(np.intp, copy=False)
    if term_df.max(initial=0) > 16 * len(term_df):
        distinct_df, df_index = np.unique(term_df, return_inverse=True)
    else:
        # most terms are in few documents, so a table of all integers is small and nothing is sorted
        is_present = np.zeros(int(term_df.max(initial=0)) + 1, dtype=np.intp)
        is_present[term_df] = 1
        distinct_df, df_index = np.flatnonzero(is_present), (np.cumsum(is_present) - 1)[term_df]
    terms_per_df = np.bincount(df_index, minlength=len(distinct_df))
    index = np.empty((n_classes, n_terms), dtype=np.intp)
    columns = []
    n_cells = 0
    for c in range(n_classes):
        span = slice(by_class.indptr[c], by_class.indptr[c + 1])
        rows, tp = by_class.indices[span], by_class.data[span]
        first, pair_index = group_equal_pairs(term_df[rows], tp)
        # df of which some term is not in the class, with the cell tp = 0
        is_lacking = np.bincount(df_index[rows], minlength=len(distinct_df)) < terms_per_df
        lacking_df = distinct_df[is_lacking]
        index[c] = (np.cumsum(is_lacking) - 1 + n_cells)[df_index]
        index[c, rows] = pair_index + n_cells + len(lacking_df)
        n_cells += len(lacking_df) + len(first)
        tps = np.concatenate([np.zeros_like(lacking_df), tp[first]])
        dfs = np.concatenate([lacking_df, term_df[rows][first]])
        columns.append((tps, dfs, np.full(len(tps), sizes[c])))
    tp, df, size = (np.concatenate(column).astype(np.float64) for column in zip(*columns, strict=True))
    return DistinctCells(build_cells(tp, df, size, n_documents), index)


def group_equal_pairs(df: Array, tp: Array) -> tuple[Array, Array]:
    """Return one position for each distinct pair (df, tp), and for each pair its index among these.

    A pair of a rare term has the number df(df+1)/2 + tp. Every pair writes its position at its number; the
    position read back is the same for all equal pairs. Frequent terms hardly share pairs, so each gets a
    unique number.
    """
    n = len(df)
    n_shared = MAX_SHARED_DF * (MAX_SHARED_DF + 3) // 2 + 1
    number = np.where(df <= MAX_SHARED_DF, df * (df + 1) // 2 + tp, n_shared + np.arange(n))
    position = np.empty(n_shared + n, dtype=np.intp)
    position[number] = np.arange(n)
    representative = position[number]
    is_representative = representative == np.arange(n)
    return np.flatnonzero(is_representative), (np.cumsum(is_representative) - 1)[representative]


@dataclass(frozen=True, slots=True, eq=False)
class Totals:
    """Totals over all terms, which scores of a block may need.

    lengths : (classes,) occurrences of all terms in each class
    length : occurrences in all documents
    vocabulary : number of terms
    single_label : True if every document has one label
    """

    lengths: Array
    length: float
    vocabulary: int
    single_label: bool

    @classmethod
    def from_counts(cls, counts: Counts) -> Totals:
        """Return the totals of counts that hold all terms, computed once."""
        if "totals" not in counts._memo:
            lengths, length = counts.tf.sum(axis=0).astype(np.float64), float(counts.term_tf.sum())
            counts._memo["totals"] = cls(lengths, length, len(counts.terms), counts.single_label)
        totals: Totals = counts._memo["totals"]
        return totals


class Block:
    """Consecutive terms of counts, with totals over all terms: the argument of a metric.

    df, tf, tf2 : (terms, classes) dense
    term_df, term_tf, term_tf2 : (terms, 1)
    class_sizes : (classes,)
    documents : number of documents
    lengths, length, vocabulary, single_label : as in `Totals`
    has_integer_df, has_integer_tf : True if documents, or occurrences, are unweighted
    """

    def __init__(self, counts: Counts, rows: slice, totals: Totals) -> None:
        self.rows = rows
        tables = counts.df, counts.tf, counts.tf2
        if rows != slice(0, len(counts.terms)):
            tables = tables[0][rows], tables[1][rows], tables[2][rows]
        self._sparse_df, self._tf, self._tf2 = tables
        self.shape = self._sparse_df.shape
        self._term_df, self._term_tf, self._term_tf2 = (
            sums[rows, None] for sums in (counts.term_df, counts.term_tf, counts.term_tf2)
        )
        self.documents = float(counts.documents)
        self.class_sizes = counts.class_sizes.astype(np.float64)
        self.lengths, self.length = totals.lengths, totals.length
        self.vocabulary, self.single_label = totals.vocabulary, totals.single_label
        self.has_integer_df = counts.df.dtype.kind == "i" and counts.term_df.dtype.kind == "i"
        self.has_integer_tf = counts.tf.dtype.kind == "i" and counts.term_tf.dtype.kind == "i"

    # dense tables and floats only on demand: a metric of documents needs none of occurrences
    term_df: cached_property[Array] = cached_property(lambda self: self._term_df.astype(np.float64))
    term_tf: cached_property[Array] = cached_property(lambda self: self._term_tf.astype(np.float64))
    term_tf2: cached_property[Array] = cached_property(lambda self: self._term_tf2.astype(np.float64))

    @cached_property
    def df(self) -> TermClassArray:
        """Documents of the class that contain the term."""
        return to_dense(self._sparse_df)

    @cached_property
    def tf(self) -> TermClassArray:
        """Occurrences of the term in the class."""
        return to_dense(self._tf)

    @cached_property
    def tf2(self) -> TermClassArray:
        """Sum of the squared counts of the term over the class's documents."""
        return to_dense(self._tf2)

    def map_cells(
        self, function: Callable[..., Array], unit: str = "df", /, **options: Any
    ) -> TermClassArray:
        """Apply a function of cells to every term and class; it sees only the distinct cells.

        unit : "df" for cells of documents, "tf" for cells of occurrences
        """
        cells, index = self.distinct_token_cells if unit == "tf" else self.distinct_cells
        # memoized sums of many cells would take more memory than the table: a copy forgets them
        arguments = cells if cells.tp.size <= MAX_MEMOIZED_CELLS else replace(cells)
        values = np.asarray(function(arguments, **options))
        if values.shape != cells.tp.shape:
            shapes = f"{values.shape} instead of {cells.tp.shape}"
            raise InvalidInputError(f"a metric must return one number per cell; {function!r} gave {shapes}")
        return values.take(index).T

    def map_chunks(self, function: Callable[[Block], Array]) -> Array:
        """Apply a function that scores each term alone to small chunks of the block."""
        values = [function(chunk) for chunk in self.chunks]
        return values[0] if len(values) == 1 else np.concatenate(values)

    @cached_property
    def chunks(self) -> list[Block]:
        """Block in smaller ones."""
        step = max(1, CHUNK_CELLS // max(1, self.shape[1]))
        if self.shape[0] <= step:
            return [self]
        names = [name for name, value in vars(type(self)).items() if isinstance(value, cached_property)]
        chunks = []
        for first in range(0, self.shape[0], step):
            chunk = copy.copy(self)
            # a copy shares the cached arrays of the block, which have too many rows
            for name in names:
                vars(chunk).pop(name, None)
            for name in ("_sparse_df", "_tf", "_tf2", "_term_df", "_term_tf", "_term_tf2"):
                setattr(chunk, name, getattr(self, name)[first : first + step])
            chunk.shape = chunk._sparse_df.shape
            start = self.rows.start + first
            chunk.rows = slice(start, start + chunk.shape[0])
            chunks.append(chunk)
        return chunks

    def zero_undefined(self, values: Array) -> Array:
        """Return the values, with 0 for a term in no document or a class of no or all documents."""
        is_proper_class = (self.class_sizes > 0) & (self.class_sizes < self.documents)
        has_term = self.term_df > 0
        if is_proper_class.all() and has_term.all():
            # in C order, as np.where returns it, so that sums over the classes agree to the last bit
            return np.array(values, order="C")
        return np.where(is_proper_class & has_term, values, 0.0)

    @cached_property
    def cells(self) -> Cells:
        """Cells of every term and class."""
        return build_cells(self.df, self.term_df, self.class_sizes, self.documents)

    @cached_property
    def token_cells(self) -> Cells:
        """Cells of occurrences instead of documents, of every term and class."""
        return build_cells(self.tf, self.term_tf, self.lengths, self.length)

    @cached_property
    def distinct_cells(self) -> DistinctCells:
        """Distinct cells, and the (classes, terms) index of each cell among them."""
        if not self.has_integer_df or self.shape[1] > self.shape[0]:
            return _all_cells(self.cells)
        return _find_distinct(self._sparse_df, self._term_df[:, 0], self.class_sizes, self.documents)

    @cached_property
    def distinct_token_cells(self) -> DistinctCells:
        """Distinct cells of occurrences, with their index."""
        if not self.has_integer_tf or self.shape[1] > self.shape[0]:
            return _all_cells(self.token_cells)
        return _find_distinct(self._tf, self.term_tf[:, 0], self.lengths, self.length)


def iter_blocks(counts: Counts) -> Iterator[Block]:
    """Yield the counts in blocks of terms, cached so that many metrics share their dense arrays.

    If there are several blocks, only their distinct cells are cached; large counts cache nothing.
    """
    if "blocks" not in counts._memo:
        blocks = split_into_blocks(counts, Totals.from_counts(counts))
        if len(counts.terms) * len(counts.classes) > MAX_CACHED_BLOCK_CELLS:
            yield from blocks
            return
        counts._memo["blocks"] = list(blocks)
    cached_blocks = counts._memo["blocks"]
    for block in cached_blocks:
        yield block
        if len(cached_blocks) > 1:
            for name in ("df", "tf", "tf2", "cells", "token_cells", "chunks"):
                vars(block).pop(name, None)


def split_into_blocks(counts: Counts, totals: Totals) -> Iterator[Block]:
    """Yield counts of some terms in blocks, with the totals of all terms; at least one block."""
    step = max(1, BLOCK_CELLS // max(1, len(counts.classes)))
    for start in range(0, max(len(counts.terms), 1), step):
        yield Block(counts, slice(start, min(start + step, len(counts.terms))), totals)


def to_dense(table: csr_array[Any]) -> TermClassArray:
    """Return a sparse (terms, classes) table as floats in Fortran order, class by class."""
    n_terms, n_classes = table.shape
    by_class = np.zeros(n_classes * n_terms)
    positions = np.repeat(np.arange(n_terms), np.diff(table.indptr))
    positions += table.indices * np.intp(n_terms)
    by_class[positions] = table.data
    return by_class.reshape(n_classes, n_terms).T


def select_cells(counts: Counts, rows: Array, columns: Any, unit: str = "df") -> Cells:
    """Return the (rows, columns) cells of some terms and classes; unit="tf" counts occurrences."""
    tp = getattr(counts, unit)[rows][:, columns].toarray().astype(np.float64)
    if unit == "df":
        return build_cells(tp, counts.term_df[rows, None], counts.class_sizes[columns], counts.documents)
    totals = Totals.from_counts(counts)
    return build_cells(tp, counts.term_tf[rows, None], totals.lengths[columns], totals.length)


def contrast_classes(counts: Counts, for_class: Any, reference: Any = None) -> tuple[Counts, Any]:
    """Return counts that compare a target class with a reference, and the target's name in them.

    Parameters
    ----------
    counts : the counts
    for_class : the target, a class or a list of classes taken as one
    reference : a class or a list of classes taken as one; by default all other classes. A single target
        without reference leaves the counts as they are

    Examples
    --------
    >>> from termsift import count
    >>> counts = count(["a", "b", "c"], ["x", "y", "z"], analyzer=str.split)
    >>> contrast_classes(counts, "x", "y")[0].classes
    ('x', 'y')
    >>> contrast_classes(counts, ["x", "y"])
    (Counts(3 terms, 2 classes, 3 documents), 'x + y')

    """
    if for_class is None:
        raise InvalidInputError(f"for_class is missing: name the class to compare with {reference!r}")
    target = class_columns(counts, for_class)
    if reference is None and len(target) == 1:
        return counts, counts.classes[target[0]]
    if reference is None:
        reference_columns = [c for c in range(len(counts.classes)) if c not in target]
    else:
        reference_columns = class_columns(counts, reference)
    if not reference_columns:
        raise InvalidInputError("for_class names every class; leave at least one as the reference")
    shared = next((counts.classes[c] for c in target if c in reference_columns), None)
    if shared is not None:
        raise InvalidInputError(f"class {shared!r} is both target and reference; name two different classes")

    def merge_classes(class_indices: list[int]) -> Counts:
        names = [counts.classes[c] for c in class_indices]
        selected = counts.only(names)
        if len(target) == len(reference_columns) == 1:
            return selected
        # joined names are text, so a single class on the other side becomes text too
        return selected.as_class(" + ".join(map(str, names)))

    target_counts = merge_classes(target)
    return target_counts + merge_classes(reference_columns), target_counts.classes[0]
