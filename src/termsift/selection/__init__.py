"""Selection of terms: policies, methods, selections, greedy discrimination, redundancy, word clusters."""

from __future__ import annotations

from termsift.selection.clusters import DivisiveClustering, Profiles, class_profiles
from termsift.selection.discrimination import (
    ClassDistributions,
    FirstTerms,
    compare_first_terms,
    divergences,
    greedy_ranking,
    jmh_divergence,
    kl_divergence,
    rank_greedily,
    term_gains,
)
from termsift.selection.methods import (
    AnyMethod,
    Method,
    build_method,
    list_methods,
    needs_documents,
    parse_method,
    select,
)
from termsift.selection.policies import (
    FalseDiscovery,
    Percentile,
    PerClass,
    PositiveNegative,
    RedundancyAware,
    RoundRobin,
    Significant,
    Threshold,
    TopK,
    parse_policy,
)
from termsift.selection.policy_base import Policy, is_fraction, limit_k
from termsift.selection.positive_negative import (
    one_sided_scores,
    positive_class_slice,
    positive_negative_rankings,
)
from termsift.selection.redundancy import select_non_redundant
from termsift.selection.selection import Selection, describe_significance

__all__ = [
    "AnyMethod",
    "ClassDistributions",
    "DivisiveClustering",
    "FalseDiscovery",
    "FirstTerms",
    "Method",
    "PerClass",
    "Percentile",
    "Policy",
    "PositiveNegative",
    "Profiles",
    "RedundancyAware",
    "RoundRobin",
    "Selection",
    "Significant",
    "Threshold",
    "TopK",
    "build_method",
    "class_profiles",
    "compare_first_terms",
    "describe_significance",
    "divergences",
    "greedy_ranking",
    "is_fraction",
    "jmh_divergence",
    "kl_divergence",
    "limit_k",
    "list_methods",
    "needs_documents",
    "one_sided_scores",
    "parse_method",
    "parse_policy",
    "positive_class_slice",
    "positive_negative_rankings",
    "rank_greedily",
    "select",
    "select_non_redundant",
    "term_gains",
]
