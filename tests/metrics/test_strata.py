"""Tests and effect sizes over groups: within strata, and by the jackknife over groups."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import hypergeom
from scipy.stats import t as student

import termsift as ts
from support.stratified_tables import read_tables
from termsift.counts import Cells
from termsift.metrics.significance import normal_p
from termsift.metrics.strata import (
    cmh_z,
    excess_and_variance,
    mh_interval_summands,
    mh_log_odds_with_interval,
)


def random_strata(seed, documents=120, terms=20, groups=4):
    rng = np.random.default_rng(seed)
    X = (rng.random((documents, terms)) < rng.uniform(0.01, 0.4, terms)).astype(int)
    group = rng.integers(0, groups, documents)
    y = (rng.random(documents) < 0.1 + 0.2 * group).astype(int)
    return X, y, group


def plain_stratified_p(a, strata):
    """Two-sided p-value, and the distribution of A, by listing the draws of all strata."""
    draws = [
        [(k, hypergeom.pmf(k, n, df, pos)) for k in range(max(0, df + pos - n), min(df, pos) + 1)]
        for n, df, pos in strata
    ]
    chance = {}
    for combination in product(*draws):
        total = sum(k for k, _ in combination)
        chance[total] = chance.get(total, 0) + math.prod(p for _, p in combination)
    return sum(p for p in chance.values() if p <= chance[a] * (1 + 1e-7)), chance


def test_stratified_p_values_are_sums_over_the_draws_of_all_strata():
    X, y, group = random_strata(1, documents=50, terms=8, groups=3)
    scores = ts.score(ts.count(X, y, groups=group), "cmh")
    chances = []
    for t in range(8):
        strata = [
            (int((group == g).sum()), int(X[group == g, t].sum()), int(y[group == g].sum())) for g in range(3)
        ]
        expected, chance = plain_stratified_p(int(X[y == 1, t].sum()), strata)
        assert scores.p[t, 1] == pytest.approx(min(expected, 1), rel=1e-9)
        chances.append((chance, {a: plain_stratified_p(a, strata)[0] for a in chance}))
    for e in (0.05, 1):
        alpha = scores.alpha(e, 1)
        attained = sorted({p for _, ps in chances for p in ps.values()})

        def false_positives(level):
            return sum(c for chance, ps in chances for a, c in chance.items() if ps[a] <= level * (1 + 1e-9))

        below = [p for p in attained if false_positives(p) <= e]
        assert alpha == pytest.approx(max(below, default=0), rel=1e-7)


def test_one_stratum_has_the_p_values_of_the_exact_test():
    X, y, _ = random_strata(2)
    one = ts.score(ts.count(X, y, groups=np.zeros(120, dtype=int)), "bns")
    both = ts.count(X, y, groups=np.repeat(["a", "b"], 60))
    single = ts.GroupedCounts(ts.count(X, y, groups=["a"] * 120).pairs)
    from termsift.metrics.strata import StratifiedTest

    np.testing.assert_allclose(StratifiedTest(single).p(1), one.p[:, 1], rtol=1e-12)
    assert ts.score(both, "mh_odds").p is not None


def test_large_variances_use_the_normal_approximation():
    rng = np.random.default_rng(3)
    group, y = rng.integers(0, 2, 4000), rng.integers(0, 2, 4000)
    scores = ts.score(ts.count((rng.random((4000, 1)) < 0.5).astype(int), y, groups=group), "cmh")
    z = scores.values[0, 1]
    assert scores.p[0, 1] == pytest.approx(math.erfc(abs(z) / math.sqrt(2)), rel=1e-12)


def test_controlled_rows_show_the_controlled_effect():
    X, y, group = random_strata(4)
    grouped = ts.count(X, y, groups=group)
    for metric in ("cmh", "mh_odds"):
        table = ts.score(grouped, metric).table()
        odds = ts.score(grouped, "mh_odds").values.ravel()
        np.testing.assert_allclose(table["effect"], odds)
        assert (table["low"] <= table["effect"]).all()
        assert (table["effect"] <= table["high"]).all()


def test_interval_of_one_stratum_is_that_of_the_log_odds_ratio():
    cells = Cells(*(np.array([x]) for x in (30.0, 10.0, 20.0, 40.0)))
    value, low, high = mh_log_odds_with_interval(mh_interval_summands(cells))
    width = 1.959964 * math.sqrt(1 / 30 + 1 / 10 + 1 / 20 + 1 / 40)
    assert value[0] == pytest.approx(math.log(6))
    assert (low[0], high[0]) == pytest.approx((math.log(6) - width, math.log(6) + width), rel=1e-6)


def test_two_hundred_stratified_tables_have_the_figures_of_statsmodels():
    tables = read_tables()
    for table, figures in tables:
        cells = Cells(*table.T)
        interval = mh_log_odds_with_interval(mh_interval_summands(cells).sum(axis=1, keepdims=True))[:, 0]
        expected = [figures[name] for name in ("log_odds", "low", "high")]
        np.testing.assert_allclose(interval, expected, rtol=1e-9, atol=1e-12)
        sums = excess_and_variance(cells).sum(axis=1)
        assert cmh_z(sums) ** 2 == pytest.approx(figures["chi2"], rel=1e-9)
        assert normal_p(cmh_z(sums), "two-sided") == pytest.approx(figures["p"], rel=1e-6)
    assert len(tables) == 200
    assert sum((table == 0).any() for table, _ in tables) > 50


def grouped_words(rng, n_groups=30, size=8):
    """Documents of authors with a planted word of one author, and one that authors of a class share."""
    labels = np.repeat(["a", "b"], n_groups * size // 2)
    group = np.arange(n_groups * size) // size
    X = (rng.random((len(labels), 40)) < 0.15).astype(int)
    X[:, 0] = group == 0
    X[:, 1] = (rng.random(len(labels)) < np.where(labels == "a", 0.7, 0.05)).astype(int)
    return ts.count(X, labels, groups=group)


def test_word_of_one_author_is_not_significant_over_groups_but_a_shared_one_is():
    rng = np.random.default_rng(5)
    for _ in range(20):
        grouped = grouped_words(rng)
        scores = ts.jackknife(grouped, "bns").scores
        significant = scores.significant(0.05, "a")
        assert (significant[0], significant[1]) == (False, True)
        assert ts.score(grouped.counts, "bns").significant(1, "a")[0]


def test_jackknife_p_value_is_that_of_a_loop_over_groups():
    rng = np.random.default_rng(6)
    X = (rng.random((90, 5)) < 0.3).astype(int)
    y, group = rng.integers(0, 2, 90), rng.integers(0, 12, 90)
    scores = ts.jackknife(ts.count(X, y, groups=group), "ig").scores

    def difference(kept):
        return X[kept & (y == 1)].mean(axis=0) - X[kept & (y == 0)].mean(axis=0)

    replicates = np.stack([difference(group != g) for g in range(12)])
    error = np.sqrt(11 / 12 * ((replicates - replicates.mean(axis=0)) ** 2).sum(axis=0))
    p = 2 * student.sf(np.abs(difference(group >= 0)) / error, 11)
    np.testing.assert_allclose(scores.p[:, 1], p, rtol=1e-9)
    assert scores.alpha(1, 1) == 1 / 5


def test_false_positives_within_strata_are_at_most_the_expected_number():
    rng = np.random.default_rng(7)
    group = rng.integers(0, 5, 600)
    y = (rng.random(600) < np.array([0.01, 0.02, 0.05, 0.1, 0.4])[group]).astype(int)
    X = (
        rng.random((600, 300)) < np.minimum(0.5, 2 / np.arange(1, 301))[None] * (1 + group[:, None]) / 3
    ).astype(int)
    order, n_false = np.argsort(group, kind="stable"), []
    for _ in range(25):
        shuffled = y[order].copy()
        for g in range(5):
            members = np.flatnonzero(group[order] == g)
            shuffled[members] = rng.permutation(shuffled[members])
        scores = ts.score(ts.count(X[order], shuffled, groups=group[order]), "cmh")
        n_false.append(scores.significant(1, 1).sum())
    assert 0.2 < np.mean(n_false) < 1.6


def test_groups_of_single_documents_cannot_be_strata():
    X, y, _ = random_strata(8, documents=30)
    with pytest.raises(ts.InvalidInputError, match="every document has a group of its own"):
        ts.score(ts.count(X, y, groups=np.arange(30)), "cmh")
