"""What the pages of studies share: tables of results as rows, rows as Markdown; and the list of studies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from termsift.studies.running import csv_rows, written_provenance
from termsift.studies.study import Study, declared_studies, studies_of_paper

Rows: TypeAlias = list[dict[str, str]]
STATEMENT = ("where", "statement", "ours", "verdict")
INDEX = """# Studies

Written by `make docs` from what each study declares; do not edit.

`termsift study NAME` repeats a paper's experiments on its own corpora; `--quick` does a small part.

| study | what it repeats | time on two cores | quick |
|---|---|---|---|
"""
PLAIN = """Not all results of this paper are here: its own page is made from whole runs of {studies}.
Figures in columns named "printed" are the paper's, all others ours.
"""


@dataclass(frozen=True, slots=True)
class ResultTables:
    """The tables of studies below a folder: a folder a study, a CSV file a table."""

    root: Path

    def rows(self, study: str, table: str) -> Rows:
        """The rows of a table; none where there is no such table."""
        file = self.root / study / f"{table}.csv"
        return csv_rows(file) if file.exists() else []

    def whole(self, study: str) -> bool:
        """Whether there are results of a whole run, not of a quick one."""
        label = written_provenance(self.root / study).get("study", "quick")
        return not label.endswith("quick")


def page_of_paper(study: Study, results: ResultTables, pictures: Iterable[str]) -> str:
    """The page of a paper: its own where all its results are whole, else what there is."""
    written = f"Written by `make docs` from the results in `results/{study.paper}`; do not edit."
    head, own = f"# {study.title}\n\n{written}\n\n", studies_of_paper(study.paper)
    if all(results.whole(one.name) for one in own):
        text: str = study.function(study.page)(results)
        return head + text
    parts = [PLAIN.format(studies=", ".join(f"`{one.name}`" for one in own))]
    found = [(one.name, t, results.rows(one.name, t)) for one in own for t in ("summary", "statements")]
    parts += [f"\n## {name}: {table}\n\n{whole_table(rows)}" for name, table, rows in found if rows]
    return "".join([head, *parts, picture_section(study.paper, {name: name for name in pictures})])


def index_page() -> str:
    """The list of studies."""
    lines = []
    for study in declared_studies().values():
        what = study.repeats if study.part_of else f"{study.repeats}: [{study.title}]({study.paper}.md)"
        lines.append(f"| `{study.name}` | {what} | {study.takes} | {study.quick} |\n")
    return INDEX + "".join(lines)


def markdown_table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Lines of cells below a head."""
    bar = "|" + "---|" * len(head)
    cells = ("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
    return "\n".join(["| " + " | ".join(head) + " |", bar, *cells]) + "\n"


def column_table(head: Sequence[str], rows: Rows) -> str:
    """Some columns of a table."""
    return markdown_table(head, [[row[name] for name in head] for row in rows])


def whole_table(rows: Rows) -> str:
    """All columns of a table."""
    return column_table(list(rows[0]), rows)


def thousandths(value: str) -> str:
    """A number with three digits, without the zero before the point.

    >>> thousandths("0.81249")
    '.812'
    """
    return f"{float(value):.3f}".removeprefix("0")


def picture_section(paper: str, captions: Mapping[str, str]) -> str:
    """The pictures of a paper below their captions; nothing where there are none."""
    lines = [
        f"\n### {caption}\n\n![{caption}](img/{paper}/{name}.svg)\n" for name, caption in captions.items()
    ]
    return "\n## Figures\n" + "".join(lines) if lines else ""
