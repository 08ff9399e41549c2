"""What a user could take instead of termsift, on the same work in one run: 20 Newsgroups.

`make bench-peers` runs it in an environment of its own. The ways take turns, each imported, compiled and warm
before its clock starts; the best time counts. A result that should be that of others and is not ends the run.
`peers.py 2000` takes so many of the messages and keeps no figures; `peers.py spark pages` does some works.
docs/make/speed_page.py shows the table.
"""

from __future__ import annotations

import csv
import os
import platform
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.stats import chi2 as chi2_distribution
from sklearn.feature_selection import chi2, mutual_info_classif

import newsgroups
import peer_ways as ways
import termsift as ts
from metrics import all_metrics

RESULTS = Path(__file__).parent / "results" / "peers.csv"
COLUMNS = ("work", "way", "package", "version", "threads", "seconds", "cpu", "times", "result")
WORKS = (
    "texts to a matrix",
    "texts to sums by term and class",
    "a matrix to scores",
    "texts to the 1,000 best terms",
    "a Spark DataFrame to the 1,000 best terms",
    "texts to a page",
)
WARM, SLICE, CLASS = 300, 300, "sci.space"
Ways = dict[
    str, tuple[str, int, Callable[[Any], Any]]
]  # by what is called: its package, threads, and the way
Texts = tuple[list[str], np.ndarray]


def main(documents: int | None, chosen: list[str]) -> None:
    corpus = drawn(documents)
    print(
        f"20 Newsgroups: {len(corpus[0]):,} texts, {sum(map(len, corpus[0])) / 1e6:.0f} million characters\n"
    )
    works = {work.__name__: work for work in (matrices, frequencies, scores, selections, spark, pages)}
    for name in chosen or works:
        rows = list(works[name](corpus))
        for row in rows:
            print("{work:<44}{way:<46}{seconds:>8} s{cpu:>8} s{times:>7}  {result}".format(**row), flush=True)
        if documents is None:
            keep(rows)


def keep(rows: list[dict[str, str]]) -> None:
    """Put the rows of a work in the place of those that it had."""
    kept: list[dict[str, str]] = []
    if RESULTS.exists():
        with RESULTS.open(encoding="utf-8") as file:
            kept = [row for row in csv.DictReader(file) if row["work"] != rows[0]["work"]]
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted([*kept, *rows], key=lambda row: WORKS.index(row["work"])))


def drawn(documents: int | None) -> Texts:
    """All messages, or so many of them."""
    texts, labels = newsgroups.texts_and_labels()
    order = np.sort(np.random.default_rng(0).permutation(len(texts))[:documents])
    return [texts[i] for i in order], labels[order]


def matrices(corpus: Texts) -> Iterator[dict[str, str]]:
    """Documents x terms."""
    found, times = taken(
        {
            "CountVectorizer": ("scikit-learn", 1, lambda c: ways.count_vectorizer(c[0])),
            "HashingVectorizer": ("scikit-learn", 1, lambda c: ways.hashing_vectorizer(c[0])),
            "Dictionary.doc2bow": ("gensim", 1, lambda c: ways.gensim(c[0])),
            "lenlp.CountVectorizer": ("lenlp", 2, lambda c: ways.lenlp(c[0])),
            "TermVectorizer, one thread": ("termsift", 1, lambda c: ways.term_vectorizer(c[0], 1)),
            "TermVectorizer": ("termsift", 2, lambda c: ways.term_vectorizer(c[0], 2)),
        },
        corpus,
    )
    X, terms = found["CountVectorizer"]
    results = {"CountVectorizer": f"{len(terms):,} terms"}
    for name in ("Dictionary.doc2bow", "TermVectorizer, one thread", "TermVectorizer"):
        same(by_name(*found[name]), X, name)
        results[name] = "the same matrix"
    same(found["HashingVectorizer"][0].sum(axis=1), X.sum(axis=1), "HashingVectorizer")
    results["HashingVectorizer"] = "the same sums of documents; no names"
    results["lenlp.CountVectorizer"] = f"other words: {len(found['lenlp.CountVectorizer'][1]):,}"
    yield from table("texts to a matrix", times, results, "TermVectorizer")


