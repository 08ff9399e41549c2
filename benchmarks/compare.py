"""A comparison with its default set, in CPU time: against a grid search of scikit-learn, and against before.

    python benchmarks/compare.py [--before FOLDER] [CORPUS ...]

The grid is what a user would write: a Pipeline of CountVectorizer, TfidfTransformer for the SVM, SelectKBest
and the classifier, over the same numbers of candidates and folds; for the candidates of `l1` SelectFromModel
of L1 logistic regressions in place of SelectKBest, for tuned thresholds TunedThresholdClassifierCV of as many
parts as ours. It is timed on a sample: one fit and one prediction on the first fold for each classifier and
either way to select, at 1,000 terms; the rest is multiplication.
Each version is run once before it is timed, so that its loops are compiled and its modules are bytecode.
`--before` names a folder with the sources of an earlier version, in which the same corpus is compared.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.feature_selection import SelectFromModel, SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from metrics import row, save
from termsift.corpora import load
from termsift.counts.labels import as_labels
from termsift.evaluation.splits import TUNING_FOLDS, assign_stratified_folds

CORPORA = ("sms_spam", "reuters_apte", "20news")
TARGETS = {"sms_spam": 100, "reuters_apte": 60, "20news": 25}
LARGE = ("docstrings", "reuters_apte", "20news")
RESULTS = Path(__file__).parent / "results" / "compare.csv"
OURS = """
import json
import termsift as ts
from collections import Counter
from termsift.corpora import load
results = ts.compare(load({name!r})).results
candidates = [*results.candidates, *(racer.candidate for racer in results.dropped)]
tried = Counter((c.classifier.name.split(":")[0], c.ranker.name == "l1") for c in candidates)
print(json.dumps([results.terms.shape[1], [[*kind, times] for kind, times in tried.items()]]))
"""
EARLIER = """
import termsift as ts
from termsift.corpora import load
ts.compare(load({name!r}))
"""


def main(arguments: list[str]) -> None:
    before = Path(arguments[1]) if arguments[:1] == ["--before"] else None
    rows = []
    for name in (arguments[2:] if before else arguments) or CORPORA:
        rows += measured(name, before)
        for each in rows[-4:]:
            print(f"{each['what']:<60} {each['value']:>12}  {each['target']}", flush=True)
    save(rows, RESULTS)


def measured(name: str, before: Path | None) -> list[dict[str, str]]:
    """Our time, that of the grid as a ratio, and that of before."""
    cpu_of(OURS.format(name="docstrings" if name in LARGE else name))
    said, ours = cpu_of(OURS.format(name=name))
    folds, tried = json.loads(said)
    candidates, fits = sum(times for *_, times in tried), grid_times(name, {judge for judge, *_ in tried})
    grid = folds * sum(times * fits[judge, by_l1] for judge, by_l1, times in tried)
    rows = [
        row(f"{name}: compare, {candidates} candidates, {folds} folds, CPU", f"{ours:.1f} s"),
        row(f"{name}: a grid of as many, by a sample, CPU", f"{grid:.0f} s"),
        row(f"{name}: the grid against compare", f"{grid / ours:.0f}", f">= {TARGETS.get(name, 1)}"),
    ]
    if before is not None:
        rows.append(row(f"{name}: before against compare", f"{cpu_before(name, before) / ours:.2f}", ">= 1"))
    return rows


def cpu_before(name: str, folder: Path) -> float:
    """Return the CPU time of an earlier version."""
    env = {"PYTHONPATH": str(folder / "src")}
    cpu_of(EARLIER.format(name="docstrings" if name in LARGE else name), env)
    return cpu_of(EARLIER.format(name=name), env)[1]


def cpu_of(code: str, env: dict[str, str] | None = None) -> tuple[str, float]:
    """Return the output of a process and its CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    run = subprocess.run(
        [sys.executable, "-c", code], env=own | (env or {}), capture_output=True, text=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return run.stdout.strip().split("\n")[-1], (
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    )


def grid_times(name: str, used: set[str]) -> dict[tuple[str, bool], float]:
    """Time a fit and a prediction of each classifier that is used, by a metric and by L1."""
    corpus = load(name)
    labels = as_labels(corpus.labels)
    numbers = assign_stratified_folds(labels, 5, 0)
    parts = [
        [text for text, n in zip(corpus.texts, numbers, strict=True) if (n == 0) == own] for own in (0, 1)
    ]
    truth = (
        labels.indicator.toarray()
        if not labels.is_single_label
        else np.array(labels.labels_per_document).ravel()
    )
    ways = ([SelectKBest(chi2, k=1000)], [TfidfTransformer(sublinear_tf=True), l1_selector()])
    known = judges(labels.is_single_label)
    return {
        (judge, by_l1): fit_time([*ways[by_l1], *known[judge]], parts, tunable(truth[numbers != 0], judge))
        for judge in sorted(used)
        for by_l1 in (False, True)
    }


def tunable(truth: np.ndarray, judge: str) -> np.ndarray:
    """Return the classes that a fit is timed on: with tuned thresholds, those with documents in each fold."""
    return truth[:, truth.sum(axis=0) >= 2 * TUNING_FOLDS] if judge.endswith("_tuned") else truth


def l1_selector() -> SelectFromModel:
    """Return the terms that have a weight in the L1 logistic regression of some class."""
    old = LogisticRegression().get_params()["penalty"] == "l2"
    how = {"penalty": "l1"} if old else {"l1_ratio": 1.0}
    each = OneVsRestClassifier(LogisticRegression(**how, solver="liblinear"))
    return SelectFromModel(each, threshold=1e-5, importance_getter=summed_sizes, max_features=1000)


def summed_sizes(several: OneVsRestClassifier) -> np.ndarray:
    """(terms,) the sum of the sizes of a term's coefficients."""
    return np.sum([np.abs(one.coef_[0]) for one in several.estimators_ if hasattr(one, "coef_")], axis=0)


def judges(single: bool) -> dict[str, list[object]]:
    """Return the steps of the classifiers of the default set."""
    several = (lambda own: own) if single else OneVsRestClassifier
    tuned = TunedThresholdClassifierCV(LinearSVC(), scoring="f1", cv=TUNING_FOLDS)
    return {
        "multinomial_nb": [several(MultinomialNB())],
        "complement_nb": [several(ComplementNB())],
        "svm": [TfidfTransformer(sublinear_tf=True), several(LinearSVC())],
        "svm_tuned": [TfidfTransformer(sublinear_tf=True), several(tuned)],
    }


def fit_time(steps: list[object], parts: list[list[str]], truth: object) -> float:
    """Return the CPU time of one fit and prediction of the pipeline."""
    from time import process_time

    start = process_time()
    make_pipeline(CountVectorizer(), *steps).fit(parts[0], truth).predict(parts[1])
    return process_time() - start


if __name__ == "__main__":
    main(sys.argv[1:])
