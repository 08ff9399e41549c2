"""Spill: sums that outgrow their memory go to disk as Parquet, and DuckDB adds them up."""

from __future__ import annotations

import glob
import tempfile
from types import TracebackType
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from termsift._typing import Array
from termsift.arrays import as_terms, exact
from termsift.counts import Counts
from termsift.engines.accumulator import Accumulator, Adder
from termsift.engines.files.sql import database, sql_text
from termsift.engines.sums import Sums, class_tables, spread
from termsift.labels import sorted_classes

EVERY = -1  # the class of the sums over all documents


class Spill:
    """A folder of partial sums that is gone when the work is done, however it ends."""

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self.files = 0
        self.names: dict[Any, int] = {}
        self.sizes: dict[Any, float] = {}
        self.documents: float = 0
        self.low, self.whole = 1, True

    def __enter__(self) -> Self:
        self.folder = tempfile.TemporaryDirectory(prefix="termsift-")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.folder.cleanup()

    def take(self, accumulator: Accumulator) -> Accumulator:
        """Write what was accumulated to disk. Gives an empty accumulator to go on with."""
        ranked = accumulator.lexicon.ranked(accumulator.low)
        adder = Adder(len(ranked.names), accumulator.whole)
        terms = pa.array(ranked.names, pa.string())
        path = f"{self.folder.name}/{self.files}.parquet"
        with pq.ParquetWriter(path, self.schema(accumulator.whole)) as writer:
            for name, parts in accumulator.by_class.items():
                self.write(
                    writer, terms, self.names.setdefault(name, len(self.names)), adder.of(parts, ranked)
                )
            self.write(writer, terms, EVERY, adder.of(accumulator.every, ranked))
        self.files += 1
        self.whole &= accumulator.whole
        self.low = accumulator.low
        for name, size in accumulator.sizes.items():
            self.names.setdefault(name, len(self.names))
            self.sizes[name] = self.sizes.get(name, 0) + size
        self.documents += accumulator.documents
        return Accumulator(accumulator.low)

    def schema(self, whole: bool) -> Any:
        """The columns of a file of sums."""
        kind = pa.int64() if whole else pa.float64()
        return pa.schema({"term": pa.string(), "class": pa.int32(), "df": kind, "tf": kind, "tf2": kind})

    def write(self, writer: Any, terms: Any, c: int, sums: Sums) -> None:
        """The sums of one class as rows."""
        rows, df, tf, tf2 = sums
        columns = [terms.take(pa.array(rows)), pa.array(np.full(len(rows), c, dtype=np.int32)), df, tf, tf2]
        writer.write_table(pa.table(columns, schema=writer.schema))

    def counts(self, accumulator: Accumulator, analyzer: str | None) -> Counts:
        """The counts of all that was spilled, and of what was not."""
        if not self.files:
            return accumulator.counts(analyzer)
        self.take(accumulator)
        terms, by_class = self.added_up()
        classes = sorted_classes(self.names)
        columns = [by_class[self.names[name]] for name in classes]
        sizes = exact(np.array([self.sizes[name] for name in classes], dtype=float))
        documents = exact(np.array([self.documents], dtype=float))[0].item()
        totals = spread(by_class[EVERY], len(terms))
        return Counts(
            as_terms(terms), classes, documents, sizes, *class_tables(columns, len(terms)), *totals, analyzer
        )

    def added_up(self) -> tuple[list[str], dict[int, Sums]]:
        """The terms in order, and the sums of each class, added by DuckDB within its share of the memory."""
        kind = "BIGINT" if self.whole else "DOUBLE"
        sums = ", ".join(f"CAST(sum({column}) AS {kind}) AS {column}" for column in ("df", "tf", "tf2"))
        files = sql_text(f"{glob.escape(self.folder.name)}/*.parquet")
        query = f"SELECT term, class, {sums} FROM read_parquet({files}) GROUP BY ALL"
        settings = {
            "memory_limit": f"{max(self.memory, 1 << 27)}B",
            "temp_directory": f"{self.folder.name}/duckdb",
        }
        terms: list[str] = []
        parts: dict[int, list[list[Array]]] = {c: [] for c in (*self.names.values(), EVERY)}
        with database(**settings) as connection:
            for records in connection.sql(f"{query} ORDER BY term, class").to_arrow_reader(1 << 16):
                self.collect(records, terms, parts)
        return terms, {c: joined_sums(columns, self.whole) for c, columns in parts.items()}

    def collect(self, records: Any, terms: list[str], parts: dict[int, list[list[Array]]]) -> None:
        """Add some rows, which come term by term, to the terms and to their classes."""
        classes, *values = (records.column(name).to_numpy() for name in ("class", "df", "tf", "tf2"))
        # every term has a row for all documents, which is its first
        new = classes == EVERY
        number = len(terms) - 1 + np.cumsum(new)
        terms += records.column("term").filter(pa.array(new)).to_pylist()
        for c in np.unique(classes).tolist():
            rows = classes == c
            parts[c].append([number[rows], *(value[rows] for value in values)])


def joined_sums(columns: list[list[Array]], whole: bool) -> Sums:
    """Pieces of sums one after the other."""
    kind = np.int64 if whole else np.float64
    kinds = (np.int64, kind, kind, kind)
    terms, df, tf, tf2 = (
        np.concatenate([np.zeros(0, dtype=k), *(column[i] for column in columns)])
        for i, k in enumerate(kinds)
    )
    return terms, df, tf, tf2
