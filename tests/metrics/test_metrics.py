"""Invariants of every metric of the catalogue. What each formula gives is in test_metric_references."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import ttest_ind

import termsift as ts
from strategies import PER_METRIC, Sample, samples
from termsift.counts import contingency
from termsift.counts.contingency import Cells
from termsift.metrics.association import log_upper_tail

ALL = ts.metrics().names
# igm orders the classes of a term
BY_CLASS = [m.name for m in ts.metrics() if not (m.classless or m.summed or m.name == "igm")]
ONE_LABEL = [m.name for m in ts.metrics() if m.single_label]
OPTIONS = {
    "acc2": {"signed": True},
    "bns": {"signed": True},
    "gu": {"printed": True},
    "fisher_score": {"of": "tf"},
    **{m.name: {"of": "df" if m.of == "tf" else "tf"} for m in ts.metrics() if m.of},
}


def usable(sample, metric="bns"):
    """A sample that can be scored, and its counts: a term, and a class with documents inside and outside."""
    if metric in ONE_LABEL:
        known = [name for names in sample.labels for name in names][:1]
        sample = Sample(sample.documents, [names[:1] or known for names in sample.labels], sample.weights)
    counts = sample.counts()
    apart = (counts.class_sizes > 0) & (counts.class_sizes < counts.documents)
    assume(apart.any() and len(counts.terms))
    return sample, counts


# two classes of 20 documents: a term for each, one in every other document of both, one in some of class 1
CLEAR_LABELS = np.repeat([0, 1], 20)
CLEAR = np.stack(
    [
        CLEAR_LABELS == 1,
        CLEAR_LABELS == 0,
        np.arange(40) % 2 == 0,
        (CLEAR_LABELS == 1) & (np.arange(40) % 3 > 0),
    ],
    axis=1,
).astype(int)


@pytest.mark.parametrize("metric", ALL)
@PER_METRIC
@given(sample=samples(least=2))
def test_scores_are_finite_within_bounds_and_of_the_right_shape(metric, sample):
    _, counts = usable(sample, metric)
    low, high = ts.metrics()[metric].bounds
    for options in ({}, OPTIONS.get(metric, {})):
        values = np.asarray(ts.score(counts, metric, **options))
        assert np.isfinite(values).all()
        assert ((values >= low - 1e-9) & (values <= high + 1e-9)).all()
        assert values.shape == (len(counts.terms), len(counts.classes))[: values.ndim]
        assert values.ndim == (2 if metric in BY_CLASS else 1)


@pytest.mark.parametrize("metric", [name for name in ALL if name != "rand"])
@PER_METRIC
@given(sample=samples(least=2, weighted=False), random=st.randoms(use_true_random=False))
def test_scores_do_not_depend_on_document_order_and_class_names(metric, sample, random):
    sample, counts = usable(sample, metric)
    order = list(range(len(sample.documents)))
    random.shuffle(order)
    renamed = [[f"~{name}" for name in sample.labels[i]] for i in order]
    texts = ["\t".join(sample.documents[i]) for i in order]
    again = ts.count(texts, renamed, analyzer=lambda text: [t for t in text.split("\t") if t])
    place = [again.classes.index(f"~{name}") for name in counts.classes]
    values, others = np.asarray(ts.score(counts, metric)), np.asarray(ts.score(again, metric))
    np.testing.assert_allclose(
        values, others if others.ndim == 1 else others[:, place], rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("metric", [name for name in ALL if name != "rand"])
@PER_METRIC
@given(sample=samples(least=2))
def test_scores_do_not_depend_on_term_order(metric, sample):
    _, counts = usable(sample, metric)
    backwards = counts.keep(np.arange(len(counts.terms))[::-1])
    values = np.asarray(ts.score(counts, metric))
    np.testing.assert_allclose(np.asarray(ts.score(backwards, metric)), values[::-1], rtol=1e-9, atol=1e-12)


# half a count moves the border of or, log_ratio and percent_diff, cpd compares A with B, log_odds_prior has a
# prior, and welch_t compares means of documents
BORDERS = ("or", "log_ratio", "cpd", "log_odds_prior", "percent_diff", "welch_t")
LEANING = [m.name for m in ts.metrics() if m.sided == 1 and m.name not in BORDERS]


@pytest.mark.parametrize("metric", LEANING)
@given(sample=samples(least=2))
def test_sign_of_a_one_sided_metric_agrees_with_ad_minus_bc(metric, sample):
    _, counts = usable(sample)
    scores = ts.score(counts, metric)
    values = np.where(np.abs(scores.values) < 1e-15, 0, scores.values)
    message = (
        f"{metric}: scores and AD - BC have different signs; if the formula implies that, add it to BORDERS"
    )
    assert (values * scores.signs >= 0).all(), message


# an empty cell leaves chi2_joint undefined: it has no eyes for a term that one class alone holds
@pytest.mark.parametrize("metric", [name for name in ALL if name != "chi2_joint"])
def test_associated_term_scores_above_a_random_one(metric):
    line, counts = ts.metrics()[metric], ts.count(CLEAR[:, :3], CLEAR_LABELS)
    for_class, against, chance = np.asarray(ts.score(counts, metric, reduce="max"))
    if line.classless:
        assert for_class == against == chance or line.of_all_terms
        assert np.asarray(ts.score(counts, metric)).ndim == 1
        return
    assert for_class == pytest.approx(against)
    assert for_class > chance
    if line.sided == 1:
        values = ts.score(counts, metric).column(1)
        assert values[0] > 0 >= values[1]
        assert values[2] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("metric", ALL)
def test_scores_of_blocks_equal_those_of_one_block(metric, monkeypatch):
    rng = np.random.default_rng(1)
    X, y = rng.poisson(0.4, (40, 23)), rng.integers(0, 3, 40)
    whole = np.asarray(ts.score(ts.count(X, y), metric))
    reduced = np.asarray(ts.score(ts.count(X, y), metric, reduce="weighted"))
    monkeypatch.setattr(contingency, "BLOCK_CELLS", 15)
    for kept, expected in ((len(whole) * 3, 5), (len(whole) * 3 - 1, 0)):
        monkeypatch.setattr(contingency, "MAX_CACHED_BLOCK_CELLS", kept)
        counts = ts.count(X, y)
        np.testing.assert_array_equal(np.asarray(ts.score(counts, metric)), whole)
        np.testing.assert_array_equal(np.asarray(ts.score(counts, metric, reduce="weighted")), reduced)
        blocks = counts._memo.get("blocks", [])
        assert len(blocks) in (0, expected)
        assert not any({"df", "tf", "tf2", "cells", "token_cells", "runs"} & set(vars(b)) for b in blocks)


def test_p_values_of_blocks_equal_those_of_one_block(monkeypatch):
    rng = np.random.default_rng(1)
    X, y = rng.poisson(0.4, (40, 23)), rng.integers(0, 3, 40)
    whole = ts.score(ts.count(X, y), "chi2").p
    monkeypatch.setattr(contingency, "BLOCK_CELLS", 15)
    np.testing.assert_array_equal(ts.score(ts.count(X, y), "chi2").p, whole)


# what a score is multiplied by when every document counts w: w to this power
DEGREES = {
    **dict.fromkeys(("acc2", "bns", "f1", "ig", "oddn", "pow", "pr", "gss", "cet", "ig_member", "ig_all"), 0),
    **dict.fromkeys(("dfs", "cpd", "igm", "c_tf_idf", "rand", "chi2_joint"), 0),
    **dict.fromkeys(("rate_difference", "simple_maths", "gini", "gain_ratio"), 0),
    **dict.fromkeys(("df", "tf", "acc", "chi2", "chi2_all", "g2"), 1),
    "cc": 0.5,
}
# smoothing, or a floor where a cell is empty, is worth a document, or the score is a probability
OF_NUMBERS = {
    "odds", "sig", "or", "ors", "mi", "fisher_score", "bss_wss", "gu", "md", "md_chi2", "ndm", "mmr", "rf",
    "hypergeometric", "log_odds_prior", "log_ratio", "lrc", "percent_diff", "welch_t", "bic", "cmh",
    "mh_odds",
}  # fmt: skip


def test_every_metric_has_a_scaling_law_or_none():
    listed = [*DEGREES, *OF_NUMBERS]
    for metric in ALL:
        assert listed.count(metric) == 1, (
            f"{metric}: add it to DEGREES or OF_NUMBERS, and only to one of them"
        )
    for metric in listed:
        assert metric in ALL, f"{metric}: remove it from DEGREES or OF_NUMBERS; it is not in the catalogue"


@pytest.mark.parametrize("metric", DEGREES)
@PER_METRIC
@given(sample=samples(least=2, weighted=False))
def test_scores_scale_with_a_power_of_the_weights(metric, sample):
    sample, counts = usable(sample, metric)
    lighter = Sample(sample.documents, sample.labels, [0.1] * len(sample.documents)).counts()
    expected = np.asarray(ts.score(counts, metric)) * 0.1 ** DEGREES[metric]
    message = f"{metric}: correct its power in DEGREES, or move it to OF_NUMBERS if it follows no power"
    values = np.asarray(ts.score(lighter, metric))
    np.testing.assert_allclose(values, expected, rtol=1e-6, atol=1e-9, err_msg=message)


@pytest.mark.parametrize("metric", sorted(OF_NUMBERS))
def test_metrics_with_constants_follow_no_scaling_law(metric):
    rng = np.random.default_rng(0)
    drawn = rng.poisson(0.4, (60, 20)), rng.integers(0, 3, 60)
    cases = [(CLEAR, CLEAR_LABELS), drawn, (np.array([[0, 0], [1, 1]]), np.array([0, 1]))]
    fitting = [{d for d in (0, 0.5, 1) if scales(X, y, metric, d)} for X, y in cases]
    powers = set.intersection(*fitting)
    assert not powers, f"{metric}: move it from OF_NUMBERS to DEGREES; scores scale with the power {powers}"


def scales(X, y, metric, degree):
    """Whether a tenth of every document multiplies all scores by a tenth to that power."""
    whole, tenth = (
        np.asarray(ts.score(ts.count(X, y, sample_weight=np.full(len(y), w)), metric)) for w in (1.0, 0.1)
    )
    return np.allclose(tenth, whole * 0.1**degree, rtol=1e-6, atol=1e-9)


# exactly 0 for a term of every document, however its weights add up
ZERO_EVERYWHERE = {
    "acc2", "bns", "chi2", "chi2_joint", "ig", "oddn", "odds", "pow", "sig",
    "cc", "gss", "mi", "cet", "ig_member", "fisher_score", "bss_wss", "gu", "ndm", "mmr", "g2", "cmh", "mh_odds",
    "lrc", "rate_difference", "gain_ratio", "welch_t",
}  # fmt: skip


def score_with_weights(metric):
    """Scores with fractional weights, and with ten times as large ones; the second term is in all documents."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 300)
    X = np.stack([y == 1, np.ones(300), y != 1, rng.random(300) < 0.4], axis=1).astype(int)
    tens = np.round(rng.choice([0.1, 0.2, 0.3, 0.7], 300) * 10)
    return [np.asarray(ts.score(ts.count(X, y, sample_weight=w), metric)) for w in (tens / 10, tens)]


