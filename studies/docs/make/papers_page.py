"""Write studies/docs/papers.md, an overview of the five papers, from studies/results."""

from __future__ import annotations

from pathlib import Path

from termsift_studies.publishing import ResultTables, Rows, table_block
from termsift_studies.study import count_verdicts

ROOT = Path(__file__).parent.parent.parent
PAGE, WORDS = ROOT / "docs" / "papers.md", Path(__file__).parent / "papers"
# for each paper: the tables of its statements, and the rows of its main interpretation
TABLES = {
    "forman2003": (
        ("forman2003", "statements", {}),
        ("forman2003-section5", "summary", {}),
        ("forman2003-pilot", "summary", {}),
    ),
    "zheng2004": (("zheng2004", "claims", {}),),
    "tang2016": (
        ("tang2016", "statements", {"interpretation": "weighted, chi2 as printed"}),
        ("tang2016", "statements", {"interpretation": "any"}),
    ),
    "jiang-lee": (("jiang-lee", "statements", {}),),
    "uchyigit-clark": (
        ("uchyigit-clark", "statements", {"vocabulary": "room for all words", "gu": "GU proportions"}),
    ),
}
TITLES = {
    "forman2003": "Forman (2003)",
    "zheng2004": "Zheng, Wu and Srihari (2004)",
    "tang2016": "Tang, Kay and He (2016)",
    "jiang-lee": "Jiang and Lee",
    "uchyigit-clark": "Uchyigit and Clark (2007)",
}
# one set of Tang, Kay and He has two interpretations; the main one has two classes
OTHER_INTERPRETATION = "(six classes)"
HEAD = """# The five papers

Written by `make docs` from `studies/results`; do not edit.

termsift implements the methods of five papers. Each paper is repeated as a study; its page has every table, interpretation and figure.
This page lists the claims of each paper, which of them hold, and the lessons.
Verdicts are those of a study's main interpretation, which a sentence of the paper supports and which comes closest to its figures.
A statement that an interpretation makes true by construction is not counted.
"""


def page() -> str:
    """Return the page."""
    by_paper = {paper: statements(paper) for paper in TABLES}
    every = [row for rows in by_paper.values() for row in rows]
    counted = [counts_row(f"[{TITLES[paper]}]({paper}.md)", rows) for paper, rows in by_paper.items()]
    blocks = [HEAD, table_block([*counted, counts_row("all", every)]) + "\n"]
    changed = (WORDS / "changed.md").read_text(encoding="utf-8")
    for paper, title in TITLES.items():
        words = (WORDS / f"{paper}.md").read_text(encoding="utf-8")
        blocks.append(f"## {title}\n\n{words}")
    blocks.append(f"## Verdicts that changed\n\n{changed}")
    blocks.append("## Every statement\n")
    for paper, title in TITLES.items():
        table = table_block(by_paper[paper], "where", "statement", "ours", "verdict")
        blocks.append(f"### {title}: statements\n\n{table}\n")
    return "\n".join(blocks)


def statements(paper: str) -> Rows:
    """Return the statements of a paper under its main interpretation."""
    results = ResultTables(ROOT / "results")
    return [
        row
        for study, table, selection in TABLES[paper]
        for row in results.rows(study, table)
        if selection.items() <= row.items() and OTHER_INTERPRETATION not in row["statement"]
    ]


def counts_row(name: str, rows: Rows) -> dict[str, str]:
    """Return the numbers of verdicts."""
    counts = count_verdicts(rows)
    return {"paper": name, "statements": str(sum(counts.values()))} | {
        verdict: str(count) for verdict, count in counts.items()
    }


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
