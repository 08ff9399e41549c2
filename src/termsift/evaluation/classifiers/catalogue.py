"""Catalogue of the classifiers that comparisons can name, with tuned thresholds or of scikit-learn.

The modules of this package list their classifiers in `OFFERED`.
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
from termsift._internal.typing import Array, ClassIndex, DocumentStepArray, SizeDocumentClassArray, parse_call
from termsift.evaluation.classifiers import linear, naive_bayes, paths, thresholds
from termsift.evaluation.goals import Goal
from termsift.evaluation.splits import Fold, inner_folds
from termsift.metrics import parse_metric

# without logistic regression of tf-idf, which takes as long as the SVM and was never better
DEFAULT_CLASSIFIERS = ("multinomial_nb", "complement_nb", "svm")
# added for multiple labels and a goal of F: on ApteMod it is better than svm by 0.1
MULTILABEL_CLASSIFIER = "svm_tuned"
MAX_NAME_LENGTH = 40  # of a printed estimator; a longer one is called by its type


@cache
def available_classifiers() -> dict[str, paths.Classifier]:
    """Return the classifiers by name, the fastest first."""
    tunable = (*naive_bayes.OFFERED, linear.SVM, linear.LOGISTIC_REGRESSION)
    tuned = [TunedClassifier(classifier) for classifier in tunable]
    classifiers: list[paths.Classifier] = [*linear.OFFERED, *naive_bayes.OFFERED, *tuned]
    classifiers.sort(key=lambda classifier: (classifier.cost, classifier.size_stride))
    return {classifier.name: classifier for classifier in classifiers}


def default_classifiers(goal: Goal, single_label: bool) -> list[paths.Classifier]:
    """Return the default classifiers for a goal, and for single or multiple labels."""
    tuned = [] if single_label or goal.beta is None else [MULTILABEL_CLASSIFIER]
    return parse_classifiers([*DEFAULT_CLASSIFIERS, *tuned], goal)


def parse_classifiers(choices: Any, goal: Goal) -> list[paths.Classifier]:
    """Return classifiers from names or scikit-learn estimators, the fastest first.

    Thresholds are tuned for the goal. A dict maps names to estimators.
    """
    if isinstance(choices, Mapping):
        classifiers = [parse_classifier(choice, name) for name, choice in choices.items()]
    else:
        is_list = isinstance(choices, Sequence) and not isinstance(choices, str)
        classifiers = [parse_classifier(choice) for choice in (choices if is_list else [choices])]
    if not classifiers:
        names = ", ".join(available_classifiers())
        raise InvalidInputError(f"at least one classifier is needed, got none; available: {names}")
    name, times = Counter(classifier.name for classifier in classifiers).most_common(1)[0]
    if times > 1:
        raise InvalidInputError(f"classifier {name} is given twice; use a dict to name variants of it")
    for i, classifier in enumerate(classifiers):
        if isinstance(classifier, TunedClassifier):
            classifiers[i] = classifier.with_goal(goal)
    return sorted(classifiers, key=lambda classifier: classifier.cost)


def parse_classifier(choice: Any, name: Any = None) -> paths.Classifier:
    """Return a classifier from its name, or from a scikit-learn estimator with an optional name."""
    available = available_classifiers()
    if not (name is None or (isinstance(name, str) and name)):
        raise InvalidInputError(f"the name of a classifier must be a non-empty string, got {name!r}")
    if isinstance(choice, str) and name in (None, choice):
        text, colon, representation = choice.partition(":")
        base, bracket, _ = text.partition("(")
        if base not in available:
            raise unknown_name_error("classifier", base, available)
        classifier = parse_regularization(available[base], text) if bracket else available[base]
        return change_representation(classifier, representation) if colon else classifier
    is_estimator = hasattr(choice, "__sklearn_tags__") and not isinstance(choice, type)
    if not (is_estimator and is_classifier(choice)):
        message = f"expected a scikit-learn classifier or one of {', '.join(available)}; got {choice!r}"
        raise InvalidInputError(message)
    printed = " ".join(repr(choice).split())
    short_name = printed if len(printed) <= MAX_NAME_LENGTH else type(choice).__name__
    return SklearnClassifier(name or short_name, choice)


def parse_regularization(classifier: paths.Classifier, call_text: str) -> paths.Classifier:
    """Return a linear classifier with another C, such as "svm(C=3)"."""
    try:
        _, arguments, options = parse_call(call_text)
    except (SyntaxError, ValueError):
        arguments, options = [], {}
    C: Any = options.get("C")
    is_valid = not arguments and set(options) == {"C"} and isinstance(C, int | float) and 0 < C < np.inf
    if not (is_valid and isinstance(classifier, linear.Linear)):
        raise InvalidInputError(
            f"only svm, nbsvm and logistic take an option, C above 0, as in 'svm(C=3)'; got {call_text!r}"
        )
    base, title = f"{classifier.base}(C={C:g})", f"{classifier.title} (C={C:g})"
    return replace(classifier, base=base, title=title, C=C)


def change_representation(classifier: paths.Classifier, representation: str) -> paths.Classifier:
    """Return the classifier with another representation of the rows."""
    if isinstance(classifier, TunedClassifier):
        return replace(classifier, classifier=change_representation(classifier.classifier, representation))
    choices = classifier.representations
    if representation not in choices and "METRIC" not in choices:
        raise unknown_name_error(f"representation for {classifier.name}", representation, choices)
    if "METRIC" in choices and representation != paths.BINARY:
        parse_metric(representation)
    return replace(classifier, representation=representation)  # type: ignore[type-var]


@dataclass(frozen=True, slots=True)
class TunedClassifier:
    """Classifier whose decision values are shifted to maximise F.

    The training set is split into three folds. Each fold is tested with a fit to the others, with the terms
    selected on the full training set, and the offsets of the folds are averaged, as in Fan and Lin (2007).
    Test documents are not used.

    aim : the F measure
    """

    classifier: paths.Classifier
    aim: thresholds.Aim = thresholds.F1_MACRO

    @property
    def name(self) -> str:
        """Name with the representation."""
        base, colon, representation = self.classifier.name.partition(":")
        return f"{base}_tuned{colon}{representation}"

    @property
    def description(self) -> str:
        """Description with the representation."""
        return f"{self.classifier.description} with tuned thresholds"

    @property
    def cost(self) -> int:
        """Cost of the classifier, and of three more fits to two thirds of the documents."""
        return 3 * self.classifier.cost

    @property
    def size_stride(self) -> int:
        """Size stride of the classifier."""
        return self.classifier.size_stride

    @property
    def uses_tfidf(self) -> bool:
        """Whether the classifier uses tf-idf."""
        return self.classifier.uses_tfidf

    @property
    def representation(self) -> str:
        """Representation of the classifier."""
        return self.classifier.representation

    @property
    def representations(self) -> tuple[str, ...]:
        """Alternative representations of the classifier."""
        return self.classifier.representations

    def with_goal(self, goal: Goal) -> TunedClassifier:
        """Return the classifier tuned for a goal, which must be an F measure."""
        if goal.beta is None:
            raise InvalidInputError(
                f"{self.name} tunes thresholds for F measures such as f1_macro, not for goal {goal.name}"
            )
        return replace(self, aim=thresholds.Aim(goal.beta, micro=goal.overall is not None))

    def fit_path(self, fold: Fold, path: paths.SelectionPath) -> Callable[[ClassIndex], DocumentStepArray]:
        """Return a function from a class index to its decision values without offsets."""
        return self.classifier.fit_path(fold, path)

    def decision_values(self, fold: Fold, ranking: Ranking, sizes: Array) -> SizeDocumentClassArray:
        """Return the decision values of the classifier plus the offsets."""
        values = self.classifier.decision_values(fold, ranking, sizes)
        return values + self.offsets(fold, ranking, sizes)[:, None]

    def confidences(self, fold: Fold, ranking: Ranking, sizes: Array) -> SizeDocumentClassArray:
        """Return the comparable values of the classifier: offsets do not change the order of documents."""
        return self.classifier.confidences(fold, ranking, sizes)

    def offsets(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """Return (sizes, classes) offsets: the mean over the inner folds.

        A class without documents in an inner fold has an offset of 0 there, so rare classes shift less.
        """
        inner, total = inner_folds(fold), np.zeros(())
        for run in inner:
            tune = (
                thresholds.single_label_offsets
                if run.train.labels.is_single_label
                else thresholds.multilabel_offsets
            )
            weights = run.test_weights if run.test_weights.size else np.ones(len(run.truth))
            by_size = self.classifier.decision_values(run, ranking, sizes)
            total = total + np.stack([tune(values, run.truth, weights, self.aim) for values in by_size])
        return np.broadcast_to(total / max(len(inner), 1), (len(sizes), fold.n_classes))

    def make_estimator(self) -> Any:
        """Return the scikit-learn classifier, without offsets."""
        return self.classifier.make_estimator()


@dataclass(frozen=True, slots=True, eq=False)
class SklearnClassifier:
    """Classifier of scikit-learn, fitted to each selection."""

    name: str
    estimator: Any
    cost: ClassVar[int] = 20
    size_stride: ClassVar[int] = 2
    uses_tfidf: ClassVar[bool] = False
    representation: ClassVar[str] = ""
    representations: ClassVar[tuple[str, ...]] = ()

    @property
    def description(self) -> str:
        """Name of the classifier."""
        return self.name

    def fit_path(self, fold: Fold, path: paths.SelectionPath) -> Callable[[ClassIndex], DocumentStepArray]:
        """Return a function from a class to its comparable values, above 0 if the class is predicted."""

        def fit_class(class_index: int) -> Array:
            models = fit_models(self.estimator, fold, fold.train.truth[:, class_index] * 1, path)
            return np.stack([class_confidences(model, X, centered=True) for model, X in models], axis=1)

        return fit_class

    def decision_values(self, fold: Fold, ranking: Ranking, sizes: Array) -> SizeDocumentClassArray:
        """Return 1 for the predicted class, -1 for others; for multiple labels or local terms confidences."""
        if ranking.local or not fold.train.labels.is_single_label:
            return self.confidences(fold, ranking, sizes)
        decision_values = np.full((len(sizes), *fold.truth.shape), -1.0)
        path = paths.SelectionPath.from_ranking(ranking.orders[0], sizes)
        models = fit_models(self.estimator, fold, fold.train.target, path)
        for values, (model, X) in zip(decision_values, models, strict=True):
            values[np.arange(len(values)), model.predict(X)] = 1
        return decision_values

    confidences = paths.one_vs_rest_decision_values

    def make_estimator(self) -> Any:
        """Return a copy of the estimator."""
        return clone(self.estimator)


def fit_models(
    estimator: Any, fold: Fold, target: Array, path: paths.SelectionPath
) -> Iterator[tuple[Any, Any]]:
    """Yield for each step a fitted copy of the estimator, and the test documents with the selected terms."""
    weights = fold.train.weights
    if weights.size and not has_fit_parameter(estimator, "sample_weight"):
        kind = type(estimator).__name__
        raise InvalidInputError(f"{kind}.fit does not accept sample_weight; fit it without weights")
    options = {"sample_weight": weights} if weights.size else {}
    # steps with the same terms share a model
    models: dict[bytes, tuple[Any, Any]] = {}
    for step in range(len(path.sizes)):
        columns = path.terms_at_step(step)
        key = np.sort(columns).tobytes()
        if key not in models:
            selected = (rows[:, columns] for rows in (fold.train.rows, fold.test))
            train, test = (rows.toarray() if fold.train.dense else rows for rows in selected)
            models[key] = clone(estimator).fit(train, target, **options), test
        yield models[key]


def class_confidences(model: Any, X: Any, *, centered: bool = False) -> Array:
    """Return (documents,) confidences of a model in its class 1.

    centered : shift probabilities so that values above 0 predict the class, and use predictions if the model
        has no confidences, which else is an error
    """
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X))
    if hasattr(model, "predict_log_proba"):
        # log odds, because probabilities near 1 are tied
        with np.errstate(divide="ignore"):
            for_rest, for_class = model.predict_log_proba(X).T
        return np.asarray(for_class - for_rest)
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X)[:, 1]) - (0.5 if centered else 0.0)
    if centered:
        return np.asarray(model.predict(X)) - 0.5
    raise InvalidInputError(
        f"{type(model).__name__} has neither decision_function nor predict_proba, so it has no "
        "break-even point; pass scoring, such as scoring='f1'"
    )
