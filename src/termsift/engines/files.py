"""Counts of a file: CSV, TSV, JSONL or Parquet, plain or compressed. DuckDB reads it."""

from __future__ import annotations

import csv
import glob
import json
import os
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from termsift.counts import Counts
from termsift.engines.texts import count_texts
from termsift.errors import InvalidInput, UnknownName, UnreadableFile, near_miss

FORMATS = {
    ".csv": "CSV",
    ".tsv": "TSV",
    ".tab": "TSV",
    ".jsonl": "JSONL",
    ".ndjson": "JSONL",
    ".parquet": "Parquet",
}
COMPRESSIONS = (".gz", ".zst")
LONGEST_LINE = 1 << 25


def count_file(
    path: str | os.PathLike[str],
    *,
    text: str | None = None,
    label: str | None = None,
    analyzer: Any = None,
    sample_weight: Any = None,
) -> Counts:
    """Counts of the documents of a file, or of all files that match a pattern.

    CSV and TSV have no types: there a label is text, and an empty field is an empty document.
    """
    texts, labels = read_documents(path, text=text or "text", label=label or "label")
    return count_texts(texts, labels, analyzer=analyzer, sample_weight=sample_weight)


def read_documents(path: str | os.PathLike[str], *, text: str, label: str) -> tuple[list[str], list[Any]]:
    """The texts and the labels of a file's rows."""
    files = matching(os.fspath(path))
    kind = file_format(files)
    try:
        with duckdb.connect() as connection:
            rows = [row for name in files for row in read_file(connection, name, kind, text, label)]
    except duckdb.Error as error:
        reason = " ".join(str(error).split())[:200]
        raise UnreadableFile(f"{path} cannot be read as {kind}: {reason}") from error
    if not rows:
        raise InvalidInput(f"{path} has no rows, so there are no documents")
    texts = [as_text(row[0], kind, i) for i, row in enumerate(rows)]
    return texts, [as_label(row[1], i) for i, row in enumerate(rows)]


def read_file(connection: Any, name: str, kind: str, text: str, label: str) -> list[tuple[Any, Any]]:
    """The text and the label of each row of a file."""
    columns, source, parameters = READERS[kind](connection, name)
    for column in (text, label):
        check_column(column, columns, name)
    wanted = ", ".join(f"c{columns.index(column)}" for column in (text, label))
    rows: list[tuple[Any, Any]] = connection.execute(
        f"SELECT {wanted} FROM ({source})", parameters
    ).fetchall()
    return [(json.loads(t), json.loads(c)) for t, c in rows] if kind == "JSONL" else rows


