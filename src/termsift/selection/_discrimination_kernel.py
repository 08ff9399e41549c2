"""Compiled loops of the JMH divergence: what terms add to it, and the term that adds most.

By the chain rule of the Kullback-Leibler divergence, to take a term out of the pool of those not chosen adds
    sum over c of R_c kl(u_c, v_c),
R_c the pool's share of class c, u_c the term's share of the pool in c, v_c the same in the other classes,
and kl the divergence of (u, 1 - u) from (v, 1 - v). It is never negative:
theorem 1 of Tang, Kay and He (2016).

Invariants:
- `pool` holds the occurrences, by class, of all terms not chosen; `pool_of_others`, for each class, their
  mixture in the other classes.
- A group is the terms of equal occurrences: `members[starts[g]:starts[g + 1]]`, ascending by place, where
  `place` is the rank by document frequency and term. `head[g]` is the first of them not chosen.
- One function, `gain_of_term`, says what a term adds. Bounds only spare its calls, so they never change
  a choice.
- The lower bound is the part of the gain that is linear in the pool's gradients: phi(n) - slope . n, where
  phi is what the term has on its own. The rest is at most sum R (u - v)^2 / (1 - v), and v is a mean of
  the u. So with the weights bend, at most the sum of u^2, or twice that of (u - mean u)^2, over 1 - max u.
  Where the sum of u^2 is so small that no u can exceed 1/2, that is at most 2.
"""

from __future__ import annotations

import numpy as np

from termsift._internal.kernels import njit

NOTHING = 1e-13  # what rounding can make of no difference between two shares, as a part of them
TIE = 1e-12  # gains that differ by less, as a part of the largest, are equal
LOOSE = 1e-9  # bounds must miss the largest gain by more to spare a call


@njit(cache=True, nogil=True)
def excess(x):  # type: ignore[no-untyped-def]
    """(1 + x) log(1 + x) - x, to full precision near 0 as well, by its series."""
    if x <= -1:
        return 1.0
    if abs(x) > 0.03:
        return (1 + x) * np.log1p(x) - x
    if abs(x) < 1e-3:
        return x * x * (1 / 2 - x * (1 / 6 - x * (1 / 12 - x * (1 / 20 - x * (1 / 30)))))
    total = 0.0
    for k in range(12, 1, -1):
        total = 1.0 / (k * (k - 1)) - x * total
    return total * x * x


@njit(cache=True, nogil=True)
def mix_others(occurrences, mixing, out):  # type: ignore[no-untyped-def]
    """For each class the mixture of the other classes, as sums without differences."""
    after = 0.0
    for c in range(out.size - 1, -1, -1):
        out[c] = after
        after += mixing[c] * occurrences[c]
    before = 0.0
    for c in range(out.size):
        out[c] += before
        before += mixing[c] * occurrences[c]


@njit(cache=True, nogil=True)
def gain_of_term(occurrences, pool, pool_of_others, classes, others):  # type: ignore[no-untyped-def]
    """What a term of the pool adds to the divergence when chosen. `others` is scratch, one per class."""
    lengths, mixing, told = classes
    mix_others(occurrences, mixing, others)
    total = 0.0
    for c in range(pool.size):
        whole = occurrences[c] * pool_of_others[c]
        difference = whole - pool[c] * others[c]
        if not told[c] or abs(difference) <= NOTHING * whole:
            continue
        v = others[c] / pool_of_others[c]
        d = difference / (pool[c] * pool_of_others[c])
        total += pool[c] / lengths[c] * (v * excess(d / v) + (1 - v) * excess(-d / (1 - v)))
    return total


@njit(cache=True, nogil=True)
def gains_along(occurrences, ranking, classes):  # type: ignore[no-untyped-def]
    """What each term of a ranking adds after those before it, and the pool that is left."""
    pool = classes[0].copy()
    pool_of_others, others = np.empty(pool.size), np.empty(pool.size)
    out = np.empty(ranking.size)
    for i in range(ranking.size):
        mix_others(pool, classes[1], pool_of_others)
        out[i] = gain_of_term(occurrences[ranking[i]], pool, pool_of_others, classes, others)
        pool -= occurrences[ranking[i]]
    return out, pool


@njit(cache=True, nogil=True)
def gains_next(occurrences, terms, pool, classes):  # type: ignore[no-untyped-def]
    """What each of some terms of the pool would add if it were the next to be chosen."""
    pool_of_others, others = np.empty(pool.size), np.empty(pool.size)
    mix_others(pool, classes[1], pool_of_others)
    out = np.empty(terms.size)
    for i in range(out.size):
        out[i] = gain_of_term(occurrences[terms[i]], pool, pool_of_others, classes, others)
    return out


