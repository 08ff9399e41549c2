"""The terms that a reader can look up: those that are drawn, and all that are in enough documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from termsift._typing import Array
from termsift.counts import Counts
from termsift.report.values.term_maps import TermMap
from termsift.report.values.written import LONGEST

# of a page, for the counts of terms that are drawn nowhere
MOST_BYTES = 700_000
# of a number with its comma, and of a term with its quotes
NUMBER, QUOTES = 4, 3


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """Terms whose counts a page holds.

    rows : their rows in the counts, ascending
    df : (rows,) the documents that hold each
    inside : for each the places of the classes shown that hold it, and the documents of each class
    least : every term in so many documents is among them; 0 where all terms are
    """

    rows: Array
    df: Array
    inside: tuple[list[tuple[int, float]], ...]
    least: float


def lookup_of(counts: Counts, shown: Sequence[TermMap]) -> Lookup:
    """The terms to look up."""
    table = counts.df[:, [one.column for one in shown]].tocsr()
    frequent, least = frequent_rows(counts.terms, counts.term_df, np.diff(table.indptr))
    rows = np.unique(np.concatenate([frequent, *(one.rows for one in shown)]))
    own = table[rows]
    pairs = list(zip(own.indices.tolist(), own.data.tolist(), strict=True))
    inside = tuple(pairs[a:b] for a, b in zip(own.indptr[:-1].tolist(), own.indptr[1:].tolist(), strict=True))
    return Lookup(rows, counts.term_df[rows], inside, least)


def frequent_rows(terms: Array, df: Array, classes: Array) -> tuple[Array, float]:
    """The rows of the terms in enough documents for all of them to fit, and how many documents that are."""
    cost = (
        np.minimum(name_sizes(list(map(str, terms.tolist()))), LONGEST) + QUOTES + NUMBER * (2 + 2 * classes)
    )
    order = np.argsort(-df, kind="stable")
    fitting = int(np.searchsorted(np.cumsum(cost[order]), MOST_BYTES, side="right"))
    if fitting == len(df):
        return np.arange(len(df)), 0.0
    # of terms in as many documents as the first that does not fit there are all or none
    above = np.flatnonzero(df > df[order[fitting]])
    return above, float(df[above].min()) if len(above) else float("inf")


def name_sizes(names: list[str]) -> Array:
    """The bytes of each name; all are encoded at once, where no name holds what parts them."""
    parts = "\0".join(names).encode("utf-8", "replace").split(b"\0")
    if len(parts) != len(names):
        parts = [name.encode("utf-8", "replace") for name in names]
    return np.fromiter(map(len, parts), np.int64, len(names))
