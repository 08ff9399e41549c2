"""Count the modules and functions of termsift that a command or `ts.count` enters.

    python tools/trace_calls.py                  the five calls of docs/architecture.md on 300 tickets
    python tools/trace_calls.py compare FILE     one command
    python tools/trace_calls.py --list compare FILE     also the functions, by module

The command runs in this process under `sys.setprofile`, and in its threads under `threading.setprofile`.
A function is a distinct pair of file and qualified name whose code object is entered. Bodies of modules
and classes, lambdas and comprehensions are not counted, nor are the `__init__` that dataclasses generate.
A module is a file that has such a function, so one that is only imported is not counted.
Compiled kernels are invisible to Python, so run `termsift warm` before: a kernel that is compiled while
the command runs enters the functions that compile it.
"""

from __future__ import annotations

import contextlib
import csv
import inspect
import io
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parent.parent
SOURCE = str(ROOT / "src" / "termsift") + "/"
ROWS = 300
NOT_FUNCTIONS = ("<module>", "<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


def trace(call: Callable[[], object]) -> set[tuple[str, str]]:
    """Run a function; return the file and the qualified name of each function of termsift that it enters."""
    entered = set()

    def record(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        # functions have optimized locals, bodies of classes and modules do not
        is_function = code.co_flags & inspect.CO_OPTIMIZED and code.co_name not in NOT_FUNCTIONS
        if event == "call" and is_function and code.co_filename.startswith(SOURCE):
            entered.add((code.co_filename.removeprefix(SOURCE), code.co_qualname))

    threading.setprofile(record)
    sys.setprofile(record)
    try:
        call()
    except SystemExit as end:  # of a command
        if end.code:
            raise
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return entered


def run_command(arguments: list[str]) -> None:
    """Run a termsift command, without its output on stdout."""
    from termsift.cli import main

    sys.argv = ["termsift", *arguments]
    with contextlib.redirect_stdout(io.StringIO()):
        main()


def count_texts(path: str) -> None:
    """Call `ts.count` with the texts of a CSV file and their labels."""
    import termsift as ts

    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    ts.count([row["text"] for row in rows], [row["label"] for row in rows])


def write_rows(path: Path) -> None:
    """Write the tickets of docs/data, as often as it takes to fill ROWS rows."""
    header, *rows = (ROOT / "docs" / "data" / "tickets.csv").read_text(encoding="utf-8").splitlines()
    rows = (rows * (ROWS // len(rows) + 1))[:ROWS]
    path.write_text("\n".join([header, *rows, ""]), encoding="utf-8")


def main(arguments: list[str]) -> None:
    """Trace the command given, or the five calls, each in a process of its own."""
    is_listed = arguments[:1] == ["--list"]
    arguments = arguments[is_listed:]
    if not arguments:
        with tempfile.TemporaryDirectory() as folder:
            data, counts, page = (str(Path(folder, name)) for name in ("tickets.csv", "counts", "page.html"))
            write_rows(Path(data))
            outputs = {"count": ["-o", counts], "report": ["-o", page]}
            for name in ("ts.count", "count", "score", "compare", "report"):
                command = [sys.executable, __file__, name, data, *outputs.get(name, [])]
                subprocess.run(command, check=True)
        return
    is_call = arguments[0] == "ts.count"
    call = partial(count_texts, arguments[1]) if is_call else partial(run_command, arguments)
    functions = sorted(trace(call))
    modules = {file for file, _ in functions}
    print(f"{arguments[0]}: {len(modules)} modules, {len(functions)} functions")
    if is_listed:
        for module in sorted(modules):
            print(module, *(f"    {name}" for file, name in functions if file == module), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
