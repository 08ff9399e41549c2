"""Accuracy of what compare recommends against ten lines of scikit-learn, on the same 70/30 splits.

    python benchmarks/accuracy.py sklearn|termsift|budget|table [--splits 10] [CORPUS ...]

`sklearn` fits the pipelines of CONFIGURATIONS: a cross-validated F1 on the training set and one on the test
set. `termsift` compares on the training set and predicts the test set with the best and the recommended
candidate. Both add rows to results/accuracy.csv and skip those that are there, so a stopped run continues.
`budget` does so under budgets of 1, 5 and 20 s.
`table` prints the best candidate minus the baseline that cross-validation picks, with Nadeau and Bengio's
standard error.
The default set of candidates was chosen on the corpora of SELECTION; REPORT has the others.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.svm import LinearSVC

import termsift as ts
from termsift_studies.corpora import load

FILE = Path(__file__).parent / "results" / "accuracy.csv"
SELECTION = ("movie_reviews", "Hitech", "oh0", "re0", "tr12", "wap", "CSTR", "questions_fine")
REPORT = ("tweets_emotion", "questions", "sms_spam", "Reviews", "SyskillWebert", "oh5", "re1", "tr23", "tr45")
COLUMNS = ("corpus", "split", "system", "validation", "test", "seconds")
TEST_SHARE = 0.3
BUDGETS = (1, 5, 20)  # seconds
BASELINES = ("svm_0.1", "svm_1", "svm_1_bigrams", "logistic_1", "logistic_10")
CONFIGURATIONS = (
    *BASELINES, "svm_balanced", "svm_balanced_bigrams", "logistic_10_bigrams", "nbsvm", "nbsvm_bigrams",
    "svm_0.1_bigrams", "svm_0.3_sublinear", "svm_1_sublinear", "svm_balanced_sublinear",
)  # fmt: skip


def load_documents(name: str) -> tuple[Any, np.ndarray]:
    """Return texts or a matrix of counts, and labels."""
    folder = Path(os.environ["TERMSIFT_DATA"])
    base, _, fine = name.partition("_fine")
    for path in (folder / "raw" / f"{base}.zip", folder / "collections" / f"{base}.zip"):
        if path.exists():
            with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0]) as file:
                rows = list(csv.DictReader(line.decode() for line in file))
            text, label = ("text", "label") if "text" in rows[0] else ("Text", "Class")
            return [row[text] for row in rows], np.array([row["fine" if fine else label] for row in rows])
    corpus = load(name)
    labels = np.array([str(label) for label in corpus.labels])
    return (corpus.texts if corpus.texts is not None else csr_array(corpus.matrix)), labels


def take(documents: Any, indices: np.ndarray) -> Any:
    """Return some of the documents."""
    return [documents[i] for i in indices] if isinstance(documents, list) else documents[indices]


class LogCountRatios:
    """NB-SVM of Wang and Manning (2012): rows of unit length times the log-count ratio of each class."""

    def fit(self, X: Any, y: np.ndarray) -> LogCountRatios:
        """Fit a linear SVM per class."""
        self.classes, self.models = np.unique(y), []
        for name in self.classes:
            inside = np.asarray(X[y == name].sum(axis=0)).ravel() + 1
            outside = np.asarray(X[y != name].sum(axis=0)).ravel() + 1
            ratios = diags_array(np.log(inside / inside.sum()) - np.log(outside / outside.sum()))
            model = LinearSVC(C=1.0, random_state=0).fit(X @ ratios, y == name)
            self.models.append((ratios, model))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of largest decision value."""
        values = [model.decision_function(X @ ratios) for ratios, model in self.models]
        return self.classes[np.argmax(values, axis=0)]


def fit_predict(name: str, train: Any, labels: np.ndarray, test: Any) -> np.ndarray:
    """Return the labels that a configuration predicts for the test documents."""
    sublinear = "nbsvm" in name or "sublinear" in name
    if isinstance(train, list):
        vectorizer = CountVectorizer(ngram_range=(1, 2 if "bigrams" in name else 1))
        train, test = vectorizer.fit_transform(train), vectorizer.transform(test)
    weights = TfidfTransformer(sublinear_tf=sublinear).fit(train)
    train, test = weights.transform(train), weights.transform(test)
    parts = name.split("_")
    if parts[0] == "nbsvm":
        model: Any = LogCountRatios()
    elif parts[0] == "logistic":
        model = LogisticRegression(C=float(parts[1]), max_iter=1000)
    elif parts[1] == "balanced":
        model = LinearSVC(class_weight="balanced", random_state=0)
    else:
        model = LinearSVC(C=float(parts[1]), random_state=0)
    return model.fit(train, labels).predict(test)


def run_sklearn(
    name: str, train: Any, y: np.ndarray, test: Any, truth: np.ndarray
) -> tuple[float, float, float]:
    """Return cross-validated F1 on the training set, F1 on the test set, and the seconds of that fit."""
    validation = 0.0
    if name in BASELINES:
        folds = StratifiedKFold(3, shuffle=True, random_state=0).split(y, y)
        validation = np.mean([
            f1_score(y[out], fit_predict(name, take(train, own), y[own], take(train, out)), average="macro")
            for own, out in folds
        ])  # fmt: skip
    start = time.perf_counter()
    predicted = fit_predict(name, train, y, test)
    return float(validation), float(f1_score(truth, predicted, average="macro")), time.perf_counter() - start


