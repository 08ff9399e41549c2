"""Compile the loops: `python tests/support/compiling.py`, before processes share them.

Each process would compile for itself what is not in the cache yet, and coverage would trace it.
"""

from __future__ import annotations

import warnings

import numpy as np

import termsift as ts

TEXTS, LABELS = ["free prize", "lunch now", "free lunch"], ["spam", "ham", "ham"]


def compile_text_loops() -> ts.Counts:
    """Count a few texts in every way that has a loop of its own."""
    for kind in ("char", "char_wb"):
        ts.TermVectorizer(analyzer=kind, ngram_range=(2, 3)).fit(TEXTS).transform(TEXTS)
    for words in ("auto", "unicode"):
        ts.TermVectorizer(analyzer=ts.Analyzer(words=words)).fit(["अच्छी किताब"])
    for grams in ((1, 1), (1, 2)):
        for weights in (None, [1, 0.5, 2]):
            counts = ts.count(TEXTS, LABELS, analyzer=ts.Analyzer(ngram_range=grams), sample_weight=weights)
        ts.TermVectorizer(ngram_range=grams).fit(TEXTS).transform(TEXTS)
    return counts


def compile_loops() -> None:
    """The same, and score, select and compare them."""
    counts, X = compile_text_loops(), np.eye(3, 4, dtype=int)
    for weights in (None, [1, 0.5, 2]):
        ts.count(X * 0.5, LABELS, sample_weight=weights)
    for metric in ts.metrics():
        ts.score(counts, metric.name)
    for kind in (ts.WordClusterExtractor(n_clusters=2), ts.GreedyDiscriminationSelector(k=2)):
        kind.fit(X, LABELS).transform(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ts.compare(TEXTS * 20, LABELS * 20, metrics=["bns", "ig:turns"])


if __name__ == "__main__":
    compile_loops()
