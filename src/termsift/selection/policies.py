"""Policies: rules that choose terms by their scores."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from math import log
from typing import Any, ClassVar, cast

import numpy as np

from termsift._internal.errors import InvalidInputError, unknown_name_error
from termsift._internal.ranking import (
    Ranking,
    code_point_ranks,
    interleave,
    rank_terms,
    round_robin,
    sort_terms,
)
from termsift._internal.typing import Array, parse_call
from termsift.metrics import REDUCTIONS, Effect, Scores, explain_missing_significance, metrics, q_values
from termsift.selection.policy_base import CRITERIA, Policy, PolicyBase, limit_k

MIN_RATIO = 0.05  # of positive terms, for the smallest classes


@dataclass(frozen=True, slots=True, repr=False)
class TopK(PolicyBase):
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

    def _choose(self, scores: Scores) -> Array:
        """Return the k best terms, best first."""
        k = limit_k(self.k, len(scores))
        return rank_terms(_require_term_scores(scores), scores.counts.term_df, scores.terms, k)


@dataclass(frozen=True, slots=True, repr=False)
class Percentile(PolicyBase):
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

    def _choose(self, scores: Scores) -> Array:
        """Return the best terms, best first."""
        k = max(1, int(len(scores) * self.percent / 100))
        return rank_terms(_require_term_scores(scores), scores.counts.term_df, scores.terms, k)


@dataclass(frozen=True, slots=True, repr=False)
class Threshold(PolicyBase):
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

    def _choose(self, scores: Scores) -> Array:
        """Return the terms that reach the threshold, best first."""
        values = _require_term_scores(scores)
        chosen = np.flatnonzero(values >= self.threshold)
        return sort_terms(chosen, values, scores.counts.term_df, scores.terms)


@dataclass(frozen=True, slots=True, repr=False)
class Significant(PolicyBase):
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
    Significant(expected=1)

    """

    expected: float = 1
    min_effect: float = 0

    def _choose(self, scores: Scores) -> Array:
        """Return the significant terms, best first."""
        values, significant = _require_term_scores(scores), scores.significant(self.expected)
        if significant is None:
            raise InvalidInputError(explain_missing_significance(scores))
        if self.min_effect > 0:
            rows, columns = np.arange(len(scores)), range(len(scores.counts.classes))
            effect = Effect().columns(scores.counts, rows, columns)["effect"]
            significant &= np.abs(effect.reshape(significant.shape)) >= self.min_effect
        chosen = np.flatnonzero(significant.any(axis=1))
        return sort_terms(chosen, values, scores.counts.term_df, scores.terms)


@dataclass(frozen=True, slots=True, repr=False)
class FalseDiscovery(PolicyBase):
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
        rank = code_point_ranks(scores.terms[chosen])
        return chosen.take(np.lexsort((rank, -scores.counts.term_df[chosen], -largest, smallest_p)))


