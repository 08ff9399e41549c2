"""What memory is free, and an error before the work where what must be held in it would not fit.

What is free is the least of what the machine has, what the control groups of the process leave, as in a
container, and what its own limit leaves. Where the system does not say, nothing is refused.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from termsift._internal.errors import InvalidInputError

if sys.platform != "win32":
    import resource

ROOT = Path("/")
UNITS = {"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
NEAR = 0.75  # of a limit
# of the two kinds of control groups: where they are, the limit, what is used, what of it can be had back
GROUPS = {
    "": ("sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
    "memory": (
        "sys/fs/cgroup/memory",
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        "total_inactive_file",
    ),
}


def check_memory(needed: float, what: str, instead: str) -> None:
    """An error with both numbers where less than `needed` bytes are free; `instead` is the way out."""
    free = free_memory()
    if free is not None and needed > free:
        raise InvalidInputError(
            f"{what} would take about {format_bytes(needed)} of memory; {format_bytes(free)} are free. {instead}"
        )


def format_bytes(size: float) -> str:
    """Bytes as people write them.

    >>> format_bytes(1_234_000_000), format_bytes(25e6)
    ('1.2 GB', '25 MB')
    """
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def parse_memory_size(given: Any) -> float:
    """Bytes, of a number or of a text such as "1GB".

    >>> parse_memory_size("1.5 GB"), parse_memory_size(2000000)
    (1500000000.0, 2000000.0)
    """
    text = str(given).strip().upper()
    unit = next((unit for unit in UNITS if text.endswith(unit)), None)
    try:
        size = float(text.removesuffix(unit or "")) * UNITS.get(unit or "", 1)
    except ValueError:
        size = 0
    if isinstance(given, bool) or not 1 <= size < 1e18:
        raise InvalidInputError(f"memory must be bytes, or a text such as '500MB' or '1GB', got {given!r}")
    return size


def resident_memory(root: Path = ROOT) -> int:
    """The bytes that this process takes; 0 where nothing says so."""
    return table(root / "proc/self/status").get("VmRSS", 0) * 1024


def free_memory(root: Path = ROOT) -> int | None:
    """The bytes that can still be had; None where nothing says so."""
    return min([*free_on_machine(root), *free_in_groups(root), *free_of_process(root)], default=None)


def free_on_machine(root: Path) -> Iterator[int]:
    """What the system says is available without swapping."""
    for name, value in table(root / "proc/meminfo").items():
        if name == "MemAvailable":
            yield value * 1024


def free_in_groups(root: Path) -> Iterator[int]:
    """What each control group of this process leaves, and each group around it."""
    for line in lines(root / "proc/self/cgroup"):
        _, kinds, place = [*line.split(":", 2), "", ""][:3]
        for kind in {"", "memory"} & set(kinds.split(",")):
            top, *files = GROUPS[kind]
            folder = root / top / place.strip("/")
            for group in (folder, *folder.parents):
                if group.is_relative_to(root / top):
                    yield from free_in_group(group, *files)


def free_in_group(folder: Path, limit: str, used: str, reclaimable: str) -> Iterator[int]:
    """What a control group leaves, if it has a limit."""
    most, now = (lines(folder / name)[:1] for name in (limit, used))
    if most and now and most[0].isdigit() and now[0].isdigit():
        back = table(folder / "memory.stat").get(reclaimable, 0)
        yield max(int(most[0]) - int(now[0]) + back, 0)


def free_of_process(root: Path) -> Iterator[int]:
    """What the limit of the process's addresses leaves, if it has one."""
    if sys.platform == "win32":
        return
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    now = table(root / "proc/self/status").get("VmSize", 0) * 1024
    if most != resource.RLIM_INFINITY:
        yield max(most - now, 0)


def nearly_exhausted_limit(root: Path = ROOT) -> int | None:
    """The limit of the process's addresses, where it came so near to it that what it asked for was refused.

    Libraries take addresses by many megabytes at a time, and say what comes to mind where they get none.
    """
    if sys.platform == "win32":
        return None
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    peak = table(root / "proc/self/status").get("VmPeak", 0) * 1024
    return most if most != resource.RLIM_INFINITY and peak > most * NEAR else None


def table(path: Path) -> dict[str, int]:
    """The numbers of a file whose lines are a name and a number."""
    parts = [line.replace(":", " ").split() for line in lines(path)]
    return {part[0]: int(part[1]) for part in parts if len(part) > 1 and part[1].isdigit()}


def lines(path: Path) -> list[str]:
    """The lines of a file of the system's; none where it is not there."""
    with suppress(OSError, UnicodeDecodeError):
        return path.read_text().splitlines()
    return []


KERNELS = "termsift._internal.kernels"  # the module that every loop imports
TEXT_KERNELS = "termsift.text._scan_kernel"  # and the one that those of texts do
COMPILE_FROM_VARIABLE = "TERMSIFT_COMPILED_FROM"
COMPILE_FROM = 4_000_000  # characters of text, or entries of a matrix: they take Python a third of a second


class PythonWork:
    """What Python has done so far in place of loops."""

    size = 0


def can_skip_kernels(size: int) -> bool:
    """Whether Python does so much work quicker than it loads compiled loops; if so, it is taken as done."""
    return takes_on(size, KERNELS)


def can_skip_text_kernels(characters: int) -> bool:
    """The same of texts, whose loops are many: others may be there already."""
    return takes_on(characters, TEXT_KERNELS)


def takes_on(size: int, loops: str) -> bool:
    """Whether Python is to do the work, since those loops are not there; if so, it is taken as done."""
    if loops in sys.modules or PythonWork.size + size >= least_compiled():
        return False
    PythonWork.size += size
    return True


def least_compiled() -> int:
    """The work from which loops are compiled: what the environment says, such as 0 for all."""
    given = os.environ.get(COMPILE_FROM_VARIABLE, "")
    return int(given) if given.isdecimal() else COMPILE_FROM


HOME = Path(__file__).parent / "__pycache__"


def kept_text(name: str, make: Callable[[], str]) -> str:
    """The text that was kept under a name; else it is made, and kept where that can be.

    name : a plain file name, which says all that the text depends on
    """
    known = next((text for folder in folders() if (text := whole_text(folder / name)) is not None), None)
    if known is not None:
        return known
    text = make()
    any(was_kept(text, folder / name) for folder in folders())
    return text


def folders() -> Iterator[Path]:
    """Where texts are kept, the first choice first."""
    yield HOME
    with suppress(RuntimeError):  # of a user without a home
        given = os.environ.get("XDG_CACHE_HOME")
        yield (Path(given) if given else Path.home() / ".cache") / "termsift"


def whole_text(path: Path) -> str | None:
    """The text of a file that is there as it was written."""
    with suppress(OSError):
        digest, _, content = path.read_bytes().partition(b"\n")
        if sha256(content).hexdigest().encode() == digest:
            return content.decode()
    return None


def was_kept(text: str, path: Path) -> bool:
    """Write the file, whole or not at all, and say whether that could be done."""
    content = text.encode()
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, made = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        try:
            with open(handle, "wb") as file:
                file.write(sha256(content).hexdigest().encode() + b"\n" + content)
            os.replace(made, path)
        except BaseException:
            os.unlink(made)
            raise
        return True
    return False
