"""Analyzer: how a document becomes terms, as a value."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from termsift.errors import InvalidInput

WORD = r"(?u)\b\w\w+\b"


@dataclass(frozen=True, slots=True)
class Analyzer:
    """Terms as scikit-learn's CountVectorizer finds them: words of two letters or more, in lower case.

    lowercase : bring the text to lower case first
    token_pattern : what a token looks like; with one group, the group is the token
    stop_words : tokens to leave out
    ngram_range : the shortest and longest run of tokens that makes a term, joined by a space

    >>> Analyzer()("The cat saw a cat.")
    ['the', 'cat', 'saw', 'cat']
    >>> Analyzer(stop_words=["the"], ngram_range=(1, 2))("The cat saw")
    ['cat', 'saw', 'cat saw']
    """

    lowercase: bool = True
    token_pattern: str = WORD
    stop_words: Iterable[str] = ()
    ngram_range: tuple[int, int] = (1, 1)

    def __post_init__(self) -> None:
        if isinstance(self.stop_words, str):
            raise InvalidInput(f"stop_words must be a list of words, got the string {self.stop_words!r}")
        # a value has one form: sorted, so that equal analyzers print alike
        object.__setattr__(self, "stop_words", tuple(sorted(set(self.stop_words))))
        object.__setattr__(self, "ngram_range", tuple(self.ngram_range))
        low, high = self.ngram_range
        if not 1 <= low <= high:
            raise InvalidInput(f"ngram_range must rise from at least 1, got {self.ngram_range}")
        if compiled(self.token_pattern).groups > 1:
            raise InvalidInput(f"token_pattern may have one group at most, got {self.token_pattern!r}")

    def __call__(self, document: str) -> list[str]:
        """The terms of a document, in order."""
        text = document.lower() if self.lowercase else document
        tokens = compiled(self.token_pattern).findall(text)
        if self.stop_words:
            stops = as_set(self.stop_words)  # type: ignore[arg-type]
            tokens = [token for token in tokens if token not in stops]
        return tokens if self.ngram_range == (1, 1) else list(ngrams(tokens, *self.ngram_range))


def ngrams(tokens: list[str], low: int, high: int) -> Iterable[str]:
    """Runs of `low` to `high` tokens, the short ones first."""
    for n in range(low, min(high, len(tokens)) + 1):
        for i in range(len(tokens) - n + 1):
            yield " ".join(tokens[i : i + n])


@lru_cache(maxsize=64)
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled."""
    try:
        return re.compile(pattern)
    except re.error as error:
        raise InvalidInput(f"token_pattern is not a regular expression: {pattern!r} ({error})") from error


@lru_cache(maxsize=64)
def as_set(words: tuple[str, ...]) -> frozenset[str]:
    """The words as a set."""
    return frozenset(words)
