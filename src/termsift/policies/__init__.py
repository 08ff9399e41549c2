"""Policies: values that turn scores into a selection. They print as the expression that makes them.

`policy.choose(scores)` gives the indices of the chosen terms, in order; `policy.ranking(scores)` says too
whether each class has terms of its own. A policy with `by_class` reads the scores of each class; the others
read one score per term, and say by their `reduce` how the classes' scores become one.
"""

from __future__ import annotations

import ast
from dataclasses import fields
from typing import Any, ClassVar, Protocol, cast

from termsift._typing import Array
from termsift.errors import InvalidInput, unknown
from termsift.policies import per_class, per_term
from termsift.policies.checks import check_k, is_number, meant, one_sided, within
from termsift.policies.per_class import (
    FalseDiscovery,
    PerClass,
    PositiveNegative,
    RoundRobin,
    SignWeighted,
    expected_in_choice,
)
from termsift.policies.per_term import (
    CRITERIA,
    REDUCTIONS,
    AboveChance,
    AtLeast,
    Percentile,
    RedundancyAware,
    TopK,
    reduction_name,
    round_robin,
)
from termsift.ranking import Ranking
from termsift.scores import Scores

__all__ = [
    "POLICIES", "REDUCTIONS", "WAYS", "AboveChance", "AtLeast", "FalseDiscovery", "PerClass", "Percentile",
    "Policy", "PositiveNegative", "RedundancyAware", "RoundRobin", "SignWeighted", "TopK", "as_policy",
    "call_parts", "check_k", "expected_in_choice", "is_number", "meant", "one_sided", "policy_from",
    "reduction_name", "round_robin", "within",
]  # fmt: skip


class Policy(Protocol):
    """What chooses terms by their scores.

    by_class : whether it reads the scores of each class; else it reads one score per term
    """

    by_class: ClassVar[bool]

    def choose(self, scores: Scores) -> Array:
        """The indices of the chosen terms, in order."""

    def ranking(self, scores: Scores) -> Ranking:
        """The chosen terms in order, for all classes alike or for each its own."""


# every policy that the modules of the two families define
POLICIES: dict[str, Any] = {
    name: value
    for family in (per_term, per_class)
    for name, value in vars(family).items()
    if isinstance(value, type) and hasattr(value, "choose") and value.__module__ == family.__name__
}
# what may be written behind a metric's name, as in "bns:turns", for these policies of all terms
WAYS: dict[str, Policy] = {
    **{reduce: TopK(reduce=reduce) for reduce in REDUCTIONS},
    "turns": RoundRobin(),
    "local": PerClass(),
    "sides": PositiveNegative(ratio="auto"),
    "above_chance": AboveChance(),
    **{criterion: RedundancyAware(criterion=criterion) for criterion in CRITERIA},
}


def as_policy(value: object) -> Policy:
    """A policy, or the one that a text makes."""
    if isinstance(value, str):
        return policy_from(value)
    if isinstance(value, type) or not (hasattr(value, "choose") and hasattr(value, "by_class")):
        raise InvalidInput(f"policy must be one such as TopK(100), got {value!r}")
    return cast(Policy, value)


def policy_from(text: str) -> Policy:
    """The policy that an expression makes: 'TopK(100)', 'PositiveNegative(50, ratio=0.8)', 'FalseDiscovery'.

    >>> policy_from("RoundRobin(100)")
    RoundRobin(k=100)
    """
    try:
        name, arguments, options = call_parts(text)
    except (SyntaxError, ValueError) as error:
        raise InvalidInput(f"{text!r} is not a policy; write it as 'TopK(100)'") from error
    if name not in POLICIES:
        raise unknown("policy", name, POLICIES)
    try:
        policy: Policy = POLICIES[name](*arguments, **options)
    except TypeError as error:
        wanted = ", ".join(field.name for field in fields(POLICIES[name]))
        raise InvalidInput(f"{text!r} does not fit {name}({wanted})") from error
    return policy


def call_parts(text: str) -> tuple[str, list[Any], dict[str, Any]]:
    """The name, the arguments and the options of a call of plain values; of a name alone there are none.

    >>> call_parts("PositiveNegative(50, ratio=0.8)")
    ('PositiveNegative', [50], {'ratio': 0.8})
    """
    name, bracket, inside = text.strip().partition("(")
    if not bracket:
        return name, [], {}
    try:
        # a name such as `or` is a word of Python's own, so it is kept out of what Python parses
        call = ast.parse(f"_({inside}", mode="eval").body
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            raise ValueError(f"{text!r} is not a call")
        arguments = [ast.literal_eval(value) for value in call.args]
        options = {str(key.arg): ast.literal_eval(key.value) for key in call.keywords}
    # what is nested too deeply, and sets of what cannot be hashed
    except (RecursionError, MemoryError, TypeError) as error:
        raise ValueError("it is not a call of plain values") from error
    return name, arguments, options
