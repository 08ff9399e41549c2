"""The commands. Each is thin: read, call the library, show. Tables go to stdout, talk to stderr."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import cyclopts

from termsift.cli import document_commands
from termsift.cli.commands import app
from termsift.cli.data import STDIN
from termsift.cli.talk import say, spoken_warnings
from termsift.errors import TermsiftError

__all__ = ["app", "document_commands", "main"]


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command: exit 0, or 1 with one clear line for a mistake of the user's."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may lack the letters of a term
    # the parser takes a lone dash for an option
    given = [STDIN if argument == "-" else argument for argument in arguments or sys.argv[1:]]
    try:
        with spoken_warnings():
            app(given, exit_on_error=False, print_error=False)
        sys.stdout.flush()
    except BrokenPipeError:
        # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (TermsiftError, cyclopts.CycloptsError) as error:
        say(f"termsift: {' '.join(str(error).split())}")
        sys.exit(1)
    except OSError as error:
        say(f"termsift: {error}")
        sys.exit(1)
    sys.exit(0)
