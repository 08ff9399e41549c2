"""Fast and general evaluation of ratios choose the same, with any classifier and scoring."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.metrics import f1_score
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import termsift as ts
from leaning_counts import made, plus_minus
from termsift.evaluation.ratios import is_default_logistic, is_default_naive_bayes


class OtherBayes(MultinomialNB):
    """Naive Bayes that the selector does not know, so that it is fitted for each ratio."""


class OtherLogistic(LogisticRegression):
    """Logistic regression that the selector does not know, solved to the end."""

    def fit(self, X, y, sample_weight=None):
        self.set_params(tol=1e-10, max_iter=10_000)
        return super().fit(X, y, sample_weight)


class TestEveryWayIsTheSame:
    @pytest.mark.parametrize("cv", [None, 3])
    @pytest.mark.parametrize("seed", range(4))
    def test_naive_bayes(self, seed, cv):
        X, y = made(seed)
        weights = np.random.default_rng(seed).integers(0, 3, len(y)) if seed % 2 else None
        fast = plus_minus(11, cv=cv, estimator=MultinomialNB(alpha=0.3)).fit(X, y, weights)
        slow = plus_minus(11, cv=cv, estimator=OtherBayes(alpha=0.3)).fit(X, y, weights)
        np.testing.assert_array_equal(fast.path_scores_, slow.path_scores_)
        assert fast.ratio_ == slow.ratio_

    @pytest.mark.parametrize("cv", [None, 3])
    @pytest.mark.parametrize("seed", range(4))
    def test_logistic_regression(self, seed, cv):
        X, y = made(seed)
        X, ratios = (X > 0).astype(int), [0, 0.2, 0.5, 0.6, 1]
        fast = plus_minus(11, cv=cv, ratios=ratios, estimator=LogisticRegression(C=0.5)).fit(X, y)
        slow = plus_minus(11, cv=cv, ratios=ratios, estimator=OtherLogistic(C=0.5)).fit(X, y)
        # the fast fit ends when no derivative is above 0.01, so documents that nearly tie may change places
        np.testing.assert_allclose(fast.path_scores_, slow.path_scores_, atol=0.02)
        assert fast.ratio_ == slow.ratio_

    def test_on_real_texts(self, data_folder):
        train = ts.corpora.load("reuters_apte", data_dir=data_folder).part("train")
        X = ts.TermVectorizer(min_df=3).fit_transform(train.texts)
        y = np.array(["trade" in labels for labels in train.labels])
        for fast, slow, data in [
            (MultinomialNB(), OtherBayes(), X),
            (LogisticRegression(), OtherLogistic(), (X > 0).astype(int)),
        ]:
            one, other = (plus_minus(20, estimator=estimator).fit(data, y) for estimator in (fast, slow))
            assert one.ratio_ == other.ratio_ < 1

    def test_order_within_rows_does_not_matter(self):
        X, y = made()
        turned = sp.csr_array((X.data.copy(), X.indices.copy(), X.indptr), shape=X.shape)
        for start, stop in zip(X.indptr, X.indptr[1:], strict=False):
            turned.indices[start:stop] = X.indices[start:stop][::-1]
            turned.data[start:stop] = X.data[start:stop][::-1]
        np.testing.assert_array_equal(
            plus_minus().fit(turned, y).path_scores_, plus_minus().fit(X, y).path_scores_
        )

    def test_path_classifiers_replace_only_equivalent_estimators(self):
        assert is_default_naive_bayes(MultinomialNB(alpha=2))
        for other in ({"alpha": 0}, {"alpha": np.ones(3)}, {"fit_prior": False}, {"class_prior": [0.5, 0.5]}):
            assert not is_default_naive_bayes(MultinomialNB(**other))
        assert is_default_logistic(LogisticRegression(C=3, max_iter=7, tol=1, n_jobs=2))
        for other in (
            {"class_weight": "balanced"},
            {"C": np.inf},
            {"fit_intercept": False},
            {"solver": "liblinear"},
            {"l1_ratio": 0.5},
        ):
            assert not is_default_logistic(LogisticRegression(**other))


class TestAnyEstimator:
    @pytest.mark.parametrize(
        "estimator",
        [LinearSVC(), RandomForestClassifier(5, random_state=0), GaussianNB(), KNeighborsClassifier()],
        ids=str,
    )
    def test_any_classifier_is_scored_at_its_break_even_point(self, estimator):
        X, y = made()
        selector = plus_minus(estimator=estimator, ratios=[0, 0.5, 1]).fit(X.toarray(), y)
        assert (selector.path_scores_ > 0).any()

    def test_any_scoring(self):
        X, y = made()
        labels = np.array(["no", "yes"])[y]
        selector = plus_minus(scoring="f1", ratios=[0.2, 0.8]).fit(X, labels)
        expected = [
            f1_score(y, MultinomialNB().fit(Z, y).predict(Z))
            for Z in (plus_minus(ratio=ratio).fit_transform(X, y) for ratio in (0.2, 0.8))
        ]
        np.testing.assert_allclose(selector.path_scores_, expected)

    def test_weights_are_passed_or_rejected(self):
        X, y = made()
        weights = np.arange(len(y)) % 3
        plus_minus(estimator=LinearSVC(), ratios=[0.5]).fit(X, y, weights)
        with pytest.raises(ts.InvalidInputError, match="fit does not accept sample_weight"):
            plus_minus(estimator=KNeighborsClassifier()).fit(X, y, weights)

    def test_classifier_without_confidences_needs_scoring(self):
        class Silent(ClassifierMixin, BaseEstimator):
            def fit(self, X, y):
                self.classes_ = np.unique(y)
                return self

            def predict(self, X):
                return np.ones(X.shape[0], dtype=int)

        X, y = made()
        with pytest.raises(
            ts.InvalidInputError, match="Silent has neither decision_function nor predict_proba"
        ):
            plus_minus(estimator=Silent()).fit(X, y)
        assert plus_minus(estimator=Silent(), scoring="accuracy").fit(X, y).ratio_ == 1.0

    def test_equal_selections_are_fitted_once(self):
        fits = []

        class Counting(Perceptron):
            def fit(self, X, y):
                fits.append(X.shape)
                return super().fit(X, y)

        X, y = made()
        plus_minus(2, estimator=Counting()).fit(X, y)
        assert fits == [(240, 2)] * 3
