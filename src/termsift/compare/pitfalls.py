"""What misleads a comparison: copies across folds, classes too small, tokens that give labels away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.compare.copies import copied
from termsift.counts import Counts
from termsift.errors import listed
from termsift.experiment.documents import Documents
from termsift.experiment.splits import Split
from termsift.ranking import of_characters, without_parts

SHARE = 0.01  # of all documents that may be copies before it is said
# a token gives a class away that has it almost alone, and so do the words of the class's own name
PURE, COVERED = 0.98, 0.4  # of the token's documents in the class, and of the class's documents that hold it
NAME_PURE, NAME_COVERED = 0.9, 0.25  # the same for the name of the class
FEWEST = 10  # documents of a class that hold a token, for it to mean anything
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
    pairs = copied(documents.rows)
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


@dataclass(frozen=True, slots=True)
class Leak:
    """What gives a class away: in so many of its documents, and in so many others."""

    words: str
    name: str
    inside: int
    size: int
    outside: int

    def is_telling(self, documents: float, pure: float, covered: float) -> bool:
        """Whether it is nearly alone in the class and in much of it; not where the class is most of all."""
        share = self.inside / max(self.inside + self.outside, 1)
        wide = self.inside >= max(FEWEST, covered * self.size)
        return wide and share >= max(pure, 2 * self.size / documents)


def leaks_told(documents: Documents) -> Iterator[str]:
    """What gives classes away, if anything does, the widest first: one sentence for all."""
    names = named(documents)
    counts = documents.counts
    leaks = [[names[c]] if c in names else token_leaks(counts, c) for c in range(len(counts.classes))]
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


def token_leaks(counts: Counts, c: int, most: int = 1) -> list[Leak]:
    """The tokens that give a class away, those in most of its documents first; of n-grams the longest."""
    inside = counts.df[:, [c]].toarray().ravel()
    least = max(FEWEST, COVERED * counts.class_sizes[c])
    pure = np.flatnonzero((inside >= least) & (inside >= PURE * counts.term_df))
    if not len(pure):
        return []
    characters = of_characters(counts.analyzer)
    pure = pure[without_parts(counts.terms[pure], counts.term_df[pure], characters=characters)]
    top = pure[np.argsort(-inside[pure], kind="stable")[:most]]
    size, name = int(counts.class_sizes[c]), str(counts.classes[c])
    leaks = [
        Leak(str(counts.terms[t]), name, int(inside[t]), size, int(counts.term_df[t] - inside[t]))
        for t in top
    ]
    return [leak for leak in leaks if leak.is_telling(counts.documents, PURE, COVERED)]


def named(documents: Documents) -> dict[int, Leak]:
    """For each class whose documents hold its name, all words of it, what they give away."""
    place = {str(term).lower(): i for i, term in enumerate(documents.terms)}
    found = {}
    for c, name in enumerate(documents.labels.classes):
        words = list(dict.fromkeys(re.findall(r"\w\w+", str(name).lower())))
        if not words or any(word not in place for word in words):
            continue
        terms = documents.columns[:, [place[word] for word in words]]
        holding = reduce(np.intersect1d, np.split(terms.indices, terms.indptr[1:-1]))
        inside = len(np.intersect1d(holding, documents.labels.of(c)))
        size = int(documents.counts.class_sizes[c])
        leak = Leak(" ".join(words), str(name), inside, size, len(holding) - inside)
        if leak.is_telling(documents.counts.documents, NAME_PURE, NAME_COVERED):
            found[c] = leak
    return found
