"""Counts by class and group; a group is a second label of documents, such as author, source or day.

Engines count pairs: the group and all labels of a document, written as one text. So every document has one
label, its pair, and engines need no code for groups.
"""

from __future__ import annotations

import json
import os
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.errors import InvalidInputError, UnreadableFileError
from termsift._internal.typing import Array, to_exact_dtype
from termsift.counts.contingency import Cells, build_cells
from termsift.counts.counts import Counts, is_counts_file
from termsift.counts.labels import Labels, as_list, as_scalar, is_collection, is_missing, sort_classes
from termsift.counts.parquet import decode_optional_text, encode_values, parquet_metadata

METADATA_KEY = "termsift.groups"


@dataclass(frozen=True, eq=False, repr=False)
class GroupedCounts:
    """Counts by class and group, from which counts by class or within groups are summed.

    They can be added, as Counts can. `ts.count` with groups returns them.

    Parameters
    ----------
    pairs : Counts
        Counts per pair of group and labels; each class is a pair written by `format_pair_name`.
    by : str, optional
        Name of the column with the groups, if known.

    Raises
    ------
    InvalidInputError
        If `pairs` is not Counts, or classes or groups have names of mixed types.

    Examples
    --------
    >>> from termsift import count
    >>> grouped = count(["free prize", "free lunch", "lunch"], ["spam", "ham", "ham"], groups=["a", "a", "b"])
    >>> grouped
    GroupedCounts(3 terms, 2 classes, 2 groups, 3 documents)
    >>> grouped.counts
    Counts(3 terms, 2 classes, 3 documents)
    >>> grouped.range
    array([1, 2, 1])

    """

    pairs: Counts
    by: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.pairs, Counts):
            raise InvalidInputError(f"GroupedCounts needs Counts, got {type(self.pairs).__name__}")
        _ = self.classes, self.groups  # mixed kinds of names are an error now, not later

    @classmethod
    def empty(cls) -> GroupedCounts:
        """Return counts of no documents, the neutral element of addition.

        Returns
        -------
        GroupedCounts
            Counts without terms, classes, groups and documents.

        """
        return cls(Counts.empty())

    @cached_property
    def _pairs(self) -> list[tuple[Any, tuple[Any, ...]]]:
        return [parse_pair_name(name) for name in self.pairs.classes]

    @cached_property
    def classes(self) -> tuple[Any, ...]:
        """Classes, sorted."""
        return sort_classes(label for _, labels in self._pairs for label in labels)

    @cached_property
    def groups(self) -> tuple[Any, ...]:
        """Groups, sorted."""
        return sort_classes(group for group, _ in self._pairs)

    @property
    def terms(self) -> Array:
        """Terms, in the order of the rows."""
        return self.pairs.terms

    @cached_property
    def group_of_pair(self) -> Array:
        """(pairs,) index of the group of each pair."""
        group_index = {name: g for g, name in enumerate(self.groups)}
        return np.array([group_index[group] for group, _ in self._pairs], dtype=np.intp)

    @cached_property
    def membership(self) -> csr_array[Any]:
        """(pairs, classes) indicator of the classes of each pair."""
        class_index = {name: c for c, name in enumerate(self.classes)}
        rows = [i for i, (_, labels) in enumerate(self._pairs) for _ in labels]
        columns = [class_index[label] for _, labels in self._pairs for label in labels]
        ones = np.ones(len(rows), dtype=np.int64)
        return csr_array((ones, (rows, columns)), shape=(len(self._pairs), len(self.classes)))

    @cached_property
    def counts(self) -> Counts:
        """Counts by class."""
        pairs, sizes = self.pairs, to_exact_dtype(self.pairs.class_sizes @ self.membership)
        df, tf, tf2 = (sum_columns(table, self.membership) for table in (pairs.df, pairs.tf, pairs.tf2))
        totals = pairs.term_df, pairs.term_tf, pairs.term_tf2
        return Counts(pairs.terms, self.classes, pairs.documents, sizes, df, tf, tf2, *totals, pairs.analyzer)

    @cached_property
    def group_df(self) -> csr_array[Any]:
        """(terms, groups) documents in the group that contain the term."""
        return self._sum_pairs_by_group(self.pairs.df)

    @property
    def group_tf(self) -> csr_array[Any]:
        """(terms, groups) occurrences of the term in the group."""
        return self._sum_pairs_by_group(self.pairs.tf)

    def _sum_pairs_by_group(self, table: csr_array[Any]) -> csr_array[Any]:
        n = len(self.group_of_pair)
        pairs = np.ones(n, dtype=np.int64), self.group_of_pair, np.arange(n + 1)
        return sum_columns(table, csr_array(pairs, (n, len(self.groups))))

    @cached_property
    def group_sizes(self) -> Array:
        """(groups,) documents in each group."""
        return to_exact_dtype(np.bincount(self.group_of_pair, self.pairs.class_sizes, len(self.groups)))

    @property
    def range(self) -> Array:
        """(terms,) number of groups that contain each term."""
        return np.diff(self.group_df.indptr).astype(np.int64)

    def strata(self) -> Iterator[tuple[Array, Cells]]:
        """Yield for each group its terms, and their cells within the group.

        Yields
        ------
        rows : ndarray of int
            Indices of the terms that the group contains.
        cells : Cells
            Cells of shape (len(rows), n_classes) over the documents of the group.

        """
        table, totals = self.pairs.df.tocsc(), self.group_df.tocsc()
        for g in range(len(self.groups)):
            group_pairs = np.flatnonzero(self.group_of_pair == g)
            membership = self.membership[group_pairs]
            span = slice(totals.indptr[g], totals.indptr[g + 1])
            rows, df = totals.indices[span], totals.data[span, None]
            tp = (table[:, group_pairs].tocsr()[rows] @ membership).toarray().astype(np.float64)
            sizes = self.pairs.class_sizes[group_pairs] @ membership
            yield rows, build_cells(tp, df, sizes, float(self.group_sizes[g]))

    def keep(self, rows: Array) -> GroupedCounts:
        """Return the counts of some terms.

        Parameters
        ----------
        rows : ndarray of int or bool
            Indices of the terms, or a mask.

        Returns
        -------
        GroupedCounts
            Counts of these terms, in the order of `rows`.

        """
        return GroupedCounts(self.pairs.keep(rows), self.by)

    def with_df(self, min_df: float = 1, max_df: float = 1.0) -> GroupedCounts:
        """Return the counts of terms within limits of document frequency, as `Counts.with_df`.

        Parameters
        ----------
        min_df : int or float, default 1
            Smallest number of documents of a term, or a float from 0.0 to 1.0 for a share of the documents.
        max_df : int or float, default 1.0
            Largest number of documents of a term, or a share of the documents.

        Returns
        -------
        GroupedCounts
            Counts of the remaining terms.

        Raises
        ------
        InvalidInputError
            If a limit is not a number of documents or a share, or min_df exceeds max_df.

        """
        return GroupedCounts(self.pairs.with_df(min_df, max_df), self.by)

    def __add__(self, other: GroupedCounts) -> GroupedCounts:
        if not isinstance(other, GroupedCounts):
            return NotImplemented
        if self.by and other.by and self.by != other.by:
            raise InvalidInputError(f"counts grouped by {self.by!r} and by {other.by!r} cannot be added")
        return GroupedCounts(self.pairs + other.pairs, self.by or other.by)

    def __radd__(self, other: object) -> GroupedCounts:
        # sum() starts from 0
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GroupedCounts):
            return NotImplemented
        return self.pairs == other.pairs and self.by == other.by

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        sizes = f"{len(self.terms):,} terms, {len(self.classes):,} classes, {len(self.groups):,} groups"
        return f"GroupedCounts({sizes}, {self.pairs.documents:,} documents)"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one Parquet file, as `Counts.save` does. Equal counts give equal bytes.

        Parameters
        ----------
        path : str or path-like
            File to write.

        Raises
        ------
        InvalidInputError
            If terms cannot be stored in a file.
        UnreadableFileError
            If the file cannot be written.

        """
        self.pairs.save(path, {METADATA_KEY: encode_values([self.by])})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> GroupedCounts:
        """Load a file written by `save`.

        Parameters
        ----------
        path : str or path-like
            File to load.

        Returns
        -------
        GroupedCounts
            Counts equal to those that were saved.

        Raises
        ------
        UnreadableFileError
            If the file is missing, damaged or without groups.

        """
        name = os.fspath(path)
        metadata = parquet_metadata(name)
        if METADATA_KEY not in metadata:
            raise UnreadableFileError(f"{name} has no groups; count again with groups=, or --group COLUMN")
        pairs = Counts.load(name)
        try:
            return cls(pairs, decode_optional_text(metadata, METADATA_KEY))
        except InvalidInputError as error:
            message = f"{name} is damaged, or not written by termsift: {error}; count again"
            raise UnreadableFileError(message) from error


def check_group_number(grouped: GroupedCounts, minimum: int, purpose: str) -> None:
    """Check that there are enough groups for a purpose, such as "for an interval"."""
    n = len(grouped.groups)
    if n < minimum:
        actual = f"all documents are in group {grouped.groups[0]!r}" if n == 1 else f"there are {n or 'none'}"
        raise InvalidInputError(f"at least {minimum} groups are needed {purpose}; {actual}")


def sum_columns(table: csr_array[Any], membership: csr_array[Any]) -> csr_array[Any]:
    """Return the sums of columns by their (columns, groups) membership, with sorted indices."""
    summed = csr_array(table @ membership)
    summed.sort_indices()
    return csr_array((to_exact_dtype(summed.data), summed.indices, summed.indptr), shape=summed.shape)


def is_grouped_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a file that `GroupedCounts.save` wrote."""
    return is_counts_file(path, METADATA_KEY)


