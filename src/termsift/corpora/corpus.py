"""Corpus: documents with their labels, and where they come from."""

from __future__ import annotations

import csv
import hashlib
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from termsift._internal.errors import (
    InvalidInputError,
    TermsiftWarning,
    UnreadableFileError,
    unknown_name_error,
)
from termsift._internal.files import require_file

MAX_EXACT_INTEGER = 2**53  # up to here a float is the whole number it shows


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Corpus:
    """Documents, as texts or as a matrix of counts with its terms, and their labels.

    labels : one label per document, or a list of labels per document
    matrix : (documents, terms), CSR, of integers if all counts are whole numbers
    split : the part of each document ("train", "test"), if the publisher defines one
    checksum : SHA-256 of the source file
    name, source, citation, terms_of_use : as given by the publisher
    texts : the documents, if they are texts
    terms : names of the matrix columns

    >>> from termsift import corpora

    >>> from termsift import count
    >>> count(corpora.Corpus("mail", ["spam", "ham"], "ours", texts=["a prize", "lunch"]))
    Counts(2 terms, 2 classes, 2 documents)
    """

    name: str
    labels: list[Any]
    source: str
    texts: list[str] | None = None
    matrix: Any = None
    terms: list[str] | None = None
    split: list[str] | None = None
    citation: str = ""
    terms_of_use: str = ""
    checksum: str | None = None

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def classes(self) -> list[Any]:
        """The distinct labels, sorted."""
        return sorted({label for labels in self.labels for label in each(labels)})

    def part(self, name: str) -> Corpus:
        """The documents of one part of the split.

        >>> corpus = Corpus("mail", ["x", "y"], "", texts=["a", "b"], split=["train", "test"])
        >>> corpus.part("test").texts
        ['b']
        """
        if self.split is None:
            raise InvalidInputError(f"corpus {self.name!r} has no split, so no part {name!r}")
        rows = [i for i, part in enumerate(self.split) if part == name]
        if not rows:
            raise unknown_name_error("part", name, sorted(set(self.split)))
        return self.take(rows)

    def take(self, rows: list[int]) -> Corpus:
        """Some documents, by index, in the order given."""

        def taken(values: list[Any] | None) -> Any:
            return None if values is None else [values[i] for i in rows]

        matrix = None if self.matrix is None else self.matrix[rows]
        texts, labels, split = taken(self.texts), taken(self.labels), taken(self.split)
        return replace(self, texts=texts, matrix=matrix, labels=labels, split=split)

    def __repr__(self) -> str:
        return f"Corpus({self.name!r}, {len(self):,} documents, {len(self.classes)} classes)"


def each(labels: Any) -> Iterable[Any]:
    """The labels of a document, whether it has one or a list of them."""
    return labels if isinstance(labels, list | tuple) else (labels,)


def as_count_matrix(matrix: Any, source: str | os.PathLike[str]) -> Any:
    """A sparse matrix of a file as CSR without stored zeros, of integers where its values are whole.

    Its indices have 32 bits where they fit: some estimators of scikit-learn take no others.
    """
    from scipy.sparse import csr_array

    rows = csr_array(matrix)
    rows.eliminate_zeros()
    if not np.isfinite(rows.data).all():
        raise UnreadableFileError(f"{source} has a value that is not finite")
    if max(*rows.shape, rows.nnz) < 2**31:
        rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    whole = bool(np.all((rows.data == np.rint(rows.data)) & (np.abs(rows.data) <= MAX_EXACT_INTEGER)))
    return rows.astype(np.int64) if whole else rows


def file_checksum(path: str | os.PathLike[str]) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with require_file(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def decode_bytes(content: bytes, encoding: str, path: str | os.PathLike[str]) -> str:
    """Bytes of a file as text."""
    try:
        return content.decode(encoding)
    except LookupError as error:
        raise InvalidInputError(f"no encoding named {encoding!r}; try 'utf-8' or 'latin-1'") from error
    except UnicodeDecodeError as error:
        where = f"byte 0x{error.object[error.start]:02x} at {error.start:,}"
        raise UnreadableFileError(f"{Path(path)} is not {encoding}: {where}; name its encoding") from error


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
        raise UnreadableFileError(
            f"{folder} is not a folder" if folder.exists() else f"there is no folder {folder}"
        )
    try:
        files = sorted(file for name in folder.iterdir() if name.is_dir() for file in files_below(name))
        contents = [file.read_bytes() for file in files]
    except OSError as error:
        raise UnreadableFileError(f"cannot read {error.filename}: {error.strerror}") from error
    if not files:
        raise UnreadableFileError(f"{folder} is a folder without a folder of files for each class")
    texts = [decode_bytes(content, encoding, file) for content, file in zip(contents, files, strict=True)]
    labels = [file.relative_to(folder).parts[0] for file in files]
    return Corpus(folder.name, labels, str(folder), texts=texts)


def files_below(folder: Path) -> Iterator[Path]:
    """The files below a folder that are not hidden; an error for a folder that cannot be read."""

    def stop(error: OSError) -> None:
        raise error

    for place, _, names in os.walk(folder, onerror=stop):
        files = (Path(place, name) for name in names if not name.startswith("."))
        yield from (file for file in files if file.is_file())


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
        corpus, found = self.reader(path, **options), file_checksum(path)
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
            raise InvalidInputError(f"corpus {self.name!r} takes no options, got {wrong[0]!r}")
        if wrong:
            raise unknown_name_error("option", wrong[0], known)

    def path(self, data_dir: DataDir = None) -> Path:
        """The file, which must be there."""
        folder = data_folder(data_dir)
        offer = f"its publisher offers it at {self.home}"
        if folder is None:
            raise UnreadableFileError(
                f"corpus {self.name!r} is the file {self.file} below a folder of corpora: "
                f"name the folder by {VARIABLE} or data_dir; {offer}"
            )
        path = folder / self.file
        if not path.is_file():
            raise UnreadableFileError(f"corpus {self.name!r}: there is no file {path}; {offer}")
        return path

    def state(self, folder: Path | None) -> str:
        """Whether the corpus can be had: 'built in', 'found', 'missing' or 'wrong size'."""
        if not self.file:
            return "built in"
        if folder is None or not (folder / self.file).is_file():
            return "missing"
        return "found" if (folder / self.file).stat().st_size == self.size else "wrong size"


def entries_from_table(
    folder: str, reader: Callable[..., Corpus], table: Path | None = None
) -> tuple[Entry, ...]:
    """The corpora of a folder, by what a table such as corpora.csv says of them."""
    with (table or Path(__file__).with_name("corpora.csv")).open(encoding="utf-8", newline="") as file:
        rows: list[dict[str, Any]] = [r for r in csv.DictReader(file) if r["file"].startswith(f"{folder}/")]
    return tuple(Entry(reader=reader, **row | {key: int(row[key]) for key in NUMBERS}) for row in rows)


def data_folder(data_dir: DataDir = None) -> Path | None:
    """The folder of corpora: the one given, else that of TERMSIFT_DATA, if any."""
    folder = data_dir or os.environ.get(VARIABLE)
    return Path(folder) if folder else None
