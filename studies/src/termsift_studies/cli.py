"""Command `termsift-studies`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NoReturn

import cyclopts
import numpy as np
from cyclopts import Parameter

import termsift_studies
from termsift import Table
from termsift.cli import main as run_command
from termsift.cli.console import print_message, print_table, spinner, task_progress
from termsift.cli.parameters import AsCsv, AsJson, DataDir, TableOutput
from termsift_studies.study import load_studies


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command of `termsift-studies`."""
    run_command(arguments, parser_module=__name__)


def app_for(arguments: Sequence[str]) -> cyclopts.App:
    """Return the parser of the command line."""
    app = cyclopts.App(
        name="termsift-studies",
        help="Repeat the experiments of papers on feature selection for text.",
        result_action="return_value",
    )
    app.command(list_studies, name="list")
    app.command(run_study, name="run")
    return app


def list_studies(*, as_json: AsJson = False, as_csv: AsCsv = False) -> None:
    """List the studies with their content and their duration on two cores."""
    studies = load_studies().values()
    columns = {
        "study": [study.name for study in studies],
        "repeats": [study.repeats for study in studies],
        "time": [study.takes for study in studies],
        "quick": [study.quick for study in studies],
    }
    table = Table({name: np.array(values, dtype=object) for name, values in columns.items()})
    print_table(table, TableOutput(as_json=as_json, as_csv=as_csv).format)


def run_study(
    name: Annotated[str, Parameter(help="Name of the study; `termsift-studies list` shows them.")],
    *,
    quick: Annotated[bool, Parameter(negative=(), help="Run a small part that takes seconds.")] = False,
    output: Annotated[
        Path | None,
        Parameter(name=["--output", "-o"], help="Folder of the results (default: the study's name)."),
    ] = None,
    publish: Annotated[
        Path | None,
        Parameter(help="Also write results/ and the paper's page and figures in docs/ below this folder."),
    ] = None,
    data_dir: DataDir = None,
    jobs: Annotated[int | None, Parameter(help="Number of threads (default: all cores).")] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Run a study on the data of its paper and compare the printed tables with ours.

    An interrupted run continues where it stopped when the same command is given again.
    """
    from termsift_studies.publishing import check_target, draw_figures, publish_run

    if publish is not None:
        check_target(name, publish, quick)
    with task_progress(name, in_units=True) as advance:
        results = termsift_studies.run(
            name, quick=quick, folder=output, data_dir=data_dir, n_jobs=jobs, progress=advance
        )
    with spinner("drawing"):
        figures = draw_figures(name, results.folder / "tables", results.folder / "figures")
        published = [] if publish is None else publish_run(results, publish)
    summary = results.tables.get("summary", next(iter(results.tables.values())))
    print_table(summary, TableOutput(as_json=as_json, as_csv=as_csv).format)
    print_message(f"{len(results.tables)} tables and {len(figures)} figures are in {results.folder}")
    if published:
        print_message(f"published: {', '.join(map(str, published))}")
