"""PositiveNegativeSelector chooses the ratio it says, by every way the same, inside scikit-learn."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import termsift as ts
from leaning_counts import made, plus_minus
from termsift.evaluation.ratios import choose_ratios


# the checks' own data has fewer columns than the default k, and one of their matrices cannot be checked
@pytest.mark.filterwarnings("ignore:k is 50 but there are only")
@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix")
@parametrize_with_checks([ts.PositiveNegativeSelector(), ts.PositiveNegativeSelector(k=2, cv=2)])
def test_scikit_learn_s_checks(estimator, check):
    check(estimator)


class TestRatio:
    @pytest.mark.parametrize("ratio", [0, 0.3, 0.5, 1.0, np.float64(0.85)])
    @pytest.mark.parametrize("classes", [2, 3])
    def test_a_fixed_ratio_is_the_policy(self, ratio, classes):
        X, y = made(classes=classes)
        selector = plus_minus(ratio=ratio).fit(X, y)
        policy = ts.TermSelector("cc", policy=ts.PositiveNegative(10, ratio)).fit(X, y)
        assert selector.selection_.tolist() == policy.selection_.tolist()
        assert np.all(selector.ratio_ == ratio)
        assert selector.path_scores_ is None

    @pytest.mark.parametrize("k", [7, 60, 150])
    def test_the_chosen_ratio_scores_best_on_the_training_set(self, k):
        X, y = made()
        selector = plus_minus(k).fit(X, y)
        for ratio, score in zip(selector.ratios_, selector.path_scores_, strict=True):
            Z = plus_minus(k, ratio=ratio).fit_transform(X, y)
            log = MultinomialNB().fit(Z, y).predict_joint_log_proba(Z)
            assert score == ts.evaluation.break_even_f1(log[:, 1] - log[:, 0], y)
        assert selector.path_scores_[selector.ratios_ == selector.ratio_] == selector.path_scores_.max()
        policy = ts.PositiveNegative(k, selector.ratio_)
        assert (
            selector.selection_.tolist() == ts.TermSelector("cc", policy=policy).fit(X, y).selection_.tolist()
        )

    def test_the_largest_of_equally_good_ratios_is_chosen(self):
        X, y = made()
        one_for_all = make_scorer(lambda truth, guess: 0.5)
        assert plus_minus(scoring=one_for_all).fit(X, y).ratio_ == 1.0

    def test_ratios_are_tried_in_any_order_and_each_once(self):
        X, y = made()
        selector = plus_minus(ratios=[0.7, 0.2, 0.7]).fit(X, y)
        assert selector.ratios_.tolist() == [0.2, 0.7]
        assert selector.path_scores_.shape == (2,)

    def test_a_gain_within_one_standard_error_over_the_folds_is_not_taken(self):
        ratios = np.array([0.5, 1.0])
        gains = np.array([0.09, -0.03, 0.02])  # mean .027, standard error .035
        curves = np.stack([0.6 + gains, np.full(3, 0.6)], axis=1)[:, None]
        assert choose_ratios(curves, ratios).tolist() == [1.0]
        assert choose_ratios(np.concatenate([curves] * 4), ratios).tolist() == [0.5]

    def test_negative_terms_are_selected_if_they_help(self):
        # "oil" is in all documents of the class and in as many others, which "palm" and "olive" give away
        texts = ["crude oil", "oil barrel", "oil price"] * 3 + ["palm oil", "olive oil", "wheat price"] * 3
        X = CountVectorizer().fit_transform(texts)
        selector = plus_minus(3).fit(X, [1] * 9 + [0] * 9)
        assert selector.ratio_ < 1
        assert selector.path_scores_.max() > selector.path_scores_[-1]


class TestCrossValidation:
    def test_scores_are_means_over_folds_ranked_without_the_test_fold(self):
        X, y = made()
        folds = StratifiedKFold(4, shuffle=True, random_state=0)
        selector = plus_minus(cv=folds, ratios=[0.2, 1.0]).fit(X, y)
        for ratio, score in zip(selector.ratios_, selector.path_scores_, strict=True):
            model = make_pipeline(plus_minus(ratio=ratio), MultinomialNB())
            expected = []
            for train, test in folds.split(X, y):
                log = model.fit(X[train], y[train]).predict_log_proba(X[test])
                expected.append(ts.evaluation.break_even_f1(log[:, 1] - log[:, 0], y[test]))
            assert score == pytest.approx(np.mean(expected))

    def test_terms_are_ranked_without_the_held_out_documents(self):
        # chance, but for a first term, in one document of the class that is fitted and in all held out
        rng = np.random.default_rng(0)
        y = np.tile([0, 1], 100)
        X = rng.poisson(0.3, (200, 80))
        X[:, 0] = np.where(np.arange(200) < 100, np.arange(200) == 1, y)
        fitted, held_out = np.arange(100), np.arange(100, 200)
        selector = plus_minus(4, ratios=[1.0], cv=[(fitted, held_out)]).fit(X, y)
        assert 0 in selector.selection_
        Z = selector.transform(X)
        log = MultinomialNB().fit(Z[fitted], y[fitted]).predict_log_proba(Z[held_out])
        assert ts.evaluation.break_even_f1(log[:, 1] - log[:, 0], y[held_out]) > 0.8
        assert selector.path_scores_[0] < 0.6

    def test_folds_are_stratified_for_one_label_and_not_for_several(self):
        X, y = made()
        Y = np.stack([y, y, 1 - y], axis=1)
        by_number = plus_minus(cv=3).fit(X, y)
        np.testing.assert_array_equal(
            by_number.path_scores_, plus_minus(cv=StratifiedKFold(3)).fit(X, y).path_scores_
        )
        np.testing.assert_array_equal(
            plus_minus(cv=3).fit(X, Y).path_scores_, plus_minus(cv=KFold(3)).fit(X, Y).path_scores_
        )

    def test_a_fold_that_lacks_the_class_scores_nothing(self):
        X, _ = made()
        y = np.zeros(X.shape[0], dtype=int)
        y[0] = 1
        selector = plus_minus(cv=KFold(2)).fit(X, y)
        assert selector.path_scores_.tolist() == [0] * 21
        assert selector.ratio_ == 1.0

    def test_cv_may_consist_of_masks(self):
        X, y = made()
        learned = np.arange(len(y)) % 3 > 0
        by_mask = plus_minus(cv=[(learned, ~learned)]).fit(X, y).path_scores_
        by_index = plus_minus(cv=[(np.flatnonzero(learned), np.flatnonzero(~learned))]).fit(X, y).path_scores_
        np.testing.assert_array_equal(by_mask, by_index)

    @pytest.mark.parametrize(
        ("cv", "message"),
        [
            ({}, "cv must produce at least one split, got {}"),
            ([], "cv must produce at least one split"),
            (b"", "cv must be a number of folds, a splitter or pairs of indices, got b''"),
            ([([0, 1], [10**6])], "cv must give indices of the"),
            ([([0, 1], [0.5])], "cv must give indices of the"),
            ([([0, 1], [])], "cv must give indices of the"),
            ([([True, False], [1])], "cv must give indices of the"),
        ],
    )
    def test_an_invalid_cv_is_an_error(self, cv, message):
        X, y = made()
        with pytest.raises(ts.InvalidInputError, match=re.escape(message)):
            plus_minus(cv=cv).fit(X, y)


class TestEstimator:
    @pytest.mark.parametrize("found", ["True", (1, 2), np.ones(2), 1j, None], ids=repr)
    def test_a_scorer_gives_one_number(self, found):
        X, y = made()
        with pytest.raises(ts.InvalidInputError, match="scoring must return one number per model, got"):
            plus_minus(scoring=lambda model, X, y: found).fit(X, y)

    @pytest.mark.parametrize("estimator", [{1, 2}, "multinomial_nb", MultinomialNB], ids=repr)
    def test_the_estimator_must_be_a_classifier(self, estimator):
        X, y = made()
        with pytest.raises(ts.InvalidInputError, match="estimator must be an instance of a classifier, got"):
            plus_minus(estimator=estimator).fit(X, y)


class TestClasses:
    def test_each_class_has_k_terms_and_a_ratio_as_if_it_were_alone(self):
        X, y = made(classes=3)
        Y = np.eye(3, dtype=int)[y]
        several, indicator = (plus_minus(12, per_class=True).fit(X, labels) for labels in (y, Y))
        assert several.ratio_.shape == (3,)
        assert several.path_scores_.shape == (3, 21)
        assert several.selection_.tolist() == indicator.selection_.tolist()
        for c in range(3):
            alone = plus_minus(12).fit(X, y == c)
            assert alone.ratio_ == several.ratio_[c]
            np.testing.assert_array_equal(alone.path_scores_, several.path_scores_[c])
            assert several.class_selections_[c].tolist() == alone.selection_.tolist()
        assert set(several.selection_) == set(np.concatenate(several.class_selections_))

    def test_classes_that_share_terms_share_the_ratio_searched_at_k(self):
        X, y = made(classes=3)
        folds = list(StratifiedKFold(3).split(X, y))
        selector = plus_minus(12, cv=folds, ratios=[0.5, 1.0]).fit(X, y)
        assert isinstance(selector.ratio_, float)
        for ratio, found in zip(selector.ratios_, selector.path_scores_, strict=True):
            scores = []
            for train, test in folds:
                selected = plus_minus(12, ratio=ratio).fit(X[train], y[train])
                assert len(selected.selection_) == 12
                Z, held_out = selected.transform(X[train]), selected.transform(X[test])
                for c in range(3):
                    log = MultinomialNB().fit(Z, y[train] == c).predict_log_proba(held_out)
                    scores.append(ts.evaluation.break_even_f1(log[:, 1] - log[:, 0], y[test] == c))
            assert found == pytest.approx(np.mean(scores))

    def test_the_ratio_of_a_class_may_be_given_or_derived_from_its_size(self):
        X, y = made(classes=3)
        given = plus_minus(12, ratio=(1.0, 0.5, 0.25), per_class=True).fit(X, y)
        for c, ratio in enumerate((1.0, 0.5, 0.25)):
            alone = plus_minus(12, ratio=ratio).fit(X, y == c)
            assert given.class_selections_[c].tolist() == alone.selection_.tolist()
        derived = plus_minus(12, ratio="size", per_class=True).fit(X, y)
        shares = np.bincount(y) / len(y)
        np.testing.assert_allclose(derived.ratio_, 0.77 + 0.086 * np.log(shares), atol=0.006)
        with pytest.raises(ts.InvalidInputError, match="ratio has 2 values for 3 classes"):
            plus_minus(12, ratio=(1.0, 0.5)).fit(X, y)

    def test_a_class_of_no_document_scores_nothing(self):
        X, y = made(classes=3)
        Y = np.column_stack([np.eye(3, dtype=int)[y], np.zeros(len(y), dtype=int)])
        selector = plus_minus(12, cv=2, per_class=True).fit(X, Y)
        assert selector.path_scores_[3].tolist() == [0] * 21

    def test_local_selection_for_each_category(self, data_folder):
        train = ts.corpora.load("reuters_apte", data_dir=data_folder).part("train").take(range(2000))
        X = ts.TermVectorizer(min_df=3).fit_transform(train.texts)
        binarizer = MultiLabelBinarizer(classes=["acq", "crude", "grain", "trade", "wheat"])
        Y = binarizer.fit_transform([[x for x in names if x in binarizer.classes] for names in train.labels])
        model = OneVsRestClassifier(make_pipeline(plus_minus(20), MultinomialNB())).fit(X, Y)
        grain = model.estimators_[2][0]
        alone = plus_minus(20).fit(X, Y[:, 2])
        assert grain.ratio_ == alone.ratio_
        assert grain.selection_.tolist() == alone.selection_.tolist()
        assert len({tuple(each[0].selection_) for each in model.estimators_}) == 5
        assert f1_score(Y[:, 2], model.predict(X)[:, 2]) > 0.6


class TestInsideScikitLearn:
    TEXTS = ("free prize now", "win a prize", "lunch at noon", "see you at noon", "free lunch") * 4
    LABELS = ("spam", "spam", "ham", "ham", "ham") * 4

    def test_a_grid_search_over_metric_k_and_ratio(self):
        pipeline = make_pipeline(ts.TermVectorizer(), plus_minus(), MultinomialNB())
        name = "positivenegativeselector__"
        grid = {name + "metric": ["cc", "or"], name + "k": [2, 4], name + "ratio": ["auto", 0.5]}
        search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(self.TEXTS, self.LABELS)
        assert search.best_score_ > 0.5

    def test_names_pickles_and_clones(self):
        vectorizer = ts.TermVectorizer()
        X = vectorizer.fit_transform(self.TEXTS)
        frame = pd.DataFrame(X.toarray(), columns=vectorizer.get_feature_names_out())
        selector = plus_minus(3).fit(frame, self.LABELS)
        out = selector.set_output(transform="pandas").transform(frame)
        assert list(out.columns) == list(selector.get_feature_names_out())
        assert set(selector.to_vectorizer().get_feature_names_out()) == set(out.columns)
        again = pickle.loads(pickle.dumps(selector))
        assert again.selection_.tolist() == selector.selection_.tolist()
        assert not hasattr(clone(selector), "counts_")
        with pytest.raises(NotFittedError):
            clone(selector).transform(frame)


class TestMistakes:
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            (
                {"metric": "chi2"},
                "needs a one-sided metric, but chi2 is not one-sided; use one of: .*cc",
            ),
            ({"ratio": "best"}, "ratio must be a number between 0 and 1, or 'auto' or 'size', got 'best'"),
            ({"ratio": 1.5}, "ratio must lie between 0 and 1, got 1.5"),
            ({"ratio": None}, "ratio must lie between 0 and 1, got None"),
            ({"ratios": []}, r"ratios must be numbers between 0 and 1, got \[\]"),
            ({"ratios": [0.5, 2]}, r"ratios must be numbers between 0 and 1, got \[0.5, 2\]"),
            ({"ratios": 21}, "ratios must be numbers between 0 and 1, got 21"),
            ({"k": 0}, "k must be at least 1, got 0"),
            ({"scoring": ["f1", "recall"]}, "scoring must be a scorer or the name of one scorer"),
        ],
    )
    def test_invalid_input_is_a_one_line_error(self, parameters, message):
        X, y = made()
        with pytest.raises(ts.InvalidInputError, match=message):
            plus_minus().set_params(**parameters).fit(X, y)

    def test_keeps_all_terms_if_k_is_too_large(self):
        X, y = made(terms=6)
        with pytest.warns(ts.TermsiftWarning, match="k is 10 but there are only 6 terms"):
            assert plus_minus().fit(X, y).get_support().all()


@pytest.mark.parametrize("estimator", [None, LinearSVC(random_state=0), LogisticRegression(max_iter=200)])
def test_threads_change_nothing(estimator):
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.poisson(0.3, (90, 30)) + (rng.random((90, 30)) < 0.3) * (np.arange(30) % 3 == y[:, None])
    one, several = (
        ts.PositiveNegativeSelector("cc", k=6, estimator=estimator, ratios=[0.2, 0.5, 1], n_jobs=n_jobs).fit(
            X, y
        )
        for n_jobs in (None, 3)
    )
    assert np.array_equal(one.path_scores_, several.path_scores_)
    assert np.array_equal(one.selection_, several.selection_)


def test_threads_are_at_least_one():
    with pytest.raises(ts.InvalidInputError, match="n_jobs must be at least 1"):
        ts.PositiveNegativeSelector("cc", k=1, n_jobs=0).fit(np.eye(4), [0, 1, 0, 1])
