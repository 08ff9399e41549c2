"""How a command begins and ends, whatever happens: streams that are open, one line at most, an exit code.

Nothing but the standard library is imported with it, so that the imports of a command are inside it too.
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
    TermsiftWarning,
    UnreadableFileError,
    one_line,
    printable,
)
from termsift._internal.files import temporaries

if TYPE_CHECKING:
    from termsift._internal.tables import Table

MISTAKE, FAULT = 1, 70  # exit codes: of the user's mistakes, and of our own faults
TRACEBACK = "TERMSIFT_TRACEBACK"
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Ending:
    """A block that always ends in sys.exit: 0, 1 for a mistake, 70 for a fault of ours, 128 + a signal.

    SIGTERM and SIGHUP end the block as Ctrl-C does, so that its files and folders are cleaned up. With
    TERMSIFT_TRACEBACK set, a fault of ours is not caught.
    """

    def __init__(self) -> None:
        self.signal = 0
        self.handlers: dict[int, Any] = {}

    def __enter__(self) -> None:
        open_streams()
        if threading.current_thread() is not threading.main_thread():
            return
        for number in SIGNALS:
            # what is ignored, as by nohup, stays so
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                self.handlers[number] = signal.signal(number, self.interrupt)

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """The first signal ends the block; Ctrl-C once more ends the process without more ado."""
        if not self.signal:
            self.signal = number
            raise KeyboardInterrupt
        if number == signal.SIGINT:
            os._exit(128 + number)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        code = self.exit_code(error or flushing_error())
        for number, handler in self.handlers.items():
            signal.signal(number, handler)
        if code is not None:
            leave(code)

    def exit_code(self, error: BaseException | None) -> int | None:
        """The code for what the block ended in, its line said; None for what nobody foresaw."""
        if self.signal or isinstance(error, KeyboardInterrupt):
            return 128 + (self.signal or signal.SIGINT)
        if isinstance(error, SystemExit):
            return error.code if isinstance(error.code, int) else int(error.code is not None)
        if error is None or isinstance(error, BrokenPipeError):
            return 0  # the reader, such as head, has seen enough
        from termsift._internal.errors import TermsiftError, one_line
        from termsift._internal.resources import narrow_limit

        if isinstance(error, TermsiftError | OSError | MemoryError):
            say(f"termsift: {told(error)}")
            return MISTAKE
        if os.environ.get(TRACEBACK):
            return None
        if limit := narrow_limit():
            say(f"termsift: there is not enough memory: the process may have {limit >> 20:,} MB (ulimit -v)")
            return MISTAKE
        say(
            f"termsift: {type(error).__name__}: {one_line(str(error), 300)}; this is a fault of termsift. "
            f"Run it again with {TRACEBACK}=1 to see where, and report that to its developers"
        )
        return FAULT


def told(error: BaseException) -> str:
    """A mistake in words."""
    if isinstance(error, MemoryError):
        return "there is not enough memory; give it fewer documents, or terms of a larger --min-df"

    return command_words(str(error))


def say(line: str) -> None:
    """A line of talk, on stderr, if anybody listens."""
    from termsift._internal.errors import one_line

    try:
        print(one_line(line), file=sys.stderr, flush=True)
    except OSError:
        return


def open_streams() -> None:
    """Open the standard streams that are closed, to nowhere.

    A file would be opened in the place of one, and would get what is said. What writes to stdout or reads
    stdin still sees that they were closed: they are None.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # as the lowest number that is free
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def flushing_error() -> OSError | None:
    """What is left goes to stdout; the error if it cannot."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        return error
    return None


def leave(code: int) -> NoReturn:
    """Exit; what stdout did not take is not tried again."""
    if flushing_error() is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


STDIN = "/dev/stdin"
STREAM = "standard-input"  # what the copy of standard input is called
# what an option is called where it is not the name with a dash for each underscore
OTHERWISE = {
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "token_pattern": "--pattern",
    "ngram_range": "--ngrams",
    "stemmer": "--stem",
    "metrics": "--metric",
    "classifiers": "--classifier",
    "for_class": "--class",
    "groups": "--group",
    "times": "--time",
    "splits": "--split",
    "sample_weight": "--weight",
    "at_most": "--terms",
    "level": "--level",
}
SAME = (
    "text", "label", "separator", "on_missing", "encoding", "encoding_errors", "delimiter", "format",
    "memory", "group", "words", "stop_words", "normalize", "hashtags", "segmenter", "html", "min_length",
    "min_df", "max_df", "keep_parts", "drop_copies", "against", "side", "top", "expected", "goal", "folds",
    "repeats", "budget", "k", "policy", "reduce", "effect", "adjust", "fail_on", "title",
    "strip_accents", "overwrite", "calibrate", "keep", "time", "split", "weight", "test", "within", "latency",
)  # fmt: skip
OPTIONS = {name: f"--{name.replace('_', '-')}" for name in SAME} | OTHERWISE
# what is written as a flag of its own
FLAGS = {"header=False": "--no-header", "lowercase=False": "--keep-case"}
COMMANDS = (
    "count",
    "score",
    "select",
    "compare",
    "report",
    "audit",
    "diff",
    "metrics",
    "corpora",
    "predict",
    "explain",
    "evaluate",
)
LITERAL = r"""'[^']*'|"[^"]*"|\([^()]*\)|-?\d+(?:\.\d+)?|True|False|None"""
NAMES = "|".join(sorted(OPTIONS, key=len, reverse=True))
LONG = "|".join(name for name in OPTIONS if "_" in name)
BEFORE, AFTER = r"(?<![^\s(])", r"(?=[,;:.?)]?(?:\s|$))"
GIVEN = re.compile(rf"{BEFORE}({NAMES})=({LITERAL})?{AFTER}")
BARE = re.compile(rf"{BEFORE}({LONG}){AFTER}|^({NAMES})(?= must | is for )")
CALL = re.compile(rf"\b(?:ts|termsift)\.({'|'.join(COMMANDS)})(?:\(\))?(?![\w(])")
# a function of the work done and the work there is
Told: TypeAlias = Callable[[int, int], None]


