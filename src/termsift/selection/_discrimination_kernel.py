"""Kernels of the JMH divergence: gains of terms, and greedy selection by the largest gain.

By the chain rule of the Kullback-Leibler divergence, taking a term out of the pool of unchosen terms adds
    sum over c of R_c kl(u_c, v_c),
where R_c is the pool's share of class c, u_c the term's share of the pool in c, v_c the same in the mixture
of the other classes, and kl the divergence of (u, 1 - u) from (v, 1 - v). It is never negative: theorem 1 of
Tang, Kay and He (2016).

Invariants:
- `pool` has the occurrences per class of all terms not chosen; `contrast_pool`, for each class, their mixture
  in the other classes.
- A group consists of the terms with equal occurrences: `members[starts[g]:starts[g + 1]]`, ascending by
  `tie_rank`, the rank by document frequency and term. `next_member[g]` is the first of them not chosen.
- Only `term_gain` computes gains. Bounds save calls of it and never change a choice.
- The lower bound is the part of the gain that is linear in the pool's gradients: phi(n) - slope . n, where
  phi depends on the term alone. The remainder is at most sum R (u - v)^2 / (1 - v), and v is a mean of the
  u. So with the weights `bend` it is at most the sum of u^2, or twice that of (u - mean u)^2, over 1 - max u.
  If the sum of u^2 is so small that no u can exceed 1/2, then 1 / (1 - max u) is at most 2.
"""

from __future__ import annotations

import numpy as np

from termsift._internal.kernels import njit

ROUNDING = 1e-13  # relative difference between two equal shares that rounding can cause
TIE = 1e-12  # gains closer than this, relative to the largest, are equal
SLACK = 1e-9  # relative distance from the largest gain at which a bound excludes a candidate


@njit(cache=True, nogil=True)
def kl_div1p(x):  # type: ignore[no-untyped-def]
    """Return (1 + x) log(1 + x) - x to full precision, near 0 by its series."""
    if x <= -1:
        return 1.0
    if abs(x) > 0.03:
        return (1 + x) * np.log1p(x) - x
    # the terms of the formula above cancel near 0; the series does not, and needs few terms for tiny x
    if abs(x) < 1e-3:
        return x * x * (1 / 2 - x * (1 / 6 - x * (1 / 12 - x * (1 / 20 - x * (1 / 30)))))
    total = 0.0
    for k in range(12, 1, -1):
        total = 1.0 / (k * (k - 1)) - x * total
    return total * x * x


@njit(cache=True, nogil=True)
def mix_other_classes(occurrences, mixing, out):  # type: ignore[no-untyped-def]
    """Set `out[c]` to the mixture of all classes except c, as sums without cancellation."""
    after = 0.0
    for c in range(out.size - 1, -1, -1):
        out[c] = after
        after += mixing[c] * occurrences[c]
    before = 0.0
    for c in range(out.size):
        out[c] += before
        before += mixing[c] * occurrences[c]


@njit(cache=True, nogil=True)
def term_gain(occurrences, pool, contrast_pool, classes, contrast):  # type: ignore[no-untyped-def]
    """Return the increase of the divergence when a term is chosen. `contrast` is scratch space."""
    lengths, mixing, is_contrasted = classes
    mix_other_classes(occurrences, mixing, contrast)
    total = 0.0
    for c in range(pool.size):
        scaled_count = occurrences[c] * contrast_pool[c]
        difference = scaled_count - pool[c] * contrast[c]
        if not is_contrasted[c] or abs(difference) <= ROUNDING * scaled_count:
            continue
        v = contrast[c] / contrast_pool[c]
        d = difference / (pool[c] * contrast_pool[c])
        total += pool[c] / lengths[c] * (v * kl_div1p(d / v) + (1 - v) * kl_div1p(-d / (1 - v)))
    return total


