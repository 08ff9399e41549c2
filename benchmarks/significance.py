"""The exact test: its speed on 20 Newsgroups, and its calibration under random labels, groups and strata.

`significance.py speed` times p, q and thresholds of all classes against counting, in processor time;
`significance.py speed BASE` against floors and p-values of a checkout that has a floor for each metric.
`significance.py calibration` permutes the labels of three corpora, tests every metric on permuted labels,
plants words of one author and of many, permutes labels within strata, and draws strata with a known odds
ratio. The column `exact` is the expected number of false positives from the hypergeometric probabilities of
scipy, so the observed number should be within its standard error of it.
`significance.py calibration sms_spam groups` runs only these parts and replaces their rows in the results.
"""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from time import process_time

import numpy as np
from scipy.stats import hypergeom, norm

import newsgroups
import termsift as ts
from metrics import row, save
from termsift.counts import Cells
from termsift.metrics import ExactTest, exact_p_values
from termsift.metrics.significance import ALTERNATIVES
from termsift.metrics.strata import mh_interval_summands, mh_log_odds_with_interval

RESULTS = Path(__file__).parent / "results"
CORPORA = ("sms_spam", "20news", "Re8")
SHUFFLES = 200
MORE_SHUFFLES = 1000  # for the number of false positives, which needs less work and a small error
EXPECTED = (1, 0.05)
FAMILIES = {
    "two-sided": "bns",
    "one-sided": "cc",
    "occurrences": "g2(of='tf')",
    "sums over classes": "md(per_class=True)",
}
COLUMNS = ("part", "case", "draws", "figure", "expected", "observed", "exact", "standard error")


def main(part: str, *names: str) -> None:
    if part == "speed":
        lines = list(compare_speed(names[0]) if names else measure_speed())
        save(lines, RESULTS / ("significance_before.csv" if names else "significance.csv"))
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
        rows = [pad_row((name, *map(str, line))) for line in simulations[name]()]
        for line in rows:
            print("  ".join(line), flush=True)
        update_results(name, rows)


def update_results(name: str, rows: list[tuple[str, ...]]) -> None:
    """Replace the rows of a part in the file of results."""
    path = RESULTS / "significance_calibration.csv"
    with path.open(newline="", encoding="utf-8") if path.exists() else io.StringIO() as file:
        others = [pad_row(tuple(row)) for row in csv.reader(file) if row[0] not in (name, COLUMNS[0])]
    order = [*CORPORA, "metrics", "groups", "strata", "coverage"]
    rows = sorted([*others, *rows], key=lambda row: order.index(row[0]))
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])


def pad_row(row: tuple[str, ...]) -> tuple[str, ...]:
    """Return a row with an empty value for each missing column."""
    return row + ("",) * (len(COLUMNS) - len(row))


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


# run with the package of either checkout: p, q and thresholds, or p and floors
TIMED = """
import json, sys, time
import termsift as ts
sys.path.insert(0, sys.argv[1])
import newsgroups

texts, labels = newsgroups.texts_and_labels()
counts = ts.count(texts, labels)

def run(metric):
    getattr(counts, "_memo", {}).clear()
    scores = ts.score(counts, metric)
    start = time.process_time()
    if hasattr(scores, "alpha"):
        scores.q, [scores.alpha(1, c) for c in scores.classes]
    else:
        scores.p, [scores.floor(1, c) for c in scores.classes]
    return time.process_time() - start

seconds = {metric: min(run(metric) for _ in range(3)) for metric in ("ig", "chi2", "bns", "cc", "or")}
print(json.dumps(seconds))
"""


