"""Documents per second that a saved model labels, against scikit-learn, with one thread.

The peers are the exported pipeline of the same model, and plain TfidfVectorizer + LinearSVC of all terms.
Each is timed on the same texts; the figure is the median of three runs.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import metrics
import newsgroups
import termsift as ts
from metrics import row

RESULTS = Path(__file__).parent / "results" / "predict.csv"
RUNS = 3
SHORT_TEXTS = 100


def main() -> None:
    """Measure both corpora, and the command on short texts."""
    sms = ts.corpora.load("sms_spam")
    labels = [names[0] if isinstance(names, list) else names for names in sms.labels]
    rows = [*measure("SMS", sms.texts, labels), *measure("20 Newsgroups", *newsgroups.texts_and_labels())]
    rows.append(
        row(f"predict of {SHORT_TEXTS} short texts from the shell", shell(sms.texts, labels), "at most 1 s")
    )
    metrics.save(rows, RESULTS)


def fit(texts: list[str], labels: list[Any]) -> ts.Model:
    """Return a model of 200 terms by bns with a linear SVM."""
    found = ts.compare(
        texts, labels, metrics="bns", k=[200], classifiers="svm", folds=2, repeats=1, max_terms=200
    )
    return found.model


def measure(name: str, texts: list[str], labels: list[Any]) -> list[Any]:
    """Return the rows of a corpus."""
    model = fit(texts, labels)
    exported, plain = model.to_sklearn(), make_pipeline(TfidfVectorizer(), LinearSVC()).fit(texts, labels)
    for _ in range(RUNS):
        model.predict(texts)  # kernels are loaded when there is enough text
    speed = throughput(lambda: model.predict(texts, n_jobs=1), len(texts))
    exported_speed = throughput(lambda: exported.predict(texts), len(texts))
    plain_speed = throughput(lambda: plain.predict(texts), len(texts))
    return [
        row(f"{name}: termsift, {len(model.terms)} terms", f"{speed:,.0f} documents/s"),
        row(f"{name}: exported pipeline", f"{exported_speed:,.0f} documents/s"),
        row(f"{name}: TfidfVectorizer + LinearSVC", f"{plain_speed:,.0f} documents/s"),
        row(f"{name}: termsift / TfidfVectorizer + LinearSVC", f"{speed / plain_speed:.1f}", "at least 10"),
    ]


def throughput(call: Callable[[], object], size: int) -> float:
    """Return the documents per second of the median run, by the processor's time."""
    seconds = []
    for _ in range(RUNS):
        begin = time.process_time()
        call()
        seconds.append(time.process_time() - begin)
    return size / statistics.median(seconds)


def shell(texts: list[str], labels: list[Any]) -> str:
    """Return the wall time of `termsift predict` of short texts."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fit(texts, labels).save(folder / "model")
        lines = ["text", *(f'"{text.replace(chr(34), "")}"' for text in texts[:SHORT_TEXTS])]
        (folder / "short.csv").write_text("\n".join(lines), encoding="utf-8")
        command = [sys.executable, "-m", "termsift", "predict", folder / "model", folder / "short.csv"]
        seconds = []
        for _ in range(RUNS):
            begin = time.monotonic()
            subprocess.run(command, check=True, capture_output=True)
            seconds.append(time.monotonic() - begin)
    return f"{statistics.median(seconds):.2f} s"


if __name__ == "__main__":
    main()
