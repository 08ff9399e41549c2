"""What a comparison says under budgets of 5, 20 and 60 seconds, held against the run without one.

    python benchmarks/compare_budget.py [CORPUS ...]

Each corpus adds its rows to results/compare_budget.csv: what is recommended, on how many folds, how it stands
to the recommendation of the full run by the corrected resampled t test on the folds of the latter; and the
methods that are called worse than the best under the budget, though the full run has them ahead of it.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import termsift as ts
from compare_race import name_of
from termsift.compare.comparison import Comparison
from termsift_studies.corpora import load

HERE = Path(__file__).parent / "results" / "compare_budget.csv"
CORPORA, BUDGETS = ("sms_spam", "oh0", "tr12", "docstrings", "wap", "ohscal"), (5, 20, 60)
COLUMNS = (
    "corpus", "budget", "candidates", "folds", "chosen", "full_chosen", "difference", "p", "worse",
    "contradicted",
)  # fmt: skip


def row_of(name: str, budget: float, found: Comparison, full: Comparison) -> tuple[object, ...]:
    """Compare the result of a budget with that of all candidates."""
    own, other = (name_of(one, one.results.recommended) for one in (found, full))
    r, lines = full.results, {name_of(full, i): i for i in range(len(full.results.candidates))}
    difference = r.means[lines[own]] - r.means[lines[other]]
    p = 1.0 if own == other else r.p_value(lines[own], lines[other])
    worse = [row["method"] for row in found.methods if row["verdict"] == "worse"]
    best = found.best["method"]
    wrong = [one for one in worse if r.means[r.best_of(one)] >= r.means[r.best_of(best)]]
    figures = found.results.tried, found.results.values.shape[1], own, other, f"{difference:.4f}", f"{p:.3f}"
    return name, budget, *figures, " ".join(worse), " ".join(wrong)


def main(names: list[str]) -> None:
    """Compare under each budget, and add the rows to the file."""
    for name in names or CORPORA:
        corpus = load(name)
        full = ts.compare(corpus, racing=False)
        for budget in BUDGETS:
            row = row_of(name, budget, ts.compare(corpus, budget=budget), full)
            print(*row, flush=True)
            is_new = not HERE.exists()
            with HERE.open("a", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([COLUMNS, row] if is_new else [row])


if __name__ == "__main__":
    main(sys.argv[1:])
