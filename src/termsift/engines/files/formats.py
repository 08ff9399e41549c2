"""Table of file formats, and the reader of folders and zips with one folder per class."""

from __future__ import annotations

import json
import lzma
import os
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from termsift._internal.errors import InvalidInputError, TermsiftError, UnreadableFileError
from termsift._internal.threads import map_in_order, resolve_n_jobs
from termsift.engines.files.columnar import (
    database_errors,
    iter_arrow,
    iter_json,
    iter_jsonl,
    iter_parquet,
)
from termsift.engines.files.columns import KEEP_PREFIX, ColumnSpec
from termsift.engines.files.delimited import iter_csv, iter_tsv, iter_xlsx
from termsift.engines.files.encodings import (
    AUTO,
    bom_encoding,
    check_document,
    decode_document,
    unreadable_error,
)
from termsift.engines.files.opening import InputFile, iter_member_contents

PART = 256  # documents that are read at a time
FILE = "file"  # what the name of a document is kept by
ROOM = 1 << 15  # bytes of a document that are read at a time: most are smaller


def iter_class_folder(folder: InputFile, spec: ColumnSpec) -> Iterator[Any]:
    """Yield the files of each folder as documents of its class."""
    if spec.group is not None:
        raise UnreadableFileError(f"{folder.name} is a folder for each class, which has no column of groups")
    kept = [name for role, name in spec.metadata if role.startswith(KEEP_PREFIX)]
    strange = [name for role, name in spec.metadata if not role.startswith(KEEP_PREFIX) or name != FILE]
    if strange:
        raise UnreadableFileError(
            f"{folder.name} is a folder for each class; of {strange[0]!r} it has {FILE!r} alone"
        )
    if not folder.documents:
        raise UnreadableFileError(
            f"{folder.name} is a folder without files, or folders of them for each class; give a file"
        )
    names = folder.documents
    parts = [names[start : start + PART] for start in range(0, len(names), PART)]
    # a zip is one file, which threads would open again and again
    workers = resolve_n_jobs(None) if os.path.isdir(folder.path) else 1
    yield from map_in_order(lambda part: load_class_batch(part, folder, len(kept)), parts, workers)


def load_class_batch(names: Sequence[str], folder: InputFile, kept: int = 0) -> Any:
    """Return some documents with their classes, and with their names if these are kept."""
    if os.path.isdir(folder.path):
        contents = [load_content(folder.path, name) for name in names]
    else:
        contents = [content for _, content in iter_member_contents(folder.path, folder.name, names)]
    labels = [parse_class_name(name[folder.top :], folder.name) for name in names]
    known = {
        f"{KEEP_PREFIX} {i}": [name.encode("utf-8", "replace").decode() for name in names]
        for i in range(1, kept + 1)
    }
    return pa.record_batch({"text": decode_documents(names, contents, folder), "label": labels, **known})


def load_content(folder: str, name: str) -> bytes:
    """Return the bytes of a document."""
    path = os.path.join(folder, name)
    try:
        # half as many calls of the system as open() makes
        file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        try:
            parts = []
            while part := os.read(file, ROOM):
                parts.append(part)
            return b"".join(parts)
        finally:
            os.close(file)
    except OSError as error:
        raise UnreadableFileError(f"{path} cannot be read: {error.strerror}") from error


def decode_documents(names: Sequence[str], contents: list[bytes], folder: InputFile) -> Any:
    """Decode documents into an Arrow array; raise an error for binary files."""
    marked = [bom_encoding(content) for content in contents]
    for name, content, mark in zip(names, contents, marked, strict=True):
        check_document(f"{folder.name}/{name}", content, mark or folder.encoding)
    if not any(marked) and folder.encoding in ("utf-8", AUTO):
        with suppress(pa.ArrowInvalid):
            plain = [content.removeprefix(BOM_UTF8) for content in contents]
            return pa.array(plain, pa.large_binary()).cast(pa.large_string())
    texts = (
        decode_document(content, f"{folder.name}/{name}", folder)
        for name, content in zip(names, contents, strict=True)
    )
    return pa.array([text.encode("utf-8", "replace") for text in texts], pa.large_binary()).cast(
        pa.large_string()
    )


def parse_class_name(file: str, folder: str) -> str:
    """Return the class of a file: the name of its top folder."""
    name = file.split("/", 1)[0]
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise UnreadableFileError(
            f"the folder {name} in {folder} has a name that is not UTF-8; rename it"
        ) from error
    return name


@dataclass(frozen=True, slots=True)
class Format:
    """File format.

    name, endings : as people write it, and the endings of its files' names
    batches : a function from a file and what is wanted to Arrow record batches of (text, label[, group]), in
        which null is what is missing; what its library raises is in `read_errors`
    parse_label : what a label that comes as a string says
    format_label : a name of a folder as the format would write it
    takes : of "encoding", "header" and "delimiter" what it has a use for
    """

    name: str
    endings: tuple[str, ...]
    batches: Callable[[InputFile, ColumnSpec], Iterator[Any]]
    parse_label: Callable[[str], Any] = str
    format_label: Callable[[str], str] = str
    takes: tuple[str, ...] = ("encoding",)


CELLS = ("encoding", "header", "delimiter")
FORMATS = (
    Format("CSV", (".csv",), iter_csv, takes=CELLS),
    Format("TSV", (".tsv", ".tab"), iter_tsv, takes=CELLS),
    Format("JSONL", (".jsonl", ".ndjson"), iter_jsonl, json.loads, json.dumps),
    Format("JSON", (".json",), iter_json, json.loads, json.dumps),
    Format("Parquet", (".parquet",), iter_parquet, takes=()),
    Format("Arrow", (".arrow", ".feather", ".ipc"), iter_arrow, takes=()),
    Format("XLSX", (".xlsx",), iter_xlsx, takes=("header",)),
)
CLASSES = Format("a folder for each class", (), iter_class_folder)


def formats_by_extension() -> dict[str, Format]:
    """Return the format of each file extension."""
    return {ending: kind for kind in FORMATS for ending in kind.endings}


def check_format_options(kind: Format, spec: ColumnSpec) -> None:
    """Check that the format supports the options header and delimiter."""
    for name, value in (("header", spec.header), ("delimiter", spec.delimiter)):
        if value not in (True, None) and name not in kind.takes:
            others = ", ".join(other.name for other in FORMATS if name in other.takes)
            raise InvalidInputError(f"{name}={value!r} is for {others}; these files are {kind.name}")


def read_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions of the libraries that read files."""
    return (*database_errors(), lzma.LZMAError, EOFError, RecursionError, OverflowError)


@contextmanager
def wrap_read_errors(file: InputFile, kind: str) -> Iterator[None]:
    """Raise errors of file libraries as UnreadableFileError that names the file."""
    try:
        yield
    except read_errors() as error:
        if isinstance(error, TermsiftError):
            raise
        raise unreadable_error(file, kind, error) from error
