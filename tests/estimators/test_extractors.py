"""Features that are extracted: one per class, or one per cluster of words."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from hypothesis import given
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import termsift as ts
from extractor_cases import LABELS, TEXTS, counted, few_words, random_matrix
from strategies import samples

EXTRACTORS = [
    ts.ClassWeightExtractor(),
    ts.WordClusterExtractor(n_clusters=3),
    ts.WordClusterExtractor(n_clusters=3, clustering=ts.DivisiveClustering(max_iter=2)),
]
each_extractor = pytest.mark.parametrize("extractor", EXTRACTORS, ids=repr)


# the checks' own data has few columns, and one of their matrices cannot be checked
@few_words
@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix")
@parametrize_with_checks([ts.ClassWeightExtractor(), ts.WordClusterExtractor()])
def test_scikit_learn_s_checks(estimator, check):
    check(estimator)


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
        X.sort_indices()  # sums are equal to the last bit only in the same order
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
        with pytest.raises(ts.InvalidInputError, match="requires y to be passed"):
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

    def test_many_classes_are_multiplied_in_blocks(self, monkeypatch):
        X, y = random_matrix(5)
        fitted = ts.ClassWeightExtractor().fit(X, y)
        whole = fitted.transform(X)
        monkeypatch.setattr("termsift.estimators.extractors.DENSE_ENTRIES", 3 * X.shape[1])
        np.testing.assert_array_equal(fitted.transform(X), whole)

    def test_contributions_add_up_to_the_features(self):
        X, y = random_matrix(0)
        fitted = ts.ClassWeightExtractor().fit(X, y)
        parts = fitted.contributions(X[:1]).toarray()
        np.testing.assert_allclose(parts.sum(axis=0), fitted.transform(X[:1])[0])
        np.testing.assert_allclose(parts[3], X[0, 3] * fitted.weights_.toarray()[3])

    def test_contributions_explain_naive_bayes_decisions(self):
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

    def test_invalid_explanations_are_errors(self):
        X, _ = counted()
        fitted = ts.ClassWeightExtractor().fit(X, LABELS)
        with pytest.raises(ts.InvalidInputError, match=r"one document .a row of counts., got 2 rows"):
            fitted.explain(X[:2])
        with pytest.raises(ts.UnknownNameError, match="no class named 'hamm'; did you mean 'ham'"):
            fitted.explain(X[:1], "hamm")


@pytest.fixture(scope="module")
def stories(data_folder):
    """ApteMod's training part: its matrix, and the labels of each story."""
    corpus = ts.corpora.load("reuters_apte", data_dir=data_folder).part("train")
    return ts.TermVectorizer(min_df=3).fit_transform(corpus.texts), corpus.labels


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
        ],
        ids=["classes", "clusters"],
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
