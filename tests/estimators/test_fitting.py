"""What all estimators share: they count, add and adopt counts alike, and refuse the same labels."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError

import termsift as ts
from extractor_cases import LABELS, TEXTS, counted
from termsift.estimators.base import CountsMixin, SelectionMixin
from termsift.selection.methods import parse_method
from termsift.selection.selection import Selection

SELECTORS = [ts.TermSelector("chi2", k=3), ts.GreedyDiscriminationSelector(k=3)]
COUNTING = [
    *SELECTORS,
    ts.TermWeighter("rf"),
    ts.ClassWeightExtractor(),
    ts.WordClusterExtractor(n_clusters=3),
]
SPLIT = ts.PositiveNegativeSelector("cc", k=3)
each_counting = pytest.mark.parametrize("estimator", COUNTING, ids=repr)
each_estimator = pytest.mark.parametrize("estimator", [*COUNTING, SPLIT], ids=repr)
each_selector = pytest.mark.parametrize("selector", [*SELECTORS, SPLIT], ids=repr)
X, NAMES = counted()


def counts(documents=slice(None)):
    return ts.count(X[documents], LABELS[documents], terms=NAMES)


def output(estimator):
    result = estimator.transform(X)
    return result.toarray() if sp.issparse(result) else result


def fits(estimator):
    names = ["fit", "partial_fit"]
    return [getattr(estimator, name) for name in names if hasattr(estimator, name)]


class TestFromCounts:
    @each_counting
    def test_an_instance_returns_a_fitted_clone_with_its_parameters(self, estimator):
        made = clone(estimator).from_counts(counts())
        assert made.get_params() == estimator.get_params()
        np.testing.assert_array_equal(output(made), output(clone(estimator).fit(X, LABELS)))

    @each_counting
    def test_from_counts_does_not_change_the_instance(self, estimator):
        unfitted, fitted = clone(estimator), clone(estimator).fit(X[:9], LABELS[:9])
        for instance in (unfitted, fitted):
            assert instance.from_counts(counts()) is not instance
        assert not hasattr(unfitted, "counts_")
        assert fitted.counts_.documents == 9

    @each_counting
    def test_a_class_takes_the_parameters_of_its_constructor(self, estimator):
        made = type(estimator).from_counts(counts(), **estimator.get_params())
        np.testing.assert_array_equal(output(made), output(clone(estimator).fit(X, LABELS)))
        assert type(estimator).from_counts.__doc__.startswith("Fit an estimator to existing counts")

    def test_parameters_of_the_call_override_those_of_the_instance(self):
        for maker in (ts.TermSelector, ts.TermSelector("bns", k=5, reduce="mean")):
            made = maker.from_counts(counts(), "chi2", k=2)
            assert (made.metric, made.k) == ("chi2", 2)
            assert len(made.selection_) == 2
        assert made.reduce == "mean"

    @pytest.mark.parametrize("maker", [ts.TermSelector, ts.TermSelector()])
    def test_rejects_unknown_parameters(self, maker):
        with pytest.raises(TypeError, match="unexpected keyword argument 'metrik'"):
            maker.from_counts(counts(), metrik="chi2")

    def test_the_settings_of_scikit_learn_are_copied_too(self):
        frame = pd.DataFrame(X.toarray(), columns=NAMES)
        made = ts.TermSelector(k=2).set_output(transform="pandas").from_counts(counts())
        assert list(made.transform(frame)) == list(made.get_feature_names_out())


class TestFitting:
    @each_counting
    def test_from_counts_and_partial_fit_equal_one_fit(self, estimator):
        whole = clone(estimator).fit(X, LABELS)
        pieces = clone(estimator).partial_fit(X[:9], LABELS[:9])
        output(pieces)
        np.testing.assert_array_equal(output(pieces.partial_fit(X[9:], LABELS[9:])), output(whole))
        adopted = clone(estimator).from_counts(counts(slice(9))).partial_fit(X[9:], LABELS[9:])
        np.testing.assert_array_equal(output(adopted), output(whole))
        assert adopted.counts_ == counts()

    @each_counting
    def test_the_result_is_computed_once(self, estimator):
        fitted = clone(estimator).partial_fit(X, LABELS)
        assert fitted._fit_result is fitted._fit_result

    @pytest.mark.parametrize("selector", SELECTORS, ids=repr)
    def test_an_error_in_fitting_again_leaves_no_old_result(self, selector):
        fitted = clone(selector).fit(X, LABELS)
        with pytest.raises(ts.InvalidInputError, match="only 1 class"):
            fitted.fit(X, ["ham"] * len(TEXTS))
        with pytest.raises(ts.InvalidInputError, match="only 1 class"):
            _ = fitted.selection_

    @pytest.mark.parametrize(
        ("estimator", "message"),
        [
            (ts.TermSelector(k=0), "k must be at least 1, got 0"),
            (ts.GreedyDiscriminationSelector(k="all"), "k must be a whole number, got 'all'"),
            (ts.PositiveNegativeSelector(k=True), "k must be a whole number, got True"),
            (ts.WordClusterExtractor(n_clusters=0), "n_clusters must be at least 1, got 0"),
            (ts.TermSelector("bnss"), "no metric named 'bnss'; did you mean 'bns'"),
            (ts.TermWeighter("bnss"), "no metric named 'bnss'; did you mean 'bns'"),
        ],
        ids=repr,
    )
    def test_invalid_parameters_are_errors_before_counting(self, estimator, message):
        calls = [(fit, (X, LABELS)) for fit in fits(estimator)]
        if hasattr(estimator, "from_counts"):
            calls.append((estimator.from_counts, (counts(),)))
        for call, arguments in calls:
            with pytest.raises((ts.InvalidInputError, ts.UnknownNameError), match=message):
                call(*arguments)
        assert not hasattr(estimator, "counts_")


def indicator():
    Y = np.zeros((len(TEXTS), 2))
    Y[2, 1] = np.nan
    return Y


MISSING = {
    "floats": np.array([0.0, 1.0, np.nan] * 8),
    "objects with NaN": np.array(["a", "b", np.nan] * 8, dtype=object),
    "objects with None": np.array(["a", "b", None] * 8, dtype=object),
    "list": ["a", "b", None] * 8,
    "column": np.array([[0.0], [1.0], [np.nan]] * 8),
    "Series of numbers": pd.Series([0, 1, None] * 8, dtype="Int64"),
    "Series of texts": pd.Series(["a", "b", None] * 8, dtype="string"),
    "Series of booleans": pd.Series([True, False, None] * 8, dtype="boolean"),
    "categories": pd.Series(["a", "b", None] * 8, dtype="category"),
    "dates": pd.Series(pd.to_datetime(["2001-01-01", "2002-02-02", None] * 8)),
    "indicator": indicator(),
    "sparse indicator": sp.csr_array(indicator()),
    "data frame": pd.DataFrame(indicator(), columns=["p", "q"]),
}


class TestLabels:
    @pytest.mark.filterwarnings("ignore:A column-vector y was passed")
    @each_estimator
    @pytest.mark.parametrize("form", MISSING)
    def test_a_missing_label_is_the_same_error_as_in_count(self, estimator, form):
        line = "document 2 has a missing label; drop it or give it a class"
        for fit in fits(clone(estimator)):
            with pytest.raises(ts.InvalidInputError, match=line):
                fit(X, MISSING[form])
        with pytest.raises(ts.InvalidInputError, match=line):
            ts.count(X, MISSING[form])

    @each_estimator
    def test_a_matrix_other_than_an_indicator_is_an_error(self, estimator):
        with pytest.raises(ts.InvalidInputError, match=r"holds 0 and 1 only, got 0\.5"):
            clone(estimator).fit(X, np.full((len(TEXTS), 2), 0.5))

    def test_continuous_targets_are_rejected_by_scikit_learn(self):
        with pytest.raises(ValueError, match="Unknown label type: continuous"):
            ts.TermSelector().fit(X, np.linspace(0, 1, len(TEXTS)))


class TestSelection:
    @each_selector
    def test_the_selection_is_a_value(self, selector):
        frame = pd.DataFrame(X.toarray(), columns=NAMES)
        fitted = clone(selector).fit(frame, LABELS)
        assert isinstance(fitted.selected_, ts.Selection)
        assert fitted.selected_ == [NAMES[column] for column in fitted.selection_]
        assert fitted.selected_.scores is fitted.scores_
        again = ts.Selection.from_json(fitted.selected_.to_json())
        assert again == fitted.selected_
        assert again.policy == fitted.selected_.policy

    @each_selector
    def test_selection_and_selector_give_the_same_vectorizer(self, selector):
        vectorizer = ts.TermVectorizer()
        fitted = clone(selector).fit(vectorizer.fit_transform(TEXTS), LABELS)
        plain = fitted.to_vectorizer(vectorizer)
        assert list(plain.get_feature_names_out()) == [NAMES[column] for column in fitted.selection_]
        named = clone(selector).fit(pd.DataFrame(X.toarray(), columns=NAMES), LABELS)
        assert named.to_vectorizer().get_params() == named.selected_.to_vectorizer().get_params()

    @each_selector
    def test_no_selection_before_fitting(self, selector):
        for ask in ("selected_", "selection_", "scores_"):
            assert not hasattr(clone(selector), ask)
        for ask in ("get_support", "to_vectorizer", "get_feature_names_out"):
            with pytest.raises(NotFittedError):
                getattr(clone(selector), ask)()

    def test_policy_of_the_selection_has_the_fitted_ratios(self):
        y = np.arange(len(TEXTS)) % 3
        assert ts.PositiveNegativeSelector(k=3, ratio=0.5).fit(X, y).selected_.policy == ts.PositiveNegative(
            3, 0.5
        )
        two = clone(SPLIT).fit(X, LABELS)
        assert two.selected_.policy == ts.PositiveNegative(3, two.ratio_)
        three = clone(SPLIT).set_params(per_class=True).fit(X, y)
        assert len(set(three.ratio_)) > 1
        assert three.selected_.policy == ts.PositiveNegative(3, tuple(three.ratio_.tolist()), True)

    @pytest.mark.parametrize(
        "metric", ["bns:round_robin", "gu(printed=True)", "gu(printed=True):round_robin"]
    )
    def test_metric_may_be_a_complete_method(self, metric):
        y = np.arange(len(TEXTS)) % 3
        chosen = parse_method(metric).selection(ts.count(X, y), 3)
        for given in (metric, parse_method(metric)):
            selector = clone(ts.TermSelector(given, k=3))
            assert selector.get_params()["metric"] == given
            fitted = pickle.loads(pickle.dumps(selector.fit(X, y)))
            assert fitted.metric == given
            assert fitted.selection_.tolist() == chosen.indices.tolist()


class Shortest(SelectionMixin, CountsMixin[Selection], BaseEstimator):
    """A selector of one's own: the shortest terms."""

    def __init__(self, k=2):
        self.k = k

    def _compute(self):
        short = -np.array([len(term) for term in self.counts_.terms], dtype=float)
        lengths = ts.Scores(short, self.counts_, "short", 0)
        return Selection.from_indices(ts.TopK(self.k).choose(lengths), lengths, ts.TopK(self.k))


