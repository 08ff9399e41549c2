"""The formats of files. To add one is a function that reads it, and a line in FORMATS.

DuckDB reads JSON lines and Parquet, pyarrow CSV. Nothing here holds more than a few batches.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv as arrow_csv

from termsift.engines.files.database import DATABASE_FAULTS, database, json_key
from termsift.engines.files.input_files import InputFile
from termsift.engines.files.text_files import (
    as_utf8,
    check_encoding,
    decompressed,
    header_lines,
    unreadable,
)
from termsift.errors import InvalidInput, TermsiftError, unknown_column

LONGEST_LINE = 1 << 28
ROWS = 2048
BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class WantedColumns:
    """What is wanted of a file: the columns of texts and labels; and the encoding it is in.

    Without a label, where its name is empty, all documents are of one class.
    """

    text: str = "text"
    label: str = "label"
    encoding: str = "utf-8"

    @property
    def names(self) -> list[str]:
        """The columns that a file must have."""
        return [self.text, self.label] if self.label else [self.text]

    def __post_init__(self) -> None:
        check_encoding(self.encoding)
        for name in (self.text, self.label):
            if not isinstance(name, str):
                raise InvalidInput(f"a column is named by a text, got {name!r}")
        if self.text == self.label:
            raise InvalidInput(f"text and label are both column {self.text!r}; name two")


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files.

    name, endings : as people write it, and the endings of its files' names
    batches : a function from a file and what is wanted to Arrow record batches of (text, label), in which
        null is what is missing; what its library raises is in FAULTS
    meaning : what a label that comes as a string says
    """

    name: str
    endings: tuple[str, ...]
    batches: Callable[[InputFile, WantedColumns], Iterator[Any]]
    meaning: Callable[[str], Any] = str


def csv_batches(file: InputFile, wanted: WantedColumns) -> Iterator[Any]:
    """The documents of a CSV file."""
    return delimited_batches(file, wanted, *csv_columns(file, wanted.encoding))


def csv_columns(file: InputFile, encoding: str) -> tuple[list[str], str]:
    """The columns of a CSV file, and what parts them; a file of a spreadsheet may have semicolons."""
    columns = csv_header(file, encoding, ",")
    if len(columns) == 1 and ";" in columns[0]:
        return csv_header(file, encoding, ";"), ";"
    return columns, ","


def csv_header(file: InputFile, encoding: str, delimiter: str) -> list[str]:
    """The cells of the first row, which may hold line breaks."""
    return next(csv.reader(header_lines(file, encoding), delimiter=delimiter), [])


def tsv_batches(file: InputFile, wanted: WantedColumns) -> Iterator[Any]:
    """The documents of a TSV file, in which, as IANA has it, nothing is quoted."""
    return delimited_batches(file, wanted, *tsv_columns(file, wanted.encoding))


def tsv_columns(file: InputFile, encoding: str) -> tuple[list[str], str]:
    """The columns of a TSV file, and what parts them."""
    return next(header_lines(file, encoding), "").rstrip("\r\n").split("\t"), "\t"


def jsonl_batches(file: InputFile, wanted: WantedColumns) -> Iterator[Any]:
    """The documents of JSON lines. Labels stay JSON: a guess at types would rewrite texts like dates."""
    with as_utf8(file, wanted.encoding) as path, database([path]) as connection:
        given = {"file": path}
        lines = f"read_ndjson_objects($file, maximum_object_size={LONGEST_LINE}, hive_partitioning=false)"
        check_columns(wanted, json_columns(connection, lines, given), file.name)
        text, *label = (f"json_extract(json, {json_key(key)})" for key in wanted.names)
        known = f"nullif(CAST({label[0]} AS VARCHAR), 'null')" if label else "'\"all\"'"
        columns = f"json_extract_string({text}, '$') AS text, {known} AS label"
        yield from connection.sql(f"SELECT {columns} FROM {lines}", params=given).to_arrow_reader(ROWS)


