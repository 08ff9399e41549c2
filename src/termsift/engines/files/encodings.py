"""Encodings of texts: named, told by a mark, or guessed; what is of another becomes UTF-8."""

from __future__ import annotations

import codecs
import io
import warnings
from collections.abc import Mapping
from typing import Any

from termsift.engines.files.input_files import InputFile
from termsift.engines.files.signatures import marked_encoding
from termsift.errors import EngineFailure, InvalidInput, TermsiftWarning, UnreadableFile, unknown

CHUNK = 1 << 20
ERRORS = ("strict", "replace")
AUTO = "auto"


def check_encoding(encoding: str, errors: str = "strict") -> None:
    """An error for an encoding that Python does not have, or that is none of texts, such as zlib."""
    if not (isinstance(errors, str) and errors in ERRORS):
        raise unknown("way with bytes that are no text", errors, ERRORS)
    if isinstance(encoding, str) and encoding == AUTO:
        return
    try:
        "".encode(encoding)
    except (LookupError, ValueError, TypeError) as error:
        raise InvalidInput(f"no encoding named {encoding!r} for texts; try 'utf-8' or 'latin-1'") from error


def is_utf8(encoding: str) -> bool:
    """Whether the encoding is UTF-8 by any of its names."""
    return codecs.lookup(encoding).name == "utf-8"


def guessed_encoding(content: bytes, name: str) -> str:
    """The encoding that bytes seem to be in."""
    try:
        import chardet
    except ImportError as error:
        raise EngineFailure("encoding='auto' needs chardet: pip install 'termsift[encodings]'") from error
    encoding = chardet.detect(content)["encoding"]
    if encoding is None:
        raise UnreadableFile(
            f"{name} is of no encoding that could be guessed; name it, as encoding='latin-1'"
        )
    return str(encoding)


def warn_of_guesses(guessed: Mapping[str, str]) -> None:
    """A warning that names the files whose encoding was guessed."""
    if not guessed:
        return
    named = [f"{name} ({encoding})" for name, encoding in sorted(guessed.items())[:5]]
    more = "" if len(guessed) <= len(named) else f" and {len(guessed) - len(named):,} more"
    what = f"not UTF-8, so the encoding was guessed: {', '.join(named)}{more}; name it if this is wrong"
    warnings.warn(what, TermsiftWarning, stacklevel=4)


class Recoded(io.RawIOBase):
    """A stream of bytes in some encoding as one in UTF-8."""

    def __init__(self, stream: Any, encoding: str, errors: str) -> None:
        self.stream, self.held = stream, b""
        self.decoder = codecs.getincrementaldecoder(encoding)(errors)
        self.ended = False

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes."""
        while not self.held and not self.ended:
            chunk = bytes(self.stream.read(CHUNK))
            self.ended = not chunk
            self.held = self.decoder.decode(chunk, final=self.ended).encode("utf-8", "replace")
        size = min(len(buffer), len(self.held))
        buffer[:size], self.held = self.held[:size], self.held[size:]
        return size

    def close(self) -> None:
        """Close the stream it reads."""
        self.stream.close()
        super().close()


def document_text(content: bytes, name: str, file: InputFile) -> str:
    """The text of a document that is a file of its own."""
    encoding = marked_encoding(content) if file.encoding == AUTO or is_utf8(file.encoding) else None
    try:
        if file.encoding != AUTO or encoding is not None:
            return content.decode(encoding or file.encoding, file.errors).removeprefix("\ufeff")
        return content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        if file.encoding == AUTO and encoding is None:
            file.guessed[name] = guessed_encoding(content, name)
            return content.decode(file.guessed[name], file.errors)
        where = f"byte 0x{error.object[error.start]:02x} at {error.start:,}"
        raise wrongly_encoded(name, encoding or file.encoding, where) from error
    except UnicodeError as error:  # of encodings that do not say where
        raise UnreadableFile(f"{name} is not {file.encoding}: {error}; name its encoding") from error


def wrongly_encoded(name: str, encoding: str, where: str) -> UnreadableFile:
    """The error for a file that is not of its encoding."""
    known = "UTF-8" if is_utf8(encoding) else encoding
    ways = "name its encoding, such as encoding='latin-1', or have it guessed: encoding='auto'"
    return UnreadableFile(f"{name} is not {known}: {where}; {ways}")
