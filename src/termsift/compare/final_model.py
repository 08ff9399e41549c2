"""Models of a comparison: fitting a candidate to all documents, calibration, throughput."""

from __future__ import annotations

import shlex
import timeit
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from time import process_time
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from termsift import models
from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array
from termsift.compare.candidates import Candidate, map_fold_features, rank_candidate_terms, rank_fold_terms
from termsift.counts import Labels
from termsift.engines import Documents
from termsift.estimators import TermVectorizer, narrow_indices, parse_vectorizer
from termsift.evaluation import Fold, Split
from termsift.evaluation.classifiers import (
    BINARY,
    Classifier,
    MultinomialNaiveBayes,
    SklearnClassifier,
    TunedClassifier,
    contrast_log_likelihoods,
    has_log_count_ratios,
    linear_coefficients,
    log_count_ratios,
)
from termsift.metrics import term_weights
from termsift.models import Model, Steps
from termsift.text import Analyzer, can_use_default_pattern

# documents, or characters of them, that are labelled to measure throughput
TIMED_DOCUMENTS, TIMED_CHARACTERS = 2000, 100_000


@dataclass(frozen=True, slots=True, eq=False)
class FittedCandidate:
    """Candidate fitted to all documents.

    columns : (terms,) indices of the selected terms, best first
    documents : training documents, in the candidate's representation
    model : from rows of their counts to labels; None for a classifier of the user
    pipeline : of a user's classifier, from rows of counts to labels
    """

    candidate: Candidate
    columns: Array
    documents: Documents
    model: Model | None = None
    pipeline: Pipeline | None = None

    def build_model(self, provenance: Mapping[str, Any]) -> Model:
        """Return the model from texts to labels, or from counts if the documents are counts."""
        if self.model is None:
            raise InvalidInputError(
                f"{self.candidate.classifier.name} is not a classifier of termsift, so it has no model of "
                "termsift; save it yourself: joblib.dump(comparison.pipeline, 'model.joblib')"
            )
        facts = {"termsift": version("termsift"), "method": self.candidate.ranker.name}
        facts |= {"classifier": self.candidate.classifier.name, **provenance}
        model, documents = replace(self.model, provenance=facts), self.documents
        if documents.texts is None:
            return model
        analyzer = require_analyzer(documents)
        if documents.settings is not None and documents.settings.get("binary"):
            model = replace(model, steps=replace(model.steps, transform=models.BINARY))
        return replace(
            model, analyzer=analyzer, plain_words=can_use_default_pattern(analyzer, documents.texts)
        )

    def build_pipeline(self) -> Pipeline:
        """Return the scikit-learn pipeline from texts to labels."""
        if self.pipeline is None:
            return self.build_model({}).to_sklearn()
        documents = self.documents
        if documents.texts is None:
            return self.pipeline
        # counts the selected terms, best first, as the documents were counted
        changes = {"vocabulary": documents.terms[self.columns].tolist()}
        settings = documents.settings
        if documents.analyzer is not None:
            settings = documents.analyzer.vectorizer_options
        if settings is None:
            vectorizer = TermVectorizer(analyzer=require_analyzer(documents), **changes)
        else:
            changes |= {"min_df": 1, "max_df": 1.0, "max_features": None}
            vectorizer = CountVectorizer(**settings | changes)
        vectorizer.fit([])  # the vocabulary is fixed; fitting only validates it
        return Pipeline([("count", vectorizer), *self.pipeline.steps])


def require_analyzer(documents: Documents) -> Analyzer:
    """Return the analyzer of texts; an error if it is a function, or a vectorizer with functions."""
    analyzer = documents.analyzer
    if analyzer is None and documents.settings is not None and documents.settings["input"] == "content":
        analyzer = parse_vectorizer(CountVectorizer(**documents.settings))
    if analyzer is None:
        raise InvalidInputError(
            "a model whose analyzer is a function cannot be saved, because loading it would need the "
            "function's code; use a termsift.Analyzer or a CountVectorizer instead"
        )
    return analyzer


def measure_throughput(fitted: FittedCandidate) -> float:
    """Return how many documents the model labels per CPU second: texts if available, otherwise rows."""
    documents = fitted.documents
    try:
        labeller: Any = fitted.build_pipeline() if fitted.model is None else fitted.build_model({})
        has_texts = documents.texts is not None
    except InvalidInputError:
        # terms of a function can be counted only by the function
        labeller, has_texts = fitted.model or fitted.pipeline, False
    if has_texts:
        sample: Any = documents.texts[:TIMED_DOCUMENTS]  # type: ignore[index]
        ends = np.cumsum([len(text) for text in sample])
        sample = sample[: int(np.searchsorted(ends, TIMED_CHARACTERS)) + 1]
    else:
        sample = documents.rows[:TIMED_DOCUMENTS][:, fitted.columns]
    size = len(sample) if has_texts else sample.shape[0]
    # CPU time, because other processes would multiply the elapsed time of a few milliseconds
    seconds = min(timeit.repeat(lambda: labeller.predict(sample), timer=process_time, number=1, repeat=10))
    return float(size / max(seconds, 1e-9))


