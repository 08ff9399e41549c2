"""Features that are extracted: one a class, or one a cluster of words."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import cluster_reference as reference
import termsift as ts
from strategies import samples
from termsift.estimators.profiles import Profiles, profiles_of
from termsift.estimators.word_clusters import merged_labels, reassigned, refilled, split_labels

TEXTS = [
    "free prize now",
    "win a prize",
    "lunch at noon",
    "see you at noon",
    "free lunch",
    "prize lunch now",
] * 4
LABELS = ["spam", "spam", "ham", "ham", "ham", "spam"] * 4
EXTRACTORS = [
    ts.ClassWeightExtractor(),
    ts.WordClusterExtractor(n_clusters=3),
    ts.WordClusterExtractor(n_clusters=3, how=ts.Agglomerative()),
]
each_extractor = pytest.mark.parametrize("extractor", EXTRACTORS, ids=repr)
few_words = pytest.mark.filterwarnings("ignore:n_clusters is")


# the checks' own data has few columns, and one of their matrices cannot be checked
@few_words
@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix")
@parametrize_with_checks(
    [ts.ClassWeightExtractor(), ts.WordClusterExtractor(), ts.WordClusterExtractor(how=ts.Agglomerative())]
)
def test_scikit_learn_s_checks(estimator, check):
    check(estimator)


def counted(texts=TEXTS):
    vectorizer = ts.TermVectorizer()
    return vectorizer.fit_transform(texts), vectorizer.get_feature_names_out()


def random_matrix(seed, documents=40, terms=30, classes=4):
    """Counts that lean to classes and hardly ever tie."""
    random = np.random.default_rng(seed)
    y = np.arange(documents) % classes
    rates = random.gamma(0.4, 3.0, (classes, terms))
    X = random.poisson(rates[y])
    return X[:, X.sum(axis=0) > 0], y


class TestBoth:
    @each_extractor
    def test_fitting_in_pieces_equals_fitting_at_once(self, extractor):
        X, _ = counted()
        whole = clone(extractor).fit(X, LABELS)
        pieces = clone(extractor).partial_fit(X[:5], LABELS[:5]).partial_fit(X[5:], LABELS[5:])
        assert pieces.counts_ == whole.counts_
        np.testing.assert_array_equal(dense(pieces.transform(X)), dense(whole.transform(X)))

    @each_extractor
    def test_from_counts_equals_fit(self, extractor):
        X, names = counted()
        made = type(extractor).from_counts(ts.count(X, LABELS, terms=names), **extractor.get_params())
        fitted = clone(extractor).fit(X, LABELS)
        np.testing.assert_array_equal(dense(made.transform(X)), dense(fitted.transform(X)))
        assert list(made.get_feature_names_out()) == list(fitted.get_feature_names_out(names))

    @each_extractor
    def test_sparse_and_dense_give_the_same(self, extractor):
        X, _ = counted()
        fitted = clone(extractor).fit(X.toarray(), LABELS)
        np.testing.assert_array_equal(dense(fitted.transform(X)), fitted.transform(X.toarray()))

    @each_extractor
    def test_weights_are_repetitions(self, extractor):
        X, _ = counted()
        weights = 1 + np.arange(len(TEXTS)) % 3
        rows = np.repeat(np.arange(len(TEXTS)), weights)
        weighted = clone(extractor).fit(X, LABELS, sample_weight=weights)
        repeated = clone(extractor).fit(X[rows], np.repeat(LABELS, weights))
        np.testing.assert_allclose(dense(weighted.transform(X)), dense(repeated.transform(X)))

    @each_extractor
    def test_weights_are_routed(self, extractor):
        X, _ = counted()
        with sklearn.config_context(enable_metadata_routing=True):
            first = clone(extractor).set_fit_request(sample_weight=True)
            pipeline = make_pipeline(first, MultinomialNB().set_fit_request(sample_weight=False))
            pipeline.fit(X, LABELS, sample_weight=np.full(len(TEXTS), 2.0))
        assert pipeline[0].counts_.documents == 2 * len(TEXTS)

    @each_extractor
    def test_a_data_frame_in_and_out(self, extractor):
        X, names = counted()
        frame = pd.DataFrame(X.toarray(), columns=names)
        fitted = clone(extractor).set_output(transform="pandas").fit(frame, LABELS)
        assert list(fitted.transform(frame)) == list(fitted.get_feature_names_out())

    @each_extractor
    def test_single_precision_stays(self, extractor):
        X, _ = counted()
        assert clone(extractor).fit(X, LABELS).transform(X.astype(np.float32)).dtype == np.float32

    @each_extractor
    def test_a_term_seen_in_no_document_adds_nothing(self, extractor):
        X, _ = counted()
        wider = sp.hstack([X, sp.csr_array((len(TEXTS), 1), dtype=X.dtype)]).tocsr()
        fitted = clone(extractor).fit(wider, LABELS)
        word = np.zeros((1, wider.shape[1]), dtype=int)
        word[0, -1] = 7
        assert not fitted.transform(word).any()

    @few_words
    @each_extractor
    def test_one_class_is_one_feature(self, extractor):
        fitted = clone(extractor).fit([[1, 2], [3, 0]], ["a", "a"])
        np.testing.assert_array_equal(fitted.transform([[1, 2]]), [[3]])

    @each_extractor
    def test_it_can_be_pickled(self, extractor):
        X, _ = counted()
        fitted = clone(extractor).fit(X, LABELS)
        again = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_array_equal(dense(again.transform(X)), dense(fitted.transform(X)))

    @each_extractor
    def test_not_fitted(self, extractor):
        for ask in ("get_feature_names_out", "transform"):
            with pytest.raises(NotFittedError):
                getattr(clone(extractor), ask)(np.eye(2))

    @each_extractor
    def test_no_y(self, extractor):
        with pytest.raises(ts.InvalidInput, match="requires y to be passed"):
            clone(extractor).fit(np.eye(2), None)


class TestClassWeights:
    @given(samples(least=1))
    def test_features_are_sums_of_shares(self, sample):
        counts = sample.counts()
        fitted = ts.ClassWeightExtractor.from_counts(counts)
        bags = sample.bags
        weights = sample.weights or [1] * len(bags)

        def occurrences(term, wanted):
            rows = zip(bags, sample.labels, weights, strict=True)
            return sum(weight * bag.get(term, 0) for bag, labels, weight in rows if wanted(labels))

        X = np.array([[bag.get(term, 0) for term in counts.terms] for bag in bags]).reshape(len(bags), -1)
        if not X.size:
            return
        for features, bag in zip(fitted.transform(X), bags, strict=True):
            for c, name in enumerate(counts.classes):
                expected = 0.0
                for term, times in bag.items():
                    total = occurrences(term, lambda labels: True)
                    inside = occurrences(term, lambda labels, name=name: name in labels)
                    expected += times * inside / total if total else 0
                assert features[c] == pytest.approx(expected)

    def test_with_one_label_the_features_add_up_to_the_length(self):
        X, _ = counted()
        fitted = ts.ClassWeightExtractor().fit(X, LABELS)
        np.testing.assert_allclose(fitted.transform(X).sum(axis=1), np.ravel(X.sum(axis=1)))

    def test_several_labels_count_for_each_of_them(self):
        fitted = ts.ClassWeightExtractor().fit([[1, 0], [1, 2], [2, 0]], np.array([[1, 1], [1, 0], [0, 0]]))
        np.testing.assert_array_equal(fitted.weights_.toarray(), [[0.5, 0.25], [1, 0]])

    def test_features_are_named_by_the_classes(self):
        X, _ = counted()
        assert list(ts.ClassWeightExtractor().fit(X, LABELS).get_feature_names_out()) == ["ham", "spam"]
        numbered = ts.ClassWeightExtractor().fit(X, np.arange(len(TEXTS)) % 3)
        assert list(numbered.get_feature_names_out()) == ["0", "1", "2"]
        assert numbered.classes_.tolist() == [0, 1, 2]

    def test_a_class_seen_later_is_a_further_feature(self):
        X, _ = counted()
        fitted = ts.ClassWeightExtractor().partial_fit(X[:4], LABELS[:4])
        assert fitted.transform(X).shape[1] == 2
        assert fitted.partial_fit(X[4:5], ["new"]).transform(X).shape[1] == 3

    def test_many_classes_are_laid_out_in_parts(self, monkeypatch):
        X, y = random_matrix(5)
        fitted = ts.ClassWeightExtractor().fit(X, y)
        whole = fitted.transform(X)
        monkeypatch.setattr("termsift.estimators.class_weights.DENSE", 3 * X.shape[1])
        np.testing.assert_array_equal(fitted.transform(X), whole)

    def test_contributions_add_up_to_the_features(self):
        X, y = random_matrix(0)
        fitted = ts.ClassWeightExtractor().fit(X, y)
        parts = fitted.contributions(X[:1]).toarray()
        np.testing.assert_allclose(parts.sum(axis=0), fitted.transform(X[:1])[0])
        np.testing.assert_allclose(parts[3], X[0, 3] * fitted.weights_.toarray()[3])

    def test_contributions_explain_what_naive_bayes_decides(self):
        X, y = random_matrix(1)
        fitted = ts.ClassWeightExtractor().fit(X, y)
        bayes = MultinomialNB().fit(fitted.transform(X), y)
        by_term = fitted.contributions(X[:1]) @ bayes.feature_log_prob_.T
        expected = bayes.predict_joint_log_proba(fitted.transform(X[:1]))[0]
        np.testing.assert_allclose(by_term.sum(axis=0) + bayes.class_log_prior_, expected)

    def test_an_explanation_has_the_terms_that_give_most_to_a_class(self):
        X, names = counted()
        fitted = ts.ClassWeightExtractor().fit(X, LABELS)
        document = X[[5]]  # prize lunch now
        table = fitted.explain(document, "spam", input_features=names)
        assert table["term"].tolist() == ["prize", "now", "lunch"]
        np.testing.assert_allclose(table["contribution"], [1, 1, 1 / 3])
        assert set(table["class"]) == {"spam"}
        assert fitted.explain(document, input_features=names)["term"].tolist() == table["term"].tolist()
        assert len(fitted.explain(document, "ham", 1, input_features=names)) == 1

    def test_what_cannot_be_explained(self):
        X, _ = counted()
        fitted = ts.ClassWeightExtractor().fit(X, LABELS)
        with pytest.raises(ts.InvalidInput, match="give one document, a row of counts, got 2 rows"):
            fitted.explain(X[:2])
        with pytest.raises(ts.UnknownName, match="no class named 'hamm'; did you mean 'ham'"):
            fitted.explain(X[:1], "hamm")


def partition(labels):
    """The clusters as sets, whatever their numbers."""
    return {frozenset(np.flatnonzero(np.asarray(labels) == j).tolist()) for j in set(labels)}


class TestWordClusters:
    @pytest.mark.parametrize("k", [1, 2, 3, 4, 6, 9])
    @pytest.mark.parametrize("seed", range(6))
    def test_they_are_those_of_plain_loops(self, k, seed):
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

    def test_features_sum_the_columns_of_a_cluster(self):
        X, y = random_matrix(2)
        fitted = ts.WordClusterExtractor(5).fit(X, y)
        expected = np.stack([X[:, fitted.labels_ == j].sum(axis=1) for j in range(5)], axis=1)
        np.testing.assert_array_equal(fitted.transform(X), expected)
        sparse = fitted.transform(sp.csr_array(X))
        assert sp.issparse(sparse)
        np.testing.assert_array_equal(sparse.toarray(), expected)

    def test_words_of_the_same_spread_are_together(self):
        X = np.array([[1, 2, 3, 0, 1], [0, 0, 0, 1, 1]])
        fitted = ts.WordClusterExtractor(3).fit(X, [0, 1])
        assert partition(fitted.labels_) == {frozenset({0, 1, 2}), frozenset({3}), frozenset({4})}

    def test_more_clusters_than_words_of_different_spread(self):
        X, _ = counted()
        with pytest.warns(
            ts.TermsiftWarning, match="n_clusters is 50 but there are only 4 words of different"
        ):
            fitted = ts.WordClusterExtractor().fit(X, LABELS)
        assert fitted.n_clusters_ == fitted.transform(X).shape[1] == 4
        assert fitted.objectives_[-1] == pytest.approx(0)

    @few_words
    def test_no_word_at_all(self):
        fitted = ts.WordClusterExtractor(3).fit(np.zeros((2, 2), dtype=int), [0, 1])
        assert fitted.transform([[1, 1]]).shape == (1, 0)
        assert fitted.labels_.tolist() == [-1, -1]

    def test_an_empty_cluster_takes_the_word_that_fits_its_own_worst(self):
        shares = sp.csr_array(np.array([[1, 0], [0.9, 0.1], [0.1, 0.9]]))
        profiles = Profiles(shares, np.array([0.4, 0.3, 0.3]), np.arange(3))
        assert refilled(profiles, np.array([0, 0, 0]), 2).tolist() == [0, 0, 1]
        assert sorted(refilled(profiles, np.array([1, 1, 1]), 3).tolist()) == [0, 1, 2]

    def test_a_word_does_not_move_to_a_cluster_that_lacks_one_of_its_classes(self):
        shares = sp.csr_array(np.array([[1, 0], [0.001, 0.999], [0, 1]]))
        profiles = Profiles(shares, np.full(3, 1 / 3), np.arange(3))
        assert reassigned(profiles, np.array([0, 0, 1]), 2, 1).tolist() == [0, 0, 1]

    def test_too_few_classes_for_the_clusters_are_cut_along_the_largest_share(self):
        labels = np.array([0, 0, 0, 0, 1])
        share = np.array([0.6, 1.0, 0.5, 0.8, 0.9])
        assert split_labels(labels, share, 3).tolist() == [1, 0, 1, 0, 2]
        assert split_labels(labels, share, 5).tolist() == [2, 0, 3, 1, 4]

    def test_too_many_classes_merge_where_least_is_lost(self):
        joint = np.array([[0.3, 0.02, 0.0], [0.02, 0.3, 0.0], [0.0, 0.0, 0.36]])
        assert merged_labels(joint, 2).tolist() == [0, 0, 1]
        assert merged_labels(joint, 1).tolist() == [0, 0, 0]

    def test_profiles_add_up(self):
        X, y = random_matrix(3)
        profiles = profiles_of(ts.count(X, y))
        assert profiles.mass.sum() == pytest.approx(1)
        np.testing.assert_allclose(profiles.shares.sum(axis=1), 1)

    def test_several_labels_count_for_each_of_them(self):
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

    def test_a_frame_names_the_words(self):
        X, names = counted()
        fitted = ts.WordClusterExtractor(3).fit(pd.DataFrame(X.toarray(), columns=names), LABELS)
        assert "prize" in fitted.words(fitted.labels_[list(names).index("prize")])

    def test_few_rounds_are_a_beginning_of_many(self):
        X, y = random_matrix(4, terms=200)
        short, long = (ts.WordClusterExtractor(12, ts.Divisive(max_iter=n)).fit(X, y) for n in (1, 300))
        np.testing.assert_array_equal(short.objectives_, long.objectives_[:2])
        assert len(long.objectives_) > 2

    @pytest.mark.parametrize(
        "parameters, message",
        [
            ({"n_clusters": 0}, "n_clusters must be at least 1, got 0"),
            ({"n_clusters": 2.5}, "n_clusters must be a whole number, got 2.5"),
            ({"n_clusters": True}, "n_clusters must be a whole number, got True"),
            ({"how": "divisive"}, "how must be Divisive\\(\\), Agglomerative\\(\\) or None, got 'divisive'"),
            ({"n_jobs": 0}, "n_jobs must be at least 1, or -1 for all cores, got 0"),
        ],
    )
    def test_parameters_that_cannot_be(self, parameters, message):
        for fit in ("fit", "partial_fit"):
            with pytest.raises(ts.InvalidInput, match=message):
                getattr(ts.WordClusterExtractor(**parameters), fit)(np.eye(2), [0, 1])

    def test_rounds_that_cannot_be(self):
        with pytest.raises(ts.InvalidInput, match="max_iter must be at least 1, got 0"):
            ts.Divisive(max_iter=0)

    @pytest.mark.parametrize("cluster", [3, -1, "x", 0.5, None])
    def test_a_cluster_that_is_not_there(self, cluster):
        X, _ = counted()
        with pytest.raises(
            ts.InvalidInput, match="there are 3 clusters, numbered from 0; there is no cluster"
        ):
            ts.WordClusterExtractor(3).fit(X, LABELS).words(cluster)


@pytest.fixture(scope="module")
def stories(data_folder):
    """ApteMod's training part: its matrix, and the labels of each story."""
    corpus = ts.corpora.load("reuters_apte", data_dir=data_folder).part("train")
    return ts.TermVectorizer(min_df=3).fit_transform(corpus.texts), corpus.labels


