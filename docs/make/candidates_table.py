"""The table of docs/guide/candidates.md with the evidence for the default candidates.

It is made of benchmarks/results/compare_candidates.csv, where every candidate was tried on the same folds, and
of studies/results/forman2003-all, which has every metric on 193 problems. `make docs` writes it anew.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

from termsift.compare.candidates import BASELINES, DEFAULT_METHODS
from termsift.evaluation.classifiers.catalogue import DEFAULT_CLASSIFIERS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "guide" / "candidates.md"
RESULTS = ROOT / "benchmarks" / "results"
# names in the results that have changed since, and methods that are no longer there
RENAMED = {
    ":turns": ":round_robin",
    ":sides": ":combined",
    ":above_chance": ":significant",
    "bayes": "multinomial_nb",
    "complement": "complement_nb",
}
REMOVED = ("bns:local", "agglomerative(50)")
MAX_DIFFERENCE = 0.0125  # of candidates that are listed, unless they are tried by default
Row = dict[str, str]


def main() -> None:
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def page(text: str) -> str:
    """Return the page with a new table."""
    begin, end = "<!-- candidates -->\n", "<!-- end of candidates -->\n"
    before, rest = text.split(begin)
    return before + begin + table() + end + rest.split(end)[1]


def current_name(name: str) -> str:
    """Return the current name of a method or classifier in the results."""
    for old, new in RENAMED.items():
        name = re.sub(rf"{old}(?=:|$)", new, name)
    return name


def table() -> str:
    """Return the table of candidates in Markdown."""
    rows = [row for row in read(RESULTS / "compare_candidates.csv") if row["method"] not in REMOVED]
    rows = [{**row, **{key: current_name(row[key]) for key in ("method", "classifier")}} for row in rows]
    corpora = list(dict.fromkeys(row["corpus"] for row in rows))
    forman = places(read(ROOT / "studies" / "results" / "forman2003-all" / "summary.csv"))
    lines = [
        f"| candidate | default | first, of {len(corpora)} corpora | within one standard error "
        "| mean difference | first, of 96 cells | among three |",
        "|---|---|---|---|---|---|---|",
    ]
    for column in ("method", "classifier"):
        known = {
            name: figures(rows, corpora, column, name) for name in dict.fromkeys(r[column] for r in rows)
        }
        for name, (first, near, behind) in sorted(known.items(), key=lambda item: item[1][2]):
            is_default = name in ("all", *DEFAULT_METHODS, *BASELINES, *DEFAULT_CLASSIFIERS)
            if behind > MAX_DIFFERENCE and not is_default:
                continue
            firsts, thirds = forman.get(name, ("", "")) if column == "method" else ("", "")
            lines.append(
                f"| `{name}` | {'yes' if is_default else ''} | {first} | {near} | {behind:.3f} | {firsts} | {thirds} |"
            )
    return "\n".join(lines) + "\n"


def figures(rows: list[Row], corpora: list[str], column: str, name: str) -> tuple[int, int, float]:
    """On how many corpora it is first, or within one standard error of it, and how far behind on average."""
    first, near, behind = 0, 0, []
    for corpus in corpora:
        own = [row for row in rows if row["corpus"] == corpus]
        best = max(own, key=lambda row: float(row["mean"]))
        reached = [float(row["mean"]) for row in own if row[column] == name]
        if not reached:
            continue
        gap = float(best["mean"]) - max(reached)
        first, near = first + (gap == 0), near + (gap <= float(best["error"]))
        behind.append(gap)
    return first, near, sum(behind) / len(behind)


def places(rows: list[Row]) -> dict[str, tuple[int, int]]:
    """Of each metric how often it is first, and among three, over classifiers, goals and numbers of terms."""
    every = [row for row in rows if row["problems"] == "all"]
    names = [[written(row[place]) for place in ("first", "second", "third")] for row in every]
    firsts, thirds = Counter(own[0] for own in names), Counter(name for own in names for name in own)
    return {name: (firsts[name], thirds[name]) for name in thirds}


def written(cell: str) -> str:
    """Return a metric of the study as a method is written: `cc +/- 0.703` is cc:combined."""
    name = re.sub(r" [\d.]+$", "", cell)
    return name.replace(" +/-", ":combined").replace(" round_robin", ":round_robin")


def read(path: Path) -> list[Row]:
    """Read the rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    main()
