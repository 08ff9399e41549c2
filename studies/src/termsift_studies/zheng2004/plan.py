"""Interpretations of the paper with its supporting words; plans of its study and of the interpretations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Literal

import numpy as np

from termsift._internal.tables import Table
from termsift.corpora import Corpus, DataDir
from termsift.evaluation import Fold
from termsift_studies.study import Lines, Row, StudyPlan, build_tables
from termsift_studies.zheng2004 import trials
from termsift_studies.zheng2004.sampling import sample_rows
from termsift_studies.zheng2004.statements import zheng_outcomes
from termsift_studies.zheng2004.tables import METHOD, compare_averages, compare_largest_values, zheng_tables


@dataclass(frozen=True, slots=True)
class ZhengAttempt:
    """Interpretation with its support in the paper.

    support : the section and its words; "silent" where it leaves a choice, empty where nothing speaks for it
    classifiers : those it is tried with
    ties : how documents stand that tie at the break-even point
    """

    interpretation: trials.ZhengInterpretation
    support: str
    classifiers: tuple[str, ...] = ("NB",)
    ties: Literal["shared", "together"] = "shared"


FIRST = trials.ZhengInterpretation(
    text="apte",
    stop_stems=False,
    min_frequency="3 occurrences",
    smoothing=0.5,
    bias="free",
    one_term=False,
    rounding="half up",
)
vary = partial(replace, trials.NEAREST)
FROM_THE_END = vary(tied_terms="alphabet's end")
BOTH = ("NB", "LR")
LEAST = '5.1: "words occurring less than 3 times"'
INTERPRETATIONS = {
    "nearest": ZhengAttempt(
        trials.NEAREST,
        '5.1: "9484 indexing words"; 2: "estimating those probabilities"; 4.1: "is a natural number"; '
        "5.2: its quotient, and w'w without a bias; table 7",
        BOTH,
    ),
    # what a term is
    "ApteMod's text alone": ZhengAttempt(
        vary(text="apte"), '5.1: "7769 training documents and 3019 test documents"'
    ),
    "the distribution's text": ZhengAttempt(
        vary(text="distribution"), '5.1: "Reuters-21578 (ModApte split) is used"'
    ),
    "words, not stems": ZhengAttempt(vary(stems=False), '5.1: "9484 indexing words"; nothing of stems'),
    "stop words as they are written": ZhengAttempt(
        vary(stop_stems=False), '5.1: "filtering out all numbers, stop-words"'
    ),
    "references are words": ZhengAttempt(vary(references=True), ""),
    "three occurrences": ZhengAttempt(vary(min_frequency="3 occurrences"), LEAST),
    "three occurrences in both parts": ZhengAttempt(vary(min_frequency="3 occurrences, whole"), LEAST),
    "three documents": ZhengAttempt(vary(min_frequency="3 documents"), ""),
    # what a score, a ratio and a break-even point are
    "SIG of smoothed cells": ZhengAttempt(
        vary(smoothing=0.5), '2: "Expected Likelihood Estimation (ELE) smoothing"'
    ),
    "difference of log posteriors": ZhengAttempt(vary(quotient=False), ""),
    "a ratio of 0 takes no positive term": ZhengAttempt(
        vary(one_term=False), '5.4: "ranging from 0 to 1: 0, .05, ..., .95, 1"'
    ),
    "shares rounded, a half up": ZhengAttempt(vary(rounding="half up"), "silent"),
    "the largest of equal ratios": ZhengAttempt(vary(equal="largest"), "silent"),
    "documents that tie stand in the order of the corpus": ZhengAttempt(
        vary(file_order=True), "silent", BOTH
    ),
    "documents that tie stand together": ZhengAttempt(
        trials.NEAREST, '5.3: "the point where precision equals recall"', ties="together"
    ),
    # what logistic regression is
    "the bias is free": ZhengAttempt(vary(bias="free"), "", ("LR",)),
    "no bias": ZhengAttempt(vary(bias="none"), "5.2: as it is printed, w'd and the penalty w'w", ("LR",)),
    "as first read": ZhengAttempt(FIRST, "", BOTH),
}
# what comes first of what ties, and which of equal ratios is taken, with naive Bayes
TIES = {
    "nearest": replace(INTERPRETATIONS["nearest"], classifiers=("NB",)),
    "the largest of equal ratios": INTERPRETATIONS["the largest of equal ratios"],
    "the middle of equal ratios": ZhengAttempt(vary(equal="middle"), "silent"),
    "of terms that tie the rarest first": ZhengAttempt(vary(tied_terms="rare"), "silent"),
    "terms that tie by the alphabet": ZhengAttempt(vary(tied_terms="alphabet"), "silent"),
    "terms that tie from the alphabet's end": ZhengAttempt(FROM_THE_END, "silent"),
    "terms that tie in the order of the corpus": ZhengAttempt(vary(tied_terms="corpus"), "silent"),
    "terms that tie from the alphabet's end, documents in the order of the corpus": ZhengAttempt(
        replace(FROM_THE_END, file_order=True), "silent"
    ),
    "documents that tie stand in the order of the corpus": ZhengAttempt(vary(file_order=True), "silent"),
    "documents that tie stand together": INTERPRETATIONS["documents that tie stand together"],
}


WHOLE = trials.Scope(range(1, 91), trials.SIZES, ("NB", "LR"), deep=True)
QUICK = trials.Scope(range(3, 61, 6), (10, 50, 500), ("NB",), deep=False)
INTERPRETATIONS_COLUMNS = ("interpretation", "terms", "measure", "value")
INTERPRETATIONS_SCOPE = trials.Scope(trials.STUDIED, (10, 50, 200, 1000), (), deep=False)
TIES_SCOPE = replace(INTERPRETATIONS_SCOPE, sizes=trials.SIZES[:7])  # with more terms fewer tie
QUICK_INTERPRETATIONS = trials.Scope(trials.STUDIED[:3], (10,), (), deep=False)
QUICK_NAMES = ("nearest", "ApteMod's text alone", "references are words", "no bias", "as first read")
QUICK_TIES = ("nearest", "terms that tie from the alphabet's end")


def zheng_plan(data_dir: DataDir = None, *, quick: bool = False) -> StudyPlan:
    """Plan all 90 categories; quick: ten of them at three sizes with naive Bayes."""
    scope = QUICK if quick else WHOLE
    pair = trials.load_corpora(data_dir)
    apte = trials.apte_fold(pair, data_dir)
    names = [apte.train.labels.classes[c] for c in trials.largest_first(apte.train.labels)]
    labels = {number: f"{number:02}-{names[number - 1]}" for number in scope.categories}
    units = {label: partial(rows_by_category, apte, number, scope) for number, label in labels.items()}
    studied = [number for number in scope.categories if number in trials.STUDIED]
    settings = corpus_settings(pair) | {"seed": str(trials.SEED)}
    return StudyPlan(settings, trials.COLUMNS, units, partial(zheng_tables, categories=studied))


def rows_by_category(apte: Fold, number: int, scope: trials.Scope) -> list[Row]:
    """Return the rows of a category: the paper's methods, and samples of the training set."""
    return trials.category_rows(apte, number, scope) + sample_rows(apte, number, scope)


