"""Policies that read the scores of each class: turns, terms of their own, significance, sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from termsift._typing import Array
from termsift.chance import adjusted
from termsift.errors import InvalidInput
from termsift.policies import checks
from termsift.policies.checks import check_k_or_all, expression_of, ranking_of_choice, within
from termsift.ranking import Ranking, best, best_by_column, code_point_rank, interleaved, turns
from termsift.scores import Scores


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
        k = within(self.k, len(scores))
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
        within(self.k, len(scores))
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
        if not (checks.is_number(self.alpha) and 0 < self.alpha < 1):
            raise InvalidInput(f"alpha must lie between 0 and 1, got {self.alpha!r}")

    def choose(self, scores: Scores) -> Array:
        """The significant terms, smallest p-value first."""
        p = scores.p
        if p is None:
            raise InvalidInput(f"{scores.metric} has no p-value: {scores.why_no_chance}")
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
            checks.check_share("ratio", self.ratio)

    def choose(self, scores: Scores) -> Array:
        """The positive and negative terms, interleaved so that every prefix has the same ratio."""
        if isinstance(self.ratio, str):
            raise InvalidInput(
                "the ratio 'auto' is found by judging documents: "
                "give a number, or use PositiveNegativeSelector or compare"
            )
        k = within(self.k, len(scores))
        return in_ratio(both_sides(scores, k), self.ratio, k)

    ranking = ranking_of_choice
    __repr__ = expression_of


def both_sides(scores: Scores, k: int) -> list[tuple[Array, Array]]:
    """For each class that is meant its k terms that speak most for it, and those most against it."""
    df, terms = scores.counts.term_df, code_point_rank(scores.terms)
    columns = checks.one_sided(scores)
    return [(best(column, df, terms, k), best(-column, df, terms, k)) for column in columns.T]


def in_ratio(sides: list[tuple[Array, Array]], ratio: float, k: int) -> Array:
    """The first k terms of both sides in a ratio, the classes taking turns."""
    return turns([interleaved(positive, negative, ratio, k) for positive, negative in sides], k)


@dataclass(frozen=True, slots=True, repr=False)
class SignWeighted:
    """The k best terms after weighting scores by alpha for positive terms and 1 - alpha for negative ones.

    A term's score is its best over the classes; with two classes, the second is the positive class.
    Forman (2003), section 5, and figure 22.

    k : number of terms; None means all, in order
    alpha : the weight of positive terms, from 0 to 1

    >>> SignWeighted(50, alpha=0.6)
    SignWeighted(k=50, alpha=0.6)
    """

    k: int | None = None
    alpha: float = 0.5
    by_class: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_k_or_all(self.k)
        checks.check_share("alpha", self.alpha)

    def choose(self, scores: Scores) -> Array:
        """The k best, best first."""
        k = within(self.k, len(scores))
        factor = np.where(scores.signs >= 0, self.alpha, 1 - self.alpha)
        weighted = np.abs(checks.class_columns(scores)) * factor
        values = weighted[:, checks.meant(scores)].max(axis=1, initial=0.0)
        return best(values, scores.counts.term_df, scores.terms, k)

    ranking = ranking_of_choice
    __repr__ = expression_of


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
