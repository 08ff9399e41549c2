"""Reading and counting text: 20 Newsgroups as a list of str, as ratios to CountVectorizer in the same run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE
from time import process_time

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest, chi2

import metrics
import newsgroups
import termsift as ts
from metrics import alternating, row, status
from termsift.engines import find_duplicate_pairs
from termsift.text.scanner import Scanner, encode_documents

RESULTS = Path(__file__).parent / "results" / "text.csv"


def main() -> None:
    texts, y = newsgroups.texts_and_labels()
    if sys.argv[1:] == ["stems"]:
        for line in stems_and_duplicates(texts, y):
            print(f"{line['what']:<66} {line['value']:>10}  {line['target']}")
        return
    size = sum(map(len, texts)) / 1e6
    print(f"20 Newsgroups: {len(texts):,} texts, {size:.0f} million characters\n")
    for n_grams in ((1, 1), (1, 2)):
        ts.TermVectorizer(ngram_range=n_grams).fit_transform(texts[:50])  # compiled before the clock starts
    ts.TermVectorizer(analyzer="char_wb").fit_transform(texts[:50])
    ts.count(texts[:50], y[:50])
    rows = [
        *words(texts),
        *n_grams_of(texts),
        *characters_of(texts),
        *counting(texts, y),
        *stems_and_duplicates(texts, y),
        *kernel(texts),
        *memory(),
    ]
    for line in rows:
        print(f"{line['what']:<66} {line['value']:>10}  {line['target']}")
    metrics.save(rows, RESULTS)


def words(texts: list[str]) -> Iterator[dict[str, str]]:
    """fit_transform and transform against CountVectorizer's."""
    theirs, ours = CountVectorizer().fit(texts), ts.TermVectorizer(n_jobs=2).fit(texts)
    best = alternating(
        {
            "theirs": lambda: CountVectorizer().fit_transform(texts),
            "one": lambda: ts.TermVectorizer().fit_transform(texts),
            "two": lambda: ts.TermVectorizer(n_jobs=2).fit_transform(texts),
            "their transform": lambda: theirs.transform(texts),
            "our transform": lambda: ours.transform(texts),
        },
        rounds=3,
    )
    yield row("CountVectorizer().fit_transform", f"{best['theirs']:.2f} s")
    yield row("TermVectorizer().fit_transform, one thread, times", times(best, "theirs", "one"), "at least 7")
    yield row(
        "TermVectorizer().fit_transform, two threads, times", times(best, "theirs", "two"), "at least 10"
    )
    what = "TermVectorizer().transform, two threads, times"
    yield row(what, times(best, "their transform", "our transform"), "at least 10")


def n_grams_of(texts: list[str]) -> Iterator[dict[str, str]]:
    best = alternating(
        {
            "theirs": lambda: CountVectorizer(ngram_range=(1, 2)).fit_transform(texts),
            "ours": lambda: ts.TermVectorizer(ngram_range=(1, 2), n_jobs=2).fit_transform(texts),
        },
        rounds=2,
    )
    yield row(
        "the same with ngram_range=(1, 2), two threads, times", times(best, "theirs", "ours"), "at least 8"
    )


def characters_of(texts: list[str]) -> Iterator[dict[str, str]]:
    """Compare character n-grams of 3 to 5 within words on every fourth text: a word has hundreds of them."""
    sample, options = texts[::4], {"analyzer": "char_wb", "ngram_range": (3, 5)}
    best = alternating(
        {
            "theirs": lambda: CountVectorizer(**options).fit_transform(sample),
            "one": lambda: ts.TermVectorizer(**options).fit_transform(sample),
            "two": lambda: ts.TermVectorizer(**options, n_jobs=2).fit_transform(sample),
        },
        rounds=2,
    )
    yield row(
        "CountVectorizer(analyzer='char_wb', ngram_range=(3, 5)).fit_transform", f"{best['theirs']:.2f} s"
    )
    yield row("the same by TermVectorizer, one thread, times", times(best, "theirs", "one"))
    yield row("the same by TermVectorizer, two threads, times", times(best, "theirs", "two"), "at least 8")


