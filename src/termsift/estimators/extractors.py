"""ClassWeightExtractor: one feature per class, the sum of what each word says of it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array
from sklearn.base import BaseEstimator, TransformerMixin

from termsift._internal.errors import InvalidInputError, TermsiftWarning
from termsift._internal.expressions import check_k, is_number
from termsift._internal.matrices import is_sparse
from termsift._internal.ranking import best, ordered
from termsift._internal.tables import Table
from termsift._internal.threads import threads
from termsift._internal.typing import Array, as_terms
from termsift.counts import Counts, class_place, ratio
from termsift.estimators.base import CountsMixin, checked_matrix, input_names, metric_options
from termsift.metrics import AnyMetric, metric_with_options, term_weights
from termsift.selection import Agglomerative, DivisiveClustering, Profiles, class_profiles

# entries of T that are laid out at once: with rows that have no gaps a product is some times faster
DENSE = 1 << 25


@dataclass(frozen=True, slots=True, eq=False)
class ClassShares:
    """The shares that classes have in terms, the classes, and in how many documents each term is."""

    weights: csr_array[Any]
    classes: tuple[Any, ...]
    term_df: Array


class ClassWeightExtractor(CountsMixin[ClassShares], TransformerMixin, BaseEstimator):
    """Turn X into one feature per class: each occurrence of a term adds the class's share of that term.

    X' = X T with T[i, j] = tf(i, j) / tf(i), the share of the occurrences of term i that are in documents of
    class j: Jiang and Lee, equations 4 to 7. There is nothing to tune.

    A term that is not in the training documents has weight 0 for every class, so it adds nothing.
    A document with several labels counts for each of its classes, so the weights of a term can add up to
    more than 1. Documents without a label count in tf(i) only.

    Parameters
    ----------
    keep_counts : bool
        Whether to keep `counts_` after fitting.

    Attributes
    ----------
    counts_ : Counts
        The counts of the training documents; `partial_fit` adds to them.
    weights_ : (terms, classes), sparse
        T, each entry between 0 and 1.
    classes_ : (classes,)

    >>> X = np.array([[2, 0, 1], [0, 1, 1]])
    >>> extractor = ClassWeightExtractor().fit(X, ["ham", "spam"])
    >>> extractor.transform([[1, 1, 2]])
    array([[2., 2.]])
    >>> extractor.get_feature_names_out()
    array(['ham', 'spam'], dtype=object)

    """

    def __init__(self, keep_counts: bool = True) -> None:
        self.keep_counts = keep_counts

    @property
    def weights_(self) -> csr_array[Any]:
        """T, (terms, classes)."""
        return self._learned.weights

    @property
    def classes_(self) -> Array:
        """The classes, in the order of the features."""
        return np.array(self._learned.classes)

    def transform(self, X: Any) -> Array:
        """X T: (documents, classes), dense, because a document has a share in most classes."""
        X = checked_matrix(self, X)
        rows, weights = csr_array(X), self.weights_
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        features = np.empty((rows.shape[0], weights.shape[1]), dtype=dtype)
        width = max(1, DENSE // max(1, weights.shape[0]))
        for c in range(0, weights.shape[1], width):
            features[:, c : c + width] = rows @ weights[:, c : c + width].toarray().astype(dtype)
        return features

    def contributions(self, X: Any) -> csr_array[Any]:
        """The contribution of each term of one document to each feature: (terms, classes), summing to X'.

        Multiplied by the coefficients of a linear classifier, (features, outputs), it gives the contribution
        of each term to each output.
        """
        counts = self._document(X)
        shares = self.weights_
        return csr_array(
            (shares.data * np.repeat(counts, np.diff(shares.indptr)), shares.indices, shares.indptr),
            shape=shares.shape,
        )

    def explain(self, X: Any, name: Any = None, n: int = 10, *, input_features: Any = None) -> Table:
        """The terms of a document that contribute most to a class: term, class, count, weight, contribution.

        name : the class; by default the one with the largest feature
        input_features : the names of the columns of X, if X had none

        >>> X = np.array([[2, 0, 1], [0, 1, 1]])
        >>> extractor = ClassWeightExtractor().fit(X, ["ham", "spam"])
        >>> extractor.explain([[1, 0, 1]], input_features=["lunch", "prize", "today"])
        term   class  count  weight  contribution
        lunch  ham        1       1             1
        today  ham        1     0.5           0.5
        """
        counts, terms = self._document(X), as_terms(input_names(self, input_features))
        features = self.contributions(X).sum(axis=0)
        learned = self._learned
        c = int(features.argmax()) if name is None else class_place(learned.classes, name)
        weights = self.weights_[:, [c]].toarray()[:, 0]
        given = weights * counts
        order = best(given, learned.term_df, terms, min(n, int(np.count_nonzero(given))))
        return Table(
            {
                "term": terms[order],
                "class": as_terms([learned.classes[c]] * len(order)),
                "count": counts[order],
                "weight": weights[order],
                "contribution": given[order],
            }
        )

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The classes, as text."""
        input_names(self, input_features)
        return as_terms(map(str, self._learned.classes))

    def _document(self, X: Any) -> Array:
        rows = csr_array(checked_matrix(self, X))
        if rows.shape[0] != 1:
            raise InvalidInputError(f"give one document, a row of counts, got {rows.shape[0]} rows")
        counts: Array = rows.toarray()[0]
        return counts

    def _learn(self) -> ClassShares:
        counts = self._known_counts
        return ClassShares(class_shares(counts), counts.classes, counts.term_df)