def run_termsift(
    train: Any, y: Any, test: Any, truth: Any, budget: float | None = None
) -> dict[str, tuple[float, float, float]]:
    """Return expected score, F1 on the test set and seconds of the best and the recommended candidate."""
    rows = {}
    terms = {} if isinstance(train, list) else {"terms": [f"t{i}" for i in range(train.shape[1])]}
    start = time.perf_counter()
    comparison = ts.compare(train, y.tolist(), repeats=1, budget=budget, **terms)
    seconds = time.perf_counter() - start
    fitted = {id(model.candidate): model for model in comparison.models}
    r = comparison.results
    for system, index in (("best", r.best), ("recommended", r.recommended)):
        model = fitted[id(r.candidates[index])]
        columns = [] if isinstance(test, list) else [int(term[1:]) for term in model.selected_terms()]
        documents = test[:, columns] if columns else test
        predicted = model.text_model({}).predict(documents)
        score = f1_score(truth, np.asarray(predicted).astype(truth.dtype), average="macro")
        rows[f"termsift_{system}"] = float(r.means[index]), float(score), seconds
    return rows


def read_rows() -> dict[tuple[str, str, str], dict[str, str]]:
    """Return the rows of the file by corpus, split and system."""
    if not FILE.exists():
        return {}
    with FILE.open(newline="") as file:
        return {(row["corpus"], row["split"], row["system"]): row for row in csv.DictReader(file)}


def add_row(*values: Any) -> None:
    """Append a row to the file."""
    is_new = not FILE.exists()
    with FILE.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([COLUMNS] if is_new else [])
        writer.writerow([f"{value:.5f}" if isinstance(value, float) else value for value in values])


def run(part: str, names: tuple[str, ...], n_splits: int) -> None:
    """Run a part on some corpora."""
    for name in names:
        documents, labels = load_documents(name)
        # a class needs a document in each fold of the training set
        values, counts = np.unique(labels, return_counts=True)
        kept = np.flatnonzero(np.isin(labels, values[counts >= 10]))
        documents, labels = take(documents, kept), labels[kept]
        splits = StratifiedShuffleSplit(10, test_size=TEST_SHARE, random_state=0).split(labels, labels)
        for number, (own, out) in zip(range(n_splits), splits, strict=False):
            done = read_rows()
            data = take(documents, own), labels[own], take(documents, out), labels[out]
            if part == "termsift" and (name, str(number), "termsift_best") not in done:
                for system, figures in run_termsift(*data).items():
                    add_row(name, number, system, *figures)
                    print(name, number, system, *figures, flush=True)
            for budget in BUDGETS if part == "budget" else ():
                if (name, str(number), f"budget_{budget}_best") not in done:
                    for system, figures in run_termsift(*data, budget).items():
                        add_row(name, number, system.replace("termsift", f"budget_{budget}"), *figures)
                        print(name, number, budget, system, *figures, flush=True)
            for system in CONFIGURATIONS if part == "sklearn" else ():
                is_possible = isinstance(documents, list) or "bigrams" not in system
                if is_possible and (name, str(number), system) not in done:
                    add_row(name, number, system, *run_sklearn(system, *data))
            print(name, number, flush=True)


def print_table() -> None:
    """Print the best candidate minus the baseline that cross-validation picks, by corpus."""
    rows, means = read_rows(), []
    print("corpus            splits  termsift  baseline  difference  standard error  seconds")
    for name in (*SELECTION, *REPORT):
        pairs, seconds = [], []
        for number in map(str, range(10)):
            own = rows.get((name, number, "termsift_best"))
            peers = [rows[key] for b in BASELINES if (key := (name, number, b)) in rows]
            if own and peers:
                peer = max(peers, key=lambda row: float(row["validation"]))
                pairs.append((float(own["test"]), float(peer["test"])))
                seconds.append(float(own["seconds"]))
        if not pairs:
            continue
        own_f1, peer_f1 = np.mean(pairs, axis=0)
        differences = np.subtract(*np.transpose(pairs))
        spread = np.std(differences, ddof=1) if len(pairs) > 1 else np.nan
        error = spread * np.sqrt(1 / len(pairs) + TEST_SHARE / (1 - TEST_SHARE))
        means.append(differences.mean())
        print(
            f"{name:16s}  {len(pairs):6d}  {own_f1:8.4f}  {peer_f1:8.4f}  {differences.mean():+10.4f}"
            f"  {error:14.4f}  {np.mean(seconds):7.1f}"
        )
    print(f"mean over {len(means)} corpora: {np.mean(means):+.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=["sklearn", "termsift", "budget", "table"])
    parser.add_argument("corpora", nargs="*", default=[*SELECTION, *REPORT])
    parser.add_argument("--splits", type=int, default=10)
    options = parser.parse_intermixed_args()
    if options.part == "table":
        print_table()
    else:
        run(options.part, tuple(options.corpora), options.splits)
