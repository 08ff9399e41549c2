"""Text files: compressed or not, of any encoding, and where one stops being of it."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from termsift.errors import InvalidInput, UnreadableFile
from termsift.output import scratch_folder

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}


def check_encoding(encoding: str) -> None:
    """An error for an encoding that Python does not have."""
    try:
        codecs.lookup(encoding)
    except LookupError as error:
        raise InvalidInput(f"no encoding named {encoding!r}; try 'utf-8' or 'latin-1'") from error


def compression(name: str) -> str | None:
    """The compression that a name's ending says."""
    return COMPRESSIONS.get(Path(name.lower()).suffix)


def ending(name: str) -> str:
    """The ending that names the format, that of the compression left off."""
    path = Path(name.lower())
    return Path(path.stem).suffix if path.suffix in COMPRESSIONS else path.suffix


def first_line(name: str, encoding: str, kind: str) -> str:
    """The first line of a text file, decompressed, without its line end."""
    try:
        with pa.input_stream(name, compression=compression(name)) as stream:
            head: bytes = stream.read(1 << 16)
    except OSError as error:
        raise UnreadableFile(f"{name} cannot be read as {kind}: {error}") from error
    text = head.decode(encoding, errors="replace").removeprefix("\ufeff")
    return text.splitlines()[0] if text.strip() else ""


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
def as_utf8(name: str, encoding: str, kind: str) -> Iterator[str]:
    """The path of the file in UTF-8: itself, or a copy for as long as it is read."""
    if codecs.lookup(encoding).name == "utf-8":
        yield name
        return
    with scratch_folder() as folder:
        copy = folder / f"copy{ending(name)}"
        decoder = codecs.getincrementaldecoder(encoding)()
        with pa.input_stream(name, compression=compression(name)) as old, copy.open("wb") as new:
            try:
                while chunk := old.read(1 << 20):
                    new.write(decoder.decode(chunk).encode())
            except UnicodeDecodeError as error:
                raise unreadable(name, kind, encoding, error) from error
        yield str(copy)


def unreadable(name: str, kind: str, encoding: str, error: Exception) -> UnreadableFile:
    """What is wrong with a file, in one line."""
    reason = " ".join(str(error).split())
    if re.search("utf-?8|unicode|invalid byte|codec", reason, flags=re.IGNORECASE):
        bad = first_bad_byte(name, encoding)
        if bad is not None:
            named = "UTF-8" if codecs.lookup(encoding).name == "utf-8" else encoding
            return UnreadableFile(f"{name} is not {named}: {bad}; name its encoding, such as 'latin-1'")
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
