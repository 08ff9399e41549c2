"""Policies that read the scores of each class: turns, terms of their own, significance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from termsift._typing import Array
from termsift.errors import InvalidInput
from termsift.metrics import metrics
from termsift.policies.checks import (
    best_by_class,
    check_k_or_all,
    expression_of,
    is_number,
    ranking_of_choice,
    within,
)
from termsift.ranking import Ranking, code_point_rank, turns
from termsift.scores import Scores


@dataclass(frozen=True, slots=True, repr=False)
class RoundRobin:
    """k terms: the classes take turns, each takes its best term not taken yet. Forman (2004)."""

    k: int | None = None
    by_class: ClassVar[bool] = True
    mark: ClassVar[str | None] = "turns"

    def __post_init__(self) -> None:
        check_k_or_all(self.k)

    def choose(self, scores: Scores) -> Array:
        """The terms in the order they were taken."""
        k = within(self.k, len(scores))
        return turns(best_by_class(scores, k), k)

    ranking = ranking_of_choice
    __repr__ = expression_of


@dataclass(frozen=True, slots=True, repr=False)
class PerClass:
    """Each class has terms of its own: k are shared out among the classes, at least one each.

    A class is then told from the rest by its own terms alone. What is chosen are the distinct terms.

    >>> PerClass(100)
    PerClass(k=100)
    """

    k: int | None = None
    by_class: ClassVar[bool] = True
    mark: ClassVar[str | None] = "local"

    def __post_init__(self) -> None:
        check_k_or_all(self.k)

    def choose(self, scores: Scores) -> Array:
        """The terms that some class takes; best first, the classes in turns."""
        within(self.k, len(scores))
        return self.ranking(scores).chosen(self._share(scores))

    def ranking(self, scores: Scores) -> Ranking:
        """For each class its own best terms."""
        return Ranking(tuple(best_by_class(scores, self._share(scores))), local=True)

    def _share(self, scores: Scores) -> int:
        if self.k is None:
            return len(scores)
        return min(max(1, self.k // max(len(scores.counts.classes), 1)), len(scores))

    __repr__ = expression_of


@dataclass(frozen=True, slots=True, repr=False)
class FalseDiscovery:
    """The terms whose p-value for some class survives, with at most `alpha` false discoveries expected.

    Benjamini and Hochberg (1995), over all terms and classes at once; for metrics that have p-values.
    """

    alpha: float = 0.05
    by_class: ClassVar[bool] = True
    mark: ClassVar[str | None] = None

    def __post_init__(self) -> None:
        if not (is_number(self.alpha) and 0 < self.alpha < 1):
            raise InvalidInput(f"alpha must lie between 0 and 1, got {self.alpha!r}")

    def choose(self, scores: Scores) -> Array:
        """The significant terms, the least p-value first."""
        p = scores.p
        if p is None:
            having = ", ".join(metric.name for metric in metrics() if metric.p)
            raise InvalidInput(f"{scores.metric} has no p-value; metrics that have one: {having}")
        if not p.size:
            return np.zeros(0, dtype=np.intp)
        from scipy.stats import false_discovery_control  # takes long to import

        adjusted = false_discovery_control(p, axis=None).reshape(p.shape)
        chosen = np.flatnonzero((adjusted <= self.alpha).any(axis=1))
        # p-values of 0 tie: the score decides among them
        strongest, least = np.abs(scores.values[chosen]).max(axis=1), p[chosen].min(axis=1)
        rank = code_point_rank(scores.terms[chosen])
        order = np.lexsort((rank, -scores.counts.term_df[chosen], -strongest, least))
        result: Array = chosen[order]
        return result

    ranking = ranking_of_choice
    __repr__ = expression_of


FAMILY = (FalseDiscovery, RoundRobin, PerClass)
MARKED = (RoundRobin(), PerClass())
