"""The commands. Each is thin: read, call the library, show. Tables go to stdout, talk to stderr."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from termsift import __version__
from termsift.cli.ending import Ending

__all__ = ["app", "main"]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command: exit 0, or 1 with one clear line for a mistake of the user's."""
    with Ending():
        run_command(sys.argv[1:] if arguments is None else arguments)
    raise AssertionError("the block ends in sys.exit")


def run_command(arguments: Sequence[str]) -> None:
    """Run a command; its imports are a part of it, since they take the longest of many commands."""
    from termsift.cli.talk import STDIN, encode_data, put, spoken_warnings
    from termsift.errors import InvalidInput, UnreadableFile

    with spoken_warnings():
        encode_data()
        if list(arguments) == ["--version"]:
            put(f"{__version__}\n")
            return
        import cyclopts

        from termsift.cli.parser import app_for

        # the parser takes a lone dash for an option
        given = [STDIN if argument == "-" else argument for argument in arguments]
        if STDIN in given and sys.stdin is None:
            raise UnreadableFile("standard input is closed; give a file, or open it")
        try:
            app_for(given)(given, exit_on_error=False, print_error=False)
        except cyclopts.CycloptsError as error:
            raise InvalidInput(str(error)) from error


def loaded_app() -> Any:
    """The parser, with all commands."""
    from termsift.cli.parser import COMMANDS, app_with

    return app_with(COMMANDS)


def __getattr__(name: str) -> Any:
    if name == "app":
        return loaded_app()
    raise AttributeError(f"module 'termsift.cli' has no attribute {name!r}")
