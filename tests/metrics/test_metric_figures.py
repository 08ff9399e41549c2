"""P-values, weights, and the metrics against figures worked by hand or printed in a paper."""

from typing import Any

import numpy as np
import pytest

import termsift as ts
from reference import cells
from reference_cases import CASES, CORPORA, Case, assert_close, case_id, scores
from reference_cells import upper_tail

WITH_P = ["chi2", "cc", "g2", "gu", "hypergeometric"]


def test_hypergeometric_is_the_logarithm_of_its_p_value() -> None:
    for corpus in CORPORA.values():
        scores = ts.score(corpus.counts, "hypergeometric")
        p = scores.p_values("greater")
        np.testing.assert_allclose(p, 10.0**-scores.values, rtol=1e-9)
        table = [
            [float(upper_tail(*cells(corpus.documents, corpus.held, t, c))) for c in corpus.classes]
            for t in corpus.terms
        ]
        np.testing.assert_allclose(p, table, rtol=1e-9)


def test_functions_of_the_cells_have_p_values_with_all_their_options() -> None:
    corpus = CORPORA["two_classes"]
    printed = ts.score(corpus.counts, "gu", printed=True)
    assert "p" in printed.table().columns
    np.testing.assert_array_equal(printed.p, ts.score(corpus.counts, "gu(printed=True)").p)
    for function in (ts.ScoreFunction("gu", options={"printed": True}), ts.ScoreFunction("gu(printed=True)")):
        values, p = function(corpus.X, corpus.labels)
        np.testing.assert_array_equal(values, np.asarray(printed).max(axis=1))
        np.testing.assert_array_equal(p, printed.p.min(axis=1))


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_integer_weight_equals_that_number_of_duplicates(case: Case) -> None:
    corpus = CORPORA["three_classes"]
    weights = np.random.default_rng(7).integers(0, 4, 40)
    weighted = ts.count(corpus.X, corpus.labels, terms=corpus.terms, sample_weight=weights)
    copies = np.repeat(np.arange(40), weights)
    repeated = ts.count(corpus.X[copies], [corpus.labels[i] for i in copies], terms=corpus.terms)
    assert_close(scores(weighted, case), scores(repeated, case))


@pytest.mark.parametrize("metric", WITH_P)
def test_integer_weights_give_the_p_values_of_duplicates(metric: str) -> None:
    corpus = CORPORA["several_labels"]
    weights = np.random.default_rng(8).integers(1, 4, 35)
    weighted = ts.count(corpus.X, corpus.labels, terms=corpus.terms, sample_weight=weights)
    copies = np.repeat(np.arange(35), weights)
    repeated = ts.count(corpus.X.tocsr()[copies], [corpus.labels[i] for i in copies], terms=corpus.terms)
    assert_close(ts.score(weighted, metric).p, ts.score(repeated, metric).p)


def counts_of(a: int, b: int, c: int, d: int) -> ts.Counts:
    """Counts of one term with this table; the class is "c", the first column."""
    X = np.repeat([[1], [1], [0], [0]], [a, b, c, d], axis=0)
    return ts.count(X, ["c"] * a + ["n"] * b + ["c"] * c + ["n"] * d, terms=["t"])


