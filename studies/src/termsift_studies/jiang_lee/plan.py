"""Interpretations of the paper with its supporting words; plans of its study and of the interpretations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import mean

from termsift._internal.tables import Table
from termsift._internal.typing import Array
from termsift.corpora import DataDir, file_checksum, find_entry
from termsift.engines import Documents
from termsift_studies import corpora
from termsift_studies.jiang_lee import results, trials
from termsift_studies.study import Line, Lines, Row, StudyPlan, build_tables, summarize_differences

MAIN_LABEL = "main interpretation"
NEAREST = "once, IG by occurrences, without a word by documents"


@dataclass(frozen=True, slots=True)
class JiangAttempt:
    """Interpretation with the words of the paper for or against it and its number of splits."""

    interpretation: trials.JiangInterpretation
    support: str
    splits: int = 1


PLAIN = trials.JiangInterpretation()
ONCE = replace(PLAIN, once=True)
# Pr(w) and Pr(c | w) by occurrences
ABSENT_BY_DOCUMENTS = (trials.OCCURRENCES, trials.OCCURRENCES, trials.DOCUMENTS)
COUNTED = '2: "the number of occurrence"'
LEAST = '2.2: "to minimize the following objective function"'
OCCURS = 'equation 6: "# of occurrence of w_i in class c_j"'
CITED = '1: "Information Gain [3]", which counts documents'
SHARE = 'against 4: "top 10 classes containing 77.5% of the documents"'
EVERYWHERE = {
    MAIN_LABEL: JiangAttempt(
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
    "IG by documents": JiangAttempt(replace(PLAIN, gain=trials.BY_DOCUMENTS), CITED),
    "IG by documents, given a word by occurrences": JiangAttempt(
        replace(PLAIN, gain=(trials.DOCUMENTS, trials.OCCURRENCES, trials.DOCUMENTS)), f"{CITED}; {OCCURS}"
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
    "once, IG by documents": JiangAttempt(
        replace(ONCE, gain=trials.BY_DOCUMENTS), f"against {COUNTED}; {CITED}"
    ),
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
# found after all others were run; they have a study of their own
LATER = {
    "Deng Cai's matrix": JiangAttempt(replace(PLAIN, matrix=True), "silent of stems and stop words", 5),
    "ten occurrences at most": JiangAttempt(replace(PLAIN, most=10), f"against {COUNTED}", splits=5),
}
INTERPRETATIONS = {
    "20news": EVERYWHERE | {"without headers": JiangAttempt(replace(PLAIN, headers=False), "silent")} | LATER,
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
    outcomes = {names: results.collect_outcomes(group_rows) for names, group_rows in groups.items()}
    tables = {
        "summary": [
            summarize_interpretation(*names, outcomes[names], group_rows[0])
            for names, group_rows in groups.items()
        ],
        "cells": [row for names in outcomes for row in tabulate_cells(*names, outcomes[names])],
        "statements": [row for names in outcomes for row in check_interpretation(*names, outcomes[names])],
    }
    return build_tables(tables)


def summarize_interpretation(
    corpus: str, interpretation: str, outcomes: results.JiangOutcomes, row: Row
) -> Line:
    """Return the support of an interpretation and its differences from tables 1 and 3 by method."""
    cells = results.tabulate_accuracies(outcomes, corpus)
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
    for method in (trials.WEIGHTS, trials.ALL, "DC", "IG"):
        differences = [cell["difference"] for cell in cells if cell["method"] == method]
        yield method, differences[0] if len(differences) == 1 else round(mean(map(abs, differences)), 2)


def tabulate_cells(corpus: str, interpretation: str, outcomes: results.JiangOutcomes) -> Lines:
    """Tabulate printed and our accuracies and their difference."""
    return [
        {"corpus": corpus, "interpretation": interpretation} | row
        for row in results.tabulate_accuracies(outcomes, corpus)
    ]


def check_interpretation(corpus: str, interpretation: str, outcomes: results.JiangOutcomes) -> Lines:
    """Check the statements on accuracies under an interpretation, if all sizes were run."""
    if outcomes.sizes(corpus, "DC") != list(trials.SIZES):
        return []
    return [
        {"interpretation": interpretation} | row
        for row in results.accuracy_statements(results.JiangAnalysis(outcomes, corpus))
    ]


QUICK = (2, 10, 50, 200)
EVERY = 10
QUICK_INTERPRETATIONS = {"reuters10": (MAIN_LABEL, "right with any class")}


def jiang_plan(data_dir: DataDir = None, *, quick: bool = False) -> StudyPlan:
    """Plan five splits of 20 Newsgroups and ten classes of Reuters; quick: one split of every tenth post."""
    sizes, splits, every = (QUICK, 1, EVERY) if quick else (trials.SIZES, trials.SPLITS, 1)
    posts, _ = trials.newsgroups(data_dir, trials.JiangInterpretation(), every)
    units = {
        f"20news-{split}": partial(
            plain_rows, "20news", posts, trials.random_third(len(posts), split), split, sizes
        )
        for split in range(splits)
    }
    units["reuters10"] = partial(
        plain_rows, "reuters10", *trials.reuters(data_dir, trials.JiangInterpretation()), 0, sizes
    )
    settings = checksums("the number of the split", data_dir)
    return StudyPlan(settings, trials.COLUMNS, units, results.jiang_tables)


def jiang_interpretations_plan(
    data_dir: DataDir = None, *, quick: bool = False, tried: Mapping[str, Iterable[str]] | None = None
) -> StudyPlan:
    """Plan one split for most interpretations and five for some; quick: two on Reuters."""
    sizes = QUICK if quick else trials.SIZES
    interpretations = tried or (QUICK_INTERPRETATIONS if quick else INTERPRETATIONS)
    units = {
        unit_name(corpus, name, split): partial(interpretation_rows, corpus, name, data_dir, split, sizes)
        for corpus, names in interpretations.items()
        for name in names
        if tried or name not in LATER
        # Reuters has a published split, so there is only one
        for split in range(INTERPRETATIONS[corpus][name].splits if corpus == "20news" and not quick else 1)
    }
    settings = checksums("the number of the split", data_dir)
    return StudyPlan(settings, ("interpretation", *trials.COLUMNS), units, interpretation_tables)


def jiang_matrix_plan(data_dir: DataDir = None, *, quick: bool = False) -> StudyPlan:
    """Plan five splits of Deng Cai's matrix and of capped counts; quick: four numbers of features."""
    plan = jiang_interpretations_plan(data_dir, quick=quick, tried={"20news": LATER})
    matrix = corpora.load("cdcai/20newsgroups", data_dir=data_dir)
    return replace(plan, settings={**plan.settings, "checksum of the matrix": matrix.checksum or ""})


