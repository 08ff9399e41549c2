"""Models: a candidate fitted to all documents, in scikit-learn's own classes."""

from __future__ import annotations

import timeit
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Binarizer, normalize

from termsift._typing import Array
from termsift.compare.candidates.features import mapped_pipeline
from termsift.compare.candidates.rankers import fold_ranking, judged_fold
from termsift.compare.race.racing import Candidate
from termsift.compare.thresholds import as_linear, with_thresholds
from termsift.errors import InvalidInput
from termsift.estimators.vectorizer import TermVectorizer
from termsift.experiment.classifiers import BINARY, Classifier
from termsift.experiment.classifiers.tuned import Tuned
from termsift.experiment.documents import Documents
from termsift.experiment.folds import Fold
from termsift.labels import Labels
from termsift.models.calibration import Calibration
from termsift.ranking import Ranking
from termsift.scoring import term_weights
from termsift.selection import analyzer_from

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
        raise InvalidInput(
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
