"""Classifiers that evaluate selections, each fitted along a ranking of terms."""

from __future__ import annotations

from termsift.evaluation.classifiers.catalogue import (
    SklearnClassifier,
    TunedClassifier,
    available_classifiers,
    default_classifiers,
    parse_classifier,
    parse_classifiers,
)
from termsift.evaluation.classifiers.linear import (
    SVM,
    BinaryLogistic,
    RankedRows,
    has_ratios,
    l1_weights,
    linear_decision_values,
    log_count_ratios,
    normalize_rows,
)
from termsift.evaluation.classifiers.naive_bayes import MultinomialNaiveBayes, NaiveBayesPath
from termsift.evaluation.classifiers.paths import (
    BINARY,
    Classifier,
    SelectionPath,
    one_vs_rest_decision_values,
)

__all__ = [
    "BINARY",
    "SVM",
    "BinaryLogistic",
    "Classifier",
    "MultinomialNaiveBayes",
    "NaiveBayesPath",
    "RankedRows",
    "SelectionPath",
    "SklearnClassifier",
    "TunedClassifier",
    "available_classifiers",
    "default_classifiers",
    "has_ratios",
    "l1_weights",
    "linear_decision_values",
    "log_count_ratios",
    "normalize_rows",
    "one_vs_rest_decision_values",
    "parse_classifier",
    "parse_classifiers",
]
