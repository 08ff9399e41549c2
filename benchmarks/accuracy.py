"""Accuracy of what compare recommends against ten lines of scikit-learn, on the same 70/30 splits.

    python benchmarks/accuracy.py sklearn|termsift|budget|table|budgets [--splits 10] [CORPUS ...]

`sklearn` fits the pipelines of BASELINES: a cross-validated F1 on the training set and one on the test set.
`termsift` compares on the training set and predicts the test set with the best and the recommended
candidate; `budget` does so under budgets of 1, 5 and 20 s. All seconds are CPU seconds of one thread, budgets
too, so other programs do not disturb them. They add rows to results/accuracy.csv and skip
those that are there, so a stopped run continues.
`table` prints the best and the recommended candidate minus the baseline that cross-validation picks, with
Nadeau and Bengio's standard error; `budgets` prints the answers of budgets minus a plain SVM.
The default set of candidates was chosen on the corpora of SELECTION; REPORT has the others. Both are in order
of size.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.svm import LinearSVC

import termsift as ts
import termsift.compare.candidates as candidates
import termsift.compare.racing as racing
import termsift.compare.run as run_module
from termsift_studies.corpora import load

FILE = Path(__file__).parent / "results" / "accuracy.csv"
SELECTION = ("CSTR", "tr12", "oh0", "re0", "wap", "questions_fine", "Hitech", "movie_reviews")
REPORT = ("tr23", "SyskillWebert", "oh5", "tr45", "re1", "questions", "tweets_emotion", "sms_spam", "Reviews")
COLUMNS = ("corpus", "split", "system", "candidate", "validation", "test", "seconds")
TEST_SHARE = 0.3
BUDGETS = (1, 5, 20)  # seconds
BASELINES = ("svm_0.1", "svm_1", "logistic_1", "logistic_10", "svm_1_bigrams")


def load_documents(name: str) -> tuple[Any, np.ndarray]:
    """Return texts or a matrix of counts, and labels."""
    folder = Path(os.environ["TERMSIFT_DATA"])
    base, fine, _ = name.partition("_fine")
    for path in (folder / "raw" / f"{base}.zip", folder / "collections" / f"{base}.zip"):
        if path.exists():
            with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0]) as file:
                rows = list(csv.DictReader(line.decode() for line in file))
            text, label = ("text", "label") if "text" in rows[0] else ("Text", "Class")
            return [row[text] for row in rows], np.array([row["fine" if fine else label] for row in rows])
    corpus = load(name)
    labels = np.array([str(label) for label in corpus.labels])
    return (corpus.texts if corpus.texts is not None else csr_array(corpus.matrix)), labels


def count_cpu_seconds() -> None:
    """Make compare measure its budget in CPU seconds."""
    run_module.monotonic = time.process_time
    candidates.time = racing.time = SimpleNamespace(monotonic=time.process_time)


def take(documents: Any, indices: np.ndarray) -> Any:
    """Return some of the documents."""
    return [documents[i] for i in indices] if isinstance(documents, list) else documents[indices]


def fit_baselines(
    train: Any, y: np.ndarray, test: Any, names: tuple[str, ...]
) -> dict[str, tuple[np.ndarray, float]]:
    """Return the labels that baselines predict for the test documents, and the seconds of each."""
    results, features = {}, {}
    for name in names:
        start = time.process_time()
        size = 2 if "bigrams" in name else 1
        if size not in features:
            X, X_test = train, test
            if isinstance(train, list):
                vectorizer = CountVectorizer(ngram_range=(1, size))
                X, X_test = vectorizer.fit_transform(train), vectorizer.transform(test)
            weights = TfidfTransformer().fit(X)
            # the time for features is part of the time of every baseline
            features[size] = weights.transform(X), weights.transform(X_test), time.process_time() - start
            start = time.process_time()
        X, X_test, seconds = features[size]
        base, C = name.split("_")[:2]
        model: Any = LinearSVC(C=float(C), random_state=0)
        if base == "logistic":
            model = LogisticRegression(C=float(C), max_iter=1000)
        predicted = model.fit(X, y).predict(X_test)
        results[name] = predicted, seconds + time.process_time() - start
    return results


def run_sklearn(
    names: tuple[str, ...], train: Any, y: np.ndarray, test: Any, truth: np.ndarray
) -> dict[str, tuple[str, float, float, float]]:
    """Return cross-validated F1 on the training set, F1 on the test set, and the seconds of that fit."""
    scores: dict[str, list[float]] = {name: [] for name in names}
    for own, out in StratifiedKFold(3, shuffle=True, random_state=0).split(y, y):
        for name, (predicted, _) in fit_baselines(take(train, own), y[own], take(train, out), names).items():
            scores[name].append(f1_score(y[out], predicted, average="macro"))
    return {
        name: ("", float(np.mean(scores[name])), float(f1_score(truth, predicted, average="macro")), seconds)
        for name, (predicted, seconds) in fit_baselines(train, y, test, names).items()
    }


def run_termsift(
    train: Any, y: Any, test: Any, truth: Any, budget: float | None = None
) -> dict[str, tuple[str, float, float, float]]:
    """Return expected score, F1 on the test set and seconds of the best and the recommended candidate."""
    rows = {}
    terms = {} if isinstance(train, list) else {"terms": [f"t{i}" for i in range(train.shape[1])]}
    prefix = "termsift" if budget is None else f"budget_{budget}"
    start = time.process_time()
    comparison = ts.compare(train, y.tolist(), budget=budget, n_jobs=1, repeats=1, **terms)
    seconds = time.process_time() - start
    fitted = {id(model.candidate): model for model in comparison.models}
    r = comparison.results
    for system, index in (("best", r.best), ("recommended", r.recommended)):
        candidate = r.candidates[index]
        model = fitted[id(candidate)]
        # a column of the matrix is a term
        names = [] if isinstance(test, list) else model.documents.terms[model.columns].tolist()
        documents = test[:, [int(name[1:]) for name in names]] if names else test
        predicted = model.build_model({}).predict(documents)
        score = f1_score(truth, np.asarray(predicted).astype(truth.dtype), average="macro")
        name = f"{candidate.ranker.name} {candidate.classifier.name} {r.sizes[index]:.0f}"
        rows[f"{prefix}_{system}"] = name, float(r.means[index]), float(score), seconds
    return rows


def read_rows() -> dict[tuple[str, str, str], dict[str, str]]:
    """Return the rows of the file by corpus, split and system."""
    if not FILE.exists():
        return {}
    with FILE.open(newline="") as file:
        return {(row["corpus"], row["split"], row["system"]): row for row in csv.DictReader(file)}


def add_rows(name: str, split: int, rows: dict[str, tuple[str, float, float, float]]) -> None:
    """Append rows to the file, and print them."""
    is_new = not FILE.exists()
    with FILE.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([COLUMNS] if is_new else [])
        for system, (candidate, *figures) in rows.items():
            row = name, split, system, candidate, *(f"{figure:.5f}" for figure in figures)
            writer.writerow(row)
            print(*row, flush=True)


def run(part: str, names: tuple[str, ...], n_splits: int) -> None:
    """Run a part on some corpora."""
    if part == "budget":
        count_cpu_seconds()
        # what is loaded and compiled once is no part of a budget
        ts.compare(["a prize", "see you"] * 20, ["x", "y"] * 20, n_jobs=1, repeats=1)
    for name in names:
        documents, labels = load_documents(name)
        # a class needs a document in each fold of the training set
        values, counts = np.unique(labels, return_counts=True)
        kept = np.flatnonzero(np.isin(labels, values[counts >= 10]))
        documents, labels = take(documents, kept), labels[kept]
        is_text = isinstance(documents, list)
        baselines = tuple(system for system in BASELINES if is_text or "bigrams" not in system)
        splits = StratifiedShuffleSplit(10, test_size=TEST_SHARE, random_state=0).split(labels, labels)
        for number, (own, out) in zip(range(n_splits), splits, strict=False):
            done = {system for corpus, split, system in read_rows() if (corpus, split) == (name, str(number))}
            data = take(documents, own), labels[own], take(documents, out), labels[out]
            if part == "sklearn" and not done.issuperset(baselines):
                add_rows(name, number, run_sklearn(baselines, *data))
            if part == "termsift" and "termsift_best" not in done:
                add_rows(name, number, run_termsift(*data))
            for budget in BUDGETS if part == "budget" else ():
                if f"budget_{budget}_best" not in done:
                    add_rows(name, number, run_termsift(*data, budget))


def standard_error(differences: np.ndarray) -> float:
    """Return Nadeau and Bengio's standard error of a mean over splits."""
    if len(differences) < 2:
        return float("nan")
    factor = 1 / len(differences) + TEST_SHARE / (1 - TEST_SHARE)
    return float(np.std(differences, ddof=1) * np.sqrt(factor))


