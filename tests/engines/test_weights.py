"""Weighted sums: float64, equal up to rounding on every engine, for any threads and order."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

import termsift as ts
from termsift._internal import resources
from termsift.engines.files import columns
from weighted_counts import TOLERANCE, assert_close


@given(st.lists(st.tuples(st.floats(0.01, 1e6), st.integers(1, 1000)), min_size=1, max_size=9))
def test_weighted_sums_of_a_matrix_are_exact_up_to_rounding(pairs):
    exact = sum((Fraction(weight) * times for weight, times in pairs), Fraction())
    weights, times = zip(*pairs, strict=True)
    counts = ts.count(np.array(times)[:, None], ["x"] * len(pairs), sample_weight=weights)
    assert counts.term_tf[0] == pytest.approx(float(exact), rel=TOLERANCE)
    assert counts.documents == pytest.approx(float(sum(map(Fraction, weights))), rel=TOLERANCE)


@pytest.fixture(scope="module")
def corpus():
    """Texts, labels, and weights of 53 bits and of every size."""
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{word}" for word in rng.zipf(1.5, 30) % 60) for _ in range(600)]
    weights = rng.random(600) * np.exp(rng.normal(0, 5, 600))
    weights[:20] = 0
    return texts, weights


LABELS = {
    "one each": [f"c{i % 3}" for i in range(600)],
    "several": [[f"c{i % 3}", f"c{i % 5}"][: i % 4] for i in range(600)],
    "several in a few": [["a", "b"] if i > 590 else ["ab"[i % 2]] for i in range(600)],
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_every_engine_gives_the_same_sums_up_to_rounding(tmp_path, corpus, labels, monkeypatch):
    texts, weights = corpus
    pq.write_table(pa.table({"text": texts, "label": labels}), tmp_path / "m.parquet")
    expected = ts.count(texts, labels, sample_weight=weights)
    for size, n_jobs, memory in ((1 << 22, 1, 1 << 30), (1 << 12, 2, 1 << 30), (1 << 12, 1, 1 << 12)):
        monkeypatch.setattr(columns, "BATCH_BYTES", size)
        monkeypatch.setattr(resources, "BATCH_CHARACTERS", size)
        assert_close(ts.count(texts, labels, sample_weight=weights, n_jobs=n_jobs), expected)
        options = {"sample_weight": weights, "n_jobs": n_jobs, "memory": memory}
        assert_close(ts.count(tmp_path / "m.parquet", **options), expected)
    order = np.random.default_rng(1).permutation(len(texts))
    shuffled = [texts[i] for i in order], [labels[i] for i in order]
    assert_close(ts.count(*shuffled, sample_weight=weights[order]), expected)


def test_the_number_of_threads_does_not_change_a_bit_of_weighted_sums(corpus, monkeypatch):
    monkeypatch.setenv("TERMSIFT_COMPILED_FROM", "0")
    monkeypatch.setattr(resources, "BATCH_CHARACTERS", 300)
    texts, weights = corpus
    first, *others = (ts.count(texts, LABELS["one each"], sample_weight=weights, n_jobs=n) for n in (1, 2, 3))
    assert all(counts == first for counts in others)


def test_a_matrix_and_a_function_give_the_sums_of_texts(corpus):
    texts, weights = corpus
    expected = ts.count(texts, LABELS["several"], sample_weight=weights)
    vectorizer = CountVectorizer()
    X, names = vectorizer.fit_transform(texts), vectorizer.get_feature_names_out()
    pattern = ts.Analyzer()
    by_function = ts.count(texts, LABELS["several"], sample_weight=weights, analyzer=lambda t: pattern(t))
    by_matrix = ts.count(X, LABELS["several"], terms=names, sample_weight=weights)
    assert_close(by_function, expected)
    assert_close(by_matrix.keep(np.flatnonzero(by_matrix.term_df > 0)), expected)


def test_a_term_in_all_documents_has_the_size_of_its_class(corpus):
    texts, weights = corpus
    counts = ts.count([f"always {text}" for text in texts], LABELS["one each"], sample_weight=weights)
    row = counts.terms.tolist().index("always")
    np.testing.assert_allclose(counts.df[[row]].toarray()[0], counts.class_sizes, rtol=TOLERANCE)
    assert counts.term_df[row] == pytest.approx(counts.documents, rel=TOLERANCE)


def test_counts_too_large_for_whole_sums_are_still_right(tmp_path):
    text = "word " * 3_000_000
    weights = [1 / 3, 0.1]
    (tmp_path / "m.csv").write_text(f"text,label\n{text},x\nword,y\n")
    for counts in (
        ts.count([text, "word"], ["x", "y"], sample_weight=weights),
        ts.count(tmp_path / "m.csv", sample_weight=weights),
        ts.count(np.array([[3_000_000], [1]]), ["x", "y"], sample_weight=weights),
    ):
        assert counts.term_tf2[0] == pytest.approx(3e12 + 0.1, rel=1e-15)
        assert counts.class_sizes.tolist() == weights
