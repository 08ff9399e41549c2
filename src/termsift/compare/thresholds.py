"""Thresholds of a fitted model: its margins are moved, and it stays what scikit-learn knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import Pipeline

from termsift._typing import Array
from termsift.models.margins import is_mirrored


def with_thresholds(model: Any, names: Sequence[Any], offsets: Array) -> Any:
    """The fitted model that predicts as if the offsets were added to the margins of its classes.

    names, offsets : (classes,) in the same order; a model of several labels has its classes in it too
    """
    if isinstance(model, Pipeline):
        *steps, (last, own) = model.steps
        return Pipeline([*steps, (last, with_thresholds(own, names, offsets))])
    if isinstance(model, OneVsRestClassifier) and model.multilabel_:
        return with_each_moved(model, offsets)
    place = {name: c for c, name in enumerate(names)}
    own = offsets[[place[name] for name in model.classes_]]
    if isinstance(model, OneVsRestClassifier):
        return with_each_moved(model, np.diff(own) / 2 if is_mirrored(model) else own)
    if isinstance(model, MultinomialNB):
        model.class_log_prior_ = model.class_log_prior_ + own
        return model
    if isinstance(model, ComplementNB):
        return moved(as_linear(model), np.diff(own) if len(own) == 2 else own)
    return moved(model, np.diff(own) / 2 if len(own) == 2 else own)


def with_each_moved(model: OneVsRestClassifier, offsets: Array) -> OneVsRestClassifier:
    """The model of each class against the rest, each moved."""
    model.estimators_ = [moved(own, offset) for own, offset in zip(model.estimators_, offsets, strict=True)]
    return model


def moved(model: Any, offset: Any) -> Any:
    """The model of two sides, or of classes that compete by margins, whose margins are so much larger."""
    if isinstance(model, Pipeline):
        *steps, (last, own) = model.steps
        return Pipeline([*steps, (last, moved(own, offset))])
    if isinstance(model, MultinomialNB | ComplementNB):
        model = as_linear(model)
    if hasattr(model, "intercept_"):  # else it says one thing of all documents
        model.intercept_ = model.intercept_ + offset
    return model


def as_linear(bayes: MultinomialNB | ComplementNB) -> LogisticRegression:
    """Naive Bayes as what is linear in counts: log-odds of two classes, else a logarithm for each."""
    coefficients = bayes.feature_log_prob_
    priors = bayes.class_log_prior_ if isinstance(bayes, MultinomialNB) else np.zeros(len(coefficients))
    two = len(coefficients) == 2
    linear = LogisticRegression()
    linear.classes_ = bayes.classes_
    linear.coef_ = np.diff(coefficients, axis=0) if two else coefficients
    linear.intercept_ = np.diff(priors) if two else priors
    linear.n_features_in_ = bayes.n_features_in_
    return linear
