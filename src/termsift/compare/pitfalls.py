"""What misleads a comparison: copies across folds, classes too small, tokens that give labels away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from termsift._internal.errors import listed
from termsift._internal.typing import Array
from termsift.analysis import find_duplicate_pairs, find_class_name_leaks, find_leaking_tokens
from termsift.engines import Documents
from termsift.evaluation import Split

SHARE = 0.01  # of all documents that may be copies before it is said
MOST_TOLD = 4


def warnings_of(documents: Documents, split: Split) -> list[str]:
    """Sentences: what misleads, how much, and what to do."""
    return [
        *(small_classes(documents, split.runs) if split.by_class else classes_missing(documents, split)),
        *copies_across(documents, split),
        *leaks_told(documents),
        *without_terms(documents),
    ]


def small_classes(documents: Documents, folds: int) -> Iterator[str]:
    """Classes with fewer documents than folds."""
    labels = documents.labels
    sizes = np.diff(labels.starts)
    small = [labels.classes[c] for c in np.flatnonzero((sizes > 0) & (sizes < folds))]
    if small:
        have = "class has" if len(small) == 1 else "classes have"
        why = f"{have} fewer documents than there are folds ({folds}), so some folds cannot judge"
        yield mostly_luck(small, why, "use fewer folds")


def classes_missing(documents: Documents, split: Split) -> Iterator[str]:
    """Classes that some run of a split cannot learn, or cannot judge."""
    whole = np.ones(len(documents.labels.classes), dtype=bool)
    for division in split.divisions(0):
        learned, judged = (documents.truth[part].any(axis=0) for part in (division.learned, division.judged))
        whole &= learned & judged
    small = [documents.labels.classes[c] for c in np.flatnonzero(documents.truth.any(axis=0) & ~whole)]
    if small:
        are = "class is" if len(small) == 1 else "classes are"
        why = f"{are} not on both sides of every run of this split, so some runs cannot learn or cannot judge"
        yield mostly_luck(small, why, "split otherwise")


def mostly_luck(classes: list[Any], why: str, way: str) -> str:
    """Of classes that are too small to be judged what is to be said, and what helps."""
    them, their = ("it", "Its") if len(classes) == 1 else ("them", "Their")
    return (
        f"{len(classes)} {why} {them}: {listed(classes, 5)}. {their} figures are mostly luck; "
        f"gather more documents, merge classes, or {way}."
    )


def copies_across(documents: Documents, split: Split) -> Iterator[str]:
    """Documents that have a copy among those learned from: they are judged by what was learned of it."""
    pairs = find_duplicate_pairs(documents.rows)
    across, known, judged = pairs_across(pairs, split, len(documents))
    if len(known) <= SHARE * len(judged):
        return
    shown = ", ".join(f"{a} and {b}" for a, b in across[:3].tolist())
    yield (
        f"{len(known):,} of {len(judged):,} documents ({len(known) / len(judged):.0%}) have a copy or near "
        f"copy {split.elsewhere}, such as documents {shown} (counted from 0). They are judged by what "
        "was learned from the copy, so all figures are too good for new documents. "
        "Compare again without the copies: --drop-copies, or drop_copies=True in Python."
    )


def pairs_across(pairs: Array, split: Split, size: int) -> tuple[Array, Array, Array]:
    """Pairs of which one is learned from where the other is judged; the documents so judged, and all judged.

    Of the first round.
    """
    across, (known, judged) = np.zeros(len(pairs), dtype=bool), np.zeros((2, size), dtype=bool)
    for division in split.divisions(0):
        here, there = np.zeros((2, size), dtype=bool)
        here[division.learned] = there[division.judged] = True
        judged |= there
        for one, other in (pairs.T, pairs.T[::-1]):
            leaks = here[one] & there[other]
            across |= leaks
            known[other[leaks]] = True
    return pairs[across], np.flatnonzero(known), np.flatnonzero(judged)


def without_terms(documents: Documents) -> Iterator[str]:
    """Documents in which no term was found."""
    empty = int(np.count_nonzero(np.diff(documents.rows.indptr) == 0))
    if empty:
        noun, have = ("document", "has") if empty == 1 else ("documents", "have")
        yield f"{empty:,} {noun} {have} no term at all; no metric can place them."


def leaks_told(documents: Documents) -> Iterator[str]:
    """What gives classes away, if anything does, the widest first: one sentence for all."""
    names = find_class_name_leaks(documents)
    counts = documents.counts
    leaks = [[names[c]] if c in names else find_leaking_tokens(counts, c) for c in range(len(counts.classes))]
    found = sorted((leak for own in leaks for leak in own), key=lambda leak: -leak.inside / leak.size)
    if not found:
        return
    told = [
        f"{leak.words!r} is in {leak.inside:,} of the {leak.size:,} documents of {leak.name!r} and in "
        f"{leak.outside:,} {'other' if leak.outside == 1 else 'others'}"
        for leak in found[:MOST_TOLD]
    ]
    more = "" if len(found) <= MOST_TOLD else f"; so with {len(found) - MOST_TOLD} more classes"
    yield (
        f"Single tokens give labels away: {'; '.join(told)}{more}. If whoever labels writes them, or the "
        "documents you want to label will lack them, remove them and compare again."
    )