def encode_data() -> None:
    """Have stdout take every letter: in UTF-8, whatever the locale; what a terminal lacks by its number."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")


def put(text: str) -> None:
    """Lines of data on stdout: as they are for programs, in printable form on a terminal."""
    if sys.stdout is None:
        raise UnreadableFileError("standard output is closed; open it, or name a file by -o")
    sys.stdout.write(printable_lines(text) if sys.stdout.isatty() else text)


def put_for_people(text: str) -> None:
    """Lines for people on stdout, in printable form wherever they go."""
    put(printable_lines(text) + "\n")


def printable_lines(text: str) -> str:
    """The text, nothing in its lines that moves a cursor or cannot be seen."""
    return "\n".join(printable(line) for line in text.split("\n"))


def show(table: Table, as_json: bool, as_csv: bool) -> None:
    """A table on stdout in the form that was asked for."""
    check_form(as_json, as_csv)
    if as_json:
        put(table.to_json() + "\n")
    elif as_csv:
        put(table.to_csv())
    else:
        from termsift._internal.tables import text_table

        put_for_people(text_table(table, most=10**6))


def check_form(as_json: bool, as_csv: bool) -> None:
    """An error where two forms are asked for."""
    if as_json and as_csv:
        raise InvalidInputError("give one of --json and --csv")


def is_watched() -> bool:
    """Whether stderr may be a terminal; rich, which knows for sure, takes its time to be imported."""
    return sys.stderr.isatty() or any(os.environ.get(name) for name in ("FORCE_COLOR", "TTY_COMPATIBLE"))


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner on stderr while something takes its time; nothing where nobody watches."""
    if not is_watched():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(Text(one_line(what))):
        yield