@njit(cache=True, nogil=True)
def ranking_gains(occurrences, ranking, n_chosen, classes):  # type: ignore[no-untyped-def]
    """Return the gain of each ranked term: of the first `n_chosen` in turn, of the others if it came next."""
    pool = classes[0].copy()
    contrast_pool, contrast = np.empty(pool.size), np.empty(pool.size)
    out = np.empty(ranking.size)
    for i in range(ranking.size):
        # the pool changes only while terms are chosen
        if i <= n_chosen:
            mix_other_classes(pool, classes[1], contrast_pool)
        out[i] = term_gain(occurrences[ranking[i]], pool, contrast_pool, classes, contrast)
        if i < n_chosen:
            pool -= occurrences[ranking[i]]
    return out


@njit(cache=True, nogil=True)
def divergence_sums(points, classes):  # type: ignore[no-untyped-def]
    """Return for each point phi = sum p log(p/q) over contrasted classes, sum p abs(log(p/q)), and sum p."""
    lengths, mixing, is_contrasted = classes
    contrast, contrast_lengths = np.empty(lengths.size), np.empty(lengths.size)
    mix_other_classes(lengths, mixing, contrast_lengths)
    out = np.zeros((points.shape[0], 3))
    for g in range(points.shape[0]):
        mix_other_classes(points[g], mixing, contrast)
        for c in range(lengths.size):
            p = points[g, c] / lengths[c]
            out[g, 2] += p
            if is_contrasted[c]:
                divergence = p * np.log(p / (contrast[c] / contrast_lengths[c]))
                out[g, 0] += divergence
                out[g, 1] += abs(divergence)
    return out


@njit(cache=True, nogil=True)
def set_bound_coefficients(pool, contrast_pool, classes, coefficients):  # type: ignore[no-untyped-def]
    """Set coefficients of the bounds. Return 1 / sum of bend, smallest bend, largest slope * length."""
    lengths, mixing, is_contrasted = classes
    slope, bend, pull, scratch = coefficients
    pull[:] = pool / lengths / contrast_pool
    mix_other_classes(lengths, mixing, scratch)
    for c in range(pool.size):
        slope[c] = (np.log(pull[c] * scratch[c]) + 1) / lengths[c] if is_contrasted[c] else 0.0
    mix_other_classes(is_contrasted, pull, scratch)
    total_bend, min_bend, max_slope = 0.0, np.inf, 0.0
    for k in range(pool.size):
        slope[k] -= mixing[k] * scratch[k]
        bend[k] = pool[k] * (mixing[k] * scratch[k] + is_contrasted[k] / lengths[k])
        total_bend += bend[k]
        min_bend = min(min_bend, bend[k])
        max_slope = max(max_slope, abs(slope[k]) * lengths[k])
    return 1 / total_bend, min_bend, max_slope


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def bound_gains(points, sums, candidates, n, pool, coefficients, limits, low, high):  # type: ignore[no-untyped-def]
    """Set lower and upper bounds of the gains of n candidates, widened by the rounding errors of both."""
    slope, bend, inverse = coefficients[0], coefficients[1], coefficients[2]
    share, min_bend, max_slope = limits
    inverse[:] = 1 / pool
    for i in range(n):
        g = candidates[i]
        linear, mean, square = 0.0, 0.0, 0.0
        for k in range(pool.size):
            x = points[g, k]
            u = x * inverse[k]
            linear += slope[k] * x
            mean += bend[k] * u
            square += bend[k] * u * u
        value = sums[g, 0] - linear
        curvature = min(square, 2 * (square - mean * mean * share)) + SLACK * square
        rounding = ROUNDING * (sums[g, 1] + max_slope * sums[g, 2])
        low[i] = value - rounding
        high[i] = value + 2 * curvature + rounding if 4 * square < min_bend else np.inf


@njit(cache=True, nogil=True)
def best_candidate(points, candidates, n, head_ranks, bounds, pool, contrast_pool, classes, contrast):  # type: ignore[no-untyped-def]
    """Return the candidate with the largest gain, or -1 if no candidate has a positive gain.

    Ties go to the lowest rank. `bounds` holds low and high for each candidate, and space for the gains.
    """
    low, high, values = bounds
    promising = low[:n].argmax()
    # if only one upper bound reaches the best lower bound, no gain needs to be computed
    n_rivals = np.count_nonzero(high[:n] >= low[promising] * (1 - SLACK))
    if n_rivals == 1 and low[promising] > 0:
        return candidates[promising]
    largest = term_gain(points[candidates[promising]], pool, contrast_pool, classes, contrast)
    for i in range(n):
        values[i] = -1.0
        if high[i] >= largest * (1 - SLACK):
            values[i] = term_gain(points[candidates[i]], pool, contrast_pool, classes, contrast)
            largest = max(largest, values[i])
    if largest == 0:
        return -1
    # gains within TIE of the largest count as equal, so that rounding does not decide
    chosen = -1
    for i in range(n):
        g = candidates[i]
        if values[i] >= largest * (1 - TIE) and (chosen < 0 or head_ranks[g] < head_ranks[chosen]):
            chosen = g
    return chosen


