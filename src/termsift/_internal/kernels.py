"""What the machine gives: loops compiled for it, and the memory that is free."""

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
from termsift._internal.resources import ROOT, free_of_process, format_bytes

DIGEST = 32  # bytes
COMPILING = 200 << 20  # bytes, above what the largest loop took: LLVM ends the process where it gets none
ANNOUNCED = Lock()  # taken once, by whoever says that loops are compiled, and never given back
BETTER = "set NUMBA_CACHE_DIR to a folder that may be written"


class ChecksummedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """The index of a loop's compiled forms, and the forms: a file that is not whole is as good as none."""

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
            raise FileNotFoundError(name)  # which numba takes for a form that is not compiled yet
        return super()._load_data(name)


class KernelCache(FunctionCache):  # type: ignore[misc]
    """The cache of one loop."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = (
            self._impl.locator.get_source_stamp(),
            *kernel_stamps(Path(function.__code__.co_filename).parent),
        )
        self._cache_file = ChecksummedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled form that was kept; without one it is compiled, if there is memory for that."""
        found = super().load_overload(signature, context)
        if found is None:
            announce_compilation()
        for free in free_of_process(ROOT) if found is None else ():
            if free < COMPILING:
                raise EngineError(
                    f"to compile a loop takes up to {format_bytes(COMPILING)} of memory; the limit of the process "
                    f"(ulimit -v) leaves {format_bytes(free)}"
                )
        return found

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep a compiled form, if the disk takes it."""
        with suppress(OSError):
            super().save_overload(signature, result)


def announce_compilation() -> None:
    """Say on stderr that loops are being compiled; only the first thread of the process does."""
    if ANNOUNCED.acquire(blocking=False):
        print(
            "termsift: compiling its loops for this machine, once; this takes some seconds", file=sys.stderr
        )


def kernel_stamps(folder: Path) -> list[tuple[str, int, int]]:
    """Name, time and size of the kernels of a folder and of the one above: loops inline parts of them."""
    paths = [*folder.glob("_*_kernel.py"), *folder.parent.glob("_*_kernel.py")]
    known = [(path.name, path.stat()) for path in sorted(paths)]
    return [(name, stat.st_mtime_ns, stat.st_size) for name, stat in known]


def has_valid_checksum(path: str) -> bool:
    """Whether a file is there and ends with the digest of the rest."""
    with suppress(OSError):
        content = Path(path).read_bytes()
        return sha256(content[:-DIGEST]).digest() == content[-DIGEST:]
    return False


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """What njit of numba gives, with our cache where one is asked for."""
    is_cached = options.pop("cache", False)

    def compiled_loop(function: Callable[..., Any]) -> Any:
        loop = numba.njit(**options)(function)
        if is_cached:
            loop._cache = create_cache(function)
        return loop

    return compiled_loop


def create_cache(function: Callable[..., Any]) -> Any:
    """The cache of a loop where numba would keep it, else in a temporary folder, else none."""
    try:
        return KernelCache(function)
    except RuntimeError:  # numba found no folder that may be written
        folder = private_cache_folder()
    if folder is None:
        return NullCache()
    usual, config.CACHE_DIR = config.CACHE_DIR, folder
    try:
        return KernelCache(function)
    except RuntimeError:
        return NullCache()
    finally:
        config.CACHE_DIR = usual


@cache
def private_cache_folder() -> str | None:
    """A temporary folder that only this user can write to; None where there is none. Either is said once."""
    found = private_folder()
    if found is None:
        warnings.warn(
            f"no folder may be written to keep compiled loops: every run spends some 15 s on them; {BETTER}",
            TermsiftWarning,
            stacklevel=4,
        )
        return None
    folder, is_new = found
    if is_new:
        warnings.warn(
            f"compiled loops are kept in {folder}, since neither the package nor the home folder may be "
            f"written; they take some 15 s whenever it is empty. To keep them elsewhere, {BETTER}",
            TermsiftWarning,
            stacklevel=4,
        )
    return str(folder)


def private_folder() -> tuple[Path, bool] | None:
    """The folder, and whether it is new. What others may write to is not used: it holds code that is run."""
    if sys.platform == "win32":
        return None
    try:
        folder = Path(tempfile.gettempdir()) / f"termsift_loops_{os.getuid()}"
        is_new = not folder.exists()
        folder.mkdir(mode=0o700, exist_ok=True)
        known = folder.lstat()
    except OSError:
        return None
    is_own = stat.S_ISDIR(known.st_mode) and known.st_uid == os.getuid() and not known.st_mode & 0o077
    return (folder, is_new) if is_own else None


BLOCK = 64  # bytes whose places are the bits of a number


@intrinsic
def lowest_bit(context, bits):  # type: ignore[no-untyped-def]
    """The place of the lowest bit that is set; one is."""

    def generated(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generated


@intrinsic
def prefetch(context, table, place):  # type: ignore[no-untyped-def]
    """Ask for a place of a table of two columns of 64 bits, which will be read soon."""

    def generated(context, builder, signature, args):  # type: ignore[no-untyped-def]
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        rows = context.make_array(signature.args[0])(context, builder, args[0])
        offset = builder.mul(args[1], ir.Constant(ir.IntType(64), 16))
        address = builder.gep(builder.bitcast(rows.data, byte), [offset])
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        # to be read, and kept near; data, not code
        builder.call(function, [address, *(ir.Constant(number, value) for value in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(table, types.uint64), generated


@intrinsic
def block_bits(context, data, base):  # type: ignore[no-untyped-def]
    """Which of 64 bytes from `base` on are ASCII letters, digits or underscores, and which are not ASCII."""

    def generated(context, builder, signature, args):  # type: ignore[no-untyped-def]
        byte = ir.IntType(8)
        block = ir.VectorType(byte, BLOCK)

        def every(value: int) -> Any:
            return ir.Constant(block, [value] * BLOCK)

        def between(these: Any, first: int, n: int) -> Any:
            return builder.icmp_unsigned("<", builder.sub(these, every(first)), every(n))

        array = context.make_array(signature.args[0])(context, builder, args[0])
        address = builder.gep(builder.bitcast(array.data, byte.as_pointer()), [args[1]])
        these = builder.load(builder.bitcast(address, block.as_pointer()), align=1)
        letters = between(builder.or_(these, every(0x20)), ord("a"), 26)
        others = builder.or_(between(these, ord("0"), 10), between(these, ord("_"), 1))
        bits = (builder.or_(letters, others), builder.icmp_signed("<", these, every(0)))
        return context.make_tuple(
            builder, signature.return_type, [builder.bitcast(own, ir.IntType(64)) for own in bits]
        )

    return types.UniTuple(types.uint64, 2)(data, types.uintp), generated
