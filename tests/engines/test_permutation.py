"""Permutation p-values of any metric, by shuffling the labels of documents or of groups."""

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
        scores = ts.score(TEXTS, LABELS, metric, min_df=5)
        np.testing.assert_array_equal(scores.values, ts.score(counts, metric).values)
        assert scores.counts == counts
        assert scores.permutation_p is None


@pytest.mark.parametrize("metric", ["bns", "md", "log_odds_prior", "c_tf_idf", "igm", "cc", "tf"])
def test_p_is_the_share_of_shuffles_that_score_at_least_as_high(metric):
    scores = ts.score(TEXTS, LABELS, metric, shuffles=30, random_state=4)
    X, rng = ts.TermVectorizer().fit_transform(TEXTS), np.random.default_rng(4)
    drawn = np.stack(
        [np.asarray(ts.score(ts.count(X, np.array(LABELS)[rng.permutation(24)]), metric)) for _ in range(30)]
    )
    tolerance = 1e-9 * np.abs(scores.values)
    upper = (1 + (drawn >= scores.values - tolerance).sum(axis=0)) / 31
    lower = (1 + (drawn <= scores.values + tolerance).sum(axis=0)) / 31
    expected = np.minimum(2 * np.minimum(upper, lower), 1) if scores.sided == 1 else upper
    np.testing.assert_allclose(scores.p, expected)
    assert scores.p.min() >= 1 / 31


def test_shuffles_give_the_columns_p_and_q_and_the_exact_test_what_is_significant():
    exact, shuffled = (ts.score(TEXTS, LABELS, "bns", shuffles=n) for n in (0, 40))
    assert shuffled.top("spam", 3)["p"].min() >= 1 / 41
    np.testing.assert_array_equal(shuffled.significant(1), exact.significant(1))
    np.testing.assert_array_equal(shuffled.of_class("spam").p[:, 0], shuffled.p[:, 1])


def test_permutation_p_agrees_with_the_exact_test():
    rng = np.random.default_rng(2)
    X = (rng.random((120, 40)) < np.linspace(0.05, 0.6, 40)).astype(int)
    y = rng.integers(0, 2, 120)
    scores = ts.score(X, y, "hypergeometric", shuffles=400)
    np.testing.assert_allclose(scores.p, scores.p_values("greater"), atol=0.09)


def test_weighted_documents_have_permutation_p_values():
    weights = np.linspace(0.5, 1.5, 24)
    scores = ts.score(TEXTS, LABELS, "chi2", sample_weight=weights, shuffles=20)
    assert scores.p.shape == scores.values.shape
    assert scores.significant() is None
    assert set(ts.FalseDiscovery(0.5).choose(scores)) <= set(range(len(scores)))


def test_labels_of_whole_groups_are_permuted():
    labels = np.repeat(["a", "b"], 40)
    group = np.arange(80) // 10
    X = np.stack([group == 0, labels == "a"], axis=1).astype(int)
    documents = ts.score(X, labels, "bns", shuffles=100).p[:, 0]
    groups = ts.score(X, labels, "bns", shuffles=100, shuffle_by=group).p[:, 0]
    # the word of one group is in a class by necessity
    assert documents[0] < 0.05 < groups[0]
    assert groups[1] < 0.1


def test_every_form_of_documents_gives_the_same_p_values(tmp_path, monkeypatch):
    monkeypatch.setattr("termsift.engines.inputs.TEXTS_PER_BATCH", 5)
    path = tmp_path / "mail.csv"
    path.write_text("text,label\n" + "".join(f"{a},{b}\n" for a, b in zip(TEXTS, LABELS, strict=True)))
    X = ts.TermVectorizer().fit_transform(TEXTS)
    p = ts.score(TEXTS, LABELS, "md", shuffles=10).p
    others = [
        ts.score(X, LABELS, "md", shuffles=10),
        ts.score(TEXTS, LABELS, "md", analyzer=CountVectorizer(), shuffles=10),
        ts.score(path, "md", text="text", label="label", shuffles=10),
        ts.score(TEXTS, LABELS, "md", analyzer=lambda text: ts.Analyzer()(text), shuffles=10),
    ]
    for other in others:
        np.testing.assert_array_equal(other.p, p)


def test_seeds_choose_the_shuffles():
    p = [ts.score(TEXTS, LABELS, "md", shuffles=8, random_state=seed).p for seed in (0, 0, 1)]
    np.testing.assert_array_equal(p[0], p[1])
    assert (p[0] != p[2]).any()


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ((TEXTS,), {}, "labels are missing: give one label per document"),
        ((ts.count(TEXTS, LABELS), LABELS, "bns"), {}, "counts contain their labels and weights"),
        ((ts.count(TEXTS, LABELS), "bns"), {"shuffles": 10}, "shuffles need documents"),
        ((TEXTS, LABELS, "md"), {"shuffles": -1}, "shuffles must be at least 1, got -1"),
        ((TEXTS, LABELS, "md"), {"shuffles": np.array([1, 2])}, "shuffles must be a whole number, got array"),
        ((TEXTS, LABELS, "md"), {"shuffles": 2.5}, "shuffles must be a whole number, got 2.5"),
        ((TEXTS, LABELS, "md"), {"shuffles": 5, "random_state": "a"}, "random_state must be a whole number"),
        (
            (TEXTS, LABELS, "md"),
            {"shuffle_by": LABELS},
            "shuffle_by needs shuffles, the number of permutations",
        ),
        (
            (TEXTS, LABELS, "md"),
            {"shuffles": 5, "shuffle_by": [0, 1] * 12},
            "group 0 has documents of several classes",
        ),
        ((TEXTS, ["a"] * 24, "df"), {"shuffles": 5, "shuffle_by": [0] * 24}, "all documents are in group 0"),
        ((TEXTS, LABELS[:3], "md"), {}, "24 documents but 3 labels"),
    ],
)
def test_unscorable_input_raises_one_line_error(given, options, message):
    with pytest.raises(ts.TermsiftError, match=message) as caught:
        ts.score(*given, **options)
    assert "\n" not in str(caught.value)
