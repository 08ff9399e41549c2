"""WordClusterExtractor: one feature per cluster of words that the classes use alike."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin

from termsift._typing import Array, as_terms
from termsift.border.matrices import is_sparse
from termsift.clusters.agglomerative import Agglomerative
from termsift.clusters.divisive import Divisive
from termsift.clusters.profiles import Profiles, profiles_of
from termsift.errors import InvalidInput, TermsiftWarning
from termsift.estimators.fitting import CountsMixin
from termsift.estimators.validation import checked_matrix, input_names
from termsift.policies import check_k, is_number
from termsift.ranking import ordered
from termsift.text.batches import threads


@dataclass(frozen=True, slots=True, eq=False)
class WordClusters:
    """The cluster of each term (-1 for none), how many there are, and the objective after each round.

    term_tf, term_df : (terms,) occurrences and documents, by which words are typical
    """

    labels: Array
    size: int
    objectives: Array
    term_tf: Array
    term_df: Array


class WordClusterExtractor(CountsMixin[WordClusters], TransformerMixin, BaseEstimator):
    """Turn X into one feature per cluster of words: the sum of their columns.

    Words with similar distributions over the classes share a cluster, so that the clusters lose little of the
    information between words and classes. Equal counts give equal clusters, for any number of threads.

    Parameters
    ----------
    n_clusters : int
        Number of clusters. Words with the same P(C | w) are never separated. If there are fewer distinct
        P(C | w) than clusters, each becomes a cluster, with a warning.
    how : clustering, optional
        `Divisive()`, the default: the divisive information-theoretic clustering that Jiang and Lee compare
        with, equations 2 and 3. `Agglomerative()`: the distributional clustering of Baker and McCallum.
    n_jobs : int, optional
        Number of threads; None or -1 means all cores.
    keep_counts : bool
        Whether to keep `counts_` after fitting.

    Attributes
    ----------
    counts_ : Counts
        The counts of the training documents; `partial_fit` adds to them.
    labels_ : (terms,) int
        The cluster of each term; -1 for a term in no document of any class, which adds nothing.
    n_clusters_ : int
        Number of clusters. None is empty: a cluster that loses its words takes the word that fits its own
        cluster worst.
    objectives_ : (rounds + 1,)
        The information lost, in nats, at the start and after each round that lowered it; it never rises.
        `Agglomerative()` has a single value.

    Clusters are ordered by class, and within a class by weight, heaviest first.

    >>> X = np.array([[2, 1, 0, 0, 1], [1, 1, 0, 0, 0], [0, 0, 1, 2, 1]])
    >>> extractor = WordClusterExtractor(n_clusters=2).fit(X, ["ham", "ham", "spam"])
    >>> extractor.labels_
    array([0, 0, 1, 1, 0])
    >>> extractor.transform(X)
    array([[4, 0],
           [2, 0],
           [1, 3]])
    >>> extractor.get_feature_names_out(["at", "lunch", "free", "prize", "now"])
    array(['0: at lunch now', '1: prize free'], dtype=object)

    """

    def __init__(
        self,
        n_clusters: int = 50,
        how: Divisive | Agglomerative | None = None,
        n_jobs: int | None = None,
        keep_counts: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.how = how
        self.n_jobs = n_jobs
        self.keep_counts = keep_counts

    @property
    def labels_(self) -> Array:
        """The cluster of each term."""
        return self._learned.labels

    @property
    def n_clusters_(self) -> int:
        """The number of clusters."""
        return self._learned.size

    @property
    def objectives_(self) -> Array:
        """The information lost, at the start and after each round."""
        return self._learned.objectives

    def words(self, cluster: int, input_features: Any = None) -> list[str]:
        """The words of a cluster, most typical first: those that occur most weigh most."""
        size = self.n_clusters_
        if not is_number(cluster) or cluster not in range(size):
            raise InvalidInput(f"there are {size} clusters, numbered from 0; there is no cluster {cluster!r}")
        return self._members(input_features)[int(cluster)]

    def transform(self, X: Any) -> Any:
        """(documents, clusters): the sum of each cluster's columns, sparse if X is sparse."""
        X = checked_matrix(self, X)
        sums = csr_array(X) @ self._membership(X.dtype)
        return sums if is_sparse(X) else sums.toarray()

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The number of each cluster with its three most typical words."""
        members = self._members(input_features)
        return as_terms(f"{j}: {' '.join(words[:3])}" for j, words in enumerate(members))

    def _members(self, input_features: Any) -> list[list[str]]:
        clusters = self._learned
        terms = as_terms(input_names(self, input_features))
        members = np.flatnonzero(clusters.labels >= 0)
        typical = ordered(members, clusters.term_tf, clusters.term_df, terms)
        lists: list[list[str]] = [[] for _ in range(clusters.size)]
        for term, cluster in zip(terms[typical], clusters.labels[typical].tolist(), strict=True):
            lists[cluster].append(str(term))
        return lists

    def _membership(self, dtype: Any) -> csr_array[Any]:
        clusters = self._learned
        known = clusters.labels >= 0
        starts = np.concatenate([[0], np.cumsum(known)])
        ones = np.ones(starts[-1], dtype=dtype if dtype.kind in "iuf" else np.int64)
        return csr_array((ones, clusters.labels[known], starts), shape=(len(known), clusters.size))

    def _learn(self) -> WordClusters:
        counts = self._known_counts
        profiles, totals = profiles_of(counts), (counts.tf.sum(axis=1), counts.term_df)
        k = at_most(self.n_clusters, len(profiles))
        if k == 0:
            return WordClusters(profiles.of_term, 0, np.zeros(1), *totals)
        found = self._clustering().found(profiles, k, threads(self.n_jobs))
        labels = in_class_order(profiles, found[-1].labels, k)
        of_term = np.where(profiles.of_term >= 0, labels[profiles.of_term], -1)
        return WordClusters(of_term, k, np.array([clustering.objective for clustering in found]), *totals)

    def _check(self) -> None:
        check_k(self.n_clusters, "n_clusters")
        threads(self.n_jobs)
        self._clustering()

    def _clustering(self) -> Divisive | Agglomerative:
        if self.how is None:
            return Divisive()
        if not isinstance(self.how, Divisive | Agglomerative):
            raise InvalidInput(f"how must be Divisive(), Agglomerative() or None, got {self.how!r}")
        return self.how


def at_most(k: int, profiles: int) -> int:
    """k, or all profiles with a warning where there are fewer."""
    if k > profiles:
        warnings.warn(
            f"n_clusters is {k} but there are only {profiles} words of different spread over the classes; "
            "each is a cluster",
            TermsiftWarning,
            stacklevel=2,
        )
    return min(k, profiles)


def in_class_order(profiles: Profiles, labels: Array, k: int) -> Array:
    """The labels numbered anew: by the class a cluster has most of, and of one class the heavier first."""
    joint = profiles.joint(labels, k)
    order = np.lexsort((-joint.sum(axis=0), joint.argmax(axis=0)))
    place = np.empty(k, dtype=np.intp)
    place[order] = np.arange(k)
    numbered: Array = place[labels]
    return numbered
