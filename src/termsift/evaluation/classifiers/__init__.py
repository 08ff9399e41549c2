"""Classifiers that evaluate selections, each fitted along a ranking of terms."""

from __future__ import annotations

from termsift.evaluation.classifiers.catalogue import SklearnClassifier as SklearnClassifier
from termsift.evaluation.classifiers.catalogue import TunedClassifier as TunedClassifier
from termsift.evaluation.classifiers.catalogue import available_classifiers as available_classifiers
from termsift.evaluation.classifiers.catalogue import default_classifiers as default_classifiers
from termsift.evaluation.classifiers.catalogue import parse_classifier as parse_classifier
from termsift.evaluation.classifiers.catalogue import parse_classifiers as parse_classifiers
from termsift.evaluation.classifiers.linear import SVM as SVM
from termsift.evaluation.classifiers.linear import BinaryLogistic as BinaryLogistic
from termsift.evaluation.classifiers.linear import RankedRows as RankedRows
from termsift.evaluation.classifiers.linear import contrast_log_likelihoods as contrast_log_likelihoods
from termsift.evaluation.classifiers.linear import has_log_count_ratios as has_log_count_ratios
from termsift.evaluation.classifiers.linear import l1_weights as l1_weights
from termsift.evaluation.classifiers.linear import linear_coefficients as linear_coefficients
from termsift.evaluation.classifiers.linear import linear_decision_values as linear_decision_values
from termsift.evaluation.classifiers.linear import log_count_ratios as log_count_ratios
from termsift.evaluation.classifiers.linear import normalize_rows as normalize_rows
from termsift.evaluation.classifiers.naive_bayes import MultinomialNaiveBayes as MultinomialNaiveBayes
from termsift.evaluation.classifiers.naive_bayes import NaiveBayesPath as NaiveBayesPath
from termsift.evaluation.classifiers.paths import BINARY as BINARY
from termsift.evaluation.classifiers.paths import Classifier as Classifier
from termsift.evaluation.classifiers.paths import SelectionPath as SelectionPath
from termsift.evaluation.classifiers.paths import one_vs_rest_decision_values as one_vs_rest_decision_values
