"""Thresholds of a fitted model: its margins are moved, and it stays what scikit-learn knows."""

from __future__ import annotations

import timeit
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Binarizer, normalize

from termsift._internal.errors import InvalidInputError, UnreadableFileError
from termsift._internal.files import locked_file, replacing, scratch_folder, sync, told_disk_faults
from termsift._internal.ranking import Ranking
from termsift._internal.typing import Array
from termsift.compare.candidates import fold_ranking, judged_fold, mapped_pipeline
from termsift.compare.trials import Candidate
from termsift.counts import Labels
from termsift.engines import Documents
from termsift.estimators import TermVectorizer
from termsift.evaluation import Division, Fold, Split
from termsift.evaluation.classifiers import BINARY, Classifier, Tuned
from termsift.metrics import term_weights
from termsift.models import (
    FILES,
    OWN_TYPES,
    PIPELINE,
    SELECTION,
    Calibration,
    class_margins,
    fitted_calibration,
    folder_contents,
    is_mirrored,
    pipeline_bytes,
)
from termsift.text import analyzer_from


def with_thresholds(model: Any, names: Sequence[Any], offsets: Array) -> Any:
    """The fitted model that predicts as if the offsets were added to the margins of its classes.

    names, offsets : (classes,) in the same order; a model of several labels has its classes in it too
    """
    if isinstance(model, Pipeline):
        *steps, (last, own) = model.steps
        return Pipeline([*steps, (last, with_thresholds(own, names, offsets))])
    if isinstance(model, OneVsRestClassifier) and model.multilabel_:
        return with_each_moved(model, offsets)
    place = {name: c for c, name in enumerate(names)}
    own = offsets[[place[name] for name in model.classes_]]
    if isinstance(model, OneVsRestClassifier):
        return with_each_moved(model, np.diff(own) / 2 if is_mirrored(model) else own)
    if isinstance(model, MultinomialNB):
        model.class_log_prior_ = model.class_log_prior_ + own
        return model
    if isinstance(model, ComplementNB):
        return moved(as_linear(model), np.diff(own) if len(own) == 2 else own)
    return moved(model, np.diff(own) / 2 if len(own) == 2 else own)


def with_each_moved(model: OneVsRestClassifier, offsets: Array) -> OneVsRestClassifier:
    """The model of each class against the rest, each moved."""
    model.estimators_ = [moved(own, offset) for own, offset in zip(model.estimators_, offsets, strict=True)]
    return model


def moved(model: Any, offset: Any) -> Any:
    """The model of two sides, or of classes that compete by margins, whose margins are so much larger."""
    if isinstance(model, Pipeline):
        *steps, (last, own) = model.steps
        return Pipeline([*steps, (last, moved(own, offset))])
    if isinstance(model, MultinomialNB | ComplementNB):
        model = as_linear(model)
    if hasattr(model, "intercept_"):  # else it says one thing of all documents
        model.intercept_ = model.intercept_ + offset
    return model


def as_linear(bayes: MultinomialNB | ComplementNB) -> LogisticRegression:
    """Naive Bayes as what is linear in counts: log-odds of two classes, else a logarithm for each."""
    coefficients = bayes.feature_log_prob_
    priors = bayes.class_log_prior_ if isinstance(bayes, MultinomialNB) else np.zeros(len(coefficients))
    two = len(coefficients) == 2
    linear = LogisticRegression()
    linear.classes_ = bayes.classes_
    linear.coef_ = np.diff(coefficients, axis=0) if two else coefficients
    linear.intercept_ = np.diff(priors) if two else priors
    linear.n_features_in_ = bayes.n_features_in_
    return linear


