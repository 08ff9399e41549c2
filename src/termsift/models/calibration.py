"""Probabilities from decision values: the links of classifiers, and Platt scaling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from termsift._internal.typing import Array

NO_LINK, SOFTMAX, SIGMOID, PLATT = LINKS = ("none", "softmax", "sigmoid", "platt")
WEAK_PENALTY = 1e6  # inverse regularization strength: Platt scaling is almost unpenalized


def posterior_probabilities(decision_values: Array) -> Array:
    """Return probabilities (documents, classes) from centered log posteriors."""
    # with two classes, decision values are the log odds: twice the centered log posteriors
    scale = 0.5 if decision_values.shape[1] == 2 else 1.0
    shifted = scale * (decision_values - decision_values.max(axis=1, keepdims=True))
    powers = np.exp(shifted)
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def sigmoid(values: Array) -> Array:
    """Return 1 / (1 + exp(-values))."""
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-values)))


def normalize_classes(probabilities: Array) -> Array:
    """Return probabilities scaled so that each row sums to 1."""
    total = probabilities.sum(axis=1, keepdims=True)
    # all probabilities may underflow to 0: then the classes are equally likely
    uniform = np.full(probabilities.shape, 1 / probabilities.shape[1])
    return np.asarray(np.divide(probabilities, total, out=uniform, where=total > 0))


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Logistic curve for each class that maps decision values to probabilities (Platt scaling).

    Parameters
    ----------
    slopes, intercepts : (classes,)
    documents : number of out-of-fold documents the curves were fitted on
    single : whether each document has exactly one label

    """

    slopes: Array
    intercepts: Array
    documents: int
    single: bool

    def probabilities(self, decision_values: Array) -> Array:
        """Return probabilities (documents, classes); single-label rows sum to 1."""
        probabilities = sigmoid(decision_values * self.slopes + self.intercepts)
        return normalize_classes(probabilities) if self.single else probabilities


def fit_calibration(decision_values: Array, truth: Array, single: bool) -> Calibration:
    """Fit a calibration on out-of-fold decision values.

    Parameters
    ----------
    decision_values : (documents, classes)
    truth : (documents, classes), whether a document belongs to a class
    single : whether each document has exactly one label

    """
    # with two classes the first curve is the mirror image of the second, so the probabilities add up to 1
    is_binary = single and truth.shape[1] == 2
    columns = range(is_binary, truth.shape[1])
    curves = [_fit_logistic_curve(decision_values[:, c], truth[:, c]) for c in columns]
    if is_binary:
        curves.insert(0, (curves[0][0], -curves[0][1]))
    slopes, intercepts = np.array(curves).T
    return Calibration(slopes, intercepts, len(truth), single)


def _fit_logistic_curve(decision_values: Array, is_member: Array) -> tuple[float, float]:
    """Return slope and intercept of the logistic curve; the slope is 0 if it would not be positive."""
    from sklearn.linear_model import LogisticRegression  # takes long to import

    usable = np.isfinite(decision_values)
    decision_values, is_member = decision_values[usable], is_member[usable]
    # Platt's targets lie slightly inside 0 and 1, so the curve stays finite for separable classes
    positives, negatives = float(is_member.sum()), float((~is_member).sum())
    target = np.where(is_member, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    spread = float(decision_values.std()) if len(decision_values) else 0.0
    if spread > 0:
        # a target t is fitted as two weighted rows: class 1 with weight t, class 0 with weight 1 - t
        rows = np.concatenate([decision_values, decision_values])[:, None] / spread
        # Newton's method converges to rounding, whatever the order of sums in the decision values
        model = LogisticRegression(C=WEAK_PENALTY, solver="newton-cholesky", tol=1e-12).fit(
            rows, np.repeat([1, 0], len(decision_values)), sample_weight=np.concatenate([target, 1 - target])
        )
        slope, intercept = float(model.coef_[0, 0]) / spread, float(model.intercept_[0])
        if slope > 0:
            return slope, intercept
    base_rate = float(target.mean()) if len(target) else 0.5
    return 0.0, float(np.log(base_rate / (1 - base_rate)))
