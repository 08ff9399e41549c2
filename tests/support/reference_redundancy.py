"""Redundancy-aware choices by plain loops over documents, from the definitions of each paper."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import fsum, log

CLOSE = 1e-9


def information(xs, ys, weights):
    """I(X; Y) of two lists of values, in nats."""
    both, own, other = Counter(), Counter(), Counter()
    for x, y, weight in zip(xs, ys, weights, strict=True):
        both[x, y] += weight
        own[x] += weight
        other[y] += weight
    whole = sum(weights)
    return fsum(n / whole * log(n * whole / (own[x] * other[y])) for (x, y), n in both.items() if n)


def conditional_information(xs, ys, given, weights):
    """I(X; Y | Z): the informations within each value of Z, by its share."""
    parts = defaultdict(list)
    for x, y, z, weight in zip(xs, ys, given, weights, strict=True):
        parts[z].append((x, y, weight))
    whole, total = sum(weights), []
    for part in parts.values():
        own_xs, own_ys, own_weights = zip(*part, strict=True)
        if sum(own_weights):
            total.append(sum(own_weights) / whole * information(own_xs, own_ys, own_weights))
    return fsum(total)


def value(criterion, columns, y, weights, term, taken):
    """What a term is worth beside those taken."""
    x = columns[term]
    relevance = information(x, y, weights)
    if not taken:
        return relevance
    if criterion == "mrmr":
        return relevance - fsum(information(x, columns[j], weights) for j in taken) / len(taken)
    if criterion == "jmi":
        pairs = [list(zip(x, columns[j], strict=True)) for j in taken]
        return fsum(information(pair, y, weights) for pair in pairs) / len(taken)
    return min(conditional_information(x, y, columns[j], weights) for j in taken)


def greedy(criterion, columns, y, weights, pool, k):
    """The first k of the pool and their values: the largest each time, of those that tie the first."""
    taken, values = [], []
    for _ in range(k):
        left = {
            term: value(criterion, columns, y, weights, term, taken) for term in pool if term not in taken
        }
        largest = max(left.values())
        taken.append(next(term for term, worth in left.items() if worth >= largest - CLOSE))
        values.append(left[taken[-1]])
    return taken, values
