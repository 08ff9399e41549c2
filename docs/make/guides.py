"""Run the commands of guides, and write what they print below them.

A block of `sh`, or of `python` without prompts, is run in a folder that holds the files of docs/data; a block
of `text` right below it is what it prints. Where that has a line of three dots, some lines are left out.
"""

from __future__ import annotations

import atexit
import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

DOCS = Path(__file__).parent.parent
BLOCKS = re.compile(r"```(sh|python)\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)
WIDTH = 100
# documents per second, in sentences and at the end of the rows of the table of compare
MEASURED = re.compile(
    r"[\d,]+(?= documents per second|\s+with all terms)|(?<=  )[\d,]*\d00$|docs/s", re.MULTILINE
)


def guide_pages() -> list[Path]:
    """List the pages whose commands are run."""
    folders = (DOCS / "start", DOCS / "howto")
    return [DOCS.parent / "README.md", *sorted(page for folder in folders for page in folder.glob("*.md"))]


def rewritten(page: str) -> str:
    """Return a page with the current output of its blocks; unchanged output stays as it is."""
    for path in work_folder().iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path in (DOCS / "data").glob("*.csv"):
        shutil.copy(path, work_folder())
    with working_in(work_folder()):
        return BLOCKS.sub(with_output, page)


@cache
def work_folder() -> Path:
    """Create the folder of all pages; Spark's Java starts in it and needs it until the process ends."""
    folder = mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@contextlib.contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Work in a folder for a while; what is imported meanwhile is not kept from it."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def with_output(match: re.Match[str]) -> str:
    """Return a block with its output below it, if the page shows the output."""
    kind, code, shown = match.groups()
    if kind == "python" and ">>>" in code:
        return match[0]
    printed = printed_by(kind, code)
    if shown is None or matches(shown, printed):
        return match[0]
    return f"```{kind}\n{code}```\n\n```text\n{printed}```\n"


def matches(shown: str, printed: str) -> bool:
    """Return whether a page shows what is printed; three dots stand for anything, measured rates may differ."""
    texts = (MEASURED.sub("rate", text) for text in (shown, printed))
    return doctest.OutputChecker().check_output(*texts, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)


def printed_by(kind: str, code: str) -> str:
    """Return the output of a block."""
    if kind == "python":
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(code, "<guide>", "exec"), {"__name__": "guide"})
        return out.getvalue()
    if "<<" in code:
        return in_shell(code)
    return "".join(of_lines(code.splitlines()))


def of_lines(lines: list[str]) -> Iterator[str]:
    """Yield the output of each line; `echo $?` is the exit code of the one before."""
    code = 0
    for line in lines:
        if line == "echo $?":
            yield f"{code}\n"
        elif line.startswith("termsift "):
            command, _, file = line.partition(" > ")
            code, text = by_termsift(shlex.split(command, comments=True)[1:])
            if code == 1:
                raise RuntimeError(f"{line}\n{text}")
            yield fitted(text) if not file else written(Path(file), text)
        elif not line.startswith("pip "):
            yield in_shell(line)


def written(path: Path, text: str) -> str:
    """Nothing is printed of what goes to a file."""
    path.write_text(text, encoding="utf-8")
    return ""


def in_shell(code: str) -> str:
    """Return the output of a shell command."""
    return subprocess.run(["bash", "-ec", code], check=True, capture_output=True, text=True).stdout


def by_termsift(arguments: list[str]) -> tuple[int, str]:
    """Return the exit code of a command and its stdout, or its stderr if stdout is empty."""
    from termsift.cli import main

    out, talk = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    code: object = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(talk):
        try:
            main(arguments)
        except SystemExit as ended:
            code = ended.code
    texts = [stream.buffer.getvalue().decode("utf-8") for stream in (out, talk)]
    return int(code or 0), texts[0] or texts[1]


def fitted(text: str) -> str:
    """Text without trailing blanks, its sentences broken into lines that fit a page; tables stay."""
    lines = [line.rstrip() for line in text.splitlines()]
    return "".join(f"{part}\n" for line in lines for part in (sentence_lines(line) or [""]))


def sentence_lines(line: str) -> list[str]:
    """Wrap a line of sentences; rows of tables, CSV and JSON stay as they are."""
    if "  " in line or " " not in line or line.startswith("{") or len(line) <= WIDTH:
        return [line]
    return textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    named = [Path(name) for name in sys.argv[1:]]
    for path in named or guide_pages():
        text = path.read_text(encoding="utf-8")
        new = rewritten(text)
        if new != text:
            path.write_text(new, encoding="utf-8")
            print(path)