@njit(cache=True, nogil=True)
def rank_terms_many_classes(points, starts, members, tie_rank, classes, k):  # type: ignore[no-untyped-def]
    """Return the first k members in greedy order, or fewer if no remaining member has a positive gain."""
    n = points.shape[0]
    pool, next_member = classes[0].copy(), starts[:-1].copy()
    head_ranks = tie_rank[members[next_member]]
    live = np.arange(n)
    sums = divergence_sums(points, classes)
    bounds = (np.empty(n), np.empty(n), np.empty(n))
    contrast_pool, contrast = np.empty(pool.size), np.empty(pool.size)
    scratch_rows = (np.empty(pool.size), np.empty(pool.size), np.empty(pool.size), np.empty(pool.size))
    out = np.empty(k, dtype=members.dtype)
    for i in range(k):
        mix_other_classes(pool, classes[1], contrast_pool)
        limits = set_bound_coefficients(pool, contrast_pool, classes, scratch_rows)
        bound_gains(points, sums, live, n, pool, scratch_rows, limits, bounds[0], bounds[1])
        g = best_candidate(points, live, n, head_ranks, bounds, pool, contrast_pool, classes, contrast)
        if g < 0:
            return out[:i]
        out[i] = members[next_member[g]]
        pool -= points[g]
        next_member[g] += 1
        if next_member[g] < starts[g + 1]:
            head_ranks[g] = tie_rank[members[next_member[g]]]
            continue
        # all members of the group are chosen: remove it, keeping `live` sorted
        position = np.searchsorted(live[:n], g)
        live[position : n - 1] = live[position + 1 : n]
        n -= 1
    return out


@njit(cache=True, nogil=True)
def merge_hulls(points, chain, size, level, block, sign):  # type: ignore[no-untyped-def]
    """Build the hull of a block from those of its two halves (Andrew's monotone chain)."""
    start, n = block << level, 0
    for half in range(2 * block, min(2 * block + 2, size.shape[1])):
        first = half << (level - 1)
        for j in range(first, first + size[level - 1, half]):
            point = chain[level - 1, j]
            # `turn` is positive if the path over the last two points to the new one turns left
            while n > 1:
                a, b = chain[level, start + n - 2], chain[level, start + n - 1]
                x, y = points[a, 0], points[a, 1]
                turn = (points[b, 0] - x) * (points[point, 1] - y) - (points[b, 1] - y) * (
                    points[point, 0] - x
                )
                if sign * turn < 0:
                    break
                n -= 1
            chain[level, start + n] = point
            n += 1
    size[level, block] = n


@njit(cache=True, nogil=True)
def build_hull_tree(points):  # type: ignore[no-untyped-def]
    """Return the lower and upper hulls (chain, size) of all blocks of 1, 2, 4, ... points."""
    n = points.shape[0]
    levels = 1
    while 1 << (levels - 1) < n:
        levels += 1
    chain = np.empty((2, levels, n), dtype=np.int32)
    size = np.zeros((2, levels, n), dtype=np.int32)
    for chain_index in range(2):
        hulls, sizes = chain[chain_index], size[chain_index]
        hulls[0] = np.arange(n)
        sizes[0] = 1
        for level in range(1, levels):
            for block in range((n + (1 << level) - 1) >> level):
                merge_hulls(points, hulls, sizes, level, block, 1 - 2 * chain_index)
    return chain, size


