"""Archives, read in memory: no member may point out of the archive, and sizes are bounded."""

from __future__ import annotations

import gzip
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from termsift.errors import UnreadableFile
from termsift.output import existing

# unpacked bytes of all members; the largest corpus we know has 35 MB
LIMIT = 2 << 30

# UnicodeDecodeError is of a name in a zip
DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    zlib.error,
    struct.error,
    EOFError,
    UnicodeDecodeError,
)


def members(path: str | os.PathLike[str], *, limit: int = LIMIT) -> Iterator[tuple[str, bytes]]:
    """The name and the content of each file of a .zip, .tar or .tar.gz, in the archive's order.

    Nothing is written to disk. Names that leave the archive's folder, links and devices are refused.
    """
    source = existing(path)
    reader = zip_members if source.suffix == ".zip" else tar_members
    with spoken_damage(source):
        yield from reader(source, limit)


def unpacked(path: str | os.PathLike[str], ending: str, *, limit: int = LIMIT) -> bytes:
    """The bytes of a file; of a .gz or a .zip, those of the one file in it whose name has the ending."""
    source = existing(path)
    if source.suffix == ".zip":
        found = [content for name, content in members(source, limit=limit) if name.endswith(ending)]
        if len(found) != 1:
            raise UnreadableFile(f"{source} holds {len(found)} files that end in {ending}; there must be one")
        return found[0]
    with spoken_damage(source), opened(source) as file:
        bounded = Bounded(source, file, limit)
        return b"".join(iter(lambda: bounded.read(1 << 20), b""))


@contextmanager
def spoken_damage(path: Path) -> Iterator[None]:
    """The errors of other libraries as one line that names the file."""
    try:
        yield
    except UnreadableFile:
        raise
    except DAMAGE as error:
        raise UnreadableFile(f"{path} is damaged or cut: {error}") from error
    except (OSError, RuntimeError) as error:  # RuntimeError is of a zip that is encrypted
        raise UnreadableFile(f"{path} cannot be read: {error}") from error


def opened(path: Path) -> BinaryIO | gzip.GzipFile:
    """A file, open to be read, through gzip where its name says so."""
    return gzip.open(path) if path.suffix in (".gz", ".tgz") else path.open("rb")


def zip_members(path: Path, limit: int) -> Iterator[tuple[str, bytes]]:
    """The files of a zip."""
    with zipfile.ZipFile(path) as archive:
        left = limit
        for info in archive.infolist():
            check_member(path, info.filename, stat.S_IFMT(info.external_attr >> 16))
            if info.is_dir():
                continue
            with archive.open(info) as file:
                content = file.read(left + 1)  # what the directory says of the size need not be true
            left -= len(content)
            if left < 0:
                raise TooLarge(path, limit)
            yield info.filename, content


def tar_members(path: Path, limit: int) -> Iterator[tuple[str, bytes]]:
    """The files of a tar, compressed by gzip or not."""
    with opened(path) as file:
        bounded = Bounded(path, file, limit)
        # as a stream, so that every byte comes through the bound, those of headers included
        with tarfile.open(fileobj=bounded, mode="r|", bufsize=1 << 16) as archive:  # type: ignore[call-overload]
            for info in archive:
                check_member(path, info.name, kind(info))
                content = archive.extractfile(info)
                if content is not None:
                    yield info.name, content.read()
        # gzip compares its checksum at the end; tarfile takes a damaged header for the end
        while bounded.read(1 << 16):
            pass


class Bounded:
    """A file that may not give more than so many bytes."""

    def __init__(self, path: Path, file: BinaryIO | gzip.GzipFile, limit: int) -> None:
        self.path, self.file, self.limit, self.left = path, file, limit, limit

    def read(self, size: int) -> bytes:
        """The next bytes."""
        content = self.file.read(size)
        self.left -= len(content)
        if self.left < 0:
            raise TooLarge(self.path, self.limit)
        return content


class TooLarge(UnreadableFile):
    """An archive with more in it than is allowed."""

    def __init__(self, path: Path, limit: int) -> None:
        super().__init__(f"{path} is refused: it holds more than {limit:,} bytes")


def kind(info: tarfile.TarInfo) -> int:
    """What a member of a tar is, in the terms of the file system."""
    if info.issym() or info.islnk():
        return stat.S_IFLNK
    if info.isdir():
        return stat.S_IFDIR
    # a sparse file may claim any size and hold nothing
    return stat.S_IFREG if info.isfile() and not info.issparse() else stat.S_IFIFO


def check_member(path: Path, name: str, kind: int) -> None:
    """An error for a member that is not a plain file or folder inside the archive."""
    parts = name.replace("\\", "/").split("/")
    if ".." in parts or parts[0] == "" or parts[0].endswith(":"):
        raise UnreadableFile(f"{path} is refused: its member {name!r} points out of the archive")
    if kind == stat.S_IFLNK:
        raise UnreadableFile(f"{path} is refused: its member {name!r} is a link")
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise UnreadableFile(f"{path} is refused: its member {name!r} is not a plain file")
