"""Examples of pages that are made: code that is run where the files of docs/data are, and what it prints."""

from __future__ import annotations

import contextlib
import io
import runpy
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

DOCS = Path(__file__).parents[2]
GUIDES = runpy.run_path(str(DOCS / "make" / "guides.py"))


@contextlib.contextmanager
def in_data_folder() -> Iterator[None]:
    """Work in a folder that holds the files of docs/data, and is gone afterwards."""
    with TemporaryDirectory() as folder, GUIDES["working_in"](Path(folder)):
        for path in (DOCS / "data").glob("*.csv"):
            shutil.copy(path, folder)
        yield


def run_example(code: str) -> tuple[str, dict[str, Any]]:
    """Run an example; return its output and its names."""
    names: dict[str, Any] = {"__name__": "example"}
    with in_data_folder(), contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(code, "<example>", "exec"), names)
    return out.getvalue(), names


def shown_example(code: str, printed: str) -> str:
    """Return an example with its output below it."""
    return f"```python\n{code.strip()}\n```\n\n```text\n{printed.rstrip()}\n```"


def shown_command(command: str) -> str:
    """Return a command with its output below it."""
    with in_data_folder():
        printed = GUIDES["printed_by"]("sh", command)
    return f"```sh\n{command}\n```\n\n```text\n{printed.rstrip()}\n```"
