"""Access to input files: local paths, URLs by fsspec, members of zips, pipes, and decompression."""

from __future__ import annotations

import lzma
import os
import re
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import compress
from os.path import splitext
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import pyarrow as pa

from termsift._internal.errors import EngineError, UnreadableFileError
from termsift._internal.files import open_zip, scratch_folder, translate_disk_errors, translate_read_errors
from termsift._internal.resources import (
    MAX_DOWNLOAD_VARIABLE,
    REDIRECTS_VARIABLE,
    format_bytes,
    parse_memory_size,
)

# package that reads the URLs of each scheme
LIBRARIES = {
    **dict.fromkeys(("http", "https"), "fsspec[http]"),
    "s3": "s3fs",
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("abfs", "abfss", "az"), "adlfs"),
    "hf": "huggingface_hub",
}
URL = re.compile(rf"({'|'.join(LIBRARIES)})://.+", flags=re.DOTALL | re.IGNORECASE)
# exceptions of these packages that are not built-in ones: module and class
LIBRARY_ERRORS = (
    ("aiohttp", "ClientError"),
    ("botocore.exceptions", "BotoCoreError"),
    ("google.auth.exceptions", "GoogleAuthError"),
    ("azure.core.exceptions", "AzureError"),
    ("huggingface_hub.errors", "HfHubHTTPError"),
)
# seconds without data
HTTP_TIMEOUT = 60.0
MAX_DOWNLOAD = "10GB"
# columns that the names of folders determine, such as `label=spam`
FolderColumns: TypeAlias = tuple[tuple[str, str | None], ...]


def is_url(name: str) -> bool:
    """Check whether the name is a URL, and not an existing file."""
    return URL.fullmatch(name) is not None and not os.path.exists(name)


def url_path(url: str) -> str:
    """Return the path of a URL, whose extension determines the format."""
    with wrap_remote_errors(url):
        return urlsplit(url).path


def list_remote_files(url: str) -> dict[str, str] | None:
    """Return names and URLs of the files below a URL, or matching it; None for a single file."""
    # HTTP has no folders, and a question mark starts a query, so every web address is a file
    if url.lower().startswith("http"):
        return None
    with wrap_remote_errors(url):
        system, path = open_file_system(url)
        is_pattern = any(mark in path for mark in "*?[")
        if not is_pattern and not system.isdir(path):
            return None
        names = sorted(system.glob(path) if is_pattern else system.find(path))
        start = 0 if is_pattern else len(path.rstrip("/")) + 1
        return {name[start:]: str(system.unstrip_protocol(name)) for name in names}


def download(url: str, target: Path) -> None:
    """Write the content of a URL to a file, at most the bytes that TERMSIFT_MAX_DOWNLOAD allows."""
    limit = parse_memory_size(os.environ.get(MAX_DOWNLOAD_VARIABLE) or MAX_DOWNLOAD)
    with wrap_remote_errors(url), translate_disk_errors(target):
        system, path = open_file_system(url)
        from fsspec.callbacks import Callback

        class SizeLimit(Callback):  # type: ignore[misc]
            """Refuses the stated size of a file, and the bytes received, after decompression of the body."""

            def call(self, *args: Any, **options: Any) -> None:
                if max(self.size or 0, self.value) > limit:
                    raise UnreadableFileError(
                        f"{url} is larger than {format_bytes(limit)}; if that is intended, allow more: "
                        f"--max-download or {MAX_DOWNLOAD_VARIABLE}"
                    )

        system.get_file(path, str(target), callback=SizeLimit())


async def _check_redirect(session: Any, context: Any, redirect: Any) -> None:
    """Refuse a redirect to another host before it is followed."""
    target = redirect.url.join(type(redirect.url)(redirect.response.headers.get("Location", "")))
    if target.host != redirect.url.host and not os.environ.get(REDIRECTS_VARIABLE):
        raise UnreadableFileError(
            f"{redirect.url} redirects to another host: {target}; give that URL, or allow it: "
            f"--follow-redirects or {REDIRECTS_VARIABLE}=1"
        )


