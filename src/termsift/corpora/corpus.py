"""Corpus: documents with their labels, and where they come from."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from termsift.errors import InvalidInput, UnreadableFile, unknown

EXACT = 2**53  # up to here a float is the whole number it shows


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
        """The distinct labels, sorted."""
        return sorted({label for labels in self.labels for label in each(labels)})

    def part(self, name: str) -> Corpus:
        """The documents of one part of the split.

        >>> corpus = Corpus("mail", ["x", "y"], "", texts=["a", "b"], split=["train", "test"])
        >>> corpus.part("test").texts
        ['b']
        """
        if self.split is None:
            raise InvalidInput(f"corpus {self.name!r} has no split, so no part {name!r}")
        rows = [i for i, part in enumerate(self.split) if part == name]
        if not rows:
            raise unknown("part", name, sorted(set(self.split)))
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


def by_rows(matrix: Any, source: str | os.PathLike[str]) -> Any:
    """A sparse matrix of a file as CSR without stored zeros, of integers where its values are whole.

    Its indices have 32 bits where they fit: some estimators of scikit-learn take no others.
    """
    from scipy.sparse import csr_array

    rows = csr_array(matrix)
    rows.eliminate_zeros()
    if not np.isfinite(rows.data).all():
        raise UnreadableFile(f"{source} has a value that is infinite, or no number")
    if max(*rows.shape, rows.nnz) < 2**31:
        rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    whole = bool(np.all((rows.data == np.rint(rows.data)) & (np.abs(rows.data) <= EXACT)))
    return rows.astype(np.int64) if whole else rows
