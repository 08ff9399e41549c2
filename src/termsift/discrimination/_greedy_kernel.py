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

from termsift.machine.compiled import njit

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
