"""What a study is: the declaration of it, the plan of a run, and what a run gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules, resolve_name
from typing import TYPE_CHECKING, Any, TypeAlias

from termsift.errors import unknown

if TYPE_CHECKING:
    from termsift.tables import Table

Row: TypeAlias = dict[str, Any]
ROOM = "termsift.studies"


@dataclass(frozen=True, slots=True)
class Study:
    """A study, as the `__init__` of its paper's folder declares it in STUDIES.

    A function, or a tuple of them, is given by its module in the folder and its name, "plan:zheng_plan", and
    imported when it is asked for: to list studies costs nothing.

    name : how it is called for
    repeats, quick : what it repeats, and the part of it that takes seconds
    takes : how long the whole takes on two cores
    plan : of the folder of corpora and whether it is quick, its StudyPlan
    part_of : the study on whose page its results stand; its own where it is empty
    title : the heading of the page
    figures : of a folder of tables, the charts by name
    page : the functions by which its template page.md filters rows of results, if there are any
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
        """The name of the paper's page and pictures: that of its first study."""
        return self.part_of or self.name

    @property
    def package(self) -> str:
        """The folder of the paper, as a package."""
        return f"{ROOM}.{self.paper.replace('-', '_')}"

    def function(self, reference: str) -> Any:
        """What a reference names: a function of the folder, or several."""
        return resolve_name(f"{self.package}.{reference}")


@dataclass(frozen=True, slots=True, eq=False)
class StudyPlan:
    """What a run of a study is made of.

    settings : what the results depend on: corpus, checksum, seed, readings of the paper
    columns : of a row of results
    units : for each unit the function that gives its rows
    tabled : all rows -> the tables by name
    """

    settings: Mapping[str, str]
    columns: Sequence[str]
    units: Mapping[str, Callable[[], list[Row]]]
    tabled: Callable[[list[Row]], dict[str, Table]]


@dataclass(frozen=True, slots=True, eq=False)
class StudyResults:
    """The tables of a study that was carried out, and the folder that holds them."""

    study: str
    folder: Path
    tables: Mapping[str, Table]


def declared_studies() -> dict[str, Study]:
    """Every study by its name: a folder of this room is a paper, and declares its studies."""
    papers = [
        f"{ROOM}.{module.name}" for module in iter_modules(import_module(ROOM).__path__) if module.ispkg
    ]
    return {study.name: study for paper in papers for study in import_module(paper).STUDIES}


def declared_study(name: str) -> Study:
    """A study by its name."""
    studies = declared_studies()
    if name not in studies:
        raise unknown("study", name, studies)
    return studies[name]


def studies_of_paper(paper: str) -> list[Study]:
    """The studies whose results stand on one page, the paper's own first."""
    return [study for study in declared_studies().values() if study.paper == paper]
