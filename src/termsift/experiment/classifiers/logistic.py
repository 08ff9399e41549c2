"""Logistic regression of terms that a document has or has not, for any path of selections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from sklearn.linear_model import LogisticRegression

from termsift._typing import Array
from termsift.experiment.classifiers import one_vs_rest_margins
from termsift.experiment.folds import Fold
from termsift.nested.logistic import logistic_margins
from termsift.nested.paths import SelectionPath


@dataclass(frozen=True, slots=True)
class BinaryLogistic:
    """Of 0/1 features, the bias free: a stored value is a term that the document has.

    penalty : of w.w / 2, beside the sum of the losses
    tolerance : no derivative of the sum is larger when a fit ends
    """

    penalty: float = 1.0
    tolerance: float = 0.01
    name: ClassVar[str] = "binary logistic"
    words: ClassVar[str] = "logistic regression of 0/1 features"
    cost: ClassVar[int] = 8
    every: ClassVar[int] = 3
    weighted: ClassVar[bool] = False

    def along(self, fold: Fold, path: SelectionPath) -> Callable[[int], Array]:
        """For a class the margins of the path against the rest."""
        here, there, truth = fold.train.columns, fold.test_columns, fold.train.truth
        how = {"penalty": self.penalty, "tolerance": self.tolerance}
        return lambda c: logistic_margins(path, here, truth[:, c], there, **how)

    margins = confidences = one_vs_rest_margins

    def estimator(self) -> LogisticRegression:
        """LogisticRegression."""
        return LogisticRegression(C=1 / self.penalty)
