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
from termsift.metrics.resampling import (
    MIN_GROUPS,
    Jackknife,
    dispersion,
    expected_group_range,
    explain_missing_significance,
    group_dispersion,
    jackknife,
)
from termsift.metrics.scores import OCCURRENCES, Scores
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
    EXPECTED,
    ExactTest,
    check_expected,
    exact_p_values,
    has_integer_counts,
    q_values,
    significance_threshold,
)

make_callable(__name__, metrics)

__all__ = [
    "EXPECTED",
    "MIN_GROUPS",
    "OCCURRENCES",
    "REDUCTIONS",
    "AnyMetric",
    "Effect",
    "ExactTest",
    "Jackknife",
    "Metric",
    "Scores",
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
    "dispersion",
    "exact_p_values",
    "expected_group_range",
    "explain_missing_significance",
    "format_metric",
    "group_dispersion",
    "gss",
    "has_integer_counts",
    "hypergeometric",
    "jackknife",
    "metrics",
    "naive_bayes_rates",
    "parse_metric",
    "q_values",
    "score",
    "score_block",
    "score_blocks",
    "significance_threshold",
    "term_weights",
]