WATCHED, LETTERS = 2000, 100_000  # documents, or characters of them, on which speed is measured


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A pipeline of rows of chosen terms.

    columns : (terms,) where the terms stand in the corpus, best first
    pipeline : from rows of their counts to labels; with several labels per document, to an indicator matrix
    documents : what it was fitted to, in the terms that their texts were read as
    calibration : what turns its margins into probabilities, where that was asked for
    """

    line: Candidate
    columns: Array
    pipeline: Pipeline
    documents: Documents
    calibration: Calibration | None = None

    def terms(self, documents: Documents) -> list[str]:
        """The chosen terms, best first."""
        return [str(term) for term in documents.terms[self.columns]]

    def of_texts(self, documents: Documents) -> Pipeline:
        """The pipeline from texts to labels: plain scikit-learn, unless its terms need termsift."""
        if documents.texts is None:
            return self.pipeline
        vectorizer = vectorizer_of(documents, self.terms(documents))
        vectorizer.fit([])
        # a place in memory, by which scikit-learn knows whether it has checked the stop words
        vars(vectorizer).pop("_stop_words_id", None)
        return Pipeline([("count", vectorizer), *self.pipeline.steps])

    def bytes(self, documents: Documents) -> int:
        """What its terms and numbers take: the letters, and eight bytes a number."""
        letters = sum(len(term.encode("utf-8", "replace")) for term in self.terms(documents))
        return letters + 8 * numbers_in(self.pipeline)


def vectorizer_of(documents: Documents, terms: list[str]) -> CountVectorizer:
    """What counts some terms of texts as the documents' were counted."""
    if documents.settings is not None:
        free = {"min_df": 1, "max_df": 1.0, "max_features": None, "vocabulary": terms}
        return CountVectorizer(**documents.settings | free)
    if not needs_termsift(documents):
        raise InvalidInputError(
            "terms found by a function need its code to be found again, so no model of texts can be saved; "
            "compare with an Analyzer without one, or a vectorizer"
        )
    return TermVectorizer(analyzer=documents.analyzer, vocabulary=terms)


def needs_termsift(documents: Documents) -> bool:
    """Whether an Analyzer found the terms that data alone describe, but no plain vectorizer follows."""
    own = documents.analyzer
    return own is not None and documents.settings is None and analyzer_from(repr(own)) == own


def model_of(documents: Documents, line: Candidate, most: int, seed: int) -> Model:
    """A candidate, fitted to all documents."""
    every = Fold.of(documents, np.arange(len(documents)), np.arange(0), seed)
    whole = every.in_seen_terms()
    ranking = fold_ranking(line.ranker, whole, most)
    size = int(ranking.sizes(np.array([line.k]))[0])
    columns = every.seen[ranking.chosen(size)]
    pipeline = fitted_pipeline(line, whole, ranking, size)
    if isinstance(line.classifier, Tuned):
        offsets = model_offsets(line, whole, ranking, size)
        pipeline = with_thresholds(pipeline, model_classes(documents.labels).tolist(), offsets)
    return Model(line, columns, pipeline, documents)


def fitted_pipeline(line: Candidate, whole: Fold, ranking: Ranking, size: int) -> Pipeline:
    """The steps from counts of the chosen terms to labels."""
    labels, chosen = target(whole.train), ranking.chosen(size)
    if line.ranker.features is not None:
        return features_pipeline(line, whole, labels)
    if ranking.local:
        orders = [order[:size] for order in ranking.orders]
        own = own_terms_classifier(line.classifier, whole, orders, chosen, labels)
        return Pipeline([("classify", own)])
    return fitted_steps(line.classifier, whole, chosen, several_classes(line.classifier, whole), labels)


def model_offsets(line: Candidate, whole: Fold, ranking: Ranking, size: int) -> Array:
    """(classes,) what a classifier of tuned thresholds adds to margins."""
    assert isinstance(line.classifier, Tuned)
    if line.ranker.features is not None:
        whole, ranking = judged_fold(line.ranker, whole)
        size = int(ranking.sizes(np.array([size]))[0])
    return np.asarray(line.classifier.offsets(whole, ranking, np.array([size]))[0])


