"""The sums of a Spark DataFrame's documents, on the cluster: what counting and scoring both begin with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from termsift.counts import df_limits, is_share
from termsift.engines.arrow_texts import check_reading
from termsift.engines.memory.texts import analyzer_of
from termsift.engines.spark.frames import document_columns
from termsift.engines.spark.levels import BITS
from termsift.engines.spark.partition import PartialSums
from termsift.engines.spark.quiet import quiet
from termsift.engines.spark.row_counts import DocumentSums, document_sums
from termsift.engines.spark.rows import SUMS
from termsift.errors import InvalidInput

MEMORY = 1 << 27
ROOM = 1e-9  # for sums of weights, which the cluster adds as floats


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """Sums that stay on the cluster.

    rows : a Spark DataFrame, a row for each term and class, and for each level of weights: see rows.py
    job : how they were made
    """

    rows: Any
    job: PartialSums

    def collected(self) -> Any:
        """All rows as an Arrow table on the driver."""
        return arrow_table(self.rows)

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
        wanted = totals.where(f"term IS NULL OR total BETWEEN {literal(low)} AND {literal(high)}")
        return replace(self, rows=wanted.drop("total"))


def cluster_sums(
    frame: Any,
    *,
    text: str = "text",
    label: str = "label",
    analyzer: Any = None,
    sample_weight: str | None = None,
    memory: int = MEMORY,
    on_missing: str = "error",
    separator: str | None = None,
) -> ClusterSums:
    """The sums of a Spark DataFrame; nothing runs before they are asked for."""
    check_reading(memory, on_missing)
    if not (sample_weight is None or isinstance(sample_weight, str)):
        raise InvalidInput("sample_weight must name a column of the frame; its rows have no order")
    columns = document_columns(frame, text, label, sample_weight)
    several = columns.several or separator is not None
    how = (columns.class_type, several, sample_weight is not None, separator, on_missing, memory)
    job = PartialSums(analyzer_of(analyzer), *how)
    return ClusterSums(summed_rows(columns.frame, columns.spark_type, job), job)


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
    held = sums.rows.persist()
    try:
        sums = replace(sums, rows=held)
        yield sums.between(*df_limits(sums.document_sums.documents, min_df, max_df))
    finally:
        held.unpersist()


def literal(number: float) -> str:
    """A number as Spark's SQL writes it."""
    return f"DOUBLE('{number}')"


def arrow_table(rows: Any) -> Any:
    """A Spark DataFrame as an Arrow table on the driver."""
    with quiet():
        return rows.toArrow()
