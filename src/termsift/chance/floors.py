"""How many terms chance alone would lift to a score, and the score that no more than a few would reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from termsift._typing import Array
from termsift.chance.drawing import POINTS, REACH, TIE, Null, draws, reached
from termsift.counts import Counts
from termsift.errors import InvalidInput

HELD = 1 << 22  # values that are held; of more, neighbours are one, and a floor good to a millionth of E


@dataclass(frozen=True, slots=True, eq=False)
class Margins:
    """What chance goes by: how many terms there are of each df, and how many classes of each size.

    dfs, terms : the distinct document frequencies, and how many terms have each
    sizes, classes : the distinct sizes of classes, and how many classes have each
    """

    documents: float
    dfs: Array
    terms: Array
    sizes: Array
    classes: Array

    @classmethod
    def of(cls, counts: Counts) -> Margins:
        """The margins of counts."""
        dfs, sizes = tallied(counts.term_df), np.unique(counts.class_sizes, return_counts=True)
        return cls(counts.documents, *dfs, *sizes)

    def of_size(self, size: float) -> Margins:
        """The same of one class alone."""
        return replace(self, sizes=np.array([size]), classes=np.ones(1, dtype=np.int64))


def tallied(dfs: Array) -> tuple[Array, Array]:
    """The distinct document frequencies, ascending, and how many terms have each."""
    if dfs.dtype.kind not in "iu" or dfs.max(initial=0) > 16 * len(dfs):
        return np.unique(dfs, return_counts=True)
    # many terms are in few documents: no sorting
    numbers = np.bincount(dfs)
    distinct = np.flatnonzero(numbers)
    return distinct, numbers[distinct]


def chance_number(margins: Margins, function: Null, value: float, side: int = 0, sided: int = 2) -> float:
    """The sum over terms and classes of P(s(A') >= value), ties included.

    side : 1 of terms that speak for the class alone, -1 of those against it; of a one-sided metric these are
        counted from the lowest score on: P(s(A') <= value)
    """
    turned = -1.0 if side == -1 and sided == 1 else 1.0
    parts = null_scores(margins, function, side, turned)
    return float(sum(chance[reached(values, turned * value)].sum() for values, chance in parts))


def chance_floor(margins: Margins, function: Null, expected: float, side: int = 0, sided: int = 2) -> float:
    """The smallest score that can be attained and that chance alone gives to at most `expected` terms.

    Infinite where there is none, as among few documents. Of the side against, by a one-sided metric, it is
    the largest such score.
    """
    turned = -1.0 if side == -1 and sided == 1 else 1.0
    values, chance, least = np.zeros(0), np.zeros(0), -np.inf
    room, waiting = POINTS, [(values, chance)]
    for more, weight in null_scores(margins, function, side, turned):
        candidates = more >= least
        waiting.append((more[candidates], weight[candidates]))
        if sum(len(some) for some, _ in waiting) > room:
            values, chance, least = highest(waiting, expected)
            waiting, room = [(values, chance)], max(POINTS, 2 * len(values))
    values, chance, least = highest(waiting, expected)
    return turned * lowest_within(values, chance, expected)


def highest(parts: list[tuple[Array, Array]], expected: float) -> tuple[Array, Array, float]:
    """The values that may still be floors and their chances, highest first, and the least such value."""
    values, chance = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    values, chance = without_hopeless(values, chance, expected)
    order = np.argsort(-values, kind="stable")
    values, chance = values[order], chance[order]
    total = np.cumsum(chance)
    first_out = int(np.searchsorted(total, expected, side="right"))
    if first_out == len(values):
        return values, chance, -np.inf
    # what ties with the last that is left stays, to be counted with it
    least = below_ties(values[first_out])
    kept = int(np.searchsorted(-values, -least, side="right"))
    values, chance = values[:kept], chance[:kept]
    if kept > HELD:
        values, chance = lumped(values, chance, total[:kept], expected)
    return values, chance, least


def without_hopeless(values: Array, chance: Array, expected: float) -> tuple[Array, Array]:
    """Without the values below one that by itself has more than the expected chance: no floor is there."""
    heavy = values[chance > expected]
    if not len(heavy):
        return values, chance
    kept = values >= below_ties(heavy.max())
    return values[kept], chance[kept]


def below_ties(value: float) -> float:
    """What is below a value and all that ties with it."""
    return value - 2 * TIE * abs(value)


def lumped(values: Array, chance: Array, total: Array, expected: float) -> tuple[Array, Array]:
    """Runs of values of a millionth of the expected number each, as one: the lowest, and all its chance."""
    run = np.floor(total / (1e-6 * expected))
    first = np.flatnonzero(np.diff(run, prepend=-1))
    last = np.append(first[1:], len(values)) - 1
    return values[last], np.add.reduceat(chance, first)


def lowest_within(values: Array, chance: Array, expected: float) -> float:
    """The last of descending values that, with its ties, has at most the expected chance; else infinity."""
    total = np.cumsum(chance)
    last_tie = np.searchsorted(-values, -(values - TIE * np.abs(values)), side="right") - 1
    within = np.flatnonzero(total[last_tie] <= expected)
    return float(values[within[-1]]) if len(within) else np.inf


def null_scores(margins: Margins, function: Null, side: int, turned: float) -> Iterator[tuple[Array, Array]]:
    """The scores that terms can have, and how many terms have each by chance: two flat arrays per batch.

    Only distinct df and sizes of classes are worked out.
    """
    df, pos = (x.ravel().astype(np.float64) for x in np.meshgrid(margins.dfs, margins.sizes))
    weight = np.outer(margins.classes, margins.terms).ravel()
    n = np.full(len(df), float(margins.documents))
    for batch in draws(df, pos, n, np.full(len(df), REACH)):
        chance = batch.chance * weight[batch.index, None]
        if side:
            chance = np.where(np.sign(batch.cells.lean) == side, chance, 0.0)
        can_be = chance > 0
        yield turned * batch.values(function)[can_be], chance[can_be]


def check_expected(expected: object) -> None:
    """An error unless a number of terms to expect by chance is above 0."""
    if not (isinstance(expected, int | float | np.number) and 0 < expected < np.inf):
        raise InvalidInput(f"expected must be a number of terms above 0, got {expected!r}")
