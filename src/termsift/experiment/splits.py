"""Splits: which documents are learned from and which are judged, run after run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TypeAlias

import numpy as np

from termsift._typing import Array
from termsift.experiment.documents import Documents
from termsift.experiment.folds import Fold, stratified_folds, stratified_part
from termsift.experiment.group_folds import stratified_group_folds
from termsift.experiment.windows import window_numbers

INNER = 4  # of the training part a share of 1/4 is held out where something is chosen inside it
PARTS = 3  # of a training part, each judged by the others where something is tuned inside it
BLOCKS = 20  # of the documents that a single run judges


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """Documents to learn from and documents to judge, by their places.

    seed : for what is drawn by lot inside
    blocks : (judged,) the number of each one's block, where there is a single run
    """

    learned: Array
    judged: Array
    seed: int = 0
    blocks: Array = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

    def fold(self, documents: Documents) -> Fold:
        """The two parts, in the terms that those to learn from have."""
        found = Fold.of(documents, self.learned, self.judged, self.seed)
        return replace(found, blocks=self.blocks).in_seen_terms()


Divisions: TypeAlias = Callable[[int], list[Division]]


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The runs of an experiment, in rounds: what is compared is compared on whole rounds.

    words : as a sentence names one round
    rounds : how many there are
    runs : how many divisions each of them has
    divisions : of a round, by its number
    elsewhere : where a copy of a judged document is that gives it away, as a sentence says it
    by_class : whether each class is shared out among the folds, so that it is missing from none unless it
        has fewer documents than there are folds
    """

    words: str
    rounds: int
    runs: int
    divisions: Divisions
    elsewhere: str = "among the documents learned from"
    by_class: bool = False


def repeated_folds(documents: Documents, folds: int, repeats: int, seed: int) -> Split:
    """Stratified folds, each judged once by what is learned from the others; each repeat draws them anew."""

    # the warnings of a comparison ask again for what its race began with
    @cache
    def divisions(repeat: int) -> list[Division]:
        return fold_divisions(fold_numbers(documents, folds, seed + repeat), folds, seed + repeat)

    grouped = bool(documents.groups.size)
    words = f"{folds}-fold cross-validation{', no group on both sides' if grouped else ''}"
    return Split(words, repeats, folds, divisions, "in another fold", not grouped)


def fold_numbers(documents: Documents, folds: int, seed: int) -> Array:
    """(documents,) the fold of each; documents of a group are in one."""
    if documents.groups.size:
        return stratified_group_folds(documents.labels, documents.groups, folds, seed)
    return stratified_folds(documents.labels, folds, seed)


def fold_divisions(numbers: Array, folds: int, seed: int) -> list[Division]:
    """Each fold judged by the others; `numbers` (documents,) says which fold each document is in."""
    parts = [(np.flatnonzero(numbers != fold), np.flatnonzero(numbers == fold)) for fold in range(folds)]
    return [Division(*part, seed) for part in parts]


def time_windows(documents: Documents, windows: int, seed: int) -> Split:
    """Windows of time, each judged by what is learned before it, and not from its groups."""
    numbers, groups = window_numbers(documents.times, windows + 1), documents.groups

    def divisions(_: int) -> list[Division]:
        found = []
        for window in range(1, windows + 1):
            judged, before = np.flatnonzero(numbers == window), np.flatnonzero(numbers < window)
            known = before[~np.isin(groups[before], groups[judged])] if groups.size else before
            found.append(Division(known, judged, seed))
        return with_blocks(documents, found, seed)

    words = f"{windows} windows of time, each judged by what was learned before it"
    return Split(words + (", no group on both sides" if groups.size else ""), 1, windows, divisions)


def held_out(documents: Documents, seed: int) -> Split:
    """The documents that are held out, judged by what is learned from the others."""
    parts = np.flatnonzero(~documents.held), np.flatnonzero(documents.held)
    (one,) = with_blocks(documents, [Division(*parts, seed)], seed)
    parted = f"± by the jackknife over {one.blocks.max() + 1} parts of them"
    words = f"{len(one.judged):,} documents held out, {parted}"
    return Split(words, 1, 1, lambda _: [one])


def with_blocks(documents: Documents, divisions: list[Division], seed: int) -> list[Division]:
    """The divisions; a single one with blocks of its judged documents, a group in one block."""
    if len(divisions) > 1:
        return divisions
    judged = documents.take(divisions[0].judged)
    units = len(np.unique(judged.groups)) if judged.groups.size else len(judged)
    return [replace(divisions[0], blocks=fold_numbers(judged, min(BLOCKS, units), seed))]


def inner_division(documents: Documents, seed: int) -> tuple[Array, Array]:
    """Documents of a training part to learn from, and a quarter to choose by: the last in time, if known.

    Groups stay together where there are several.
    """
    if documents.times.size and len(np.unique(documents.times)) >= INNER:
        numbers = INNER - 1 - window_numbers(documents.times, INNER)
    elif documents.groups.size and len(np.unique(documents.groups)) >= INNER:
        numbers = fold_numbers(documents, INNER, seed)
    else:
        numbers = 1 - stratified_part(documents.labels, INNER, seed)
    return np.flatnonzero(numbers), np.flatnonzero(numbers == 0)


def inner_folds(fold: Fold) -> tuple[Fold, ...]:
    """The training part in parts, each judged by the others; in time the last quarter by what was before it.

    Made once for all that is tuned; groups stay together where there are enough of them.
    """
    if PARTS not in fold.inner:
        pairs = inner_parts(fold.train, fold.seed)
        made = tuple(Fold.of(fold.train, *pair, fold.seed) for pair in pairs if all(map(len, pair)))
        fold.inner.setdefault(PARTS, made)
    return fold.inner[PARTS]


def inner_parts(documents: Documents, seed: int) -> list[tuple[Array, Array]]:
    """Documents to learn from and to tune by."""
    if documents.times.size and len(np.unique(documents.times)) >= INNER:
        return [inner_division(documents, seed)]
    grouped = documents.groups.size and len(np.unique(documents.groups)) >= PARTS
    one_by_one = documents if grouped else replace(documents, groups=documents.groups[:0])
    divisions = fold_divisions(fold_numbers(one_by_one, PARTS, seed), PARTS, seed)
    return [(division.learned, division.judged) for division in divisions]
