"""Reports: how large they are, how long they take to make, and until they can be used in Chromium."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

import metrics
import termsift as ts
from browser import browser, seconds_to_interactive
from metrics import row
from termsift.report.page import report_html

RESULTS = Path(__file__).parent / "results" / "report.csv"
CORPORA = {"20news": 5, "reuters_apte": 8, "sms_spam": 8, "docstrings": 8}
ROUNDS = 5
LABELS, WORDS, DOCUMENTS = 2000, 60_000, 20_000


def main() -> None:
    out = []
    with browser() as driver, TemporaryDirectory() as folder:
        for name, most in CORPORA.items():
            corpus = ts.corpora.load(name)
            out += measured(driver, Path(folder), name, corpus.texts, corpus.labels, most)
        out += measured(driver, Path(folder), f"{LABELS:,} labels, long words", *many_labels(), 8)
    for line in out:
        print(f"{line['what']:<66} {line['value']:>10}  {line['target']}")
    metrics.save(out, RESULTS)


def measured(
    driver: Any, folder: Path, name: str, texts: list[str], labels: list[Any], most: int
) -> list[dict[str, str]]:
    """Return the figures of one corpus."""
    counts = ts.count(texts, labels)
    start = perf_counter()
    page = report_html(counts, title=name, texts=texts, labels=labels)
    seconds = perf_counter() - start
    path = folder / "report.html"
    path.write_text(page, encoding="utf-8")
    ready = median(seconds_to_interactive(driver, path) for _ in range(ROUNDS))
    return [
        row(f"{name}: size of the page", f"{path.stat().st_size / 1e6:.2f} MB", f"at most {most} MB"),
        row(f"{name}: made in", f"{seconds:.1f} s"),
        row(f"{name}: interactive after, median of {ROUNDS}", f"{ready:.2f} s", "at most 3 s"),
    ]


def many_labels() -> tuple[list[str], list[Any]]:
    """Documents of several labels and of words as long as a page shows them."""
    rng = np.random.default_rng(0)
    frequency = 1 / np.arange(1, WORDS + 1) ** 1.05
    prior = 1 / np.arange(1, LABELS + 1) ** 0.8
    common = rng.choice(WORDS, (DOCUMENTS, 80), p=frequency / frequency.sum())
    labels = [
        rng.choice(LABELS, rng.integers(1, 5), replace=False, p=prior / prior.sum()) for _ in range(DOCUMENTS)
    ]
    owned = [(29 * own[:, None] + rng.integers(0, 29, (len(own), 8))).ravel() % WORDS for own in labels]
    texts = [
        " ".join(f"word{n}{'ä' * 50}" for n in [*line, *own]) for line, own in zip(common, owned, strict=True)
    ]
    return texts, [[f"label {n} {'y' * 80}" for n in own] for own in labels]


if __name__ == "__main__":
    main()