@pytest.mark.parametrize("metric", [name for name in BY_CLASS if name != "tf"])
def test_weights_leave_no_rounding_error_in_empty_cells(metric):
    light, heavy = score_with_weights(metric)
    assert np.isfinite(light).all()
    # what a rounding error makes of an empty cell is off by many powers of ten, what a weight does is not
    assert (np.abs(light) <= 20 * np.abs(heavy) + 1e-9).all()


@pytest.mark.parametrize("metric", [name for name in BY_CLASS if name != "tf"])
def test_metrics_that_score_a_term_of_every_document_zero_are_listed(metric):
    is_zero, is_listed = (score_with_weights(metric)[0][1] == 0).all(), metric in ZERO_EVERYWHERE
    assert is_listed or not is_zero, f"{metric}: add it to ZERO_EVERYWHERE"
    assert is_zero or not is_listed, (
        f"{metric}: a term of every document does not score exactly 0; "
        "fix the function, for example with cells.association, or remove it from ZERO_EVERYWHERE"
    )


def test_tail_of_fractional_counts_is_not_rounded():
    X, y = np.array([[1, 0], [1, 1], [0, 1], [0, 0]] * 6), [0, 0, 1, 1] * 6
    near, quarter = (
        np.asarray(ts.score(ts.count(X, y, sample_weight=np.full(24, w)), "hypergeometric"))
        for w in (0.2500001, 0.25)
    )
    np.testing.assert_allclose(near, quarter, rtol=1e-4)


