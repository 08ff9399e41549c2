"""Access to input files: local paths, URLs by fsspec, members of zips, pipes, and decompression."""

from __future__ import annotations

import lzma
import os
import re
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os.path import splitext
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from termsift._internal.errors import EngineError, UnreadableFileError
from termsift._internal.files import open_zip, scratch_folder, translate_disk_errors, translate_read_errors

# what reads addresses of each kind
LIBRARIES = {
    **dict.fromkeys(("http", "https"), "fsspec[http]"),
    "s3": "s3fs",
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("abfs", "abfss", "az"), "adlfs"),
    "hf": "huggingface_hub",
}
URL = re.compile(rf"({'|'.join(LIBRARIES)})://.+", flags=re.DOTALL | re.IGNORECASE)
# what the libraries raise beside the errors of Python: the module, once it is loaded, and the class
LIBRARY_ERRORS = (
    ("aiohttp", "ClientError"),
    ("botocore.exceptions", "BotoCoreError"),
    ("google.auth.exceptions", "GoogleAuthError"),
    ("azure.core.exceptions", "AzureError"),
    ("huggingface_hub.errors", "HfHubHTTPError"),
)
HTTP_TIMEOUT = 60.0  # seconds in which nothing comes


def is_url(name: str) -> bool:
    """Check whether the name is a URL, and not an existing file."""
    return URL.fullmatch(name) is not None and not os.path.exists(name)


def url_path(address: str) -> str:
    """Return the path of a URL, whose extension determines the format."""
    with wrap_remote_errors(address):
        return urlsplit(address).path


def list_remote_files(address: str) -> dict[str, str] | None:
    """Return names and URLs of the files below a URL, or matching it; None for a single file.

    On the web a question mark begins a query, and there are no folders: an address is a file.
    """
    if address.lower().startswith("http"):
        return None
    with wrap_remote_errors(address):
        system, path = open_file_system(address)
        is_pattern = any(mark in path for mark in "*?[")
        if not is_pattern and not system.isdir(path):
            return None
        found = sorted(system.glob(path) if is_pattern else system.find(path))
        start = 0 if is_pattern else len(path.rstrip("/")) + 1
        return {name[start:]: str(system.unstrip_protocol(name)) for name in found}


def download(address: str, target: Path) -> None:
    """Write the content of a URL to a file."""
    with wrap_remote_errors(address), translate_disk_errors(target):
        system, path = open_file_system(address)
        system.get_file(path, str(target))


