"""The greedy search for two classes: only corners of the convex hull can add most.

What a term adds is convex in its two counts, and strictly so but along the line from the origin to the pool,
on which nothing is added. So the best of the points left is a corner of their hull, or none adds anything.

Invariants:
- Points are distinct and in lexicographic order. Level l of the tree parts them into runs of 2^l.
- `chain[s, l, b << l:]` holds the upper (s = 0) or lower (s = 1) hull of the points left in run b, in order,
  as `size[s, l, b]` numbers of points. A run's hull is made of the hulls of its two halves; a deletion
  renews the runs that held the point, one a level.
- Counts are whole multiples of a unit, at most 2^52 of them, so that differences are exact.
  A point that rounding takes for one on an edge is missed by less than gains can tell apart.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from termsift.discrimination._kernel import best, make_scratch, own_parts


@njit(cache=True, nogil=True)
def turn(points, a, b, c):  # type: ignore[no-untyped-def]
    """Above 0 where the way from a over b to c turns left."""
    x, y = points[a, 0], points[a, 1]
    return (points[b, 0] - x) * (points[c, 1] - y) - (points[b, 1] - y) * (points[c, 0] - x)


@njit(cache=True, nogil=True)
def join(points, chain, size, level, run, sign):  # type: ignore[no-untyped-def]
    """Make the hull of a run from those of its halves: Andrew's monotone chain."""
    start, n = run << level, 0
    for half in range(2 * run, min(2 * run + 2, size.shape[1])):
        first = half << (level - 1)
        for j in range(first, first + size[level - 1, half]):
            point = chain[level - 1, j]
            while n > 1:
                end = start + n
                if sign * turn(points, chain[level, end - 2], chain[level, end - 1], point) < 0:
                    break
                n -= 1
            chain[level, start + n] = point
            n += 1
    size[level, run] = n


@njit(cache=True, nogil=True)
def hull_tree(points):  # type: ignore[no-untyped-def]
    """(chain, size) of all points."""
    n = points.shape[0]
    levels = 1
    while 1 << (levels - 1) < n:
        levels += 1
    chain = np.empty((2, levels, n), dtype=np.int32)
    size = np.zeros((2, levels, n), dtype=np.int32)
    for side in range(2):
        chain[side, 0] = np.arange(n)
        size[side, 0] = 1
        for level in range(1, levels):
            for run in range((n + (1 << level) - 1) >> level):
                join(points, chain[side], size[side], level, run, 1 - 2 * side)
    return chain, size


@njit(cache=True, nogil=True)
def delete(points, chain, size, point):  # type: ignore[no-untyped-def]
    """Take a point out of every run that holds it."""
    for side in range(2):
        size[side, 0, point] = 0
        for level in range(1, size.shape[1]):
            join(points, chain[side], size[side], level, point >> level, 1 - 2 * side)


@njit(cache=True, nogil=True)
def corners(chain, size, out):  # type: ignore[no-untyped-def]
    """Put the corners of the whole hull into `out`. Returns how many there are."""
    upper, lower = size[0, -1, 0], size[1, -1, 0]
    out[:upper] = chain[0, -1, :upper]
    # both chains begin and end alike
    inner = max(lower - 2, 0)
    out[upper : upper + inner] = chain[1, -1, 1 : 1 + inner]
    return upper + inner


@njit(cache=True, nogil=True)
def greedy_of_two(points, starts, members, place, classes, k):  # type: ignore[no-untyped-def]
    """The first k members in greedy order; fewer where none of those left adds anything."""
    chain, size = hull_tree(points)
    pool, head = classes[0].copy(), starts[:-1].copy()
    places = place[members[head]]
    parts = own_parts(points, classes)
    candidates = np.empty(points.shape[0], dtype=np.int64)
    scratch = make_scratch(points.shape[0], 2)
    out = np.empty(k, dtype=members.dtype)
    n = corners(chain, size, candidates)
    for i in range(k):
        g = best(points, parts, candidates, n, places, pool, classes, scratch)
        if g < 0:
            return out[:i]
        out[i] = members[head[g]]
        pool -= points[g]
        head[g] += 1
        if head[g] < starts[g + 1]:
            places[g] = place[members[head[g]]]
        else:
            delete(points, chain, size, g)
            n = corners(chain, size, candidates)
    return out