@pytest.mark.parametrize("metric", BY_CLASS)
def test_a_class_of_no_or_all_documents_and_a_term_in_none_score_zero(metric):
    X = np.array([[1, 0, 2], [1, 0, 0], [0, 0, 1]])
    Y = np.array([[1, 0, 1], [0, 0, 1], [1, 0, 1]])
    values = np.asarray(ts.score(ts.count(X, Y), metric))
    assert (values[:, 1:] == 0).all()
    assert (values[1] == 0).all()


def test_welch_t_of_a_matrix_of_shares_is_the_test_of_relative_frequencies():
    rng = np.random.default_rng(3)
    X, y = rng.poisson(rng.uniform(0.2, 4, (60, 1)), (60, 12)), rng.integers(0, 2, 60)
    shares = X / X.sum(axis=1, keepdims=True)
    scores = ts.score(ts.count(shares, y), "welch_t")
    expected = ttest_ind(shares[y == 1], shares[y == 0], equal_var=False).statistic
    np.testing.assert_allclose(scores.column(1), expected, rtol=1e-9)
    np.testing.assert_allclose(scores.column(0), -expected, rtol=1e-9)


def test_information_gain_of_two_classes_is_ig_all_in_the_same_unit():
    counts = ts.count(CLEAR, CLEAR_LABELS)
    np.testing.assert_allclose(ts.score(counts, "mutual_info"), ts.score(counts, "ig").column(0), atol=1e-12)


