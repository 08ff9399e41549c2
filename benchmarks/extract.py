"""Class weights and word clusters of 20 Newsgroups, the moves of words against a dense product by BLAS."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import numpy as np

import newsgroups
import termsift as ts
from metrics import alternating, row, save
from termsift._internal.resources import resolve_n_jobs
from termsift.selection.clusters import (
    LOG_OF_ZERO,
    Profiles,
    assign_to_nearest,
    centroids,
    class_profiles,
    initial_labels,
)

WORDS = 25_000
CLUSTERS = (20, 200, 1000, 5000)
RESULTS = Path(__file__).parent / "results" / "extract.csv"


def main() -> None:
    X, words, y = newsgroups.matrix()
    counts = ts.count(X, y, terms=words)
    print(f"20 Newsgroups: {X.shape[0]:,} posts x {X.shape[1]:,} words, {len(counts.classes)} classes\n")
    rows = [*class_weights(counts, X), *word_clusters(most_frequent(counts))]
    for each in rows:
        print(f"{each['what']:<66} {each['value']:>10}  {each['target']}")
    save(rows, RESULTS)


def class_weights(counts: ts.Counts, X) -> Iterator[dict[str, str]]:
    extractor = ts.ClassWeightExtractor.from_counts(counts)
    jobs = {
        "weights": lambda: ts.ClassWeightExtractor.from_counts(counts),
        "features": lambda: extractor.transform(X),
    }
    best = alternating(jobs)
    yield row("class weights, after counting", f"{best['weights']:.3f} s")
    yield row("features of all posts", f"{best['features']:.3f} s")
    yield row("both", f"{sum(best.values()):.3f} s", "under 1 s")


def word_clusters(counts: ts.Counts) -> Iterator[dict[str, str]]:
    """Time clustering by the number of clusters, and a round of moves against BLAS."""
    few = counts.keep(np.arange(1000))  # compiled before the clock starts
    ts.WordClusterExtractor.from_counts(few, 20)
    shape = f"{len(counts.terms):,} words x {len(counts.classes)} classes"
    for k in CLUSTERS:
        start = perf_counter()
        found = ts.WordClusterExtractor.from_counts(counts, k)
        seconds = perf_counter() - start
        target = "at most 60 s" if k == CLUSTERS[-1] else ""
        yield row(f"{k:,} clusters of {shape}, {len(found.objectives_)} rounds", f"{seconds:.1f} s", target)
    yield from one_round(class_profiles(counts), CLUSTERS[-1])


def one_round(profiles: Profiles, k: int) -> Iterator[dict[str, str]]:
    labels = initial_labels(profiles, k)
    shares = profiles.shares.toarray()
    jobs = {
        "ours": lambda: assign_to_nearest(profiles, labels, k, resolve_n_jobs(None)),
        "blas": lambda: by_product(shares, profiles, labels, k),
    }
    best = alternating(jobs, rounds=3)
    same = np.mean(jobs["ours"]() == jobs["blas"]())
    yield row(f"one round of {k:,} clusters", f"{best['ours']:.2f} s")
    yield row("that round / a dense product by BLAS in blocks", f"{best['ours'] / best['blas']:.1f}")
    yield row("words that both move alike", f"{same:.5f}")


def by_product(shares: np.ndarray, profiles: Profiles, labels: np.ndarray, k: int) -> np.ndarray:
    q = centroids(profiles, labels, k)
    log_q = np.log(q, out=np.full(q.shape, LOG_OF_ZERO), where=q > 0)
    edges = range(0, len(shares), 1024)
    return np.concatenate([(shares[i : i + 1024] @ log_q).argmax(axis=1) for i in edges])


def most_frequent(counts: ts.Counts) -> ts.Counts:
    order = np.argsort(-counts.term_df, kind="stable")[:WORDS]
    return counts.keep(np.sort(order))


if __name__ == "__main__":
    main()
