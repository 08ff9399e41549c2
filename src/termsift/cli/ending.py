"""How a command begins and ends, whatever happens: streams that are open, one line at most, an exit code.

Nothing but the standard library is imported with it, so that the imports of a command are inside it too.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import Any, NoReturn

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
        from termsift.errors import TermsiftError, one_line
        from termsift.machine.capacity import narrow_limit

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
    from termsift.cli.talk import command_words

    return command_words(str(error))


def say(line: str) -> None:
    """A line of talk, on stderr, if anybody listens."""
    from termsift.errors import one_line

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
