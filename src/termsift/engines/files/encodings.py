"""Encodings of text files: signatures of other files, byte order marks, detection and decoding."""

from __future__ import annotations

import codecs
import io
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from termsift._internal import files
from termsift._internal.errors import EngineError, TermsiftWarning, UnreadableFileError
from termsift.engines.files import opening
from termsift.engines.files.opening import InputFile

# bytes at the start of a file that are inspected
HEAD = 8192
# signatures of binary files; no text could start with them
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
# signatures at other positions
OFFSET_SIGNATURES = (
    (4, b"ftyp", "an MP4 film"),
    (8, b"WEBP", "a WebP picture"),
    (8, b"WAVEfmt", "a WAV recording"),
    (257, b"ustar", "a tar archive"),
)
# a test of all at once, because most documents have none
ALL_SIGNATURES = tuple(signature for signature, _ in SIGNATURES)
# byte order marks of encodings of two or four bytes, in which zero bytes are valid; the longer ones first
BYTE_ORDER_MARKS = (
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def describe_binary_format(head: bytes) -> str | None:
    """Return a description of a binary file by its first bytes, or None if it may be text.

    >>> describe_binary_format(b"PAR1...")
    'a Parquet file'
    """
    if head.startswith(ALL_SIGNATURES):
        return next(kind for signature, kind in SIGNATURES if head.startswith(signature))
    # a text may contain such a signature at its offset, but no zero byte near it
    if b"\0" not in head[:512]:
        return None
    matches = (kind for start, signature, kind in OFFSET_SIGNATURES if head.startswith(signature, start))
    return next(matches, None)


def wide_bom_encoding(head: bytes) -> str | None:
    """Return the encoding indicated by a byte order mark, except UTF-8."""
    return next((encoding for mark, encoding in BYTE_ORDER_MARKS if head.startswith(mark)), None)


def check_not_binary(file_name: str, head: bytes, kind: str) -> None:
    """Check that a file does not start like a binary format."""
    binary_kind = describe_binary_format(head)
    if binary_kind is not None:
        raise UnreadableFileError(f"{file_name} is not {kind}: it seems to be {binary_kind}")


def check_document_is_text(file_name: str, content: bytes, encoding: str) -> None:
    """Check that a document is text: no binary signature, and no zero byte except in wide encodings."""
    check_not_binary(file_name, content[:HEAD], "text")
    zero = content.find(b"\0", 0, HEAD)
    if zero >= 0 and not encoding.lower().startswith(("utf-16", "utf-32", "utf_16", "utf_32")):
        raise UnreadableFileError(f"{file_name} is not text: it has a zero byte at {zero:,}")


CHUNK = 1 << 20
AUTO = "auto"
SKIPPED = ""  # stands for the encoding of a file that is not text and was skipped


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
        message = f"the encoding of {name} cannot be detected; specify it, such as encoding='latin-1'"
        raise UnreadableFileError(message)
    return str(encoding)


def warn_guessed_encodings(guessed: Mapping[str, str]) -> None:
    """Warn of files whose encoding was guessed, and of those that were skipped."""
    skipped = sorted(name for name, encoding in guessed.items() if encoding == SKIPPED)
    guessed = {name: encoding for name, encoding in guessed.items() if encoding != SKIPPED}
    if skipped:
        remainder = f" and {len(skipped) - 5:,} more" if len(skipped) > 5 else ""
        message = f"skipped files that are not text ({len(skipped):,}): {', '.join(skipped[:5])}{remainder}"
        warnings.warn(message, TermsiftWarning, stacklevel=4)
    if not guessed:
        return
    examples = ", ".join(f"{name} ({encoding})" for name, encoding in sorted(guessed.items())[:5])
    remainder = f" and {len(guessed) - 5:,} more" if len(guessed) > 5 else ""
    message = f"detected encodings of files that are not UTF-8: {examples}{remainder}; check or specify them"
    warnings.warn(message, TermsiftWarning, stacklevel=4)


class Utf8Stream(io.RawIOBase):
    """Stream that converts bytes of some encoding to UTF-8."""

    def __init__(self, stream: Any, encoding: str, errors: str) -> None:
        self.stream, self.pending = stream, b""
        self.decoder = codecs.getincrementaldecoder(encoding)(errors)
        self.ended = False

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with the next bytes."""
        while not self.pending and not self.ended:
            chunk = bytes(self.stream.read(CHUNK))
            self.ended = not chunk
            self.pending = self.decoder.decode(chunk, final=self.ended).encode("utf-8", "replace")
        size = min(len(buffer), len(self.pending))
        buffer[:size], self.pending = self.pending[:size], self.pending[size:]
        return size

    def close(self) -> None:
        """Close the underlying stream."""
        self.stream.close()
        super().close()


def decode_document(content: bytes, name: str, file: InputFile) -> str:
    """Decode a document that is a file by itself."""
    encoding = wide_bom_encoding(content) if file.encoding == AUTO or is_utf8(file.encoding) else None
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
    except UnicodeError as error:
        # some encodings do not report the position
        raise UnreadableFileError(f"{name} is not {file.encoding}: {error}; specify its encoding") from error


def encoding_error(name: str, encoding: str, position: str) -> UnreadableFileError:
    """Return the error for a file that is not in its encoding."""
    display_name = "UTF-8" if is_utf8(encoding) else encoding
    remedy = "specify its encoding, such as encoding='latin-1', or detect it: encoding='auto'"
    return UnreadableFileError(f"{name} is not {display_name}: {position}; {remedy}")


# bytes that an encoding is guessed from
SAMPLE = 1 << 18


def detect_encoding(file: InputFile, requested: str) -> str:
    """Return the encoding of a file: by its byte order mark, the requested one, or with "auto" a guess."""
    if not (requested == AUTO or is_utf8(requested)):
        return requested
    marked = wide_bom_encoding(load_file_head(file))
    if marked is not None or requested != AUTO:
        return marked or requested
    if describe_invalid_byte(file, "utf-8") is None:
        return "utf-8"
    # lines of ASCII tell nothing about the encoding
    sample = bytearray()
    with opening.open_decompressed(file) as stream:
        while len(sample) < SAMPLE and (chunk := stream.read(CHUNK)):
            sample += b"\n".join(row for row in chunk.split(b"\n") if not row.isascii())
    file.guessed[file.name] = guess_encoding(bytes(sample[:SAMPLE]), file.name)
    return file.guessed[file.name]


def load_file_head(file: InputFile) -> bytes:
    """Return the first bytes of a file."""
    with opening.open_decompressed(file) as stream:
        return bytes(stream.read(HEAD))


def open_utf8_stream(file: InputFile) -> Any:
    """Open the text of a file as a stream of UTF-8 bytes."""
    if is_utf8(file.encoding) and file.errors == "strict":
        return opening.open_decompressed(file)
    return io.BufferedReader(Utf8Stream(opening.open_decompressed(file), file.encoding, file.errors), CHUNK)


@contextmanager
def provide_utf8_path(file: InputFile, compressions: tuple[str, ...]) -> Iterator[str]:
    """Yield a path of the file in UTF-8, with one of these compressions: the file or a temporary copy."""
    is_plain = is_utf8(file.encoding) and file.errors == "strict"
    if is_plain and opening.compression_extension(file.path) in ("", *compressions):
        yield file.path
        return
    with files.scratch_folder() as folder:
        copy = folder / f"copy{opening.format_extension(file.path)}"
        limit = files.max_unpacked_bytes(os.path.getsize(file.path), opening.MAX_ARCHIVE_BYTES)
        with files.translate_disk_errors(copy), open_utf8_stream(file) as old, copy.open("wb") as new:
            while chunk := old.read(CHUNK):
                new.write(chunk)
                if new.tell() > limit:
                    raise files.ArchiveTooLargeError(file.name, limit)
        yield str(copy)


def decode_head(file: InputFile, n_chars: int) -> str:
    """Return the first characters of a text file, without a byte order mark."""
    with io.TextIOWrapper(
        opening.open_decompressed(file), file.encoding, errors="replace", newline=""
    ) as text:
        return text.read(n_chars).removeprefix("\ufeff")


def unreadable_error(file: InputFile, kind: str, error: Exception) -> UnreadableFileError:
    """Return the error for a file that a library could not read, in one line."""
    reason = " ".join(str(error).split()).replace(file.path, file.name)
    if re.search("utf-?8|unicode|invalid byte|codec", reason, flags=re.IGNORECASE):
        invalid = describe_invalid_byte(file, file.encoding)
        if invalid is not None:
            return encoding_error(file.name, file.encoding, invalid)
    binary_kind = None
    with suppress(OSError), open(file.path, "rb") as stream:
        binary_kind = describe_binary_format(stream.read(HEAD))
    # a compressed file, or one of the expected kind, is what it seems to be
    if (
        binary_kind
        and not opening.compression_extension(file.path)
        and kind.lower() not in binary_kind.lower()
    ):
        reason = f"it seems to be {binary_kind}"
    return UnreadableFileError(f"{file.name} cannot be read as {kind}: {reason[:300]}")


def describe_invalid_byte(file: InputFile, encoding: str) -> str | None:
    """Return the first undecodable byte and its position, or None."""
    if os.path.isdir(file.path) or encoding == AUTO:
        return None
    decoder, n_decoded = codecs.getincrementaldecoder(encoding)(), 0
    try:
        with opening.open_decompressed(file) as stream:
            while True:
                chunk = stream.read(CHUNK)
                # bytes of a character that the last chunk cut belong to the next one
                n_pending = len(decoder.getstate()[0])
                decoder.decode(chunk, final=not chunk)
                if not chunk:
                    return None
                n_decoded += len(chunk)
    except UnicodeDecodeError as error:
        return f"byte 0x{error.object[error.start]:02x} at {n_decoded - n_pending + error.start:,}"
    except (OSError, UnicodeError):
        # the file breaks off before, or the encoding does not report the position
        return None
