"""Plans of the paper's study, its interpretations and its synthetic experiments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from termsift_studies.study import Row, StudyPlan
from termsift_studies.tang2016 import interpretations, synthetic, trials
from termsift_studies.tang2016.tables import tang_tables

PartRows: TypeAlias = Callable[[str, Path | None, int], list[Row]]
Units: TypeAlias = dict[str, Callable[[], list[Row]]]
QUICK = ("reuters-10", "alt-comp")


def tang_plan(data_dir: Path | None = None, *, quick: bool = False) -> StudyPlan:
    """Plan six sets, one of them in two interpretations; quick: two sets."""
    units = set_units(trials.fold_rows, QUICK if quick else tuple(trials.SETS), data_dir)
    units |= {"corpora": partial(trials.corpus_rows, data_dir)}
    return StudyPlan(settings(data_dir), trials.COLUMNS, units, tang_tables)


def tang_interpretations_plan(data_dir: Path | None = None, *, quick: bool = False) -> StudyPlan:
    """Plan every interpretation on the sets that statements refer to; quick: one set."""
    names = QUICK[1:] if quick else interpretations.SETS
    units = set_units(interpretations.interpretation_rows, names, data_dir)
    if not quick:
        units["forms"] = partial(interpretations.form_rows, data_dir)
    tabled = interpretations.interpretation_tables
    return StudyPlan(settings(data_dir), interpretations.COLUMNS, units, tabled)


def tang_length_plan(data_dir: Path | None = None, *, quick: bool = False) -> StudyPlan:
    """Plan MD of documents of equal length on the sets that statements refer to; quick: one set."""
    rows = partial(interpretations.interpretation_rows, tried=interpretations.LATER)
    units = set_units(rows, QUICK[1:] if quick else interpretations.SETS, data_dir)
    return StudyPlan(settings(data_dir), interpretations.COLUMNS, units, interpretations.later_tables)


def tang_synthetic_plan(data_dir: Path | None = None, *, quick: bool = False) -> StudyPlan:
    """Plan experiments on known distributions, without a corpus; quick: the shortest text."""
    experiments = (
        (synthetic.statistic_rows, synthetic.LENGTHS),
        (synthetic.likeness_rows, synthetic.OCCURRENCES),
        (synthetic.selection_rows, synthetic.TRAINING),
    )
    units: Units = {
        f"{rows.__name__}-{level}": partial(rows, level) for rows, levels in experiments for level in levels
    }
    units["first_rows"] = synthetic.first_rows
    if quick:
        units = dict([*units.items()][:1])
    return StudyPlan({"seed": str(synthetic.SEED)}, synthetic.COLUMNS, units, synthetic.synthetic_tables)


def set_units(rows: PartRows, names: Sequence[str], data_dir: Path | None) -> Units:
    """Return a unit for each fold of each set."""
    return {
        f"{name}-{fold}": partial(rows, name, data_dir, fold)
        for name in names
        for fold in range(trials.folds(name))
    }


def settings(data_dir: Path | None) -> dict[str, str]:
    """Return the seed and the checksums of the corpora, for the provenance."""
    corpora = dict.fromkeys(chosen.corpus for chosen in trials.SETS.values())
    checksums = {
        f"checksum of {name}": trials.matrix_corpus(name, data_dir).checksum or "" for name in corpora
    }
    return {"seed": str(trials.SEED)} | checksums
