"""Divisive clustering of words in plain loops, as its papers tell it, with our rules for its start."""

from __future__ import annotations

from math import inf, log

Row = list[float]


def divergence(p: Row, q: Row) -> float:
    """KL(p || q)."""
    if any(a and not b for a, b in zip(p, q, strict=True)):
        return inf
    return sum(a * log(a / b) for a, b in zip(p, q, strict=True) if a)


def spread(row: Row) -> Row:
    """P(C | w) of a word's occurrences by class."""
    return [count / sum(row) for count in row]


def centre(rows: list[Row]) -> Row:
    """P(C | W_j): the spread of all occurrences of a cluster's words."""
    return spread([sum(column) for column in zip(*rows, strict=True)])


def objective(rows: list[Row], labels: list[int]) -> float:
    """What the clusters lose of the information between words and classes."""
    total = sum(map(sum, rows))
    loss = 0.0
    for j in set(labels):
        members = [row for row, label in zip(rows, labels, strict=True) if label == j]
        loss += sum(sum(row) / total * divergence(spread(row), centre(members)) for row in members)
    return loss


def start(rows: list[Row], k: int) -> list[int]:
    """The classes of largest share, merged or cut into k."""
    top = [max(range(len(row)), key=lambda c: (row[c], -c)) for row in rows]
    used = sorted(set(top))
    labels = [used.index(c) for c in top]
    return merged(rows, labels, k) if k < len(used) else cut(rows, labels, k)


def merged(rows: list[Row], labels: list[int], k: int) -> list[int]:
    """The two clusters whose union raises the objective least become one, until k are left."""
    while len(set(labels)) > k:
        names = sorted(set(labels))
        pairs = [(a, b) for a in names for b in names if b < a]
        a, b = min(pairs, key=lambda pair: objective(rows, [min(pair) if j in pair else j for j in labels]))
        labels = [b if j == a else j for j in labels]
    names = sorted(set(labels))
    return [names.index(j) for j in labels]


def cut(rows: list[Row], labels: list[int], k: int) -> list[int]:
    """Each cluster in equal parts along the largest share; a part more for the first until there are k."""
    sizes = [labels.count(j) for j in range(max(labels) + 1)]
    parts = [1] * len(sizes)
    while sum(parts) < k:
        for j, size in enumerate(sizes):
            if parts[j] < size and sum(parts) < k:
                parts[j] += 1
    out = [0] * len(rows)
    for j, size in enumerate(sizes):
        members = [i for i, label in enumerate(labels) if label == j]
        members.sort(key=lambda i: -max(spread(rows[i])))
        for place, i in enumerate(members):
            out[i] = sum(parts[:j]) + place * parts[j] // size
    return out


def moved(rows: list[Row], labels: list[int]) -> list[int]:
    """Each word to the nearest cluster."""
    centres = {j: centre([r for r, i in zip(rows, labels, strict=True) if i == j]) for j in set(labels)}
    nearest = []
    for row, own in zip(rows, labels, strict=True):
        distance = {j: divergence(spread(row), q) for j, q in centres.items()}
        best = min(sorted(distance), key=lambda j, d=distance: d[j])
        nearest.append(best if distance[best] < distance[own] else own)
    return nearest


def refilled(rows: list[Row], labels: list[int], k: int) -> list[int]:
    """Each empty cluster gets the word that costs most, of those that are not alone; one word a cluster."""
    labels = list(labels)
    while empty := [j for j in range(k) if j not in labels]:
        costs = []
        for i, own in enumerate(labels):
            members = [row for row, j in zip(rows, labels, strict=True) if j == own]
            if len(members) > 1:
                costs.append((-sum(rows[i]) * divergence(spread(rows[i]), centre(members)), i, own))
        givers = set()
        for _, i, own in sorted(costs):
            if empty and own not in givers:
                givers.add(own)
                labels[i] = empty.pop(0)
    return labels


def clusters(rows: list[Row], k: int) -> list[int]:
    """The labels at which the objective stops falling; all words of different spread."""
    labels = start(rows, k)
    while True:
        then = refilled(rows, moved(rows, labels), k)
        if objective(rows, then) >= objective(rows, labels):
            return labels
        labels = then
