"""Policies that tell terms that speak for a class from those that speak against it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from termsift._typing import Array
from termsift.errors import InvalidInput
from termsift.policies.checks import (
    check_k_or_all,
    check_share,
    class_columns,
    expression_of,
    meant,
    one_sided,
    ranking_of_choice,
    within,
)
from termsift.ranking import best, code_point_rank, interleaved, turns
from termsift.scores import Scores

AUTO = "auto"


@dataclass(frozen=True, slots=True, repr=False)
class PositiveNegative:
    """k terms: a share `ratio` of those that speak most for a class, the rest of those most against it.

    For one-sided metrics. With two classes the second is the class meant, as scikit-learn has it;
    with more, or several labels, the classes take turns, each with its own list in that ratio.
    The ratio "auto" is found by judging documents, as PositiveNegativeSelector and compare do.
    Zheng, Wu and Srihari (2004), section 4.
    """

    k: int | None = None
    ratio: float | str = 0.5
    by_class: ClassVar[bool] = True
    reads_signs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_k_or_all(self.k)
        if self.ratio != AUTO:
            check_share("ratio", self.ratio)

    @property
    def mark(self) -> str | None:
        """What is written behind a metric's name, where the ratio is to be found."""
        return "sides" if self.ratio == AUTO else None

    def choose(self, scores: Scores) -> Array:
        """The positive and negative terms, interleaved so that every beginning has the ratio too."""
        if isinstance(self.ratio, str):
            raise InvalidInput(
                "the ratio 'auto' is found by judging documents: "
                "give a number, or use PositiveNegativeSelector or compare"
            )
        columns = one_sided(scores)
        k = within(self.k, len(scores))
        df, terms = scores.counts.term_df, code_point_rank(scores.terms)
        lists = [
            interleaved(best(column, df, terms, k), best(-column, df, terms, k), self.ratio, k)
            for column in columns.T
        ]
        return turns(lists, k)

    ranking = ranking_of_choice
    __repr__ = expression_of


@dataclass(frozen=True, slots=True, repr=False)
class SignWeighted:
    """The k best after scores are multiplied by alpha for positive terms and by 1 - alpha for negative ones.

    A term's score is its best over the classes; with two classes the second is the class meant.
    Forman (2003), section 5, and figure 22.
    """

    k: int | None = None
    alpha: float = 0.5
    by_class: ClassVar[bool] = True
    mark: ClassVar[str | None] = None

    def __post_init__(self) -> None:
        check_k_or_all(self.k)
        check_share("alpha", self.alpha)

    def choose(self, scores: Scores) -> Array:
        """The k best, best first."""
        k = within(self.k, len(scores))
        factor = np.where(scores.signs >= 0, self.alpha, 1 - self.alpha)
        weighted = np.abs(class_columns(scores)) * factor
        values = weighted[:, meant(scores)].max(axis=1, initial=0.0)
        return best(values, scores.counts.term_df, scores.terms, k)

    ranking = ranking_of_choice
    __repr__ = expression_of


FAMILY = (PositiveNegative, SignWeighted)
MARKED = (PositiveNegative(ratio=AUTO),)
