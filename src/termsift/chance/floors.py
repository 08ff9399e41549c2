"""How many terms chance alone would lift to a score, and the score that no more than a few would reach."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from termsift._typing import Array
from termsift.chance.drawing import POINTS, REACH, TIE, Draws, Null, draws, reached
from termsift.contingency.effects import TINY
from termsift.counts import Counts
from termsift.errors import InvalidInput

BINS = 1 << 12  # and so many values at most are sorted
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
    return chance_floors(margins, [FloorSearch(function, expected, side, sided)])[0]


def chance_floors(margins: Margins, searches: Sequence[FloorSearch]) -> list[float]:
    """The floors of several metrics or sides: what can be drawn is worked out once for all of them."""
    for batch, chance in weighted_draws(margins):
        scores: dict[int, Array] = {}
        for search in searches:
            own = id(search.function)
            if own not in scores:
                scores[own] = batch.values(search.function)
            search.take(scores[own], chance if not search.side else on_side(batch, chance, search.side))
    return [search.floor for search in searches]


class FloorSearch:
    """A floor that is looked for, and the scores so far that may be it."""

    def __init__(self, function: Null, expected: float, side: int = 0, sided: int = 2) -> None:
        self.function, self.expected, self.side = function, expected, side
        self.turned = -1.0 if side == -1 and sided == 1 else 1.0
        self.least, self.room, self.waiting = -np.inf, POINTS, [(np.zeros(0), np.zeros(0))]

    def take(self, values: Array, chance: Array) -> None:
        """Look at more scores, with their chances."""
        values = self.turned * values
        candidates = (chance > 0) & (values >= self.least)
        self.waiting.append((values[candidates], chance[candidates]))
        if sum(len(some) for some, _ in self.waiting) > self.room:
            values, chance = self._seen()
            self.least = below_ties(passed_between(values, chance, self.expected)[0])
            kept = values >= self.least
            values, chance = values[kept], chance[kept]
            if len(values) > HELD:
                values, chance = lumped(values, chance, self.expected)
            self.waiting, self.room = [(values, chance)], max(POINTS, 2 * len(values))

    @property
    def floor(self) -> float:
        """The floor, when all scores are seen."""
        values, chance = near_floor(*self._seen(), self.expected)
        order = np.argsort(-values, kind="stable")
        return self.turned * lowest_within(values[order], chance[order], self.expected)

    def _seen(self) -> tuple[Array, Array]:
        values, chance = (np.concatenate(arrays) for arrays in zip(*self.waiting, strict=True))
        return values, chance


def passed_between(values: Array, chance: Array, expected: float) -> tuple[float, float]:
    """Two values, not far apart, between which the chances from the highest on pass the expected number.

    Nothing is sorted: values are put into bins, and those of the bin where it is passed into bins again.
    Infinite below where it never is.
    """
    finite, above = np.isfinite(values), 0.0
    if not finite.all():
        above = float(chance[values == np.inf].sum())
        values, chance = values[finite], chance[finite]
    if above > expected:
        return np.inf, np.inf
    if above + chance.sum() <= expected:
        return -np.inf, -np.inf
    while True:
        low, high = values.min(), values.max()
        width = (high - low) / (BINS - 1)
        if len(values) <= BINS or not TINY < width < np.inf:
            return float(low), float(high)
        bins = ((values - low) / width).astype(np.intp)
        down = above + np.cumsum(np.bincount(bins, weights=chance, minlength=BINS)[::-1])
        passed = min(int(np.searchsorted(down, expected, side="right")), BINS - 1)
        above = down[passed - 1] if passed else above
        inside = bins == BINS - 1 - passed
        values, chance = values[inside], chance[inside]


def near_floor(values: Array, chance: Array, expected: float) -> tuple[Array, Array]:
    """The values near the floor: all far above count as one, the lowest of them; those far below are out."""
    low, high = passed_between(values, chance, expected)
    beyond = values > -below_ties(-high)
    near = (values >= below_ties(low)) & ~beyond
    if not beyond.any():
        return values[near], chance[near]
    return np.append(values[near], values[beyond].min()), np.append(chance[near], chance[beyond].sum())


def below_ties(value: float) -> float:
    """What is below a value and all that ties with it."""
    return value - 2 * TIE * abs(value) if np.isfinite(value) else value


def lumped(values: Array, chance: Array, expected: float) -> tuple[Array, Array]:
    """Runs of values of a millionth of the expected number each, as one: the lowest, and all its chance."""
    order = np.argsort(-values, kind="stable")
    values, chance = values[order], chance[order]
    run = np.floor(np.cumsum(chance) / (1e-6 * expected))
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
    """The scores that terms can have, and how many terms have each by chance: two flat arrays per batch."""
    for batch, chance in weighted_draws(margins):
        chance = chance if not side else on_side(batch, chance, side)
        can_be = chance > 0
        yield turned * batch.values(function)[can_be], chance[can_be]


def on_side(batch: Draws, chance: Array, side: int) -> Array:
    """The chances of what speaks for the class, or against it; 0 of the rest."""
    return np.where(np.sign(batch.cells.lean) == side, chance, 0.0)


def weighted_draws(margins: Margins) -> Iterator[tuple[Draws, Array]]:
    """What can be drawn, and how many terms would draw each; only distinct df and sizes are worked out."""
    df, pos = (x.ravel().astype(np.float64) for x in np.meshgrid(margins.dfs, margins.sizes))
    weight = np.outer(margins.classes, margins.terms).ravel()
    n = np.full(len(df), float(margins.documents))
    for batch in draws(df, pos, n, np.full(len(df), REACH)):
        yield batch, batch.chance * weight[batch.index]


def check_expected(expected: object) -> None:
    """An error unless a number of terms to expect by chance is above 0."""
    if not (isinstance(expected, int | float | np.number) and 0 < expected < np.inf):
        raise InvalidInput(f"expected must be a number of terms above 0, got {expected!r}")
