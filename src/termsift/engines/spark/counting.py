"""Counts of a Spark DataFrame, in one job: partial sums on the partitions, one groupBy, an Arrow table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array, as_terms, exact, exact_number
from termsift.counts import Counts, df_limits, is_share, sorted_classes
from termsift.engines.accumulator import BITS, summed_counts, sums_of_levels
from termsift.engines.inputs import check_reading, warn_of_missing
from termsift.engines.spark.columns import LABELS, document_columns
from termsift.engines.spark.partition import SUMS, PartialSums, kept_rows, split_sums
from termsift.engines.spark.session import clear_faults, quiet
from termsift.engines.texts import analyzer_of, name_of

MEMORY = 1 << 27
ROOM = 1e-9  # for sums of weights, which the cluster adds as floats


def count_spark(frame: Any, *, min_df: float = 1, max_df: float = 1.0, **reading: Any) -> Counts:
    """Counts of a Spark DataFrame; the cluster adds them up, and the driver receives the sums alone.

    Parameters
    ----------
    frame : a Spark DataFrame, classic or Connect
    min_df, max_df : terms in fewer documents, or in more, stay on the cluster
    reading : text, label and perhaps group, its columns (several texts are joined by line breaks; labels are
        scalars or arrays of them);
        sample_weight, the column of what each document counts for;
        memory, the bytes that the sums of a partition may take before they leave the worker;
        analyzer, on_missing and separator, as for files

    """
    sums = cluster_sums(frame, **reading)
    with clear_faults(), limited_sums(sums, min_df, max_df) as limited:
        table = arrow_table(limited.rows)
    return row_counts(table, sums.job).with_df(min_df, max_df)


@dataclass(frozen=True, slots=True, eq=False)
class DocumentSums:
    """The classes, their sizes, the number of documents, and the rows read and left out."""

    classes: tuple[Any, ...]
    sizes: Array
    documents: float
    read: int
    missing: int


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """Sums that stay on the cluster, what counting and scoring both begin with.

    rows : a Spark DataFrame, a row for each term and class, and for each level of weights: see rows.py
    job : how they were made
    """

    rows: Any
    job: PartialSums

    @property
    def document_sums(self) -> DocumentSums:
        """What the rows without a term say."""
        return document_sums(arrow_table(self.rows.where("term IS NULL")), self.job)

    def between(self, low: float, high: float) -> ClusterSums:
        """Those of terms in `low` to `high` documents; of weights some more, for the driver to leave out."""
        total = "IF(class IS NULL, df, 0)" if self.job.several else "df"
        if self.job.weighted:
            total = f"{total} * POWER(2D, {BITS} * level)"
            low, high = low * (1 - ROOM), high * (1 + ROOM)
        totals = self.rows.selectExpr("*", f"SUM({total}) OVER (PARTITION BY term) AS total")
        wanted = totals.where(f"term IS NULL OR total BETWEEN DOUBLE('{low}') AND DOUBLE('{high}')")
        return replace(self, rows=wanted.drop("total"))


def cluster_sums(
    frame: Any,
    *,
    text: Any = "text",
    label: str = "label",
    group: str | None = None,
    analyzer: Any = None,
    sample_weight: str | None = None,
    memory: int = MEMORY,
    on_missing: str = "error",
    separator: str | None = None,
) -> ClusterSums:
    """The sums of a Spark DataFrame; nothing runs before they are asked for."""
    check_reading(memory, on_missing, separator)
    if not (sample_weight is None or isinstance(sample_weight, str)):
        raise InvalidInputError("sample_weight must name a column of the frame; its rows have no order")
    documents, label_type, several = document_columns(frame, text, label, sample_weight, group)
    several = group is None and (several or separator is not None)
    class_type, arrow_type = LABELS["string" if group is not None else label_type]
    how = (arrow_type, several, sample_weight is not None, separator, on_missing, memory)
    job = PartialSums(analyzer_of(analyzer), *how, group is not None)
    return ClusterSums(summed_rows(documents, class_type, job), job)


def summed_rows(documents: Any, class_type: str, job: PartialSums) -> Any:
    """The DataFrame of sums.

    Rows are sent by their term, so that a term's own are together: what follows needs no other exchange.
    """
    keys = ["term", "class", *(["level"] if job.weighted else [])]
    schema = f"term string, class {class_type}, {'level int, ' if job.weighted else ''}"
    with quiet():
        rows = documents.mapInArrow(job, schema + ", ".join(f"{name} bigint" for name in SUMS))
    sums = rows.repartition("term").groupBy(*keys).agg(dict.fromkeys(SUMS, "sum"))
    return sums.selectExpr(*keys, *(f"`sum({name})` AS {name}" for name in SUMS))


@contextmanager
def limited_sums(sums: ClusterSums, min_df: float, max_df: float) -> Iterator[ClusterSums]:
    """The sums of terms within the limits, for as long as they are read; the others stay on the cluster."""
    if not is_share(min_df) and (max_df == 1 or not is_share(max_df)):
        low, high = df_limits(0, min_df, max_df)
        yield sums if low == 0 and high == float("inf") else sums.between(low, high)
        return
    # a share is one of all documents, which are counted first
    held = kept_rows(sums.rows)
    try:
        sums = replace(sums, rows=held)
        yield sums.between(*df_limits(sums.document_sums.documents, min_df, max_df))
    finally:
        held.unpersist()


def arrow_table(rows: Any) -> Any:
    """A Spark DataFrame as an Arrow table on the driver."""
    with quiet():
        return rows.toArrow()


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
    if job.weighted and not job.several:
        # sums of rounded sums would be others
        places, column = np.tile(places, 2), np.append(column, np.full(len(column), n_classes))
        values = [np.tile(value, 2) for value in values]
    if job.weighted:
        level = np.resize(rows["level"].to_numpy(), len(places))
        places, column, values = joined_levels(places, column, values, level, n_classes)
    every = column == n_classes
    inside = ~every
    columns = split_sums(places[inside], column[inside], [value[inside] for value in values], n_classes)
    total = places[every], values[0][every], values[1][every], values[2][every]
    head = terms, whole.classes, whole.documents, whole.sizes
    has_total = job.several or job.weighted
    return summed_counts(*head, columns, total if has_total else None, name_of(job.analyzer))


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
        raise InvalidInputError("the frame has no rows, so there are no documents")
    place = class_places(rows["class"], classes)
    levels = rows["level"].to_numpy() if job.weighted else np.zeros(len(place), dtype=np.int64)
    sizes = sums_of_levels(rows["df"].to_numpy(), levels, place, len(classes) + 1)
    return DocumentSums(classes, exact(sizes[:-1]), exact_number(sizes[-1]), read, missing)


def ordered_terms(column: Any) -> tuple[Array, Array]:
    """The distinct terms in code-point order, and the place of each row's among them."""
    if not len(column):  # Arrow before 18 makes no one chunk of none
        return as_terms([]), np.zeros(0, dtype=np.int64)
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
