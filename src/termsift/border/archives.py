"""Archives: no member may point out of the archive, and what they unpack to is bounded."""

from __future__ import annotations

import bz2
import gzip
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any

from termsift.errors import UnreadableFile
from termsift.output import existing

# unpacked bytes of all members; the largest corpus we know has 35 MB
LIMIT = 2 << 30
# so many times its own size an archive may hold, where that is more than a little; texts unpack to ten times
# their size at most, and what unpacks to more than a hundred is made to fill a memory
RATIO, LITTLE = 100, 32 << 20
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others unpack to any size at once
OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".tgz": gzip.open, ".bz2": bz2.open}

# ValueError and LookupError are of names in a zip, and of numbers in the header of a tar
DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    LookupError,
    OverflowError,
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
    with spoken_damage(source), opened(source, limit) as file:
        return b"".join(iter(lambda: file.read(1 << 20), b""))


def most_bytes(packed: int, limit: int) -> int:
    """How many bytes an archive may hold that has so many itself."""
    return min(limit, max(LITTLE, RATIO * packed))


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


@contextmanager
def opened(path: Path, limit: int) -> Iterator[Bounded]:
    """A file, open to be read, unpacked where its name says so."""
    with path.open("rb") as packed, OPENERS.get(path.suffix, nullcontext)(packed) as file:
        yield Bounded(path, packed, file, limit)


def zip_members(path: Path, limit: int) -> Iterator[tuple[str, bytes]]:
    """The files of a zip."""
    with opened_zip(path, limit) as (archive, files):
        for info in files:
            with archive.open(info) as file:
                yield info.filename, file.read(info.file_size + 1)  # no more, whatever the size it declares


@contextmanager
def opened_zip(path: Path, limit: int) -> Iterator[tuple[zipfile.ZipFile, list[zipfile.ZipInfo]]]:
    """A zip and the files in it, none of which it was made to harm with."""
    with zipfile.ZipFile(path) as archive:
        files = [info for info in archive.infolist() if not info.is_dir()]
        most = most_bytes(path.stat().st_size, limit)
        if sum(info.file_size for info in files) > most:
            raise TooLarge(path, most)
        for info in archive.infolist():
            check_member(path, info.filename, stat.S_IFMT(info.external_attr >> 16))
            if info.compress_type not in METHODS:
                raise UnreadableFile(f"{path} is refused: its member {info.filename!r} is not deflated")
        yield archive, files


def tar_members(path: Path, limit: int) -> Iterator[tuple[str, bytes]]:
    """The files of a tar, compressed by gzip or not."""
    with opened(path, limit) as bounded:
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
    """A file that may not give more than so many bytes, nor so many times what was read of it."""

    def __init__(self, path: Path, packed: IO[bytes], file: IO[bytes], limit: int) -> None:
        self.path, self.packed, self.file, self.limit, self.given = path, packed, file, limit, 0

    def read(self, size: int) -> bytes:
        """The next bytes."""
        content = self.file.read(size)
        self.given += len(content)
        most = most_bytes(self.packed.tell(), self.limit)
        if self.given > most:
            raise TooLarge(self.path, most)
        return content


class TooLarge(UnreadableFile):
    """An archive with more in it than is allowed."""

    def __init__(self, path: Path | str, limit: int) -> None:
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
