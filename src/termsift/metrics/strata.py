"""Whether a term and a class go together within strata: what a confounder explains is left out.

A metric of strata is a sum over them of a few numbers of each 2x2 table, and a function of the sums. Of plain
counts all documents are one stratum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from termsift._typing import Array
from termsift.contingency import Cells, ratio
from termsift.groups import GroupedCounts


@dataclass(frozen=True, slots=True)
class Strata:
    """A metric of strata.

    parts : of the cells of a stratum the numbers to add up, (parts, ...)
    joined : the score of their sums
    p : the p-values of scores
    """

    parts: Callable[[Cells], Array]
    joined: Callable[[Array], Array]
    p: Callable[[Array], Array] | None = None

    def __call__(self, grouped: GroupedCounts) -> Array:
        """(terms, classes) the scores within the groups."""
        shape = len(grouped.terms), len(grouped.classes)
        sums = np.zeros((len(self.parts(one_cell())), *shape))
        for rows, cells in grouped.strata():
            sums[:, rows] += self.parts(cells)
        return self.joined(sums)


def one_cell() -> Cells:
    """Cells of one term and class, to see how many parts there are."""
    return Cells(*np.ones((4, 1)))


def cmh(cells: Cells) -> Array:
    """Cochran, Mantel and Haenszel's z: sum of (A - E) / sqrt(sum of V) over the strata.

    E = pos df / N, V = pos neg df (N - df) / (N^2 (N - 1)). Cochran (1954), Mantel and Haenszel (1959).
    For a single stratum it is cc sqrt((N - 1) / N).

    >>> print(cmh(Cells(*map(np.array, (30., 10., 20., 40.)))).round(4))
    4.062
    """
    return z_of(excess_and_variance(cells))


def mh_odds(cells: Cells) -> Array:
    """The log of Mantel and Haenszel's odds ratio: sum of AD/N / sum of BC/N over the strata.

    If a sum is 0, one half is added to each cell of the informative strata, and a side that this would turn
    around is 0. Mantel and Haenszel (1959).

    >>> print(mh_odds(Cells(*map(np.array, (30., 10., 20., 40.)))).round(4))
    1.7918
    """
    return log_odds_of(products(cells))


def excess_and_variance(cells: Cells) -> Array:
    """A - E and V of a stratum; (AD - BC) / N is A - E without the rounding."""
    n = cells.documents
    spread = cells.pos * cells.neg * cells.df * (n - cells.df)
    return np.stack([ratio(cells.lean, n), ratio(spread, n**2 * np.maximum(n - 1, 0))])


def z_of(sums: Array) -> Array:
    """The sum of excesses in its standard deviations, 0 where nothing can vary."""
    return ratio(sums[0], np.sqrt(sums[1]))


def normal_p(z: Array) -> Array:
    """The chance of a z as far on its side."""
    tail: Array = ndtr(-np.abs(z))
    return tail


def products(cells: Cells) -> Array:
    """AD/N and BC/N of a stratum, and the same of cells with one half more; none of what tells nothing."""
    telling = cells.pos * cells.neg * cells.df * (cells.fn + cells.tn) > 0
    more = cells.smoothed(0.5)
    parts = [(one.tp * one.tn, one.fp * one.fn, one.documents) for one in (cells, more)]
    return np.stack(
        [np.where(telling, ratio(product, n), 0.0) for ad, bc, n in parts for product in (ad, bc)]
    )


def log_odds_of(sums: Array) -> Array:
    """The log of the ratio of the sums, 0 where no stratum tells anything."""
    whole = (sums[0] > 0) & (sums[1] > 0)
    inside, outside = np.where(whole, sums[:2], sums[2:])
    logs = np.log(ratio(inside, outside), out=np.zeros(inside.shape), where=inside > 0)
    # halves never turn a side around
    return np.where(logs * (sums[0] - sums[1]) < 0, 0.0, logs)


CMH = Strata(excess_and_variance, z_of, normal_p)
MH_ODDS = Strata(products, log_odds_of)
