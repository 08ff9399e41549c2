"""Files that appear whole or not at all, and folders to work in.

A temporary is locked for as long as its process lives, so that one which a killed process left can be told
from one in use, and is removed by the next process that writes there.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import os
import re
import shutil
import stat
import struct
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

from termsift._internal.errors import UnreadableFileError

if sys.platform != "win32":
    import fcntl

TEMPORARY = ".termsift-"  # how the name of a file begins that is not yet whole
SCRATCH = "termsift-"  # and that of a folder to work in
LOCK = "lock"
MOST_LINKS = 40  # one after the other, as Linux has it
STREAM = re.compile(r"/dev/(?P<name>stdout|stderr)|(?:/dev|/proc/self)/fd/(?P<number>\d+)")
# the disk is full, broken, or not to be written to
DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path, whose file takes the place of `path` when the block ends well and goes otherwise.

    A link is followed, and the mode of an old file kept. A device, a pipe or a stream such as /dev/stdout
    gets the bytes when they are all there.
    """
    target = check_output_path(path)
    with translate_disk_errors(path):
        if is_stream(target):
            with scratch_folder() as folder:
                yield folder / "whole"
                with (folder / "whole").open("rb") as whole, open_stream(target) as node:
                    shutil.copyfileobj(whole, node)
            return
        with locked_file(target.parent) as temporary:
            yield temporary
            keep_mode(target, temporary)
            fsync_path(temporary)
            temporary.replace(target)
            fsync_path(target.parent)


def check_output_path(path: str | os.PathLike[str]) -> Path:
    """Where a file of that path would be, links followed: asked before long work, so that it is not lost."""
    named = os.fspath(path)
    if "\0" in named:
        raise UnreadableFileError(f"cannot write {named}: a name cannot hold a zero byte")
    reached = named
    for _ in range(MOST_LINKS):
        if STREAM.fullmatch(reached):
            return Path(reached)
        link = os.readlink(reached) if os.path.islink(reached) else ""
        reached = os.path.join(os.path.dirname(reached), link)
    target = Path(os.path.realpath(named))
    if target.is_dir():
        raise UnreadableFileError(f"{named} is a folder; give the name of a file to write")
    if target.is_symlink():
        raise UnreadableFileError(f"cannot write {named}: it is a link to itself")
    if not target.parent.is_dir():
        raise UnreadableFileError(f"cannot write {named}: the folder {target.parent} does not exist")
    if is_stream(target):
        return target
    # to the superuser every file may be written; who took all rights away meant it
    if target.exists() and not (target.stat().st_mode & 0o222 and os.access(target, os.W_OK)):
        raise UnreadableFileError(f"cannot write {named}: it is read-only")
    if not os.access(target.parent, os.W_OK):
        raise UnreadableFileError(f"cannot write {named}: the folder {target.parent} may not be written to")
    return target


def is_stream(path: Path) -> bool:
    """Whether the path is written as a stream: a device, a pipe, or an open file such as /dev/stdout."""
    return bool(STREAM.fullmatch(str(path))) or (path.exists() and not path.is_file())


def open_stream(path: Path) -> Any:
    """The device, pipe or stream, to write bytes to."""
    stream = STREAM.fullmatch(str(path))
    if stream is None:
        return path.open("wb")
    sys.stdout.flush()
    names = {"stdout": 1, "stderr": 2}
    return os.fdopen(os.dup(names[stream["name"]] if stream["name"] else int(stream["number"])), "wb")


def keep_mode(old: Path, new: Path) -> None:
    """Give a new file the mode and the owner of the one it replaces, or the mode of any new file."""
    if not old.exists():
        new.chmod(0o666 & ~_umask())
        return
    known = old.stat()
    with suppress(OSError):  # only the superuser may give files away
        os.chown(new, known.st_uid, known.st_gid)
    new.chmod(stat.S_IMODE(known.st_mode))


