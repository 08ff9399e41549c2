"""The table of docs/compare.md that says by which evidence the default candidates were chosen.

It is made of benchmarks/results/compare_candidates.csv, where every candidate was tried on the same folds,
and of results/forman2003-all, which has every metric on 193 problems. `make docs` writes it anew.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

from termsift.compare.candidates.rankers import DEFAULT, OTHERWISE
from termsift.experiment.classifiers import USUAL

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "compare.md"
BEGIN, END = "<!-- candidates -->\n", "<!-- end of candidates -->\n"
Row = dict[str, str]


def main() -> None:
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def page(text: str) -> str:
    """The page with its table made anew."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END)[1]


def table() -> str:
    """The table in Markdown."""
    rows = read(ROOT / "benchmarks" / "results" / "compare_candidates.csv")
    corpora = list(dict.fromkeys(row["corpus"] for row in rows))
    forman = places(read(ROOT / "results" / "forman2003-all" / "summary.csv"))
    lines = [
        f"| candidate | by default | first on, of {len(corpora)} corpora | within one standard error on "
        "| behind the best, on average | first in, of 96 cells of forman2003 | among three in |",
        "|---|---|---|---|---|---|---|",
    ]
    for column in ("method", "classifier"):
        known = {
            name: figures(rows, corpora, column, name) for name in dict.fromkeys(r[column] for r in rows)
        }
        for name, (first, near, behind) in sorted(known.items(), key=lambda item: item[1][2]):
            firsts, thirds = forman.get(name, ("", "")) if column == "method" else ("", "")
            usual = "yes" if name in ("all", *DEFAULT, *OTHERWISE, *USUAL) else ""
            lines.append(f"| `{name}` | {usual} | {first} | {near} | {behind:.3f} | {firsts} | {thirds} |")
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
    """A metric of the study as a method is written: `cc +/- 0.703` is cc:sides."""
    name = re.sub(r" [\d.]+$", "", cell)
    return name.replace(" +/-", ":sides").replace(" in turns", ":turns")


def read(path: Path) -> list[Row]:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    main()
