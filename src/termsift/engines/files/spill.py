"""Spill: sums that outgrow their memory go to disk as Parquet, and DuckDB adds them up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from termsift._typing import Array, as_terms
from termsift.border.class_names import sorted_classes
from termsift.counts import Counts
from termsift.engines.accumulator import Accumulator, Adder
from termsift.engines.files.database import database, database_faults
from termsift.engines.sums import Sums, summed_counts
from termsift.engines.weights import LevelSums
from termsift.errors import EngineFailure
from termsift.output import told_disk_faults

EVERY = -1  # the class of the sums over all documents


class Spills:
    """A folder with a folder for each level of the weights."""

    def __init__(self, folder: str, memory: int) -> None:
        self.folder, self.memory = folder, memory
        self.by_level: dict[int, Spill] = {}

    def of(self, level: int) -> Spill:
        """What was spilled of a level."""
        return self.by_level.setdefault(level, Spill(f"{self.folder}/{level}", self.memory))

    def take(self, sums: LevelSums) -> None:
        """Write what was accumulated to disk, and let it go."""
        for level, accumulator in sums.by_level.items():
            self.of(level).take(accumulator)
        sums.clear()


class Spill:
    """A folder of partial sums. Classes are numbered as the accumulator met them."""

    def __init__(self, folder: str, memory: int) -> None:
        self.folder, self.memory = folder, memory
        self.files: list[str] = []

    def take(self, accumulator: Accumulator) -> None:
        """Write what was accumulated to disk, and let it go."""
        import pyarrow.parquet as pq

        ranked = accumulator.lexicon.ranked(accumulator.low)
        adder = Adder(len(ranked.names), accumulator.whole)
        terms = pa.array(ranked.names, pa.string())
        kind = pa.int64() if accumulator.whole else pa.float64()
        schema = pa.schema({"term": pa.string(), "class": pa.int32(), "df": kind, "tf": kind, "tf2": kind})
        numbers = {name: c for c, name in enumerate(accumulator.sizes)}
        parts = [(numbers[name], own) for name, own in accumulator.by_class.items()]
        path = f"{self.folder}/{len(self.files)}.parquet"
        Path(self.folder).mkdir(exist_ok=True)
        with told_disk_faults(path), pq.ParquetWriter(path, schema) as writer:
            for c, own in (*parts, (EVERY, accumulator.every)):
                rows, *values = adder.of(own, ranked)
                classes = np.full(len(rows), c, dtype=np.int32)
                writer.write_table(pa.table([terms.take(pa.array(rows)), classes, *values], schema=schema))
        self.files.append(path)
        accumulator.clear()

    def counts(self, accumulator: Accumulator, analyzer: str | None) -> Counts:
        """The counts of all that was spilled, and of what was not."""
        if not self.files:
            return accumulator.counts(analyzer)
        self.take(accumulator)
        sizes, documents = accumulator.sizes, accumulator.documents
        terms, (*by_class, every) = self.added_up(len(sizes), accumulator.whole)
        own = dict(zip(sizes, by_class, strict=True))
        classes = sorted_classes(sizes)
        of_classes = [sizes[name] for name in classes], [own[name] for name in classes]
        return summed_counts(as_terms(terms), classes, documents, *of_classes, every, analyzer)

    def added_up(self, n_classes: int, whole: bool) -> tuple[list[str], list[Sums]]:
        """The terms in order, and the sums of each class and of all, by DuckDB in its share of the memory."""
        kind = "BIGINT" if whole else "DOUBLE"
        sums = ", ".join(f"CAST(sum({column}) AS {kind}) AS {column}" for column in ("df", "tf", "tf2"))
        rows = "read_parquet($files, hive_partitioning=false, union_by_name=true)"
        query = f"SELECT term, class, {sums} FROM {rows} GROUP BY ALL ORDER BY term, class"
        limit = f"{max(self.memory, 1 << 27)}B"
        terms: list[str] = []
        # EVERY is the last
        parts: list[list[list[Array]]] = [[] for _ in range(n_classes + 1)]
        room = {"memory_limit": limit, "temp_directory": f"{self.folder}/duckdb"}
        with self.told_faults(), database(self.files, **room) as connection:
            for records in connection.sql(query, params={"files": self.files}).to_arrow_reader(1 << 16):
                collect(records, terms, parts)
        return terms, [joined_sums(pieces, whole) for pieces in parts]

    @contextmanager
    def told_faults(self) -> Iterator[None]:
        """What DuckDB raises, most often that the disk is full, as one line that says where."""
        try:
            yield
        except database_faults() as error:
            raise EngineFailure(
                f"the sums that went to disk in {self.folder} cannot be added up: {str(error)[:300]}; "
                "give more memory, or set TMPDIR to a folder with more room"
            ) from error


def collect(records: Any, terms: list[str], parts: list[list[list[Array]]]) -> None:
    """Add some rows, which come term by term, to the terms and to their classes."""
    classes, *values = (records.column(name).to_numpy() for name in ("class", "df", "tf", "tf2"))
    # every term has a row for all documents, which is its first
    new = classes == EVERY
    number = len(terms) - 1 + np.cumsum(new)
    terms += records.column("term").filter(pa.array(new)).to_pylist()
    for c in np.unique(classes).tolist():
        rows = classes == c
        parts[c].append([number[rows], *(value[rows] for value in values)])


def joined_sums(pieces: list[list[Array]], whole: bool) -> Sums:
    """Pieces of sums one after the other."""
    kind = np.int64 if whole else np.float64
    none = [np.zeros(0, dtype=k) for k in (np.int64, kind, kind, kind)]
    terms, df, tf, tf2 = map(np.concatenate, zip(none, *pieces, strict=True))
    return terms, df, tf, tf2
