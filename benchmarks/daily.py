"""Two weeks of daily files: count each day, merge, count all at once, compare the weeks, score.

`python benchmarks/daily.py 2 [--base FOLDER] [--formats csv jsonl parquet] [--folder FOLDER]` takes the GB of
text, and the `src` of another checkout to run the same commands with. Days are 20 Newsgroups drawn again and
again with a new word in every thousand. Each command is a process of its own; CPU seconds and peak memory are
those that the system reports of it. Counts of all formats, merged or not, must be the same bytes.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq

from files import write

RESULTS = Path(__file__).parent / "results" / "daily.csv"
DAYS, MEMORY, TARGET = 14, "300MB", 700
RUN = "from termsift.cli import main; main()"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", type=float, help="GB of text")
    parser.add_argument("--base", type=Path, help="src of another checkout")
    parser.add_argument("--formats", nargs="+", default=["csv", "jsonl", "parquet"])
    parser.add_argument("--folder", type=Path, help="keep the files here")
    options = parser.parse_args()
    sources = {"now": None} | ({"base": options.base} if options.base else {})
    with TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        rows, digests = [], set()
        for kind in options.formats:
            paths = [write_day(folder, day, kind, options.size * 1e9 / DAYS) for day in range(DAYS)]
            for name, source in sources.items():
                measured, digest = run_commands(paths, folder, source)
                rows += [{"GB": options.size, "format": kind, "code": name} | row for row in measured]
                digests |= {(name, digest)}
                for row in rows[-len(measured) :]:
                    print(*row.values(), flush=True)
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    for name in sources:
        same = len({digest for code, digest in digests if code == name}) == 1
        print(f"{name}: counts of all formats are {'the same bytes' if same else 'DIFFERENT'}")


def write_day(folder: Path, day: int, kind: str, size: float) -> Path:
    """Write a day as CSV once, and convert it to the format."""
    source, path = folder / f"day{day:02}.csv", folder / f"day{day:02}.{kind}"
    if not source.exists():
        write(source, size, seed=day)
    if path.exists():
        return path
    csv.field_size_limit(sys.maxsize)
    with source.open(encoding="utf-8", newline="") as file:
        documents = csv.DictReader(file)
        if kind == "jsonl":
            with path.open("w", encoding="utf-8") as lines:
                lines.writelines(json.dumps(document) + "\n" for document in documents)
        else:
            pq.write_table(pa.Table.from_pylist(list(documents)), path, row_group_size=10_000)
    return path


def run_commands(paths: list[Path], folder: Path, source: Path | None) -> tuple[list[dict[str, object]], str]:
    """Return the CPU seconds and peak memory of each command, and the digest of the counts."""
    limits = ["--jobs", "1", "--memory", MEMORY]
    days = [folder / f"{path.stem}.counts" for path in paths]
    total, merged = folder / "all.counts", folder / "merged.counts"
    rows = []
    per_day = [
        measure(["count", str(p), "-o", str(d), *limits], source) for p, d in zip(paths, days, strict=True)
    ]
    rows.append(
        {
            "command": f"count, {DAYS} days",
            "cpu s": sum(s for s, _ in per_day),
            "peak MB": max(m for _, m in per_day),
        }
    )
    weeks = [folder / f"week{i}.counts" for i in (1, 2)]
    commands = {
        "count all": ["count", *map(str, paths), "-o", str(total), *limits],
        "merge": ["merge", *map(str, days), "-o", str(merged)],
        "merge week 1": ["merge", *map(str, days[:7]), "-o", str(weeks[0])],
        "merge week 2": ["merge", *map(str, days[7:]), "-o", str(weeks[1])],
        "diff of weeks": ["diff", *map(str, weeks)],
        "score": ["score", str(total)],
    }
    for name, arguments in commands.items():
        seconds, peak = measure(arguments, source)
        rows.append({"command": name, "cpu s": seconds, "peak MB": peak})
    digest = sha256(total.read_bytes()).hexdigest()
    if digest != sha256(merged.read_bytes()).hexdigest():
        raise SystemExit("merged counts differ from those counted at once")
    return rows, digest


def measure(arguments: list[str], source: Path | None) -> tuple[float, int]:
    """Return the CPU seconds and the peak megabytes of a command."""
    env = os.environ | ({} if source is None else {"PYTHONPATH": str(source)})
    process = subprocess.Popen([sys.executable, "-c", RUN, *arguments], env=env, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{arguments[0]} failed")
    return round(usage.ru_utime + usage.ru_stime, 1), usage.ru_maxrss // 1000


if __name__ == "__main__":
    main()