NAMES = {
    "pmi": "mi", "mutual_info": "ig_all", "ll": "g2", "log_likelihood": "g2", "zeta": "rate_difference",
    "fightin_words": "log_odds_prior", "log_odds_ratio": "or", "ngl": "cc",
}  # fmt: skip


@pytest.mark.parametrize("alias", NAMES)
def test_names_of_the_field_are_aliases(alias):
    assert ts.metrics()[alias].name == NAMES[alias]


def test_an_odds_ratio_is_an_effect_and_no_metric():
    with pytest.raises(ts.UnknownNameError, match="did you mean 'log_odds_ratio'"):
        ts.metrics()["odds_ratio"]


@pytest.mark.parametrize("cells", [3, 2.0, True, "2"])
def test_log_likelihood_is_of_two_or_four_cells(cells):
    with pytest.raises(ts.InvalidInputError, match=f"cells must be 2 or 4, got {cells!r}"):
        ts.score(ts.count(CLEAR, CLEAR_LABELS), "g2", cells=cells)


@pytest.mark.parametrize("metric", [m.name for m in ts.metrics() if m.summed])
def test_summed_metric_is_the_sum_over_classes(metric):
    rng = np.random.default_rng(2)
    counts = ts.count(rng.poisson(0.5, (30, 8)), rng.integers(0, 4, 30))
    parts = np.asarray(ts.score(counts, metric, per_class=True))
    assert parts.shape == (8, 4)
    np.testing.assert_allclose(parts.sum(axis=1), np.asarray(ts.score(counts, metric)))


def test_a_perfect_separator_has_the_largest_fisher_score():
    for pos in (1, 2, 50, 98, 99):
        y = np.array([1] * pos + [0] * (100 - pos))
        X = np.stack([y, np.where(np.arange(100) == 0, 1 - y, y)], axis=1)
        values = np.asarray(ts.score(ts.count(X, y), "fisher_score"))[:, 1]
        assert values[0] > values[1]


