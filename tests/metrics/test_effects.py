"""Effect sizes and their intervals, beside scores."""

from __future__ import annotations

import json
from math import inf

import numpy as np
import pytest
from scipy.stats import beta

import reference_effects
import termsift as ts
from reference import cells, says_nothing, token_cells
from reference_cases import CORPORA
from reference_cells import odds_ratio
from termsift.counts.contingency import Cells
from termsift.metrics.effect_sizes import EFFECTS

VALUES = {
    "odds_ratio": (odds_ratio, reference_effects.odds_ratio_interval),
    "log_ratio": (reference_effects.log_ratio, reference_effects.log_ratio_interval),
    "lrc": (reference_effects.lrc, reference_effects.log_ratio_interval),
    "rate_difference": (reference_effects.rate_difference, reference_effects.rate_difference_interval),
}


def test_every_effect_has_a_reference():
    assert set(VALUES) == set(EFFECTS)


@pytest.mark.parametrize("name", ["three_classes", "several_labels", "skewed", "indicator_matrix"])
@pytest.mark.parametrize("of", ["df", "tf"])
@pytest.mark.parametrize("effect", EFFECTS)
def test_effects_and_their_intervals_equal_the_reference(effect, of, name):
    corpus = CORPORA[name]
    value, interval = VALUES[effect]
    found = ts.score(corpus.counts, "chi2").table(effect=effect, of=of, level=0.9)
    for row in found:
        table = {"df": cells, "tf": token_cells}[of](corpus.documents, corpus.held, row["term"], row["class"])
        if says_nothing(*table):
            assert (row["effect"], row["low"], row["high"]) == (0, -inf, inf)
            continue
        own = {"level": 0.9} if effect == "lrc" else {}
        expected = value(*table, **own), *interval(*table, level=0.9)
        assert (row["effect"], row["low"], row["high"]) == pytest.approx(expected, rel=1e-7, abs=1e-9)


def test_default_effect_counts_the_same_unit_as_the_metric():
    counts = CORPORA["three_classes"].counts
    for metric, effect, of in (("chi2", "odds_ratio", "df"), ("g2(of='tf')", "log_ratio", "tf")):
        scores = ts.score(counts, metric)
        usual, named = scores.top("a", 5), scores.top("a", 5, effect=effect, of=of)
        assert list(usual) == list(named)
    assert ts.score(counts, "md(per_class=True)").of == ts.score(counts, "log_odds_prior").of == "tf"


def test_simultaneous_intervals_are_wider():
    scores = ts.score(CORPORA["three_classes"].counts, "g2")
    alone, together = (scores.table(adjust=adjust) for adjust in ("none", "bonferroni"))
    level = 1 - 0.05 / len(scores.terms)
    assert together["low"].tolist() == scores.table(level=level)["low"].tolist()
    assert (together["low"] < alone["low"]).all()
    assert (together["high"] > alone["high"]).all()
    assert together["effect"].tolist() == alone["effect"].tolist()


def test_infinite_limit_is_null_in_json():
    scores = ts.score(ts.count(["free prize", "lunch"], ["spam", "ham"]), "lrc")
    text = scores.top("spam", 5).to_json()
    rows = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert [row["high"] for row in rows if row["term"] == "prize"] == [None]


def test_signs_are_computed_from_the_unit_of_the_metric():
    """Class x has the term in fewer documents, but more often."""
    counts = ts.count(["a a a a a a", "b", "a b", "a b"], ["x", "x", "y", "y"], analyzer=str.split)
    of_documents, of_tokens = (ts.score(counts, f"g2(of='{of}')") for of in ("df", "tf"))
    assert of_documents.signs.tolist() == [[-1, 1], [-1, 1]]
    assert of_tokens.signs.tolist() == [[1, -1], [-1, 1]]
    assert of_tokens.top("x", direction="positive")["term"].tolist() == ["a"]
    assert {row["term"]: row["sign"] for row in of_tokens.top("x")} == {"a": 1, "b": -1}


@pytest.mark.parametrize("metric", ["chi2", "g2"])
def test_occurrences_have_the_p_values_of_documents(metric):
    counts = CORPORA["three_classes"].counts
    np.testing.assert_array_equal(ts.score(counts, metric, of="tf").p, ts.score(counts, metric, of="df").p)


