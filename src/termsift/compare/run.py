"""Comparisons of more than fits: how much of it is taken, what more would give, a model of all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import Pipeline

from termsift._internal.errors import InvalidInputError
from termsift._internal.resources import check_capacity, told
from termsift._internal.typing import Array
from termsift.compare.candidates import rankers_of, sizes_below
from termsift.compare.comparison import Comparison
from termsift.compare.documents import compared_documents, readings_of, without_copies
from termsift.compare.final_model import (
    Model,
    calibrated_model,
    documents_per_second,
    model_classes,
    model_of,
    vectorizer_of,
)
from termsift.compare.pitfalls import warnings_of
from termsift.compare.racing import lines_to_fit, results_in_time, usual_repeats
from termsift.compare.recommendation import quick_enough
from termsift.compare.results import CandidateResults, wish_from
from termsift.compare.splits import SplitOptions, split_of
from termsift.compare.trials import (
    Candidate,
    Progress,
    Schedule,
    Track,
    check_callback,
    check_schedule,
    outcome_on_fold,
    tracks_of,
)
from termsift.counts import Counts
from termsift.engines import (
    Documents,
    LabelledInput,
    SampleFacts,
    labelled_documents,
    reading_options,
    sample_bound,
)
from termsift.estimators import TermVectorizer, concatenate_train_test
from termsift.evaluation import Division, Split, goals_from
from termsift.evaluation.classifiers import Tuned, classifiers_from, usual_classifiers

PARTS = (0.25, 0.5)  # of the documents to learn from, beside all


def sample_words(facts: SampleFacts, gain: tuple[float, float] | None, goal: str) -> str:
    """What was compared in place of all, and what more would give, in a sentence."""
    why = "the budget leaves time for" if facts.memory is None else f"fits {told(facts.memory)} of memory"
    what = f"the first {facts.seen:,}" if facts.is_cut else f"{facts.seen:,}"
    said = f"This is of a sample of {facts.kept:,} of {what} documents, each class in its share: what {why}"
    if gain is None:
        return f"{said}."
    twice, whole = gain
    return (
        f"{said}; by its learning curve twice as many would give about {twice:+.3f} {goal}, all {whole:+.3f}."
    )


def learning_gains(
    results: CandidateResults, documents: Documents, split: Split, facts: SampleFacts, most: int
) -> tuple[float, float] | None:
    """What twice as many documents, and all of them, would add to the goal of the recommended candidate.

    It is fitted to a quarter and to half of the documents to learn from. Each doubling is taken to give as
    much less than the one before as the last did.
    """
    line, divisions = results.lines[results.chosen], split.divisions(0)
    parts = [curve_value(results, documents, line, divisions, share, most) for share in (*PARTS, 1.0)]
    return gains_of(parts, facts.seen / max(facts.kept, 1))


def gains_of(values: Sequence[float], times: float) -> tuple[float, float]:
    """What a doubling, and as many documents times as much, would add, by values at a quarter, half and all.

    >>> [round(gain, 3) for gain in gains_of([0.6, 0.8, 0.9], 4)]
    [0.05, 0.075]
    """
    before, last = values[1] - values[0], values[2] - values[1]
    ratio = float(np.clip(last / before if before > 0 else 1.0, 0, 1)) if last > 0 else 0.0
    doublings = max(float(np.log2(max(times, 1))), 0)
    steps = np.arange(1, int(np.ceil(doublings)) + 1)
    shares = np.minimum(doublings - (steps - 1), 1)
    whole = float((max(last, 0) * ratio**steps * shares).sum())
    twice = max(last, 0) * ratio if doublings >= 1 else whole
    # no goal is above 1
    return min(twice, 1 - values[2]), min(whole, 1 - values[2])


def curve_value(
    results: CandidateResults,
    documents: Documents,
    line: Candidate,
    divisions: Sequence[Division],
    share: float,
    most: int,
) -> float:
    """The goal of a candidate, over divisions whose documents to learn from are cut to a share."""
    track, values = Track(line.ranker, line.classifier, (line.k,)), []
    for division in divisions:
        part = replace(division, learned=part_of(division.learned, share, division.seed))
        found = outcome_on_fold(track, part.fold(documents), results.goals, most)
        values.append(float(found.judgement.values[0].mean()))
    return float(np.mean(values))


def part_of(documents: Array, share: float, seed: int) -> Array:
    """A share of some documents, by lot, in their order."""
    if share >= 1:
        return documents
    size = max(int(len(documents) * share), 2)
    return np.sort(np.random.default_rng(seed).choice(documents, size, replace=False))


def fitted_to_all(
    models: list[Model], facts: SampleFacts, deadline: float | None, n_jobs: int | None
) -> list[Model]:
    """Naive Bayes fitted to all documents, read once more and counted in its terms; other models as they are.

    Out of time, all stay as they are.
    """
    grown = {n: clone(model.pipeline.steps[-1][1]) for n, model in enumerate(models) if grows(model)}
    if facts.again is None or not grown:
        return models
    counters = {n: counter_of(models[n], n_jobs) for n in grown}
    labels = models[0].documents.labels
    known = dict(zip(labels.classes, model_classes(labels), strict=True))
    for texts, names in facts.again():
        if deadline is not None and monotonic() > deadline:
            return models
        truth = np.array([known[own[0]] for own in names])
        for n, bayes in grown.items():
            classes = models[n].pipeline.steps[-1][1].classes_
            bayes.partial_fit(counters[n].transform(texts), truth, classes=classes)
    return [
        replace(model, pipeline=Pipeline([(model.pipeline.steps[-1][0], grown[n])])) if n in grown else model
        for n, model in enumerate(models)
    ]


def grows(model: Model) -> bool:
    """Whether a model is naive Bayes of counts alone, which learns from some documents after others.

    Thresholds are those of a fit to the sample; what a function found cannot be counted again.
    """
    own = model.documents
    is_plain = len(model.pipeline.steps) == 1 and type(model.pipeline.steps[0][1]) is MultinomialNB
    is_alike = own.is_single and not own.weights.size and not isinstance(model.line.classifier, Tuned)
    return is_plain and is_alike and (own.analyzer is not None or own.settings is not None)


def counter_of(model: Model, n_jobs: int | None) -> TermVectorizer:
    """What counts the terms of a model in texts as they were counted, by the compiled scan where that can."""
    own, terms = model.documents, model.terms(model.documents)
    if own.analyzer is not None:
        return TermVectorizer(analyzer=own.analyzer, vocabulary=terms, n_jobs=n_jobs)
    return TermVectorizer(**vectorizer_of(own, terms).get_params(), n_jobs=n_jobs)


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
    """Compare metrics, numbers of terms and classifiers on labelled documents, by cross-validation.

    Terms are chosen inside each fold, from its training part only.
    The baselines are all terms, document frequency, scikit-learn's SelectKBest(chi2), and L1 logistic
    regression.

    Parameters
    ----------
    data : as for `termsift.count`, except Spark DataFrames: texts, a document-term matrix, a data frame, the
        path of a file or folder, a glob pattern, a list of paths, or a Corpus
    labels : one label per document, a list of labels per document, or an indicator matrix
    text, label : columns of the data frame or file
    metrics : names in `termsift.metrics()`, optionally with a suffix. For several classes: "bns:round_robin" (the
        classes take turns), "bns:per_class" (separate terms for each class), "cc:combined" (terms for and against a
        class, in a ratio tuned on the training part), "bns:mean", "bns:weighted", "bns:sum". To avoid
        redundant terms: "ig:mrmr", "ig:jmi", "ig:cmim". Also "greedy", "l1", "all"; features made from terms:
        "class_weights", "divisive(200)", "agglomerative(50)"; and any of these on other terms of the texts:
        "bns@1-2" for runs of words, "all@chars3-5" for runs of characters
    k : numbers of terms to try; for "per_class" they are divided among the classes
    classifiers : any of "multinomial_nb", "complement_nb", "svm" and "logistic", with ":binary" for 0/1 features instead
        of counts. The last two also take a metric as weight instead of idf ("svm:bns"). All may end in _tuned
        ("svm_tuned"), for thresholds per class that are tuned for an F goal on the training part. Or
        scikit-learn classifiers, which get counts; a dict names them: {"mine": clf}
    goal : "f1_macro", "f1_micro", "f2_macro" and similar, "accuracy", "balanced_accuracy", "precision",
        "recall", "mcc", "average_precision", "precision_at_recall(0.9)" or "break_even". In a list, the first
        decides, and the others are reported
    folds, repeats : of the stratified cross-validation, at most 1,000 each. By default, smaller corpora get
        more repeats
    group, groups : a column, or a value per document, such as its author: no group is in both the training
        and the test part
    time, times : a column, or a value per document (dates, ISO texts, numbers): train on earlier documents
        and test on the next ones, in as many windows as `folds`
    split, splits : a column, or a value per document, that says train or test
    test, test_labels : test documents and labels, in the same form as `data`, which is then used for training
    cv : any scikit-learn splitter, or pairs of training and test indices
    weight, sample_weight : a column, or a number per document: its weight in counting terms, in fitting
        classifiers, and in evaluation
    random_state : seed of the folds
    n_jobs : number of threads; None means all cores. The result does not depend on it
    within : recommend the fewest terms that lose at most this much against the best, instead of those within
        one standard error of it
    at_most : recommend the best candidate with at most this many terms
    latency : recommend the best candidate that labels a document in at most this many milliseconds on this
        machine
    budget : seconds after which to stop, with the results so far
    thorough : try all candidates on all folds, even those that can no longer win
    analyzer : how a text becomes terms: a termsift.Analyzer, a function, or a CountVectorizer
    min_df, max_df : leave out terms in fewer, or in more, documents than this, as for `termsift.count`
    drop_copies : keep only the first of duplicate or nearly duplicate documents
    memory : bytes that comparing a file may take, or a string such as "1GB"; by default half of the free
        memory. For a larger file, a stratified sample is compared
    calibrate : calibrate the margins of the recommended model to probabilities, on documents outside its
        training data
    terms : names of the matrix columns
    progress : a function called with the work done and the total work
    counted : a function called with the counts of the training documents before anything is tried
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
        given = concatenate_train_test(given, held)
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
        raise InvalidInputError(f"give one of {' and '.join(given)}: each says how documents are split")


def with_values(given: LabelledInput, columns: Mapping[str, Any], values: Mapping[str, Any]) -> LabelledInput:
    """The documents with what is given for each of them beside what was read."""
    found = {role: own for role, own in values.items() if own is not None}
    for role in found:
        if columns[role] is not None:
            raise InvalidInputError(f"the {role} of documents is given twice: by themselves, and by {role}=")
    return replace(given, marks={**given.marks, **found}) if found else given


def check_room(documents: Documents, split: Split) -> None:
    """An error where the folds would not fit into memory."""
    check_capacity(
        documents.rows.nnz * (ENTRY + split.runs * FOLD_ENTRY),
        f"to compare {len(documents):,} documents in {split.runs} folds",
        "Take a sample of the documents, fewer folds, or a larger min_df; ts.count holds no documents",
    )
