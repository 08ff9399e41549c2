"""Which metric shows the best words to a reader: writes docs/words.csv, from which docs/words.md is made.

For each metric, of the 20 best words that speak for a class: the share
that comes back in most random halves of the documents, and the share that are names or parts of a template.
"""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

import termsift as ts
from termsift.corpora.corpus import Corpus, iter_document_labels
from termsift_studies import corpora

METRICS = ("bns", "ig", "cc", "log_odds_prior", "g2", "lrc(of='df', adjust='none')")
CORPORA = ("docstrings", "sms_spam", "reuters_apte", "20news", "ohscal")
TOP, HALVES, LEAST = 20, 5, 10
TABLE = Path(__file__).parent.parent / "docs" / "words.csv"
COLUMNS = ("corpus", "classes", "metric", "stable", "names", "templates", "example")
WORD = re.compile(r"(?u)\b\w\w+\b")
WITHIN = re.compile(r"(?u)(?<=[a-z,;] )\b(\w\w+)\b")  # not at the beginning of a sentence
HEADING = re.compile(r"(?mu)^[ >]*([\w-]+):")


def rows_of_corpus(corpus: Corpus) -> Iterator[dict[str, Any]]:
    """Yield a row for each metric."""
    texts, labels = corpus.texts, [list(iter_document_labels(names)) for names in corpus.labels]
    if all(len(names) == 1 for names in labels):
        labels = [names[0] for names in labels]
    vectorizer = ts.TermVectorizer()
    X = corpus.matrix if texts is None else vectorizer.fit_transform(texts)
    terms = corpus.terms if texts is None else vectorizer.get_feature_names_out().tolist()
    counts = ts.count(X, labels, terms=terms)
    classes = [name for name, n in zip(counts.classes, counts.class_sizes, strict=True) if n >= LEAST]
    rng = np.random.default_rng(0)
    halves = [np.sort(rng.permutation(X.shape[0])[: X.shape[0] // 2]) for _ in range(HALVES)]
    parts = [ts.count(X[half], [labels[i] for i in half], terms=terms) for half in halves]
    strange = None if texts is None else (names_in(texts), templates_in(texts))
    for metric in METRICS:
        scores = ts.score(counts, metric)
        best = {name: words_for(scores, name) for name in classes}
        again = [words_by_class(ts.score(part, metric), classes) for part in parts]
        returned = {name: Counter(word for half in again for word in half[name]) for name in classes}
        stable = [share(best[name], lambda word, n=returned[name]: n[word] > HALVES / 2) for name in classes]
        row = {"corpus": corpus.name, "classes": len(classes), "metric": metric}
        row |= {"stable": mean(stable)}
        for kind, words in zip(("names", "templates"), strange or ((), ()), strict=True):
            told = [share(best[name], words.__contains__) for name in classes]
            row[kind] = None if strange is None else mean(told)
        rarest = min(classes, key=lambda name: counts.class_sizes[counts.class_index(name)])
        yield row | {"example": f"{rarest}: {' '.join(best[rarest][:8])}"}


def words_for(scores: Any, name: Any) -> list[str]:
    """Return the best positive terms of a class."""
    return scores.top(name, TOP, direction="positive")["term"].tolist()


def words_by_class(scores: Any, classes: list[Any]) -> dict[Any, set[str]]:
    """Return the best positive terms of all classes in the scores."""
    return {name: set(words_for(scores, name)) if name in scores.classes else set() for name in classes}


def names_in(texts: list[str]) -> set[str]:
    """Words that within sentences mostly have a capital and small letters."""
    seen, capital = Counter(), Counter()
    for text in texts:
        for word in WITHIN.findall(text):
            seen[word.lower()] += 1
            capital[word.lower()] += word.istitle()
    return {word for word, n in seen.items() if n >= 3 and capital[word] >= 0.8 * n}


def templates_in(texts: list[str]) -> set[str]:
    """Words of which most documents hold them in a line that many share, or before a colon at its start."""
    lines = [
        {re.sub(r"\d+", "0", line.strip().lower()) for line in text.splitlines() if len(line) < 120}
        for text in texts
    ]
    often = Counter(line for found in lines for line in found)
    least = max(5, len(texts) // 200)
    seen, fixed = Counter(), Counter()
    for text, found in zip(texts, lines, strict=True):
        parts = {word for line in found if often[line] >= least for word in WORD.findall(line)}
        parts |= {word for key in HEADING.findall(text) for word in WORD.findall(key.lower())}
        words = set(WORD.findall(text.lower()))
        seen.update(words)
        fixed.update(parts & words)
    return {word for word, n in seen.items() if fixed[word] > n / 2}


def share(words: list[str], asked: Any) -> float:
    """Return the share of words for which a condition holds."""
    return float(np.mean([bool(asked(word)) for word in words])) if words else 0.0


def mean(values: list[float]) -> float:
    """Return the mean, to three digits."""
    return round(float(np.mean(values)), 3)


def main() -> None:
    """All corpora, or those that are named; rows of the others stay as they are."""
    named = sys.argv[1:] or CORPORA
    with TABLE.open(newline="", encoding="utf-8") as file:
        rows = {name: list(group) for name, group in groupby(csv.DictReader(file), itemgetter("corpus"))}
    for name in named:
        rows[name] = []
        for row in rows_of_corpus(corpora.load(name)):
            print(row, flush=True)
            rows[name].append(row)
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(row for name in CORPORA for row in rows[name])


if __name__ == "__main__":
    main()
