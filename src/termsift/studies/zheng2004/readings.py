"""Which reading of the paper comes nearest to its tables: naive Bayes over the 58 categories, by reading."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from termsift import corpora
from termsift.corpora.entry import DataDir
from termsift.studies.lines import table_of
from termsift.studies.plan import Study
from termsift.studies.zheng2004 import methods
from termsift.studies.zheng2004.averages import outcomes
from termsift.studies.zheng2004.methods import STUDIED, Scope, results_of
from termsift.studies.zheng2004.problems import NEAREST, Reading, problems
from termsift.studies.zheng2004.tables import averages_table, table7

COLUMNS = ("reading", "terms", "measure", "value")
READINGS = {
    "nearest": NEAREST,
    "words, not stems": replace(NEAREST, stems=False),
    "references are words": replace(NEAREST, references=True),
    "in three documents": replace(NEAREST, by_documents=True),
    "words in three documents": replace(NEAREST, stems=False, by_documents=True),
    "difference of log posteriors": replace(NEAREST, quotient=False),
}
SCOPE = Scope(STUDIED, (10, 50, 200, 1000, 3000), ("NB",), deep=False)
QUICK = Scope(STUDIED[:3], (10,), ("NB",), deep=False)
CLOSE = 0.03


def study(data_dir: DataDir = None, *, quick: bool = False) -> Study:
    """The study of the readings; quick, of three categories."""
    scope = QUICK if quick else SCOPE
    checksum = corpora.load("reuters_apte", data_dir=data_dir).checksum or ""
    return Study(
        "zheng2004 readings quick" if quick else "zheng2004 readings",
        {"corpus": "reuters_apte", "checksum of the corpus": checksum},
        COLUMNS,
        {name: partial(measured, data_dir, name, reading, scope) for name, reading in READINGS.items()},
        lambda rows: {"summary": table_of(side_by_side(rows))},
    )


def measured(data_dir: DataDir, name: str, reading: Reading, scope: Scope) -> list[dict[str, Any]]:
    """How near a reading comes: mean absolute differences, and the share of largest values within 3 %."""
    read = problems(data_dir, reading)
    rows = [as_text(row) for n in scope.categories for row in results_of(read, n, scope)]
    found = outcomes(rows, scope.categories)
    values: dict[str, float] = {}
    for n in (1, 2):
        cells = [cell for cell in averages_table(n, found) if cell["method"] != "none"]
        for column, ties in (("ours", "shared"), ("ours, ties together", "together")):
            off = [abs(cell[column] - cell["printed"]) for cell in cells]
            values[f"table {n}, ties {ties}"] = round(float(np.mean(off)), 4)
    for metric in ("IG", "CHI", "ORS"):
        for sign in "+-":
            lines = [c for c in table7(rows, scope.categories) if (c["metric"], c["sign"]) == (metric, sign)]
            values[f"table 7, {metric}{sign}"] = sum(abs(cell["relative"]) <= CLOSE for cell in lines)
    common = {"reading": name, "terms": len(read.terms)}
    return [common | {"measure": measure, "value": value} for measure, value in values.items()]


def as_text(row: dict[str, object]) -> dict[str, str]:
    """A row as it comes back from a file."""
    return {name: str(row.get(name, "")) for name in methods.COLUMNS}


def side_by_side(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A line a reading, a column a measure."""
    lines: dict[str, dict[str, Any]] = {}
    for row in rows:
        line = lines.setdefault(row["reading"], {"reading": row["reading"], "terms": int(row["terms"])})
        line[row["measure"]] = float(row["value"])
    return list(lines.values())
