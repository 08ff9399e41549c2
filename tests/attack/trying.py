"""A try: something bad is done to termsift, which must work or answer with one clear line.

An area is a function of a generator of random numbers and of an empty folder. It passes when it returns, or
raises a TermsiftError of one printable line. Tries run in a child process, which tells of each when it begins
and when it ends, so that a crash of the interpreter, or a hang, is a failure of that try alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from termsift._internal.errors import INVISIBLE, MAX_MESSAGE_LENGTH, TermsiftError

# what is attacked is small, and it is the compiled loops that could reach outside of their memory
COMPILED = {"TERMSIFT_COMPILED_FROM": "0"}
HERE = Path(__file__).parent
START = 600.0  # seconds for a child to start, and to compile what is not in the cache
MEMORY = 12 << 30  # of a child's addresses: a try that asks for all memory fails by itself
SHOWN = 400  # characters of a failure


@dataclass(frozen=True, slots=True)
class Area:
    """What is attacked in one way.

    attempt : a function of random numbers and an empty folder
    tries : how many the long run makes
    seconds : after which a try hangs
    answers : packages whose own ValueError and TypeError is an answer too: scikit-learn's of its estimators
    group : areas of one group may share a child
    can_refuse : whether an error of termsift is an answer; not for good inputs, which an oracle checks
    """

    name: str
    attempt: Callable[[random.Random, Path], None]
    tries: int = 500
    seconds: float = 120.0
    answers: tuple[str, ...] = ()
    group: str = "inside"
    can_refuse: bool = True


@dataclass(frozen=True, slots=True)
class Report:
    """A try that has ended: its area and seed, how long it took, and what is wrong, if anything is.

    refused : whether termsift refused the input, in one clear line
    megabytes : peak memory of the process during the try
    """

    area: str
    seed: int
    seconds: float
    fault: str | None
    refused: bool = False
    megabytes: float = 0.0


class Wrong(AssertionError):  # noqa: N818
    """What a try finds wrong by itself."""


class Callers(Exception):  # noqa: N818
    """What a function of the caller's raises: it comes out as it is."""


class Judged:
    """A block whose exception, if any, is judged rather than raised; `fault` says what is wrong with it."""

    def __init__(self, answers: tuple[str, ...] = (), can_refuse: bool = True) -> None:
        self.answers, self.can_refuse, self.fault, self.refused = answers, can_refuse, None, False

    def __enter__(self) -> Judged:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> bool:
        self.refused = isinstance(error, TermsiftError)
        self.fault = None if error is None else fault_of(error, self.answers)
        if self.refused and not self.can_refuse:
            self.fault = f"a good input was refused: {error}"
        return True


def fault_of(error: BaseException, answers: tuple[str, ...] = ()) -> str | None:
    """What is wrong with an exception, None where it is an answer."""
    if isinstance(error, TermsiftError):
        return fault_of_line(str(error))
    if isinstance(error, Callers):
        return None
    frames = traceback.extract_tb(error.__traceback__)
    packages = [f"{os.sep}{package}{os.sep}" for package in answers]
    if isinstance(error, ValueError | TypeError) and any(p in frames[-1].filename for p in packages):
        return None
    if isinstance(error, Wrong):
        return str(error)
    own = [frame for frame in frames if f"{os.sep}termsift{os.sep}" in frame.filename] or frames
    last = own[-1]
    where = f"{Path(last.filename).name}:{last.lineno}"
    return f"{type(error).__name__} at {where}: {error!s}"


def fault_of_line(line: str, longest: int = MAX_MESSAGE_LENGTH) -> str | None:
    """What is wrong with a line that people read, None where nothing is."""
    if not line or len(line) > longest:
        return f"a message of {len(line)} characters: {line[:60]}"
    if INVISIBLE.search(line):
        return f"a message that is not printable: {line!a}"
    return None


def check(right: Any, what: str) -> None:
    """A failure of the try unless something is right."""
    if not right:
        raise Wrong(what)


def judged_try(area: Area, seed: int) -> Report:
    """A try, in a folder of its own; what it leaves in the folder of temporaries is wrong too, unless it was killed."""
    temporary = Path(tempfile.gettempdir())
    with tempfile.TemporaryDirectory(prefix="try-", dir=temporary.parent) as folder:
        begin = time.monotonic()
        reset_peak()
        with Judged(area.answers, area.can_refuse) as judged, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            area.attempt(random.Random(f"{area.name}:{seed}"), Path(folder))
        seconds = time.monotonic() - begin
        left = sorted(path.name for path in temporary.iterdir())
        for name in left:
            shutil.rmtree(temporary / name, ignore_errors=True)
            (temporary / name).unlink(missing_ok=True) if not (temporary / name).is_dir() else None
    # a process that is killed cannot remove its scratch folder, and nobody else does
    is_kill = area.name.startswith("kill -9")
    left = [name for name in left if not (is_kill and name.startswith("termsift-"))]
    fault = judged.fault or (f"left behind: {left[:3]}" if left else None)
    fault = fault if fault is None else fault.replace(folder, "…")
    return Report(area.name, seed, seconds, fault, judged.refused, peak_megabytes())


