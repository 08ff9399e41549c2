"""Free memory, checks before large allocations, threads, and the choice between Python and kernels.

Free memory is the minimum of what the machine has available, what the control groups of the process (as in
a container) leave, and what its address-space limit leaves. Nothing is refused if
the system reports nothing.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from termsift._internal.errors import InvalidInputError

if sys.platform != "win32":
    import resource

ROOT = Path("/")
UNITS = {"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
NEAR_LIMIT = 0.75  # share of the address-space limit
# addresses that libraries reserve, mostly without using them: at least, and when spilled sums are added up
MIN_RESERVED, RESERVED = 1.2e9, 2e9
# control groups v2 and v1: mount point, file of the limit, file of the usage, reclaimable in memory.stat
FILES_OF_V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
CONTROL_GROUPS = {
    "": ("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
    "memory": ("sys/fs/cgroup/memory", *FILES_OF_V1),
}

KERNELS = "termsift._internal.kernels"  # module that every kernel imports
TEXT_KERNELS = "termsift.text._scan_kernel"
COMPILE_FROM_VARIABLE = "TERMSIFT_COMPILED_FROM"
# largest file to fetch from a URL; 1 to follow redirects to other hosts
MAX_DOWNLOAD_VARIABLE, REDIRECTS_VARIABLE = "TERMSIFT_MAX_DOWNLOAD", "TERMSIFT_FOLLOW_REDIRECTS"
COMPILE_FROM = 4_000_000  # characters of text or matrix entries: a third of a second in Python
CACHE_FOLDER = Path(__file__).parent / "__pycache__"


def check_memory(needed: float, task: str, remedy: str) -> None:
    """Check that `needed` bytes are free; otherwise raise an error with both numbers and the remedy."""
    free = free_memory()
    if free is not None and needed > free:
        raise InvalidInputError(
            f"{task} would take about {format_bytes(needed)} of memory, but only "
            f"{format_bytes(free)} is free. {remedy}"
        )


def format_bytes(size: float) -> str:
    """Format a number of bytes for display.

    >>> format_bytes(1_234_000_000), format_bytes(25e6)
    ('1.2 GB', '25 MB')
    """
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def parse_memory_size(value: Any) -> float:
    """Return the bytes of a number or of a text such as "1GB".

    >>> parse_memory_size("1.5 GB"), parse_memory_size(2000000)
    (1500000000.0, 2000000.0)
    """
    text = str(value).strip().upper()
    unit = next((unit for unit in UNITS if text.endswith(unit)), "")
    try:
        size = float(text.removesuffix(unit)) * UNITS.get(unit, 1)
    except ValueError:
        size = 0
    if isinstance(value, bool) or not 1 <= size < 1e18:
        message = f"memory must be a number of bytes or a size such as '500MB' or '1GB', got {value!r}"
        raise InvalidInputError(message)
    return size


def resident_memory(root: Path = ROOT) -> int:
    """Return the resident bytes of this process, or 0 if the system does not report them."""
    return load_integers(root / "proc/self/status").get("VmRSS", 0) * 1024


def release_memory() -> None:
    """Return freed memory to the system; glibc and pyarrow keep it, which adds up in a small container."""
    if pyarrow := sys.modules.get("pyarrow"):
        pyarrow.default_memory_pool().release_unused()
    # other C libraries have no malloc_trim
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def free_memory(root: Path = ROOT) -> int | None:
    """Return the bytes that can still be allocated, or None if the system does not report them."""
    available = load_integers(root / "proc/meminfo").get("MemAvailable")
    free = [*free_address_space(root), *([] if available is None else [available * 1024])]
    # the control groups of this process, and their parent groups
    for entry in load_lines(root / "proc/self/cgroup"):
        _, controllers, group_path = [*entry.split(":", 2), "", ""][:3]
        for controller in {"", "memory"} & set(controllers.split(",")):
            mount, limit_file, usage_file, reclaimable = CONTROL_GROUPS[controller]
            folder = root / mount / group_path.strip("/")
            for group in (folder, *folder.parents):
                if not group.is_relative_to(root / mount):
                    continue
                limit, usage = (load_lines(group / name)[:1] for name in (limit_file, usage_file))
                if limit and usage and limit[0].isdigit() and usage[0].isdigit():
                    cached = load_integers(group / "memory.stat").get(reclaimable, 0)
                    free.append(max(int(limit[0]) - int(usage[0]) + cached, 0))
    return min(free, default=None)


def free_address_space(root: Path) -> Iterator[int]:
    """Yield the bytes that the address-space limit (ulimit -v) leaves, if there is one."""
    if sys.platform == "win32":
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY:
        used = load_integers(root / "proc/self/status").get("VmSize", 0) * 1024
        yield max(limit - used, 0)


def nearly_exhausted_limit(root: Path = ROOT) -> int | None:
    """Return the address-space limit if the process came near it, or libraries do not fit, else None.

    Libraries reserve many megabytes at a time and raise arbitrary errors if they do not get them.
    """
    if sys.platform == "win32":
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    peak = load_integers(root / "proc/self/status").get("VmPeak", 0) * 1024
    is_near = limit < MIN_RESERVED or peak > limit * NEAR_LIMIT
    return limit if limit != resource.RLIM_INFINITY and is_near else None


def load_integers(path: Path) -> dict[str, int]:
    """Return the integers of a system file with a name and a number per row."""
    rows = [row.replace(":", " ").split() for row in load_lines(path)]
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}


def load_lines(path: Path) -> list[str]:
    """Return the lines of a system file, none if it cannot be read."""
    with suppress(OSError, UnicodeDecodeError):
        return path.read_text().splitlines()
    return []


class PythonWork:
    """Amount of work done in Python so far instead of by kernels."""

    size = 0


def spend_python_budget(size: int, *, for_text_kernels: bool = False) -> bool:
    """Return whether Python is faster for this much work than loading kernels, and record the work.

    Once kernels are loaded, or much work has accumulated, kernels are used. The kernels for text take longest
    to load, so they may be missing after others were loaded.
    """
    module = TEXT_KERNELS if for_text_kernels else KERNELS
    setting = os.environ.get(COMPILE_FROM_VARIABLE, "")
    threshold = int(setting) if setting.isdecimal() else COMPILE_FROM
    if module in sys.modules or PythonWork.size + size >= threshold:
        return False
    PythonWork.size += size
    return True


def load_cached_text(name: str, build: Callable[[], str]) -> str:
    """Return the text cached under a file name, or build it and cache it if the folder is writable."""
    path = CACHE_FOLDER / name
    with suppress(OSError, UnicodeDecodeError):
        return path.read_bytes().decode()
    text = build()
    temporary = path.with_name(f"{name}.{os.getpid()}")
    with suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        temporary.write_bytes(text.encode())
        temporary.replace(path)
    return text


# small enough that temporary arrays of a batch stay small, large enough for threads to share the work
BATCH_CHARACTERS = 1 << 20
# larger, because the lexicon of each batch of a file is merged into the total
BATCH_BYTES = 1 << 22
T = TypeVar("T")
R = TypeVar("R")


def batch_edges(lengths: Sequence[int], size: int | None = None) -> list[int]:
    """Return the start index of each batch of about `size`, and the end of the last batch.

    Batches depend only on the documents, so results do not depend on the number of threads.

    >>> batch_edges([3, 4, 5, 1], size=6)
    [0, 2, 4]
    """
    size = BATCH_CHARACTERS if size is None else size
    edges, ends = [0], np.cumsum(lengths)
    while edges[-1] < len(lengths):
        start = int(ends[edges[-1] - 1]) if edges[-1] else 0
        # the first document that fills the batch is its last one
        edges.append(min(int(np.searchsorted(ends, start + size)) + 1, len(lengths)))
    return edges


def resolve_n_jobs(n_jobs: int | None) -> int:
    """Return the number of threads: all cores for None or -1."""
    if n_jobs is None:
        n_jobs = -1
    if not isinstance(n_jobs, int | np.integer) or (n_jobs < 1 and n_jobs != -1):
        raise InvalidInputError(f"n_jobs must be at least 1, or -1 for all cores, got {n_jobs!r}")
    return (os.cpu_count() or 1) if n_jobs == -1 else int(n_jobs)


@contextmanager
def run_in_second_thread(work: Callable[[], object], n_threads: int) -> Iterator[None]:
    """Run `work` in a second thread during the block, or after the block if there is only one thread."""
    if n_threads == 1:
        yield
        work()
        return
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        yield
        future.result()


def map_in_order(work: Callable[[T], R], batches: Iterable[T], n_threads: int) -> Iterator[R]:
    """Yield the results of the batches in order, with at most `n_threads + 1` batches in memory."""
    if n_threads == 1:
        yield from map(work, batches)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        pending: deque[Future[R]] = deque()
        for batch in batches:
            pending.append(pool.submit(work, batch))
            if len(pending) > n_threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