def compare_speed(base: str) -> Iterator[dict[str, str]]:
    """Time p, q and thresholds against floors and p-values of another checkout, each in its own process."""
    here = Path(__file__).parent
    seconds = []
    for source in (here.parent / "src", Path(base) / "src"):
        environment = os.environ | {"PYTHONPATH": str(source)}
        command = [sys.executable, "-c", TIMED, str(here)]
        output = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        seconds.append(json.loads(output))
    for metric, before in seconds[1].items():
        now = seconds[0][metric]
        what = f"{metric}: p, q, thresholds / p and floors before ({before:.2f} s)"
        yield row(what, f"{now / before:.2f}", "at most 0.5")


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
    false: dict[float, list[np.ndarray]] = {e: [] for e in EXPECTED}
    small = dict.fromkeys(product(FAMILIES, ALTERNATIVES), 0.0)
    for draw in range(MORE_SHUFFLES):
        permuted = ts.count(X, rng.permutation(labels))
        p = ExactTest(permuted).all_p()[:, columns]
        for e in EXPECTED:
            false[e].append((p <= alphas[e]).sum(axis=0))
        if draw >= SHUFFLES:
            continue
        for family, metric in FAMILIES.items():
            scores = ts.score(permuted, metric)
            for alternative in ALTERNATIVES:
                p = scores.p_values(alternative)[:, columns]
                small[family, alternative] += np.mean(p <= 0.05) / SHUFFLES
    df, n_terms = np.unique(counts.term_df, return_counts=True)
    for e in EXPECTED:
        n_false, pos = np.array(false[e]), counts.class_sizes[columns]
        exact = np.mean(
            [
                expect_false_positives(df, n_terms, size, counts.documents, alpha)
                for size, alpha in zip(pos, alphas[e], strict=True)
            ]
        )
        observed, error = summarize(n_false)
        yield (
            "permuted labels",
            MORE_SHUFFLES,
            "false positives of a list",
            e,
            observed,
            f"{exact:.4f}",
            error,
        )
        share, error = summarize(n_false > 0)
        yield "permuted labels", MORE_SHUFFLES, f"lists with any, e = {e}", f"at most {e}", share, "", error
    for (family, alternative), share in small.items():
        case = f"{family} ({FAMILIES[family]})"
        yield case, SHUFFLES, f"share of p <= .05, {alternative}", "at most 0.05", f"{share:.4f}"


def summarize(draws: np.ndarray) -> tuple[str, str]:
    """Return the mean over draws (rows) and classes (columns) with its standard error.

    Classes are dependent.
    """
    means = draws.reshape(len(draws), -1).mean(axis=1)
    return f"{means.mean():.4f}", f"{means.std(ddof=1) / np.sqrt(len(means)):.4f}"


def expect_false_positives(
    df: np.ndarray, n_terms: np.ndarray, pos: float, documents: float, alpha: float
) -> float:
    """Return the exact expected number of terms with p <= alpha if labels are permuted."""
    first, last = np.maximum(0, df + pos - documents), np.minimum(df, pos)
    sizes = (last - first + 1).astype(int)
    row = np.repeat(np.arange(len(df)), sizes)
    a = (np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + first[row]).astype(float)
    b, c = df[row] - a, pos - a
    p = exact_p_values(Cells(a, b, c, documents - a - b - c))
    is_rejected = (p <= alpha) & (p > 1e-20)  # tables less likely than that do not count
    row, a = row[is_rejected], a[is_rejected]
    return float(n_terms[row] @ hypergeom.pmf(a, documents, df[row], pos))


def load_rows(name: str) -> tuple[object, np.ndarray]:
    """Return the rows of a corpus and its labels."""
    if name == "20news":
        X, _, labels = newsgroups.matrix()
        return X, labels
    if name == "sms_spam":
        corpus = ts.corpora.load(name)
        texts, labels = corpus.texts, corpus.labels
    else:
        path = Path(os.environ["TERMSIFT_DATA"]) / "collections" / f"{name}.zip"
        with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0]) as file:
            rows = list(csv.DictReader(io.TextIOWrapper(file, encoding="utf-8", newline="")))
        texts, labels = [row["Text"] for row in rows], [row["Class"] for row in rows]
    return ts.TermVectorizer().fit_transform(texts), np.array(labels)


