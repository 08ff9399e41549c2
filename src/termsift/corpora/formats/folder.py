"""A folder of text files for each class."""

from __future__ import annotations

import os
from pathlib import Path

from termsift.corpora.corpus import Corpus
from termsift.corpora.files import decoded
from termsift.errors import UnreadableFile


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