def zheng_interpretations_plan(data_dir: DataDir = None, *, quick: bool = False) -> StudyPlan:
    """Plan the 58 categories by interpretation; quick: three of them in five interpretations."""
    tabled = partial(interpretation_tables, names=("summary",))
    if quick:
        few = {name: INTERPRETATIONS[name] for name in QUICK_NAMES}
        return create_interpretation_plan(data_dir, few, QUICK_INTERPRETATIONS, tabled)
    return create_interpretation_plan(data_dir, INTERPRETATIONS, INTERPRETATIONS_SCOPE, tabled)


def zheng_ties_plan(data_dir: DataDir = None, *, quick: bool = False) -> StudyPlan:
    """Plan the 58 categories by order of ties; quick: three of them in two interpretations."""
    if quick:
        few = {name: TIES[name] for name in QUICK_TIES}
        return create_interpretation_plan(data_dir, few, QUICK_INTERPRETATIONS, interpretation_tables)
    return create_interpretation_plan(data_dir, TIES, TIES_SCOPE, interpretation_tables)


def create_interpretation_plan(
    data_dir: DataDir,
    interpretations: Mapping[str, ZhengAttempt],
    scope: trials.Scope,
    tabled: Callable[[list[Row]], dict[str, Table]],
) -> StudyPlan:
    """Plan the comparison of interpretations with the printed tables."""
    pair = trials.load_corpora(data_dir)

    # interpretations with the same terms share a fold
    @cache
    def cached_fold(interpretation: trials.ZhengInterpretation) -> Fold:
        return trials.apte_fold(pair, data_dir, interpretation)

    cases = interpretations.items()
    units = {name: partial(nearness, cached_fold, name, case, scope) for name, case in cases}
    return StudyPlan(corpus_settings(pair), INTERPRETATIONS_COLUMNS, units, tabled)