def unit_name(corpus: str, interpretation: str, split: int) -> str:
    """Return the name of a unit, of letters, digits and hyphens."""
    return "-".join([corpus, *re.findall(r"\w+", interpretation), str(split)])


def checksums(seed: str, data_dir: DataDir) -> dict[str, str]:
    """Return the seed and the checksums of the corpora, for the provenance."""
    entries = {name: find_entry(name) for name in ("20news", "reuters21578")}
    files = {name: entry.require_path(data_dir) for name, entry in entries.items()}
    return {"seed": seed} | {f"checksum of {name}": file_checksum(path) for name, path in files.items()}


def plain_rows(
    corpus: str, documents: Documents, is_test: Array, split: int, sizes: Sequence[int]
) -> list[Row]:
    """Return the rows of a split under the main interpretation."""
    case = trials.JiangInterpretation()
    fold = trials.interpretation_fold(documents, is_test, trials.published_vocabulary(corpus), case)
    return trials.split_rows(corpus, split, fold, sizes, case)


def interpretation_rows(
    corpus: str, name: str, data_dir: DataDir, split: int, sizes: Sequence[int]
) -> list[Row]:
    """Return the rows of a split under an interpretation."""
    case = INTERPRETATIONS[corpus][name].interpretation
    documents, is_test = (trials.newsgroups if corpus == "20news" else trials.reuters)(data_dir, case)
    if corpus == "20news":
        is_test = trials.random_third(len(documents), split)
    fold = trials.interpretation_fold(documents, is_test, trials.published_vocabulary(corpus), case)
    return [{"interpretation": name} | row for row in trials.split_rows(corpus, split, fold, sizes, case)]