class TestAgglomerative:
    @pytest.mark.parametrize("k", [1, 2, 5, 12])
    @pytest.mark.parametrize("seed", range(4))
    def test_clusters_are_those_of_plain_loops(self, k, seed):
        X, y = random_matrix(seed)
        rows = ts.count(X, y).tf.toarray().tolist()
        fitted = ts.WordClusterExtractor(k, ts.Agglomerative()).fit(X, y)
        labels = reference.agglomerated(rows, k)
        assert partition(fitted.labels_) == partition(labels)
        assert fitted.objectives_.tolist() == pytest.approx([reference.objective(rows, labels)])

    @few_words
    @given(samples(least=1), st.integers(1, 6))
    def test_no_cluster_is_empty_and_words_of_one_spread_stay_together(self, sample, k):
        counts = sample.counts()
        fitted = ts.WordClusterExtractor.from_counts(counts, k, how=ts.Agglomerative())
        rows, labels = counts.tf.toarray(), fitted.labels_
        seen = rows.sum(axis=1) > 0
        of_spread = {}
        for row, label in zip(rows[seen].tolist(), labels[seen].tolist(), strict=True):
            assert of_spread.setdefault(tuple(reference.spread(row)), label) == label
        assert set(labels[seen].tolist()) == set(range(fitted.n_clusters_))
        assert (labels[~seen] == -1).all()

    def test_it_loses_less_than_one_cluster_and_more_than_all_words(self):
        corpus = ts.corpora.load("docstrings")
        counts = ts.count(corpus.texts, corpus.labels)
        one, some, more = (
            ts.WordClusterExtractor.from_counts(counts, k, how=ts.Agglomerative()).objectives_[-1]
            for k in (1, 10, 60)
        )
        assert one > some > more > 0


