"""Forman (2003), "An extensive empirical study of feature selection metrics for text classification".

The 18 sets of Han and Karypis give 193 of its 229 problems; the Cora abstracts cannot be had.
"""

from __future__ import annotations

from functools import partial

from termsift.corpora.entry import DataDir
from termsift.studies.forman2003.problems import SETS, dataset
from termsift.studies.forman2003.tables import tables
from termsift.studies.forman2003.trials import COLUMNS, results_of
from termsift.studies.plan import Study

TRIALS = 5
QUICK = ("oh0", "tr12", "tr23")


def study(data_dir: DataDir = None, *, quick: bool = False) -> Study:
    """The study of 18 sets in five trials; quick, of three small ones in one."""
    names, trials = (QUICK, 1) if quick else (SETS, TRIALS)
    checksums = {f"checksum of {name}": dataset(name, data_dir).checksum for name in names}
    units = {
        f"{name}-{trial}": partial(results_of, name, data_dir, trial)
        for name in names
        for trial in range(trials)
    }
    return Study(
        "forman2003 quick" if quick else "forman2003",
        {"seed": "the number of the trial", **checksums},
        COLUMNS,
        units,
        tables,
    )
