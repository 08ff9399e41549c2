"""Documents of files as a stream of Arrow batches: CSV, TSV, JSONL, Parquet, or a folder for each class.

DuckDB reads JSON lines and Parquet, pyarrow CSV. Nothing here holds more than a few batches.
"""

from __future__ import annotations

import codecs
import csv
import glob
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.csv as pc

from termsift.engines.files.paths import FORMATS, file_format, folder_files, has_classes, matching, suffix
from termsift.errors import InvalidInput, UnknownName, UnreadableFile, near_miss

LONGEST_LINE = 1 << 28
ROWS = 2048
BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Source:
    """Where documents come from, and how they are read.

    paths : each a file, a pattern, a folder of Parquet files, or a folder with a folder of files per class
    text, label : the columns
    encoding : of CSV, TSV, JSONL and the files of folders
    """

    paths: tuple[str, ...]
    text: str = "text"
    label: str = "label"
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        try:
            codecs.lookup(self.encoding)
        except LookupError as error:
            raise InvalidInput(f"no encoding named {self.encoding!r}; try 'utf-8' or 'latin-1'") from error

    @property
    def name(self) -> str:
        """What to call it in a message."""
        return self.paths[0] if len(self.paths) == 1 else f"{self.paths[0]} and {len(self.paths) - 1} more"

    @property
    def has_classes(self) -> bool:
        """Whether the paths are folders with a folder for each class."""
        folders = [has_classes(path) for path in self.paths]
        if any(folders) and not all(folders):
            raise UnreadableFile(f"{self.paths[folders.index(True)]} is a folder among files; give one kind")
        return all(folders)

    @property
    def files(self) -> list[str]:
        """The files, path by path."""
        named = folder_files if self.has_classes else matching
        return [file for path in self.paths for file in named(path)]

    @property
    def kind(self) -> str | None:
        """The format of the files; None of folders of classes."""
        return None if self.has_classes else file_format(self.files)

    @property
    def size(self) -> int:
        """The bytes on disk."""
        return sum(os.path.getsize(name) for name in self.files)

    def batches(self) -> Iterator[Any]:
        """Record batches of (text, label); labels of JSON lines are JSON still."""
        kind = self.kind
        if kind is None:
            for path in self.paths:
                yield from folder_batches(path, self.encoding)
            return
        for name in self.files:
            yield from file_batches(name, kind, self)

    @property
    def has_json_labels(self) -> bool:
        """Whether labels come as JSON."""
        return self.kind == "JSONL"

    @property
    def may_be_empty(self) -> bool:
        """Whether a missing text is an empty one: CSV and TSV cannot tell."""
        return self.kind in ("CSV", "TSV")


def source_of(
    data: Any, text: str | None = None, label: str | None = None, encoding: str = "utf-8"
) -> Source:
    """The source that a path, a pattern or a list of these names."""
    paths = [data] if isinstance(data, str | os.PathLike) else list(data)
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise InvalidInput(f"a list of paths holds paths only, got {type(path).__name__}")
    return Source(tuple(os.fspath(path) for path in paths), text or "text", label or "label", encoding)


def database(**settings: str) -> Any:
    """A connection that keeps its progress to itself: stdout is the user's."""
    connection = duckdb.connect(config=dict(settings))
    connection.execute("SET enable_progress_bar = false")
    return connection


def file_batches(name: str, kind: str, source: Source) -> Iterator[Any]:
    """The record batches of one file."""
    if kind in ("CSV", "TSV"):
        yield from csv_batches(name, kind, source)
        return
    with readable(name, source.encoding if kind == "JSONL" else "utf-8") as path:
        try:
            with database() as connection:
                columns, query, parameters = READERS[kind](path)
                for column in (source.text, source.label):
                    check_column(column, columns, name)
                text, label = (f"c{columns.index(column)}" for column in (source.text, source.label))
                wanted = f"SELECT {text_of(text, kind)} AS text, {label} AS label FROM ({query})"
                yield from connection.sql(wanted, params=parameters).to_arrow_reader(ROWS)
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            raise unreadable(name, kind, source.encoding, error) from error


def csv_batches(name: str, kind: str, source: Source) -> Iterator[Any]:
    """The record batches of a CSV or TSV file.

    By pyarrow: DuckDB's reader loses its place in texts with line breaks where two of its buffers meet,
    and without threads holds the whole file. A row longer than a block is read again with a larger one.
    """
    header = first_line(name, source.encoding)
    # IANA's TSV has no quotes; CSV has them, doubled inside
    delimiter = "\t" if kind == "TSV" else ";" if ";" in header and "," not in header else ","
    columns = header.split("\t") if kind == "TSV" else next(csv.reader([header], delimiter=delimiter), [])
    for column in (source.text, source.label):
        check_column(column, columns, name)
    wanted = [columns.index(column) for column in (source.text, source.label)]
    block, done = BLOCK, 0
    while True:
        seen = 0
        try:
            for records in open_csv(name, len(columns), wanted, delimiter, source.encoding, block):
                seen += len(records)
                if seen > done:
                    yield records.slice(max(len(records) - (seen - done), 0))
                    done = seen
            return
        except (pa.ArrowInvalid, OSError, UnicodeError) as error:
            if "straddl" not in str(error) or block >= LONGEST_LINE:
                raise unreadable(name, kind, source.encoding, error) from error
            block *= 16


