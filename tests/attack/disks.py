"""Disks that are full, read-only or missing, streams that are closed, memory that is short."""

from __future__ import annotations

import contextlib
import ctypes
import os
import random
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from bad_commands import fault_of_talk
from forks import Ended, command, forked
from kills import WRITERS, compared, contents, corpus, same, whole
from trying import check

NEW_MOUNTS = 0x00020000  # CLONE_NEWNS
COMMANDS: list[Callable[[], list[object]]] = [
    lambda: ["metrics"],
    lambda: ["count", corpus().with_name("tiny.csv"), "--json"],
    lambda: ["score", corpus().with_name("tiny.csv"), "--csv"],
    lambda: ["select", corpus().with_name("tiny.csv"), "-k", 2],
    lambda: ["count", corpus().with_name("missing.csv")],
    lambda: ["count", "-"],
    lambda: ["corpora"],
]


def checked_end(ended: Ended, place: Path, expected: dict[str, bytes], old: bool) -> None:
    """A command that could not write says so in a line, and what was there before is there still."""
    fault = fault_of_talk(ended.code, ended.err)
    check(fault is None, f"{fault}")
    if ended.code == 0:
        check(same(contents(place), expected), "done, and not whole")
    else:
        check(
            place.exists() == old and (not old or place.read_text() == "old"), "what was there before is not"
        )
    left = (
        [path.name for path in place.parent.iterdir() if path.name.startswith(".termsift-")]
        if place.parent.is_dir()
        else []
    )
    check(not left, f"left behind: {left}")


def a_small_limit(rng: random.Random, folder: Path) -> None:
    """The attempt at files that may not grow: by RLIMIT_FSIZE, at any size up to that of the result."""
    writer = rng.choice(WRITERS)
    expected, _ = whole(writer)
    place = writer.place(folder / "out")
    place.parent.mkdir()
    old = writer.old and rng.random() < 0.5
    if old:
        place.write_text("old")
    most = sum(map(len, expected.values()))
    size = rng.choice([0, 1, 4096, rng.randrange(most), rng.randrange(most)])
    checked_end(forked(writer.call(place), before=lambda: limit_files(size)), place, expected, old)


def limit_files(size: int) -> None:
    """Let no file of this process grow beyond so many bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@lru_cache(maxsize=1)
def may_mount() -> bool:
    """Whether disks may be mounted: in a view of mounts that is this process's own."""
    if os.geteuid() != 0 or ctypes.CDLL(None).unshare(NEW_MOUNTS) != 0:
        return False
    return subprocess.run(["mount", "--make-rprivate", "/"], capture_output=True).returncode == 0


@contextlib.contextmanager
def small_disk(folder: Path, size: int, options: str = "") -> Iterator[Path]:
    """A disk of so many bytes, for as long as it is used."""
    place = folder / "disk"
    place.mkdir()
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}{options}", "tmpfs", str(place)],
        check=True,
        capture_output=True,
    )
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True, capture_output=True)


def a_full_disk(rng: random.Random, folder: Path) -> None:
    """The attempt at a disk that is full, of results or of temporaries, where one may be mounted."""
    if not may_mount():
        a_small_limit(rng, folder)
        return
    writer = rng.choice(WRITERS)
    expected, _ = whole(writer)
    most = sum(map(len, expected.values()))
    with small_disk(folder, rng.choice([4096, 16384, rng.randrange(4096, max(most * 2, 8192))])) as disk:
        temporaries = rng.random() < 0.3
        (folder / "out").mkdir()
        place = writer.place(folder / "out" if temporaries else disk)
        old = writer.old and rng.random() < 0.5 and not temporaries
        if old:
            place.write_text("old")
        ended = forked(writer.call(place), before=(lambda: use_temporary(disk)) if temporaries else None)
        checked_end(ended, place, expected, old)
        check(not temporaries or not list(disk.iterdir()), f"left on the disk: {list(disk.iterdir())[:2]}")


def use_temporary(folder: Path) -> None:
    """Have temporaries below a folder, in this process."""
    import tempfile

    os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = None


def spilling(rng: random.Random, folder: Path) -> None:
    """The attempt at sums that go to a disk which is full, or whose files may not grow."""
    expected, _ = whole(WRITERS[0])
    call, size = spilled_count(folder / "result"), rng.choice([4096, 65536, rng.randrange(4096, 4 << 20)])
    if not may_mount():
        checked_end(forked(call, before=lambda: limit_files(size)), folder / "result", expected, False)
        return
    with small_disk(folder, size) as disk:
        checked_end(forked(call, before=lambda: use_temporary(disk)), folder / "result", expected, False)
        check(not list(disk.iterdir()), f"left on the disk: {list(disk.iterdir())[:2]}")