def fit_candidate(documents: Documents, candidate: Candidate, max_k: int, seed: int) -> FittedCandidate:
    """Fit a candidate to all documents.

    max_k : the largest number of terms of any candidate, up to which terms are ranked
    """
    # a fold without test documents, so that terms are ranked as they were in the evaluation
    everything = Fold.from_indices(documents, np.arange(len(documents)), np.arange(0), seed)
    fold = everything.with_train_terms()
    ranking = rank_candidate_terms(candidate, fold, max_k)
    size = int(ranking.order_sizes(np.array([candidate.k]))[0])
    selected = ranking.terms_at_size(size)
    orders = [order[:size] for order in ranking.orders] if ranking.local else None
    fitted = FittedCandidate(candidate, everything.train_terms[selected], documents)
    if isinstance(candidate.classifier, SklearnClassifier):
        return replace(fitted, pipeline=_fit_pipeline(candidate, fold, selected, orders))
    model = _fit_model(candidate, fold, selected, orders)
    if isinstance(candidate.classifier, TunedClassifier):
        # thresholds were tuned on the features, if these replace the terms
        if candidate.ranker.features is not None:
            fold, ranking = map_fold_features(candidate.ranker, fold)
            size = int(ranking.order_sizes(np.array([size]))[0])
        offsets = np.asarray(candidate.classifier.offsets(fold, ranking, np.array([size]))[0])
        names = sklearn_class_names(documents.labels).tolist()
        offsets = offsets[[names.index(name) for name in model.classes]]
        model = _add_offsets(model, offsets, has_class_terms=orders is not None)
    return replace(fitted, model=replace(model, terms=documents.terms[fitted.columns]))


def sklearn_class_names(labels: Labels) -> Array:
    """Return the class names (classes,) in a type that scikit-learn accepts; other types as text."""
    names = np.array(labels.classes)
    # scikit-learn takes fractions as the target of a regression
    is_integral = names.dtype.kind == "f" and np.all(names == np.floor(names))
    if names.dtype.kind in "Uiub" or is_integral:
        return names
    return np.array([str(name) for name in labels.classes])


def model_class_indices(documents: Documents) -> Array:
    """Return the indices of the classes of a model: sorted by name, those with documents; or all."""
    if not documents.labels.is_single_label:
        return np.arange(len(documents.labels.classes))
    order = np.argsort(sklearn_class_names(documents.labels))
    return np.asarray(order[np.asarray(documents.truth.any(axis=0))[order]])


def _fit_model(candidate: Candidate, fold: Fold, selected: Array, orders: Sequence[Array] | None) -> Model:
    """Fit the classifier to the selected terms, or to the terms of each class; without threshold offsets."""
    classifier, counts = candidate.classifier, fold.train.rows[:, selected]
    classes = model_class_indices(fold.train)
    names = tuple(sklearn_class_names(fold.train.labels)[classes].tolist())
    steps = _choose_steps(candidate, fold, selected)
    if orders is None:
        coefficients, intercepts, link = _fit_linear(
            classifier, narrow_indices(steps.compute_features(counts)), fold, classes, selected
        )
        if steps.features is not None and steps.norm != models.FEATURES:
            # naive Bayes is linear in the features, so their map folds into its coefficients
            coefficients, steps = np.asarray(steps.features @ coefficients), Steps()
    else:
        positions = {int(term): i for i, term in enumerate(selected)}
        coefficients, is_used = np.zeros((2, len(selected), len(classes)))
        intercepts = np.zeros(len(classes))
        for number, c in enumerate(classes):
            own = [positions[int(term)] for term in orders[c]]
            is_used[own, number] = 1
            weights = None if steps.weights is None else steps.weights[own]
            rows = replace(steps, weights=weights).compute_features(counts[:, own])
            column, intercepts[number], link = _fit_class(classifier, rows, fold, c, selected[own])
            coefficients[own, number] = column
        if steps.norm == models.ALL_TERMS:
            steps = replace(steps, norm=models.CLASS_TERMS, class_terms=csr_array(is_used))
    terms = fold.train.terms[selected]
    is_multilabel = not fold.train.labels.is_single_label
    return Model(terms, names, coefficients, intercepts, steps=steps, is_multilabel=is_multilabel, link=link)


