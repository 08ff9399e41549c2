"""Start and end of a command, its output on stdout, and its messages and progress on stderr.

At import time it needs only the standard library, so that the imports of a command happen inside the block
that handles its errors and signals.
"""

from __future__ import annotations

import io
import json
import os
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, redirect_stderr
from errno import ENOMEM
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
from termsift._internal.files import SCRATCH, remove_temporaries

if TYPE_CHECKING:
    from rich.console import Console

    from termsift._internal.tables import Table

USER_ERROR, INTERNAL_ERROR = 1, 70  # exit codes
TRACEBACK_VARIABLE = "TERMSIFT_TRACEBACK"
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
LINE_SECONDS = 10  # between two lines of progress
QUIET = "--quiet"  # an option of every command
STDIN = "/dev/stdin"
STDIN_COPY = "standard-input"  # file name of the copy of standard input
# reports progress: units of work that are done, and their total
Progress: TypeAlias = Callable[[int, int], None]


def main(arguments: Sequence[str] | None = None, *, parser_module: str = "termsift.cli.parser") -> NoReturn:
    """Run a command of `termsift`: exit 0, or 1 with one clear line for a user's mistake.

    The parser module has a function `app_for(arguments)`. The imports are part of the run, because in short
    commands they take longest: an interrupt during them ends the command like any other.
    """
    with ExitHandler(), ExitStack() as stack:
        from importlib import import_module

        import cyclopts

        # cyclopts takes a lone dash for an option
        arguments = sys.argv[1:] if arguments is None else arguments
        arguments = [STDIN if argument == "-" else argument for argument in arguments]
        if QUIET in arguments:
            arguments = [argument for argument in arguments if argument != QUIET]
            # errors are printed by ExitHandler, when the block has ended
            stack.enter_context(redirect_stderr(stack.enter_context(open(os.devnull, "w"))))
        stack.enter_context(print_warnings())
        if STDIN in arguments and sys.stdin is None:
            raise UnreadableFileError("standard input is closed; give a file instead")
        app_for = import_module(parser_module).app_for
        try:
            app_for(arguments)(arguments, exit_on_error=False, print_error=False)
        except cyclopts.CycloptsError as error:
            raise InvalidInputError(str(error)) from error
    raise AssertionError("the block ends in sys.exit")