def spilled_count(place: Path) -> Callable[[], object]:
    """A count that spills from the beginning: a megabyte is much for a small corpus."""
    import termsift as ts
    from termsift.engines.inputs import count

    def call() -> None:
        ts.count = lambda *given, **more: count(*given, **more | {"memory": 1})
        command("count", corpus(), "-o", place)()

    return call


def a_bad_place(rng: random.Random, folder: Path) -> None:
    """The attempt at places that cannot be written: missing, folders, read-only, too long."""
    writer = rng.choice(WRITERS)
    expected, _ = whole(writer)
    out = folder / "out"
    out.mkdir()
    (out / "kept").write_text("old")
    (out / "kept").chmod(0o400)
    places = [
        writer.place(folder / "missing"),
        out,
        out / "kept",
        out / ("n" * 256 + writer.ending),
        writer.place(out / "kept"),
        writer.place(Path("/proc")),
        writer.place(Path("/sys")),
    ]
    if may_mount() and rng.random() < 0.3:
        with small_disk(folder, 65536, ",ro") as disk:
            ended = forked(writer.call(writer.place(disk)))
            check(
                fault_of_talk(ended.code, ended.err, (1,)) is None,
                f"on a disk that is read-only: {ended.code} {ended.err[-300:]!a}",
            )
        return
    place = rng.choice(places)
    ended = forked(writer.call(place))
    fault = fault_of_talk(ended.code, ended.err, (0, 1))
    check(fault is None, f"{place.name[:20]}: {fault}")
    check((out / "kept").read_text() == "old", "a file that may not be written was")
    if ended.code == 0:
        found = {name: own for name, own in contents(place).items() if name in expected}
        check(same(found, expected), f"done, and not whole: {place}")


def a_closed_stream(rng: random.Random, folder: Path) -> None:
    """The attempt at streams that are closed, full, or of which nobody reads the other end."""
    words = [str(word) for word in rng.choice(COMMANDS)()]
    closed = rng.sample(range(3), rng.choice([1, 1, 2, 3]))
    other = rng.choice(["", "", "full", "reader gone"]) if 1 not in closed else ""
    out = subprocess.PIPE if not other else open("/dev/full", "w") if other == "full" else broken_pipe()  # noqa: SIM115
    # closed by the shell, as users do
    marks = " ".join(f"{n}{'<' if n == 0 else '>'}&-" for n in closed)
    line = [
        "sh",
        "-c",
        f'exec "$@" {marks}',
        "sh",
        sys.executable,
        "-c",
        "from termsift.cli import main; main()",
        *words,
    ]
    done = subprocess.run(
        line, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, timeout=90, cwd=folder
    )
    err = done.stderr.decode("utf-8", "replace")
    what = f"{words[0]} with {closed} closed {other}"
    fault = fault_of_talk(done.returncode, err or ("unheard" if 2 in closed or done.returncode else ""))
    check(fault is None, f"{what}: {fault}")
    check(b"termsift:" not in (done.stdout or b""), f"{what}: talk on stdout")


def broken_pipe() -> int:
    """The end of a pipe that nobody reads."""
    source, target = os.pipe()
    os.close(source)
    return target


def little_memory(rng: random.Random, folder: Path) -> None:
    """The attempt at memory that is short, by RLIMIT_AS a little above what is in use."""
    words = rng.choice(
        [
            lambda p: ["count", corpus(), "-o", p, "--jobs", 1],
            lambda p: ["select", corpus(), "-o", p],
            lambda p: compared("--report", p),
        ]
    )
    place, old = folder / "out" / "result", rng.random() < 0.5
    place.parent.mkdir()
    if old:
        place.write_text("old")
    more = rng.choice([1, 10, 30, 60, 100, 200, 400]) << 20

    def limit() -> None:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (used + more, used + more))

    ended = forked(command(*words(place)), before=limit)
    fault = fault_of_talk(ended.code, ended.err)
    check(fault is None, f"{more >> 20} MB more: {fault}")
    check(
        ended.code == 0 or (place.exists() == old and (not old or place.read_text() == "old")),
        "what was there before is not",
    )