def test_squares_and_roots_agree():
    rng = np.random.default_rng(3)
    counts = ts.count(rng.poisson(0.5, (50, 20)), rng.integers(0, 3, 50))
    value = {name: np.asarray(ts.score(counts, name)) for name in ("cc", "chi2", "or", "ors", "sig", "gss")}
    np.testing.assert_allclose(value["cc"] ** 2, value["chi2"])
    np.testing.assert_allclose(value["or"] ** 2, value["ors"])
    np.testing.assert_allclose(np.abs(value["sig"]), np.asarray(ts.score(counts, "ig", smoothing=0.5)))
    assert (np.sign(value["gss"]) == np.sign(value["cc"])).all()


def test_scikit_learn_chi2_omits_documents_without_the_term():
    from sklearn.feature_selection import chi2

    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 2, (60, 15)), rng.integers(0, 2, 60)
    ours = np.asarray(ts.score(ts.count(X, y), "chi2"))[:, 1]
    np.testing.assert_allclose(chi2(X, y)[0], ours * (1 - X.sum(axis=0) / 60))


def test_the_tail_never_underflows():
    cells = Cells(*(np.array([x]) for x in (400.0, 0.0, 0.0, 10000.0)))
    assert -5000 < log_upper_tail(cells)[0] < -700


def test_the_tail_of_weighted_cells_lies_between_whole_ones():
    low, middle, high = (
        log_upper_tail(Cells(*map(np.array, (a, 5.0, 5.0, 30.0))))[()] for a in (4.0, 4.5, 5.0)
    )
    assert high < middle < low


def test_rand_is_reproducible_with_a_seed():
    counts = ts.count(np.eye(5, dtype=int), list("ababa"))
    first, again, other = (np.asarray(ts.score(counts, "rand", random_state=s)) for s in (7, 7, 8))
    assert (first == again).all()
    assert not (first == other).all()


class TestCatalogue:
    def test_names_and_aliases_find_one_metric(self):
        assert ts.metrics()["dfreq"] is ts.metrics()["df"]
        assert ts.metrics()["word_frequency"].name == "tf"
        assert np.array_equal(
            *(ts.score(ts.count(np.eye(2, dtype=int), [0, 1]), name) for name in ("cc", "ngl"))
        )

    def test_catalogue_is_indexed_by_name_and_position(self):
        catalogue = ts.metrics()
        assert catalogue[0].name == "df"
        assert len(catalogue[:2]) == 2
        assert len(catalogue) == len(list(catalogue)) == len(set(catalogue.names))
        assert "bns" in catalogue
        assert "ngl" in catalogue
        assert "nothing" not in catalogue
        assert catalogue["bns"] in catalogue
        assert str(catalogue).startswith("name")

    def test_every_metric_has_complete_properties(self):
        for metric in ts.metrics():
            assert metric.formula
            assert metric.source
            assert metric.function.__doc__
            assert metric.needs in ("df", "tf", "tf2", "none")
            assert metric.sided in (0, 1, 2)
            assert metric.bounds[0] < metric.bounds[1]

    def test_properties_of_every_metric_match_its_function(self):
        one, two = (ts.count(CLEAR, labels) for labels in (np.zeros(40), CLEAR_LABELS))
        block = next(contingency.iter_blocks(two))
        for metric in ts.metrics():
            given = block.cells if metric.of_cells else block
            assert np.shape(metric.function(given))[0] == 4
            assert not (metric.of_cells and (metric.cellwise or metric.classless or metric.of_all_terms))
            if metric.classless:
                assert len(ts.score(one, metric.name)) == 4
            else:
                with pytest.raises(ts.InvalidInputError, match="only 1 class"):
                    ts.score(one, metric.name)

    def test_calling_the_module_equals_calling_the_function(self):
        import termsift.metrics

        assert ts.metrics() is termsift.metrics() is termsift.metrics.metrics()