def print_table() -> None:
    """Print the best and the recommended candidate minus the baseline that cross-validation picks."""
    rows = read_rows()
    print("                         F1 of      seconds of           difference from the baseline")
    print("corpus          splits   baseline   baseline  compare    best              recommended")
    for title, names in (("SELECTION", SELECTION), ("REPORT", REPORT)):
        means = []
        for name in names:
            cells = []
            for number in map(str, range(10)):
                systems = [rows.get((name, number, f"termsift_{s}")) for s in ("best", "recommended")]
                peers = [rows[key] for b in BASELINES if (key := (name, number, b)) in rows]
                if all(systems) and peers:
                    peer = max(peers, key=lambda row: float(row["validation"]))
                    seconds = float(peer["seconds"]), float(systems[0]["seconds"])
                    cells.append((float(peer["test"]), *seconds, *(float(row["test"]) for row in systems)))
            if not cells:
                continue
            baseline, peer_seconds, own_seconds, *scores = np.transpose(cells)
            means.append([(score - baseline).mean() for score in scores])
            texts = [
                f"{(score - baseline).mean():+.4f} ± {standard_error(score - baseline):.4f}"
                for score in scores
            ]
            print(
                f"{name:15s} {len(cells):6d}   {baseline.mean():.4f} {peer_seconds.mean():10.2f} "
                f"{own_seconds.mean():8.1f}    {'  '.join(texts)}"
            )
        if means:
            best, recommended = np.mean(means, axis=0)
            label = f"{title}: mean over {len(means)} corpora"
            print(f"{label:57s}{best:+.4f}           {recommended:+.4f}")