def test_a_new_selector_is_one_method():
    frame = pd.DataFrame(X.toarray(), columns=NAMES)
    selector = Shortest().partial_fit(frame[:9], LABELS[:9]).partial_fit(frame[9:], LABELS[9:])
    assert selector.selected_ == ["at", "now"]
    assert list(selector.get_feature_names_out()) == ["at", "now"]
    assert Shortest(k=1).from_counts(counts()).transform(X).shape == (len(TEXTS), 1)
    assert pickle.loads(pickle.dumps(selector)).selected_ == selector.selected_
    with pytest.raises(ts.InvalidInputError, match="k must be at least 1, got 0"):
        Shortest(k=0).fit(X, LABELS)


def fitted_pairs():
    """Estimators that keep their counts, and the same without them, of the same documents."""
    from scipy.sparse import csr_array

    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = csr_array(
        rng.poisson(0.3, (60, 40)) + (rng.random((60, 40)) < 0.4) * (np.arange(40) % 3 == y[:, None])
    )
    for estimator in (
        ts.TermSelector("ig", k=5),
        ts.PositiveNegativeSelector("cc", k=5),
        ts.GreedyDiscriminationSelector(k=5),
        ts.RedundancyAwareSelector(k=5),
        ts.TermWeighter("bns"),
        ts.ClassWeightExtractor(),
        ts.WordClusterExtractor(5),
    ):
        yield X, y, clone(estimator).fit(X, y), clone(estimator).set_params(keep_counts=False).fit(X, y)


