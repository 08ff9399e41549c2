"""Agglomerative clustering of words, one word at a time: Baker and McCallum (1998)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from termsift._typing import Array
from termsift.clusters.divisive import Clustering, measured
from termsift.clusters.profiles import Profiles


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
        from termsift.clusters._cluster_kernel import merged_profiles

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
