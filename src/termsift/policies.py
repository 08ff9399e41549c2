"""Policies: values that turn scores into a selection. They print as the expression that makes them.

`policy.choose(scores)` gives the indices of the chosen terms, in order.
A policy with `by_class` reads the scores of each class; the others read one score a term.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol, cast

import numpy as np

from termsift._typing import Array
from termsift.errors import InvalidInput, TermsiftWarning, unknown
from termsift.metrics import metrics
from termsift.ranking import best, code_point_rank, interleaved, ordered, turns
from termsift.scores import Scores


class Policy(Protocol):
    """What chooses terms by their scores."""

    by_class: ClassVar[bool]

    def choose(self, scores: Scores) -> Array:
        """The indices of the chosen terms, in order."""
        ...


@dataclass(frozen=True, slots=True)
class TopK:
    """The k terms of highest score.

    >>> TopK(1000)
    TopK(k=1000)
    """

    k: int
    by_class: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_k(self.k)

    def choose(self, scores: Scores) -> Array:
        """The k best, best first."""
        k = within(self.k, len(scores))
        return best(one_a_term(scores), scores.counts.term_df, scores.terms, k)


@dataclass(frozen=True, slots=True)
class Percentile:
    """The best `percent` of all terms, at least one."""

    percent: float
    by_class: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not (is_number(self.percent) and 0 < self.percent <= 100):
            raise InvalidInput(f"percent must be above 0 and at most 100, got {self.percent!r}")

    def choose(self, scores: Scores) -> Array:
        """The best, best first."""
        k = max(1, int(len(scores) * self.percent / 100))
        return best(one_a_term(scores), scores.counts.term_df, scores.terms, k)


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The terms that score at least `threshold`."""

    threshold: float
    by_class: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not is_number(self.threshold):
            raise InvalidInput(f"threshold must be a number, got {self.threshold!r}")

    def choose(self, scores: Scores) -> Array:
        """Those that reach the threshold, best first."""
        values = one_a_term(scores)
        return ordered(np.flatnonzero(values >= self.threshold), values, scores.counts.term_df, scores.terms)


@dataclass(frozen=True, slots=True)
class FalseDiscovery:
    """The terms whose p-value for some class survives, with at most `alpha` false discoveries expected.

    Benjamini and Hochberg (1995), over all terms and classes at once; for metrics that have p-values.
    """

    alpha: float = 0.05
    by_class: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (is_number(self.alpha) and 0 < self.alpha < 1):
            raise InvalidInput(f"alpha must lie between 0 and 1, got {self.alpha!r}")

    def choose(self, scores: Scores) -> Array:
        """The significant terms, the least p-value first."""
        p = scores.p
        if p is None:
            having = ", ".join(metric.name for metric in metrics() if metric.p)
            raise InvalidInput(f"{scores.metric} has no p-value; metrics that have one: {having}")
        least = p.min(axis=1, initial=1.0)
        ascending = np.sort(p, axis=None)
        allowed = self.alpha * np.arange(1, p.size + 1) / max(p.size, 1)
        kept = np.flatnonzero(ascending <= allowed)
        if not len(kept):
            return np.zeros(0, dtype=np.intp)
        chosen = np.flatnonzero(least <= ascending[kept[-1]])
        # p-values of 0 tie: the score decides among them
        strongest = np.abs(scores.values).max(axis=1)
        rank = code_point_rank(scores.terms[chosen])
        order = np.lexsort((rank, -scores.counts.term_df[chosen], -strongest[chosen], least[chosen]))
        result: Array = chosen[order]
        return result


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """k terms: the classes take turns, each takes its best term not taken yet. Forman (2004)."""

    k: int
    by_class: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_k(self.k)

    def choose(self, scores: Scores) -> Array:
        """The terms in the order they were taken."""
        k = within(self.k, len(scores))
        return turns(best_by_class(scores, k), k)