def test_results_stay_without_counts():
    for X, _, full, small in fitted_pairs():
        assert small.counts_ is None
        assert len(pickle.dumps(small)) < len(pickle.dumps(full)), type(full)
        again = pickle.loads(pickle.dumps(small))
        for own in (small, again):
            whole, part = (one.transform(X) for one in (full, own))
            whole, part = (one.toarray() if hasattr(one, "toarray") else one for one in (whole, part))
            assert np.array_equal(whole, part)
            assert list(own.get_feature_names_out()) == list(full.get_feature_names_out())
        if hasattr(full, "selection_"):
            assert np.array_equal(small.selection_, full.selection_)
            assert small.selected_ == full.selected_
            with pytest.raises(AttributeError, match="the scores were not kept"):
                small.scores_  # noqa: B018
            repr(small)


def test_dropped_counts_are_an_error_with_the_remedy():
    for X, y, _, small in fitted_pairs():
        if hasattr(small, "partial_fit"):
            with pytest.raises(
                ts.InvalidInputError, match="partial_fit needs the counts: set keep_counts=True"
            ):
                small.partial_fit(X, y)


def test_names_of_chosen_terms_stay_without_counts():
    counts = ts.count(["free prize", "win a prize", "lunch at noon", "lunch"], ["spam", "spam", "ham", "ham"])
    full, small = (ts.TermSelector.from_counts(counts, "ig", k=2, keep_counts=keep) for keep in (True, False))
    assert list(small.get_feature_names_out()) == list(full.get_feature_names_out()) == ["lunch", "prize"]
    assert small.to_vectorizer().vocabulary == full.to_vectorizer().vocabulary
    frame = pd.DataFrame(np.ones((1, len(counts.terms))), columns=list(counts.terms))
    assert small.transform(frame).shape == (1, 2)
    with pytest.raises(ts.InvalidInputError, match="must be the counted terms, in the same order"):
        small.transform(frame[list(counts.terms[::-1])])


def test_two_hundred_pairs_of_words_are_small_on_disk():
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{n}" for n in rng.integers(0, 3000, 60)) for _ in range(400)]
    y = np.arange(400) % 2
    X = ts.TermVectorizer(ngram_range=(2, 2)).fit_transform(texts)
    full, small = (ts.TermSelector("ig", k=200, keep_counts=keep).fit(X, y) for keep in (True, False))
    assert X.shape[1] > 20_000
    assert len(pickle.dumps(small)) < 40_000 < 500_000 < len(pickle.dumps(full))
