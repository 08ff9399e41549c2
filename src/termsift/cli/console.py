"""Start and end of a command, its output on stdout, and its messages and progress on stderr.

At import time it needs only the standard library, so that the imports of a command happen inside the block
that handles its errors and signals.
"""

from __future__ import annotations

import io
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from termsift._internal.errors import (
    InvalidInputError,
    TermsiftError,
    TermsiftWarning,
    UnreadableFileError,
    escape_invisible,
    format_one_line,
)
from termsift._internal.files import SCRATCH

if TYPE_CHECKING:
    from termsift._internal.tables import Table

USER_ERROR, INTERNAL_ERROR = 1, 70  # exit codes
TRACEBACK_VARIABLE = "TERMSIFT_TRACEBACK"
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
STDIN = "/dev/stdin"
STDIN_COPY = "standard-input"  # file name of the copy of standard input
# reports progress: units of work that are done, and their total
Progress: TypeAlias = Callable[[int, int], None]


class ExitHandler:
    """Block that ends in sys.exit: 0, 1 for a user's mistake, 70 for an internal error, 128 + a signal.

    SIGTERM and SIGHUP end the block like Ctrl-C, so that temporary files are removed. If the variable
    TERMSIFT_TRACEBACK is set, an internal error is raised with its traceback.
    """

    def __init__(self) -> None:
        self.signal = 0
        self.previous_handlers: dict[int, Any] = {}

    def __enter__(self) -> None:
        if sys.stderr is None:  # closed by the caller; messages have nowhere to go
            sys.stderr = open(os.devnull, "w")
        if threading.current_thread() is not threading.main_thread():
            return
        for number in SIGNALS:
            # a signal that the caller ignores, as nohup does, stays ignored
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                self.previous_handlers[number] = signal.signal(number, self.interrupt)

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Raise KeyboardInterrupt at the first signal; a second Ctrl-C ends the process at once."""
        if not self.signal:
            self.signal = number
            raise KeyboardInterrupt
        if number == signal.SIGINT:
            os._exit(128 + number)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        code = self.exit_code(error or flush_stdout())
        for number, handler in self.previous_handlers.items():
            signal.signal(number, handler)
        if code is not None:
            exit_process(code)

    def exit_code(self, error: BaseException | None) -> int | None:
        """Return the exit code for an error and print its message; None to raise the error itself."""
        if self.signal or isinstance(error, KeyboardInterrupt):
            return 128 + (self.signal or signal.SIGINT)
        if isinstance(error, SystemExit):
            return error.code if isinstance(error.code, int) else int(error.code is not None)
        if error is None or isinstance(error, BrokenPipeError):
            return 0  # the reader of stdout, such as head, has stopped reading
        if isinstance(error, MemoryError):
            print_message("termsift: not enough memory; use fewer documents or a larger --min-df")
            return USER_ERROR
        if isinstance(error, TermsiftError | OSError):
            print_message(f"termsift: {to_command_line_terms(str(error))}")
            return USER_ERROR
        if os.environ.get(TRACEBACK_VARIABLE):
            return None
        # libraries raise all kinds of errors when an allocation fails under ulimit -v
        from termsift._internal.resources import nearly_exhausted_limit

        if limit := nearly_exhausted_limit():
            print_message(
                f"termsift: not enough memory: the process is limited to {limit >> 20:,} MB (ulimit -v)"
            )
            return USER_ERROR
        print_message(
            f"termsift: {type(error).__name__}: {format_one_line(str(error), 300)}; this is a bug in "
            f"termsift. Run again with {TRACEBACK_VARIABLE}=1 for the traceback and report it"
        )
        return INTERNAL_ERROR


def flush_stdout() -> OSError | None:
    """Flush stdout and return the error if it cannot be written."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        return error
    return None


def exit_process(code: int) -> NoReturn:
    """Exit; output that stdout did not accept is discarded, or Python would try to write it again."""
    if flush_stdout() is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def print_message(message: str) -> None:
    """Print one line on stderr."""
    try:
        print(format_one_line(message), file=sys.stderr, flush=True)
    except OSError:
        return


