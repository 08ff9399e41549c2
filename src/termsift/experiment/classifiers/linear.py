"""Linear classifiers: support vector machines and logistic regression, by the dual or along any path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Any, ClassVar

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from termsift._typing import Array
from termsift.experiment.classifiers import BINARY, as_read, marked, one_vs_rest_margins
from termsift.experiment.folds import Fold
from termsift.nested.joint import joint_margins
from termsift.nested.linear import (
    HINGE,
    LOGISTIC,
    SQUARED_HINGE,
    Loss,
    RankedRows,
    linear_margins,
    logistic_margins,
)
from termsift.nested.paths import SelectionPath
from termsift.ranking import Ranking


@dataclass(frozen=True, slots=True)
class Linear:
    """A linear classifier of tf-idf rows of unit length, or of 0/1 features, as its loss has it.

    base, called : what it is called in tables and in sentences, but for how it reads a row
    scikit_learn : what makes the same classifier of scikit-learn, given C
    balanced : whether a class and the rest count for as much as each other, however few documents it has
    reads : "binary" for terms a document has in place of counts, each times its idf; the name of a metric
        for what it says of a term in place of idf
    """

    base: str
    called: str
    loss: Loss
    C: float
    scikit_learn: Callable[..., Any]
    every: int = 1
    balanced: bool = False
    reads: str = ""
    ways: ClassVar[tuple[str, ...]] = ("binary", "METRIC")
    cost: ClassVar[int] = 8

    @property
    def name(self) -> str:
        """With how it reads a row."""
        return marked(self.base, self.reads)

    @property
    def words(self) -> str:
        """With how it reads a row."""
        return as_read(self.called, self.reads)

    @property
    def weighted(self) -> bool:
        """Whether it reads tf-idf rows of unit length; else a stored value is a term the document has."""
        return self.loss.unit

    def along(self, fold: Fold, path: SelectionPath) -> Callable[[int], Array]:
        """For a class the margins of the path against the rest."""
        here, there = (RankedRows.of(path.first, columns) for columns in self.parts(fold))
        truth, sizes = fold.train.truth, path.sizes

        def class_margins(c: int) -> Array:
            weights = document_weights(fold.train.weights, truth[:, c], self.balanced)
            return linear_margins(self.loss, here, truth[:, c], there, sizes, C=self.C, weights=weights).T

        return class_margins

    def parts(self, fold: Fold) -> tuple[Any, Any]:
        """Both parts of a fold by column, as it reads them."""
        if not self.weighted:
            return fold.train.columns, fold.test_columns
        if self.reads in ("", BINARY):
            return (fold.binary if self.reads else fold).weighted
        return fold.weighted_by(self.reads)

    def margins(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """Each class against the rest; of the squared hinge all at once, where they have the same terms."""
        if ranking.local or self.loss is not SQUARED_HINGE:
            return one_vs_rest_margins(self, fold, ranking, sizes, mirrored=self.weighted)
        return self.all_at_once(fold, SelectionPath.along(ranking.orders[0], sizes))

    confidences = margins

    def all_at_once(self, fold: Fold, path: SelectionPath) -> Array:
        """(sizes, judged, classes) the same margins, of classes that are fitted together."""
        here, there = (RankedRows.of(path.first, columns) for columns in self.parts(fold))
        truth, sizes = fold.train.truth, path.sizes
        margins = np.empty((len(sizes), len(fold.truth), fold.n_classes))
        margins[:] = np.where(truth.all(axis=0), np.inf, -np.inf)
        told = np.flatnonzero(truth.any(axis=0) & ~truth.all(axis=0))
        told = told[-1:] if fold.is_mirrored else told
        costs = np.full((len(truth), len(told)), self.C)
        for c, own in enumerate(told):
            weights = document_weights(fold.train.weights, truth[:, own], self.balanced)
            costs[:, c] *= 1.0 if weights is None else weights
        margins[:, :, told] = joint_margins(here, truth[:, told], there, sizes, costs=costs)
        if fold.is_mirrored and len(told):
            margins[:, :, 0] = -margins[:, :, 1]
        return margins

    def estimator(self) -> Any:
        """LinearSVC, or LogisticRegression by liblinear."""
        return self.scikit_learn(C=self.C, **({"class_weight": "balanced"} if self.balanced else {}))


@dataclass(frozen=True, slots=True)
class BinaryLogistic:
    """Of 0/1 features: a stored value is a term that the document has.

    penalty : of w.w / 2, beside the sum of the losses
    bias_penalty : of the bias's square / 2: 0 leaves it free; the penalty makes it one more weight, of a
        feature that every document has; `inf` leaves it out
    tolerance : no derivative of the sum is larger when a fit ends
    """

    penalty: float = 1.0
    tolerance: float = 0.01
    bias_penalty: float = 0.0
    name: ClassVar[str] = "binary logistic"
    words: ClassVar[str] = "logistic regression of 0/1 features"
    cost: ClassVar[int] = 8
    every: ClassVar[int] = 3
    weighted: ClassVar[bool] = False
    reads: ClassVar[str] = ""
    ways: ClassVar[tuple[str, ...]] = ()

    def along(self, fold: Fold, path: SelectionPath) -> Callable[[int], Array]:
        """For a class the margins of the path against the rest."""
        here, there, truth = fold.train.columns, fold.test_columns, fold.train.truth
        how = {"penalty": self.penalty, "bias_penalty": self.bias_penalty, "tolerance": self.tolerance}
        return lambda c: logistic_margins(path, here, truth[:, c], there, **how)

    margins = confidences = one_vs_rest_margins

    def estimator(self) -> LogisticRegression:
        """LogisticRegression; by liblinear where the bias is a weight like the others."""
        if not self.bias_penalty:
            return LogisticRegression(C=1 / self.penalty)
        if self.bias_penalty == inf:
            return LogisticRegression(C=1 / self.penalty, fit_intercept=False)
        scale = sqrt(self.penalty / self.bias_penalty)
        return LogisticRegression(C=1 / self.penalty, solver="liblinear", intercept_scaling=scale)


def document_weights(weights: Array, truth: Array, balanced: bool) -> Array | None:
    """(documents,) what each counts for in telling a class from the rest; None where all count alike.

    Balanced, both sides count for as much, and all for what they do otherwise: class_weight="balanced" of
    scikit-learn.

    >>> document_weights(np.zeros(0), np.array([True, False, False, False]), balanced=True)
    array([2.        , 0.66666667, 0.66666667, 0.66666667])
    """
    if not balanced:
        return weights if weights.size else None
    own = weights if weights.size else np.ones(len(truth))
    sides = np.where(truth, own[truth].sum(), own[~truth].sum())
    found: Array = own * own.sum() / (2 * sides)
    return found


def hinge_svc(C: float) -> LinearSVC:
    """LinearSVC with the hinge loss."""
    return LinearSVC(loss="hinge", C=C)


def liblinear_regression(C: float, class_weight: str | None = None) -> LogisticRegression:
    """LogisticRegression by liblinear, which decides about two classes."""
    return LogisticRegression(C=C, solver="liblinear", class_weight=class_weight)


SVM = Linear("svm", "a linear SVM", SQUARED_HINGE, 1.0, LinearSVC)
LOGISTIC_REGRESSION = Linear("logistic", "logistic regression", LOGISTIC, 10.0, liblinear_regression, every=3)
BINARY_SVM = Linear("binary svm", "a linear SVM of 0/1 features", HINGE, 1.0, hinge_svc)

BALANCED = tuple(
    replace(one, base=f"{one.base}_balanced", called=f"{one.called}, classes balanced", balanced=True)
    for one in (SVM, LOGISTIC_REGRESSION)
)

OFFERED = (SVM, LOGISTIC_REGRESSION, *BALANCED)