def print_budgets() -> None:
    """Print the answers under budgets minus a plain SVM on the same split."""
    rows = read_rows()
    print(
        "corpus          split   plain SVM (seconds)   budgets: best, recommended, minus plain SVM (seconds)"
    )
    for name in (*SELECTION, *REPORT):
        for number in map(str, range(10)):
            plain, cells = rows.get((name, number, "svm_1")), []
            for budget in BUDGETS:
                best = rows.get((name, number, f"budget_{budget}_best"))
                recommended = rows.get((name, number, f"budget_{budget}_recommended"))
                if plain and best and recommended:
                    gains = (float(row["test"]) - float(plain["test"]) for row in (best, recommended))
                    text = " ".join(f"{gain:+.4f}" for gain in gains)
                    cells.append(f"{budget} s: {text} ({float(best['seconds']):.1f})")
            if plain and cells:
                score = f"{float(plain['test']):.4f} ({float(plain['seconds']):.2f})"
                print(f"{name:15s} {number:>5s}   {score:19s}   {'; '.join(cells)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=["sklearn", "termsift", "budget", "table", "budgets"])
    parser.add_argument("corpora", nargs="*", default=[*SELECTION, *REPORT])
    parser.add_argument("--splits", type=int, default=10)
    options = parser.parse_intermixed_args()
    if options.part in ("table", "budgets"):
        print_table() if options.part == "table" else print_budgets()
    else:
        run(options.part, tuple(options.corpora), options.splits)
