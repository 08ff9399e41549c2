"""Counting and scoring 20 Newsgroups, as ratios to scikit-learn in the same run."""

from __future__ import annotations

import csv
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE
from tempfile import TemporaryDirectory
from time import perf_counter

import numba
import numpy as np
import scipy
import sklearn
from scipy.sparse import load_npz, save_npz
from sklearn.feature_selection import chi2, mutual_info_classif

import newsgroups
import termsift as ts

ROUNDS = 7
SLICE = 300
RESULTS = Path(__file__).parent / "results" / "metrics.csv"


def main() -> None:
    X, words, y = newsgroups.matrix()
    print(f"20 Newsgroups: {X.shape[0]:,} documents x {X.shape[1]:,} terms, {X.nnz:,} nonzeros, 20 classes\n")
    ts.score(ts.count(X, y), "bns")  # compiled and cached before the clock starts
    rows = [*speed(X, words, y), *information_gain(X, y), *memory(X, y), *import_cost(), *growth(X, y)]
    for row in rows:
        print(f"{row['what']:<58} {row['value']:>12}  {row['target']}")
    save(rows, RESULTS)


def speed(X, words, y) -> Iterator[dict[str, str]]:
    """One metric with counting, and all metrics, against one chi2 of scikit-learn."""
    counts = ts.count(X, y, terms=words)
    jobs: dict[str, Callable[[], object]] = {"chi2": lambda: chi2(X, y)}
    for name in ("bns", "ig", "md", "gu"):
        jobs[name] = lambda name=name: ts.score(ts.count(X, y, terms=words), name)
    jobs["all"] = lambda: all_metrics(ts.count(X, y, terms=words))
    jobs["tests"] = lambda: run_tests(ts.score(ts.count(X, y, terms=words), "bns"))
    best = alternating(jobs)
    yield row("scikit-learn chi2", f"{best['chi2'] * 1e3:.0f} ms")
    for name in ("bns", "ig", "md", "gu"):
        yield row(f"count and {name} / chi2", f"{best[name] / best['chi2']:.2f}", "at most 0.5")
    what = f"count and all {len(ts.metrics())} metrics / chi2"
    yield row(what, f"{best['all'] / best['chi2']:.2f}", "at most 1.2")
    what = "count and bns, p-values and thresholds of 20 classes / chi2"
    yield row(what, f"{best['tests'] / best['chi2']:.2f}", "at most 3")
    yield row("distinct cells / cells", f"{distinct_share(counts):.3f}")


def information_gain(X, y) -> Iterator[dict[str, str]]:
    """Ig of all columns against mutual_info_classif of a slice of them, each by the column."""
    columns = np.linspace(0, X.shape[1] - 1, SLICE).astype(int)
    part = X[:, columns]
    best = alternating(
        {
            "ours": lambda: ts.score(ts.count(X, y), "ig"),
            "theirs": lambda: mutual_info_classif(part, y, discrete_features=True),
        },
        rounds=3,
    )
    times = (best["theirs"] / SLICE) / (best["ours"] / X.shape[1])
    yield row(
        f"ig is faster than mutual_info_classif ({SLICE} columns), times", f"{times:,.0f}", "at least 1,000"
    )


def memory(X, y) -> Iterator[dict[str, str]]:
    """Yield the peak memory of counting and scoring all metrics, above a fresh process that holds X."""
    here = Path(__file__).parent
    with TemporaryDirectory() as folder:
        save_npz(f"{folder}/X.npz", X)
        np.save(f"{folder}/y.npy", y)
        code = f"import metrics; metrics.measure_memory({folder!r})"
        done = subprocess.run([sys.executable, "-c", code], check=True, stdout=PIPE, text=True, cwd=here)
    what = "peak memory above the input, count and all metrics"
    yield row(what, f"{float(done.stdout):.0f} MB", "under 200 MB")


def measure_memory(folder: str) -> None:
    """Print the megabytes."""
    X, y = load_npz(f"{folder}/X.npz"), np.load(f"{folder}/y.npy")
    all_metrics(ts.count(X[::400], y[::400]))  # everything imported and compiled
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    all_metrics(ts.count(X, y))
    print(status("VmHWM") - before)


def import_cost() -> Iterator[dict[str, str]]:
    """Time what `import termsift` adds to starting Python."""

    def start(code: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    best = alternating({"bare": start("pass"), "ours": start("import termsift")})
    yield row("import termsift", f"{best['ours'] - best['bare']:.3f} s", "under 0.5 s")


def growth(X, y) -> Iterator[dict[str, str]]:
    """Time three sizes and each further nonzero or cell, which costs the same if the time is linear."""
    yield from growth_of("count", "nonzeros", counting(X, y))
    yield from growth_of("all metrics", "terms x classes", scoring(X, y))


def growth_of(
    what: str, unit: str, sizes: Iterator[tuple[int, Callable[[], object]]]
) -> Iterator[dict[str, str]]:
    size_before, time_before = 0, 0.0
    for size, job in sizes:
        time = alternating({what: job})[what]
        slope = (time - time_before) / (size - size_before) * 1e9
        since = "each" if not size_before else "each more"
        yield row(f"{what}, {size:,} {unit}", f"{time * 1e3:.0f} ms", f"{slope:.0f} ns {since}")
        size_before, time_before = size, time


def counting(X, y) -> Iterator[tuple[int, Callable[[], object]]]:
    order = np.random.default_rng(0).permutation(X.shape[0])
    for share in (4, 2, 1):
        rows = np.sort(order[: X.shape[0] // share])
        part, labels = X[rows], y[rows]
        yield part.nnz, lambda part=part, labels=labels: ts.count(part, labels)


def scoring(X, y) -> Iterator[tuple[int, Callable[[], object]]]:
    for share in (4, 2, 1):
        counts = ts.count(X[:, np.arange(0, X.shape[1], share)], y)
        yield counts.df.shape[0] * counts.df.shape[1], lambda counts=counts: all_metrics(forgotten(counts))


def all_metrics(counts: ts.Counts) -> None:
    for metric in ts.metrics():
        ts.score(counts, metric.name)


def run_tests(scores: ts.Scores) -> None:
    """Compute the p-values of all terms and the significance thresholds of all classes."""
    scores.significant(1)


def forgotten(counts: ts.Counts) -> ts.Counts:
    """Return the same counts before any of their layouts is computed."""
    counts._memo.clear()
    return counts


def distinct_share(counts: ts.Counts) -> float:
    from termsift.counts.contingency import iter_blocks

    cells, place = next(iter_blocks(counts)).distinct_cells
    return cells.tp.size / place.size


def alternating(
    jobs: dict[str, Callable[[], object]], rounds: int = ROUNDS, clock: Callable[[], float] = perf_counter
) -> dict[str, float]:
    """Return the best time of each job; the jobs take turns."""
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(rounds):
        for name, job in jobs.items():
            start = clock()
            job()
            best[name] = min(best[name], clock() - start)
    return best


def status(key: str) -> float:
    """Return a line of the memory statistics of this process, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(key)).split()[1]) / 1024


def row(what: str, value: str, target: str = "") -> dict[str, str]:
    return {"what": what, "value": value, "target": target}


def save(rows: list[dict[str, str]], path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    versions = {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__}
    versions |= {"scikit-learn": sklearn.__version__, "numba": numba.__version__, "termsift": ts.__version__}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["what", "value", "target"], lineterminator="\n")
        writer.writeheader()
        writer.writerows([*rows, *(row(f"version of {name}", value) for name, value in versions.items())])


if __name__ == "__main__":
    main()