def set_output_encoding() -> None:
    """Write UTF-8 to stdout whatever the locale; on a terminal, escape characters it cannot show."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")


def write_output(text: str) -> None:
    """Write data to stdout: unchanged for programs, with escaped control characters on a terminal."""
    if sys.stdout is None:
        raise UnreadableFileError("standard output is closed; open it, or write to a file with -o")
    sys.stdout.write(escape_lines(text) if sys.stdout.isatty() else text)


def print_text(text: str) -> None:
    """Print text for people on stdout, with escaped control characters."""
    write_output(escape_lines(text) + "\n")


def escape_lines(text: str) -> str:
    """Escape characters in each line that are invisible or move the cursor."""
    return "\n".join(escape_invisible(row) for row in text.split("\n"))


def print_table(table: Table, as_json: bool, as_csv: bool) -> None:
    """Print a table on stdout as JSON, CSV or aligned text."""
    check_output_format(as_json, as_csv)
    if as_json:
        write_output(table.to_json() + "\n")
    elif as_csv:
        write_output(table.to_csv())
    else:
        from termsift._internal.tables import format_table

        print_text(format_table(table, max_rows=10**6))


def check_output_format(as_json: bool, as_csv: bool) -> None:
    """Check that only one output format is requested."""
    if as_json and as_csv:
        raise InvalidInputError("give only one of --json and --csv")


def may_be_terminal() -> bool:
    """Return whether stderr may be a terminal, before rich is imported, which takes time."""
    return sys.stderr.isatty() or any(os.environ.get(name) for name in ("FORCE_COLOR", "TTY_COMPATIBLE"))


@contextmanager
def spinner(task: str) -> Iterator[None]:
    """Show a spinner on stderr during the block if stderr is a terminal."""
    if not may_be_terminal():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(Text(format_one_line(task))):
        yield


@contextmanager
def file_progress(data: Sequence[str], format: str | None = None) -> Iterator[Progress | None]:
    """Show a progress bar for reading files, with speed and remaining time; yield its update function."""
    if not may_be_terminal():
        yield None
        return
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn("counting {task.fields[documents]:,} documents"), BarColumn())
    with progress_bar(*columns, TransferSpeedColumn(), TimeRemainingColumn()) as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task("", total=total_bytes(data, format), documents=0)
        bar.start()
        yield lambda documents, size: bar.update(task, completed=size, documents=documents)


def total_bytes(data: Sequence[str], format: str | None) -> int | None:
    """Return the size of the files; None if it is unknown before they are read, as for URLs."""
    from termsift.engines.files import is_url, open_source, parse_source

    if any(map(is_url, data)):
        return None
    with warnings.catch_warnings(action="ignore"), open_source(parse_source(data, format=format)) as files:
        return files.size


def unit_progress(task: str) -> AbstractContextManager[Progress | None]:
    """Show a progress bar with the number of completed units."""
    from rich.progress import MofNCompleteColumn

    return task_progress(task, MofNCompleteColumn())


def percent_progress(task: str) -> AbstractContextManager[Progress | None]:
    """Show a progress bar with the percentage of completed work."""
    from rich.progress import TaskProgressColumn

    return task_progress(task, TaskProgressColumn())


@contextmanager
def task_progress(task: str, column: Any) -> Iterator[Progress | None]:
    """Show a progress bar with a description, a column for the state and the remaining time."""
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

    description = TextColumn("{task.description}", markup=False)
    with progress_bar(description, BarColumn(), column, TimeRemainingColumn()) as bar:
        if bar is None:
            yield None
            return
        task_id = bar.add_task(format_one_line(task), total=None)

        def update(done: int, total: int) -> None:
            bar.start()  # only now, so that text printed before has the screen
            bar.update(task_id, completed=done, total=total)

        yield update


@contextmanager
def progress_bar(*columns: Any) -> Iterator[Any]:
    """Yield a progress bar on stderr that is not started yet; None if stderr is not a terminal."""
    from rich.console import Console
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    bar = Bar(*columns, console=console, transient=True)
    try:
        yield bar
    finally:
        bar.stop()


@contextmanager
def print_warnings() -> Iterator[None]:
    """Print warnings of termsift as messages; those of other libraries are for developers."""

    def print_warning(message: Warning | str, *args: Any, **options: Any) -> None:
        print_message(f"termsift: {to_command_line_terms(str(message))}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", TermsiftWarning)
        warnings.showwarning = print_warning
        yield


# Options whose name is not that of the Python parameter with dashes
OPTION_NAMES = {
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "ngram_range": "--ngrams",
    "stemmer": "--stem",
    "min_length": "--min-token-length",
    "metrics": "--metric",
    "classifiers": "--classifier",
    "for_class": "--class",
    "groups": "--group",
    "times": "--time",
    "splits": "--split",
    "sample_weight": "--weight",
} | {
    name: f"--{name.replace('_', '-')}"
    for name in (
        "adjust", "budget", "calibrate", "delimiter", "direction", "drop_duplicates", "effect", "encoding",
        "encoding_errors", "expected", "fail_on", "folds", "format", "goal", "group", "hashtags", "html", "k",
        "keep", "keep_nested", "label", "label_separator", "level", "max_df", "max_terms", "memory", "min_df",
        "normalize", "on_missing", "overwrite", "policy", "reduce", "reference", "repeats", "segmenter",
        "split", "stop_words", "strip_accents", "test", "text", "time", "title", "token_pattern", "tolerance",
        "top", "weight", "words",
    )
}  # fmt: skip
FLAGS = {"header=False": "--no-header", "lowercase=False": "--keep-case"}
FUNCTIONS = (
    "count", "score", "select", "compare", "report", "audit", "diff", "metrics", "corpora", "predict",
    "explain", "evaluate",
)  # fmt: skip
# The patterns below find Python parameters in messages: `name=value`, a name with an underscore, and a
# short name only at the start of a message, because words such as "text" are also plain English.
LITERAL = r"""'[^']*'|"[^"]*"|\([^()]*\)|-?\d+(?:\.\d+)?|True|False|None"""
ANY_NAME = "|".join(sorted(OPTION_NAMES, key=len, reverse=True))
LONG_NAME = "|".join(name for name in OPTION_NAMES if "_" in name)
BEFORE, AFTER = r"(?<![^\s(])", r"(?=[,;:.?)]?(?:\s|$))"
KEYWORD = re.compile(rf"{BEFORE}({ANY_NAME})=({LITERAL})?{AFTER}")
BARE_NAME = re.compile(rf"{BEFORE}({LONG_NAME}){AFTER}|^({ANY_NAME})(?= must | is for )")
CALL = re.compile(rf"\b(?:ts|termsift)\.({'|'.join(FUNCTIONS)})(?:\(\))?(?![\w(])")
STDIN_PATH = re.compile(rf"/(?:[^/\s]+/)*{SCRATCH}[^/\s]+/{STDIN_COPY}\.\w+(?:\.\w+)?|/dev/stdin\b")


def to_command_line_terms(message: str) -> str:
    """Replace Python parameters and functions in a message by options and commands.

    >>> to_command_line_terms("row 2 has no label; to skip such rows: on_missing='skip'")
    'row 2 has no label; to skip such rows: --on-missing skip'
    >>> to_command_line_terms("a larger min_df; ts.count()")
    'a larger --min-df; termsift count'
    """
    for keyword, flag in FLAGS.items():
        message = message.replace(keyword, flag)
    message = KEYWORD.sub(lambda match: format_option(match[1], match[2]), message)
    message = BARE_NAME.sub(lambda match: format_option(match[1] or match[2], None), message)
    return STDIN_PATH.sub("standard input", CALL.sub(r"termsift \1", message))


def format_option(name: str, value: str | None) -> str:
    """Format a Python parameter and its value as an option."""
    option = "-k" if name == "k" else OPTION_NAMES[name]
    if value is None or value == "True":
        return option
    if name == "ngram_range":
        value = "-".join(re.findall(r"\d+", value))
    return f"{option} {value.strip(chr(39) + chr(34))}"
