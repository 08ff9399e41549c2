"""Policies that read one score per term, and how the scores of the classes become one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from termsift._typing import Array
from termsift.chance import check_expected, reached
from termsift.errors import InvalidInput, check_name, unknown
from termsift.policies.checks import (
    check_k,
    check_k_or_all,
    expression_of,
    is_number,
    ranking_of_choice,
    within,
)
from termsift.ranking import best, best_by_column, ordered, turns
from termsift.scores import Scores

# (terms, classes) values and (classes,) shares P(c) of the documents -> (terms,)
REDUCTIONS: dict[str, Callable[[Array, Array], Array]] = {
    "max": lambda values, priors: values.max(axis=1) if values.shape[1] else np.zeros(len(values)),
    "mean": lambda values, priors: values.sum(axis=1) / max(values.shape[1], 1),
    "weighted": lambda values, priors: (values * priors).sum(axis=1),
    "sum": lambda values, priors: values.sum(axis=1),
}


def round_robin(values: Array, df: Array, terms: Array) -> Array:
    """A score that falls by one with each turn: the classes take turns, each its best term not taken yet.

    Forman (2004). Unlike the reductions it looks at all terms at once.
    """
    n = len(terms)
    scores = np.zeros(n)
    scores[turns(best_by_column(values, df, terms), n)] = np.arange(n, 0, -1)
    return scores


def reduction_name(name: str) -> str:
    """The name of a reduction as we write it; 'round-robin' is taken too."""
    written = name.replace("-", "_") if isinstance(name, str) else ""
    if written not in (*REDUCTIONS, "round_robin"):
        raise unknown("reduction", name, (*REDUCTIONS, "round_robin"))
    return written


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
        k = within(self.k, len(scores))
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
            raise InvalidInput(f"percent must be above 0 and at most 100, got {self.percent!r}")
        reduction_name(self.reduce)

    def choose(self, scores: Scores) -> Array:
        """The best, best first."""
        k = max(1, int(len(scores) * self.percent / 100))
        return best(one_per_term(scores), scores.counts.term_df, scores.terms, k)

    ranking = ranking_of_choice
    __repr__ = expression_of


@dataclass(frozen=True, slots=True, repr=False)
class AtLeast:
    """The terms with a score of at least `threshold`.

    threshold : the lowest score to keep
    reduce : how the scores of the classes are combined into one: "max", "mean", "weighted" or "sum"

    >>> AtLeast(3.84)
    AtLeast(threshold=3.84)
    """

    threshold: float
    reduce: str = field(default="max", kw_only=True)
    by_class: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not is_number(self.threshold):
            raise InvalidInput(f"threshold must be a number, got {self.threshold!r}")
        reduction_name(self.reduce)

    def choose(self, scores: Scores) -> Array:
        """The terms that reach the threshold, best first."""
        values = one_per_term(scores)
        return ordered(np.flatnonzero(values >= self.threshold), values, scores.counts.term_df, scores.terms)

    ranking = ranking_of_choice
    __repr__ = expression_of


@dataclass(frozen=True, slots=True, repr=False)
class AboveChance:
    """The terms above the floor, the score that chance alone gives to at most `expected` terms.

    A term is judged by its best class, and chance over all classes together. For metrics that are functions
    of the cells, with unweighted documents; for other metrics if labels were shuffled.

    expected : number of the chosen terms that may be due to chance

    >>> AboveChance()
    AboveChance(expected=1)
    """

    expected: float = 1
    by_class: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_expected(self.expected)

    def choose(self, scores: Scores) -> Array:
        """The terms that reach the floor, best first."""
        values, floor = one_per_term(scores), scores.floor(self.expected)
        if floor is None:
            raise InvalidInput(scores.why_no_chance)
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
        raise InvalidInput(
            "which terms occur together is seen in documents, not in counts: "
            "use RedundancyAwareSelector, compare, or `termsift select` of a file"
        )

    ranking = ranking_of_choice
    __repr__ = expression_of


def one_per_term(scores: Scores) -> Array:
    """The scores, if there is one per term."""
    if scores.values.ndim != 1:
        raise InvalidInput(
            "this policy reads one score a term; score with reduce='max', 'mean', 'weighted' or 'sum'"
        )
    return scores.values
