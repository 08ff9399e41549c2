"""Runs of tokens and of characters."""

from __future__ import annotations

from collections.abc import Iterable


def ngrams(tokens: list[str], low: int, high: int) -> Iterable[str]:
    """Runs of `low` to `high` tokens, the short ones first."""
    for n in range(low, min(high, len(tokens)) + 1):
        for i in range(len(tokens) - n + 1):
            yield " ".join(tokens[i : i + n])


def character_runs(text: str, low: int, high: int) -> Iterable[str]:
    """Runs of `low` to `high` characters."""
    for n in range(low, min(high, len(text)) + 1):
        for i in range(len(text) - n + 1):
            yield text[i : i + n]


def within_word(word: str, low: int, high: int) -> Iterable[str]:
    """Runs of characters of a word; one that is shorter than a run is taken once, whole."""
    for n in range(low, high + 1):
        yield from (word[i : i + n] for i in range(max(len(word) - n, 0) + 1))
        if n >= len(word):
            return
