"""Folders and zips of classes: each file is a document, and the folder it is in its class."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from termsift.engines.files.encodings import document_text
from termsift.engines.files.input_files import InputFile
from termsift.engines.files.readers.columns import WantedColumns
from termsift.engines.files.signatures import check_document, marked_encoding
from termsift.engines.files.zip_files import member_contents
from termsift.errors import UnreadableFile
from termsift.text.batches import in_order, threads

PART = 256  # documents that are read at a time


def class_batches(folder: InputFile, wanted: WantedColumns) -> Iterator[Any]:
    """The files of each folder as documents of its class."""
    if wanted.group is not None:
        raise UnreadableFile(f"{folder.name} is a folder for each class, which has no column of groups")
    if not folder.documents:
        raise UnreadableFile(
            f"{folder.name} is a folder without files, or folders of them for each class; give a file"
        )
    for names, contents in document_parts(folder):
        labels = [class_name(name[folder.top :], folder.name) for name in names]
        yield pa.record_batch({"text": texts_of(names, contents, folder), "label": labels})


def document_parts(folder: InputFile) -> Iterator[tuple[Sequence[str], list[bytes]]]:
    """The names and the contents of some documents after the other; those of a folder by threads."""
    names = folder.documents
    parts = [names[start : start + PART] for start in range(0, len(names), PART)]
    if not os.path.isdir(folder.path):
        for part in parts:
            yield part, [content for _, content in member_contents(folder.path, folder.name, part)]
        return
    read = in_order(lambda part: [content_of(folder.path, name) for name in part], parts, threads(None))
    yield from zip(parts, read, strict=True)


def content_of(folder: str, name: str) -> bytes:
    """The bytes of a document."""
    path = os.path.join(folder, name)
    try:
        with open(path, "rb", buffering=0) as file:
            return file.readall()
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror}") from error


def texts_of(names: Sequence[str], contents: list[bytes], folder: InputFile) -> Any:
    """The texts of some documents as an Arrow array; an error for what is no text."""
    for name, content in zip(names, contents, strict=True):
        check_document(f"{folder.name}/{name}", content, marked_encoding(content) or folder.encoding)
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
