"""Counts as dense arrays, a run of terms at a time: the 2x2 cells, and the few that are distinct.

Dense tables are held class by class in memory (Fortran order), since reductions run over classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._typing import Array
from termsift.counts import Counts
from termsift.errors import InvalidInput

BLOCK = 1 << 21  # cells of a block: 16 MB an array of float64
ROUNDING = 1e-13  # what rounding can make of nothing, as a share of the sums it comes from
RARE = 1000  # terms in at most so many documents share cells often enough to look for it


@dataclass(frozen=True, slots=True)
class Cells:
    """The 2x2 table of a term and a class; arrays of any one shape.

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

    @property
    def pos(self) -> Array:
        """Documents of the class."""
        return self.tp + self.fn

    @property
    def neg(self) -> Array:
        """Documents outside the class."""
        return self.fp + self.tn

    @property
    def df(self) -> Array:
        """Documents that contain the term."""
        return self.tp + self.fp

    @property
    def documents(self) -> Array:
        """All documents."""
        return self.pos + self.neg

    @property
    def tpr(self) -> Array:
        """The share of the class's documents that contain the term, 0 for an empty class."""
        return ratio(self.tp, self.pos)

    @property
    def fpr(self) -> Array:
        """The share of the other documents that contain the term, 0 where there are none."""
        return ratio(self.fp, self.neg)

    @property
    def lean(self) -> Array:
        """AD - BC: above 0 where the term speaks for the class, below 0 where against it."""
        ad, bc = self.tp * self.tn, self.fp * self.fn
        # weights leave a rounding error where term and class are independent
        return np.where(np.abs(ad - bc) <= ROUNDING * (ad + bc), 0.0, ad - bc)

    def or_zero(self, values: Array) -> Array:
        """The values, and 0 for a term in no document or a class of no or all documents."""
        return np.where((self.df > 0) & (self.pos > 0) & (self.neg > 0), values, 0.0)

    def smoothed(self, count: float) -> Cells:
        """Expected likelihood estimation: `count` added to each cell."""
        return Cells(self.tp + count, self.fp + count, self.fn + count, self.tn + count)


def ratio(numerator: Array, denominator: Array) -> Array:
    """Numerator / denominator, and 0 where the denominator is 0."""
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    order: Any = "F" if np.isfortran(np.asarray(numerator)) else "C"
    out = np.zeros(shape, order=order)
    return np.divide(numerator, denominator, out=out, where=np.asarray(denominator) != 0)


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
    def of(cls, counts: Counts) -> Totals:
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
    whole : whether documents count as whole ones, without weights
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
        self.whole = counts.df.dtype.kind == "i" and counts.term_df.dtype.kind == "i"

    @cached_property
    def df(self) -> Array:
        """Documents of the class that hold the term."""
        return dense(self.sparse_df)

    @cached_property
    def tf(self) -> Array:
        """Occurrences of the term in the class."""
        return dense(self._tf)

    @cached_property
    def tf2(self) -> Array:
        """The sum of the squared counts of the term over the class's documents."""
        return dense(self._tf2)

    def of_cells(self, function: Callable[..., Array], **options: Any) -> Array:
        """A function of cells for every term and class: evaluated on the distinct ones, then laid out."""
        cells, place = self.distinct
        values = np.asarray(function(cells, **options))
        if values.shape != cells.tp.shape:
            raise InvalidInput(
                f"a metric gives one number per cell, {cells.tp.shape}; got {values.shape} of {function!r}"
            )
        return values.take(place).T

    def or_zero(self, values: Array) -> Array:
        """The values, and 0 for a term in no document or a class of no or all documents."""
        apart = (self.class_sizes > 0) & (self.class_sizes < self.documents)
        return np.where(apart & (self.term_df > 0), values, 0.0)

    @cached_property
    def cells(self) -> Cells:
        """The cells of every term and class."""
        return cells_of(self.df, self.term_df, self.class_sizes, self.documents)

    @cached_property
    def token_cells(self) -> Cells:
        """The cells of occurrences instead of documents, of every term and class."""
        return cells_of(self.tf, self.term_tf, self.lengths, self.length)

    @cached_property
    def distinct(self) -> tuple[Cells, Array]:
        """The distinct cells, and for each class and term the place of its own: (classes, terms)."""
        return distinct_cells(self)


