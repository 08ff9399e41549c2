"""The documents of a class that hold a term, drawn at random: which numbers there can be, and how likely.

A pair is a term's df and a class's size. Its arithmetic depends on the pair alone, never on those beside it,
so that a value is the same to the last bit in one process and on a cluster. The numbers of a pair stand one
below the other, those of others beside them: what goes from number to number is done for all pairs at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy.special import xlogy

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array
from termsift.counts import Cells, Counts
from termsift.metrics.effect_sizes import TINY

REACH = 50.0  # numbers beyond, less likely than e^-50 together, are left out
TIE = 1e-9  # scores so near, as a share of them, are equal
MANY = 200  # pairs, from which on sums over all at once are quicker than over one after the other
POINTS = 1 << 18  # of a batch: 2 MB an array
SPAN = 1 << 16  # points of a pair; where there are more numbers, each point stands for some

Null = Callable[[Cells], Array]


def has_whole_documents(counts: Counts) -> bool:
    """Whether documents count as whole ones: of weights there is no drawing."""
    tables = (counts.df, counts.term_df, counts.class_sizes)
    return all(table.dtype.kind in "iu" for table in tables) and float(counts.documents).is_integer()


def reached(values: Array, value: Array | float) -> Array:
    """Whether values are at least as large as another, ties included."""
    room = TIE * np.abs(np.where(np.isfinite(value), value, 0.0))
    return values >= value - room


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Some pairs, each with the numbers that can be drawn: arrays of (points, pairs).

    index : (pairs,) which of the pairs that were asked for
    stride : (pairs,) how far its numbers are apart, 1 but for millions of documents
    cells : of each number; behind a pair's last it is repeated, with no chance
    chance : of each number, 1 in all
    """

    index: Array
    stride: Array
    cells: Cells
    chance: Array

    def places(self, pairs: Array, numbers: Array) -> Array:
        """Where numbers stand among those of their pairs, or the nearest to them."""
        away = (numbers - self.cells.tp[0, pairs]) / self.stride[pairs]
        found: Array = np.clip(np.rint(away), 0, len(self.cells.tp) - 1).astype(np.intp)
        return found

    def values(self, function: Null) -> Array:
        """The scores of the cells, (points, pairs); a function may have a quicker way for all at once."""
        if hasattr(function, "of_draws"):
            known: Array = function.of_draws(self)
            return known
        scores = np.asarray(function(self.cells.once(flat)))
        if bool(np.isnan(scores).any()):
            name = getattr(function, "__name__", "the metric")
            raise InvalidInputError(
                f"{name} gives NaN for cells that chance could give; a metric gives a number for all cells"
            )
        return scores.reshape(self.cells.tp.shape)


def flat(cells: Cells) -> Cells:
    """The cells one after the other."""
    return Cells(cells.tp.ravel(), cells.fp.ravel(), cells.fn.ravel(), cells.tn.ravel())


def draws(df: Array, pos: Array, documents: Array, reach: Array) -> Iterator[Draws]:
    """The numbers that can be drawn for each df and class size, pairs with about as many together.

    reach : numbers are left out whose chance, all together, is below 2 e^-reach
    """
    low, high = likely_range(df, pos, documents, reach)
    stride = np.ceil((high - low + 1) / SPAN)
    length = np.floor((high - low) / stride).astype(np.intp) + 1
    for index in batches(length, pos, documents):
        points = np.arange(length[index].max())[:, None]
        # behind a pair's last number it is repeated
        a = low[index] + stride[index] * np.minimum(points, length[index] - 1)
        fp, fn = df[index] - a, pos[index] - a
        cells = Cells(a, fp, fn, (documents - df)[index] - fn)
        yield Draws(index, stride[index], cells, chances(cells, stride[index], length[index]))


