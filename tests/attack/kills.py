"""Commands that are killed, interrupted or told to end while they write: nothing half-written is left.

The commands are run by a process that has imported everything and started nothing, forked for each try, so
that a try costs no start of Python. A few tries start it, to be ended while it imports.
"""

from __future__ import annotations

import io
import random
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from bad_commands import fault_of_talk
from forks import SOFT, UNCAUGHT, Ended, command, forked
from trying import check

ENDS = {signal.SIGKILL: -signal.SIGKILL, signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


@lru_cache(maxsize=1)
def corpus() -> Path:
    """A corpus that takes commands a second or so, in a file."""
    folder = Path(tempfile.gettempdir()).parent
    rng = random.Random(0)
    words = ["".join(rng.choices("abcdefghijklmnop", k=rng.randrange(2, 9))) for _ in range(6000)]
    lines = ["text,label"]
    for i in range(1500):
        mine = words[(i % 3) * 1000 : (i % 3) * 1000 + 2500]
        lines.append(" ".join(rng.choices(mine, k=60)) + f",{'abc'[i % 3]}")
    (folder / "corpus.csv").write_text("\n".join(lines) + "\n")
    (folder / "first.csv").write_text("\n".join(lines[:301]) + "\n")
    (folder / "second.csv").write_text("\n".join([lines[0], *lines[301:601]]) + "\n")
    (folder / "tiny.csv").write_text("text,label\nfree prize,spam\nlunch,ham\n")
    return folder / "corpus.csv"


def part(name: str) -> Path:
    """A smaller part of the corpus, in a file."""
    return corpus().with_name(f"{name}.csv")


@lru_cache(maxsize=2)
def part_counts(name: str) -> Path:
    """The counts of a part, in a file."""
    place = corpus().with_name(f"{name}.parquet")
    ended = forked(command("count", part(name), "-o", place))
    check(ended.code == 0, f"count does not work: {ended.err[-300:]}")
    return place


@lru_cache(maxsize=1)
def small_model() -> Path:
    """A model of a part of the corpus, in a folder."""
    place = corpus().with_name("model")
    ended = forked(command(*compared("--save", place, "--overwrite")))
    check(ended.code == 0, f"compare --save does not work: {ended.err[-300:]}")
    return place


@dataclass(frozen=True)
class Writer:
    """A command that writes: its words for a place, what it writes there, and whether that is whole."""

    name: str
    words: Callable[[Path], list[object]]
    old: bool = True  # whether the place may hold something before
    ending: str = ""  # of the name of what is written

    def call(self, place: Path) -> Callable[[], Any]:
        """The command."""
        return command(*self.words(place))

    def place(self, folder: Path) -> Path:
        """Where it writes, in a folder."""
        return folder / f"result{self.ending}"


def compared(*more: object) -> list[object]:
    """The words of a short comparison."""
    return [
        "compare",
        corpus(),
        "--metric",
        "chi2",
        "-k",
        50,
        "--classifier",
        "multinomial_nb",
        "--folds",
        2,
        "--repeats",
        1,
        "--jobs",
        1,
        *more,
    ]


WRITERS = [
    Writer("count -o", lambda place: ["count", corpus(), "-o", place]),
    Writer("select -o", lambda place: ["select", corpus(), "-k", 500, "-o", place]),
    Writer("report -o", lambda place: ["report", corpus(), "-o", place]),
    Writer("compare --report", lambda place: compared("--report", place)),
    Writer("compare --save", lambda place: compared("--save", place), old=False),
    Writer("audit --report", lambda place: ["audit", part("first"), "--jobs", 1, "--report", place]),
    Writer("diff -o", lambda place: ["diff", part("first"), part("second"), "--csv", "-o", place]),
    Writer("diff --report", lambda place: ["diff", part("first"), part("second"), "--report", place]),
    Writer("merge -o", lambda place: ["merge", part_counts("first"), part_counts("second"), "-o", place]),
    Writer(
        "predict -o",
        lambda place: ["predict", small_model(), corpus(), "--decision-values", "-o", place],
        ending=".csv",
    ),
    Writer("explain --report", lambda place: ["explain", small_model(), corpus(), "--report", place]),
    Writer("evaluate --report", lambda place: ["evaluate", small_model(), part("first"), "--report", place]),
    Writer("landscape -o", lambda place: ["landscape", "bns", "-o", place], ending=".svg"),
]


@lru_cache(maxsize=16)
def whole(writer: Writer) -> tuple[dict[str, bytes], float]:
    """What a writer writes when nobody disturbs it, and how long it takes."""
    with tempfile.TemporaryDirectory(dir=Path(tempfile.gettempdir()).parent) as name:
        place = writer.place(Path(name))
        first = forked(writer.call(place))
        check(first.code == 0, f"{writer.name} does not work: {first.err[-300:]}")
        again = forked(writer.call(place)) if writer.old else first
        return contents(place), again.seconds


def contents(place: Path) -> dict[str, bytes]:
    """The files of a place, by name."""
    if place.is_file():
        return {"": place.read_bytes()}
    return {
        str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()
    }


def same(found: dict[str, bytes], expected: dict[str, bytes]) -> bool:
    """Whether files are whole: the same, but for what a comparison measures and an archive dates."""
    if list(found) != list(expected):
        return False
    found, expected = ({name: unzipped(own) for name, own in files.items()} for files in (found, expected))
    return all(
        found[name] == own
        or (len(found[name]) > 0.9 * len(own) and found[name][-12:].strip() == own[-12:].strip())
        for name, own in expected.items()
    )


def unzipped(content: bytes) -> bytes:
    """The names in a zip, which is whole; other bytes as they are."""
    if not content.startswith(b"PK"):
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        check(archive.testzip() is None, "a zip that is not whole")
        return "".join(sorted(archive.namelist())).encode()


def a_kill(writer: Writer, signals: list[int]) -> Callable[[random.Random, Path], None]:
    """The attempt at a writer that a signal ends at any moment."""

    def attempt(rng: random.Random, folder: Path) -> None:
        expected, takes = whole(writer)
        out = folder / "out"
        out.mkdir()
        place, sent = writer.place(out), rng.choice(signals)
        old = writer.old and rng.random() < 0.5
        if old:
            place.write_text("old")
        after = rng.uniform(0, 1.05 * takes) if rng.random() < 0.5 else rng.uniform(0.6, 1.05) * takes
        ended = forked(writer.call(place), sent, after)
        check_end(ended, sent)
        if place.exists() and not (old and place.is_file() and place.read_text(errors="replace") == "old"):
            check(
                same(contents(place), expected),
                f"half-written after {after:.2f} s of {takes:.2f}: {list(contents(place))}",
            )
        else:
            check(place.exists() == old, "the old file is gone")
        if sent == signal.SIGKILL and ended.code:
            check(
                forked(command("count", corpus().with_name("tiny.csv"), "-o", out / "next")).code == 0,
                "the next command fails",
            )
            (out / "next").unlink()
        left = [path.name for path in out.iterdir() if path != place]
        if sent == signal.SIGKILL:  # a kill may leave hidden temporaries, and nothing else
            left = [name for name in left if not name.startswith(".termsift-")]
        check(not left, f"left behind after {after:.2f} s of {takes:.2f}: {left}")

    return attempt


def check_end(ended: Ended, sent: int) -> None:
    """A command that was told to end has ended so, and said little; or it was done, or had not begun."""
    if not ended.begun and ended.code in (-sent, UNCAUGHT):
        return
    name = signal.Signals(sent).name
    check(ended.code in (0, ENDS[sent]), f"{name} gives exit {ended.code}: {ended.err[-300:]!a}")
    fault = None if ended.code < 0 else fault_of_talk(0, ended.err)
    check(fault is None, f"{name}: {fault}")


def slow_plan() -> Any:
    """A study of a few units that take a little while each."""
    from bad_studies import plan

    found = plan("abcdefgh")
    slow = {name: lambda call=call: time.sleep(0.02) or call() for name, call in found.units.items()}
    return type(found)(found.settings, found.columns, slow, found.tabled)


def study_call(place: Path) -> Callable[[], Any]:
    """A run of the study within what main does around commands: signals, and leaving by them."""
    import termsift_studies as studies
    import termsift_studies.publishing as publishing
    from termsift_studies.cli import main
    from termsift_studies.running import run_plan

    def call() -> None:
        def made(name: str, *, folder: Any, progress: Any, **more: Any) -> Any:
            tables = run_plan(name, slow_plan(), Path(folder), 2, progress)
            return studies.StudyResults(name, Path(folder), tables)

        studies.run = made
        publishing.draw_figures = lambda *rest: []
        main(["run", "zheng2004", "-o", str(place)])

    return call


@lru_cache(maxsize=1)
def whole_study() -> tuple[dict[str, bytes], float]:
    """What the study writes when nobody disturbs it."""
    with tempfile.TemporaryDirectory(dir=Path(tempfile.gettempdir()).parent) as name:
        ended = forked(study_call(Path(name) / "out"))
        check(ended.code == 0, f"the study does not work: {ended.err[-300:]}")
        return contents(Path(name) / "out"), ended.seconds


def a_study_kill(signals: list[int]) -> Callable[[random.Random, Path], None]:
    """The attempt at a study that is ended once or twice, and then goes on to the same results."""

    def attempt(rng: random.Random, folder: Path) -> None:
        expected, takes = whole_study()
        place = folder / "study"
        for _ in range(rng.choice([1, 1, 2])):
            sent = rng.choice(signals)
            check_end(forked(study_call(place), sent, rng.uniform(0, 1.05 * takes)), sent)
            check_units(contents(place) if place.exists() else {}, expected, sent)
        ended = forked(study_call(place))
        check(ended.code == 0, f"it does not go on: {ended.err[-300:]!a}")
        # temporaries that a kill has left are not results
        found = {
            name: content
            for name, content in contents(place).items()
            if not (signal.SIGKILL in signals and Path(name).name.startswith(".termsift-"))
        }
        check(found == expected, f"gone on, it is another: {sorted(set(found) ^ set(expected))}")

    return attempt


def check_units(found: dict[str, bytes], expected: dict[str, bytes], sent: int) -> None:
    """What a study that was ended has written is whole, and only a kill leaves temporaries."""
    left = [name for name in found if Path(name).name.startswith(".termsift-")]
    broken = [name for name, own in found.items() if name not in left and own != expected.get(name)]
    check(not broken, f"half-written: {broken}")
    check(not left or sent == signal.SIGKILL, f"left behind: {left}")


def an_import(rng: random.Random, folder: Path) -> None:
    """The attempt at a command that is told to end while Python starts and imports: no traceback."""
    sent = rng.choice(SOFT)
    words = [
        sys.executable,
        "-c",
        "from termsift.cli import main; main()",
        "count",
        str(corpus().with_name("tiny.csv")),
        "-o",
        str(folder / "out"),
    ]
    process = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder, text=True
    )
    time.sleep(rng.uniform(0.3, 2.5))
    process.send_signal(sent)
    _, err = process.communicate(timeout=60)
    code = process.returncode
    # before a line of ours has run, a signal does what it does to any program
    check(
        code in (0, ENDS[sent], -sent),
        f"{signal.Signals(sent).name} gives exit {code}: {err[-300:]!a}",
    )
    check("Traceback" not in err or "termsift" not in err, f"a traceback while importing: {err[-300:]!a}")