def frequencies(corpus: Texts) -> Iterator[dict[str, str]]:
    """In how many documents of each class each term is."""
    found, times = taken(
        {
            "CountVectorizer, product with classes": ("scikit-learn", 1, lambda c: ways.matrix_product(*c)),
            "str.extract_all, group_by": ("polars", 2, lambda c: ways.polars(*c)),
            "regexp_extract_all, GROUP BY": ("duckdb", 2, lambda c: ways.duckdb(*c)),
            "ts.count, one thread": ("termsift", 1, lambda c: ts.count(*c, n_jobs=1)),
            "ts.count": ("termsift", 2, lambda c: ts.count(*c, n_jobs=2)),
        },
        corpus,
    )
    product, terms, classes = found["CountVectorizer, product with classes"]
    results = {"CountVectorizer, product with classes": f"{product.nnz:,} sums"}
    for name in ("ts.count, one thread", "ts.count"):
        assert found[name].terms.tolist() == terms.tolist()
        same(sp.csr_matrix(found[name].df), product, name)
        results[name] = "the same sums"
    for name in ("str.extract_all, group_by", "regexp_extract_all, GROUP BY"):
        same(grouped(found[name], terms, classes), product, name)
        results[name] = "the same sums"
    yield from table("texts to sums by term and class", times, results, "ts.count")


def scores(corpus: Texts) -> Iterator[dict[str, str]]:
    """Compare the ways to compute a number for each term of a matrix."""
    X, y = (ways.count_vectorizer(corpus[0])[0] > 0).astype(np.int64), corpus[1]
    columns = np.linspace(0, X.shape[1] - 1, SLICE).astype(int)
    part = X[:, columns]
    found, times = taken(
        {
            "chi2": ("scikit-learn", 1, lambda c: chi2(X, y)[0]),
            "ts.score(..., 'chi2_all')": (
                "termsift",
                1,
                lambda c: ts.score(X, y, "chi2_all", n_permutations=0),
            ),
            "ts.score(..., 'ig_all')": ("termsift", 1, lambda c: ts.score(X, y, "ig_all", n_permutations=0)),
            f"ts.score, all {len(ts.metrics())} metrics": (
                "termsift",
                1,
                lambda c: all_metrics(ts.count(X, y)),
            ),
        },
        corpus,
    )
    information = f"mutual_info_classif, {SLICE} of the columns"
    slow, its_time = taken(
        {information: ("scikit-learn", 1, lambda c: mutual_info_classif(part, y, discrete_features=True))},
        corpus,
        rounds=1,
    )
    # scikit-learn's chi2 leaves out the cells of documents without the term
    share = np.asarray(X.sum(axis=0)).ravel() / X.shape[0]
    close(np.asarray(found["ts.score(..., 'chi2_all')"]) * (1 - share), found["chi2"], "chi2")
    close(np.asarray(found["ts.score(..., 'ig_all')"])[columns] * np.log(2), slow[information], "ig")
    results = dict.fromkeys(found, "") | {
        "chi2": f"{X.shape[1]:,} terms",
        "ts.score(..., 'chi2_all')": "the same, and the cells that chi2 leaves out",
        "ts.score(..., 'ig_all')": "mutual information",
    }
    results |= dict.fromkeys(slow, "the same mutual information")
    yield from table("a matrix to scores", times | its_time, results, "ts.score(..., 'chi2_all')")


def selections(corpus: Texts) -> Iterator[dict[str, str]]:
    """Compare the ways to get the thousand best terms from texts."""
    found, times = taken(
        {
            "CountVectorizer, SelectKBest(chi2)": ("scikit-learn", 1, lambda c: ways.select_k_best(*c)),
            "ts.count, ts.select": ("termsift", 2, lambda c: ways.termsift_selection(*c)),
        },
        corpus,
    )
    theirs, ours = map(set, found.values())
    results = {"ts.count, ts.select": f"{len(theirs & ours):,} of them the same: chi2 leaves out cells"}
    yield from table("texts to the 1,000 best terms", times, results, "ts.count, ts.select")


def spark(corpus: Texts) -> Iterator[dict[str, str]]:
    """Compare the ways to get them from a Spark DataFrame, on two cores of this machine."""
    session = ts.spark.session("local[2]", spark_driver_memory="6g", spark_ui_enabled="false")
    texts, labels = corpus
    numbers = np.unique(labels, return_inverse=True)[1].tolist()
    rows = list(zip(texts, labels.tolist(), numbers, strict=True))
    frame = session.createDataFrame(rows, "text string, name string, label int").repartition(4).cache()
    frame.count()
    found, times = taken(
        {
            "Spark ML: CountVectorizer, UnivariateFeatureSelector": ("pyspark", 2, ways.spark_selection),
            "ts.count(frame), ts.select": ("termsift", 2, ways.termsift_on_spark),
        },
        frame, warm=frame.limit(WARM), rounds=1,
    )  # fmt: skip
    session.stop()
    theirs, ours = map(set, found.values())
    # it ranks by p-values, 1 less the distribution function: what is less than 1 can tell from itself is 0
    scores = ts.score(ts.count(texts, labels), "chi2_all")
    tied = scores.terms[scores.values > chi2_distribution.isf(np.finfo(float).eps / 2, len(set(labels)) - 1)]
    assert theirs <= {*tied.tolist()}, "Spark ML chose terms that do not tie with its best"
    same = f"{len(theirs & ours):,} of them the same: {len(tied):,} have a p-value of 0 to Spark ML"
    results = {"ts.count(frame), ts.select": same}
    yield from table(WORKS[4], times, results, "ts.count(frame), ts.select")


