"""Models: a candidate fitted to all documents, in scikit-learn's own classes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import Pipeline

from termsift._typing import Array
from termsift.compare.material import Material
from termsift.compare.results import Line
from termsift.errors import InvalidInput
from termsift.experiment.classifiers import Classifier
from termsift.experiment.fold import Fold
from termsift.ranking import Ranking

WATCHED = 2000  # documents on which speed is measured


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A pipeline of rows of chosen terms.

    columns : (terms,) where the terms stand in the corpus, best first
    pipeline : from rows of their counts to labels; with several labels a document, to an indicator matrix
    """

    line: Line
    columns: Array
    pipeline: Pipeline

    def terms(self, material: Material) -> list[str]:
        """The chosen terms, best first."""
        return [str(term) for term in material.documents.terms[self.columns]]

    def of_texts(self, material: Material) -> Pipeline:
        """The pipeline from texts to labels: plain scikit-learn, which needs no termsift."""
        if material.texts is None:
            return self.pipeline
        if material.settings is None:
            raise InvalidInput(
                "terms found by a function or a stemmer need that code to be found again, so no plain "
                "pipeline can be saved; compare with an Analyzer or a vectorizer without one"
            )
        free = {"min_df": 1, "max_df": 1.0, "max_features": None, "vocabulary": self.terms(material)}
        vectorizer = CountVectorizer(**material.settings | free)
        vectorizer.fit([])
        return Pipeline([("count", vectorizer), *self.pipeline.steps])

    def bytes(self, material: Material) -> int:
        """What its terms and numbers take: the letters, and eight bytes a number."""
        letters = sum(len(term.encode("utf-8", "replace")) for term in self.terms(material))
        return letters + 8 * numbers_in(self.pipeline)


def model_of(material: Material, line: Line, most: int, seed: int) -> Model:
    """A candidate, fitted to all documents."""
    documents = material.documents
    every = np.arange(documents.labels.size)
    whole = Fold(documents, every, every[:0], seed)
    ranking = line.method.ranking(whole, most)
    size = int(ranking.sizes(np.array([line.k]))[0])
    chosen = ranking.chosen(size)
    rows = whole.train.rows[:, chosen]
    if ranking.local:
        steps = [("classify", own_terms_classifier(whole, ranking, size, chosen, line.classifier, material))]
        return Model(line, whole.columns[chosen], Pipeline(steps))
    steps = [("weigh", TfidfTransformer(sublinear_tf=True))] if line.classifier.weighted else []
    steps = [*steps, ("classify", several_classes(line.classifier, whole))]
    return Model(line, whole.columns[chosen], Pipeline(steps).fit(rows, target(material)))


def several_classes(classifier: Classifier, whole: Fold) -> Any:
    """The classifier, each class against the rest where it cannot take several, or several labels."""
    own = classifier.estimator()
    alone = isinstance(own, LogisticRegression) and own.solver == "liblinear" and whole.labelled.shape[1] > 2
    return OneVsRestClassifier(own) if alone or not whole.single else own


def target(material: Material) -> Array:
    """(documents,) class names, or the indicator matrix where documents have several labels."""
    labels = material.labels
    if not labels.single:
        return np.asarray(labels.indicator.toarray())
    return np.asarray(np.array(labels.classes)[material.documents.target])


def own_terms_classifier(
    whole: Fold, ranking: Ranking, size: int, chosen: Array, classifier: Classifier, material: Material
) -> OneVsRestClassifier:
    """Each class against the rest, in terms of its own."""
    rows = whole.train.rows[:, chosen]
    place = {int(term): i for i, term in enumerate(chosen)}
    models = []
    for c, order in enumerate(ranking.orders):
        own = [place[int(term)] for term in order[:size]]
        steps = [("terms", ColumnTransformer([("own", "passthrough", own)]))]
        if classifier.weighted:
            steps.append(("weigh", TfidfTransformer(sublinear_tf=True)))
        steps.append(("classify", classifier.estimator()))
        models.append(decisive(Pipeline(steps).fit(rows, whole.labelled[:, c] * 1)))
    # fitted as usual, quickly, and then given the models of the classes' own terms
    several = OneVsRestClassifier(MultinomialNB()).fit(rows, target(material))
    several.set_params(estimator=classifier.estimator())
    several.estimators_ = models
    return several


def decisive(model: Pipeline) -> Pipeline:
    """The model, naive Bayes written as log-odds: its probabilities near 1 all tie between classes."""
    bayes = model.steps[-1][1]
    if not isinstance(bayes, MultinomialNB):
        return model
    linear = LogisticRegression()
    linear.classes_ = bayes.classes_
    linear.coef_ = np.diff(bayes.feature_log_prob_, axis=0)
    linear.intercept_ = np.diff(bayes.class_log_prior_)
    linear.n_features_in_ = bayes.n_features_in_
    return Pipeline([*model.steps[:-1], ("classify", linear)])


def numbers_in(thing: Any) -> int:
    """How many numbers the fitted parts of an estimator hold that prediction reads."""
    if isinstance(thing, Pipeline):
        return sum(numbers_in(step) for _, step in thing.steps)
    if isinstance(thing, OneVsRestClassifier):
        return sum(numbers_in(one) for one in thing.estimators_)
    names = ("coef_", "intercept_", "feature_log_prob_", "class_log_prior_", "idf_")
    return sum(np.size(getattr(thing, name)) for name in names if hasattr(thing, name))


def documents_a_second(model: Model, material: Material) -> float:
    """How many documents the model labels in a second: texts where there are any, else rows."""
    if material.texts is None or material.settings is None:
        pipeline: Pipeline = model.pipeline
        given: Any = material.documents.rows[:WATCHED][:, model.columns]
    else:
        pipeline, given = model.of_texts(material), material.texts[:WATCHED]
    quickest = np.inf
    for _ in range(3):
        start = time.perf_counter()
        pipeline.predict(given)
        quickest = min(quickest, time.perf_counter() - start)
    size = min(WATCHED, material.labels.size)
    return float(size / max(quickest, 1e-9))
