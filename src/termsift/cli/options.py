"""Options that several commands share, in groups: reading files, tokenization, execution, output."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Group, Parameter, Token

from termsift._internal.errors import InvalidInputError, UnknownNameError, UnreadableFileError
from termsift._internal.resources import parse_memory_size
from termsift.text import Analyzer, load_stop_words

# Groups of --help, in this order, below the options of the command itself
READING = Group("Reading files", sort_key=1)
TOKENIZATION = Group("Tokenization", sort_key=2)
EXECUTION = Group("Execution", sort_key=3)
OUTPUT = Group("Output", sort_key=4)
DEFAULT_MEMORY = 1 << 30

Data = Annotated[
    list[str],
    Parameter(
        negative=(),
        show_default=False,
        help="Files, patterns, folders, URLs, saved counts, or the name of a corpus; - is standard input.",
    ),
]
Strings = Annotated[list[str], Parameter(consume_multiple=False, negative=(), show_default=False)]
AsJson = Annotated[
    bool, Parameter(name="--json", negative=(), show_default=False, group=OUTPUT, help="Print JSON.")
]
AsCsv = Annotated[
    bool, Parameter(name="--csv", negative=(), show_default=False, group=OUTPUT, help="Print CSV.")
]
OnMissingText = Annotated[str, Parameter(group=READING, help="Rows without text: 'error' or 'skip'.")]
LabelColumn = Annotated[str, Parameter(group=READING, help="Column of labels.")]
LabelSeparator = Annotated[
    str | None, Parameter(group=READING, help="Separator between several labels in one field, e.g. '|'.")
]
DataDir = Annotated[
    Path | None,
    Parameter(name="--data-dir", group=READING, help="Folder of corpora (default: TERMSIFT_DATA)."),
]
Jobs = Annotated[int | None, Parameter(group=EXECUTION, help="Number of threads (default: all cores).")]
Memory = Annotated[
    str | None,
    Parameter(
        group=EXECUTION,
        help="Memory limit, e.g. 500MB or 2GB. Counting spills to disk above it (default 1GB); "
        "compare takes a sample that fits (default: half of the free memory).",
    ),
]
Seed = Annotated[int, Parameter(group=EXECUTION, help="Random seed of the cross-validation folds.")]
Reference = Annotated[
    Strings, Parameter(help="Compare --class with this class instead of all others; several are pooled.")
]
KeepNested = Annotated[
    bool,
    Parameter(
        negative=(),
        show_default=False,
        help="Also list n-grams nested in longer ones of nearly the same documents.",
    ),
]
NoTexts = Annotated[
    bool,
    Parameter(
        negative=(),
        show_default=False,
        group=OUTPUT,
        help="Leave the texts out of the page (no concordance).",
    ),
]
Report = Annotated[Path | None, Parameter(group=OUTPUT, help="Write an HTML page to this file.")]
Title = Annotated[
    str | None, Parameter(group=OUTPUT, help="Heading of the page (default: the name of the data).")
]


@Parameter(name="*", group=READING)
@dataclass(frozen=True)
class FileOptions:
    """How files are read."""

    text: Annotated[
        list[str],
        Parameter(
            consume_multiple=False,
            negative=(),
            show_default=False,
            help="Column of texts (default: text). Several columns are joined.",
        ),
    ] = field(default_factory=list)
    no_header: Annotated[
        bool,
        Parameter(
            negative=(), show_default=False, help="The first row is data; columns are numbered from 1."
        ),
    ] = False
    delimiter: Annotated[str | None, Parameter(help="Column delimiter (detected if omitted).")] = None
    encoding: Annotated[
        str, Parameter(help="Text encoding; 'auto' detects the encoding of files that are not UTF-8.")
    ] = "utf-8"
    encoding_errors: Annotated[str, Parameter(help="Undecodable bytes: 'strict' (error) or 'replace'.")] = (
        "strict"
    )
    format: Annotated[
        str | None,
        Parameter(
            help="File format, if the extension does not determine it: csv, tsv, jsonl, json, parquet, "
            "arrow, xlsx, zip; text if each file is one document; with Spark also orc and table. Default for "
            "standard input: csv."
        ),
    ] = None

    @property
    def columns(self) -> str | list[str] | None:
        """Columns of texts, as `ts.count` takes them."""
        return self.text[0] if len(self.text) == 1 else self.text or None

    @property
    def as_keywords(self) -> dict[str, Any]:
        """All options except the columns, as keyword arguments of `ts.count`."""
        names = ("delimiter", "encoding", "encoding_errors", "format")
        return {"header": not self.no_header} | {name: getattr(self, name) for name in names}


def parse_megabytes(size: str) -> int:
    """Parse a size such as 2GB; a plain number means megabytes."""
    return int(parse_memory_size(f"{size}MB" if size.replace(".", "", 1).isdecimal() else size))


def parse_df_limit(kind: object, tokens: Sequence[Token]) -> float:
    """Parse a document frequency: an integer is a number of documents, anything else a share."""
    text = tokens[0].value
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)


# options of words, which character n-grams do not use
WORD_OPTIONS = (
    "words", "ngrams", "stop_words", "stem", "token_pattern", "hashtags", "segmenter", "min_token_length",
)  # fmt: skip
# options that define a word, and so contradict --token-pattern
WORD_DEFINITIONS = ("words", "hashtags", "segmenter")


@Parameter(name="*", group=TOKENIZATION)
@dataclass(frozen=True)
class TokenOptions:
    """How a text becomes terms, and which terms are ignored."""

    words: Annotated[
        str | None,
        Parameter(help="Definition of a word: 'auto', 'unicode' (UAX #29) or 'sklearn' (CountVectorizer)."),
    ] = None
    ngrams: Annotated[str | None, Parameter(help="Word n-gram range, e.g. 1-2.")] = None
    char_ngrams: Annotated[
        str | None, Parameter(help="Use character n-grams within words instead of words, e.g. 3-5.")
    ] = None
    across_words: Annotated[
        bool,
        Parameter(negative=(), show_default=False, help="With --char-ngrams: also n-grams that span words."),
    ] = False
    stop_words: Annotated[
        str | None, Parameter(help="Stop words: a language such as 'english', or a file with one per line.")
    ] = None
    stem: Annotated[str | None, Parameter(help="Stem words in this language, e.g. english.")] = None
    token_pattern: Annotated[
        str | None, Parameter(help="Regular expression of a word.", allow_leading_hyphen=True)
    ] = None
    keep_case: Annotated[bool, Parameter(negative=(), show_default=False, help="Do not lowercase.")] = False
    strip_accents: Annotated[bool, Parameter(negative=(), show_default=False, help="Remove accents.")] = False
    normalize: Annotated[str | None, Parameter(help="Unicode normalization form: NFC or NFKC.")] = None
    hashtags: Annotated[
        bool, Parameter(negative=(), show_default=False, help="Keep #tags and @names as words.")
    ] = False
    segmenter: Annotated[
        str | None,
        Parameter(help="MODULE:FUNCTION that splits a text into words, for scripts without spaces."),
    ] = None
    html: Annotated[
        bool, Parameter(negative=(), show_default=False, help="Extract the visible text of HTML.")
    ] = False
    min_token_length: Annotated[
        int | None, Parameter(help="Ignore words with fewer characters.", negative=(), show_default=False)
    ] = None
    min_df: Annotated[
        float,
        Parameter(
            converter=parse_df_limit,
            help="Ignore terms in fewer documents: a number, or a share such as 0.01.",
        ),
    ] = 1
    max_df: Annotated[
        float,
        Parameter(
            converter=parse_df_limit, help="Ignore terms in more documents: a number, or a share such as 0.5."
        ),
    ] = 1.0
    default_analyzer: Annotated[Any, Parameter(parse=False)] = None

    @property
    def min_documents(self) -> int:
        """Smallest document frequency, as far as it is known before the documents are counted."""
        return max(self.min_df, 1) if isinstance(self.min_df, int) else 1

    @property
    def used_options(self) -> dict[str, str]:
        """Options that change the analyzer, by field: their names on the command line."""
        names = [option.name for option in fields(self) if getattr(self, option.name) != option.default]
        return {
            name: f"--{name.replace('_', '-')}"
            for name in names
            if name not in ("min_df", "max_df", "default_analyzer")
        }

    @property
    def analyzer(self) -> Analyzer | None:
        """Analyzer of these options; the default one if none is given, None for that of termsift."""
        used = self.used_options
        if not used:
            return self.default_analyzer  # type: ignore[no-any-return]
        if self.char_ngrams is not None and (conflict := _first(WORD_OPTIONS, used)):
            raise InvalidInputError(
                f"--char-ngrams and {conflict} exclude each other: {conflict} is for words"
            )
        if self.across_words and self.char_ngrams is None:
            raise InvalidInputError("--across-words needs --char-ngrams, e.g. --char-ngrams 3-5")
        if (
            self.token_pattern is not None
            and self.words != "sklearn"
            and (conflict := _first(WORD_DEFINITIONS, used))
        ):
            raise InvalidInputError(f"--token-pattern and {conflict} both define a word; give one of them")
        settings = self.text_settings | (
            self.word_settings if self.char_ngrams is None else self.character_settings
        )
        if self.stop_words is None:
            return Analyzer(**settings)
        stop_words = _load_stop_words(self.stop_words)
        # A list may have capitals, accents and apostrophes that the tokens of a text lack, so the stop
        # words are also tokenized like a text.
        plain = Analyzer(**settings | {"ngram_range": (1, 1), "stemmer": None})
        tokens = {token for word in stop_words for token in plain(word)}
        return Analyzer(**settings, stop_words=tuple(sorted({*stop_words, *tokens})))

    @property
    def as_keywords(self) -> dict[str, Any]:
        """Analyzer and limits, as keyword arguments of functions that take documents."""
        return {"analyzer": self.analyzer, "min_df": self.min_df, "max_df": self.max_df}

    @property
    def text_settings(self) -> dict[str, Any]:
        """Settings of the analyzer that apply before tokens are found."""
        settings: dict[str, Any] = {"lowercase": not self.keep_case}
        if self.strip_accents:
            settings["strip_accents"] = "unicode"
        if self.normalize is not None:
            settings["normalize"] = self.normalize.upper()
        if self.html:
            settings["html"] = True
        return settings

    @property
    def word_settings(self) -> dict[str, Any]:
        """Settings of the analyzer for words."""
        words = "sklearn" if self.token_pattern is not None else self.words or "auto"
        settings: dict[str, Any] = {"words": words, "stemmer": self.stem}
        if self.token_pattern is not None:
            settings["token_pattern"] = self.token_pattern
        if self.ngrams is not None:
            settings["ngram_range"] = parse_ngram_range("--ngrams", self.ngrams)
        if self.hashtags:
            settings["hashtags"] = True
        if self.min_token_length is not None:
            settings["min_length"] = self.min_token_length
        if self.segmenter is not None:
            settings["segmenter"] = import_function(self.segmenter)
        return settings

    @property
    def character_settings(self) -> dict[str, Any]:
        """Settings of the analyzer for character n-grams."""
        kind = "char" if self.across_words else "char_wb"
        return {"analyzer": kind, "ngram_range": parse_ngram_range("--char-ngrams", str(self.char_ngrams))}

    def check_saved_counts(self, name: str) -> None:
        """Check that no tokenization option is used with saved counts."""
        for option in self.used_options.values():
            raise InvalidInputError(f"{name} holds counts, and {option} is for texts; count the texts again")


def _first(names: Sequence[str], options: dict[str, str]) -> str | None:
    return next((options[name] for name in names if name in options), None)


def parse_ngram_range(option: str, text: str) -> tuple[int, int]:
    """Parse an n-gram range such as '1-2' or '3'."""
    match = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?", text.strip(), re.ASCII)
    low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= low <= high:
        raise InvalidInputError(f"{option} expects a range like 1-2 or 3-5, got {text!r}")
    return low, high


def import_function(name: str) -> Callable[..., Any]:
    """Import the function that MODULE:FUNCTION names."""
    module, colon, function = name.partition(":")
    if not (module and colon and function):
        raise InvalidInputError(f"--segmenter expects MODULE:FUNCTION, e.g. jieba:lcut, got {name!r}")
    try:
        value = attrgetter(function)(import_module(module))
    except (ImportError, ValueError) as error:
        raise InvalidInputError(f"--segmenter {name} cannot be imported: {error}") from error
    except AttributeError as error:
        raise UnknownNameError(f"--segmenter {name}: {module} has no {function}") from error
    if not callable(value):
        raise InvalidInputError(f"--segmenter {name} is {type(value).__name__}, not a function")
    return value  # type: ignore[no-any-return]


def _load_stop_words(name: str) -> tuple[str, ...]:
    """Load the stop words of a language, or of a file with one word per line."""
    path = Path(name)
    if not path.is_file():
        if path.is_dir() or any(mark in name for mark in "./\\"):
            raise UnreadableFileError(f"there is no file {name} of stop words")
        try:
            return load_stop_words(name)
        except UnknownNameError as error:
            raise UnknownNameError(f"{error}, and there is no file of that name") from error
    try:
        words = tuple(path.read_text(encoding="utf-8-sig").split("\n"))
    except UnicodeDecodeError as error:
        raise UnreadableFileError(f"{path} is not a list of stop words: it is not UTF-8") from error
    words = tuple(word.strip() for word in words if word.strip())
    if not words:
        raise UnreadableFileError(f"{path} is not a list of stop words: it is empty")
    if any("\0" in word for word in words):
        raise UnreadableFileError(f"{path} is not a list of stop words: it is binary")
    return words


FILE_DEFAULTS, TOKEN_DEFAULTS = FileOptions(), TokenOptions()


@dataclass(frozen=True)
class InputOptions:
    """How labelled documents are read, tokenized and counted; commands with groups set `group`."""

    files: FileOptions = FILE_DEFAULTS
    label: LabelColumn = "label"
    label_separator: LabelSeparator = None
    on_missing: Annotated[
        str, Parameter(group=READING, help="Rows without text or label: 'error' or 'skip'.")
    ] = "error"
    data_dir: DataDir = None
    tokens: TokenOptions = TOKEN_DEFAULTS
    engine: Annotated[
        str, Parameter(group=EXECUTION, help="Counting engine: 'files' (local) or 'spark'.")
    ] = "files"
    master: Annotated[
        str | None,
        Parameter(group=EXECUTION, help="Spark master: local[*], spark://HOST:PORT, sc://HOST:PORT or yarn."),
    ] = None
    memory: Memory = None
    jobs: Jobs = None
    group: Annotated[str | None, Parameter(parse=False)] = None

    @property
    def memory_limit(self) -> int:
        """Bytes that sums may take in memory."""
        return DEFAULT_MEMORY if self.memory is None else parse_megabytes(self.memory)

    @property
    def columns(self) -> dict[str, Any]:
        """Columns and the treatment of rows, as keyword arguments of `ts.count`."""
        # without a header there is no column of the default name
        label = None if self.files.no_header and self.label == "label" else self.label
        keywords = {"text": self.files.columns, "label": label, "on_missing": self.on_missing}
        keywords["label_separator"] = self.label_separator
        return keywords if self.group is None else keywords | {"group": self.group}


Input = Annotated[InputOptions, Parameter(name="*")]
INPUT_DEFAULTS = InputOptions()
