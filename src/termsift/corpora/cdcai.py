"""The matrices of Deng Cai: MATLAB files of counts (fea), classes (gnd) and, of two, a split."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from termsift.corpora.corpus import EXACT, Corpus, by_rows
from termsift.corpora.entry import catalogued
from termsift.corpora.formats.matlab import variables
from termsift.errors import UnreadableFile

NAMES = ("fea", "gnd", "trainIdx", "testIdx", "vocab")


def read_cdcai(path: Path) -> Corpus:
    """The matrix with its classes, which are numbers; split and terms where the file has them."""
    found = variables(path, NAMES)
    if "fea" not in found:
        raise UnreadableFile(f"{path} has no variable 'fea'")
    labels = whole_numbers(found, "gnd", path).tolist()
    matrix = count_rows(found, len(labels), path)
    terms = term_names(found, path) if "vocab" in found else None
    split = split_parts(found, len(labels), path) if "trainIdx" in found else None
    return Corpus(path.stem, labels, str(path), matrix=matrix, terms=terms, split=split)


def count_rows(found: dict[str, Any], documents: int, path: Path) -> Any:
    """The matrix by rows, its indices checked: SciPy trusts them and would read outside its memory."""
    from scipy.sparse import csc_matrix

    matrix = found["fea"]
    if matrix.ndim == 2 and matrix.shape[0] != documents:
        raise UnreadableFile(f"{path} has {matrix.shape[0]} documents but {documents} classes")
    try:
        if isinstance(matrix, csc_matrix):
            matrix.check_format(full_check=True)
        return by_rows(matrix, path)
    except (ValueError, TypeError) as error:
        raise UnreadableFile(f"{path}: fea is not a matrix of counts: {error}") from error


def whole_numbers(found: dict[str, Any], name: str, path: Path) -> np.ndarray[Any, Any]:
    """A variable as a row of integers."""
    values = np.ravel(found.get(name, "none"))
    if values.dtype.kind not in "iuf" or not np.all(np.abs(values.astype(float)) <= EXACT):
        raise UnreadableFile(f"{path} has no list of numbers named {name!r}")
    return values.astype(np.int64)


def term_names(found: dict[str, Any], path: Path) -> list[str]:
    """The terms, from cells of a term and its document frequency."""
    try:
        terms = [str(cell.item()) for cell in found["vocab"][:, 0]]
    except (IndexError, ValueError, AttributeError) as error:
        raise UnreadableFile(f"{path}: vocab is not a table with a term in each row") from error
    if len(terms) != found["fea"].shape[1]:
        raise UnreadableFile(f"{path} has {found['fea'].shape[1]} columns but {len(terms)} terms")
    return terms


def split_parts(found: dict[str, Any], size: int, path: Path) -> list[str]:
    """The part of each document, from the documents of each part, counted from 1."""
    split = np.full(size, "", dtype=object)
    for variable, part in (("trainIdx", "train"), ("testIdx", "test")):
        rows = whole_numbers(found, variable, path) - 1
        if rows.size and (rows.min() < 0 or rows.max() >= size):
            raise UnreadableFile(f"{path}: {variable} has an index out of range: it is not in 1 to {size}")
        split[rows] = part
    if (split == "").any():
        raise UnreadableFile(f"{path}: document {np.flatnonzero(split == '')[0] + 1} is in no part")
    return [str(part) for part in split]


ENTRIES = catalogued("cdcai", read_cdcai)