def fitted_estimator(estimator: Any, rows: Any, whole: Fold, labels: Array) -> Any:
    """The estimator, fitted by what each document counts for, where they do not count alike."""
    weights = whole.train.weights
    if not weights.size:
        return estimator.fit(rows, labels)
    if not isinstance(estimator, OneVsRestClassifier):
        return estimator.fit(rows, labels, sample_weight=weights)
    own = estimator.estimator
    models = [clone(own).fit(rows, truth * 1, sample_weight=weights) for truth in whole.train.truth.T]
    return one_vs_rest_of(models, own, rows, whole, labels)


def fitted_steps(
    classifier: Classifier, whole: Fold, chosen: Array, estimator: Any, labels: Array
) -> Pipeline:
    """The steps from counts of the chosen terms to labels: how the classifier reads them, and itself."""
    rows = whole.train.rows[:, chosen]
    steps = reading_steps(classifier, whole, chosen)
    for _, step in steps:
        rows = step.transform(rows)
    return Pipeline([*steps, ("classify", fitted_estimator(estimator, rows, whole, labels))])


def reading_steps(classifier: Classifier, whole: Fold, chosen: Array) -> list[tuple[str, Any]]:
    """How a classifier reads counts of the chosen terms, fitted: as 0/1, times idf or a metric."""
    rows = whole.train.rows[:, chosen]
    binary = [("binary", Binarizer().fit(rows))] if classifier.reads == BINARY else []
    if not classifier.weighted:
        return list(binary)
    weigh = TfidfTransformer(sublinear_tf=True).fit(rows)
    if classifier.reads not in ("", BINARY):
        weigh.idf_ = term_weights(whole.counts, classifier.reads)[chosen]
    return [*binary, ("weigh", weigh)]


def features_pipeline(line: Candidate, whole: Fold, labels: Array) -> Pipeline:
    """The steps from counts of all terms to labels, by features that are made of them."""
    assert line.ranker.features is not None
    made, _ = judged_fold(line.ranker, whole)
    rows = made.train.rows
    rows = normalize(rows) if line.classifier.weighted else rows
    own = fitted_estimator(several_classes(line.classifier, whole), rows, whole, labels)
    order = fold_ranking(line.ranker, whole, 1).orders[0]
    weights = line.ranker.features(whole.counts)[order]
    return Pipeline(mapped_pipeline(own, weights, line.classifier.weighted))


def several_classes(classifier: Classifier, whole: Fold) -> Any:
    """The classifier, each class against the rest where it cannot take several, or several labels."""
    own = classifier.estimator()
    # liblinear's own way with several classes balances each in another way, or has none
    alone = isinstance(own, LogisticRegression) and own.solver == "liblinear"
    alone = (alone or getattr(own, "class_weight", None) == "balanced") and whole.n_classes > 2
    return OneVsRestClassifier(own) if alone or not whole.train.is_single else own


def target(documents: Documents) -> Array:
    """(documents,) class names, or the indicator matrix where documents have several labels."""
    labels = documents.labels
    if not labels.single:
        return np.asarray(labels.indicator.toarray())
    return np.asarray(model_classes(labels)[documents.target])


def model_classes(labels: Labels) -> Array:
    """(classes,) the names as scikit-learn takes them: text, whole numbers, truth values; others as text."""
    names = np.array(labels.classes)
    is_whole = names.dtype.kind in "Uiub" or (names.dtype.kind == "f" and np.all(names == np.floor(names)))
    return names if is_whole else np.array([str(name) for name in labels.classes])


def own_terms_classifier(
    classifier: Classifier, whole: Fold, orders: Sequence[Array], chosen: Array, labels: Array
) -> OneVsRestClassifier:
    """Each class against the rest, in terms of its own."""
    rows = whole.train.rows[:, chosen]
    place = {int(term): i for i, term in enumerate(chosen)}
    models = []
    for order, truth in zip(orders, whole.train.truth.T, strict=True):
        own = [place[int(term)] for term in order]
        kept = ("terms", ColumnTransformer([("own", "passthrough", own)]).fit(rows))
        made = fitted_steps(classifier, whole, chosen[own], classifier.estimator(), truth * 1)
        models.append(decisive(Pipeline([kept, *made.steps])))
    return one_vs_rest_of(models, classifier.estimator(), rows, whole, labels)


