"""How files are read, as every command that reads them has it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import numpy as np
from cyclopts import Parameter, Token

from termsift._internal.errors import InvalidInputError, UnknownNameError, UnreadableFileError, listed
from termsift._internal.resources import memory_size
from termsift.cli.console import say
from termsift.counts import Counts, GroupedCounts
from termsift.metrics import score
from termsift.report import FOR_READING
from termsift.text import Analyzer

if TYPE_CHECKING:
    from termsift.text import Analyzer


@Parameter(name="*")
@dataclass(frozen=True)
class FileOptions:
    """How files are read."""

    text: Annotated[
        list[str],
        Parameter(
            consume_multiple=False, negative=(), help="A column of texts, 'text' if none; several are joined."
        ),
    ] = field(default_factory=list)
    no_header: Annotated[
        bool, Parameter(negative=(), help="The first row is a document too; columns are numbers from 1.")
    ] = False
    delimiter: Annotated[
        str | None,
        Parameter(help="What parts columns, such as '|' or tab, where it is not found by looking."),
    ] = None
    encoding: Annotated[
        str, Parameter(help="Of text files; 'auto' guesses that of each that is not UTF-8.")
    ] = "utf-8"
    encoding_errors: Annotated[
        str, Parameter(help="Bytes that are no text: 'strict', an error, or 'replace'.")
    ] = "strict"
    format: Annotated[
        str | None,
        Parameter(
            help="Where names do not say it: csv, tsv, jsonl, json, parquet, arrow, xlsx, zip; or text, "
            "where each file is a document; with Spark orc and table too. Of standard input csv, if none."
        ),
    ] = None

    @property
    def columns(self) -> str | list[str] | None:
        """The columns of texts, as `ts.count` takes them."""
        return self.text[0] if len(self.text) == 1 else self.text or None

    @property
    def reading(self) -> dict[str, Any]:
        """The other options, as `ts.count` takes them."""
        names = ("delimiter", "encoding", "encoding_errors", "format")
        return {"header": not self.no_header} | {name: getattr(self, name) for name in names}


FILES = FileOptions()
Memory = Annotated[
    str | None,
    Parameter(
        help="Megabytes, or as 500MB or 2GB: sums beyond it go to disk, 1 GB if none; compare takes a sample "
        "that fits, into half of what is free if none."
    ),
]


def memory_bytes(given: str) -> int:
    """Bytes of what is written: of a plain number megabytes."""
    return int(memory_size(f"{given}MB" if given.replace(".", "", 1).isdecimal() else given))


AUTO = "auto"
# of words, and so of no use for characters
OF_WORDS = (
    "words", "ngrams", "stop_words", "stem", "pattern", "hashtags", "segmenter", "min_length",
)  # fmt: skip
# what finds words otherwise than a pattern does
FINDERS = ("words", "hashtags", "segmenter")


def number_or_share(kind: object, tokens: Sequence[Token]) -> float:
    """What is typed: a whole number is one of documents, any other a share of them."""
    text = tokens[0].value
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)


@Parameter(name="*")
@dataclass(frozen=True)
class TextOptions:
    """How a text becomes terms, and which of them are left out."""

    words: Annotated[
        str | None,
        Parameter(help="What a word is: 'auto', 'unicode' (UAX #29) or 'sklearn' (CountVectorizer's)."),
    ] = None
    ngrams: Annotated[str | None, Parameter(help="Runs of words that are terms, such as 1-2.")] = None
    chars: Annotated[
        str | None, Parameter(help="Runs of characters within words in place of words, such as 3-5.")
    ] = None
    across_words: Annotated[
        bool, Parameter(negative=(), help="With --chars: runs of characters across words too.")
    ] = False
    stop_words: Annotated[
        str | None,
        Parameter(
            help="Words to leave out: a language such as 'english', a FILE with a word per line, or 'auto': "
            "words of most documents that no class uses more than chance explains."
        ),
    ] = None
    stem: Annotated[str | None, Parameter(help="Words by their stems, in this language.")] = None
    pattern: Annotated[
        str | None, Parameter(help="A regular expression: what a word looks like.", allow_leading_hyphen=True)
    ] = None
    keep_case: Annotated[bool, Parameter(negative=(), help="Keep capitals as they are.")] = False
    strip_accents: Annotated[bool, Parameter(negative=(), help="Leave accents out.")] = False
    normalize: Annotated[str | None, Parameter(help="Unicode's form of all letters: NFC or NFKC.")] = None
    hashtags: Annotated[bool, Parameter(negative=(), help="#tags and @names are words.")] = False
    segmenter: Annotated[
        str | None,
        Parameter(
            help="MODULE:FUNCTION, from a text to its words, for scripts without blanks; it is imported."
        ),
    ] = None
    html: Annotated[
        bool, Parameter(negative=(), help="Texts are HTML: tags, scripts, styles and entities go out.")
    ] = False
    min_length: Annotated[int | None, Parameter(help="Leave out words of fewer characters.", negative=())] = (
        None
    )
    min_df: Annotated[
        float,
        Parameter(
            converter=number_or_share,
            help="Leave out terms in fewer documents: a number, or a share such as 0.01.",
        ),
    ] = 1
    max_df: Annotated[
        float,
        Parameter(
            converter=number_or_share,
            help="Leave out terms in more documents: a number, or a share such as 0.5.",
        ),
    ] = 1.0
    like: Annotated[Any, Parameter(parse=False)] = None

    @property
    def least_documents(self) -> int:
        """The number of documents below which a term is left out, as far as that is known before they are."""
        return max(self.min_df, 1) if isinstance(self.min_df, int) else 1

    @property
    def given(self) -> tuple[str, ...]:
        """The options that are given and say how texts are read, as they are written."""
        return tuple(f"--{own.replace('_', '-')}" for own in self.names_given)

    @property
    def names_given(self) -> tuple[str, ...]:
        """The same by the names of their fields."""
        named = [own for own in fields(self) if own.name not in ("min_df", "max_df", "like")]
        return tuple(own.name for own in named if getattr(self, own.name) != own.default)

    @property
    def analyzer(self) -> Analyzer | None:
        """What finds the terms: that of `like` where no option says how; None for the usual one."""
        if not self.names_given:
            return self.like  # type: ignore[no-any-return]
        if self.stop_words == AUTO:
            raise InvalidInputError(
                "--stop-words auto chooses by the labels of all documents: not where some of them are to "
                "test, nor where there are no labels; name a language or a file"
            )
        return self.analyzer_with(() if self.stop_words is None else listed_words(self.stop_words))

    def analyzer_with(self, stop_words: tuple[str, ...]) -> Analyzer:
        """What finds the terms, with these words left out, also as the text is prepared."""
        from termsift.text import Analyzer

        self.check_together()
        how = self.word_settings if self.chars is None else self.character_settings
        if not stop_words:
            return Analyzer(**self.settings, **how)
        # a list may have capitals, accents and apostrophes, which the words of a text then lack
        alone = Analyzer(**self.settings, **{**how, "ngram_range": (1, 1), "stemmer": None})
        prepared = {word for given in stop_words for word in alone(given)}
        return Analyzer(**self.settings, **how, stop_words=tuple(sorted({*stop_words, *prepared})))

    @property
    def analysis(self) -> dict[str, Any]:
        """What the library's functions of documents take: the analyzer, and the limits."""
        return {"analyzer": self.analyzer, "min_df": self.min_df, "max_df": self.max_df}

    @property
    def settings(self) -> dict[str, Any]:
        """What is done to a text before words are found."""
        accents = {"strip_accents": "unicode"} if self.strip_accents else {}
        form = {} if self.normalize is None else {"normalize": self.normalize.upper()}
        html = {"html": True} if self.html else {}
        return {"lowercase": not self.keep_case, **accents, **form, **html}

    @property
    def word_settings(self) -> dict[str, Any]:
        """How words are found and become terms."""
        words = "sklearn" if self.pattern is not None else self.words or AUTO
        how: dict[str, Any] = {"words": words, "stemmer": self.stem}
        how |= {} if self.pattern is None else {"token_pattern": self.pattern}
        how |= {} if self.ngrams is None else {"ngram_range": run_lengths("--ngrams", self.ngrams)}
        how |= {"hashtags": True} if self.hashtags else {}
        how |= {} if self.min_length is None else {"min_length": self.min_length}
        return how | ({} if self.segmenter is None else {"segmenter": named_function(self.segmenter)})

    @property
    def character_settings(self) -> dict[str, Any]:
        """How runs of characters become terms."""
        kind = "char" if self.across_words else "char_wb"
        return {"analyzer": kind, "ngram_range": run_lengths("--chars", str(self.chars))}

    def check(self) -> None:
        """An error for options that cannot be, before anything is read."""
        if self.stop_words == AUTO:
            self.analyzer_with(())
        else:
            _ = self.analyzer

    def check_counted(self, name: str) -> None:
        """An error for options of texts where there are counts already."""
        if self.given:
            raise InvalidInputError(
                f"{name} holds counts, and {self.given[0]} is for texts; count them again by it"
            )

    def check_together(self) -> None:
        """An error for options that say different things."""
        given = dict(zip(self.names_given, self.given, strict=True))
        strange = [given[name] for name in OF_WORDS if name in given]
        if self.chars is not None and strange:
            raise InvalidInputError(
                f"--chars finds characters, and {strange[0]} is for words; give one of them"
            )
        if self.across_words and self.chars is None:
            raise InvalidInputError("--across-words is for runs of characters; give --chars too, such as 3-5")
        strange = [given[name] for name in FINDERS if name in given and self.words != "sklearn"]
        if self.pattern is not None and strange:
            raise InvalidInputError(f"--pattern and {strange[0]} both say what a word is; give one of them")