def json_columns(connection: Any, lines: str, given: dict[str, str]) -> list[str]:
    """The keys of the first lines, in order; one that a line has several times as often as that."""
    numbered = f"SELECT row_number() OVER () AS row, json FROM (FROM {lines} LIMIT 10000)"
    keys = f"SELECT row, unnest(json_keys(json)) AS key FROM ({numbered})"
    times = f"SELECT row, key, count(*) AS times FROM ({keys}) GROUP BY ALL"
    found = connection.execute(f"SELECT key, max(times) FROM ({times}) GROUP BY key ORDER BY key", given)
    return [key for key, most in found.fetchall() for _ in range(most)]


def parquet_batches(file: InputFile, wanted: WantedColumns) -> Iterator[Any]:
    """The documents of a Parquet file; columns go by their place, since to DuckDB Text and text are one."""
    columns = pq.read_schema(file.path).names
    check_columns(wanted, columns, file.name)
    text, *label = (f"c{columns.index(name)}" for name in wanted.names)
    names = ", ".join(f"c{i}" for i in range(len(columns)))
    rows = f"read_parquet($file, hive_partitioning=false) AS rows({names})"
    known = label[0] if label else "'all'"
    query = f"SELECT CAST({text} AS VARCHAR) AS text, {known} AS label FROM {rows}"
    with database([file.path]) as connection:
        yield from connection.sql(query, params={"file": file.path}).to_arrow_reader(ROWS)


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
    file: InputFile, wanted: WantedColumns, columns: list[str], delimiter: str
) -> Iterator[Any]:
    """The documents of a file of fields. An empty label is a missing one, for there is no other sign of it.

    By pyarrow: DuckDB's reader loses its place in texts with line breaks where two of its buffers meet,
    and without threads holds the whole file. A row longer than a block is read again with a larger one.
    """
    check_columns(wanted, columns, file.name)
    places = [columns.index(column) for column in wanted.names]
    block, done = BLOCK, 0
    while True:
        seen = 0
        try:
            for records in open_csv(file, len(columns), places, delimiter, wanted.encoding, block):
                seen += len(records)
                if seen > done:
                    yield records.slice(max(len(records) - (seen - done), 0))
                    done = seen
            return
        except pa.ArrowInvalid as error:
            if "straddl" not in str(error) or block >= LONGEST_LINE:
                raise
            block *= 16


def open_csv(
    file: InputFile, width: int, places: list[int], delimiter: str, encoding: str, block: int
) -> Iterator[Any]:
    """Record batches of one or two of a file's columns as (text, label)."""
    names = [f"c{i}" for i in range(width)]
    quote: Any = False if delimiter == "\t" else '"'
    reader = arrow_csv.open_csv(
        decompressed(file),
        # the header is skipped as a row, since its cells may hold line breaks
        read_options=arrow_csv.ReadOptions(
            block_size=block, column_names=names, skip_rows_after_names=1, encoding=encoding
        ),
        parse_options=arrow_csv.ParseOptions(delimiter=delimiter, quote_char=quote, newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.large_string()),
            include_columns=[names[i] for i in places],
        ),
    )
    for records in reader:
        text, *rest = (records.column(names[i]) for i in places)
        label = rest[0] if rest else pa.repeat(pa.scalar("all", text.type), len(text))
        label = pc.if_else(pc.equal(label, ""), pa.scalar(None, label.type), label)
        yield pa.record_batch([text, label], names=["text", "label"])


# what the libraries that read files raise
FAULTS = (*DATABASE_FAULTS, csv.Error, RecursionError)


@contextmanager
def told_faults(file: InputFile, kind: str, encoding: str) -> Iterator[None]:
    """What the libraries that read a file raise, as one line that names it."""
    try:
        yield
    except FAULTS as error:
        if isinstance(error, TermsiftError):
            raise
        raise unreadable(file, kind, encoding, error) from error


def check_columns(wanted: WantedColumns, columns: list[str], file: str) -> None:
    """An error with the near miss unless the file has the columns, each once."""
    for name in wanted.names:
        if name not in columns:
            raise unknown_column(name, columns, file)
        if columns.count(name) > 1:
            raise InvalidInput(f"{file} has {columns.count(name)} columns named {name!r}; rename all but one")
