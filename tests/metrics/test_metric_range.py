"""Every score is finite for counts and weights of 0, or from 2**-53 to 2**53; beyond, they are refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import termsift as ts
from termsift._internal.typing import MAX_EXACT, MIN_POSITIVE
from termsift.counts.contingency import Cells
from termsift.metrics import association

X = np.array(
    [[1, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], [1, 0, 0, 0]], dtype=float
)
Y = [0, 1, 0, 1, 2, 2]
BIG = MAX_EXACT / 8
ENDS = [(1, 1), (MIN_POSITIVE, MIN_POSITIVE), (BIG, BIG), (MIN_POSITIVE, BIG), (1, BIG), (MIN_POSITIVE, 1)]
FURTHER = {
    "acc2": [{"signed": True}],
    "bns": [{"signed": True}],
    "gu": [{"printed": True}],
    "fisher_score": [{"of": "tf"}],
    "igm": [{"of": "tf"}],
    "bss_wss": [{"groups": "all"}],
    **{m.name: [{"of": "df"}, {"of": "tf"}] for m in ts.metrics() if m.of},
}


def extreme_counts():
    """Sums of small and large counts, small and large weights, as far as they are within the range."""
    for values, weights in itertools.product(ENDS, [None, *ENDS]):
        scaled = X * np.where(np.arange(6) % 2, *values)[:, None]
        weight = None if weights is None else np.where(np.arange(6) < 3, *weights)
        if weights is None or np.max(values) * np.max(weights) <= BIG:
            yield ts.count(scaled, Y, sample_weight=weight)


EXTREMES = list(extreme_counts())


def all_options(metric):
    numbers = [name for name in metric.options if name in ("smoothing", "k", "prior", "n")]
    extremes = [{name: value} for name in numbers for value in (MIN_POSITIVE, 1.0, MAX_EXACT)]
    return [{}, *FURTHER.get(metric.name, []), *extremes]


@pytest.mark.parametrize(
    "metric", [m for m in ts.metrics() if m.name != "hypergeometric"], ids=lambda m: m.name
)
def test_scores_are_finite_and_within_bounds_at_the_ends_of_the_range(metric):
    low, high = metric.bounds
    for counts, options in itertools.product(EXTREMES, all_options(metric)):
        scores = ts.score(counts, metric, **options)
        assert np.isfinite(scores.values).all()
        assert ((scores.values >= low - 1e-9) & (scores.values <= high + 1e-9)).all()
        p = scores.p
        if p is not None:
            assert ((p >= 0) & (p <= 1)).all()
            assert 0 <= scores.alpha(1, counts.classes[0]) <= 1


def test_the_hypergeometric_tail_is_finite_at_the_ends_of_the_range(monkeypatch):
    monkeypatch.setattr(association, "MAX_STEPS", 200)
    for counts in EXTREMES:
        scores = ts.score(counts, "hypergeometric")
        assert np.isfinite(scores.values).all()
        p = scores.p
        assert p is None or ((p >= 0) & (p <= 1)).all()


def cells(*numbers):
    return Cells(*(np.array(part, dtype=float).ravel() for part in numbers))


class TestHypergeometric:
    rng = np.random.default_rng(0)

    def test_masses_of_large_numbers_are_those_of_factorials(self, monkeypatch):
        parts = [self.rng.integers(0, 1000, 500).astype(float) for _ in range(4)]
        exact = association.log_mass(*parts)
        monkeypatch.setattr(association, "MAX_FACTORIAL", 10)
        np.testing.assert_allclose(association.log_mass(*parts), exact, rtol=0, atol=1e-8)

    def test_remainder_of_a_long_sum_is_an_integral(self, monkeypatch):
        ends = ((1000, 1100), (20_000, 21_000), (30_000, 31_000), (600_000, 610_000))
        many = cells(*(self.rng.integers(*pair, 200) for pair in ends))
        exact = association.log_upper_tail(many)
        monkeypatch.setattr(association, "MAX_STEPS", 60)
        np.testing.assert_allclose(association.log_upper_tail(many), exact, rtol=0, atol=1e-4)

    def test_tail_of_very_many_documents_is_the_normal_tail(self, monkeypatch):
        from scipy.stats import norm

        monkeypatch.setattr(association, "MAX_STEPS", 200)
        quarter, off = MAX_EXACT / 4, np.array([0, 1e7, 5e7, 2e8])
        found = association.hypergeometric(cells(quarter + off, quarter - off, quarter - off, quarter + off))
        expected = -norm.logsf(off / (np.sqrt(MAX_EXACT) / 4)) / np.log(10)
        np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("value", [1e16, 1e150, 1e300, 1e-17, 5e-324])
class TestBeyond:
    def test_rejects_invalid_counts_with_their_position(self, value):
        with pytest.raises(
            ts.InvalidInputError, match=r"between 2\*\*-53 and 2\*\*53, got .* at document 1, term 0"
        ):
            ts.count(np.array([[1.0], [value]]), [0, 1])

    def test_rejects_invalid_weights(self, value):
        with pytest.raises(
            ts.InvalidInputError, match=r"sample_weight must be 0 or between 2\*\*-53 and 2\*\*53"
        ):
            ts.count(np.eye(2), [0, 1], sample_weight=[value, 1])

    def test_rejects_invalid_metric_options(self, value):
        counts = ts.count(np.eye(2), [0, 1])
        for metric, option in (("or", "smoothing"), ("pow", "k"), ("log_odds_prior", "prior")):
            with pytest.raises(
                ts.InvalidInputError, match=rf"{option} must be between 2\*\*-53 and 2\*\*53, got"
            ):
                ts.score(counts, metric, **{option: value})


def test_rejects_sums_beyond_2_53_with_the_value():
    with pytest.raises(ts.InvalidInputError, match=r"must not exceed 2\*\*53, got 1.35\d*e\+16"):
        ts.count(np.full((3, 1), MAX_EXACT / 2), [0, 1, 1])
    with pytest.raises(ts.InvalidInputError, match=r"must not exceed 2\*\*53, got"):
        ts.count(np.eye(3), [0, 1, 1], sample_weight=[MAX_EXACT / 2] * 3)
    whole = np.array([[2**52], [2**52], [2**52]])
    with pytest.raises(ts.InvalidInputError, match=r"must not exceed 2\*\*53, got"):
        ts.count(whole, [0, 1, 1])
    with pytest.raises(
        ts.InvalidInputError, match=r"between 2\*\*-53 and 2\*\*53, got 9\.223372036855824e\+18"
    ):
        ts.count(np.array([[2**63 + 2**20]], dtype=np.uint64), [0])


@pytest.mark.parametrize("seed", [-1, "a", 1.5])
def test_rejects_invalid_seeds(seed):
    with pytest.raises(ts.InvalidInputError, match="random_state must be a whole number of at least 0"):
        ts.score(ts.count(np.eye(2), [0, 1]), "rand", random_state=seed)
