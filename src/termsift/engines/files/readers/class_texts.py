"""Folders and zips of classes: each file is a document, and the folder it is in its class."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import pyarrow as pa

from termsift.engines.files.encodings import AUTO, document_text
from termsift.engines.files.input_files import InputFile
from termsift.engines.files.readers.columns import KEPT, WantedColumns
from termsift.engines.files.signatures import check_document, marked_encoding
from termsift.engines.files.zip_files import member_contents
from termsift.errors import UnreadableFile
from termsift.text.batches import in_order, threads

PART = 256  # documents that are read at a time
FILE = "file"  # what the name of a document is kept by
ROOM = 1 << 15  # bytes of a document that are read at a time: most are smaller


def class_batches(folder: InputFile, wanted: WantedColumns) -> Iterator[Any]:
    """The files of each folder as documents of its class."""
    if wanted.group is not None:
        raise UnreadableFile(f"{folder.name} is a folder for each class, which has no column of groups")
    kept = [name for role, name in wanted.marks if role.startswith(KEPT)]
    strange = [name for role, name in wanted.marks if not role.startswith(KEPT) or name != FILE]
    if strange:
        raise UnreadableFile(
            f"{folder.name} is a folder for each class; of {strange[0]!r} it has {FILE!r} alone"
        )
    if not folder.documents:
        raise UnreadableFile(
            f"{folder.name} is a folder without files, or folders of them for each class; give a file"
        )
    names = folder.documents
    parts = [names[start : start + PART] for start in range(0, len(names), PART)]
    # a zip is one file, which threads would open again and again
    workers = threads(None) if os.path.isdir(folder.path) else 1
    yield from in_order(lambda part: class_batch(part, folder, len(kept)), parts, workers)


def class_batch(names: Sequence[str], folder: InputFile, kept: int = 0) -> Any:
    """Some documents, read, with their classes, and as often as asked for with their names."""
    if os.path.isdir(folder.path):
        contents = [content_of(folder.path, name) for name in names]
    else:
        contents = [content for _, content in member_contents(folder.path, folder.name, names)]
    labels = [class_name(name[folder.top :], folder.name) for name in names]
    known = {
        f"{KEPT} {i}": [name.encode("utf-8", "replace").decode() for name in names]
        for i in range(1, kept + 1)
    }
    return pa.record_batch({"text": texts_of(names, contents, folder), "label": labels, **known})


def content_of(folder: str, name: str) -> bytes:
    """The bytes of a document."""
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
        raise UnreadableFile(f"{path} cannot be read: {error.strerror}") from error


def texts_of(names: Sequence[str], contents: list[bytes], folder: InputFile) -> Any:
    """The texts of some documents as an Arrow array; an error for what is no text."""
    marked = [marked_encoding(content) for content in contents]
    for name, content, mark in zip(names, contents, marked, strict=True):
        check_document(f"{folder.name}/{name}", content, mark or folder.encoding)
    if not any(marked) and folder.encoding in ("utf-8", AUTO):
        with suppress(pa.ArrowInvalid):
            plain = [content.removeprefix(BOM_UTF8) for content in contents]
            return pa.array(plain, pa.large_binary()).cast(pa.large_string())
    texts = (
        document_text(content, f"{folder.name}/{name}", folder)
        for name, content in zip(names, contents, strict=True)
    )
    return pa.array([text.encode("utf-8", "replace") for text in texts], pa.large_binary()).cast(
        pa.large_string()
    )


def class_name(file: str, folder: str) -> str:
    """The class of a file: the folder below the folder of all."""
    name = file.split("/", 1)[0]
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise UnreadableFile(
            f"the folder {name} in {folder} has a name that is not UTF-8; rename it"
        ) from error
    return name
