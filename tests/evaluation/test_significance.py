"""Tests of significance: figures worked by hand, plain loops, SciPy, edges."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

import termsift as ts
from termsift.evaluation.paired_tests import TestResult, corrected_resampled_t, holm, paired_t, wilcoxon

ALTERNATIVES = ("two-sided", "greater", "less")
TESTS = (wilcoxon, paired_t)


def signed_rank_p(differences, alternative) -> float:
    """The exact chance, by giving every rank either sign. For differences of distinct sizes, none 0."""
    ranks = stats.rankdata(np.abs(differences))
    observed = sum(rank for rank, d in zip(ranks, differences, strict=True) if d > 0)
    sums = [
        sum(rank for rank, up in zip(ranks, signs, strict=True) if up)
        for signs in product((0, 1), repeat=len(ranks))
    ]
    above = sum(total >= observed for total in sums) / len(sums)
    below = sum(total <= observed for total in sums) / len(sums)
    return {"greater": above, "less": below, "two-sided": min(1.0, 2 * min(above, below))}[alternative]


def t_p(t: float, freedom: int, alternative: str) -> float:
    """The chance, by integrating Student's density."""
    front = math.gamma((freedom + 1) / 2) / math.gamma(freedom / 2) / math.sqrt(freedom * math.pi)
    above = integrate.quad(lambda x: front * (1 + x * x / freedom) ** (-(freedom + 1) / 2), t, math.inf)[0]
    return {"greater": above, "less": 1 - above, "two-sided": 2 * min(above, 1 - above)}[alternative]


distinct = st.lists(st.integers(1, 40), min_size=1, max_size=8, unique=True)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(sizes=distinct, signs=st.lists(st.sampled_from([-1, 1]), min_size=8, max_size=8))
def test_wilcoxon_is_exact_for_few_problems(alternative, sizes, signs):
    differences = np.array(sizes) * signs[: len(sizes)]
    found = wilcoxon(differences, np.zeros(len(sizes)), alternative=alternative)
    assert found.p_value == pytest.approx(signed_rank_p(differences, alternative))


def test_wilcoxon_of_a_printed_example():
    # by hand: ranks of -1 2 3 -4 5 6 7 8 are 1..8; the negative ones sum to 5, of 36;
    # 10 of the 256 sets of ranks sum to at most 5
    found = wilcoxon([0, 2, 3, 0, 5, 6, 7, 8], [1, 0, 0, 4, 0, 0, 0, 0])
    assert found == TestResult(5.0, pytest.approx(2 * 10 / 256))


def test_wilcoxon_of_many_problems_is_nearly_normal():
    random = np.random.default_rng(0)
    a, b = random.random(80), random.random(80) + 0.1
    ranks = stats.rankdata(np.abs(a - b))
    statistic = ranks[a > b].sum()
    z = (statistic - 80 * 81 / 4) / math.sqrt(80 * 81 * 161 / 24)
    found = wilcoxon(a, b, alternative="less")
    assert found == TestResult(statistic, pytest.approx(stats.norm.cdf(z)))


def test_wilcoxon_ignores_equal_pairs():
    a, b = [0.5, 0.7, 0.8, 0.9], [0.5, 0.6, 0.6, 0.5]
    assert wilcoxon(a, b, alternative="greater").statistic == 6


def test_wilcoxon_ties_ignore_rounding_errors():
    # 0.3 - 0.2 < 0.2 - 0.1 to the computer
    found = wilcoxon([0.3, 0.1, 0.9], [0.2, 0.2, 0.1], alternative="greater")
    assert found.statistic == 1.5 + 3


def test_wilcoxon_of_small_numbers_is_that_of_large_ones():
    a, b = np.array([3.0, 5.0, 1.0, 9.0]), np.array([1.0, 6.0, 4.0, 5.0])
    assert wilcoxon(a * 1e-15, b * 1e-15) == wilcoxon(a, b)


def test_paired_t_worked_by_hand():
    # differences 1 2 3 4: mean 5/2, variance 5/3, t = 2.5 / sqrt(5/12) = sqrt(15)
    found = paired_t([2, 4, 6, 8], [1, 2, 3, 4])
    assert found.statistic == pytest.approx(math.sqrt(15))
    assert found.p_value == pytest.approx(t_p(math.sqrt(15), 3, "two-sided"))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("seed", range(5))
def test_paired_t_is_scipy_s(alternative, seed):
    a, b = np.random.default_rng(seed).random((2, 9))
    expected = stats.ttest_rel(a, b, alternative=alternative)
    found = paired_t(a, b, alternative=alternative)
    assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.pvalue))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_corrected_t_worked_by_hand(alternative):
    # differences 1 2 3 4, nine parts training to one part test:
    # t = (5/2) / sqrt((5/3) (1/4 + 1/9)) = 2.5 / sqrt(65/108)
    found = corrected_resampled_t([1, 2, 3, 4], n_train=90, n_test=10, alternative=alternative)
    assert found.statistic == pytest.approx(2.5 / math.sqrt(65 / 108))
    assert found.p_value == pytest.approx(t_p(found.statistic, 3, alternative))


