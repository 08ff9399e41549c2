"""Tang, Kay and He (2016), "Toward optimal feature selection in naive Bayes for text categorization".

How the paper was read where it is silent is in `problems.py` (the sets), `classifiers.py` and `methods.py`
(from the scores of the classes to one); docs/tang2016.md says which reading its statements need.
"""

from __future__ import annotations

from functools import partial

from termsift.corpora.entry import DataDir
from termsift.studies.plan import Study
from termsift.studies.tang2016.problems import SEED, SETS, folds, matrix
from termsift.studies.tang2016.tables import tables
from termsift.studies.tang2016.trials import COLUMNS, corpus_facts, results_of

QUICK = ("reuters-10", "alt-comp")


def study(data_dir: DataDir = None, *, quick: bool = False) -> Study:
    """The study of six sets, one of them in two readings; quick, of two of them."""
    names = QUICK if quick else tuple(SETS)
    corpora = dict.fromkeys(chosen.corpus for chosen in SETS.values())
    checksums = {f"checksum of {name}": matrix(name, data_dir).checksum or "" for name in corpora}
    units = {
        f"{name}-{fold}": partial(results_of, name, data_dir, fold)
        for name in names
        for fold in range(folds(name))
    }
    return Study(
        "tang2016 quick" if quick else "tang2016",
        {"seed": str(SEED), **checksums},
        COLUMNS,
        units | {"corpora": partial(corpus_facts, data_dir)},
        tables,
    )
