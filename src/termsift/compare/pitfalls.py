"""What misleads a comparison: copies across folds, classes too small, tokens that give labels away."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from termsift._typing import Array
from termsift.compare.copies import copied
from termsift.compare.leaks import leak_sentences, leaks
from termsift.errors import listed
from termsift.experiment.documents import Documents

SHARE = 0.01  # of all documents that may be copies before it is said


def warnings_of(documents: Documents, numbers: Array) -> list[str]:
    """Sentences: what misleads, how much, and what to do. `numbers` are the folds of the documents."""
    return [
        *small_classes(documents, int(numbers.max()) + 1),
        *copies_across(documents, numbers),
        *leak_sentences(leaks(documents)),
        *without_terms(documents),
    ]


def small_classes(documents: Documents, folds: int) -> Iterator[str]:
    """Classes with fewer documents than folds."""
    labels = documents.labels
    sizes = np.diff(labels.starts)
    small = [labels.classes[c] for c in np.flatnonzero((sizes > 0) & (sizes < folds))]
    if small:
        have = "has" if len(small) == 1 else "have"
        noun = "class" if len(small) == 1 else "classes"
        yield (
            f"{len(small)} {noun} {have} fewer documents than there are folds ({folds}), so some folds "
            f"cannot judge them: {listed(small, 5)}. Their figures are mostly luck; gather more documents, "
            "merge classes, or use fewer folds."
        )


def copies_across(documents: Documents, numbers: Array) -> Iterator[str]:
    """Documents that have a copy in another fold: they are judged by what was learned from the copy."""
    pairs = copied(documents.rows)
    across = pairs[numbers[pairs[:, 0]] != numbers[pairs[:, 1]]]
    known = np.unique(across)
    if len(known) <= SHARE * len(numbers):
        return
    shown = ", ".join(f"{a} and {b}" for a, b in across[:3].tolist())
    yield (
        f"{len(known):,} of {len(numbers):,} documents ({len(known) / len(numbers):.0%}) have a copy or near "
        f"copy in another fold, such as documents {shown} (counted from 0). They are judged by what "
        "was learned from the copy, so all figures are too good for new documents. "
        "Compare again without the copies: --drop-copies, or drop_copies=True in Python."
    )


def without_terms(documents: Documents) -> Iterator[str]:
    """Documents in which no term was found."""
    empty = int(np.count_nonzero(np.diff(documents.rows.indptr) == 0))
    if empty:
        noun, have = ("document", "has") if empty == 1 else ("documents", "have")
        yield f"{empty:,} {noun} {have} no term at all; no metric can place them."
