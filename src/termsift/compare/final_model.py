"""Models of a comparison: fitting a candidate to all documents, calibration, throughput, saving."""

from __future__ import annotations

import timeit
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import sklearn
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Binarizer, Normalizer, normalize

from termsift import models
from termsift._internal.errors import InvalidInputError, UnreadableFileError
from termsift._internal.files import atomic_write, fsync_path, scratch_folder, translate_disk_errors
from termsift._internal.typing import Array
from termsift.compare.candidates import Candidate, map_fold_features, rank_candidate_terms, rank_fold_terms
from termsift.counts import Labels
from termsift.engines import Documents
from termsift.estimators import TermVectorizer
from termsift.evaluation import Fold, Split
from termsift.evaluation.classifiers import BINARY, Classifier, TunedClassifier
from termsift.metrics import term_weights
from termsift.text import parse_analyzer

# documents, or characters of them, that are labelled to measure throughput
TIMED_DOCUMENTS, TIMED_CHARACTERS = 2000, 100_000


@dataclass(frozen=True, slots=True, eq=False)
class FittedCandidate:
    """Candidate fitted to all documents.

    columns : (terms,) indices of the selected terms, best first
    pipeline : from rows of their counts to labels; with several labels per document, to an indicator matrix
    documents : training documents, in the candidate's representation
    calibration : from decision values to probabilities, if requested
    """

    candidate: Candidate
    columns: Array
    pipeline: Pipeline
    documents: Documents
    calibration: models.Calibration | None = None

    def selected_terms(self) -> list[str]:
        """Return the selected terms, best first."""
        return [str(term) for term in self.documents.terms[self.columns]]

    def text_pipeline(self) -> Pipeline:
        """Return the pipeline from texts to labels: plain scikit-learn, unless its terms need termsift."""
        if self.documents.texts is None:
            return self.pipeline
        vectorizer = make_vectorizer(self.documents, self.selected_terms())
        # the vocabulary is fixed; fitting only validates it
        vectorizer.fit([])
        # an object id by which scikit-learn remembers that stop words were checked; it differs between runs
        vars(vectorizer).pop("_stop_words_id", None)
        return Pipeline([("count", vectorizer), *self.pipeline.steps])

    def size_in_bytes(self) -> int:
        """Return the size of terms and parameters, with eight bytes per number."""
        characters = sum(len(term.encode("utf-8", "replace")) for term in self.selected_terms())
        return characters + 8 * _count_parameters(self.pipeline)


def make_vectorizer(documents: Documents, terms: list[str]) -> CountVectorizer:
    """Return a vectorizer that counts the terms as the documents were counted."""
    if documents.settings is not None:
        changes = {"min_df": 1, "max_df": 1.0, "max_features": None, "vocabulary": terms}
        return CountVectorizer(**documents.settings | changes)
    if not needs_termsift(documents):
        raise InvalidInputError(
            "a model whose analyzer is a function cannot be saved, because loading it would need the "
            "function's code; use a termsift.Analyzer or a CountVectorizer instead"
        )
    return TermVectorizer(analyzer=documents.analyzer, vocabulary=terms)


def needs_termsift(documents: Documents) -> bool:
    """Whether the terms come from a serializable Analyzer that no CountVectorizer can replace."""
    analyzer = documents.analyzer
    return analyzer is not None and documents.settings is None and parse_analyzer(repr(analyzer)) == analyzer


def _count_parameters(estimator: Any) -> int:
    """Return how many fitted numbers a prediction uses."""
    if isinstance(estimator, Pipeline):
        return sum(_count_parameters(step) for _, step in estimator.steps)
    if isinstance(estimator, OneVsRestClassifier):
        return sum(_count_parameters(model) for model in estimator.estimators_)
    names = ("coef_", "intercept_", "feature_log_prob_", "class_log_prior_", "idf_")
    return sum(np.size(getattr(estimator, name)) for name in names if hasattr(estimator, name))


