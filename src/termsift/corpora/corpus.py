"""Corpus of documents with their labels and source, its entry in the catalogue, and the reader of folders."""

from __future__ import annotations

import csv
import hashlib
import os
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from termsift._internal import errors
from termsift._internal.errors import InvalidInputError, UnreadableFileError
from termsift._internal.files import require_file

MAX_EXACT_INTEGER = 2**53  # largest integer up to which every integer is a float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Corpus:
    """Labelled documents, as texts or as a matrix of counts with its terms.

    Parameters
    ----------
    name : str
        Name of the corpus.
    labels : list
        One label per document, or a list of labels per document.
    source : str
        Path or URL of the documents.
    texts : list of str, optional
        The documents, if they are texts.
    matrix : csr_array of shape (n_documents, n_terms), optional
        The documents as counts, of integers if all counts are whole numbers.
    terms : list of str, optional
        Names of the matrix columns.
    split : list of str, optional
        "train" or "test" for each document, if the publisher defines a split.
    citation, terms_of_use : str, default ""
        As given by the publisher.
    checksum : str, optional
        SHA-256 of the source file.

    Examples
    --------
    >>> from termsift import corpora, count
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
        """Distinct labels, sorted."""
        return sorted({label for labels in self.labels for label in iter_document_labels(labels)})

    def part(self, name: str) -> Corpus:
        """Return the documents of the training or the test set.

        Parameters
        ----------
        name : {"train", "test"}
            The set.

        Returns
        -------
        Corpus
            Its documents, in their order.

        Raises
        ------
        InvalidInputError
            If the corpus has no split.
        UnknownNameError
            If the split has no set of this name.

        Examples
        --------
        >>> corpus = Corpus("mail", ["x", "y"], "", texts=["a", "b"], split=["train", "test"])
        >>> corpus.part("test").texts
        ['b']

        """
        if self.split is None:
            raise InvalidInputError(f"corpus {self.name!r} has no training/test split, so no part {name!r}")
        rows = [i for i, split_name in enumerate(self.split) if split_name == name]
        if not rows:
            raise errors.unknown_name_error("part", name, sorted(set(self.split)))
        return self.take(rows)

    def take(self, rows: list[int]) -> Corpus:
        """Return the documents at some indices.

        Parameters
        ----------
        rows : list of int
            Indices of the documents.

        Returns
        -------
        Corpus
            The documents, in the order of the indices.

        """
        columns = {"texts": self.texts, "labels": self.labels, "split": self.split}
        lists = {key: [column[i] for i in rows] for key, column in columns.items() if column is not None}
        matrix = None if self.matrix is None else self.matrix[rows]
        return replace(self, matrix=matrix, **lists)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"Corpus({self.name!r}, {len(self):,} documents, {len(self.classes)} classes)"


def iter_document_labels(label_or_labels: Any) -> Iterable[Any]:
    """Return the labels of a document, which has one or a list of them."""
    return label_or_labels if isinstance(label_or_labels, list | tuple) else (label_or_labels,)


def as_finite_csr(matrix: Any, source: str | os.PathLike[str]) -> Any:
    """Return a sparse matrix of a file as CSR without stored zeros, of integers if all values are."""
    from scipy.sparse import csr_array

    rows = csr_array(matrix)
    rows.eliminate_zeros()
    if not np.isfinite(rows.data).all():
        raise UnreadableFileError(f"{source} has a value that is not finite")
    # some scikit-learn estimators accept 32-bit indices only
    if max(*rows.shape, rows.nnz) < 2**31:
        rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    is_exact = (rows.data == np.rint(rows.data)) & (np.abs(rows.data) <= MAX_EXACT_INTEGER)
    return rows.astype(np.int64) if is_exact.all() else rows


def file_checksum(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with require_file(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def decode_bytes(content: bytes, encoding: str, path: str | os.PathLike[str]) -> str:
    """Decode the content of a file."""
    try:
        return content.decode(encoding)
    except LookupError as error:
        raise InvalidInputError(f"no encoding named {encoding!r}; try 'utf-8' or 'latin-1'") from error
    except UnicodeDecodeError as error:
        position = f"byte 0x{error.object[error.start]:02x} at {error.start:,}"
        raise UnreadableFileError(f"{Path(path)} is not {encoding}: {position}; name its encoding") from error


def read_folder(path: str | os.PathLike[str], *, encoding: str = "utf-8") -> Corpus:
    """Read a folder with one subfolder per class, whose files are the documents, in the order of their paths.

    Hidden files are skipped. A folder has no checksum.

    Parameters
    ----------
    path : str or path
        Folder that contains a subfolder for each class.
    encoding : str, default "utf-8"
        Encoding of the files.

    Returns
    -------
    Corpus
        The documents; the labels are the names of the subfolders.

    Raises
    ------
    InvalidInputError
        If the encoding is unknown.
    UnreadableFileError
        If the folder is missing or has no documents, or a file cannot be read or decoded.

    Examples
    --------
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
        problem = "{} is not a folder" if folder.exists() else "there is no folder {}"
        raise UnreadableFileError(problem.format(folder))

    def fail(error: OSError) -> None:
        raise error

    try:
        # os.walk skips folders that it cannot read unless told otherwise
        walks = [os.walk(entry, onerror=fail) for entry in folder.iterdir() if entry.is_dir()]
        paths = [Path(parent, name) for walk in walks for parent, _, names in walk for name in names]
        files = sorted(file for file in paths if not file.name.startswith(".") and file.is_file())
        contents = [file.read_bytes() for file in files]
    except OSError as error:
        raise UnreadableFileError(f"cannot read {error.filename}: {error.strerror}") from error
    if not files:
        raise UnreadableFileError(f"{folder} has no documents; expected a subfolder of files for each class")
    texts = [decode_bytes(content, encoding, file) for content, file in zip(contents, files, strict=True)]
    labels = [file.relative_to(folder).parts[0] for file in files]
    return Corpus(folder.name, labels, str(folder), texts=texts)


