"""Policies that read one score per term."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from termsift._typing import Array
from termsift.errors import InvalidInput, unknown
from termsift.policies.checks import (
    check_k_or_all,
    expression_of,
    is_number,
    one_per_term,
    ranking_of_choice,
    within,
)
from termsift.ranking import best, ordered
from termsift.reductions import REDUCTIONS, reduction_name
from termsift.scores import Scores


@dataclass(frozen=True, slots=True, repr=False)
class TopK:
    """The k terms of highest score; all, in order, where k is None.

    reduce : how the scores of the classes become one score per term: "max", "mean", "weighted" or "sum"

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

    @property
    def mark(self) -> str:
        """What is written behind a metric's name."""
        return "" if self.reduce == "max" else self.reduce

    def choose(self, scores: Scores) -> Array:
        """The k best, best first."""
        k = within(self.k, len(scores))
        return best(one_per_term(scores), scores.counts.term_df, scores.terms, k)

    ranking = ranking_of_choice
    __repr__ = expression_of


@dataclass(frozen=True, slots=True, repr=False)
class Percentile:
    """The best `percent` of all terms, at least one."""

    percent: float
    reduce: str = field(default="max", kw_only=True)
    by_class: ClassVar[bool] = False
    mark: ClassVar[str | None] = None

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
    """The terms that score at least `threshold`."""

    threshold: float
    reduce: str = field(default="max", kw_only=True)
    by_class: ClassVar[bool] = False
    mark: ClassVar[str | None] = None

    def __post_init__(self) -> None:
        if not is_number(self.threshold):
            raise InvalidInput(f"threshold must be a number, got {self.threshold!r}")
        reduction_name(self.reduce)

    def choose(self, scores: Scores) -> Array:
        """Those that reach the threshold, best first."""
        values = one_per_term(scores)
        return ordered(np.flatnonzero(values >= self.threshold), values, scores.counts.term_df, scores.terms)

    ranking = ranking_of_choice
    __repr__ = expression_of


FAMILY = (TopK, Percentile, AtLeast)
MARKED = tuple(TopK(reduce=name) for name in REDUCTIONS)
