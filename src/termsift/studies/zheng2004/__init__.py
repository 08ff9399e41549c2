"""Zheng, Wu and Srihari (2004), "Feature selection for text categorization on imbalanced data".

How the paper was read where it is silent is in `problems.py` (what a term is) and `methods.py`
(what a score, a break-even point and a ratio are); docs/zheng2004.md says why.
"""

from __future__ import annotations

from functools import partial

from termsift.corpora.entry import DataDir
from termsift.studies.plan import Study
from termsift.studies.zheng2004.methods import COLUMNS, SEED, SIZES, STUDIED, Scope, results_of
from termsift.studies.zheng2004.problems import Problems, problems
from termsift.studies.zheng2004.tables import tables

QUICK = Scope(range(3, 61, 6), (10, 50, 500), ("NB",), deep=False)


def study(data_dir: DataDir = None, *, quick: bool = False) -> Study:
    """The study of all 90 categories; quick, of ten of them at three sizes, naive Bayes alone."""
    read = problems(data_dir)
    scope = QUICK if quick else Scope(range(1, 91), SIZES, ("NB", "LR"), deep=True)
    units = {
        f"{number:02}-{read.names[number - 1]}": unit(read, number, scope) for number in scope.categories
    }
    studied = [number for number in scope.categories if number in STUDIED]
    return Study(
        "zheng2004 quick" if quick else "zheng2004",
        {"corpus": "reuters_apte", "checksum of the corpus": read.checksum, "seed": str(SEED)},
        COLUMNS,
        units,
        partial(tables, categories=studied),
    )


def unit(read: Problems, number: int, scope: Scope) -> partial[list[dict[str, object]]]:
    """What works out a category."""
    return partial(results_of, read, number, scope)
