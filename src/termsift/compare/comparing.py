"""compare: which metric to trust, how many terms to keep, and what is gained or lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.compare.candidates.rankers import rankers_of, sizes_below
from termsift.compare.candidates.representations import readings_of
from termsift.compare.comparison import Comparison
from termsift.compare.dropped import without_copies
from termsift.compare.models import documents_per_second, model_of
from termsift.compare.pitfalls import warnings_of
from termsift.compare.race.running import lines_to_fit, results_in_time, usual_repeats
from termsift.compare.race.trials import Progress, Schedule, check_callback, check_schedule, tracks_of
from termsift.compare.reading import compared_documents
from termsift.compare.sampled import fitted_to_all, learning_gains, sample_words
from termsift.compare.saving import calibrated_model
from termsift.compare.split.joining import with_test
from termsift.compare.split.splitting import SplitOptions, split_of
from termsift.compare.wanted.trade_off import quick_enough
from termsift.compare.wanted.wishes import wish_from
from termsift.counts import Counts
from termsift.engines.sampling import sample_bound
from termsift.errors import InvalidInput
from termsift.experiment.classifiers import classifiers_from, usual_classifiers
from termsift.experiment.documents import Documents
from termsift.experiment.goals import goals_from
from termsift.experiment.splits import Split
from termsift.inputs import LabelledInput, labelled_documents, reading_options
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
    goal: str | Sequence[str] = "f1_macro",
    folds: int = 5,
    repeats: int | None = None,
    group: Any = None,
    groups: Any = None,
    time: Any = None,
    times: Any = None,
    split: Any = None,
    splits: Any = None,
    test: Any = None,
    test_labels: Any = None,
    cv: Any = None,
    weight: Any = None,
    sample_weight: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    within: float | None = None,
    at_most: int | None = None,
    latency: float | None = None,
    budget: float | None = None,
    thorough: bool = False,
    analyzer: Any = None,
    min_df: float = 1,
    max_df: float = 1.0,
    drop_copies: bool = False,
    calibrate: bool = False,
    memory: Any = None,
    terms: Iterable[str] | None = None,
    progress: Progress | None = None,
    counted: Callable[[Counts], None] | None = None,
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
        how terms are kept from saying the same: "ig:mrmr", "ig:jmi", "ig:cmim". Also "greedy", "l1", "all";
        features that are made of terms: "class_weights", "divisive(200)", "agglomerative(50)"; and any of
        them of other terms of the texts: "bns@1-2" of runs of words, "all@chars3-5" of runs of characters
    k : numbers of terms to try; for "local" they are shared out among the classes
    classifiers : any of "bayes", "complement", "svm" and "logistic", with ":binary" for 0/1 features in place
        of counts, the last two with a metric for its weights in place of idf ("svm:bns"); all with _tuned
        ("svm_tuned") for thresholds per class that are tuned for a goal of F in the training part; or
        classifiers of scikit-learn, which get counts; a dict gives those names: {"mine": clf}
    goal : "f1_macro", "f1_micro", "f2_macro" and others of its kind, "accuracy", "balanced_accuracy",
        "precision", "recall", "mcc", "average_precision", "precision_at_recall(0.9)" or "break_even"; of a
        list the first decides, and the others are told
    folds, repeats : of the stratified cross-validation, at most 1,000 each; without repeats, more for smaller
        corpora
    group, groups : a column, or a value per document, such as its author: no group is both learned from and
        judged
    time, times : a column, or a value per document (dates, ISO texts, numbers): what came before is learned
        from, and what came next is judged, in as many windows as `folds`
    split, splits : a column, or a value per document, that says train or test
    test, test_labels : documents to judge by, in the form of `data`; those of `data` are learned from
    cv : any splitter of scikit-learn, or pairs of indices to learn from and to judge
    weight, sample_weight : a column, or a number per document: what it counts for where terms are counted,
        classifiers fitted, and decisions judged
    random_state : what the folds are drawn by
    n_jobs : threads; all cores where it is None. The result is the same for any number
    within : recommend the fewest terms that give up at most so much of the best, not those within one
        standard error of it
    at_most : recommend the best candidate of at most so many terms
    latency : recommend the best candidate that labels a document in at most so many milliseconds here
    budget : seconds to stop after, with what is known then
    thorough : try all candidates on all folds, also those that cannot win any more
    analyzer : how a text becomes terms: a termsift.Analyzer, a function, or a CountVectorizer
    min_df, max_df : leave out terms in fewer documents, or in more, as for `termsift.count`
    drop_copies : of documents that are copies of each other, or nearly, keep the first
    memory : bytes that the comparison of a file may take, or a text such as "1GB"; half of what is free if
        none. Of a larger file a sample is compared, each class in its share
    calibrate : find what turns the margins of the recommended model into probabilities, on documents that it
        was not fitted to
    terms : names of a matrix's columns
    progress : a function of the work done and the work there is
    counted : a function of the counts of the documents learned from, called before anything is tried
    reading : how files are read, as for `termsift.count`: header, delimiter, encoding, encoding_errors,
        format, separator, on_missing

    >>> spam, ham = ["win a prize now", "claim your free prize"], ["lunch at noon", "see you at lunch"]
    >>> found = compare(spam * 5 + ham * 5, ["spam"] * 10 + ["ham"] * 10, k=[2], metrics="bns", repeats=1)
    >>> found.chosen["terms"], found.chosen["mean"]
    (2, 1.0)

    """
    start = monotonic()
    reading = reading_options(compare, reading)
    check_schedule(folds, repeats, random_state, budget, progress)
    check_callback("counted", counted, "of the counts")
    aims = goals_from(goal)
    judges = None if classifiers is None else classifiers_from(classifiers, aims[0])
    wish = wish_from(within, at_most, latency)
    check_one_way(cv=cv, test=test, split=split, splits=splits, time=time, times=times)

    columns = {"group": group, "time": time, "split": split, "weight": weight}
    values = {"group": groups, "time": times, "split": splits, "weight": sample_weight}
    bound = sample_bound(memory, budget, random_state, start)
    given = labelled_documents(data, labels, columns, bound, terms=terms, text=text, label=label, **reading)
    given = with_values(given, columns, values)
    if test is not None:
        held = labelled_documents(
            test, test_labels, columns, bound, terms=terms, text=text, label=label, **reading
        )
        given = with_test(given, held)
    documents = compared_documents(given, analyzer=analyzer, min_df=min_df, max_df=max_df, n_jobs=n_jobs)
    documents, dropped = without_copies(documents) if drop_copies else (documents, [])
    repeats = usual_repeats(documents) if repeats is None else repeats
    runs = split_of(documents, SplitOptions(folds, repeats, random_state, cv))
    check_room(documents, runs)
    if counted is not None:
        counted(learned_part(documents).counts)

    ks = with_size(sizes_below(k, len(documents.terms)), at_most, len(documents.terms))
    two_sides = documents.is_single and len(documents.labels.classes) == 2
    rankers = rankers_of(metrics, two_sides, documents.is_single)
    limits = {"min_df": min_df, "max_df": max_df}
    readings = readings_of(documents, (one.reading for one in rankers), n_jobs=n_jobs, **limits)
    tracks = tracks_of(rankers, judges or usual_classifiers(aims[0], documents.is_single), ks)
    deadline = None if budget is None else start + budget * (1 - RESERVED)
    schedule = Schedule(n_jobs, deadline, progress, thorough)
    results, left_out = results_in_time(readings, tracks, aims, runs, schedule, start)

    known = {mark: learned_part(own) for mark, own in readings.items()}
    results, too_slow = quick_enough(replace(results, wish=wish), known, int(ks[-1]), random_state)
    models = [
        model_of(known[line.ranker.reading], line, int(ks[-1]), random_state)
        for line in lines_to_fit(results)
    ]
    own, sampled = readings[models[0].line.ranker.reading], ""
    if given.sample is not None:
        gains = None if is_late(deadline) else learning_gains(results, own, runs, given.sample, int(ks[-1]))
        sampled = sample_words(given.sample, gains, results.goal.words)
        models = fitted_to_all(models, given.sample, deadline, n_jobs)
    if calibrate:
        models[0] = calibrated_model(models[0], own, runs, int(ks[-1]))
    speeds = [documents_per_second(model, model.documents) for model in models]
    warnings = warnings_of(documents, runs)
    untried = [*dropped, *left_out, *too_slow]
    return Comparison(results, known[""], models, speeds, warnings, untried, sampled)


