"""Interpretations of the paper with its supporting words; plans of its study and of the interpretations."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from termsift._internal.tables import Table
from termsift_studies import study
from termsift_studies.uchyigit_clark import results, trials

MAIN = trials.UchyigitInterpretation()
MAIN_LABEL = "main interpretation"
# what decisions come from; what is made of them is an interpretation's own
RUNS = {
    MAIN_LABEL: MAIN,
    "selected words": replace(MAIN, vocabulary="chosen"),
    "all words": replace(MAIN, vocabulary="all"),
    "balanced training": replace(MAIN, balanced="training"),
    "both balanced": replace(MAIN, balanced="both"),
    "rarest first": replace(MAIN, ties="rare"),
    "alphabet": replace(MAIN, ties="alphabet"),
    "three posts": replace(MAIN, fewest=3),
    "stop words": replace(MAIN, words=trials.Words(stop_words=False)),
    "stems": replace(MAIN, words=trials.Words(stop_words=False, stems=True)),
    "headers": replace(MAIN, words=trials.Words(without=("headers",))),
    "presence": replace(MAIN, occurrences=False),
}
# found after all others were run; they have a study of their own
MATRIX = trials.Words(matrix=True)
MATRIX_RUNS = {
    "matrix, room for all": replace(MAIN, words=MATRIX),
    "matrix, selected words": replace(MAIN, words=MATRIX, vocabulary="chosen"),
    "matrix, all words": replace(MAIN, words=MATRIX, vocabulary="all"),
}
GU_COUNTS = {"GU": "GU counts"}
SIGNED_NGL = {"NGL": "NGL with its sign"}


@dataclass(frozen=True, slots=True)
class EvaluatedInterpretation:
    """Interpretation of the paper.

    support : the words of the paper for it, with their section; "silent" where it says nothing of the choice,
        and nothing where it says something else
    run : the name of its decisions
    score_names : which scores stand for a method of the paper
    averaging : how measures of groups become one
    """

    support: str
    run: str = MAIN_LABEL
    score_names: Mapping[str, str] = field(default_factory=dict)
    averaging: str = "groups"

    @property
    def scores(self) -> dict[str, str]:
        """Scores used for each method, including GU."""
        return {"GU": "GU proportions", **self.score_names}


DISTINCT = '3: "K is the total number of distinct words in the training set"'
PROPORTIONS = '2: "measures the differences between two proportions"'
SQUARE = '2: "where CC^2 = χ2"; 5: "we do not report a difference"'
CHOSEN = "3: the product of the classifier is over n words"
ONE_V = "3: the formula has one V in both places"
PRINTED_Z = '2: "z is computed as follows", of counts'
TRIED = {
    MAIN_LABEL: EvaluatedInterpretation(f"{DISTINCT}; {PROPORTIONS}; {SQUARE}"),
    # the vocabulary of naive Bayes
    "vocabulary of the selected words": EvaluatedInterpretation(CHOSEN, "selected words"),
    "vocabulary of all words": EvaluatedInterpretation(ONE_V, "all words"),
    # what a score is
    "GU of counts": EvaluatedInterpretation(PRINTED_Z, score_names=GU_COUNTS),
    "GU of counts, selected words": EvaluatedInterpretation(
        f"{PRINTED_Z}; {CHOSEN}", "selected words", GU_COUNTS
    ),
    "GU of counts, all words": EvaluatedInterpretation(f"{PRINTED_Z}; {ONE_V}", "all words", GU_COUNTS),
    "NGL with its sign": EvaluatedInterpretation("2: the formula of NGL has a sign", score_names=SIGNED_NGL),
    "as first read": EvaluatedInterpretation(
        f"{PRINTED_Z}; 2: the formula of NGL has a sign; {CHOSEN}", "selected words", GU_COUNTS | SIGNED_NGL
    ),
    "GSS by absolute value": EvaluatedInterpretation(
        '2: "a simplified χ2 statistic"', score_names={"GSS": "GSS without its sign"}
    ),
    "MI by absolute value": EvaluatedInterpretation("", score_names={"MI": "MI without its sign"}),
    "OR by absolute value": EvaluatedInterpretation(
        '2: "close to zero or infinity means a large difference"', score_names={"OR": "OR without its sign"}
    ),
    # what an average is
    "precision where posts are accepted": EvaluatedInterpretation(
        '4: "report the average precision"', averaging="where defined"
    ),
    "F of mean precision and recall": EvaluatedInterpretation("", averaging="of means"),
    "groups pooled": EvaluatedInterpretation("", averaging="pooled"),
    # which posts there are
    "balanced training sets": EvaluatedInterpretation(
        f"{PROPORTIONS}, which z of counts does if classes are alike", "balanced training"
    ),
    "balanced training and test sets": EvaluatedInterpretation(
        'the same; 4: "using a different training and test set each time"', "both balanced"
    ),
    # where the paper is silent
    "ties by the alphabet": EvaluatedInterpretation("silent", "alphabet"),
    "the rarest of tied words first": EvaluatedInterpretation("silent", "rarest first"),
    "words in three posts": EvaluatedInterpretation("silent", "three posts"),
    "without stop words": EvaluatedInterpretation("silent", "stop words"),
    "stems, without stop words": EvaluatedInterpretation("silent", "stems"),
    "without headers": EvaluatedInterpretation("silent", "headers"),
    # what it speaks against
    "a word counts once in a post": EvaluatedInterpretation("", "presence"),
}

ALL_TRIED = TRIED | {
    f"{run}, {gu}": EvaluatedInterpretation(f'{support}; 3: "the 20 News-groups data set"', run, {"GU": gu})
    for run in MATRIX_RUNS
    for gu, support in (("GU proportions", PROPORTIONS), ("GU counts", PRINTED_Z))
}


def tabulate_verdicts(rows: list[study.Row]) -> dict[str, Table]:
    """Build tables of the verdicts in each interpretation that has decisions."""
    outcomes = results.uchyigit_outcomes(rows)
    tried = {name: case for name, case in ALL_TRIED.items() if case.run in outcomes}
    statements = [
        {"interpretation": name} | row
        for name, case in tried.items()
        for row in check_interpretation(outcomes[case.run], case)
    ]
    return study.build_tables({
        "summary": [summarize_interpretation(name, outcomes, statements) for name in tried],
        "statements": statements,
        "failing": study.find_failing_statements(statements, MAIN_LABEL),
    })  # fmt: skip


def check_interpretation(outcomes: results.UchyigitOutcomes, case: EvaluatedInterpretation) -> study.Lines:
    """Check the statements under an interpretation."""
    return results.uchyigit_statements(outcomes.with_averaging(case.averaging), case.scores)


def summarize_interpretation(
    name: str, outcomes: Mapping[str, results.UchyigitOutcomes], statements: study.Lines
) -> study.Line:
    """Return verdict counts, support, the best methods in F1 and the worst of an interpretation."""
    case = ALL_TRIED[name]
    averaged = outcomes[case.run].with_averaging(case.averaging)
    contest = results.TenMethods(averaged, case.scores)
    counted = study.count_verdicts(row for row in statements if row["interpretation"] == name)
    order = {"best in f1": contest.format_best("f1", 3), "worst": contest.order("f1")[-1]}
    return {"interpretation": name, "support": case.support} | counted | order


SPLITS, INTERPRETATIONS_SPLITS = 5, 2
# the paper prints one formula, one letter and one sentence for the vocabulary of naive Bayes
VOCABULARIES = {"room for all words": MAIN} | {name: RUNS[name] for name in ("selected words", "all words")}
QUICK = ("alt.atheism", "comp.graphics", "sci.space")
FIRST = (MAIN_LABEL, "rarest first")


def uchyigit_plan(data_dir: Path | None = None, *, quick: bool = False) -> study.StudyPlan:
    """Plan 20 groups in five splits; quick: three groups in one."""
    groups, splits = (QUICK, 1) if quick else (None, SPLITS)
    units = {
        f"{name.split()[0]}-{number}": partial(
            trials.split_rows, name, interpretation, number, data_dir, groups
        )
        for number in range(splits)
        for name, interpretation in VOCABULARIES.items()
    }
    return study.StudyPlan(corpus_settings(data_dir), trials.COLUMNS, units, results.uchyigit_tables)


def uchyigit_interpretations_plan(data_dir: Path | None = None, *, quick: bool = False) -> study.StudyPlan:
    """Plan two splits of each interpretation; quick: two interpretations, three groups, one split."""
    names, groups, splits = (FIRST, QUICK, 1) if quick else (tuple(RUNS), None, INTERPRETATIONS_SPLITS)
    units = {name: partial(run_rows, name, range(splits), data_dir, groups) for name in names}
    return study.StudyPlan(corpus_settings(data_dir), trials.COLUMNS, units, tabulate_verdicts)


def uchyigit_matrix_plan(data_dir: Path | None = None, *, quick: bool = False) -> study.StudyPlan:
    """Plan splits of Deng Cai's matrix with each vocabulary; quick: three groups, one split."""
    # groups are numbers in the matrix
    groups, splits = ((1, 2, 15), 1) if quick else (None, SPLITS)
    units = {name: partial(run_rows, name, range(splits), data_dir, groups) for name in MATRIX_RUNS}
    settings = corpus_settings(data_dir, "cdcai/20newsgroups", MATRIX)
    return study.StudyPlan(settings, trials.COLUMNS, units, tabulate_verdicts)


def corpus_settings(
    data_dir: Path | None, corpus: str = "20news", words: trials.Words = MAIN.words
) -> dict[str, str]:
    """Return the corpus, its checksum and the seed, for the provenance."""
    checksum = trials.load_posts(words, data_dir)[1]
    return {"corpus": corpus, "checksum of the corpus": checksum, "seed": "the number of the split"}


def run_rows(
    name: str, splits: range, data_dir: Path | None, groups: Collection[Any] | None
) -> list[study.Row]:
    """Return the rows of a run with all scores."""
    methods = trials.METHODS | trials.OTHERS
    case = (RUNS | MATRIX_RUNS)[name]
    return [row for n in splits for row in trials.split_rows(name, case, n, data_dir, groups, methods)]
