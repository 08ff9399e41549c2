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
from termsift.text.analyzer import Analyzer
from termsift.text.characters import Characters, matching
from termsift.text.runs import Run, run_of

# bytes of documents and where each begins -> bytes, (tokens, 2) edges in them, where those of each begin
Finder: TypeAlias = Callable[[Array, Array], tuple[Array, Array, Array]]
Loop: TypeAlias = partial[tuple[int, int]]
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
    run = run_of(analyzer.token_pattern)
    if run is None:
        raise AssertionError(f"the compiled scan cannot follow {analyzer}")
    return Runs(Run(run.member, max(run.least, analyzer.min_length)))


@cache
def white_space() -> Characters:
    """Which of all code points are white space."""
    return matching(r"\s")