def measure_throughput(model: FittedCandidate) -> float:
    """Return how many documents per second the model labels: texts if available, otherwise rows."""
    documents = model.documents
    if documents.texts is None or (documents.settings is None and not needs_termsift(documents)):
        sample: Any = documents.rows[:TIMED_DOCUMENTS][:, model.columns]
        pipeline, size = model.pipeline, sample.shape[0]
    else:
        sample = documents.texts[:TIMED_DOCUMENTS]
        ends = np.cumsum([len(text) for text in sample])
        sample = sample[: int(np.searchsorted(ends, TIMED_CHARACTERS)) + 1]
        pipeline, size = model.text_pipeline(), len(sample)
    # the fastest run is the one that other processes disturb least
    seconds = min(timeit.repeat(lambda: pipeline.predict(sample), number=1, repeat=3))
    return float(size / max(seconds, 1e-9))


def fit_candidate(documents: Documents, candidate: Candidate, max_k: int, seed: int) -> FittedCandidate:
    """Fit a candidate to all documents.

    max_k : the largest number of terms of any candidate, up to which terms are ranked
    """
    # a fold without test documents, so that terms are ranked as they were in the evaluation
    everything = Fold.from_indices(documents, np.arange(len(documents)), np.arange(0), seed)
    fold = everything.with_train_terms()
    ranking = rank_candidate_terms(candidate, fold, max_k)
    size = int(ranking.sizes(np.array([candidate.k]))[0])
    selected = ranking.chosen(size)
    classifier, labels = candidate.classifier, training_target(fold.train)
    if candidate.ranker.features is not None:
        pipeline = _fit_features_pipeline(candidate, fold, labels)
    elif ranking.local:
        orders = [order[:size] for order in ranking.orders]
        pipeline = Pipeline([("classify", _fit_per_class(classifier, fold, orders, selected, labels))])
    else:
        pipeline = _fit_pipeline(classifier, fold, selected, labels)
    if isinstance(classifier, TunedClassifier):
        # thresholds were tuned on the features, if these replace the terms
        if candidate.ranker.features is not None:
            fold, ranking = map_fold_features(candidate.ranker, fold)
            size = int(ranking.sizes(np.array([size]))[0])
        offsets = np.asarray(classifier.offsets(fold, ranking, np.array([size]))[0])
        pipeline = _add_offsets(pipeline, class_names(documents.labels).tolist(), offsets)
    return FittedCandidate(candidate, everything.train_terms[selected], pipeline, documents)


def training_target(documents: Documents) -> Array:
    """Return class names (documents,), or the indicator matrix of several labels per document."""
    if not documents.labels.is_single_label:
        return np.asarray(documents.labels.indicator.toarray())
    return np.asarray(class_names(documents.labels)[documents.target])


def class_names(labels: Labels) -> Array:
    """Return the class names (classes,) in a type that scikit-learn accepts; other types as text."""
    names = np.array(labels.classes)
    # scikit-learn takes fractions as the target of a regression
    is_integral = names.dtype.kind == "f" and np.all(names == np.floor(names))
    if names.dtype.kind in "Uiub" or is_integral:
        return names
    return np.array([str(name) for name in labels.classes])


def _fit_estimator(
    classifier: Classifier, rows: Any, fold: Fold, labels: Array, *, is_binary: bool = False
) -> Any:
    """Fit the estimator with the weights of the documents, if they have any.

    is_binary : whether the labels are those of a single class; otherwise the estimator is one-vs-rest if it
        does not support the classes or several labels
    """
    estimator, weights = classifier.make_estimator(), fold.train.weights
    # liblinear's own multi-class mode balances classes differently, or does not support them
    is_liblinear = isinstance(estimator, LogisticRegression) and estimator.solver == "liblinear"
    is_balanced = getattr(estimator, "class_weight", None) == "balanced"
    is_unsupported = not fold.train.is_single or ((is_liblinear or is_balanced) and fold.n_classes > 2)
    is_one_vs_rest = is_unsupported and not is_binary
    if not weights.size:
        return (OneVsRestClassifier(estimator) if is_one_vs_rest else estimator).fit(rows, labels)
    if not is_one_vs_rest:
        return estimator.fit(rows, labels, sample_weight=weights)
    # OneVsRestClassifier takes no weights, unless scikit-learn's metadata routing is on
    fitted = [clone(estimator).fit(rows, truth * 1, sample_weight=weights) for truth in fold.train.truth.T]
    return _as_one_vs_rest(fitted, estimator, rows, fold, labels)


