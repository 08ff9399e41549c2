"""Function `compare`, and comparisons of a sample if the documents do not fit into memory or time."""

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
from termsift._internal.resources import check_memory, format_bytes
from termsift._internal.typing import Array
from termsift.compare.candidates import list_rankers, list_sizes
from termsift.compare.comparison import Comparison
from termsift.compare.documents import drop_duplicates as remove_duplicates
from termsift.compare.documents import prepare_documents, represent_documents
from termsift.compare.final_model import (
    FittedCandidate,
    calibrate_model,
    class_names,
    fit_candidate,
    make_vectorizer,
    measure_throughput,
)
from termsift.compare.pitfalls import find_pitfalls
from termsift.compare.racing import candidates_to_fit, default_repeats, race_candidates
from termsift.compare.results import CandidateResults, make_rule
from termsift.compare.splits import SplitOptions, make_split
from termsift.compare.trials import (
    CandidateFamily,
    Progress,
    Schedule,
    check_callback,
    check_schedule,
    evaluate_family,
    list_families,
)
from termsift.counts import Counts
from termsift.engines import (
    Documents,
    LabelledInput,
    SampleFacts,
    choose_sample_limit,
    load_documents,
    validate_read_options,
)
from termsift.estimators import TermVectorizer, concatenate_train_test
from termsift.evaluation import Split, parse_goals
from termsift.evaluation.classifiers import TunedClassifier, default_classifiers, parse_classifiers

