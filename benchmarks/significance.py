"""The exact test: its speed on 20 Newsgroups, and its calibration under random labels, groups and strata.

`significance.py speed` times p, q and thresholds of all classes against counting, in processor time.
`significance.py calibration` permutes the labels of three corpora, tests every metric on permuted labels,
plants words of one author and of many, permutes labels within strata, and draws strata with a known odds
ratio.
`significance.py calibration sms_spam groups` runs only these parts and replaces their rows in the results.
"""

from __future__ import annotations

import csv
import io
import os
import sys
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
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
CORPORA = ("sms_spam", "20news", "Re8")
SHUFFLES = 200
EXPECTED = (1, 0.05)
DOCUMENTS = 3000  # of 20 Newsgroups
COLUMNS = ("part", "case", "draws", "figure", "expected", "observed")


def main(part: str, *names: str) -> None:
    if part == "speed":
        lines = list(measure_speed())
        save(lines, RESULTS / "significance.csv")
        for line in lines:
            print(f"{line['what']:<58} {line['value']:>12}  {line['target']}")
        return
    simulations: dict[str, Callable[[], Iterator[tuple[object, ...]]]] = {
        **{name: partial(calibrate, name) for name in CORPORA},
        "metrics": calibrate_metrics,
        "groups": plant_words,
        "strata": permute_within_strata,
        "coverage": draw_strata,
    }
    for name in names or simulations:
        rows = [(name, *map(str, line)) for line in simulations[name]()]
        for line in rows:
            print("  ".join(line), flush=True)
        update_results(name, rows)


def update_results(name: str, rows: list[tuple[str, ...]]) -> None:
    """Replace the rows of a part in the file of results."""
    path = RESULTS / "significance_calibration.csv"
    with path.open(newline="", encoding="utf-8") if path.exists() else io.StringIO() as file:
        others = [tuple(row) for row in csv.reader(file) if row[0] not in (name, COLUMNS[0])]
    order = [*CORPORA, "metrics", "groups", "strata", "coverage"]
    rows = sorted([*others, *rows], key=lambda row: order.index(row[0]))
    with path.open("w", newline="", encoding="utf-8") as file:
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
        yield "permuted labels", SHUFFLES, "false positives of a list", e, observed
        share = f"{lists_with_any[e] / SHUFFLES / len(classes):.3f}"
        yield "permuted labels", SHUFFLES, f"lists with any, e = {e}", f"at most {e}", share
    for alternative, share in small.items():
        yield "permuted labels", SHUFFLES, f"p <= .05, {alternative}", "at most 0.05", f"{share:.4f}"


def load_rows(name: str) -> tuple[object, np.ndarray]:
    """Return the rows of a corpus and its labels."""
    if name == "20news":
        X, _, y = newsgroups.matrix()
        chosen = np.random.default_rng(0).permutation(X.shape[0])[:DOCUMENTS]
        return X[chosen], np.asarray(y)[chosen]
    if name == "sms_spam":
        corpus = ts.corpora.load(name)
        texts, labels = corpus.texts, corpus.labels
    else:
        path = Path(os.environ["TERMSIFT_DATA"]) / "collections" / f"{name}.zip"
        with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0]) as file:
            rows = list(csv.DictReader(io.TextIOWrapper(file, encoding="utf-8", newline="")))
        texts, labels = [row["Text"] for row in rows], [row["Class"] for row in rows]
    return ts.TermVectorizer().fit_transform(texts), np.array(labels)


def calibrate_metrics(draws: int = 5, shuffles: int = 99, size: int = 600) -> Iterator[tuple[object, ...]]:
    """Compute the share of p <= .05 on permuted labels for every metric: exact test and permutation test."""
    X, labels = load_rows("sms_spam")
    rng = np.random.default_rng(4)
    chosen = rng.permutation(len(labels))[:size]
    X, labels = X[chosen], labels[chosen]
    X = X[:, np.asarray((X > 0).sum(axis=0)).ravel() >= 5]
    shares: dict[tuple[str, str], list[float]] = {}
    for draw in range(draws):
        permuted = rng.permutation(labels)
        counts = ts.count(X, permuted)
        for metric in ts.metrics():
            if metric.classless or metric.name == "rand":
                continue
            options = {"per_class": True} if metric.summed else {}
            scores = ts.score(counts, metric, **options)
            for alternative in ALTERNATIVES:
                p = scores.p_values(alternative)
                shares.setdefault((metric.name, alternative), []).append(float(np.mean(p[:, 1] <= 0.05)))
            permutation = ts.score(X, permuted, metric, shuffles=shuffles, random_state=draw, **options)
            p = permutation.p.reshape(len(counts.terms), -1)[:, -1]
            shares.setdefault((metric.name, "permutation"), []).append(float(np.mean(p <= 0.05)))
    for test in (*ALTERNATIVES, "permutation"):
        means = {name: float(np.mean(x)) for (name, kind), x in shares.items() if kind == test}
        for figure, choose in (("smallest", min), ("largest", max)):
            name = choose(means, key=means.__getitem__)
            figure = f"{figure} share of p <= .05 over {len(means)} metrics ({name})"
            yield test, draws, figure, "at most 0.05", f"{means[name]:.4f}"


