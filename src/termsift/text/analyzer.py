"""Analyzer: how a document becomes terms, as a value; and which token patterns the compiled scan follows."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from threading import local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from termsift.errors import InvalidInput, check_name, unknown

WORD = r"(?u)\b\w\w+\b"
CHARACTERS = ("char", "char_wb")
ANALYZERS = ("word", *CHARACTERS)
ACCENTS = ("ascii", "unicode")
LONGEST_RUN = 100  # tokens or characters of a term: the compiled scan counts them in eight bits
as_set = lru_cache(maxsize=64)(frozenset[str])
# a class of characters, written once or more, then + or {n,}; \b at both ends or at none
RUN = re.compile(
    r"(?:\(\?u\))?(?P<edge>\\b)?(?P<all>(?P<one>\\[wdS]|\[(?:[^\[\]\\]|\\.)+\])(?P=one)*)"
    r"(?P<more>\+|\{\d+,\})(?P<end>\\b)?"
)


@dataclass(frozen=True, slots=True)
class Analyzer:
    r"""Terms as scikit-learn's CountVectorizer finds them: words of two letters or more, in lower case.

    lowercase : bring the text to lower case first
    token_pattern : what a token looks like; with one group, the group is the token
    stop_words : tokens to leave out
    ngram_range : the shortest and longest run of tokens, or characters, that makes a term; at most 100
    strip_accents : "ascii" drops what is not ASCII once accents are taken apart, "unicode" the accents alone
    analyzer : "word", "char" for runs of characters, "char_wb" for those within words, or a function
    stemmer : a function from a token to its stem, or the name of a language of the package snowballstemmer

    Words in a pattern that is a run of characters of one kind (the default, r"\w+", "[a-z]+", ...) are
    found by the compiled scan, with n-grams and stop words, and so are runs of characters, which know no
    stop words and no stems; everything else is found by Python's `re`, which is many times slower and gives
    the same terms. A lone surrogate, which UTF-8 cannot write, counts as "?".

    >>> Analyzer()("The cat saw a cat.")
    ['the', 'cat', 'saw', 'cat']
    >>> Analyzer(stop_words=["the"], ngram_range=(1, 2))("The cat saw")
    ['cat', 'saw', 'cat saw']
    >>> Analyzer(analyzer="char_wb", ngram_range=(3, 3))("a cat")
    [' a ', ' ca', 'cat', 'at ']
    """

    lowercase: bool = True
    token_pattern: str = WORD
    stop_words: Iterable[str] = ()
    ngram_range: tuple[int, int] = (1, 1)
    strip_accents: str | None = None
    analyzer: str | Callable[[str], Iterable[str]] = "word"
    stemmer: str | Callable[[str], str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "stop_words", checked_words(self.stop_words))
        object.__setattr__(self, "ngram_range", checked_range(self.ngram_range))
        if not isinstance(self.lowercase, bool | int | np.bool_):
            raise InvalidInput(f"lowercase must be True or False, got {self.lowercase!r}")
        if not isinstance(self.token_pattern, str) or compiled(self.token_pattern).groups > 1:
            raise InvalidInput(
                f"token_pattern must be a text with one group at most, got {self.token_pattern!r}"
            )
        if not callable(self.analyzer):
            check_name("analyzer", self.analyzer, ANALYZERS)
        if self.strip_accents is not None:
            check_name("way to strip accents", self.strip_accents, ACCENTS)
        if isinstance(self.stemmer, str):
            stemmer_of(self.stemmer)
        elif self.stemmer is not None and not callable(self.stemmer):
            raise InvalidInput(f"stemmer must be a function or the name of a language, got {self.stemmer!r}")

    def __call__(self, document: str) -> list[str]:
        """The terms of a document, in order."""
        if callable(self.analyzer):
            return list(self.analyzer(document))
        text = without_surrogates(self.prepared(document))
        if self.analyzer == "char":
            return list(characters(re.sub(r"\s\s+", " ", text), *self.ngram_range))
        if self.analyzer == "char_wb":
            return [run for word in text.split() for run in within_word(f" {word} ", *self.ngram_range)]
        return self.words(text)

    def words(self, text: str) -> list[str]:
        """The tokens of a prepared text, less the stop words, stemmed, as n-grams."""
        tokens = compiled(self.token_pattern).findall(text)
        if self.stop_words:
            stops = as_set(self.stop_words)  # type: ignore[arg-type]
            tokens = [token for token in tokens if token not in stops]
        if self.stemmer is not None:
            stem = stemmer_of(self.stemmer) if isinstance(self.stemmer, str) else self.stemmer
            tokens = [stem(token) for token in tokens]
        return tokens if self.ngram_range == (1, 1) else list(ngrams(tokens, *self.ngram_range))

    def prepared(self, document: str) -> str:
        """The text in lower case, its accents stripped, as far as that is asked for."""
        text = document.lower() if self.lowercase else document
        if self.strip_accents is None or text.isascii():
            return text
        apart = unicodedata.normalize("NFKD", text)
        if self.strip_accents == "ascii":
            return apart.encode("ascii", "ignore").decode("ascii")
        return "".join([c for c in apart if not unicodedata.combining(c)])

    @property
    def settings(self) -> dict[str, Any] | None:
        """The settings of the CountVectorizer that finds the same terms; None where none does."""
        if self.stemmer is not None or callable(self.analyzer):
            return None
        names = ("lowercase", "token_pattern", "ngram_range", "strip_accents", "analyzer")
        own = {name: getattr(self, name) for name in names}
        return own | {"stop_words": list(self.stop_words) or None}

    @property
    def token_range(self) -> tuple[int, int]:
        """The shortest and longest run of tokens that makes a term; a run of characters is one token."""
        return self.ngram_range if self.analyzer == "word" else (1, 1)

    @property
    def is_compiled(self) -> bool:
        """Whether the compiled scan can follow this analyzer."""
        if self.analyzer in CHARACTERS:
            return True
        if self.analyzer != "word" or self.stemmer is not None:
            return False
        run = run_of(self.token_pattern)
        # the scan needs the zero byte for itself, and in n-grams a space that comes before all characters
        below = 1 if self.ngram_range[1] == 1 else ord(" ") + 1
        return run is not None and not run.member[:below].any()


def checked_words(words: Any) -> tuple[str, ...]:
    """Stop words in their one form, sorted, so that equal analyzers print alike."""
    if isinstance(words, str):
        raise InvalidInput(f"stop_words must be a list of words, got the string {words!r}")
    given = list(words) if isinstance(words, Iterable) else [words]
    strange = [word for word in given if not isinstance(word, str)]
    if strange:
        raise InvalidInput(f"stop_words must be a list of words, got {strange[0]!r}")
    return tuple(sorted(set(given)))


def checked_range(given: Any) -> tuple[int, int]:
    """The shortest and the longest run that makes a term."""
    ends = tuple(given) if isinstance(given, Iterable) else (given,)
    if len(ends) != 2 or not all(isinstance(end, int | np.integer) and end >= 1 for end in ends):
        raise InvalidInput(f"ngram_range must be two whole numbers that rise from at least 1, got {given!r}")
    low, high = int(ends[0]), int(ends[1])
    if low > high:
        raise InvalidInput(f"ngram_range must rise from at least 1, got {ends}")
    if high > LONGEST_RUN:
        raise InvalidInput(f"ngram_range may go up to {LONGEST_RUN}, got {ends}")
    return low, high


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A token is a longest run of at least `least` characters whose `member` is true."""

    member: NDArray[np.bool_]
    least: int


