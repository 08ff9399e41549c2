"""Weighted sums: exact, rounded once, and so the same bytes from every engine."""

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
from termsift._internal import threads as batches
from termsift.engines import arrow as arrow_texts
from termsift.engines.accumulator import levels, sums_of_levels

WEIGHTS = st.floats(min_value=0, max_value=1e200, allow_subnormal=False)
WITHIN_THREE_LEVELS = st.lists(st.tuples(st.floats(0.25, 8), st.integers(0, 2**30)), max_size=9)


@given(st.lists(st.tuples(WEIGHTS, st.integers(0, 2**40)), max_size=7) | WITHIN_THREE_LEVELS, st.randoms())
def test_sums_of_levels_are_exact_and_rounded_once(pairs, order):
    exact = sum((Fraction(weight) * times for weight, times in pairs), Fraction())
    chunks = [
        (level, int(chunk[0]) * times)
        for weight, times in pairs
        for level, chunk in levels(np.array([weight])).items()
    ]
    order.shuffle(chunks)
    level, values = (np.array([pair[i] for pair in chunks], dtype=np.int64) for i in (0, 1))
    total = sums_of_levels(values, level, np.zeros(len(chunks), dtype=np.int64), 1)
    assert total.tolist() == [float(exact)]


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
def test_every_engine_gives_the_same_bytes(tmp_path, corpus, labels, monkeypatch):
    texts, weights = corpus
    pq.write_table(pa.table({"text": texts, "label": labels}), tmp_path / "m.parquet")
    ts.count(texts, labels, sample_weight=weights).save(tmp_path / "expected")

    def same(counts):
        counts.save(tmp_path / "found")
        return (tmp_path / "found").read_bytes() == (tmp_path / "expected").read_bytes()

    for size, n_jobs, memory in ((1 << 22, 1, 1 << 30), (1 << 12, 2, 1 << 30), (1 << 12, 1, 1 << 12)):
        monkeypatch.setattr(arrow_texts, "STREAM", size)
        monkeypatch.setattr(batches, "BATCH", size)
        assert same(ts.count(texts, labels, sample_weight=weights, n_jobs=n_jobs))
        options = {"sample_weight": weights, "n_jobs": n_jobs, "memory": memory}
        assert same(ts.count(tmp_path / "m.parquet", **options))
    order = np.random.default_rng(1).permutation(len(texts))
    shuffled = [texts[i] for i in order], [labels[i] for i in order]
    assert same(ts.count(*shuffled, sample_weight=weights[order]))


def test_a_matrix_and_a_function_as_texts(corpus):
    texts, weights = corpus
    expected = ts.count(texts, LABELS["several"], sample_weight=weights)
    vectorizer = CountVectorizer()
    X, names = vectorizer.fit_transform(texts), vectorizer.get_feature_names_out()
    pattern = ts.Analyzer()
    by_function = ts.count(texts, LABELS["several"], sample_weight=weights, analyzer=lambda t: pattern(t))
    found = ts.count(X, LABELS["several"], terms=names, sample_weight=weights)
    kept = found.keep(np.flatnonzero(found.term_df > 0))
    for counts in (by_function, kept):
        assert counts.terms.tolist() == expected.terms.tolist()
        for name in ("df", "tf", "tf2"):
            assert (getattr(counts, name) != getattr(expected, name)).nnz == 0
            assert np.array_equal(getattr(counts, f"term_{name}"), getattr(expected, f"term_{name}"))
        assert (counts.documents, counts.class_sizes.tolist()) == (
            expected.documents,
            expected.class_sizes.tolist(),
        )


def test_a_term_in_all_documents_has_the_size_of_its_class(corpus):
    texts, weights = corpus
    counts = ts.count([f"always {text}" for text in texts], LABELS["one each"], sample_weight=weights)
    row = counts.terms.tolist().index("always")
    assert counts.df[[row]].toarray()[0].tolist() == counts.class_sizes.tolist()
    assert counts.term_df[row] == counts.documents


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
