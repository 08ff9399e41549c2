"""FIXME"""

from __future__ import annotations

from termsift.evaluation.classifiers.catalogue import Other, classifiers_from, usual_classifiers
from termsift.evaluation.classifiers.linear import (
    BINARY_SVM,
    SVM,
    BinaryLogistic,
    RankedRows,
    l1_weights,
    linear_margins,
    unit_rows,
)
from termsift.evaluation.classifiers.naive_bayes import Bayes, BayesPath
from termsift.evaluation.classifiers.paths import BINARY, Classifier, SelectionPath, one_vs_rest_margins
from termsift.evaluation.classifiers.thresholds import Tuned

__all__ = [
    "BINARY",
    "BINARY_SVM",
    "SVM",
    "Bayes",
    "BayesPath",
    "BinaryLogistic",
    "Classifier",
    "Other",
    "RankedRows",
    "SelectionPath",
    "Tuned",
    "classifiers_from",
    "l1_weights",
    "linear_margins",
    "one_vs_rest_margins",
    "unit_rows",
    "usual_classifiers",
]
