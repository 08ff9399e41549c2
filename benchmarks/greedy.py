"""Greedy maximum discrimination on 20 Newsgroups: growth with the terms, and ratios to plain brute force.

Two classes: the words in at least 3 messages, of the groups comp.* and sci.* against the others.
Twenty classes: the matrix of Deng Cai.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import newsgroups
import termsift as ts
from metrics import alternating, row, save
from termsift.selection.discrimination import divergences, greedy_ranking
from termsift_studies import corpora

SIZES = (5_000, 10_000, 20_000, 50_000)
RESULTS = Path(__file__).parent / "results" / "greedy.csv"


def main() -> None:
    rows = [*two_classes(), *twenty_classes()]
    for each in rows:
        print(f"{each['what']:<72} {each['value']:>10}  {each['target']}")
    save(rows, RESULTS)


def two_classes() -> Iterator[dict[str, str]]:
    """Time the full ranking of nested samples of the words, and brute force on the smallest."""
    X, words, labels = newsgroups.matrix()
    y = np.char.startswith(labels, "comp.") | np.char.startswith(labels, "sci.")
    order = np.random.default_rng(0).permutation(X.shape[1])
    samples = {size: np.sort(order[:size]) for size in SIZES}
    counts = {size: ts.count(X[:, rows], y, terms=words[rows]) for size, rows in samples.items()}
    greedy_ranking(counts[SIZES[0]])  # compiled before the clock starts
    best = alternating({str(size): full(counts[size]) for size in SIZES}, rounds=5)
    for size in SIZES:
        target = "at most 20 s" if size == SIZES[-1] else ""
        yield row(f"two classes, full ranking of {size:,} terms", f"{best[str(size)]:.3f} s", target)
    power = np.log(best[str(SIZES[-1])] / best[str(SIZES[0])]) / np.log(SIZES[-1] / SIZES[0])
    yield row("two classes, time grows by the power of the terms", f"{power:.2f}", "clearly below 2")
    yield from against_brute_force(counts[SIZES[0]])


def against_brute_force(counts: ts.Counts) -> Iterator[dict[str, str]]:
    """Time and agreement; brute force breaks ties by rounding, so counts are compared, not terms."""
    best = alternating({"ours": full(counts), "plain": lambda: brute_force(counts)}, rounds=3)
    what = f"two classes, {len(counts.terms):,} terms"
    yield row(f"{what}: plain NumPy", f"{best['plain']:.2f} s")
    yield row(f"{what}: faster than plain NumPy, times", f"{best['plain'] / best['ours']:.0f}", "at least 50")
    ours, plain = greedy_ranking(counts), brute_force(counts)
    tf = counts.tf.toarray()
    same = np.mean((tf[ours] == tf[plain]).all(axis=1))
    yield row(f"{what}: steps with a term of the same counts, share", f"{same:.4f}")
    gap = np.abs(divergences(counts, ours) - divergences(counts, plain)).max()
    yield row(f"{what}: largest difference of the divergences reached", f"{gap:.0e}")


def brute_force(counts: ts.Counts) -> np.ndarray:
    """Algorithm 1 of Tang, Kay and He (2016) for two classes, all candidates of a step at once."""
    tf = counts.tf.toarray()
    p = (tf + 1) / (tf.sum(axis=0) + len(tf))
    left, ranking = np.arange(len(p)), []
    chosen, pool = 0.0, np.ones(2)
    while left.size:
        p1, p2 = p[left].T
        r1, r2 = pool[0] - p1, pool[1] - p2
        with np.errstate(all="ignore"):  # the last pool is empty
            values = chosen + (p1 - p2) * np.log(p1 / p2) + (r1 - r2) * np.log(r1 / r2)
        best = int(np.argmax(values))
        ranking.append(left[best])
        chosen += (p1[best] - p2[best]) * np.log(p1[best] / p2[best])
        pool = pool - p[left[best]]
        left = np.delete(left, best)
    return np.array(ranking)


def twenty_classes() -> Iterator[dict[str, str]]:
    """Time the first terms of twenty classes, and all of them."""
    corpus = corpora.load("cdcai/20newsgroups")
    counts = ts.count(corpus.matrix, corpus.labels)
    what = f"20 classes, {len(counts.terms):,} terms"
    greedy_ranking(counts, 2)
    best = alternating({"first": lambda: greedy_ranking(counts, 2000), "all": full(counts)}, rounds=2)
    yield row(f"{what}: the first 2,000", f"{best['first']:.2f} s", "at most 60 s")
    yield row(f"{what}: all", f"{best['all']:.2f} s")


def full(counts: ts.Counts) -> Callable[[], object]:
    return lambda: greedy_ranking(counts)


if __name__ == "__main__":
    main()