def pages(corpus: Texts) -> Iterator[dict[str, str]]:
    """Compare the ways to make an HTML page about words."""
    found, times = taken(
        {
            "produce_scattertext_explorer": ("scattertext", 1, lambda c: ways.scattertext_page(*c, CLASS)),
            "ts.report": ("termsift", 2, lambda c: ways.termsift_page(*c)),
        },
        corpus, rounds=1,
    )  # fmt: skip
    shown = ("one class against the others", f"{len(set(corpus[1]))} classes")
    results = {
        name: f"{what}, {len(page.encode()) / 1e6:.1f} MB"
        for what, (name, page) in zip(shown, found.items(), strict=True)
    }
    yield from table("texts to a page", times, results, "ts.report")


def taken(
    jobs: Ways, data: Any, warm: Any = None, rounds: int = 3
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return the result of each way and its best times; the ways take turns."""
    if warm is None:  # some of every class
        step = max(len(data[0]) // WARM, 1)
        warm = data[0][::step], data[1][::step]
    for _, _, way in jobs.values():
        way(warm)
    found: dict[str, Any] = {}
    best = {name: (float("inf"), float("inf")) for name in jobs}
    for _ in range(rounds):
        for name, (_, _, way) in jobs.items():
            start, cpu = perf_counter(), cpu_of_processes()
            found[name] = way(data)
            spent = perf_counter() - start, cpu_of_processes() - cpu
            best[name] = tuple(map(min, best[name], spent))
    return found, {
        name: {"package": package, "threads": threads, "seconds": best[name][0], "cpu": best[name][1]}
        for name, (package, threads, _) in jobs.items()
    }


def cpu_of_processes() -> float:
    """Seconds of processors of this process and of those it started, such as Java."""
    parts = {path.parent.name: path.read_text().rpartition(")")[2].split() for path in stat_files()}
    own, grown = {str(os.getpid())}, True
    while grown:
        more = {pid for pid, fields in parts.items() if fields[1] in own} - own
        own, grown = own | more, bool(more)
    ticks = sum(int(tick) for pid in own for tick in parts[pid][11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


def stat_files() -> list[Path]:
    """Those of processes that are still there."""
    return [path for path in Path("/proc").glob("[0-9]*/stat") if path.exists()]


def table(work: str, times: dict[str, Any], results: dict[str, str], ours: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of one task; `times` is the ratio of its processor time to that of termsift."""
    for way, one in times.items():
        spent = {key: f"{one[key]:.3f}" for key in ("seconds", "cpu")}
        ratio = f"{one['cpu'] / times[ours]['cpu']:.2f}"
        known = {"version": version(one["package"]), "times": ratio, "result": results.get(way, "")}
        yield {"work": work, "way": way, **one, **spent, **known}


def by_name(X: Any, terms: np.ndarray) -> Any:
    return X[:, np.argsort(terms)]


def grouped(frame: Any, terms: np.ndarray, classes: np.ndarray) -> Any:
    """Rows of term, class and number, as polars or Arrow hold them, as a matrix of terms x classes."""
    term, label, n = (np.array(frame[name].to_numpy()) for name in ("term", "label", "n"))
    at = np.searchsorted(terms, term), np.searchsorted(classes, label.astype(str))
    return sp.csr_matrix((n, at), shape=(len(terms), len(classes)))


def same(found: Any, expected: Any, name: str) -> None:
    different = (found != expected).sum()
    if different:
        sys.exit(f"{name} gives {different:,} other numbers")


def close(found: np.ndarray, expected: np.ndarray, name: str) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9, err_msg=name)


if __name__ == "__main__":
    print(f"Python {platform.python_version()}")
    number = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(number[0] if number else None, [word for word in sys.argv[1:] if not word.isdigit()])
