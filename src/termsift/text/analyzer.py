"""Runs of tokens and of characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import lru_cache
from threading import local
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError, check_flags, check_name, unknown_name_error
from termsift._internal.expressions import parse_call
from termsift.text.word_patterns import longer_runs, parse_run


@lru_cache(maxsize=64)
def parse_analyzer(name: str | None) -> Analyzer | str | None:
    """The Analyzer that prints so; the name itself where that is something else."""
    if name is None or not name.startswith(f"{Analyzer.__name__}("):
        return name
    try:
        return Analyzer(**parse_call(name)[2])
    except (SyntaxError, ValueError, TypeError):
        return name


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


@lru_cache(maxsize=8)
def load_stemmer(language: str) -> Callable[[str], str]:
    """The Snowball stemmer of a language ('porter' among them), which remembers what it has stemmed."""
    try:
        import snowballstemmer  # type: ignore[import-untyped]
    except ImportError as error:
        raise InvalidInputError(
            f"stemmer={language!r} needs the package snowballstemmer; pip install snowballstemmer"
        ) from error
    if language not in snowballstemmer.algorithms():
        raise unknown_name_error("stemmer", language, snowballstemmer.algorithms())
    own = local()  # a stemmer holds the word it is at, so each thread has one

    def stem(word: str) -> str:
        if not hasattr(own, "stemmer"):
            own.stemmer = snowballstemmer.stemmer(language)
        return str(own.stemmer.stemWord(word))

    return lru_cache(maxsize=1 << 18)(stem)


DEFAULT_TOKEN_PATTERN = r"(?u)\b\w\w+\b"
CHAR_ANALYZERS = ("char", "char_wb")
ANALYZERS = ("word", *CHAR_ANALYZERS)
MODES = ("sklearn", "auto", "unicode")
ACCENTS = ("ascii", "unicode")
FORMS = ("NFC", "NFKC")
LONGEST_WORD = 1_000_000
MAX_NGRAM = 100  # tokens or characters of a term: the compiled scan counts them in eight bits
# all but ranges without marks, joiners and scripts without spaces: a text that has none of these characters
# is known, before what Unicode says of all of them is looked up, to have the words of WORD
BEYOND_WORD_PATTERN = re.compile(
    "[^\x00-\u02ff\u0370-\u0482\u048a-\u058f\u1e00-\u1fff\u2010-\u20cf\u2100-\u2bff\U0001f300-\U0001faff]"
)
as_set = lru_cache(maxsize=64)(frozenset[str])


@dataclass(frozen=True, slots=True, repr=False)
class Analyzer:
    r"""Turn a text into terms; by default those of CountVectorizer: lower-case words of two letters or more.

    lowercase : convert the text to lower case first
    token_pattern : the regular expression of a token; if it has one group, the group is the token
    stop_words : tokens to leave out, or the name of a language to use its list
    ngram_range : the shortest and longest run of tokens, or characters, that makes a term; at most 100
    strip_accents : "ascii" decomposes accents and drops non-ASCII characters, "unicode" drops accents only
    analyzer : "word", "char" for runs of characters, "char_wb" for runs within words, or a function
    stemmer : a function from a token to its stem, or the name of a language in the package snowballstemmer
    words : "sklearn" for words that match token_pattern; "auto" for the same with the combining marks of all
        scripts, and pairs of letters in scripts without spaces; "unicode" for UAX #29 words, including emoji
    normalize : "NFC" or "NFKC", the Unicode normalization applied first
    segmenter : a function that splits a run of a script without spaces into words, instead of letter pairs
    hashtags : keep #tags and @names as words
    html : remove tags, scripts and styles first, and resolve entities
    min_length : leave out words with fewer characters

    If the pattern is a run of characters of one kind (the default, r"\w+", "[a-z]+", ...), a compiled scan
    finds the words, n-grams and stop words. The same holds for the modes "auto" and "unicode" without a
    segmenter, and for runs of characters, which have no stop words or stems. Everything else uses Python's
    `re`, which gives the same terms but is many times slower.
    A lone surrogate, which UTF-8 cannot encode, counts as "?".

    >>> Analyzer()("The cat saw a cat.")
    ['the', 'cat', 'saw', 'cat']
    >>> Analyzer(stop_words=["the"], ngram_range=(1, 2))("The cat saw")
    ['cat', 'saw', 'cat saw']
    >>> Analyzer(analyzer="char_wb", ngram_range=(3, 3))("a cat")
    [' a ', ' ca', 'cat', 'at ']
    >>> Analyzer(words="auto")("यह अच्छी किताब, 東京都")
    ['यह', 'अच्छी', 'किताब', '東京', '京都']
    >>> Analyzer(words="unicode")("I don't pay $3.50 👍🏽")
    ['i', "don't", 'pay', '3.50', '👍🏽']
    """

    lowercase: bool = True
    token_pattern: str = DEFAULT_TOKEN_PATTERN
    stop_words: Iterable[str] = ()
    ngram_range: tuple[int, int] = (1, 1)
    strip_accents: str | None = None
    analyzer: str | Callable[[str], Iterable[str]] = "word"
    stemmer: str | Callable[[str], str] | None = None
    words: str = "sklearn"
    normalize: str | None = None
    segmenter: Callable[[str], Iterable[str]] | None = None
    hashtags: bool = False
    html: bool = False
    min_length: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "stop_words", checked_words(self.stop_words))
        object.__setattr__(self, "ngram_range", checked_range(self.ngram_range))
        check_flags(lowercase=self.lowercase, hashtags=self.hashtags, html=self.html)
        if not isinstance(self.token_pattern, str) or compiled(self.token_pattern).groups > 1:
            raise InvalidInputError(
                f"token_pattern must be a text with one group at most, got {self.token_pattern!r}"
            )
        if not callable(self.analyzer):
            check_name("analyzer", self.analyzer, ANALYZERS)
        if self.strip_accents is not None:
            check_name("way to strip accents", self.strip_accents, ACCENTS)
        if isinstance(self.stemmer, str):
            load_stemmer(self.stemmer)
        elif self.stemmer is not None and not callable(self.stemmer):
            raise InvalidInputError(
                f"stemmer must be a function or the name of a language, got {self.stemmer!r}"
            )
        check_word_options(self)

    def __call__(self, document: str) -> list[str]:
        """The terms of a document, in order."""
        if callable(self.analyzer):
            given = self.analyzer(document)
            if not isinstance(given, Iterable):
                raise InvalidInputError(
                    f"the analyzer gave {given!r} for a document; it must give a list of terms"
                )
            return list(given)
        text = replace_surrogates(self.preprocess(document))
        if self.analyzer == "char":
            return list(character_runs(re.sub(r"\s\s+", " ", text), *self.ngram_range))
        if self.analyzer == "char_wb":
            return [run for word in text.split() for run in within_word(f" {word} ", *self.ngram_range)]
        return self.word_terms(text)

    def word_terms(self, text: str) -> list[str]:
        """The n-grams of a prepared text: tokens without short ones and stop words, then stemmed."""
        tokens = self.tokens(text)
        if self.min_length > 1:
            tokens = [token for token in tokens if len(token) >= self.min_length]
        if self.stop_words:
            stops = as_set(self.stop_words)  # type: ignore[arg-type]
            tokens = [token for token in tokens if token not in stops]
        if self.stemmer is not None:
            stem = load_stemmer(self.stemmer) if isinstance(self.stemmer, str) else self.stemmer
            tokens = [stem(token) for token in tokens]
        return tokens if self.ngram_range == (1, 1) else list(ngrams(tokens, *self.ngram_range))

    def tokens(self, text: str) -> list[str]:
        """The words of a prepared text."""
        if (
            self.words == "auto"
            and not self.hashtags
            and (text.isascii() or not BEYOND_WORD_PATTERN.search(text))
        ):
            return compiled(DEFAULT_TOKEN_PATTERN).findall(text)
        if self.segmenter is None:
            return compiled(self.pattern).findall(text)
        from termsift.text.word_patterns import segmented_words

        return segmented_words(text, self.words, self.hashtags, self.segmenter)

    def preprocess(self, document: str) -> str:
        """The text with HTML removed, normalized, in lower case, without accents, as the options say."""
        if self.html:
            from termsift.text.html import plain_text

            document = plain_text(document)
        if self.normalize is not None and not document.isascii():
            document = unicodedata.normalize(self.normalize, document)  # type: ignore[arg-type]
        text = document.lower() if self.lowercase else document
        if self.strip_accents is None or text.isascii():
            return text
        apart = unicodedata.normalize("NFKD", text)
        if self.strip_accents == "ascii":
            return apart.encode("ascii", "ignore").decode("ascii")
        return "".join([c for c in apart if not unicodedata.combining(c)])

    @property
    def pattern(self) -> str:
        """The pattern of a token of any length, if no segmenter splits runs."""
        if self.words == "sklearn":
            return self.token_pattern
        from termsift.text.word_patterns import words_pattern

        return words_pattern(self.words, bool(self.hashtags))

    @property
    def settings(self) -> dict[str, Any] | None:
        """The settings of a CountVectorizer that finds the same terms; None if there is none."""
        changed = self.html or any(own is not None for own in (self.stemmer, self.segmenter, self.normalize))
        if changed or callable(self.analyzer):
            return None
        pattern = self.pattern if self.min_length == 1 else longer_runs(self.pattern, self.min_length)
        if pattern is None:
            return None
        names = ("lowercase", "ngram_range", "strip_accents", "analyzer")
        own = {name: getattr(self, name) for name in names}
        return own | {"token_pattern": pattern, "stop_words": list(self.stop_words) or None}

    @property
    def token_range(self) -> tuple[int, int]:
        """The shortest and longest run of tokens in a term; a run of characters is one token."""
        return self.ngram_range if self.analyzer == "word" else (1, 1)

    @property
    def has_kernel(self) -> bool:
        """Whether the compiled scan supports this analyzer."""
        if self.analyzer in CHAR_ANALYZERS:
            return True
        if self.analyzer != "word" or self.stemmer is not None or self.segmenter is not None:
            return False
        if self.words != "sklearn":
            return True
        run = parse_run(self.token_pattern)
        # the scan needs the zero byte for itself, and in n-grams a space that comes before all characters
        below = 1 if self.ngram_range[1] == 1 else ord(" ") + 1
        return run is not None and not run.member[:below].any()

    def __repr__(self) -> str:
        # counts and selections name their analyzer so: those of before `words` still print and read alike
        own = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        shown = [
            f"{name}={shown_value(value)}"
            for i, (name, (value, default)) in enumerate(own.items())
            if i < ALWAYS_SHOWN or value != default
        ]
        return f"Analyzer({', '.join(shown)})"


# the fields that an Analyzer prints even where they are at their defaults
ALWAYS_SHOWN = 7


def shown_value(value: object) -> str:
    """A value as it prints; a function by its name, the same today and tomorrow, where it has one."""
    name = getattr(value, "__qualname__", "<")
    if not callable(value) or "<" in name:
        return repr(value)
    return f"<{getattr(value, '__module__', None) or 'builtins'}.{name}>"


def check_word_options(analyzer: Analyzer) -> None:
    """An error for options of words that cannot be, or cannot be together."""
    check_name("way to find words", analyzer.words, MODES)
    if analyzer.normalize is not None:
        check_name("form of Unicode", analyzer.normalize, FORMS)
    least = analyzer.min_length
    if isinstance(least, bool) or not isinstance(least, int | np.integer) or not 1 <= least <= LONGEST_WORD:
        raise InvalidInputError(
            f"min_length must be a whole number from 1 to {LONGEST_WORD:,}, got {least!r}"
        )
    if analyzer.segmenter is not None and not callable(analyzer.segmenter):
        raise InvalidInputError(
            f"segmenter must be a function from a text to words, got {analyzer.segmenter!r}"
        )
    if analyzer.words != "sklearn" and analyzer.token_pattern != DEFAULT_TOKEN_PATTERN:
        raise InvalidInputError(
            f"token_pattern={analyzer.token_pattern!r} is for words='sklearn', got words={analyzer.words!r}"
        )
    if analyzer.words == "sklearn" and (analyzer.hashtags or analyzer.segmenter is not None):
        what = "hashtags" if analyzer.hashtags else "segmenter"
        raise InvalidInputError(f"{what} is for words='auto' or words='unicode', got words='sklearn'")
    if analyzer.analyzer in CHAR_ANALYZERS and least > 1:
        raise InvalidInputError(f"min_length={least} is for words, got analyzer={analyzer.analyzer!r}")


def checked_words(words: Any) -> tuple[str, ...]:
    """Stop words in their one form, sorted, so that equal analyzers print alike."""
    if isinstance(words, str):
        return load_stop_words(words)
    given = listed(words)
    strange = [word for word in given if not isinstance(word, str)]
    if strange:
        raise InvalidInputError(f"stop_words must be a list of words, got {strange[0]!r}")
    return tuple(sorted(set(given)))


def listed(given: Any) -> list[Any]:
    """What is given as a list; of one thing a list of one, as of NumPy's arrays without an axis."""
    try:
        return list(given)
    except TypeError:
        return [given]


