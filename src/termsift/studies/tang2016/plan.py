"""The plan of the study."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from termsift.studies.study import StudyPlan
from termsift.studies.tang2016.problems import SEED, SETS, folds, matrix_corpus
from termsift.studies.tang2016.tables import tang_tables
from termsift.studies.tang2016.trials import COLUMNS, part_rows, rows_of_corpora

QUICK = ("reuters-10", "alt-comp")


def tang_plan(data_dir: Path | None = None, *, quick: bool = False) -> StudyPlan:
    """Six sets, one of them in two readings; quick, two of them."""
    names = QUICK if quick else tuple(SETS)
    corpora = dict.fromkeys(chosen.corpus for chosen in SETS.values())
    checksums = {f"checksum of {name}": matrix_corpus(name, data_dir).checksum or "" for name in corpora}
    units = {
        f"{name}-{part}": partial(part_rows, name, data_dir, part)
        for name in names
        for part in range(folds(name))
    } | {"corpora": partial(rows_of_corpora, data_dir)}
    return StudyPlan({"seed": str(SEED)} | checksums, COLUMNS, units, tang_tables)