def is_late(deadline: float | None) -> bool:
    """Whether the time for trials is over."""
    return deadline is not None and monotonic() > deadline


def learned_part(documents: Documents) -> Documents:
    """The documents but for those that are held out, to be judged."""
    return documents.take(np.flatnonzero(~documents.held)) if documents.held.size else documents


def with_size(ks: Array, at_most: int | None, terms: int) -> Array:
    """The numbers of terms to try, with the one that may not be exceeded, if it leaves some out."""
    more = [] if at_most is None or at_most >= terms else [at_most]
    return np.unique([*ks.tolist(), *more])


def check_one_way(**ways: Any) -> None:
    """An error where documents are to be split in two ways."""
    given = [name for name, value in ways.items() if value is not None]
    if len(given) > 1:
        raise InvalidInput(f"give one of {' and '.join(given)}: each says how documents are split")


def with_values(given: LabelledInput, columns: Mapping[str, Any], values: Mapping[str, Any]) -> LabelledInput:
    """The documents with what is given for each of them beside what was read."""
    found = {role: own for role, own in values.items() if own is not None}
    for role in found:
        if columns[role] is not None:
            raise InvalidInput(f"the {role} of documents is given twice: by themselves, and by {role}=")
    return replace(given, marks={**given.marks, **found}) if found else given


def check_room(documents: Documents, split: Split) -> None:
    """An error where the folds would not fit into memory."""
    check_capacity(
        documents.rows.nnz * (ENTRY + split.runs * FOLD_ENTRY),
        f"to compare {len(documents):,} documents in {split.runs} folds",
        "Take a sample of the documents, fewer folds, or a larger min_df; ts.count holds no documents",
    )
