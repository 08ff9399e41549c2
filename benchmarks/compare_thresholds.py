"""What tuned thresholds give: classifiers with them and without, on the same folds.

    python benchmarks/compare_thresholds.py [CORPUS ...]

Each corpus adds its rows to results/compare_thresholds.csv: for each goal, classifier and number of terms
chosen by ig the mean over five folds, that with tuned thresholds, the difference with its p by the corrected
resampled t test, and the CPU time of both.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from time import process_time

import numpy as np

from termsift.compare.candidates import (
    UNLIMITED,
    CandidateFamily,
    FamilyResult,
    evaluate_family,
    parse_ranker,
)
from termsift.compare.documents import prepare_documents
from termsift.engines.documents import Documents
from termsift.engines.inputs import load_documents
from termsift.evaluation.classifiers.catalogue import parse_classifiers
from termsift.evaluation.goals import Goal, parse_goal
from termsift.evaluation.paired_tests import corrected_resampled_t
from termsift.evaluation.splits import Fold, k_fold_split
from termsift_studies.corpora import load

HERE = Path(__file__).parent / "results" / "compare_thresholds.csv"
CORPORA = ("sms_spam", "oh0", "oh15", "re0", "re1", "tr12", "reuters_apte")
GOALS = ("f1_macro", "f1_micro")
CLASSIFIERS = ("multinomial_nb", "complement_nb", "svm")
KS = (500, 2000, UNLIMITED)
FOLDS = 5
COLUMNS = (
    "corpus", "goal", "classifier", "terms", "plain", "tuned", "difference", "p", "plain_cpu", "tuned_cpu",
)  # fmt: skip


def documents_of(name: str) -> Documents:
    """Load a corpus without terms of fewer than three documents."""
    given = load_documents(load(name), None, {}, None)
    return prepare_documents(given, analyzer=None, min_df=3, max_df=1.0, n_jobs=1)


def timed_outcome(name: str, fold: Fold, goal: Goal) -> tuple[FamilyResult, float]:
    """Evaluate a classifier on a fold at all numbers of terms; return the values and the CPU time."""
    (classifier,) = parse_classifiers(name, goal)
    ranker = parse_ranker("ig", fold.train.labels.is_single_label)
    start = process_time()
    found = evaluate_family(CandidateFamily(ranker, classifier, KS), fold, [goal], UNLIMITED)
    return found, process_time() - start


def rows_of(name: str, folds: list[Fold], goal: Goal, classifier: str) -> list[tuple[object, ...]]:
    """Return a row for each number of terms."""
    pairs = [
        [timed_outcome(own, fold, goal) for fold in folds] for own in (classifier, f"{classifier}_tuned")
    ]
    plain, tuned = (
        np.array([[size.values[0, 0, 0] for size in found.fold_results] for found, _ in own]) for own in pairs
    )
    plain_cpu, tuned_cpu = (sum(spent for _, spent in own) for own in pairs)
    terms = np.mean([found.terms for found, _ in pairs[0]], axis=0)
    parts = {"n_train": len(folds[0].train), "n_test": len(folds[0].truth)}
    rows = []
    for i, gains in enumerate((tuned - plain).T):
        p = corrected_resampled_t(gains, **parts).p_value
        means = (f"{values.mean():.4f}" for values in (plain[:, i], tuned[:, i], gains))
        spent = (f"{plain_cpu:.2f}", f"{tuned_cpu:.2f}")
        rows.append((name, goal.name, classifier, round(terms[i]), *means, f"{p:.3f}", *spent))
    return rows


def main(names: list[str]) -> None:
    """Try all on each corpus, and add the rows to the file."""
    for name in names or CORPORA:
        documents = documents_of(name)
        divisions = k_fold_split(documents, FOLDS, 1, 0).divisions(0)
        folds = [division.fold(documents) for division in divisions]
        for goal in GOALS:
            for classifier in CLASSIFIERS:
                rows = rows_of(name, folds, parse_goal(goal), classifier)
                is_new = not HERE.exists()
                with HERE.open("a", newline="") as file:
                    csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows] if is_new else rows)
                print(*rows, sep="\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
