"""Profiles: how the occurrences of each word are spread over the classes, words of the same spread as one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.expressions import check_k
from termsift._internal.threads import in_order
from termsift._internal.typing import Array
from termsift.counts import Counts, ratio


@dataclass(frozen=True, slots=True, eq=False)
class Profiles:
    """The distinct distributions P(C | w).

    shares : (profiles, classes), sparse; each row adds up to 1
    mass : (profiles,) the sum of P(w) over the words of a profile; all add up to 1
    of_term : (terms,) the profile of each term, -1 for a term that no class has
    """

    shares: csr_array[Any]
    mass: Array
    of_term: Array

    def __len__(self) -> int:
        return len(self.mass)

    @property
    def rows(self) -> Array:
        """The profile of each stored share."""
        return np.repeat(np.arange(len(self)), np.diff(self.shares.indptr))

    @property
    def top_class(self) -> Array:
        """(profiles,) the class of the largest share, the first of several."""
        shares = self.shares
        order = np.lexsort((shares.indices, -shares.data, self.rows))
        top: Array = shares.indices[order[shares.indptr[:-1]]]
        return top

    @property
    def top_share(self) -> Array:
        """(profiles,) the largest share."""
        if not len(self):
            return np.zeros(0)
        largest: Array = np.maximum.reduceat(self.shares.data, self.shares.indptr[:-1])
        return largest

    def joint(self, labels: Array, k: int) -> Array:
        """(classes, k): P(c, W_j), the sums over the words of each cluster."""
        n_classes = self.shares.shape[1]
        cells = self.shares.indices.astype(np.int64) * k + labels[self.rows]
        sums = np.bincount(cells, self.mass[self.rows] * self.shares.data, n_classes * k)
        return sums.reshape(n_classes, k)

    def losses(self, labels: Array, q: Array) -> Array:
        """(profiles,) P(w) KL(P(C | w) || P(C | W_j)), W_j the cluster of w and q (classes, clusters)."""
        near = q[self.shares.indices, labels[self.rows]]
        parts = self.shares.data * np.log(self.shares.data / near)
        return self.mass * np.bincount(self.rows, parts, len(self))


def class_profiles(counts: Counts) -> Profiles:
    """The profiles of counts: P(c | w) is tf(w, c) by its sum over classes, P(w) in proportion to that sum.

    With several labels a document counts for each of its classes.
    Equal ratios of counts are equal to the last bit, since division is rounded correctly.
    """
    tf = counts.tf.copy()
    tf.eliminate_zeros()
    tf.sort_indices()
    totals = tf.sum(axis=1)
    shares = csr_array((tf.data / np.repeat(totals, np.diff(tf.indptr)), tf.indices, tf.indptr), tf.shape)
    of_term, first = distinct_rows(shares)
    seen = of_term >= 0
    mass = np.bincount(of_term[seen], ratio(totals[seen], totals.sum()), len(first))
    return Profiles(shares[first], mass, of_term)


def distinct_rows(matrix: csr_array[Any]) -> tuple[Array, Array]:
    """The number of each row among the distinct ones, -1 for an empty row; and where each occurs first."""
    number: dict[bytes, int] = {}
    of_row = np.full(matrix.shape[0], -1, dtype=np.intp)
    first: list[int] = []
    for i in np.flatnonzero(np.diff(matrix.indptr)):
        span = slice(matrix.indptr[i], matrix.indptr[i + 1])
        of_row[i] = number.setdefault(
            matrix.indices[span].tobytes() + matrix.data[span].tobytes(), len(number)
        )
        if len(number) > len(first):
            first.append(int(i))
    return of_row, np.array(first, dtype=np.intp)


LOG_OF_ZERO = -1e30  # for the logarithm of 0: any share of it outweighs all other terms, and 0 of it is 0
SPAN = 1 << 10


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    """The cluster of each profile, none of them empty, and the objective."""

    labels: Array
    objective: float


@dataclass(frozen=True, slots=True)
class DivisiveClustering:
    """Divisive clustering: start from each word's main class, then move words to the nearest cluster.

    A word starts in the class where it occurs most; the classes are split or merged into k clusters. Then
    each word moves to the cluster with the smallest KL(P(C | w) || P(C | W_j)) until the objective stops
    falling, or for at most `max_iter` rounds. Dhillon, Mallela and Kumar (2003).

    max_iter : maximum number of rounds

    >>> DivisiveClustering(max_iter=20)
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
    now = measured(profiles, initial_labels(profiles, k), k)
    while True:
        yield now
        labels = fill_empty_clusters(profiles, assign_to_nearest(profiles, now.labels, k, n_threads), k)
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


def assign_to_nearest(profiles: Profiles, labels: Array, k: int, n_threads: int) -> Array:
    """Each profile in the cluster of least divergence from it."""
    from termsift.selection._clusters_kernel import nearest

    q = centres(profiles, labels, k)
    log_q = np.log(q, out=np.full(q.shape, LOG_OF_ZERO), where=q > 0)
    shares = profiles.shares
    edges = [*range(0, len(profiles), SPAN), len(profiles)]

    def part(span: tuple[int, int]) -> Array:
        found: Array = nearest(shares.indptr, shares.indices, shares.data, log_q, labels, *span)
        return found

    return np.concatenate(list(in_order(part, pairwise(edges), n_threads)))


def fill_empty_clusters(profiles: Profiles, labels: Array, k: int) -> Array:
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


def initial_labels(profiles: Profiles, k: int) -> Array:
    """The class of the largest P(c | w), merged or split into k clusters."""
    used, labels = np.unique(profiles.top_class, return_inverse=True)
    if k < len(used):
        return merge_clusters(profiles.joint(labels, len(used)), k)[labels]
    return split_clusters(labels, profiles.top_share, k)


def split_clusters(labels: Array, share: Array, k: int) -> Array:
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


def merge_clusters(joint: Array, k: int) -> Array:
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


@dataclass(frozen=True, slots=True)
class Agglomerative:
    """Agglomerative clustering: add words one at a time, merging the two closest of k + 1 clusters.

    Words are added in order of their information about the class, and the first k start the clusters. Each
    further word becomes a new cluster; then the pair is merged that loses the least information between
    clusters and classes. Distributional clustering, Baker and McCallum (1998).
    Best for few clusters: the time grows with the number of clusters times the number of words.

    >>> Agglomerative()
    Agglomerative()
    """

    def found(self, profiles: Profiles, k: int, n_threads: int) -> list[Clustering]:
        """The clustering, as the only one of a list."""
        from termsift.selection._clusters_kernel import merged_profiles

        if k == len(profiles):
            return [measured(profiles, np.arange(k), k)]
        joint = csr_array(profiles.shares.multiply(profiles.mass[:, None]))
        order = np.argsort(-information(profiles), kind="stable")
        into = merged_profiles(joint.indptr, joint.indices, joint.data, order, k, joint.shape[1])
        return [measured(profiles, np.unique(last(into), return_inverse=True)[1], k)]


def information(profiles: Profiles) -> Array:
    """(profiles,): P(w) KL(P(C | w) || P(C)), a word's part of the information between words and classes."""
    together = np.zeros(len(profiles), dtype=np.intp)
    return profiles.losses(together, profiles.joint(together, 1))


def last(into: Array) -> Array:
    """Where each ends that goes on from one to the next."""
    while True:
        further = into[into]
        if np.array_equal(further, into):
            return into
        into = further
