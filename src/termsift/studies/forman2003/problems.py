"""The sets of documents, as 0/1 features, and their parts for cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.model_selection import StratifiedKFold

from termsift import corpora
from termsift._typing import Array
from termsift.corpora.entry import DataDir

# the largest first, so that the last units are short ones
SETS = (
    "ohscal", "fbis", "la1s", "la2s", "wap", "re1", "tr31", "re0", "tr45", "tr41", "oh10", "oh0", "oh15",
    "oh5", "tr11", "tr21", "tr12", "tr23",
)  # fmt: skip
FOLDS = 4


@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """rows : (documents, terms), 1 where a document has the term; labels : (documents,)."""

    name: str
    rows: csr_array[Any]
    labels: Array
    checksum: str


def dataset(name: str, data_dir: DataDir = None) -> Dataset:
    """A set by its name, read once."""
    return loaded_dataset(name, None if data_dir is None else str(data_dir))


@lru_cache(maxsize=len(SETS))
def loaded_dataset(name: str, data_dir: str | None) -> Dataset:
    """A set by its name."""
    corpus = corpora.load(name, data_dir=data_dir)
    rows = csr_array((corpus.matrix > 0).astype(np.int64))
    return Dataset(name, rows, np.array(corpus.labels, dtype=object), corpus.checksum or "")


def trial_parts(found: Dataset, trial: int) -> Iterator[tuple[Array, Array]]:
    """Documents to learn from and to judge, four times; every class is spread evenly over the four.

    A class of fewer than four documents is missing from some of the parts judged; counts are pooled over all
    four, so that each of its documents is judged once.
    """
    split = StratifiedKFold(FOLDS, shuffle=True, random_state=trial)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class")
        yield from split.split(found.rows, found.labels.astype(str))
