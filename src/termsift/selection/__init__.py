"""FIXME"""

from __future__ import annotations

from termsift.selection.clusters import Agglomerative, DivisiveClustering, Profiles, class_profiles
from termsift.selection.discrimination import (
    ClassDistributions,
    divergences,
    greedy_ranking,
    jmh_divergence,
    rank_greedily,
    term_gains,
)
from termsift.selection.methods import AnyMethod, Method, parse_method, build_method, select
from termsift.selection.policies import (
    Significant,
    Threshold,
    FalseDiscovery,
    Percentile,
    PerClass,
    Policy,
    PositiveNegative,
    RedundancyAware,
    RoundRobin,
    TopK,
    positive_negative_rankings,
    interleave_rankings,
    is_fraction,
    scored_columns,
    signed_columns,
    parse_policy,
    limit_k,
)
from termsift.selection.redundancy import select_non_redundant
from termsift.selection.selection import Selection, describe_false_positives

__all__ = [
    "Significant",
    "Agglomerative",
    "AnyMethod",
    "Threshold",
    "ClassDistributions",
    "DivisiveClustering",
    "FalseDiscovery",
    "Method",
    "PerClass",
    "Percentile",
    "Policy",
    "PositiveNegative",
    "Profiles",
    "RedundancyAware",
    "RoundRobin",
    "Selection",
    "TopK",
    "positive_negative_rankings",
    "describe_false_positives",
    "divergences",
    "greedy_ranking",
    "interleave_rankings",
    "is_fraction",
    "jmh_divergence",
    "scored_columns",
    "parse_method",
    "build_method",
    "signed_columns",
    "parse_policy",
    "class_profiles",
    "rank_greedily",
    "select_non_redundant",
    "select",
    "term_gains",
    "limit_k",
]
