"""Analyzer that turns texts into terms, with stemmers and stop words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from threading import local
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError, check_flags, check_name, unknown_name_error
from termsift._internal.typing import Array, parse_call
from termsift.text.characters import lengthen_run_pattern, parse_run, segment_words, words_pattern
from termsift.text.html import plain_text


@lru_cache(maxsize=64)
def parse_analyzer(analyzer_repr: str | None) -> Analyzer | str | None:
    """Return the Analyzer with this repr, or the name itself if it is anything else."""
    if analyzer_repr is None or not analyzer_repr.startswith(f"{Analyzer.__name__}("):
        return analyzer_repr
    try:
        return Analyzer(**parse_call(analyzer_repr)[2])
    except (SyntaxError, ValueError, TypeError):
        return analyzer_repr


def ngrams(units: Any, low: int, high: int) -> Iterable[Any]:
    """Yield the n-grams of `low` to `high` tokens of a list, or characters of a text, short ones first."""
    for n in range(low, min(high, len(units)) + 1):
        for i in range(len(units) - n + 1):
            yield units[i : i + n]


def char_wb_ngrams(word: str, low: int, high: int) -> Iterable[str]:
    """Yield the character n-grams of a padded word; a word shorter than an n-gram is yielded once."""
    for n in range(low, high + 1):
        yield from (word[i : i + n] for i in range(max(len(word) - n, 0) + 1))
        if n >= len(word):
            return


@dataclass(frozen=True, slots=True, eq=False)
class FullForms:
    """Stemmer that returns the most frequent word with the same stem, so that lists show words.

    >>> FullForms(lambda word: word[:6], {"polici": "policies"})("policing")
    'policies'
    """

    stemmer: str | Callable[[str], str]
    forms: Mapping[str, str]

    def __call__(self, word: str) -> str:
        """Return the most frequent word with the stem of a word."""
        return stem_words(self, [word])[0]


def stem_words(stemmer: Any, words: Iterable[str]) -> list[str]:
    """Return the stems of words by the stemmer of an Analyzer."""
    if isinstance(stemmer, FullForms):
        return [stemmer.forms.get(stem, stem) for stem in stem_words(stemmer.stemmer, words)]
    return load_stemmer(stemmer)(words) if isinstance(stemmer, str) else [stemmer(word) for word in words]


def build_full_forms(
    analyzer: Any, count_words: Callable[[Any], Iterable[tuple[Array, Array]]]
) -> FullForms | None:
    """Return the most frequent word of each stem; None for an analyzer without a stemmer.

    count_words : yields the words and their frequencies by the same analyzer without its stemmer
    """
    if not isinstance(analyzer, Analyzer) or analyzer.stemmer is None:
        return None
    stem = FullForms(analyzer.stemmer, {})
    frequencies: Counter[str] = Counter()
    for words, numbers in count_words(replace(analyzer, stemmer=None, ngram_range=(1, 1))):
        frequencies.update(dict(zip(words.tolist(), numbers.tolist(), strict=True)))
    # the last one of a stem stays: the most frequent, of equally frequent words the first in the alphabet
    ranked = sorted(sorted(frequencies, reverse=True), key=frequencies.__getitem__)
    return FullForms(analyzer.stemmer, dict(zip(stem_words(stem, ranked), ranked, strict=True)))


@lru_cache(maxsize=8)
def load_stemmer(language: str) -> Callable[[Iterable[str]], list[str]]:
    """Return the function from words to stems of a Snowball stemmer: of a language, or 'porter'."""
    try:
        import Stemmer
    except ImportError as error:
        message = f"stemmer={language!r} needs the package PyStemmer; pip install PyStemmer"
        raise InvalidInputError(message) from error
    if language not in Stemmer.algorithms():
        raise unknown_name_error("stemmer", language, Stemmer.algorithms())
    thread_data = local()  # stemmers are stateful, so each thread needs one

    def stem(words: Iterable[str]) -> list[str]:
        if not hasattr(thread_data, "stemmer"):
            # its cache takes longer than stemming
            thread_data.stemmer = Stemmer.Stemmer(language, 0)
        return list(thread_data.stemmer.stemWords(words))

    return stem


DEFAULT_TOKEN_PATTERN = r"(?u)\b\w\w+\b"
CHAR_ANALYZERS = ("char", "char_wb")
ANALYZERS = ("word", *CHAR_ANALYZERS)
MODES = ("sklearn", "auto", "unicode")
ACCENTS = ("ascii", "unicode")
FORMS = ("NFC", "NFKC")
MAX_WORD_LENGTH = 1_000_000
MAX_NGRAM = 100  # tokens or characters of a term: kernels count them in eight bits
# Characters outside of ranges that contain no marks, joiners or scripts without spaces. For a text without
# them DEFAULT_TOKEN_PATTERN is right, and the slow lookup of Unicode classes is avoided.
BEYOND_WORD_PATTERN = re.compile(
    "[^\x00-\u02ff\u0370-\u0482\u048a-\u058f\u1e00-\u1fff\u2010-\u20cf\u2100-\u2bff\U0001f300-\U0001faff]"
)
to_frozenset = lru_cache(maxsize=64)(frozenset[str])


@dataclass(frozen=True, slots=True, repr=False)
class Analyzer:
    r"""Function from a text to terms; by default those of CountVectorizer.

    Parameters
    ----------
    lowercase : bool, default True
        Convert the text to lowercase first.
    token_pattern : str, default r"(?u)\b\w\w+\b"
        Regular expression of a token; if it has one group, the group is the token.
    stop_words : iterable of str or str, default ()
        Tokens to remove, or the name of a language to use its list.
    ngram_range : tuple of (int, int), default (1, 1)
        Smallest and largest n of the n-grams of tokens or characters; at most 100.
    strip_accents : {"ascii", "unicode"}, optional
        "ascii" decomposes accents and drops non-ASCII characters, "unicode" drops accents only.
    analyzer : {"word", "char", "char_wb"} or callable, default "word"
        "char" for character n-grams, "char_wb" for those within words, or a function from a text to terms.
    stemmer : str or callable, optional
        Function from a token to its stem, or the name of a Snowball stemmer such as a language.
    words : {"sklearn", "auto", "unicode"}, default "sklearn"
        "sklearn" for words that match token_pattern; "auto" for the same with the combining marks of all
        scripts, and letter pairs in scripts without spaces; "unicode" for UAX #29 words, including emoji.
    normalize : {"NFC", "NFKC"}, optional
        Unicode normalization that is applied first.
    segmenter : callable, optional
        Function that splits a run of a script without spaces into words, instead of letter pairs.
    hashtags : bool, default False
        Treat #tags and @names as words.
    html : bool, default False
        Remove tags, scripts and styles first, and resolve entities.
    min_length : int, default 1
        Remove words with fewer characters.

    Raises
    ------
    InvalidInputError
        If an option has an invalid value, or two options exclude each other.
    UnknownNameError
        If there is no analyzer, stemmer, stop word list, tokenization mode or normalization of this name.

    Notes
    -----
    Kernels find the terms if the pattern is a run of one character class (such as r"\w+" or "[a-z]+"), in
    the modes "auto" and "unicode" without a segmenter, and for character n-grams, which have neither stop
    words nor stems. All else, such as a function as stemmer, uses Python's `re`: the same terms, much slower.
    A lone surrogate, which UTF-8 cannot encode, counts as "?".

    Examples
    --------
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
        words: Any = self.stop_words
        if not isinstance(words, str):
            words = list(words) if np.iterable(words) else [words]
            invalid = [word for word in words if not isinstance(word, str)]
            if invalid:
                raise InvalidInputError(f"stop_words must be a list of words, got {invalid[0]!r}")
        # sorted and distinct, so that equal analyzers have equal reprs
        stop_words = load_stop_words(words) if isinstance(words, str) else tuple(sorted(set(words)))
        object.__setattr__(self, "stop_words", stop_words)
        ends: Any = tuple(self.ngram_range) if np.iterable(self.ngram_range) else ()
        is_range = len(ends) == 2 and all(isinstance(n, int | np.integer) for n in ends)
        if not is_range or not 1 <= ends[0] <= ends[1]:
            raise InvalidInputError(
                f"ngram_range must be the smallest and largest n, such as (1, 2), got {self.ngram_range!r}"
            )
        if ends[1] > MAX_NGRAM:
            raise InvalidInputError(f"ngram_range must not exceed {MAX_NGRAM}, got {ends}")
        object.__setattr__(self, "ngram_range", (int(ends[0]), int(ends[1])))
        check_flags(lowercase=self.lowercase, hashtags=self.hashtags, html=self.html)
        if not isinstance(self.token_pattern, str) or compile_pattern(self.token_pattern).groups > 1:
            pattern = self.token_pattern
            raise InvalidInputError(f"token_pattern must be a regex with at most one group, got {pattern!r}")
        if not callable(self.analyzer):
            check_name("analyzer", self.analyzer, ANALYZERS)
        if self.strip_accents is not None:
            check_name("strip_accents option", self.strip_accents, ACCENTS)
        if isinstance(self.stemmer, str):
            load_stemmer(self.stemmer)
        elif self.stemmer is not None and not callable(self.stemmer):
            raise InvalidInputError(
                f"stemmer must be a function or the name of a language, got {self.stemmer!r}"
            )
        check_word_options(self)

    def __call__(self, document: str) -> list[str]:
        """Return the terms of a document, in order.

        Parameters
        ----------
        document : str
            Text of the document.

        Returns
        -------
        list of str
            Terms, with repetitions.

        Raises
        ------
        InvalidInputError
            If a function passed as `analyzer` or `segmenter` does not return a list of terms.

        """
        if callable(self.analyzer):
            terms = self.analyzer(document)
            if not isinstance(terms, Iterable):
                raise InvalidInputError(
                    f"the analyzer returned {terms!r} for a document, not a list of terms"
                )
            return list(terms)
        text = replace_surrogates(self.preprocess(document))
        if self.analyzer == "char":
            return list(ngrams(re.sub(r"\s\s+", " ", text), *self.ngram_range))
        if self.analyzer == "char_wb":
            return [term for word in text.split() for term in char_wb_ngrams(f" {word} ", *self.ngram_range)]
        is_simple = text.isascii() or not BEYOND_WORD_PATTERN.search(text)
        if self.words == "auto" and not self.hashtags and is_simple:
            tokens = compile_pattern(DEFAULT_TOKEN_PATTERN).findall(text)
        elif self.segmenter is None:
            tokens = compile_pattern(self.pattern).findall(text)
        else:
            tokens = segment_words(text, self.words, self.hashtags, self.segmenter)
        if self.min_length > 1:
            tokens = [token for token in tokens if len(token) >= self.min_length]
        if self.stop_words:
            stops = to_frozenset(self.stop_words)  # type: ignore[arg-type]
            tokens = [token for token in tokens if token not in stops]
        if self.stemmer is not None:
            tokens = stem_words(self.stemmer, tokens)
        if self.ngram_range == (1, 1):
            return tokens
        return [" ".join(ngram) for ngram in ngrams(tokens, *self.ngram_range)]

    def preprocess(self, document: str) -> str:
        """Return the text after removal of HTML, normalization, lowercasing and removal of accents.

        Parameters
        ----------
        document : str
            Text of the document.

        Returns
        -------
        str
            Preprocessed text, from which tokens or characters are taken.

        """
        if self.html:
            document = plain_text(document)
        if self.normalize is not None and not document.isascii():
            document = unicodedata.normalize(self.normalize, document)  # type: ignore[arg-type]
        text = document.lower() if self.lowercase else document
        if self.strip_accents is None or text.isascii():
            return text
        decomposed = unicodedata.normalize("NFKD", text)
        if self.strip_accents == "ascii":
            return decomposed.encode("ascii", "ignore").decode("ascii")
        return "".join([c for c in decomposed if not unicodedata.combining(c)])

    @property
    def pattern(self) -> str:
        """Regular expression of a token of any length, ignoring the segmenter."""
        if self.words == "sklearn":
            return self.token_pattern
        return words_pattern(self.words, bool(self.hashtags))

    @property
    def vectorizer_options(self) -> dict[str, Any] | None:
        """Options of a CountVectorizer that finds the same terms; None if there is none."""
        extensions = (self.stemmer, self.segmenter, self.normalize)
        if self.html or callable(self.analyzer) or any(option is not None for option in extensions):
            return None
        pattern: str | None = self.pattern
        if self.min_length > 1:
            pattern = lengthen_run_pattern(self.pattern, self.min_length)
        if pattern is None:
            return None
        names = ("lowercase", "ngram_range", "strip_accents", "analyzer")
        options = {name: getattr(self, name) for name in names}
        return options | {"token_pattern": pattern, "stop_words": list(self.stop_words) or None}

    @property
    def token_range(self) -> tuple[int, int]:
        """Smallest and largest number of tokens in a term; a character n-gram is one token."""
        return self.ngram_range if self.analyzer == "word" else (1, 1)

    @property
    def has_kernel(self) -> bool:
        """Whether kernels support this analyzer."""
        if self.analyzer in CHAR_ANALYZERS:
            return True
        if self.analyzer != "word" or self.segmenter is not None:
            return False
        # stems by functions may contain spaces or be no str
        stemmer = self.stemmer.stemmer if isinstance(self.stemmer, FullForms) else self.stemmer
        if stemmer is not None and not isinstance(stemmer, str):
            return False
        if self.words != "sklearn":
            return True
        run = parse_run(self.token_pattern)
        # tokens of kernels contain no zero byte, and in n-grams no character up to the space
        n_excluded = 1 if self.ngram_range[1] == 1 else ord(" ") + 1
        return run is not None and not run.member[:n_excluded].any()

    def __repr__(self) -> str:
        # files of counts and selections store this repr, so its format is stable
        arguments = []
        for i, field in enumerate(fields(self)):
            value = getattr(self, field.name)
            # words for stems change what is shown, not which words are counted together
            value = value.stemmer if isinstance(value, FullForms) else value
            if i >= N_ALWAYS_SHOWN and value == field.default:
                continue
            # the repr of a function has its memory address; of a lambda nothing else is known
            name = getattr(value, "__qualname__", "<") if callable(value) else "<"
            module = getattr(value, "__module__", None) or "builtins"
            arguments.append(f"{field.name}={value!r}" if "<" in name else f"{field.name}=<{module}.{name}>")
        return f"Analyzer({', '.join(arguments)})"


