"""Scanner: texts through the compiled scan, with arrays that grow as they fill."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import numpy as np

from termsift._typing import Array
from termsift.text.analyzer import Analyzer
from termsift.text.lexicon import Lexicon
from termsift.text.terms import longer
from termsift.text.ways import AS_IT_IS, way_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Bags:
    """Documents as counts: codes[indptr[d]:indptr[d + 1]] are the terms of document d.

    A token stands as its number, an n-gram as -1 less its own.
    """

    indptr: Array
    codes: Array
    counts: Array


class Scanner:
    """A lexicon, and the scan that fills it or, frozen, looks terms up in it."""

    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer, self.way = analyzer, way_of(analyzer)
        # runs of characters have no stop words, as scikit-learn has it
        self.lexicon = Lexicon(tuple(analyzer.stop_words) if analyzer.analyzer == "word" else ())
        self.small = small_letters() if analyzer.lowercase else AS_IT_IS
        # entries of documents so far
        self.size = np.zeros(1, dtype=np.int64)
        self.codes, self.counts = np.empty(1 << 16, dtype=np.int32), np.empty(1 << 16, dtype=np.int32)

    def bags(self, documents: Sequence[str], *, frozen: bool = False) -> Bags:
        """The bags of documents."""
        # of accents that are stripped capitals may be left, as of a trade mark: they stay
        small = self.small if self.analyzer.strip_accents is None else AS_IT_IS
        return self.scan(*encoded(documents, self.analyzer), small, frozen=frozen)

    def scan(self, data: Array, starts: Array, small: Array | None = None, *, frozen: bool = False) -> Bags:
        """The bags of documents given as one run of bytes and where each begins.

        small : what becomes of each byte; without it, the bytes are ASCII as it came
        """
        from termsift.text._lexicon_kernel import DONE

        loop = self.way.loop(data, starts, self.small if small is None else small)
        indptr = np.zeros(len(starts), dtype=np.int64)
        self.size[0] = 0
        document, words = 0, self.lexicon
        while True:
            t = words.tokens
            status, document = loop(
                document, words.stops, *self.analyzer.token_range, frozen,
                t.arena, t.rows, t.table, t.sizes,
                words.parents, words.lasts, words.depths, words.pairs, words.size,
                indptr, self.codes, self.counts, self.size,
            )  # fmt: skip
            if status == DONE:
                break
            self.grow(status)
        n = self.size[0]
        return Bags(indptr, self.codes[:n].copy(), self.counts[:n].copy())

    def grow(self, status: int) -> None:
        """Double what is full."""
        from termsift.text._lexicon_kernel import NODES_FULL, TOKENS_FULL

        if status == TOKENS_FULL:
            self.lexicon.tokens.double()
        elif status == NODES_FULL:
            self.lexicon.make_nodes(max(2 * len(self.lexicon.parents), 1 << 13))
        else:
            self.codes = longer(self.codes, 2 * len(self.codes))
            self.counts = longer(self.counts, 2 * len(self.counts))

    def learn(self, words: Sequence[bytes]) -> Array:
        """Take in a vocabulary. Gives the code of each term."""
        return self.lexicon.learn(words, self.analyzer.token_range[1])

    def twin(self) -> Scanner:
        """A scanner for another thread, frozen like this one: it shares the words, not the scratch."""
        other = copy.copy(self)
        other.lexicon = copy.copy(self.lexicon)
        other.lexicon.tokens = copy.copy(self.lexicon.tokens)
        other.lexicon.tokens.table = self.lexicon.tokens.table.copy()
        other.lexicon.pairs, other.size = self.lexicon.pairs.copy(), self.size.copy()
        other.codes, other.counts = self.codes.copy(), self.counts.copy()
        return other


class Scanners:
    """A scanner for each thread, with a lexicon of its own, which are made one in the end.

    So a thread meets a word of its own for the first time once, not once a batch.
    """

    def __init__(self, analyzer: Analyzer, n_threads: int) -> None:
        self.all = [Scanner(analyzer) for _ in range(n_threads)]
        self.free = list(range(n_threads))

    @contextmanager
    def one(self) -> Iterator[tuple[int, Scanner]]:
        """A scanner nobody uses, and its number."""
        number = self.free.pop()
        yield number, self.all[number]
        self.free.append(number)

    def merged(self) -> tuple[Scanner, list[tuple[Array, Array]]]:
        """One scanner that knows the words of all, and what tokens and n-grams of each are called in it."""
        first, *others = self.all
        for scanner in others:
            scanner.lexicon.tokens.table = np.empty((0, 2), dtype=np.int64)  # the words are enough
        whole = first.lexicon
        own = np.arange(len(whole.tokens), dtype=np.int32), np.arange(int(whole.size[0]), dtype=np.int32)
        numbers = [own, *(whole.absorb(scanner.lexicon) for scanner in others)]
        self.all = [first]
        return first, numbers


@cache
def small_letters() -> Array:
    """(256,) each byte, capitals of ASCII made small."""
    return np.frombuffer(bytearray(range(256)).lower(), dtype=np.uint8)


def drained(items: list[T]) -> Iterator[T]:
    """The items, first to last, none of them kept."""
    items.reverse()
    while items:
        yield items.pop()


def with_prepared(data: Array, starts: Array, analyzer: Analyzer) -> tuple[Array, Array]:
    """Documents in UTF-8 as one run of bytes, those prepared that are not ASCII, and where each begins."""
    if data.max(initial=0) < 128:
        return data, starts
    raw: memoryview = data.data
    parts, done = list[bytes | memoryview](), 0
    sizes = np.diff(starts)
    filled = np.flatnonzero(sizes)
    # the largest byte of each document: those without any lie between others
    largest = np.maximum.reduceat(data, starts[filled])
    for i in filled[largest >= 128].tolist():
        first, last = int(starts[i]), int(starts[i + 1])
        ready = analyzer.prepared(bytes(raw[first:last]).decode()).encode("utf-8", "replace")
        parts += [raw[done:first], ready]
        sizes[i], done = len(ready), last
    joined = b"".join([*parts, raw[done:]])
    return np.frombuffer(joined, dtype=np.uint8), np.concatenate([[0], np.cumsum(sizes)])


def encoded(documents: Sequence[str], analyzer: Analyzer) -> tuple[Array, Array]:
    """Documents as one run of bytes, and where each begins.

    Capitals of ASCII are left to the scan; the others are Python's own matter, and all where accents are, or
    tags.
    """
    ready = prepared_texts(documents, analyzer)
    sizes = np.fromiter(map(len, ready), dtype=np.int64, count=len(ready))
    for i in not_ascii(ready):
        sizes[i] = len(ready[i].encode("utf-8", "replace"))
    raw = "".join(ready).encode("utf-8", "replace")
    return np.frombuffer(raw, dtype=np.uint8), np.concatenate([[0], np.cumsum(sizes)])


def prepared_texts(documents: Sequence[str], analyzer: Analyzer) -> list[str]:
    """The documents, each as it is where the scan needs no more of it."""
    if analyzer.strip_accents is not None or analyzer.html:
        return [analyzer.prepared(document) for document in documents]
    ready = list(documents)
    for i in not_ascii(ready):
        ready[i] = analyzer.prepared(ready[i])
    return ready


def not_ascii(texts: list[str]) -> list[int]:
    """Which of the texts hold a character that is not ASCII."""
    return [i for i, is_ascii in enumerate(map(str.isascii, texts)) if not is_ascii]