def blocks(counts: Counts) -> Iterator[Block]:
    """The counts in runs of terms. Counts that fit one block keep it, so thirty metrics lay it out once."""
    if "block" not in counts._memo:
        found = blocks_of_part(counts, totals_of(counts))
        if len(counts.terms) > block_size(counts):
            yield from found
            return
        counts._memo["block"] = next(found)
    yield counts._memo["block"]


def blocks_of_part(counts: Counts, totals: Totals) -> Iterator[Block]:
    """Counts of some terms in runs, with the totals of all terms; one run at least."""
    step = block_size(counts)
    for start in range(0, max(len(counts.terms), 1), step):
        yield Block(counts, slice(start, min(start + step, len(counts.terms))), totals)


def block_size(counts: Counts) -> int:
    """How many terms make a block."""
    return max(1, BLOCK // max(1, len(counts.classes)))


def dense(table: csr_array[Any]) -> Array:
    """A sparse (terms, classes) table as floats, class by class in memory."""
    out = np.zeros(table.shape, order="F")
    rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    out[rows, table.indices] = table.data
    return out


def cells_of(tp: Array, term_df: Array, class_sizes: Array, documents: float) -> Cells:
    """Cells from the documents with both, with the term, with the class, and all.

    With several labels per document the classes overlap, so tn comes from N, not from the other classes.
    """
    fp, fn = term_df - tp, class_sizes - tp
    tn = documents - tp - fp - fn
    # sums of weights miss an empty cell by a rounding error, and metrics ask whether it is empty
    least = ROUNDING * documents
    return Cells(tp, *(np.where(cell <= least, 0.0, cell) for cell in (fp, fn, tn)))


def document_cells(counts: Counts, rows: Array, columns: Any) -> Cells:
    """The cells of some terms and classes, (rows, columns)."""
    tp = counts.df[rows][:, columns].toarray().astype(np.float64)
    return cells_of(tp, counts.term_df[rows, None], counts.class_sizes[columns], counts.documents)


def token_cells(counts: Counts, rows: Array, columns: Any) -> Cells:
    """The cells of occurrences of some terms and classes, (rows, columns)."""
    tp = counts.tf[rows][:, columns].toarray().astype(np.float64)
    totals = totals_of(counts)
    return cells_of(tp, counts.term_tf[rows, None], totals.lengths[columns], totals.length)


def totals_of(counts: Counts) -> Totals:
    """The totals of counts, worked out once."""
    if "totals" not in counts._memo:
        counts._memo["totals"] = Totals.of(counts)
    known: Totals = counts._memo["totals"]
    return known


def distinct_cells(block: Block) -> tuple[Cells, Array]:
    """Each different (df, tp) of a class once: most terms are rare, so there are few.

    Where a class lacks the term, tp = 0 and the df alone tells cells apart, for all classes alike.
    Weighted counts rarely agree, and few terms neither, so there each cell stands for itself.
    """
    n_terms, n_classes = block.shape
    if not block.whole or n_classes > n_terms:
        place = np.arange(n_terms * n_classes).reshape(n_classes, n_terms)
        cells = block.cells
        return Cells(*(np.ravel(x, order="F") for x in (cells.tp, cells.fp, cells.fn, cells.tn))), place
    by_class = block.sparse_df.tocsc()
    term_df = block.term_df[:, 0].astype(np.intp)
    values, lacking = np.unique(term_df, return_inverse=True)
    place = np.empty((n_classes, n_terms), dtype=np.intp)
    parts = []
    seen = 0
    for c in range(n_classes):
        span = slice(by_class.indptr[c], by_class.indptr[c + 1])
        rows, tp = by_class.indices[span], by_class.data[span]
        first, own = stand_ins(term_df[rows], tp)
        place[c] = lacking + seen
        place[c, rows] = own + seen + len(values)
        seen += len(values) + len(first)
        tps = np.concatenate([np.zeros_like(values), tp[first]])
        dfs = np.concatenate([values, term_df[rows][first]])
        parts.append((tps, dfs, np.full(len(tps), block.class_sizes[c])))
    tp, df, size = (np.concatenate(part).astype(np.float64) for part in zip(*parts, strict=True))
    return cells_of(tp, df, size, block.documents), place


def stand_ins(df: Array, tp: Array) -> tuple[Array, Array]:
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
