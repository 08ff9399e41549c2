"""Atomic output files, scratch folders, and bounded unpacking of archives."""

from __future__ import annotations

import bz2
import errno
import gzip
import os
import re
import secrets
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
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeAlias

from termsift._internal.errors import UnreadableFileError

FilePath: TypeAlias = str | os.PathLike[str]

TEMPORARY = ".termsift-"  # prefix of unfinished files and of hidden scratch folders
SCRATCH = "termsift-"  # prefix of scratch folders among temporary files
STREAM = re.compile(r"/dev/(?P<name>stdout|stderr)|(?:/dev|/proc/self)/fd/(?P<number>\d+)")
MAX_LINKS = 40  # in a chain, as in Linux
_TEMPORARIES: set[Path] = set()  # unfinished files and scratch folders of this process
# full, broken and read-only disks
DISK_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}

MAX_UNPACKED_BYTES = 2 << 30  # of all members of an archive; the largest known corpus has 35 MB
# Texts compress to a tenth at best; an archive with a ratio above MAX_RATIO is a decompression bomb, unless
# its content is small.
MAX_RATIO, SMALL_CONTENT = 100, 32 << 20
ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # other methods have no bound on the ratio
DECOMPRESSORS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".tgz": gzip.open, ".bz2": bz2.open}
DAMAGE_ERRORS = (
    tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, struct.error, EOFError,
    # names in a zip, and numbers in the header of a tar
    ValueError, LookupError, OverflowError,
)  # fmt: skip


@contextmanager
def atomic_write(path: FilePath) -> Iterator[Path]:
    """Yield a temporary path whose file replaces `path` if the block succeeds, and is removed otherwise.

    Links are followed, and the mode of an existing file is retained. A device, pipe or stream such as
    /dev/stdout receives the bytes at the end of the block.
    """
    target = validate_output_path(path)
    with translate_disk_errors(path):
        if is_output_stream(target):
            with scratch_folder() as folder:
                yield folder / "output"
                with (folder / "output").open("rb") as content, open_output_stream(target) as stream:
                    shutil.copyfileobj(content, stream)
            return
        temporary = _register_temporary(target.parent, TEMPORARY)
        try:
            os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            yield temporary
            _copy_mode_and_owner(target, temporary)
            fsync_path(temporary)
            temporary.replace(target)
        finally:
            _remove_temporary(temporary)
        fsync_path(target.parent)


def validate_output_path(path: FilePath) -> Path:
    """Return the resolved path of an output file; raise if it cannot be written, before long work starts."""
    name = os.fspath(path)
    if "\0" in name:
        raise UnreadableFileError(f"cannot write {name}: a file name cannot contain a zero byte")
    # a link to a stream must not be resolved further: /dev/stdout is a link to a file if output is redirected
    resolved = name
    for _ in range(MAX_LINKS):
        if STREAM.fullmatch(resolved):
            return Path(resolved)
        link = os.readlink(resolved) if os.path.islink(resolved) else ""
        resolved = os.path.join(os.path.dirname(resolved), link)
    target = Path(os.path.realpath(name))
    if target.is_dir():
        raise UnreadableFileError(f"{name} is a folder; give the name of a file to write")
    if target.is_symlink():
        raise UnreadableFileError(f"cannot write {name}: it is a link to itself")
    if not target.parent.is_dir():
        raise UnreadableFileError(f"cannot write {name}: the folder {target.parent} does not exist")
    if is_output_stream(target):
        return target
    # os.access lets root write everything; a file without any write permission is respected anyway
    if target.exists() and not (target.stat().st_mode & 0o222 and os.access(target, os.W_OK)):
        raise UnreadableFileError(f"cannot write {name}: it is read-only")
    try:
        # tried, because os.access also lets root write to file systems such as /proc
        tempfile.TemporaryFile(dir=target.parent).close()
    except OSError as error:
        raise UnreadableFileError(
            f"cannot write {name}: the folder {target.parent} is not writable"
        ) from error
    return target


def is_output_stream(path: Path) -> bool:
    """Return whether the path is a device, a pipe, or an open file such as /dev/stdout."""
    return bool(STREAM.fullmatch(str(path))) or (path.exists() and not path.is_file())


