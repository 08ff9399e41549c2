"""Sums by class, as the kernels give them, become Counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csc_array, csr_array

from termsift._typing import Array, exact, exact_number
from termsift.counts import Counts

# (terms, df, tf, tf2) of one class, ascending by term
Sums: TypeAlias = tuple[Array, Array, Array, Array]


def emptied(df: Array, tf: Array, tf2: Array, touched: Array, n: int) -> Sums:
    """The sums of the n touched terms, ascending by term; the scratch that held them is zero again."""
    if n * 16 >= df.size:
        return emptied_in_order(df, tf, tf2, touched.dtype, n)
    terms = np.sort(touched[:n])
    sums = terms, df[terms], tf[terms], tf2[terms]
    for part in (df, tf, tf2):
        part[terms] = 0
    return sums


def emptied_in_order(df: Array, tf: Array, tf2: Array, kind: Any, n: int) -> Sums:
    """The same by one pass over all terms."""
    from termsift.engines._sums_kernel import move_sums

    terms = np.empty(n, dtype=kind)
    own_df, own_tf, own_tf2 = (np.empty(n, dtype=part.dtype) for part in (df, tf, tf2))
    move_sums(df, tf, tf2, terms, own_df, own_tf, own_tf2)
    return terms, own_df, own_tf, own_tf2


def summed_counts(
    terms: Array,
    classes: tuple[Any, ...],
    documents: float,
    sizes: Iterable[float],
    columns: list[Sums],
    every: Sums | None,
    analyzer: str | None,
) -> Counts:
    """Counts of the sums of each class and of every document; None where the classes add up to those."""
    tables = class_tables(columns, len(terms))
    df, tf, tf2 = map(class_totals, tables) if every is None else laid_out_sums(every, len(terms))
    head = terms, classes, exact_number(documents), exact(np.asarray(sizes))
    return Counts(*head, *tables, df, tf, tf2, analyzer)


def class_tables(columns: list[Sums], size: int) -> tuple[csr_array[Any], csr_array[Any], csr_array[Any]]:
    """Sums that stand class by class as three sparse tables of terms x classes with one pattern."""
    starts = np.concatenate([[0], np.cumsum([len(column[0]) for column in columns], dtype=np.int64)])
    shape = (size, len(columns))
    by_term = csc_array((np.arange(starts[-1]), joined_column(columns, 0), starts), shape=shape).tocsr()
    df, tf, tf2 = (
        csr_array(
            (exact(joined_column(columns, i)[by_term.data]), by_term.indices, by_term.indptr), shape=shape
        )
        for i in (1, 2, 3)
    )
    return df, tf, tf2


def joined_column(columns: list[Sums], i: int) -> Array:
    """The i-th arrays of the columns, one after the other."""
    return np.concatenate([column[i] for column in columns]) if columns else np.zeros(0, dtype=np.int64)


def class_totals(table: csr_array[Any]) -> Array:
    """The sums over the classes, one class after the other, as a full vector."""
    return exact(table @ np.ones(table.shape[1], dtype=table.dtype))


def laid_out_sums(sums: Sums, size: int) -> Iterator[Array]:
    """Sums of some terms, each as a full vector."""
    terms, *values = sums
    for value in values:
        total = np.zeros(size, dtype=value.dtype)
        total[terms] = value
        yield exact(total)
