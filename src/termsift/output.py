"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from termsift.errors import UnreadableFile


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path`, renamed to it when the block ends well and removed otherwise.

    A device or a pipe, such as /dev/stdout, is written as it is.
    """
    target = writable(path)
    if target.exists() and not target.is_file():
        yield target
        return
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def writable(path: str | os.PathLike[str]) -> Path:
    """The path, if a file can be there: asked before long work, so that it is not lost at its end."""
    target = Path(path)
    if target.is_dir():
        raise UnreadableFile(f"{target} is a folder; give the name of a file to write")
    if not target.parent.is_dir():
        raise UnreadableFile(f"cannot write {target}: the folder {target.parent} does not exist")
    if not os.access(target.parent, os.W_OK):
        raise UnreadableFile(f"cannot write {target}: the folder {target.parent} may not be written to")
    return target


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