N_ALWAYS_SHOWN = 7  # leading fields of the repr that are shown even at their defaults


def check_word_options(analyzer: Analyzer) -> None:
    """Check the options of words and their combinations."""
    check_name("tokenization mode", analyzer.words, MODES)
    if analyzer.normalize is not None:
        check_name("Unicode normalization", analyzer.normalize, FORMS)
    min_length = analyzer.min_length
    is_integer = isinstance(min_length, int | np.integer) and not isinstance(min_length, bool)
    if not is_integer or not 1 <= min_length <= MAX_WORD_LENGTH:
        message = f"min_length must be an integer from 1 to {MAX_WORD_LENGTH:,}, got {min_length!r}"
        raise InvalidInputError(message)
    if analyzer.segmenter is not None and not callable(analyzer.segmenter):
        raise InvalidInputError(
            f"segmenter must be a function that splits a text into words, got {analyzer.segmenter!r}"
        )
    if analyzer.words != "sklearn" and analyzer.token_pattern != DEFAULT_TOKEN_PATTERN:
        raise InvalidInputError(
            f"token_pattern={analyzer.token_pattern!r} needs words='sklearn', got words={analyzer.words!r}"
        )
    if analyzer.words == "sklearn" and (analyzer.hashtags or analyzer.segmenter is not None):
        option = "hashtags" if analyzer.hashtags else "segmenter"
        message = f"{option} must not be set with words='sklearn'; use words='auto' or words='unicode'"
        raise InvalidInputError(message)
    if analyzer.analyzer in CHAR_ANALYZERS and min_length > 1:
        message = f"min_length={min_length} needs analyzer='word', got analyzer={analyzer.analyzer!r}"
        raise InvalidInputError(message)