def open_file_system(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it."""
    kind = url.split(":", 1)[0].lower()
    try:
        from fsspec.core import url_to_fs

        options: dict[str, Any] = {}
        if kind.startswith("http"):
            from aiohttp import ClientTimeout, TraceConfig

            redirects = TraceConfig()
            redirects.on_request_redirect.append(_check_redirect)
            # no total timeout, because a large file may take long while data arrives
            timeout = ClientTimeout(total=None, sock_connect=HTTP_TIMEOUT, sock_read=HTTP_TIMEOUT)
            options = {"client_kwargs": {"timeout": timeout, "trace_configs": [redirects]}}
        system, path = url_to_fs(url, skip_instance_cache=True, **options)
    except ImportError as error:
        message = f"reading {kind}:// URLs needs {LIBRARIES[kind]}: pip install '{LIBRARIES[kind]}'"
        raise EngineError(message) from error
    return system, str(path)


@contextmanager
def wrap_remote_errors(url: str) -> Iterator[None]:
    """Raise errors of remote file systems as UnreadableFileError that names the URL."""
    try:
        yield
    except (UnreadableFileError, EngineError):
        raise
    except FileNotFoundError as error:
        raise UnreadableFileError(f"there is no file {url}") from error
    except remote_errors() as error:
        reason = str(error)[:300] or type(error).__name__
        raise UnreadableFileError(f"{url} cannot be read: {reason}") from error


def remote_errors() -> tuple[type[BaseException], ...]:
    """Return the exceptions of remote file systems, with those of libraries that are loaded."""
    kinds = [getattr(sys.modules.get(module), name, None) for module, name in LIBRARY_ERRORS]
    loaded = [kind for kind in kinds if kind is not None]
    return (OSError, ValueError, LookupError, RuntimeError, TypeError, *loaded)


# total size of the members; they go to disk one by one, or to memory a document at a time
MAX_ARCHIVE_BYTES = 1 << 40


@contextmanager
def open_zip_members(
    path: str, display_name: str, limit: int = MAX_ARCHIVE_BYTES
) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Open a zip with a size limit; yield it and its members by name. Messages call it by `name`."""
    try:
        with translate_read_errors(Path(path)), open_zip(Path(path), limit) as (archive, files):
            by_name = {info.filename: info for info in files}
            if len(by_name) < len(files):
                raise UnreadableFileError(f"{path} is refused: it contains two files with the same name")
            yield archive, by_name
    except UnreadableFileError as error:
        raise UnreadableFileError(str(error).replace(path, display_name)) from error


# seconds for somebody to write to a pipe
PIPE_TIMEOUT = 10.0
PAUSE = 0.02
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class SourceFile:
    """File of a source.

    path : a path, a folder with one folder per class, or a URL
    name : name for messages, if it is not the path
    member : name of the file in a zip
    documents : names of the documents of a folder or a zip with one folder per class
    top : length of the prefix of these names before the folder of the class
    folder_columns : columns that the names of its folders determine
    """

    path: str
    name: str = ""
    member: str = ""
    documents: tuple[str, ...] = ()
    top: int = 0
    folder_columns: FolderColumns = ()

    @property
    def display_name(self) -> str:
        """Name for messages."""
        name = self.name or self.path
        return f"{name}/{self.member}" if self.member else name


@dataclass(frozen=True, slots=True)
class InputFile:
    """File to read: its name for messages, and the path to open.

    documents, top, folder_columns : as of the SourceFile
    encoding, errors : encoding of its text, and the policy for undecodable bytes
    guessed : encodings that had to be guessed, by file; files are added as they are read
    """

    name: str
    path: str
    documents: tuple[str, ...] = ()
    top: int = 0
    folder_columns: FolderColumns = ()
    encoding: str = "utf-8"
    errors: str = "strict"
    guessed: dict[str, str] = field(default_factory=dict)


@contextmanager
def open_input_file(file: SourceFile) -> Iterator[InputFile]:
    """Provide a local path of the file: a link, or a copy of a pipe, a URL or a member of a zip.

    Libraries would take some names for a pattern, a URL or a column (`label=2024/`), or fail if they are not
    UTF-8.
    """
    name = file.display_name
    if file.documents or os.path.isdir(file.path):
        yield InputFile(name, file.path, file.documents, file.top)
        return
    with scratch_folder() as folder:
        is_remote = is_url(file.path)
        original = file.member or (url_path(file.path) if is_remote else file.path)
        # the last two extensions are those of format and compression
        extensions = [extension.lower() for extension in Path(original).suffixes[-2:]]
        is_safe = [extension.isascii() and extension[1:].isalnum() for extension in extensions]
        copy = folder / f"file{''.join(compress(extensions, is_safe))}"
        if file.member:
            with (
                open_zip_members(file.path, name) as (archive, by_name),
                archive.open(by_name[file.member]) as packed,
                translate_disk_errors(copy),
                copy.open("wb") as target,
            ):
                shutil.copyfileobj(packed, target, CHUNK)
        elif is_remote:
            download(file.path, copy)
        elif is_pipe(file.path):
            copy_pipe(file.path, copy)
        else:
            try:
                copy.symlink_to(os.path.abspath(file.path))
            except OSError:
                # no links on this file system
                copy = Path(os.path.abspath(file.path))
        yield InputFile(name, str(copy), folder_columns=file.folder_columns)


def is_pipe(name: str) -> bool:
    """Check whether the path is a pipe, such as the `<(...)` of a shell, which can be read only once."""
    try:
        return stat.S_ISFIFO(os.stat(name).st_mode)
    except (OSError, ValueError):
        return False


def copy_pipe(name: str, copy: Path) -> None:
    """Write the data of a pipe to a file; raise an error if no writer opens it in time."""
    with translate_disk_errors(copy), copy.open("wb") as file:
        pipe = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
        try:
            file.write(wait_for_pipe(name, pipe))
            os.set_blocking(pipe, True)
            while chunk := os.read(pipe, CHUNK):
                file.write(chunk)
        finally:
            os.close(pipe)


def wait_for_pipe(name: str, pipe: int) -> bytes:
    """Return the first data of a pipe, or nothing if a writer has opened it without writing yet."""
    deadline = time.monotonic() + PIPE_TIMEOUT
    while time.monotonic() < deadline:
        try:
            # without a writer, a pipe that does not block is at its end
            if chunk := os.read(pipe, CHUNK):
                return chunk
        except BlockingIOError:
            return b""
        time.sleep(PAUSE)
    raise UnreadableFileError(f"the pipe {name} has no writer; waited {PIPE_TIMEOUT:.0f} seconds")


# names of the compressions in pyarrow, which has no xz
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2", ".xz": None}


def compression_extension(name: str) -> str:
    """Return the extension of the compression, or an empty string."""
    extension = splitext(name.lower())[1]
    return extension if extension in COMPRESSIONS else ""


def format_extension(name: str) -> str:
    """Return the extension of the format, without that of the compression."""
    stem, extension = splitext(name.lower())
    return splitext(stem)[1] if extension in COMPRESSIONS else extension


def open_decompressed(file: InputFile) -> Any:
    """Open a file as a stream of decompressed bytes."""
    extension = compression_extension(file.path)
    if extension == ".xz":
        return lzma.open(file.path)
    return pa.input_stream(file.path, compression=COMPRESSIONS.get(extension))