@given(st.lists(st.integers(-20, 20), min_size=2, max_size=12), st.integers(1, 9))
def test_corrected_t_is_the_formula_in_a_loop(differences, n_test):
    k = len(differences)
    mean = sum(differences) / k
    variance = sum((d - mean) ** 2 for d in differences) / (k - 1)
    found = corrected_resampled_t(differences, n_train=10, n_test=n_test)
    if variance:
        assert found.statistic == pytest.approx(mean / math.sqrt(variance * (1 / k + n_test / 10)))


def test_shares_do_for_numbers_of_documents():
    shares = corrected_resampled_t([1, 2, 4], n_train=0.75, n_test=0.25)
    assert shares == corrected_resampled_t([1, 2, 4], n_train=300, n_test=100)


def test_runs_times_folds_are_all_their_differences():
    table = np.array([[1.0, 2.0, 4.0], [2.0, 3.0, 3.0]])
    flat = corrected_resampled_t(table.ravel(), n_train=2, n_test=1)
    assert corrected_resampled_t(table, n_train=2, n_test=1) == flat


def test_the_correction_makes_a_test_more_careful():
    differences = [0.1, 0.3, 0.2, 0.25]
    plain = paired_t(differences, [0] * 4)
    assert corrected_resampled_t(differences, n_train=3, n_test=1).p_value > plain.p_value


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_no_difference_at_all_has_p_one(alternative):
    same = [0.1, 0.2, 0.3]
    for test in TESTS:
        assert test(same, same, alternative=alternative) == TestResult(0.0, 1.0)
    zeros = corrected_resampled_t([0, 0], n_train=1, n_test=1, alternative=alternative)
    assert zeros == TestResult(0.0, 1.0)


@pytest.mark.parametrize("alternative, p", [("two-sided", 0), ("greater", 0), ("less", 1)])
def test_the_same_difference_everywhere_is_infinitely_significant(alternative, p):
    found = corrected_resampled_t([0.1] * 3, n_train=2, n_test=1, alternative=alternative)
    assert found == TestResult(math.inf, p)
    assert corrected_resampled_t([-0.1] * 3, n_train=2, n_test=1).statistic == -math.inf


@pytest.mark.parametrize("test", TESTS)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=6))
def test_changing_sides_changes_the_question(test, pairs):
    a, b = np.array(pairs).T
    assert test(a, b).p_value == pytest.approx(test(b, a).p_value)
    assert test(a, b, alternative="greater").p_value == pytest.approx(test(b, a, alternative="less").p_value)
    assert 0 <= test(a, b).p_value <= 1


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(
    "a, b, message",
    [
        ([1, 2], [1], r"must be lists of equal length, .* got shapes \(2,\) and \(1,\)"),
        ([[1, 2]], [[1, 3]], "must be lists of equal length"),
        ([1, np.nan], [1, 2], "a must be finite, got nan"),
        ([1, 2], [1, np.inf], "b must be finite, got inf"),
        (["x", "y"], [1, 2], "a must be numbers"),
        ([], [], r"number of problems must be at least \d, got 0"),
    ],
)
def test_pairs_that_cannot_be_compared_are_one_line(test, a, b, message):
    with pytest.raises(ts.InvalidInputError, match=message):
        test(a, b)


@pytest.mark.parametrize("test", TESTS)
def test_unknown_alternative_error_suggests_the_nearest_name(test):
    with pytest.raises(ts.UnknownNameError, match="no alternative named 'greatr'; did you mean 'greater'"):
        test([1, 2], [2, 1], alternative="greatr")


def test_one_run_is_too_few():
    with pytest.raises(ts.InvalidInputError, match="needs at least 2 differences, got 1"):
        corrected_resampled_t([1], n_train=1, n_test=1)


@pytest.mark.parametrize("n_train, n_test", [(0, 1), (1, 0), (-1, 1), (np.nan, 1)])
def test_sizes_of_no_documents_are_an_error(n_train, n_test):
    with pytest.raises(ts.InvalidInputError, match="n_train and n_test must be above 0"):
        corrected_resampled_t([1, 2], n_train=n_train, n_test=n_test)


class TestHolm:
    def test_the_smallest_is_multiplied_by_the_number_of_tests_and_order_is_kept(self):
        assert holm([0.04, 0.01, 0.03]).tolist() == pytest.approx([0.06, 0.03, 0.06])

    def test_nothing_is_above_one_and_none_is_none(self):
        assert holm([0.6, 0.9]).tolist() == [1.0, 1.0]
        assert holm([]).tolist() == []

    def test_holm_rejects_values_that_are_not_probabilities(self):
        with pytest.raises(ts.InvalidInputError, match="numbers between 0 and 1"):
            holm([0.2, 1.2])