def as_counts(data: Any) -> Any:
    """Return saved or grouped counts as the counts of their classes, and other data unchanged."""
    if isinstance(data, str | os.PathLike) and is_counts_file(data):
        data = GroupedCounts.load(data) if is_grouped_file(data) else Counts.load(data)
    return data.counts if isinstance(data, GroupedCounts) else data


def pair_labels_with_groups(labels: Labels, groups: Any) -> Labels:
    """Return the pairs of documents as their labels.

    >>> from termsift.counts.labels import as_labels
    >>> pair_labels_with_groups(as_labels(["x", "y", "x"]), ["b", "a", "b"]).classes
    ('["a", "y"]', '["b", "x"]')
    """
    distinct, codes = encode_groups(groups, labels.size)
    pairs = list(zip(codes.tolist(), map(tuple, labels.labels_per_document), strict=True))
    # documents share few pairs, so each is written once
    names = {pair: format_pair_name(distinct[pair[0]], pair[1]) for pair in set(pairs)}
    return Labels.from_texts([names[pair] for pair in pairs])


def encode_groups(groups: Any, n_documents: int) -> tuple[list[Any], Array]:
    """Return the distinct groups, and the index of each document's group; none may be missing."""
    values = as_list(groups)
    if len(values) != n_documents:
        raise InvalidInputError(
            f"{n_documents} documents but {len(values)} groups; give one group per document"
        )
    index: dict[tuple[type, Any], int] = {}
    codes = np.empty(n_documents, dtype=np.intp)
    for i, value in enumerate(values):
        if is_collection(value) or not isinstance(as_scalar(value), Hashable):
            raise InvalidInputError(f"document {i} has the group {value!r}; a group must be a single value")
        scalar = as_scalar(value)
        if is_missing(scalar):
            raise InvalidInputError(f"document {i} has no group; drop it or give it a group")
        codes[i] = index.setdefault((type(scalar), scalar), len(index))
    return [name for _, name in index], codes


