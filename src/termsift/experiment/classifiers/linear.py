"""Linear classifiers fitted by the dual: support vector machines, logistic regression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from termsift._typing import Array
from termsift.experiment.classifiers import one_vs_rest_margins
from termsift.experiment.folds import Fold
from termsift.nested.linear import HINGE, LOGISTIC, SQUARED_HINGE, Loss, RankedRows, linear_margins
from termsift.nested.paths import SelectionPath
from termsift.ranking import Ranking


@dataclass(frozen=True, slots=True)
class Linear:
    """A linear classifier of tf-idf rows of unit length, or of 0/1 features, as its loss has it.

    scikit_learn : what makes the same classifier of scikit-learn, given C
    """

    name: str
    words: str
    loss: Loss
    C: float
    scikit_learn: Callable[..., Any]
    every: int = 1
    cost: ClassVar[int] = 8

    @property
    def weighted(self) -> bool:
        """Whether it reads tf-idf rows of unit length; else a stored value is a term the document has."""
        return self.loss.unit

    def along(self, fold: Fold, path: SelectionPath) -> Callable[[int], Array]:
        """For a class the margins of the path against the rest."""
        parts = fold.weighted if self.weighted else (fold.train.columns, fold.test_columns)
        here, there = (RankedRows.of(path.first, columns) for columns in parts)
        truth, sizes = fold.train.truth, path.sizes
        return lambda c: linear_margins(self.loss, here, truth[:, c], there, sizes, C=self.C).T

    def margins(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """Each class against the rest."""
        return one_vs_rest_margins(self, fold, ranking, sizes, mirrored=self.weighted)

    confidences = margins

    def estimator(self) -> Any:
        """LinearSVC, or LogisticRegression by liblinear."""
        return self.scikit_learn(C=self.C)


def hinge_svc(C: float) -> LinearSVC:
    """LinearSVC with the hinge loss."""
    return LinearSVC(loss="hinge", C=C)


def liblinear_regression(C: float) -> LogisticRegression:
    """LogisticRegression by liblinear, which decides about two classes."""
    return LogisticRegression(C=C, solver="liblinear")


SVM = Linear("svm", "a linear SVM", SQUARED_HINGE, 1.0, LinearSVC)
LOGISTIC_REGRESSION = Linear("logistic", "logistic regression", LOGISTIC, 10.0, liblinear_regression, every=3)
BINARY_SVM = Linear("binary svm", "a linear SVM of 0/1 features", HINGE, 1.0, hinge_svc)

OFFERED = (SVM, LOGISTIC_REGRESSION)