# A = 30, B = 10, C = 20, D = 40: N = 100, pos = neg = 50, tpr = .6, fpr = .2, P(t) = .4, AD - BC = 1000.
WORKED = {
    "df": 40,
    "tf": 30,
    "acc": 20,  # 30 - 10
    "acc2": 0.4,  # .6 - .2
    "bns": 1.0949683,  # .2533471 + .8416212
    "chi2": 16.6666667,  # 100 * 1000^2 / (40 * 60 * 50 * 50)
    "chi2_joint": 4.1666667,  # 1000^2 / (30 * 10 * 20 * 40)
    "chi2_all": 16.6666667,  # of two classes, chi2
    "cc": 4.0824829,  # its root
    "g2": 17.2609244,  # 2 N times the gain in nats, 200 * .0863046
    "f1": 0.6666667,  # 60 / (50 + 40)
    "ig": 0.1245112,  # 1 - [.4 * .8112781 + .6 * .9182958]
    "oddn": 0.48,  # .6 * .8
    "odds": 6,  # 1200 / 200
    "pow": 0.31744,  # .8^5 - .4^5 = .32768 - .01024
    "pr": 3,  # .6 / .2
    "or": 1.7472285,  # log(30.5 * 40.5 / (10.5 * 20.5)) = log(5.7386760)
    "ors": 3.0528075,  # its square
    "gss": 0.1,  # 1000 / 100^2
    "mi": 0.4054651,  # log(.3 / (.4 * .5)) = log 1.5
    "cet": 0.1216395,  # .3 log 1.5
    "ig_member": 0.0584963,  # .3 log2 1.5 + .2 log2(2/3) = .1 log2 1.5
    "ig_all": 0.1245112,  # of two classes, ig
    "gain_ratio": 0.1282364,  # .1245112 / .9709506, the entropy of .4
    "gini": 0.205,  # (.6 * .75)^2 + (.2 * .25)^2 = .2025 + .0025
    "welch_t": 4.4271887,  # .4 / sqrt((.24 + .16) / 49)
    "fisher_score": 0.4,  # .16 / (.24 + .16)
    "bss_wss": 0.2,  # 100 * .2^2 / (50 * .24 + 50 * .16) = 4 / 20
    "gu": 12.2474487,  # 4.0824829 * .6 / .2
    "dfs": 0.5729167,  # .75 / (.4 + .2 + 1) + .25 / (.8 + .6 + 1) = .46875 + .1041667
    "ndm": 2,  # .4 / .2
    "mmr": 1.2,  # .6 * 2
    "cpd": 0.5,  # 20 / 40
    "rf": 2.3219281,  # log2(2 + 3)
    "igm": 0.6,  # 30 / (30 + 2 * 10)
    "rate_difference": 0.4,  # .6 - .2
    "bic": 12.6557542,  # g2 - log 100
    "cmh": 4.0620192,  # 10 / sqrt(40 * 60 * 50 * 50 / (100^2 * 99)) = 10 / 2.4618298
    "mh_odds": 1.7917595,  # log 6
}
# random, computed by hand in tests of their own below, or tested in test_effects.py
NOT_WORKED = {"rand", "sig", "hypergeometric", "log_ratio", "lrc", "simple_maths", "percent_diff"}


def test_every_metric_has_a_score_computed_by_hand() -> None:
    listed = {*WORKED, *dict(OF_OCCURRENCES), *NOT_WORKED}
    for metric in ts.metrics().names:
        assert metric in listed, f"{metric}: add it to WORKED, or to OF_OCCURRENCES if it needs occurrences"


@pytest.mark.parametrize("metric", WORKED)
def test_scores_of_a_table_computed_by_hand(metric: str) -> None:
    score = np.asarray(ts.score(counts_of(30, 10, 20, 40), metric))
    assert score.flat[0] == pytest.approx(WORKED[metric], rel=1e-6)


# That table of the other class, A = 10, B = 30, C = 40, D = 20: a negative term, read as tp = 40, fp = 20.
INVERTED = {
    "acc": 20,  # 40 - 20
    "f1": 0.7272727,  # 80 / (50 + 60)
    "oddn": 0.48,  # .8 * .6
    "odds": 6,  # 40 * 30 / (20 * 10)
    "pow": 0.07744,  # .6^5 - .2^5 = .07776 - .00032
    "pr": 2,  # .8 / .4
    "cc": -4.0824829,
    "gss": -0.1,
    "or": -1.7472285,
    "cpd": -0.5,
    "mi": -0.6931472,  # log(.1 / (.4 * .5)) = log .5
}


@pytest.mark.parametrize("metric", INVERTED)
def test_scores_of_a_negative_term_computed_by_hand(metric: str) -> None:
    score = np.asarray(ts.score(counts_of(30, 10, 20, 40), metric))
    assert score[0, 1] == pytest.approx(INVERTED[metric], rel=1e-6)


def test_the_printed_chi_squared_is_that_of_the_odds_ratio_and_0_for_an_empty_cell() -> None:
    # r + 1/r - 2, r = 30 * 40 / (10 * 20) = 6; a hundredth of the documents change nothing
    for table in ((30, 10, 20, 40), (3, 1, 2, 4)):
        assert ts.score(counts_of(*table), "chi2_joint").values[0, 0] == pytest.approx(6 + 1 / 6 - 2)
    for table in ((5, 0, 0, 5), (5, 0, 5, 5), (0, 5, 5, 5), (5, 5, 0, 5)):
        assert ts.score(counts_of(*table), "chi2_joint").values[0, 0] == 0


