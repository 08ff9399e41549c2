"""The six sets of the paper, from three matrices of counts, and their parts to learn from and to judge."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold

from termsift import corpora
from termsift._typing import Array, as_terms
from termsift.corpora import Corpus
from termsift.experiment.documents import Documents
from termsift.experiment.folds import Fold
from termsift.labels import as_labels

FOLDS, SEED = 10, 0
LEAST_DF = 2


@dataclass(frozen=True, slots=True)
class ChosenClasses:
    """The first classes of a corpus; those from number `last` on are one class."""

    corpus: str
    classes: int
    last: int


# the longest first, so that the last units are short ones; ALT-COMP in two readings
SETS = {
    "20-newsgroups": ChosenClasses("cdcai/20newsgroups", 20, 20),
    "reuters-30": ChosenClasses("cdcai/reuters21578", 30, 30),
    "reuters-20": ChosenClasses("cdcai/reuters21578", 20, 20),
    "tdt2-10": ChosenClasses("cdcai/tdt2", 10, 10),
    "reuters-10": ChosenClasses("cdcai/reuters21578", 10, 10),
    "alt-comp-6": ChosenClasses("cdcai/20newsgroups", 6, 6),
    "alt-comp": ChosenClasses("cdcai/20newsgroups", 6, 2),
}


def folds(name: str) -> int:
    """How many parts a set is judged in: ten of TDT2, which has no split of its own, else one."""
    return FOLDS if name == "tdt2-10" else 1


@lru_cache(maxsize=3)
def matrix_corpus(name: str, data_dir: Path | None) -> Corpus:
    """A corpus by its name, read once."""
    return corpora.load(name, data_dir=data_dir)


@lru_cache(maxsize=len(SETS))
def set_documents(name: str, data_dir: Path | None) -> tuple[Documents, list[tuple[Array, Array]]]:
    """A set by its name: the documents of its classes in the words that two of them have, and its parts."""
    chosen = SETS[name]
    corpus = matrix_corpus(chosen.corpus, data_dir)
    numbers = np.array(corpus.labels)
    kept = np.flatnonzero(numbers <= chosen.classes)
    rows = corpus.matrix[kept]
    rows = rows[:, np.flatnonzero(np.bincount(rows.indices, minlength=rows.shape[1]) >= LEAST_DF)]
    labels = np.minimum(numbers[kept], chosen.last) - 1
    split = None if corpus.split is None else np.array(corpus.split)[kept]
    # terms that tie are taken in the order of columns
    terms = as_terms(f"{i:06}" for i in range(rows.shape[1]))
    return Documents(rows, as_labels(labels), terms), set_parts(labels, split)


def set_fold(name: str, data_dir: Path | None, part: int) -> Fold:
    """One part of a set to judge, and the documents to learn from."""
    documents, parts = set_documents(name, data_dir)
    return Fold.of(documents, *parts[part])


def set_parts(labels: Array, split: Array | None) -> list[tuple[Array, Array]]:
    """Documents to learn from and to judge: the publisher's, or ten folds with all classes spread evenly."""
    if split is not None:
        return [(np.flatnonzero(split == "train"), np.flatnonzero(split == "test"))]
    folded = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    return list(folded.split(np.zeros(len(labels)), labels))