def fsync_path(path: Path) -> None:
    """Have a file, or the names in a folder, on the disk itself; a disk that cannot do so is let be."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def translate_disk_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """A disk that is full or fails, as one line that says for which file."""
    try:
        yield
    except OSError as error:
        full = "No space left" in str(error)
        if isinstance(error, UnreadableFileError) or not (full or error.errno in DISK):
            raise
        reason = os.strerror(errno.ENOSPC if full else error.errno or errno.EIO)
        raise UnreadableFileError(f"cannot write {os.fspath(path)}: {reason}") from error


@contextmanager
def scratch_folder(inside: Path | None = None) -> Iterator[Path]:
    """A folder to work in, which goes when the block ends; what killed processes left goes when it begins.

    inside : where it is, hidden, so that what is made in it can be moved to its place; else among
        temporaries, and where none of those may be written, as in a read-only container, it is not there
    """
    place, begins = (inside, TEMPORARY) if inside else (temporary_root(), SCRATCH)
    if place is None:
        with told_missing_folder() as folder:
            yield folder
        return
    remove_left(str(place))
    folder, handle = unused(place, begins), None
    try:
        while handle is None:
            folder = unused(place, begins)
            with suppress(FileExistsError):
                folder.mkdir(0o700)
                with suppress(FileNotFoundError):  # taken for one left, before its lock was there
                    handle = locked(os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o600))
        yield folder
    finally:
        surely(lambda: remove_folder(folder))
        close(handle)


def temporary_root() -> Path | None:
    """The folder of temporaries; None where none may be written."""
    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError:
        return None


@contextmanager
def told_missing_folder() -> Iterator[Path]:
    """A folder that is not there: most work needs none, and what does is an error of one line."""
    folder = Path(os.devnull) / "none"
    try:
        yield folder
    except OSError as error:
        if str(folder) not in str(error):
            raise
        reason = "no folder for temporaries may be written; set TMPDIR to one that may"
        raise UnreadableFileError(f"this work needs files of its own, and {reason}") from error


@contextmanager
def locked_file(folder: Path) -> Iterator[Path]:
    """An empty file, which goes when the block ends, unless it was given another name."""
    remove_left(str(folder))
    path, handle = unused(folder, TEMPORARY), None
    try:
        while handle is None:
            path = unused(folder, TEMPORARY)
            with suppress(FileExistsError):
                handle = locked(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        yield path
    finally:
        surely(lambda: path.unlink(missing_ok=True))
        close(handle)


def unused(folder: Path, begins: str) -> Path:
    """A name that nobody has: known before there is a file, which a signal could then leave nameless."""
    return folder / f"{begins}{uuid4().hex[:12]}"


def surely(clean: Callable[[], None]) -> None:
    """Clean up, once more if a signal breaks in: only the first raises."""
    try:
        clean()
    except KeyboardInterrupt:
        clean()
        raise


def close(handle: int | None) -> None:
    """Close a handle, if there is one."""
    if handle is not None:
        os.close(handle)


def locked(handle: int) -> int | None:
    """The handle of a file that was just made, locked; None, and closed, where it was taken for one left."""
    with suppress(OSError):  # a disk without locks: nothing on it is taken for left
        if sys.platform != "win32":
            fcntl.flock(handle, fcntl.LOCK_EX)
    if os.fstat(handle).st_nlink:
        return handle
    os.close(handle)
    return None


@lru_cache(maxsize=256)
def remove_left(folder: str) -> None:
    """Remove our temporaries whose process is gone, once per folder."""
    # a folder without a dot is ours among the temporaries alone
    begins = (TEMPORARY, SCRATCH) if Path(folder) == temporary_root() else TEMPORARY
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            is_file = entry.name.startswith(TEMPORARY) and entry.is_file(follow_symlinks=False)
            if is_file or (entry.name.startswith(begins) and entry.is_dir(follow_symlinks=False)):
                remove_if_left(Path(entry.path), is_file)


def remove_if_left(path: Path, is_file: bool) -> None:
    """Remove a temporary file or folder of this user's, unless a process holds its lock."""
    if sys.platform == "win32" or path.stat().st_uid != os.getuid():
        return
    try:
        handle = os.open(path if is_file else path / LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        # without a lock it is not ours, or is as empty as a process leaves it that is killed at once
        with suppress(OSError):
            path.rmdir()
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if is_file:
            path.unlink()
        else:
            remove_folder(path)
    except OSError:
        pass
    finally:
        os.close(handle)


def remove_folder(folder: Path) -> None:
    """Remove a folder to work in, its lock last: what a process leaves that is killed here can be told."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            elif entry.name != LOCK:
                Path(entry.path).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def require_file(path: str | os.PathLike[str]) -> Path:
    """The path, if it is a file."""
    # by os.path: to pathlib a name that is too long is no answer but an error
    if os.path.isdir(path):
        raise UnreadableFileError(f"{os.fspath(path)} is a folder, not a file")
    if not os.path.exists(path):
        raise UnreadableFileError(f"there is no file {os.fspath(path)}")
    return Path(path)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


# unpacked bytes of all members; the largest corpus we know has 35 MB
MAX_UNPACKED_BYTES = 2 << 30
# so many times its own size an archive may hold, where that is more than a little; texts unpack to ten times
# their size at most, and what unpacks to more than a hundred is made to fill a memory
RATIO, LITTLE = 100, 32 << 20
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others unpack to any size at once
DECOMPRESSORS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".tgz": gzip.open, ".bz2": bz2.open}

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


def archive_members(path: str | os.PathLike[str], *, limit: int = MAX_UNPACKED_BYTES) -> Iterator[tuple[str, bytes]]:
    """The name and the content of each file of a .zip, .tar or .tar.gz, in the archive's order.

    Nothing is written to disk. Names that leave the archive's folder, links and devices are refused.
    """
    source = require_file(path)
    reader = zip_members if source.suffix == ".zip" else tar_members
    with translate_read_errors(source):
        yield from reader(source, limit)


def unpack_file(path: str | os.PathLike[str], ending: str, *, limit: int = MAX_UNPACKED_BYTES) -> bytes:
    """The bytes of a file; of a .gz or a .zip, those of the one file in it whose name has the ending."""
    source = require_file(path)
    if source.suffix == ".zip":
        found = [content for name, content in archive_members(source, limit=limit) if name.endswith(ending)]
        if len(found) != 1:
            raise UnreadableFileError(
                f"{source} holds {len(found)} files that end in {ending}; there must be one"
            )
        return found[0]
    with translate_read_errors(source), open_decompressed(source, limit) as file:
        return b"".join(iter(lambda: file.read(1 << 20), b""))


def max_unpacked_bytes(packed: int, limit: int) -> int:
    """How many bytes an archive may hold that has so many itself."""
    return min(limit, max(LITTLE, RATIO * packed))


@contextmanager
def translate_read_errors(path: Path) -> Iterator[None]:
    """The errors of other libraries as one line that names the file."""
    try:
        yield
    except UnreadableFileError:
        raise
    except DAMAGE as error:
        raise UnreadableFileError(f"{path} is damaged or cut: {error}") from error
    except (OSError, RuntimeError) as error:  # RuntimeError is of a zip that is encrypted
        raise UnreadableFileError(f"{path} cannot be read: {error}") from error


@contextmanager
def open_decompressed(path: Path, limit: int) -> Iterator[SizeLimitedFile]:
    """A file, open to be read, unpacked where its name says so."""
    with path.open("rb") as packed, DECOMPRESSORS.get(path.suffix, nullcontext)(packed) as file:
        yield SizeLimitedFile(path, packed, file, limit)


def zip_members(path: Path, limit: int) -> Iterator[tuple[str, bytes]]:
    """The files of a zip."""
    with open_zip(path, limit) as (archive, files):
        for info in files:
            with archive.open(info) as file:
                yield info.filename, file.read(info.file_size + 1)  # no more, whatever the size it declares


@contextmanager
def open_zip(path: Path, limit: int) -> Iterator[tuple[zipfile.ZipFile, list[zipfile.ZipInfo]]]:
    """A zip and the files in it, none of which it was made to harm with."""
    with zipfile.ZipFile(path) as archive:
        files = [info for info in archive.infolist() if not info.is_dir()]
        most = max_unpacked_bytes(path.stat().st_size, limit)
        if sum(info.file_size for info in files) > most:
            raise ArchiveTooLargeError(path, most)
        for info in archive.infolist():
            check_member(path, info.filename, stat.S_IFMT(info.external_attr >> 16))
            if info.compress_type not in METHODS:
                raise UnreadableFileError(f"{path} is refused: its member {info.filename!r} is not deflated")
        yield archive, files


def tar_members(path: Path, limit: int) -> Iterator[tuple[str, bytes]]:
    """The files of a tar, compressed by gzip or not."""
    with open_decompressed(path, limit) as bounded:
        # as a stream, so that every byte comes through the bound, those of headers included
        with tarfile.open(fileobj=bounded, mode="r|", bufsize=1 << 16) as archive:  # type: ignore[call-overload]
            for info in archive:
                check_member(path, info.name, member_type(info))
                content = archive.extractfile(info)
                if content is not None:
                    yield info.name, content.read()
        # gzip compares its checksum at the end; tarfile takes a damaged header for the end
        while bounded.read(1 << 16):
            pass


class SizeLimitedFile:
    """A file that may not give more than so many bytes, nor so many times what was read of it."""

    def __init__(self, path: Path, packed: IO[bytes], file: IO[bytes], limit: int) -> None:
        self.path, self.packed, self.file, self.limit, self.given = path, packed, file, limit, 0

    def read(self, size: int) -> bytes:
        """The next bytes."""
        content = self.file.read(size)
        self.given += len(content)
        most = max_unpacked_bytes(self.packed.tell(), self.limit)
        if self.given > most:
            raise ArchiveTooLargeError(self.path, most)
        return content


class ArchiveTooLargeError(UnreadableFileError):
    """An archive with more in it than is allowed."""

    def __init__(self, path: Path | str, limit: int) -> None:
        super().__init__(f"{path} is refused: it holds more than {limit:,} bytes")


def member_type(info: tarfile.TarInfo) -> int:
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
        raise UnreadableFileError(f"{path} is refused: its member {name!r} points out of the archive")
    if kind == stat.S_IFLNK:
        raise UnreadableFileError(f"{path} is refused: its member {name!r} is a link")
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise UnreadableFileError(f"{path} is refused: its member {name!r} is not a plain file")