def replace_surrogates(text: str) -> str:
    """Return the text with "?" in place of lone surrogates, which UTF-8 cannot encode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


@lru_cache(maxsize=64)
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return the compiled pattern; raise InvalidInputError if it is not a regular expression."""
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        message = f"token_pattern is not a regular expression: {pattern!r} ({error})"
        raise InvalidInputError(message) from error


def can_use_default_pattern(analyzer: Analyzer, texts: Iterable[str]) -> bool:
    """Return whether DEFAULT_TOKEN_PATTERN finds the words of words="auto" in all texts."""
    if analyzer.analyzer != "word" or analyzer.words != "auto" or analyzer.hashtags:
        return False
    return not any(
        BEYOND_WORD_PATTERN.search(analyzer.preprocess(text)) for text in texts if not text.isascii()
    )


# analyzer of texts if none is given
DEFAULT_ANALYZER = Analyzer(words="auto")
# A list of tokens is stored as one text with the tokens joined by this character, which texts do not contain,
# so all engines, vectorizers and models handle it like a text. Kernels need tokens without the zero byte.
TOKEN_SEPARATOR = "\x1f"
TOKEN_PATTERN = r"[^\x00\x1f]+"


def analyzer_for_joined_tokens(analyzer: Any = None) -> Analyzer:
    r"""Return the analyzer of joined tokens with the n-grams, stop words and stemmer of an analyzer of words.

    >>> analyzer_for_joined_tokens(Analyzer(ngram_range=(1, 2)))("win\x1fa prize")
    ['win', 'a prize', 'win a prize']
    """
    analyzer = Analyzer() if analyzer is None else analyzer
    if not isinstance(analyzer, Analyzer) or analyzer.analyzer != "word":
        raise InvalidInputError(
            "the documents are lists of tokens, which only an Analyzer of words applies to; omit the "
            "analyzer, or use Analyzer(ngram_range=..., stop_words=..., stemmer=...)"
        )
    names = ("stop_words", "ngram_range", "stemmer", "min_length")
    options: dict[str, Any] = {name: getattr(analyzer, name) for name in names}
    return Analyzer(lowercase=False, token_pattern=TOKEN_PATTERN, **options)


