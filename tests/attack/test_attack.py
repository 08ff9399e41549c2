"""A short run of the attack; `make attack` is the long one."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from areas import AREAS

from attack import attacked

# of the groups that share a child; kills, disks and streams have children of their own, and Spark its session
INSIDE = [area for area in AREAS if area.group == "inside"]
MOMENTS = [
    "kill -9: count -o",
    "signals: select -o",
    "kill -9: study",
    "signals: study",
    "disks: small files",
    "disks: places",
]
TRIES = {"options: commands": 8, "files": 8, "corpora": 8}


def tries(name: str) -> int:
    """How many tries of an area the short run makes."""
    return next((n for beginning, n in TRIES.items() if name.startswith(beginning)), 15)


@pytest.fixture(scope="module")
def inside():
    """The outcome of each area whose tries are calls."""
    return attacked([(area, 0, tries(area.name)) for area in INSIDE])


@pytest.fixture(scope="module")
def moments():
    """The outcome of some areas whose tries are commands in forks."""
    return attacked([(area, 0, 2) for area in AREAS if area.name in MOMENTS])


@pytest.mark.xdist_group("attack inside")
@pytest.mark.parametrize("area", INSIDE, ids=lambda area: area.name)
def test_bad_input_gives_a_result_or_a_one_line_error(inside, area):
    found = inside[area.name]
    assert [(report.seed, report.fault) for report in found.failures] == []
    assert found.tries == tries(area.name)


@pytest.mark.xdist_group("attack at moments")
@pytest.mark.parametrize("name", MOMENTS)
def test_interrupted_commands_leave_no_broken_files(moments, name):
    assert [(report.seed, report.fault) for report in moments[name].failures] == []
    assert moments[name].tries == 2


def test_the_page_of_promises_is_made_of_the_last_attack():
    docs = Path(__file__).parents[2] / "docs"
    page = runpy.run_path(str(docs / "make" / "promises_page.py"))["page"]()
    assert (docs / "promises.md").read_text(encoding="utf-8") == page