def one_vs_rest_of(
    models: Sequence[Any], estimator: Any, rows: Any, whole: Fold, labels: Array
) -> OneVsRestClassifier:
    """Fitted models, one for each class, as scikit-learn holds them."""
    # fitted as usual, quickly, and then given the models, in its order of classes
    several = OneVsRestClassifier(MultinomialNB()).fit(rows, labels)
    several.set_params(estimator=estimator)
    order = np.argsort(model_classes(whole.train.labels)) if labels.ndim == 1 else np.arange(len(models))
    several.estimators_ = [models[c] for c in order]
    return several


def decisive(model: Pipeline) -> Pipeline:
    """The model, naive Bayes written as log-odds: its probabilities near 1 all tie between classes."""
    bayes = model.steps[-1][1]
    if not isinstance(bayes, MultinomialNB | ComplementNB):
        return model
    return Pipeline([*model.steps[:-1], ("classify", as_linear(bayes))])


def numbers_in(thing: Any) -> int:
    """How many numbers the fitted parts of an estimator hold that prediction reads."""
    if isinstance(thing, Pipeline):
        return sum(numbers_in(step) for _, step in thing.steps)
    if isinstance(thing, OneVsRestClassifier):
        return sum(numbers_in(one) for one in thing.estimators_)
    names = ("coef_", "intercept_", "feature_log_prob_", "class_log_prior_", "idf_")
    return sum(np.size(getattr(thing, name)) for name in names if hasattr(thing, name))


def documents_per_second(model: Model, documents: Documents) -> float:
    """How many documents the model labels in a second: texts where there are any, else rows."""
    if documents.texts is None or not (documents.settings is not None or needs_termsift(documents)):
        given: Any = documents.rows[:WATCHED][:, model.columns]
        pipeline = model.pipeline
    else:
        pipeline, given = model.of_texts(documents), watched_texts(documents.texts)
    quickest = min(timeit.repeat(lambda: pipeline.predict(given), number=1, repeat=3))
    return (len(given) if isinstance(given, list) else given.shape[0]) / max(quickest, 1e-9)


def watched_texts(texts: list[str]) -> list[str]:
    """The first texts, as many as tell how long one takes: long ones are fewer."""
    ends = np.cumsum([len(text) for text in texts[:WATCHED]])
    return texts[: int(np.searchsorted(ends, LETTERS)) + 1][:WATCHED]


def saved_model(
    folder: Path, model: Model, documents: Documents, figures: Mapping[str, Any], goal: str
) -> list[Path]:
    """Write the three files: all of them, or none. Files of these names are replaced."""
    pipeline = pipeline_bytes(model.of_texts(documents), model.line.classifier.name)
    what = selection_values(model, documents, figures, goal)
    contents = folder_contents(model.terms(documents), what, pipeline)
    with told_disk_faults(folder):
        if folder.exists():
            replace_files(folder, contents)
        else:
            make_folder_of(folder, contents)
    return [folder / name for name in contents]


