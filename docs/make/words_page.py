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
The evidence is below: the 20 best words that speak for each class of at least 10 documents, averaged over the classes.

- **stable**: the share that is among the 20 best in at least three of five random halves of the documents
- **names**: the share that within sentences mostly has a capital letter; fewer is better for a reader who wants topics; a word that occurs there fewer than three times is not counted as a name
- **templates**: the share that mostly stands in lines that many documents have, or before a colon at the start of a line

`ig` and `g2` rank alike, since `g2` is `ig` times a constant of the corpus: text classification knows the one, corpus linguistics the other, and `termsift diff` takes it.
`lrc` is taken of documents, `log_odds_prior` of occurrences.
ohscal is a matrix of words without its texts, so nothing is known of names and templates there.

## All corpora

"""


def page(rows: Rows) -> str:
    """Return the page."""
    parts = [HEAD.format(winner=DEFAULT_METRIC), table_block(means(rows)), "\n"]
    for corpus in dict.fromkeys(row["corpus"] for row in rows):
        own = [row for row in rows if row["corpus"] == corpus]
        columns = ("metric", *(name for name in FIGURES if own[0][name]), "example")
        parts.append(f"\n## {corpus}, {own[0]['classes']} classes\n\nThe example is of the rarest class.\n\n")
        parts.append(table_block(own, *columns) + "\n")
    return "".join(parts)


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
