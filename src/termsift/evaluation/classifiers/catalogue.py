"""Classifiers: what selections are judged by, each fitted along a ranking.

A classifier is a module here, and `OFFERED` lists what comparisons may name of it. `along` fits a class
against the rest along a path of selections; `margins` decide; `confidences` compare documents for one class,
as the break-even point needs. Both are (sizes, judged, classes).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import has_fit_parameter

from termsift._internal.errors import InvalidInputError, unknown_name_error
from termsift._internal.ranking import Ranking
from termsift._internal.typing import Array
from termsift.evaluation.classifiers.paths import (
    BINARY,
    Classifier,
    SelectionPath,
    one_vs_rest_decision_values,
)
from termsift.evaluation.goals import Goal
from termsift.evaluation.splits import Fold
from termsift.metrics import parse_metric

# what is tried where none is named; logistic regression of tf-idf takes as long as the SVM and never led it
DEFAULT_CLASSIFIERS = ("multinomial_nb", "complement_nb", "svm")
# beside them where documents have several labels and the goal is an F: on ApteMod it leads svm by 0.1
USUAL_OF_SEVERAL = "svm_tuned"
LONGEST_NAME = 40  # characters of a classifier as it prints; of one that is longer the name of its type


def classifier_reading(classifier: Classifier, reads: str) -> Classifier:
    """The classifier, reading rows in another way."""
    from termsift.evaluation.classifiers.thresholds import TunedClassifier

    if isinstance(classifier, TunedClassifier):
        return TunedClassifier(classifier_reading(classifier.classifier, reads))
    by_metric = "METRIC" in classifier.representations
    if reads not in classifier.representations and not by_metric:
        raise unknown_name_error(
            f"way for {classifier.name} to read a row", reads, classifier.representations
        )
    if reads != BINARY:
        parse_metric(reads)
    return replace(classifier, representation=reads)  # type: ignore[type-var]


@cache
def available_classifiers() -> dict[str, Classifier]:
    """The classifiers by name, the quick ones first: what the modules here offer."""
    from termsift.evaluation.classifiers import linear, naive_bayes, thresholds

    classifiers: list[Classifier] = [*linear.OFFERED, *naive_bayes.OFFERED, *thresholds.OFFERED]
    return {one.name: one for one in sorted(classifiers, key=lambda one: (one.cost, one.size_stride))}


def default_classifiers(goal: Goal, single: bool) -> list[Classifier]:
    """What is tried where none is named, for a goal, and documents with one label each or several."""
    more = [] if single or goal.beta is None else [USUAL_OF_SEVERAL]
    return parse_classifiers([*DEFAULT_CLASSIFIERS, *more], goal)


def parse_classifiers(given: Any, goal: Goal) -> list[Classifier]:
    """Classifiers by name, or scikit-learn's own; the quick ones first. Thresholds are tuned for the goal.

    Those of a dict have the names that it gives them.
    """
    known = available_classifiers()
    if isinstance(given, Mapping):
        found = [parse_classifier(one, name) for name, one in given.items()]
    else:
        several = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
        found = [parse_classifier(one) for one in several]
    if not found:
        raise InvalidInputError(f"classifiers must be at least one of {', '.join(known)}, got none")
    name, times = Counter(one.name for one in found).most_common(1)[0]
    if times > 1:
        raise InvalidInputError(f"classifiers must differ; {name} is given twice; a dict can give them names")
    return sorted((for_goal(one, goal) for one in found), key=lambda one: one.cost)


def for_goal(classifier: Classifier, goal: Goal) -> Classifier:
    """The classifier; one that tunes thresholds with what they are tuned for, or an error."""
    from termsift.evaluation.classifiers.thresholds import TunedClassifier

    if not isinstance(classifier, TunedClassifier):
        return classifier
    return classifier.tuned_for(goal)


def parse_classifier(given: Any, name: Any = None) -> Classifier:
    """A classifier by name, or scikit-learn's own, under a name of its own if one is given."""
    known = available_classifiers()
    if not (name is None or (isinstance(name, str) and name)):
        raise InvalidInputError(f"the name of a classifier must be a text, got {name!r}")
    if isinstance(given, str) and name in (None, given):
        base, colon, reads = given.partition(":")
        if base not in known:
            raise unknown_name_error("classifier", base, known)
        return classifier_reading(known[base], reads) if colon else known[base]
    known_to_it = hasattr(given, "__sklearn_tags__") and not isinstance(given, type)
    if not (known_to_it and is_classifier(given)):
        raise InvalidInputError(
            f"a classifier is one of {', '.join(known)}, or one of scikit-learn's, got {given!r}"
        )
    shown = " ".join(repr(given).split())
    return SklearnClassifier(name or (shown if len(shown) <= LONGEST_NAME else type(given).__name__), given)


