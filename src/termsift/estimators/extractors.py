"""Extractors of features from term counts: class weights, word clusters, supervised term weights."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array
from sklearn.base import BaseEstimator, TransformerMixin

from termsift._internal.errors import InvalidInputError, TermsiftWarning
from termsift._internal.matrices import is_sparse
from termsift._internal.ranking import rank_terms, sort_terms
from termsift._internal.resources import resolve_n_jobs
from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_term_array, check_positive_integer, is_real_number
from termsift.counts import Counts, find_class_index, ratio
from termsift.estimators.base import (
    CountsMixin,
    input_names,
    metric_options,
    validate_fitted_matrix,
    wrap_sparse_output,
)
from termsift.metrics import AnyMetric, parse_metric, term_weights
from termsift.selection import DivisiveClustering, class_profiles

# entries of T converted to a dense array at once: products with dense arrays are several times faster
DENSE_ENTRIES = 1 << 25


@dataclass(frozen=True, slots=True, eq=False)
class ClassShares:
    """Share of each class in the occurrences of each term, classes, and document frequencies."""

    weights: csr_array[Any]
    classes: tuple[Any, ...]
    term_df: Array


class ClassWeightExtractor(CountsMixin[ClassShares], TransformerMixin, BaseEstimator):
    """Extractor of one feature per class: each occurrence of a term adds the class's share of that term.

    X' = X T with T[i, j] = tf(i, j) / tf(i), the share of the occurrences of term i that are in documents of
    class j: Jiang and Lee, equations 4 to 7. There are no parameters to tune.

    A term that is not in the training documents has weight 0 for every class, so it adds nothing.
    A document with several labels counts for each of its classes, so the weights of a term can add up to
    more than 1. Documents without a label count in tf(i) only.

    Parameters
    ----------
    keep_counts : bool, default True
        Whether to keep `counts_` after fitting.

    Attributes
    ----------
    counts_ : Counts
        The counts of the training documents; `partial_fit` adds to them.
    weights_ : (terms, classes) sparse array
        T, each entry between 0 and 1.
    classes_ : (classes,) array
        Classes in the order of the features.

    Examples
    --------
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
        """Matrix T, (terms, classes)."""
        return self._fit_result.weights

    @property
    def classes_(self) -> Array:
        """Classes in the order of the features."""
        return np.array(self._fit_result.classes)

    def transform(self, X: Any) -> Array:
        """Return the features X T; dense, because most features are not 0.

        Parameters
        ----------
        X : (documents, terms) array, sparse matrix or data frame
            Counts of the terms, with the columns of the fitted X.

        Returns
        -------
        (documents, classes) array
            One feature per class, float32 if X is, otherwise float64.

        """
        X = validate_fitted_matrix(self, X)
        rows, weights = csr_array(X), self.weights_
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        features = np.empty((rows.shape[0], weights.shape[1]), dtype=dtype)
        width = max(1, DENSE_ENTRIES // max(1, weights.shape[0]))
        for c in range(0, weights.shape[1], width):
            features[:, c : c + width] = rows @ weights[:, c : c + width].toarray().astype(dtype)
        return features

    def contributions(self, X: Any) -> csr_array[Any]:
        """Return the contribution of each term of one document to each feature.

        Multiplied by the coefficients of a linear classifier, (features, outputs), it gives the contribution
        of each term to each output.

        Parameters
        ----------
        X : (1, terms) array or sparse matrix
            Counts of one document.

        Returns
        -------
        (terms, classes) sparse array
            The contributions; their sum over terms is the features.

        Raises
        ------
        InvalidInputError
            If X has more than one row.

        """
        counts = self._document_counts(X)
        shares = self.weights_
        return csr_array(
            # each row of the shares times the count of its term
            (shares.data * np.repeat(counts, np.diff(shares.indptr)), shares.indices, shares.indptr),
            shape=shares.shape,
        )

    def explain(self, X: Any, name: Any = None, n: int = 10, *, input_features: Any = None) -> Table:
        """Return the terms of a document that contribute most to a class.

        Parameters
        ----------
        X : (1, terms) array or sparse matrix
            Counts of one document.
        name : label, optional
            The class; by default the one with the largest feature.
        n : int, default 10
            Maximum number of terms.
        input_features : sequence of str, optional
            Names of the columns of X, if X had none.

        Returns
        -------
        Table
            Columns term, class, count, weight and contribution.

        Raises
        ------
        InvalidInputError
            If X has more than one row, or there is no such class.

        Examples
        --------
        >>> X = np.array([[2, 0, 1], [0, 1, 1]])
        >>> extractor = ClassWeightExtractor().fit(X, ["ham", "spam"])
        >>> extractor.explain([[1, 0, 1]], input_features=["lunch", "prize", "today"])
        term   class  count  weight  contribution
        lunch  ham        1       1             1
        today  ham        1     0.5           0.5

        """
        counts, terms = self._document_counts(X), as_term_array(input_names(self, input_features))
        features = self.contributions(X).sum(axis=0)
        shares = self._fit_result
        c = int(features.argmax()) if name is None else find_class_index(shares.classes, name)
        weights = self.weights_[:, [c]].toarray()[:, 0]
        contributions = weights * counts
        order = rank_terms(contributions, shares.term_df, terms, min(n, int(np.count_nonzero(contributions))))
        return Table(
            {
                "term": terms[order],
                "class": as_term_array([shares.classes[c]] * len(order)),
                "count": counts[order],
                "weight": weights[order],
                "contribution": contributions[order],
            }
        )

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the classes as strings.

        Parameters
        ----------
        input_features : sequence of str, optional
            Names of the columns of X, if X had none.

        Returns
        -------
        (classes,) array of str
            The classes.

        """
        input_names(self, input_features)
        return as_term_array(map(str, self._fit_result.classes))

    def _document_counts(self, X: Any) -> Array:
        rows = csr_array(validate_fitted_matrix(self, X))
        if rows.shape[0] != 1:
            raise InvalidInputError(f"X must be one document (a row of counts), got {rows.shape[0]} rows")
        return np.asarray(rows.toarray()[0])

    def _compute(self) -> ClassShares:
        counts = self._get_counts()
        return ClassShares(class_shares(counts), counts.classes, counts.term_df)


def class_shares(counts: Counts) -> csr_array[Any]:
    """Return the share of each class in the occurrences of each term, (terms, classes)."""
    shares = ratio(counts.tf.data, np.repeat(counts.term_tf, np.diff(counts.tf.indptr)))
    return csr_array((shares, counts.tf.indices, counts.tf.indptr), shape=counts.tf.shape)


@dataclass(frozen=True, slots=True, eq=False)
class WordClusters:
    """Cluster of each term (-1 for none), number of clusters, and objective after each round.

    term_tf, term_df : (terms,) occurrences and documents, by which the words of a cluster are ordered
    """

    labels: Array
    size: int
    objectives: Array
    term_tf: Array
    term_df: Array


class WordClusterExtractor(CountsMixin[WordClusters], TransformerMixin, BaseEstimator):
    """Extractor of one feature per cluster of words: the sum of their columns.

    Words with similar distributions over the classes share a cluster, so that the clusters lose little of the
    information between words and classes. Equal counts give equal clusters, for any number of threads.

    Parameters
    ----------
    n_clusters : int, default 50
        Number of clusters. Words with the same P(C | w) are never separated. If there are fewer distinct
        P(C | w) than clusters, each becomes a cluster, with a warning.
    clustering : DivisiveClustering, optional
        Settings of the clustering. The default, `DivisiveClustering()`, is the divisive information-theoretic
        clustering that Jiang and Lee compare with, equations 2 and 3.
    n_jobs : int, optional
        Number of threads; None or -1 means all cores.
    keep_counts : bool, default True
        Whether to keep `counts_` after fitting.

    Attributes
    ----------
    counts_ : Counts
        The counts of the training documents; `partial_fit` adds to them.
    labels_ : (terms,) array of int
        The cluster of each term; -1 for a term in no document of any class, which adds nothing.
    n_clusters_ : int
        Number of clusters, none of which is empty: a cluster that loses its words receives the worst-fitting
        word of another cluster.
    objectives_ : (rounds + 1,) array
        The information lost, in nats, at the start and after each round that lowered it; it never rises.

    Notes
    -----
    Clusters are ordered by class, and within a class by weight, heaviest first.

    Examples
    --------
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
        clustering: DivisiveClustering | None = None,
        n_jobs: int | None = None,
        keep_counts: bool = True,
    ) -> None:
        self.n_clusters = n_clusters
        self.clustering = clustering
        self.n_jobs = n_jobs
        self.keep_counts = keep_counts

    @property
    def labels_(self) -> Array:
        """Cluster of each term."""
        return self._fit_result.labels

    @property
    def n_clusters_(self) -> int:
        """Number of clusters."""
        return self._fit_result.size

    @property
    def objectives_(self) -> Array:
        """Information lost, at the start and after each round."""
        return self._fit_result.objectives

    def words(self, cluster: int, input_features: Any = None) -> list[str]:
        """Return the words of a cluster, most frequent first.

        Parameters
        ----------
        cluster : int
            Number of the cluster, from 0.
        input_features : sequence of str, optional
            Names of the columns of X, if X had none.

        Returns
        -------
        list of str
            The words.

        Raises
        ------
        InvalidInputError
            If there is no cluster of this number.

        """
        size = self.n_clusters_
        if not is_real_number(cluster) or cluster not in range(size):
            message = f"cluster must be an integer of at least 0 and below {size}, got {cluster!r}"
            raise InvalidInputError(message)
        return self._cluster_words(input_features)[int(cluster)]

    def transform(self, X: Any) -> Any:
        """Return the sum of each cluster's columns.

        Parameters
        ----------
        X : (documents, terms) array, sparse matrix or data frame
            Counts of the terms, with the columns of the fitted X.

        Returns
        -------
        (documents, clusters) array or sparse array
            The sums; sparse if X is sparse.

        """
        counts = validate_fitted_matrix(self, X)
        labels, size = self._fit_result.labels, self._fit_result.size
        # a term has at most one cluster, so each row of the matrix of members has at most one entry
        starts = np.concatenate([[0], np.cumsum(labels >= 0)])
        ones = np.ones(starts[-1], dtype=counts.dtype if counts.dtype.kind in "iuf" else np.int64)
        sums = csr_array(counts) @ csr_array((ones, labels[labels >= 0], starts), (len(labels), size))
        return wrap_sparse_output(self, sums if is_sparse(counts) else sums.toarray(), X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the number of each cluster with its three most frequent words.

        Parameters
        ----------
        input_features : sequence of str, optional
            Names of the columns of X, if X had none.

        Returns
        -------
        (clusters,) array of str
            Names such as "0: lunch now today".

        """
        members = self._cluster_words(input_features)
        return as_term_array(f"{j}: {' '.join(words[:3])}" for j, words in enumerate(members))

    def _cluster_words(self, input_features: Any) -> list[list[str]]:
        clusters = self._fit_result
        terms = as_term_array(input_names(self, input_features))
        members = np.flatnonzero(clusters.labels >= 0)
        by_frequency = sort_terms(members, clusters.term_tf, clusters.term_df, terms)
        lists: list[list[str]] = [[] for _ in range(clusters.size)]
        for term, cluster in zip(terms[by_frequency], clusters.labels[by_frequency].tolist(), strict=True):
            lists[cluster].append(str(term))
        return lists

    def _compute(self) -> WordClusters:
        counts = self._get_counts()
        profiles, frequencies = class_profiles(counts), (counts.tf.sum(axis=1), counts.term_df)
        k = min(self.n_clusters, len(profiles))
        if k < self.n_clusters:
            warnings.warn(
                f"n_clusters is {self.n_clusters}, but the words have only {k} different distributions over "
                "the classes; each becomes a cluster",
                TermsiftWarning,
                stacklevel=2,
            )
        if k == 0:
            return WordClusters(profiles.term_profile, 0, np.zeros(1), *frequencies)
        clusterings = self._validate_clustering().fit_iterations(profiles, k, resolve_n_jobs(self.n_jobs))
        # numbered by main class and, within a class, by weight, heaviest first
        joint = profiles.class_cluster_joint(clusterings[-1].labels, k)
        order = np.lexsort((-joint.sum(axis=0), joint.argmax(axis=0)))
        profile_labels = np.argsort(order)[clusterings[-1].labels]
        labels = np.where(profiles.term_profile >= 0, profile_labels[profiles.term_profile], -1)
        objectives = np.array([clustering.objective for clustering in clusterings])
        return WordClusters(labels, k, objectives, *frequencies)

    def _check_parameters(self) -> None:
        check_positive_integer(self.n_clusters, "n_clusters")
        resolve_n_jobs(self.n_jobs)
        self._validate_clustering()

    def _validate_clustering(self) -> DivisiveClustering:
        if self.clustering is None:
            return DivisiveClustering()
        if not isinstance(self.clustering, DivisiveClustering):
            raise InvalidInputError(
                f"clustering must be DivisiveClustering() or None, got {self.clustering!r}"
            )
        return self.clustering


class TermWeighter(CountsMixin[Array], TransformerMixin, BaseEstimator):
    """Supervised term weighting: multiplies each column of X by the score of its term, instead of idf.

    Parameters
    ----------
    metric : str, Metric or function of Cells, default "bns"
        A name in `termsift.metrics()`: "bns" is BNS scaling (Forman 2008), "rf" relevance frequency,
        "igm" inverse gravity moment with its weight 1 + 7 igm.
    reduce : {"max", "mean", "weighted", "sum"}, default "max"
        How the scores of the classes are combined into one weight per term.
    options : dict, optional
        Options of the metric.
    keep_counts : bool, default True
        Whether to keep `counts_` after fitting.

    Attributes
    ----------
    counts_ : Counts
        The counts of the training documents; `partial_fit` adds to them.
    weights_ : (terms,) array
        The weight of each term.

    Examples
    --------
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
        """Weight of each term."""
        return self._fit_result

    def transform(self, X: Any) -> Any:
        """Return X with weighted columns.

        Parameters
        ----------
        X : (documents, terms) array, sparse matrix or data frame
            Counts of the terms, with the columns of the fitted X.

        Returns
        -------
        (documents, terms) array or sparse matrix
            The weighted counts; sparse if X is sparse.

        """
        counts = validate_fitted_matrix(self, X)
        weights = self.weights_.astype(counts.dtype) if counts.dtype == np.float32 else self.weights_
        weighted = counts @ diags_array(weights) if is_sparse(counts) else counts * weights
        return wrap_sparse_output(self, weighted, X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the names of the columns, unchanged.

        Parameters
        ----------
        input_features : sequence of str, optional
            Names of the columns of X, if X had none.

        Returns
        -------
        (terms,) array of str
            The names.

        """
        return input_names(self, input_features)

    def _check_parameters(self) -> None:
        parse_metric(self.metric)

    def _compute(self) -> Array:
        options = metric_options(self.options)
        return term_weights(self._get_counts(), self.metric, reduce=self.reduce, **options)
