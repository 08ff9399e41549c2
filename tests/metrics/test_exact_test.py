"""The exact test, its threshold and its q-values are those of independent computations, everywhere."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import false_discovery_control, fisher_exact, hypergeom

import termsift as ts
from termsift.counts import Cells
from termsift.metrics import significance
from termsift.metrics.significance import ExactTest, exact_p_values, q_values, significance_threshold


def corpus(documents=60, terms=25, seed=0):
    rng = np.random.default_rng(seed)
    X = (rng.random((documents, terms)) < rng.random(terms)).astype(int)
    return ts.count(X, rng.integers(0, 3, documents) ** 2)


def random_tables(number, seed=0):
    """Cells of random tables, half of them near independence."""
    rng = np.random.default_rng(seed)
    tables = []
    for i in range(number):
        n = int(10 ** rng.uniform(0.8, 4))
        df, pos = rng.integers(1, n, 2)
        low, high = max(0, df + pos - n), min(df, pos)
        a = rng.integers(low, high + 1) if i % 2 else rng.hypergeometric(pos, n - pos, df)
        tables.append((a, df - a, pos - a, n - df - pos + a))
    return np.array(tables)


def plain_p_values(n, df, pos):
    """Possible A, their probabilities and two-sided p-values as exact fractions."""
    draws = list(range(max(0, df + pos - n), min(df, pos) + 1))
    chance = [Fraction(math.comb(df, a) * math.comb(n - df, pos - a), math.comb(n, pos)) for a in draws]
    return draws, chance, [sum(c for c in chance if c <= own) for own in chance]


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_p_values_of_5000_tables_equal_those_of_scipy(alternative):
    tables = random_tables(5000)
    p = exact_p_values(Cells(*tables.T.astype(float)), alternative)
    expected = [fisher_exact([[a, b], [c, d]], alternative).pvalue for a, b, c, d in tables.tolist()]
    reached = np.array(expected) > 1e-290
    assert reached.sum() > 4900
    np.testing.assert_allclose(p[reached], np.array(expected)[reached], rtol=1e-12)
    assert (p[~reached] < 1e-289).all()


def test_far_tails_keep_their_digits():
    n, df, pos = 20_000, 400, 1_000
    tp = np.array([3.0, 12.0, 25.0, 60.0, 150.0, 300.0])
    draws, _, p = plain_p_values(n, df, pos)
    expected = [float(p[draws.index(int(a))]) for a in tp]
    actual = exact_p_values(Cells(tp, df - tp, pos - tp, n - df - pos + tp))
    assert actual.tolist() == pytest.approx(expected, rel=1e-11, abs=1e-300)


def test_compiled_and_interpreted_kernels_give_the_same_bits(monkeypatch):
    cells = Cells(*random_tables(60, seed=3).T.astype(float))
    monkeypatch.setattr(significance, "spend_python_budget", lambda size: True)
    interpreted = exact_p_values(cells)
    monkeypatch.setattr(significance, "spend_python_budget", lambda size: False)
    np.testing.assert_array_equal(exact_p_values(cells), interpreted)


def test_p_value_does_not_depend_on_other_rows_or_batches(monkeypatch):
    counts = corpus(400, 80)
    whole = ExactTest(counts).all_p()
    alone = [ExactTest(counts.keep(np.array([t]))).all_p() for t in range(80)]
    np.testing.assert_array_equal(np.concatenate(alone), whole)
    counts._memo.clear()
    monkeypatch.setattr(significance, "BATCH_DRAWS", 100)
    np.testing.assert_array_equal(ExactTest(counts).all_p(), whole)


def test_p_values_do_not_depend_on_the_metric():
    counts = corpus()
    p = ts.score(counts, "bns").p
    for metric in ("cc", "or", "mi", "md", "log_odds_prior", "df", "rand"):
        np.testing.assert_array_equal(ts.score(counts, metric).p_values(), p)
    for c, name in enumerate(counts.classes):
        np.testing.assert_array_equal(ts.score(counts, "ig").of_class(name).p[:, 0], p[:, c])


def test_p_values_of_huge_counts_are_normal():
    cells = Cells(*(np.array([x]) for x in (3e11 + 3e6, 3e11 - 3e6, 3e11 - 3e6, 3e11 + 3e6)))
    z = 6e6 / math.sqrt(1.2e12 / 4) * 2
    assert exact_p_values(cells)[0] == pytest.approx(math.erfc(z / math.sqrt(2) / 2), rel=1e-3)
    assert exact_p_values(cells, "less")[0] == pytest.approx(1)
    df, one = np.array([6e11]), np.array([1])
    assert significance_threshold(df, one, 6e11, 1.2e12, 0.05) == pytest.approx(0.05)


def plain_threshold(pairs, documents, pos, expected):
    """Largest attained p-value at which the expected number of terms with at most this p is low enough."""
    tests = [(n_terms, *plain_p_values(documents, df, pos)[1:]) for df, n_terms in pairs]
    attained = sorted({p for _, _, ps in tests for p in ps})
    low_enough = [
        alpha
        for alpha in attained
        if sum(n * sum(c for c, p in zip(chance, ps, strict=True) if p <= alpha) for n, chance, ps in tests)
        <= expected
    ]
    return float(max(low_enough, default=0))


@pytest.mark.parametrize("expected", [Fraction(1, 100), Fraction(1, 20), Fraction(1), Fraction(4)])
@pytest.mark.parametrize("seed", range(3))
def test_alpha_is_the_largest_attained_p_value_with_at_most_the_expected_false_positives(expected, seed):
    counts = corpus(40, 30, seed)
    pairs = list(zip(*np.unique(counts.term_df, return_counts=True), strict=True))
    pairs = [(int(df), int(n)) for df, n in pairs]
    scores = ts.score(counts, "ig")
    for name, pos in zip(counts.classes, counts.class_sizes.tolist(), strict=True):
        alpha = plain_threshold(pairs, 40, pos, expected)
        assert scores.alpha(float(expected), name) == pytest.approx(alpha, rel=1e-9)
        significant = scores.p[:, counts.class_index(name)] <= alpha * (1 + 1e-9)
        np.testing.assert_array_equal(scores.significant(float(expected), name), significant)


def test_alpha_does_not_depend_on_batches(monkeypatch):
    scores = ts.score(corpus(400, 80), "ig")
    alpha = scores.alpha(0.3, 1)
    monkeypatch.setattr(significance, "BATCH_DRAWS", 50)
    assert scores.alpha(0.3, 1) == alpha


def test_classes_that_exclude_each_other_share_their_significant_terms():
    rng = np.random.default_rng(4)
    counts = ts.count((rng.random((200, 60)) < 0.2).astype(int), rng.integers(0, 2, 200))
    significant = ts.score(counts, "bns").significant(3)
    np.testing.assert_array_equal(significant[:, 0], significant[:, 1])


def test_no_term_is_significant_if_none_can_be():
    counts = ts.count(np.eye(3, dtype=int), [0, 0, 1])
    assert ts.score(counts, "chi2").alpha(0.5, 0) == 0
    assert not ts.score(counts, "chi2").significant(0.5).any()
    assert ts.select(counts, "chi2:Significant(0.5)") == []


def test_p_value_is_1_for_empty_terms_and_full_classes():
    counts = ts.count(np.array([[1, 0], [1, 0], [0, 0]]), [["a"], ["a", "b"], ["a"]])
    assert (ts.score(counts, "bns").p[:, 0] == 1).all()
    assert (ts.score(counts, "bns").p[1] == 1).all()


def test_texts_files_matrices_and_saved_counts_have_the_same_bits(tmp_path):
    rng = np.random.default_rng(5)
    texts = [" ".join(f"w{word}" for word in rng.zipf(1.5, 12) if word < 500) for _ in range(300)]
    labels = [f"c{label}" for label in rng.integers(0, 3, 300)]
    path = tmp_path / "mail.csv"
    path.write_text("text,label\n" + "".join(f"{a},{b}\n" for a, b in zip(texts, labels, strict=True)))
    counts = ts.count(texts, labels)
    counts.save(tmp_path / "counts.parquet")
    parts = ts.count(texts[:100], labels[:100]) + ts.count(texts[100:], labels[100:])
    scores = ts.score(counts, "ig")
    for other in (ts.count(path), ts.Counts.load(tmp_path / "counts.parquet"), parts):
        others = ts.score(other, "ig")
        assert [others.alpha(0.5, c) for c in others.classes] == [
            scores.alpha(0.5, c) for c in scores.classes
        ]
        np.testing.assert_array_equal(others.p, scores.p)
        np.testing.assert_array_equal(others.q, scores.q)


def test_fractional_weights_have_no_exact_test_but_integer_weights_do():
    X, y = np.array([[1, 0], [1, 1], [0, 1], [0, 1]]), [0, 0, 1, 1]
    weighted = ts.score(ts.count(X, y, sample_weight=[0.5, 1, 1, 1]), "chi2")
    assert (weighted.p, weighted.q, weighted.alpha(1, 0), weighted.significant()) == (None,) * 4
    assert "p" not in weighted.table().columns
    with pytest.raises(ts.InvalidInputError, match="weighted documents have no exact test"):
        ts.Significant().choose(ts.score(weighted.counts, "chi2", reduce="max"))
    twice = ts.score(ts.count(X, y, sample_weight=[2, 1, 1, 1]), "chi2")
    copied = ts.score(ts.count(X[[0, 0, 1, 2, 3]], [0, 0, 0, 1, 1]), "chi2")
    np.testing.assert_array_equal(twice.p, copied.p)


@pytest.mark.parametrize("expected", [0, -1, math.nan, math.inf, "1", None])
def test_rejects_expected_numbers_at_or_below_zero(expected):
    scores = ts.score(corpus(), "bns")
    for use in (lambda e: scores.alpha(e, 1), scores.significant, ts.Significant):
        with pytest.raises(ts.InvalidInputError, match="expected must be a number of terms above 0, got"):
            use(expected)


def test_rejects_misspelt_alternatives_and_missing_classes():
    scores = ts.score(corpus(), "bns")
    with pytest.raises(ts.UnknownNameError, match="no alternative named 'greather'; did you mean 'greater'"):
        scores.p_values("greather")
    with pytest.raises(ts.InvalidInputError, match="name a class: there are 3"):
        scores.alpha()


def test_q_values_are_those_of_benjamini_and_hochberg():
    p = np.random.default_rng(3).random((50, 2)).round(2)
    np.testing.assert_allclose(q_values(p[:, 0]), false_discovery_control(p[:, 0]))
    assert q_values(np.zeros(0)).shape == (0,)
    scores = ts.score(corpus(), "cc")
    for c in range(3):
        np.testing.assert_allclose(scores.q[:, c], false_discovery_control(scores.p[:, c]))


def test_table_lists_only_significant_terms_with_an_expected_number():
    scores = ts.score(corpus(seed=2), "mi")
    alpha = scores.alpha(5, 1)
    listed = scores.top(1, 25, direction="positive", expected=5)
    everything = scores.top(1, 25, direction="positive")
    assert list(listed["term"]) == [row["term"] for row in everything if row["p"] <= alpha]


def test_occurrences_and_their_rates_are_columns_of_occurrence_metrics():
    texts = ["win win win now", "lunch now", "win lunch"]
    row = next(
        iter(
            ts.score(ts.count(texts, ["spam", "ham", "ham"]), "g2(of='tf')").top(
                "spam", 1, direction="positive"
            )
        )
    )
    assert (row["term"], row["tf"], row["tf_outside"]) == ("win", 3, 1)
    assert (row["per_million"], row["per_million_outside"]) == (750_000, 250_000)


@pytest.fixture(scope="module")
def shuffled_counts():
    """A corpus of words as frequent as in texts, its labels shuffled again and again."""
    rng = np.random.default_rng(0)
    X = (rng.random((300, 800)) < np.minimum(0.7, 1.5 / np.arange(1, 801))).astype(int)
    y = np.repeat(["a", "b", "c"], [30, 90, 180])
    return [ts.count(X, rng.permutation(y)) for _ in range(60)]


def test_false_positives_under_random_labels_are_the_expected_number(shuffled_counts):
    for expected, tolerance in ((5.0, 0.15), (0.5, 0.4)):
        alphas = [ts.score(shuffled_counts[0], "ig").alpha(expected, c) for c in "abc"]
        p = np.stack([ExactTest(counts).all_p() for counts in shuffled_counts])
        assert (p <= alphas).sum() / 180 <= expected * (1 + tolerance)
        assert (p <= alphas).sum() / 180 >= expected * (1 - 1.5 * tolerance)


def test_p_values_are_not_too_small_under_random_labels(shuffled_counts):
    for alternative in significance.ALTERNATIVES:
        p = np.stack([ExactTest(counts).all_p(alternative) for counts in shuffled_counts[:15]])
        for level in (0.001, 0.01, 0.05, 0.1):
            assert np.mean(p <= level) <= level * 1.05


def test_one_tail_equals_the_hypergeometric_distribution():
    counts = corpus()
    cells = ts.score(counts, "cc").cells(np.arange(25), range(3))
    p = ts.score(counts, "cc").p_values("greater")
    np.testing.assert_allclose(p, hypergeom.sf(cells.tp - 1, 60, cells.df, cells.pos), rtol=1e-10)


@pytest.mark.parametrize("seed", range(20))
def test_the_p_value_of_a_sum_over_strata_is_that_of_all_draws(seed):
    rng = np.random.default_rng(seed)
    n = rng.integers(2, 12, 3)
    df, pos = rng.integers(0, n + 1), rng.integers(0, n + 1)
    strata = [plain_p_values(*map(int, marginals))[:2] for marginals in zip(n, df, pos, strict=True)]
    observed = np.array([rng.choice(draws) for draws, _ in strata])
    outcomes = itertools.product(*(list(zip(*stratum, strict=True)) for stratum in strata))
    expected = sum(
        math.prod(chance for _, chance in outcome)
        for outcome in outcomes
        if sum(a for a, _ in outcome) >= observed.sum()
    )
    assert significance.sum_p_value(observed, df, pos, n) == pytest.approx(float(expected), rel=1e-12)


def test_the_p_value_of_a_large_sum_is_that_of_scipy():
    a, marginals = np.array([5200]), (np.array([50_000]), np.array([10_000]), np.array([500_000]))
    expected = hypergeom.sf(5199, 500_000, 50_000, 10_000)
    assert significance.sum_p_value(a, *marginals) == pytest.approx(expected, rel=1e-9, abs=1e-290)
    above = np.array([1030])
    assert significance.sum_p_value(above, *marginals) == pytest.approx(
        hypergeom.sf(1029, 500_000, 50_000, 10_000), rel=1e-9
    )