@dataclass(frozen=True, slots=True, eq=False)
class SklearnClassifier:
    """A classifier of one's own."""

    name: str
    estimator: Any
    cost: ClassVar[int] = 20
    size_stride: ClassVar[int] = 2
    uses_tfidf: ClassVar[bool] = False
    representation: ClassVar[str] = ""
    representations: ClassVar[tuple[str, ...]] = ()

    @property
    def description(self) -> str:
        """Its name."""
        return self.name

    def fit_path(self, fold: Fold, path: SelectionPath) -> Callable[[int], Array]:
        """For a class how sure it is of it, above 0 where it predicts it."""

        def class_margins(c: int) -> Array:
            models = fit_models(self.estimator, fold, fold.train.truth[:, c] * 1, path)
            return np.stack([odds(model, X) for model, X in models], axis=1)

        return class_margins

    def decision_values(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """1 for the class it predicts, -1 for the others; with several labels, or local terms, its odds."""
        if ranking.local or not fold.train.is_single:
            return self.confidences(fold, ranking, sizes)
        margins = np.full((len(sizes), *fold.truth.shape), -1.0)
        path = SelectionPath.from_ranking(ranking.orders[0], sizes)
        models = fit_models(self.estimator, fold, fold.train.target, path)
        for own, (model, X) in zip(margins, models, strict=True):
            own[np.arange(len(own)), model.predict(X)] = 1
        return margins

    confidences = one_vs_rest_decision_values

    def make_estimator(self) -> Any:
        """A copy of it."""
        return clone(self.estimator)


def fit_models(own: Any, fold: Fold, target: Array, path: SelectionPath) -> Iterator[tuple[Any, Any]]:
    """For each step a copy fitted to its selection, and what it is to judge; equal selections share one."""
    weights = fold.train.weights
    if weights.size and not has_fit_parameter(own, "sample_weight"):
        raise InvalidInputError(f"{type(own).__name__}.fit takes no sample_weight; leave the weights out")
    how = {"sample_weight": weights} if weights.size else {}
    known: dict[bytes, tuple[Any, Any]] = {}
    for step in range(len(path.sizes)):
        columns = path.chosen(step)
        key = np.sort(columns).tobytes()
        if key not in known:
            parts = (rows[:, columns] for rows in (fold.train.rows, fold.test))
            X, others = (rows.toarray() if fold.train.dense else rows for rows in parts)
            known[key] = clone(own).fit(X, target, **how), others
        yield known[key]


def odds(model: Any, X: Any) -> Array:
    """How sure a model is of its class 1, above 0 where it predicts it."""
    found = confidence(model, X)
    if found is None:
        return np.asarray(model.predict(X)) - 0.5
    logs = hasattr(model, "decision_function") or hasattr(model, "predict_log_proba")
    return found if logs else found - 0.5


def confidence(model: Any, X: Any) -> Array | None:
    """(documents,): how sure the model is of the class; log-odds, since probabilities near 1 all tie.

    None where it cannot say.
    """
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X))
    if hasattr(model, "predict_log_proba"):
        with np.errstate(divide="ignore"):
            for_rest, for_class = model.predict_log_proba(X).T
        return np.asarray(for_class - for_rest)
    return np.asarray(model.predict_proba(X)[:, 1]) if hasattr(model, "predict_proba") else None