@lru_cache(maxsize=16)
def run_of(pattern: str) -> Run | None:
    r"""The run that a pattern describes, or None where only a regular expression can follow it.

    >>> run_of(r"(?u)\b\w\w+\b").least
    2
    >>> run_of(r"\w+@\w+") is None
    True
    """
    match = RUN.fullmatch(pattern)
    if match is None or bool(match["edge"]) != bool(match["end"]):
        return None
    # between letters and what is not there is always an edge; other kinds may meet without one
    if match["edge"] and match["one"] != r"\w":
        return None
    times = len(match["all"]) // len(match["one"])
    least = times if match["more"] == "+" else times - 1 + int(match["more"][1:-2])
    return Run(members(match["one"]), least) if least >= 1 else None


def members(kind: str) -> NDArray[np.bool_]:
    """Which of all code points match a class of characters, as Python's own `re` has it."""
    found = np.zeros(sys.maxunicode + 1, dtype=np.bool_)
    for match in re.finditer(f"(?:{kind})+", every_character()):
        found[match.start() : match.end()] = True
    return found


@lru_cache(maxsize=1)
def every_character() -> str:
    """All code points in order."""
    return "".join(map(chr, range(sys.maxunicode + 1)))


def without_surrogates(text: str) -> str:
    """The text, with a question mark for what UTF-8 cannot write."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def ngrams(tokens: list[str], low: int, high: int) -> Iterable[str]:
    """Runs of `low` to `high` tokens, the short ones first."""
    for n in range(low, min(high, len(tokens)) + 1):
        for i in range(len(tokens) - n + 1):
            yield " ".join(tokens[i : i + n])


def characters(text: str, low: int, high: int) -> Iterable[str]:
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


@lru_cache(maxsize=64)
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled."""
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise InvalidInput(f"token_pattern is not a regular expression: {pattern!r} ({error})") from error


@lru_cache(maxsize=8)
def stemmer_of(language: str) -> Callable[[str], str]:
    """The Snowball stemmer of a language ('porter' among them), which remembers what it has stemmed."""
    try:
        import snowballstemmer  # type: ignore[import-untyped]
    except ImportError as error:
        raise InvalidInput(
            f"stemmer={language!r} needs the package snowballstemmer; pip install snowballstemmer"
        ) from error
    if language not in snowballstemmer.algorithms():
        raise unknown("stemmer", language, snowballstemmer.algorithms())
    own = local()  # a stemmer holds the word it is at, so each thread has one

    def stem(word: str) -> str:
        if not hasattr(own, "stemmer"):
            own.stemmer = snowballstemmer.stemmer(language)
        return str(own.stemmer.stemWord(word))

    return lru_cache(maxsize=1 << 18)(stem)
