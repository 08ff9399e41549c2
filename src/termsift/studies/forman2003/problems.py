"""The sets of documents, as 0/1 features, and their folds for cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from sklearn.model_selection import StratifiedKFold

from termsift import corpora
from termsift.experiment.documents import Documents
from termsift.experiment.folds import Fold
from termsift.labels import as_labels
from termsift.studies.study import Row

# the largest first, so that the last units are short ones
SETS = (
    "ohscal", "la1", "la2", "fbis", "wap", "re1", "tr31", "re0", "tr45", "tr41", "oh10", "oh0", "oh15",
    "oh5", "tr11", "tr21", "tr12", "tr23",
)  # fmt: skip
# the same two sets as they are in circulation, without the words of fewer than three documents
REDUCED = {"la1": "la1s", "la2": "la2s"}
EVERY_SET = (*SETS, *REDUCED.values())
FOLDS = 4


@lru_cache(maxsize=len(SETS))
def loaded_set(name: str, data_dir: Path | None = None) -> tuple[Documents, str]:
    """The documents of a set, 1 where one has a term, and the checksum of its file; read once."""
    corpus = corpora.load(name, data_dir=data_dir)
    rows = csr_array((corpus.matrix > 0).astype(np.int64))
    # terms that tie are taken in the order of columns
    return Documents(rows, as_labels(corpus.labels), np.arange(rows.shape[1])), corpus.checksum or ""


def rows_of_words(rows: Iterable[Row], *, reduced: bool) -> list[Row]:
    """The rows of the 18 sets, la1 and la2 with all of their words or with the reduced ones."""
    left_out = set(REDUCED if reduced else REDUCED.values())
    return [row for row in rows if row["set"] not in left_out]


def trial_folds(documents: Documents, trial: int) -> Iterator[Fold]:
    """Four folds; every class is spread evenly over the four.

    A class of fewer than four documents is missing from some of the parts judged: decisions are pooled over
    all four, so that each of its documents is judged once; by folds its measures are 0 there.
    """
    split = StratifiedKFold(FOLDS, shuffle=True, random_state=trial)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class")
        parts = list(split.split(documents.rows, documents.target))
    for number, (learned, judged) in enumerate(parts):
        yield Fold.of(documents, learned, judged, seed=FOLDS * trial + number)
