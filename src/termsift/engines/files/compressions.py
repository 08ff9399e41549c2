"""Compressed files: one table of what the ending of a name says."""

from __future__ import annotations

import lzma
from collections.abc import Callable
from os.path import splitext
from typing import Any

import pyarrow as pa

from termsift.engines.files.input_files import InputFile

COMPRESSIONS: dict[str, Callable[[str], Any]] = {
    ".gz": lambda path: pa.input_stream(path, compression="gzip"),
    ".zst": lambda path: pa.input_stream(path, compression="zstd"),
    ".bz2": lambda path: pa.input_stream(path, compression="bz2"),
    ".xz": lzma.open,
}


def compression(name: str) -> str:
    """The ending that says how a file is compressed; none of one that is not."""
    last = splitext(name.lower())[1]
    return last if last in COMPRESSIONS else ""


def ending(name: str) -> str:
    """The ending that names the format, that of the compression left off."""
    stem, last = splitext(name.lower())
    return splitext(stem)[1] if last in COMPRESSIONS else last


def decompressed(file: InputFile) -> Any:
    """The bytes of a file as a stream."""
    packing = compression(file.path)
    return COMPRESSIONS[packing](file.path) if packing else pa.input_stream(file.path, compression=None)
