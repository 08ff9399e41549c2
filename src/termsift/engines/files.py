"""Counts of a file: CSV, TSV, JSONL or Parquet, plain or compressed. DuckDB reads it."""

from __future__ import annotations

import glob
import os
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import duckdb

from termsift.counts import Counts
from termsift.engines.texts import count_texts
from termsift.errors import InvalidInput, UnknownName, UnreadableFile

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
) -> Counts:
    """Counts of the documents of a file, or of all files that match a pattern.

    CSV and TSV have no types: there a label is text, and an empty field is an empty document.
    """
    texts, labels = read_documents(path, text=text or "text", label=label or "label")
    return count_texts(texts, labels, analyzer=analyzer)


def read_documents(path: str | os.PathLike[str], *, text: str, label: str) -> tuple[list[str], list[Any]]:
    """The texts and the labels of a file's rows."""
    files = matching(os.fspath(path))
    kind = file_format(files)
    try:
        with duckdb.connect() as connection:
            source, parameters = reader(files, kind)
            columns = connection.execute(f"SELECT * FROM {source} LIMIT 0", parameters).description
            for name in (text, label):
                check_column(name, [column[0] for column in columns or []], files[0])
            rows = connection.execute(
                f"SELECT CAST({quoted(text)} AS VARCHAR), {quoted(label)} FROM {source}", parameters
            ).fetchall()
    except duckdb.Error as error:
        reason = " ".join(str(error).split())[:200]
        raise UnreadableFile(f"{files[0]} cannot be read as {kind}: {reason}") from error
    if not rows:
        raise InvalidInput(f"{files[0]} has no rows, so there are no documents")
    return [as_text(row[0], kind, i) for i, row in enumerate(rows)], [
        as_label(row[1], i) for i, row in enumerate(rows)
    ]


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


def reader(files: list[str], kind: str) -> tuple[str, dict[str, Any]]:
    """The table function that reads the files, and its parameters."""
    parameters: dict[str, Any] = {"files": [glob.escape(name) for name in files]}
    if kind == "Parquet":
        return "read_parquet($files)", parameters
    if kind == "JSONL":
        size = f"maximum_object_size={LONGEST_LINE}"
        return f"read_json($files, format='newline_delimited', sample_size=-1, {size})", parameters
    # IANA's TSV has no quotes; CSV has them, doubled inside
    parameters |= (
        {"delim": "\t", "quote": ""} if kind == "TSV" else {"delim": delimiter(files[0]), "quote": '"'}
    )
    options = f"header=true, all_varchar=true, max_line_size={LONGEST_LINE}"
    return f"read_csv($files, delim=$delim, quote=$quote, escape=$quote, {options})", parameters


def delimiter(name: str) -> str:
    """A comma, or a semicolon where the header of the file has those alone."""
    if suffix(name) != Path(name.lower()).suffix:
        return ","
    with open(name, encoding="utf-8", errors="replace") as file:
        header = file.readline()
    return ";" if ";" in header and "," not in header else ","


def quoted(name: str) -> str:
    """A column's name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def check_column(name: str, columns: list[str], file: str) -> None:
    """An error with the near miss unless the file has the column."""
    if name in columns:
        return
    near = get_close_matches(name, columns, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise UnknownName(f"column {name!r} is not in {file}; {hint}it has: {', '.join(columns)}")


def as_text(value: str | None, kind: str, row: int) -> str:
    """A row's text. CSV and TSV cannot tell an empty text from none; the others can."""
    if value is None and kind not in ("CSV", "TSV"):
        raise InvalidInput(f"row {row + 1} has no text; drop the row or give it one")
    return value or ""


def as_label(value: Any, row: int) -> Any:
    """A row's label or list of labels."""
    if value is None:
        raise InvalidInput(f"row {row + 1} has no label; drop the row or give it a class")
    return value
