"""Policies by the expressions that make them, and by the short marks behind a metric's name."""

from __future__ import annotations

import ast
from dataclasses import fields
from typing import Any, ClassVar, Protocol, cast

from termsift._typing import Array
from termsift.errors import InvalidInput, unknown
from termsift.policies import per_class, per_term, sides
from termsift.ranking import Ranking
from termsift.scores import Scores


class Policy(Protocol):
    """What chooses terms by their scores.

    by_class : whether it reads the scores of each class; else it reads one score per term
    mark : what is written behind a metric's name, as in "bns:turns"; None where that is the expression
    """

    by_class: ClassVar[bool]

    @property
    def mark(self) -> str | None:
        """What is written behind a metric's name."""
        ...

    def choose(self, scores: Scores) -> Array:
        """The indices of the chosen terms, in order."""
        ...

    def ranking(self, scores: Scores) -> Ranking:
        """The chosen terms in order, for all classes alike or for each its own."""
        ...


POLICIES: dict[str, Any] = {
    policy.__name__: policy for family in (per_term, per_class, sides) for policy in family.FAMILY
}
# the policies that have a mark, of all terms
WAYS: dict[str, Policy] = {
    policy.mark or "max": policy for family in (per_term, per_class, sides) for policy in family.MARKED
}


def as_policy(value: object) -> Policy:
    """A policy, or the one that a text makes."""
    if isinstance(value, str):
        return policy_from(value)
    if isinstance(value, type) or not hasattr(value, "choose"):
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
    # a name such as `or` is a word of Python's own, so it is kept out of what Python parses
    call = ast.parse(f"_({inside}", mode="eval").body
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        raise ValueError(f"{text!r} is not a call")
    arguments = [ast.literal_eval(value) for value in call.args]
    return name, arguments, {str(key.arg): ast.literal_eval(key.value) for key in call.keywords}
