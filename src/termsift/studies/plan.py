"""A study as a list of units: each is worked out once, written when it is done, and never again.

The folder of a study holds
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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

from termsift.errors import InvalidInput, UnreadableFile
from termsift.output import replacing
from termsift.tables import Table
from termsift.text.batches import in_order, threads

Row: TypeAlias = dict[str, Any]
Progress: TypeAlias = Callable[[int, int], None]
PACKAGES = ("termsift", "numpy", "scipy", "scikit-learn", "numba")


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """What a study is made of.

    settings : what the results depend on: corpus, checksum, seed, readings of the paper
    columns : of a row of results
    units : for each unit the function that gives its rows
    tabled : all rows -> the tables by name
    """

    name: str
    settings: Mapping[str, str]
    columns: Sequence[str]
    units: Mapping[str, Callable[[], list[Row]]]
    tabled: Callable[[list[Row]], dict[str, Table]]


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """The tables of a study that was carried out, and the folder that holds them."""

    study: str
    folder: Path
    tables: Mapping[str, Table]


def carried_out(study: Study, folder: Path, n_jobs: int | None, progress: Progress | None) -> Results:
    """The tables of a study. Units whose results are in the folder are not worked out again."""
    claimed(study, folder)
    waiting = [unit for unit in study.units if not unit_file(folder, unit).exists()]
    done = len(study.units) - len(waiting)

    def worked_out(unit: str) -> None:
        written(unit_file(folder, unit), study.columns, study.units[unit]())

    for _ in in_order(worked_out, waiting, threads(n_jobs)):
        done += 1
        if progress is not None:
            progress(done, len(study.units))
    rows = [row for unit in study.units for row in read(unit_file(folder, unit))]
    written(folder / "results.csv", study.columns, rows)
    tables = study.tabled(rows)
    (folder / "tables").mkdir(exist_ok=True)
    for name, table in tables.items():
        saved(folder / "tables" / f"{name}.csv", table.to_csv())
    return Results(study.name, folder, tables)


def claimed(study: Study, folder: Path) -> None:
    """Make the folder this study's own; one that holds results of other settings is left alone."""
    if folder.is_file():
        raise InvalidInput(f"{folder} is a file; results need a folder of their own")
    mine = provenance(study)
    file = folder / "provenance.csv"
    if file.exists():
        theirs = {row["what"]: row["value"] for row in read(file)}
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
    written(file, ("what", "value"), [{"what": what, "value": value} for what, value in mine.items()])


def provenance(study: Study) -> dict[str, str]:
    """Everything the results may depend on."""
    versions = {f"version of {name}": version(name) for name in PACKAGES}
    python = {"version of python": platform.python_version()}
    return {"study": study.name, **study.settings, **versions, **python}


def unit_file(folder: Path, unit: str) -> Path:
    """Where the rows of a unit are."""
    return folder / "units" / f"{unit}.csv"


def written(path: Path, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Write rows as CSV, whole or not at all."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(rows)
    saved(path, out.getvalue())


def saved(path: Path, text: str) -> None:
    """Write a text, whole or not at all."""
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def read(path: str | os.PathLike[str] | Path) -> list[Row]:
    """The rows of a CSV file."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
