"""Tables that come one after the other, written to a file: CSV, TSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from termsift.errors import UnreadableFile
from termsift.tables import Table

# what takes one table after the other
TableWriter: TypeAlias = Callable[[Table], None]
ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
BETWEEN = "|"  # several labels in a field of CSV


def check_ending(path: Path) -> str:
    """The ending of a name that says how tables are written; an error for others."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise UnreadableFile(f"cannot tell how to write {path}; its name must end in {', '.join(ENDINGS)}")
    return ending


@contextmanager
def table_writer(path: Path, ending: str, between: str = BETWEEN) -> Iterator[TableWriter]:
    """What writes tables to a file; between : what parts several labels in a field."""
    if ending == ".parquet":
        with parquet_writer(path) as put:
            yield put
        return
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        if ending in (".jsonl", ".ndjson"):
            yield json_writer(file)
        else:
            yield csv_writer(file, "\t" if ending == ".tsv" else ",", between)


def csv_writer(file: IO[str], delimiter: str = ",", between: str = BETWEEN) -> TableWriter:
    """What writes tables as rows of fields, the header once."""
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    seen: list[bool] = []

    def put(table: Table) -> None:
        if not seen:
            writer.writerow(list(table.columns))
        seen.append(True)
        lists = [column.tolist() for column in table.columns.values()]
        writer.writerows([field(value, between) for value in row] for row in zip(*lists, strict=True))

    return put


def field(value: Any, between: str) -> Any:
    """A value as a field: several labels are joined."""
    return between.join(map(str, value)) if isinstance(value, list) else value


def json_writer(file: IO[str]) -> TableWriter:
    """What writes tables as JSON, a line per row."""

    def put(table: Table) -> None:
        for row in table:
            file.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")

    return put


@contextmanager
def parquet_writer(path: Path) -> Iterator[TableWriter]:
    """What writes tables to a Parquet file, of columns as the first has them."""
    writers: list[Any] = []

    def put(table: Table) -> None:
        rows = arrow_table(table, writers[0].schema if writers else None)
        if not writers:
            writers.append(pq.ParquetWriter(path, rows.schema))
        writers[0].write_table(rows)

    try:
        yield put
    finally:
        for writer in writers:
            writer.close()


def arrow_table(table: Table, schema: Any) -> Any:
    """A table as Arrow has it; of kept values that are of several types their texts."""
    columns = {}
    for name, column in table.columns.items():
        values = column.tolist()
        kind = None if schema is None else schema.field(name).type
        try:
            held = pa.array(values, kind)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            held = pa.array([None if value is None else str(value) for value in values], kind or pa.string())
        # a column of nothing would take nothing later
        columns[name] = held.cast(pa.string()) if pa.types.is_null(held.type) else held
    return pa.table(columns)
