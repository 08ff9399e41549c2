"""Metrics of terms: formulas, their catalogue, scores, effect sizes and significance.

The module is callable: `termsift.metrics()` returns the catalogue.
"""

from __future__ import annotations

from termsift._internal.typing import make_callable
from termsift.metrics.association import bernoulli_kl, cet, chi2_joint, gss, hypergeometric
from termsift.metrics.catalogue import (
    AnyMetric,
    Metric,
    as_metric,
    bibtex,
    check_metric_options,
    format_metric,
    metrics,
    parse_metric,
)
from termsift.metrics.effect_sizes import Effect
from termsift.metrics.occurrence import naive_bayes_rates
from termsift.metrics.resampling import MIN_GROUPS, Jackknife, expected_group_range, jackknife
from termsift.metrics.scores import Scores, explain_missing_significance
from termsift.metrics.scoring import (
    REDUCTIONS,
    build_scores,
    check_reduction,
    check_scorable,
    check_single_label,
    score,
    score_block,
    score_blocks,
    term_weights,
)
from termsift.metrics.significance import (
    Marginals,
    PermutationScores,
    ThresholdSearch,
    check_expected,
    has_integer_counts,
    is_at_least,
    p_values,
    q_values,
    significance_thresholds,
    top_scores,
)

make_callable(__name__, metrics)

__all__ = [
    "MIN_GROUPS",
    "REDUCTIONS",
    "AnyMetric",
    "Effect",
    "Jackknife",
    "Marginals",
    "Metric",
    "PermutationScores",
    "Scores",
    "ThresholdSearch",
    "as_metric",
    "bernoulli_kl",
    "bibtex",
    "build_scores",
    "cet",
    "check_expected",
    "check_metric_options",
    "check_reduction",
    "check_scorable",
    "check_single_label",
    "chi2_joint",
    "expected_group_range",
    "explain_missing_significance",
    "format_metric",
    "gss",
    "has_integer_counts",
    "hypergeometric",
    "is_at_least",
    "jackknife",
    "metrics",
    "naive_bayes_rates",
    "p_values",
    "parse_metric",
    "q_values",
    "score",
    "score_block",
    "score_blocks",
    "significance_thresholds",
    "term_weights",
    "top_scores",
]
