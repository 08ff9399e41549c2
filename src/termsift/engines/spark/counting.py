"""Counts of a frame of Spark, in one job: partial sums on the partitions, one groupBy, an Arrow table."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from termsift._typing import Array
from termsift.arrays import as_terms, exact
from termsift.counts import Counts
from termsift.engines.files.counting import ON_MISSING
from termsift.engines.memory.texts import analyzer_of, name_of
from termsift.engines.spark.faults import clear_faults
from termsift.engines.spark.frames import Documents, documents_of
from termsift.engines.spark.levels import BITS, joined
from termsift.engines.spark.partition import PartialSums
from termsift.engines.spark.quiet import quiet
from termsift.engines.spark.rows import SUMS, split_sums
from termsift.engines.sums import add_up, spread, tables
from termsift.errors import InvalidInput, TermsiftWarning, unknown
from termsift.labels import sorted_classes

MEMORY = 1 << 27


def count_frame(
    frame: Any,
    *,
    text: str = "text",
    label: str = "label",
    analyzer: Any = None,
    sample_weight: str | None = None,
    min_df: float = 1,
    memory: int = MEMORY,
    on_missing: str = "error",
    separator: str | None = None,
) -> Counts:
    """Counts of a frame of Spark; the cluster adds them up, and the driver receives the sums alone.

    Parameters
    ----------
    frame : a DataFrame of Spark, classic or Connect
    text, label : its columns; labels are scalars or arrays of them
    sample_weight : the column of what each document counts for
    min_df : terms in fewer documents stay on the cluster
    memory : bytes that the sums of a partition may take before they leave the worker
    on_missing, separator : as for files

    """
    job, documents = job_of(frame, text, label, analyzer, sample_weight, memory, on_missing, separator)
    sums = frequent(added_up(documents, job), min_df, job)
    with clear_faults():
        table = collected(sums)
    counts = counts_of(table, job)
    return counts if min_df <= 1 else counts.keep(np.flatnonzero(counts.term_df >= min_df))


def job_of(
    frame: Any,
    text: str,
    label: str,
    analyzer: Any,
    sample_weight: str | None,
    memory: int,
    on_missing: str,
    separator: str | None,
) -> tuple[PartialSums, Documents]:
    """What the workers run, and the frame they run it on."""
    if on_missing not in ON_MISSING:
        raise unknown("way with missing values", on_missing, ON_MISSING)
    if memory < 1:
        raise InvalidInput(f"memory must be at least 1 byte, got {memory}")
    if not (sample_weight is None or isinstance(sample_weight, str)):
        raise InvalidInput("sample_weight must name a column of the frame; its rows have no order")
    documents = documents_of(frame, text, label, sample_weight)
    several = documents.several or separator is not None
    weighted = sample_weight is not None
    return PartialSums(
        analyzer_of(analyzer), documents.class_type, several, weighted, separator, on_missing, memory
    ), documents


def added_up(documents: Documents, job: PartialSums) -> Any:
    """The frame of sums: a row for each term and class, and for each level of weights.

    Rows are sent by their term, so that a term's own are together: what follows needs no other exchange.
    """
    keys = ["term", "class", *(["level"] if job.weighted else [])]
    schema = f"term string, class {documents.spark_type}, {'level int, ' if job.weighted else ''}"
    with quiet():
        rows = documents.frame.mapInArrow(job, schema + ", ".join(f"{name} bigint" for name in SUMS))
    sums = rows.repartition("term").groupBy(*keys).agg(dict.fromkeys(SUMS, "sum"))
    return sums.selectExpr(*keys, *(f"`sum({name})` AS {name}" for name in SUMS))


def frequent(sums: Any, min_df: float, job: PartialSums) -> Any:
    """The rows of terms in enough documents. Weights are compared with some room, and again by the driver."""
    if min_df <= 1:
        return sums
    total = "IF(class IS NULL, df, 0)" if job.several else "df"
    if job.weighted:
        total, min_df = f"{total} * POWER(2D, {BITS} * level)", min_df * (1 - 1e-9)
    totals = sums.selectExpr("*", f"SUM({total}) OVER (PARTITION BY term) AS total")
    return totals.where(f"term IS NULL OR total >= {float(min_df)!r}D").drop("total")


def collected(sums: Any) -> Any:
    """The rows as an Arrow table on the driver."""
    with quiet():
        return sums.toArrow()


def counts_of(table: Any, job: PartialSums) -> Counts:
    """The counts that rows of sums describe."""
    is_term = pc.is_valid(table["term"])
    return counts_of_terms(table.filter(is_term), document_sums(table.filter(pc.invert(is_term)), job), job)


def counts_of_terms(rows: Any, whole: DocumentSums, job: PartialSums) -> Counts:
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
    n = len(terms)
    if job.several:
        totals = spread((places[every], *(value[every] for value in values)), n)
    else:
        totals = add_up(columns, n)
    return Counts(
        terms,
        whole.classes,
        whole.documents,
        whole.sizes,
        *tables(columns, n),
        *totals,
        name_of(job.analyzer),
    )


@dataclass(frozen=True, slots=True, eq=False)
class DocumentSums:
    """The classes, their sizes, and the number of documents."""

    classes: tuple[Any, ...]
    sizes: Array
    documents: float


def joined_levels(
    places: Array, column: Array, values: list[Array], level: Array, n_classes: int
) -> tuple[Array, Array, list[Array]]:
    """The levels of each term and class as one sum."""
    keys, place = np.unique(places * (n_classes + 1) + column, return_inverse=True)
    sums = [joined(value, level, place, len(keys)) for value in values]
    return keys // (n_classes + 1), keys % (n_classes + 1), sums


def document_sums(rows: Any, job: PartialSums) -> DocumentSums:
    """What the rows without a term say; a warning where rows were left out."""
    names = rows["class"].to_pylist()
    classes = sorted_classes(name for name in names if name is not None)
    read, missing = (int(np.sum(rows[name].to_numpy())) for name in ("tf", "tf2"))
    if not read:
        raise InvalidInput("the frame has no rows, so there are no documents")
    if missing:
        what = f"{missing:,} of {read:,} rows had no text or no label and were left out"
        warnings.warn(what, TermsiftWarning, stacklevel=5)
    place = class_places(rows["class"], classes)
    levels = rows["level"].to_numpy() if job.weighted else np.zeros(len(place), dtype=np.int64)
    sizes = joined(rows["df"].to_numpy(), levels, place, len(classes) + 1)
    return DocumentSums(classes, exact(sizes[:-1]), exact(sizes[-1:])[0].item())


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