RESERVED_BUDGET = 0.15  # share of the budget for the work after the trials
# measured memory per entry of the documents' rows, and per entry and fold
BYTES_PER_ENTRY, BYTES_PER_FOLD_ENTRY = 100, 60
CURVE_SHARES = (0.25, 0.5, 1.0)  # of the training documents


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
    data : as for `termsift.count`, except Spark DataFrames: texts, a document-term matrix, a data frame, the
        path of a file or folder, a glob pattern, a list of paths, or a Corpus
    labels : one label per document, a list of labels per document, or an indicator matrix
    text, label : columns of the data frame or file
    metrics : names in `termsift.metrics()`, optionally with a suffix. For several classes: "bns:round_robin",
        "bns:per_class" (separate terms for each class), "cc:combined" (positive and negative terms, in a "
        "ratio
        tuned on the training set), "bns:mean", "bns:weighted", "bns:sum". To avoid redundant terms:
        "ig:mrmr", "ig:jmi", "ig:cmim". Also "greedy_discrimination", "l1", "all"; features made from terms:
        "class_weights", "divisive(200)"; and any of these on n-grams: "bns@1-2" for words, "all@chars3-5" for
        characters
    k : numbers of terms to try; for "per_class" they are divided among the classes
    classifiers : any of "multinomial_nb", "complement_nb", "svm" and "logistic", with ":binary" for 0/1
        features instead of counts. The last two also take a metric as weight instead of idf ("svm:bns"). All
        may end in _tuned ("svm_tuned"), for thresholds per class that are tuned for an F goal on the training
        set. Or scikit-learn classifiers, which get counts; a dict names them: {"mine": clf}
    goal : "f1_macro", "f1_micro", "f2_macro" and similar, "accuracy", "balanced_accuracy", "precision_macro",
        "recall_macro", "mcc", "average_precision", "precision_at_recall(0.9)" or "break_even". In a list, "
        "the first
        decides, and the others are reported
    folds, repeats : of the stratified cross-validation, at most 1,000 each. By default, smaller corpora get
        more repeats
    group, groups : a column, or a value per document, such as its author: no group is in both the training
        and the test set
    time, times : a column, or a value per document (dates, ISO texts, numbers): train on earlier documents
        and test on the next ones, in as many windows as `folds`
    split, splits : a column, or a value per document: train or test
    test, test_labels : test documents and labels, in the same form as `data`, which is then used for training
    cv : any scikit-learn splitter, or pairs of training and test indices
    weight, sample_weight : a column, or a number per document: its weight in counting terms, in fitting
        classifiers, and in evaluation
    random_state : seed of the folds
    n_jobs : number of threads; None means all cores. The result does not depend on it
    tolerance : recommend the fewest terms that lose at most this much against the best, instead of those
        within one standard error of it
    max_terms : recommend the best candidate with at most this many terms
    budget : seconds after which to stop, with the results so far
    racing : drop candidates that can no longer win; False evaluates all candidates on all folds
    analyzer : how a text becomes terms: a termsift.Analyzer, a function, or a CountVectorizer
    min_df, max_df : leave out terms in fewer, or in more, documents than this, as for `termsift.count`
    drop_duplicates : remove duplicate and near-duplicate documents, keeping the first
    memory : bytes that comparing a file may take, or a string such as "1GB"; by default half of the free
        memory. For a larger file, a stratified sample is compared
    calibrate : calibrate the decision values of the recommended model to probabilities, out of fold
    terms : names of the matrix columns
    progress : a function called with the work done and the total work
    on_counts : a function called with the counts of the training documents before anything is tried
    reading : how files are read, as for `termsift.count`: header, delimiter, encoding, encoding_errors,
        format, label_separator, on_missing

    Returns
    -------
    comparison : advice, tables, and the recommended model

    Examples
    --------
    >>> spam, ham = ["win a prize now", "claim your free prize"], ["lunch at noon", "see you at lunch"]
    >>> labels = ["spam"] * 10 + ["ham"] * 10
    >>> comparison = compare(spam * 5 + ham * 5, labels, k=[2], metrics="bns", repeats=1)
    >>> comparison.chosen["terms"], comparison.chosen["mean"]
    (2, 1.0)

    """
    start = monotonic()
    reading = validate_read_options(compare, reading)
    check_schedule(folds, repeats, random_state, budget, progress)
    check_callback("on_counts", on_counts, "of the counts")
    goals = parse_goals(goal)
    tried_classifiers = None if classifiers is None else parse_classifiers(classifiers, goals[0])
    rule = make_rule(tolerance, max_terms)
    _check_one_split(cv=cv, test=test, split=split, splits=splits, time=time, times=times)

    columns = {"group": group, "time": time, "split": split, "weight": weight}
    values = {"group": groups, "time": times, "split": splits, "weight": sample_weight}
    limit = choose_sample_limit(memory, budget, random_state, start)
    reading |= {"terms": terms, "text": text, "label": label}
    labelled = _add_values(load_documents(data, labels, columns, limit, **reading), columns, values)
    if test is not None:
        labelled = concatenate_train_test(
            labelled, load_documents(test, test_labels, columns, limit, **reading)
        )
    df_limits = {"min_df": min_df, "max_df": max_df}
    documents = prepare_documents(labelled, analyzer=analyzer, n_jobs=n_jobs, **df_limits)
    documents, notes = remove_duplicates(documents) if drop_duplicates else (documents, [])
    repeats = default_repeats(documents) if repeats is None else repeats
    runs = make_split(documents, SplitOptions(folds, repeats, random_state, cv))
    _check_memory(documents, runs)
    if on_counts is not None:
        on_counts(_training_set(documents).counts)

    n_terms, is_single = len(documents.terms), documents.is_single
    sizes = list_sizes(k, n_terms)
    if max_terms is not None and max_terms < n_terms:
        sizes = np.union1d(sizes, [max_terms])
    max_k = int(sizes[-1])
    rankers = list_rankers(metrics, is_single and len(documents.labels.classes) == 2, is_single)
    represented = represent_documents(
        documents, (ranker.representation for ranker in rankers), n_jobs=n_jobs, **df_limits
    )
    families = list_families(rankers, tried_classifiers or default_classifiers(goals[0], is_single), sizes)
    deadline = None if budget is None else start + budget * (1 - RESERVED_BUDGET)
    schedule = Schedule(n_jobs, deadline, progress, racing)
    results, untried = race_candidates(represented, families, goals, runs, schedule, start)
    results = replace(results, rule=rule)

    training = {name: _training_set(subset) for name, subset in represented.items()}
    models = [
        fit_candidate(training[candidate.ranker.representation], candidate, max_k, random_state)
        for candidate in candidates_to_fit(results)
    ]
    chosen_documents, sampled = represented[models[0].candidate.ranker.representation], ""
    if labelled.sample is not None:
        gains = None
        if deadline is None or monotonic() <= deadline:
            gains = learning_gains(results, chosen_documents, runs, labelled.sample, max_k)
        sampled = describe_sample(labelled.sample, gains, results.goal.description)
        models = fit_to_all_documents(models, labelled.sample, deadline, n_jobs)
    if calibrate:
        models[0] = calibrate_model(models[0], chosen_documents, runs, max_k)
    throughput = [measure_throughput(model) for model in models]
    warnings = find_pitfalls(documents, runs)
    return Comparison(results, training[""], models, throughput, warnings, [*notes, *untried], sampled)


def _check_one_split(**options: Any) -> None:
    """Check that documents are split in at most one way."""
    names = [name for name, value in options.items() if value is not None]
    if len(names) > 1:
        raise InvalidInputError(f"{' and '.join(names)} both determine the split; give only one")


def _add_values(
    labelled: LabelledInput, columns: Mapping[str, Any], values: Mapping[str, Any]
) -> LabelledInput:
    """Add values per document to those that were read from columns."""
    added = {role: array for role, array in values.items() if array is not None}
    for role in added:
        if columns[role] is not None:
            raise InvalidInputError(
                f"the {role} of documents is given twice: as values, and as column {role}="
            )
    return replace(labelled, metadata={**labelled.metadata, **added}) if added else labelled


def _training_set(documents: Documents) -> Documents:
    """Return the documents without those of a test set."""
    return documents.take(np.flatnonzero(~documents.is_test)) if documents.is_test.size else documents


def _check_memory(documents: Documents, split: Split) -> None:
    """Check that the folds fit into memory."""
    check_memory(
        documents.rows.nnz * (BYTES_PER_ENTRY + split.runs * BYTES_PER_FOLD_ENTRY),
        f"to compare {len(documents):,} documents in {split.runs} folds",
        "Take a sample of the documents, fewer folds, or a larger min_df; ts.count needs less memory",
    )


def describe_sample(facts: SampleFacts, gains: tuple[float, float] | None, goal: str) -> str:
    """Describe in a sentence the sample, and what more documents would gain."""
    limit = "the budget" if facts.memory is None else f"{format_bytes(facts.memory)} of memory"
    total = f"the first {facts.seen:,}" if facts.is_cut else f"{facts.seen:,}"
    sentence = f"Compared on a stratified sample of {facts.kept:,} of {total} documents, limited by {limit}"
    if gains is None:
        return f"{sentence}."
    return (
        f"{sentence}; by its learning curve, twice as many would gain about {gains[0]:+.3f} {goal}, "
        f"all {gains[1]:+.3f}."
    )


def learning_gains(
    results: CandidateResults, documents: Documents, split: Split, facts: SampleFacts, max_k: int
) -> tuple[float, float]:
    """Estimate what twice as many documents, and all of them, would add to the recommended candidate's goal.

    The candidate is evaluated with a quarter, half and all of the training documents of each fold.
    """
    candidate = results.candidates[results.recommended]
    family = CandidateFamily(candidate.ranker, candidate.classifier, (candidate.k,))
    curve = []
    for share in CURVE_SHARES:
        values = []
        for division in split.divisions(0):
            part = replace(division, train=_subsample(division.train, share, division.seed))
            result = evaluate_family(family, part.fold(documents), results.goals, max_k)
            values.append(float(result.fold_result.values[0].mean()))
        curve.append(float(np.mean(values)))
    return extrapolate_gains(curve, facts.seen / max(facts.kept, 1))


def extrapolate_gains(values: Sequence[float], factor: float) -> tuple[float, float]:
    """Extrapolate a learning curve to twice as many documents, and to `factor` times as many.

    Each doubling is assumed to gain less than the previous one by a constant ratio.

    values : the goal with a quarter, half and all of the documents

    >>> [round(gain, 3) for gain in extrapolate_gains([0.6, 0.8, 0.9], 4)]
    [0.05, 0.075]
    """
    previous, last = values[1] - values[0], values[2] - values[1]
    ratio = float(np.clip(last / previous if previous > 0 else 1.0, 0, 1)) if last > 0 else 0.0
    doublings = max(float(np.log2(max(factor, 1))), 0)
    steps = np.arange(1, int(np.ceil(doublings)) + 1)
    weights = np.minimum(doublings - (steps - 1), 1)  # the last doubling may be partial
    total = float((max(last, 0) * ratio**steps * weights).sum())
    twice = max(last, 0) * ratio if doublings >= 1 else total
    # no goal exceeds 1
    return min(twice, 1 - values[2]), min(total, 1 - values[2])


def _subsample(indices: Array, share: float, seed: int) -> Array:
    """Draw a random share of the indices, in their order."""
    if share >= 1:
        return indices
    size = max(int(len(indices) * share), 2)
    return np.sort(np.random.default_rng(seed).choice(indices, size, replace=False))


def fit_to_all_documents(
    models: list[FittedCandidate], facts: SampleFacts, deadline: float | None, n_jobs: int | None
) -> list[FittedCandidate]:
    """Fit naive Bayes models to all documents instead of the sample; other models stay as they are.

    The documents are read once more, and counted in the selected terms. After the deadline no model is
    changed.
    """
    estimators = {n: clone(model.pipeline.steps[-1][1]) for n, model in enumerate(models) if _can_grow(model)}
    if facts.again is None or not estimators:
        return models
    vectorizers = {n: _fast_vectorizer(models[n], n_jobs) for n in estimators}
    labels = models[0].documents.labels
    names = dict(zip(labels.classes, class_names(labels), strict=True))
    for texts, labels_per_document in facts.again():
        if deadline is not None and monotonic() > deadline:
            return models
        target = np.array([names[document_labels[0]] for document_labels in labels_per_document])
        for n, estimator in estimators.items():
            classes = models[n].pipeline.steps[-1][1].classes_
            estimator.partial_fit(vectorizers[n].transform(texts), target, classes=classes)
    grown = list(models)
    for n, estimator in estimators.items():
        grown[n] = replace(models[n], pipeline=Pipeline([(models[n].pipeline.steps[-1][0], estimator)]))
    return grown


def _can_grow(model: FittedCandidate) -> bool:
    """Whether a model is plain naive Bayes of counts, which can be fitted in batches.

    Tuned thresholds belong to the sample, and terms found by a function cannot be counted again.
    """
    documents = model.documents
    return (
        len(model.pipeline.steps) == 1
        and type(model.pipeline.steps[0][1]) is MultinomialNB
        and documents.is_single
        and not documents.weights.size
        and not isinstance(model.candidate.classifier, TunedClassifier)
        and (documents.analyzer is not None or documents.settings is not None)
    )


def _fast_vectorizer(model: FittedCandidate, n_jobs: int | None) -> TermVectorizer:
    """Return a vectorizer of the selected terms, with the compiled scanner if possible."""
    documents, terms = model.documents, model.selected_terms()
    if documents.analyzer is not None:
        return TermVectorizer(analyzer=documents.analyzer, vocabulary=terms, n_jobs=n_jobs)
    return TermVectorizer(**make_vectorizer(documents, terms).get_params(), n_jobs=n_jobs)