@pytest.mark.parametrize(
    "how, message",
    [
        ({"effect": "odds_ration"}, "no effect named 'odds_ration'; did you mean 'odds_ratio'?"),
        ({"level": 95}, "level must be between 0 and 1, such as 0.95, got 95"),
        ({"level": 1.0}, "level must be between 0 and 1"),
        ({"level": float("nan")}, "level must be between 0 and 1"),
        ({"adjust": "holm"}, "no adjustment named 'holm'; there are: 'none', 'bonferroni'"),
        ({"of": "words"}, "of must be one of 'df', 'tf', got 'words'"),
    ],
)
def test_rejects_invalid_effect_options(how, message):
    scores = ts.score(CORPORA["two_classes"].counts, "chi2")
    for table in (scores.table, lambda **own: scores.top("spam", **own)):
        with pytest.raises(ts.TermsiftError) as told:
            table(**how)
        assert message in str(told.value)


@pytest.mark.parametrize(
    "metric, options", [("chi2", {"of": "words"}), ("lrc", {"level": 2}), ("simple_maths", {"n": 0})]
)
def test_rejects_invalid_options_of_effect_metrics(metric, options):
    with pytest.raises(ts.TermsiftError):
        ts.score(CORPORA["two_classes"].counts, metric, **options)


def covered(effect, of, draws, rng):
    """The share of draws in which the interval holds the truth, of documents with terms of known rates."""
    inside, outside = rng.uniform(0.03, 0.5, 20), rng.uniform(0.03, 0.5, 20)
    odds = np.log(inside / (1 - inside)) - np.log(outside / (1 - outside))
    truth = {"odds_ratio": odds, "log_ratio": np.log2(inside / outside), "rate_difference": inside - outside}
    y = np.arange(400) < 150
    held = []
    for _ in range(draws):
        X = (rng.random((400, 20)) < np.where(y[:, None], inside, outside)).astype(int)
        found = ts.score(ts.count(X, y), "chi2").of_class(True).table(effect=effect, of=of)
        held.append((found["low"] <= truth[effect]) & (truth[effect] <= found["high"]))
    return float(np.mean(held))


@pytest.mark.parametrize("effect", ["odds_ratio", "rate_difference"])
def test_intervals_have_their_nominal_coverage(effect):
    assert 0.93 <= covered(effect, "df", 500, np.random.default_rng(16)) <= 0.97


def test_lrc_is_adjusted_for_the_number_of_terms():
    # keyness(120, 1e5, 40, 1e5, measure="LRC") of R's corpora for one term, and for one of a thousand;
    # the interval of a share of 120 in 160 by its definition
    counts = ts.count(np.array([[120, 99_880], [40, 99_960]]), ["target", "reference"])
    for adjust, n in (("none", 1), ("bonferroni", 2)):
        least = beta.ppf(0.025 / n, 120, 41)
        value = ts.score(counts, "lrc", adjust=adjust).column("target")[0]
        assert value == pytest.approx(np.log2(least / (1 - least)), rel=1e-9)
    rare = ts.count(np.hstack([[[120], [40]], np.ones((2, 999), dtype=int)]), ["target", "reference"])
    values = ts.score(rare, "lrc"), ts.score(rare, "lrc", level=1 - 0.05 / 1000, adjust="none")
    assert np.array_equal(*(scores.values for scores in values))
    with pytest.raises(ts.TermsiftError, match="no adjustment named 'holm'"):
        ts.score(rare, "lrc", adjust="holm")


def test_lrc_is_listed_with_the_interval_it_is_a_limit_of():
    rng = np.random.default_rng(2)
    X = rng.poisson(np.repeat(rng.uniform(0, 3, (2, 30)), 20, axis=0))
    counts = ts.count(X, np.repeat(["a", "b"], 20))
    for options in ({}, {"adjust": "none"}, {"level": 0.8, "adjust": "none"}, {"of": "df", "level": 0.1}):
        rows = [row for row in ts.score(counts, "lrc", **options).top("a", 30) if row["score"]]
        assert rows
        for row in rows:
            assert row["score"] == pytest.approx(row["low" if row["score"] > 0 else "high"])
    # another effect, level or adjustment is as asked for
    assert ts.score(counts, "lrc").choose_effect("odds_ratio").name == "odds_ratio"
    assert ts.score(counts, "lrc").choose_effect(level=0.9).adjust == "none"


def test_lrc_is_log_ratio_shrunk_towards_zero():
    rng = np.random.default_rng(0)
    table = Cells(*(rng.integers(0, 200, 5000).astype(float) for _ in range(4)))
    value, conservative = EFFECTS["log_ratio"][0](table), EFFECTS["lrc"][0](table)
    assert (np.abs(conservative) <= np.abs(value) + 1e-12).all()
    assert (conservative * table.association >= 0).all()
    assert (conservative != 0).any()
