"""Decision values of fitted scikit-learn pipelines, and their calibration to probabilities.

A single-label document gets the class with the largest decision value; a multi-label document gets every
class whose decision value is above 0. With two classes, one value is the negative of the other. Naive Bayes
with more classes uses log-likelihoods minus their mean over the classes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import Pipeline

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array

WEAK_PENALTY = 1e6  # inverse regularization strength: Platt scaling is almost unpenalized


def class_decision_values(model: Any, X: Any, only: Collection[int] | None = None) -> Array:
    """Return the decision values of a fitted classifier, shape (documents, classes).

    Parameters
    ----------
    model : fitted pipeline or classifier
    X : feature matrix, one row per document
    only : classes to compute; the columns of other classes may be 0

    """
    if isinstance(model, Pipeline):
        for _, step in model.steps[:-1]:
            X = step.transform(X)
        return class_decision_values(model.steps[-1][1], X, only)
    if isinstance(model, OneVsRestClassifier):
        values = np.zeros((X.shape[0], len(model.estimators_)))
        for c in select_estimators(model, only):
            values[:, c] = class_decision_values(model.estimators_[c], X)[:, -1]
        return mirror(values[:, 0]) if is_binary_one_vs_rest(model) else values
    if hasattr(model, "predict_joint_log_proba"):
        return center_classes(np.asarray(model.predict_joint_log_proba(X)))
    if not hasattr(model, "decision_function"):
        raise InvalidInputError(
            f"{type(model).__name__} has no decision function; use a classifier that has one"
        )
    values = np.asarray(model.decision_function(X))
    return mirror(values) if values.ndim == 1 else values


def select_estimators(model: OneVsRestClassifier, only: Collection[int] | None) -> list[int]:
    """Return the indices of the one-vs-rest estimators to evaluate."""
    indices = range(len(model.estimators_))
    # with two classes, the only estimator computes the values of both
    return [c for c in indices if only is None or c in only or is_binary_one_vs_rest(model)]


def is_binary_one_vs_rest(model: OneVsRestClassifier) -> bool:
    """Check whether a one-vs-rest model has two classes and therefore a single estimator."""
    return len(model.estimators_) == 1 and not model.multilabel_


def mirror(values: Array) -> Array:
    """Return the columns (-values, values): the decision values of two classes."""
    return np.stack([-values, values], axis=1)


def center_classes(log_likelihoods: Array) -> Array:
    """Subtract the mean over the classes (last axis); with two classes, take their difference."""
    if log_likelihoods.shape[-1] == 2:
        return mirror(log_likelihoods[..., 1] - log_likelihoods[..., 0])
    return np.asarray(log_likelihoods - log_likelihoods.mean(axis=-1, keepdims=True))


def linear_coefficients(model: Any) -> tuple[Array, Array]:
    """Return coefficients (features, classes) and intercepts (classes,) of a linear classifier.

    Raises
    ------
    InvalidInputError : the classifier is not linear

    """
    if hasattr(model, "feature_log_prob_") and hasattr(model, "predict_joint_log_proba"):
        # ComplementNB ignores the priors unless there is only one class
        prior = 0.0 if isinstance(model, ComplementNB) else model.class_log_prior_
        weights = np.asarray(model.feature_log_prob_).T
        return center_classes(weights), center_classes(np.broadcast_to(prior, (1, weights.shape[1])))[0]
    if not hasattr(model, "coef_"):
        raise InvalidInputError(
            f"{type(model).__name__} is not linear, so its decision values are not sums over words"
        )
    weights, intercepts = np.atleast_2d(np.asarray(model.coef_)).T, np.ravel(model.intercept_)
    if weights.shape[1] == 1:
        return mirror(weights[:, 0]), np.array([-intercepts[0], intercepts[0]])
    return weights, intercepts


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
        probabilities = expit(decision_values * self.slopes + self.intercepts)
        if not self.single:
            return np.asarray(probabilities)
        total = probabilities.sum(axis=1, keepdims=True)
        # all probabilities may underflow to 0: then the classes are equally likely
        uniform = np.full(probabilities.shape, 1 / probabilities.shape[1])
        return np.asarray(np.divide(probabilities, total, out=uniform, where=total > 0))

    def to_json(self) -> dict[str, Any]:
        """Return the values stored in selection.json."""
        curves = {"slopes": self.slopes.tolist(), "starts": self.intercepts.tolist()}
        return curves | {"documents": self.documents}

    @classmethod
    def from_json(cls, stored: Any, n_classes: int, single: bool) -> Calibration:
        """Validate the values stored in selection.json and build the calibration."""
        values = stored if isinstance(stored, Mapping) else {}
        try:
            curves = np.array([values.get(key) for key in ("slopes", "starts")], dtype=float)
        except (TypeError, ValueError):
            curves = np.zeros(0)
        if curves.shape != (2, n_classes) or not np.isfinite(curves).all():
            raise InvalidInputError("its calibration does not have one curve per class")
        (slopes, intercepts), documents = curves, values.get("documents")
        return cls(slopes, intercepts, documents if isinstance(documents, int) else 0, single)


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
    curves = [fit_logistic_curve(decision_values[:, c], truth[:, c]) for c in columns]
    if is_binary:
        curves.insert(0, (curves[0][0], -curves[0][1]))
    slopes, intercepts = np.array(curves).T
    return Calibration(slopes, intercepts, len(truth), single)


def fit_logistic_curve(decision_values: Array, is_member: Array) -> tuple[float, float]:
    """Return slope and intercept of the logistic curve; the slope is 0 if it would not be positive."""
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
