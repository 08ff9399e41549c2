"""Metrics of terms: formulas, their catalogue, scores, effect sizes and significance.

The module is callable: `termsift.metrics()` returns the catalogue.
"""

from __future__ import annotations

from termsift._internal.typing import make_callable
from termsift.metrics.association import bernoulli_kl as bernoulli_kl
from termsift.metrics.association import cet as cet
from termsift.metrics.association import chi2_joint as chi2_joint
from termsift.metrics.association import gss as gss
from termsift.metrics.association import hypergeometric as hypergeometric
from termsift.metrics.catalogue import AnyMetric as AnyMetric
from termsift.metrics.catalogue import Metric as Metric
from termsift.metrics.catalogue import as_metric as as_metric
from termsift.metrics.catalogue import bibtex as bibtex
from termsift.metrics.catalogue import check_metric_options as check_metric_options
from termsift.metrics.catalogue import format_metric as format_metric
from termsift.metrics.catalogue import metrics as metrics
from termsift.metrics.catalogue import parse_metric as parse_metric
from termsift.metrics.effect_sizes import Effect as Effect
from termsift.metrics.occurrence import naive_bayes_rates as naive_bayes_rates
from termsift.metrics.resampling import MIN_GROUPS as MIN_GROUPS
from termsift.metrics.resampling import Jackknife as Jackknife
from termsift.metrics.resampling import dispersion as dispersion
from termsift.metrics.resampling import dispersion_columns as dispersion_columns
from termsift.metrics.resampling import explain_missing_significance as explain_missing_significance
from termsift.metrics.resampling import jackknife as jackknife
from termsift.metrics.scores import OCCURRENCES as OCCURRENCES
from termsift.metrics.scores import Scores as Scores
from termsift.metrics.scoring import REDUCTIONS as REDUCTIONS
from termsift.metrics.scoring import build_scores as build_scores
from termsift.metrics.scoring import check_reduction as check_reduction
from termsift.metrics.scoring import check_scorable as check_scorable
from termsift.metrics.scoring import check_single_label as check_single_label
from termsift.metrics.scoring import score as score
from termsift.metrics.scoring import score_block as score_block
from termsift.metrics.scoring import score_blocks as score_blocks
from termsift.metrics.scoring import term_weights as term_weights
from termsift.metrics.significance import EXPECTED as EXPECTED
from termsift.metrics.significance import ExactTest as ExactTest
from termsift.metrics.significance import check_expected as check_expected
from termsift.metrics.significance import exact_p_values as exact_p_values
from termsift.metrics.significance import has_integer_counts as has_integer_counts
from termsift.metrics.significance import q_values as q_values
from termsift.metrics.significance import significance_threshold as significance_threshold
from termsift.metrics.significance import sum_p_value as sum_p_value

make_callable(__name__, metrics)
