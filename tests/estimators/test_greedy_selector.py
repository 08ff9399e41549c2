"""GreedyDiscriminationSelector does as scikit-learn's own selectors."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.utils.estimator_checks import parametrize_with_checks

import termsift as ts
from leaning_counts import made
from termsift.selection.discrimination import divergences, greedy_ranking, jmh_divergence


# the checks' own data has fewer columns than the default k, and one of their matrices cannot be checked
@pytest.mark.filterwarnings("ignore:k is 1000 but there are only")
@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix")
@parametrize_with_checks([ts.GreedyDiscriminationSelector(), ts.GreedyDiscriminationSelector(k=1)])
def test_scikit_learn_s_checks(estimator, check):
    check(estimator)


def greedy(k=10):
    return ts.GreedyDiscriminationSelector(k=k)


class TestFitted:
    @pytest.mark.parametrize("classes", [2, 4])
    def test_selector_keeps_the_ranking_of_its_counts(self, classes):
        X, y = made(classes=classes)
        selector = greedy().fit(X, y)
        counts = ts.count(X, y)
        assert selector.ranking_.tolist() == greedy_ranking(counts, 10).tolist()
        assert selector.selection_.tolist() == selector.ranking_.tolist()
        assert selector.get_support(indices=True).tolist() == sorted(selector.ranking_)
        assert selector.divergences_.tolist() == divergences(counts, selector.ranking_).tolist()
        assert selector.transform(X).shape == (X.shape[0], 10)

    def test_scores_are_the_gains_of_terms(self):
        X, y = made(classes=3)
        selector = greedy().fit(X, y)
        scores = np.asarray(selector.scores_)
        assert scores[selector.ranking_].cumsum() == pytest.approx(selector.divergences_)
        for term in set(range(X.shape[1])) - set(selector.ranking_.tolist()):
            then = jmh_divergence(selector.counts_, [*selector.ranking_, term])
            assert selector.divergences_[-1] + scores[term] == pytest.approx(then)

    def test_keeps_all_terms_and_warns_if_k_is_too_large(self):
        X, y = made(terms=20)
        with pytest.warns(ts.TermsiftWarning, match="k is 30 but there are only 20 terms"):
            selector = greedy(30).fit(X, y)
        assert sorted(selector.ranking_) == list(range(20))
        assert len(selector.scores_) == 20

    def test_fitting_in_pieces_equals_fitting_at_once(self):
        X, y = made(classes=3)
        order = np.argsort(y, kind="stable")
        X, y = X[order], y[order]
        pieces = greedy().partial_fit(X[:50], y[:50])
        with pytest.raises(ts.InvalidInputError, match="only 1 class"):
            pieces.get_support()
        pieces.partial_fit(X[50:], y[50:])
        whole = greedy().fit(X, y)
        assert pieces.counts_ == whole.counts_
        assert pieces.ranking_.tolist() == whole.ranking_.tolist()

    def test_weights_are_repetitions(self):
        X, y = made()
        weights = np.arange(len(y)) % 3
        rows = np.repeat(np.arange(len(y)), weights)
        repeated = greedy().fit(X[rows], y[rows])
        weighted = greedy().fit(X, y, sample_weight=weights)
        assert weighted.divergences_.tolist() == repeated.divergences_.tolist()
        assert weighted.ranking_.tolist() == repeated.ranking_.tolist()

    def test_from_counts_equals_fit_and_has_the_names(self):
        X, y = made()
        counts = ts.count(X, y, terms=[f"t{i:03}" for i in range(X.shape[1])])
        selector = ts.GreedyDiscriminationSelector.from_counts(counts, k=5)
        assert selector.ranking_.tolist() == greedy(5).fit(X, y).ranking_.tolist()
        kept = [counts.terms[i] for i in sorted(selector.ranking_)]
        assert list(selector.get_feature_names_out()) == kept
        ranked = [counts.terms[i] for i in selector.ranking_]
        assert list(selector.to_vectorizer().get_feature_names_out()) == ranked

    def test_names_come_from_a_data_frame(self):
        X, y = made(terms=12)
        frame = pd.DataFrame(X.toarray(), columns=[f"t{i}" for i in range(12)])
        selector = greedy(3).set_output(transform="pandas").fit(frame, y)
        assert list(selector.transform(frame)) == list(selector.get_feature_names_out())

    def test_several_labels(self):
        X, _ = made()
        Y = np.random.default_rng(0).integers(0, 2, (X.shape[0], 3))
        selector = greedy().fit(X, Y)
        assert selector.ranking_.tolist() == greedy_ranking(ts.count(X, Y), 10).tolist()
        assert selector.ranking_.tolist() == greedy().fit(X, sp.csr_matrix(Y)).ranking_.tolist()

    def test_it_can_be_pickled_and_cloned(self):
        X, y = made()
        selector = greedy().fit(X, y)
        again = pickle.loads(pickle.dumps(selector))
        assert again.divergences_.tolist() == selector.divergences_.tolist()
        assert not hasattr(clone(selector), "counts_")

    def test_weights_are_routed(self):
        X, y = made()
        with sklearn.config_context(enable_metadata_routing=True):
            selector = greedy().set_fit_request(sample_weight=True)
            pipeline = make_pipeline(selector, MultinomialNB().set_fit_request(sample_weight=False))
            pipeline.fit(X, y, sample_weight=np.arange(len(y)) % 3)
        assert pipeline[0].counts_.documents == (np.arange(len(y)) % 3).sum()


class TestBadInput:
    def test_k(self):
        X, y = made()
        for k, message in [
            (0, "k must be at least 1, got 0"),
            ("all", "k must be a whole number, got 'all'"),
        ]:
            with pytest.raises(ts.InvalidInputError, match=message):
                greedy(k).fit(X, y)
            with pytest.raises(ts.InvalidInputError, match=message):
                greedy(k).partial_fit(X, y)
            with pytest.raises(ts.InvalidInputError, match=message):
                ts.GreedyDiscriminationSelector.from_counts(ts.count(X, y), k)

    def test_one_class_or_no_y(self):
        X, y = made()
        with pytest.raises(ts.InvalidInputError, match="only 1 class"):
            greedy().fit(X, np.zeros_like(y))
        with pytest.raises(ts.InvalidInputError, match="requires y to be passed"):
            greedy().fit(X, None)

    def test_not_fitted(self):
        with pytest.raises(NotFittedError):
            greedy().transform(np.eye(2))
        with pytest.raises(NotFittedError):
            _ = greedy().ranking_


@pytest.fixture(scope="module")
def apte(data_folder):
    """The counts of ApteMod's words, a tenth of its documents, and their labels."""
    corpus = ts.corpora.load("reuters_apte", data_dir=data_folder)
    rows = range(0, len(corpus), 10)
    return ts.TermVectorizer().fit_transform([corpus.texts[i] for i in rows]), [
        corpus.labels[i] for i in rows
    ]


class TestApteMod:
    def test_a_pipeline_with_naive_bayes_through_cross_val_score(self, apte):
        X, labels = apte
        single = [i for i, names in enumerate(labels) if names in (["earn"], ["acq"], ["crude"], ["trade"])]
        y = [labels[i][0] for i in single]
        scores = {
            k: cross_val_score(make_pipeline(greedy(k), MultinomialNB()), X[single], y, cv=3).mean()
            for k in (2, 200)
        }
        assert scores[2] < 0.9 < scores[200]

    def test_several_labels_by_a_selection_for_each_category(self, apte):
        X, labels = apte
        Y = MultiLabelBinarizer(classes=["acq", "earn", "grain"]).fit_transform(
            [[name for name in names if name in ("acq", "earn", "grain")] for names in labels]
        )
        local = OneVsRestClassifier(make_pipeline(greedy(100), MultinomialNB()))
        assert cross_val_score(local, X, Y, cv=3, scoring="f1_micro").mean() > 0.8
        assert greedy(100).fit(X, Y).divergences_.shape == (100,)
