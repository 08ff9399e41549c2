"""Counting many small files: 50,000 in nested folders, a folder per class, against scikit-learn's load_files.

python benchmarks/folders.py [files]

The texts are parts of 20 Newsgroups. Both sides read files that the disk's cache holds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from sklearn.datasets import load_files
from sklearn.feature_extraction.text import CountVectorizer

import metrics
import newsgroups
import termsift as ts
from metrics import alternating, row

RESULTS = Path(__file__).parent / "results" / "folders.csv"
FILES = 50_000
LINES = 12  # of a file


def main() -> None:
    n_files = int(sys.argv[1]) if len(sys.argv) > 1 else FILES
    with TemporaryDirectory() as folder:
        size = write_files(Path(folder), n_files)
        print(f"{n_files:,} files of {size / n_files:.0f} bytes in nested folders, 20 classes\n")
        rows = list(counting(folder))
    for line in rows:
        print(f"{line['what']:<66} {line['value']:>10}  {line['target']}")
    metrics.save(rows, RESULTS)


def write_files(folder: Path, n_files: int) -> int:
    """Write the files, two folders below that of their class. Gives their bytes."""
    written = size = 0
    for text, label in zip(*newsgroups.texts_and_labels(), strict=True):
        lines = text.splitlines()
        for at in range(0, len(lines), LINES):
            if written == n_files:
                return size
            path = folder / label / f"{written % 10}" / f"{written // 10 % 10}" / f"{written}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            size += path.write_text("\n".join(lines[at : at + LINES]), encoding="utf-8")
            written += 1
    return size


def counting(folder: str) -> Iterator[dict[str, str]]:
    """ts.count of the folder, against load_files and CountVectorizer."""
    analyzer = ts.Analyzer()
    ts.count(folder, analyzer=analyzer)  # compiled before the clock starts, and the files in the disk's cache
    best = alternating(
        {
            "theirs": lambda: CountVectorizer().fit_transform(nested_files(folder)),
            "one": lambda: ts.count(folder, analyzer=analyzer, n_jobs=1),
            "two": lambda: ts.count(folder, analyzer=analyzer, n_jobs=2),
        },
        rounds=2,
    )
    yield row("load_files and CountVectorizer", f"{best['theirs']:.2f} s")
    yield row("ts.count of the folder, one thread, times", f"{best['theirs'] / best['one']:.1f}")
    yield row(
        "ts.count of the folder, two threads, times", f"{best['theirs'] / best['two']:.1f}", "at least 5"
    )


def nested_files(folder: str) -> list[bytes]:
    """Read each folder of files with load_files, which looks one folder deep for each class."""
    texts: list[bytes] = []
    for middle in sorted(path for path in Path(folder).glob("*/*") if path.is_dir()):
        texts += load_files(middle, shuffle=False).data
    return texts


if __name__ == "__main__":
    main()
