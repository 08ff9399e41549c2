"""Floors and p-values of 20 Newsgroups, of every metric that is a function of the cells, against counting.

Processor time, of all threads together: counting takes as many threads as there are cores, floors take one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from time import process_time

import numpy as np

import newsgroups
import termsift as ts
from metrics import row, save

ROUNDS = 3
RESULTS = Path(__file__).parent / "results" / "chance.csv"


def main() -> None:
    texts, labels = newsgroups.texts_and_labels()
    counts = ts.count(texts, labels)  # compiled and cached before the clock starts
    print(f"20 Newsgroups: {counts}\n")
    rows = []
    for line in chain(exact(texts, labels, counts), by_shuffles(texts, labels)):
        print(f"{line['what']:<58} {line['value']:>12}  {line['target']}", flush=True)
        rows.append(line)
    save(rows, RESULTS)


def exact(texts: list[str], labels: np.ndarray, counts: ts.Counts) -> Iterator[dict[str, str]]:
    """Time the floors of all classes, one by one, and all p-values, as ratios to counting."""
    best = processor_seconds(lambda: ts.count(texts, labels), ROUNDS)
    yield row("counting the texts", f"{best:.2f} s")
    floors, p_values = {}, {}
    for metric in ts.metrics():
        if metric.document_function({}) is None:
            continue
        scores = ts.score(counts, metric.name)
        floors[metric.name] = (
            processor_seconds(lambda s=scores: [s.threshold(1, c) for c in s.classes], 2) / best
        )
        p_values[metric.name] = processor_seconds(lambda s=scores: s.p, 2) / best
        yield row(f"{metric.name}: floors of 20 classes / counting", f"{floors[metric.name]:.2f}")
        yield row(f"{metric.name}: p-values of all terms / counting", f"{p_values[metric.name]:.2f}")
    middle = f"{np.median(list(floors.values())):.2f}"
    yield row(f"floors of {len(floors)} metrics: the middle one / counting", middle, "about 1")
    yield row("p-values: the middle one / counting", f"{np.median(list(p_values.values())):.2f}")


def processor_seconds(job: Callable[[], object], rounds: int) -> float:
    """Return the smallest processor time of a job over some rounds."""
    times = []
    for _ in range(rounds):
        start = process_time()
        job()
        times.append(process_time() - start)
    return min(times)


def by_shuffles(texts: list[str], labels: np.ndarray) -> Iterator[dict[str, str]]:
    """Time a floor by 10 shuffles of the labels, for metrics whose floor does not follow from the cells."""
    taken = processor_seconds(lambda: ts.score(texts, labels, "log_odds_prior", n_permutations=10), 1)
    yield row("log_odds_prior of documents with 10 shuffles", f"{taken:.1f} s")


if __name__ == "__main__":
    main()
