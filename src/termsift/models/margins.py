"""Margins: what a fitted pipeline of scikit-learn says for each class, a number above 0 where it says yes.

Of two classes one margin is the other's opposite. Naive Bayes of more classes says for each how much more
likely the document is than on average over the classes, as a logarithm. A document with one label has that
of the largest margin, one with several all whose margins are above 0.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import Pipeline

from termsift._typing import Array
from termsift.errors import InvalidInput


def class_margins(model: Any, X: Any, only: Collection[int] | None = None) -> Array:
    """(documents, classes): what a fitted classifier says for each class.

    only : the classes that are wanted; what is said for others may be 0
    """
    if isinstance(model, Pipeline):
        for _, step in model.steps[:-1]:
            X = step.transform(X)
        return class_margins(model.steps[-1][1], X, only)
    if isinstance(model, OneVsRestClassifier):
        each = np.zeros((X.shape[0], len(model.estimators_)))
        for c in wanted_models(model, only):
            each[:, c] = class_margins(model.estimators_[c], X)[:, -1]
        return both_sides(each[:, 0]) if is_mirrored(model) else each
    if hasattr(model, "predict_joint_log_proba"):
        return centred(np.asarray(model.predict_joint_log_proba(X)))
    if not hasattr(model, "decision_function"):
        raise InvalidInput(f"{type(model).__name__} says labels but no margins")
    found = np.asarray(model.decision_function(X))
    return both_sides(found) if found.ndim == 1 else found


def wanted_models(model: OneVsRestClassifier, only: Collection[int] | None) -> list[int]:
    """The places of the models of one class against the rest that are wanted."""
    return [c for c in range(len(model.estimators_)) if only is None or is_mirrored(model) or c in only]


def is_mirrored(model: OneVsRestClassifier) -> bool:
    """Whether a model of one class against the rest is of two classes, one the opposite of the other."""
    return len(model.estimators_) == 1 and not model.multilabel_


def both_sides(values: Array) -> Array:
    """The margins of the second of two classes with their opposites before them."""
    return np.stack([-values, values], axis=1)


def centred(values: Array) -> Array:
    """(..., classes) logarithms less their mean; of two classes one against the other."""
    if values.shape[-1] == 2:
        return both_sides(values[..., 1] - values[..., 0])
    return np.asarray(values - values.mean(axis=-1, keepdims=True))


def coefficients(model: Any) -> tuple[Array, Array]:
    """(features, classes) and (classes,): what a unit of each feature gives to each margin, and the start.

    An error for a classifier whose margins are no sums.
    """
    if hasattr(model, "feature_log_prob_") and hasattr(model, "predict_joint_log_proba"):
        prior = 0.0 if isinstance(model, ComplementNB) else model.class_log_prior_
        weights = np.asarray(model.feature_log_prob_).T
        return centred(weights), centred(np.broadcast_to(prior, (1, weights.shape[1])))[0]
    if not hasattr(model, "coef_"):
        raise InvalidInput(f"{type(model).__name__} is not linear: what its words give cannot be added up")
    weights, given = np.atleast_2d(np.asarray(model.coef_)).T, np.ravel(model.intercept_)
    if weights.shape[1] == 1:
        return both_sides(weights[:, 0]), np.array([-given[0], given[0]])
    return weights, given
