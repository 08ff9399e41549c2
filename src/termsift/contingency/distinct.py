"""Cells that stand for all that are alike: of most terms, which are rare, there are few different ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._typing import Array
from termsift.contingency.cells import Cells, cells_of
from termsift.errors import InvalidInput

KEPT = 1 << 18  # cells of which sums and rates are kept from one metric to the next: 2 MB each
RARE = 1000  # terms in at most so many documents share cells often enough to look for it


def laid_out(cells: Cells, place: Array, function: Callable[..., Array], options: dict[str, Any]) -> Array:
    """A function of some cells, at the places of every term and class."""
    # what many cells have in common is not kept: it would take more than the table
    own = cells if cells.tp.size <= KEPT else replace(cells)
    values = np.asarray(function(own, **options))
    if values.shape != cells.tp.shape:
        raise InvalidInput(
            f"a metric gives one number per cell, {cells.tp.shape}; got {values.shape} of {function!r}"
        )
    return values.take(place).T


def every_cell(cells: Cells) -> tuple[Cells, Array]:
    """Each cell for itself: weighted counts rarely agree, and those of few terms neither."""
    flat = (np.ravel(x, order="F") for x in (cells.tp, cells.fp, cells.fn, cells.tn))
    return Cells(*flat), np.arange(cells.tp.size).reshape(cells.tp.shape[::-1])


def distinct_cells(table: csr_array[Any], totals: Array, sizes: Array, whole: float) -> tuple[Cells, Array]:
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
        first, own = stand_ins(term_df[rows], tp)
        lacking = np.bincount(value_of_term[rows], minlength=len(values)) < terms
        place[c] = (np.cumsum(lacking) - 1 + seen)[value_of_term]
        lacked = values[lacking]
        place[c, rows] = own + seen + len(lacked)
        seen += len(lacked) + len(first)
        tps = np.concatenate([np.zeros_like(lacked), tp[first]])
        dfs = np.concatenate([lacked, term_df[rows][first]])
        parts.append((tps, dfs, np.full(len(tps), sizes[c])))
    tp, df, size = (np.concatenate(part).astype(np.float64) for part in zip(*parts, strict=True))
    return cells_of(tp, df, size, whole), place


def distinct_numbers(numbers: Array) -> tuple[Array, Array]:
    """The distinct whole numbers, ascending, and for each number its place among them."""
    if numbers.max(initial=0) > 16 * len(numbers):
        return np.unique(numbers, return_inverse=True)
    # many terms are in few documents: no sorting
    is_there = np.zeros(int(numbers.max(initial=0)) + 1, dtype=np.intp)
    is_there[numbers] = 1
    return np.flatnonzero(is_there), (np.cumsum(is_there) - 1)[numbers]


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
