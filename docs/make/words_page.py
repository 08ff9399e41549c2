"""Write docs/words.md: which metric shows the best words to a reader, from docs/words.csv."""

from __future__ import annotations

import csv
from pathlib import Path

from termsift.report.keywords import DEFAULT_METRIC
from termsift_studies.publishing import Rows, table_block

DOCS = Path(__file__).parent.parent
PAGE, TABLE = DOCS / "words.md", DOCS / "words.csv"
FIGURES = ("stable", "names", "templates")
HEAD = """# Which metric shows the best words

Written by `make docs` from `docs/words.csv`, which `benchmarks/reading_words.py` measures; do not edit.

A metric that is good at choosing terms for a classifier need not be good at showing words to people.
So `termsift score`, `termsift compare` and `termsift report` rank words by **{winner}**, and `bns` stays the default for selecting.
The evidence: the 20 best positive terms of each class with at least 10 documents, averaged over the classes.

- **stable**: the share that is among the 20 best in at least three of five random halves of the documents
- **names**: the share that mostly has an uppercase letter within sentences; fewer is better for topics
- **templates**: the share that mostly occurs in lines that many documents have, or before a colon at the start of a line

`ig` and `g2` rank alike, since `g2` is `ig` times a constant of the corpus; `termsift diff` uses `g2`.
`lrc` is computed from documents, `log_odds_prior` from occurrences.

## All corpora

"""


def page(rows: Rows) -> str:
    """Return the page."""
    stable = [
        {"metric": metric} | {row["corpus"]: row["stable"] for row in rows if row["metric"] == metric}
        for metric in dict.fromkeys(row["metric"] for row in rows)
    ]
    examples = [
        {"corpus": row["corpus"], "metric": row["metric"], "words": row["example"]}
        for row in rows
        if row["metric"] in (DEFAULT_METRIC, "bns") and row["names"]
    ]
    return (
        f"{HEAD.format(winner=DEFAULT_METRIC)}{table_block(means(rows))}\n\n## Stability by corpus\n\n"
        f"{table_block(stable)}\n\n## Words of the rarest class\n\n{table_block(examples)}\n"
    )


def means(rows: Rows) -> Rows:
    """Each metric's mean over the corpora, the most stable first."""
    found = []
    for metric in dict.fromkeys(row["metric"] for row in rows):
        own = [row for row in rows if row["metric"] == metric]
        figures = {name: [float(row[name]) for row in own if row[name]] for name in FIGURES}
        found.append({"metric": metric} | {n: f"{sum(v) / len(v):.3f}" for n, v in figures.items()})
    return sorted(found, key=lambda row: -float(row["stable"]))


if __name__ == "__main__":
    with TABLE.open(newline="", encoding="utf-8") as file:
        PAGE.write_text(page(list(csv.DictReader(file))), encoding="utf-8")
