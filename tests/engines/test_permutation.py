"""Scores of documents: the same as of their counts, and with floors where counts cannot say them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import termsift as ts

TEXTS = ["free prize", "win a free prize", "lunch today", "free lunch", "see you today", "a prize to win"] * 4
LABELS = ["spam", "spam", "ham", "ham", "ham", "spam"] * 4


def test_scores_of_documents_are_those_of_their_counts():
    counts = ts.count(TEXTS, LABELS, min_df=5)
    for metric in ("bns", "md", "log_odds_prior"):
        found = ts.score(TEXTS, LABELS, metric, min_df=5, n_permutations=3)
        np.testing.assert_array_equal(found.values, ts.score(counts, metric).values)
        assert found.counts == counts


def test_exact_chance_is_before_shuffles():
    found = ts.score(TEXTS, LABELS, "bns")
    assert found.permutations is None
    assert found.threshold() == ts.score(ts.count(TEXTS, LABELS), "bns").threshold()


@pytest.mark.parametrize("metric", ["md", "log_odds_prior", "c_tf_idf", "igm", "bss_wss", "tf", "dfs"])
def test_thresholds_equal_those_of_permuted_labels(metric):
    found = ts.score(TEXTS, LABELS, metric, n_permutations=50, random_state=4)
    X = ts.TermVectorizer().fit_transform(TEXTS)
    rng = np.random.default_rng(4)
    drawn = [
        np.asarray(ts.score(ts.count(X, np.array(LABELS)[rng.permutation(24)]), metric)) for _ in range(50)
    ]
    pool = np.concatenate([values.ravel() for values in drawn])
    for expected in (0.1, 1, 2):
        within = [v for v in np.unique(pool) if np.sum(pool >= v - 1e-9 * abs(v)) / 50 <= expected]
        floor = found.threshold(expected)
        assert floor == (min(within) if within else pytest.approx(pool.max()))
        assert found.expected_false_positives(floor) <= expected
    value = float(np.median(pool))
    assert found.expected_false_positives(value) == np.sum(pool >= value - 1e-9 * abs(value)) / 50


def test_negative_direction_of_one_sided_metric_has_separate_threshold():
    found = ts.score(TEXTS, LABELS, "log_odds_prior", n_permutations=40)
    low = found.threshold(1, "spam", direction="negative")
    assert low < 0 < found.threshold(1, "spam", direction="positive")
    assert found.expected_false_positives(low, "spam", direction="negative") <= 1
    assert found.of_class("spam").threshold(1, direction="negative") == low


def test_weights_and_other_reductions_are_shuffled_too():
    weights = np.linspace(0.5, 1.5, 24)
    found = ts.score(TEXTS, LABELS, "chi2", sample_weight=weights, n_permutations=20, reduce="max")
    counts = ts.count(TEXTS, LABELS, sample_weight=weights)
    np.testing.assert_array_equal(found.values, ts.score(counts, "chi2", reduce="max").values)
    assert len(ts.Significant().choose(found)) == np.sum(found.values >= found.threshold() * (1 - 1e-9))
    assert ts.score(TEXTS, LABELS, "bns", reduce="mean", n_permutations=5).threshold() is not None
    with pytest.raises(ts.InvalidInputError, match="chi2 of weighted counts has no exact significance"):
        ts.select(counts, "chi2:significant")


def test_rare_terms_of_weights_are_left_out_of_the_shuffles_too():
    weights = np.where(np.arange(24) % 6 == 4, 0.1, 1.0)
    found = ts.score(TEXTS, LABELS, "chi2", sample_weight=weights, min_df=3, n_permutations=5)
    assert "see" not in found.terms
    assert found.permutations.best.shape == (2, 5, len(found.terms))


def test_every_form_of_documents_gives_the_same_floor(tmp_path, monkeypatch):
    monkeypatch.setattr("termsift.engines.inputs.TEXTS_PER_BATCH", 5)
    path = tmp_path / "mail.csv"
    path.write_text("text,label\n" + "".join(f"{a},{b}\n" for a, b in zip(TEXTS, LABELS, strict=True)))
    vectorizer = ts.TermVectorizer()
    X = vectorizer.fit_transform(TEXTS)
    floor = ts.score(TEXTS, LABELS, "md", n_permutations=10).threshold()
    assert ts.score(X, LABELS, "md", n_permutations=10).threshold() == floor
    assert ts.score(TEXTS, LABELS, "md", analyzer=CountVectorizer(), n_permutations=10).threshold() == floor
    assert ts.score(path, "md", text="text", label="label", n_permutations=10).threshold() == floor
    assert (
        ts.score(
            TEXTS, LABELS, "md", analyzer=lambda text: ts.Analyzer()(text), n_permutations=10
        ).threshold()
        == floor
    )


def test_seeds_choose_the_shuffles():
    floors = [
        ts.score(TEXTS, LABELS, "md", n_permutations=8, random_state=seed).threshold(0.5)
        for seed in (0, 0, 1)
    ]
    assert floors[0] == floors[1] != floors[2]
    assert ts.score(TEXTS, LABELS, "md", n_permutations=0).threshold() is None


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ((TEXTS, LABELS), {}, "the metric is missing"),
        ((TEXTS,), {}, "the metric is missing"),
        ((ts.count(TEXTS, LABELS), LABELS, "bns"), {}, "counts contain their labels and weights"),
        ((TEXTS, LABELS, "md"), {"n_permutations": -1}, "n_permutations must be at least 1, got -1"),
        (
            (TEXTS, LABELS, "md"),
            {"n_permutations": np.array([1, 2])},
            "n_permutations must be a whole number, got array",
        ),
        ((TEXTS, LABELS, "md"), {"n_permutations": 2.5}, "n_permutations must be a whole number, got 2.5"),
        ((TEXTS, LABELS, "md"), {"random_state": "a"}, "random_state must be a whole number"),
        ((TEXTS, LABELS[:3], "md"), {}, "24 documents but 3 labels"),
    ],
)
def test_unscorable_input_raises_one_line_error(given, options, message):
    with pytest.raises(ts.TermsiftError, match=message) as caught:
        ts.score(*given, **options)
    assert "\n" not in str(caught.value)
