"""Plans of the paper's study, of every metric with three classifiers, and of the smaller studies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from pathlib import Path

from termsift_studies.forman2003.extended import (
    CLASSIFIERS,
    PILOT,
    SMALL,
    WIDER_COLUMNS,
    every_method,
    every_method_rows,
    pilot_rows,
    pilot_tables,
    tabulate_choices,
)
from termsift_studies.forman2003.interpretations import (
    INTERPRETATION_COLUMNS,
    interpretation_rows,
    interpretation_tables,
)
from termsift_studies.forman2003.section5 import SECTION5_COLUMNS, section5_rows, section5_tables
from termsift_studies.forman2003.tables import forman_tables
from termsift_studies.forman2003.trials import COLUMNS, EVERY_SET, SETS, load_set, trial_rows
from termsift_studies.study import Row, StudyPlan

TRIALS = 5
QUICK = ("oh0", "tr12", "tr23")
SMALLEST = ("tr23",)


def forman_plan(data_dir: Path | None = None, *, quick: bool = False) -> StudyPlan:
    """Plan 18 sets in five trials, or (quick) three small sets in one."""
    names, trials = (QUICK, 1) if quick else (SETS, TRIALS)
    units = {
        f"{name}-{trial}": partial(trial_rows, name, data_dir, trial)
        for name in names
        for trial in range(trials)
    }
    settings = {"seed": "the number of the trial"} | set_checksums(names, data_dir)
    return StudyPlan(settings, COLUMNS, units, forman_tables)


def wider_plan(data_dir: Path | None = None, *, quick: bool = False) -> StudyPlan:
    """Plan every metric with three classifiers, one trial of each set."""
    names = SMALLEST if quick else EVERY_SET
    units = units_by_classifier(every_method_rows, data_dir, names, CLASSIFIERS)
    tabled = partial(tabulate_choices, methods=list(every_method()))
    return StudyPlan({"seed": "0"} | set_checksums(names, data_dir), WIDER_COLUMNS, units, tabled)


def section5_plan(data_dir: Path | None = None, *, quick: bool = False) -> StudyPlan:
    """Plan the weights of positive terms and the cutoffs of rare words."""
    names = SMALLEST if quick else EVERY_SET
    units = {name: partial(section5_rows, data_dir, name) for name in names}
    return StudyPlan({"seed": "0"} | set_checksums(names, data_dir), SECTION5_COLUMNS, units, section5_tables)


def pilot_plan(data_dir: Path | None = None, *, quick: bool = False) -> StudyPlan:
    """Plan four classifiers with one trial of each small set."""
    names = SMALLEST if quick else SMALL
    units = units_by_classifier(pilot_rows, data_dir, names, PILOT)
    return StudyPlan({"seed": "0"} | set_checksums(names, data_dir), WIDER_COLUMNS, units, pilot_tables)


def interpretations_plan(data_dir: Path | None = None, *, quick: bool = False) -> StudyPlan:
    """Plan the interpretations of open questions in the paper."""
    names = SMALLEST if quick else EVERY_SET
    units = {name: partial(interpretation_rows, data_dir, name) for name in names}
    return StudyPlan(
        {"seed": "0"} | set_checksums(names, data_dir), INTERPRETATION_COLUMNS, units, interpretation_tables
    )


def units_by_classifier(
    rows_of: Callable[[Path | None, str, str], list[Row]],
    data_dir: Path | None,
    names: Iterable[str],
    classifiers: Iterable[str],
) -> dict[str, Callable[[], list[Row]]]:
    """Return a unit for each set and classifier."""
    return {
        f"{name}-{classifier}": partial(rows_of, data_dir, name, classifier)
        for name, classifier in product(names, classifiers)
    }


def set_checksums(names: Iterable[str], data_dir: Path | None) -> dict[str, str]:
    """Return the checksums of the sets, for the provenance."""
    return {f"checksum of {name}": load_set(name, data_dir)[1] for name in names}
