"""The estimators do as scikit-learn's own."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectFdr, SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import termsift as ts
from extractor_cases import LABELS, TEXTS


# the checks' own data has fewer columns than the default k, and one of their matrices cannot be checked
@pytest.mark.filterwarnings("ignore:k is 1000 but there are only")
@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix")
@parametrize_with_checks([ts.TermSelector(), ts.TermWeighter()])
def test_scikit_learn_s_checks(estimator, check):
    check(estimator)


def counted(texts=TEXTS):
    vectorizer = CountVectorizer()
    return vectorizer.fit_transform(texts), vectorizer


class TestSelector:
    def test_selector_keeps_the_terms_of_select(self):
        X, vectorizer = counted()
        selector = ts.TermSelector("chi2", k=3).fit(X, LABELS)
        names = vectorizer.get_feature_names_out()
        chosen = ts.select(ts.count(X, LABELS, terms=names), "chi2", ts.TopK(3))
        assert list(names[selector.selection_]) == chosen
        assert set(names[selector.get_support()]) == set(chosen)
        assert selector.get_support(indices=True).tolist() == sorted(selector.selection_)

    def test_transform_and_back(self):
        X, _ = counted()
        selector = ts.TermSelector("ig", k=4).fit(X, LABELS)
        Z = selector.transform(X)
        assert Z.shape == (len(TEXTS), 4)
        assert sp.issparse(Z)
        back = selector.inverse_transform(Z)
        np.testing.assert_array_equal(back[:, selector.get_support()].toarray(), Z.toarray())

    def test_names_come_from_a_data_frame_and_go_out(self):
        X, vectorizer = counted()
        frame = pd.DataFrame(X.toarray(), columns=vectorizer.get_feature_names_out())
        selector = ts.TermSelector("chi2", k=2).fit(frame, LABELS)
        assert list(selector.feature_names_in_) == list(frame.columns)
        assert set(selector.get_feature_names_out()) == {"at", "prize"}
        assert list(selector.scores_.terms) == list(frame.columns)
        out = selector.set_output(transform="pandas").transform(frame)
        assert list(out.columns) == list(selector.get_feature_names_out())

    @pytest.mark.parametrize("reduce", ["max", "mean", "weighted", "sum"])
    def test_every_reduction(self, reduce):
        X, _ = counted()
        y = np.arange(len(TEXTS)) % 3
        assert ts.TermSelector("bns", k=3, reduce=reduce).fit(X, y).transform(X).shape[1] == 3

    def test_a_policy_in_place_of_k_as_a_value_or_as_text(self):
        X, _ = counted()
        value = ts.TermSelector("cc", policy=ts.PositiveNegative(4, 0.5)).fit(X, LABELS)
        text = ts.TermSelector("cc", policy="PositiveNegative(4, 0.5)").fit(X, LABELS)
        assert value.selection_.tolist() == text.selection_.tolist()

    def test_options_reach_the_metric(self):
        X, _ = counted()
        plain, smoothed = (
            ts.TermSelector("ig", 2, options=o).fit(X, LABELS) for o in (None, {"smoothing": 0.5})
        )
        assert not np.allclose(plain.scores_, smoothed.scores_)

    @given(st.lists(st.integers(1, 23), max_size=4))
    def test_fitting_in_pieces_equals_fitting_at_once(self, cuts):
        X, _ = counted()
        whole = ts.TermSelector("bns", k=3).fit(X, LABELS)
        pieces = ts.TermSelector("bns", k=3)
        edges = [0, *sorted(set(cuts)), len(TEXTS)]
        for start, stop in pairwise(edges):
            pieces.partial_fit(X[start:stop], LABELS[start:stop])
        assert pieces.counts_ == whole.counts_
        assert pieces.selection_.tolist() == whole.selection_.tolist()
        np.testing.assert_array_equal(pieces.scores_, whole.scores_)

    def test_first_batch_of_one_class_is_an_error_only_on_access(self):
        X, _ = counted()
        selector = ts.TermSelector("bns", k=3).partial_fit(X[:2], LABELS[:2])
        with pytest.raises(ts.InvalidInputError, match="only 1 class"):
            selector.get_support()
        selector.partial_fit(X[2:], LABELS[2:])
        assert selector.get_support().sum() == 3

    def test_a_class_seen_later_joins(self):
        X, _ = counted()
        selector = ts.TermSelector("bns", k=3).partial_fit(X[:4], LABELS[:4]).partial_fit(X[4:5], ["new"])
        assert selector.counts_.classes == ("ham", "new", "spam")

    def test_fit_discards_earlier_fits(self):
        X, _ = counted()
        selector = ts.TermSelector("bns", k=3).partial_fit(X, LABELS).fit(X[:6], LABELS[:6])
        assert selector.counts_.documents == 6

    def test_from_counts_equals_fit(self):
        X, vectorizer = counted()
        counts = ts.count(X, LABELS, terms=vectorizer.get_feature_names_out())
        made = ts.TermSelector.from_counts(counts, "chi2", k=3)
        np.testing.assert_array_equal(
            made.get_support(), ts.TermSelector("chi2", k=3).fit(X, LABELS).get_support()
        )
        assert made.transform(X).shape[1] == 3
        assert list(made.get_feature_names_out()) == [
            t for t in counts.terms if t in ts.select(counts, "chi2", ts.TopK(3))
        ]

    def test_partial_fit_after_from_counts(self):
        X, vectorizer = counted()
        names = vectorizer.get_feature_names_out()
        selector = ts.TermSelector.from_counts(ts.count(X[:9], LABELS[:9], terms=names), "chi2", k=3)
        selector.partial_fit(X[9:], LABELS[9:])
        assert selector.counts_ == ts.count(X, LABELS, terms=names)
        assert set(selector.get_feature_names_out()) <= set(names)
        weighter = ts.TermWeighter.from_counts(selector.counts_)
        assert list(weighter.get_feature_names_out()) == list(names)

    def test_several_labels(self):
        X, _ = counted()
        Y = np.array([[1, 0, 1], [0, 1, 1], [0, 0, 0], [1, 0, 0]] * 6)
        selector = ts.TermSelector("chi2", k=2).fit(X, Y)
        assert selector.counts_ == ts.count(X, Y)
        assert ts.TermSelector("chi2", k=2).fit(X, sp.csr_matrix(Y)).counts_ == ts.count(X, Y)

    def test_weights_are_repetitions(self):
        X, _ = counted()
        weights = np.arange(len(TEXTS)) % 3
        repeated = ts.TermSelector(k=3).fit(
            X[np.repeat(np.arange(len(TEXTS)), weights)], np.repeat(LABELS, weights)
        )
        assert ts.TermSelector(k=3).fit(X, LABELS, sample_weight=weights).counts_ == repeated.counts_

    def test_it_can_be_pickled_and_cloned(self):
        X, _ = counted()
        selector = ts.TermSelector("bns", k=3).fit(X, LABELS)
        again = pickle.loads(pickle.dumps(selector))
        np.testing.assert_array_equal(again.get_support(), selector.get_support())
        assert not hasattr(clone(selector), "counts_")

    def test_not_fitted(self):
        with pytest.raises(NotFittedError):
            ts.TermSelector().transform(np.eye(2))

    def test_a_frame_of_labels_names_the_classes(self):
        X, _ = counted()
        Y = pd.DataFrame({"p": [1, 0] * 12, "q": [1, 1, 0] * 8})
        assert ts.TermSelector(k=2).fit(X, Y).counts_.classes == ("p", "q")

    def test_a_frame_must_have_the_counted_columns(self):
        X, vectorizer = counted()
        frame = pd.DataFrame(X.toarray(), columns=vectorizer.get_feature_names_out())
        selector = ts.TermSelector.from_counts(ts.count(frame, LABELS), k=2)
        assert selector.transform(frame).shape == (24, 2)
        assert list(selector.set_output(transform="pandas").transform(frame)) == list(
            selector.get_feature_names_out()
        )
        with pytest.raises(ts.InvalidInputError, match="must be the counted terms, in the same order"):
            selector.transform(frame[frame.columns[::-1]])

    def test_no_y(self):
        X, _ = counted()
        with pytest.raises(ts.InvalidInputError, match="requires y to be passed"):
            ts.TermSelector().fit(X, None)

    def test_labels_of_another_length(self):
        X, _ = counted()
        with pytest.raises(ts.InvalidInputError, match="inconsistent numbers of samples"):
            ts.TermSelector().fit(X, LABELS[:-1])


class TestVectorizer:
    def test_vectorizer_is_plain_scikit_learn_and_gives_the_chosen_columns(self):
        X, vectorizer = counted()
        selector = ts.TermSelector("bns", k=3).fit(X, LABELS)
        plain = selector.to_vectorizer(vectorizer)
        assert type(plain) is CountVectorizer
        names = vectorizer.get_feature_names_out()[selector.selection_]
        assert list(plain.get_feature_names_out()) == list(names)
        np.testing.assert_array_equal(plain.transform(TEXTS).toarray(), X[:, selector.selection_].toarray())

    def test_the_settings_of_the_first_vectorizer_stay(self):
        vectorizer = CountVectorizer(lowercase=False, ngram_range=(1, 2), min_df=2, max_features=9)
        X = vectorizer.fit_transform(TEXTS)
        plain = ts.TermSelector("bns", k=3).fit(X, LABELS).to_vectorizer(vectorizer)
        assert plain.ngram_range == (1, 2)
        assert not plain.lowercase
        assert plain.transform(TEXTS).shape == (len(TEXTS), 3)

    @pytest.mark.parametrize("norm", [None, "l2", "l1"])
    def test_a_tfidf_vectorizer_gives_the_numbers_of_the_pipeline(self, norm):
        vectorizer = TfidfVectorizer(norm=norm)
        X = vectorizer.fit_transform(TEXTS)
        selector = ts.TermSelector("bns", k=3).fit(X, LABELS)
        plain = selector.to_vectorizer(vectorizer)
        expected = X[:, selector.selection_].toarray()
        np.testing.assert_allclose(plain.transform(TEXTS).toarray(), expected, rtol=0, atol=1e-12)

    def test_names_of_counts_are_enough(self):
        counts = ts.count(TEXTS, LABELS)
        plain = ts.TermSelector.from_counts(counts, "bns", k=2).to_vectorizer()
        assert list(plain.get_feature_names_out()) == ts.select(counts, "bns", ts.TopK(2))

    def test_unknown_names_are_an_error_with_the_remedy(self):
        X, vectorizer = counted()
        selector = ts.TermSelector("bns", k=3).fit(X, LABELS)
        with pytest.raises(ts.InvalidInputError, match="pass the fitted vectorizer that produced X"):
            selector.to_vectorizer()
        with pytest.raises(ts.InvalidInputError, match="the vectorizer has 3 terms, but X had"):
            selector.to_vectorizer(selector.to_vectorizer(vectorizer))


class TestWeighter:
    def test_columns_are_multiplied_by_the_metric(self):
        X, _ = counted()
        weighter = ts.TermWeighter("bns").fit(X, LABELS)
        expected = np.asarray(ts.score(ts.count(X, LABELS), "bns", reduce="max"))
        np.testing.assert_allclose(weighter.weights_, expected)
        np.testing.assert_allclose(weighter.transform(X).toarray(), X.toarray() * expected)
        np.testing.assert_allclose(weighter.transform(X.toarray()), X.toarray() * expected)

    def test_single_precision_stays(self):
        X, _ = counted()
        assert ts.TermWeighter("bns").fit(X, LABELS).transform(X.astype(np.float32)).dtype == np.float32

    def test_igm_has_the_weight_of_its_paper(self):
        X, _ = counted()
        expected = 1 + 7 * np.asarray(ts.score(ts.count(X, LABELS), "igm"))
        np.testing.assert_allclose(ts.TermWeighter("igm").fit(X, LABELS).weights_, expected)

    @pytest.mark.parametrize("metric", ts.metrics().names)
    def test_every_metric_is_a_weight(self, metric):
        X, _ = counted()
        assert np.isfinite(ts.TermWeighter(metric).fit(X, LABELS).weights_).all()

    def test_pieces_and_counts_give_the_same_weights(self):
        X, _ = counted()
        whole = ts.TermWeighter("rf").fit(X, LABELS)
        pieces = ts.TermWeighter("rf").partial_fit(X[:7], LABELS[:7]).partial_fit(X[7:], LABELS[7:])
        np.testing.assert_array_equal(pieces.weights_, whole.weights_)
        made = ts.TermWeighter.from_counts(whole.counts_, "rf", reduce="max")
        np.testing.assert_array_equal(made.weights_, whole.weights_)


class TestInsideScikitLearn:
    def test_a_pipeline_in_a_grid_search_over_metric_k_and_policy(self):
        pipeline = make_pipeline(CountVectorizer(), ts.TermSelector(), MultinomialNB())
        grid = [
            {"termselector__metric": ["bns", "chi2", "cc"], "termselector__k": [2, 4]},
            {
                "termselector__metric": ["cc"],
                "termselector__policy": [ts.PositiveNegative(4, r) for r in (0.5, 1.0)],
            },
        ]
        search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(TEXTS, LABELS)
        assert len(search.cv_results_["params"]) == 8
        assert search.best_score_ > 0.5

    def test_local_selection_for_each_class(self):
        local = OneVsRestClassifier(make_pipeline(ts.TermSelector("bns", k=3), LogisticRegression()))
        X, _ = counted()
        assert local.fit(X, np.arange(len(TEXTS)) % 3).predict(X).shape == (len(TEXTS),)

    def test_weights_are_routed(self):
        X, _ = counted()
        with sklearn.config_context(enable_metadata_routing=True):
            selector = ts.TermSelector("bns", k=3).set_fit_request(sample_weight=True)
            pipeline = make_pipeline(selector, MultinomialNB().set_fit_request(sample_weight=False))
            weights = np.arange(len(TEXTS)) % 3
            pipeline.fit(X, LABELS, sample_weight=weights)
        assert pipeline[0].counts_.documents == weights.sum()

    @pytest.mark.parametrize("metric", ts.metrics().names)
    def test_every_metric_is_a_score_function_of_select_k_best(self, metric):
        X, _ = counted()
        kept = SelectKBest(ts.ScoreFunction(metric), k=3).fit(X, LABELS)
        expected = ts.score(ts.count(X, LABELS), metric, reduce="max")
        np.testing.assert_allclose(kept.scores_, np.asarray(expected))
        assert kept.pvalues_.shape == kept.scores_.shape

    def test_p_values_work_with_selectors_of_scikit_learn(self):
        X, _ = counted()
        assert SelectFdr(ts.ScoreFunction("chi2"), alpha=0.5).fit(X, LABELS).get_support().any()

    def test_number_of_significant_terms_of_a_fitted_selector(self):
        rng = np.random.default_rng(0)
        y = np.arange(200) % 2
        X = (rng.random((200, 300)) < 0.1 + 0.5 * (y[:, None] * (np.arange(300) < 20))).astype(int)
        selector = ts.TermSelector("chi2", k=35)
        assert repr(selector) == "TermSelector(k=35, metric='chi2')"
        selector.fit(X, y)
        significant = ts.score(ts.count(X, y), "chi2").significant(1).any(axis=1)
        assert 20 <= selector.n_significant_ == significant[selector.selection_].sum() < 35
        note = f"{selector.n_significant_} of these 35 terms are significant"
        assert repr(selector) == f"TermSelector(k=35, metric='chi2')  # {note}"
        above = ts.TermSelector("chi2:significant").fit(X, y)
        assert set(range(20)) <= set(above.selection_.tolist()) == set(np.flatnonzero(significant))
        weighted = ts.TermSelector("md", k=5).fit(X, y, sample_weight=np.linspace(0.5, 1, 200))
        assert weighted.n_significant_ is None
        assert repr(weighted) == "TermSelector(k=5, metric='md')"

    def test_an_unknown_metric_is_an_early_error(self):
        with pytest.raises(ts.UnknownNameError, match="did you mean 'bns'"):
            ts.ScoreFunction("bnss")


class TestScaledValues:
    rng = np.random.default_rng(0)
    presence = (rng.random((60, 5)) < 0.4) * 1
    y = np.arange(60) % 3

    @pytest.mark.parametrize("metric", ["bns", "ig(smoothing=0.5)", "cc"])
    def test_of_two_values_equal_presence_whatever_the_unit(self, metric):
        expected = np.asarray(ts.score(ts.count(self.presence, self.y), metric, reduce="max"))
        units = np.array([1, 3, 0.5, 20, 7])
        found = ts.ScoreFunction(metric, scaled=True)(self.presence * units, self.y)
        np.testing.assert_allclose(found, expected, atol=1e-12)

    def test_of_partial_values_are_sums_of_shares_of_the_largest(self):
        X = np.array([[4.0], [2.0], [1.0], [0.0]])
        # 1 + .5 of two documents in the class, .25 of two outside
        (found,) = ts.ScoreFunction("acc2", scaled=True)(X, [1, 1, 0, 0])
        assert found == pytest.approx(1.5 / 2 - 0.25 / 2)

    def test_a_metric_of_occurrences_is_an_error(self):
        with pytest.raises(
            ts.InvalidInputError, match="scaled needs a metric that is a function of the cells, which md is"
        ):
            ts.ScoreFunction("md", scaled=True)