class TestInsideScikitLearn:
    def test_a_grid_search_over_the_clusters(self):
        pipeline = make_pipeline(ts.TermVectorizer(), ts.WordClusterExtractor(), MultinomialNB())
        grid = {"wordclusterextractor__n_clusters": [1, 3]}
        search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(TEXTS, LABELS)
        assert search.best_params_ == {"wordclusterextractor__n_clusters": 3}

    @pytest.mark.parametrize(
        "extractor",
        [
            ts.ClassWeightExtractor(),
            ts.WordClusterExtractor(100),
            ts.WordClusterExtractor(100, ts.Agglomerative()),
        ],
        ids=["classes", "divisive", "agglomerative"],
    )
    def test_naive_bayes_of_apte_mod_through_cross_validation(self, stories, extractor):
        X, labels = stories
        single = [i for i, names in enumerate(labels) if len(names) == 1]
        y = [labels[i][0] for i in single]
        accuracy = cross_val_score(make_pipeline(extractor, MultinomialNB()), X[single], y, cv=KFold(3))
        commonest = max(map(y.count, set(y))) / len(y)
        assert accuracy.min() > 0.8 > 1.8 * commonest

    @each_extractor
    def test_a_classifier_for_each_label_of_apte_mod(self, stories, extractor):
        X, labels = stories
        Y = np.array([["acq" in names, "grain" in names, "wheat" in names] for names in labels]).astype(int)
        several = OneVsRestClassifier(make_pipeline(clone(extractor), MultinomialNB())).fit(X, Y)
        assert (several.predict(X) == Y).mean() > 0.9
        features = clone(extractor).fit(X, Y).transform(X)
        assert features.shape == (X.shape[0], 3)


def dense(features):
    return features.toarray() if sp.issparse(features) else features
