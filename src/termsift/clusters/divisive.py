"""Divisive information-theoretic clustering of words, by how they are spread over the classes.

The objective is what clusters lose of the information between words and classes:
sum over clusters W_j and their words w of P(w) KL(P(C | w) || P(C | W_j)); Jiang and Lee, equations 2 and 3,
after Dhillon, Mallela and Kumar (2003).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np

from termsift._typing import Array
from termsift.clusters.profiles import Profiles
from termsift.contingency import ratio
from termsift.policies import check_k
from termsift.text.batches import in_order

NEVER = -1e30  # for the logarithm of 0: any share of it outweighs all other terms, and 0 of it is 0
SPAN = 1 << 10


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    """The cluster of each profile, none of them empty, and the objective."""

    labels: Array
    objective: float


@dataclass(frozen=True, slots=True)
class Divisive:
    """Divisive clustering: start from each word's main class, then move words to the nearest cluster.

    A word starts in the class where it occurs most; the classes are split or merged into k clusters. Then
    each word moves to the cluster with the smallest KL(P(C | w) || P(C | W_j)) until the objective stops
    falling, or for at most `max_iter` rounds. Dhillon, Mallela and Kumar (2003).

    max_iter : maximum number of rounds

    >>> Divisive(max_iter=20)
    Divisive(max_iter=20)
    """

    max_iter: int = 300

    def __post_init__(self) -> None:
        check_k(self.max_iter, "max_iter")

    def found(self, profiles: Profiles, k: int, n_threads: int) -> list[Clustering]:
        """All clusterings, from the initial one to the last and best."""
        return list(islice(clusterings(profiles, k, n_threads), self.max_iter + 1))


def clusterings(profiles: Profiles, k: int, n_threads: int) -> Iterator[Clustering]:
    """The start, and each better one, until the objective stops falling. k is at most the profiles."""
    now = measured(profiles, starting_labels(profiles, k), k)
    while True:
        yield now
        labels = refilled(profiles, reassigned(profiles, now.labels, k, n_threads), k)
        then = measured(profiles, labels, k)
        if then.objective >= now.objective:
            return
        now = then


def measured(profiles: Profiles, labels: Array, k: int) -> Clustering:
    """The clustering with its objective."""
    return Clustering(labels, float(profiles.losses(labels, centres(profiles, labels, k)).sum()))


def centres(profiles: Profiles, labels: Array, k: int) -> Array:
    """(classes, k): P(C | W_j), 0 for an empty cluster."""
    joint = profiles.joint(labels, k)
    return ratio(joint, joint.sum(axis=0))


def reassigned(profiles: Profiles, labels: Array, k: int, n_threads: int) -> Array:
    """Each profile in the cluster of least divergence from it."""
    from termsift.clusters._cluster_kernel import nearest

    q = centres(profiles, labels, k)
    log_q = np.log(q, out=np.full(q.shape, NEVER), where=q > 0)
    shares = profiles.shares
    edges = [*range(0, len(profiles), SPAN), len(profiles)]

    def part(span: tuple[int, int]) -> Array:
        found: Array = nearest(shares.indptr, shares.indices, shares.data, log_q, labels, *span)
        return found

    return np.concatenate(list(in_order(part, pairwise(edges), n_threads)))


def refilled(profiles: Profiles, labels: Array, k: int) -> Array:
    """Labels without empty clusters: each takes the profile that costs most in a cluster of several.

    A cluster gives up one profile a round. What leaves costs nothing by itself and the rest costs no more, so
    the objective does not rise.
    """
    labels = labels.copy()
    while (sizes := np.bincount(labels, minlength=k)).min() == 0:
        empty = np.flatnonzero(sizes == 0)
        losses = profiles.losses(labels, centres(profiles, labels, k))
        by_loss = np.argsort(-losses, kind="stable")
        by_loss = by_loss[sizes[labels[by_loss]] > 1]
        worst = by_loss[np.sort(np.unique(labels[by_loss], return_index=True)[1])][: len(empty)]
        labels[worst] = empty[: len(worst)]
    return labels


def starting_labels(profiles: Profiles, k: int) -> Array:
    """The class of the largest P(c | w), merged or split into k clusters."""
    used, labels = np.unique(profiles.top_class, return_inverse=True)
    if k < len(used):
        return merged_labels(profiles.joint(labels, len(used)), k)[labels]
    return split_labels(labels, profiles.top_share, k)


def split_labels(labels: Array, share: Array, k: int) -> Array:
    """Each cluster in about as many parts, cut along the largest share: words of one class come first."""
    sizes = np.bincount(labels)
    parts = np.ones(len(sizes), dtype=np.intp)
    while parts.sum() < k:
        roomy = np.flatnonzero(parts < sizes)
        parts[roomy[: k - parts.sum()]] += 1
    first = np.cumsum(parts) - parts
    order = np.lexsort((-share, labels))
    place = np.arange(len(labels)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    of = labels[order]
    out = np.empty(len(labels), dtype=np.intp)
    out[order] = first[of] + place * parts[of] // sizes[of]
    return out


def merged_labels(joint: Array, k: int) -> Array:
    """(clusters,) which of k each goes to: the two whose merging loses least are merged, until k are left."""
    joint = joint.T.copy()
    labels = np.arange(len(joint))
    left = list(range(len(joint)))
    cost = np.full((len(joint), len(joint)), np.inf)
    for a in left:
        cost[a, :a] = merging_losses(joint[a], joint[:a])
    while len(left) > k:
        a, b = divmod(int(cost.argmin()), len(joint))
        joint[b] += joint[a]
        labels[labels == a] = b
        left.remove(a)
        cost[a], cost[:, a] = np.inf, np.inf
        others = np.array([j for j in left if j != b], dtype=np.intp)
        cost[np.maximum(b, others), np.minimum(b, others)] = merging_losses(joint[b], joint[others])
    return np.searchsorted(left, labels)


def merging_losses(one: Array, others: Array) -> Array:
    """(others,): the information lost by merging a cluster, as P(C, W_j), with each of the others."""
    return entropy_mass(one + others) - entropy_mass(one) - entropy_mass(others)


def entropy_mass(joint: Array) -> Array:
    """P(W_j) H(C | W_j) of each row P(C, W_j)."""
    total = joint.sum(axis=-1, keepdims=True)
    logs = np.log(ratio(joint, total), out=np.zeros_like(joint), where=joint > 0)
    entropy: Array = -(joint * logs).sum(axis=-1)
    return entropy
