"""What a command says: tables on stdout, talk and progress on stderr."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from termsift.errors import InvalidInput, TermsiftWarning
from termsift.output import writable
from termsift.tables import Table, text_table

# a function of the work done and the work there is
Told: TypeAlias = Callable[[int, int], None]


def check_output(path: Path | None) -> None:
    """An error before the work, not after it, where the result could not be written."""
    if path is not None:
        writable(path)


def show(table: Table, as_json: bool, as_csv: bool) -> None:
    """A table on stdout in the form that was asked for."""
    if as_json and as_csv:
        raise InvalidInput("give one of --json and --csv")
    if as_json:
        print(table.to_json())
    elif as_csv:
        sys.stdout.write(table.to_csv())
    else:
        print(text_table(table, most=10**6))


def say(line: str) -> None:
    """A line of talk, on stderr."""
    print(line, file=sys.stderr)


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner on stderr while something takes its time; nothing where nobody watches."""
    from rich.console import Console

    console = Console(stderr=True)
    with console.status(what) if console.is_terminal else console.status("", refresh_per_second=0.01):
        yield


@contextmanager
def file_progress(data: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on stderr with the share done, the speed and the time left; nothing where nobody watches."""
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    from termsift.engines.files.sources import source_of

    columns = (TextColumn("counting {task.fields[documents]:,} documents"), BarColumn())
    with bar_on_stderr(*columns, TransferSpeedColumn(), TimeRemainingColumn()) as bar:
        if bar is None:
            yield None
            return
        # of compressed files the share done is not known
        total = None if data.endswith((".gz", ".zst", ".parquet")) else source_of(data).size
        task = bar.add_task("", total=total, documents=0)
        yield lambda documents, size: bar.update(task, completed=size, documents=documents)


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

    with bar_on_stderr(TextColumn("{task.description}"), BarColumn(), column, TimeRemainingColumn()) as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def bar_on_stderr(*columns: Any) -> Iterator[Any]:
    """A progress bar, or None where nobody watches."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    with Progress(*columns, console=console, transient=True) as bar:
        yield bar


@contextmanager
def spoken_warnings() -> Iterator[None]:
    """Our warnings as lines of talk; those of other libraries are for developers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", TermsiftWarning)
        warnings.showwarning = lambda message, *rest, **more: say(f"termsift: {message}")
        yield
