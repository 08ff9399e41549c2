"""Word clusters equal those of plain loops, none is empty, and each round lowers the objective."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import cluster_reference as reference
import termsift as ts
from extractor_cases import LABELS, counted, few_words, random_matrix
from strategies import samples
from termsift.selection.clusters import (
    Profiles,
    assign_merged_clusters,
    assign_to_nearest,
    class_profiles,
    fill_empty_clusters,
    split_clusters,
)


def partition(labels):
    """The clusters as sets, whatever their numbers."""
    return {frozenset(np.flatnonzero(np.asarray(labels) == j).tolist()) for j in set(labels)}


class TestWordClusters:
    @pytest.mark.parametrize("k", [1, 2, 3, 4, 6, 9])
    @pytest.mark.parametrize("seed", range(6))
    def test_clusters_equal_those_of_plain_loops(self, k, seed):
        X, y = random_matrix(seed)
        rows = ts.count(X, y).tf.toarray().tolist()
        fitted = ts.WordClusterExtractor(k).fit(X, y)
        assert partition(fitted.labels_) == partition(reference.clusters(rows, k))

    @few_words
    @given(samples(least=1), st.integers(1, 6))
    def test_no_word_has_a_nearer_cluster_and_none_is_empty(self, sample, k):
        counts = sample.counts()
        fitted = ts.WordClusterExtractor.from_counts(counts, k)
        tf = counts.tf.toarray()
        seen = tf.sum(axis=1) > 0
        assert ((fitted.labels_ >= 0) == seen).all()
        rows, labels = tf[seen].tolist(), fitted.labels_[seen].tolist()
        spreads = {tuple(reference.spread(row)) for row in rows}
        assert set(labels) == set(range(fitted.n_clusters_))
        assert fitted.n_clusters_ == min(k, len(spreads))
        assert fitted.objectives_[-1] == pytest.approx(reference.objective(rows, labels), abs=1e-12)
        centres = [
            reference.centre([r for r, j in zip(rows, labels, strict=True) if j == c])
            for c in range(fitted.n_clusters_)
        ]
        for row, own in zip(rows, labels, strict=True):
            to = [reference.divergence(reference.spread(row), centre) for centre in centres]
            assert to[own] <= min(to) + 1e-9

    @few_words
    @given(samples(least=1), st.integers(1, 6))
    def test_the_objective_never_rises(self, sample, k):
        objectives = ts.WordClusterExtractor.from_counts(sample.counts(), k).objectives_
        assert (np.diff(objectives) < 0).all()
        assert objectives[-1] >= -1e-12

    @pytest.mark.parametrize("k", [2, 10, 200])
    def test_the_objective_falls_on_real_text(self, k):
        corpus = ts.corpora.load("docstrings")
        fitted = ts.WordClusterExtractor.from_counts(ts.count(corpus.texts, corpus.labels), k)
        assert (np.diff(fitted.objectives_) < 0).all()
        assert len(fitted.objectives_) > 2
        assert np.bincount(fitted.labels_).min() > 0

    def test_threads_change_nothing(self):
        corpus = ts.corpora.load("docstrings")
        counts = ts.count(corpus.texts, corpus.labels)
        one, three = (ts.WordClusterExtractor.from_counts(counts, 40, n_jobs=n) for n in (1, 3))
        np.testing.assert_array_equal(one.labels_, three.labels_)
        np.testing.assert_array_equal(one.objectives_, three.objectives_)

    def test_features_are_sums_of_the_columns_of_a_cluster(self):
        X, y = random_matrix(2)
        fitted = ts.WordClusterExtractor(5).fit(X, y)
        expected = np.stack([X[:, fitted.labels_ == j].sum(axis=1) for j in range(5)], axis=1)
        np.testing.assert_array_equal(fitted.transform(X), expected)
        sparse = fitted.transform(sp.csr_array(X))
        assert sp.issparse(sparse)
        np.testing.assert_array_equal(sparse.toarray(), expected)

    def test_words_with_equal_distributions_share_a_cluster(self):
        X = np.array([[1, 2, 3, 0, 1], [0, 0, 0, 1, 1]])
        fitted = ts.WordClusterExtractor(3).fit(X, [0, 1])
        assert partition(fitted.labels_) == {frozenset({0, 1, 2}), frozenset({3}), frozenset({4})}

    def test_more_clusters_than_distinct_distributions(self):
        X, _ = counted()
        with pytest.warns(
            ts.TermsiftWarning, match="n_clusters is 50, but the words have only 4 different distributions"
        ):
            fitted = ts.WordClusterExtractor().fit(X, LABELS)
        assert fitted.n_clusters_ == fitted.transform(X).shape[1] == 4
        assert fitted.objectives_[-1] == pytest.approx(0)

    @few_words
    def test_counts_of_zero_give_no_clusters(self):
        fitted = ts.WordClusterExtractor(3).fit(np.zeros((2, 2), dtype=int), [0, 1])
        assert fitted.transform([[1, 1]]).shape == (1, 0)
        assert fitted.labels_.tolist() == [-1, -1]

    def test_an_empty_cluster_receives_the_worst_fitting_word(self):
        shares = sp.csr_array(np.array([[1, 0], [0.9, 0.1], [0.1, 0.9]]))
        profiles = Profiles(shares, np.array([0.4, 0.3, 0.3]), np.arange(3))
        assert fill_empty_clusters(profiles, np.array([0, 0, 0]), 2).tolist() == [0, 0, 1]
        assert sorted(fill_empty_clusters(profiles, np.array([1, 1, 1]), 3).tolist()) == [0, 1, 2]

    def test_a_word_does_not_move_to_a_cluster_that_lacks_one_of_its_classes(self):
        shares = sp.csr_array(np.array([[1, 0], [0.001, 0.999], [0, 1]]))
        profiles = Profiles(shares, np.full(3, 1 / 3), np.arange(3))
        assert assign_to_nearest(profiles, np.array([0, 0, 1]), 2, 1).tolist() == [0, 0, 1]

    def test_too_few_classes_are_split_by_the_largest_share(self):
        labels = np.array([0, 0, 0, 0, 1])
        share = np.array([0.6, 1.0, 0.5, 0.8, 0.9])
        assert split_clusters(labels, share, 3).tolist() == [1, 0, 1, 0, 2]
        assert split_clusters(labels, share, 5).tolist() == [2, 0, 3, 1, 4]

    def test_too_many_classes_are_merged_with_the_smallest_loss(self):
        joint = np.array([[0.3, 0.02, 0.0], [0.02, 0.3, 0.0], [0.0, 0.0, 0.36]])
        assert assign_merged_clusters(joint, 2).tolist() == [0, 0, 1]
        assert assign_merged_clusters(joint, 1).tolist() == [0, 0, 0]

    def test_profiles_add_up(self):
        X, y = random_matrix(3)
        profiles = class_profiles(ts.count(X, y))
        assert profiles.mass.sum() == pytest.approx(1)
        np.testing.assert_allclose(profiles.shares.sum(axis=1), 1)

    def test_a_multilabel_document_counts_for_each_of_its_classes(self):
        X = np.array([[2, 0, 1], [0, 1, 1], [0, 0, 5]])
        fitted = ts.WordClusterExtractor(2).fit(X, np.array([[1, 1, 0], [0, 0, 1], [0, 0, 0]]))
        assert partition(fitted.labels_) in (
            {frozenset({0}), frozenset({1, 2})},
            {frozenset({0, 2}), frozenset({1})},
        )

    def test_a_word_without_a_labelled_document_is_in_no_cluster(self):
        X = np.array([[2, 0, 0], [0, 1, 0], [0, 0, 5]])
        fitted = ts.WordClusterExtractor(2).fit(X, np.array([[1, 0], [0, 1], [0, 0]]))
        assert fitted.labels_.tolist() == [0, 1, -1]

    def test_names_and_words_of_a_cluster(self):
        X, names = counted()
        fitted = ts.WordClusterExtractor(3).fit(X, LABELS)
        assert list(fitted.get_feature_names_out(names)) == [
            "0: at noon see",
            "1: lunch free",
            "2: prize now win",
        ]
        assert fitted.words(0, names) == ["at", "noon", "see", "you"]
        words = [word for j in range(fitted.n_clusters_) for word in fitted.words(j, names)]
        assert sorted(words) == sorted(names)

    def test_words_are_named_by_the_columns_of_a_frame(self):
        X, names = counted()
        fitted = ts.WordClusterExtractor(3).fit(pd.DataFrame(X.toarray(), columns=names), LABELS)
        assert "prize" in fitted.words(fitted.labels_[list(names).index("prize")])

    def test_few_rounds_are_a_prefix_of_many(self):
        X, y = random_matrix(4, terms=200)
        short, long = (
            ts.WordClusterExtractor(12, ts.DivisiveClustering(max_iter=n)).fit(X, y) for n in (1, 300)
        )
        np.testing.assert_array_equal(short.objectives_, long.objectives_[:2])
        assert len(long.objectives_) > 2

    @pytest.mark.parametrize(
        "parameters, message",
        [
            ({"n_clusters": 0}, "n_clusters must be at least 1, got 0"),
            ({"n_clusters": 2.5}, "n_clusters must be a whole number, got 2.5"),
            ({"n_clusters": True}, "n_clusters must be a whole number, got True"),
            (
                {"clustering": "divisive"},
                "clustering must be Divisive.* or None, got 'divisive'",
            ),
            ({"n_jobs": 0}, "n_jobs must be at least 1, or -1 for all cores, got 0"),
        ],
    )
    def test_rejects_invalid_parameters(self, parameters, message):
        for fit in ("fit", "partial_fit"):
            with pytest.raises(ts.InvalidInputError, match=message):
                getattr(ts.WordClusterExtractor(**parameters), fit)(np.eye(2), [0, 1])

    def test_rejects_invalid_max_iter(self):
        with pytest.raises(ts.InvalidInputError, match="max_iter must be at least 1, got 0"):
            ts.DivisiveClustering(max_iter=0)

    @pytest.mark.parametrize("cluster", [3, -1, "x", 0.5, None])
    def test_an_unknown_cluster_is_an_error(self, cluster):
        X, _ = counted()
        with pytest.raises(
            ts.InvalidInputError, match="cluster must be an integer of at least 0 and below 3, got"
        ):
            ts.WordClusterExtractor(3).fit(X, LABELS).words(cluster)
