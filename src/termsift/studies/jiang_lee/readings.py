"""The readings of the paper that were tried, with what of it speaks for each, and how near they come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import mean

from termsift.studies.jiang_lee.gains import BY_DOCUMENTS, DOCUMENTS, OCCURRENCES
from termsift.studies.jiang_lee.problems import JiangReading
from termsift.studies.jiang_lee.statements import (
    JiangAnswers,
    JiangOutcomes,
    accuracy_statements,
    jiang_outcomes,
)
from termsift.studies.jiang_lee.tables import accuracy_lines
from termsift.studies.jiang_lee.trials import ALL, SIZES, WEIGHTS
from termsift.studies.study import Line, Lines, Row, line_tables, mean_differences
from termsift.tables import Table

OWN = "the study's own"
NEAREST = "once, IG by occurrences, without a word by documents"


@dataclass(frozen=True, slots=True)
class JiangAttempt:
    """A reading, what of the paper speaks for it or against it, and how many splits it is tried on."""

    reading: JiangReading
    support: str
    splits: int = 1


PLAIN = JiangReading()
ONCE = replace(PLAIN, once=True)
# Pr(w) and Pr(c | w) by occurrences
ABSENT_BY_DOCUMENTS = (OCCURRENCES, OCCURRENCES, DOCUMENTS)
EVERYWHERE = {
    OWN: JiangAttempt(PLAIN, "2, 2.1, 2.2, equation 6"),
    # what a word and a feature is
    "without stop words": JiangAttempt(replace(PLAIN, stop_words=True), "silent"),
    "stems": JiangAttempt(replace(PLAIN, stems=True), "silent"),
    "words in three documents": JiangAttempt(
        replace(PLAIN, numbered=False), "against 4: the number of words"
    ),
    "a word counts once": JiangAttempt(ONCE, "against 2: the number of occurrences"),
    # what the information gain of a word is
    "IG by documents": JiangAttempt(replace(PLAIN, gain=BY_DOCUMENTS), "2.1: cites [3]"),
    "IG by documents, given a word by occurrences": JiangAttempt(
        replace(PLAIN, gain=(DOCUMENTS, OCCURRENCES, DOCUMENTS)), "2.1: cites [3]; equation 6"
    ),
    "IG by occurrences, without a word by documents": JiangAttempt(
        replace(PLAIN, gain=ABSENT_BY_DOCUMENTS), "equation 6; 2.1: cites [3]; no Pr(w)"
    ),
    # what naive Bayes and clustering are
    "all words in Laplace's denominator": JiangAttempt(replace(PLAIN, laplace="all words"), "silent"),
    "features of smoothed words": JiangAttempt(replace(PLAIN, laplace="their words"), "silent"),
    "classes equally likely": JiangAttempt(replace(PLAIN, equal_classes=True), "silent"),
    "ten rounds of clustering": JiangAttempt(replace(PLAIN, rounds=10), "against 2.2: the least"),
    # several at once
    "once, IG by documents": JiangAttempt(replace(ONCE, gain=BY_DOCUMENTS), "against 2"),
    "once, all words in Laplace's denominator": JiangAttempt(replace(ONCE, laplace="all words"), "against 2"),
    "once, ten rounds of clustering": JiangAttempt(replace(ONCE, rounds=10), "against 2 and 2.2", splits=5),
    NEAREST: JiangAttempt(
        replace(ONCE, gain=ABSENT_BY_DOCUMENTS), "against 2; equation 6; 2.1: cites [3]; no Pr(w)", splits=5
    ),
}
READINGS = {
    "20news": EVERYWHERE | {"without headers": JiangAttempt(replace(PLAIN, headers=False), "silent")},
    "reuters10": EVERYWHERE
    | {
        "right with any class": JiangAttempt(
            replace(PLAIN, several="any"), "against 4: the share of the ten classes"
        ),
        "stories of one class": JiangAttempt(
            replace(PLAIN, several="none"), "against 4: the share of the ten classes"
        ),
    },
}


def reading_tables(rows: list[Row]) -> dict[str, Table]:
    """How near each reading comes, its accuracies beside the printed ones, and what holds by it."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["corpus"], row["reading"]), []).append(row)
    found = {names: jiang_outcomes(own) for names, own in groups.items()}
    tables = {
        "summary": [reading_line(*names, found[names], own[0]) for names, own in groups.items()],
        "cells": [line for names in found for line in cell_lines(*names, found[names])],
        "statements": [line for names in found for line in statement_lines(*names, found[names])],
    }
    return line_tables(tables)


def reading_line(corpus: str, reading: str, found: JiangOutcomes, row: Row) -> Line:
    """The words of a reading, and how far its accuracies are from those of tables 1 and 3, by method."""
    cells = accuracy_lines(found, corpus)
    named = {"corpus": corpus, "reading": reading, "support": READINGS[corpus][reading].support}
    sizes = {"words": row["words"], "judged": row["judged"]}
    every = mean_differences([cell["difference"] for cell in cells], 2)
    return named | sizes | dict(method_differences(cells)) | every


def method_differences(cells: Lines) -> Iterator[tuple[str, float]]:
    """Of class weights and all words the difference, of DC and IG the mean absolute one."""
    for method in (WEIGHTS, ALL, "DC", "IG"):
        own = [cell["difference"] for cell in cells if cell["method"] == method]
        yield method, own[0] if len(own) == 1 else round(mean(map(abs, own)), 2)


def cell_lines(corpus: str, reading: str, found: JiangOutcomes) -> Lines:
    """Printed, ours, difference."""
    return [{"corpus": corpus, "reading": reading} | line for line in accuracy_lines(found, corpus)]


def statement_lines(corpus: str, reading: str, found: JiangOutcomes) -> Lines:
    """What the paper states of accuracies, by a reading; none where a part of the study was run."""
    if found.sizes(corpus, "DC") != list(SIZES):
        return []
    return [{"reading": reading} | line for line in accuracy_statements(JiangAnswers(found, corpus))]