def format_pair_name(group: Any, labels: Sequence[Any]) -> str:
    """Return a group and the labels of a document as one text.

    >>> format_pair_name("ann", [date(2024, 5, 1)])
    '["ann", {"date": "2024-05-01"}]'
    """
    return json.dumps([group, *labels], default=_encode_date)


def _encode_date(value: Any) -> dict[str, str]:
    """Return a date or datetime as a JSON object."""
    if not isinstance(value, date):
        kind = type(value).__name__
        message = f"with groups=, classes and groups must be str, numbers, booleans or dates, got {kind}"
        raise InvalidInputError(message)
    return {"datetime" if isinstance(value, datetime) else "date": value.isoformat()}


def _decode_date(encoded: dict[str, Any]) -> Any:
    """Return the date that `_encode_date` wrote."""
    [(kind, text)] = encoded.items()
    return {"datetime": datetime, "date": date}[kind].fromisoformat(text)


def parse_pair_name(name: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return the group and the labels that `format_pair_name` wrote."""
    try:
        pair = json.loads(name, object_hook=_decode_date)
        if not isinstance(pair, list) or any(is_missing(value) or is_collection(value) for value in pair):
            raise ValueError("not a list of scalars")
        group, *labels = pair
    # files are not trusted: the name may be another type, other JSON, or nested too deeply
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InvalidInputError(f"{str(name)[:60]!r} is not a pair of a group and labels") from error
    if len(set(labels)) < len(labels):
        raise InvalidInputError(f"{str(name)[:60]!r} has a label twice")
    return group, tuple(labels)
