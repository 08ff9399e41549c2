"""Text files: compressed or not, of any encoding, and where one stops being of it."""

from __future__ import annotations

import codecs
import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from termsift.engines.files.input_files import InputFile
from termsift.errors import InvalidInput, UnreadableFile
from termsift.output import scratch_folder, told_disk_faults

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
LONGEST_HEADER = 1 << 24  # characters of one of its lines


def check_encoding(encoding: str) -> None:
    """An error for an encoding that Python does not have, or that is none of texts, such as zlib."""
    try:
        "".encode(encoding)
    except (LookupError, ValueError, TypeError) as error:
        raise InvalidInput(f"no encoding named {encoding!r} for texts; try 'utf-8' or 'latin-1'") from error


def compression(name: str) -> str | None:
    """The compression that a name's ending says."""
    return COMPRESSIONS.get(Path(name.lower()).suffix)


def ending(name: str) -> str:
    """The ending that names the format, that of the compression left off."""
    path = Path(name.lower())
    return Path(path.stem).suffix if path.suffix in COMPRESSIONS else path.suffix


def decompressed(file: InputFile) -> Any:
    """The bytes of a file as a stream."""
    return pa.input_stream(file.path, compression=compression(file.path))


def header_lines(file: InputFile, encoding: str) -> Iterator[str]:
    """The lines of a text file with their ends, as far as they are asked for; what is no text is marked."""
    with io.TextIOWrapper(decompressed(file), encoding, errors="replace", newline="") as lines:
        line = lines.readline(LONGEST_HEADER).removeprefix("\ufeff")
        while line:
            if len(line) >= LONGEST_HEADER - 1:
                raise UnreadableFile(f"{file.name} has no end of a line in {LONGEST_HEADER:,} characters")
            yield line
            line = lines.readline(LONGEST_HEADER)


def file_text(name: str, encoding: str) -> str:
    """The whole of a text file."""
    try:
        return Path(name).read_text(encoding=encoding)
    except UnicodeDecodeError as error:
        where = f"byte 0x{error.object[error.start]:02x} at {error.start:,}"
        raise UnreadableFile(
            f"{name} is not {encoding}: {where}; name its encoding, such as 'latin-1'"
        ) from error


@contextmanager
def as_utf8(file: InputFile, encoding: str) -> Iterator[str]:
    """The path of the file in UTF-8: itself, or a copy for as long as it is read."""
    if codecs.lookup(encoding).name == "utf-8":
        yield file.path
        return
    with scratch_folder() as folder:
        copy = folder / f"copy{ending(file.path)}"
        decoder = codecs.getincrementaldecoder(encoding)()
        with told_disk_faults(copy), decompressed(file) as old, copy.open("wb") as new:
            while chunk := old.read(1 << 20):
                new.write(decoder.decode(chunk).encode())
            new.write(decoder.decode(b"", final=True).encode())
        yield str(copy)


def unreadable(file: InputFile, kind: str, encoding: str, error: Exception) -> UnreadableFile:
    """What is wrong with a file, in one line."""
    reason = " ".join(str(error).split()).replace(file.path, file.name)
    if re.search("utf-?8|unicode|invalid byte|codec", reason, flags=re.IGNORECASE):
        bad = first_bad_byte(file, encoding)
        if bad is not None:
            named = "UTF-8" if codecs.lookup(encoding).name == "utf-8" else encoding
            return UnreadableFile(f"{file.name} is not {named}: {bad}; name its encoding, such as 'latin-1'")
    return UnreadableFile(f"{file.name} cannot be read as {kind}: {reason[:300]}")


def first_bad_byte(file: InputFile, encoding: str) -> str | None:
    """Where a file stops being of its encoding, and the byte there; None of a folder, or where it is not."""
    if os.path.isdir(file.path):
        return None
    decoder, done = codecs.getincrementaldecoder(encoding)(), 0
    try:
        with decompressed(file) as stream:
            while chunk := stream.read(1 << 20):
                held = len(decoder.getstate()[0])
                decoder.decode(chunk)
                done += len(chunk)
    except UnicodeDecodeError as error:
        return f"byte 0x{error.object[error.start]:02x} at {done - held + error.start:,}"
    except (OSError, UnicodeError):
        # it breaks before, or the encoding does not say where
        return None
    return None