def plant_words(draws: int = SHUFFLES) -> Iterator[tuple[object, ...]]:
    """Plant a word of one author, one of most authors of a class, and 30 of some authors of any class."""
    rng, n_significant, ignoring = np.random.default_rng(1), np.zeros(3), np.zeros(3)
    author = np.arange(400) // 10
    author[:30] = 0
    labels = np.repeat(["a", "b"], 200)
    for _ in range(draws):
        X = (rng.random((400, 60)) < 0.1).astype(int)
        X[:, 0] = author == 0
        users = rng.random(40) < np.repeat([0.7, 0.05], 20)
        X[:, 1] = users[author] & (rng.random(400) < 0.6)
        users = rng.random((40, 30)) < rng.uniform(0.1, 0.6, 30)
        X[:, 2:32] = users[author] & (rng.random((400, 30)) < 0.6)
        grouped = ts.count(X, labels, groups=author)
        for scores, total in (
            (ts.jackknife(grouped, "bns").scores, n_significant),
            (ts.score(grouped.counts, "bns"), ignoring),
        ):
            significant = scores.significant(0.05, "a")
            total += significant[0], significant[1], significant[2:].sum()
    words = (("word of one author", 0), ("word of many authors", "most"), ("58 words of any class", "0.05"))
    for column, (word, expected) in enumerate(words):
        yield (
            word,
            draws,
            "significant, over groups",
            expected,
            f"{n_significant[column] / draws:.3f}",
        )
        yield word, draws, "significant, ignoring groups", "", f"{ignoring[column] / draws:.3f}"


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
            yield case, SHUFFLES, "false positives of a list", e, f"{false[e] / SHUFFLES:.3f}"


def draw_strata(draws: int = 500) -> Iterator[tuple[object, ...]]:
    """Count how often the interval of the Mantel-Haenszel log odds ratio contains the true one."""
    rng = np.random.default_rng(3)
    designs = {
        "30% class, frequent term": (np.full(6, 200), 0.3, 0.2),
        "2% class, frequent term": (np.full(6, 500), 0.02, 0.3),
        "30% class, rare term": (np.full(10, 100), 0.3, 0.01),
        "2% class, rare term": (np.full(6, 500), 0.02, 0.02),
        "20% class, 60 small strata": (np.full(60, 20), 0.2, 0.1),
    }
    for (case, (sizes, share, rate)), log_odds in product(designs.items(), (0.0, 1.0)):
        covered = n_zero = 0
        for _ in range(draws):
            pos = rng.binomial(sizes, share)
            outside = np.clip(rate * rng.uniform(0.5, 1.5, len(sizes)), 0, 0.9)
            odds = outside / (1 - outside) * np.exp(log_odds)
            a, b = rng.binomial(pos, odds / (1 + odds)), rng.binomial(sizes - pos, outside)
            cells = Cells(*(x.astype(float) for x in (a, b, pos - a, sizes - pos - b)))
            _, low, high = mh_interval(variance_products(cells).sum(axis=1, keepdims=True))
            covered += bool(low[0] <= log_odds <= high[0])
            n_zero += bool((np.stack([cells.tp, cells.fp, cells.fn, cells.tn]) == 0).any())
        case = f"{case}, log odds ratio {log_odds:g}"
        yield case, draws, "intervals with the true value", 0.95, f"{covered / draws:.3f}"
        yield case, draws, "draws with a zero cell", "", f"{n_zero / draws:.3f}"


if __name__ == "__main__":
    main(*sys.argv[1:])
