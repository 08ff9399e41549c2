"""Positive and negative terms in a searched ratio against one-sided and two-sided choice: every cell as CSV.

Six corpora, naive Bayes and a linear SVM, 50, 100 and 500 terms, five folds; terms per class and pooled.
The measure, and the goal of the searches, is macro-averaged F1 at the break-even point, over all classes and
over the small ones: Zheng, Wu and Srihari (2004) study categories of at most 7 % of the documents.
"""

from __future__ import annotations

import csv
import io
import os
import sys
import zipfile
from pathlib import Path

import numpy as np

import termsift as ts

CORPORA = {
    "ohsumed-400": "collections", "Dmoz-Health": "collections", "WebACE": "collections",
    "Re8": "collections", "questions": "raw", "tweets_emotion": "raw",
}  # fmt: skip
METHODS = {
    "pooled": {
        "one-sided": "cc",
        "two-sided": "chi2",
        "ratio 1.0": "cc:PositiveNegative(ratio=1.0)",
        "searched": "cc:combined",
    },
    "per class": {
        "two-sided": "chi2:per_class",
        "ratio 1.0": "cc:per_class",
        "by size": "cc:PositiveNegative(ratio='size', per_class=True)",
        "searched": "cc:combined_per_class",
        "searched on training set": "cc:PositiveNegative(ratio='auto', per_class=True, cv=None)",
    },
}
CLASSIFIERS, SIZES, FOLDS = ("multinomial_nb", "svm"), (50, 100, 500), 5
SMALL = 0.07
RESULTS = Path(__file__).parent / "results" / "ratio_search.csv"
COLUMNS = (
    "corpus",
    "documents",
    "classes",
    "classifier",
    "vocabulary",
    "k",
    "method",
    "mean",
    "gain",
    "error",
    "small_classes",
    "small_mean",
    "small_gain",
    "small_error",
)


def main(max_documents: int = 2500) -> None:
    """Append the cells of each corpus that the CSV lacks."""
    done = set()
    if RESULTS.exists():
        with RESULTS.open(newline="") as file:
            done = {(row["corpus"], row["classifier"]) for row in csv.DictReader(file)}
    else:
        RESULTS.write_text(",".join(COLUMNS) + "\n")
    for name, folder in CORPORA.items():
        for classifier in CLASSIFIERS:
            if (name, classifier) not in done:
                rows = cells(name, folder, classifier, max_documents)
                with RESULTS.open("a", newline="") as file:
                    csv.DictWriter(file, COLUMNS, lineterminator="\n").writerows(rows)
                print(name, classifier, flush=True)


def cells(name: str, folder: str, classifier: str, max_documents: int) -> list[dict[str, object]]:
    """Return the rows of a corpus and a classifier, with gains against ratio 1.0 over the folds."""
    texts, labels = load(name, folder, max_documents)
    methods = [method for group in METHODS.values() for method in group.values()]
    comparison = ts.compare(
        texts, labels, metrics=methods, k=SIZES, classifiers=classifier, goal="break_even",
        folds=FOLDS, repeats=1, racing=False, n_jobs=1,
    )  # fmt: skip
    results = comparison.results
    is_small = np.array([labels.count(name) <= SMALL * len(labels) for name in results.classes])
    all_values, small_values = {}, {}
    for i, candidate in enumerate(results.candidates):
        key = candidate.ranker.name, candidate.k
        all_values[key] = results.values[i]
        # a fold may lack a rare class
        small_values[key] = (
            np.nanmean(results.class_values[i][:, is_small], axis=1) if is_small.any() else None
        )
    rows = []
    for vocabulary, group in METHODS.items():
        for k in SIZES:
            for title, method in group.items():
                row = {
                    "corpus": name, "documents": len(texts), "classes": len(set(labels)),
                    "classifier": classifier, "vocabulary": vocabulary, "k": k, "method": title,
                    "small_classes": int(is_small.sum()),
                }  # fmt: skip
                for prefix, values in (("", all_values), ("small_", small_values)):
                    if values[method, k] is not None:
                        gains = values[method, k] - values[group["ratio 1.0"], k]
                        row[f"{prefix}mean"] = f"{values[method, k].mean():.4f}"
                        row[f"{prefix}gain"] = f"{gains.mean():.4f}"
                        row[f"{prefix}error"] = f"{gains.std(ddof=1) / np.sqrt(FOLDS):.4f}"
                rows.append(row)
    return rows


def load(name: str, folder: str, max_documents: int) -> tuple[list[str], list[str]]:
    """Return a random sample of a corpus in TERMSIFT_DATA."""
    path = Path(os.environ["TERMSIFT_DATA"]) / folder / f"{name}.zip"
    with zipfile.ZipFile(path) as archive:
        rows = list(csv.reader(io.StringIO(archive.read(f"{name}.csv").decode("utf-8"), newline="")))[1:]
    chosen = np.random.default_rng(0).permutation(len(rows))[:max_documents]
    return [rows[i][0] for i in chosen], [rows[i][1] for i in chosen]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
