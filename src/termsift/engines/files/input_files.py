"""A file under a plain name of our own, so that no library reads a meaning into the one it has."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from termsift.errors import UnreadableFile
from termsift.output import scratch_folder, told_disk_faults

PATIENCE = 10.0  # seconds for somebody to write to a pipe
PAUSE = 0.02
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to read: what it is called in a message, and the path to open it by."""

    name: str
    path: str


@contextmanager
def input_file(name: str) -> Iterator[InputFile]:
    """The file for as long as it is read: a link to it, and of a pipe a copy.

    The name itself may be a pattern to a library, a web address, a column (`label=2024/`), or no UTF-8.
    """
    if os.path.isdir(name):
        yield InputFile(name, name)
        return
    with scratch_folder() as folder:
        plain = folder / f"file{plain_endings(name)}"
        if is_pipe(name):
            copy_pipe(name, plain)
            yield InputFile(name, str(plain))
        else:
            yield InputFile(name, linked(name, plain))


def linked(name: str, plain: Path) -> str:
    """The path of a new link to the file, or its own where links cannot be made."""
    try:
        plain.symlink_to(os.path.abspath(name))
    except OSError:
        return os.path.abspath(name)
    return str(plain)


def plain_endings(name: str) -> str:
    """The last two endings of a name, which say its format and compression, where they are plain letters."""
    endings = [part.lower() for part in Path(name).suffixes[-2:]]
    return "".join(part for part in endings if part.isascii() and part[1:].isalnum())


def is_pipe(name: str) -> bool:
    """Whether the name is that of a pipe, such as the shell's `<(...)`, which can be read once only."""
    try:
        return stat.S_ISFIFO(os.stat(name).st_mode)
    except (OSError, ValueError):
        return False


def copy_pipe(name: str, copy: Path) -> None:
    """Write all that comes through a pipe to a file."""
    with told_disk_faults(copy), copy.open("wb") as file:
        for chunk in pipe_chunks(name):
            file.write(chunk)


def pipe_chunks(name: str) -> Iterator[bytes]:
    """What comes through a pipe; an error where nobody opens its other end in time."""
    handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield first_chunk(name, handle)
        os.set_blocking(handle, True)
        while chunk := os.read(handle, CHUNK):
            yield chunk
    finally:
        os.close(handle)


def first_chunk(name: str, handle: int) -> bytes:
    """What a pipe holds, once somebody writes to it; nothing where a writer is still silent."""
    last = time.monotonic() + PATIENCE
    while time.monotonic() < last:
        try:
            chunk = os.read(handle, CHUNK)
        except BlockingIOError:
            return b""
        if chunk:
            return chunk
        time.sleep(PAUSE)
    raise UnreadableFile(f"{name} is a pipe to which nobody writes; waited {PATIENCE:.0f} seconds")
