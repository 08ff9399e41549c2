"""Options that several commands share, in groups: reading files, tokenization, execution, output."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Group, Parameter, Token

from termsift._internal.errors import InvalidInputError, UnknownNameError, UnreadableFileError
from termsift._internal.resources import MAX_DOWNLOAD_VARIABLE, REDIRECTS_VARIABLE, parse_memory_size
from termsift._internal.tables import TABLE_EXTENSIONS, TABLE_FORMATS
from termsift.text import Analyzer, load_stop_words

# Groups of --help, in this order, below the options of the command itself
READING = Group("Reading files", sort_key=1)
TOKENIZATION = Group("Tokenization", sort_key=2)
EXECUTION = Group("Execution", sort_key=3)
OUTPUT = Group("Output", sort_key=4)
DEFAULT_MEMORY = 1 << 30
# formats that programs would not find in a file of text
UNSUPPORTED_EXTENSIONS = {".xlsx", ".xls", ".ods", ".tsv", ".jsonl", ".parquet", ".html", ".pdf", ".docx"}

Data = Annotated[
    list[str],
    Parameter(
        negative=(),
        show_default=False,
        help="Files, patterns, folders, URLs, saved counts, or the name of a corpus; - is standard input.",
    ),
]
AsJson = Annotated[bool, Parameter(name="--json", group=OUTPUT, help="Print JSON.")]
AsCsv = Annotated[bool, Parameter(name="--csv", group=OUTPUT, help="Print CSV.")]
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
    list[str], Parameter(help="Compare --class with this class instead of all others; several are pooled.")
]
Switch = partial(Parameter, negative=(), show_default=False)
KeepNested = Annotated[
    bool, Switch(help="Also list n-grams nested in longer ones of nearly the same documents.")
]
DropDuplicates = Annotated[
    bool, Switch(help="Leave out documents that duplicate an earlier one, exactly or nearly.")
]
NoTexts = Annotated[bool, Switch(group=OUTPUT, help="Leave the texts out of the page (no concordance).")]
Report = Annotated[Path | None, Parameter(group=OUTPUT, help="Write an HTML page to this file.")]
Title = Annotated[
    str | None, Parameter(group=OUTPUT, help="Heading of the page (default: the name of the data).")
]


@Parameter(name="*", group=OUTPUT)
@dataclass(frozen=True)
class TableOutput:
    """Format in which a list is printed."""

    as_json: AsJson = False
    as_csv: AsCsv = False
    as_markdown: Annotated[bool, Parameter(name="--markdown", help="Print a Markdown table.")] = False
    as_latex: Annotated[bool, Parameter(name="--latex", help="Print a LaTeX table.")] = False

    @property
    def format(self) -> str | None:
        """Name of the format in TABLE_FORMATS, or None for text; more than one is an error."""
        chosen = [name for name in TABLE_FORMATS if getattr(self, f"as_{name}")]
        if len(chosen) > 1:
            raise InvalidInputError(f"give only one of --{chosen[0]} and --{chosen[1]}")
        return chosen[0] if chosen else None


@Parameter(name="*", group=OUTPUT)
@dataclass(frozen=True)
class ListOutput(TableOutput):
    """Format of a list, and the file for it."""

    output: Annotated[
        Path | None,
        Parameter(
            name=["--output", "-o"], help="Write the list to this file (.csv, .json, .md, .tex or text)."
        ),
    ] = None

    @property
    def format(self) -> str | None:
        """Name of the format, by the extension of the file if no option names it."""
        named = super().format
        extension = "" if self.output is None else self.output.suffix.lower()
        if extension in UNSUPPORTED_EXTENSIONS:
            raise InvalidInputError(
                f"cannot write lists as {extension}: name a file that ends in .csv (for spreadsheets), "
                ".json, .md or .tex, or .txt for text"
            )
        return TABLE_EXTENSIONS.get(extension) if named is None else named


Table = Annotated[TableOutput, Parameter(name="*")]
List = Annotated[ListOutput, Parameter(name="*")]
TABLE_DEFAULTS, LIST_DEFAULTS = TableOutput(), ListOutput()


@Parameter(name="*", group=READING)
@dataclass(frozen=True)
class FileOptions:
    """How files are read.

    Parameters
    ----------
    text
        Column of texts (default: text). Several columns are joined.
    no_header
        The first row is data; columns are numbered from 1.
    delimiter
        Column delimiter (detected if omitted).
    encoding
        Text encoding; 'auto' detects the encoding of files that are not UTF-8.
    encoding_errors
        Undecodable bytes: 'strict' (error) or 'replace'.
    format
        File format, if the extension does not determine it: csv, tsv, jsonl, json, parquet, arrow, xlsx,
        zip; text if each file is one document; with Spark also orc and table. Default for standard input:
        csv.
    on_bad_file
        Files of folders that are not text: 'error' or 'skip'.
    max_download
        Largest file to fetch from a URL (default: 10GB).
    follow_redirects
        Follow redirects of URLs to other hosts.

    """

    text: list[str] = field(default_factory=list)
    no_header: bool = False
    delimiter: str | None = None
    encoding: str = "utf-8"
    encoding_errors: str = "strict"
    format: str | None = None
    on_bad_file: str = "error"
    max_download: str | None = None
    follow_redirects: Annotated[bool, Parameter(negative=())] = False

    def __post_init__(self) -> None:
        # files are opened by readers that know only the file, and on the workers of Spark
        if self.max_download is not None:
            os.environ[MAX_DOWNLOAD_VARIABLE] = str(parse_memory_option(self.max_download))
        if self.follow_redirects:
            os.environ[REDIRECTS_VARIABLE] = "1"

    @property
    def as_kwargs(self) -> dict[str, Any]:
        """Options as keyword arguments of `ts.count`."""
        names = ("delimiter", "encoding", "encoding_errors", "format")
        text = self.text[0] if len(self.text) == 1 else self.text or None
        keywords = {"text": text, "header": not self.no_header} | {
            name: getattr(self, name) for name in names
        }
        # other engines do not have this option
        return keywords if self.on_bad_file == "error" else keywords | {"on_bad_file": self.on_bad_file}


def parse_memory_option(text: str) -> int:
    """Parse a size such as 2GB; a plain number means megabytes."""
    return int(parse_memory_size(f"{text}MB" if text.replace(".", "", 1).isdecimal() else text))


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
    """How a text becomes terms, and which terms are ignored.

    Parameters
    ----------
    words
        Definition of a word: 'auto', 'unicode' (UAX #29) or 'sklearn' (CountVectorizer).
    ngrams
        Word n-gram range, e.g. 1-2.
    char_ngrams
        Use character n-grams within words instead of words, e.g. 3-5.
    across_words
        With --char-ngrams: also n-grams that span words.
    stop_words
        Stop words: a language such as 'english', a file with one per line, or both: english,FILE.
    stem
        Stem words in this language, e.g. english.
    token_pattern
        Regular expression of a word.
    keep_case
        Do not lowercase.
    strip_accents
        Remove accents.
    normalize
        Unicode normalization form: NFC or NFKC.
    hashtags
        Keep #tags and @names as words.
    segmenter
        MODULE:FUNCTION that splits a text into words, for scripts without spaces.
    html
        Extract the visible text of HTML.
    min_token_length
        Ignore words with fewer characters.
    min_df
        Ignore terms in fewer documents: a number, or a share such as 0.01.
    max_df
        Ignore terms in more documents: a number such as 100, or a share such as 0.5 (1.0: none).

    """

    words: str | None = None
    ngrams: str | None = None
    char_ngrams: str | None = None
    across_words: bool = False
    stop_words: str | None = None
    stem: str | None = None
    token_pattern: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None
    keep_case: bool = False
    strip_accents: bool = False
    normalize: str | None = None
    hashtags: bool = False
    segmenter: str | None = None
    html: bool = False
    min_token_length: int | None = None
    min_df: Annotated[float, Parameter(converter=parse_df_limit)] = 1
    max_df: Annotated[float, Parameter(converter=parse_df_limit)] = 1.0
    default_analyzer: Annotated[Any, Parameter(parse=False)] = None

    @property
    def absolute_min_df(self) -> int:
        """Smallest document frequency, as far as it is known before the documents are counted."""
        return max(self.min_df, 1) if isinstance(self.min_df, int) else 1

    @property
    def analyzer_flags(self) -> dict[str, str]:
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
        used = self.analyzer_flags
        if not used:
            return self.default_analyzer  # type: ignore[no-any-return]
        if self.char_ngrams is not None and (conflict := _first_used_flag(WORD_OPTIONS, used)):
            message = f"--char-ngrams cannot be combined with {conflict}, which applies to words"
            raise InvalidInputError(message)
        if self.across_words and self.char_ngrams is None:
            raise InvalidInputError("--across-words needs --char-ngrams, e.g. --char-ngrams 3-5")
        if (
            self.token_pattern is not None
            and self.words != "sklearn"
            and (conflict := _first_used_flag(WORD_DEFINITIONS, used))
        ):
            raise InvalidInputError(f"give only one of --token-pattern and {conflict}: both define a word")
        settings = self.preprocessing_settings | (
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
    def as_kwargs(self) -> dict[str, Any]:
        """Analyzer and limits, as keyword arguments of functions that take documents."""
        return {"analyzer": self.analyzer, "min_df": self.min_df, "max_df": self.max_df}

    @property
    def preprocessing_settings(self) -> dict[str, Any]:
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
            settings["segmenter"] = import_segmenter(self.segmenter)
        return settings

    @property
    def character_settings(self) -> dict[str, Any]:
        """Settings of the analyzer for character n-grams."""
        kind = "char" if self.across_words else "char_wb"
        return {"analyzer": kind, "ngram_range": parse_ngram_range("--char-ngrams", str(self.char_ngrams))}

    def check_no_token_options(self, counts_path: str) -> None:
        """Check that no tokenization option is used with saved counts."""
        for option in self.analyzer_flags.values():
            message = f"{counts_path} contains counts, but {option} applies to texts; count the texts again"
            raise InvalidInputError(message)


def _first_used_flag(names: Sequence[str], flags: dict[str, str]) -> str | None:
    return next((flags[name] for name in names if name in flags), None)


def parse_ngram_range(option: str, text: str) -> tuple[int, int]:
    """Parse an n-gram range such as '1-2' or '3'."""
    match = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?", text.strip(), re.ASCII)
    low, high = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= low <= high:
        raise InvalidInputError(f"{option} expects a range like 1-2 or 3-5, got {text!r}")
    return low, high


def import_segmenter(name: str) -> Callable[..., Any]:
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
    """Load the stop words of a language, of a file with one word per line, or of several with commas."""
    path = Path(name)
    if not path.is_file():
        if "," in name:
            return tuple(word for part in name.split(",") for word in _load_stop_words(part.strip()))
        if path.is_dir() or any(mark in name for mark in "./\\"):
            raise UnreadableFileError(f"there is no stop word file {name}")
        try:
            return load_stop_words(name)
        except UnknownNameError as error:
            raise UnknownNameError(f"{error} (and no file has this name)") from error
    try:
        # some editors write a byte order mark, which is not part of the first word
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
    """How labelled documents are read, tokenized and counted; commands set `group` and `drop_duplicates`.

    Parameters
    ----------
    on_missing
        Rows without text or label: 'error' or 'skip'.
    engine
        Counting engine: 'files' (local) or 'spark'.
    master
        Spark master: local[*], spark://HOST:PORT, sc://HOST:PORT or yarn.

    """

    files: FileOptions = FILE_DEFAULTS
    label: LabelColumn = "label"
    label_separator: LabelSeparator = None
    on_missing: Annotated[str, Parameter(group=READING)] = "error"
    data_dir: DataDir = None
    tokens: TokenOptions = TOKEN_DEFAULTS
    engine: Annotated[str, Parameter(group=EXECUTION)] = "files"
    master: Annotated[str | None, Parameter(group=EXECUTION)] = None
    memory: Memory = None
    jobs: Jobs = None
    group: Annotated[str | None, Parameter(parse=False)] = None
    drop_duplicates: Annotated[bool, Parameter(parse=False)] = False

    @property
    def memory_limit(self) -> int:
        """Bytes that sums may take in memory."""
        return DEFAULT_MEMORY if self.memory is None else parse_memory_option(self.memory)

    @property
    def as_kwargs(self) -> dict[str, Any]:
        """Options of files, columns and rows, as keyword arguments of `ts.count`."""
        # without a header there is no column of the default name
        label = None if self.files.no_header and self.label == "label" else self.label
        keywords = self.files.as_kwargs | {"label": label, "label_separator": self.label_separator}
        keywords["on_missing"] = self.on_missing
        return keywords if self.group is None else keywords | {"group": self.group}

    def format_arguments(self) -> str:
        """Return the options that differ from their defaults, as written on the command line."""
        arguments: list[str] = []
        for group in (self, self.files, self.tokens):
            default = type(group)()
            for name in (option.name for option in fields(group)):
                value = getattr(group, name)
                if value == getattr(default, name) or name in ("files", "tokens", "default_analyzer"):
                    continue
                for item in value if isinstance(value, list) else [value]:
                    arguments.append(f"--{name.replace('_', '-')}")
                    arguments += [] if item is True else [shlex.quote(str(item))]
        return " ".join(arguments)


Input = Annotated[InputOptions, Parameter(name="*")]
INPUT_DEFAULTS = InputOptions()
