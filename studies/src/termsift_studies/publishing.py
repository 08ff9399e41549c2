"""Pages of papers: result tables, templates that show them, and the list of studies."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from jinja2 import Environment, PackageLoader, StrictUndefined, UndefinedError

from termsift._internal.errors import InvalidInputError, UnreadableFileError
from termsift._internal.files import scratch_folder
from termsift.report import save_chart
from termsift_studies.running import create_folder, load_csv, load_provenance, write_text
from termsift_studies.study import Study, StudyResults, find_paper_studies, find_study, load_studies

Rows: TypeAlias = list[dict[str, str]]
# what a page or a figure meets in tables that lack rows, columns or numbers
FAULTS = (UndefinedError, ValueError, LookupError, ArithmeticError)
INDEX = """# Studies

Written by `make docs` from the declarations of the studies; do not edit.

`termsift-studies run NAME` repeats the experiments of a paper on its corpora; `--quick` runs a small part.

| study | content | time on two cores | quick |
|---|---|---|---|
"""
PLAIN = """Some results of this paper are missing: its full page needs full runs of {studies}.
Columns named "printed" have the paper's figures, all others ours.
"""


@dataclass(frozen=True, slots=True)
class ResultTables:
    """Tables of studies below a folder: a folder per study, a CSV file per table."""

    root: Path

    def rows(self, study: str, table: str) -> Rows:
        """Return the rows of a table, none if it is missing."""
        file = self.root / study / f"{table}.csv"
        return load_csv(file) if file.exists() else []

    def is_complete(self, study: str) -> bool:
        """Check if there are results of a full run."""
        label = load_provenance(self.root / study).get("study", "quick")
        return not label.endswith("quick")


def render_page(study: Study, results: ResultTables, pictures: Iterable[str]) -> str:
    """Render the page of a paper from its template, or a plain page if some results are missing."""
    written = f"Written by `make docs` from `studies/results/{study.paper}`; do not edit."
    studies = find_paper_studies(study.paper)
    is_complete = all(results.is_complete(part_study.name) for part_study in studies)
    text = render_template(study, results) if is_complete else render_plain_page(studies, results, pictures)
    return f"# {study.title}\n\n{written}\n\n{text}"


def render_template(study: Study, results: ResultTables) -> str:
    """Render the template page.md of a paper, without the heading."""
    environment = Environment(
        loader=PackageLoader(study.package, ""),
        autoescape=False,  # Markdown
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = study.function(study.page) if study.page else ()
    shared = (table_block, filter_rows, thousandths, trim_zeros)
    # templates refer to filters by the names of the functions
    environment.filters |= {filtering.__name__: filtering for filtering in (*shared, *filters)}
    figure = partial(picture_block, study.paper)
    return environment.get_template("page.md").render(rows=results.rows, figure=figure)


def render_plain_page(studies: Sequence[Study], results: ResultTables, pictures: Iterable[str]) -> str:
    """Render the summaries, statements and pictures that are available."""
    blocks = [PLAIN.format(studies=", ".join(f"`{study.name}`" for study in studies))]
    labels = [(study.name, table) for study in studies for table in ("summary", "statements")]
    sections = [(name, table, results.rows(name, table)) for name, table in labels]
    blocks += [f"\n## {name}: {table}\n\n{table_block(rows)}\n" for name, table, rows in sections if rows]
    drawn = [picture_block(studies[0].paper, name, name) + "\n" for name in pictures]
    return "".join([*blocks, *(["\n## Figures\n", *drawn] if drawn else [])])


def render_index() -> str:
    """Render the list of studies."""
    table_rows = []
    for study in load_studies().values():
        description = study.repeats if study.part_of else f"{study.repeats}: [{study.title}]({study.name}.md)"
        table_rows.append(f"| `{study.name}` | {description} | {study.takes} | {study.quick} |\n")
    return INDEX + "".join(table_rows)


def format_markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format rows of cells below a header."""
    bar = "|" + "---|" * len(head)
    cells = ("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)
    return "\n".join(["| " + " | ".join(head) + " |", bar, *cells]) + "\n"


def table_block(rows: Rows, *head: str) -> str:
    """Format some or all columns of rows as a table for a template."""
    columns = head or list(rows[0])
    table = format_markdown_table(columns, [[row[name] for name in columns] for row in rows])
    return table.removesuffix("\n")


def picture_block(paper: str, name: str, caption: str) -> str:
    """Format a picture of a paper below its caption."""
    return f"\n### {caption}\n\n![{caption}](img/{paper}/{name}.svg)"


def filter_rows(rows: Rows, **values: str) -> Rows:
    """Return the rows that have these values.

    >>> filter_rows([{"size": "10", "f1": ".7"}, {"size": "20", "f1": ".8"}], size="20")
    [{'size': '20', 'f1': '.8'}]
    """
    return [row for row in rows if all(row[name] == value for name, value in values.items())]


def pivot_rows(rows: Rows, key: str, heads: str, cell: Callable[[dict[str, str]], str]) -> Rows:
    """Return a row for each value of a column, with a cell under a heading made from each original row.

    >>> pivot_rows([{"size": "10", "of": "f1", "is": "7"}, {"size": "10", "of": "f2", "is": "8"}],
    ...             "size", "best {of}", lambda row: row["is"])
    [{'size': '10', 'best f1': '7', 'best f2': '8'}]
    """
    pivoted: dict[str, dict[str, str]] = {}
    for row in rows:
        pivoted.setdefault(row[key], {key: row[key]})[heads.format_map(row)] = cell(row)
    return list(pivoted.values())


def trim_zeros(rows: Rows) -> Rows:
    """Remove the decimal point from integers."""
    return [{name: value.removesuffix(".0") for name, value in row.items()} for row in rows]


def thousandths(value: str) -> str:
    """Format a number with three digits, without the zero before the point.

    >>> thousandths("0.81249")
    '.812'
    """
    return f"{float(value):.3f}".removeprefix("0")


def draw_figures(name: str, tables: Path, target: Path) -> list[Path]:
    """Draw the figures of a study, if it has any, from a folder of its tables. Return the files."""
    study = find_study(name)
    if not study.figures:
        return []
    target.mkdir(parents=True, exist_ok=True)
    drawn = []
    for title, chart in study.function(study.figures)(tables).items():
        drawn.append(target / f"{title}.svg")
        save_chart(chart, drawn[-1])
        write_text(drawn[-1], renumber_clips(drawn[-1].read_text(encoding="utf-8")))
    return drawn


def renumber_clips(svg: str) -> str:
    """Renumber the clips of a picture from 1, since Vega counts those of all pictures of a process.

    >>> renumber_clips('<g clip-path="url(#clip8)"/><g clip-path="url(#clip7)"/>')
    '<g clip-path="url(#clip2)"/><g clip-path="url(#clip1)"/>'
    """
    before = min(map(int, re.findall(r"\bclip(\d+)\b", svg)), default=1) - 1
    return re.sub(r"\bclip(\d+)\b", lambda clip: f"clip{int(clip[1]) - before}", svg)


def check_target(name: str, target: Path, quick: bool) -> None:
    """Check that results can be published below a folder, before any long work."""
    study = find_study(name)
    if target.exists() and not target.is_dir():
        raise InvalidInputError(f"{target} is a file; give the folder of results/ and docs/")
    if quick and ResultTables(target / "results").is_complete(study.name):
        raise InvalidInputError(
            f"{target / 'results' / study.name} holds a whole run, which a quick one does not replace; "
            "give another folder"
        )


def publish_run(done: StudyResults, target: Path) -> list[Path]:
    """Publish the tables of a run and update the page and figures of its paper."""
    study = find_study(done.study)
    create_folder(target)
    # everything is written to a scratch folder first, so that a failure leaves the target unchanged
    with scratch_folder(target) as staged:
        for sibling in find_paper_studies(study.paper):
            # the page of a paper shows the results of all its studies, so they are staged too
            if sibling != study and (target / "results" / sibling.name).exists():
                copy_tables(target / "results" / sibling.name, staged / "results" / sibling.name)
        study_folder = staged / "results" / study.name
        study_folder.mkdir(parents=True)
        tables = [done.folder / "tables" / f"{table}.csv" for table in done.tables]
        for file in (done.folder / "provenance.csv", *tables):
            shutil.copyfile(file, study_folder / file.name)
        pages = stage_page(study.paper, staged)
        return replace_files(staged, target, [f"results/{study.name}", *pages])


def publish_pages(target: Path) -> list[Path]:
    """Update the pages and figures of all papers and the list of studies from the results below a folder."""
    if not (target / "results").is_dir():
        raise UnreadableFileError(f"there is no folder {target / 'results'} to make pages from")
    with scratch_folder(target) as staged:
        copy_tables(target / "results", staged / "results")
        papers = dict.fromkeys(study.paper for study in load_studies().values())
        pages = [page for paper in papers for page in stage_page(paper, staged)]
        write_text(staged / "docs" / "studies.md", render_index())
        return replace_files(staged, target, [*pages, "docs/studies.md"])


def copy_tables(source: Path, destination: Path) -> None:
    """Copy a folder of results after validating all its tables."""
    for table in sorted(source.rglob("*.csv")):
        load_csv(table)
    shutil.copytree(source, destination)


def stage_page(paper: str, staged: Path) -> list[str]:
    """Write the page and the figures of a paper from the results below a folder. Return their paths."""
    study, pictures = find_study(paper), staged / "docs" / "img" / paper
    (staged / "docs").mkdir(exist_ok=True)
    tables = staged / "results" / paper
    try:
        drawn = draw_figures(paper, tables, pictures) if tables.exists() else []
        text = render_page(study, ResultTables(staged / "results"), [file.stem for file in drawn])
    except FAULTS as error:
        reason = f"{type(error).__name__}: {error}"
        message = f"the results of {paper} are damaged, or not of this version: {reason}"
        raise UnreadableFileError(message) from error
    write_text(staged / "docs" / f"{paper}.md", text)
    return [f"docs/{paper}.md", *([f"docs/img/{paper}"] if drawn else [])]


def replace_files(staged: Path, target: Path, paths: Sequence[str]) -> list[Path]:
    """Move paths of a tree to their destination; if one move fails, undo all."""
    moves: list[tuple[Path, Path]] = []

    def move(source: Path, destination: Path) -> None:
        destination.parent.mkdir(parents=True, exist_ok=True)
        source.rename(destination)
        moves.append((source, destination))

    try:
        for path in paths:
            if (target / path).exists():
                move(target / path, staged / "before" / path)
            move(staged / path, target / path)
    except OSError as error:
        # undo in reverse order: a path may have been moved aside before its replacement came
        for source, destination in reversed(moves):
            destination.rename(source)
        raise UnreadableFileError(f"cannot write below {target}: {error.strerror}") from error
    return [target / path for path in paths]