def checked_range(given: Any) -> tuple[int, int]:
    """The shortest and the longest run that makes a term."""
    ends = tuple(listed(given))
    if len(ends) != 2 or not all(isinstance(end, int | np.integer) and end >= 1 for end in ends):
        raise InvalidInputError(
            f"ngram_range must be two whole numbers that rise from at least 1, got {given!r}"
        )
    low, high = int(ends[0]), int(ends[1])
    if low > high:
        raise InvalidInputError(f"ngram_range must rise from at least 1, got {ends}")
    if high > MAX_NGRAM:
        raise InvalidInputError(f"ngram_range may go up to {MAX_NGRAM}, got {ends}")
    return low, high


def replace_surrogates(text: str) -> str:
    """The text, with a question mark for what UTF-8 cannot write."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


@lru_cache(maxsize=64)
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled."""
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise InvalidInputError(
            f"token_pattern is not a regular expression: {pattern!r} ({error})"
        ) from error


# what is done with texts where nothing is said
DEFAULT_ANALYZER = Analyzer(words="auto")

PART, APOSTROPHE = re.compile(r"\w\w+"), re.compile(r"\w['’]\w")


@lru_cache(maxsize=8)
def load_stop_words(language: str) -> tuple[str, ...]:
    """The stop words of a language, by its name or its code of two letters, sorted.

    Of words with an apostrophe their parts are stop words too: "don't" is "don" to CountVectorizer's pattern.

    >>> "the" in load_stop_words("english"), load_stop_words("en") == load_stop_words("english")
    (True, True)
    """
    from stop_words import LANGUAGE_MAPPING, get_stop_words

    name = LANGUAGE_MAPPING.get(language.lower(), language.lower())
    if name not in LANGUAGE_MAPPING.values():
        raise unknown_name_error("list of stop words", language, sorted({*LANGUAGE_MAPPING.values()}))
    words = {word.lower() for word in get_stop_words(name)}
    joined = {word for word in words if APOSTROPHE.search(word)}
    parts = {part for word in joined for part in PART.findall(word)}
    return tuple(sorted((english_words() | joined if name == "english" else words) | parts))


def english_words() -> frozenset[str]:
    """Those of CountVectorizer: the package's own has a thousand more, such as "free" and "computer"."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    words: frozenset[str] = ENGLISH_STOP_WORDS
    return words