def reset_peak() -> None:
    """Start the peak memory of this process anew, where the system can."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_megabytes() -> float:
    """The peak memory of this process since it was reset, in megabytes."""
    with contextlib.suppress(OSError, IndexError):
        return round(int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1000)
    return 0.0


def compiled() -> None:
    """Have the loops compiled, in a process of its own, so that no try waits for it."""
    subprocess.run(
        [sys.executable, str(HERE.parent / "support" / "compiling.py")], check=True, capture_output=True
    )


def child(tasks: Sequence[tuple[Area, int, int]], handle: int) -> None:
    """The child's work: the tries of each task, told of through the handle."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with os.fdopen(handle, "w", encoding="utf-8") as told:
        for area, first, last in tasks:
            for seed in range(first, last):
                print(json.dumps([area.name, seed]), file=told, flush=True)
                done = judged_try(area, seed)
                fault = None if done.fault is None else ascii(done.fault)[1:-1][:SHOWN]
                row = [area.name, seed, done.seconds, fault, done.refused, done.megabytes]
                print(json.dumps(row), file=told, flush=True)


def reports(tasks: Sequence[tuple[Area, int, int]]) -> Iterator[Report]:
    """The reports of all tries; a child that crashes or hangs is replaced by one that goes on after it."""
    waiting = [task for task in tasks if task[1] < task[2]]
    while waiting:
        before = waiting
        for area, report in child_reports(waiting):
            yield report
            waiting = rest(waiting, area, report.seed)
        if waiting is before:
            raise RuntimeError("the child did not start; ATTACK_SHOW=1 shows why")


def rest(tasks: Sequence[tuple[Area, int, int]], area: Area, seed: int) -> list[tuple[Area, int, int]]:
    """The tasks that are left when a seed of an area is done; tasks before its own are done too."""
    place = next((i for i, (own, *_) in enumerate(tasks) if own is area), None)
    if place is None:  # its process ended when its last try had
        return list(tasks)
    later = [(area, seed + 1, tasks[place][2]), *tasks[place + 1 :]]
    return [task for task in later if task[1] < task[2]]


def child_reports(tasks: Sequence[tuple[Area, int, int]]) -> Iterator[tuple[Area, Report]]:
    """The report of each try of a child; the last is that of a crash or a hang, if there was one."""
    areas = {area.name: area for area, *_ in tasks}
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        process, source = started_child(tasks, Path(folder))
        last: tuple[Area, int, bool] | None = None  # the try that began last, and whether it has ended
        begin, ends = time.monotonic(), [time.monotonic() + START]
        try:
            for line in timed_lines(source, ends):
                if line is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    break
                name, seed, *ended = json.loads(line)
                begin = time.monotonic()
                ends[0] = begin + areas[name].seconds + START * (last is None)
                last = areas[name], seed, bool(ended)
                if ended:
                    yield areas[name], Report(name, seed, *ended)
        finally:
            os.close(source)
            code = ended_child(process)
        if last is not None and (code or not last[2]):
            hung = code == -signal.SIGKILL
            what = f"no answer within {ends[0] - begin:.0f} s" if hung else f"the process ended with {code}"
            yield last[0], Report(last[0].name, last[1], time.monotonic() - begin, what)


def started_child(tasks: Sequence[tuple[Area, int, int]], folder: Path) -> tuple[Any, int]:
    """A child, and the handle of what it tells; its temporaries go below a folder."""
    (folder / "temporary").mkdir()
    source, target = os.pipe()
    words = [f"{area.name}={first}={last}" for area, first, last in tasks]
    more = {"TMPDIR": str(folder / "temporary"), "TERMSIFT_TRACEBACK": "1", "COLUMNS": "100"}
    process = subprocess.Popen(
        [sys.executable, str(HERE / "attack.py"), "--child", str(target), *words],
        env=COMPILED | os.environ | more,
        pass_fds=[target],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=None if os.environ.get("ATTACK_SHOW") else subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(target)
    return process, source


def ended_child(process: Any) -> int:
    """The exit code of a child, which is killed, with all it started, if it still runs."""
    try:
        code: int = process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
    return code


def timed_lines(source: int, ends: list[float]) -> Iterator[bytes | None]:
    """The lines of a pipe; None, and no more, when the time is over that stands in `ends`."""
    held = b""
    while True:
        ready, _, _ = select.select([source], [], [], max(ends[0] - time.monotonic(), 0.0))
        if not ready:
            yield None
            return
        found = os.read(source, 1 << 16)
        if not found:
            return
        *lines, held = (held + found).split(b"\n")
        yield from lines
