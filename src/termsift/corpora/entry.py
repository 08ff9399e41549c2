"""Entry: what is known of a corpus before it is read."""

from __future__ import annotations

import csv
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import Any

from termsift.corpora.corpus import Corpus
from termsift.corpora.files import checksum
from termsift.errors import InvalidInput, TermsiftWarning, UnreadableFile, unknown

VARIABLE = "TERMSIFT_DATA"
NUMBERS = ("size", "documents", "classes")  # of the columns of corpora.csv

DataDir = str | os.PathLike[str] | None


@dataclass(frozen=True, slots=True)
class Entry:
    """A corpus of the catalogue.

    reader : the function from the file, if it needs one, and options, to a Corpus
    file : its path below the data folder; empty for a corpus that needs none
    size, sha256 : of the file
    documents, classes : of the corpus as it is read without options
    home : where its publisher offers it
    """

    name: str
    reader: Callable[..., Corpus]
    file: str = ""
    size: int = 0
    sha256: str = ""
    documents: int | None = None
    classes: int | None = None
    home: str = ""
    citation: str = ""
    terms_of_use: str = ""

    def load(self, data_dir: DataDir = None, **options: Any) -> Corpus:
        """The corpus, read; a warning where its file is another than the catalogue knows."""
        self.check(options)
        if not self.file:
            return self.reader(**options)
        path = self.path(data_dir)
        corpus, found = self.reader(path, **options), checksum(path)
        if found != self.sha256:
            what = f"{path} is not the file that published figures are of: its SHA-256 is not {self.sha256}"
            warnings.warn(what, TermsiftWarning, stacklevel=3)
        return replace(
            corpus,
            checksum=found,
            name=self.name,
            source=self.home,
            citation=self.citation,
            terms_of_use=self.terms_of_use,
        )

    def check(self, options: dict[str, Any]) -> None:
        """An error for an option that the reader does not take."""
        known = [name for name in signature(self.reader).parameters if name != "path"]
        wrong = [name for name in options if name not in known]
        if wrong and not known:
            raise InvalidInput(f"corpus {self.name!r} takes no options, got {wrong[0]!r}")
        if wrong:
            raise unknown("option", wrong[0], known)

    def path(self, data_dir: DataDir = None) -> Path:
        """The file, which must be there."""
        folder = data_folder(data_dir)
        offer = f"its publisher offers it at {self.home}"
        if folder is None:
            raise UnreadableFile(
                f"corpus {self.name!r} is the file {self.file} below a folder of corpora: "
                f"name the folder by {VARIABLE} or data_dir; {offer}"
            )
        path = folder / self.file
        if not path.is_file():
            raise UnreadableFile(f"corpus {self.name!r}: there is no file {path}; {offer}")
        return path

    def state(self, folder: Path | None) -> str:
        """Whether the corpus can be had: 'built in', 'found', 'missing' or 'wrong size'."""
        if not self.file:
            return "built in"
        if folder is None or not (folder / self.file).is_file():
            return "missing"
        return "found" if (folder / self.file).stat().st_size == self.size else "wrong size"


def catalogued(folder: str, reader: Callable[..., Corpus]) -> tuple[Entry, ...]:
    """The corpora of a folder, by what corpora.csv says of them."""
    with Path(__file__).with_name("corpora.csv").open(encoding="utf-8", newline="") as file:
        rows: list[dict[str, Any]] = [r for r in csv.DictReader(file) if r["file"].startswith(f"{folder}/")]
    return tuple(Entry(reader=reader, **row | {key: int(row[key]) for key in NUMBERS}) for row in rows)


def data_folder(data_dir: DataDir = None) -> Path | None:
    """The folder of corpora: the one given, else that of TERMSIFT_DATA, if any."""
    folder = data_dir or os.environ.get(VARIABLE)
    return Path(folder) if folder else None
