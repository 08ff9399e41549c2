"""compare: which metric to trust, how many terms to keep, and what is gained or lost."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from termsift.compare.calibrating import calibrated_model
from termsift.compare.comparison import Comparison
from termsift.compare.dropped import without_copies
from termsift.compare.models import documents_per_second, model_of
from termsift.compare.pitfalls import warnings_of
from termsift.compare.rankers import rankers_of, sizes_below
from termsift.compare.reading import compared_documents
from termsift.compare.running import lines_to_fit, results_in_time, usual_repeats
from termsift.compare.trials import Progress, Schedule, check_folds, check_schedule, tracks_of
from termsift.experiment.classifiers import classifiers_from
from termsift.experiment.decisions import goal_from
from termsift.experiment.documents import Documents
from termsift.experiment.splits import Split, repeated_folds
from termsift.inputs import labelled_documents, reading_options
from termsift.machine.capacity import check_capacity

RESERVED = 0.15  # of the budget, for what comes after the trials
# bytes of memory per entry of the documents' rows, of itself and of each fold, as measured
ENTRY, FOLD_ENTRY = 100, 60


def compare(
    data: Any,
    labels: Any = None,
    *,
    text: Any = None,
    label: Any = None,
    metrics: Any = None,
    k: Iterable[int] | None = None,
    classifiers: Any = None,
    goal: str = "f1_macro",
    folds: int = 5,
    repeats: int | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    budget: float | None = None,
    analyzer: Any = None,
    min_df: float = 1,
    max_df: float = 1.0,
    drop_copies: bool = False,
    calibrate: bool = False,
    terms: Iterable[str] | None = None,
    progress: Progress | None = None,
    **reading: Any,
) -> Comparison:
    """Try metrics, numbers of terms and classifiers on labelled documents, by cross-validation.

    Terms are chosen inside each fold, from its training part alone.
    Beside the metrics stands what one would do otherwise: all terms, document frequency, SelectKBest(chi2)
    of scikit-learn, and L1 logistic regression.

    Parameters
    ----------
    data : what `termsift.count` takes, a Spark DataFrame aside: texts, a matrix of documents x terms, a data
        frame, the path of a file or folder, a pattern, a list of paths, a Corpus
    labels : one label per document, a list of labels each, or an indicator matrix
    text, label : the columns of a data frame or file
    metrics : names of `termsift.metrics()`, alone or with how they serve several classes: "bns:turns" (the
        classes take turns), "bns:local" (each class has terms of its own), "cc:sides" (terms for a class and
        against it, in a ratio found in the training part), "bns:mean", "bns:weighted", "bns:sum"; or with
        how terms are kept from saying the same: "ig:mrmr", "ig:jmi", "ig:cmim"
    k : numbers of terms to try; for "local" they are shared out among the classes
    classifiers : any of "bayes", "svm" and "logistic", or classifiers of scikit-learn, which get counts;
        a dict gives those names: {"mine": clf}
    goal : "f1_macro", "f1_micro", "accuracy", "precision", "recall" or "break_even"
    folds, repeats : of the stratified cross-validation, at most 1,000 each; without repeats, more for smaller
        corpora
    random_state : what the folds are drawn by
    n_jobs : threads; all cores where it is None. The result is the same for any number
    budget : seconds to stop after, with what is known then
    analyzer : how a text becomes terms: a termsift.Analyzer, a function, or a CountVectorizer
    min_df, max_df : leave out terms in fewer documents, or in more, as for `termsift.count`
    drop_copies : of documents that are copies of each other, or nearly, keep the first
    calibrate : find what turns the margins of the recommended model into probabilities, on documents that it
        was not fitted to
    terms : names of a matrix's columns
    progress : a function of the work done and the work there is
    reading : how files are read, as for `termsift.count`: header, delimiter, encoding, encoding_errors,
        format, separator, on_missing

    >>> spam, ham = ["win a prize now", "claim your free prize"], ["lunch at noon", "see you at lunch"]
    >>> found = compare(spam * 5 + ham * 5, ["spam"] * 10 + ["ham"] * 10, k=[2], metrics="bns", repeats=1)
    >>> found.chosen["terms"], found.chosen["mean"]
    (2, 1.0)

    """
    start = time.monotonic()
    reading = reading_options(compare, reading)
    check_schedule(folds, repeats, random_state, budget, progress)
    aim, judges = goal_from(goal), classifiers_from(classifiers)

    given = labelled_documents(data, labels, terms=terms, text=text, label=label, **reading)
    documents = compared_documents(given, analyzer=analyzer, min_df=min_df, max_df=max_df, n_jobs=n_jobs)
    documents, dropped = without_copies(documents) if drop_copies else (documents, [])
    check_folds(folds, len(documents))
    repeats = usual_repeats(documents) if repeats is None else repeats
    split = repeated_folds(documents.labels, folds, repeats, random_state)
    check_room(documents, split)

    ks = sizes_below(k, len(documents.terms))
    two_sides = documents.is_single and len(documents.labels.classes) == 2
    tracks = tracks_of(rankers_of(metrics, two_sides, documents.is_single), judges, ks)
    deadline = None if budget is None else start + budget * (1 - RESERVED)
    schedule = Schedule(n_jobs, deadline, progress)
    results, left_out = results_in_time(documents, tracks, aim, split, schedule, start)

    models = [model_of(documents, line, int(ks[-1]), random_state) for line in lines_to_fit(results)]
    if calibrate:
        models[0] = calibrated_model(models[0], documents, split, int(ks[-1]))
    speeds = [documents_per_second(model, documents) for model in models]
    warnings = warnings_of(documents, split)
    return Comparison(results, documents, models, speeds, warnings, [*dropped, *left_out])


def check_room(documents: Documents, split: Split) -> None:
    """An error where the folds would not fit into memory."""
    check_capacity(
        documents.rows.nnz * (ENTRY + split.runs * FOLD_ENTRY),
        f"to compare {len(documents):,} documents in {split.runs} folds",
        "Take a sample of the documents, fewer folds, or a larger min_df; ts.count holds no documents",
    )