def calibrate_metrics(draws: int = 6, shuffles: int = 99, size: int = 600) -> Iterator[tuple[object, ...]]:
    """Compute the share of p <= .05 on permuted labels for every metric: exact test and permutation test."""
    X, labels = load_rows("sms_spam")
    rng = np.random.default_rng(4)
    chosen = rng.permutation(len(labels))[:size]
    X, labels = X[chosen], labels[chosen]
    X = X[:, np.asarray((X > 0).sum(axis=0)).ravel() >= 5]
    metrics = [metric for metric in ts.metrics() if not metric.classless]
    shares = np.zeros((len(metrics), len(ALTERNATIVES) + 1))
    for draw in range(draws):
        permuted = rng.permutation(labels)
        counts = ts.count(X, permuted)
        for i, metric in enumerate(metrics):
            options = {"per_class": True} if metric.summed else {}
            scores = ts.score(counts, metric, **options)
            permutation = ts.score(X, permuted, metric, shuffles=shuffles, random_state=draw, **options)
            tests = [*(scores.p_values(alternative) for alternative in ALTERNATIVES), permutation.p]
            # one p-value per term, or that of the class "spam"
            shares[i] += [np.mean(p.reshape(len(p), -1)[:, -1] <= 0.05) / draws for p in tests]
    families = np.array([metric_family(metric) for metric in metrics])
    for family, (j, test) in product(dict.fromkeys(families), enumerate((*ALTERNATIVES, "permutation"))):
        members = np.flatnonzero(families == family)
        largest = members[shares[members, j].argmax()]
        case = f"{len(members)} metrics, {family}"
        observed = f"{shares[members, j].mean():.4f}"
        yield case, draws, f"mean share of p <= .05, {test}", "at most 0.05", observed
        figure = f"largest share of p <= .05, {test} ({metrics[largest].name})"
        yield case, draws, figure, "at most 0.05", f"{shares[largest, j]:.4f}"


def metric_family(metric: ts.Metric) -> str:
    """Return the family of a metric, as in `FAMILIES`."""
    if metric.summed:
        return "sums over classes"
    if metric.count_type({}) == "tf":
        return "occurrences"
    return "one-sided" if metric.sided == 1 else "two-sided"


def plant_words(draws: int = SHUFFLES) -> Iterator[tuple[object, ...]]:
    """Plant a word of one author, two of many authors of a class, and 30 of some authors of any class."""
    rng, n_significant, ignoring = np.random.default_rng(1), np.zeros(5), np.zeros(5)
    author = np.arange(400) // 10
    author[:30] = 0
    labels = np.repeat(["a", "b"], 200)
    for _ in range(draws):
        X = (rng.random((400, 60)) < 0.1).astype(int)
        X[:, 0] = author == 0
        for column, share in ((1, 1), (2, 0.7)):
            users = rng.random(40) < np.repeat([share, 0.05], 20)
            X[:, column] = users[author] & (rng.random(400) < 0.6)
        users = rng.random((40, 30)) < rng.uniform(0.1, 0.6, 30)
        X[:, 3:33] = users[author] & (rng.random((400, 30)) < 0.6)
        grouped = ts.count(X, labels, groups=author)
        for scores, total in (
            (ts.jackknife(grouped, "bns").scores, n_significant),
            (ts.score(grouped.counts, "bns"), ignoring),
        ):
            significant, p = scores.significant(0.05, "a"), scores.p[3:, 0]
            total += *significant[:3], significant[3:].sum(), np.mean(p <= 0.05)
    cases = (
        ("word of one author", "significant", 0),
        ("word of all authors of a class", "significant", 1),
        ("word of 70% of these authors", "significant", "most"),
        ("57 words of any class", "significant", 0.05),
        ("57 words of any class", "share of p <= .05", "at most 0.05"),
    )
    for column, (word, figure, expected) in enumerate(cases):
        yield word, draws, f"{figure}, over groups", expected, f"{n_significant[column] / draws:.3f}"
        yield word, draws, f"{figure}, ignoring groups", "", f"{ignoring[column] / draws:.3f}"


