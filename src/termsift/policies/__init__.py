"""Policies: values that turn scores into a selection. They print as the expression that makes them.

`policy.choose(scores)` gives the indices of the chosen terms, in order; `policy.ranking(scores)` says too
whether each class has terms of its own. A policy with `by_class` reads the scores of each class; the others
read one score per term, and say by their `reduce` how the classes' scores become one.
"""

from termsift.policies.checks import check_k, is_number, meant, one_sided, within
from termsift.policies.expressions import POLICIES, WAYS, Policy, as_policy, call_parts, policy_from
from termsift.policies.per_class import FalseDiscovery, PerClass, RoundRobin
from termsift.policies.per_term import AtLeast, Percentile, TopK
from termsift.policies.sides import PositiveNegative, SignWeighted

__all__ = [
    "POLICIES",
    "WAYS",
    "AtLeast",
    "FalseDiscovery",
    "PerClass",
    "Percentile",
    "Policy",
    "PositiveNegative",
    "RoundRobin",
    "SignWeighted",
    "TopK",
    "as_policy",
    "call_parts",
    "check_k",
    "is_number",
    "meant",
    "one_sided",
    "policy_from",
    "within",
]
