"""The ways from bytes to tokens: each gives the compiled loop over some documents.

A loop takes the document to begin with, then the arrays that every scan has: see `Scanner.scan`.
`small` says what becomes of each byte of the text; bytes from 128 on stay as they are.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Protocol, TypeAlias, TypeVar

import numpy as np

from termsift._internal.typing import Array
from termsift.text.analyzer import DEFAULT_TOKEN_PATTERN, Analyzer
from termsift.text.characters import Characters, characters_matching
from termsift.text.lexicon import Lexicon, grow_array
from termsift.text.word_patterns import Run, parse_run

# bytes of documents and where each begins -> bytes, (tokens, 2) edges in them, where those of each begin
Finder: TypeAlias = Callable[[Array, Array], tuple[Array, Array, Array]]
Loop: TypeAlias = partial[tuple[int, int]]
# the first byte of U+0300, before which there are no marks and no scripts without spaces
FIRST_MARK = 0xCC
AS_IT_IS = np.arange(256, dtype=np.uint8)


class Way(Protocol):
    """How the tokens of documents are found."""

    def loop(self, data: Array, starts: Array, small: Array) -> Loop:
        """The loop over documents given as one run of bytes and where each begins."""


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """Tokens are the longest runs of characters of one kind."""

    run: Run

    def loop(self, data: Array, starts: Array, small: Array) -> Loop:
        """The loop that finds tokens as it counts them."""
        from termsift.text._scan_kernel import scan

        letter = np.zeros(256, dtype=np.uint8)
        # the pattern is asked of the text in lower case
        letter[:128] = np.where(self.run.member[small[:128]], small[:128], 0)
        return partial(scan, data, starts, None, self.run.member, letter, self.run.min_length, None)


@dataclass(frozen=True, slots=True, eq=False)
class EdgeTokenizer:
    """Tokens are where a finder says."""

    find: Finder

    def loop(self, data: Array, starts: Array, small: Array) -> Loop:
        """The loop over what was found."""
        from termsift.text._scan_kernel import scan

        data, edges, edge_indptr = self.find(data, starts)
        return partial(scan, data, edge_indptr, edges, None, small, 1, None)


@dataclass(frozen=True, slots=True, eq=False)
class AutoWords:
    """Tokens are those of words="auto": runs, where the texts have nothing that needs more."""

    hashtags: bool
    least: int

    def loop(self, data: Array, starts: Array, small: Array) -> Loop:
        """The loop over runs, or over the words that were found."""
        if not self.hashtags and are_runs_enough(data):
            return runs_of(DEFAULT_TOKEN_PATTERN, self.least).loop(data, starts, small)
        from termsift.text._words_kernel import find_auto_words
        from termsift.text.characters import class_bits

        bits = class_bits("auto")
        find = partial(find_auto_words, does=bits, hashtags=self.hashtags, least=self.least)
        return EdgeTokenizer(find).loop(data, starts, small)


@dataclass(frozen=True, slots=True, eq=False)
class UnicodeWords:
    """Tokens are those of words="unicode"."""

    hashtags: bool
    least: int

    def loop(self, data: Array, starts: Array, small: Array) -> Loop:
        """The loop over the words that were found."""
        from termsift.text._words_kernel import find_unicode_words
        from termsift.text.characters import class_bits

        find = partial(
            find_unicode_words, does=class_bits("unicode"), hashtags=self.hashtags, least=self.least
        )
        return EdgeTokenizer(find).loop(data, starts, small)


def are_runs_enough(data: Array) -> bool:
    """Whether scikit-learn's pattern finds the words of these texts: no marks, only scripts with spaces."""
    if data.max(initial=0) < FIRST_MARK:
        return True
    from termsift.text._words_kernel import holds
    from termsift.text.characters import BEYOND_WORD_PATTERN, class_bits

    return not holds(data, class_bits("auto"), BEYOND_WORD_PATTERN)


@dataclass(frozen=True, slots=True, eq=False)
class TextCharacters:
    """Tokens are runs of characters."""

    shortest: int
    longest: int

    def loop(self, data: Array, starts: Array, small: Array) -> Loop:
        """The loop over texts."""
        from termsift.text._words_kernel import find_texts

        found = find_texts(data, starts, white_space(), small, self.shortest)
        return character_loop(found, self.shortest, self.longest)


@dataclass(frozen=True, slots=True, eq=False)
class WordCharacters:
    """Tokens are runs of characters within words, each with a blank before and behind."""

    shortest: int
    longest: int

    def loop(self, data: Array, starts: Array, small: Array) -> Loop:
        """The loop over words."""
        from termsift.text._words_kernel import find_words

        found = find_words(data, starts, white_space(), small)
        return character_loop(found, self.shortest, self.longest)


def character_loop(found: tuple[Array, Array, Array], shortest: int, longest: int) -> Loop:
    """The loop over runs of characters within edges, capitals already small."""
    from termsift.text._scan_kernel import scan

    data, edges, edge_indptr = found
    return partial(scan, data, edge_indptr, edges, None, AS_IT_IS, shortest, longest)