def interpretation_tables(rows: list[Row], names: Sequence[str] = ("summary", "methods")) -> dict[str, Table]:
    """Build tables of the difference of each interpretation from each table and each method."""
    by_method = [row for row in rows if row["measure"].startswith(METHOD)]
    by_table = [row for row in rows if not row["measure"].startswith(METHOD)]
    selected = {"summary": by_table, "methods": by_method}
    return build_tables({name: tabulate_by_interpretation(selected[name]) for name in names})


def corpus_settings(pair: tuple[Corpus, Corpus]) -> dict[str, str]:
    """Return the corpora and their checksums, for the provenance."""
    checksums = {f"checksum of {corpus.name}": corpus.checksum or "" for corpus in pair}
    return {"corpus": " and ".join(corpus.name for corpus in pair)} | checksums


def nearness(
    cached_fold: Callable[[trials.ZhengInterpretation], Fold],
    name: str,
    tried: ZhengAttempt,
    scope: trials.Scope,
) -> list[Row]:
    """Return mean absolute differences of an interpretation, and how many largest values match the print."""
    scope = replace(scope, interpretation=tried.interpretation, classifiers=tried.classifiers)
    apte = cached_fold(tried.interpretation.term_interpretation)
    rows = [stringify_row(row) for n in scope.categories for row in trials.category_rows(apte, n, scope)]
    outcomes = zheng_outcomes(rows, scope.categories)
    ours = "ours" if tried.ties == "shared" else "ours, ties together"
    off: dict[str, list[float]] = {}
    for n in range(1, 6):
        for cell in compare_averages(n, outcomes):
            if cell["classifier"] in tried.classifiers and cell["method"] != "none":
                away = abs(cell[ours] - cell["printed"])
                off.setdefault(f"table {n}, {cell['classifier']}", []).append(away)
                off.setdefault(f"{METHOD}{cell['method']}, {cell['classifier']}", []).append(away)
    values = {measure: round(float(np.mean(matches)), 4) for measure, matches in off.items()}
    largest = compare_largest_values(rows, scope.categories)
    for metric in ("IG", "CHI", "ORS"):
        for sign in "+-":
            matches = [cell["rounds"] for cell in largest if (cell["metric"], cell["sign"]) == (metric, sign)]
            values[f"table 7, {metric}{sign}"] = sum(matches)
    common = {"interpretation": name, "terms": len(apte.train.terms)}
    return [common | {"measure": measure, "value": value} for measure, value in values.items()]


def stringify_row(row: Row) -> dict[str, str]:
    """Return a row as it is read from a file."""
    return {name: str(row.get(name, "")) for name in trials.COLUMNS}


def tabulate_by_interpretation(rows: list[Row]) -> Lines:
    """Return a row per interpretation with a column per measure, empty if it was not tried."""
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    table_rows: dict[str, Row] = {}
    for row in rows:
        support = (INTERPRETATIONS | TIES)[row["interpretation"]].support
        labels = {"interpretation": row["interpretation"], "support": support, "terms": int(row["terms"])}
        table_row = table_rows.setdefault(row["interpretation"], labels | dict.fromkeys(measures, ""))
        table_row[row["measure"]] = float(row["value"])
    return list(table_rows.values())
