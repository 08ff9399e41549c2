"""How long one waits for a command: the first time on a machine, and later.

Each command runs in processes of its own with its own cache of compiled loops, which is empty at the first.
Modules are compiled to bytecode once before, as an installation does. Small is half a megabyte of SMS.
"""

from __future__ import annotations

import csv
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import metrics
import newsgroups
import termsift as ts
from metrics import row

RESULTS = Path(__file__).parent / "results" / "start.csv"
LATER = 3


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder) / "sms.csv", Path(folder) / "news.csv"
        sms = ts.corpora.load("sms_spam")
        write(small, sms.texts, [labels[0] if isinstance(labels, list) else labels for labels in sms.labels])
        write(large, *newsgroups.texts_and_labels())
        rows = [
            *waits(["--help"], "termsift --help", Path(folder), "at most 0.3 s"),
            *waits(["--version"], "termsift --version", Path(folder), "at most 0.3 s"),
            *waits(
                ["score", str(small)], "termsift score, 0.5 MB", Path(folder), "at most 0.9 s", "at most 2 s"
            ),
            *waits(["count", str(large), "-o", f"{folder}/counts"], "termsift count, 36 MB", Path(folder)),
            *waits(
                ["compare", str(small)], "termsift compare, 0.5 MB", Path(folder), "", "at most 10 s more"
            ),
            *warming(Path(folder)),
        ]
    for line in rows:
        print(f"{line['what']:<66} {line['value']:>18}  {line['target']}")
    metrics.save(rows, RESULTS)


def write(path: Path, texts: list[str], labels: list[str]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "label"), *zip(texts, labels, strict=True)])


def waits(
    command: list[str], name: str, folder: Path, later_target: str = "", first_target: str = ""
) -> list[dict[str, str]]:
    """The first run, and the best of those after it."""
    run(command, folder / "bytecode")
    loops = folder / f"loops of {name}".replace("/", " ")
    first = run(command, loops)
    later = [run(command, loops) for _ in range(LATER if first[0] < 20 else 1)]
    return [
        row(f"{name}, first", told(first), first_target),
        row(f"{name}, later", told(tuple(map(min, *later)) if len(later) > 1 else later[0]), later_target),
    ]


def warming(folder: Path) -> list[dict[str, str]]:
    return [row("termsift warm", told(run(["warm"], folder / "warm")))]


def run(command: list[str], loops: Path) -> tuple[float, float]:
    """Seconds, and those of processors."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(loops), "PYTHONDONTWRITEBYTECODE": ""}
    start, before = perf_counter(), children()
    subprocess.run([Path(sys.executable).parent / "termsift", *command], check=True, env=environment,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    return perf_counter() - start, children() - before


def children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def told(times: tuple[float, ...]) -> str:
    return f"{times[0]:.2f} s ({times[1]:.2f} CPU)"


if __name__ == "__main__":
    main()
