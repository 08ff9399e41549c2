"""Clusters of words with similar distributions over the classes (information-theoretic clustering)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.resources import map_in_order
from termsift._internal.typing import Array, check_positive_integer
from termsift.counts import Counts, ratio


@dataclass(frozen=True, slots=True, eq=False)
class Profiles:
    """Distinct distributions P(C | w) of words over the classes.

    shares : (profiles, classes), sparse; each row adds up to 1
    mass : (profiles,) the sum of P(w) over the words of a profile; all add up to 1
    term_profile : (terms,) the profile of each term, -1 for a term that occurs in no class
    """

    shares: csr_array[Any]
    mass: Array
    term_profile: Array

    def __len__(self) -> int:
        return len(self.mass)

    @property
    def entry_profiles(self) -> Array:
        """Profile index of each stored share."""
        return np.repeat(np.arange(len(self)), np.diff(self.shares.indptr))

    def class_cluster_joint(self, labels: Array, k: int) -> Array:
        """Return P(c, W_j), (classes, k): sums over the words of each cluster."""
        n_classes = self.shares.shape[1]
        cells = self.shares.indices.astype(np.int64) * k + labels[self.entry_profiles]
        sums = np.bincount(cells, self.mass[self.entry_profiles] * self.shares.data, n_classes * k)
        return sums.reshape(n_classes, k)

    def losses(self, labels: Array, q: Array) -> Array:
        """Return P(w) KL(P(C | w) || P(C | W_j)) of each profile in cluster W_j; q is (classes, clusters)."""
        cluster_shares = q[self.shares.indices, labels[self.entry_profiles]]
        divergences = self.shares.data * np.log(self.shares.data / cluster_shares)
        return self.mass * np.bincount(self.entry_profiles, divergences, len(self))


def class_profiles(counts: Counts) -> Profiles:
    """Return the profiles of counts: P(c | w) is tf(w, c) over its sum, P(w) is proportional to that sum.

    A document with several labels counts for each of its classes. Equal ratios of counts give bitwise equal
    shares, because division is correctly rounded.
    """
    tf = counts.tf.copy()
    tf.eliminate_zeros()
    tf.sort_indices()
    totals = tf.sum(axis=1)
    shares = csr_array((tf.data / np.repeat(totals, np.diff(tf.indptr)), tf.indices, tf.indptr), tf.shape)
    # number the distinct rows in order of appearance
    numbers: dict[bytes, int] = {}
    term_profile = np.full(len(totals), -1, dtype=np.intp)
    first_terms: list[int] = []
    for t in np.flatnonzero(np.diff(tf.indptr)).tolist():
        span = slice(tf.indptr[t], tf.indptr[t + 1])
        key = shares.indices[span].tobytes() + shares.data[span].tobytes()
        term_profile[t] = numbers.setdefault(key, len(numbers))
        if len(numbers) > len(first_terms):
            first_terms.append(t)
    occurs = term_profile >= 0
    mass = np.bincount(term_profile[occurs], ratio(totals[occurs], totals.sum()), len(first_terms))
    return Profiles(shares[np.array(first_terms, dtype=np.intp)], mass, term_profile)


# Stands for log(0): any positive share times it outweighs all other summands, and a share of 0 adds 0.
LOG_OF_ZERO = -1e30
BATCH_SIZE = 1 << 10  # profiles per task of a thread


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    """Cluster of each profile (no cluster is empty) and the value of the objective."""

    labels: Array
    objective: float


@dataclass(frozen=True, slots=True)
class DivisiveClustering:
    """Divisive clustering: start from each word's main class, then move words to the nearest cluster.

    A word starts in the class in which it occurs most; the classes are split or merged into k clusters. Then
    each word moves to the cluster with the smallest KL(P(C | w) || P(C | W_j)) until the objective stops
    falling, or for at most `max_iter` rounds. Dhillon, Mallela and Kumar (2003).

    Parameters
    ----------
    max_iter : int, default 300
        Maximum number of rounds.

    Raises
    ------
    InvalidInputError
        If `max_iter` is not a positive integer.

    Examples
    --------
    >>> DivisiveClustering(max_iter=20)
    DivisiveClustering(max_iter=20)

    """

    max_iter: int = 300

    def __post_init__(self) -> None:
        check_positive_integer(self.max_iter, "max_iter")

    def fit_iterations(self, profiles: Profiles, k: int, n_threads: int) -> list[Clustering]:
        """Return all clusterings, from the initial one to the last and best.

        Parameters
        ----------
        profiles : Profiles
            Distinct distributions of words over the classes, as returned by `class_profiles`.
        k : int
            Number of clusters, at most the number of profiles.
        n_threads : int
            Number of threads; it does not change the result.

        Returns
        -------
        list of Clustering
            Clusterings with strictly falling values of the objective.

        """
        labels, best, clusterings = initial_labels(profiles, k), np.inf, list[Clustering]()
        while len(clusterings) <= self.max_iter:
            objective = float(profiles.losses(labels, centroids(profiles, labels, k)).sum())
            # the objective falls in theory; rounding ends the search when it no longer does
            if not objective < best:
                break
            clusterings.append(Clustering(labels, objective))
            best = objective
            labels = fill_empty_clusters(profiles, assign_to_nearest(profiles, labels, k, n_threads), k)
        return clusterings


def centroids(profiles: Profiles, labels: Array, k: int) -> Array:
    """Return P(C | W_j), (classes, k); 0 for an empty cluster."""
    joint = profiles.class_cluster_joint(labels, k)
    return ratio(joint, joint.sum(axis=0))


def assign_to_nearest(profiles: Profiles, labels: Array, k: int, n_threads: int) -> Array:
    """Return for each profile the cluster with the smallest divergence from it."""
    from termsift.selection._clusters_kernel import nearest_clusters

    q = centroids(profiles, labels, k)
    log_q = np.log(q, out=np.full(q.shape, LOG_OF_ZERO), where=q > 0)
    shares, edges = profiles.shares, [*range(0, len(profiles), BATCH_SIZE), len(profiles)]
    arrays = shares.indptr, shares.indices, shares.data, log_q, labels
    batches = map_in_order(lambda span: nearest_clusters(*arrays, *span), pairwise(edges), n_threads)
    return np.concatenate(list(batches))


def fill_empty_clusters(profiles: Profiles, labels: Array, k: int) -> Array:
    """Move the worst-fitting profile of clusters with several profiles into each empty cluster.

    A cluster gives up one profile per round. A profile alone in its cluster costs nothing and the remaining
    ones cost no more than before, so the objective does not rise.
    """
    labels = labels.copy()
    while (sizes := np.bincount(labels, minlength=k)).min() == 0:
        empty = np.flatnonzero(sizes == 0)
        losses = profiles.losses(labels, centroids(profiles, labels, k))
        by_loss = np.argsort(-losses, kind="stable")
        # a cluster of a single profile must not become empty
        by_loss = by_loss[sizes[labels[by_loss]] > 1]
        worst = by_loss[np.sort(np.unique(labels[by_loss], return_index=True)[1])][: len(empty)]
        labels[worst] = empty[: len(worst)]
    return labels


def initial_labels(profiles: Profiles, k: int) -> Array:
    """Return the class with the largest P(c | w) of each profile, merged or split into k clusters."""
    shares = profiles.shares
    # largest share first in each profile, the first class if several tie
    order = np.lexsort((shares.indices, -shares.data, profiles.entry_profiles))
    top = order[shares.indptr[:-1]]
    used, labels = np.unique(shares.indices[top], return_inverse=True)
    if k < len(used):
        return assign_merged_clusters(profiles.class_cluster_joint(labels, len(used)), k)[labels]
    return split_clusters(labels, shares.data[top], k)


def split_clusters(labels: Array, share: Array, k: int) -> Array:
    """Split clusters as evenly as possible into k, ordering each by share so that pure words come first."""
    sizes = np.bincount(labels)
    # each round gives one more piece to every cluster that has enough words
    n_pieces = np.ones(len(sizes), dtype=np.intp)
    while n_pieces.sum() < k:
        splittable = np.flatnonzero(n_pieces < sizes)
        n_pieces[splittable[: k - n_pieces.sum()]] += 1
    first_piece = np.cumsum(n_pieces) - n_pieces
    order = np.lexsort((-share, labels))
    rank = np.arange(len(labels)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    cluster = labels[order]
    out = np.empty(len(labels), dtype=np.intp)
    out[order] = first_piece[cluster] + rank * n_pieces[cluster] // sizes[cluster]
    return out


def assign_merged_clusters(joint: Array, k: int) -> Array:
    """Return the new cluster of each: the pair whose merging loses least is merged until k remain."""
    joint = joint.T.copy()
    labels = np.arange(len(joint))
    remaining = list(range(len(joint)))
    cost = np.full((len(joint), len(joint)), np.inf)
    for a in remaining:
        cost[a, :a] = merge_losses(joint[a], joint[:a])
    while len(remaining) > k:
        # the lower triangle has the costs, so that b < a
        a, b = divmod(int(cost.argmin()), len(joint))
        joint[b] += joint[a]
        labels[labels == a] = b
        remaining.remove(a)
        cost[a], cost[:, a] = np.inf, np.inf
        unmerged = np.array([j for j in remaining if j != b], dtype=np.intp)
        cost[np.maximum(b, unmerged), np.minimum(b, unmerged)] = merge_losses(joint[b], joint[unmerged])
    return np.searchsorted(remaining, labels)


def merge_losses(cluster: Array, candidates: Array) -> Array:
    """Return the information lost by merging a cluster, given as P(C, W_j), with each candidate."""
    return entropy_mass(cluster + candidates) - entropy_mass(cluster) - entropy_mass(candidates)


def entropy_mass(joint: Array) -> Array:
    """Return P(W_j) H(C | W_j) of each row P(C, W_j)."""
    total = joint.sum(axis=-1, keepdims=True)
    logs = np.log(ratio(joint, total), out=np.zeros_like(joint), where=joint > 0)
    return np.asarray(-(joint * logs).sum(axis=-1))