PLAIN = TextOptions()


def run_lengths(option: str, text: str) -> tuple[int, int]:
    """The shortest and the longest run, of '1-2' or '3'."""
    found = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?", text.strip(), re.ASCII)
    low, high = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= low <= high:
        raise InvalidInputError(f"{option} must rise from at least 1, such as 1-2 or 3-5, got {text!r}")
    return low, high


def named_function(name: str) -> Callable[..., Any]:
    """The function that MODULE:FUNCTION names; its module is imported."""
    module, colon, function = name.partition(":")
    if not (module and colon and function):
        raise InvalidInputError(f"--segmenter is MODULE:FUNCTION, such as jieba:lcut, got {name!r}")
    try:
        found = attrgetter(function)(import_module(module))
    except (ImportError, ValueError) as error:
        raise InvalidInputError(f"--segmenter {name} cannot be imported: {error}") from error
    except AttributeError as error:
        raise UnknownNameError(f"--segmenter {name}: {module} has no {function}") from error
    if not callable(found):
        raise InvalidInputError(f"--segmenter {name} is {type(found).__name__}, not a function")
    return found  # type: ignore[no-any-return]


def listed_words(name: str) -> tuple[str, ...]:
    """The stop words of a language, or of a file with a word per line."""
    from termsift.text import stop_words_of

    path = Path(name)
    if path.is_file():
        return file_words(path)
    if path.is_dir() or any(mark in name for mark in "./\\"):
        raise UnreadableFileError(f"there is no file {name} of stop words")
    try:
        return stop_words_of(name)
    except UnknownNameError as error:
        raise UnknownNameError(f"{error}, and no file has that name") from error


