"""Compilation of numba kernels and their cache on disk, and LLVM instructions that numba lacks."""

from __future__ import annotations

import io
import os
import pickle
import stat
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from threading import Lock
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    InTreeCacheLocator,
    NullCache,
)
from numba.extending import intrinsic
from numba.misc.appdirs import AppDirs

from termsift._internal.errors import EngineError, TermsiftWarning
from termsift._internal.resources import ROOT, format_bytes, free_address_space

DIGEST_SIZE = 32  # bytes of SHA-256
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
# LLVM aborts the process if it gets no memory, so compilation is refused below what the largest kernel takes
COMPILATION_MEMORY = 200 << 20
ANNOUNCED = Lock()  # acquired by the first thread that announces compilation, never released
CACHE_HINT = "set NUMBA_CACHE_DIR to a writable folder of yours"


class CheckedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """Cache files of a kernel that end with a digest: damaged and untrusted files count as missing."""

    @contextmanager
    def _open_for_write(self, path: str) -> Iterator[io.BytesIO]:
        with super()._open_for_write(path) as file:
            content = io.BytesIO()
            yield content
            file.write(content.getvalue() + sha256(content.getvalue()).digest())
            if sys.platform != "win32":  # whatever the umask
                os.fchmod(file.fileno(), os.fstat(file.fileno()).st_mode & ~OTHERS_WRITE)

    def _load_index(self) -> dict[Any, str]:
        with suppress(OSError):
            stream = io.BytesIO(read_checked(self._index_path))
            if pickle.load(stream) == self._version:
                stamp, index = pickle.load(stream)
                return index if stamp == self._source_stamp else {}
        return {}

    def _load_data(self, name: str) -> Any:
        return pickle.loads(read_checked(self._data_path(name)))


def read_checked(path: str) -> bytes:
    """Return the content of a cache file; one that is damaged or of an untrusted owner counts as missing."""
    with open(path, "rb") as file:
        content, digest = (whole := file.read())[:-DIGEST_SIZE], whole[-DIGEST_SIZE:]
        # the open file is checked, because the path could lead to another one by now
        if is_trusted(os.fstat(file.fileno())) and sha256(content).digest() == digest:
            return content
    raise FileNotFoundError(path)


def is_trusted(status: os.stat_result) -> bool:
    """Check that a file or folder belongs to root or this user, and that nobody else can write to it.

    Cached kernels are pickles with machine code, so whoever can write them can run code as the reader.
    """
    if sys.platform == "win32":
        return True
    return status.st_uid in (0, os.getuid()) and not status.st_mode & OTHERS_WRITE


class KernelLocator(InTreeCacheLocator):  # type: ignore[misc]
    """Names of the cache files of a kernel; `find_cache_folders` determines their folders."""

    def ensure_cache_path(self) -> None:
        """Do nothing: the folder exists."""


class KernelResults(CompileResultCacheImpl):  # type: ignore[misc]
    """Serialization of compiled kernels."""

    _locator_classes = (KernelLocator,)


class KernelCache(FunctionCache):  # type: ignore[misc]
    """Disk cache of one kernel, invalidated when any kernel module next to it changes.

    Kernels are read from every trusted folder, and written to the last one.
    """

    _impl_class = KernelResults

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        source = Path(function.__code__.co_filename)
        # kernels inline functions of other kernel modules in their folder and its parent
        neighbours = {*source.parent.glob("_*_kernel.py"), *source.parent.parent.glob("_*_kernel.py")}
        # contents, not times, which images round to seconds
        stamp = [
            (path.name, hash_file(path, path.stat().st_mtime_ns)) for path in sorted({source, *neighbours})
        ]
        self._subfolder = InTreeCacheLocator.get_suitable_cache_subpath(str(source))
        self._folders, self._is_writable = find_cache_folders(
            source.parent, self._subfolder, config.CACHE_DIR
        )
        self._create_files = partial(CheckedFiles, filename_base=self._impl.filename_base, source_stamp=stamp)

    def _load_overload(self, signature: Any, context: Any) -> Any:
        for folder in self._folders:
            self._cache_file = self._create_files(folder)
            kernel = super()._load_overload(signature, context)
            if kernel is not None:
                return kernel
        if not self._is_writable and (private_folder := create_private_cache_folder()) is not None:
            self._folders, self._is_writable = (f"{private_folder}/{self._subfolder}",), True
            os.makedirs(self._folders[0], mode=0o700, exist_ok=True)
            return self._load_overload(signature, context)
        announce_compilation()
        for free in free_address_space(ROOT):
            if free < COMPILATION_MEMORY:
                raise EngineError(
                    f"compiling a kernel needs up to {format_bytes(COMPILATION_MEMORY)} of memory; the "
                    f"process limit (ulimit -v) leaves {format_bytes(free)}; raise it"
                )
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Save a compiled kernel to the last folder; a full disk only costs the cache."""
        with suppress(OSError):
            if self._is_writable:
                super().save_overload(signature, result)


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return numba's njit decorator, with KernelCache instead of numba's cache if `cache=True`."""
    is_cached = options.pop("cache", False)

    def compile_kernel(function: Callable[..., Any]) -> Any:
        kernel = numba.njit(**options)(function)
        if is_cached:
            try:
                kernel._cache = KernelCache(function)
            except (OSError, RuntimeError):  # the source is not a file
                kernel._cache = NullCache()
        return kernel

    return compile_kernel


