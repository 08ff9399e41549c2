"""Scanners that turn documents into counts of tokens and n-grams, using kernels.

A kernel finds the tokens in the bytes of documents; a scanner counts them and fills a lexicon.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias, TypeVar

import numpy as np

from termsift._internal.typing import Array
from termsift.text.analyzer import CHAR_ANALYZERS, Analyzer
from termsift.text.characters import BEYOND_WORD_PATTERN, characters_matching, class_bits, parse_run
from termsift.text.lexicon import Lexicon, grow_array

# scan kernel with the documents and the source of their tokens bound; see `Scanner.scan_bytes` for the others
BoundScan: TypeAlias = partial[tuple[int, int]]
# first byte of U+0300, below which there are neither marks nor scripts without spaces
FIRST_MARK = 0xCC
# tables from each byte to its lowercase form
IDENTITY = np.arange(256, dtype=np.uint8)
ASCII_LOWERCASE = np.frombuffer(bytearray(range(256)).lower(), dtype=np.uint8)
T = TypeVar("T")


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
        if not analyzer.has_kernel:
            raise AssertionError(f"the pattern of {analyzer} does not describe runs of characters")
        self.analyzer = analyzer
        # as in scikit-learn, n-grams of characters have no stop words
        self.lexicon = Lexicon(tuple(analyzer.stop_words) if analyzer.analyzer == "word" else ())
        self.lowercase = ASCII_LOWERCASE if analyzer.lowercase else IDENTITY
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
        lowercase = self.lowercase if lowercase is None else lowercase
        is_complex = self._find_complex(data, starts)
        if is_complex.all() or not is_complex.any():
            return self._count(
                self.bind_scan(data, starts, lowercase, bool(is_complex.any())), starts, frozen
            )
        # a few complex documents would slow down the scan of all others, in which spaces replace them
        rows = np.flatnonzero(is_complex)
        spans = [slice(starts[row], starts[row + 1]) for row in rows]
        texts, edges = [data[span] for span in spans], np.concatenate([[0], np.cumsum(np.diff(starts)[rows])])
        data = data.copy()
        for span in spans:
            data[span] = ord(" ")
        bags = self._count(self.bind_scan(data, starts, lowercase, False), starts, frozen)
        scan = self.bind_scan(np.concatenate(texts), edges, lowercase, True)
        extra = self._count(scan, edges, frozen)
        positions = np.repeat(bags.indptr[rows], np.diff(extra.indptr))
        sizes = np.diff(bags.indptr)
        sizes[rows] = np.diff(extra.indptr)
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        codes = np.insert(bags.codes, positions, extra.codes)
        return Bags(indptr, codes, np.insert(bags.counts, positions, extra.counts))

    def _find_complex(self, data: Array, starts: Array) -> Array:
        """Return which documents may have words that only a scan of whole words finds."""
        from termsift.text._words_kernel import documents_with_class

        analyzer = self.analyzer
        is_automatic = analyzer.analyzer == "word" and analyzer.words == "auto" and not analyzer.hashtags
        if not is_automatic or data.max(initial=0) < FIRST_MARK:
            return np.zeros(len(starts) - 1, dtype=bool)
        return np.asarray(documents_with_class(data, starts, class_bits("auto"), BEYOND_WORD_PATTERN))

    def _count(self, scan: BoundScan, starts: Array, frozen: bool) -> Bags:
        """Return the term counts that a scan finds."""
        from termsift.text._lexicon_kernel import DONE, NODES_FULL, TOKENS_FULL

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
            # the scan stops if an array is full, and continues with the same document
            if status == TOKENS_FULL:
                lexicon.tokens.double()
            elif status == NODES_FULL:
                lexicon.reserve_nodes(max(2 * len(lexicon.parents), 1 << 13))
            else:
                self.codes = grow_array(self.codes, 2 * len(self.codes))
                self.counts = grow_array(self.counts, 2 * len(self.counts))
        n = self.size[0]
        return Bags(indptr, self.codes[:n].copy(), self.counts[:n].copy())

    def bind_scan(self, data: Array, starts: Array, lowercase: Array, is_complex: bool) -> BoundScan:
        """Return the scan of documents, given as joined bytes and the start of each document.

        lowercase : (256,) table that maps each byte to its lowercase form
        is_complex : whether the default token pattern would miss words of words="auto"
        """
        from termsift.text import _words_kernel as kernels
        from termsift.text._scan_kernel import scan

        analyzer, words = self.analyzer, self.analyzer.words
        if analyzer.analyzer in CHAR_ANALYZERS:
            low, high = analyzer.ngram_range
            texts = data, starts, characters_matching(r"\s"), lowercase
            is_padded = analyzer.analyzer == "char_wb"
            tokens = kernels.pad_words(*texts) if is_padded else kernels.collapse_whitespace(*texts, low)
            data, edges, indptr = tokens
            return partial(scan, data, indptr, edges, None, IDENTITY, low, high)
        # without marks and scripts without spaces, the default token pattern finds the same words faster
        is_run = words == "sklearn" or (words == "auto" and not analyzer.hashtags and not is_complex)
        run = parse_run(analyzer.token_pattern) if is_run else None
        if run is not None:
            letter = np.zeros(256, dtype=np.uint8)
            # the pattern applies to the lowercased text
            letter[:128] = np.where(run.member[lowercase[:128]], lowercase[:128], 0)
            min_length = max(run.min_length, analyzer.min_length)
            return partial(scan, data, starts, None, run.member, letter, min_length, None)
        find_words = kernels.find_auto_words if words == "auto" else kernels.find_unicode_words
        options = class_bits(words), bool(analyzer.hashtags), analyzer.min_length
        data, edges, indptr = find_words(data, starts, *options)
        return partial(scan, data, indptr, edges, None, lowercase, 1, None)

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
    texts = list(documents)
    changes_ascii = analyzer.strip_accents is not None or analyzer.html
    for i, is_ascii in enumerate(map(str.isascii, documents)):
        if changes_ascii or not is_ascii:
            # a character of Latin-1 for each byte: such texts are joined and measured fast
            texts[i] = analyzer.preprocess(texts[i]).encode("utf-8", "replace").decode("latin-1")
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    raw = "".join(texts).encode("latin-1")
    return np.frombuffer(raw, dtype=np.uint8), np.concatenate([[0], np.cumsum(sizes)])
