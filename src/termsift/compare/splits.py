"""The runs of a comparison: folds, whole groups, a given test part, windows of time, a given splitter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError, listed
from termsift._internal.typing import Array
from termsift.engines import Documents
from termsift.evaluation import (
    Division,
    Split,
    checked_part,
    held_out,
    repeated_folds,
    time_windows,
    with_blocks,
)

MOST_SPLITS = 1000  # folds, and repeats: more say nothing new, and take days


def check_folds(folds: int, documents: int) -> None:
    """An error where there are more folds than documents."""
    if folds > documents:
        raise InvalidInputError(f"folds is {folds} but there are only {documents} documents")


@dataclass(frozen=True, slots=True)
class SplitOptions:
    """How documents are split, as `ts.compare` was asked.

    cv : a splitter of scikit-learn, pairs of indices, or None
    """

    folds: int
    repeats: int
    seed: int
    cv: Any = None


def split_of(documents: Documents, options: SplitOptions) -> Split:
    """The runs that were asked for, checked; weights of documents are told with them."""
    found = unweighted_split(documents, options)
    if not documents.weights.size:
        return found
    return replace(found, words=f"{found.words}, documents counted by their weights")


def unweighted_split(documents: Documents, options: SplitOptions) -> Split:
    """The runs, by how documents are to be split."""
    seed = options.seed
    if options.cv is not None:
        split = given_split(documents, options.cv, seed)
    elif documents.held.size:
        split = held_out(checked_sides(documents), seed)
    elif documents.times.size:
        check_folds(options.folds, len(documents))
        split = time_windows(documents, options.folds, seed)
    else:
        check_folds(options.folds, len(documents))
        check_groups_enough(documents, options.folds)
        return repeated_folds(documents, options.folds, options.repeats, seed)
    for number, division in enumerate(split.divisions(0), 1):
        check_division(documents, division, number)
    return split


def checked_sides(documents: Documents) -> Documents:
    """The documents, if enough are held out, and of classes that can be learned."""
    judged = int(documents.held.sum())
    if judged < 2:
        raise InvalidInputError(f"at least 2 documents are needed to judge by, got {judged}")
    held = documents.truth[documents.held].any(axis=0)
    strange = np.flatnonzero(held & ~documents.truth[~documents.held].any(axis=0))
    if len(strange):
        noun = "a class" if len(strange) == 1 else f"{len(strange)} classes"
        raise InvalidInputError(
            f"the documents to test with have {noun} that none to learn from has: "
            f"{listed([documents.labels.classes[c] for c in strange], 5)}"
        )
    return documents


def check_groups_enough(documents: Documents, folds: int) -> None:
    """An error where there are more folds than groups."""
    if not documents.groups.size:
        return
    groups = len(np.unique(documents.groups))
    if groups < folds:
        raise InvalidInputError(
            f"folds is {folds} but there are only {groups} groups, each of which stays in one fold"
        )


def check_division(documents: Documents, division: Division, number: int) -> None:
    """An error for a run that cannot be: parts empty or shared, one class, a group on both sides."""
    learned, judged = division.learned, division.judged
    if not len(learned) or not len(judged):
        raise InvalidInputError(
            f"run {number} of the split has no documents to {'judge' if len(learned) else 'learn from'}"
        )
    both = np.intersect1d(learned, judged)
    if len(both):
        raise InvalidInputError(
            f"run {number} of the split both learns from document {both[0]} and judges it"
        )
    groups = documents.groups
    if groups.size and np.isin(groups[judged], groups[learned]).any():
        shared = len(np.intersect1d(groups[judged], groups[learned]))
        raise InvalidInputError(
            f"run {number} of the split has {shared} {'group' if shared == 1 else 'groups'} on both sides; "
            "split by groups, or leave the groups out"
        )
    there = documents.truth[learned].any(axis=0)
    if documents.is_single and there.sum() < 2:
        only = documents.labels.classes[int(np.argmax(there))]
        raise InvalidInputError(
            f"run {number} of the split learns from one class only, {only!r}; nothing tells it apart"
        )


def given_split(documents: Documents, cv: Any, seed: int) -> Split:
    """The runs of a splitter of scikit-learn, or of pairs of indices."""
    pairs = pairs_of(documents, cv)
    divisions = with_blocks(documents, [Division(*pair, seed) for pair in pairs], seed)
    runs, n = runs_per_round(divisions), len(divisions)
    name = type(cv).__name__ if is_splitter(cv) else "the split that was given"
    words = f"{runs} {'run' if runs == 1 else 'runs'} of {name}"
    if n == 1:
        blocks = int(divisions[0].blocks.max()) + 1
        words += f", ± by the jackknife over {blocks} parts of its {len(divisions[0].judged):,} documents"
    return Split(words, n // runs, runs, lambda number: divisions[number * runs : (number + 1) * runs])


def is_splitter(cv: Any) -> bool:
    """Whether this splits as scikit-learn's splitters do; texts have a `split` too."""
    return hasattr(cv, "split") and not isinstance(cv, str | bytes)


def pairs_of(documents: Documents, cv: Any) -> list[tuple[Array, Array]]:
    """The pairs of indices of a splitter, or those that were given, checked."""
    groups = documents.groups if documents.groups.size else None
    if is_splitter(cv):
        target = documents.target if documents.is_single else documents.truth * 1
        try:
            found = list(cv.split(np.zeros((len(documents), 1)), target, groups))
        except (ValueError, TypeError) as error:
            raise InvalidInputError(f"{type(cv).__name__} cannot split these documents: {error}") from error
    elif isinstance(cv, Iterable) and not isinstance(cv, str):
        found = list(cv)
    else:
        raise InvalidInputError(f"cv must be a splitter of scikit-learn, or pairs of indices, got {cv!r}")
    if not found or len(found) > MOST_SPLITS:
        raise InvalidInputError(f"cv must give 1 to {MOST_SPLITS:,} pairs of indices, got {len(found):,}")
    return [checked_pair(pair, number, len(documents)) for number, pair in enumerate(found, 1)]


def checked_pair(pair: Any, number: int, size: int) -> tuple[Array, Array]:
    """The documents to learn from and those to judge, by indices or masks."""
    try:
        learned, judged = pair
    except (TypeError, ValueError) as error:
        what = "documents to learn from and documents to judge"
        raise InvalidInputError(
            f"pair {number} of cv must be {what}, by their indices, got {pair!r}"
        ) from error
    rows = np.arange(size)
    parts = checked_part(rows, learned), checked_part(rows, judged)
    if any(len(np.unique(part)) < len(part) for part in parts):
        raise InvalidInputError(f"pair {number} of cv names a document twice on one side")
    return parts


def runs_per_round(divisions: Sequence[Division]) -> int:
    """How many runs in a row judge no document twice, if it is the same throughout; else all."""
    starts, seen = [0], set[int]()
    for number, division in enumerate(divisions):
        own = set(division.judged.tolist())
        if seen & own:
            starts.append(number)
            seen = set()
        seen |= own
    lengths = np.diff([*starts, len(divisions)])
    return int(lengths[0]) if len(set(lengths.tolist())) == 1 else len(divisions)
