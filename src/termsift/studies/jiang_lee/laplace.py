"""Multinomial naive Bayes of the features that a method makes, by the readings of Laplace's smoothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import eye_array
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from termsift._typing import Array
from termsift.experiment.folds import Fold
from termsift.studies.jiang_lee.problems import JiangReading


def bayes_answers(fold: Fold, step: Any, reading: JiangReading) -> Array:
    """(test documents,): the class of each, learned from the features that a step makes."""
    model = make_pipeline(step, MultinomialNB(fit_prior=not reading.equal_classes))
    model.fit(fold.train.rows, fold.train.target)
    if reading.laplace == "all words":
        model[-1].feature_log_prob_ = shares_among_words(model[-1], len(fold.train.terms))
    elif reading.laplace == "their words":
        model[-1].feature_log_prob_ = shares_of_words(fold, model[:-1])
    answers: Array = model.predict(fold.test)
    return answers


def shares_among_words(bayes: MultinomialNB, words: int) -> Array:
    """(classes, features): the logarithms of (n + 1) / (sum of n + words)."""
    n = bayes.feature_count_
    logs: Array = np.log((n + 1) / (n.sum(axis=1, keepdims=True) + words))
    return logs


def shares_of_words(fold: Fold, made: Any) -> Array:
    """(classes, features): the logarithms of P(w | c) T, the smoothed shares of words made into features.

    What a step makes of documents, D T, it makes of one word each, which is T.
    """
    words = MultinomialNB().fit(fold.train.rows, fold.train.target)
    features = made.transform(eye_array(len(fold.train.terms), format="csr", dtype=np.float64))
    logs: Array = np.log(np.exp(words.feature_log_prob_) @ features)
    return logs
