"""Time and memory against size: count, score, select, compare and report of parts of 20 Newsgroups.

Each figure is of a fresh process that has done the same on a few documents before: the best time, and the
highest memory above what it held. A work that grows as its size does has the exponent 1.
`python benchmarks/growth.py count score` measures some of them; docs/make/speed_page.py draws the table.
"""

from __future__ import annotations

import csv
import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE
from time import perf_counter, process_time
from typing import Any

import numpy as np

import newsgroups
import termsift as ts
from metrics import all_metrics, forgotten, status

RESULTS = Path(__file__).parent / "results" / "growth.csv"
COLUMNS = ("work", "documents", "size", "unit", "seconds", "cpu", "memory")
WARM = 300
# documents: a quarter, a half, all; a comparison fits a few hundred classifiers, so it has fewer
WHOLE, FEWER = (4711, 9423, 18846), (1000, 2000, 4000)
ROUNDS = {"count": 5, "score": 5, "select": 5, "compare": 1, "report": 2}


def main(works: list[str]) -> None:
    kept = [row for row in read(RESULTS) if row["work"] not in works]
    rows = []
    for work in works:
        for documents in FEWER if work == "compare" else WHOLE:
            rows.append({"work": work, "documents": documents, **in_fresh_process(work, documents)})
            print(*rows[-1].values(), sep="\t", flush=True)
        laws = (f"{key} grows as size^{exponent(rows[-3:], key):.2f}" for key in ("cpu", "memory"))
        print(f"{work}: {', '.join(laws)}")
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted([*kept, *rows], key=lambda row: list(ROUNDS).index(row["work"])))


def read(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def exponent(rows: list[dict[str, Any]], key: str) -> float:
    """Of the law from the smallest size to the largest."""
    first, last = rows[0], rows[-1]
    return math.log(float(last[key]) / float(first[key])) / math.log(
        float(last["size"]) / float(first["size"])
    )


def in_fresh_process(work: str, documents: int) -> dict[str, Any]:
    code = f"import growth; growth.measure({work!r}, {documents})"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, stdout=PIPE, text=True, cwd=Path(__file__).parent
    )
    return json.loads(done.stdout.splitlines()[-1])


def measure(work: str, documents: int) -> None:
    """Print the size, the best times and the highest memory of a work."""
    texts, labels = newsgroups.texts_and_labels()
    order = np.random.default_rng(0).permutation(len(texts))
    texts, labels = [texts[i] for i in order], labels[order]
    prepared(work, texts[:WARM], labels[:WARM])[2]()  # imported and compiled
    size, unit, job = prepared(work, texts[:documents], labels[:documents])
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    best = (math.inf, math.inf)
    for _ in range(ROUNDS[work]):
        start, cpu = perf_counter(), process_time()
        job()
        best = min(best[0], perf_counter() - start), min(best[1], process_time() - cpu)
    memory = status("VmHWM") - before
    print(
        json.dumps(
            {
                "size": size,
                "unit": unit,
                "seconds": round(best[0], 4),
                "cpu": round(best[1], 4),
                "memory": round(memory, 1),
            }
        )
    )


def prepared(work: str, texts: list[str], labels: np.ndarray) -> tuple[int, str, Callable[[], object]]:
    """Return the size of a task, the unit of that size, and the task."""
    characters = sum(map(len, texts))
    if work == "count":
        return characters, "characters", lambda: ts.count(texts, labels)
    if work == "report":
        return characters, "characters", lambda: ts.report(texts, labels)
    if work == "compare":
        return characters, "characters", lambda: ts.compare(texts, labels)
    counts = ts.count(texts, labels)
    cells = len(counts.terms) * len(counts.classes)
    if work == "score":
        return cells, "terms x classes", lambda: all_metrics(forgotten(counts))
    return cells, "terms x classes", lambda: ts.select(forgotten(counts), "bns", ts.TopK(1000))


if __name__ == "__main__":
    main(sys.argv[1:] or list(ROUNDS))
