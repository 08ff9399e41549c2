"""Studies: the experiments of papers, repeated on the same data and compared with the printed figures."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from termsift_studies.study import Study, StudyPlan, StudyResults, find_study, load_studies

if TYPE_CHECKING:
    from termsift_studies.running import Progress

__all__ = ["Study", "StudyPlan", "StudyResults", "names", "publish", "run"]


def names() -> list[str]:
    """Return the names of the studies.

    >>> 'zheng2004' in names()
    True
    """
    return list(load_studies())


def run(
    name: str,
    *,
    quick: bool = False,
    folder: str | PathLike[str] | None = None,
    data_dir: str | PathLike[str] | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> StudyResults:
    """Run a study, or resume one that was interrupted. Returns its tables.

    Parameters
    ----------
    quick : run only a small part, which takes seconds
    folder : where results are written as they come; by default a folder named after the study, here
    data_dir : the folder of corpora; by default the one in TERMSIFT_DATA
    n_jobs : number of threads; None means all cores. The results do not depend on it
    progress : a function called with the units done and the total
    name : one of `names()`

    >>> run('zheng2004', quick=True).tables  # doctest: +SKIP

    """
    from termsift_studies.running import run_plan

    study = find_study(name)
    label = f"{name} quick" if quick else name
    target = Path(label.replace(" ", "-") if folder is None else folder)
    folder_of_corpora = None if data_dir is None else Path(data_dir)
    plan: StudyPlan = study.function(study.plan)(folder_of_corpora, quick=quick)
    tables = run_plan(label, plan, target, n_jobs, progress)
    return StudyResults(name, target, tables)


def publish(
    name: str,
    target: str | PathLike[str],
    *,
    quick: bool = False,
    folder: str | PathLike[str] | None = None,
    data_dir: str | PathLike[str] | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> list[Path]:
    """Write the tables, figures and page of a study below a folder, running the study if necessary.

    The tables go to results/<study>, the figures to docs/img/<paper>, the page to docs/<paper>.md: all of
    them or none. The page of a paper shows the results below the folder of all its studies. A quick run does
    not replace a full one. Returns the files written.

    Parameters
    ----------
    target : the folder that contains results/ and docs/
    quick, folder, data_dir, n_jobs, progress : as for `run`
    name : one of `names()`

    >>> publish('zheng2004', '.')  # doctest: +SKIP

    """
    from termsift_studies.publishing import check_target, publish_run

    check_target(name, Path(target), quick)
    done = run(name, quick=quick, folder=folder, data_dir=data_dir, n_jobs=n_jobs, progress=progress)
    return publish_run(done, Path(target))