def open_csv(
    name: str, width: int, wanted: list[int], delimiter: str, encoding: str, block: int
) -> Iterator[Any]:
    """Record batches of two of a file's columns as (text, label)."""
    names = [f"c{i}" for i in range(width)]
    picked = [names[i] for i in wanted]
    quote: Any = False if delimiter == "\t" else '"'
    reader = pc.open_csv(
        pa.input_stream(name, compression=compression(name)),
        read_options=pc.ReadOptions(block_size=block, column_names=names, skip_rows=1, encoding=encoding),
        parse_options=pc.ParseOptions(delimiter=delimiter, quote_char=quote, newlines_in_values=True),
        convert_options=pc.ConvertOptions(
            column_types=dict.fromkeys(names, pa.large_string()), include_columns=picked
        ),
    )
    for records in reader:
        columns = [records.column(column) for column in picked]
        yield pa.record_batch(columns, names=["text", "label"])


def compression(name: str) -> str | None:
    """The compression that a name's ending says."""
    return {".gz": "gzip", ".zst": "zstd"}.get(Path(name.lower()).suffix)


def text_of(column: str, kind: str) -> str:
    """A column of texts; of JSON the string it holds."""
    return f"json_extract_string({column}, '$')" if kind == "JSONL" else f"CAST({column} AS VARCHAR)"


def unreadable(name: str, kind: str, encoding: str, error: Exception) -> UnreadableFile:
    """What is wrong with a file, in one line."""
    reason = " ".join(str(error).split())
    if re.search("utf-?8|unicode|invalid byte|codec", reason, flags=re.IGNORECASE):
        bad = first_bad_byte(name, encoding)
        if bad is not None:
            return UnreadableFile(
                f"{name} is not {shown(encoding)}: {bad}; name its encoding, such as 'latin-1'"
            )
    return UnreadableFile(f"{name} cannot be read as {kind}: {reason[:200]}")


def first_bad_byte(name: str, encoding: str) -> str | None:
    """Where a file stops being of its encoding, and the byte there."""
    decoder, done = codecs.getincrementaldecoder(encoding)(), 0
    with pa.input_stream(name, compression=compression(name)) as stream:
        while chunk := stream.read(1 << 20):
            held = len(decoder.getstate()[0])
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError as error:
                return f"byte 0x{error.object[error.start]:02x} at {done - held + error.start:,}"
            done += len(chunk)
    return None


def shown(encoding: str) -> str:
    """An encoding as people write it."""
    return "UTF-8" if codecs.lookup(encoding).name == "utf-8" else encoding


@contextmanager
def readable(name: str, encoding: str) -> Iterator[str]:
    """The path of the file in UTF-8: itself, or a copy for as long as it is read."""
    if codecs.lookup(encoding).name == "utf-8":
        yield name
        return
    with tempfile.TemporaryDirectory(prefix="termsift-") as folder:
        copy = Path(folder) / f"copy{suffix(name)}"
        decoder = codecs.getincrementaldecoder(encoding)()
        with pa.input_stream(name, compression=compression(name)) as old, copy.open("wb") as new:
            try:
                while chunk := old.read(1 << 20):
                    new.write(decoder.decode(chunk).encode())
            except UnicodeDecodeError as error:
                raise unreadable(name, "JSONL", encoding, error) from error
        yield str(copy)


def folder_batches(path: str, encoding: str) -> Iterator[Any]:
    """The files of each folder as documents of its class."""
    files = folder_files(path)
    if not files:
        raise UnreadableFile(f"{path} is a folder without a folder of files for each class; give a file")
    for start in range(0, len(files), 256):
        names = files[start : start + 256]
        labels = [Path(name).relative_to(path).parts[0] for name in names]
        yield pa.record_batch({"text": [read_text(name, encoding) for name in names], "label": labels})


def read_text(name: str, encoding: str) -> str:
    """A file's text."""
    try:
        return Path(name).read_text(encoding=encoding)
    except UnicodeDecodeError as error:
        bad = error.object[error.start]
        where = f"byte 0x{bad:02x} at {error.start:,}"
        raise UnreadableFile(
            f"{name} is not {encoding}: {where}; name its encoding, such as 'latin-1'"
        ) from error


def parquet_reader(name: str) -> tuple[list[str], str, dict[str, Any]]:
    """The columns of a Parquet file, the query that reads them as c0, c1, ..., and its parameters."""
    parameters = {"file": glob.escape(name)}
    with database() as connection:
        columns = connection.sql("SELECT * FROM read_parquet($file) LIMIT 0", params=parameters).columns
    listed = ", ".join(f"{quoted(column)} AS c{i}" for i, column in enumerate(columns))
    return columns, f"SELECT {listed} FROM read_parquet($file)", parameters


def jsonl_reader(name: str) -> tuple[list[str], str, dict[str, Any]]:
    """The same for JSON lines. Values stay JSON: a guess at types would rewrite texts like dates."""
    parameters = {"file": glob.escape(name)}
    lines = f"read_ndjson_objects($file, maximum_object_size={LONGEST_LINE})"
    with database() as connection:
        keys = f"SELECT DISTINCT unnest(json_keys(json)) FROM (FROM {lines} LIMIT 10000)"
        columns = sorted(key for (key,) in connection.execute(keys, parameters).fetchall())
    listed = ", ".join(f"json_extract(json, {literal(pointer(c))}) AS c{i}" for i, c in enumerate(columns))
    return columns, f"SELECT {listed or 'json'} FROM {lines}", parameters


READERS = {"JSONL": jsonl_reader, "Parquet": parquet_reader}


def first_line(name: str, encoding: str) -> str:
    """The first line of a text file, decompressed, without its line end."""
    try:
        with pa.input_stream(name, compression=compression(name)) as stream:
            head: bytes = stream.read(1 << 16)
    except OSError as error:
        raise UnreadableFile(f"{name} cannot be read as {FORMATS[suffix(name)]}: {error}") from error
    text = head.decode(encoding, errors="replace").removeprefix("\ufeff")
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