def open_output_stream(path: Path) -> BinaryIO:
    """Open a device, pipe or stream for writing bytes."""
    match = STREAM.fullmatch(str(path))
    if match is None:
        return path.open("wb")
    sys.stdout.flush()
    descriptor = {"stdout": 1, "stderr": 2}[match["name"]] if match["name"] else int(match["number"])
    return os.fdopen(os.dup(descriptor), "wb")


def _copy_mode_and_owner(source: Path, target: Path) -> None:
    """Give a new file the mode and owner of the file it replaces, or the default mode."""
    if not source.exists():
        mask = os.umask(0)
        os.umask(mask)
        target.chmod(0o666 & ~mask)
        return
    status = source.stat()
    with suppress(OSError):  # only root may change the owner
        os.chown(target, status.st_uid, status.st_gid)
    target.chmod(stat.S_IMODE(status.st_mode))


def fsync_path(path: Path) -> None:
    """Flush a file or the entries of a folder to disk, if the file system supports it."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def translate_disk_errors(path: FilePath) -> Iterator[None]:
    """Raise UnreadableFileError with the file name if the disk is full or fails."""
    try:
        yield
    except OSError as error:
        # pyarrow and DuckDB raise errors of a full disk without errno
        is_full = "No space left" in str(error)
        if isinstance(error, UnreadableFileError) or not (is_full or error.errno in DISK_ERRORS):
            raise
        reason = os.strerror(errno.ENOSPC if is_full else error.errno or errno.EIO)
        raise UnreadableFileError(f"cannot write {os.fspath(path)}: {reason}") from error


@contextmanager
def scratch_folder(inside: Path | None = None) -> Iterator[Path]:
    """Yield a temporary folder that is removed at the end of the block.

    inside : folder to create it in, hidden, so that its files can be renamed to their final names; default:
        the system's folder for temporary files
    """
    try:
        parent = inside or Path(tempfile.gettempdir())
    except FileNotFoundError as error:
        message = "no folder for temporary files is writable; set TMPDIR to a writable folder"
        raise UnreadableFileError(message) from error
    folder = _register_temporary(parent, TEMPORARY if inside else SCRATCH)
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        _remove_temporary(folder)


def _register_temporary(parent: Path, prefix: str) -> Path:
    """Return a new path in a folder, registered before it exists, so that a signal cannot come between."""
    path = parent / f"{prefix}{secrets.token_hex(8)}"
    _TEMPORARIES.add(path)
    return path


def _remove_temporary(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
    _TEMPORARIES.discard(path)


def remove_temporaries() -> None:
    """Remove what a signal left behind, if it arrived while a block was being entered or left."""
    for path in list(_TEMPORARIES):
        _remove_temporary(path)


def require_file(path: FilePath) -> Path:
    """Return the path; raise if it is not an existing file."""
    # os.path instead of pathlib, which raises OSError if a name is too long
    if os.path.isdir(path):
        raise UnreadableFileError(f"{os.fspath(path)} is a folder, not a file")
    if not os.path.exists(path):
        raise UnreadableFileError(f"there is no file {os.fspath(path)}")
    return Path(path)


class ArchiveTooLargeError(UnreadableFileError):
    """Error for an archive whose content exceeds the limit."""

    def __init__(self, path: Path | str, limit: int) -> None:
        super().__init__(f"{path} is refused: it unpacks to more than {limit:,} bytes")


class SizeLimitedFile:
    """Reader of a decompressed file that limits its size and its ratio to the compressed bytes."""

    def __init__(self, path: Path, packed: IO[bytes], file: IO[bytes], limit: int) -> None:
        self.path, self.packed, self.file, self.limit = path, packed, file, limit
        self.n_unpacked = 0

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        content = self.file.read(size)
        self.n_unpacked += len(content)
        limit = max_unpacked_bytes(self.packed.tell(), self.limit)
        if self.n_unpacked > limit:
            raise ArchiveTooLargeError(self.path, limit)
        return content


def max_unpacked_bytes(packed_size: int, limit: int) -> int:
    """Return how many bytes an archive of `packed_size` bytes may unpack to."""
    return min(limit, max(SMALL_CONTENT, MAX_RATIO * packed_size))


def archive_members(path: FilePath, *, limit: int = MAX_UNPACKED_BYTES) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file of a .zip, .tar or .tar.gz, in the archive's order.

    Nothing is written to disk. Names that leave the archive's folder, links and devices are refused.
    """
    source = require_file(path)
    reader = _zip_members if source.suffix == ".zip" else _tar_members
    with translate_read_errors(source):
        yield from reader(source, limit)


