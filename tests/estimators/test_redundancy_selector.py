"""RedundancyAwareSelector does as scikit-learn's own selectors."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import mutual_info_classif
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import termsift as ts
from compared_texts import topical
from leaning_counts import made
from termsift.selection.policies import CRITERIA


# the checks' own data has fewer columns than the default k, and one of their matrices cannot be checked
@pytest.mark.filterwarnings("ignore:k is 1000 but there are only")
@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix")
@parametrize_with_checks([ts.RedundancyAwareSelector(), ts.RedundancyAwareSelector("mrmr", k=1, pool=2)])
def test_scikit_learn_s_checks(estimator, check):
    check(estimator)


class TestFitted:
    @pytest.mark.parametrize("criterion", CRITERIA)
    def test_selector_keeps_the_selected_columns(self, criterion):
        X, y = made(classes=3)
        selector = ts.RedundancyAwareSelector(criterion, k=10, pool=50).fit(X, y)
        assert selector.get_support(indices=True).tolist() == sorted(selector.selection_)
        assert selector.transform(X).shape == (X.shape[0], 10)
        assert selector.values_.shape == (10,)
        relevance = mutual_info_classif(X.toarray() > 0, y, discrete_features=True)
        assert selector.selection_[0] == relevance.argmax()
        assert selector.values_[0] == pytest.approx(relevance.max())

    def test_the_selection_is_a_value_that_can_be_saved(self):
        X, y = made()
        selector = ts.RedundancyAwareSelector("cmim", k=4, pool=20, metric="ig(smoothing='ele')").fit(X, y)
        chosen = selector.selected_
        assert repr(chosen.policy) == "RedundancyAware(k=4, criterion='cmim', pool=20)"
        assert chosen.metric == "ig(smoothing='ele')"
        again = ts.Selection.from_json(chosen.to_json())
        assert again == chosen
        assert again.policy == chosen.policy

    def test_a_pipeline_of_texts_and_its_plain_vectorizer(self):
        texts, labels = topical(30)
        model = make_pipeline(ts.TermVectorizer(), ts.RedundancyAwareSelector(k=12), MultinomialNB())
        assert model.fit(texts, labels).score(texts, labels) > 0.8
        selector, vectorizer = model[1], model[0]
        plain = selector.to_vectorizer(vectorizer)
        names = vectorizer.get_feature_names_out()[selector.selection_].tolist()
        assert plain.get_feature_names_out().tolist() == names

    def test_a_search_over_criteria(self):
        X, y = made(classes=3)
        search = GridSearchCV(
            make_pipeline(ts.RedundancyAwareSelector(k=10, pool=40), MultinomialNB()),
            {"redundancyawareselector__criterion": list(CRITERIA)},
            cv=2,
        )
        assert np.isfinite(search.fit(X, y).cv_results_["mean_test_score"]).all()

    def test_it_can_be_pickled_and_cloned_and_has_the_names_of_a_frame(self):
        X, y = made(terms=12)
        frame = pd.DataFrame(X.toarray(), columns=[f"t{i}" for i in range(12)])
        selector = ts.RedundancyAwareSelector(k=3).set_output(transform="pandas").fit(frame, y)
        assert list(selector.transform(frame)) == list(selector.get_feature_names_out())
        again = pickle.loads(pickle.dumps(selector))
        assert again.selection_.tolist() == selector.selection_.tolist()
        assert not hasattr(clone(selector), "counts_")


class TestBadInput:
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"k": 0}, "k must be at least 1, got 0"),
            ({"k": None}, "k must be a whole number, got None"),
            ({"pool": 0}, "pool must be at least 1, got 0"),
            ({"pool": "all"}, "pool must be a whole number, got 'all'"),
            ({"criterion": "cmi"}, "no criterion named 'cmi'; did you mean 'cmim'"),
            ({"criterion": 3}, "no criterion named 3"),
            ({"metric": "igg"}, "no metric named 'igg'"),
            ({"metric": "ig:round_robin"}, "ig:round_robin already has a policy"),
        ],
    )
    def test_parameters(self, parameters, message):
        with pytest.raises(ts.TermsiftError, match=message):
            ts.RedundancyAwareSelector(**parameters).fit(*made())

    def test_labels(self):
        X, y = made()
        with pytest.raises(ts.InvalidInputError, match="only 1 class"):
            ts.RedundancyAwareSelector(k=3).fit(X, np.zeros_like(y))
        with pytest.raises(ts.InvalidInputError, match="requires y to be passed"):
            ts.RedundancyAwareSelector(k=3).fit(X, None)
        with pytest.raises(ts.InvalidInputError, match="needs exactly one label per document"):
            ts.RedundancyAwareSelector(k=3).fit(X, np.stack([y, y], axis=1))

    def test_not_fitted(self):
        with pytest.raises(NotFittedError):
            ts.RedundancyAwareSelector().transform(np.eye(2))
        with pytest.raises(NotFittedError):
            _ = ts.RedundancyAwareSelector().selection_
