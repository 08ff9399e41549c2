"""Command line. A command is thin: read, call the library, show. Tables go to stdout, messages to stderr."""

from __future__ import annotations

from termsift.cli.console import main as main