@dataclass(frozen=True, slots=True)
class PositiveNegative:
    """k terms: a share `ratio` of those that speak most for a class, the rest of those most against it.

    For one-sided metrics. With two classes the second is the class meant, as scikit-learn has it;
    with more, or several labels, the classes take turns, each with its own list in that ratio.
    Zheng, Wu and Srihari (2004), section 4.
    """

    k: int
    ratio: float = 0.5
    by_class: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_k(self.k)
        if not (is_number(self.ratio) and 0 <= self.ratio <= 1):
            raise InvalidInput(f"ratio must lie between 0 and 1, got {self.ratio!r}")

    def choose(self, scores: Scores) -> Array:
        """The positive and negative terms, interleaved so that every beginning has the ratio too."""
        columns = one_sided(scores)
        k = within(self.k, len(scores))
        df, terms = scores.counts.term_df, code_point_rank(scores.terms)
        lists = [
            interleaved(best(column, df, terms, k), best(-column, df, terms, k), self.ratio, k)
            for column in columns.T
        ]
        return turns(lists, k)


@dataclass(frozen=True, slots=True)
class SignWeighted:
    """The k best after scores are multiplied by alpha for positive terms and by 1 - alpha for negative ones.

    A term's score is its best over the classes; with two classes the second is the class meant.
    Forman (2003), section 5, and figure 22.
    """

    k: int
    alpha: float = 0.5
    by_class: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_k(self.k)
        if not (is_number(self.alpha) and 0 <= self.alpha <= 1):
            raise InvalidInput(f"alpha must lie between 0 and 1, got {self.alpha!r}")

    def choose(self, scores: Scores) -> Array:
        """The k best, best first."""
        k = within(self.k, len(scores))
        factor = np.where(scores.signs >= 0, self.alpha, 1 - self.alpha)
        weighted = np.abs(class_columns(scores)) * factor
        values = weighted[:, meant(scores)].max(axis=1, initial=0.0)
        return best(values, scores.counts.term_df, scores.terms, k)


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
        tree = ast.parse(text.strip(), mode="eval").body
        call = tree if isinstance(tree, ast.Call) else ast.Call(tree, [], [])
        name = call.func.id if isinstance(call.func, ast.Name) else text
        arguments = [ast.literal_eval(value) for value in call.args]
        options = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
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


def check_k(k: object, name: str = "k") -> None:
    """An error unless k, or what else is so named, is a whole number of at least 1."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer):
        raise InvalidInput(f"{name} must be a whole number, got {k!r}")
    if k < 1:
        raise InvalidInput(f"{name} must be at least 1, got {k}")


def within(k: int, terms: int) -> int:
    """k, or all terms with a warning where there are fewer."""
    if k > terms:
        warnings.warn(
            f"k is {k} but there are only {terms} terms; all are kept", TermsiftWarning, stacklevel=2
        )
    return min(k, terms)


def one_a_term(scores: Scores) -> Array:
    """The scores, if there is one a term."""
    if scores.values.ndim != 1:
        raise InvalidInput(
            "this policy reads one score a term; score with reduce='max', 'mean', 'weighted' or 'sum'"
        )
    return scores.values


def best_by_class(scores: Scores, k: int) -> list[Array]:
    """For each class its k best terms; where there is one score a term, for all at once."""
    columns = scores.values.T if scores.values.ndim == 2 else scores.values[None, :]
    rank = code_point_rank(scores.terms)
    return [best(column, scores.counts.term_df, rank, k) for column in columns]


def class_columns(scores: Scores) -> Array:
    """The scores of the classes."""
    if scores.values.ndim != 2:
        raise InvalidInput(
            f"this policy reads the scores of each class, and {scores.metric} gives one a term"
        )
    return scores.values


def one_sided(scores: Scores) -> Array:
    """The scores of the classes to choose for, if their sign says which terms speak against a class."""
    if scores.sided != 1:
        names = ", ".join(metric.name for metric in metrics() if metric.sided == 1)
        raise InvalidInput(
            f"PositiveNegative needs a one-sided metric, and {scores.metric} ignores the sign; "
            f"one-sided are: {names}"
        )
    columns: Array = class_columns(scores)[:, meant(scores)]
    return columns


def meant(scores: Scores) -> slice:
    """The columns to choose for: of two classes that exclude each other the second, else all."""
    mirrored = len(scores.classes) == 2 and scores.counts.single_label
    return slice(1, 2) if mirrored else slice(None)


def is_number(value: object) -> bool:
    """Whether a value is a number, and not NaN."""
    return isinstance(value, int | float | np.number) and value == value


POLICIES: dict[str, Any] = {
    policy.__name__: policy
    for policy in (TopK, Percentile, AtLeast, FalseDiscovery, RoundRobin, PositiveNegative, SignWeighted)
}
