"""Text files: their encoding, their bytes in UTF-8, and where one stops being of its encoding."""

from __future__ import annotations

import codecs
import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from termsift.border.archives import TooLarge, most_bytes
from termsift.engines.files.compressions import compression, decompressed, ending
from termsift.engines.files.encodings import (
    AUTO,
    CHUNK,
    Recoded,
    guessed_encoding,
    is_utf8,
    wrongly_encoded,
)
from termsift.engines.files.input_files import InputFile
from termsift.engines.files.signatures import HEAD, marked_encoding, seeming
from termsift.engines.files.zip_files import ROOM
from termsift.errors import UnreadableFile
from termsift.output import scratch_folder, told_disk_faults

SAMPLE = 1 << 18  # bytes that an encoding is guessed from


def file_encoding(file: InputFile, wanted: str) -> str:
    """The encoding of a file: that of its mark, the one that is wanted, or with "auto" a guess if need be."""
    if not (wanted == AUTO or is_utf8(wanted)):
        return wanted
    marked = marked_encoding(file_head(file))
    if marked is not None or wanted != AUTO:
        return marked or wanted
    if first_bad_byte(file, "utf-8") is None:
        return "utf-8"
    file.guessed[file.name] = guessed_encoding(telling_sample(file), file.name)
    return file.guessed[file.name]


def file_head(file: InputFile) -> bytes:
    """The first bytes of a file."""
    with decompressed(file) as stream:
        return bytes(stream.read(HEAD))


def telling_sample(file: InputFile) -> bytes:
    """Lines of a file that are not of plain letters, from which its encoding can be guessed."""
    found = bytearray()
    with decompressed(file) as stream:
        while len(found) < SAMPLE and (chunk := stream.read(CHUNK)):
            found += b"\n".join(line for line in chunk.split(b"\n") if not line.isascii())
    return bytes(found[:SAMPLE])


def utf8_stream(file: InputFile) -> Any:
    """The text of a file as a stream of bytes in UTF-8."""
    if is_utf8(file.encoding) and file.errors == "strict":
        return decompressed(file)
    return io.BufferedReader(Recoded(decompressed(file), file.encoding, file.errors), CHUNK)


@contextmanager
def utf8_path(file: InputFile, compressions: tuple[str, ...]) -> Iterator[str]:
    """The path of the file in UTF-8, compressed in one of these ways or not: itself, or a copy."""
    plain = is_utf8(file.encoding) and file.errors == "strict"
    if plain and compression(file.path) in ("", *compressions):
        yield file.path
        return
    with scratch_folder() as folder:
        copy = folder / f"copy{ending(file.path)}"
        most = most_bytes(os.path.getsize(file.path), ROOM)
        with told_disk_faults(copy), utf8_stream(file) as old, copy.open("wb") as new:
            while chunk := old.read(CHUNK):
                new.write(chunk)
                if new.tell() > most:
                    raise TooLarge(file.name, most)
        yield str(copy)


def head_text(file: InputFile, size: int) -> str:
    """The first characters of a text file, without a mark; what is no text is marked."""
    with io.TextIOWrapper(decompressed(file), file.encoding, errors="replace", newline="") as text:
        return text.read(size).removeprefix("\ufeff")


def unreadable(file: InputFile, kind: str, error: Exception) -> UnreadableFile:
    """What is wrong with a file, in one line."""
    reason = " ".join(str(error).split()).replace(file.path, file.name)
    if re.search("utf-?8|unicode|invalid byte|codec", reason, flags=re.IGNORECASE):
        bad = first_bad_byte(file, file.encoding)
        if bad is not None:
            return wrongly_encoded(file.name, file.encoding, bad)
    what = seeming_of(file, kind)
    reason = f"it seems to be {what}" if what else reason[:300]
    return UnreadableFile(f"{file.name} cannot be read as {kind}: {reason}")


def seeming_of(file: InputFile, kind: str) -> str | None:
    """What a file seems to be by its bytes, where it is not what it should be."""
    try:
        with open(file.path, "rb") as opened:
            what = seeming(opened.read(HEAD)) or ""
    except OSError:
        return None
    return None if compression(file.path) or kind.lower() in what.lower() else what


def first_bad_byte(file: InputFile, encoding: str) -> str | None:
    """Where a file stops being of its encoding, and the byte there; None of a folder, or where it is not."""
    if os.path.isdir(file.path) or encoding == AUTO:
        return None
    decoder, done = codecs.getincrementaldecoder(encoding)(), 0
    try:
        with decompressed(file) as stream:
            while chunk := stream.read(CHUNK):
                held = len(decoder.getstate()[0])
                decoder.decode(chunk)
                done += len(chunk)
            held = len(decoder.getstate()[0])
            decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        return f"byte 0x{error.object[error.start]:02x} at {done - held + error.start:,}"
    except (OSError, UnicodeError):
        # it breaks before, or the encoding does not say where
        return None
    return None