def batches(length: Array, pos: Array, documents: Array) -> Iterator[Array]:
    """Which pairs are drawn together: those of about the same length, class by class, so many as fit."""
    order = np.argsort(-length, kind="stable")
    ascending = -length[order]
    start = 0
    while start < len(order):
        points = int(-ascending[start])
        end = int(np.searchsorted(ascending, -int(0.8 * points), side="right"))
        alike = order[start:end]
        alike = alike[np.lexsort((documents[alike], pos[alike]))]
        step = max(1, POINTS // points)
        yield from (alike[first : first + step] for first in range(0, len(alike), step))
        start = end


def likely_range(df: Array, pos: Array, documents: Array, reach: Array) -> tuple[Array, Array]:
    """The least and the largest number to look at: all there are, or those within reach of the mean.

    By Bernstein's inequality, which holds for draws without return too: Hoeffding (1963), section 6.
    """
    n = np.maximum(documents, 1)
    with_term, in_class = df / n, pos / n
    spread = np.minimum(
        np.minimum(df, documents - df) * in_class * (1 - in_class),
        np.minimum(pos, documents - pos) * with_term * (1 - with_term),
    )
    far = reach / 3 + np.sqrt(reach**2 / 9 + 2 * reach * spread)
    mean = df * in_class
    low = np.maximum(np.maximum(df - (documents - pos), 0), np.ceil(mean - far))
    high = np.minimum(np.minimum(df, pos), np.floor(mean + far))
    return low, np.maximum(low, high)


def chances(cells: Cells, stride: Array, length: Array) -> Array:
    """The chance of each number of a pair, by its ratio to the one before, in logarithms.

    P(a+1) / P(a) = (df - a)(pos - a) / ((a + 1)(N - df - pos + a + 1)); over a stride the ratio in its middle
    stands for all. What is left out counts for nothing, so the chances of a pair sum to 1.
    """
    before = Cells(*(x[:-1] for x in (cells.tp, cells.fp, cells.fn, cells.tn)))
    middle = (stride - 1) / 2 if (stride > 1).any() else 0.0
    logs = np.zeros(cells.tp.shape)
    ratios = logs[1:]
    np.multiply(before.fp - middle, before.fn - middle, out=ratios)
    ratios /= (before.tp + (1 + middle)) * (before.tn + (1 + middle))
    with np.errstate(divide="ignore", invalid="ignore"):  # behind a pair's last number
        np.log(ratios, out=ratios)
    ratios *= stride
    np.copyto(ratios, -np.inf, where=np.arange(1, len(logs))[:, None] >= length)
    run_up(logs)
    logs -= logs.max(axis=0)
    chance = np.exp(logs, out=logs)
    chance /= total(chance)
    return chance


def run_up(values: Array) -> None:
    """Make of the values of each pair their running sums."""
    if values.shape[1] < MANY:
        np.cumsum(values, axis=0, out=values)
        return
    for before, own in pairwise(values):
        own += before


def total(values: Array) -> Array:
    """The sum of each pair's values, one after the other: zeros behind them change no bit of it."""
    # of a single pair NumPy would add up pieces
    single = values.shape[1] == 1
    sums = np.cumsum(values, axis=0)[-1] if single else np.ascontiguousarray(values).sum(axis=0)
    return np.asarray(sums)


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
        raise InvalidInputError(f"expected must be a number of terms above 0, got {expected!r}")


KEPT = 1000  # the best scores of each class and shuffle; more than these chance terms are not counted


@dataclass(frozen=True, slots=True, eq=False)
class Shuffled:
    """The best scores of each class under shuffled labels; of one class where there is a score per term.

    best : (classes, shuffles, at most 1,000)
    lowest : the same of the negative scores, which speak against a class; None of a two-sided metric
    """

    best: Array
    lowest: Array | None = None

    def number(self, value: float, c: int | None = None, *, against: bool = False) -> float:
        """How many terms reach a value in a shuffle, on average; of one class or of all."""
        own, turned = self._pool(c, against)
        return float(reached(own, turned * value).sum() / self.best.shape[1])

    def floor(self, expected: float, c: int | None = None, *, against: bool = False) -> float:
        """The smallest score that shuffles gave to at most `expected` terms on average.

        Where even the largest was given too often, what is just above it.
        """
        own, turned = self._pool(c, against)
        own = -np.sort(-own)
        found = lowest_within(own, np.ones(len(own)), expected * self.best.shape[1])
        if np.isinf(found) and len(own):
            found = max(float(np.nextafter(own[0], np.inf)), float(own[0] + 2 * TIE * abs(own[0])))
        return turned * found

    def of_class(self, c: int) -> Shuffled:
        """The same of one class."""
        return Shuffled(self.best[[c]], None if self.lowest is None else self.lowest[[c]])

    def _pool(self, c: int | None, against: bool) -> tuple[Array, float]:
        turned = against and self.lowest is not None
        best: Array = self.lowest if turned else self.best  # type: ignore[assignment]
        return (best if c is None else best[c]).ravel(), -1.0 if turned else 1.0


def best_scores(values: Array) -> Array:
    """(classes, at most 1,000) the best scores of each class; (1, ...) where there is one per term."""
    columns = values[None, :] if values.ndim == 1 else values.T
    kept = min(KEPT, columns.shape[1])
    if kept == 0:
        return np.zeros((len(columns), 0))
    best: Array = np.partition(columns, columns.shape[1] - kept, axis=1)[:, columns.shape[1] - kept :]
    return best


EXACT = 30.0  # what is left out is below e^-30 of a p-value
DEEPEST = 800.0  # beyond, chances are below the smallest number there is


def p_values(cells: Cells, function: Null, sided: int) -> Array:
    """P(s(A') >= s) of each cell, s the function's score; ties count, of a relative tolerance of 1e-9.

    Of a one-sided metric a term that speaks against the class has P(s(A') <= s). Chances below the smallest
    number that floats have are 0.
    """
    flat = Cells(*(np.ravel(x).astype(np.float64) for x in (cells.tp, cells.fp, cells.fn, cells.tn)))
    sign = np.where(flat.lean < 0, -1.0, 1.0) if sided == 1 else np.ones(flat.tp.shape)
    pairs, pair_of_cell = distinct_rows(flat.df, flat.pos, flat.documents, needed_reach(flat))
    order = np.argsort(pair_of_cell, kind="stable")
    first = np.searchsorted(pair_of_cell[order], np.arange(len(pairs[0]) + 1))
    p = np.zeros(len(sign))
    for batch in draws(*pairs):
        null = batch.values(function)
        times = first[batch.index + 1] - first[batch.index]
        pair_of_own = np.repeat(np.arange(len(times)), times)
        before = np.cumsum(times) - times
        which = order[(first[batch.index] - before)[pair_of_own] + np.arange(len(pair_of_own))]
        step = max(1, POINTS // len(null))
        for start in range(0, len(which), step):
            own, some = which[start : start + step], pair_of_own[start : start + step]
            p[own] = tails(batch, null, some, flat.tp[own], sign[own])
    return np.minimum(p, 1.0).reshape(np.shape(cells.tp))


def tails(batch: Draws, null: Array, pairs: Array, tp: Array, sign: Array) -> Array:
    """The chance of each pair's numbers that score as one of them does; with sign -1, as low."""
    scores = np.take(null, pairs, axis=1) * sign
    own = scores[batch.places(pairs, tp), np.arange(len(pairs))]
    return total(np.take(batch.chance, pairs, axis=1) * reached(scores, own))


def needed_reach(cells: Cells) -> Array:
    """How far to look for the p-value of a cell: beyond the cell itself, which is about e^-(g2/2) likely.

    It is a step of a ladder, so that cells of the same df and class share their numbers.
    """
    n = np.maximum(cells.documents, 1)
    without = cells.fn + cells.tn
    surprise = np.zeros(cells.tp.shape)
    for cell, row, column in (
        (cells.tp, cells.df, cells.pos),
        (cells.fp, cells.df, cells.neg),
        (cells.fn, without, cells.pos),
        (cells.tn, without, cells.neg),
    ):
        expected = row * (column / n)
        surprise += xlogy(cell, np.where(expected > 0, cell / np.where(expected > 0, expected, 1), 1))
    steps = np.ceil(np.log2(np.maximum((surprise + EXACT) / REACH, 1)))
    return np.minimum(REACH * 2**steps, DEEPEST)


def distinct_rows(*columns: Array) -> tuple[list[Array], Array]:
    """The distinct rows of some columns, and for each row the place of its like among them."""
    order = np.lexsort(columns)
    ordered = [column[order] for column in columns]
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.any([column[1:] != column[:-1] for column in ordered], axis=0)
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.cumsum(new) - 1
    return [column[new] for column in ordered], place


def adjusted(p: Array) -> Array:
    """The q-values of p-values: the share of false discoveries expected among those at most as large.

    Benjamini and Hochberg (1995).

    >>> adjusted(np.array([0.01, 0.02, 0.04, 0.5]))
    array([0.04      , 0.04      , 0.05333333, 0.5       ])
    """
    values, place, times = np.unique(p, return_inverse=True, return_counts=True)
    return adjusted_distinct(values, times)[place.reshape(np.shape(p))]


def adjusted_distinct(p: Array, times: Array) -> Array:
    """The q-values of ascending p-values, each of which there are so many."""
    rank = np.cumsum(times)
    q = p * rank[-1] / rank if len(p) else np.zeros(0)
    falling: Array = np.minimum.accumulate(np.minimum(q, 1.0)[::-1])[::-1]
    return falling