def counting(texts: list[str], y: np.ndarray) -> Iterator[dict[str, str]]:
    """ts.count and the choice of terms, against what a user would do otherwise."""

    def chosen_by_scikit_learn() -> object:
        X = CountVectorizer().fit_transform(texts)
        return SelectKBest(chi2, k=1000).fit(X, y).get_support()

    best = alternating(
        {
            "theirs": lambda: CountVectorizer().fit_transform(texts),
            "count": lambda: ts.count(texts, y),
            "one": lambda: ts.count(texts, y, n_jobs=1),
            "matrix": lambda: ts.TermVectorizer().fit_transform(texts),
            "their choice": chosen_by_scikit_learn,
            "our choice": lambda: ts.select(ts.count(texts, y), "chi2", ts.TopK(1000)),
        },
        rounds=3,
    )
    yield row(
        "ts.count(texts, labels) against CountVectorizer, times",
        times(best, "theirs", "count"),
        "at least 20",
    )
    yield row("the same with one thread, times", times(best, "theirs", "one"), "at least 12")
    what = "ts.count with one thread / TermVectorizer().fit_transform"
    yield row(what, f"{best['one'] / best['matrix']:.2f}", "at most 1")
    what = "ts.count and ts.select against CountVectorizer and SelectKBest, times"
    yield row(what, times(best, "their choice", "our choice"), "at least 15")


def stems_and_duplicates(texts: list[str], y: np.ndarray) -> Iterator[dict[str, str]]:
    """Yield CPU times of counting stems and of verified near-duplicates, against counting words."""
    rows = csr_array(ts.TermVectorizer().fit_transform(texts))
    best = alternating(
        {
            "words": lambda: ts.count(texts, y, analyzer=ts.Analyzer()),
            "stems": lambda: ts.count(texts, y, analyzer=ts.Analyzer(stemmer="english")),
            "duplicates": lambda: find_duplicate_pairs(rows),
        },
        rounds=5,
        clock=process_time,
    )
    yield row("ts.count of stems / of words, CPU time", f"{best['stems'] / best['words']:.2f}", "at most 2")
    both = best["words"] + best["duplicates"]
    yield row("near-duplicates, verified, with counting, CPU time", f"{both:.2f} s", "at most 1 s")


def kernel(texts: list[str]) -> Iterator[dict[str, str]]:
    """Time the scan alone, on one thread."""
    samples = {
        "ASCII": ([t for t in texts if t.isascii()], "at least 80"),
        "other scripts": (scripts(), "at least 40"),
    }
    for name, (sample, target) in samples.items():
        data, starts = encode_documents(sample, ts.Analyzer())
        best = alternating(
            {"scan": lambda data=data, starts=starts: Scanner(ts.Analyzer()).scan_bytes(data, starts)}
        )
        yield row(f"the scan alone, {name}, MB/s a thread", f"{len(data) / best['scan'] / 1e6:.0f}", target)


def scripts() -> list[str]:
    """Texts of words drawn by Zipf's law from Russian, Chinese, Hindi and Arabic letters, and emoji."""
    rng = np.random.default_rng(0)
    alphabets = [(0x430, 32), (0x4E00, 3000), (0x915, 37), (0x627, 36), (0x1F600, 60)]
    words = [
        "".join(chr(start + c) for c in rng.integers(0, n, rng.integers(2, 9)))
        for start, n in alphabets
        for _ in range(8000)
    ]
    order = rng.permutation(len(words))
    draws = np.minimum(rng.zipf(1.2, (4000, 250)), len(words)) - 1
    return [" ".join(words[order[i]] for i in line) for line in draws]


def memory() -> Iterator[dict[str, str]]:
    """Yield the peak memory of a fresh process above the texts it holds, for both vectorizers."""
    peak = {}
    for name, code in (
        ("ours", "ts.TermVectorizer(n_jobs=2).fit_transform(texts)"),
        ("count", "ts.count(texts, y)"),
        ("theirs", "CountVectorizer().fit_transform(texts)"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", f"import text; text.measure({code!r})"],
            check=True, stdout=PIPE, text=True, cwd=Path(__file__).parent,
        )  # fmt: skip
        peak[name] = float(done.stdout)
    yield row("peak memory above the texts, CountVectorizer", f"{peak['theirs']:.0f} MB")
    yield row(
        "peak memory above the texts, TermVectorizer", f"{peak['ours']:.0f} MB", "at most CountVectorizer's"
    )
    yield row("peak memory above the texts, ts.count", f"{peak['count']:.0f} MB", "at most CountVectorizer's")


def measure(code: str) -> None:
    """Print the megabytes a piece of code takes."""
    texts, y = newsgroups.texts_and_labels()
    names = {"ts": ts, "CountVectorizer": CountVectorizer, "texts": texts[:2000], "y": y[:2000]}
    eval(code, names)  # several batches, so that every kernel is loaded before memory is measured
    names |= {"texts": texts, "y": y}
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    eval(code, names)
    print(status("VmHWM") - before)


def times(best: dict[str, float], slow: str, fast: str) -> str:
    return f"{best[slow] / best[fast]:.1f}"


if __name__ == "__main__":
    main()
