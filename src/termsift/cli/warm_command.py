"""The command that compiles all loops ahead of time."""

from __future__ import annotations

import os
import time
import warnings

import numpy as np

import termsift as ts
from termsift.cli.ending import say
from termsift.cli.talk import working
from termsift.machine.small_work import SETTING

TEXTS, LABELS = ["free prize", "lunch now", "free lunch"], ["spam", "ham", "ham"]


def warm() -> None:
    """Compile all loops now, so that nobody waits for it: for images, and machines of many users.

    They are kept beside the package, where that may be written, else in the user's cache; NUMBA_CACHE_DIR
    names another folder.
    """
    os.environ[SETTING] = "0"
    start = time.monotonic()
    with working("compiling"):
        compile_loops()
    say(f"the loops are compiled, in {time.monotonic() - start:.0f} s")


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
