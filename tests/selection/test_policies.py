"""Reductions and policies follow their rules, ties included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import termsift as ts
from termsift._internal import ranking as ordering
from termsift._internal.ranking import Ranking, interleave, rank_terms, round_robin, run_round_robin_kernel
from termsift.metrics.scores import Scores
from termsift.selection.policies import POLICIES, parse_policy
from termsift.selection.selection import describe_significance

few = st.integers(-2, 2).map(float)


@st.composite
def ranked(draw):
    """Values, frequencies and terms with many ties; and k."""
    n = draw(st.integers(1, 12))
    values = np.array(draw(st.lists(few, min_size=n, max_size=n)))
    df = np.array(draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    letters = draw(st.permutations("abcdefghijkl"[:n]))
    return values, df, np.array(letters, dtype=object), draw(st.integers(0, 14))


@given(ranked())
def test_terms_are_ranked_by_score_then_frequency_then_code_point(case):
    values, df, terms, k = case
    expected = sorted(range(len(values)), key=lambda i: (-values[i], -df[i], terms[i]))
    assert rank_terms(values, df, terms, k).tolist() == expected[:k]
    assert rank_terms(values, df, terms).tolist() == expected


def scores_of(values, sided=1, df=None, classes=None):
    """Scores of the given values; every term in one document unless said otherwise."""
    values = np.asarray(values, dtype=float)
    n_terms, n_classes = values.shape[0], values.shape[1] if values.ndim == 2 else 2
    X = np.eye(n_terms, dtype=int)
    counts = ts.count(np.vstack([X, X]), np.arange(2 * n_terms) % n_classes)
    if df is not None:
        object.__setattr__(counts, "term_df", np.asarray(df))
    return Scores(values, counts, "test", sided)


class TestClassPolicies:
    def test_round_robin_chooses_class_by_class(self):
        values = [[9, 9], [8, 1], [7, 2], [0, 8]]
        assert ts.RoundRobin(4).choose(scores_of(values)).tolist() == [0, 3, 1, 2]
        assert ts.RoundRobin(2).choose(scores_of(values)).tolist() == [0, 3]

    @given(st.lists(st.permutations(range(7)), min_size=1, max_size=4), st.integers(1, 7))
    def test_round_robin_equals_a_plain_loop(self, orders, k):
        chosen: list[int] = []
        while len(chosen) < k:
            for order in orders:
                chosen += [i for i in order if i not in chosen][:1]
        own = [np.array(order)[:k] for order in orders]
        assert round_robin(own, k).tolist() == chosen[:k]
        assert run_round_robin_kernel(own, k).tolist() == chosen[:k]

    @given(st.lists(st.lists(st.integers(0, 9), unique=True), min_size=2, max_size=4), st.integers(0, 12))
    def test_kernel_equals_python_if_orders_end_early(self, orders, k):
        own = [np.array(one, dtype=np.intp) for one in orders]
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(ordering, "spend_python_budget", lambda size: True)
            assert round_robin(own, k).tolist() == run_round_robin_kernel(own, k).tolist()

    def test_per_class_chooses_separate_terms(self):
        values = [[9, 9], [8, 1], [7, 2], [0, 8]]
        assert ts.PerClass(2).choose(scores_of(values)).tolist() == [0, 1, 3]
        assert ts.PerClass(1).choose(scores_of(values)).tolist() == [0]
        assert ts.PerClass().choose(scores_of(values)).tolist() == [0, 1, 3, 2]
        ranking = ts.PerClass(2).ranking(scores_of(values))
        assert ranking.local
        assert [order.tolist() for order in ranking.orders] == [[0, 1], [0, 3]]
        assert ranking.order_sizes(np.array([1, 2, 9])).tolist() == [1, 2, 2]
        assert ranking.count_terms(np.array([1, 2])).tolist() == [1, 3]

    @pytest.mark.parametrize("policy", [ts.TopK, ts.RoundRobin, ts.PerClass, ts.PositiveNegative])
    def test_without_k_all_terms_are_ranked_and_every_k_is_a_prefix(self, policy):
        values = np.array([[3, -3], [1, -1], [-2, 2], [5, -5.0]])
        scores = scores_of(values if policy.by_class else values[:, 0])
        order = policy().choose(scores).tolist()
        assert sorted(order) == [0, 1, 2, 3]
        if not policy().ranking(scores).local:
            assert all(policy(k).choose(scores).tolist() == order[:k] for k in (1, 2, 3, 4))

    def test_one_score_per_term_has_one_list(self):
        assert ts.RoundRobin(2).choose(scores_of([3.0, 1.0, 2.0])).tolist() == [0, 2]


class TestPositiveNegative:
    values = np.array([[-5, 5], [-4, 4], [3, -3], [4, -4], [5, -5.0]])

    @pytest.mark.parametrize(
        ("ratio", "expected"),
        [(1, {0, 1, 2, 3}), (0.5, {0, 1, 3, 4}), (0.25, {0, 4, 3, 2}), (0, {4, 3, 2, 1})],
    )
    def test_the_share_of_positive_terms_is_the_ratio(self, ratio, expected):
        assert set(ts.PositiveNegative(4, ratio).choose(scores_of(self.values)).tolist()) == expected

    def test_the_second_of_two_classes_is_positive(self):
        assert ts.PositiveNegative(2, 1.0).choose(scores_of(self.values)).tolist() == [0, 1]

    def test_two_overlapping_classes_are_both_positive(self):
        Y = np.array([[1, 0], [1, 1], [0, 1], [0, 0]] * 5)
        counts = ts.count(Y, Y, terms=["first", "second"])
        for policy in (ts.PositiveNegative(2, 1.0),):
            assert set(ts.select(counts, "cc", policy)) == {"first", "second"}

    def test_with_more_classes_each_class_has_a_list(self):
        values = np.array([[3, 0, 0], [0, 3, 0], [0, 0, 3], [-1, 0, 0.0]])
        assert set(ts.PositiveNegative(3, 1.0).choose(scores_of(values)).tolist()) == {0, 1, 2}

    def test_with_terms_per_class_each_class_has_k_in_its_own_ratio(self):
        values = np.array([[3, 0, -1], [0, 3, -2], [-2, -1, 3], [-1, -2, 0.0]])
        ranking = ts.PositiveNegative(2, (1.0, 0.5, 0.0), per_class=True).ranking(scores_of(values))
        assert ranking.local
        assert [order.tolist() for order in ranking.orders] == [[0, 1], [1, 3], [1, 0]]
        assert set(
            ts.PositiveNegative(2, (1.0, 0.5, 0.0), per_class=True).choose(scores_of(values)).tolist()
        ) == {0, 1, 3}

    @pytest.mark.parametrize("cv", [1, True, 2.0])
    def test_a_search_needs_two_folds(self, cv):
        with pytest.raises(ts.InvalidInputError, match="cv must be at least 2 folds"):
            ts.PositiveNegative(4, "auto", cv=cv)

    @given(st.lists(few, min_size=1, max_size=10), st.floats(0, 1), st.data())
    def test_exactly_k_distinct_terms_are_chosen_despite_ties(self, column, ratio, data):
        k = data.draw(st.integers(1, len(column)))
        values = np.stack([-np.array(column), np.array(column)], axis=1)
        chosen = ts.PositiveNegative(k, ratio).choose(scores_of(values))
        assert len(set(chosen.tolist())) == k

    @given(st.integers(1, 20), st.floats(0, 1))
    def test_every_prefix_has_the_ratio(self, k, ratio):
        order = interleave(np.arange(k), np.arange(100, 100 + 2 * k), ratio, k)
        for n in range(1, k + 1):
            assert abs((order[:n] < 100).sum() - n * ratio) <= 0.5 + 1e-9


class TestScorePolicies:
    def test_top_k_and_percentile(self):
        scores = scores_of([1.0, 5.0, 3.0, 4.0])
        assert ts.TopK(2).choose(scores).tolist() == [1, 3]
        assert ts.Percentile(50).choose(scores).tolist() == [1, 3]
        assert ts.Percentile(1).choose(scores).tolist() == [1]
        assert ts.Percentile(100).choose(scores).tolist() == [1, 3, 2, 0]

    def test_threshold(self):
        scores = scores_of([1.0, 5.0, 3.0, 4.0])
        assert ts.Threshold(3.0).choose(scores).tolist() == [1, 3, 2]
        assert ts.Threshold(6).choose(scores).tolist() == []

    @pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
    def test_false_discovery_is_the_step_up_rule(self, alpha):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 3, 200)
        X = rng.poisson(0.3, (200, 60))
        X[:, :10] += (y[:, None] == 1) * rng.poisson(0.4, (200, 10))
        X[:, 10:13] = (y[:, None] == 2) * 1
        counts = ts.count(X, y)
        p = ts.score(counts, "chi2").p
        ascending = sorted(p.ravel().tolist())
        reached = [x for i, x in enumerate(ascending, start=1) if x <= alpha * i / len(ascending)]
        expected = set(counts.terms[(p <= reached[-1]).any(axis=1)])
        chosen = ts.select(counts, "chi2", ts.FalseDiscovery(alpha))
        assert set(chosen) == expected
        assert 0 < len(chosen) < 60
        least = p.min(axis=1)[chosen.indices]
        assert (np.diff(least) >= 0).all()

    def test_significant_terms_are_those_of_the_exact_test_in_order_of_the_score(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 3, 200)
        X = rng.poisson(0.3, (200, 60))
        X[:, :10] += (y[:, None] == 1) * rng.poisson(0.8, (200, 10))
        counts = ts.count(X, y)
        for metric in ("bns", "cc", "ig_all", "md"):
            scores = ts.score(counts, metric, reduce=None if metric in ("ig_all", "md") else "max")
            chosen = ts.select(counts, metric, ts.Significant(0.5))
            expected = np.flatnonzero(scores.significant(0.5).any(axis=1))
            assert set(chosen.indices) == set(expected)
            assert (np.diff(scores.values[chosen.indices]) <= 0).all()
            assert chosen == ts.select(counts, f"{metric}:Significant(0.5)")
            assert chosen.n_significant == len(chosen) > 0
            assert describe_significance(len(chosen), chosen.n_significant).startswith("all of these")
        for_class = ts.select(counts, "bns", ts.Significant(0.5), for_class=1)
        assert set(for_class.indices) == set(np.flatnonzero(scores.significant(0.5, 1)))

    def test_significant_terms_can_require_a_minimum_effect(self):
        rng = np.random.default_rng(1)
        y = rng.integers(0, 2, 5000)
        X = (
            rng.random((5000, 3)) < np.stack([0.3 + 0.05 * y, 0.1 + 0.5 * y, np.full(5000, 0.2)], axis=1)
        ).astype(int)
        counts = ts.count(X, y, terms=["weak", "strong", "none"])
        assert ts.select(counts, "ig", ts.Significant()) == ["strong", "weak"]
        assert ts.select(counts, "ig", "Significant(min_effect=1)") == ["strong"]

    def test_number_of_significant_terms_of_a_selection(self):
        rng = np.random.default_rng(0)
        counts = ts.count(rng.poisson(0.3, (100, 60)), rng.integers(0, 3, 100))
        everything = ts.select(counts, "ig", ts.TopK())
        n_significant = ts.score(counts, "ig").significant(1).any(axis=1).sum()
        assert everything.n_significant == n_significant
        assert describe_significance(60, everything.n_significant) == "1 of these 60 terms is significant"
        assert ts.Selection.from_json(everything.to_json()).n_significant is None

    def test_false_discovery_of_p_values_of_zero_and_of_no_terms(self):
        y = np.repeat([0, 1], 2000)
        counts = ts.count(np.stack([y, 1 - y, np.arange(4000) % 2], axis=1), y, terms=["b", "a", "chance"])
        assert (ts.score(counts, "chi2").p[:2] == 0).all()
        assert ts.select(counts, "chi2", ts.FalseDiscovery()) == ["a", "b"]
        assert ts.select(counts.keep(np.zeros(0, dtype=int)), "chi2", ts.FalseDiscovery()) == []

    def test_false_discovery_breaks_complete_ties_by_name(self):
        X = np.repeat(np.array([[1, 1, 1], [0, 0, 0]]), 20, axis=0)
        counts = ts.count(X, [0] * 20 + [1] * 20, terms=["b", "a", "c"])
        assert ts.select(counts, "chi2", ts.FalseDiscovery()) == ["a", "b", "c"]

    def test_false_discovery_finds_nothing_without_association(self):
        counts = ts.count(np.ones((6, 3), dtype=int), [0, 1] * 3)
        assert ts.select(counts, "g2", ts.FalseDiscovery()) == []

    def test_selection_for_one_class(self):
        X = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]])
        counts = ts.count(X, list("aabbc"), terms=["for_a", "for_b", "for_c"])
        assert ts.select(counts, "cc", ts.TopK(1), for_class="b") == ["for_b"]
        assert ts.select(counts, "cc", ts.PositiveNegative(1, 1.0), for_class="c") == ["for_c"]
        assert ts.select(counts, "cc", ts.RoundRobin(1), for_class="a") == ["for_a"]
        assert ts.select(counts, "chi2", ts.FalseDiscovery(0.9), for_class="c")[0] == "for_c"


class TestReductions:
    counts = ts.count(np.array([[1, 0, 1], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]), list("aabbc"))

    def reduced(self, reduce, metric="cc"):
        return np.asarray(ts.score(self.counts, metric, reduce=reduce))

    def test_max_mean_sum_and_weighted(self):
        values = np.asarray(ts.score(self.counts, "cc"))
        np.testing.assert_allclose(self.reduced("max"), values.max(axis=1))
        np.testing.assert_allclose(self.reduced("mean"), values.mean(axis=1))
        np.testing.assert_allclose(self.reduced("sum"), values.sum(axis=1))
        np.testing.assert_allclose(self.reduced("weighted"), values @ [0.4, 0.4, 0.2])

    def test_one_score_per_term_is_unchanged(self):
        assert self.reduced("max", "df").tolist() == [3, 3, 3]


class TestValues:
    EXAMPLES = (
        ts.TopK(5),
        ts.Percentile(10.0),
        ts.Threshold(2.5),
        ts.FalseDiscovery(0.01),
        ts.Significant(),
        ts.Significant(0.05),
        ts.RoundRobin(7),
        ts.PerClass(7),
        ts.TopK(),
        ts.TopK(reduce="mean"),
        ts.PositiveNegative(ratio="auto"),
        ts.PositiveNegative(50, 0.8),
        ts.RedundancyAware(),
        ts.RedundancyAware(50, "cmim", 200, reduce="mean"),
    )

    @pytest.mark.parametrize("policy", EXAMPLES, ids=repr)
    def test_a_policy_prints_as_the_expression_that_creates_it(self, policy):
        assert eval(repr(policy), vars(ts) | {p.__name__: p for p in POLICIES.values()}) == policy
        assert parse_policy(repr(policy)) == policy

    def test_policies_compare_by_value_and_can_be_keys(self):
        assert ts.TopK(5) == ts.TopK(5) != ts.TopK(6)
        assert ts.TopK(5) != ts.RoundRobin(5)
        assert len({ts.TopK(5), ts.TopK(5)}) == 1

    def test_a_policy_cannot_be_changed(self):
        with pytest.raises(AttributeError):
            ts.TopK(5).k = 6

    def test_every_policy_has_an_example(self):
        assert {type(policy) for policy in self.EXAMPLES} == set(POLICIES.values())

    def test_a_selector_with_a_policy_can_be_cloned(self):
        for policy in self.EXAMPLES:
            assert clone(ts.TermSelector(policy=policy)).policy == policy


@dataclass(frozen=True)
class Shortest:
    """User-defined policy: the k shortest terms."""

    k: int
    by_class: ClassVar[bool] = False

    def choose(self, scores):
        return np.argsort([len(term) for term in scores.terms], kind="stable")[: self.k]

    def ranking(self, scores):
        return Ranking((self.choose(scores),))


class TestAddition:
    """A user-defined policy is an entry of POLICIES."""

    counts = ts.count(["aa bbb cccc", "aa dd"], ["x", "y"])

    def test_a_registered_policy_is_available_by_name(self, monkeypatch):
        monkeypatch.setitem(POLICIES, "Shortest", Shortest)
        assert ts.select(self.counts, "bns", "Shortest(2)") == ["aa", "dd"]
        assert ts.select(self.counts, "bns:Shortest(1)") == ["aa"]

    def test_an_unregistered_policy_is_unknown(self):
        with pytest.raises(ts.UnknownNameError, match="no policy named 'Shortest'"):
            ts.select(self.counts, "bns", "Shortest(2)")

    def test_every_policy_is_public(self):
        assert set(POLICIES) <= set(ts.__all__)

    def test_numpy_numbers_print_as_python_numbers(self):
        assert repr(ts.TopK(np.int64(3))) == "TopK(k=3)"
