"""Run the attack: `python tests/attack/attack.py` prints a table of areas and writes docs/attack.csv.

    attack.py [--share 0.01] [--jobs 2] [--from 0] [--table FILE] [area ...]

An area is named by the beginning of its name; all where none is. Exit 1 where a try failed.
The table is written after each area; where areas are named, their rows replace those that were there.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain, groupby, pairwise
from pathlib import Path
from queue import Queue
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "inputs"), str(HERE.parent / "support")]

from areas import AREAS  # noqa: E402
from fuzzing import SECONDS, TARGETS, fuzzed  # noqa: E402
from trying import Area, Report, child, compiled, reports  # noqa: E402


@dataclass(slots=True)
class Outcome:
    """What came of an area: tries, refusals, failures with their seeds, and the worst seconds and memory."""

    area: str
    tries: int = 0
    worst: float = 0.0
    refused: int = 0
    megabytes: float = 0.0
    failures: list[Report] = field(default_factory=list)

    def add(self, report: Report) -> None:
        """Take a try in."""
        self.tries += 1
        self.worst = max(self.worst, report.seconds)
        self.refused += report.refused
        self.megabytes = max(self.megabytes, report.megabytes)
        if report.fault is not None:
            self.failures.append(report)

    @property
    def row(self) -> dict[str, object]:
        """The line of the table."""
        worst = f"{self.worst:.1f}"
        return {
            "area": self.area,
            "tries": self.tries,
            "refused": self.refused or "",
            "failures": len(self.failures),
            "worst seconds": worst,
            "worst MB": f"{self.megabytes:.0f}" if self.megabytes else "",
        }


def attacked(tasks: Sequence[tuple[Area, int, int]]) -> dict[str, Outcome]:
    """The outcome of each area."""
    found = {area.name: Outcome(area.name) for area, *_ in tasks}
    for report in reports(tasks):
        found[report.area].add(report)
    return found


def shares(area: Area, first: int, tries: int, jobs: int) -> Iterator[tuple[Area, int, int]]:
    """The seeds of an area in as many parts as there are jobs."""
    edges = [first + tries * i // jobs for i in range(jobs + 1)]
    return ((area, a, b) for a, b in pairwise(edges) if b > a)


def outcomes(areas: Sequence[Area], share: float, first: int, jobs: int) -> Iterator[Outcome]:
    """The outcome of each area in turn; so many children at once work on the areas of a group."""
    for _, group in groupby(areas, lambda area: area.group):
        tries = {area: max(1, round(area.tries * share)) for area in group}
        parts = [list(shares(area, first, number, jobs)) for area, number in tries.items()]
        waiting = {area.name: Outcome(area.name) for area in tries}
        for report in reports_of_children([list(own) for own in zip_parts(parts, jobs)]):
            waiting[report.area].add(report)
            for area, number in tries.items():
                if area.name not in waiting or waiting[area.name].tries < number:
                    continue
                yield waiting.pop(area.name)


def zip_parts(parts: Sequence[Sequence[tuple[Area, int, int]]], jobs: int) -> Iterator[list[Any]]:
    """The parts of all areas by the child that has them."""
    return ([own[i] for own in parts if i < len(own)] for i in range(jobs))


def reports_of_children(tasks: Sequence[Sequence[tuple[Area, int, int]]]) -> Iterator[Report]:
    """The reports of several children as they come."""
    told: Queue[Report | None] = Queue()

    def follow(own: Sequence[tuple[Area, int, int]]) -> None:
        try:
            for report in reports(own):
                told.put(report)
        finally:
            told.put(None)

    with ThreadPoolExecutor(len(tasks)) as pool:
        running = [pool.submit(follow, own) for own in tasks]
        ended = 0
        while ended < len(tasks):
            report = told.get()
            if report is None:
                ended += 1
            else:
                yield report
        for one in running:
            one.result()


def fuzzed_outcomes(names: Sequence[str], share: float, jobs: int) -> Iterator[Outcome]:
    """The outcome of each target of fuzzing, all of them within ten minutes of the whole attack."""
    targets = [t for t in TARGETS if not names or any(f"fuzz: {t}".startswith(name) for name in names)]
    seconds = max(1, round(SECONDS * share / len(TARGETS)))
    with ThreadPoolExecutor(jobs) as pool:
        for target, (tries, found, worst) in zip(
            targets, pool.map(lambda t: fuzzed(t, seconds), targets), strict=True
        ):
            name = f"fuzz: {target}"
            yield Outcome(
                name, tries, worst, failures=[Report(name, i, worst, fault) for i, fault in enumerate(found)]
            )


def named(names: Sequence[str]) -> list[Area]:
    """The areas whose names begin so."""
    return [area for area in AREAS if not names or any(area.name.startswith(name) for name in names)]


def told(outcome: Outcome, most: int) -> None:
    """An outcome as a line, and its failures as more."""
    row = outcome.row
    numbers = f"{row['tries']:>7,} {row['refused']:>7} {row['failures']:>5} {row['worst seconds']:>7}"
    print(f"{row['area']:40} {numbers} {row['worst MB']:>8}", flush=True)
    for report in outcome.failures[:most]:
        print(f"    seed {report.seed}: {report.fault}", flush=True)


def main() -> int:
    """Run, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("areas", nargs="*")
    parser.add_argument("--share", type=float, default=1.0, help="of the tries of each area")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2, help="children at once")
    parser.add_argument("--show", type=int, default=20, help="failures of an area to print")
    parser.add_argument("--table", type=Path, help="write the table to this CSV file")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child is not None:
        child([task(word) for word in given.areas], given.child)
        return 0
    compiled()
    print(f"{'area':40} {'tries':>7} {'refused':>7} {'fail':>5} {'worst s':>7} {'worst MB':>8}")
    rows = table_rows(given.table) if given.table is not None and given.areas else {}
    failed = 0
    fuzzes = fuzzed_outcomes(given.areas, given.share, given.jobs)
    for outcome in chain(outcomes(named(given.areas), given.share, given.first, given.jobs), fuzzes):
        told(outcome, given.show)
        rows[outcome.area] = outcome.row
        failed += len(outcome.failures)
        if given.table is not None:
            write_table(given.table, rows)
    return 1 if failed else 0


def table_rows(table: Path) -> dict[str, dict[str, object]]:
    """The rows of a table by their area, if it is there."""
    if not table.exists():
        return {}
    with table.open(encoding="utf-8", newline="") as file:
        return {row["area"]: dict(row) for row in csv.DictReader(file)}


def write_table(table: Path, rows: dict[str, dict[str, object]]) -> None:
    """Write the rows of the areas there are, in their order."""
    order = [*(area.name for area in AREAS), *(f"fuzz: {target}" for target in TARGETS)]
    known = [rows[name] for name in order if name in rows]
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(Outcome("").row), restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(known)


def task(word: str) -> tuple[Area, int, int]:
    """The task that a word of a child's command line names."""
    name, first, last = word.rsplit("=", 2)
    return next(area for area in AREAS if area.name == name), int(first), int(last)


if __name__ == "__main__":
    sys.exit(main())