def permute_within_strata(draws: int = MORE_SHUFFLES) -> Iterator[tuple[object, ...]]:
    """Count false positives of labels permuted within strata, for a rare and a frequent class."""
    for share in (0.02, 0.3):
        rng = np.random.default_rng(2)
        group = np.sort(rng.integers(0, 8, 2000))
        rates = np.minimum(0.5, 2 / np.arange(1, 2001)) * rng.uniform(0.2, 3, (8, 2000))
        X = (rng.random((2000, 2000)) < np.minimum(rates, 0.9)[group]).astype(int)
        y = (rng.random(2000) < np.clip(share * rng.uniform(0.1, 3, 8), 0, 0.9)[group]).astype(int)
        scores, order, small = ts.score(ts.count(X, y, groups=group), "cmh"), np.arange(2000), 0.0
        rejections = StratifiedRejections(X, y, group)
        assert np.allclose(rejections.observed_p, scores.p[:, 1], rtol=1e-9)
        exact = {e: rejections.expect(scores.alpha(e, 1)) for e in EXPECTED}
        false: dict[float, list[int]] = {e: [] for e in EXPECTED}
        for _ in range(draws):
            for g in range(8):
                order[group == g] = rng.permutation(order[group == g])
            scores = ts.score(ts.count(X, y[order], groups=group), "cmh")
            for e in EXPECTED:
                false[e].append(scores.significant(e, 1).sum())
            small += np.mean(scores.p[:, 1] <= 0.05) / draws
        case = f"class share {share}"
        for e in EXPECTED:
            observed, error = summarize(np.array(false[e]))
            yield case, draws, "false positives of a list", e, observed, f"{exact[e]:.4f}", error
        yield case, draws, "share of p <= .05", "at most 0.05", f"{small:.4f}"


class StratifiedRejections:
    """Null distribution of each term within strata, and its p-values, by probabilities of scipy.

    p is the sum of the probabilities of all A no more likely, or that of a normal A if its variance is at
    least 100.
    """

    def __init__(self, X: np.ndarray, y: np.ndarray, group: np.ndarray) -> None:
        groups = [group == g for g in np.unique(group)]
        sizes, pos = np.array([g.sum() for g in groups]), np.array([y[g].sum() for g in groups])
        df = np.array([X[g].sum(axis=0) for g in groups])
        self.chances, self.p = [], []
        for term_df in df.T:
            marginals = zip(sizes, term_df, pos, strict=True)
            strata = [hypergeom(n, d, k).pmf(np.arange(k + 1)) for n, d, k in marginals]
            chance, mean = np.ones(1), term_df @ (pos / sizes)
            for stratum in strata:
                chance = np.convolve(chance, stratum)
            variance = (term_df * pos * (sizes - term_df) * (sizes - pos) / sizes**2.0 / (sizes - 1)).sum()
            order = np.argsort(chance)
            last = np.searchsorted(chance[order], chance * (1 + 1e-7), side="right") - 1
            p = np.cumsum(chance[order])[last]
            if variance >= 100:
                p = 2 * norm.sf(np.abs(np.arange(len(chance)) - mean) / np.sqrt(variance))
            self.chances.append(chance)
            self.p.append(np.minimum(p, 1))
        observed = X[y == 1].sum(axis=0)
        self.observed_p = np.array([p[a] for p, a in zip(self.p, observed, strict=True)])

    def expect(self, alpha: float) -> float:
        """Return the exact expected number of terms with p <= alpha."""
        return sum(chance[p <= alpha].sum() for chance, p in zip(self.chances, self.p, strict=True))


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
            _, low, high = mh_log_odds_with_interval(mh_interval_summands(cells).sum(axis=1, keepdims=True))
            covered += bool(low[0] <= log_odds <= high[0])
            n_zero += bool((np.stack([cells.tp, cells.fp, cells.fn, cells.tn]) == 0).any())
        case = f"{case}, log odds ratio {log_odds:g}"
        yield case, draws, "intervals with the true value", 0.95, f"{covered / draws:.3f}"
        yield case, draws, "draws with a zero cell", "", f"{n_zero / draws:.3f}"


if __name__ == "__main__":
    main(*sys.argv[1:])