def replace_files(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Put files into a folder that is there."""
    with ExitStack() as files:
        for name, content in contents.items():
            files.enter_context(replacing(folder / name)).write_bytes(content)


def make_folder_of(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Make a folder that appears with all of its files: a process that is killed leaves all or none."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with scratch_folder(folder.parent) as staged:
        made = staged / "model"
        made.mkdir()
        for name, content in contents.items():
            (made / name).write_bytes(content)
            sync(made / name)
        try:
            made.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
            replace_files(folder, contents)  # another process was quicker
    sync(folder.parent)


def check_folder(folder: Path, overwrite: bool = False) -> None:
    """An error where the folder cannot be made or written to, or holds a model: asked before long work."""
    if folder.exists() and not folder.is_dir():
        raise UnreadableFileError(f"{folder} is a file; a model needs a folder of its own")
    if not overwrite and any((folder / name).is_file() for name in FILES):
        raise UnreadableFileError(
            f"{folder} holds a model; name another folder, or write over it: overwrite=True"
        )
    known = folder
    while not known.exists():
        known = known.parent
    try:
        with locked_file(known):
            pass
    except OSError as error:
        raise UnreadableFileError(f"cannot write to {folder}: {known} may not be written to") from error


def selection_values(
    model: Model, documents: Documents, figures: Mapping[str, Any], goal: str
) -> dict[str, Any]:
    """What was chosen and how, as values of JSON."""
    labels = documents.labels
    counts = documents.counts
    return {
        "termsift": version("termsift"),
        "method": model.line.ranker.name,
        "classifier": model.line.classifier.name,
        "goal": goal,
        "mean": figures["mean"],
        "standard_error": figures["error"],
        "documents": int(counts.documents),
        "classes": model_classes(labels).tolist(),
        "several_labels": not labels.single,
        "scikit_learn": sklearn.__version__,
        "analyzer": None if documents.analyzer is None else repr(documents.analyzer),
        "needs": needed_packages(documents),
        "terms": [
            {"term": term, "documents": int(counts.term_df[column])}
            for term, column in zip(model.terms(documents), model.columns, strict=True)
        ],
        "calibration": None if model.calibration is None else model.calibration.to_json(),
    }


def needed_packages(documents: Documents) -> list[str]:
    """What a saved model needs beside scikit-learn and skops, and is loaded by."""
    if not needs_termsift(documents):
        return []
    return ["termsift", *(["snowballstemmer"] if documents.analyzer and documents.analyzer.stemmer else [])]


def how_to_use(folder: Path, documents: Documents) -> str:
    """The lines of Python that use what was saved."""
    given = '["a text to label"]' if documents.texts is not None else "rows"
    path, needed = str(folder / PIPELINE), needed_packages(documents)
    trusted = f", trusted={list(OWN_TYPES)}" if needed else ""
    lines = [
        *([f"# it needs {' and '.join(needed)}"] if needed else []),
        "import skops.io as sio",
        f"model = sio.load({path!r}{trusted})",
    ]
    if documents.labels.single:
        return "\n".join([*lines, f"print(model.predict({given}))"])
    names = f"names = json.load(open({str(folder / SELECTION)!r}))['classes']"
    last = f"print([[name for name, yes in zip(names, row) if yes] for row in model.predict({given})])"
    return "\n".join(["import json", *lines, names, last])


def calibrated_model(model: Model, documents: Documents, split: Split, most: int) -> Model:
    """The model with what turns its margins into probabilities.

    In each division of the first round the candidate is fitted anew, its terms chosen anew, to the documents
    to learn from; margins are those of the documents to judge.
    """
    parts = [fold_margins(model, documents, part, most) for part in split.divisions(0)]
    margins, judged = (np.concatenate(own) for own in zip(*parts, strict=True))
    return replace(
        model, calibration=fitted_calibration(margins, class_truth(documents)[judged], documents.is_single)
    )


def fold_margins(model: Model, documents: Documents, part: Division, most: int) -> tuple[Array, Array]:
    """(judged, classes) margins, infinite for a class that none learned from has; and which were judged."""
    own = model_of(documents.take(part.learned), model.line, most, part.seed)
    found = class_margins(own.pipeline, documents.rows[part.judged][:, own.columns])
    if not documents.is_single:
        return found, part.judged
    known, all_known = list(own.pipeline.classes_), list(np.unique(target(documents)))
    margins = np.full((len(part.judged), len(all_known)), -np.inf)
    margins[:, [all_known.index(name) for name in known]] = found
    return margins, part.judged


def class_truth(documents: Documents) -> Array:
    """(documents, classes) which labels are right, in the order in which a model has its classes."""
    labels = target(documents)
    return np.asarray(labels.astype(bool) if labels.ndim == 2 else labels[:, None] == np.unique(labels))