def _choose_steps(candidate: Candidate, fold: Fold, selected: Array) -> Steps:
    """Return the steps of a candidate from counts of the selected terms to features."""
    classifier = candidate.classifier
    if candidate.ranker.features is not None:
        order = rank_fold_terms(candidate.ranker, fold, 1).orders[0]
        norm = models.FEATURES if classifier.uses_tfidf else models.NO_NORM
        return Steps(norm=norm, features=candidate.ranker.features(fold.train.counts)[order])
    is_binary = classifier.representation == BINARY
    if not classifier.uses_tfidf:
        return Steps(models.BINARY) if is_binary else Steps()
    if is_binary or not classifier.representation:
        # document frequencies ignore sample weights, and are smoothed, as in scikit-learn's TfidfTransformer
        df = np.bincount(fold.train.rows.indices, minlength=fold.train.rows.shape[1])
        weights = np.log((1 + len(fold.train)) / (1 + df)) + 1
    else:
        weights = term_weights(fold.train.counts, classifier.representation)
    transform = models.BINARY if is_binary else models.LOG
    return Steps(transform, np.asarray(weights[selected], dtype=np.float64), models.ALL_TERMS)


def _fit_linear(
    classifier: Classifier, rows: Any, fold: Fold, classes: Array, selected: Array
) -> tuple[Array, Array, str]:
    """Return coefficients, intercepts and link of a classifier of all classes, with their indices."""
    estimator = classifier.make_estimator()
    # liblinear's own multi-class mode balances classes differently, or does not support them
    is_liblinear = isinstance(estimator, LogisticRegression)
    is_balanced = getattr(estimator, "class_weight", None) == "balanced"
    is_multiclass = len(classes) > 2
    is_by_class = has_log_count_ratios(classifier) or ((is_liblinear or is_balanced) and is_multiclass)
    if not fold.train.labels.is_single_label or is_by_class:
        fits = [_fit_class(classifier, rows, fold, c, selected) for c in classes]
        columns, intercepts, class_links = zip(*fits, strict=True)
        return np.stack(columns, axis=1), np.array(intercepts), class_links[0]
    names = sklearn_class_names(fold.train.labels)[fold.train.target]
    _fit_estimator(classifier, estimator, fold, rows, names, fold.train.counts.tf.sum(axis=0)[classes])
    link = models.SIGMOID if hasattr(estimator, "predict_proba") else models.NO_LINK
    # log posteriors of naive Bayes are normalized over the classes
    link = link if hasattr(estimator, "coef_") else models.SOFTMAX
    return *linear_coefficients(estimator), link


def _fit_class(
    classifier: Classifier, rows: Any, fold: Fold, c: int, selected: Array
) -> tuple[Array, float, str]:
    """Return coefficients, intercept and link of a class against the rest."""
    estimator, truth = classifier.make_estimator(), fold.train.truth[:, c]
    link = models.SIGMOID if hasattr(estimator, "predict_proba") else models.NO_LINK
    if truth.all() or not truth.any():
        return np.zeros(rows.shape[1]), 1.0 if truth.all() else -1.0, link
    ratios = log_count_ratios(fold, c)[selected] if has_log_count_ratios(classifier) else None
    rows = rows if ratios is None else csr_array(rows.multiply(ratios))
    inside, total = float(fold.train.counts.tf[:, [c]].sum()), float(fold.train.counts.term_tf.sum())
    _fit_estimator(classifier, estimator, fold, rows, truth * 1, np.array([total - inside, inside]))
    coefficients, intercepts = linear_coefficients(estimator)
    column = coefficients[:, -1]
    # factors of the columns are factors of the coefficients
    return column if ratios is None else column * ratios, float(intercepts[-1]), link


def _fit_estimator(
    classifier: Classifier, estimator: Any, fold: Fold, rows: Any, target: Array, class_occurrences: Array
) -> None:
    """Fit the estimator of a classifier; some naive Bayes classifiers have another denominator than its."""
    if "random_state" in estimator.get_params(deep=False):
        # liblinear's random numbers then depend on the seed only
        estimator.set_params(random_state=fold.seed)
    weights = fold.train.weights
    estimator.fit(rows, target, sample_weight=weights if weights.size else None)
    if isinstance(classifier, TunedClassifier):
        classifier = classifier.classifier
    if isinstance(classifier, MultinomialNaiveBayes):
        classifier.adapt_denominator(estimator, class_occurrences, len(fold.train.terms))


def _sample_weight_kwargs(fold: Fold) -> dict[str, Array]:
    return {"sample_weight": fold.train.weights} if fold.train.weights.size else {}


def _add_offsets(model: Model, offsets: Array, *, has_class_terms: bool) -> Model:
    """Return the model with offsets (classes,) added to its decision values."""
    if not model.is_multilabel and len(offsets) == 2 and not has_class_terms:
        # log-odds of naive Bayes are the difference of two decision values; other models have half of it
        difference = float(offsets[1] - offsets[0]) / (1 if model.link == models.SOFTMAX else 2)
        offsets = np.array([-difference, difference])
    elif model.link == models.SOFTMAX:
        offsets = contrast_log_likelihoods(offsets)
    return replace(model, intercepts=model.intercepts + offsets)