def is_joined_token_analyzer(analyzer: Any) -> bool:
    """Return whether an analyzer is one of joined tokens."""
    return isinstance(analyzer, Analyzer) and analyzer.token_pattern == TOKEN_PATTERN


FRAGMENT, APOSTROPHE = re.compile(r"\w\w+"), re.compile(r"\w['’]\w")


@lru_cache(maxsize=8)
def load_stop_words(language: str) -> tuple[str, ...]:
    """Return the sorted stop words of a language, given by its name or two-letter code.

    Fragments of words with an apostrophe are included: CountVectorizer's pattern reduces "don't" to "don".

    >>> "the" in load_stop_words("english"), load_stop_words("en") == load_stop_words("english")
    (True, True)
    """
    from stop_words import LANGUAGE_MAPPING, get_stop_words

    name = LANGUAGE_MAPPING.get(language.lower(), language.lower())
    if name not in LANGUAGE_MAPPING.values():
        raise unknown_name_error("stop word list", language, sorted({*LANGUAGE_MAPPING.values()}))
    words = {word.lower() for word in get_stop_words(name)}
    contractions = {word for word in words if APOSTROPHE.search(word)}
    fragments = {fragment for word in contractions for fragment in FRAGMENT.findall(word)}
    if name == "english":
        # the list of scikit-learn; that of the package has a thousand more, such as "free" and "computer"
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        words = {*ENGLISH_STOP_WORDS, *contractions}
    return tuple(sorted(words | fragments))
