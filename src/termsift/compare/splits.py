"""Splits of a comparison: folds, groups, a test set, time windows, or a scikit-learn splitter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError, quote_names
from termsift._internal.typing import Array
from termsift.engines import Documents
from termsift.evaluation import (
    Division,
    Split,
    add_blocks,
    holdout_split,
    k_fold_split,
    time_window_split,
    validate_indices,
)

MAX_SPLITS = 1000  # folds, and repeats


@dataclass(frozen=True, slots=True)
class SplitOptions:
    """Options of `ts.compare` that determine the split.

    cv : scikit-learn splitter, pairs of indices, or None
    """

    folds: int
    repeats: int
    seed: int
    cv: Any = None


def make_split(documents: Documents, options: SplitOptions) -> Split:
    """Return the requested split of the documents, checked."""
    seed, folds = options.seed, options.folds
    if options.cv is not None:
        split = _split_by_cv(documents, options.cv, seed)
    elif documents.is_test.size:
        _check_test_set(documents)
        split = holdout_split(documents, seed)
    else:
        if folds > len(documents):
            raise InvalidInputError(f"folds is {folds} but there are only {len(documents)} documents")
        if documents.times.size:
            split = time_window_split(documents, folds, seed)
        else:
            n_groups = len(np.unique(documents.groups))
            if documents.groups.size and n_groups < folds:
                raise InvalidInputError(
                    f"folds is {folds} but there are only {n_groups} groups; use fewer folds"
                )
            split = k_fold_split(documents, folds, options.repeats, seed)
    if options.cv is not None or documents.is_test.size or documents.times.size:
        for number, division in enumerate(split.divisions(0), 1):
            _check_division(documents, division, number)
    if not documents.weights.size:
        return split
    return replace(split, description=f"{split.description}, weighted documents")


def _check_test_set(documents: Documents) -> None:
    """Check that at least 2 documents are for testing, and that their classes are in the training set."""
    n_test = int(documents.is_test.sum())
    if n_test < 2:
        raise InvalidInputError(f"at least 2 test documents are needed, got {n_test}")
    in_test = documents.truth[documents.is_test].any(axis=0)
    untrained = np.flatnonzero(in_test & ~documents.truth[~documents.is_test].any(axis=0))
    if len(untrained):
        noun = "a class" if len(untrained) == 1 else f"{len(untrained)} classes"
        raise InvalidInputError(
            f"the test documents have {noun} that no training document has: "
            f"{quote_names([documents.labels.classes[c] for c in untrained], 5)}"
        )


def _check_division(documents: Documents, division: Division, number: int) -> None:
    """Check that training and test documents are disjoint, not empty, and have two classes."""
    train, test = division.train, division.test
    if not len(train) or not len(test):
        raise InvalidInputError(f"split {number} has no {'test' if len(train) else 'training'} documents")
    shared = np.intersect1d(train, test)
    if len(shared):
        raise InvalidInputError(f"split {number} has document {shared[0]} in both training and test set")
    if documents.groups.size:
        n_shared = len(np.intersect1d(documents.groups[test], documents.groups[train]))
        if n_shared:
            raise InvalidInputError(
                f"split {number} has {n_shared} {'group' if n_shared == 1 else 'groups'} in both training "
                "and "
                "test set; split by groups, or leave the groups out"
            )
    in_train = documents.truth[train].any(axis=0)
    if documents.is_single and in_train.sum() < 2:
        name = documents.labels.classes[int(np.argmax(in_train))]
        raise InvalidInputError(f"split {number} has only one class in the training set, {name!r}")


def _split_by_cv(documents: Documents, cv: Any, seed: int) -> Split:
    """Return the split of a scikit-learn splitter, or of pairs of indices."""
    pairs = _split_indices(documents, cv)
    divisions = add_blocks(documents, [Division(*pair, seed) for pair in pairs], seed)
    runs, n = _splits_per_round(divisions), len(divisions)
    name = type(cv).__name__ if _is_splitter(cv) else "cv"
    description = f"{runs} {'split' if runs == 1 else 'splits'} of {name}"
    if n == 1:
        n_blocks = int(divisions[0].blocks.max()) + 1
        description += (
            f", ± by the jackknife over {n_blocks} blocks of {len(divisions[0].test):,} test documents"
        )
    return Split(description, n // runs, runs, lambda number: divisions[number * runs : (number + 1) * runs])


def _is_splitter(cv: Any) -> bool:
    # str and bytes have a method `split`, too
    return hasattr(cv, "split") and not isinstance(cv, str | bytes)


def _split_indices(documents: Documents, cv: Any) -> list[tuple[Array, Array]]:
    """Return pairs of training and test indices, checked."""
    if _is_splitter(cv):
        target = documents.target if documents.is_single else documents.truth * 1
        groups = documents.groups if documents.groups.size else None
        try:
            pairs = list(cv.split(np.zeros((len(documents), 1)), target, groups))
        except (ValueError, TypeError) as error:
            raise InvalidInputError(f"{type(cv).__name__} cannot split these documents: {error}") from error
    elif isinstance(cv, Iterable) and not isinstance(cv, str):
        pairs = list(cv)
    else:
        raise InvalidInputError(f"cv must be a scikit-learn splitter or pairs of indices, got {cv!r}")
    if not pairs or len(pairs) > MAX_SPLITS:
        raise InvalidInputError(f"cv must give 1 to {MAX_SPLITS:,} pairs of indices, got {len(pairs):,}")

    rows, checked = np.arange(len(documents)), []
    for number, pair in enumerate(pairs, 1):
        try:
            train, test = pair
        except (TypeError, ValueError) as error:
            raise InvalidInputError(
                f"pair {number} of cv must be training and test indices, got {pair!r}"
            ) from error
        indices = validate_indices(rows, train), validate_indices(rows, test)
        if any(len(np.unique(array)) < len(array) for array in indices):
            raise InvalidInputError(f"pair {number} of cv repeats a document index")
        checked.append(indices)
    return checked


def _splits_per_round(divisions: Sequence[Division]) -> int:
    """Return how many consecutive splits test no document twice, if always equal; otherwise all."""
    starts, tested = [0], set[int]()
    for number, division in enumerate(divisions):
        test = set(division.test.tolist())
        if tested & test:
            starts.append(number)
            tested = set()
        tested |= test
    lengths = np.diff([*starts, len(divisions)])
    return int(lengths[0]) if len(set(lengths.tolist())) == 1 else len(divisions)
