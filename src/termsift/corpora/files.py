"""Files on disk: their checksum, their bytes as text; folders of classes."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from termsift.corpora.corpus import Corpus
from termsift.errors import InvalidInput, UnreadableFile
from termsift.output import existing


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


def read_folder(path: str | os.PathLike[str], *, encoding: str = "utf-8") -> Corpus:
    """The files below each folder as the documents of a class, in the order of their paths.

    Hidden files are left out. A folder has no checksum.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise UnreadableFile(
            f"{folder} is not a folder" if folder.exists() else f"there is no folder {folder}"
        )
    files = sorted(file for file in folder.glob("*/**/*") if file.is_file() and not file.name.startswith("."))
    if not files:
        raise UnreadableFile(f"{folder} is a folder without a folder of files for each class")
    texts = [decoded(file.read_bytes(), encoding, file) for file in files]
    labels = [file.relative_to(folder).parts[0] for file in files]
    return Corpus(folder.name, labels, str(folder), texts=texts)
