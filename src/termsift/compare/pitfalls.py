"""Warnings about what makes a comparison misleading: duplicates, small classes, leaking tokens."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from termsift._internal.errors import quote_names
from termsift._internal.typing import Array
from termsift.analysis import find_class_name_leaks, find_duplicate_pairs, find_leaking_tokens
from termsift.engines import Documents
from termsift.evaluation import Split

TOLERATED_DUPLICATES = 0.01  # share of the test documents
MAX_LEAKS_LISTED = 4


def find_pitfalls(documents: Documents, split: Split) -> list[str]:
    """Return a sentence per problem, with its size and its remedy."""
    return [
        *_warn_of_small_classes(documents, split),
        *warn_of_duplicates(documents, split),
        *_warn_of_leaks(documents),
        *_warn_of_empty_documents(documents),
    ]


def _warn_of_small_classes(documents: Documents, split: Split) -> Iterator[str]:
    """Warn of classes that are missing in the training or test set of some fold."""
    labels = documents.labels
    if split.is_stratified:
        sizes = np.diff(labels.starts)
        incomplete = (sizes > 0) & (sizes < split.runs)
        reason, remedy = f"fewer documents than folds ({split.runs})", "use fewer folds"
    else:
        complete = np.ones(len(labels.classes), dtype=bool)
        for division in split.divisions(0):
            for indices in (division.train, division.test):
                complete &= documents.truth[indices].any(axis=0)
        incomplete = documents.truth.any(axis=0) & ~complete
        reason, remedy = "no documents in some training or test set", "change the split"
    small = [labels.classes[c] for c in np.flatnonzero(incomplete)]
    if small:
        have = "class has" if len(small) == 1 else "classes have"
        yield (
            f"{len(small)} {have} {reason}: {quote_names(small, 5)}. Scores of such classes are unreliable; "
            f"collect more documents, merge classes, or {remedy}."
        )


def warn_of_duplicates(documents: Documents, split: Split) -> Iterator[str]:
    """Warn if test documents have duplicates in the training set of their fold."""
    pairs = find_duplicate_pairs(documents.rows)
    leaking, duplicated, tested = _find_pairs_across(pairs, split, len(documents))
    if len(duplicated) <= TOLERATED_DUPLICATES * len(tested):
        return
    examples = ", ".join(f"{a} and {b}" for a, b in leaking[:3].tolist())
    yield (
        f"{len(duplicated):,} of {len(tested):,} documents ({len(duplicated) / len(tested):.0%}) have a "
        "duplicate "
        f"or near-duplicate {split.duplicate_location}, such as documents {examples} (counted from 0). These "
        "leak from training to test folds, so all scores are optimistic. "
        "Remove them with --drop-duplicates, or drop_duplicates=True in Python."
    )


def _find_pairs_across(pairs: Array, split: Split, size: int) -> tuple[Array, Array, Array]:
    """Find pairs with one document in the training set and one in the test set, in the first round.

    Returns the pairs, their test documents, and all test documents.
    """
    across = np.zeros(len(pairs), dtype=bool)
    duplicated, tested = np.zeros((2, size), dtype=bool)
    for division in split.divisions(0):
        in_train, in_test = np.zeros((2, size), dtype=bool)
        in_train[division.train] = in_test[division.test] = True
        tested |= in_test
        for first, second in (pairs.T, pairs.T[::-1]):
            leaks = in_train[first] & in_test[second]
            across |= leaks
            duplicated[second[leaks]] = True
    return pairs[across], np.flatnonzero(duplicated), np.flatnonzero(tested)


def _warn_of_leaks(documents: Documents) -> Iterator[str]:
    """Warn of tokens that reveal the label, those that cover most of a class first."""
    counts, by_class = documents.counts, find_class_name_leaks(documents)
    leaks = []
    for c in range(len(counts.classes)):
        leaks += [by_class[c]] if c in by_class else find_leaking_tokens(counts, c)
    if not leaks:
        return
    leaks.sort(key=lambda leak: -leak.inside / leak.size)
    examples = [
        f"{leak.words!r} is in {leak.inside:,} of {leak.size:,} documents of {leak.name!r} and in "
        f"{leak.outside:,} {'other' if leak.outside == 1 else 'others'}"
        for leak in leaks[:MAX_LEAKS_LISTED]
    ]
    if len(leaks) > MAX_LEAKS_LISTED:
        examples.append(f"{len(leaks) - MAX_LEAKS_LISTED} more")
    yield (
        f"Single tokens reveal labels: {'; '.join(examples)}. If they are part of the labelling, or missing "
        "in the "
        "documents you want to label, remove them and compare again."
    )


def _warn_of_empty_documents(documents: Documents) -> Iterator[str]:
    n_empty = int(np.count_nonzero(np.diff(documents.rows.indptr) == 0))
    if n_empty:
        yield f"{n_empty:,} {'document has' if n_empty == 1 else 'documents have'} no terms."