def way_of(analyzer: Analyzer) -> Way:
    """The way of an analyzer that the compiled scan can follow."""
    if analyzer.analyzer == "char":
        return TextCharacters(*analyzer.ngram_range)
    if analyzer.analyzer == "char_wb":
        return WordCharacters(*analyzer.ngram_range)
    if analyzer.words == "auto":
        return AutoWords(bool(analyzer.hashtags), analyzer.min_length)
    if analyzer.words == "unicode":
        return UnicodeWords(bool(analyzer.hashtags), analyzer.min_length)
    return runs_of(analyzer.token_pattern, analyzer.min_length)


def runs_of(pattern: str, least: int) -> Runs:
    """The way of a pattern that is a run, to tokens of at least so many characters."""
    run = parse_run(pattern)
    if run is None:
        raise AssertionError(f"the compiled scan cannot follow {pattern}")
    return Runs(Run(run.member, max(run.min_length, least)))


@cache
def white_space() -> Characters:
    """Which of all code points are white space."""
    return characters_matching(r"\s")


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

    def scan_texts(self, documents: Sequence[str], *, frozen: bool = False) -> Bags:
        """The bags of documents."""
        # of accents that are stripped capitals may be left, as of a trade mark: they stay
        small = self.small if self.analyzer.strip_accents is None else AS_IT_IS
        return self.scan_bytes(*encode_documents(documents, self.analyzer), small, frozen=frozen)

    def scan_bytes(
        self, data: Array, starts: Array, small: Array | None = None, *, frozen: bool = False
    ) -> Bags:
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
            self.codes = grow_array(self.codes, 2 * len(self.codes))
            self.counts = grow_array(self.counts, 2 * len(self.counts))

    def add_terms(self, words: Sequence[bytes]) -> Array:
        """Take in a vocabulary. Gives the code of each term."""
        return self.lexicon.add_terms(words, self.analyzer.token_range[1])

    def clone(self) -> Scanner:
        """A scanner for another thread, frozen like this one: it shares the words, not the scratch."""
        other = copy.copy(self)
        other.lexicon = copy.copy(self.lexicon)
        other.lexicon.tokens = copy.copy(self.lexicon.tokens)
        other.lexicon.tokens.table = self.lexicon.tokens.table.copy()
        other.lexicon.pairs, other.size = self.lexicon.pairs.copy(), self.size.copy()
        other.codes, other.counts = self.codes.copy(), self.counts.copy()
        return other


class ScannerPool:
    """A scanner for each thread, with a lexicon of its own, which are made one in the end.

    So a thread meets a word of its own for the first time once, not once a batch.
    """

    def __init__(self, analyzer: Analyzer, n_threads: int) -> None:
        self.all = [Scanner(analyzer) for _ in range(n_threads)]
        self.free = list(range(n_threads))

    @contextmanager
    def acquire(self) -> Iterator[tuple[int, Scanner]]:
        """A scanner nobody uses, and its number."""
        number = self.free.pop()
        yield number, self.all[number]
        self.free.append(number)

    def merge(self) -> tuple[Scanner, list[tuple[Array, Array]]]:
        """One scanner that knows the words of all, and what tokens and n-grams of each are called in it."""
        first, *others = self.all
        for scanner in others:
            scanner.lexicon.tokens.table = np.empty((0, 2), dtype=np.int64)  # the words are enough
        whole = first.lexicon
        own = np.arange(len(whole.tokens), dtype=np.int32), np.arange(int(whole.size[0]), dtype=np.int32)
        numbers = [own, *(whole.merge(scanner.lexicon) for scanner in others)]
        self.all = [first]
        return first, numbers


@cache
def small_letters() -> Array:
    """(256,) each byte, capitals of ASCII made small."""
    return np.frombuffer(bytearray(range(256)).lower(), dtype=np.uint8)


def consume(items: list[T]) -> Iterator[T]:
    """The items, first to last, none of them kept."""
    items.reverse()
    while items:
        yield items.pop()


def preprocess_bytes(data: Array, starts: Array, analyzer: Analyzer) -> tuple[Array, Array]:
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
        ready = analyzer.preprocess(bytes(raw[first:last]).decode()).encode("utf-8", "replace")
        parts += [raw[done:first], ready]
        sizes[i], done = len(ready), last
    joined = b"".join([*parts, raw[done:]])
    return np.frombuffer(joined, dtype=np.uint8), np.concatenate([[0], np.cumsum(sizes)])


def encode_documents(documents: Sequence[str], analyzer: Analyzer) -> tuple[Array, Array]:
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
        return [analyzer.preprocess(document) for document in documents]
    ready = list(documents)
    for i in not_ascii(ready):
        ready[i] = analyzer.preprocess(ready[i])
    return ready


def not_ascii(texts: list[str]) -> list[int]:
    """Which of the texts hold a character that is not ASCII."""
    return [i for i, is_ascii in enumerate(map(str.isascii, texts)) if not is_ascii]
