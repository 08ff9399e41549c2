"""Rows of sums, as rows.py describes them, become Counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from termsift._typing import Array, as_terms, exact, exact_number
from termsift.counts import Counts
from termsift.engines.arrow_texts import warn_of_missing
from termsift.engines.memory.texts import name_of
from termsift.engines.spark.partition import PartialSums
from termsift.engines.spark.rows import SUMS, split_sums, sums_of_levels
from termsift.engines.sums import summed_counts
from termsift.errors import InvalidInput
from termsift.labels import sorted_classes


@dataclass(frozen=True, slots=True, eq=False)
class DocumentSums:
    """The classes, their sizes, the number of documents, and the rows read and left out."""

    classes: tuple[Any, ...]
    sizes: Array
    documents: float
    read: int
    missing: int


def row_counts(table: Any, job: PartialSums) -> Counts:
    """The counts that rows of sums describe; a warning where rows were left out."""
    is_term = pc.is_valid(table["term"])
    whole = document_sums(table.filter(pc.invert(is_term)), job)
    warn_of_missing(whole.missing, whole.read)
    return term_counts(table.filter(is_term), whole, job)


def term_counts(rows: Any, whole: DocumentSums, job: PartialSums) -> Counts:
    """The counts of rows that all have a term; all rows of a term must be there."""
    n_classes = len(whole.classes)
    terms, places = ordered_terms(rows["term"])
    column = class_places(rows["class"], whole.classes)
    values = [rows[name].to_numpy() for name in SUMS]
    if job.weighted:
        places, column, values = joined_levels(places, column, values, rows["level"].to_numpy(), n_classes)
    every = column == n_classes
    inside = ~every
    columns = split_sums(places[inside], column[inside], [value[inside] for value in values], n_classes)
    total = places[every], values[0][every], values[1][every], values[2][every]
    head = terms, whole.classes, whole.documents, whole.sizes
    return summed_counts(*head, columns, total if job.several else None, name_of(job.analyzer))


def joined_levels(
    places: Array, column: Array, values: list[Array], level: Array, n_classes: int
) -> tuple[Array, Array, list[Array]]:
    """The levels of each term and class as one sum."""
    keys, place = np.unique(places * (n_classes + 1) + column, return_inverse=True)
    sums = [sums_of_levels(value, level, place, len(keys)) for value in values]
    return keys // (n_classes + 1), keys % (n_classes + 1), sums


def document_sums(rows: Any, job: PartialSums) -> DocumentSums:
    """What the rows without a term say."""
    names = rows["class"].to_pylist()
    classes = sorted_classes(name for name in names if name is not None)
    read, missing = (int(np.sum(rows[name].to_numpy())) for name in ("tf", "tf2"))
    if not read:
        raise InvalidInput("the frame has no rows, so there are no documents")
    place = class_places(rows["class"], classes)
    levels = rows["level"].to_numpy() if job.weighted else np.zeros(len(place), dtype=np.int64)
    sizes = sums_of_levels(rows["df"].to_numpy(), levels, place, len(classes) + 1)
    return DocumentSums(classes, exact(sizes[:-1]), exact_number(sizes[-1]), read, missing)


def ordered_terms(column: Any) -> tuple[Array, Array]:
    """The distinct terms in code-point order, and the place of each row's among them."""
    # a column of all rows may be longer than the offsets of Arrow's smaller strings reach
    encoded = column.cast(pa.large_string()).dictionary_encode().combine_chunks()
    # Arrow sorts strings by their bytes, which in UTF-8 is the order of code points
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    names = encoded.dictionary.take(pa.array(order)).to_pylist()
    return as_terms(names), rank[encoded.indices.to_numpy()]


def class_places(column: Any, classes: tuple[Any, ...]) -> Array:
    """The place of each row's class, and the number of classes for null."""
    encoded = column.dictionary_encode().combine_chunks()
    place = {name: c for c, name in enumerate(classes)}
    known = np.array([place[name] for name in encoded.dictionary.to_pylist()], dtype=np.int64)
    codes = encoded.indices.fill_null(len(known)).to_numpy()
    result: Array = np.append(known, len(classes))[codes]
    return result
