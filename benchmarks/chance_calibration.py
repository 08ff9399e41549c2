"""Labels shuffled again and again: are as many terms above the floor as it says, and how often is any?

Shuffles are at least 200, and so many that there are 4,000 lists: of fewer, the number above a floor that one
term is expected to reach is not known to a tenth.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

import termsift as ts
from termsift_studies import corpora

CORPORA = ("sms_spam", "re0", "oh0")
METRICS = ("bns", "ig", "chi2", "cc", "odds", "gu", "f1", "rf")
LISTS = 4000
RESULTS = Path(__file__).parent / "results" / "chance_calibration.csv"
COLUMNS = ("corpus", "metric", "shuffles", "lists", "expected", "above", "ratio", "any above floor(.05)")


def main(least: int = 200) -> None:
    print("  ".join(COLUMNS))
    rows = [row for name in CORPORA for row in calibration(name, least)]
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([COLUMNS, *rows])


def calibration(name: str, least: int) -> list[tuple[object, ...]]:
    """Return a row per metric: the terms expected above floor(1), and those found, over all classes."""
    X, labels = documents(name)
    y, rng = np.array(labels), np.random.default_rng(0)
    counts = ts.count(X, y)
    # of two classes both say the same of a term
    lists = counts.classes[1:] if len(counts.classes) == 2 else counts.classes
    shuffles = max(least, -(-LISTS // len(lists)))
    columns = [counts.class_index(c) for c in lists]
    scores = {metric: ts.score(counts, metric) for metric in METRICS}
    floors = {m: np.array([s.threshold(1, c) for c in lists]) for m, s in scores.items()}
    rare = {m: np.array([s.threshold(0.05, c) for c in lists]) for m, s in scores.items()}
    above = dict.fromkeys(METRICS, 0)
    any_above = dict.fromkeys(METRICS, 0)
    for _ in range(shuffles):
        mixed = ts.count(X, rng.permutation(y))
        for metric in METRICS:
            values = np.asarray(ts.score(mixed, metric))[:, columns] * (1 + 1e-9)
            above[metric] += np.count_nonzero(values >= floors[metric])
            any_above[metric] += np.count_nonzero((values >= rare[metric]).any(axis=0))
    rows = []
    for metric in METRICS:
        own = zip(floors[metric].tolist(), lists, strict=True)
        expected = sum(scores[metric].expected_false_positives(floor, c) for floor, c in own)
        mean = above[metric] / shuffles
        share = any_above[metric] / shuffles / len(lists)
        figures = f"{expected:.2f}", f"{mean:.2f}", f"{mean / expected:.3f}", f"{share:.4f}"
        rows.append((name, metric, shuffles, len(lists), *figures))
        print("  ".join(map(str, rows[-1])), flush=True)
    return rows


def documents(name: str):
    """Return the rows of a corpus and its labels."""
    corpus = corpora.load(name)
    if corpus.matrix is not None:
        return corpus.matrix, corpus.labels
    return ts.TermVectorizer().fit_transform(corpus.texts), corpus.labels


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
