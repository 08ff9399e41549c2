"""Jackknife intervals: scores without each group, by subtraction, are those of counting without it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import hypergeom

import termsift as ts
from termsift.metrics.resampling import expected_group_range, iter_jackknife_scores, sign_scores

WORDS = [f"w{i}" for i in range(30)]


def corpus(n=240, groups=12, seed=0):
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, 6)) for _ in range(n)]
    return texts, rng.choice(list("xyz"), n).tolist(), rng.integers(0, groups, n).tolist()


def several_labels(seed=1):
    texts, _, groups = corpus()
    sets = [["x"], ["y"], ["x", "y"], []]
    return texts, [sets[i] for i in np.random.default_rng(seed).integers(0, 4, len(texts))], groups


@pytest.mark.parametrize("metric", ["bns", "cc", "ig", "log_odds_prior", "md", "df", "bss_wss"])
@pytest.mark.parametrize("given", [corpus, several_labels])
def test_scores_without_a_group_equal_those_of_the_other_documents(metric, given):
    texts, labels, groups = given()
    grouped = ts.count(texts, labels, groups=groups)
    for g, values in zip(grouped.groups, iter_jackknife_scores(grouped, metric, {}), strict=True):
        kept = [i for i, group in enumerate(groups) if group != g]
        counts = ts.count([texts[i] for i in kept], [labels[i] for i in kept])
        assert counts.terms.tolist() == grouped.terms.tolist()
        np.testing.assert_allclose(values, sign_scores(ts.score(counts, metric)), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("metric", ["cmh", "mh_odds"])
def test_stratified_scores_without_a_group_equal_those_of_the_other_documents(metric):
    texts, labels, groups = corpus()
    grouped = ts.count(texts, labels, groups=groups)
    for g, values in zip(grouped.groups, iter_jackknife_scores(grouped, metric, {}), strict=True):
        kept = [i for i, group in enumerate(groups) if group != g]
        part = ts.count([texts[i] for i in kept], [labels[i] for i in kept], groups=[groups[i] for i in kept])
        np.testing.assert_allclose(values, ts.score(part, metric).values, atol=1e-12)


def test_the_error_is_the_formula_of_the_delete_a_group_jackknife():
    grouped = ts.count(*corpus()[:2], groups=corpus()[2])
    found = ts.jackknife(grouped, "bns", level=0.9)
    deleted = np.array(list(iter_jackknife_scores(grouped, "bns", {})))
    n = len(grouped.groups)
    error = np.sqrt((n - 1) / n * ((deleted - deleted.mean(axis=0)) ** 2).sum(axis=0))
    np.testing.assert_allclose(found.error, error, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.high - found.signed, 1.7958848 * error, rtol=1e-6, atol=1e-12)


def test_the_interval_of_a_square_is_that_of_its_root():
    grouped = ts.count(*corpus()[:2], groups=corpus()[2])
    found = ts.jackknife(grouped, "ig", level=0.9)
    deleted = np.array(list(iter_jackknife_scores(grouped, "ig", {})))
    roots, n = np.sign(deleted) * np.sqrt(np.abs(deleted)), len(grouped.groups)
    error = np.sqrt((n - 1) / n * ((roots - roots.mean(axis=0)) ** 2).sum(axis=0))
    high = np.sign(found.signed) * np.sqrt(np.abs(found.signed)) + 1.7958848 * error
    np.testing.assert_allclose(found.error, error, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.high, high * np.abs(high), rtol=1e-6, atol=1e-12)


def test_table_has_signed_scores_with_intervals_and_ranges():
    texts, labels, groups = corpus()
    found = ts.jackknife(ts.count(texts, labels, groups=groups), "bns")
    table = found.top("x", 10)
    assert list(table.columns)[-6:] == ["low", "high", "range", "expected", "dp", "juilland_d"]
    for row in table:
        assert row["low"] <= row["score"] <= row["high"]
        assert np.sign(row["score"]) == row["sign"]
        assert row["range"] == len(
            {g for t, g in zip(texts, groups, strict=True) if row["term"] in t.split()}
        )
    assert len(found.table()) == 30 * 3
    assert "df" in ts.jackknife(ts.count(texts, labels, groups=groups), "df").top(n=2).columns


def test_expected_range_is_that_of_random_groups():
    texts, labels, groups = corpus(60)
    grouped = ts.count(texts, labels, groups=groups)
    for df, expected in zip(grouped.pairs.term_df, expected_group_range(grouped), strict=True):
        held = sum(1 - hypergeom.pmf(0, 60, df, size) for size in grouped.group_sizes)
        assert expected == pytest.approx(held)
    weighted = ts.count(texts, labels, groups=groups, sample_weight=np.full(60, 0.5))
    assert expected_group_range(weighted) is None
    assert "expected" not in ts.jackknife(weighted, "bns").top("x").columns


def test_interval_of_a_term_in_one_group_contains_0():
    texts = ["tea jam", "oil rust"] * 60
    groups = [i // 10 for i in range(120)]
    texts[:10] = ["tea jam zeal" if i % 2 == 0 else "oil rust" for i in range(10)]
    row = next(
        row
        for row in ts.jackknife(ts.count(texts, [0, 1] * 60, groups=groups), "bns").top(0, 9)
        if row["term"] == "zeal"
    )
    assert row["range"] == 1
    assert row["low"] < 0 < row["high"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groups": 3}, "at least 10 groups are needed for an interval; there are 3"),
        ({"level": 0}, "level must be between 0 and 1"),
        ({"level": 95}, "level must be between 0 and 1"),
    ],
)
def test_rejects_invalid_input(change, message):
    texts, labels, groups = corpus(groups=change.pop("groups", 12))
    with pytest.raises(ts.InvalidInputError, match=message):
        ts.jackknife(ts.count(texts, labels, groups=groups), "bns", **change)


def test_plain_counts_have_no_intervals():
    with pytest.raises(ts.InvalidInputError, match="needs GroupedCounts, got Counts"):
        ts.jackknife(ts.count(*corpus()[:2]), "bns")


def test_tables_show_the_dispersion_over_the_groups():
    rng = np.random.default_rng(8)
    X, group = rng.poisson(0.3, (80, 6)), rng.integers(0, 12, 80)
    labels = rng.integers(0, 2, 80)
    parts = np.array([X[group == g].sum(axis=0) for g in range(12)])
    table = ts.jackknife(ts.count(X, labels, groups=group), "bns").table()
    table = table[table["class"] == 1]
    measures = ts.dispersion(parts)
    for name in ("dp", "juilland_d"):
        np.testing.assert_allclose(table[name], measures[name], rtol=1e-12)
