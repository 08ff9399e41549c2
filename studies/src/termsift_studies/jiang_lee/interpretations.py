"""Interpretations of the paper with its supporting words, and their differences from the printed tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import mean

from termsift._internal.tables import Table
from termsift_studies.jiang_lee.results import (
    JiangAnalysis,
    JiangOutcomes,
    accuracy_statements,
    collect_outcomes,
    tabulate_accuracies,
)
from termsift_studies.jiang_lee.trials import (
    ALL,
    BY_DOCUMENTS,
    DOCUMENTS,
    OCCURRENCES,
    SIZES,
    WEIGHTS,
    JiangInterpretation,
)
from termsift_studies.study import Line, Lines, Row, build_tables, summarize_differences

OWN = "the study's own"
NEAREST = "once, IG by occurrences, without a word by documents"


@dataclass(frozen=True, slots=True)
class JiangAttempt:
    """Interpretation with the words of the paper for or against it and its number of splits."""

    interpretation: JiangInterpretation
    support: str
    splits: int = 1


PLAIN = JiangInterpretation()
ONCE = replace(PLAIN, once=True)
# Pr(w) and Pr(c | w) by occurrences
ABSENT_BY_DOCUMENTS = (OCCURRENCES, OCCURRENCES, DOCUMENTS)
COUNTED = '2: "the number of occurrence"'
LEAST = '2.2: "to minimize the following objective function"'
OCCURS = 'equation 6: "# of occurrence of w_i in class c_j"'
CITED = '1: "Information Gain [3]", which counts documents'
SHARE = 'against 4: "top 10 classes containing 77.5% of the documents"'
EVERYWHERE = {
    OWN: JiangAttempt(
        PLAIN, f'{COUNTED}; 2.1: "only uses the selected features as inputs"; {LEAST}; {OCCURS}'
    ),
    # what a word and a feature is
    "without stop words": JiangAttempt(replace(PLAIN, stop_words=True), "silent"),
    "stems": JiangAttempt(replace(PLAIN, stems=True), "silent"),
    "words in three documents": JiangAttempt(
        replace(PLAIN, numbered=False), 'against 4: "is 25718 and 16285, respectively"'
    ),
    "a word counts once": JiangAttempt(ONCE, f"against {COUNTED}"),
    # what the information gain of a word is
    "IG by documents": JiangAttempt(replace(PLAIN, gain=BY_DOCUMENTS), CITED),
    "IG by documents, given a word by occurrences": JiangAttempt(
        replace(PLAIN, gain=(DOCUMENTS, OCCURRENCES, DOCUMENTS)), f"{CITED}; {OCCURS}"
    ),
    "IG by occurrences, without a word by documents": JiangAttempt(
        replace(PLAIN, gain=ABSENT_BY_DOCUMENTS), f"{OCCURS}; {CITED}; nothing for Pr(w)"
    ),
    # what naive Bayes and clustering are
    "all words in Laplace's denominator": JiangAttempt(replace(PLAIN, laplace="all words"), "silent"),
    "features of smoothed words": JiangAttempt(replace(PLAIN, laplace="their words"), "silent"),
    "classes equally likely": JiangAttempt(replace(PLAIN, equal_classes=True), "silent"),
    "ten rounds of clustering": JiangAttempt(replace(PLAIN, rounds=10), f"against {LEAST}"),
    # several at once
    "once, without stop words": JiangAttempt(replace(ONCE, stop_words=True), f"against {COUNTED}"),
    "once, IG by documents": JiangAttempt(replace(ONCE, gain=BY_DOCUMENTS), f"against {COUNTED}; {CITED}"),
    "once, all words in Laplace's denominator": JiangAttempt(
        replace(ONCE, laplace="all words"), f"against {COUNTED}"
    ),
    "once, ten rounds of clustering": JiangAttempt(
        replace(ONCE, rounds=10), f"against {COUNTED}; against {LEAST}", splits=5
    ),
    NEAREST: JiangAttempt(
        replace(ONCE, gain=ABSENT_BY_DOCUMENTS),
        f"against {COUNTED}; {OCCURS}; {CITED}; nothing for Pr(w)",
        splits=5,
    ),
}
INTERPRETATIONS = {
    "20news": EVERYWHERE | {"without headers": JiangAttempt(replace(PLAIN, headers=False), "silent")},
    "reuters10": EVERYWHERE
    | {
        "right with any class": JiangAttempt(replace(PLAIN, several="any"), SHARE),
        "stories of one class": JiangAttempt(replace(PLAIN, several="none"), SHARE),
    },
}


def interpretation_tables(rows: list[Row]) -> dict[str, Table]:
    """Build tables of the differences, the accuracies and the verdicts of each interpretation."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["corpus"], row["interpretation"]), []).append(row)
    outcomes = {names: collect_outcomes(group_rows) for names, group_rows in groups.items()}
    tables = {
        "summary": [
            summarize_interpretation(*names, outcomes[names], group_rows[0])
            for names, group_rows in groups.items()
        ],
        "cells": [row for names in outcomes for row in tabulate_cells(*names, outcomes[names])],
        "statements": [row for names in outcomes for row in check_interpretation(*names, outcomes[names])],
    }
    return build_tables(tables)


def summarize_interpretation(corpus: str, interpretation: str, outcomes: JiangOutcomes, row: Row) -> Line:
    """Return the support of an interpretation and its differences from tables 1 and 3 by method."""
    cells = tabulate_accuracies(outcomes, corpus)
    labels = {
        "corpus": corpus,
        "interpretation": interpretation,
        "support": INTERPRETATIONS[corpus][interpretation].support,
    }
    sizes = {"words": row["words"], "judged": row["judged"]}
    every = summarize_differences([cell["difference"] for cell in cells], 2)
    return labels | sizes | dict(method_differences(cells)) | every


def method_differences(cells: Lines) -> Iterator[tuple[str, float]]:
    """Yield the difference for class weights and all words, the mean absolute difference for DC and IG."""
    for method in (WEIGHTS, ALL, "DC", "IG"):
        differences = [cell["difference"] for cell in cells if cell["method"] == method]
        yield method, differences[0] if len(differences) == 1 else round(mean(map(abs, differences)), 2)


def tabulate_cells(corpus: str, interpretation: str, outcomes: JiangOutcomes) -> Lines:
    """Tabulate printed and our accuracies and their difference."""
    return [
        {"corpus": corpus, "interpretation": interpretation} | row
        for row in tabulate_accuracies(outcomes, corpus)
    ]


def check_interpretation(corpus: str, interpretation: str, outcomes: JiangOutcomes) -> Lines:
    """Check the statements on accuracies under an interpretation, if all sizes were run."""
    if outcomes.sizes(corpus, "DC") != list(SIZES):
        return []
    return [
        {"interpretation": interpretation} | row
        for row in accuracy_statements(JiangAnalysis(outcomes, corpus))
    ]
