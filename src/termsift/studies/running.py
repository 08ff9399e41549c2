"""A run of a study, unit by unit: each is worked out once, written when it is done, and never again.

The folder of a run holds
- provenance.csv: versions, corpus, checksum, seed and settings, written first;
- units/*.csv: the rows of each unit; a unit that has its file is done;
- results.csv: the rows of all units, in their order;
- tables/*.csv: what is made from them: printed, ours, difference.
"""

from __future__ import annotations

import csv
import io
import os
import platform
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TypeAlias

from termsift.errors import InvalidInput, UnreadableFile
from termsift.output import replacing
from termsift.studies.study import Row, StudyPlan
from termsift.tables import Table
from termsift.text.batches import in_order, threads

Progress: TypeAlias = Callable[[int, int], None]
PACKAGES = ("termsift", "numpy", "scipy", "scikit-learn", "numba")


def carried_out_plan(
    label: str, plan: StudyPlan, folder: Path, n_jobs: int | None, progress: Progress | None
) -> dict[str, Table]:
    """The tables of a plan. Units whose results are in the folder are not worked out again."""
    claim_folder(folder, provenance(label, plan))
    waiting = [unit for unit in plan.units if not unit_file(folder, unit).exists()]
    done = len(plan.units) - len(waiting)

    def work_out(unit: str) -> None:
        write_rows(unit_file(folder, unit), plan.columns, plan.units[unit]())

    for _ in in_order(work_out, waiting, threads(n_jobs)):
        done += 1
        if progress is not None:
            progress(done, len(plan.units))
    rows = [row for unit in plan.units for row in csv_rows(unit_file(folder, unit))]
    write_rows(folder / "results.csv", plan.columns, rows)
    tables = plan.tabled(rows)
    (folder / "tables").mkdir(exist_ok=True)
    for name, table in tables.items():
        write_text(folder / "tables" / f"{name}.csv", table.to_csv())
    return tables


def claim_folder(folder: Path, mine: dict[str, str]) -> None:
    """Make the folder a run's own; one that holds results of other settings is left alone."""
    if folder.is_file():
        raise InvalidInput(f"{folder} is a file; results need a folder of their own")
    file = folder / "provenance.csv"
    if file.exists():
        theirs = written_provenance(folder)
        other = next((what for what in mine | theirs if mine.get(what) != theirs.get(what)), None)
        if other is not None:
            raise InvalidInput(
                f"{folder} holds results with another {other} ({theirs.get(other)}, now {mine.get(other)}); "
                "remove it or give another folder"
            )
    elif folder.exists() and any(folder.iterdir()):
        raise InvalidInput(f"{folder} is not empty and holds no study; give another folder")
    try:
        (folder / "units").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnreadableFile(f"cannot make the folder {folder}: {error.strerror}") from error
    write_rows(file, ("what", "value"), [{"what": what, "value": value} for what, value in mine.items()])


def provenance(label: str, plan: StudyPlan) -> dict[str, str]:
    """Everything the results may depend on."""
    versions = {f"version of {name}": version(name) for name in PACKAGES}
    python = {"version of python": platform.python_version()}
    return {"study": label, **plan.settings, **versions, **python}


def written_provenance(folder: Path) -> dict[str, str]:
    """What the results in a folder depend on; nothing where it holds none."""
    file = folder / "provenance.csv"
    return {row["what"]: row["value"] for row in csv_rows(file)} if file.exists() else {}


def unit_file(folder: Path, unit: str) -> Path:
    """Where the rows of a unit are."""
    return folder / "units" / f"{unit}.csv"


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Write rows as CSV, whole or not at all."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, out.getvalue())


def write_text(path: Path, text: str) -> None:
    """Write a text, whole or not at all."""
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def csv_rows(path: str | os.PathLike[str]) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