def _fit_pipeline(
    classifier: Classifier, fold: Fold, selected: Array, labels: Array, *, is_binary: bool = False
) -> Pipeline:
    """Fit the steps from counts of the selected terms to labels: representation, weights, classifier."""
    rows = fold.train.rows[:, selected]
    steps: list[tuple[str, Any]] = []
    if classifier.representation == BINARY:
        steps.append(("binary", Binarizer().fit(rows)))
    if classifier.uses_tfidf:
        weighting = TfidfTransformer(sublinear_tf=True).fit(rows)
        if classifier.representation not in ("", BINARY):
            weighting.idf_ = term_weights(fold.counts, classifier.representation)[selected]
        steps.append(("weigh", weighting))
    for _, step in steps:
        rows = step.transform(rows)
    estimator = _fit_estimator(classifier, rows, fold, labels, is_binary=is_binary)
    return Pipeline([*steps, ("classify", estimator)])


def _fit_features_pipeline(candidate: Candidate, fold: Fold, labels: Array) -> Pipeline:
    """Fit the steps from counts of all terms to labels, through features made from terms."""
    assert candidate.ranker.features is not None
    is_normalized = candidate.classifier.uses_tfidf
    mapped, _ = map_fold_features(candidate.ranker, fold)
    rows = normalize(mapped.train.rows) if is_normalized else mapped.train.rows
    estimator = _fit_estimator(candidate.classifier, rows, fold, labels)
    order = rank_fold_terms(candidate.ranker, fold, 1).orders[0]
    weights: csr_array[Any] = candidate.ranker.features(fold.counts)[order]
    fitted = estimator.estimators_ if isinstance(estimator, OneVsRestClassifier) else [estimator]
    if not is_normalized and all(isinstance(model, MultinomialNB | ComplementNB) for model in fitted):
        # naive Bayes is linear in the features, so the map folds into its parameters
        for model in fitted:
            model.feature_log_prob_ = model.feature_log_prob_ @ weights.T
            model.n_features_in_ = weights.shape[0]
        return Pipeline([("classify", estimator)])
    # a linear map in scikit-learn, as a TruncatedSVD with given components
    mapping = TruncatedSVD(n_components=weights.shape[1])
    mapping.components_ = weights.T.toarray()
    mapping.n_features_in_ = weights.shape[0]
    scaling = [("scale", Normalizer())] if is_normalized else []
    return Pipeline([("map", mapping), *scaling, ("classify", estimator)])


def _fit_per_class(
    classifier: Classifier, fold: Fold, orders: Sequence[Array], selected: Array, labels: Array
) -> OneVsRestClassifier:
    """Fit a one-vs-rest model whose classes have separate terms."""
    rows = fold.train.rows[:, selected]
    positions = {int(term): i for i, term in enumerate(selected)}
    per_class = []
    for order, truth in zip(orders, fold.train.truth.T, strict=True):
        columns = [positions[int(term)] for term in order]
        choose = ColumnTransformer([("own", "passthrough", columns)]).fit(rows)
        fitted = _fit_pipeline(classifier, fold, selected[columns], truth * 1, is_binary=True)
        *steps, (name, model) = fitted.steps
        # probabilities of naive Bayes near 1 tie between classes; log-odds do not
        if isinstance(model, MultinomialNB | ComplementNB):
            model = _linear_naive_bayes(model)
        per_class.append(Pipeline([("terms", choose), *steps, (name, model)]))
    return _as_one_vs_rest(per_class, classifier.make_estimator(), rows, fold, labels)


