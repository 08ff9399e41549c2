"""What policies ask of their numbers and of the scores they read."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Protocol, cast

import numpy as np

from termsift._internal.errors import InvalidInputError, TermsiftWarning, check_name, unknown
from termsift._internal.expressions import call_parts, check_k, is_number
from termsift._internal.ranking import (
    Ranking,
    best,
    best_by_column,
    code_point_rank,
    interleaved,
    ordered,
    turns,
)
from termsift._internal.typing import Array
from termsift.metrics import REDUCTIONS, Scores, adjusted, check_expected, metrics, reached, reduction_name


def expression_of(policy: Any) -> str:
    """The expression that makes a policy; all terms and the largest score go without saying."""
    given = {field.name: getattr(policy, field.name) for field in fields(policy)}
    plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in given.items()}
    shown = ", ".join(f"{name}={value!r}" for name, value in plain.items() if value not in (None, "max"))
    return f"{type(policy).__name__}({shown})"


def ranking_of_choice(policy: Any, scores: Scores) -> Ranking:
    """The chosen terms in order, for all classes alike."""
    return Ranking((policy.choose(scores),))


def check_k_or_all(k: object) -> None:
    """An error unless k is a whole number of at least 1, or None for all terms."""
    if k is not None:
        check_k(k)


def check_share(name: str, value: object) -> None:
    """An error unless a value is a number between 0 and 1."""
    if not is_fraction(value):
        raise InvalidInputError(f"{name} must lie between 0 and 1, got {value!r}")


def is_fraction(value: object) -> bool:
    """Whether a value is a number between 0 and 1."""
    return is_number(value) and 0 <= value <= 1  # type: ignore[operator]


def limit_k(k: int | None, terms: int) -> int:
    """k, or all terms where it is None, and with a warning where there are fewer."""
    if k is not None and k > terms:
        what = f"k is {k} but there are only {terms} terms; all are kept"
        warnings.warn(what, TermsiftWarning, stacklevel=2)
    return terms if k is None else min(k, terms)


def class_columns(scores: Scores) -> Array:
    """The scores of the classes."""
    if scores.values.ndim != 2:
        raise InvalidInputError(
            f"this policy reads the scores of each class, and {scores.metric} gives one a term"
        )
    return scores.values


def signed_columns(scores: Scores) -> Array:
    """The scores of the classes to choose for, if their sign says which terms speak against a class."""
    if scores.sided != 1:
        names = ", ".join(metric.name for metric in metrics() if metric.sided == 1)
        raise InvalidInputError(
            f"PositiveNegative needs a one-sided metric, and {scores.metric} ignores the sign; "
            f"one-sided are: {names}"
        )
    columns: Array = class_columns(scores)[:, scored_columns(scores)]
    return columns


def scored_columns(scores: Scores) -> slice:
    """The columns to choose for: of two classes that exclude each other the second, else all."""
    mirrored = len(scores.classes) == 2 and scores.counts.single_label
    return slice(1, 2) if mirrored else slice(None)


@dataclass(frozen=True, slots=True, repr=False)
class RoundRobin:
    """k terms: the classes take turns, each taking its best term not yet taken. Forman (2004).

    k : number of terms; None means all, in order

    >>> RoundRobin(100)
    RoundRobin(k=100)
    """

    k: int | None = None
    by_class: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_k_or_all(self.k)

    def choose(self, scores: Scores) -> Array:
        """The terms in the order they were taken."""
        k = limit_k(self.k, len(scores))
        return turns(best_by_class(scores, k), k)

    ranking = ranking_of_choice
    __repr__ = expression_of


@dataclass(frozen=True, slots=True, repr=False)
class PerClass:
    """Separate terms for each class: k terms are divided among the classes, at least one each.

    Each class is then told from the rest by its own terms only. The result is the set of distinct terms.

    k : number of terms for all classes together; None means all

    >>> PerClass(100)
    PerClass(k=100)
    """

    k: int | None = None
    by_class: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_k_or_all(self.k)

    def choose(self, scores: Scores) -> Array:
        """The terms that any class takes, best first, with the classes taking turns."""
        limit_k(self.k, len(scores))
        return self.ranking(scores).chosen(self._share(scores))

    def ranking(self, scores: Scores) -> Ranking:
        """The best terms of each class."""
        return Ranking(tuple(best_by_class(scores, self._share(scores))), local=True)

    def _share(self, scores: Scores) -> int:
        if self.k is None:
            return len(scores)
        return min(max(1, self.k // max(len(scores.counts.classes), 1)), len(scores))

    __repr__ = expression_of


@dataclass(frozen=True, slots=True, repr=False)
class FalseDiscovery:
    """The terms significant for some class, at a false discovery rate of at most `alpha`.

    Benjamini and Hochberg (1995), over all terms and classes at once. For metrics that are functions of the
    cells, whose p-values are exact, and for unweighted documents.

    alpha : the highest expected share of false discoveries

    >>> FalseDiscovery(0.01)
    FalseDiscovery(alpha=0.01)
    """

    alpha: float = 0.05
    by_class: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (is_number(self.alpha) and 0 < self.alpha < 1):
            raise InvalidInputError(f"alpha must lie between 0 and 1, got {self.alpha!r}")

    def choose(self, scores: Scores) -> Array:
        """The significant terms, smallest p-value first."""
        p = scores.p
        if p is None:
            raise InvalidInputError(f"{scores.metric} has no p-value: {scores.why_no_chance}")
        if not p.size:
            return np.zeros(0, dtype=np.intp)
        chosen = np.flatnonzero((adjusted(p) <= self.alpha).any(axis=1))
        # p-values of 0 tie: the score decides among them
        strongest, least = np.abs(scores.values[chosen]).max(axis=1), p[chosen].min(axis=1)
        rank = code_point_rank(scores.terms[chosen])
        order = np.lexsort((rank, -scores.counts.term_df[chosen], -strongest, least))
        result: Array = chosen[order]
        return result

    ranking = ranking_of_choice
    __repr__ = expression_of


@dataclass(frozen=True, slots=True, repr=False)
class PositiveNegative:
    """k terms: a share `ratio` of the terms most indicative of a class, the rest from those most against it.

    For one-sided metrics. With two classes, the second is the positive class, as in scikit-learn.
    With more classes, or several labels, the classes take turns, each with its own list in that ratio.
    The ratio "auto" is tuned on documents, by PositiveNegativeSelector and compare.
    Zheng, Wu and Srihari (2004), section 4.

    k : number of terms; None means all, in order
    ratio : the share of positive terms, from 0 to 1, or "auto"

    >>> PositiveNegative(50, ratio=0.8)
    PositiveNegative(k=50, ratio=0.8)
    """

    k: int | None = None
    ratio: float | str = 0.5
    by_class: ClassVar[bool] = True
    reads_signs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_k_or_all(self.k)
        if not (isinstance(self.ratio, str) and self.ratio == "auto"):
            check_share("ratio", self.ratio)

    def choose(self, scores: Scores) -> Array:
        """The positive and negative terms, interleaved so that every prefix has the same ratio."""
        if isinstance(self.ratio, str):
            raise InvalidInputError(
                "the ratio 'auto' is found by judging documents: "
                "give a number, or use PositiveNegativeSelector or compare"
            )
        k = limit_k(self.k, len(scores))
        return interleave_rankings(positive_negative_rankings(scores, k), self.ratio, k)

    ranking = ranking_of_choice
    __repr__ = expression_of


def positive_negative_rankings(scores: Scores, k: int) -> list[tuple[Array, Array]]:
    """For each class that is meant its k terms that speak most for it, and those most against it."""
    df, terms = scores.counts.term_df, code_point_rank(scores.terms)
    columns = signed_columns(scores)
    return [(best(column, df, terms, k), best(-column, df, terms, k)) for column in columns.T]


def interleave_rankings(sides: list[tuple[Array, Array]], ratio: float, k: int) -> Array:
    """The first k terms of both sides in a ratio, the classes taking turns."""
    return turns([interleaved(positive, negative, ratio, k) for positive, negative in sides], k)


def best_by_class(scores: Scores, k: int) -> list[Array]:
    """For each class its k best terms; where there is one score per term, for all at once."""
    values = scores.values if scores.values.ndim == 2 else scores.values[:, None]
    return best_by_column(values, scores.counts.term_df, scores.terms, k)


def expected_in_choice(policy: object, scores: Scores, chosen: Array) -> float | None:
    """How many of the chosen terms chance would give: as many as it lifts to the score of the last.

    Where classes choose, as many as it lifts in each class to the lowest score of the terms that the class
    values most. None where chance is not known, and for policies that do not go by the order of scores.
    """
    values = scores.values[chosen]
    if not len(chosen):
        return 0.0
    if values.ndim == 1:
        return scores.expected_by_chance(float(values.min()))
    if not isinstance(policy, RoundRobin | PerClass):
        return None
    class_of, best = values.argmax(axis=1), values.max(axis=1)
    parts = [
        scores.expected_by_chance(float(best[class_of == c].min()), scores.classes[c])
        for c in np.unique(class_of)
    ]
    return None if None in parts else float(sum(part for part in parts if part is not None))


@dataclass(frozen=True, slots=True, repr=False)
class TopK:
    """The k terms with the highest scores; all, in order, if k is None.

    reduce : how the scores of the classes are combined into one: "max", "mean", "weighted" or "sum"
    k : number of terms; None means all, in order

    >>> TopK(1000)
    TopK(k=1000)
    """

    k: int | None = None
    reduce: str = field(default="max", kw_only=True)
    by_class: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_k_or_all(self.k)
        if self.reduce not in REDUCTIONS:
            raise unknown("reduction", self.reduce, REDUCTIONS)

    def choose(self, scores: Scores) -> Array:
        """The k best, best first."""
        k = limit_k(self.k, len(scores))
        return best(one_per_term(scores), scores.counts.term_df, scores.terms, k)

    ranking = ranking_of_choice
    __repr__ = expression_of


@dataclass(frozen=True, slots=True, repr=False)
class Percentile:
    """The best `percent` of all terms, at least one.

    percent : the percentage of all terms, above 0 and at most 100
    reduce : how the scores of the classes are combined into one: "max", "mean", "weighted" or "sum"

    >>> Percentile(10)
    Percentile(percent=10)
    """

    percent: float
    reduce: str = field(default="max", kw_only=True)
    by_class: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not (is_number(self.percent) and 0 < self.percent <= 100):
            raise InvalidInputError(f"percent must be above 0 and at most 100, got {self.percent!r}")
        reduction_name(self.reduce)

    def choose(self, scores: Scores) -> Array:
        """The best, best first."""
        k = max(1, int(len(scores) * self.percent / 100))
        return best(one_per_term(scores), scores.counts.term_df, scores.terms, k)

    ranking = ranking_of_choice
    __repr__ = expression_of


@dataclass(frozen=True, slots=True, repr=False)
class Threshold:
    """The terms with a score of at least `threshold`.

    threshold : the lowest score to keep
    reduce : how the scores of the classes are combined into one: "max", "mean", "weighted" or "sum"

    >>> Threshold(3.84)
    Threshold(threshold=3.84)
    """

    threshold: float
    reduce: str = field(default="max", kw_only=True)
    by_class: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not is_number(self.threshold):
            raise InvalidInputError(f"threshold must be a number, got {self.threshold!r}")
        reduction_name(self.reduce)

    def choose(self, scores: Scores) -> Array:
        """The terms that reach the threshold, best first."""
        values = one_per_term(scores)
        return ordered(np.flatnonzero(values >= self.threshold), values, scores.counts.term_df, scores.terms)

    ranking = ranking_of_choice
    __repr__ = expression_of


@dataclass(frozen=True, slots=True, repr=False)
class Significant:
    """The terms above the floor, the score that chance alone gives to at most `expected` terms.

    A term is judged by its best class, and chance over all classes together. For metrics that are functions
    of the cells, with unweighted documents; for other metrics if labels were shuffled.

    expected : number of the chosen terms that may be due to chance

    >>> Significant()
    Significant(expected=1)
    """

    expected: float = 1
    by_class: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_expected(self.expected)

    def choose(self, scores: Scores) -> Array:
        """The terms that reach the floor, best first."""
        values, floor = one_per_term(scores), scores.floor(self.expected)
        if floor is None:
            raise InvalidInputError(scores.why_no_chance)
        return ordered(np.flatnonzero(reached(values, floor)), values, scores.counts.term_df, scores.terms)

    ranking = ranking_of_choice
    __repr__ = expression_of


CRITERIA = ("mrmr", "jmi", "cmim")


@dataclass(frozen=True, slots=True, repr=False)
class RedundancyAware:
    """k terms that are not redundant: each is chosen for what it adds to those chosen before it.

    criterion : "mrmr", "jmi" or "cmim", as in RedundancyAwareSelector
    pool : number of candidates, the best terms by the metric; if k is larger, the other terms follow

    This needs documents, to see which terms occur together: use it with RedundancyAwareSelector, compare or
    `termsift select`. Counts are not enough.

    k : number of terms; None means all, in order
    reduce : how the scores of the classes are combined into one: "max", "mean", "weighted" or "sum"

    >>> RedundancyAware(100)
    RedundancyAware(k=100, criterion='cmim', pool=3000)
    """

    k: int | None = None
    criterion: str = "cmim"
    pool: int = 3000
    reduce: str = field(default="max", kw_only=True)
    by_class: ClassVar[bool] = False
    single_label: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_k_or_all(self.k)
        check_name("criterion", self.criterion, CRITERIA)
        check_k(self.pool, "pool")
        reduction_name(self.reduce)

    def choose(self, scores: Scores) -> Array:
        """Always raises an error: scores do not show which terms occur together."""
        raise InvalidInputError(
            "which terms occur together is seen in documents, not in counts: "
            "use RedundancyAwareSelector, compare, or `termsift select` of a file"
        )

    ranking = ranking_of_choice
    __repr__ = expression_of


def one_per_term(scores: Scores) -> Array:
    """The scores, if there is one per term."""
    if scores.values.ndim != 1:
        raise InvalidInputError(
            "this policy reads one score a term; score with reduce='max', 'mean', 'weighted' or 'sum'"
        )
    return scores.values


class Policy(Protocol):
    """What chooses terms by their scores.

    by_class : whether it reads the scores of each class; else it reads one score per term
    """

    by_class: ClassVar[bool]

    def choose(self, scores: Scores) -> Array:
        """The indices of the chosen terms, in order."""

    def ranking(self, scores: Scores) -> Ranking:
        """The chosen terms in order, for all classes alike or for each its own."""


POLICIES: dict[str, Any] = {
    policy.__name__: policy
    for policy in (
        TopK, Percentile, Threshold, Significant, RedundancyAware,
        FalseDiscovery, PerClass, PositiveNegative, RoundRobin,
    )
}  # fmt: skip
# what may be written behind a metric's name, as in "bns:round_robin", for these policies of all terms
SUFFIX_POLICIES: dict[str, Policy] = {
    **{reduce: TopK(reduce=reduce) for reduce in REDUCTIONS},
    "round_robin": RoundRobin(),
    "per_class": PerClass(),
    "combined": PositiveNegative(ratio="auto"),
    "significant": Significant(),
    **{criterion: RedundancyAware(criterion=criterion) for criterion in CRITERIA},
}


def as_policy(value: object) -> Policy:
    """A policy, or the one that a text makes."""
    if isinstance(value, str):
        return parse_policy(value)
    if isinstance(value, type) or not (hasattr(value, "choose") and hasattr(value, "by_class")):
        raise InvalidInputError(f"policy must be one such as TopK(100), got {value!r}")
    return cast(Policy, value)


def parse_policy(text: str) -> Policy:
    """The policy that an expression makes: 'TopK(100)', 'PositiveNegative(50, ratio=0.8)', 'FalseDiscovery'.

    >>> parse_policy("RoundRobin(100)")
    RoundRobin(k=100)
    """
    try:
        name, arguments, options = call_parts(text)
    except (SyntaxError, ValueError) as error:
        raise InvalidInputError(f"{text!r} is not a policy; write it as 'TopK(100)'") from error
    if name not in POLICIES:
        raise unknown("policy", name, POLICIES)
    try:
        policy: Policy = POLICIES[name](*arguments, **options)
    except TypeError as error:
        wanted = ", ".join(field.name for field in fields(POLICIES[name]))
        raise InvalidInputError(f"{text!r} does not fit {name}({wanted})") from error
    return policy
