"""The exact test: its speed on 20 Newsgroups, and its calibration under random labels, groups and strata.

`significance.py speed` times p, q and thresholds of all classes against counting, in processor time.
`significance.py calibration` permutes the labels of three corpora, plants words of one author and of many,
permutes labels within strata, and draws strata with a known odds ratio.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from time import process_time

import numpy as np

import newsgroups
import termsift as ts
from metrics import row, save
from termsift.counts import Cells
from termsift.metrics import ExactTest
from termsift.metrics.significance import ALTERNATIVES
from termsift.metrics.strata import mh_interval, variance_products

RESULTS = Path(__file__).parent / "results"
CORPORA = ("sms_spam", "20news", "docstrings")
SHUFFLES = 200
EXPECTED = (1, 0.05)
DOCUMENTS = 3000  # of 20 Newsgroups
COLUMNS = ("simulation", "case", "draws", "figure", "expected", "observed")


def main(part: str) -> None:
    if part == "speed":
        lines = list(measure_speed())
        save(lines, RESULTS / "significance.csv")
        for line in lines:
            print(f"{line['what']:<58} {line['value']:>12}  {line['target']}")
        return
    rows: list[tuple[object, ...]] = []
    simulations = [calibrate(name) for name in CORPORA]
    for simulation in (*simulations, plant_words(), permute_within_strata(), draw_strata()):
        for line in simulation:
            print("  ".join(map(str, line)), flush=True)
            rows.append(line)
    with (RESULTS / "significance_calibration.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])


def measure_speed() -> Iterator[dict[str, str]]:
    """Time p-values, q-values and thresholds of all classes as ratios to counting."""
    texts, labels = newsgroups.texts_and_labels()
    counts = ts.count(texts, labels)
    ts.score(counts, "ig").significant(1)  # compiled before the clock starts
    counting = processor_seconds(lambda: ts.count(texts, labels))
    yield row("counting the texts", f"{counting:.2f} s")

    def without_cache() -> ts.Scores:
        for key in ("p", "document_frequencies"):
            counts._memo.pop(key, None)
        return ts.score(counts, "ig")

    base = processor_seconds(without_cache)
    p = processor_seconds(lambda: without_cache().p) - base
    p_and_q = processor_seconds(lambda: without_cache().q) - base
    alphas = processor_seconds(lambda: [without_cache().alpha(1, c) for c in counts.classes]) - 20 * base
    yield row("p of all terms and 20 classes / counting", f"{p / counting:.2f}")
    yield row("q of all terms and 20 classes / counting", f"{(p_and_q - p) / counting:.2f}")
    yield row("thresholds of 20 classes / counting", f"{alphas / counting:.2f}")
    yield row("p, q and thresholds / counting", f"{(p_and_q + alphas) / counting:.2f}", "at most 1")


def processor_seconds(job: Callable[[], object], rounds: int = 3) -> float:
    """Return the least processor time that a job takes in some rounds."""
    times = []
    for _ in range(rounds):
        start = process_time()
        job()
        times.append(process_time() - start)
    return min(times)


def calibrate(name: str) -> Iterator[tuple[object, ...]]:
    """Compare false positives under permuted labels with the expected number, over all classes."""
    X, labels = load_rows(name)
    rng, counts = np.random.default_rng(0), ts.count(X, labels)
    # two classes that exclude each other share one test
    classes = counts.classes[1:] if len(counts.classes) == 2 else counts.classes
    columns = [counts.class_index(c) for c in classes]
    alphas = {e: np.array([ts.score(counts, "ig").alpha(e, c) for c in classes]) for e in EXPECTED}
    false = {e: np.zeros(len(classes)) for e in EXPECTED}
    lists_with_any = dict.fromkeys(EXPECTED, 0)
    small = dict.fromkeys(ALTERNATIVES, 0.0)
    for _ in range(SHUFFLES):
        test = ExactTest(ts.count(X, rng.permutation(labels)))
        for alternative in ALTERNATIVES:
            p = test.all_p(alternative)[:, columns]
            small[alternative] += np.mean(p <= 0.05) / SHUFFLES
            if alternative == "two-sided":
                for e in EXPECTED:
                    n_false = (p <= alphas[e]).sum(axis=0)
                    false[e] += n_false
                    lists_with_any[e] += np.count_nonzero(n_false)
    for e in EXPECTED:
        observed = f"{false[e].mean() / SHUFFLES:.3f}"
        yield "permuted labels", name, SHUFFLES, "false positives of a list", e, observed
        share = f"{lists_with_any[e] / SHUFFLES / len(classes):.3f}"
        yield "permuted labels", name, SHUFFLES, f"lists with any, e = {e}", f"at most {e}", share
    for alternative, share in small.items():
        yield "permuted labels", name, SHUFFLES, f"p <= .05, {alternative}", "at most 0.05", f"{share:.4f}"


def load_rows(name: str) -> tuple[object, np.ndarray]:
    """Return the rows of a corpus and its labels."""
    if name == "20news":
        X, _, y = newsgroups.matrix()
        chosen = np.random.default_rng(0).permutation(X.shape[0])[:DOCUMENTS]
        return X[chosen], np.asarray(y)[chosen]
    corpus = ts.corpora.load(name)
    X = ts.TermVectorizer().fit_transform(corpus.texts) if corpus.matrix is None else corpus.matrix
    return X, np.array(corpus.labels)


def plant_words(draws: int = SHUFFLES) -> Iterator[tuple[object, ...]]:
    """Plant a word in all documents of one author, and one that half of the authors of a class use."""
    rng, n_significant, ignoring = np.random.default_rng(1), np.zeros(2), np.zeros(2)
    author = np.arange(400) // 10
    labels = np.repeat(["a", "b"], 200)
    for _ in range(draws):
        X = (rng.random((400, 60)) < 0.1).astype(int)
        X[:, 0] = author == 0
        users = rng.random(40) < np.repeat([0.7, 0.05], 20)
        X[:, 1] = users[author] & (rng.random(400) < 0.6)
        grouped = ts.count(X, labels, groups=author)
        n_significant += ts.jackknife(grouped, "bns").scores.significant(0.05, "a")[:2]
        ignoring += ts.score(grouped.counts, "bns").significant(0.05, "a")[:2]
    for word, expected, column in (("word of one author", 0, 0), ("word of many authors", "most", 1)):
        yield (
            "groups",
            word,
            draws,
            "significant, over groups",
            expected,
            f"{n_significant[column] / draws:.3f}",
        )
        yield "groups", word, draws, "significant, ignoring groups", "", f"{ignoring[column] / draws:.3f}"


def permute_within_strata() -> Iterator[tuple[object, ...]]:
    """Count false positives of labels permuted within strata, for a rare and a frequent class."""
    for share in (0.02, 0.3):
        rng = np.random.default_rng(2)
        group = np.sort(rng.integers(0, 8, 2000))
        rates = np.minimum(0.5, 2 / np.arange(1, 2001)) * rng.uniform(0.2, 3, (8, 2000))
        X = (rng.random((2000, 2000)) < np.minimum(rates, 0.9)[group]).astype(int)
        y = (rng.random(2000) < np.clip(share * rng.uniform(0.1, 3, 8), 0, 0.9)[group]).astype(int)
        false, order = dict.fromkeys(EXPECTED, 0), np.arange(2000)
        for _ in range(SHUFFLES):
            for g in range(8):
                order[group == g] = rng.permutation(order[group == g])
            scores = ts.score(ts.count(X, y[order], groups=group), "cmh")
            for e in EXPECTED:
                false[e] += scores.significant(e, 1).sum()
        for e in EXPECTED:
            case = f"class share {share}"
            yield "strata", case, SHUFFLES, "false positives of a list", e, f"{false[e] / SHUFFLES:.3f}"


def draw_strata(draws: int = 500) -> Iterator[tuple[object, ...]]:
    """Count how often the interval of the Mantel-Haenszel log odds ratio contains the true one."""
    rng = np.random.default_rng(3)
    designs = {
        "30% class, frequent term": (np.full(6, 200), 0.3, 0.2),
        "2% class, frequent term": (np.full(6, 500), 0.02, 0.3),
        "30% class, rare term": (np.full(10, 100), 0.3, 0.01),
        "2% class, rare term": (np.full(6, 500), 0.02, 0.02),
    }
    for (case, (sizes, share, rate)), log_odds in product(designs.items(), (0.0, 1.0)):
        covered = 0
        for _ in range(draws):
            pos = rng.binomial(sizes, share)
            outside = np.clip(rate * rng.uniform(0.5, 1.5, len(sizes)), 0, 0.9)
            odds = outside / (1 - outside) * np.exp(log_odds)
            a, b = rng.binomial(pos, odds / (1 + odds)), rng.binomial(sizes - pos, outside)
            cells = Cells(*(x.astype(float) for x in (a, b, pos - a, sizes - pos - b)))
            _, low, high = mh_interval(variance_products(cells).sum(axis=1, keepdims=True))
            covered += bool(low[0] <= log_odds <= high[0])
        case = f"{case}, log odds ratio {log_odds:g}"
        yield "strata", case, draws, "intervals with the true value", 0.95, f"{covered / draws:.3f}"


if __name__ == "__main__":
    main(*sys.argv[1:])
