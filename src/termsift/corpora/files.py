"""Files on disk: their checksum, their bytes as text; folders of classes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
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
    """Read a folder with one subfolder per class, whose files are the documents, in the order of their paths.

    Hidden files are skipped. A folder has no checksum.

    path : the folder that contains a folder for each class
    encoding : encoding of the files

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, text in (("ham", "lunch"), ("spam", "a prize")):
    ...         (Path(folder) / name).mkdir()
    ...         _ = (Path(folder) / name / "1.txt").write_text(text)
    ...     read_folder(folder).labels
    ['ham', 'spam']
    """
    folder = Path(path)
    if not folder.is_dir():
        raise UnreadableFile(
            f"{folder} is not a folder" if folder.exists() else f"there is no folder {folder}"
        )
    try:
        files = sorted(file for name in folder.iterdir() if name.is_dir() for file in files_below(name))
        contents = [file.read_bytes() for file in files]
    except OSError as error:
        raise UnreadableFile(f"cannot read {error.filename}: {error.strerror}") from error
    if not files:
        raise UnreadableFile(f"{folder} is a folder without a folder of files for each class")
    texts = [decoded(content, encoding, file) for content, file in zip(contents, files, strict=True)]
    labels = [file.relative_to(folder).parts[0] for file in files]
    return Corpus(folder.name, labels, str(folder), texts=texts)


def files_below(folder: Path) -> Iterator[Path]:
    """The files below a folder that are not hidden; an error for a folder that cannot be read."""

    def stop(error: OSError) -> None:
        raise error

    for place, _, names in os.walk(folder, onerror=stop):
        files = (Path(place, name) for name in names if not name.startswith("."))
        yield from (file for file in files if file.is_file())
