"""Policies: rules that choose terms by their scores."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Protocol, cast

import numpy as np

from termsift._internal.errors import InvalidInputError, TermsiftWarning, check_name, unknown_name_error
from termsift._internal.ranking import (
    Ranking,
    code_point_rank,
    interleave,
    rank_terms,
    rank_terms_by_column,
    round_robin,
    sort_terms,
)
from termsift._internal.typing import Array, check_positive_integer, is_number, parse_call
from termsift.metrics import (
    REDUCTIONS,
    Effect,
    Scores,
    check_expected,
    check_reduction,
    explain_missing_significance,
    metrics,
    q_values,
)

CRITERIA = ("mrmr", "jmi", "cmim")


class Policy(Protocol):
    """Interface of a policy.

    by_class : whether it uses the scores of each class; otherwise it uses one score per term
    """

    by_class: ClassVar[bool]

    def choose(self, scores: Scores) -> Array:
        """Return the indices of the chosen terms, in order."""

    def ranking(self, scores: Scores) -> Ranking:
        """Return the chosen terms in order, one list for all classes or one per class."""


def is_fraction(value: object) -> bool:
    """Return whether a value is a number between 0 and 1."""
    return is_number(value) and 0 <= value <= 1  # type: ignore[operator]


# fields of policies: the condition of a valid value, and its description in messages
CONDITIONS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "percent": (lambda value: is_number(value) and 0 < value <= 100, "be above 0 and at most 100"),
    "threshold": (is_number, "be a number"),
    "min_effect": (lambda value: is_number(value) and value >= 0, "be a number of at least 0"),
    "alpha": (lambda value: is_number(value) and 0 < value < 1, "lie between 0 and 1"),
    "ratio": (
        lambda value: value == "auto" if isinstance(value, str) else is_fraction(value),
        "lie between 0 and 1",
    ),
}


class _PolicyBase:
    """Validation, printing and ranking shared by all policies."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for name in (item.name for item in fields(self)):  # type: ignore[arg-type]
            value = getattr(self, name)
            if name in CONDITIONS:
                is_valid, description = CONDITIONS[name]
                if not is_valid(value):
                    raise InvalidInputError(f"{name} must {description}, got {value!r}")
            elif name == "criterion":
                check_name(name, value, CRITERIA)
            elif name == "reduce":
                check_reduction(value)
            elif name == "expected":
                check_expected(value)
            # a k of None means all terms
            elif name == "pool" or value is not None:
                check_positive_integer(value, name)

    def choose(self, scores: Scores) -> Array:
        """Return the chosen terms in order.

        Parameters
        ----------
        scores : Scores
            Scores of all terms: by class if `by_class`, otherwise one score per term.

        Returns
        -------
        ndarray of int
            Indices of the chosen terms.

        Raises
        ------
        InvalidInputError
            If the scores have another form, or no significance that the policy needs.

        """
        return self._choose(scores)

    def _choose(self, scores: Scores) -> Array:
        raise NotImplementedError

    def ranking(self, scores: Scores) -> Ranking:
        """Return the chosen terms in order, the same for all classes.

        Parameters
        ----------
        scores : Scores
            Scores of all terms, in the form that `choose` needs.

        Returns
        -------
        Ranking
            Indices of the chosen terms, one list for all classes.

        """
        return Ranking((self.choose(scores),))

    def __repr__(self) -> str:
        """Return the expression that creates the policy, without default values of k and reduce."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}  # type: ignore[arg-type]
        arguments = [
            f"{key}={(value.item() if isinstance(value, np.generic) else value)!r}"
            for key, value in values.items()
            if value not in (None, "max")
        ]
        return f"{type(self).__name__}({', '.join(arguments)})"


@dataclass(frozen=True, slots=True, repr=False)
class TopK(_PolicyBase):
    """k terms with the highest scores.

    Parameters
    ----------
    k : int, optional
        Number of terms (default: all, in order).
    reduce : {"max", "mean", "weighted", "sum"}, default "max"
        How the scores of the classes are combined into one.

    Raises
    ------
    InvalidInputError
        If `k` is not a positive integer.
    UnknownNameError
        If `reduce` is unknown.

    Examples
    --------
    >>> TopK(1000)
    TopK(k=1000)

    """

    k: int | None = None
    reduce: str = field(default="max", kw_only=True)
    by_class: ClassVar[bool] = False

    def _choose(self, scores: Scores) -> Array:
        """Return the k best terms, best first."""
        k = limit_k(self.k, len(scores))
        return rank_terms(_term_scores(scores), scores.counts.term_df, scores.terms, k)


@dataclass(frozen=True, slots=True, repr=False)
class Percentile(_PolicyBase):
    """Best `percent` of all terms, at least one.

    Parameters
    ----------
    percent : float
        Percentage of all terms, above 0 and at most 100.
    reduce : {"max", "mean", "weighted", "sum"}, default "max"
        How the scores of the classes are combined into one.

    Raises
    ------
    InvalidInputError
        If `percent` is not above 0 and at most 100.
    UnknownNameError
        If `reduce` is unknown.

    Examples
    --------
    >>> Percentile(10)
    Percentile(percent=10)

    """

    percent: float
    reduce: str = field(default="max", kw_only=True)
    by_class: ClassVar[bool] = False

    def _choose(self, scores: Scores) -> Array:
        """Return the best terms, best first."""
        k = max(1, int(len(scores) * self.percent / 100))
        return rank_terms(_term_scores(scores), scores.counts.term_df, scores.terms, k)


@dataclass(frozen=True, slots=True, repr=False)
class Threshold(_PolicyBase):
    """Terms with a score of at least `threshold`.

    Parameters
    ----------
    threshold : float
        Lowest score to keep.
    reduce : {"max", "mean", "weighted", "sum"}, default "max"
        How the scores of the classes are combined into one.

    Raises
    ------
    InvalidInputError
        If `threshold` is not a number.
    UnknownNameError
        If `reduce` is unknown.

    Examples
    --------
    >>> Threshold(3.84)
    Threshold(threshold=3.84)

    """

    threshold: float
    reduce: str = field(default="max", kw_only=True)
    by_class: ClassVar[bool] = False

    def _choose(self, scores: Scores) -> Array:
        """Return the terms that reach the threshold, best first."""
        values = _term_scores(scores)
        chosen = np.flatnonzero(values >= self.threshold)
        return sort_terms(chosen, values, scores.counts.term_df, scores.terms)


@dataclass(frozen=True, slots=True, repr=False)
class Significant(_PolicyBase):
    """Terms that are significant for some class, ranked by their score; for unweighted documents.

    Parameters
    ----------
    expected : float, default 1
        Expected number of false positives for each class, as in `Scores.alpha`.
    min_effect : float, default 0
        Smallest absolute log odds ratio: in a large corpus nearly every term is significant.

    Raises
    ------
    InvalidInputError
        If `expected` is not a positive number, or `min_effect` is negative.

    Examples
    --------
    >>> Significant()
    Significant(expected=1, min_effect=0)

    """

    expected: float = 1
    min_effect: float = 0
    by_class: ClassVar[bool] = False

    def _choose(self, scores: Scores) -> Array:
        """Return the significant terms, best first."""
        values, significant = _term_scores(scores), scores.significant(self.expected)
        if significant is None:
            raise InvalidInputError(explain_missing_significance(scores))
        if self.min_effect > 0:
            rows, columns = np.arange(len(scores)), range(len(scores.counts.classes))
            effect = Effect().columns(scores.counts, rows, columns)["effect"]
            significant &= np.abs(effect.reshape(significant.shape)) >= self.min_effect
        chosen = np.flatnonzero(significant.any(axis=1))
        return sort_terms(chosen, values, scores.counts.term_df, scores.terms)


@dataclass(frozen=True, slots=True, repr=False)
class FalseDiscovery(_PolicyBase):
    """Terms significant for some class, by the false discovery rate of Benjamini and Hochberg (1995).

    Parameters
    ----------
    alpha : float, default 0.05
        Highest expected share of false discoveries.

    Raises
    ------
    InvalidInputError
        If `alpha` is not between 0 and 1.

    Examples
    --------
    >>> FalseDiscovery(0.01)
    FalseDiscovery(alpha=0.01)

    """

    alpha: float = 0.05
    by_class: ClassVar[bool] = True

    def _choose(self, scores: Scores) -> Array:
        """Return the significant terms, smallest p-value first."""
        p = scores.p
        if p is None:
            raise InvalidInputError(explain_missing_significance(scores))
        if not p.size:
            return np.zeros(0, dtype=np.intp)
        chosen = np.flatnonzero((q_values(p) <= self.alpha).any(axis=1))
        # p-values of 0 tie: the score decides among them
        largest, smallest_p = np.abs(scores.values[chosen]).max(axis=1), p[chosen].min(axis=1)
        rank = code_point_rank(scores.terms[chosen])
        return chosen.take(np.lexsort((rank, -scores.counts.term_df[chosen], -largest, smallest_p)))


@dataclass(frozen=True, slots=True, repr=False)
class RoundRobin(_PolicyBase):
    """k terms chosen by the classes in turn, each its best term not yet chosen. Forman (2004).

    Parameters
    ----------
    k : int, optional
        Number of terms (default: all, in order).

    Raises
    ------
    InvalidInputError
        If `k` is not a positive integer.

    Examples
    --------
    >>> RoundRobin(100)
    RoundRobin(k=100)

    """

    k: int | None = None
    by_class: ClassVar[bool] = True

    def _choose(self, scores: Scores) -> Array:
        """Return the terms in the order in which they are chosen."""
        k = limit_k(self.k, len(scores))
        return round_robin(_rank_by_class(scores, k), k)


@dataclass(frozen=True, slots=True, repr=False)
class PerClass(_PolicyBase):
    """Separate terms for each class: k terms are divided among the classes, at least one each.

    A classifier then separates each class from the others by the terms of that class only. The selection is
    the set of distinct terms.

    Parameters
    ----------
    k : int, optional
        Number of terms for all classes together (default: all).

    Raises
    ------
    InvalidInputError
        If `k` is not a positive integer.

    Examples
    --------
    >>> PerClass(100)
    PerClass(k=100)

    """

    k: int | None = None
    by_class: ClassVar[bool] = True

    def _choose(self, scores: Scores) -> Array:
        """Return the terms of all classes, best first, the classes in turn."""
        limit_k(self.k, len(scores))  # warns if there are fewer terms
        return self.ranking(scores).chosen(self._terms_per_class(scores))

    def ranking(self, scores: Scores) -> Ranking:
        """Return the best terms of each class.

        Parameters
        ----------
        scores : Scores
            Scores of all terms, one score per class.

        Returns
        -------
        Ranking
            Indices of the best terms, one list per class.

        """
        return Ranking(tuple(_rank_by_class(scores, self._terms_per_class(scores))), local=True)

    def _terms_per_class(self, scores: Scores) -> int:
        if self.k is None:
            return len(scores)
        return min(max(1, self.k // max(len(scores.counts.classes), 1)), len(scores))


@dataclass(frozen=True, slots=True, repr=False)
class PositiveNegative(_PolicyBase):
    """k terms, of which a share `ratio` are positive terms of a class and the others negative terms.

    For one-sided metrics. With two classes, the second is the positive class, as in scikit-learn.
    With more classes, or several labels, the classes choose in turn, each from a list in that ratio.
    The ratio "auto" is tuned on documents, by PositiveNegativeSelector and compare.
    Zheng, Wu and Srihari (2004), section 4.

    Parameters
    ----------
    k : int, optional
        Number of terms (default: all, in order).
    ratio : float or "auto", default 0.5
        Share of positive terms, from 0 to 1.

    Raises
    ------
    InvalidInputError
        If `k` is not a positive integer or `ratio` is not between 0 and 1.

    Examples
    --------
    >>> PositiveNegative(50, ratio=0.8)
    PositiveNegative(k=50, ratio=0.8)

    """

    k: int | None = None
    ratio: float | str = 0.5
    by_class: ClassVar[bool] = True
    reads_signs: ClassVar[bool] = True

    def _choose(self, scores: Scores) -> Array:
        """Return the positive and negative terms, interleaved so that every prefix has the same ratio."""
        if isinstance(self.ratio, str):
            raise InvalidInputError(
                "the ratio 'auto' must be tuned on documents; "
                "give a number, or use PositiveNegativeSelector or compare"
            )
        k = limit_k(self.k, len(scores))
        return interleave_rankings(positive_negative_rankings(scores, k), self.ratio, k)


@dataclass(frozen=True, slots=True, repr=False)
class RedundancyAware(_PolicyBase):
    """k terms that are not redundant: each is chosen for its value given the terms chosen before it.

    This needs documents, which show which terms occur together: use it with RedundancyAwareSelector, compare
    or `termsift select`. Counts are not enough.

    Parameters
    ----------
    k : int, optional
        Number of terms (default: all, in order).
    criterion : {"mrmr", "jmi", "cmim"}, default "cmim"
        Value of a term, as in RedundancyAwareSelector.
    pool : int, default 3000
        Number of candidates, the best terms by the metric; if k is larger, the other terms follow.
    reduce : {"max", "mean", "weighted", "sum"}, default "max"
        How the scores of the classes are combined into one.

    Raises
    ------
    InvalidInputError
        If `k` or `pool` is not a positive integer.
    UnknownNameError
        If `criterion` or `reduce` is unknown.

    Examples
    --------
    >>> RedundancyAware(100)
    RedundancyAware(k=100, criterion='cmim', pool=3000)

    """

    k: int | None = None
    criterion: str = "cmim"
    pool: int = 3000
    reduce: str = field(default="max", kw_only=True)
    by_class: ClassVar[bool] = False
    single_label: ClassVar[bool] = True

    def _choose(self, scores: Scores) -> Array:
        """Raise an error: scores do not show which terms occur together."""
        raise InvalidInputError(
            "RedundancyAware needs documents, because counts do not show which terms occur together; "
            "use RedundancyAwareSelector, compare, or `termsift select` with a file"
        )


POLICIES: dict[str, Any] = {
    policy.__name__: policy
    for policy in (
        TopK, Percentile, Threshold, Significant, RedundancyAware,
        FalseDiscovery, PerClass, PositiveNegative, RoundRobin,
    )
}  # fmt: skip
# policies of all terms that have a short suffix after the name of a metric, as in "bns:round_robin"
SUFFIX_POLICIES: dict[str, Policy] = {
    **{reduce: TopK(reduce=reduce) for reduce in REDUCTIONS},
    "round_robin": RoundRobin(),
    "per_class": PerClass(),
    "combined": PositiveNegative(ratio="auto"),
    "significant": Significant(),
    **{criterion: RedundancyAware(criterion=criterion) for criterion in CRITERIA},
}


def parse_policy(value: object) -> Policy:
    """Return a policy, given as such or as an expression such as 'TopK(100)' or 'FalseDiscovery'.

    >>> parse_policy("RoundRobin(100)")
    RoundRobin(k=100)
    """
    if not isinstance(value, str):
        if isinstance(value, type) or not (hasattr(value, "choose") and hasattr(value, "by_class")):
            raise InvalidInputError(f"policy must be a policy such as TopK(100), got {value!r}")
        return cast(Policy, value)
    try:
        name, arguments, options = parse_call(value)
    except (SyntaxError, ValueError) as error:
        raise InvalidInputError(f"{value!r} is not a policy; write it as 'TopK(100)'") from error
    if name not in POLICIES:
        raise unknown_name_error("policy", name, POLICIES)
    try:
        policy: Policy = POLICIES[name](*arguments, **options)
    except TypeError as error:
        parameters = ", ".join(item.name for item in fields(POLICIES[name]))
        raise InvalidInputError(f"invalid arguments in {value!r}; expected {name}({parameters})") from error
    return policy


def limit_k(k: int | None, n_terms: int) -> int:
    """Return k, or all terms if it is None or, with a warning, if there are fewer."""
    if k is not None and k > n_terms:
        message = f"k is {k} but there are only {n_terms} terms; all are kept"
        warnings.warn(message, TermsiftWarning, stacklevel=2)
    return n_terms if k is None else min(k, n_terms)


def positive_class_slice(scores: Scores) -> slice:
    """Return the columns of the classes to choose for: the second of two exclusive classes, otherwise all."""
    return slice(1, 2) if len(scores.classes) == 2 and scores.counts.single_label else slice(None)


def one_sided_scores(scores: Scores) -> Array:
    """Return the scores of the classes to choose for; an error unless their sign gives the direction."""
    if scores.sided != 1:
        names = ", ".join(metric.name for metric in metrics() if metric.sided == 1)
        raise InvalidInputError(
            f"PositiveNegative needs a one-sided metric, but {scores.metric} is not one-sided; "
            f"use one of: {names}"
        )
    if scores.values.ndim != 2:
        raise InvalidInputError(
            f"PositiveNegative needs a score for each class, but {scores.metric} has one score per term"
        )
    columns: Array = scores.values[:, positive_class_slice(scores)]
    return columns


def positive_negative_rankings(scores: Scores, k: int) -> list[tuple[Array, Array]]:
    """Return for each class to choose for its k most positive and its k most negative terms."""
    df, ranks = scores.counts.term_df, code_point_rank(scores.terms)
    return [
        (rank_terms(column, df, ranks, k), rank_terms(-column, df, ranks, k))
        for column in one_sided_scores(scores).T
    ]


def interleave_rankings(rankings: list[tuple[Array, Array]], ratio: float, k: int) -> Array:
    """Return k terms, positive and negative terms of each class in a ratio, the classes in turn."""
    return round_robin([interleave(positive, negative, ratio, k) for positive, negative in rankings], k)


def _rank_by_class(scores: Scores, k: int) -> list[Array]:
    """Return the k best terms of each class, or a single list if there is one score per term."""
    values = scores.values if scores.values.ndim == 2 else scores.values[:, None]
    return rank_terms_by_column(values, scores.counts.term_df, scores.terms, k)


def _term_scores(scores: Scores) -> Array:
    """Return the scores, one per term."""
    if scores.values.ndim != 1:
        raise InvalidInputError(
            "this policy needs one score per term; score with reduce='max', 'mean', 'weighted' or 'sum'"
        )
    return scores.values
