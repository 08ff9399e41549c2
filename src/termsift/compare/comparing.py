"""compare: which metric to trust, how many terms to keep, and what is gained or lost."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from termsift.compare.comparison import Comparison
from termsift.compare.copies import copied
from termsift.compare.material import Material, material_of, without
from termsift.compare.methods import ALL, methods_of, sizes_below
from termsift.compare.models import Model, documents_a_second, model_of
from termsift.compare.pitfalls import warnings_of
from termsift.compare.results import Line, Results, collected
from termsift.compare.trials import Path, Plan, Progress, check_plan, paths_of, results_of
from termsift.errors import InvalidInput
from termsift.experiment.classifiers import CLASSIFIERS, classifiers_of
from termsift.experiment.folds import fold_numbers
from termsift.experiment.goals import Goal, goal_of

RESERVED = 0.15  # of the budget, for what comes after the trials
WORK = 5e6  # entries of the documents times classes that may be split several times
MOST_REPEATS = 5


def compare(
    data: Any,
    labels: Any = None,
    *,
    metrics: Iterable[str] | str | None = None,
    k: Iterable[int] | None = None,
    classifiers: Any = tuple(CLASSIFIERS),
    goal: str = "f1_macro",
    folds: int = 5,
    repeats: int | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    budget: float | None = None,
    analyzer: Any = None,
    min_df: int = 1,
    drop_copies: bool = False,
    terms: Iterable[str] | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Try metrics, numbers of terms and classifiers on labelled documents, by cross-validation.

    Terms are chosen inside each fold, from its training part alone.
    Beside the metrics stands what one would do otherwise: all terms, document frequency, SelectKBest(chi2)
    of scikit-learn, and L1 logistic regression.

    Parameters
    ----------
    data : texts, or a matrix of documents x terms
    labels : one label a document, a list of labels each, or an indicator matrix
    metrics : names of `termsift.metrics()`, alone or with how they serve several classes: "bns:turns" (the
        classes take turns), "bns:local" (each class has terms of its own), "cc:sides" (terms for a class and
        against it, in a ratio found in the training part), "bns:mean", "bns:weighted", "bns:sum"
    k : numbers of terms to try; for "local" they are shared out among the classes
    classifiers : any of "bayes", "svm" and "logistic", or classifiers of scikit-learn, which get counts
    goal : "f1_macro", "f1_micro", "accuracy", "precision", "recall" or "break_even"
    folds, repeats : of the stratified cross-validation; without repeats, more for smaller corpora
    random_state : what the folds are drawn by
    n_jobs : threads; all cores where it is None. The result is the same for any number
    budget : seconds to stop after, with what is known then
    analyzer : how a text becomes terms: a termsift.Analyzer, a function, or a CountVectorizer
    min_df : leave out terms in fewer documents
    drop_copies : of documents that are copies of each other, or nearly, keep the first
    terms : names of a matrix's columns
    progress : a function of the work done and the work there is

    >>> spam, ham = ["win a prize now", "claim your free prize"], ["lunch at noon", "see you at lunch"]
    >>> found = compare(spam * 5 + ham * 5, ["spam"] * 10 + ["ham"] * 10, k=[2], metrics="bns", repeats=1)
    >>> found.chosen["terms"], found.chosen["mean"]
    (2.0, 1.0)

    """
    start = time.monotonic()
    aim, judges = goal_of(goal), classifiers_of(classifiers)
    material = material_of(data, labels, terms=terms, analyzer=analyzer, min_df=min_df, n_jobs=n_jobs)
    if drop_copies:
        material = without(material, copied(material.documents.rows)[:, 1])
    repeats = usual_repeats(material) if repeats is None else repeats
    check_plan(folds, repeats, budget, material.labels.size)
    deadline = None if budget is None else start + budget * (1 - RESERVED)
    plan = Plan(folds, repeats, random_state, n_jobs, deadline, progress)
    ks = sizes_below(k, material.documents.rows.shape[1])
    two_sides = material.labels.single and len(material.labels.classes) == 2
    paths = paths_of(methods_of(metrics, two_sides, material.labels.single), judges, ks)
    results, left_out = carried_out(material, paths, aim, plan, start)
    models = [model_of(material, line, int(ks[-1]), random_state) for line in lines_to_fit(results)]
    warnings = warnings_of(material, fold_numbers(material.labels, folds, random_state))
    return Comparison(results, material, models, speeds_of(models, material), warnings, left_out)


def carried_out(
    material: Material, paths: list[Path], goal: Goal, plan: Plan, start: float
) -> tuple[Results, list[str]]:
    """The results of all there was time for, and what there was none for."""
    tried = results_of(material.documents, paths, goal, plan)
    if not any(tried):
        spent = time.monotonic() - start
        raise InvalidInput(
            f"the budget is too small: after {spent:.1f} s no candidate was tried on all {plan.folds} folds"
        )
    results = collected(paths, tried, goal, material.labels.classes, plan.folds)
    return results, unfinished(paths, tried, plan)


def unfinished(paths: list[Path], tried: list[Any], plan: Plan) -> list[str]:
    """What the budget cut off, in a sentence."""
    missing = [path for path, own in zip(paths, tried, strict=True) if not own]
    repeats = max(len(own) for own in tried)
    parts = []
    for name in dict.fromkeys(path.classifier.name for path in missing):
        own = [path.method.name for path in missing if path.classifier.name == name]
        is_whole = len(own) == sum(path.classifier.name == name for path in paths)
        parts.append(name if is_whole else f"{name} with {', '.join(own)}")
    if repeats < plan.repeats:
        parts.append(f"{plan.repeats - repeats} of {plan.repeats} repeats of the cross-validation")
    return [f"The budget left no time for {'; '.join(parts)}."] if parts else []


def lines_to_fit(results: Results) -> list[Line]:
    """The recommended line, and that of all terms with the same classifier."""
    chosen = results.lines[results.chosen]
    whole = [
        line for line in results.lines if line.method.name == ALL and line.classifier is chosen.classifier
    ]
    return [chosen, *(line for line in whole if line is not chosen)]


def speeds_of(models: list[Model], material: Material) -> list[float]:
    """Documents a second of each model."""
    return [documents_a_second(model, material) for model in models]


def usual_repeats(material: Material) -> int:
    """How often to split, by the size of the corpus alone."""
    work = material.documents.rows.nnz * len(material.labels.classes)
    return int(np.clip(WORK // max(work, 1), 1, MOST_REPEATS))