class ExitHandler:
    """Block that ends in sys.exit: 0, 1 for a user's mistake, 70 for an internal error, 128 + a signal.

    SIGTERM and SIGHUP end the block like Ctrl-C, so that temporary files are removed. If the variable
    TERMSIFT_TRACEBACK is set, an internal error is raised with its traceback.
    """

    signal = 0  # that ended the block
    previous_handlers: dict[int, Any]
    previous_hook: Callable[[Any], object]  # of exceptions that cannot be raised

    def __enter__(self) -> None:
        self.previous_handlers = {}
        if sys.stderr is None:  # closed by the caller; messages have nowhere to go
            sys.stderr = open(os.devnull, "w")
        if isinstance(sys.stdout, io.TextIOWrapper):
            # UTF-8 whatever the locale; on a terminal, characters it cannot show are escaped
            encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
            sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")
        if threading.current_thread() is not threading.main_thread():
            return
        self.previous_hook, sys.unraisablehook = sys.unraisablehook, self.report_unraisable
        for number in SIGNALS:
            # a signal that the caller ignores, as nohup does, stays ignored
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                self.previous_handlers[number] = signal.signal(number, self.interrupt)

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Raise KeyboardInterrupt at the first signal; a second Ctrl-C ends the process at once."""
        if not self.signal:
            self.signal = number
            raise KeyboardInterrupt
        # without clean-up, for users who do not want to wait for it
        if number == signal.SIGINT:
            os._exit(128 + number)

    def report_unraisable(self, unraisable: Any) -> None:
        """Report an exception that Python cannot raise, such as one in a finalizer; interrupts are silent."""
        # The signal is recorded, so that the command still ends with its exit code.
        if not isinstance(unraisable.exc_value, KeyboardInterrupt):
            self.previous_hook(unraisable)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        code = self.report_error(error or flush_stdout())
        for number, handler in self.previous_handlers.items():
            signal.signal(number, handler)
        if sys.unraisablehook == self.report_unraisable:
            sys.unraisablehook = self.previous_hook
        if code is None:
            return
        if flush_stdout() is not None:
            # output that stdout did not accept is discarded, or Python would try to write it again
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(code)

    def report_error(self, error: BaseException | None) -> int | None:
        """Return the exit code for an error and print its message; None to raise the error itself."""
        if self.signal or isinstance(error, KeyboardInterrupt):
            remove_temporaries()
            return 128 + (self.signal or signal.SIGINT)
        if isinstance(error, SystemExit):
            return error.code if isinstance(error.code, int) else int(error.code is not None)
        if error is None or isinstance(error, BrokenPipeError):
            return 0  # the reader of stdout, such as head, has stopped reading
        # libraries raise all kinds of errors, mostly without a number, when an allocation fails
        has_cause = isinstance(error, TermsiftError) or getattr(error, "errno", None) not in (None, ENOMEM)
        if has_cause:
            print_message(f"termsift: {to_command_line_terms(str(error))}")
            return USER_ERROR
        from termsift._internal.resources import RESERVED, format_bytes, nearly_exhausted_limit

        if os.environ.get(TRACEBACK_VARIABLE) and not isinstance(error, MemoryError | OSError):
            return None
        if limit := nearly_exhausted_limit():
            print_message(
                f"termsift: not enough memory: the process is limited to {format_bytes(limit)} (ulimit -v); "
                f"libraries reserve up to {format_bytes(RESERVED)} of it, so allow that more than --memory"
            )
            return USER_ERROR
        if isinstance(error, MemoryError):
            print_message("termsift: not enough memory; use fewer documents or a larger --min-df")
            return USER_ERROR
        if isinstance(error, OSError):
            print_message(f"termsift: {to_command_line_terms(str(error))}")
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


def print_message(message: str) -> None:
    """Print one line on stderr."""
    try:
        print(format_one_line(message), file=sys.stderr, flush=True)
    except OSError:
        return


def write_output(text: str, always_escape: bool = False) -> None:
    """Write text to stdout; on a terminal, characters that are invisible or move the cursor are escaped."""
    if sys.stdout is None:
        raise UnreadableFileError("standard output is closed; open it, or write to a file with -o")
    if always_escape or sys.stdout.isatty():
        text = "\n".join(escape_invisible(row) for row in text.split("\n"))
    sys.stdout.write(text)


def print_text(text: str) -> None:
    """Print text for people on stdout, with escaped control characters."""
    write_output(text + "\n", always_escape=True)


def print_table(table: Table, format: str | None) -> None:
    """Print a table on stdout in a format of TABLE_FORMATS, or as aligned text."""
    from termsift._internal.tables import format_table, render_table

    if format is None:
        print_text(format_table(table, max_rows=10**6))
    else:
        write_output(render_table(table, format))


def stderr_terminal() -> Console | None:
    """Return stderr as a console if it is a terminal, otherwise None."""
    # rich is imported only for what may be a terminal, because that takes time
    if not (sys.stderr.isatty() or os.environ.get("FORCE_COLOR") or os.environ.get("TTY_COMPATIBLE")):
        return None
    from rich.console import Console

    terminal = Console(stderr=True)
    return terminal if terminal.is_terminal else None


def spinner(task: str) -> AbstractContextManager[Any]:
    """Show a spinner on stderr during the block if stderr is a terminal."""
    terminal = stderr_terminal()
    if terminal is None:
        return nullcontext()
    from rich.text import Text

    return terminal.status(Text(format_one_line(task)))


@contextmanager
def file_progress(data: Sequence[str], format: str | None = None) -> Iterator[Progress | None]:
    """Show a progress bar for reading files, with speed and remaining time; yield its update function."""
    terminal = stderr_terminal()
    if terminal is None:
        yield None
        return
    from rich import progress

    description = progress.TextColumn("counting {task.fields[documents]:,} documents")
    columns = (progress.BarColumn(), progress.TransferSpeedColumn(), progress.TimeRemainingColumn())
    with progress.Progress(description, *columns, console=terminal, transient=True) as bar:
        task = bar.add_task("", total=total_bytes(data, format), documents=0)
        yield lambda documents, size: bar.update(task, completed=size, documents=documents)


def total_bytes(data: Sequence[str], format: str | None) -> int | None:
    """Return the size of the files; None if it is unknown before they are read, as for URLs."""
    from termsift.engines.files import is_url, open_source, parse_source

    if any(map(is_url, data)):
        return None
    with (
        warnings.catch_warnings(action="ignore"),
        open_source(parse_source(data, label="", format=format)) as files,
    ):
        return files.nbytes


class LineProgress:
    """Progress as lines on stderr: an estimate after a second of work, if it is long; then every ten seconds.

    as_json : write every report as a JSON object with done, total, seconds and remaining
    """

    def __init__(self, task: str, *, as_json: bool = False) -> None:
        self.task, self.as_json = task, as_json
        self.start = self.next_line = self.last_line = time.monotonic()
        self.first: tuple[float, int] | None = None
        self.state = 0, 1

    def update(self, done: int, total: int) -> None:
        """Write the progress if it is time for it."""
        now, self.state = time.monotonic(), (done, total)
        # reading and compiling precede the first report and are not part of the rate
        start, done_before = self.first = self.first or (now, done)
        remaining = (now - start) * (total - done) / max(done - done_before, 1)
        seconds, is_known = now - self.start, now - start >= 1
        if self.as_json:
            values = {"done": done, "total": total, "seconds": round(seconds, 1)}
            print_message(json.dumps(values | {"remaining": round(remaining, 1) if is_known else None}))
            self.last_line = now
        elif now >= self.next_line and is_known and now - start + remaining >= LINE_SECONDS:
            share = f"{done / max(total, 1):.0%} after {seconds:.0f} s"
            print_message(f"{self.task}: {share}, about {remaining:.0f} s remaining")
            self.next_line, self.last_line = now + LINE_SECONDS, now

    def write_if_silent(self) -> None:
        """Write a line if there was none for ten seconds, because one step takes longer."""
        now, (done, total) = time.monotonic(), self.state
        if now - self.last_line < LINE_SECONDS:
            return
        self.next_line, self.last_line = now + LINE_SECONDS, now
        seconds = now - self.start
        if self.as_json:
            values = {"done": done, "total": total, "seconds": round(seconds, 1), "remaining": None}
            print_message(json.dumps(values))
        else:
            print_message(f"{self.task}: {done / max(total, 1):.0%} after {seconds:.0f} s, still running")

    def watch(self, stop: threading.Event) -> None:
        """Write lines during long steps until the event is set."""
        while not stop.wait(1):
            self.write_if_silent()


@contextmanager
def task_progress(task: str, *, in_units: bool = False, as_json: bool = False) -> Iterator[Progress | None]:
    """Show a progress bar with the percentage, or the units, of completed work; yield its update function.

    Where stderr is not a terminal, progress is written as lines.
    """
    terminal = None if as_json else stderr_terminal()
    if terminal is None:
        lines, stop = LineProgress(task, as_json=as_json), threading.Event()
        threading.Thread(target=lines.watch, args=[stop], daemon=True).start()
        try:
            yield lines.update
        finally:
            stop.set()
        return
    from rich import progress

    description = progress.TextColumn("{task.description}", markup=False)
    state = progress.MofNCompleteColumn() if in_units else progress.TaskProgressColumn()
    columns = description, progress.BarColumn(), state, progress.TimeRemainingColumn()
    bar = progress.Progress(*columns, console=terminal, transient=True)
    task_id = bar.add_task(format_one_line(task), total=None)

    def update(done: int, total: int) -> None:
        bar.start()  # only now, so that text printed before has the screen
        bar.update(task_id, completed=done, total=total)

    try:
        yield update
    finally:
        bar.stop()


@contextmanager
def print_warnings() -> Iterator[None]:
    """Print warnings of termsift as messages; those of other libraries are for developers."""
    printed = set()

    def print_warning(message: Warning | str, *args: Any, **options: Any) -> None:
        # several steps of a command may warn of the same
        if str(message) not in printed:
            print_message(f"termsift: {to_command_line_terms(str(message))}")
        printed.add(str(message))

    # the filter added last is the first to be applied
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
    "methods": "--metric",
    "classifiers": "--classifier",
    "for_class": "--class",
    "groups": "--group",
    "times": "--time",
    "splits": "--split",
    "sample_weight": "--weight",
} | {
    name: f"--{name.replace('_', '-')}"
    for name in (
        "adjust", "budget", "calibrate", "cells", "data_dir", "delimiter", "direction", "drop_duplicates",
        "effect", "encoding", "encoding_errors", "expected", "fail_on", "folds", "format", "goal", "group",
        "hashtags", "html", "k", "keep", "keep_nested", "label", "label_separator", "level", "levels",
        "max_df", "max_terms", "memory", "metric", "min_df", "min_frequency", "min_positives", "normalize",
        "on_bad_file", "on_missing", "overwrite", "policy", "progress", "reduce", "reference", "repeats",
        "results", "segmenter", "split", "stop_words", "strip_accents", "test", "text", "time", "title",
        "token_pattern",
        "tolerance", "top", "trust_pattern", "weight", "words",
    )
}  # fmt: skip
FLAGS = {"header=False": "--no-header", "lowercase=False": "--keep-case", "expected=None": "--all"}
FUNCTIONS = (
    "count", "score", "select", "compare", "report", "audit", "concordance", "diff", "keyness", "metrics",
    "corpora", "predict", "explain", "evaluate", "benchmark",
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
    # without the quotes of Python
    return f"{option} {value.strip(chr(39) + chr(34))}"
