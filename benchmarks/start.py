"""How long one waits for a command: the first time on a machine, and later.

Each command runs in processes of its own with its own cache of compiled loops, which is empty at the first.
Modules are bytecode already, as an installation leaves them. Small is half a megabyte of SMS.
Times are those of processors, which say the same on a machine that is shared.
"""

from __future__ import annotations

import csv
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from subprocess import DEVNULL

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
        run(["compare", str(small), "--budget", "600"], Path(folder) / "bytecode")
        rows = [
            row("termsift warm", f"{run(['warm'], Path(folder) / 'warm'):.1f} s"),
            *waits(["--help"], "termsift --help", Path(folder), "at most 0.3 s"),
            *waits(["--version"], "termsift --version", Path(folder), "at most 0.3 s"),
            *waits(
                ["score", str(small)], "termsift score, 0.5 MB", Path(folder), "at most 0.9 s", "at most 2 s"
            ),
            *waits(["count", str(large), "-o", f"{folder}/counts"], "termsift count, 36 MB", Path(folder)),
            *waits(
                ["compare", str(small)], "termsift compare, 0.5 MB", Path(folder), "", "at most 10 s more"
            ),
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
    """Time the first run, and the best of those after it."""
    loops = folder / f"loops of {name}"
    first = run(command, loops)
    later = min(run(command, loops) for _ in range(LATER if first < 5 else 1))
    return [
        row(f"{name}, first", f"{first:.2f} s", first_target),
        row(f"{name}, later", f"{later:.2f} s", later_target),
    ]


def run(command: list[str], loops: Path) -> float:
    """Seconds of processors."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(loops), "PYTHONDONTWRITEBYTECODE": ""}
    before = children()
    program = [Path(sys.executable).parent / "termsift", *command]
    subprocess.run(program, check=True, env=environment, stdout=DEVNULL, stderr=DEVNULL)
    return children() - before


def children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
