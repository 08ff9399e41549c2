"""Accumulator: sums of batches of documents become Counts, terms kept as bytes until the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from termsift._typing import Array, as_terms
from termsift.border.class_names import sorted_classes
from termsift.counts import Counts
from termsift.engines.sums import Sums, emptied, summed_counts
from termsift.text.lexicon import Lexicon, Ranked, recoded


@dataclass(frozen=True, slots=True, eq=False)
class BatchSums:
    """The sums of one batch.

    lexicon : its tokens and n-grams
    by_class : for each class name its (codes, df, tf, tf2), codes of the lexicon
    every : the same over all documents; None where each is in one class, so that the classes add up to it
    sizes : for each class name its documents, or the sum of their weights; documents : of all
    """

    lexicon: Lexicon
    by_class: dict[Any, Sums]
    every: Sums | None
    sizes: dict[Any, float]
    documents: float


class Accumulator:
    """Parts that add up; terms are of at least `low` tokens."""

    def __init__(self, low: int, lexicon: Lexicon | None = None) -> None:
        self.low = low
        self.lexicon = Lexicon() if lexicon is None else lexicon
        self.single = True
        self.by_class: dict[Any, list[Sums]] = {}
        self.every: list[Sums] = []
        self.whole = True
        self.sizes: dict[Any, float] = {}
        self.documents: float = 0
        self.sums_bytes = 0

    def add(self, part: BatchSums) -> None:
        """Add a part."""
        tokens, nodes = self.lexicon.absorb(part.lexicon)
        self.lexicon.stops = part.lexicon.stops
        self.take(part, tokens, nodes)

    def take(self, part: BatchSums, tokens: Array, nodes: Array) -> None:
        """Add the sums of a part, given what its tokens and n-grams are called here."""

        def here(sums: Sums) -> Sums:
            codes, df, tf, tf2 = sums
            self.whole &= df.dtype.kind == "i"
            return recoded(codes, tokens, -1 - nodes), df, tf, tf2

        moved = {name: here(sums) for name, sums in part.by_class.items()}
        for name, sums in moved.items():
            self.by_class.setdefault(name, []).append(sums)
        self.single &= part.every is None
        every = list(moved.values()) if part.every is None else [here(part.every)]
        self.every += every
        self.sums_bytes += bytes_of([*moved.values(), *([] if part.every is None else every)])
        for name, size in part.sizes.items():
            self.sizes[name] = self.sizes.get(name, 0) + size
        self.documents += part.documents

    @property
    def nbytes(self) -> int:
        """The memory the words and the sums take."""
        words, tokens = self.lexicon, self.lexicon.tokens
        arrays: list[Array] = [tokens.arena, tokens.rows, tokens.table]
        arrays += [words.parents, words.lasts, words.pairs]
        return self.sums_bytes + sum(array.nbytes for array in arrays)

    def compact(self) -> None:
        """Add the parts of each class, so that a term stands once in each."""
        n_tokens = len(self.lexicon.tokens)
        adder, ranked = self.unsorted()

        def one(parts: list[Sums]) -> list[Sums]:
            places, df, tf, tf2 = adder.of(parts, ranked)
            return [narrow((np.where(places < n_tokens, places, n_tokens - 1 - places), df, tf, tf2))]

        self.by_class = {name: one(parts) for name, parts in self.by_class.items()}
        own = [sums for parts in self.by_class.values() for sums in parts]
        self.every = own if self.single else one(self.every)
        self.sums_bytes = bytes_of(own if self.single else own + self.every)

    def unsorted(self) -> tuple[Adder, Ranked]:
        """What adds parts in no order: tokens and n-grams are at their own numbers, tokens first."""
        n_tokens, n_nodes = len(self.lexicon.tokens), int(self.lexicon.size[0])
        every = np.arange(n_tokens + n_nodes, dtype=np.int32)
        return Adder(len(every), self.whole), Ranked([], every[:n_tokens], every[n_tokens:])

    def counts(self, analyzer: str | None, classes: tuple[Any, ...] | None = None) -> Counts:
        """The counts of all parts, terms in code-point order; classes sorted, unless they are given.

        The accumulator gives up what it holds.
        """
        classes = sorted_classes(self.sizes) if classes is None else classes
        sizes = [self.sizes.get(name, 0) for name in classes]
        ranked, self.lexicon = self.lexicon.ranked(self.low), Lexicon()
        terms, adder = as_terms(ranked.names), Adder(len(ranked.names), self.whole)
        every = None if self.single else adder.of(self.every, ranked)
        self.every.clear()
        columns = [adder.of(self.by_class.pop(name, []), ranked) for name in classes]
        return found_somewhere(summed_counts(terms, classes, self.documents, sizes, columns, every, analyzer))

    def clear(self) -> None:
        """Let words and sums go; what is known of the documents stays."""
        self.lexicon, self.by_class, self.every, self.sums_bytes = Lexicon(), {}, [], 0


class Adder:
    """The kernel that adds parts, with its scratch arrays."""

    def __init__(self, size: int, whole: bool) -> None:
        self.kind = np.int64 if whole else np.float64
        self.scratch = [np.zeros(size, dtype=self.kind) for _ in range(3)]
        self.touched = np.empty(size, dtype=np.int32)

    def of(self, parts: list[Sums], ranked: Ranked) -> Sums:
        """The sum of some parts, terms by their place, ascending."""
        from termsift.engines._sums_kernel import add_part

        n = 0
        for codes, df, tf, tf2 in parts:
            n = add_part(ranked.places(codes), df, tf, tf2, *self.scratch, self.touched, n)
        df, tf, tf2 = self.scratch
        return emptied(df, tf, tf2, self.touched, n)


def bytes_of(parts: list[Sums]) -> int:
    """The memory that sums take."""
    return sum(array.nbytes for part in parts for array in part)


def narrow(sums: Sums) -> Sums:
    """The same sums in half the memory, where they are whole and small enough."""
    codes, df, tf, tf2 = sums
    # no sum is above that of the squares
    if df.dtype.kind != "i" or tf2.max(initial=0) >= 2**31:
        return codes.astype(np.int32), df, tf, tf2
    return codes.astype(np.int32), df.astype(np.int32), tf.astype(np.int32), tf2.astype(np.int32)


def found_somewhere(counts: Counts) -> Counts:
    """The counts without terms that only documents of no weight hold."""
    found = counts.term_df > 0
    return counts if found.all() else counts.keep(np.flatnonzero(found))
