"""The formats of files. To add one is a function that reads it, and a line in FORMATS.

DuckDB reads JSON and Parquet, pyarrow CSV and Arrow, openpyxl sheets. Nothing holds more than a few batches.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from termsift.engines.files.database import database_faults
from termsift.engines.files.input_files import InputFile
from termsift.engines.files.readers.class_texts import class_batches
from termsift.engines.files.readers.column_files import arrow_batches, parquet_batches
from termsift.engines.files.readers.columns import WantedColumns
from termsift.engines.files.readers.delimited import csv_batches, tsv_batches
from termsift.engines.files.readers.json_files import json_batches, jsonl_batches
from termsift.engines.files.readers.spreadsheets import xlsx_batches
from termsift.engines.files.text_files import unreadable
from termsift.errors import InvalidInput, TermsiftError


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files.

    name, endings : as people write it, and the endings of its files' names
    batches : a function from a file and what is wanted to Arrow record batches of (text, label[, group]), in
        which null is what is missing; what its library raises is in `faults`
    meaning : what a label that comes as a string says
    spelled : a name of a folder as the format would write it
    takes : of "encoding", "header" and "delimiter" what it has a use for
    """

    name: str
    endings: tuple[str, ...]
    batches: Callable[[InputFile, WantedColumns], Iterator[Any]]
    meaning: Callable[[str], Any] = str
    spelled: Callable[[str], str] = str
    takes: tuple[str, ...] = ("encoding",)


CELLS = ("encoding", "header", "delimiter")
FORMATS = (
    Format("CSV", (".csv",), csv_batches, takes=CELLS),
    Format("TSV", (".tsv", ".tab"), tsv_batches, takes=CELLS),
    Format("JSONL", (".jsonl", ".ndjson"), jsonl_batches, json.loads, json.dumps),
    Format("JSON", (".json",), json_batches, json.loads, json.dumps),
    Format("Parquet", (".parquet",), parquet_batches, takes=()),
    Format("Arrow", (".arrow", ".feather", ".ipc"), arrow_batches, takes=()),
    Format("XLSX", (".xlsx",), xlsx_batches, takes=("header",)),
)
CLASSES = Format("a folder for each class", (), class_batches)


def known_endings() -> dict[str, Format]:
    """The format of each ending of a name."""
    return {ending: kind for kind in FORMATS for ending in kind.endings}


def check_uses(kind: Format, wanted: WantedColumns) -> None:
    """An error for an option that a format has no use for."""
    for name, value in (("header", wanted.header), ("delimiter", wanted.delimiter)):
        if value not in (True, None) and name not in kind.takes:
            others = ", ".join(other.name for other in FORMATS if name in other.takes)
            raise InvalidInput(f"{name}={value!r} is for {others}; these files are {kind.name}")


def faults() -> tuple[type[Exception], ...]:
    """What the libraries that read files raise."""
    return (*database_faults(), lzma.LZMAError, EOFError, RecursionError, OverflowError)


@contextmanager
def told_faults(file: InputFile, kind: str) -> Iterator[None]:
    """What the libraries that read a file raise, as one line that names it."""
    try:
        yield
    except faults() as error:
        if isinstance(error, TermsiftError):
            raise
        raise unreadable(file, kind, error) from error
