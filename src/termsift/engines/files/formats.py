"""The formats of files. To add one is a function that reads it, and a line in FORMATS.

DuckDB reads JSON lines and Parquet, pyarrow CSV. Nothing here holds more than a few batches.
"""

from __future__ import annotations

import csv
import glob
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from termsift.engines.files.text_files import as_utf8, compression, first_line, unreadable
from termsift.errors import UnreadableFile, unknown_column

LONGEST_LINE = 1 << 28
ROWS = 2048
BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class WantedColumns:
    """What is wanted of a file: the columns of texts and labels; and the encoding it is in."""

    text: str = "text"
    label: str = "label"
    encoding: str = "utf-8"


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files.

    name, endings : as people write it, and the endings of its files' names
    batches : a function from a file and what is wanted to Arrow record batches of (text, label), in which
        null is what is missing
    meaning : what a label that comes as a string says
    """

    name: str
    endings: tuple[str, ...]
    batches: Callable[[str, WantedColumns], Iterator[Any]]
    meaning: Callable[[str], Any] = str


def csv_batches(name: str, wanted: WantedColumns) -> Iterator[Any]:
    """The documents of a CSV file; a file of a spreadsheet may have semicolons."""
    header = first_line(name, wanted.encoding, "CSV")
    delimiter = ";" if ";" in header and "," not in header else ","
    columns = next(csv.reader([header], delimiter=delimiter), [])
    return delimited_batches(name, wanted, "CSV", columns, delimiter)


def tsv_batches(name: str, wanted: WantedColumns) -> Iterator[Any]:
    """The documents of a TSV file, in which, as IANA has it, nothing is quoted."""
    columns = first_line(name, wanted.encoding, "TSV").split("\t")
    return delimited_batches(name, wanted, "TSV", columns, "\t")


def jsonl_batches(name: str, wanted: WantedColumns) -> Iterator[Any]:
    """The documents of JSON lines. Labels stay JSON: a guess at types would rewrite texts like dates."""
    with (
        as_utf8(name, wanted.encoding, "JSONL") as path,
        told_faults(name, "JSONL", wanted),
        database() as connection,
    ):
        file = {"file": glob.escape(path)}
        lines = f"read_ndjson_objects($file, maximum_object_size={LONGEST_LINE})"
        keys = f"SELECT DISTINCT unnest(json_keys(json)) FROM (FROM {lines} LIMIT 10000)"
        check_columns(wanted, sorted(key for (key,) in connection.execute(keys, file).fetchall()), name)
        text, label = (f"json_extract(json, {json_key(key)})" for key in (wanted.text, wanted.label))
        columns = (
            f"json_extract_string({text}, '$') AS text, nullif(CAST({label} AS VARCHAR), 'null') AS label"
        )
        yield from connection.sql(f"SELECT {columns} FROM {lines}", params=file).to_arrow_reader(ROWS)


def parquet_batches(name: str, wanted: WantedColumns) -> Iterator[Any]:
    """The documents of a Parquet file."""
    with told_faults(name, "Parquet", WantedColumns()), database() as connection:
        file = {"file": glob.escape(name)}
        rows = connection.sql("SELECT * FROM read_parquet($file) LIMIT 0", params=file)
        check_columns(wanted, rows.columns, name)
        columns = f"CAST({sql_name(wanted.text)} AS VARCHAR) AS text, {sql_name(wanted.label)} AS label"
        query = f"SELECT {columns} FROM read_parquet($file)"
        yield from connection.sql(query, params=file).to_arrow_reader(ROWS)


FORMATS = (
    Format("CSV", (".csv",), csv_batches),
    Format("TSV", (".tsv", ".tab"), tsv_batches),
    Format("JSONL", (".jsonl", ".ndjson"), jsonl_batches, json.loads),
    Format("Parquet", (".parquet",), parquet_batches),
)


def known_endings() -> dict[str, Format]:
    """The format of each ending of a name."""
    return {ending: kind for kind in FORMATS for ending in kind.endings}


def delimited_batches(
    name: str, wanted: WantedColumns, kind: str, columns: list[str], delimiter: str
) -> Iterator[Any]:
    """The documents of a file of fields. An empty label is a missing one, for there is no other sign of it.

    By pyarrow: DuckDB's reader loses its place in texts with line breaks where two of its buffers meet,
    and without threads holds the whole file. A row longer than a block is read again with a larger one.
    """
    check_columns(wanted, columns, name)
    places = [columns.index(column) for column in (wanted.text, wanted.label)]
    block, done = BLOCK, 0
    while True:
        seen = 0
        try:
            for records in open_csv(name, len(columns), places, delimiter, wanted.encoding, block):
                seen += len(records)
                if seen > done:
                    yield records.slice(max(len(records) - (seen - done), 0))
                    done = seen
            return
        except (pa.ArrowInvalid, OSError, UnicodeError) as error:
            if "straddl" not in str(error) or block >= LONGEST_LINE:
                raise unreadable(name, kind, wanted.encoding, error) from error
            block *= 16


def open_csv(
    name: str, width: int, places: list[int], delimiter: str, encoding: str, block: int
) -> Iterator[Any]:
    """Record batches of two of a file's columns as (text, label)."""
    names = [f"c{i}" for i in range(width)]
    quote: Any = False if delimiter == "\t" else '"'
    reader = arrow_csv.open_csv(
        pa.input_stream(name, compression=compression(name)),
        read_options=arrow_csv.ReadOptions(
            block_size=block, column_names=names, skip_rows=1, encoding=encoding
        ),
        parse_options=arrow_csv.ParseOptions(delimiter=delimiter, quote_char=quote, newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.large_string()),
            include_columns=list(dict.fromkeys(names[i] for i in places)),
        ),
    )
    for records in reader:
        text, label = (records.column(names[i]) for i in places)
        label = pc.if_else(pc.equal(label, ""), pa.scalar(None, label.type), label)
        yield pa.record_batch([text, label], names=["text", "label"])


@contextmanager
def told_faults(name: str, kind: str, wanted: WantedColumns) -> Iterator[None]:
    """What the libraries that read a file raise, as one line that names it."""
    try:
        yield
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        if isinstance(error, UnreadableFile):
            raise
        raise unreadable(name, kind, wanted.encoding, error) from error


def database(**settings: str) -> Any:
    """A connection to DuckDB that keeps its progress to itself: stdout is the user's."""
    connection = duckdb.connect(config=dict(settings))
    connection.execute("SET enable_progress_bar = false")
    return connection


def sql_text(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def sql_name(name: str) -> str:
    """A column's name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def json_key(key: str) -> str:
    """A JSON pointer to a key of an object, as SQL writes it."""
    return sql_text("/" + key.replace("~", "~0").replace("/", "~1"))


def check_columns(wanted: WantedColumns, columns: list[str], file: str) -> None:
    """An error with the near miss unless the file has the columns."""
    for name in (wanted.text, wanted.label):
        if name not in columns:
            raise unknown_column(name, columns, file)
