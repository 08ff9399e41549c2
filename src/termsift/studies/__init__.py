"""Studies: papers' experiments from their own data, their printed figures beside ours."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from os import PathLike
from pathlib import Path

from termsift.errors import unknown
from termsift.studies.plan import Progress, Results, Study, carried_out

__all__ = ["Results", "names", "run"]

# where the function stands that plans each study
_STUDIES = {
    "forman2003": ("termsift.studies.forman2003", "study"),
    "forman2003-all": ("termsift.studies.forman2003.wider", "study"),
    "forman2003-sides": ("termsift.studies.forman2003.wider", "sides"),
    "jiang-lee": ("termsift.studies.jiang_lee", "study"),
    "jiang-lee-readings": ("termsift.studies.jiang_lee.readings", "study"),
    "tang2016": ("termsift.studies.tang2016", "study"),
    "uchyigit-clark": ("termsift.studies.uchyigit_clark", "study"),
    "uchyigit-clark-readings": ("termsift.studies.uchyigit_clark.readings", "study"),
    "zheng2004": ("termsift.studies.zheng2004", "study"),
    "zheng2004-readings": ("termsift.studies.zheng2004.readings", "study"),
}


def names() -> list[str]:
    """The studies that can be run."""
    return list(_STUDIES)


def run(
    name: str,
    *,
    quick: bool = False,
    folder: str | PathLike[str] | None = None,
    data_dir: str | PathLike[str] | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Results:
    """Run a study, or go on with one that was interrupted. Gives its tables.

    Parameters
    ----------
    quick : a small part of it, in seconds
    folder : where results are written as they come; by default one of the study's name, here
    data_dir : the folder of corpora; else that of TERMSIFT_DATA
    n_jobs : threads; all cores where it is None. The results are the same for any number
    progress : called with the units done and all units

    """
    if name not in _STUDIES:
        raise unknown("study", name, _STUDIES)
    module, planner = _STUDIES[name]
    planned: Callable[..., Study] = getattr(import_module(module), planner)
    target = Path(f"{name}-quick" if quick else name) if folder is None else Path(folder)
    return carried_out(planned(data_dir, quick=quick), target, n_jobs, progress)