@contextmanager
def file_progress(
    data: Sequence[str], format: str | None = None
) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on stderr with the share done, the speed and the time left; nothing where nobody watches."""
    if not is_watched():
        yield None
        return
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn("counting {task.fields[documents]:,} documents"), BarColumn())
    with bar_on_stderr(*columns, TransferSpeedColumn(), TimeRemainingColumn()) as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task("", total=bytes_to_read(data, format), documents=0)
        bar.start()
        yield lambda documents, size: bar.update(task, completed=size, documents=documents)


def bytes_to_read(data: Sequence[str], format: str | None) -> int | None:
    """The bytes of some files; None of those that say it only when they are read, and of addresses."""
    from termsift.engines.files import found_files, is_address, source_of

    if any(map(is_address, data)):
        return None
    with warnings.catch_warnings(action="ignore"), found_files(source_of(data, format=format)) as found:
        return found.size


def unit_progress(what: str) -> AbstractContextManager[Told | None]:
    """A bar on stderr with the units done, those to do and the time left; nothing where nobody watches."""
    from rich.progress import MofNCompleteColumn

    return described_progress(what, MofNCompleteColumn())


def share_progress(what: str) -> AbstractContextManager[Told | None]:
    """A bar on stderr with the share done and the time left; nothing where nobody watches."""
    from rich.progress import TaskProgressColumn

    return described_progress(what, TaskProgressColumn())


@contextmanager
def described_progress(what: str, column: Any) -> Iterator[Told | None]:
    """A bar with its name, a column of how far it is, and the time left."""
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

    name = TextColumn("{task.description}", markup=False)
    with bar_on_stderr(name, BarColumn(), column, TimeRemainingColumn()) as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task(one_line(what), total=None)

        def told(done: int, total: int) -> None:
            bar.start()  # when there is something to tell: until then what is printed has the screen
            bar.update(task, completed=done, total=total)

        yield told


@contextmanager
def bar_on_stderr(*columns: Any) -> Iterator[Any]:
    """A progress bar that is to be started, or None where nobody watches."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    bar = Progress(*columns, console=console, transient=True)
    try:
        yield bar
    finally:
        bar.stop()


@contextmanager
def spoken_warnings() -> Iterator[None]:
    """Our warnings as lines of talk; those of other libraries are for developers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", TermsiftWarning)
        warnings.showwarning = lambda message, *rest, **more: say(f"termsift: {command_words(str(message))}")
        yield


def command_words(message: str) -> str:
    """A message of the library as the command line has it.

    >>> command_words("row 2 has no label; leave such rows out: on_missing='skip'")
    'row 2 has no label; leave such rows out: --on-missing skip'
    >>> command_words("k must be at least 1, got 0"), command_words("a larger min_df; ts.count holds none")
    ('-k must be at least 1, got 0', 'a larger --min-df; termsift count holds none')
    """
    for written, flag in FLAGS.items():
        message = message.replace(written, flag)
    message = GIVEN.sub(lambda found: told_option(found[1], found[2]), message)
    message = BARE.sub(lambda found: told_option(found[1] or found[2], None), message)
    return stream_name().sub("standard input", CALL.sub(r"termsift \1", message))


def told_option(name: str, value: str | None) -> str:
    """An option with its value as it is typed."""
    option = "-k" if name == "k" else OPTIONS[name]
    if value is None or value == "True":
        return option
    if name == "ngram_range":
        value = "-".join(re.findall(r"\d+", value))
    return f"{option} {value.strip(chr(39) + chr(34))}"


def stream_name() -> re.Pattern[str]:
    """Standard input by the names that a library has for it: the device, or the copy of it."""
    folder = re.escape(str(temporaries()))
    return re.compile(rf"{folder}/[^/\s]+/{STREAM}\.\w+(?:\.\w+)?|/dev/stdin\b")
