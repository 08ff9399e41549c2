"""Splits: which documents are learned from and which are judged, run after run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from termsift._typing import Array
from termsift.experiment.documents import Documents
from termsift.experiment.folds import Fold, stratified_folds
from termsift.labels import Labels


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """Documents to learn from and documents to judge, by their places.

    seed : for what is drawn by lot inside
    """

    learned: Array
    judged: Array
    seed: int = 0

    def fold(self, documents: Documents) -> Fold:
        """The two parts, in the terms that those to learn from have."""
        return Fold.of(documents, self.learned, self.judged, self.seed).in_seen_terms()


Divisions: TypeAlias = Callable[[int], list[Division]]


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The runs of an experiment, in rounds: what is compared is compared on whole rounds.

    words : as a sentence names one round
    rounds : how many there are
    runs : how many divisions each of them has
    divisions : of a round, by its number
    elsewhere : where a copy of a judged document is that gives it away, as a sentence says it
    """

    words: str
    rounds: int
    runs: int
    divisions: Divisions
    elsewhere: str = "among the documents learned from"


def repeated_folds(labels: Labels, folds: int, repeats: int, seed: int) -> Split:
    """Stratified folds, each judged once by what is learned from the others; each repeat draws them anew."""

    def divisions(repeat: int) -> list[Division]:
        return fold_divisions(stratified_folds(labels, folds, seed + repeat), folds, seed + repeat)

    return Split(f"{folds}-fold cross-validation", repeats, folds, divisions, "in another fold")


def fold_divisions(numbers: Array, folds: int, seed: int) -> list[Division]:
    """Each fold judged by the others; `numbers` (documents,) says which fold each document is in."""
    parts = [(np.flatnonzero(numbers != fold), np.flatnonzero(numbers == fold)) for fold in range(folds)]
    return [Division(*part, seed) for part in parts]
