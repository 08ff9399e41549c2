"""The ways from bytes to tokens: each gives the compiled loop over some documents.

A loop takes the document to begin with, then the arrays that every scan has: see `Scanner.scan`.
`small` says what becomes of each byte of the text; bytes from 128 on stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Protocol, TypeAlias

import numpy as np

from termsift._typing import Array
from termsift.text.analyzer import WORD, Analyzer
from termsift.text.scripts.characters import Characters, matching
from termsift.text.scripts.runs import Run, run_of

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
        return partial(scan, data, starts, None, self.run.member, letter, self.run.least, None)


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
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
            return runs_of(WORD, self.least).loop(data, starts, small)
        from termsift.text.scripts._words_kernel import find_auto_words
        from termsift.text.scripts.word_bits import word_bits

        bits = word_bits("auto")
        find = partial(find_auto_words, does=bits, hashtags=self.hashtags, least=self.least)
        return Edges(find).loop(data, starts, small)


@dataclass(frozen=True, slots=True, eq=False)
class UnicodeWords:
    """Tokens are those of words="unicode"."""

    hashtags: bool
    least: int

    def loop(self, data: Array, starts: Array, small: Array) -> Loop:
        """The loop over the words that were found."""
        from termsift.text.scripts._words_kernel import find_unicode_words
        from termsift.text.scripts.word_bits import word_bits

        find = partial(
            find_unicode_words, does=word_bits("unicode"), hashtags=self.hashtags, least=self.least
        )
        return Edges(find).loop(data, starts, small)


def are_runs_enough(data: Array) -> bool:
    """Whether scikit-learn's pattern finds the words of these texts: no marks, only scripts with spaces."""
    if data.max(initial=0) < FIRST_MARK:
        return True
    from termsift.text.scripts._words_kernel import holds
    from termsift.text.scripts.word_bits import MORE_THAN_RUNS, word_bits

    return not holds(data, word_bits("auto"), MORE_THAN_RUNS)


@dataclass(frozen=True, slots=True, eq=False)
class TextCharacters:
    """Tokens are runs of characters."""

    shortest: int
    longest: int

    def loop(self, data: Array, starts: Array, small: Array) -> Loop:
        """The loop over texts."""
        from termsift.text._characters_kernel import find_texts

        found = find_texts(data, starts, white_space(), small, self.shortest)
        return character_loop(found, self.shortest, self.longest)


@dataclass(frozen=True, slots=True, eq=False)
class WordCharacters:
    """Tokens are runs of characters within words, each with a blank before and behind."""

    shortest: int
    longest: int

    def loop(self, data: Array, starts: Array, small: Array) -> Loop:
        """The loop over words."""
        from termsift.text._characters_kernel import find_words

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
    run = run_of(pattern)
    if run is None:
        raise AssertionError(f"the compiled scan cannot follow {pattern}")
    return Runs(Run(run.member, max(run.least, least)))


@cache
def white_space() -> Characters:
    """Which of all code points are white space."""
    return matching(r"\s")