def _as_one_vs_rest(
    fitted: Sequence[Any], estimator: Any, rows: Any, fold: Fold, labels: Array
) -> OneVsRestClassifier:
    """Return binary models, one per class, as a fitted OneVsRestClassifier."""
    # a fast estimator is fitted for the attributes of scikit-learn; then the models replace its own, in
    # its order of classes
    combined = OneVsRestClassifier(MultinomialNB()).fit(rows, labels)
    combined.set_params(estimator=estimator)
    order = np.argsort(class_names(fold.train.labels)) if labels.ndim == 1 else np.arange(len(fitted))
    combined.estimators_ = [fitted[c] for c in order]
    return combined


def _add_offsets(model: Any, names: Sequence[Any], offsets: Array) -> Any:
    """Return the fitted model with offsets added to the decision values of its classes.

    names, offsets : (classes,) in the same order, which is also that of a model with several labels
    """
    if isinstance(model, Pipeline):
        *steps, (name, last) = model.steps
        return Pipeline([*steps, (name, _add_offsets(last, names, offsets))])
    if not (isinstance(model, OneVsRestClassifier) and model.multilabel_):
        index = {name: c for c, name in enumerate(names)}
        offsets = offsets[[index[name] for name in model.classes_]]
    if isinstance(model, OneVsRestClassifier):
        if models.is_binary_one_vs_rest(model):
            # one model of the second class against the first: half the difference on its scale
            offsets = np.diff(offsets) / 2
        model.estimators_ = [_shift(m, offset) for m, offset in zip(model.estimators_, offsets, strict=True)]
        return model
    if isinstance(model, MultinomialNB):
        model.class_log_prior_ = model.class_log_prior_ + offsets
        return model
    if len(offsets) != 2:
        return _shift(model, offsets)
    # log-odds of naive Bayes are the difference of two decision values; other models have half of it
    return _shift(model, np.diff(offsets) if isinstance(model, ComplementNB) else np.diff(offsets) / 2)


def _shift(model: Any, offset: Any) -> Any:
    """Return the model with an offset added to its intercept."""
    if isinstance(model, Pipeline):
        *steps, (name, last) = model.steps
        return Pipeline([*steps, (name, _shift(last, offset))])
    if isinstance(model, MultinomialNB | ComplementNB):
        model = _linear_naive_bayes(model)
    if hasattr(model, "intercept_"):  # a constant predictor has none
        model.intercept_ = model.intercept_ + offset
    return model


def _linear_naive_bayes(bayes: MultinomialNB | ComplementNB) -> LogisticRegression:
    """Return naive Bayes as a linear model: log-odds of two classes, or a log-likelihood per class."""
    coefficients = bayes.feature_log_prob_
    priors = bayes.class_log_prior_ if isinstance(bayes, MultinomialNB) else np.zeros(len(coefficients))
    is_binary = len(coefficients) == 2
    linear = LogisticRegression()
    linear.classes_ = bayes.classes_
    linear.coef_ = np.diff(coefficients, axis=0) if is_binary else coefficients
    linear.intercept_ = np.diff(priors) if is_binary else priors
    linear.n_features_in_ = bayes.n_features_in_
    return linear


def calibrate_model(
    model: FittedCandidate, documents: Documents, split: Split, max_k: int
) -> FittedCandidate:
    """Return the model with a calibration of its decision values to probabilities.

    The candidate is fitted anew to the training set of each division of the first round, and calibrated on
    the decision values of the test documents.
    """
    labels = training_target(documents)
    names, values, tested = np.unique(labels), [], []
    for division in split.divisions(0):
        fitted = fit_candidate(documents.take(division.train), model.candidate, max_k, division.seed)
        rows = documents.rows[division.test][:, fitted.columns]
        fold_values = models.class_decision_values(fitted.pipeline, rows)
        if documents.is_single:
            # a class without training documents has the value -inf
            complete = np.full((len(division.test), len(names)), -np.inf)
            complete[:, np.searchsorted(names, fitted.pipeline.classes_)] = fold_values
            fold_values = complete
        values.append(fold_values)
        tested.append(division.test)
    truth = labels.astype(bool) if labels.ndim == 2 else labels[:, None] == names
    calibration = models.fit_calibration(
        np.concatenate(values), truth[np.concatenate(tested)], documents.is_single
    )
    return replace(model, calibration=calibration)


