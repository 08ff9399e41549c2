"""Which candidates of a comparison ever win, or save terms: all of them, on all folds, on corpora at hand.

    python benchmarks/compare_candidates.py [CORPUS ...]

Each corpus adds its rows to results/compare_candidates.csv: what every candidate reached on the same five
folds. `docs/make/candidates_table.py` makes the table of docs/guide/candidates.md of them.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

import termsift as ts
from termsift.compare.results import CandidateResults
from termsift.corpora.corpus import Corpus
from termsift_studies.corpora import load

HERE = Path(__file__).parent / "results" / "compare_candidates.csv"
CORPORA = (
    "sms_spam", "oh0", "oh15", "re0", "re1", "tr11", "tr12", "tr23", "tr45", "docstrings", "20news-4",
)  # fmt: skip
METHODS = (
    "bns", "bns:round_robin", "bns:per_class", "ig", "ig:round_robin", "acc2", "chi2", "cc:combined",
    "or:combined", "sig:combined",
    "log_odds_prior:combined", "md", "md_chi2", "gu", "igm", "greedy", "ig:cmim",
    "ig:significant",
    "class_weights", "divisive(200)",
)  # fmt: skip
READINGS = ("all@1-2", "bns@1-2", "ig@1-2", "all@chars3-5", "ig@chars3-5")
FEW = ("bns", "ig")
READ_OTHERWISE = (
    "multinomial_nb:binary",
    "complement_nb:binary",
    "svm:binary",
    "svm:bns",
    "svm:igm",
    "logistic",
)
COLUMNS = (
    "corpus", "documents", "classes", "method", "classifier", "asked", "terms", "mean", "error",
)  # fmt: skip


def corpus_of(name: str) -> Corpus:
    """Load a corpus, or the posts of four related newsgroups if the name asks for them."""
    if name != "20news-4":
        return load(name)
    whole = load("20news")
    groups = {"rec.autos", "rec.motorcycles", "sci.electronics", "sci.space"}
    return whole.take(np.array([i for i, label in enumerate(whole.labels) if label in groups]))


def rows_of(name: str, results: CandidateResults) -> list[tuple[object, ...]]:
    """Return a row for each candidate."""
    figures = zip(results.lines, results.sizes, results.means, results.errors, strict=True)
    documents = int(np.sum(results.confusion.documents[0]))
    return [
        (
            name, documents, len(results.classes), line.ranker.name, line.classifier.name, line.asked,
            round(float(terms)), f"{mean:.5f}", f"{error:.5f}",
        )
        for line, terms, mean, error in figures
    ]  # fmt: skip


def tried(name: str) -> list[tuple[object, ...]]:
    """All methods with the plain classifiers, and a few with rows read otherwise; the same folds."""
    corpus = corpus_of(name)
    texts = getattr(corpus, "texts", None) is not None
    how = {"repeats": 1, "racing": False}
    methods = [*METHODS, *(READINGS if texts else ())]
    plain = ts.compare(corpus, metrics=methods, classifiers=["multinomial_nb", "complement_nb", "svm"], **how)
    others = ts.compare(corpus, metrics=list(FEW), classifiers=list(READ_OTHERWISE), **how)
    return [*rows_of(name, plain.results), *rows_of(name, others.results)]


def main(names: list[str]) -> None:
    """Try all on each corpus, and add the rows to the file."""
    for name in names or CORPORA:
        rows = tried(name)
        is_new = not HERE.exists()
        with HERE.open("a", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([COLUMNS] if is_new else [])
            writer.writerows(rows)
        print(name, len(rows), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
