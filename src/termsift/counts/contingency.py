"""The cells of a 2x2 table of a term and a class."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array
from termsift.counts.counts import Counts, each_class

T = TypeVar("T")
ROUNDING = 1e-13  # what rounding can make of nothing, as a share of the sums it comes from


@dataclass(frozen=True)
class Cells:
    """The 2x2 table of a term and a class; arrays of any one shape, which stay as they are.

    Sums and rates of cells are worked out once: of the same cells there are scores of many metrics.

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

    def memoize(self, function: Callable[[Cells], T]) -> T:
        """What a function gives of these cells, worked out once."""
        if function not in self._memo:
            self._memo[function] = function(self)
        known: T = self._memo[function]
        return known

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
        """All documents."""
        return self.pos + self.neg

    @cached_property
    def tpr(self) -> Array:
        """The share of the class's documents that contain the term, 0 for an empty class."""
        return ratio(self.tp, self.pos)

    @cached_property
    def fpr(self) -> Array:
        """The share of the other documents that contain the term, 0 where there are none."""
        return ratio(self.fp, self.neg)

    @cached_property
    def association(self) -> Array:
        """AD - BC: above 0 where the term speaks for the class, below 0 where reference it."""
        ad, bc = self.tp * self.tn, self.fp * self.fn
        # weights leave a rounding error where term and class are independent
        return np.where(np.abs(ad - bc) <= ROUNDING * (ad + bc), 0.0, ad - bc)

    @cached_property
    def is_defined(self) -> Array:
        """Whether there are documents with the term, in the class and outside."""
        return np.asarray((self.df > 0) & (self.pos > 0) & (self.neg > 0))

    def zero_undefined(self, values: Array) -> Array:
        """The values, and 0 for a term in no document or a class of no or all documents."""
        return np.where(self.is_defined, values, 0.0)

    def smooth(self, added: float) -> Cells:
        """Expected likelihood estimation: `count` added to each cell."""
        return Cells(self.tp + added, self.fp + added, self.fn + added, self.tn + added)


def ratio(numerator: Array, denominator: Array) -> Array:
    """Numerator / denominator, and 0 where the denominator is 0."""
    can_divide = np.asarray(denominator) != 0
    if can_divide.all():
        return np.asarray(np.divide(numerator, denominator))
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    order: Any = "F" if np.isfortran(np.asarray(numerator)) else "C"
    return np.divide(numerator, denominator, out=np.zeros(shape, order=order), where=can_divide)


def build_cells(tp: Array, term_df: Array, class_sizes: Array, documents: float) -> Cells:
    """Cells from the documents with both, with the term, with the class, and all.

    With several labels per document the classes overlap, so tn comes from N, not from the other classes.
    """
    fp, fn = term_df - tp, class_sizes - tp
    tn = documents - tp - fp - fn
    # sums of weights miss an empty cell by a rounding error, and metrics ask whether it is empty
    least = ROUNDING * documents
    return Cells(tp, *(np.where(cell <= least, 0.0, cell) for cell in (fp, fn, tn)))


KEPT = 1 << 18  # cells of which sums and rates are kept from one metric to the next: 2 MB each
RARE = 1000  # terms in at most so many documents share cells often enough to look for it


def laid_out(cells: Cells, place: Array, function: Callable[..., Array], options: dict[str, Any]) -> Array:
    """A function of some cells, at the places of every term and class."""
    # what many cells have in common is not kept: it would take more than the table
    own = cells if cells.tp.size <= KEPT else replace(cells)
    values = np.asarray(function(own, **options))
    if values.shape != cells.tp.shape:
        raise InvalidInputError(
            f"a metric gives one number per cell, {cells.tp.shape}; got {values.shape} of {function!r}"
        )
    return values.take(place).T


def every_cell(cells: Cells) -> tuple[Cells, Array]:
    """Each cell for itself: weighted counts rarely agree, and those of few terms neither."""
    flat = (np.ravel(x, order="F") for x in (cells.tp, cells.fp, cells.fn, cells.tn))
    return Cells(*flat), np.arange(cells.tp.size).reshape(cells.tp.shape[::-1])