def class_shares(counts: Counts) -> csr_array[Any]:
    """(terms, classes): the occurrences in a class among all of a term; 0 for a term that never occurs."""
    totals = np.repeat(counts.term_tf, np.diff(counts.tf.indptr))
    shares = ratio(counts.tf.data, totals)
    return csr_array((shares, counts.tf.indices, counts.tf.indptr), shape=counts.tf.shape)


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
        how: DivisiveClustering | Agglomerative | None = None,
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
            raise InvalidInputError(
                f"there are {size} clusters, numbered from 0; there is no cluster {cluster!r}"
            )
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
        profiles, totals = class_profiles(counts), (counts.tf.sum(axis=1), counts.term_df)
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

    def _clustering(self) -> DivisiveClustering | Agglomerative:
        if self.how is None:
            return DivisiveClustering()
        if not isinstance(self.how, DivisiveClustering | Agglomerative):
            raise InvalidInputError(f"how must be Divisive(), Agglomerative() or None, got {self.how!r}")
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


class TermWeighter(CountsMixin[Array], TransformerMixin, BaseEstimator):
    """Multiply each column of X by the score of its term: supervised weighting instead of idf.

    Parameters
    ----------
    metric : str, Metric or function of Cells
        A name in `termsift.metrics()`: "bns" is BNS scaling (Forman 2008), "rf" relevance frequency,
        "igm" inverse gravity moment with its weight 1 + 7 igm.
    reduce : {"max", "mean", "weighted", "sum"}
        How the scores of the classes are combined into one weight per term.
    options : dict, optional
        Options of the metric.
    keep_counts : bool
        Whether to keep `counts_` after fitting.

    Attributes
    ----------
    counts_ : Counts
    weights_ : (terms,)

    >>> X = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 0], [0, 1, 1]])
    >>> TermWeighter("acc2").fit(X, [1, 1, 0, 0]).weights_
    array([1. , 0.5, 0. ])

    """

    def __init__(
        self,
        metric: AnyMetric = "bns",
        reduce: str = "max",
        options: dict[str, Any] | None = None,
        keep_counts: bool = True,
    ) -> None:
        self.metric = metric
        self.reduce = reduce
        self.options = options
        self.keep_counts = keep_counts

    @property
    def weights_(self) -> Array:
        """The weight of each term."""
        return self._learned

    def transform(self, X: Any) -> Any:
        """X with weighted columns, sparse if X is sparse."""
        X = checked_matrix(self, X)
        weights = self.weights_.astype(X.dtype) if X.dtype == np.float32 else self.weights_
        return X @ diags_array(weights) if is_sparse(X) else X * weights

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns, unchanged."""
        return input_names(self, input_features)

    def _check(self) -> None:
        metric_with_options(self.metric)

    def _learn(self) -> Array:
        return term_weights(
            self._known_counts, self.metric, reduce=self.reduce, **metric_options(self.options)
        )