@njit(cache=True, nogil=True)
def remove_point(points, chain, size, point):  # type: ignore[no-untyped-def]
    """Remove a point from every hull that contains it, from the smallest block up to the first without it."""
    for chain_index in range(2):
        hulls, sizes = chain[chain_index], size[chain_index]
        sizes[0, point] = 0
        for level in range(1, size.shape[1]):
            # the points of a hull are sorted; blocks that contain this one lack the point as well
            first = point >> level << level
            hull = hulls[level, first : first + sizes[level, point >> level]]
            position = np.searchsorted(hull, point)
            if position == hull.size or hull[position] != point:
                break
            merge_hulls(points, hulls, sizes, level, point >> level, 1 - 2 * chain_index)


@njit(cache=True, nogil=True)
def collect_corners(chain, size, out):  # type: ignore[no-untyped-def]
    """Write the corners of the hull of all points into `out`. Return their number."""
    n = 0
    for chain_index in range(2):
        # both hulls share their first and last point
        for j in range(chain_index, size[chain_index, -1, 0] - chain_index):
            out[n] = chain[chain_index, -1, j]
            n += 1
    return n


@njit(cache=True, nogil=True)
def bound_gains_two_classes(points, sums, candidates, n, pool, classes, low, high):  # type: ignore[no-untyped-def]
    """Set bounds as `bound_gains` does, for two classes: u and v are the shares of the pool in each.

    The remainder (1 - u) log((1 - u) / (1 - v)) - v + u is (u - v)^2 / 2w for a w between 1 - u and 1 - v:
    at least 0.5 (u - v)^2, and at most 0.56 (u - v)^2 if both shares are below 1/10.
    """
    lengths, _, is_contrasted = classes
    r1, r2 = pool[0] / lengths[0], pool[1] / lengths[1]
    level = np.log(r1 / r2)
    slope1 = (is_contrasted[0] * (level + 1) - is_contrasted[1] * r2 / r1) / lengths[0]
    slope2 = (is_contrasted[1] * (1 - level) - is_contrasted[0] * r1 / r2) / lengths[1]
    max_slope = max(abs(slope1) * lengths[0], abs(slope2) * lengths[1])
    inverse1, inverse2 = 1 / pool[0], 1 / pool[1]
    for i in range(n):
        g = candidates[i]
        u, v = points[g, 0] * inverse1, points[g, 1] * inverse2
        value = sums[g, 0] - slope1 * points[g, 0] - slope2 * points[g, 1]
        square = (is_contrasted[0] * r1 + is_contrasted[1] * r2) * (u - v) ** 2
        rounding = ROUNDING * (sums[g, 1] + max_slope * sums[g, 2])
        low[i] = value + 0.5 * square - rounding
        high[i] = value + 0.56 * square + rounding if u < 0.1 and v < 0.1 else np.inf


@njit(cache=True, nogil=True)
def rank_terms_two_classes(points, starts, members, tie_rank, classes, k):  # type: ignore[no-untyped-def]
    """Return the first k members in greedy order; the largest gain is at a corner of the convex hull."""
    chain, size = build_hull_tree(points)
    pool, next_member = classes[0].copy(), starts[:-1].copy()
    head_ranks = tie_rank[members[next_member]]
    sums = divergence_sums(points, classes)
    candidates = np.empty(points.shape[0], dtype=np.int64)
    bounds = (np.empty(points.shape[0]), np.empty(points.shape[0]), np.empty(points.shape[0]))
    contrast_pool, contrast = np.empty(2), np.empty(2)
    out = np.empty(k, dtype=members.dtype)
    n = collect_corners(chain, size, candidates)
    for i in range(k):
        mix_other_classes(pool, classes[1], contrast_pool)
        bound_gains_two_classes(points, sums, candidates, n, pool, classes, bounds[0], bounds[1])
        g = best_candidate(points, candidates, n, head_ranks, bounds, pool, contrast_pool, classes, contrast)
        if g < 0:
            return out[:i]
        out[i] = members[next_member[g]]
        pool -= points[g]
        next_member[g] += 1
        if next_member[g] < starts[g + 1]:
            head_ranks[g] = tie_rank[members[next_member[g]]]
        else:
            remove_point(points, chain, size, g)
            n = collect_corners(chain, size, candidates)
    return out
