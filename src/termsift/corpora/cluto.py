"""Files of CLUTO as text: word counts by document, and beside them zeros and ones for each class."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from termsift._typing import Array
from termsift.corpora.corpus import Corpus
from termsift.corpora.entry import catalogued
from termsift.corpora.files import decoded
from termsift.errors import UnreadableFile
from termsift.output import existing


def read_cluto(path: Path) -> Corpus:
    """The word counts of sparse_NAME.txt, with the classes of NAME_correct.txt, which are numbers from 0.

    la1 and la2 have the 31,472 words that Forman (2003) had; their documents are in another order than those
    of la1s and la2s.
    """
    name = path.stem.removeprefix("sparse_")
    first, *lines = number_lines(path)
    if len(first) != 2 or len(lines) != first[0]:
        raise UnreadableFile(f"{path}: its first line does not say how many documents and words there are")
    matrix = count_rows(lines, int(first[1]), path)
    answers = path.with_name(f"{name}_correct.txt")
    return Corpus(name, answered_classes(answers, len(lines)), str(path), matrix=matrix)


def number_lines(path: Path) -> list[Array]:
    """The whole numbers of each line."""
    text = decoded(existing(path).read_bytes(), "ascii", path)
    try:
        found = [np.array(line.split(), dtype=np.int64) for line in text.splitlines()]
    except (ValueError, OverflowError) as error:
        raise UnreadableFile(f"{path} does not hold whole numbers alone: {error}") from error
    if not found:
        raise UnreadableFile(f"{path} is empty")
    return found


def count_rows(lines: list[Array], n_words: int, path: Path) -> csr_array[np.int64]:
    """The matrix; a line is the number of its words, then word, from 0, and count in turns."""
    for number, line in enumerate(lines, 2):
        words = np.sort(line[1::2])
        if not len(line) or len(line) != 1 + 2 * line[0]:
            raise UnreadableFile(f"line {number} of {path} does not hold as many words as it says")
        if len(words) and (words[0] < 0 or words[-1] >= n_words or not np.diff(words).all()):
            raise UnreadableFile(
                f"line {number} of {path} has a word twice, or one that is not below {n_words}"
            )
        if (line[2::2] < 1).any():
            raise UnreadableFile(f"line {number} of {path} has a count below 1")
    starts = np.cumsum([0, *(len(line) // 2 for line in lines)])
    words, counts = (np.concatenate([line[first::2] for line in lines]) for first in (1, 2))
    found = csr_array((counts, words, starts), shape=(len(lines), n_words))
    found.sort_indices()
    return found


def answered_classes(path: Path, n_documents: int) -> list[int]:
    """The class of each document, from a line of zeros and ones for each class."""
    lines = number_lines(path)
    if any(len(line) != n_documents for line in lines):
        raise UnreadableFile(f"{path}: a line has not one number for each of {n_documents} documents")
    table = np.array(lines)
    if ((table != 0) & (table != 1)).any() or (table.sum(axis=0) != 1).any():
        raise UnreadableFile(
            f"{path}: a document must have a 1 in the line of its class, and 0 in the others"
        )
    return [int(c) for c in table.argmax(axis=0)]


ENTRIES = catalogued("cluto", read_cluto)