def find_distinct_cells(
    table: csr_array[Any], totals: Array, sizes: Array, whole: float
) -> tuple[Cells, Array]:
    """Each different (df, tp) of a class once: most terms are rare, so there are few.

    Where a class lacks the term, tp = 0 and the df alone tells cells apart, for all classes alike.
    table, totals : (terms, classes) and (terms,) of documents or occurrences; sizes, whole : theirs of all
    """
    n_terms, n_classes = table.shape
    by_class = table.tocsc()
    term_df = totals.astype(np.intp)
    values, value_of_term = distinct_numbers(term_df)
    terms = np.bincount(value_of_term, minlength=len(values))
    place = np.empty((n_classes, n_terms), dtype=np.intp)
    parts = []
    seen = 0
    for c in range(n_classes):
        span = slice(by_class.indptr[c], by_class.indptr[c + 1])
        rows, tp = by_class.indices[span], by_class.data[span]
        first, own = group_equal_pairs(term_df[rows], tp)
        lacking = np.bincount(value_of_term[rows], minlength=len(values)) < terms
        place[c] = (np.cumsum(lacking) - 1 + seen)[value_of_term]
        lacked = values[lacking]
        place[c, rows] = own + seen + len(lacked)
        seen += len(lacked) + len(first)
        tps = np.concatenate([np.zeros_like(lacked), tp[first]])
        dfs = np.concatenate([lacked, term_df[rows][first]])
        parts.append((tps, dfs, np.full(len(tps), sizes[c])))
    tp, df, size = (np.concatenate(part).astype(np.float64) for part in zip(*parts, strict=True))
    return build_cells(tp, df, size, whole), place


def distinct_numbers(numbers: Array) -> tuple[Array, Array]:
    """The distinct whole numbers, ascending, and for each number its place among them."""
    if numbers.max(initial=0) > 16 * len(numbers):
        return np.unique(numbers, return_inverse=True)
    # many terms are in few documents: no sorting
    is_there = np.zeros(int(numbers.max(initial=0)) + 1, dtype=np.intp)
    is_there[numbers] = 1
    return np.flatnonzero(is_there), (np.cumsum(is_there) - 1)[numbers]