def test_the_models_of_md_agree_on_short_texts_of_rare_words() -> None:
    # Poisson and multinomial naive Bayes are one where texts are alike in length: sums of 2,000 words each
    rng = np.random.default_rng(0)
    X = rng.multinomial(2000, rng.dirichlet(np.ones(3000), 2)[np.repeat([0, 1], 40)])
    counts = ts.count(X, np.repeat([0, 1], 40))
    poisson, multinomial = (
        np.asarray(ts.score(counts, "md", model=model)) for model in ("poisson", "multinomial")
    )
    assert np.corrcoef(poisson, multinomial)[0, 1] > 0.99


def test_bns_of_rates_of_eight_and_one_in_ten() -> None:
    # .8416212 + 1.2815516
    assert ts.score(counts_of(8, 1, 2, 9), "bns").values[0, 0] == pytest.approx(2.1231728, abs=1e-7)


def test_bns_of_a_perfect_separator_is_twice_the_clipped_quantile() -> None:
    # 2 * 3.2905267, the normal quantile of .9995
    assert ts.score(counts_of(5, 0, 0, 5), "bns").values[0, 0] == pytest.approx(6.5810535, abs=1e-7)


def test_the_tail_of_four_of_four_drawn_from_five_in_ten() -> None:
    # C(5,4) / C(10,4) = 5/210 = 1/42, log10 42 = 1.6232493
    scored = ts.score(counts_of(4, 0, 1, 5), "hypergeometric")
    assert scored.p_values("greater")[0, 0] == pytest.approx(1 / 42)
    assert scored.values[0, 0] == pytest.approx(1.6232493, abs=1e-7)


@pytest.mark.parametrize(
    "metric, options, printed",
    [("chi2", {}, 6425.37), ("ors", {}, 124.13), ("ig", {"smoothing": 0.5}, 0.0192)],
)
def test_maxima_of_reuters_category_40(metric: str, options: dict[str, Any], printed: float) -> None:
    # Zheng, Wu and Srihari (2004), table 7. The 2x2 table is inferred: of those of 7,769 documents, 8 to 59 in
    # the class and B < 40, it alone (or B and C exchanged) gives the chi2.
    score = ts.score(counts_of(24, 5, 0, 7740), metric, **options).values[0, 0]
    assert round(score, len(str(printed).split(".")[1])) == printed


def test_gain_of_separately_smoothed_probabilities() -> None:
    # Zheng, Wu and Srihari (2004), table 7, category 40: .019 for it, .0009 against it. The strongest term
    # against is in 2,044 documents and none of the 24; with half a count in each cell it has .0007
    strongest, against = counts_of(24, 5, 0, 7740), counts_of(0, 2044, 24, 5701)
    assert round(ts.score(strongest, "ig", smoothing="ele").values[0, 0], 3) == 0.019
    assert round(ts.score(against, "sig", smoothing="ele").values[0, 0], 4) == -0.0009
    assert round(ts.score(against, "sig").values[0, 0], 4) == -0.0007


def test_smoothing_is_a_number_or_ele() -> None:
    with pytest.raises(ts.InvalidInputError, match="smoothing must be a number or 'ele', got 'el'"):
        ts.score(counts_of(5, 0, 0, 5), "ig", smoothing="el")


# Class a: "t" twice of 4 occurrences; class b: never of 2.
OCCURRENCES = np.array([[2, 1], [0, 1], [0, 1], [0, 1]])
OF_OCCURRENCES = [
    # p = 3/6 and 1/4: [.5 log 2 + .5 log(2/3)] + [.25 log .5 + .75 log 1.5] = .1438410 + .1308120
    ("md", 0.2746531),
    # both classes: .0625 / 2 * (1/.25 + 1/.75 + 1/.5 + 1/.5) = .2916667
    ("md_chi2", 0.5833333),
    # the share 2/4 times log(1 + 3/2)
    ("c_tf_idf", 0.4581454),
    # y = 2 and 0, n = 4 and 2, a = 2, a0 = 6: (log(4/6) - log(2/6)) / sqrt(1/4 + 1/2) = .6931472 / .8660254
    ("log_odds_prior", 0.8003774),
]


@pytest.mark.parametrize("metric, worked", OF_OCCURRENCES)
def test_scores_of_occurrences_computed_by_hand(metric: str, worked: float) -> None:
    counts = ts.count(OCCURRENCES, ["a", "a", "b", "b"], terms=["t", "u"])
    assert np.asarray(ts.score(counts, metric)).flat[0] == pytest.approx(worked, abs=1e-6)
