"""The plans: the paper's study, and which reading of the paper comes nearest to its tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np

from termsift._internal.tables import Table
from termsift.corpora import Corpus, DataDir
from termsift.evaluation import Fold
from termsift_studies.study import Lines, Row, StudyPlan, line_tables
from termsift_studies.zheng2004.interpretations import READINGS, TIES, ZhengAttempt
from termsift_studies.zheng2004.sampling import sample_rows
from termsift_studies.zheng2004.statements import zheng_outcomes
from termsift_studies.zheng2004.tables import METHOD, average_cells, largest_value_cells, zheng_tables
from termsift_studies.zheng2004.trials import (
    COLUMNS,
    SEED,
    SIZES,
    STUDIED,
    Scope,
    ZhengReading,
    apte_fold,
    both_corpora,
    category_rows,
    largest_first,
)

WHOLE = Scope(range(1, 91), SIZES, ("NB", "LR"), deep=True)
QUICK = Scope(range(3, 61, 6), (10, 50, 500), ("NB",), deep=False)
READINGS_COLUMNS = ("reading", "terms", "measure", "value")
READINGS_SCOPE = Scope(STUDIED, (10, 50, 200, 1000), (), deep=False)
TIES_SCOPE = replace(READINGS_SCOPE, sizes=SIZES[:7])  # with more terms fewer tie
QUICK_READINGS = Scope(STUDIED[:3], (10,), (), deep=False)
QUICK_NAMES = ("nearest", "ApteMod's text alone", "references are words", "no bias", "as first read")
QUICK_TIES = ("nearest", "terms that tie from the alphabet's end")


def zheng_plan(data_dir: DataDir = None, *, quick: bool = False) -> StudyPlan:
    """All 90 categories; quick, ten of them at three sizes, naive Bayes alone."""
    scope = QUICK if quick else WHOLE
    pair = both_corpora(data_dir)
    apte = apte_fold(pair, data_dir)
    names = [apte.train.labels.classes[c] for c in largest_first(apte.train.labels)]
    units = {
        f"{number:02}-{names[number - 1]}": partial(unit_rows, apte, number, scope)
        for number in scope.categories
    }
    studied = [number for number in scope.categories if number in STUDIED]
    settings = corpus_settings(pair) | {"seed": str(SEED)}
    return StudyPlan(settings, COLUMNS, units, partial(zheng_tables, categories=studied))


def unit_rows(apte: Fold, number: int, scope: Scope) -> list[Row]:
    """The rows of a category: the paper's methods, and samples of the training part."""
    return category_rows(apte, number, scope) + sample_rows(apte, number, scope)


def zheng_readings_plan(data_dir: DataDir = None, *, quick: bool = False) -> StudyPlan:
    """The 58 categories, by reading; quick, three of them in five readings."""
    tabled = partial(tables_of_readings, names=("summary",))
    if quick:
        few = {name: READINGS[name] for name in QUICK_NAMES}
        return plan_of_readings(data_dir, few, QUICK_READINGS, tabled)
    return plan_of_readings(data_dir, READINGS, READINGS_SCOPE, tabled)


def zheng_ties_plan(data_dir: DataDir = None, *, quick: bool = False) -> StudyPlan:
    """The 58 categories, by what comes first of what ties; quick, three of them in two readings."""
    if quick:
        few = {name: TIES[name] for name in QUICK_TIES}
        return plan_of_readings(data_dir, few, QUICK_READINGS, tables_of_readings)
    return plan_of_readings(data_dir, TIES, TIES_SCOPE, tables_of_readings)


def plan_of_readings(
    data_dir: DataDir,
    readings: Mapping[str, ZhengAttempt],
    scope: Scope,
    tabled: Callable[[list[Row]], dict[str, Table]],
) -> StudyPlan:
    """How near each of some readings comes."""
    pair = both_corpora(data_dir)

    @cache
    def fold_of(reading: ZhengReading) -> Fold:
        return apte_fold(pair, data_dir, reading)

    units = {name: partial(nearness, fold_of, name, tried, scope) for name, tried in readings.items()}
    return StudyPlan(corpus_settings(pair), READINGS_COLUMNS, units, tabled)


def tables_of_readings(rows: list[Row], names: Sequence[str] = ("summary", "methods")) -> dict[str, Table]:
    """A line a reading: how near it comes to each table, and to each method over all of them."""
    by_method = [row for row in rows if row["measure"].startswith(METHOD)]
    whole = [row for row in rows if not row["measure"].startswith(METHOD)]
    made = {"summary": lines_by_reading(whole), "methods": lines_by_reading(by_method)}
    return line_tables({name: made[name] for name in names})


def corpus_settings(pair: tuple[Corpus, Corpus]) -> dict[str, str]:
    """What the results depend on."""
    checksums = {f"checksum of {corpus.name}": corpus.checksum or "" for corpus in pair}
    return {"corpus": " and ".join(corpus.name for corpus in pair)} | checksums


def nearness(
    fold_of: Callable[[ZhengReading], Fold], name: str, tried: ZhengAttempt, scope: Scope
) -> list[Row]:
    """How near a reading comes: mean absolute differences, and how many largest values round to print."""
    scope = replace(scope, reading=tried.reading, classifiers=tried.classifiers)
    apte = fold_of(tried.reading.of_terms)
    rows = [as_text(row) for n in scope.categories for row in category_rows(apte, n, scope)]
    outcomes = zheng_outcomes(rows, scope.categories)
    ours = "ours" if tried.ties == "shared" else "ours, ties together"
    off: dict[str, list[float]] = {}
    for n in range(1, 6):
        for cell in average_cells(n, outcomes):
            if cell["classifier"] in tried.classifiers and cell["method"] != "none":
                away = abs(cell[ours] - cell["printed"])
                off.setdefault(f"table {n}, {cell['classifier']}", []).append(away)
                off.setdefault(f"{METHOD}{cell['method']}, {cell['classifier']}", []).append(away)
    values = {measure: round(float(np.mean(own)), 4) for measure, own in off.items()}
    largest = largest_value_cells(rows, scope.categories)
    for metric in ("IG", "CHI", "ORS"):
        for sign in "+-":
            own = [cell["rounds"] for cell in largest if (cell["metric"], cell["sign"]) == (metric, sign)]
            values[f"table 7, {metric}{sign}"] = sum(own)
    common = {"reading": name, "terms": len(apte.train.terms)}
    return [common | {"measure": measure, "value": value} for measure, value in values.items()]


def as_text(row: Row) -> dict[str, str]:
    """A row as it comes back from a file."""
    return {name: str(row.get(name, "")) for name in COLUMNS}


def lines_by_reading(rows: list[Row]) -> Lines:
    """A line a reading, a column a measure; none where it was not tried."""
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    lines: dict[str, Row] = {}
    for row in rows:
        support = (READINGS | TIES)[row["reading"]].support
        named = {"reading": row["reading"], "support": support, "terms": int(row["terms"])}
        line = lines.setdefault(row["reading"], named | dict.fromkeys(measures, ""))
        line[row["measure"]] = float(row["value"])
    return list(lines.values())
