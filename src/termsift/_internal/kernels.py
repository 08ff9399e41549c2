"""Compilation of numba kernels and their cache on disk, and LLVM instructions that numba lacks."""

from __future__ import annotations

import io
import os
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache
from numba.extending import intrinsic

from termsift._internal.errors import EngineError, TermsiftWarning
from termsift._internal.resources import ROOT, format_bytes, free_of_process

DIGEST_SIZE = 32  # bytes of SHA-256
# LLVM aborts the process if it gets no memory, so compilation is refused below what the largest kernel takes
COMPILATION_MEMORY = 200 << 20
ANNOUNCED = Lock()  # acquired by the first thread that announces compilation, never released
CACHE_HINT = "set NUMBA_CACHE_DIR to a writable folder"


class ChecksummedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """Cache files of a kernel that end with a digest: damaged files count as missing."""

    @contextmanager
    def _open_for_write(self, path: str) -> Iterator[io.BytesIO]:
        with super()._open_for_write(path) as file:
            content = io.BytesIO()
            yield content
            file.write(content.getvalue() + sha256(content.getvalue()).digest())

    def _load_index(self) -> dict[Any, str]:
        index: dict[Any, str] = super()._load_index() if has_valid_checksum(self._index_path) else {}
        return index

    def _load_data(self, name: str) -> Any:
        if not has_valid_checksum(self._data_path(name)):
            raise FileNotFoundError(name)  # numba compiles the kernel again
        return super()._load_data(name)


class KernelCache(FunctionCache):  # type: ignore[misc]
    """Disk cache of one kernel, invalidated when any kernel module next to it changes."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        folder = Path(function.__code__.co_filename).parent
        # kernels inline functions of other kernel modules in their folder and its parent
        paths = sorted([*folder.glob("_*_kernel.py"), *folder.parent.glob("_*_kernel.py")])
        stats = [(path.name, path.stat()) for path in paths]
        modules = [(name, status.st_mtime_ns, status.st_size) for name, status in stats]
        stamp = (self._impl.locator.get_source_stamp(), *modules)
        self._cache_file = ChecksummedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the cached kernel; if there is none, check that there is memory to compile it."""
        kernel = super().load_overload(signature, context)
        if kernel is not None:
            return kernel
        announce_compilation()
        for free in free_of_process(ROOT):
            if free < COMPILATION_MEMORY:
                raise EngineError(
                    f"compiling a kernel needs up to {format_bytes(COMPILATION_MEMORY)} of memory; the "
                    f"process limit (ulimit -v) leaves {format_bytes(free)}; raise it"
                )
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Save a compiled kernel; a full disk only costs the cache."""
        with suppress(OSError):
            super().save_overload(signature, result)


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return numba's njit decorator, with KernelCache instead of numba's cache if `cache=True`."""
    is_cached = options.pop("cache", False)

    def compile_kernel(function: Callable[..., Any]) -> Any:
        kernel = numba.njit(**options)(function)
        if is_cached:
            kernel._cache = create_cache(function)
        return kernel

    return compile_kernel


def create_cache(function: Callable[..., Any]) -> Any:
    """Return the cache of a kernel in numba's folder, else in a temporary folder, else no cache."""
    try:
        return KernelCache(function)
    except RuntimeError:  # numba has no writable folder
        folder = private_cache_folder()
    if folder is None:
        return NullCache()
    default, config.CACHE_DIR = config.CACHE_DIR, folder
    try:
        return KernelCache(function)
    except RuntimeError:
        return NullCache()
    finally:
        config.CACHE_DIR = default


@cache
def private_cache_folder() -> str | None:
    """Return a temporary folder that only this user can write to, or None; warn once in either case.

    Folders that others can write to are not used, because cached kernels are code that is run.
    """
    folder, is_new = None, False
    if sys.platform != "win32":
        with suppress(OSError):
            path = Path(tempfile.gettempdir()) / f"termsift_kernels_{os.getuid()}"
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


def has_valid_checksum(path: str) -> bool:
    """Return whether a file exists and ends with the digest of its content."""
    with suppress(OSError):
        content = Path(path).read_bytes()
        return sha256(content[:-DIGEST_SIZE]).digest() == content[-DIGEST_SIZE:]
    return False


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