def file_words(path: Path) -> tuple[str, ...]:
    """The words of a file, one per line."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise UnreadableFileError(f"{path} is no list of stop words: it is not UTF-8") from error
    words = tuple(line.strip() for line in lines if line.strip())
    if not words:
        raise UnreadableFileError(f"{path} is no list of stop words: it is empty")
    if any("\0" in word for word in words):
        raise UnreadableFileError(f"{path} is no list of stop words: it is not text")
    return words


MOST = 0.5  # of the documents: in more than so many is a word of most
Counted = TypeVar("Counted", bound=Counts | GroupedCounts)


def counted_with(options: TextOptions, count: Callable[[Analyzer | None], Counted]) -> Counted:
    """The counts by the analyzer that the options make.

    count : from an analyzer to counts
    """
    return count(chosen_analyzer(options, count))


def chosen_analyzer(
    options: TextOptions, count: Callable[[Analyzer | None], Counts | GroupedCounts]
) -> Analyzer | None:
    """The analyzer that the options make; where stop words are to be chosen, words are counted for it first.

    They are chosen among words as they are, and left out before words become stems and n-grams.
    """
    if options.stop_words != AUTO:
        return options.analyzer
    whole = options.analyzer_with(())
    counts = count(replace(whole, ngram_range=(1, 1), stemmer=None))
    words = common_words(counts if isinstance(counts, Counts) else counts.counts)
    say(told_words(words))
    return replace(whole, stop_words=words)


def common_words(counts: Counts) -> tuple[str, ...]:
    """Terms of more than half of the documents whose ig is above chance for no class."""
    common = np.flatnonzero(counts.term_df > MOST * counts.documents)
    if not len(common):
        return ()
    scores = score(counts, FOR_READING)
    floors = [scores.floor(1, name) for name in scores.classes]
    believed = [float("inf") if floor is None else floor for floor in floors]
    alike = (scores.values[common] < np.array(believed)).all(axis=1)
    return tuple(str(term) for term in counts.terms[common[alike]])


def told_words(words: tuple[str, ...]) -> str:
    """What is left out, in a line."""
    if not words:
        return "termsift: --stop-words auto: no word of most documents is used alike by all classes"
    return f"termsift: --stop-words auto leaves out {len(words):,}: {listed(words)}"
