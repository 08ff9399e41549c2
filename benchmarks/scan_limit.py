"""The scan of ASCII text beside a plain loop in C, on one thread, taking turns.

plain_scan.c is built if there is a compiler; the two find the same words, and count them alike.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np

import metrics
import newsgroups
import termsift as ts
from metrics import alternating, row
from termsift.text.scanner import Bags, Scanner, encode_documents

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "scan_limit.csv"


def main() -> None:
    texts = [text for text in newsgroups.texts_and_labels()[0] if text.isascii()]
    data, starts = encode_documents(texts, ts.Analyzer())
    compiler = shutil.which("cc")
    if compiler is None:
        sys.exit("no C compiler: the plain loop cannot be built")
    with tempfile.TemporaryDirectory() as folder:
        plain = plain_scan(compiler, Path(folder), data, starts)
        rows = measured(data, starts, plain)
    for line in rows:
        print(f"{line['what']:<66} {line['value']:>10}  {line['target']}")
    metrics.save(rows, RESULTS)


def plain_scan(compiler: str, folder: Path, data: np.ndarray, starts: np.ndarray) -> Callable[[], Bags]:
    """Return a function that runs the plain loop over these documents."""
    library = folder / "plain_scan.so"
    command = [compiler, "-O3", "-march=native", "-shared", "-fPIC", str(HERE / "plain_scan.c")]
    subprocess.run([*command, "-o", str(library)], check=True)
    scan = ctypes.CDLL(str(library)).plain_scan
    scan.restype = ctypes.c_int64
    codes, counts = np.empty(len(data) // 2, dtype=np.int32), np.empty(len(data) // 2, dtype=np.int32)

    def bags() -> Bags:
        indptr = np.empty(len(starts), dtype=np.int64)
        addresses = (part.ctypes.data_as(ctypes.c_void_p) for part in (data, starts))
        found = (part.ctypes.data_as(ctypes.c_void_p) for part in (indptr, codes, counts))
        n = scan(*addresses, ctypes.c_int64(len(starts) - 1), *found)
        if n < 0:
            sys.exit("the plain loop has no room for so many words")
        return Bags(indptr, codes[:n].copy(), counts[:n].copy())

    return bags


def measured(data: np.ndarray, starts: np.ndarray, plain: Callable[[], Bags]) -> list[dict[str, str]]:
    """Return the speeds of both; raise an error if their results differ."""
    theirs, ours = plain(), Scanner(ts.Analyzer()).scan_bytes(data, starts)
    for part in ("indptr", "codes", "counts"):
        if not np.array_equal(getattr(theirs, part), getattr(ours, part)):
            sys.exit(f"the plain loop found other {part}")
    jobs = {"plain": plain, "ours": lambda: Scanner(ts.Analyzer()).scan_bytes(data, starts)}
    best = alternating(jobs, rounds=9, clock=process_time)  # of one thread: the machine may be shared
    size = len(data) / 1e6
    return [
        row("a plain loop in C with a hash table, ASCII, MB/s a thread", f"{size / best['plain']:.0f}"),
        row("the scan, ASCII, MB/s a thread", f"{size / best['ours']:.0f}", "at least 220"),
        row("the scan, times the plain loop", f"{best['plain'] / best['ours']:.2f}", "at least 1.22"),
    ]


if __name__ == "__main__":
    main()
