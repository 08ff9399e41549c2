"""Scanners that turn documents into counts of tokens and n-grams, using kernels.

A tokenizer finds the tokens in the bytes of documents; a scanner counts them and fills a lexicon.
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
from termsift.text.characters import BEYOND_WORD_PATTERN, characters_matching, class_bits
from termsift.text.lexicon import Lexicon, grow_array
from termsift.text.word_patterns import Run, parse_run

# (bytes, start of each document) -> (bytes, (tokens, 2) edges, start of each document among the edges)
EdgeFinder: TypeAlias = Callable[[Array, Array], tuple[Array, Array, Array]]
# scan kernel with the arguments of the tokenizer bound; see `Scanner.scan_bytes` for the others
BoundScan: TypeAlias = partial[tuple[int, int]]
# first byte of U+0300, below which there are neither marks nor scripts without spaces
FIRST_MARK = 0xCC
IDENTITY = np.arange(256, dtype=np.uint8)
T = TypeVar("T")


class Tokenizer(Protocol):
    """Strategy to find the tokens of documents."""

    def bind_scan(self, data: Array, starts: Array, lowercase: Array) -> BoundScan:
        """Return the scan of documents given as joined bytes and the start of each document.

        lowercase : (256,) table that maps each byte to its lowercase form
        """


@dataclass(frozen=True, slots=True, eq=False)
class RunTokenizer:
    """Tokenizer whose tokens are maximal runs of characters of one class."""

    run: Run

    def bind_scan(self, data: Array, starts: Array, lowercase: Array) -> BoundScan:
        """Return the scan that finds runs while it counts."""
        from termsift.text._scan_kernel import scan

        letter = np.zeros(256, dtype=np.uint8)
        # the pattern applies to the lowercased text
        letter[:128] = np.where(self.run.member[lowercase[:128]], lowercase[:128], 0)
        return partial(scan, data, starts, None, self.run.member, letter, self.run.min_length, None)


@dataclass(frozen=True, slots=True, eq=False)
class EdgeTokenizer:
    """Tokenizer whose tokens are found by a function before they are counted."""

    find: EdgeFinder

    def bind_scan(self, data: Array, starts: Array, lowercase: Array) -> BoundScan:
        """Return the scan of the tokens between the edges."""
        from termsift.text._scan_kernel import scan

        data, edges, indptr = self.find(data, starts)
        return partial(scan, data, indptr, edges, None, lowercase, 1, None)


@dataclass(frozen=True, slots=True, eq=False)
class WordTokenizer:
    """Tokenizer of words="auto" and words="unicode"."""

    words: str
    hashtags: bool
    min_length: int

    def bind_scan(self, data: Array, starts: Array, lowercase: Array) -> BoundScan:
        """Return the scan of words, or the faster one of runs if the texts need no more."""
        if self.words == "auto" and not self.hashtags and are_words_runs(data):
            tokenizer = create_run_tokenizer(DEFAULT_TOKEN_PATTERN, self.min_length)
            return tokenizer.bind_scan(data, starts, lowercase)
        from termsift.text._words_kernel import find_auto_words, find_unicode_words

        classes = class_bits(self.words)
        kernel = find_auto_words if self.words == "auto" else find_unicode_words
        find = partial(kernel, classes=classes, hashtags=self.hashtags, min_length=self.min_length)
        return EdgeTokenizer(find).bind_scan(data, starts, lowercase)


def are_words_runs(data: Array) -> bool:
    """Return whether the default token pattern finds the words="auto" of these texts."""
    if data.max(initial=0) < FIRST_MARK:
        return True
    from termsift.text._words_kernel import has_class

    return not has_class(data, class_bits("auto"), BEYOND_WORD_PATTERN)


@dataclass(frozen=True, slots=True, eq=False)
class CharTokenizer:
    """Tokenizer whose tokens are n-grams of characters, within padded words if `is_padded`."""

    min_length: int
    max_length: int
    is_padded: bool

    def bind_scan(self, data: Array, starts: Array, lowercase: Array) -> BoundScan:
        """Return the scan of character n-grams in lowercased texts or words."""
        from termsift.text._scan_kernel import scan
        from termsift.text._words_kernel import collapse_whitespace, pad_words

        whitespace = characters_matching(r"\s")
        if self.is_padded:
            data, edges, indptr = pad_words(data, starts, whitespace, lowercase)
        else:
            data, edges, indptr = collapse_whitespace(data, starts, whitespace, lowercase, self.min_length)
        return partial(scan, data, indptr, edges, None, IDENTITY, self.min_length, self.max_length)


def create_tokenizer(analyzer: Analyzer) -> Tokenizer:
    """Return the tokenizer of an analyzer that has a kernel."""
    if analyzer.analyzer in ("char", "char_wb"):
        return CharTokenizer(*analyzer.ngram_range, is_padded=analyzer.analyzer == "char_wb")
    if analyzer.words == "sklearn":
        return create_run_tokenizer(analyzer.token_pattern, analyzer.min_length)
    return WordTokenizer(analyzer.words, bool(analyzer.hashtags), analyzer.min_length)


def create_run_tokenizer(pattern: str, min_length: int) -> RunTokenizer:
    """Return the tokenizer of a pattern that describes runs, for tokens of at least `min_length`."""
    run = parse_run(pattern)
    if run is None:
        raise AssertionError(f"the pattern {pattern} does not describe runs of characters")
    return RunTokenizer(Run(run.member, max(run.min_length, min_length)))


@dataclass(frozen=True, slots=True, eq=False)
class Bags:
    """Documents as bags of terms: codes[indptr[d]:indptr[d + 1]] are the terms of document d.

    The code of a token is its number t, that of an n-gram -1 - n.
    """

    indptr: Array
    codes: Array
    counts: Array


class Scanner:
    """Lexicon with the scan that extends it or, if frozen, only looks terms up in it."""

    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer, self.tokenizer = analyzer, create_tokenizer(analyzer)
        # as in scikit-learn, n-grams of characters have no stop words
        self.lexicon = Lexicon(tuple(analyzer.stop_words) if analyzer.analyzer == "word" else ())
        self.lowercase = ascii_lowercase_table() if analyzer.lowercase else IDENTITY
        self.size = np.zeros(1, dtype=np.int64)  # entries of `codes` and `counts` in use
        self.codes, self.counts = np.empty(1 << 16, dtype=np.int32), np.empty(1 << 16, dtype=np.int32)

    def scan_texts(self, documents: Sequence[str], *, frozen: bool = False) -> Bags:
        """Return the term counts of documents."""
        # stripping accents can produce uppercase letters, as from a trade mark sign: they stay, as in Python
        lowercase = self.lowercase if self.analyzer.strip_accents is None else IDENTITY
        return self.scan_bytes(*encode_documents(documents, self.analyzer), lowercase, frozen=frozen)

    def scan_bytes(
        self, data: Array, starts: Array, lowercase: Array | None = None, *, frozen: bool = False
    ) -> Bags:
        """Return the term counts of documents given as joined bytes and the start of each document."""
        from termsift.text._lexicon_kernel import DONE

        scan = self.tokenizer.bind_scan(data, starts, self.lowercase if lowercase is None else lowercase)
        indptr = np.zeros(len(starts), dtype=np.int64)
        self.size[0] = 0
        document, lexicon = 0, self.lexicon
        while True:
            tokens = lexicon.tokens
            status, document = scan(
                document, lexicon.stops, *self.analyzer.token_range, frozen,
                tokens.arena, tokens.rows, tokens.table, tokens.sizes,
                lexicon.parents, lexicon.lasts, lexicon.depths, lexicon.pairs, lexicon.size,
                indptr, self.codes, self.counts, self.size,
            )  # fmt: skip
            if status == DONE:
                break
            self._double_full_array(status)
        n = self.size[0]
        return Bags(indptr, self.codes[:n].copy(), self.counts[:n].copy())

    def _double_full_array(self, status: int) -> None:
        from termsift.text._lexicon_kernel import NODES_FULL, TOKENS_FULL

        if status == TOKENS_FULL:
            self.lexicon.tokens.double()
        elif status == NODES_FULL:
            self.lexicon.reserve_nodes(max(2 * len(self.lexicon.parents), 1 << 13))
        else:
            self.codes = grow_array(self.codes, 2 * len(self.codes))
            self.counts = grow_array(self.counts, 2 * len(self.counts))

    def add_terms(self, terms: Sequence[bytes]) -> Array:
        """Add a vocabulary and return the code of each term."""
        return self.lexicon.add_terms(terms, self.analyzer.token_range[1])

    def clone(self) -> Scanner:
        """Return a frozen scanner for another thread that shares the terms but not the mutable tables."""
        scanner = copy.copy(self)
        scanner.lexicon = copy.copy(self.lexicon)
        scanner.lexicon.tokens = copy.copy(self.lexicon.tokens)
        scanner.lexicon.tokens.table = self.lexicon.tokens.table.copy()
        scanner.lexicon.pairs, scanner.size = self.lexicon.pairs.copy(), self.size.copy()
        scanner.codes, scanner.counts = self.codes.copy(), self.counts.copy()
        return scanner


class ScannerPool:
    """Scanners for several threads, each with its lexicon, which are merged at the end.

    So a thread meets a new word once, not once per batch.
    """

    def __init__(self, analyzer: Analyzer, n_threads: int) -> None:
        self.all = [Scanner(analyzer) for _ in range(n_threads)]
        self.free = list(range(n_threads))

    @contextmanager
    def acquire(self) -> Iterator[tuple[int, Scanner]]:
        """Yield the index of an unused scanner, and the scanner."""
        number = self.free.pop()
        yield number, self.all[number]
        self.free.append(number)

    def merge(self) -> tuple[Scanner, list[tuple[Array, Array]]]:
        """Return one scanner with the terms of all, and the new token and n-gram numbers of each."""
        first, *others = self.all
        for scanner in others:
            # only the terms are needed: free the memory of the tables
            scanner.lexicon.tokens.table = np.empty((0, 2), dtype=np.int64)
        lexicon = first.lexicon
        n_tokens, n_nodes = len(lexicon.tokens), int(lexicon.size[0])
        identity = np.arange(n_tokens, dtype=np.int32), np.arange(n_nodes, dtype=np.int32)
        numbers = [identity, *(lexicon.merge(scanner.lexicon) for scanner in others)]
        self.all = [first]
        return first, numbers


@cache
def ascii_lowercase_table() -> Array:
    """Return the (256,) table that lowercases ASCII bytes."""
    return np.frombuffer(bytearray(range(256)).lower(), dtype=np.uint8)


def consume(items: list[T]) -> Iterator[T]:
    """Yield the items in order and remove them from the list, to free their memory."""
    items.reverse()
    while items:
        yield items.pop()


def preprocess_bytes(data: Array, starts: Array, analyzer: Analyzer) -> tuple[Array, Array]:
    """Return joined UTF-8 documents, the non-ASCII ones preprocessed, and the start of each."""
    if data.max(initial=0) < 128:
        return data, starts
    raw: memoryview = data.data
    chunks, n_copied = list[bytes | memoryview](), 0
    sizes = np.diff(starts)
    nonempty = np.flatnonzero(sizes)
    # reduceat needs nonempty segments
    largest_bytes = np.maximum.reduceat(data, starts[nonempty])
    for i in nonempty[largest_bytes >= 128].tolist():
        first, last = int(starts[i]), int(starts[i + 1])
        text = analyzer.preprocess(bytes(raw[first:last]).decode()).encode("utf-8", "replace")
        chunks += [raw[n_copied:first], text]
        sizes[i], n_copied = len(text), last
    joined = b"".join([*chunks, raw[n_copied:]])
    return np.frombuffer(joined, dtype=np.uint8), np.concatenate([[0], np.cumsum(sizes)])


def encode_documents(documents: Sequence[str], analyzer: Analyzer) -> tuple[Array, Array]:
    """Return preprocessed documents as joined UTF-8 bytes, and the start of each.

    The scan lowercases ASCII; Python preprocesses the rest, and all texts if accents or tags are removed.
    """
    needs_python = analyzer.strip_accents is not None or analyzer.html
    texts = [analyzer.preprocess(text) if needs_python or not text.isascii() else text for text in documents]
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    for i, text in enumerate(texts):
        if not text.isascii():
            sizes[i] = len(text.encode("utf-8", "replace"))
    raw = "".join(texts).encode("utf-8", "replace")
    return np.frombuffer(raw, dtype=np.uint8), np.concatenate([[0], np.cumsum(sizes)])
