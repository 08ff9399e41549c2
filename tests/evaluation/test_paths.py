"""Paths of nested selections, and the classifiers that are fitted for all their steps at once."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB

import termsift as ts
from termsift._internal.ranking import interleave
from termsift.evaluation.classifiers.linear import BinaryLogistic
from termsift.evaluation.classifiers.naive_bayes import NaiveBayesPath
from termsift.evaluation.classifiers.paths import SelectionPath
from termsift.evaluation.measures import break_even_counts

few = st.integers(-2, 2).map(float)
shares = st.lists(st.floats(0, 1), min_size=1, max_size=6).map(sorted)
RATIOS = np.arange(21) / 20


@st.composite
def paths(draw, share=1.0):
    """A path over few values, so that ties are common, of a share of the terms at most; and their number."""
    n = draw(st.integers(1, 14))
    values = np.array(draw(st.lists(few, min_size=n, max_size=n)))
    df = np.array(draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    return SelectionPath.from_scores(
        values, df, np.arange(n), draw(st.integers(1, max(1, int(n * share)))), np.array(draw(shares))
    ), n


def made(rng, documents=60, terms=40, k=9, ratios=RATIOS):
    """Counts of documents that lean to the class they are in, and the path of cc."""
    truth = rng.random(documents) < 0.3
    lean = rng.normal(0, 1, terms)
    X = sp.csr_array(rng.poisson(0.4 * np.exp(np.outer(truth - 0.5, lean))))
    scores = ts.score(ts.count(X, truth), "cc")
    df = scores.counts.term_df
    return X, truth, SelectionPath.from_scores(scores.values[:, 1], df, np.arange(terms), k, ratios)


class TestPath:
    @given(paths())
    def test_every_step_chooses_k_different_terms(self, case):
        path, _ = case
        for step in range(len(path.sizes)):
            assert len(set(path.terms_at_step(step).tolist())) == path.k

    @given(paths(), st.floats(0, 1))
    def test_each_step_selects_the_terms_of_the_policy(self, case, ratio):
        path, _ = case
        one = SelectionPath(path.k, path.first, path.last, np.floor([ratio * path.k + 0.5]).astype(int))
        assert set(one.terms_at_step(0)) == set(interleave(path.first, path.last, ratio, path.k))

    @given(paths(share=0.4))
    def test_borders_are_the_steps_at_which_terms_enter_or_leave(self, case):
        path, n = case
        assume(path.is_disjoint)
        step, positive = path.term_steps(n)
        for s in range(len(path.sizes)):
            inside = np.where(positive, s >= step, s <= step) & (step >= 0)
            assert set(np.flatnonzero(inside)) == set(path.terms_at_step(s))

    @given(paths())
    def test_renumbered_path_selects_the_same_terms(self, case):
        path, _ = case
        terms = path.terms
        for step in range(len(path.sizes)):
            assert (
                terms[path.renumber(terms).terms_at_step(step)].tolist() == path.terms_at_step(step).tolist()
            )

    def test_term_on_both_lists_is_selected_once(self):
        path = SelectionPath.from_scores(np.zeros(5), np.ones(5), np.arange(5), 3, np.array([1 / 3, 1.0]))
        assert not path.is_disjoint
        assert path.terms_at_step(0).tolist() == [0, 1, 2]


def model_of(path, X, truth, smoothing=1.0):
    """Naive Bayes of a class, and of the rest."""
    counts = np.stack([X.T @ truth, X.T @ ~truth], axis=1)
    return NaiveBayesPath(path, counts, np.array([truth.mean(), 1 - truth.mean()]), smoothing)


class TestBayes:
    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("ratios", [RATIOS, np.array([0.3, 0.31, 0.8])], ids=["all", "some"])
    def test_every_step_equals_scikit_learn(self, seed, ratios):
        X, truth, path = made(np.random.default_rng(seed), ratios=ratios)
        posteriors = model_of(path, X, truth, 0.5).log_posteriors(X)
        for step in range(len(ratios)):
            columns = path.terms_at_step(step)
            model = MultinomialNB(alpha=0.5).fit(X[:, columns], truth)
            expected = model.predict_joint_log_proba(X[:, columns])
            np.testing.assert_allclose(posteriors[:, step, ::-1], expected, rtol=1e-12)

    def test_documents_of_the_same_chosen_terms_are_equal_to_the_last_bit(self):
        X, truth, path = made(np.random.default_rng(0), k=5)
        # a second copy of each document, which differs only in the terms that a step leaves out
        for step in (0, 10, 20):
            other = X.toarray()
            left_out = np.setdiff1d(np.arange(X.shape[1]), path.terms_at_step(step))
            other[:, left_out] = other[::-1, left_out]
            both = sp.csr_array(np.vstack([X.toarray(), other]))
            here, there = np.split(model_of(path, X, truth).log_posteriors(both)[:, step], 2)
            np.testing.assert_array_equal(here, there)


def margins_of_scikit_learn(X, truth, others, columns, penalty):
    model = LogisticRegression(C=1 / penalty, tol=1e-10, max_iter=10_000)
    return model.fit(X[:, columns], truth).decision_function(others[:, columns])


class TestLogistic:
    @pytest.mark.parametrize("penalty", [0.3, 1.0, 7.0])
    def test_every_step_equals_scikit_learn(self, penalty):
        X, truth, path = made(np.random.default_rng(1))
        X = sp.csc_array((X.toarray() > 0) * 1)
        for_fitted, for_others = (
            BinaryLogistic(penalty, tolerance=1e-8).path_decision_values(path, X, truth, others.tocsc())
            for others in (X, X[::2])
        )
        np.testing.assert_allclose(for_others, for_fitted[::2])
        for step in range(0, 21, 4):
            expected = margins_of_scikit_learn(X, truth, X, path.terms_at_step(step), penalty)
            np.testing.assert_allclose(for_fitted[:, step], expected, atol=1e-5)

    @pytest.mark.parametrize("bias_penalty", [0.0, 0.3, 5.0, np.inf])
    def test_bias_is_free_penalized_or_absent(self, bias_penalty):
        X, truth, path = made(np.random.default_rng(3))
        X = sp.csc_array((X.toarray() > 0) * 1)
        classifier = BinaryLogistic(0.3, tolerance=1e-8, bias_penalty=bias_penalty)
        margins = classifier.path_decision_values(path, X, truth, X)
        model = classifier.make_estimator().set_params(tol=1e-10, max_iter=10**5)
        for step in (0, 7, 20):
            chosen = X[:, path.terms_at_step(step)]
            expected = model.fit(chosen, truth).decision_function(chosen)
            np.testing.assert_allclose(margins[:, step], expected, atol=1e-5)

    def test_steps_with_the_same_terms_have_the_same_decision_values(self):
        X, truth, path = made(np.random.default_rng(2), k=3)
        margins = BinaryLogistic().path_decision_values(path, X.tocsc(), truth, X.tocsc())
        same = np.flatnonzero(np.diff(path.sizes) == 0)
        np.testing.assert_array_equal(margins[:, same], margins[:, same + 1])

    @pytest.mark.parametrize("category", ["grain", "cocoa"])
    def test_real_texts_have_close_decision_values_and_break_even_points(self, data_folder, category):
        train = ts.corpora.load("reuters_apte", data_dir=data_folder).part("train")
        X = sp.csr_array(ts.TermVectorizer(binary=True, min_df=3).fit_transform(train.texts))
        truth = np.array([category in labels for labels in train.labels])
        scores = ts.score(ts.count(X, truth), "cc")
        path = SelectionPath.from_scores(
            scores.values[:, 1], scores.counts.term_df, np.arange(X.shape[1]), 50, RATIOS[::5]
        )
        margins = BinaryLogistic().path_decision_values(path, X.tocsc(), truth, X.tocsc())
        for step, column in enumerate(margins.T):
            expected = margins_of_scikit_learn(X, truth, X, path.terms_at_step(step), 1.0)
            assert np.abs(column - expected).max() < 0.05
            ours, theirs = break_even_counts(column, truth), break_even_counts(expected, truth)
            assert np.abs(np.subtract(ours, theirs)).max() <= 1
