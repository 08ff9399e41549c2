"""Whether a race answers as the full run does: eight corpora, twenty seeds each.

    python benchmarks/compare_race.py [CORPUS ...]

Each corpus adds its rows to results/compare_race.csv: for each seed what the race and the full run recommend
and find best, whether they are the same, and, where they are not, the p of the corrected resampled t test of
the two on the folds of the full run; how many candidates were dropped; and the CPU time of both.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from time import process_time
from typing import Any

import termsift as ts
from termsift.compare.comparison import Comparison
from termsift_studies.corpora import load

HERE = Path(__file__).parent / "results" / "compare_race.csv"
CORPORA = ("tr12", "tr21", "tr23", "oh0", "oh5", "oh10", "oh15", "sms_spam")
SEEDS = range(20)
TRIED: dict[str, Any] = {
    "metrics": ["bns", "ig", "cc:combined", "md_chi2"],
    "classifiers": ["multinomial_nb", "complement_nb", "svm"],
    "k": [50, 200, 1000],
    "repeats": 1,
    "n_jobs": 1,
}
COLUMNS = (
    "corpus", "seed", "candidates", "dropped", "raced_best", "full_best", "p_best", "raced_chosen",
    "full_chosen", "p_chosen", "lost", "raced_cpu", "full_cpu",
)  # fmt: skip


def timed(corpus: Any, seed: int, thorough: bool) -> tuple[Comparison, float]:
    """Run a comparison and return it with its CPU time."""
    start = process_time()
    found = ts.compare(corpus, random_state=seed, racing=not thorough, **TRIED)
    return found, process_time() - start


def name_of(found: Comparison, line: int) -> str:
    """Return a short name of a candidate."""
    own = found.results.candidates[line]
    return f"{own.ranker.name} {own.classifier.name} {own.asked}"


def p_between(full: Comparison, one: str, other: str) -> float:
    """Return the p-value of two candidates on all folds, 1 if they are the same."""
    lines = {name_of(full, i): i for i in range(len(full.results.candidates))}
    return 1.0 if one == other else full.results.p_value(lines[one], lines[other])


def row_of(name: str, corpus: Any, seed: int) -> tuple[object, ...]:
    """Run the race and the full comparison of a seed."""
    raced, own = timed(corpus, seed, False)
    full, whole = timed(corpus, seed, True)
    best = [name_of(found, found.results.best) for found in (raced, full)]
    chosen = [name_of(found, found.results.recommended) for found in (raced, full)]
    lost = full.recommended["mean"] - raced.recommended["mean"]
    return (
        name, seed, full.results.tried, len(raced.results.dropped), *best, f"{p_between(full, *best):.3f}",
        *chosen, f"{p_between(full, *chosen):.3f}", f"{lost:.4f}", f"{own:.2f}", f"{whole:.2f}",
    )  # fmt: skip


def main(names: list[str]) -> None:
    """Run a seed on every corpus, then the next; rows that the file has are not run again."""
    corpora = {name: load(name) for name in names or CORPORA}
    done = set()
    if HERE.exists():
        with HERE.open(newline="") as file:
            done = {(row["corpus"], int(row["seed"])) for row in csv.DictReader(file)}
    for seed in SEEDS:
        for name, corpus in corpora.items():
            if (name, seed) not in done:
                add_row(row_of(name, corpus, seed))


def add_row(row: tuple[object, ...]) -> None:
    """Add a row to the file, under its head where it is new."""
    is_new = not HERE.exists()
    with HERE.open("a", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, row] if is_new else [row])


if __name__ == "__main__":
    main(sys.argv[1:])