def unpack_file(path: FilePath, member_extension: str, *, limit: int = MAX_UNPACKED_BYTES) -> bytes:
    """Return the decompressed bytes of a file; of a .zip, those of its only file with the extension."""
    source = require_file(path)
    if source.suffix == ".zip":
        contents = [
            data for name, data in archive_members(source, limit=limit) if name.endswith(member_extension)
        ]
        if len(contents) != 1:
            message = (
                f"{source} contains {len(contents)} files with the extension {member_extension}, expected one"
            )
            raise UnreadableFileError(message)
        return contents[0]
    with translate_read_errors(source), open_decompressed(source, limit) as file:
        return b"".join(iter(lambda: file.read(1 << 20), b""))


@contextmanager
def translate_read_errors(path: Path) -> Iterator[None]:
    """Raise UnreadableFileError with the file name for the errors of decompression libraries."""
    try:
        yield
    except UnreadableFileError:
        raise
    except DAMAGE_ERRORS as error:
        raise UnreadableFileError(f"{path} is damaged or truncated: {error}") from error
    except (OSError, RuntimeError) as error:  # RuntimeError: an encrypted zip
        raise UnreadableFileError(f"{path} cannot be read: {error}") from error


@contextmanager
def open_decompressed(path: Path, limit: int) -> Iterator[SizeLimitedFile]:
    """Open a file for reading, decompressed according to its extension."""
    with path.open("rb") as packed, DECOMPRESSORS.get(path.suffix, nullcontext)(packed) as file:
        yield SizeLimitedFile(path, packed, file, limit)


@contextmanager
def open_zip(path: Path, limit: int) -> Iterator[tuple[zipfile.ZipFile, list[zipfile.ZipInfo]]]:
    """Open a zip, check its members, and yield it with the entries of its files."""
    with zipfile.ZipFile(path) as archive:
        files = [info for info in archive.infolist() if not info.is_dir()]
        max_bytes = max_unpacked_bytes(path.stat().st_size, limit)
        if sum(info.file_size for info in files) > max_bytes:
            raise ArchiveTooLargeError(path, max_bytes)
        for info in archive.infolist():
            check_member(path, info.filename, stat.S_IFMT(info.external_attr >> 16))
            if info.compress_type not in ZIP_METHODS:
                raise UnreadableFileError(f"{path} is refused: unsupported compression of {info.filename!r}")
        yield archive, files


def _zip_members(path: Path, limit: int) -> Iterator[tuple[str, bytes]]:
    with open_zip(path, limit) as (archive, files):
        for info in files:
            with archive.open(info) as file:
                # the declared size was checked; a false one must not unpack to more
                yield info.filename, file.read(info.file_size + 1)


def _tar_members(path: Path, limit: int) -> Iterator[tuple[str, bytes]]:
    with open_decompressed(path, limit) as limited:
        # read as a stream, so that every byte, including headers, counts towards the limit
        with tarfile.open(fileobj=limited, mode="r|", bufsize=1 << 16) as archive:  # type: ignore[call-overload]
            for info in archive:
                check_member(path, info.name, member_type(info))
                content = archive.extractfile(info)
                if content is not None:
                    yield info.name, content.read()
        # tarfile stops at a damaged header, and gzip verifies its checksum only at the end of the file
        while limited.read(1 << 16):
            pass


def member_type(info: tarfile.TarInfo) -> int:
    """Return the file type of a tar member, as in st_mode."""
    if info.issym() or info.islnk():
        return stat.S_IFLNK
    if info.isdir():
        return stat.S_IFDIR
    # a sparse file may declare any size without content
    return stat.S_IFREG if info.isfile() and not info.issparse() else stat.S_IFIFO


def check_member(path: Path, name: str, file_type: int) -> None:
    """Check that a member is a plain file or folder inside the archive."""
    segments = name.replace("\\", "/").split("/")
    if ".." in segments or segments[0] == "" or segments[0].endswith(":"):
        raise UnreadableFileError(f"{path} is refused: its member {name!r} has a path outside the archive")
    if file_type == stat.S_IFLNK:
        raise UnreadableFileError(f"{path} is refused: its member {name!r} is a link")
    if file_type not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise UnreadableFileError(f"{path} is refused: its member {name!r} is not a plain file")
