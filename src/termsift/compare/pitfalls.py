"""What misleads a comparison: copies across folds, classes too small, tokens that give labels away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from termsift.compare.copies import copied
from termsift.compare.material import Material
from termsift.counts import Array
from termsift.errors import listed

PURE = 0.98  # the share of a token's documents that are of the class
COVERED = 0.4  # the share of the class's documents that hold it
NAME_PURE, NAME_COVERED = 0.9, 0.25  # the same for a token that is the name of the class
FEWEST = 10  # documents of a class that hold a token, for it to mean anything
MOST_TOLD = 4
SHARE = 0.01  # of all documents that may be copies before it is said


@dataclass(frozen=True, slots=True)
class Leak:
    """A token that gives a class away: in so many of its documents, and in so many others."""

    token: str
    name: str
    inside: int
    size: int
    outside: int


def warnings_of(material: Material, numbers: Array) -> list[str]:
    """Sentences: what misleads, how much, and what to do. `numbers` are the folds of the documents."""
    return [
        *small_classes(material, int(numbers.max()) + 1),
        *copies_across(material, numbers),
        *leak_sentences(leaks(material)),
        *without_terms(material),
    ]


def small_classes(material: Material, folds: int) -> Iterator[str]:
    """Classes with fewer documents than folds."""
    labels = material.labels
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


def copies_across(material: Material, numbers: Array) -> Iterator[str]:
    """Documents that have a copy in another fold: they are judged by what was learned from the copy."""
    pairs = copied(material.documents.rows)
    across = pairs[numbers[pairs[:, 0]] != numbers[pairs[:, 1]]]
    known = np.unique(across)
    if len(known) <= SHARE * len(numbers):
        return
    shown = ", ".join(f"{a} and {b}" for a, b in across[:3].tolist())
    yield (
        f"{len(known):,} of {len(numbers):,} documents ({len(known) / len(numbers):.0%}) have a copy or near "
        f"copy in another fold, such as documents {shown} (counted from 0). They are judged by what was "
        "learned from the copy, so all figures are too good for new documents. "
        "Drop the copies and compare again."
    )


def leak_sentences(found: list[Leak]) -> Iterator[str]:
    """One sentence for all."""
    if not found:
        return
    told = [
        f"{leak.token!r} is in {leak.inside:,} of the {leak.size:,} documents of {leak.name!r} and in "
        f"{leak.outside:,} {'other' if leak.outside == 1 else 'others'}"
        for leak in found[:MOST_TOLD]
    ]
    more = "" if len(found) <= MOST_TOLD else f"; so with {len(found) - MOST_TOLD} more classes"
    yield (
        f"Single tokens give labels away: {'; '.join(told)}{more}. If whoever labels writes them, or the "
        "documents you want to label will lack them, remove them and compare again."
    )


def leaks(material: Material) -> list[Leak]:
    """For each class the token that gives it away most, if one does; the widest first."""
    counts = material.counts
    by_class = counts.df.tocsc()
    found = []
    for c, name in enumerate(counts.classes):
        span = slice(by_class.indptr[c], by_class.indptr[c + 1])
        terms, inside = by_class.indices[span], by_class.data[span]
        size = int(counts.class_sizes[c])
        pure, covered = inside / counts.term_df[terms], inside / max(size, 1)
        named = np.isin(terms, name_tokens(material, str(name)))
        telling = np.where(
            named,
            (pure >= NAME_PURE) & (covered >= NAME_COVERED),
            (pure >= PURE) & (covered >= COVERED),
        ) & (inside >= FEWEST)
        # a token in most documents of a class that is itself most documents tells little
        telling &= pure >= 2 * size / counts.documents
        if telling.any():
            top = np.flatnonzero(telling)[np.argmax((inside * telling)[telling])]
            others = int(counts.term_df[terms[top]] - inside[top])
            found.append(Leak(str(counts.terms[terms[top]]), str(name), int(inside[top]), size, others))
    return sorted(found, key=lambda leak: -leak.inside / leak.size)


def name_tokens(material: Material, name: str) -> Array:
    """The places of terms that are the class's name, or its only word."""
    terms = material.documents.terms
    wanted = {name.lower(), re.sub(r"\W+", "", name.lower())}
    return np.array([i for i, term in enumerate(terms) if term.lower() in wanted], dtype=np.intp)


def without_terms(material: Material) -> Iterator[str]:
    """Documents in which no term was found."""
    empty = int(np.count_nonzero(np.diff(material.documents.rows.indptr) == 0))
    if empty:
        noun, have = ("document", "has") if empty == 1 else ("documents", "have")
        yield f"{empty:,} {noun} {have} no term at all; no metric can place them."
