"""Files on disk: that they are there, their checksum, and their bytes as text."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from termsift.errors import InvalidInput, UnreadableFile


def existing(path: str | os.PathLike[str]) -> Path:
    """The path, if it is a file."""
    source = Path(path)
    if source.is_dir():
        raise UnreadableFile(f"{source} is a folder, not a file")
    if not source.exists():
        raise UnreadableFile(f"there is no file {source}")
    return source


def checksum(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with existing(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def decoded(content: bytes, encoding: str, path: str | os.PathLike[str]) -> str:
    """Bytes of a file as text."""
    try:
        return content.decode(encoding)
    except LookupError as error:
        raise InvalidInput(f"no encoding named {encoding!r}; try 'utf-8' or 'latin-1'") from error
    except UnicodeDecodeError as error:
        where = f"byte 0x{error.object[error.start]:02x} at {error.start:,}"
        raise UnreadableFile(f"{Path(path)} is not {encoding}: {where}; name its encoding") from error