def group_equal_pairs(df: Array, tp: Array) -> tuple[Array, Array]:
    """The pairs (df, tp) that are the last of their kind, and for each pair the place of its like among them.

    A pair of a rare term has the number df(df+1)/2 + tp. Every pair writes its index at its number;
    the index read back is the same for all pairs of that number. Frequent terms hardly share pairs,
    so each has a number of its own.
    """
    n = len(df)
    own_number = RARE * (RARE + 3) // 2 + 1 + np.arange(n)
    number = np.where(df <= RARE, df * (df + 1) // 2 + tp, own_number)
    index = np.empty(RARE * (RARE + 3) // 2 + 1 + n, dtype=np.intp)
    index[number] = np.arange(n)
    like = index[number]
    chosen = like == np.arange(n)
    return np.flatnonzero(chosen), (np.cumsum(chosen) - 1)[like]


BLOCK = 1 << 22  # cells of a block: 32 MB an array of float64; what is one block is not copied into a table
MAX_CACHED_BLOCK_CELLS = 1 << 23  # larger counts do not cache their blocks: 8 bytes per cell
RUN = 1 << 17  # cells of a run: what is made of one on the way stays in a processor's own memory


@dataclass(frozen=True, slots=True, eq=False)
class Totals:
    """What a run of terms must know of all of them.

    lengths : (classes,) occurrences of all terms in each class; length : in all documents
    vocabulary : the number of terms
    single_label : whether every document has one label
    """

    lengths: Array
    length: float
    vocabulary: int
    single_label: bool

    @classmethod
    def from_counts(cls, counts: Counts) -> Totals:
        """The totals of counts that are the whole."""
        lengths = counts.tf.sum(axis=0).astype(np.float64)
        return cls(lengths, float(counts.term_tf.sum()), len(counts.terms), counts.single_label)


class Block:
    """A run of terms of the counts, with the totals of the whole: what a metric sees.

    df, tf, tf2 : (terms, classes) dense
    term_df, term_tf, term_tf2 : (terms, 1)
    class_sizes : (classes,); documents : their number N
    lengths : (classes,) occurrences of all terms in each class; length : in all documents
    vocabulary : the number of terms of the whole
    single_label : whether every document has one label
    whole, whole_tokens : whether documents count as whole ones, without weights; and occurrences
    """

    def __init__(self, counts: Counts, rows: slice, totals: Totals) -> None:
        self.rows = rows
        self.sparse_df, self._tf, self._tf2 = counts.df[rows], counts.tf[rows], counts.tf2[rows]
        self.shape = self.sparse_df.shape
        self.term_df = counts.term_df[rows, None].astype(np.float64)
        self.term_tf = counts.term_tf[rows, None].astype(np.float64)
        self.term_tf2 = counts.term_tf2[rows, None].astype(np.float64)
        self.documents = float(counts.documents)
        self.class_sizes = counts.class_sizes.astype(np.float64)
        self.lengths, self.length = totals.lengths, totals.length
        self.vocabulary, self.single_label = totals.vocabulary, totals.single_label
        self.has_integer_df = counts.df.dtype.kind == "i" and counts.term_df.dtype.kind == "i"
        self.has_integer_tf = counts.tf.dtype.kind == "i" and counts.term_tf.dtype.kind == "i"

    @cached_property
    def df(self) -> Array:
        """Documents of the class that hold the term."""
        return to_dense(self.sparse_df)

    @cached_property
    def tf(self) -> Array:
        """Occurrences of the term in the class."""
        return to_dense(self._tf)

    @cached_property
    def tf2(self) -> Array:
        """The sum of the squared counts of the term over the class's documents."""
        return to_dense(self._tf2)

    def map_cells(self, function: Callable[..., Array], **options: Any) -> Array:
        """A function of cells for every term and class: evaluated on the distinct ones, then laid out."""
        return laid_out(*self.distinct_cells, function, options)

    def map_token_cells(self, function: Callable[..., Array], **options: Any) -> Array:
        """The same of the cells of occurrences."""
        return laid_out(*self.distinct_token_cells, function, options)

    def map_chunks(self, function: Callable[[Block], Array]) -> Array:
        """A function of blocks that looks at each term alone: run after run of the terms."""
        parts = [function(run) for run in self.chunks]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    @cached_property
    def chunks(self) -> list[Block]:
        """The block in smaller ones."""
        step = max(1, RUN // max(1, self.shape[1]))
        if self.shape[0] <= step:
            return [self]
        return [self._chunk(first, first + step) for first in range(0, self.shape[0], step)]

    def _chunk(self, first: int, last: int) -> Block:
        """The block of some of its terms, of which nothing is laid out yet."""
        own = copy.copy(self)
        for name, value in vars(type(self)).items():
            if isinstance(value, cached_property):
                own.__dict__.pop(name, None)
        own.rows = slice(self.rows.start + first, min(self.rows.start + last, self.rows.stop))
        own.sparse_df, own._tf, own._tf2 = (t[first:last] for t in (self.sparse_df, self._tf, self._tf2))
        own.term_df, own.term_tf, own.term_tf2 = (
            t[first:last] for t in (self.term_df, self.term_tf, self.term_tf2)
        )
        own.shape = own.sparse_df.shape
        return own

    def drop_dense_arrays(self) -> None:
        """Let go of what is laid out densely; the distinct cells stay."""
        for name in ("df", "tf", "tf2", "cells", "token_cells", "chunks"):
            self.__dict__.pop(name, None)

    def zero_undefined(self, values: Array) -> Array:
        """The values, and 0 for a term in no document or a class of no or all documents."""
        apart = (self.class_sizes > 0) & (self.class_sizes < self.documents)
        found = self.term_df > 0
        if apart.all() and found.all():
            # term by term, as the other way gives them: sums over the classes are the same to the last bit
            return np.array(values, order="C")
        return np.where(apart & found, values, 0.0)

    @cached_property
    def cells(self) -> Cells:
        """The cells of every term and class."""
        return build_cells(self.df, self.term_df, self.class_sizes, self.documents)

    @cached_property
    def token_cells(self) -> Cells:
        """The cells of occurrences instead of documents, of every term and class."""
        return build_cells(self.tf, self.term_tf, self.lengths, self.length)

    @cached_property
    def distinct_cells(self) -> tuple[Cells, Array]:
        """The distinct cells, and for each class and term the place of its own: (classes, terms)."""
        if not self.has_integer_df or self.shape[1] > self.shape[0]:
            return every_cell(self.cells)
        return find_distinct_cells(self.sparse_df, self.term_df[:, 0], self.class_sizes, self.documents)

    @cached_property
    def distinct_token_cells(self) -> tuple[Cells, Array]:
        """The same of occurrences."""
        if not self.has_integer_tf or self.shape[1] > self.shape[0]:
            return every_cell(self.token_cells)
        return find_distinct_cells(self._tf, self.term_tf[:, 0], self.lengths, self.length)


def iter_blocks(counts: Counts) -> Iterator[Block]:
    """The counts in runs of terms. They keep them, so thirty metrics lay them out once.

    Of several blocks only what is small is kept, of very many nothing.
    """
    if "blocks" not in counts._memo:
        found = split_into_blocks(counts, compute_totals(counts))
        if len(counts.terms) * len(counts.classes) > MAX_CACHED_BLOCK_CELLS:
            yield from found
            return
        counts._memo["blocks"] = list(found)
    kept = counts._memo["blocks"]
    for block in kept:
        yield block
        if len(kept) > 1:
            block.drop_dense_arrays()


def split_into_blocks(counts: Counts, totals: Totals) -> Iterator[Block]:
    """Counts of some terms in runs, with the totals of all terms; one run at least."""
    step = block_size(counts)
    for start in range(0, max(len(counts.terms), 1), step):
        yield Block(counts, slice(start, min(start + step, len(counts.terms))), totals)


def block_size(counts: Counts) -> int:
    """How many terms make a block."""
    return max(1, BLOCK // max(1, len(counts.classes)))


def to_dense(table: csr_array[Any]) -> Array:
    """A sparse (terms, classes) table as floats, class by class in memory."""
    n_terms, n_classes = table.shape
    by_class = np.zeros(n_classes * n_terms)
    places = np.repeat(np.arange(n_terms), np.diff(table.indptr))
    places += table.indices * np.intp(n_terms)
    by_class[places] = table.data
    return by_class.reshape(n_classes, n_terms).T


def document_cells(counts: Counts, rows: Array, columns: Any) -> Cells:
    """The cells of some terms and classes, (rows, columns)."""
    tp = counts.df[rows][:, columns].toarray().astype(np.float64)
    return build_cells(tp, counts.term_df[rows, None], counts.class_sizes[columns], counts.documents)


def token_cells(counts: Counts, rows: Array, columns: Any) -> Cells:
    """The cells of occurrences of some terms and classes, (rows, columns)."""
    tp = counts.tf[rows][:, columns].toarray().astype(np.float64)
    totals = compute_totals(counts)
    return build_cells(tp, counts.term_tf[rows, None], totals.lengths[columns], totals.length)


def compute_totals(counts: Counts) -> Totals:
    """The totals of counts, worked out once."""
    if "totals" not in counts._memo:
        counts._memo["totals"] = Totals.from_counts(counts)
    known: Totals = counts._memo["totals"]
    return known


def contrast_classes(counts: Counts, for_class: Any, reference: Any = None) -> tuple[Counts, Any]:
    """The counts in which a class is told from what it is set reference, and the name it has there.

    Either side is a class or a list of classes, which are then one. One class alone is set reference the rest,
    and the counts stay as they are; several are set reference the classes that are left.

    >>> from termsift import count
    >>> counts = count(["a", "b", "c"], ["x", "y", "z"], analyzer=str.split)
    >>> contrast_classes(counts, "x", "y")[0].classes
    ('x', 'y')
    >>> contrast_classes(counts, ["x", "y"])
    (Counts(3 terms, 2 classes, 3 documents), 'x + y')
    """
    if for_class is None:
        raise InvalidInputError(f"for_class is missing: name the class that is set reference {reference!r}")
    ours = class_columns(counts, for_class)
    if reference is None and len(ours) == 1:
        return counts, counts.classes[ours[0]]
    every = range(len(counts.classes))
    theirs = [c for c in every if c not in ours] if reference is None else class_columns(counts, reference)
    if not theirs:
        raise InvalidInputError("every class is named, so that none is left to be set against")
    shared = next((counts.classes[c] for c in ours if c in theirs), None)
    if shared is not None:
        raise InvalidInputError(f"class {shared!r} cannot be set reference itself; name another one")
    together = len(ours) > 1 or len(theirs) > 1
    sides = [side(counts, columns, together) for columns in (ours, theirs)]
    return sides[0] + sides[1], sides[0].classes[0]


def class_columns(counts: Counts, names: Any) -> list[int]:
    """The columns of a class or of several, each once, in the order they are named."""
    return list(dict.fromkeys(counts.class_index(name) for name in each_class(names)))


def side(counts: Counts, columns: list[int], together: bool) -> Counts:
    """The documents of some classes, as one class where a side has several."""
    names = [counts.classes[c] for c in columns]
    own = counts.only(names)
    return own.as_class(" + ".join(map(str, names))) if together else own