def check_folder(folder: Path, overwrite: bool = False) -> None:
    """Check that a model can be saved to the folder, before long work."""
    if folder.exists() and not folder.is_dir():
        raise UnreadableFileError(f"{folder} is a file; choose a folder for the model")
    if not overwrite and any((folder / name).is_file() for name in models.MODEL_FILES):
        raise UnreadableFileError(
            f"{folder} already contains a model; choose another folder, or replace it with overwrite=True"
        )
    # missing folders are created later, in the nearest one that exists
    parent = folder
    while not parent.exists():
        parent = parent.parent
    try:
        with TemporaryFile(dir=parent):
            pass
    except OSError as error:
        raise UnreadableFileError(f"cannot write to {folder}: {parent} is not writable") from error


def save_model(folder: Path, model: FittedCandidate, scores: Mapping[str, Any], goal: str) -> list[Path]:
    """Write the three files of a model, all of them or none; existing ones are replaced."""
    documents, counts, terms = model.documents, model.documents.counts, model.selected_terms()
    selection = {
        "termsift": version("termsift"),
        "method": model.candidate.ranker.name,
        "classifier": model.candidate.classifier.name,
        "goal": goal,
        "mean": scores["mean"],
        "standard_error": scores["error"],
        "documents": int(counts.documents),
        "classes": class_names(documents.labels).tolist(),
        "several_labels": not documents.labels.is_single_label,
        "scikit_learn": sklearn.__version__,
        "analyzer": None if documents.analyzer is None else repr(documents.analyzer),
        "needs": list_packages(documents),
        "terms": [
            {"term": term, "documents": int(counts.term_df[column])}
            for term, column in zip(terms, model.columns, strict=True)
        ],
        "calibration": None if model.calibration is None else model.calibration.to_json(),
    }
    pipeline = models.serialize_pipeline(model.text_pipeline(), model.candidate.classifier.name)
    contents = models.build_model_files(terms, selection, pipeline)
    with translate_disk_errors(folder):
        if folder.exists() or not _create_folder(folder, contents):
            # the stack renames the files only after all of them are written
            with ExitStack() as files:
                for name, content in contents.items():
                    files.enter_context(atomic_write(folder / name)).write_bytes(content)
    return [folder / name for name in contents]


def _create_folder(folder: Path, contents: Mapping[str, bytes]) -> bool:
    """Create a folder with all its files at once, so that a killed process leaves none of them.

    Returns False if another process has created the folder meanwhile.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with scratch_folder(folder.parent) as scratch:
        staged = scratch / "model"
        staged.mkdir()
        for name, content in contents.items():
            (staged / name).write_bytes(content)
            fsync_path(staged / name)
        try:
            staged.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
            return False
    fsync_path(folder.parent)
    return True


def list_packages(documents: Documents) -> list[str]:
    """Return the packages that loading needs, in addition to scikit-learn and skops."""
    if not needs_termsift(documents):
        return []
    return ["termsift", *(["snowballstemmer"] if documents.analyzer and documents.analyzer.stemmer else [])]


def write_usage(folder: Path, documents: Documents) -> str:
    """Return Python code that loads the saved model and labels a document."""
    argument = '["a text to label"]' if documents.texts is not None else "rows"
    packages = list_packages(documents)
    trusted = f", trusted={list(models.TRUSTED_TYPES)}" if packages else ""
    code = [f"# requires {' and '.join(packages)}"] if packages else []
    code += ["import skops.io as sio", f"model = sio.load({str(folder / models.PIPELINE_FILE)!r}{trusted})"]
    if documents.labels.is_single_label:
        return "\n".join([*code, f"print(model.predict({argument}))"])
    names = f"names = json.load(open({str(folder / models.SELECTION_FILE)!r}))['classes']"
    show = f"print([[name for name, yes in zip(names, row) if yes] for row in model.predict({argument})])"
    return "\n".join(["import json", *code, names, show])
