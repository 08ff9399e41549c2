"""Greedy maximum discrimination is what its definition says, by whatever way it is found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import termsift as ts
from reference_divergence import greedy, jmh
from strategies import samples
from termsift.discrimination import divergences, greedy_ranking, jmh_divergence

SOME = settings(max_examples=40)


@st.composite
def tables(draw: st.DrawFn, classes: st.SearchStrategy[int]) -> ts.Counts:
    """Counts of up to 12 terms: ties, mirrored terms, proportional terms and empty rows are common."""
    n = draw(classes)
    high = draw(st.sampled_from([1, 2, 3, 40]))
    terms = draw(st.integers(1, 12))
    # two documents a class, so that terms of one count may differ in their document frequency
    rows = st.lists(st.integers(0, high), min_size=terms, max_size=terms)
    X = np.array([draw(rows) for _ in range(2 * n)])
    repeats = draw(st.lists(st.integers(1, 2), min_size=2 * n, max_size=2 * n))
    y = np.repeat(np.arange(n), 2)
    return ts.count(np.repeat(X, repeats, axis=0), np.repeat(y, repeats))


class TestGreedy:
    @SOME
    @given(tables(st.just(2)))
    def test_of_two_classes_it_is_brute_force(self, counts):
        assert greedy_ranking(counts).tolist() == greedy(counts, len(counts.terms))

    @SOME
    @given(tables(st.integers(3, 5)))
    def test_of_more_classes_it_is_brute_force(self, counts):
        assert greedy_ranking(counts).tolist() == greedy(counts, len(counts.terms))

    @SOME
    @given(samples(least=2))
    def test_with_weights_and_several_labels_it_is_brute_force(self, sample):
        counts = sample.counts()
        try:
            ranking = greedy_ranking(counts)
        except ts.InvalidInput:
            return
        assert ranking.tolist() == greedy(counts, len(counts.terms))


class TestDivergence:
    @SOME
    @given(tables(st.integers(2, 4)), st.randoms(use_true_random=False))
    def test_of_any_selection_it_is_the_sum_of_the_definition(self, counts, random):
        chosen = random.sample(range(len(counts.terms)), random.randint(0, len(counts.terms)))
        assert jmh_divergence(counts, chosen) == pytest.approx(
            float(jmh(counts, chosen)), rel=1e-12, abs=1e-15
        )

    @SOME
    @given(tables(st.integers(2, 4)), st.randoms(use_true_random=False))
    def test_of_every_prefix_it_is_that_of_the_selection_and_never_falls(self, counts, random):
        ranking = random.sample(range(len(counts.terms)), len(counts.terms))
        reached = divergences(counts, ranking)
        expected = [float(jmh(counts, ranking[: i + 1])) for i in range(len(ranking))]
        assert reached == pytest.approx(expected, rel=1e-12, abs=1e-15)
        assert np.all(np.diff(reached) >= 0)
