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

from termsift.discrimination._greedy_kernel import NOTHING, best_candidate, mix_others, own_parts
from termsift.machine.compiled import njit


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
        hulls, sizes = chain[side], size[side]
        hulls[0] = np.arange(n)
        sizes[0] = 1
        for level in range(1, levels):
            for run in range((n + (1 << level) - 1) >> level):
                join(points, hulls, sizes, level, run, 1 - 2 * side)
    return chain, size


@njit(cache=True, nogil=True)
def is_in(chain, size, level, point):  # type: ignore[no-untyped-def]
    """Whether a point is in the hull of its run, by bisection."""
    run = point >> level
    low = run << level
    high = low + size[level, run]
    while low < high:
        middle = (low + high) >> 1
        if chain[level, middle] == point:
            return True
        if chain[level, middle] < point:
            low = middle + 1
        else:
            high = middle
    return False


@njit(cache=True, nogil=True)
def delete(points, chain, size, point):  # type: ignore[no-untyped-def]
    """Take a point out of every hull that has it: of the runs from the least to the first without it."""
    for side in range(2):
        hulls, sizes = chain[side], size[side]
        sizes[0, point] = 0
        for level in range(1, size.shape[1]):
            if not is_in(hulls, sizes, level, point):
                break
            join(points, hulls, sizes, level, point >> level, 1 - 2 * side)


@njit(cache=True, nogil=True)
def corners(chain, size, out):  # type: ignore[no-untyped-def]
    """Put the corners of the whole hull into `out`. Returns how many there are."""
    n = 0
    for side in range(2):
        # both chains begin and end alike
        for j in range(side, size[side, -1, 0] - side):
            out[n] = chain[side, -1, j]
            n += 1
    return n


@njit(cache=True, nogil=True)
def bound_two(points, parts, candidates, n, pool, classes, low, high):  # type: ignore[no-untyped-def]
    """`bound` where each class is all there is beside the other: u and v are the shares of the two.

    The rest, (1 - u) log((1 - u) / (1 - v)) - v + u, is (u - v)^2 / 2w for a w between 1 - u and 1 - v: at
    least 0.5 (u - v)^2, and at most 0.56 (u - v)^2 where both shares are below 1/10.
    """
    lengths, _, told = classes
    r1, r2 = pool[0] / lengths[0], pool[1] / lengths[1]
    level = np.log(r1 / r2)
    slope1 = (told[0] * (level + 1) - told[1] * r2 / r1) / lengths[0]
    slope2 = (told[1] * (1 - level) - told[0] * r1 / r2) / lengths[1]
    steepest = max(abs(slope1) * lengths[0], abs(slope2) * lengths[1])
    inverse1, inverse2 = 1 / pool[0], 1 / pool[1]
    for i in range(n):
        g = candidates[i]
        u, v = points[g, 0] * inverse1, points[g, 1] * inverse2
        value = parts[g, 0] - slope1 * points[g, 0] - slope2 * points[g, 1]
        square = (told[0] * r1 + told[1] * r2) * (u - v) ** 2
        rounding = NOTHING * (parts[g, 1] + steepest * parts[g, 2])
        low[i] = value + 0.5 * square - rounding
        high[i] = value + 0.56 * square + rounding if u < 0.1 and v < 0.1 else np.inf


@njit(cache=True, nogil=True)
def greedy_of_two(points, starts, members, place, classes, k):  # type: ignore[no-untyped-def]
    """The first k members in greedy order; fewer where none of those left adds anything."""
    chain, size = hull_tree(points)
    pool, head = classes[0].copy(), starts[:-1].copy()
    places = place[members[head]]
    parts = own_parts(points, classes)
    candidates = np.empty(points.shape[0], dtype=np.int64)
    bounds = (np.empty(points.shape[0]), np.empty(points.shape[0]), np.empty(points.shape[0]))
    pool_of_others, others = np.empty(2), np.empty(2)
    out = np.empty(k, dtype=members.dtype)
    n = corners(chain, size, candidates)
    for i in range(k):
        mix_others(pool, classes[1], pool_of_others)
        bound_two(points, parts, candidates, n, pool, classes, bounds[0], bounds[1])
        g = best_candidate(points, candidates, n, places, bounds, pool, pool_of_others, classes, others)
        if g < 0:
            return out[:i]
        out[i] = members[head[g]]
        for c in range(2):
            pool[c] -= points[g, c]
        head[g] += 1
        if head[g] < starts[g + 1]:
            places[g] = place[members[head[g]]]
        else:
            delete(points, chain, size, g)
            n = corners(chain, size, candidates)
    return out
