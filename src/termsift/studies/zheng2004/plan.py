"""The plans: the paper's study, and which reading of the paper comes nearest to its tables."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from termsift import corpora
from termsift.corpora.corpus import Corpus
from termsift.corpora.entry import DataDir
from termsift.experiment.classifiers.bayes import Bayes
from termsift.studies.study import Lines, Row, StudyPlan, line_tables
from termsift.studies.zheng2004.outcomes import zheng_outcomes
from termsift.studies.zheng2004.problems import NEAREST, ZhengReading, apte_fold, largest_first
from termsift.studies.zheng2004.tables import average_cells, largest_value_cells, zheng_tables
from termsift.studies.zheng2004.trials import COLUMNS, SEED, SIZES, STUDIED, Scope, category_rows
from termsift.tables import Table

WHOLE = Scope(range(1, 91), SIZES, ("NB", "LR"), deep=True)
QUICK = Scope(range(3, 61, 6), (10, 50, 500), ("NB",), deep=False)
READINGS = {
    "nearest": NEAREST,
    "words, not stems": replace(NEAREST, stems=False),
    "references are words": replace(NEAREST, references=True),
    "in three documents": replace(NEAREST, by_documents=True),
    "words in three documents": replace(NEAREST, stems=False, by_documents=True),
    "difference of log posteriors": replace(NEAREST, quotient=False),
}
READINGS_COLUMNS = ("reading", "terms", "measure", "value")
READINGS_SCOPE = Scope(STUDIED, (10, 50, 200, 1000, 3000), ("NB",), deep=False)
QUICK_READINGS = Scope(STUDIED[:3], (10,), ("NB",), deep=False)
CLOSE = 0.03


def zheng_plan(data_dir: DataDir = None, *, quick: bool = False) -> StudyPlan:
    """All 90 categories; quick, ten of them at three sizes, naive Bayes alone."""
    scope = QUICK if quick else WHOLE
    corpus = corpora.load("reuters_apte", data_dir=data_dir)
    apte = apte_fold(corpus, data_dir)
    names = [apte.train.labels.classes[c] for c in largest_first(apte.train.labels)]
    units = {
        f"{number:02}-{names[number - 1]}": partial(category_rows, apte, number, scope)
        for number in scope.categories
    }
    studied = [number for number in scope.categories if number in STUDIED]
    settings = corpus_settings(corpus) | {"seed": str(SEED)}
    return StudyPlan(settings, COLUMNS, units, partial(zheng_tables, categories=studied))


def zheng_readings_plan(data_dir: DataDir = None, *, quick: bool = False) -> StudyPlan:
    """Naive Bayes over the 58 categories, by reading; quick, over three."""
    scope = QUICK_READINGS if quick else READINGS_SCOPE
    corpus = corpora.load("reuters_apte", data_dir=data_dir)
    units = {
        name: partial(nearness, corpus, data_dir, name, reading, scope) for name, reading in READINGS.items()
    }

    def tabled(rows: list[Row]) -> dict[str, Table]:
        return line_tables({"summary": lines_by_reading(rows)})

    return StudyPlan(corpus_settings(corpus), READINGS_COLUMNS, units, tabled)


def corpus_settings(corpus: Corpus) -> dict[str, str]:
    """What the results depend on."""
    return {"corpus": corpus.name, "checksum of the corpus": corpus.checksum or ""}


def nearness(corpus: Corpus, data_dir: DataDir, name: str, reading: ZhengReading, scope: Scope) -> list[Row]:
    """How near a reading comes: mean absolute differences, and the share of largest values within 3 %."""
    scope = replace(scope, bayes=Bayes(quotient=reading.quotient))
    apte = apte_fold(corpus, data_dir, reading)
    rows = [as_text(row) for n in scope.categories for row in category_rows(apte, n, scope)]
    outcomes = zheng_outcomes(rows, scope.categories)
    values: dict[str, float] = {}
    for n in (1, 2):
        cells = [cell for cell in average_cells(n, outcomes) if cell["method"] != "none"]
        for column, ties in (("ours", "shared"), ("ours, ties together", "together")):
            off = [abs(cell[column] - cell["printed"]) for cell in cells]
            values[f"table {n}, ties {ties}"] = round(float(np.mean(off)), 4)
    largest = largest_value_cells(rows, scope.categories)
    for metric in ("IG", "CHI", "ORS"):
        for sign in "+-":
            own = [cell for cell in largest if (cell["metric"], cell["sign"]) == (metric, sign)]
            values[f"table 7, {metric}{sign}"] = sum(abs(cell["relative"]) <= CLOSE for cell in own)
    common = {"reading": name, "terms": len(apte.train.terms)}
    return [common | {"measure": measure, "value": value} for measure, value in values.items()]


def as_text(row: Row) -> dict[str, str]:
    """A row as it comes back from a file."""
    return {name: str(row.get(name, "")) for name in COLUMNS}


def lines_by_reading(rows: list[Row]) -> Lines:
    """A line a reading, a column a measure."""
    lines: dict[str, Row] = {}
    for row in rows:
        line = lines.setdefault(row["reading"], {"reading": row["reading"], "terms": int(row["terms"])})
        line[row["measure"]] = float(row["value"])
    return list(lines.values())
