"""Sums by class, as the kernels give them, become Counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csc_array, csr_array

from termsift._typing import Array, exact, exact_number
from termsift.counts import Counts

# (terms, df, tf, tf2) of one class, ascending by term
Sums: TypeAlias = tuple[Array, Array, Array, Array]


def emptied(df: Array, tf: Array, tf2: Array, touched: Array, n: int) -> Sums:
    """The sums of the n touched terms, ascending by term; the scratch that held them is zero again."""
    terms = np.sort(touched[:n]) if n * 16 < df.size else np.flatnonzero(df).astype(touched.dtype)
    sums = terms, df[terms], tf[terms], tf2[terms]
    for part in (df, tf, tf2):
        part[terms] = 0
    return sums


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
    n = len(terms)
    totals = add_up(columns if every is None else [every], n)
    head = terms, classes, exact_number(documents), exact(np.asarray(sizes))
    return Counts(*head, *class_tables(columns, n), *totals, analyzer)


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


def add_up(columns: list[Sums], size: int) -> tuple[Array, Array, Array]:
    """The sums over the columns as three full vectors."""
    totals = [np.zeros(size, dtype=columns[0][i].dtype if columns else np.int64) for i in (1, 2, 3)]
    for terms, *values in columns:
        for total, value in zip(totals, values, strict=True):
            total[terms] += value
    return exact(totals[0]), exact(totals[1]), exact(totals[2])
