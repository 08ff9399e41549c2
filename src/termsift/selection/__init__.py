"""FIXME"""

from __future__ import annotations

from termsift.selection.clusters import Agglomerative, Divisive, Profiles, profiles_of
from termsift.selection.discrimination import (
    Distributions,
    divergences,
    greedy_ranking,
    jmh_divergence,
    ranking_of,
    term_gains,
)
from termsift.selection.methods import AnyMethod, Method, method_from, method_of, select
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
    both_sides,
    in_ratio,
    is_part,
    meant,
    one_sided,
    policy_from,
    within,
)
from termsift.selection.redundancy import redundancy_choice
from termsift.selection.selection import Selection, chance_words

__all__ = [
    "Significant",
    "Agglomerative",
    "AnyMethod",
    "Threshold",
    "Distributions",
    "Divisive",
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
    "both_sides",
    "chance_words",
    "divergences",
    "greedy_ranking",
    "in_ratio",
    "is_part",
    "jmh_divergence",
    "meant",
    "method_from",
    "method_of",
    "one_sided",
    "policy_from",
    "profiles_of",
    "ranking_of",
    "redundancy_choice",
    "select",
    "term_gains",
    "within",
]
