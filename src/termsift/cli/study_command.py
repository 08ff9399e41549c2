"""The command that runs a paper's study."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

import termsift as ts
from termsift.cli.commands import AsCsv, AsJson
from termsift.cli.data import DataDir
from termsift.cli.ending import say
from termsift.cli.talk import show, unit_progress, working

STUDIES = ts.studies.names()


def study(
    name: Annotated[str, Parameter(help=f"{', '.join(STUDIES[:-1])} or {STUDIES[-1]}.")],
    *,
    quick: Annotated[bool, Parameter(negative=(), help="A small part of it, in seconds.")] = False,
    wide: Annotated[
        bool, Parameter(name="--all", negative=(), help="Every metric and classifier, not the paper's alone.")
    ] = False,
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="The folder of its results; its name, here.")
    ] = None,
    publish: Annotated[
        Path | None,
        Parameter(help="Write results/, and the paper's page and figures in docs/, below this folder too."),
    ] = None,
    data_dir: DataDir = None,
    jobs: Annotated[int | None, Parameter(help="Threads; all cores where not given.")] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Run a paper's study on its own data: its tables beside ours, and its figures.

    What is done is kept: interrupted, the same command goes on where it stopped.
    """
    from termsift.studies.publishing import check_place, published_run, study_figures

    name = f"{name}-all" if wide else name
    if publish is not None:
        check_place(name, publish, quick)
    with unit_progress(name) as advance:
        done = ts.studies.run(
            name, quick=quick, folder=output, data_dir=data_dir, n_jobs=jobs, progress=advance
        )
    with working("drawing"):
        drawn = study_figures(name, done.folder / "tables", done.folder / "figures")
        public = [] if publish is None else published_run(done, publish)
    # what says in a few lines what was found; a study without it has short tables, and shows its first
    show(done.tables.get("summary", next(iter(done.tables.values()))), as_json, as_csv)
    say(f"{len(done.tables)} tables and {len(drawn)} figures are in {done.folder}")
    if public:
        say(f"published: {', '.join(map(str, public))}")