def matching(path: str) -> list[str]:
    """The file of that name, or the files that match the pattern, in order."""
    if os.path.isdir(path):
        raise UnreadableFile(
            f"{path} is a folder; give a file, or a pattern such as {path.rstrip('/')}/*.csv"
        )
    files = [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
    if not files:
        raise UnreadableFile(f"there is no file {path}")
    for name in files:
        if os.path.getsize(name) == 0:
            raise UnreadableFile(f"{name} is empty")
    return files


def file_format(files: list[str]) -> str:
    """The format the files' names say, one for all."""
    kinds = {FORMATS.get(suffix(name)) for name in files}
    unknown_name = next((name for name in files if suffix(name) not in FORMATS), None)
    if unknown_name is not None:
        raise UnreadableFile(
            f"cannot tell the format of {unknown_name}; its name must end in {', '.join(FORMATS)}"
        )
    if len(kinds) > 1:
        raise UnreadableFile(f"the files are of different formats: {', '.join(sorted(map(str, kinds)))}")
    return str(kinds.pop())


def suffix(name: str) -> str:
    """The ending that names the format, that of the compression left off."""
    path = Path(name.lower())
    return Path(path.stem).suffix if path.suffix in COMPRESSIONS else path.suffix


def parquet_reader(connection: Any, name: str) -> tuple[list[str], str, dict[str, Any]]:
    """The columns of a Parquet file, the query that reads them as c0, c1, ..., and its parameters."""
    parameters = {"file": glob.escape(name)}
    described = connection.execute("SELECT * FROM read_parquet($file) LIMIT 0", parameters).description
    columns = [column[0] for column in described]
    listed = ", ".join(f"{quoted(column)} AS c{i}" for i, column in enumerate(columns))
    return columns, f"SELECT {listed} FROM read_parquet($file)", parameters


def jsonl_reader(connection: Any, name: str) -> tuple[list[str], str, dict[str, Any]]:
    """The same for JSON lines. Values stay JSON: a guess at types would rewrite texts like dates."""
    parameters = {"file": glob.escape(name)}
    lines = f"read_ndjson_objects($file, maximum_object_size={LONGEST_LINE})"
    found = connection.execute(f"SELECT DISTINCT unnest(json_keys(json)) FROM {lines}", parameters).fetchall()
    columns = sorted(key for (key,) in found)
    listed = ", ".join(
        f"coalesce(json_extract(json, {literal(pointer(c))}), 'null') AS c{i}" for i, c in enumerate(columns)
    )
    return columns, f"SELECT {listed or 'json'} FROM {lines}", parameters


def csv_reader(connection: Any, name: str) -> tuple[list[str], str, dict[str, Any]]:
    """The same for CSV and TSV. Python reads the header, for DuckDB's guesses may skip lines as comments."""
    tabs = suffix(name) in (".tsv", ".tab")
    header = first_line(name)
    # IANA's TSV has no quotes; CSV has them, doubled inside
    delimiter = "\t" if tabs else ";" if ";" in header and "," not in header else ","
    quote = "" if tabs else '"'
    columns = next(
        csv.reader([header], delimiter=delimiter, quoting=csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL), []
    )
    types = "{" + ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(columns))) + "}"
    options = f"header=true, auto_detect=false, max_line_size={LONGEST_LINE}, columns={types}"
    source = f"SELECT * FROM read_csv($file, delim=$delim, quote=$quote, escape=$quote, {options})"
    return columns, source, {"file": glob.escape(name), "delim": delimiter, "quote": quote}


READERS = {"CSV": csv_reader, "TSV": csv_reader, "JSONL": jsonl_reader, "Parquet": parquet_reader}


def first_line(name: str) -> str:
    """The first line of a text file, decompressed, without its line end."""
    codec = pa.Codec.detect(name).name if name.lower().endswith(COMPRESSIONS) else None
    try:
        with pa.input_stream(name, compression=codec) as stream:
            head: bytes = stream.read(1 << 16)
    except OSError as error:
        raise UnreadableFile(f"{name} cannot be read as {FORMATS[suffix(name)]}: {error}") from error
    text = head.decode("utf-8-sig", errors="replace")
    return text.splitlines()[0] if text.strip() else ""


def pointer(key: str) -> str:
    """A JSON pointer to a key of an object."""
    return "/" + key.replace("~", "~0").replace("/", "~1")


def literal(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """A column's name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def check_column(name: str, columns: list[str], file: str) -> None:
    """An error with the near miss unless the file has the column."""
    if name in columns:
        return
    near = near_miss(name, columns)
    hint = "" if near is None else f"did you mean {near!r}? "
    raise UnknownName(f"column {name!r} is not in {file}; {hint}it has: {', '.join(columns)}")


def as_text(value: Any, kind: str, row: int) -> str:
    """A row's text. CSV and TSV cannot tell an empty text from none; the others can."""
    if value is None and kind not in ("CSV", "TSV"):
        raise InvalidInput(f"row {row + 1} has no text; drop the row or give it one")
    return "" if value is None else str(value)


def as_label(value: Any, row: int) -> Any:
    """A row's label or list of labels."""
    if value is None:
        raise InvalidInput(f"row {row + 1} has no label; drop the row or give it a class")
    return value
