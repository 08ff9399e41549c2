"""Function `compare`, and comparisons of a sample if the documents do not fit into memory or time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from termsift import engines
from termsift._internal.errors import InvalidInputError
from termsift._internal.resources import check_memory, format_bytes
from termsift.compare import documents as preparation
from termsift.compare import final_model
from termsift.compare.candidates import (
    CandidateFamily,
    Progress,
    Schedule,
    choose_sizes,
    evaluate_family,
    list_extra_families,
    list_families,
    list_rankers,
)
from termsift.compare.comparison import Comparison
from termsift.compare.documents import MAX_SPLITS, find_pitfalls, make_split
from termsift.compare.final_model import FittedCandidate
from termsift.compare.racing import race_candidates
from termsift.compare.results import CandidateResults, RecommendationRule
from termsift.counts import Counts
from termsift.engines import Documents, SampleFacts
from termsift.estimators import concatenate_train_test
from termsift.evaluation import Split, parse_goals
from termsift.evaluation.classifiers import default_classifiers, linear_coefficients, parse_classifiers

CALLBACKS = {"progress": "the completed and the total work", "on_counts": "the counts"}  # and their arguments
BIGRAM_TIME = 10  # least budget for bigrams, as a multiple of the time for reading and counting words
RESERVED_BUDGET = 0.15  # share of the budget for the work after the trials
# measured memory per entry of the documents' rows, and per entry and fold
BYTES_PER_ENTRY, BYTES_PER_FOLD_ENTRY = 100, 60
CURVE_SHARES = (0.25, 0.5, 1.0)  # of the training documents
REPEATED_WORK = 5e6  # matrix entries times classes that allow one more repeat
MAX_REPEATS = 3  # by Nadeau and Bengio's formula, two more would reduce a standard error by only 4 %


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
    tolerance: float | None = None,
    max_terms: int | None = None,
    budget: float | None = None,
    racing: bool = True,
    analyzer: Any = None,
    min_df: float = 1,
    max_df: float = 1.0,
    drop_duplicates: bool = False,
    calibrate: bool = False,
    memory: Any = None,
    terms: Iterable[str] | None = None,
    progress: Progress | None = None,
    on_counts: Callable[[Counts], None] | None = None,
    **reading: Any,
) -> Comparison:
    """Compare metrics, numbers of terms and classifiers on labelled documents, by cross-validation.

    Terms are chosen inside each fold, from its training set only.
    The baselines are all terms, document frequency, scikit-learn's SelectKBest(chi2), and L1 logistic
    regression.

    Parameters
    ----------
    data : texts, matrix, data frame, path or Corpus
        As for `termsift.count`, except Spark DataFrames: texts, a document-term matrix, a data frame, the
        path of a file or folder, a glob pattern, a list of paths, or a Corpus.
    labels : array-like, optional
        One label per document, a list of labels per document, or an indicator matrix.
    text, label : str, optional
        Columns of the data frame or file.
    metrics : str, Method or list of these, optional
        Names in `termsift.metrics()`, optionally with a suffix. For several classes: "bns:round_robin",
        "bns:per_class" (separate terms for each class), "cc:combined" (positive and negative terms, in a
        ratio tuned on the training set), "bns:mean", "bns:weighted", "bns:sum". To avoid redundant terms:
        "ig:mrmr", "ig:jmi", "ig:cmim". Also "greedy", "l1", "all"; features made from terms:
        "class_weights", "divisive(200)"; and any of these on n-grams: "bns@1-2" for words, "all@chars3-5" for
        characters. By default, a set of good ones.
    k : iterable of int, optional
        Numbers of terms to try; for "per_class" they are divided among the classes.
    classifiers : str, classifier, or list or dict of these, optional
        Any of "multinomial_nb", "complement_nb", "svm", "nbsvm" and "logistic", with ":binary" for 0/1
        features instead of counts. Naive Bayes also takes ":smooth_all" or ":all_terms", other denominators
        of its probabilities, or ":length", a distribution of the document length. The last three also take a
        metric as weight instead of idf ("svm:bns"), and a C ("svm(C=3)"). All except nbsvm may end in _tuned
        ("svm_tuned"), for thresholds per class that are tuned for an F goal on the training set. Or
        scikit-learn classifiers, which get counts; a dict names them: {"mine": clf}. By default, a set of
        good ones.
    goal : str or list of str, default "f1_macro"
        "f1_macro", "f1_micro", "f2_macro" and similar, "accuracy", "balanced_accuracy", "precision_macro",
        "recall_macro", "mcc", "average_precision", "precision_at_recall(0.9)" or "break_even". In a list, the
        first decides, and the others are reported.
    folds : int, default 5
        Number of folds of the stratified cross-validation, or of time windows, at most 1,000.
    repeats : int, optional
        Repetitions of the cross-validation, at most 1,000. By default, smaller corpora get more repeats.
    group, groups : str; array-like, optional
        Column, or a value per document, such as its author: no group is in both the training and the test
        set.
    time, times : str; array-like, optional
        Column, or a value per document (dates, ISO texts, numbers): train on earlier documents and test on
        the next ones, in as many windows as `folds`.
    split, splits : str; array-like, optional
        Column, or a value per document: train or test.
    test, test_labels : optional
        Test documents and labels, in the same form as `data`, which is then used for training.
    cv : splitter or iterable of pairs, optional
        Any scikit-learn splitter, or pairs of training and test indices.
    weight, sample_weight : str; array-like, optional
        Column, or a number per document: its weight in counting terms, in fitting classifiers, and in
        evaluation.
    random_state : int, default 0
        Random seed of the folds.
    n_jobs : int, optional
        Number of threads; None means all cores. The result does not depend on it.
    tolerance : float, optional
        Recommend the fewest terms that lose at most this much against the best, instead of those within one
        standard error of it.
    max_terms : int, optional
        Recommend the best candidate with at most this many terms.
    budget : float, optional
        Seconds after which to stop, with the results so far.
    racing : bool, default True
        Drop candidates that can no longer win; False evaluates all candidates on all folds.
    analyzer : Analyzer, function or CountVectorizer, optional
        How a text becomes terms.
    min_df, max_df : int or float, default 1 and 1.0
        Omit terms in fewer, or in more, documents than this, as for `termsift.count`.
    drop_duplicates : bool, default False
        Remove duplicate and near-duplicate documents, keeping the first.
    calibrate : bool, default False
        Calibrate the decision values of the recommended model to probabilities, out of fold.
    memory : int or str, optional
        Bytes that comparing a file may take, or a string such as "1GB"; by default half of the free memory.
        For a larger file, a stratified sample is compared.
    terms : iterable of str, optional
        Names of the matrix columns.
    progress : function, optional
        Called with the completed and the total work.
    on_counts : function, optional
        Called with the counts of the training documents before any candidate is tried.
    **reading
        How files are read, as for `termsift.count`: header, delimiter, encoding, encoding_errors, format,
        label_separator, on_missing.

    Returns
    -------
    Comparison
        Advice, tables, and the recommended model.

    Raises
    ------
    InvalidInputError
        If an option is invalid, options contradict each other, a fold lacks documents or classes, or the
        budget or the memory is too small.
    UnknownNameError
        If a metric, classifier, goal or option does not exist.
    UnreadableFileError
        If a file cannot be read.

    Examples
    --------
    >>> spam, ham = ["win a prize now", "claim your free prize"], ["lunch at noon", "see you at lunch"]
    >>> labels = ["spam"] * 10 + ["ham"] * 10
    >>> comparison = compare(spam * 5 + ham * 5, labels, k=[2], metrics="bns", repeats=1)
    >>> comparison.recommended["terms"], comparison.recommended["mean"]
    (2, 1.0)

    """
    start = monotonic()
    reading = engines.validate_read_options(compare, reading)
    _check_numbers(folds, repeats, random_state, max_terms, tolerance, budget)
    for name, callback in (("progress", progress), ("on_counts", on_counts)):
        if not (callback is None or callable(callback)):
            raise InvalidInputError(f"{name} must be a function of {CALLBACKS[name]}, got {callback!r}")
    goals = parse_goals(goal)
    classifiers = None if classifiers is None else parse_classifiers(classifiers, goals[0])
    split_options = {"cv": cv, "test": test, "split": split, "splits": splits, "time": time, "times": times}
    names = [name for name, value in split_options.items() if value is not None]
    if len(names) > 1:
        raise InvalidInputError(f"give only one of {' and '.join(names)}: each defines the test set")

    columns = {"group": group, "time": time, "split": split, "weight": weight}
    limit = engines.choose_sample_limit(memory, budget, random_state, start)
    reading |= {"terms": terms, "text": text, "label": label}
    labelled = engines.load_documents(data, labels, columns, limit, **reading)
    values = {"group": groups, "time": times, "split": splits, "weight": sample_weight}
    values = {role: array for role, array in values.items() if array is not None}
    for role in values:
        if columns[role] is not None:
            raise InvalidInputError(f"{role} is given twice, as values and as a column; give only one")
    labelled = replace(labelled, metadata={**labelled.metadata, **values})
    if test is not None:
        test_documents = engines.load_documents(test, test_labels, columns, limit, **reading)
        labelled = concatenate_train_test(labelled, test_documents)
    df_limits = {"min_df": min_df, "max_df": max_df}
    documents = preparation.prepare_documents(labelled, analyzer=analyzer, n_jobs=n_jobs, **df_limits)
    notes: list[str] = []
    if drop_duplicates:
        documents, notes = preparation.drop_duplicates(documents)
    n_terms, n_classes = len(documents.terms), len(documents.labels.classes)
    is_single = documents.labels.is_single_label
    if repeats is None:
        repeats = int(np.clip(REPEATED_WORK // max(documents.rows.nnz * n_classes, 1), 1, MAX_REPEATS))
    runs = make_split(documents, folds, repeats, random_state, cv)
    check_memory(
        documents.rows.nnz * (BYTES_PER_ENTRY + runs.runs * BYTES_PER_FOLD_ENTRY),
        f"to compare {len(documents):,} documents in {runs.runs} folds",
        "Take a sample of the documents, fewer folds, or a larger min_df; ts.count needs less memory",
    )
    # words of the classes can be shown while candidates are evaluated
    if on_counts is not None:
        on_counts(_training_set(documents).counts)

    sizes = choose_sizes(k, n_terms)
    if max_terms is not None and max_terms < n_terms:
        sizes = np.union1d(sizes, [max_terms])
    max_k = int(sizes[-1])
    rankers = list_rankers(metrics, is_single and n_classes == 2, is_single, goals[0])
    extras: list[CandidateFamily] = []
    if metrics is None and classifiers is None:
        has_time = budget is None or budget > BIGRAM_TIME * (monotonic() - start)
        extras = list_extra_families(documents, has_time=has_time)
    classifiers = classifiers or default_classifiers(goals[0], is_single)
    families = list_families(rankers, classifiers, sizes, extras)
    representations = [family.ranker.representation for family in families]
    represented = preparation.represent_documents(documents, representations, n_jobs=n_jobs, **df_limits)
    # models, throughput and warnings follow the race
    deadline = None if budget is None else start + budget * (1 - RESERVED_BUDGET)
    schedule = Schedule(n_jobs, deadline, progress, racing, start)
    results, untried = race_candidates(represented, families, goals, runs, schedule)
    if tolerance is None and max_terms is None and results.folds < runs.runs > 1:
        tolerance = 0.0  # standard errors of a few folds are too large for a rule of one standard error
    results = replace(results, rule=RecommendationRule(tolerance, max_terms, budget is not None))

    # the recommended candidate, all terms with the usual classifier, and the best candidate
    recommended = results.candidates[results.recommended]
    shown = dict.fromkeys((recommended, results.candidates[0], results.candidates[results.best]))
    training = {name: _training_set(subset) for name, subset in represented.items()}
    fitted = [
        final_model.fit_candidate(training[candidate.ranker.representation], candidate, max_k, random_state)
        for candidate in shown
    ]
    chosen_documents, sampled = represented[recommended.ranker.representation], ""
    if labelled.sample is not None:
        gains = None
        if deadline is None or monotonic() <= deadline:
            gains = learning_gains(results, chosen_documents, runs, labelled.sample, max_k)
        sampled = describe_sample(labelled.sample, gains, results.goal.description)
        fitted = refit_naive_bayes(fitted, labelled.sample, deadline)
    if calibrate:
        fitted[0] = final_model.calibrate_model(fitted[0], chosen_documents, runs, max_k)
    throughput = [final_model.measure_throughput(model) for model in fitted]
    warnings = list(find_pitfalls(documents, runs))
    source = describe_source(data)
    return Comparison(
        results, training[""], fitted, throughput, warnings, [*notes, *untried], sampled, source
    )


def describe_source(data: Any) -> str:
    """Return the name of the data for the provenance of a model."""
    if engines.is_path_input(data, None, True):
        return ", ".join(map(str, data)) if isinstance(data, list | tuple) else str(data)
    name = getattr(data, "name", None)
    return name if engines.is_corpus(data) and isinstance(name, str) else type(data).__name__


def _check_numbers(folds: Any, repeats: Any, seed: Any, max_terms: Any, tolerance: Any, budget: Any) -> None:
    """Check the numbers that determine folds, recommendation and time."""
    for name, value, minimum, maximum in (
        ("folds", folds, 2, MAX_SPLITS),
        ("repeats", 1 if repeats is None else repeats, 1, MAX_SPLITS),
        ("random_state", seed, 0, np.inf),
        ("max_terms", 1 if max_terms is None else max_terms, 1, np.inf),
    ):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < minimum:
            raise InvalidInputError(f"{name} must be a whole number of at least {minimum}, got {value!r}")
        if value > maximum:
            raise InvalidInputError(f"{name} must be at most {maximum:,}, got {value:,}")
    is_number = isinstance(tolerance, int | float | np.number) and not isinstance(tolerance, bool)
    if tolerance is not None and not (is_number and 0 <= float(tolerance) < np.inf):
        raise InvalidInputError(f"tolerance must be a number of at least 0, got {tolerance!r}")
    if budget is not None and not (isinstance(budget, int | float | np.number) and budget > 0):
        raise InvalidInputError(f"budget must be a number of seconds above 0, got {budget!r}")


def _training_set(documents: Documents) -> Documents:
    """Return the documents without those of a test set."""
    return documents.take(np.flatnonzero(~documents.is_test)) if documents.is_test.size else documents


def describe_sample(facts: SampleFacts, gains: LearningGains | None, goal: str) -> str:
    """Describe in a sentence the sample, and the expected gain from more documents."""
    limit = "the budget" if facts.memory is None else f"{format_bytes(facts.memory)} of memory"
    total = f"the first {facts.seen:,}" if facts.is_cut else f"{facts.seen:,}"
    sentence = f"Compared on a stratified sample of {facts.kept:,} of {total} documents, limited by {limit}"
    if gains is None:
        return f"{sentence}."
    return (
        f"{sentence}; the learning curve predicts about {gains.twice:+.3f} {goal} with twice as many "
        f"documents, {gains.full:+.3f} with all."
    )


class LearningGains(NamedTuple):
    """Expected gain of a goal with twice as many documents, and with all."""

    twice: float
    full: float


def learning_gains(
    results: CandidateResults, documents: Documents, split: Split, facts: SampleFacts, max_k: int
) -> LearningGains:
    """Estimate what twice as many documents, and all of them, would add to the recommended candidate's goal.

    The candidate is evaluated with a quarter, half and all of the training documents of each fold.
    """
    candidate = results.candidates[results.recommended]
    family = CandidateFamily(candidate.ranker, candidate.classifier, (candidate.k,))
    curve = []
    for share in CURVE_SHARES:
        values = []
        for division in split.divisions(0):
            train = division.train
            if share < 1:
                rng, size = np.random.default_rng(division.seed), max(int(len(train) * share), 2)
                train = np.sort(rng.choice(train, size, replace=False))
            fold = replace(division, train=train).fold(documents)
            result = evaluate_family(family, fold, results.goals, max_k)
            values.append(float(result.fold_results[0].values[0].mean()))
        curve.append(float(np.mean(values)))
    return extrapolate_gains(curve, facts.seen / max(facts.kept, 1))


def extrapolate_gains(learning_curve: Sequence[float], factor: float) -> LearningGains:
    """Extrapolate a learning curve to twice as many documents, and to `factor` times as many.

    Each doubling is assumed to gain less than the previous one by a constant ratio.

    learning_curve : the goal with a quarter, half and all of the documents

    >>> [round(gain, 3) for gain in extrapolate_gains([0.6, 0.8, 0.9], 4)]
    [0.05, 0.075]
    """
    previous, last = learning_curve[1] - learning_curve[0], learning_curve[2] - learning_curve[1]
    ratio = float(np.clip(last / previous if previous > 0 else 1.0, 0, 1)) if last > 0 else 0.0
    doublings = max(float(np.log2(max(factor, 1))), 0)
    steps = np.arange(1, int(np.ceil(doublings)) + 1)
    weights = np.minimum(doublings - (steps - 1), 1)  # the last doubling may be partial
    total = float((max(last, 0) * ratio**steps * weights).sum())
    twice = max(last, 0) * ratio if doublings >= 1 else total
    # no goal exceeds 1
    return LearningGains(min(twice, 1 - learning_curve[2]), min(total, 1 - learning_curve[2]))


def refit_naive_bayes(
    fitted: list[FittedCandidate], facts: SampleFacts, deadline: float | None
) -> list[FittedCandidate]:
    """Fit naive Bayes models to all documents instead of the sample; other models stay as they are.

    The documents are read once more, and counted in the selected terms. After the deadline no model is
    changed.
    """
    numbers = [n for n, model in enumerate(fitted) if final_model.can_fit_in_batches(model)]
    if facts.again is None or not numbers:
        return fitted
    text_models = {n: fitted[n].build_model({}) for n in numbers}
    estimators = {n: fitted[n].candidate.classifier.make_estimator() for n in numbers}
    labels = fitted[0].documents.labels
    names = dict(zip(labels.classes, final_model.sklearn_class_names(labels), strict=True))
    for texts, labels_per_document in facts.again():
        if deadline is not None and monotonic() > deadline:
            return fitted
        target = np.array([names[document_labels[0]] for document_labels in labels_per_document])
        for n, estimator in estimators.items():
            rows = text_models[n].steps.compute_features(text_models[n].count_terms(texts))
            estimator.partial_fit(rows, target, classes=np.array(text_models[n].classes))
    grown = list(fitted)
    for n, estimator in estimators.items():
        coefficients, intercepts = linear_coefficients(estimator)
        model = replace(text_models[n], coefficients=coefficients, intercepts=intercepts, analyzer=None)
        grown[n] = replace(fitted[n], model=model)
    return grown
