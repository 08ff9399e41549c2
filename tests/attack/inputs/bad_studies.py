"""Folders of studies that are damaged: the study gives the same results, or one line."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from changes import altered_bytes
from trying import check


def plan(names: str) -> Any:
    """A study of a few units, each of a few rows."""
    from termsift_studies.study import StudyPlan, build_tables

    def rows(unit: str) -> list[dict[str, Any]]:
        return [{"unit": unit, "k": k, "f1": f"{(ord(unit) * k) % 97 / 97:.4f}"} for k in range(1, 9)]

    units: dict[str, Callable[[], Any]] = {unit: lambda unit=unit: rows(unit) for unit in names}
    return StudyPlan(
        {"seed": "0", "corpus": 'made, "quoted"'},
        ("unit", "k", "f1"),
        units,
        lambda found: build_tables({"summary": found}),
    )


def run_study(folder: Path) -> dict[str, bytes]:
    """Carry the study out in a folder: what results.csv and its tables hold."""
    from termsift_studies.running import run_plan

    run_plan("made", plan("abcde"), folder, 1, None)
    return {name: (folder / name).read_bytes() for name in ("results.csv", "tables/summary.csv")}


@lru_cache(maxsize=1)
def whole_study() -> dict[str, bytes]:
    """What a study gives that nobody disturbs."""
    with tempfile.TemporaryDirectory() as folder:
        return run_study(Path(folder) / "study")


def a_study(rng: random.Random, folder: Path) -> None:
    """The attempt at folders of studies: damaged, a study gives the same results or one line."""
    expected, place = whole_study(), folder / "study"
    run_study(place)
    for _ in range(rng.choice([1, 1, 3])):
        files = sorted(path for path in place.rglob("*") if path.is_file())
        damage(rng, rng.choice(files))
    check(run_study(place) == expected, "other results than those of a study that nobody disturbed")


def damage(rng: random.Random, file: Path) -> None:
    """Alter a file, empty it, take it away, or put something else in its place."""
    way = rng.random()
    if way < 0.6:
        file.write_bytes(altered_bytes(rng, file.read_bytes()))
    elif way < 0.75:
        lines = file.read_bytes().splitlines(keepends=True)
        file.write_bytes(b"".join(rng.choice([lines[:1], lines[:-1], lines[::-1], lines * 2, []])))
    else:
        file.unlink()
    if 0.85 < way < 0.9:
        file.mkdir()
    elif way >= 0.9:
        file.symlink_to(rng.choice(["nowhere", file.name]))
