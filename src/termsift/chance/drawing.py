"""The documents of a class that hold a term, drawn at random: which numbers there can be, and how likely.

A pair is a term's df and a class's size. Its arithmetic depends on the pair alone, never on those beside it,
so that a value is the same to the last bit in one process and on a cluster. The numbers of a pair stand one
below the other, those of others beside them: what goes from number to number is done for all pairs at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from termsift._typing import Array
from termsift.contingency import Cells
from termsift.counts import Counts
from termsift.errors import InvalidInput

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
            raise InvalidInput(
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
