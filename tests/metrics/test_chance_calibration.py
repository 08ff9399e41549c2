"""Labels that say nothing: as many terms are above the floor as the floor says."""

from __future__ import annotations

import numpy as np
import pytest

import termsift as ts

SHUFFLES = 150


@pytest.fixture(scope="module")
def shuffled_counts():
    """A corpus of words as frequent as in texts, its labels shuffled again and again."""
    rng = np.random.default_rng(0)
    rate = np.minimum(0.7, 1.5 / np.arange(1, 801))
    X = (rng.random((300, 800)) < rate).astype(int)
    y = np.repeat(["a", "b", "c"], [30, 90, 180])
    return [ts.count(X, rng.permutation(y)) for _ in range(SHUFFLES)]


@pytest.mark.parametrize("metric", ["bns", "chi2", "cc", "rf"])
def test_number_of_terms_above_the_threshold_is_the_expected_one(shuffled_counts, metric):
    scores = [ts.score(counts, metric) for counts in shuffled_counts]
    first = scores[0]
    floor = first.threshold(20)
    expected = first.expected_false_positives(floor)
    above = [np.count_nonzero(np.asarray(own) >= floor * (1 - 1e-9)) for own in scores]
    assert 4 < expected <= 20
    assert np.mean(above) == pytest.approx(expected, rel=0.15)
    highest = first.threshold(0.05)
    assert np.mean([np.asarray(own).max() >= highest for own in scores]) <= 0.1


def test_p_values_are_not_too_small_under_random_labels(shuffled_counts):
    p = np.stack([ts.score(counts, "ig").p for counts in shuffled_counts[:40]])
    for level in (0.001, 0.01, 0.1):
        assert np.mean(p <= level) <= level * 1.02


def test_permutation_test_agrees_with_exact_significance():
    rng = np.random.default_rng(2)
    X = (rng.random((120, 60)) < np.linspace(0.05, 0.6, 60)).astype(int)
    y = rng.integers(0, 2, 120)
    exact = ts.score(ts.count(X, y), "bns", reduce="max")
    shuffled = ts.score(X, y, "bns", reduce="sum", n_permutations=300)
    # of two classes both say the same of a term, so that their sum is twice the largest
    for value in (0.8, 1.0, 1.4):
        by_cells = exact.expected_false_positives(value) / 2
        assert shuffled.expected_false_positives(2 * value) == pytest.approx(by_cells, rel=0.15, abs=0.05)
