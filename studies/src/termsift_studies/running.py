"""Runs of studies: each unit is computed once and saved when it is done.

The folder of a run contains
- provenance.csv: versions, corpus, checksum, seed and settings, written first;
- units/*.csv: the rows of each unit, with a checksum in the last line that marks the unit as done;
- results.csv: the rows of all units, in order;
- tables/*.csv: the tables built from them, with printed and our figures.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
import platform
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TypeAlias

from termsift._internal.errors import InvalidInputError, TermsiftWarning, UnreadableFileError
from termsift._internal.files import TEMPORARY, atomic_write, require_file
from termsift._internal.resources import map_in_order, resolve_n_jobs
from termsift._internal.tables import Table
from termsift_studies.study import Row, StudyPlan

Progress: TypeAlias = Callable[[int, int], None]
PACKAGES = ("termsift", "numpy", "scipy", "scikit-learn", "numba")
PLAIN_NAME = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9 _,.+-]{0,99}")


def run_plan(
    label: str, plan: StudyPlan, folder: Path, n_jobs: int | None, progress: Progress | None
) -> dict[str, Table]:
    """Run a plan and return its tables. Units with results in the folder are not computed again."""
    # provenance comes first: a folder of other settings must not be mixed with this run
    claim_folder(folder, provenance(label, plan))
    waiting = [unit for unit in plan.units if load_unit(folder, unit, plan.columns) is None]
    warn_about_damage([unit_file(folder, unit) for unit in waiting])
    done = len(plan.units) - len(waiting)

    def work_out(unit: str) -> None:
        write_text(unit_file(folder, unit), add_checksum(unit, format_csv(plan.columns, plan.units[unit]())))

    for _ in map_in_order(work_out, waiting, resolve_n_jobs(n_jobs)):
        done += 1
        if progress is not None:
            progress(done, len(plan.units))
    # rows are always read back from files, so that resumed and uninterrupted runs give the same bytes
    rows = [row for unit in plan.units for row in require_unit(folder, unit, plan.columns)]
    write_text(folder / "results.csv", format_csv(plan.columns, rows))
    tables = plan.tabled(rows)
    create_folder(folder / "tables")
    for name, table in tables.items():
        write_text(folder / "tables" / f"{name}.csv", table.to_csv())
    return tables


def claim_folder(folder: Path, mine: dict[str, str]) -> None:
    """Prepare the folder of a run; refuse a folder with results of other settings."""
    if folder.is_file():
        raise InvalidInputError(f"{folder} is a file; results need a folder of their own")
    file = folder / "provenance.csv"
    # listed once: another run may be at the same point
    entries = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if file.name in entries:
        theirs = load_provenance(folder)
        difference = next((key for key in mine | theirs if mine.get(key) != theirs.get(key)), None)
        if difference is not None:
            raise InvalidInputError(
                f"{folder} holds results with another {difference} ({theirs.get(difference)}, "
                f"now {mine.get(difference)}); remove it or give another folder"
            )
    elif not all(name.startswith(TEMPORARY) for name in entries):
        raise InvalidInputError(f"{folder} is not empty and holds no study; give another folder")
    create_folder(folder)
    write_text(file, format_csv(("what", "value"), [{"what": w, "value": v} for w, v in mine.items()]))
    create_folder(folder / "units")


def create_folder(folder: Path) -> None:
    """Create a folder unless it exists."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnreadableFileError(f"cannot make the folder {folder}: {error.strerror}") from error


def provenance(label: str, plan: StudyPlan) -> dict[str, str]:
    """Return all settings and versions that the results may depend on."""
    versions = {f"version of {name}": version(name) for name in PACKAGES}
    return {"study": label, **plan.settings, **versions, "version of python": platform.python_version()}


def load_provenance(folder: Path) -> dict[str, str]:
    """Load the provenance of the results in a folder, empty if there are none."""
    file = folder / "provenance.csv"
    if not file.exists():
        return {}
    return {row["what"]: row["value"] for row in load_csv(file, ("what", "value"))}


def unit_file(folder: Path, unit: str) -> Path:
    """Return the path of the rows of a unit; a label that is not a safe file name is hashed."""
    plain = PLAIN_NAME.fullmatch(unit)
    return folder / "units" / f"{unit if plain else digest(unit)}.csv"


def add_checksum(unit: str, text: str) -> str:
    """Add a last line with a checksum of the unit's name and rows."""
    return f"{text}# whole: {digest(unit, text)}\n"


def digest(*texts: str) -> str:
    """Return the SHA-256 of concatenated texts in hexadecimal."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()


def load_unit(folder: Path, unit: str, columns: Sequence[str]) -> list[Row] | None:
    """Load the rows of a finished unit; return None if its file is missing, damaged or of another unit."""
    try:
        content = unit_file(folder, unit).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreadableFileError(f"cannot read {unit_file(folder, unit)}: {error.strerror}") from error
    # the checksum covers the name of the unit: a file copied from another unit is rejected
    text = content[: content.rfind(b"# whole: ")].decode("utf-8", "replace")
    if content != add_checksum(unit, text).encode():
        return None
    rows = csv.DictReader(io.StringIO(text, newline=""))
    return list(rows) if rows.fieldnames == list(columns) else None


def require_unit(folder: Path, unit: str, columns: Sequence[str]) -> list[Row]:
    """Load the rows of a unit that must be done by now."""
    rows = load_unit(folder, unit, columns)
    if rows is None:
        raise UnreadableFileError(f"{unit_file(folder, unit)} was altered while the study ran; run it again")
    return rows


def warn_about_damage(files: Iterable[Path]) -> None:
    """Warn about existing files of units that are damaged."""
    damaged = [file for file in files if file.exists()]
    if damaged:
        verb = f" and {len(damaged) - 1} more are" if len(damaged) > 1 else " is"
        message = f"{damaged[0]}{verb} not whole, or of an older version: worked out again"
        warnings.warn(message, TermsiftWarning, stacklevel=4)


def format_csv(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """Format rows as CSV."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def write_text(path: Path, text: str) -> None:
    """Write a text atomically."""
    with atomic_write(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def load_csv(path: str | os.PathLike[str], columns: Sequence[str] = ()) -> list[dict[str, str]]:
    """Load the rows of a CSV file, checking its columns and the number of cells in each row."""
    source = require_file(path)
    try:
        with source.open(encoding="utf-8", newline="") as file:
            head, *rows = [row for row in csv.reader(file, strict=True) if row] or [[]]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UnreadableFileError(f"{source} is damaged or truncated: {error}") from error
    missing = [name for name in columns if name not in head]
    if missing or not head:
        lacking = ", ".join(missing) or "head"
        raise UnreadableFileError(f"{source} is damaged or truncated: it has no {lacking}")
    uneven = [number for number, row in enumerate(rows, 1) if len(row) != len(head)]
    if uneven:
        message = f"{source} is damaged or truncated: row {uneven[0]} has more or fewer cells than its head"
        raise UnreadableFileError(message)
    return [dict(zip(head, row, strict=True)) for row in rows]
