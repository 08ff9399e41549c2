"""Command line. A command is thin: read, call the library, show. Tables go to stdout, messages to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, redirect_stderr
from typing import TYPE_CHECKING, NoReturn

from termsift.cli.console import STDIN, ExitHandler, print_warnings

if TYPE_CHECKING:
    import cyclopts

__all__ = ["main", "run_app"]
QUIET = "--quiet"  # an option of every command


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command of `termsift`: exit 0, or 1 with one clear line for a user's mistake."""
    run_app("termsift.cli.parser", arguments)


def run_app(parser_module: str, arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command that the arguments name, with the `app_for(arguments)` of a parser module.

    The imports are part of the run, because in short commands they take longest: an interrupt during
    them ends the command like any other.
    """
    with ExitHandler(), ExitStack() as stack:
        from importlib import import_module

        import cyclopts

        from termsift._internal.errors import InvalidInputError, UnreadableFileError

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
        app_for: Callable[[Sequence[str]], cyclopts.App] = import_module(parser_module).app_for
        try:
            app_for(arguments)(arguments, exit_on_error=False, print_error=False)
        except cyclopts.CycloptsError as error:
            raise InvalidInputError(str(error)) from error
    raise AssertionError("the block ends in sys.exit")