@njit(cache=True, nogil=True)
def own_parts(points, classes):  # type: ignore[no-untyped-def]
    """For each point: phi = sum p log(p/q) over the classes told, sum p abs(log(p/q)), and sum p."""
    lengths, mixing, told = classes
    others, all_others = np.empty(lengths.size), np.empty(lengths.size)
    mix_others(lengths, mixing, all_others)
    out = np.zeros((points.shape[0], 3))
    for g in range(points.shape[0]):
        mix_others(points[g], mixing, others)
        for c in range(lengths.size):
            p = points[g, c] / lengths[c]
            out[g, 2] += p
            if told[c]:
                part = p * np.log(p / (others[c] / all_others[c]))
                out[g, 0] += part
                out[g, 1] += abs(part)
    return out


@njit(cache=True, nogil=True)
def set_slopes(pool, pool_of_others, classes, room):  # type: ignore[no-untyped-def]
    """The coefficients of the bounds. Returns 1 / sum of bend, the least bend, the largest slope * length."""
    lengths, mixing, told = classes
    slope, bend, pull, scratch = room
    for c in range(pool.size):
        pull[c] = pool[c] / lengths[c] / pool_of_others[c]
    mix_others(lengths, mixing, scratch)
    for c in range(pool.size):
        slope[c] = (np.log(pull[c] * scratch[c]) + 1) / lengths[c] if told[c] else 0.0
    mix_others(told, pull, scratch)
    whole, least, steepest = 0.0, np.inf, 0.0
    for k in range(pool.size):
        slope[k] -= mixing[k] * scratch[k]
        bend[k] = pool[k] * (mixing[k] * scratch[k] + told[k] / lengths[k])
        whole += bend[k]
        least = min(least, bend[k])
        steepest = max(steepest, abs(slope[k]) * lengths[k])
    return 1 / whole, least, steepest


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def bound(points, parts, candidates, n, pool, room, limits, low, high):  # type: ignore[no-untyped-def]
    """Bounds of the gains of n candidates, wide enough for the rounding of both."""
    slope, bend, inverse = room[0], room[1], room[2]
    share, least, steepest = limits
    for k in range(pool.size):
        inverse[k] = 1 / pool[k]
    for i in range(n):
        g = candidates[i]
        line, mean, square = 0.0, 0.0, 0.0
        for k in range(pool.size):
            x = points[g, k]
            u = x * inverse[k]
            line += slope[k] * x
            mean += bend[k] * u
            square += bend[k] * u * u
        value = parts[g, 0] - line
        rest = min(square, 2 * (square - mean * mean * share)) + LOOSE * square
        rounding = NOTHING * (parts[g, 1] + steepest * parts[g, 2])
        low[i] = value - rounding
        high[i] = value + 2 * rest + rounding if 4 * square < least else np.inf


@njit(cache=True, nogil=True)
def best_candidate(points, candidates, n, places, bounds, pool, pool_of_others, classes, others):  # type: ignore[no-untyped-def]
    """The candidate of largest gain, of those that tie the one of least place; -1 where no one adds anything.

    bounds : low and high, one a candidate, and room for as many gains
    """
    low, high, values = bounds
    promising, lowest = 0, low[0]
    for i in range(1, n):
        if low[i] > lowest:
            promising, lowest = i, low[i]
    rivals = 0
    for i in range(n):
        rivals += high[i] >= lowest * (1 - LOOSE)
    if rivals == 1 and lowest > 0:
        return candidates[promising]
    largest = gain_of_term(points[candidates[promising]], pool, pool_of_others, classes, others)
    for i in range(n):
        values[i] = -1.0
        if high[i] >= largest * (1 - LOOSE):
            values[i] = gain_of_term(points[candidates[i]], pool, pool_of_others, classes, others)
            largest = max(largest, values[i])
    if largest == 0:
        return -1
    chosen = -1
    for i in range(n):
        g = candidates[i]
        if values[i] >= largest * (1 - TIE) and (chosen < 0 or places[g] < places[chosen]):
            chosen = g
    return chosen


@njit(cache=True, nogil=True)
def greedy(points, starts, members, place, classes, k):  # type: ignore[no-untyped-def]
    """The first k members in greedy order; fewer where none of those left adds anything."""
    n = points.shape[0]
    pool, head = classes[0].copy(), starts[:-1].copy()
    places = place[members[head]]
    live = np.arange(n)
    parts = own_parts(points, classes)
    low, high, values = np.empty(n), np.empty(n), np.empty(n)
    pool_of_others, others = np.empty(pool.size), np.empty(pool.size)
    room = (np.empty(pool.size), np.empty(pool.size), np.empty(pool.size), np.empty(pool.size))
    out = np.empty(k, dtype=members.dtype)
    for i in range(k):
        mix_others(pool, classes[1], pool_of_others)
        limits = set_slopes(pool, pool_of_others, classes, room)
        bound(points, parts, live, n, pool, room, limits, low, high)
        bounds = (low, high, values)
        g = best_candidate(points, live, n, places, bounds, pool, pool_of_others, classes, others)
        if g < 0:
            return out[:i]
        out[i] = members[head[g]]
        pool -= points[g]
        head[g] += 1
        if head[g] < starts[g + 1]:
            places[g] = place[members[head[g]]]
            continue
        at = np.searchsorted(live[:n], g)
        live[at : n - 1] = live[at + 1 : n]
        n -= 1
    return out


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