VARIABLE = "TERMSIFT_DATA"
NUMBER_COLUMNS = ("size", "documents", "classes")  # of corpora.csv

DataDir = str | os.PathLike[str] | None


@dataclass(frozen=True, slots=True)
class Entry:
    """Corpus of the catalogue.

    reader : function from the file, if there is one, and options, to a Corpus
    file : path below the data folder; empty for the built-in corpus
    size, sha256 : size and checksum of the file
    documents, classes : numbers of documents and classes with the default options
    home : URL of the publisher
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
        """Read the corpus, with a warning if its file differs from that of the catalogue."""
        choices = [name for name in signature(self.reader).parameters if name != "path"]
        unknown = [name for name in options if name not in choices]
        if unknown and not choices:
            raise InvalidInputError(f"corpus {self.name!r} takes no options, got {unknown[0]!r}")
        if unknown:
            raise errors.unknown_name_error("option", unknown[0], choices)
        if not self.file:
            return self.reader(**options)
        path = self.require_path(data_dir)
        corpus, checksum = self.reader(path, **options), file_checksum(path)
        if checksum != self.sha256:
            problem = f"{path} differs from the published file: its SHA-256 is not {self.sha256}"
            warnings.warn(problem, errors.TermsiftWarning, stacklevel=3)
        origin = {name: getattr(self, name) for name in ("name", "citation", "terms_of_use")}
        return replace(corpus, checksum=checksum, source=self.home, **origin)

    def require_path(self, data_dir: DataDir = None) -> Path:
        """Return the path of the file, which must exist."""
        folder = data_folder(data_dir)
        offer = f"download it from {self.home}"
        if folder is None:
            raise UnreadableFileError(
                f"corpus {self.name!r} needs the file {self.file}: "
                f"set {VARIABLE} or data_dir to the folder that contains it; {offer}"
            )
        path = folder / self.file
        if not path.is_file():
            raise UnreadableFileError(f"corpus {self.name!r}: there is no file {path}; {offer}")
        return path

    def state(self, folder: Path | None) -> str:
        """Return 'built in', 'found', 'missing' or 'wrong size'."""
        if not self.file:
            return "built in"
        if folder is None or not (folder / self.file).is_file():
            return "missing"
        return "found" if (folder / self.file).stat().st_size == self.size else "wrong size"


def entries_from_table(
    file_prefix: str, reader: Callable[..., Corpus], table_path: Path | None = None
) -> tuple[Entry, ...]:
    """Return the entries of a folder in a table such as corpora.csv."""
    with (table_path or Path(__file__).with_name("corpora.csv")).open(encoding="utf-8", newline="") as file:
        rows: list[dict[str, Any]] = [
            r for r in csv.DictReader(file) if r["file"].startswith(f"{file_prefix}/")
        ]
    return tuple(Entry(reader=reader, **row | {key: int(row[key]) for key in NUMBER_COLUMNS}) for row in rows)


def data_folder(data_dir: DataDir = None) -> Path | None:
    """Return the folder of corpora: the argument, or else that of TERMSIFT_DATA, if set."""
    folder = data_dir or os.environ.get(VARIABLE)
    return Path(folder) if folder else None