def _fit_pipeline(
    candidate: Candidate, fold: Fold, selected: Array, orders: Sequence[Array] | None
) -> Pipeline:
    """Fit a classifier of the user: the pipeline from counts of the selected terms to labels."""
    classifier, rows = candidate.classifier, fold.train.rows[:, selected]
    classes = model_class_indices(fold.train)
    names = sklearn_class_names(fold.train.labels)
    steps: list[tuple[str, Any]] = []
    features = _choose_steps(candidate, fold, selected).features
    if features is not None:
        steps, rows = [("map", models.build_linear_map(features))], rows @ features
    if fold.train.labels.is_single_label and orders is None:
        estimator = classifier.make_estimator()
        if fold.train.weights.size and not has_fit_parameter(estimator, "sample_weight"):
            raise InvalidInputError(
                f"{classifier.name} does not accept sample_weight; fit it without weights"
            )
        estimator.fit(rows, names[fold.train.target], **_sample_weight_kwargs(fold))
        return Pipeline([*steps, ("classify", estimator)])
    if orders is None and not fold.train.weights.size:
        combined = OneVsRestClassifier(classifier.make_estimator()).fit(rows, fold.train.truth * 1)
        return Pipeline([*steps, ("classify", combined)])
    positions = {int(term): i for i, term in enumerate(selected)}
    fitted = []
    for c in classes:
        estimator, truth = classifier.make_estimator(), fold.train.truth[:, c] * 1
        if orders is None:
            fitted.append(estimator.fit(rows, truth, **_sample_weight_kwargs(fold)))
            continue
        own = [positions[int(term)] for term in orders[c]]
        choose = ColumnTransformer([("own", "passthrough", own)]).fit(rows)
        estimator.fit(rows[:, own], truth, **_sample_weight_kwargs(fold))
        fitted.append(Pipeline([("terms", choose), ("classify", estimator)]))
    combined = models.build_one_vs_rest(
        fitted, names[classes].tolist(), not fold.train.labels.is_single_label
    )
    return Pipeline([*steps, ("classify", combined)])


def can_fit_in_batches(fitted: FittedCandidate) -> bool:
    """Check whether a model is naive Bayes of counts, which can be fitted in batches.

    Tuned thresholds belong to the sample, and terms found by a function cannot be counted again.
    """
    candidate, documents = fitted.candidate, fitted.documents
    return (
        isinstance(candidate.classifier, MultinomialNaiveBayes)
        and type(candidate.classifier.make_estimator()) is MultinomialNB
        and not candidate.classifier.representation
        and candidate.ranker.features is None
        and fitted.model is not None
        and fitted.model.link == models.SOFTMAX
        and documents.texts is not None
        and not documents.weights.size
        and (documents.analyzer is not None or documents.settings is not None)
    )


def calibrate_model(
    fitted: FittedCandidate, documents: Documents, split: Split, max_k: int
) -> FittedCandidate:
    """Return the model with a calibration of its decision values to probabilities.

    The candidate is fitted anew to the training set of each division of the first round, and calibrated on
    the decision values of the test documents. Classifiers of users stay as they are.
    """
    if fitted.model is None:
        return fitted
    classes, values, tested = fitted.model.classes, [], []
    for division in split.divisions(0):
        of_fold = fit_candidate(documents.take(division.train), fitted.candidate, max_k, division.seed)
        assert of_fold.model is not None
        rows = documents.rows[division.test][:, of_fold.columns]
        # a class without training documents has the value -inf
        complete = np.full((len(division.test), len(classes)), -np.inf)
        columns = [classes.index(name) for name in of_fold.model.classes]
        complete[:, columns] = of_fold.model.decision_values(rows)
        values.append(complete)
        tested.append(division.test)
    truth = documents.truth[np.concatenate(tested)][:, model_class_indices(documents)]
    calibration = models.fit_calibration(np.concatenate(values), truth, documents.labels.is_single_label)
    return replace(fitted, model=replace(fitted.model, link=models.PLATT, calibration=calibration))


def format_usage(model_path: Any, takes_texts: bool, text_columns: Sequence[str] = ()) -> str:
    """Return the commands and the Python code that use a saved model."""
    code = ["import termsift as ts", f"model = ts.load_model({str(model_path)!r})"]
    if not takes_texts:
        return "\n".join([*code, "print(model.predict(rows))"])
    options = "".join(f" --text {shlex.quote(name)}" for name in text_columns)
    command = f"termsift predict {shlex.quote(str(model_path))} new.csv{options} -o labels.csv"
    return "\n".join([command, "", *code, 'print(model.predict(["a text to label"]))'])
