"""Encodings of text files: signatures of other files, byte order marks, detection and decoding."""

from __future__ import annotations

import codecs
import io
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from termsift._internal.errors import (
    EngineError,
    InvalidInputError,
    TermsiftWarning,
    UnreadableFileError,
    unknown_name_error,
)
from termsift._internal.files import (
    ArchiveTooLargeError,
    max_unpacked_bytes,
    scratch_folder,
    translate_disk_errors,
)
from termsift.engines.files.opening import (
    MAX_ARCHIVE_BYTES,
    InputFile,
    compression_extension,
    format_extension,
    open_decompressed,
)

HEAD = 8192  # bytes that are looked at
# how files begin that are no texts; none that a text could begin with as well
SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF87a", "a GIF picture"),
    (b"GIF89a", "a GIF picture"),
    (b"II*\0", "a TIFF picture"),
    (b"MM\0*", "a TIFF picture"),
    (b"%PDF-", "a PDF document"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1\0\0", "an Arrow file"),
    (b"PK\x03\x04", "a zip archive, as .docx and .xlsx are too"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b\x08", "compressed by gzip"),
    (b"BZh91AY&SY", "compressed by bzip2"),
    (b"\xfd7zXZ\0", "compressed by xz"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Word or Excel file"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"Obj\x01", "an Avro file"),
    (b"\x80\x04\x95", "a Python pickle"),
    (b"\x80\x05\x95", "a Python pickle"),
    (b"\x7fELF", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"OggS\0", "an Ogg recording"),
    (b"fLaC\0", "a FLAC recording"),
    (b"ID3\x03", "an MP3 recording"),
    (b"ID3\x04", "an MP3 recording"),
    (b"\x1aE\xdf\xa3", "a Matroska film"),
)
# the same for signs that stand further on: where, the sign, and what it is of
FURTHER = (
    (4, b"ftyp", "an MP4 film"),
    (8, b"WEBP", "a WebP picture"),
    (8, b"WAVEfmt", "a WAV recording"),
    (257, b"ustar", "a tar archive"),
)
BEGINNINGS = tuple(sign for sign, _ in SIGNATURES)
# how texts in encodings of two or four bytes begin, in which zero bytes are right
MARKS = (
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
WIDE = tuple(mark for mark, _ in MARKS)


def identify_content(head: bytes) -> str | None:
    """Return a description of a binary file by its first bytes, or None if it may be text.

    >>> identify_content(b"PAR1...")
    'a Parquet file'
    """
    if head.startswith(BEGINNINGS):
        return next(what for sign, what in SIGNATURES if head.startswith(sign))
    # a text may well have such a sign at its place, but no zero byte beside it
    if b"\0" not in head[:512]:
        return None
    return next((what for at, sign, what in FURTHER if head[at : at + len(sign)] == sign), None)


def bom_encoding(head: bytes) -> str | None:
    """Return the encoding indicated by a byte order mark, except UTF-8."""
    if not head.startswith(WIDE):
        return None
    return next(encoding for mark, encoding in MARKS if head.startswith(mark))


def check_text(name: str, head: bytes, kind: str) -> None:
    """Check that a file does not start like a binary format."""
    what = identify_content(head)
    if what is not None:
        raise UnreadableFileError(f"{name} is not {kind}: it seems to be {what}")


def check_document(name: str, content: bytes, encoding: str) -> None:
    """Check that a document is text: no binary signature, and no zero byte except in wide encodings."""
    check_text(name, content[:HEAD], "text")
    zero = content.find(b"\0", 0, HEAD)
    if zero >= 0 and not encoding.lower().startswith(("utf-16", "utf-32", "utf_16", "utf_32")):
        raise UnreadableFileError(f"{name} is not text: it has a zero byte at {zero:,}")


CHUNK = 1 << 20
ERRORS = ("strict", "replace")
AUTO = "auto"


def check_encoding(encoding: str, errors: str = "strict") -> None:
    """Check that Python has the text encoding, and the policy for undecodable bytes."""
    if not (isinstance(errors, str) and errors in ERRORS):
        raise unknown_name_error("way with bytes that are no text", errors, ERRORS)
    if isinstance(encoding, str) and encoding == AUTO:
        return
    try:
        "".encode(encoding)
    except (LookupError, ValueError, TypeError) as error:
        raise InvalidInputError(
            f"no encoding named {encoding!r} for texts; try 'utf-8' or 'latin-1'"
        ) from error


def is_utf8(encoding: str) -> bool:
    """Check whether the encoding is UTF-8 by any of its names."""
    return codecs.lookup(encoding).name == "utf-8"


def guess_encoding(content: bytes, name: str) -> str:
    """Guess the encoding of bytes by chardet."""
    try:
        import chardet
    except ImportError as error:
        raise EngineError("encoding='auto' needs chardet: pip install 'termsift[encodings]'") from error
    encoding = chardet.detect(content)["encoding"]
    if encoding is None:
        raise UnreadableFileError(
            f"{name} is of no encoding that could be guessed; name it, as encoding='latin-1'"
        )
    return str(encoding)


def warn_guessed_encodings(guessed: Mapping[str, str]) -> None:
    """Warn of files whose encoding was guessed."""
    if not guessed:
        return
    named = [f"{name} ({encoding})" for name, encoding in sorted(guessed.items())[:5]]
    more = "" if len(guessed) <= len(named) else f" and {len(guessed) - len(named):,} more"
    what = f"not UTF-8, so the encoding was guessed: {', '.join(named)}{more}; name it if this is wrong"
    warnings.warn(what, TermsiftWarning, stacklevel=4)


class Utf8Stream(io.RawIOBase):
    """Stream that converts bytes of some encoding to UTF-8."""

    def __init__(self, stream: Any, encoding: str, errors: str) -> None:
        self.stream, self.held = stream, b""
        self.decoder = codecs.getincrementaldecoder(encoding)(errors)
        self.ended = False

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with the next bytes."""
        while not self.held and not self.ended:
            chunk = bytes(self.stream.read(CHUNK))
            self.ended = not chunk
            self.held = self.decoder.decode(chunk, final=self.ended).encode("utf-8", "replace")
        size = min(len(buffer), len(self.held))
        buffer[:size], self.held = self.held[:size], self.held[size:]
        return size

    def close(self) -> None:
        """Close the underlying stream."""
        self.stream.close()
        super().close()


def decode_document(content: bytes, name: str, file: InputFile) -> str:
    """Decode a document that is a file by itself."""
    encoding = bom_encoding(content) if file.encoding == AUTO or is_utf8(file.encoding) else None
    try:
        if file.encoding != AUTO or encoding is not None:
            return content.decode(encoding or file.encoding, file.errors).removeprefix("\ufeff")
        return content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        if file.encoding == AUTO and encoding is None:
            file.guessed[name] = guess_encoding(content, name)
            return content.decode(file.guessed[name], file.errors)
        where = f"byte 0x{error.object[error.start]:02x} at {error.start:,}"
        raise encoding_error(name, encoding or file.encoding, where) from error
    except UnicodeError as error:  # of encodings that do not say where
        raise UnreadableFileError(f"{name} is not {file.encoding}: {error}; name its encoding") from error


def encoding_error(name: str, encoding: str, where: str) -> UnreadableFileError:
    """Return the error for a file that is not in its encoding."""
    known = "UTF-8" if is_utf8(encoding) else encoding
    ways = "name its encoding, such as encoding='latin-1', or have it guessed: encoding='auto'"
    return UnreadableFileError(f"{name} is not {known}: {where}; {ways}")


SAMPLE = 1 << 18  # bytes that an encoding is guessed from


def detect_encoding(file: InputFile, requested: str) -> str:
    """Return the encoding of a file: by its byte order mark, the requested one, or with "auto" a guess."""
    if not (requested == AUTO or is_utf8(requested)):
        return requested
    marked = bom_encoding(load_file_head(file))
    if marked is not None or requested != AUTO:
        return marked or requested
    if find_invalid_byte(file, "utf-8") is None:
        return "utf-8"
    file.guessed[file.name] = guess_encoding(sample_non_ascii(file), file.name)
    return file.guessed[file.name]


def load_file_head(file: InputFile) -> bytes:
    """Return the first bytes of a file."""
    with open_decompressed(file) as stream:
        return bytes(stream.read(HEAD))


def sample_non_ascii(file: InputFile) -> bytes:
    """Return lines of a file that are not ASCII, to guess its encoding."""
    found = bytearray()
    with open_decompressed(file) as stream:
        while len(found) < SAMPLE and (chunk := stream.read(CHUNK)):
            found += b"\n".join(line for line in chunk.split(b"\n") if not line.isascii())
    return bytes(found[:SAMPLE])


def open_utf8_stream(file: InputFile) -> Any:
    """Open the text of a file as a stream of UTF-8 bytes."""
    if is_utf8(file.encoding) and file.errors == "strict":
        return open_decompressed(file)
    return io.BufferedReader(Utf8Stream(open_decompressed(file), file.encoding, file.errors), CHUNK)


@contextmanager
def provide_utf8_path(file: InputFile, compressions: tuple[str, ...]) -> Iterator[str]:
    """Yield a path of the file in UTF-8, with one of these compressions: the file or a temporary copy."""
    plain = is_utf8(file.encoding) and file.errors == "strict"
    if plain and compression_extension(file.path) in ("", *compressions):
        yield file.path
        return
    with scratch_folder() as folder:
        copy = folder / f"copy{format_extension(file.path)}"
        most = max_unpacked_bytes(os.path.getsize(file.path), MAX_ARCHIVE_BYTES)
        with translate_disk_errors(copy), open_utf8_stream(file) as old, copy.open("wb") as new:
            while chunk := old.read(CHUNK):
                new.write(chunk)
                if new.tell() > most:
                    raise ArchiveTooLargeError(file.name, most)
        yield str(copy)


def decode_head(file: InputFile, size: int) -> str:
    """Return the first characters of a text file, without a byte order mark."""
    with io.TextIOWrapper(open_decompressed(file), file.encoding, errors="replace", newline="") as text:
        return text.read(size).removeprefix("\ufeff")


def unreadable_error(file: InputFile, kind: str, error: Exception) -> UnreadableFileError:
    """Return the error for a file that a library could not read, in one line."""
    reason = " ".join(str(error).split()).replace(file.path, file.name)
    if re.search("utf-?8|unicode|invalid byte|codec", reason, flags=re.IGNORECASE):
        bad = find_invalid_byte(file, file.encoding)
        if bad is not None:
            return encoding_error(file.name, file.encoding, bad)
    what = identify_file(file, kind)
    reason = f"it seems to be {what}" if what else reason[:300]
    return UnreadableFileError(f"{file.name} cannot be read as {kind}: {reason}")


def identify_file(file: InputFile, kind: str) -> str | None:
    """Return a description of a file by its bytes, unless it is of the expected kind."""
    try:
        with open(file.path, "rb") as opened:
            what = identify_content(opened.read(HEAD)) or ""
    except OSError:
        return None
    return None if compression_extension(file.path) or kind.lower() in what.lower() else what


def find_invalid_byte(file: InputFile, encoding: str) -> str | None:
    """Return the first undecodable byte and its position, or None."""
    if os.path.isdir(file.path) or encoding == AUTO:
        return None
    decoder, done = codecs.getincrementaldecoder(encoding)(), 0
    try:
        with open_decompressed(file) as stream:
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
