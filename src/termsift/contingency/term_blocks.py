"""Counts as dense arrays, a run of terms at a time: the 2x2 cells, and the few that are distinct.

Dense tables are held class by class in memory (Fortran order), since reductions run over classes.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._typing import Array
from termsift.contingency.cells import Cells, cells_of
from termsift.contingency.distinct import distinct_cells, every_cell, laid_out
from termsift.counts import Counts

BLOCK = 1 << 22  # cells of a block: 32 MB an array of float64; what is one block is not copied into a table
KEPT = 1 << 23  # cells of counts whose blocks are kept: 8 bytes for the place of each, and the distinct ones
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
        self.whole = counts.df.dtype.kind == "i" and counts.term_df.dtype.kind == "i"
        self.whole_tokens = counts.tf.dtype.kind == "i" and counts.term_tf.dtype.kind == "i"

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
        return laid_out(*self.distinct, function, options)

    def of_token_cells(self, function: Callable[..., Array], **options: Any) -> Array:
        """The same of the cells of occurrences."""
        return laid_out(*self.distinct_tokens, function, options)

    def by_runs(self, function: Callable[[Block], Array]) -> Array:
        """A function of blocks that looks at each term alone: run after run of the terms."""
        parts = [function(run) for run in self.runs]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    @cached_property
    def runs(self) -> list[Block]:
        """The block in smaller ones."""
        step = max(1, RUN // max(1, self.shape[1]))
        if self.shape[0] <= step:
            return [self]
        return [self.run(first, first + step) for first in range(0, self.shape[0], step)]

    def run(self, first: int, last: int) -> Block:
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

    def forget_dense(self) -> None:
        """Let go of what is laid out densely; the distinct cells stay."""
        for name in ("df", "tf", "tf2", "cells", "token_cells", "runs"):
            self.__dict__.pop(name, None)

    def or_zero(self, values: Array) -> Array:
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
        return cells_of(self.df, self.term_df, self.class_sizes, self.documents)

    @cached_property
    def token_cells(self) -> Cells:
        """The cells of occurrences instead of documents, of every term and class."""
        return cells_of(self.tf, self.term_tf, self.lengths, self.length)

    @cached_property
    def distinct(self) -> tuple[Cells, Array]:
        """The distinct cells, and for each class and term the place of its own: (classes, terms)."""
        if not self.whole or self.shape[1] > self.shape[0]:
            return every_cell(self.cells)
        return distinct_cells(self.sparse_df, self.term_df[:, 0], self.class_sizes, self.documents)

    @cached_property
    def distinct_tokens(self) -> tuple[Cells, Array]:
        """The same of occurrences."""
        if not self.whole_tokens or self.shape[1] > self.shape[0]:
            return every_cell(self.token_cells)
        return distinct_cells(self._tf, self.term_tf[:, 0], self.lengths, self.length)


def blocks(counts: Counts) -> Iterator[Block]:
    """The counts in runs of terms. They keep them, so thirty metrics lay them out once.

    Of several blocks only what is small is kept, of very many nothing.
    """
    if "blocks" not in counts._memo:
        found = blocks_of_part(counts, totals_of(counts))
        if len(counts.terms) * len(counts.classes) > KEPT:
            yield from found
            return
        counts._memo["blocks"] = list(found)
    kept = counts._memo["blocks"]
    for block in kept:
        yield block
        if len(kept) > 1:
            block.forget_dense()


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
    n_terms, n_classes = table.shape
    by_class = np.zeros(n_classes * n_terms)
    places = np.repeat(np.arange(n_terms), np.diff(table.indptr))
    places += table.indices * np.intp(n_terms)
    by_class[places] = table.data
    return by_class.reshape(n_classes, n_terms).T


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