@cache
def hash_file(path: Path, mtime_ns: int) -> bytes:
    """Return the digest of a file."""
    return sha256(path.read_bytes()).digest()


@cache
def find_cache_folders(
    source_folder: Path, subfolder: str, configured_folder: str
) -> tuple[tuple[str, ...], bool]:
    """Return the trusted folders with kernels of a package up to a writable one, and whether there is one.

    They are the one in NUMBA_CACHE_DIR, the one next to the source, and the user's. Folders that this user
    cannot write, such as those that root filled by `termsift warm`, are only read.
    """
    own = Path(AppDirs(appname="numba", appauthor=False).user_cache_dir, subfolder)
    folders: list[str] = []
    for folder in (
        *([Path(configured_folder, subfolder)] if configured_folder else []),
        source_folder / "__pycache__",
        own,
    ):
        with suppress(OSError):
            # not writable by others, whatever the umask
            folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        with suppress(OSError):
            if is_trusted(folder.stat()):
                folders.append(str(folder))
                TemporaryFile(dir=folder).close()
                return tuple(folders), True
            if configured_folder and folder.is_relative_to(configured_folder):
                warnings.warn(
                    f"the kernels in {folder} are not used, because another user owns it or can write to it; "
                    "give it to root or to you and make it writable only for the owner (chmod go-w)",
                    TermsiftWarning,
                    stacklevel=4,
                )
    return tuple(folders), False


@cache
def create_private_cache_folder() -> str | None:
    """Return a temporary folder that only this user can write to, or None; warn once in either case."""
    folder, is_new = None, False
    if sys.platform != "win32":
        with suppress(OSError):
            path = Path(gettempdir()) / f"termsift_kernels_{os.getuid()}"
            is_new = not path.exists()
            path.mkdir(mode=0o700, exist_ok=True)
            status = path.lstat()
            if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077:
                folder = path
    if folder is None:
        warnings.warn(
            f"no writable folder for compiled kernels, so every run compiles them again; {CACHE_HINT}",
            TermsiftWarning,
            stacklevel=4,
        )
        return None
    if is_new:
        warnings.warn(
            f"compiled kernels are cached in {folder}, because neither the package nor the home folder is "
            f"writable; compiling takes about 15 s whenever it is empty. To use another folder, {CACHE_HINT}",
            TermsiftWarning,
            stacklevel=4,
        )
    return str(folder)


def announce_compilation() -> None:
    """Print on stderr, once per process, that kernels are being compiled."""
    if ANNOUNCED.acquire(blocking=False):
        print(
            "termsift: compiling kernels for this machine (once, takes some seconds)",
            file=sys.stderr,
        )


# Two LLVM instructions that numba does not expose. Without `prefetch`, counting word pairs takes almost twice
# as long (497 ms instead of 270 ms for 3 million words); without `lowest_bit`, counting words takes 131 ms
# instead of 75 ms.


@intrinsic
def lowest_bit(context, bits):  # type: ignore[no-untyped-def]
    """Return the index of the lowest set bit of a nonzero integer."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@intrinsic
def prefetch(context, table, row):  # type: ignore[no-untyped-def]
    """Load a row of a table of two 64-bit columns into the cache, because it will be read soon."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        byte, int32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        array = context.make_array(signature.args[0])(context, builder, args[0])
        offset = builder.mul(args[1], ir.Constant(ir.IntType(64), 16))
        address = builder.gep(builder.bitcast(array.data, byte), [offset])
        function_type = ir.FunctionType(ir.VoidType(), [byte, int32, int32, int32])
        function = cgutils.get_or_insert_function(builder.module, function_type, "llvm.prefetch.p0i8")
        # for reading (0), with high temporal locality (3), into the data cache (1)
        builder.call(function, [address, *(ir.Constant(int32, value) for value in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(table, types.uint64), generate
