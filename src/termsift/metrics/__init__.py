"""Metrics: pure functions of counts, grouped in families, and their catalogue.

The module is callable: `termsift.metrics()` returns the catalogue.
"""

from __future__ import annotations

from termsift._internal.typing import make_callable
from termsift.metrics.association import chi2_joint, gss, hypergeometric
from termsift.metrics.catalogue import AnyMetric, Catalogue, Metric, bibtex, metric_from, metrics
from termsift.metrics.effect_sizes import Effect, odds_ratio, odds_ratio_interval
from termsift.metrics.information import cet, two_point_kl
from termsift.metrics.jackknife import FEWEST, Jackknife, expected_range, jackknife
from termsift.metrics.occurrence import shares
from termsift.metrics.reductions import REDUCTIONS, reduction_name, round_robin
from termsift.metrics.scores import (
    Scores,
    check,
    check_options,
    metric_with_options,
    of_block,
    score,
    scores_of,
    several_labels,
    table,
    term_weights,
    written_metric,
)
from termsift.metrics.significance import (
    FloorSearch,
    Margins,
    Null,
    Shuffled,
    adjusted,
    adjusted_distinct,
    best_scores,
    chance_floor,
    chance_floors,
    check_expected,
    has_whole_documents,
    p_values,
    reached,
)

make_callable(__name__, metrics)

__all__ = [
    "FEWEST",
    "REDUCTIONS",
    "AnyMetric",
    "Catalogue",
    "Effect",
    "FloorSearch",
    "Jackknife",
    "Margins",
    "Metric",
    "Null",
    "Scores",
    "Shuffled",
    "adjusted",
    "adjusted_distinct",
    "best_scores",
    "bibtex",
    "cet",
    "chance_floor",
    "chance_floors",
    "check",
    "check_expected",
    "check_options",
    "chi2_joint",
    "expected_range",
    "gss",
    "has_whole_documents",
    "hypergeometric",
    "jackknife",
    "metric_from",
    "metric_with_options",
    "metrics",
    "odds_ratio",
    "odds_ratio_interval",
    "of_block",
    "p_values",
    "reached",
    "reduction_name",
    "round_robin",
    "score",
    "scores_of",
    "several_labels",
    "shares",
    "table",
    "term_weights",
    "two_point_kl",
    "written_metric",
]
