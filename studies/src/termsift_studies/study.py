"""Declarations of studies, plans and results of runs, and rows of tables."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from pkgutil import iter_modules, resolve_name
from statistics import mean
from typing import TYPE_CHECKING, Any, TypeAlias

from termsift._internal.errors import unknown_name_error

if TYPE_CHECKING:
    from termsift._internal.tables import Table

Row: TypeAlias = dict[str, Any]
Line: TypeAlias = dict[str, Any]
Lines: TypeAlias = list[Line]
PACKAGE = "termsift_studies"
VERDICTS = ("holds", "holds in part", "does not hold")
# an interpretation makes the statement true whatever the figures are, so it is not counted
BY_CONSTRUCTION = "by construction"


@dataclass(frozen=True, slots=True)
class Study:
    """Declaration of a study, in STUDIES in the `__init__` of its paper's package.

    A function, or a tuple of functions, is given by its module in the folder and its name, "plan:zheng_plan",
    and imported on first use, so listing studies costs nothing.

    name : the name of the study
    repeats, quick : what it repeats, and the part that takes seconds
    takes : how long the full study takes on two cores
    plan : a function that returns the StudyPlan for a folder of corpora, quick or full
    part_of : the study whose page shows its results; empty if it has its own page
    title : the heading of the page
    figures : a function from a folder of tables to charts by name
    page : the functions that its template page.md uses to filter rows of results, if any

    >>> find_study("zheng2004").name
    'zheng2004'
    """

    name: str
    repeats: str
    takes: str
    quick: str
    plan: str
    part_of: str = ""
    title: str = ""
    figures: str = ""
    page: str = ""

    @property
    def paper(self) -> str:
        """Name of the paper's page and figures, that of its first study."""
        return self.part_of or self.name

    @property
    def package(self) -> str:
        """Package of the paper."""
        return f"{PACKAGE}.{self.paper.replace('-', '_')}"

    def function(self, reference: str) -> Any:
        """Return the function or functions that a reference names."""
        return resolve_name(f"{self.package}.{reference}")


@dataclass(frozen=True, slots=True, eq=False)
class StudyPlan:
    """Plan of a run: settings, units and tables.

    settings : what the results depend on: corpus, checksum, seed, interpretations of the paper
    columns : the columns of a row of results
    units : for each unit, the function that returns its rows
    tabled : a function from all rows to the tables by name

    >>> plan = StudyPlan({"seed": 0}, ("method", "value"), {}, lambda rows: {})
    >>> plan.settings
    {'seed': 0}
    """

    settings: Mapping[str, str]
    columns: Sequence[str]
    units: Mapping[str, Callable[[], list[Row]]]
    tabled: Callable[[list[Row]], dict[str, Table]]


@dataclass(frozen=True, slots=True, eq=False)
class StudyResults:
    """Tables of a completed study and their folder.

    study : the name of the study
    tables : the tables by name
    folder : the folder with the results

    >>> results = StudyResults("mine", Path("mine"), {})
    >>> results.study, dict(results.tables)
    ('mine', {})
    """

    study: str
    folder: Path
    tables: Mapping[str, Table]


def load_studies() -> dict[str, Study]:
    """Return every study by name: each subpackage is a paper and declares its studies."""
    modules = iter_modules(import_module(PACKAGE).__path__)
    papers = [f"{PACKAGE}.{module.name}" for module in modules if module.ispkg]
    return {study.name: study for paper in papers for study in import_module(paper).STUDIES}


def find_study(name: str) -> Study:
    """Return a study by name."""
    studies = load_studies()
    if name not in studies:
        raise unknown_name_error("study", name, studies)
    return studies[name]


def find_paper_studies(paper: str) -> list[Study]:
    """Return the studies on the page of a paper, the paper's main study first."""
    return [study for study in load_studies().values() if study.paper == paper]


def build_tables(rows: Mapping[str, Iterable[Line]]) -> dict[str, Table]:
    """Build tables by name from their rows, omitting those without rows."""
    import numpy as np

    from termsift._internal.tables import Table

    tables = {}
    for name, table_rows in rows.items():
        if listed := list(table_rows):
            tables[name] = Table({c: np.array([row[c] for row in listed], dtype=object) for c in listed[0]})
    return tables


def check(where: str, statement: str, figure: str, checks: Sequence[bool]) -> Line:
    """Return a statement of a paper with our figure and its verdict: it holds if all checks do."""
    holds = VERDICTS[0] if all(checks) else VERDICTS[1] if any(checks) else VERDICTS[2]
    return {"where": where, "statement": statement, "ours": figure, "verdict": holds}


def leave_uncounted(statement: Line) -> Line:
    """Return a statement that must hold whatever the data are, marked as not counted if it does."""
    return statement | {"verdict": BY_CONSTRUCTION} if statement["verdict"] == VERDICTS[0] else statement


def compare_with_print(printed: float, ours: float, digits: int) -> Line:
    """Return the printed figure, ours and the difference."""
    return {"printed": printed, "ours": round(ours, digits), "difference": round(ours - printed, digits)}


def summarize_differences(differences: Sequence[float], digits: int) -> Line:
    """Return the mean difference and the mean absolute difference."""
    off, far = mean(differences), mean(map(abs, differences))
    return {"mean difference": round(off, digits), "mean absolute difference": round(far, digits)}


def count_verdicts(statements: Iterable[Line]) -> dict[str, int]:
    """Count the statements that hold, hold in part and do not hold."""
    counts = Counter(row["verdict"] for row in statements)
    return {verdict: counts[verdict] for verdict in VERDICTS}


def find_failing_statements(statements: Lines, main: str) -> Iterator[Line]:
    """Yield the statements that fail under the main interpretation, and the interpretations they hold in.

    An interpretation counts as tried on a statement if it gives another figure than the main one.
    """
    for row in statements:
        if row["interpretation"] != main or row["verdict"] in (VERDICTS[0], BY_CONSTRUCTION):
            continue
        # only interpretations with another figure count as tried: others cannot change the verdict
        tested = [r for r in statements if r["statement"] == row["statement"] and r["interpretation"] != main]
        tried = sum(alternative["ours"] != row["ours"] for alternative in tested)
        holds = [r["interpretation"] for r in tested if r["verdict"] == VERDICTS[0]]
        labels = {column: row[column] for column in ("where", "statement", "verdict")}
        yield labels | {"interpretations tried": tried, "holds in": "; ".join(holds) or "none"}


def load_published(paper: str, table: str) -> list[dict[str, str]]:
    """Load the rows of a printed table of a paper, with the section of each figure.

    >>> load_published("zheng2004", "table1")[0]["value"]
    '0.67'
    """
    folder = files(f"{PACKAGE}.{paper.replace('-', '_')}").joinpath("published")
    return list(csv.DictReader(folder.joinpath(f"{table}.csv").read_text(encoding="utf-8").splitlines()))
