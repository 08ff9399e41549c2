"""Isoclines: the lines in ROC space on which a metric has one value."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from termsift._typing import Array

# of fp and tp, arrays of one shape
Surface: TypeAlias = Callable[[Array, Array], Array]
HALVINGS = 30


def isocline(surface: Surface, threshold: float, fp: Array, tp: Array) -> list[Array]:
    """The lines between the cells that reach the threshold and those that do not, each (points, 2): fp, tp.

    fp, tp : the columns and rows of the grid on which the surface is looked at, ascending

    Marching squares: a line crosses each edge of the grid whose ends differ, and no other.
    So it parts the cells of the grid exactly, whatever the surface is between them.
    """
    reached = surface(*np.meshgrid(fp, tp)) >= threshold
    numbers, over, under = crossed_edges(reached, fp, tp)
    return joined_lines(reached, numbers, crossings(surface, threshold, over, under))


def crossed_edges(reached: Array, fp: Array, tp: Array) -> tuple[Array, Array, Array]:
    """The numbers of the edges whose ends differ, the end that is reached and the other: (edges, 2) each."""
    rows, columns = reached.shape
    along = np.argwhere(reached[:, 1:] != reached[:, :-1])
    across = np.argwhere(reached[1:] != reached[:-1])
    # an edge is known by its number: those along rows first, then those across
    numbers = np.concatenate([along @ [columns - 1, 1], rows * (columns - 1) + across @ [columns, 1]])
    low = np.concatenate([along, across])
    high = low + np.repeat([[0, 1], [1, 0]], [len(along), len(across)], axis=0)
    is_low = reached[tuple(low.T)][:, None]
    ends = np.where(is_low, low, high), np.where(is_low, high, low)
    over, under = (np.column_stack([fp[at[:, 1]], tp[at[:, 0]]]).astype(np.float64) for at in ends)
    return numbers, over, under


def joined_lines(reached: Array, numbers: Array, points: Array) -> list[Array]:
    """The lines through the points at which the edges of those numbers are crossed."""
    order = np.argsort(numbers, kind="stable")
    pairs = order[np.searchsorted(numbers[order], links(reached))]
    return [points[path] for path in paths(pairs)]


def crossings(
    surface: Surface, threshold: float | Array, over: Array, under: Array, halvings: int = HALVINGS
) -> Array:
    """Where the threshold is met between what reaches it and what does not: by halving.

    Never at an end itself: a cell on the threshold lies beyond the line, by less than can be seen.
    """
    for _ in range(halvings):
        middle = (over + under) / 2
        reached = (surface(*middle.T) >= threshold)[:, None]
        over, under = np.where(reached, middle, over), np.where(reached, under, middle)
    return (over + under) / 2


def links(reached: Array) -> Array:
    """(links, 2): the numbers of the edges that a line enters and leaves a square by.

    A square has none, two or four edges whose ends differ; four are linked below left and above right.
    """
    rows, columns = reached.shape
    along = np.arange(rows * (columns - 1)).reshape(rows, columns - 1)
    across = along.size + np.arange((rows - 1) * columns).reshape(rows - 1, columns)
    differ_along, differ_across = reached[:, 1:] != reached[:, :-1], reached[1:] != reached[:-1]
    edges = np.stack([along[:-1], across[:, :-1], along[1:], across[:, 1:]], axis=-1)
    differ = np.stack(
        [differ_along[:-1], differ_across[:, :-1], differ_along[1:], differ_across[:, 1:]], axis=-1
    )
    pairs: Array = edges[differ].reshape(-1, 2)
    return pairs


def paths(pairs: Array) -> list[list[int]]:
    """The links joined end to end: open lines first, then closed ones. An edge has one link or two."""
    size = int(pairs.max(initial=-1)) + 1
    one, other = [-1] * size, [-1] * size
    for a, b in pairs.tolist():
        (one if one[a] < 0 else other)[a] = b
        (one if one[b] < 0 else other)[b] = a
    edges = list(dict.fromkeys(pairs.ravel().tolist()))
    starts = [edge for edge in edges if other[edge] < 0] + [edge for edge in edges if other[edge] >= 0]
    return [walked(start, one, other) for start in starts if one[start] >= 0]


def walked(start: int, one: list[int], other: list[int]) -> list[int]:
    """The edges from a start on, as far as links go; those that were followed are gone."""
    path, at = [start], start
    while True:
        if other[at] >= 0:
            after, other[at] = other[at], -1
        elif one[at] >= 0:
            after, one[at] = one[at], -1
        else:
            return path
        if one[after] == at:
            one[after] = other[after]
        other[after] = -1
        path.append(after)
        at = after
