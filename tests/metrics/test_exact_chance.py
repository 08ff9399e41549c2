"""What chance gives is what counting every draw says, to the last few bits, and the same everywhere."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from scipy.stats import fisher_exact, hypergeom

import termsift as ts
from termsift.counts.contingency import Cells
from termsift.metrics import separation, significance
from termsift.metrics.significance import (
    Marginals,
    ThresholdSearch,
    p_values,
    q_values,
    significance_thresholds,
)

OF_CELLS = [metric.name for metric in ts.metrics() if metric.document_function({})]
PER_CLASS = [
    metric.name for metric in ts.metrics() if metric.summed and metric.document_function({"per_class": True})
]
OPTIONS = [
    ("bns", {"signed": True}),
    ("bns", {"zero": "replace"}),
    ("gu", {"printed": True}),
    ("ig", {"smoothing": "ele"}),
    ("pow", {"k": 2}),
    *((name, {"per_class": True}) for name in PER_CLASS),
]
WITH_OPTIONS = [*((name, {}) for name in OF_CELLS), *OPTIONS]


def corpus(documents=60, terms=25, seed=0):
    rng = np.random.default_rng(seed)
    X = (rng.random((documents, terms)) < rng.random(terms)).astype(int)
    return ts.count(X, rng.integers(0, 3, documents) ** 2)


def drawn_cells(n, df, pos):
    """Every table that these margins allow, and its chance by SciPy."""
    a = np.arange(max(0, df + pos - n), min(df, pos) + 1.0)
    return Cells(a, df - a, pos - a, n - df - pos + a), hypergeom.pmf(a, n, df, pos)


def scores_and_chances(counts, scores):
    """For each term and class its row, column, the scores of all draws, their chances, and their signs."""
    for t, df in enumerate(counts.term_df.tolist()):
        for c, pos in enumerate(counts.class_sizes.tolist()):
            cells, chance = drawn_cells(counts.documents, df, pos)
            yield t, c, scores.function(cells), chance, np.sign(cells.association)


@pytest.mark.parametrize(("metric", "options"), WITH_OPTIONS)
def test_p_value_is_the_sum_over_draws_with_at_least_the_score(metric, options):
    counts = corpus()
    scores = ts.score(counts, metric, **options)
    signs, expected = scores.signs, np.zeros(scores.values.shape)
    for t, c, values, chance, _ in scores_and_chances(counts, scores):
        own = scores.values[t, c]
        room = 1e-9 * abs(own)
        against = scores.sided == 1 and signs[t, c] < 0
        expected[t, c] = chance[values <= own + room if against else values >= own - room].sum()
    np.testing.assert_allclose(scores.p, expected, rtol=1e-11)


@pytest.mark.parametrize(("metric", "options"), WITH_OPTIONS)
@pytest.mark.parametrize("side", ["both", "positive", "negative"])
def test_threshold_is_the_lowest_score_that_at_most_the_expected_terms_reach(metric, options, side):
    counts = corpus(terms=12)
    scores = ts.score(counts, metric, **options)
    parts = list(scores_and_chances(counts, scores))
    wanted = {"both": 0, "positive": 1, "negative": -1}[side]
    turned = -1 if side == "negative" and scores.sided == 1 else 1
    values = np.concatenate(
        [turned * s[~(wanted * sign < 1) if wanted else slice(None)] for *_, s, _, sign in parts]
    )
    chance = np.concatenate([p[~(wanted * sign < 1) if wanted else slice(None)] for *_, p, sign in parts])

    def number(value):
        return chance[values >= value - 1e-9 * abs(value)].sum()

    for expected in (0.05, 1, 3.5):
        within = [v for v in np.unique(values).tolist() if number(v) <= expected]
        found = scores.threshold(expected, direction=side)
        if not within:
            assert turned * found == math.inf
            continue
        assert turned * found == pytest.approx(min(within), rel=2e-9)
        assert scores.expected_false_positives(found, direction=side) == pytest.approx(
            number(turned * found), rel=1e-9
        )


def test_threshold_of_a_class_counts_only_its_draws():
    counts = corpus()
    scores = ts.score(counts, "bns")
    floors = [scores.threshold(1, name) for name in counts.classes]
    assert floors == [scores.of_class(name).threshold(1) for name in counts.classes]
    value = scores.threshold()
    parts = [scores.expected_false_positives(value, name) for name in counts.classes]
    assert scores.expected_false_positives(value) == pytest.approx(sum(parts))
    assert max(floors) <= value


def test_threshold_of_the_maximum_counts_all_classes():
    counts = corpus()
    scores, reduced = ts.score(counts, "ig"), ts.score(counts, "ig", reduce="max")
    assert reduced.threshold(1) == scores.threshold(1)
    assert reduced.expected_false_positives(0.05) == scores.expected_false_positives(0.05)
    with pytest.raises(
        ts.InvalidInputError, match="ig has one score per term and none per class, got class 0"
    ):
        reduced.threshold(1, for_class=0)


@pytest.mark.parametrize("metric", ["cc", "gss", "or", "cpd", "hypergeometric", "rf"])
def test_one_sided_orders_have_the_p_values_of_fisher_s_exact_test(metric):
    counts = corpus()
    scores = ts.score(counts, metric)
    for row, p in zip(scores.table(), scores.p.ravel().tolist(), strict=True):
        table = [[row["tp"], row["fp"]], [row["fn"], row["tn"]]]
        less = scores.sided == 1 and row["sign"] < 0
        assert p == pytest.approx(fisher_exact(table, "less" if less else "greater").pvalue, rel=1e-9)


def test_custom_function_of_probability_has_fisher_two_sided_p_values():
    def unlikely(cells):
        return -hypergeom.logpmf(cells.tp, cells.documents, cells.df, cells.pos)

    scores = ts.score(corpus(), unlikely)
    for row, p in zip(scores.table(), scores.p.ravel().tolist(), strict=True):
        table = [[row["tp"], row["fp"]], [row["fn"], row["tn"]]]
        assert p == pytest.approx(fisher_exact(table).pvalue, rel=1e-7)


@pytest.mark.parametrize("tp", [3, 12, 25, 60, 150, 300])
def test_far_tails_keep_their_digits(tp):
    n, df, pos = 20_000, 400, 1_000
    cells = Cells(*(np.array([float(x)]) for x in (tp, df - tp, pos - tp, n - df - pos + tp)))
    found = p_values(cells, lambda cells: cells.tp, 2)[0]
    exact = sum(math.comb(df, a) * math.comb(n - df, pos - a) for a in range(tp, df + 1)) / math.comb(n, pos)
    assert found == pytest.approx(exact, rel=1e-11)


def test_truncated_draws_do_not_change_significant_digits(monkeypatch):
    rng = np.random.default_rng(1)
    df = rng.integers(1, 2_000, 300)
    tp = rng.binomial(np.minimum(df, 700), 0.2)
    cells = Cells(*(x.astype(float) for x in (tp, df - tp, 700 - tp, 9_000 - df - 700 + tp)))
    function = ts.metrics()["bns"].function
    short = p_values(cells, function, 2)
    monkeypatch.setattr(significance, "REACH", 1e6)
    monkeypatch.setattr(significance, "MAX_REACH", 1e6)
    np.testing.assert_allclose(short, p_values(cells, function, 2), rtol=1e-11)


def test_p_value_does_not_depend_on_other_rows(monkeypatch):
    counts = corpus(400, 80)
    for metric in ("bns", "ig", "cc"):
        scores = ts.score(counts, metric)
        whole = scores.p
        alone = [ts.score(counts.keep(np.array([t])), metric).p for t in range(80)]
        np.testing.assert_array_equal(np.concatenate(alone), whole)
        with monkeypatch.context() as patch:
            patch.setattr(significance, "BATCH_POINTS", 100)
            np.testing.assert_array_equal(scores.p, whole)


@pytest.mark.parametrize("documents", [40, 3_000, 200_000])
@pytest.mark.parametrize("looked_up", [0, 1 << 15], ids=["worked out", "looked up"])
def test_tabulated_rates_give_bit_identical_bns(documents, looked_up, monkeypatch):
    monkeypatch.setattr(separation, "MAX_TABLE_SIZE", looked_up)
    sizes = np.array([0, 1, documents // 7, documents // 2, documents // 2 + 1, documents])
    df, pos = (x.ravel().astype(float) for x in np.meshgrid([0, 1, 5, documents // 3, documents], sizes))
    # classes of one size may be of corpora of several
    df, pos, n = np.tile(df, 2), np.tile(pos, 2), np.repeat([documents, 2.0 * documents], len(df))
    for batch in significance.iter_draws(df, pos, n, np.full(len(df), 50.0)):
        quick, slow = (batch.values(f) for f in (separation.bns, partial(separation.bns)))
        np.testing.assert_array_equal(quick, slow)


def threshold(marginals, function):
    return significance_thresholds(marginals, [ThresholdSearch(function, 1.0)])[0]


def test_strided_draws_approximate_all_draws(monkeypatch):
    margins = Marginals(1e6, np.array([3e5]), np.array([50]), np.array([4e5]), np.array([1]))
    cells = Cells(*(np.array([x]) for x in (120_900.0, 179_100.0, 279_100.0, 420_900.0)))
    function = ts.metrics()["cc"].function
    exact = p_values(cells, function, 1)[0], threshold(margins, function)
    monkeypatch.setattr(significance, "MAX_DRAWS", 1 << 10)
    rough = p_values(cells, function, 1)[0], threshold(margins, function)
    assert rough == pytest.approx(exact, rel=0.05)
    assert exact[0] == pytest.approx(hypergeom.sf(120_899, 1e6, 3e5, 4e5), rel=1e-6)


def test_thresholds_do_not_depend_on_batch_size(monkeypatch):
    scores = ts.score(corpus(400, 80), "ig")
    floor = scores.threshold(0.3)
    monkeypatch.setattr("termsift.metrics.significance.BATCH_POINTS", 50)
    assert scores.threshold(0.3) == floor
    monkeypatch.setattr("termsift.metrics.significance.MAX_CANDIDATES", 50)
    assert scores.expected_false_positives(scores.threshold(0.3)) == pytest.approx(
        scores.expected_false_positives(floor), rel=1e-5
    )


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300], ids=str)
@pytest.mark.parametrize("spread", ["even", "far apart", "few", "equal"])
def test_threshold_equals_the_one_found_by_sorting(spread, scale):
    rng = np.random.default_rng(7)
    exponent = rng.integers(-200, 3, 9_000) if spread == "far apart" else 0
    values = rng.normal(size=9_000) * 10.0**exponent
    values = {"few": np.round(values), "equal": np.ones(9_000)}.get(spread, values) * scale
    values[:50], values[50:90] = values[50], -np.inf
    chance = rng.random(9_000) ** 8
    for expected in (1e-9, 0.01, 1.0, 30.0, chance.sum() / 2, 1e6):
        search = significance.ThresholdSearch(np.abs, expected)
        search.add_scores(values, chance)
        order = np.argsort(-values, kind="stable")
        assert search.threshold == significance._lowest_significant(values[order], chance[order], expected)


def test_texts_files_matrices_and_saved_counts_have_bit_identical_thresholds(tmp_path):
    rng = np.random.default_rng(5)
    texts = [" ".join(f"w{word}" for word in rng.zipf(1.5, 12) if word < 500) for _ in range(300)]
    labels = [f"c{label}" for label in rng.integers(0, 3, 300)]
    path = tmp_path / "mail.csv"
    path.write_text("text,label\n" + "".join(f"{a},{b}\n" for a, b in zip(texts, labels, strict=True)))
    counts = ts.count(texts, labels)
    counts.save(tmp_path / "counts.parquet")
    parts = ts.count(texts[:100], labels[:100]) + ts.count(texts[100:], labels[100:])
    others = [ts.count(path), ts.Counts.load(tmp_path / "counts.parquet"), parts]
    for metric in ("bns", "ig", "cc", "hypergeometric"):
        scores = ts.score(counts, metric)
        for other in others:
            found = ts.score(other, metric)
            assert [found.threshold(0.5, c) for c in found.classes] == [
                scores.threshold(0.5, c) for c in scores.classes
            ]
            assert found.threshold() == scores.threshold()
            np.testing.assert_array_equal(found.p, scores.p)


def test_threshold_is_infinite_if_no_score_is_significant():
    counts = ts.count(np.eye(3, dtype=int), [0, 0, 1])
    assert ts.score(counts, "chi2").threshold(0.5) == math.inf
    assert ts.select(counts, "chi2:Significant(0.5)") == []


def test_p_value_is_1_for_empty_terms_and_full_classes():
    X = np.array([[1, 0], [1, 0], [0, 0]])
    counts = ts.count(X, [["a"], ["a", "b"], ["a"]])
    assert (ts.score(counts, "bns").p[:, 0] == 1).all()
    assert (ts.score(counts, "bns").p[1] == 1).all()


def test_scores_that_are_not_functions_of_cells_have_no_exact_significance():
    counts = corpus()
    others = [m.name for m in ts.metrics() if m.name not in OF_CELLS and m.name != "igm"]
    for metric in ("dfs", "md", "md_chi2", "tf", "bss_wss", "log_odds_prior", "c_tf_idf", "df", "rand"):
        assert metric in others
        scores = ts.score(counts, metric)
        assert (scores.p, scores.threshold(), scores.expected_false_positives(1)) == (None, None, None)
    assert ts.score(counts, "bns", reduce="mean").threshold() is None
    assert ts.score(counts, "fisher_score", of="tf").p is None


def test_fractional_weights_have_no_exact_significance_but_integer_weights_do():
    X, y = np.array([[1, 0], [1, 1], [0, 1], [0, 1]]), [0, 0, 1, 1]
    weighted = ts.score(ts.count(X, y, sample_weight=[0.5, 1, 1, 1]), "chi2")
    assert (weighted.p, weighted.threshold()) == (None, None)
    assert "p" not in weighted.table().columns
    twice = ts.score(ts.count(X, y, sample_weight=[2, 1, 1, 1]), "chi2")
    copied = ts.score(ts.count(X[[0, 0, 1, 2, 3]], [0, 0, 0, 1, 1]), "chi2")
    np.testing.assert_array_equal(twice.p, copied.p)


def test_rejects_functions_that_return_nan_for_a_draw():
    def shaky(cells):
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(cells.tp == 3, np.nan, cells.tp)

    counts = ts.count(np.array([[1], [1], [1], [0], [0], [0], [1]]), [0, 0, 1, 1, 0, 1, 1])
    scores = ts.score(counts, shaky)
    with pytest.raises(ts.InvalidInputError, match="shaky returned NaN for possible cells"):
        scores.threshold()


@pytest.mark.parametrize("expected", [0, -1, math.nan, math.inf, "1", None])
def test_rejects_expected_numbers_at_or_below_zero(expected):
    scores = ts.score(corpus(), "bns")
    for use in (scores.threshold, ts.Significant):
        with pytest.raises(ts.InvalidInputError, match="expected must be a number of terms above 0, got"):
            use(expected)


def test_q_value_is_the_smallest_level_at_which_a_term_is_significant():
    rng = np.random.default_rng(3)
    p = rng.random(50).round(2)
    ascending = np.sort(p)
    expected = [
        min(1, min(x * 50 / (i + 1) for i, x in enumerate(ascending) if x >= own)) for own in p.tolist()
    ]
    np.testing.assert_allclose(q_values(p), expected)
    assert q_values(np.zeros(0)).shape == (0,)