def open_file_system(address: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it."""
    kind = address.split(":", 1)[0].lower()
    try:
        from fsspec.core import url_to_fs

        options: dict[str, Any] = {"client_kwargs": http_timeout()} if kind.startswith("http") else {}
        system, path = url_to_fs(address, skip_instance_cache=True, **options)
    except ImportError as error:
        raise EngineError(
            f"to read {kind}:// termsift needs {LIBRARIES[kind]}: pip install '{LIBRARIES[kind]}'"
        ) from error
    return system, str(path)


def http_timeout() -> dict[str, Any]:
    """Return client options without a total timeout: a large file may take long while data arrives."""
    from aiohttp import ClientTimeout

    return {"timeout": ClientTimeout(total=None, sock_connect=HTTP_TIMEOUT, sock_read=HTTP_TIMEOUT)}


@contextmanager
def wrap_remote_errors(address: str) -> Iterator[None]:
    """Raise errors of remote file systems as UnreadableFileError that names the URL."""
    try:
        yield
    except (UnreadableFileError, EngineError):
        raise
    except FileNotFoundError as error:
        raise UnreadableFileError(f"there is no file {address}") from error
    except (OSError, ValueError, LookupError, RuntimeError, TypeError) as error:
        raise unreachable_error(address, error) from error
    except remote_library_errors() as error:
        raise unreachable_error(address, error) from error


def unreachable_error(address: str, error: BaseException) -> UnreadableFileError:
    """Return the error for a URL that cannot be read."""
    return UnreadableFileError(f"{address} cannot be read: {str(error)[:300] or type(error).__name__}")


def remote_library_errors() -> tuple[type[BaseException], ...]:
    """Return the exceptions of the remote libraries that are loaded."""
    found = (getattr(sys.modules.get(module), name, None) for module, name in LIBRARY_ERRORS)
    return tuple(kind for kind in found if kind is not None)


MAX_ARCHIVE_BYTES = (
    1 << 40
)  # bytes that all members may have: they go to disk one by one, or a document at a time


def list_members(path: str, name: str) -> list[str]:
    """Return the distinct names of the files in a zip; `name` is its name in messages."""
    with open_archive(path, name) as (_, by_name):
        return list(by_name)


def extract_member(path: str, name: str, member: str, target: Path) -> None:
    """Write a member to a file."""
    with (
        open_archive(path, name) as (archive, by_name),
        archive.open(by_name[member]) as packed,
        translate_disk_errors(target),
        target.open("wb") as file,
    ):
        shutil.copyfileobj(packed, file, 1 << 20)


def iter_member_contents(path: str, name: str, members: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of some members."""
    with open_archive(path, name) as (archive, by_name):
        for member in members:
            yield member, archive.read(by_name[member])


@contextmanager
def open_archive(
    path: str, name: str, limit: int = MAX_ARCHIVE_BYTES
) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Open a zip with a size limit; yield it and its members by name."""
    try:
        with translate_read_errors(Path(path)), open_zip(Path(path), limit) as (archive, files):
            by_name = {info.filename: info for info in files}
            if len(by_name) < len(files):
                raise UnreadableFileError(f"{path} is refused: it holds two files of one name")
            yield archive, by_name
    except UnreadableFileError as error:
        raise UnreadableFileError(str(error).replace(path, name)) from error


PIPE_TIMEOUT = 10.0  # seconds for somebody to write to a pipe
PAUSE = 0.02
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class SourceFile:
    """File of a source.

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
    def display_name(self) -> str:
        """Name for messages."""
        name = self.name or self.path
        return f"{name}/{self.member}" if self.member else name


@dataclass(frozen=True, slots=True)
class InputFile:
    """File to read: its name for messages, and the path to open.

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
def open_input_file(found: SourceFile) -> Iterator[InputFile]:
    """Provide a local path of the file: a link, or a copy of a pipe, a URL or a member of a zip.

    The name itself may be a pattern to a library, a web address, a column (`label=2024/`), or no UTF-8.
    """
    if found.documents or os.path.isdir(found.path):
        yield InputFile(found.display_name, found.path, found.documents, found.top)
        return
    with scratch_folder() as folder:
        remote = is_url(found.path)
        named = found.member or (url_path(found.path) if remote else found.path)
        plain = folder / f"file{safe_extensions(named)}"
        if found.member:
            extract_member(found.path, found.display_name, found.member, plain)
        elif remote:
            download(found.path, plain)
        elif is_pipe(found.path):
            copy_pipe(found.path, plain)
        else:
            plain = Path(link_file(found.path, plain))
        yield InputFile(found.display_name, str(plain), given=found.given)


def link_file(name: str, plain: Path) -> str:
    """Return the path of a new link to the file, or its absolute path if links are unsupported."""
    try:
        plain.symlink_to(os.path.abspath(name))
    except OSError:
        return os.path.abspath(name)
    return str(plain)


def safe_extensions(name: str) -> str:
    """Return the last two extensions of a name, for format and compression, if they are alphanumeric."""
    endings = [part.lower() for part in Path(name).suffixes[-2:]]
    return "".join(part for part in endings if part.isascii() and part[1:].isalnum())


def is_pipe(name: str) -> bool:
    """Check whether the path is a pipe, such as the `<(...)` of a shell, which can be read only once."""
    try:
        return stat.S_ISFIFO(os.stat(name).st_mode)
    except (OSError, ValueError):
        return False


def copy_pipe(name: str, copy: Path) -> None:
    """Write the data of a pipe to a file."""
    with translate_disk_errors(copy), copy.open("wb") as file:
        for chunk in iter_pipe(name):
            file.write(chunk)


def iter_pipe(name: str) -> Iterator[bytes]:
    """Yield the data of a pipe; raise an error if no writer opens it in time."""
    handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield wait_for_pipe(name, handle)
        os.set_blocking(handle, True)
        while chunk := os.read(handle, CHUNK):
            yield chunk
    finally:
        os.close(handle)


def wait_for_pipe(name: str, handle: int) -> bytes:
    """Return the first data of a pipe, or nothing if a writer has opened it without writing yet."""
    last = time.monotonic() + PIPE_TIMEOUT
    while time.monotonic() < last:
        try:
            chunk = os.read(handle, CHUNK)
        except BlockingIOError:
            return b""
        if chunk:
            return chunk
        time.sleep(PAUSE)
    raise UnreadableFileError(f"{name} is a pipe to which nobody writes; waited {PIPE_TIMEOUT:.0f} seconds")


COMPRESSIONS: dict[str, Callable[[str], Any]] = {
    ".gz": lambda path: pa.input_stream(path, compression="gzip"),
    ".zst": lambda path: pa.input_stream(path, compression="zstd"),
    ".bz2": lambda path: pa.input_stream(path, compression="bz2"),
    ".xz": lzma.open,
}


def compression_extension(name: str) -> str:
    """Return the extension of the compression, or an empty string."""
    last = splitext(name.lower())[1]
    return last if last in COMPRESSIONS else ""


def format_extension(name: str) -> str:
    """Return the extension of the format, without that of the compression."""
    stem, last = splitext(name.lower())
    return splitext(stem)[1] if last in COMPRESSIONS else last


def open_decompressed(file: InputFile) -> Any:
    """Open a file as a stream of decompressed bytes."""
    packing = compression_extension(file.path)
    return COMPRESSIONS[packing](file.path) if packing else pa.input_stream(file.path, compression=None)