@dataclass(frozen=True, slots=True, repr=False)
class RoundRobin(PolicyBase):
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
class PerClass(PolicyBase):
    """Separate terms for each class: the k best terms of every class.

    A classifier then separates each class from the others by the terms of that class only, as in Forman
    (2003) and Zheng, Wu and Srihari (2004). The selection is the set of distinct terms.

    Parameters
    ----------
    k : int, optional
        Number of terms of each class (default: all).

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
        k = limit_k(self.k, len(scores))
        return Ranking(tuple(_rank_by_class(scores, k)), local=True).terms_at_size(k)

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
        k = len(scores) if self.k is None else min(self.k, len(scores))
        return Ranking(tuple(_rank_by_class(scores, k)), local=True)


@dataclass(frozen=True, slots=True, repr=False)
class PositiveNegative(PolicyBase):
    """k terms, of which a share `ratio` are positive terms of a class and the others negative terms.

    For one-sided metrics. With two classes, the second is the positive class, as in scikit-learn.
    With more classes, or several labels, the classes choose in turn, each from a list in that ratio; or each
    class has k terms and a ratio of its own. Zheng, Wu and Srihari (2004), section 4.

    Parameters
    ----------
    k : int, optional
        Number of terms, of each class if `per_class` (default: all, in order).
    ratio : float, tuple of float, "auto" or "size", default 0.5
        Share of positive terms, from 0 to 1; a tuple has one for each class.
        "auto" takes the ratio with which a classifier does best; it needs documents: compare,
        `termsift select` or PositiveNegativeSelector.
        "size" derives the ratio of each class from its share of the documents, without a search.
    per_class : bool, default False
        Whether each class has its own terms, k of them, and its own ratio.
    cv : int or None, default 4
        Folds of the cross-validation that finds the ratio "auto"; a gain over positive terms alone that is
        within one standard error does not count. None takes the best ratio on the training documents
        themselves, the paper's practical scenario.

    Raises
    ------
    InvalidInputError
        If `k` is not a positive integer, `ratio` is not between 0 and 1, or `cv` is less than 2.

    Examples
    --------
    >>> PositiveNegative(50, ratio=0.8)
    PositiveNegative(k=50, ratio=0.8)
    >>> PositiveNegative(50, ratio="auto", per_class=True, cv=None)
    PositiveNegative(k=50, ratio='auto', per_class=True, cv=None)

    """

    k: int | None = None
    ratio: float | str | tuple[float, ...] = 0.5
    per_class: bool = False
    cv: int | None = 4
    by_class: ClassVar[bool] = True
    reads_signs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if isinstance(self.ratio, str) and self.ratio not in ("auto", "size"):
            message = f"ratio must be a number between 0 and 1, or 'auto' or 'size', got {self.ratio!r}"
            raise InvalidInputError(message)
        PolicyBase.__post_init__(self)

    def _choose(self, scores: Scores) -> Array:
        """Return the positive and negative terms, interleaved so that every prefix has the same ratio."""
        k = limit_k(self.k, len(scores))
        return self.ranking(scores).terms_at_size(k)

    def ranking(self, scores: Scores) -> Ranking:
        """Return the terms in order, one list for all classes or one per class.

        Parameters
        ----------
        scores : Scores
            Scores of all terms, one score per class.

        Returns
        -------
        Ranking
            Indices of the terms; every prefix of a list has the ratio.

        """
        k = len(scores) if self.k is None else min(self.k, len(scores))
        rankings = zip(positive_negative_rankings(scores, k), self.positive_shares(scores), strict=True)
        orders = [interleave(positive, negative, ratio, k) for (positive, negative), ratio in rankings]
        if self.per_class and len(orders) > 1:
            return Ranking(tuple(orders), local=True)
        return Ranking((round_robin(orders, k),))

    def positive_shares(self, scores: Scores) -> list[float]:
        """Return the ratio of each class to choose for; "auto" is an error."""
        sizes = scores.counts.class_sizes[positive_class_slice(scores)]
        if self.ratio == "size":
            return [ratio_by_size(size / max(scores.counts.documents, 1)) for size in sizes.tolist()]
        if isinstance(self.ratio, str):
            raise InvalidInputError(
                "the ratio 'auto' must be tuned on documents; give a number or 'size', or use "
                "PositiveNegativeSelector, compare, or `termsift select` with a file"
            )
        if not isinstance(self.ratio, tuple):
            return [self.ratio] * len(sizes)
        if len(self.ratio) != len(sizes):
            raise InvalidInputError(f"ratio has {len(self.ratio)} values for {len(sizes)} classes")
        return list(self.ratio)


# A positive term is more frequent in the class than outside, a negative term less; the sign of a one-sided
# metric shows which.
def positive_class_slice(scores: Scores) -> slice:
    """Return the columns of the classes to choose for: the second of two exclusive classes, otherwise all."""
    return slice(1, 2) if len(scores.classes) == 2 and scores.counts.single_label else slice(None)


def require_one_sided_scores(scores: Scores) -> Array:
    """Return the scores of the classes to choose for; an error unless their sign gives the direction."""
    if scores.sided != 1:
        names = ", ".join(metric.name for metric in metrics() if metric.sided == 1)
        raise InvalidInputError(
            f"PositiveNegative needs a one-sided metric, but {scores.metric} is not one-sided; "
            f"use one of: {names}"
        )
    if scores.values.ndim != 2:
        message = f"PositiveNegative needs a score for each class, but {scores.metric} has one score per term"
        raise InvalidInputError(message)
    return np.asarray(scores.values[:, positive_class_slice(scores)])


def positive_negative_rankings(scores: Scores, k: int) -> list[tuple[Array, Array]]:
    """Return for each class to choose for its k most positive and its k most negative terms."""
    df, ranks = scores.counts.term_df, code_point_ranks(scores.terms)
    columns = require_one_sided_scores(scores).T
    return [(rank_terms(values, df, ranks, k), rank_terms(-values, df, ranks, k)) for values in columns]


def ratio_by_size(share: float) -> float:
    """Return the share of positive terms for a class with this share of the documents.

    A line over the logarithm of the share: the mean of the two least-squares lines through the ratios of CC
    that were best for 58 classes of ApteMod, with naive Bayes and with logistic regression at 50 terms
    (studies/results/zheng2004/ratios.csv). Small classes need negative terms most.

    >>> ratio_by_size(0.07), ratio_by_size(0.001), ratio_by_size(0.0)
    (0.54, 0.18, 0.05)
    """
    if not share > 0:
        return MIN_RATIO
    return round(min(max(0.77 + 0.086 * log(share), MIN_RATIO), 1.0), 2)


@dataclass(frozen=True, slots=True, repr=False)
class RedundancyAware(PolicyBase):
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
    "combined_per_class": PositiveNegative(ratio="auto", per_class=True),
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


def _rank_by_class(scores: Scores, k: int) -> list[Array]:
    """Return the k best terms of each class, or a single list if there is one score per term."""
    values = scores.values if scores.values.ndim == 2 else scores.values[:, None]
    ranks = code_point_ranks(scores.terms)
    return [rank_terms(column, scores.counts.term_df, ranks, k) for column in values.T]


def _require_term_scores(scores: Scores) -> Array:
    """Return the scores, one per term."""
    if scores.values.ndim != 1:
        message = "this policy needs one score per term; score with reduce='max', 'mean', 'weighted' or 'sum'"
        raise InvalidInputError(message)
    return scores.values
