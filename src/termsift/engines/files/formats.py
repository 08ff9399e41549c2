"""The formats of files. To add one is a function that reads it, and a line in FORMATS.

DuckDB reads JSON lines and Parquet, pyarrow CSV. Nothing here holds more than a few batches.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
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
    """What is wanted of a file: columns of texts, labels and perhaps groups; and the encoding it is in.

    Without a label, where its name is empty, all documents are of one class.
    """

    text: str = "text"
    label: str = "label"
    encoding: str = "utf-8"
    group: str | None = None

    def __post_init__(self) -> None:
        check_encoding(self.encoding)
        for name in self.columns.values():
            if not isinstance(name, str):
                raise InvalidInput(f"a column is named by a text, got {name!r}")
        for one, other in combinations(self.columns, 2):
            if self.columns[one] == self.columns[other]:
                raise InvalidInput(f"{one} and {other} are both column {self.columns[one]!r}; name two")

    @property
    def columns(self) -> dict[str, str]:
        """The name of the column of texts, and of those of labels and of groups where they are wanted."""
        names = {"text": self.text} | ({"label": self.label} if self.label else {})
        return names if self.group is None else names | {"group": self.group}


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files.

    name, endings : as people write it, and the endings of its files' names
    batches : a function from a file and what is wanted to Arrow record batches of (text, label[, group]), in
        which null is what is missing; what its library raises is in FAULTS
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
        text, *others = (f"json_extract(json, {json_key(key)})" for key in wanted.columns.values())
        columns = f"json_extract_string({text}, '$') AS text"
        for name, value in zip(list(wanted.columns)[1:], others, strict=True):
            columns += f", nullif(CAST({value} AS VARCHAR), 'null') AS {name}"
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
    places = {name: f"c{columns.index(own)}" for name, own in wanted.columns.items()}
    names = ", ".join(f"c{i}" for i in range(len(columns)))
    rows = f"read_parquet($file, hive_partitioning=false) AS rows({names})"
    more = "".join(f", {place} AS {name}" for name, place in places.items() if name != "text")
    query = f"SELECT CAST({places['text']} AS VARCHAR) AS text{more} FROM {rows}"
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
    places = {name: columns.index(column) for name, column in wanted.columns.items()}
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
    file: InputFile, width: int, places: dict[str, int], delimiter: str, encoding: str, block: int
) -> Iterator[Any]:
    """Record batches of some columns under other names; what is empty, texts aside, is missing."""
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
            include_columns=[names[i] for i in places.values()],
        ),
    )
    for records in reader:
        columns = {name: records.column(names[i]) for name, i in places.items()}
        yield pa.record_batch(
            {name: column if name == "text" else filled(column) for name, column in columns.items()}
        )


def filled(column: Any) -> Any:
    """The column, null where it is empty."""
    return pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)


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
    for name in wanted.columns.values():
        if name not in columns:
            raise unknown_column(name, columns, file)
        if columns.count(name) > 1:
            raise InvalidInput(f"{file} has {columns.count(name)} columns named {name!r}; rename all but one")
