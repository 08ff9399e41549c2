"""Tokens that give labels away: one that a class has almost alone, or the words of the class's own name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from termsift._typing import Array
from termsift.counts import Counts
from termsift.experiment.documents import Documents

PURE, COVERED = 0.98, 0.4  # of the token's documents in the class, and of the class's documents that hold it
NAME_PURE, NAME_COVERED = 0.9, 0.25  # the same for the name of the class
FEWEST = 10  # documents of a class that hold a token, for it to mean anything
MOST_TOLD = 4


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


def leaks(documents: Documents) -> list[Leak]:
    """For each class what gives it away, if anything does; the widest first."""
    names = named(documents)
    found = [names.get(c) or token_leak(documents.counts, c) for c in range(len(documents.counts.classes))]
    return sorted((leak for leak in found if leak is not None), key=lambda leak: -leak.inside / leak.size)


def token_leak(counts: Counts, c: int) -> Leak | None:
    """The token that gives a class away in most of its documents, if one does."""
    inside = counts.df[:, [c]].toarray().ravel()
    pure = np.flatnonzero((inside > 0) & (inside >= PURE * counts.term_df))
    if not len(pure):
        return None
    top = pure[np.argmax(inside[pure])]
    outside = int(counts.term_df[top] - inside[top])
    leak = Leak(
        str(counts.terms[top]), str(counts.classes[c]), int(inside[top]), int(counts.class_sizes[c]), outside
    )
    return leak if leak.is_telling(counts.documents, PURE, COVERED) else None


def named(documents: Documents) -> dict[int, Leak]:
    """For each class whose documents hold its name, all words of it, what they give away."""
    columns = csc_array(documents.rows)
    place = {str(term).lower(): i for i, term in enumerate(documents.terms)}
    found = {}
    for c, name in enumerate(documents.labels.classes):
        words = list(dict.fromkeys(re.findall(r"\w\w+", str(name).lower())))
        if not words or any(word not in place for word in words):
            continue
        holding = with_all(columns, [place[word] for word in words])
        inside = len(np.intersect1d(holding, documents.labels.of(c)))
        size = int(documents.counts.class_sizes[c])
        leak = Leak(" ".join(words), str(name), inside, size, len(holding) - inside)
        if leak.is_telling(documents.counts.documents, NAME_PURE, NAME_COVERED):
            found[c] = leak
    return found


def with_all(columns: csc_array[Any], terms: list[int]) -> Array:
    """The documents that hold all of the terms."""
    holding = [columns.indices[columns.indptr[term] : columns.indptr[term + 1]] for term in terms]
    together = holding[0]
    for more in holding[1:]:
        together = np.intersect1d(together, more)
    return together


def leak_sentences(found: list[Leak]) -> Iterator[str]:
    """One sentence for all."""
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
