"""Results where they belong: tables in results/, figures and pages in docs/, whole or not at all."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from termsift.errors import InvalidInput, UnreadableFile
from termsift.output import scratch_folder
from termsift.report import save_chart
from termsift.studies.pages import FAULTS, ResultTables, index_page, page_of_paper
from termsift.studies.running import csv_rows, make_folder, write_text
from termsift.studies.study import StudyResults, declared_studies, declared_study, studies_of_paper


def study_figures(name: str, tables: Path, target: Path) -> list[Path]:
    """Draw the figures of a study, if it has any, from a folder of its tables. Gives the files."""
    study = declared_study(name)
    if not study.figures:
        return []
    target.mkdir(parents=True, exist_ok=True)
    drawn = []
    for title, chart in study.function(study.figures)(tables).items():
        drawn.append(target / f"{title}.svg")
        save_chart(chart, drawn[-1])
        write_text(drawn[-1], renumbered_clips(drawn[-1].read_text(encoding="utf-8")))
    return drawn


def renumbered_clips(svg: str) -> str:
    """A picture with its clips numbered from 1: Vega counts those of all pictures that a process draws.

    >>> renumbered_clips('<g clip-path="url(#clip8)"/><g clip-path="url(#clip7)"/>')
    '<g clip-path="url(#clip2)"/><g clip-path="url(#clip1)"/>'
    """
    before = min(map(int, re.findall(r"\bclip(\d+)\b", svg)), default=1) - 1
    return re.sub(r"\bclip(\d+)\b", lambda clip: f"clip{int(clip[1]) - before}", svg)


def check_place(name: str, target: Path, quick: bool) -> None:
    """Whether results may go below a folder: asked before long work, so that it is not lost at its end."""
    study = declared_study(name)
    if target.exists() and not target.is_dir():
        raise InvalidInput(f"{target} is a file; give the folder of results/ and docs/")
    if quick and ResultTables(target / "results").whole(study.name):
        raise InvalidInput(
            f"{target / 'results' / study.name} holds a whole run, which a quick one does not replace; "
            "give another folder"
        )


def published_run(done: StudyResults, target: Path) -> list[Path]:
    """The tables of a run below a folder, and the page and figures of its paper made anew."""
    study = declared_study(done.study)
    make_folder(target)
    with scratch_folder(target) as staged:
        for other in studies_of_paper(study.paper):
            if other != study and (target / "results" / other.name).exists():
                copy_tables(target / "results" / other.name, staged / "results" / other.name)
        own = staged / "results" / study.name
        own.mkdir(parents=True)
        for file in (
            done.folder / "provenance.csv",
            *(done.folder / "tables" / f"{t}.csv" for t in done.tables),
        ):
            shutil.copyfile(file, own / file.name)
        pages = stage_page(study.paper, staged)
        return put_in_place(staged, target, [f"results/{study.name}", *pages])


def publish_pages(target: Path) -> list[Path]:
    """The pages and figures of all papers from the results below a folder, and the list of studies."""
    if not (target / "results").is_dir():
        raise UnreadableFile(f"there is no folder {target / 'results'} to make pages from")
    with scratch_folder(target) as staged:
        copy_tables(target / "results", staged / "results")
        papers = dict.fromkeys(study.paper for study in declared_studies().values())
        pages = [page for paper in papers for page in stage_page(paper, staged)]
        write_text(staged / "docs" / "studies.md", index_page())
        return put_in_place(staged, target, [*pages, "docs/studies.md"])


def copy_tables(source: Path, place: Path) -> None:
    """Copy a folder of results, none of whose tables is damaged."""
    for table in sorted(source.rglob("*.csv")):
        csv_rows(table)
    shutil.copytree(source, place)


def stage_page(paper: str, staged: Path) -> list[str]:
    """Write the page and the figures of a paper from the results below a folder. Gives their places."""
    study, pictures = declared_study(paper), staged / "docs" / "img" / paper
    (staged / "docs").mkdir(exist_ok=True)
    tables = staged / "results" / paper
    try:
        drawn = study_figures(paper, tables, pictures) if tables.exists() else []
        text = page_of_paper(study, ResultTables(staged / "results"), [file.stem for file in drawn])
    except FAULTS as error:
        told = f"{type(error).__name__}: {error}"
        raise UnreadableFile(f"the results of {paper} are damaged, or not of this version: {told}") from error
    write_text(staged / "docs" / f"{paper}.md", text)
    return [f"docs/{paper}.md", *([f"docs/img/{paper}"] if drawn else [])]


def put_in_place(staged: Path, target: Path, parts: Sequence[str]) -> list[Path]:
    """Move parts of a tree to their places; if one cannot be moved, all is as it was before."""
    moves: list[tuple[Path, Path]] = []

    def move(source: Path, place: Path) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        source.rename(place)
        moves.append((source, place))

    try:
        for part in parts:
            if (target / part).exists():
                move(target / part, staged / "before" / part)
            move(staged / part, target / part)
    except OSError as error:
        for source, place in reversed(moves):
            place.rename(source)
        raise UnreadableFile(f"cannot write below {target}: {error.strerror}") from error
    return [target / part for part in parts]
