"""p-values: how likely chance alone lifts a term to its score; q-values: the false ones among the best."""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from termsift._typing import Array
from termsift.chance.drawing import POINTS, REACH, Draws, Null, draws, reached, total
from termsift.contingency import Cells

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
