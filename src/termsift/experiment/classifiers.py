"""Classifiers: what selections are judged by. Each gives the margins of a fold for ascending sizes.

`margins` decide; `confidences` compare documents for one class, as the break-even point needs.
Both are (sizes, judged, classes).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from termsift._typing import Array
from termsift.errors import InvalidInput, unknown
from termsift.experiment.bayes import against_the_rest, apart_margins, joint_margins
from termsift.experiment.fold import Fold
from termsift.experiment.judges import confidence
from termsift.nested.unit_rows import RankedRows
from termsift.ranking import Ranking


class Classifier(Protocol):
    """What judges selections.

    cost : how long it takes, about, against naive Bayes
    every : of the numbers of terms, every how many-th it is tried with, from the largest down
    weighted : whether it reads tf-idf rows of unit length; else it reads counts
    """

    cost: ClassVar[int]
    every: ClassVar[int]
    weighted: ClassVar[bool]

    @property
    def name(self) -> str:
        """What it is called in tables."""
        ...

    @property
    def words(self) -> str:
        """What it is called in sentences."""
        ...

    def margins(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """What it says of each class."""
        ...

    def confidences(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """The same, of a kind by which documents can be compared."""
        ...

    def estimator(self) -> Any:
        """The scikit-learn classifier that does the same, of one class against another."""
        ...


@dataclass(frozen=True, slots=True)
class Bayes:
    """Multinomial naive Bayes of counts."""

    name: str = "bayes"
    words: str = "naive Bayes"
    cost: ClassVar[int] = 1
    every: ClassVar[int] = 1
    weighted: ClassVar[bool] = False

    def margins(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """What it says of each class."""
        if ranking.local or not fold.single:
            return apart_margins(fold, ranking, sizes)
        return joint_margins(fold, ranking.orders[0], sizes)

    def confidences(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """Log-odds of each class."""
        found = self.margins(fold, ranking, sizes)
        return found if ranking.local or not fold.single else against_the_rest(found)

    def estimator(self) -> Any:
        """MultinomialNB."""
        return MultinomialNB()


@dataclass(frozen=True, slots=True)
class Svm:
    """A linear support vector machine of tf-idf rows, squared hinge."""

    name: str = "svm"
    words: str = "a linear SVM"
    C: float = 1.0
    cost: ClassVar[int] = 8
    every: ClassVar[int] = 1
    weighted: ClassVar[bool] = True

    def margins(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """What it says of each class."""
        return unit_margins(
            fold, ranking, lambda rows, truth: rows.svm_margins(truth, sizes, C=self.C), len(sizes)
        )

    confidences = margins

    def estimator(self) -> Any:
        """LinearSVC."""
        return LinearSVC(C=self.C)


@dataclass(frozen=True, slots=True)
class Logistic:
    """Logistic regression of tf-idf rows."""

    name: str = "logistic"
    words: str = "logistic regression"
    C: float = 10.0
    cost: ClassVar[int] = 8
    every: ClassVar[int] = 3
    weighted: ClassVar[bool] = True

    def margins(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """What it says of each class."""
        return unit_margins(
            fold, ranking, lambda rows, truth: rows.logistic_margins(truth, sizes, C=self.C), len(sizes)
        )

    confidences = margins

    def estimator(self) -> Any:
        """LogisticRegression by liblinear, which decides about two classes."""
        return LogisticRegression(C=self.C, solver="liblinear")


@dataclass(frozen=True, slots=True, eq=False)
class Other:
    """Any scikit-learn classifier, of counts: copied, and fitted for each selection."""

    name: str
    own: Any
    cost: ClassVar[int] = 20
    every: ClassVar[int] = 2
    weighted: ClassVar[bool] = False

    @property
    def words(self) -> str:
        """Its name."""
        return self.name

    def margins(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """1 for the class it predicts, -1 for the others; with several labels, or local terms, its odds."""
        if ranking.local or not fold.single:
            return self.confidences(fold, ranking, sizes)
        y = fold.labelled.argmax(axis=1)
        margins = np.full((len(sizes), *fold.truth.shape), -1.0)
        for s, size in enumerate(sizes.tolist()):
            chosen = ranking.chosen(size)
            predicted = clone(self.own).fit(fold.train.rows[:, chosen], y).predict(fold.test[:, chosen])
            margins[s, np.arange(len(predicted)), predicted] = 1
        return margins

    def confidences(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """How sure it is of each class against the rest."""
        margins = np.full((len(sizes), *fold.truth.shape), -np.inf)
        for c, truth in enumerate(fold.labelled.T):
            order = ranking.orders[c if ranking.local else 0]
            if truth.all() or not truth.any():
                margins[:, :, c] = np.inf if truth.all() else -np.inf
                continue
            for s, size in enumerate(sizes.tolist()):
                model = clone(self.own).fit(fold.train.rows[:, order[:size]], truth * 1)
                margins[s, :, c] = odds(model, fold.test[:, order[:size]])
        return margins

    def estimator(self) -> Any:
        """A copy of it."""
        return clone(self.own)


def odds(model: Any, X: Any) -> Array:
    """How sure a model is of its class 1, above 0 where it predicts it."""
    if hasattr(model, "decision_function") or hasattr(model, "predict_log_proba"):
        return confidence(model, X)
    if hasattr(model, "predict_proba"):
        return confidence(model, X) - 0.5
    return np.asarray(model.predict(X)) - 0.5


def unit_margins(fold: Fold, ranking: Ranking, fitted: Any, n_sizes: int) -> Array:
    """The margins of a classifier of rows of unit length, each class against the rest."""
    margins = np.empty((n_sizes, *fold.truth.shape))
    rows = None if ranking.local else RankedRows.of(ranking.orders[0], *fold.weighted)
    mirrored = fold.single and fold.truth.shape[1] == 2
    for c in range(fold.truth.shape[1]):
        truth = fold.labelled[:, c]
        if mirrored and c == 0:
            continue
        if truth.all() or not truth.any():
            margins[:, :, c] = np.inf if truth.all() else -np.inf
            continue
        own = RankedRows.of(ranking.orders[c], *fold.weighted) if rows is None else rows
        margins[:, :, c] = fitted(own, truth)
    if mirrored:
        margins[:, :, 0] = -margins[:, :, 1]
    return margins


CLASSIFIERS: dict[str, Classifier] = {"bayes": Bayes(), "svm": Svm(), "logistic": Logistic()}


def classifiers_of(given: Any) -> list[Classifier]:
    """Classifiers by name, or scikit-learn's own."""
    several = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    if not several:
        raise InvalidInput(f"classifiers must be at least one of {', '.join(CLASSIFIERS)}, got none")
    found = [classifier_of(one) for one in several]
    names = [one.name for one in found]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise InvalidInput(f"classifiers must differ; {repeated} is given twice")
    return sorted(found, key=lambda one: one.cost)


def classifier_of(given: Any) -> Classifier:
    """A classifier by name, or scikit-learn's own."""
    if isinstance(given, str):
        if given not in CLASSIFIERS:
            raise unknown("classifier", given, CLASSIFIERS)
        return CLASSIFIERS[given]
    if isinstance(given, type) or not is_classifier(given):
        raise InvalidInput(
            f"a classifier is one of {', '.join(CLASSIFIERS)}, or one of scikit-learn's, got {given!r}"
        )
    return Other(" ".join(repr(given).split()), given)
