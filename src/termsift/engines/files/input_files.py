"""A file under a plain name of our own, so that no library reads a meaning into the one it has."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from termsift.engines.files.remote import address_path, fetch, is_address
from termsift.engines.files.zip_files import unpack
from termsift.errors import UnreadableFile
from termsift.output import scratch_folder, told_disk_faults

PATIENCE = 10.0  # seconds for somebody to write to a pipe
PAUSE = 0.02
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that was found to be read.

    path : where it is: a path, a folder of classes, or an address
    name : what it is called in a message, if not that
    member : of a zip the name of the file in it
    documents : of a folder or a zip of classes, the names of its documents
    top : of these names the characters before the folder that is the class
    given : columns that the names of its folders say
    """

    path: str
    name: str = ""
    member: str = ""
    documents: tuple[str, ...] = ()
    top: int = 0
    given: tuple[tuple[str, str | None], ...] = ()

    @property
    def told(self) -> str:
        """What to call it in a message."""
        name = self.name or self.path
        return f"{name}/{self.member}" if self.member else name


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to read: what it is called in a message, and the path to open it by.

    documents, top, given : as of the file that was found
    encoding, errors : of its text, and what is done with bytes that are none
    guessed : the encodings that had to be guessed, by file; files are added as they are read
    """

    name: str
    path: str
    documents: tuple[str, ...] = ()
    top: int = 0
    given: tuple[tuple[str, str | None], ...] = ()
    encoding: str = "utf-8"
    errors: str = "strict"
    guessed: dict[str, str] = field(default_factory=dict)


@contextmanager
def input_file(found: FoundFile) -> Iterator[InputFile]:
    """The file for as long as it is read: a link to it; a copy of a pipe, an address or a member of a zip.

    The name itself may be a pattern to a library, a web address, a column (`label=2024/`), or no UTF-8.
    """
    if found.documents or os.path.isdir(found.path):
        yield InputFile(found.told, found.path, found.documents, found.top)
        return
    with scratch_folder() as folder:
        remote = is_address(found.path)
        named = found.member or (address_path(found.path) if remote else found.path)
        plain = folder / f"file{plain_endings(named)}"
        if found.member:
            unpack(found.path, found.told, found.member, plain)
        elif remote:
            fetch(found.path, plain)
        elif is_pipe(found.path):
            copy_pipe(found.path, plain)
        else:
            plain = Path(linked(found.path, plain))
        yield InputFile(found.told, str(plain), given=found.given)


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
