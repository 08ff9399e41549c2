"""Runs of characters by the compiled scan are CountVectorizer's, for every text and in every engine."""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

import termsift as ts
from both_vectorizers import TEXT, both, same
from termsift._internal import resources as batches
from termsift.text.analyzer import replace_surrogates

KINDS = ("char", "char_wb")
BLANKS = " \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\u200b"
# words shorter than a run, blanks of every kind alone and in rows, bytes of zero, half a surrogate pair
SPACED = TEXT | st.text(st.sampled_from("ab\0Éß中🙂\ud800" + BLANKS), max_size=20)
RANGES = [(1, 1), (1, 3), (2, 2), (3, 5), (4, 9), (1, 100), (100, 100)]


@settings(max_examples=600)
@given(
    texts=st.lists(SPACED, max_size=6),
    others=st.lists(SPACED, max_size=3),
    kind=st.sampled_from(KINDS),
    ngram_range=st.sampled_from(RANGES),
    lowercase=st.booleans(),
    strip_accents=st.sampled_from([None, "ascii", "unicode"]),
    limits=st.sampled_from(
        [
            {},
            {"min_df": 2},
            {"max_df": 0.5},
            {"max_features": 2},
            {"binary": True},
            {"vocabulary": ["a", " a", "é", ""]},
        ]
    ),
)
def test_kernel_finds_the_terms_of_python_for_every_option(
    texts, others, kind, ngram_range, lowercase, strip_accents, limits
):
    ours, theirs = both(
        texts, others, analyzer=kind, ngram_range=ngram_range, lowercase=lowercase,
        strip_accents=strip_accents, **limits,
    )  # fmt: skip
    if isinstance(ours, str) or isinstance(theirs, str):
        assert ours == theirs
    else:
        same(ours, theirs)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_kernel_agrees_on_every_code_point_between_letters_and_next_to_spaces(kind):
    # from plane 3 on there are few characters
    tried = [*range(0x30000), *range(0x30000, sys.maxunicode + 1, 61)]
    every = [f"X{chr(c)}y {chr(c)}{chr(c)}" for c in tried]
    documents = [replace_surrogates(" ".join(every[at : at + 64])) for at in range(0, len(every), 64)]
    options = {"analyzer": kind, "ngram_range": (2, 2)}
    ours, theirs = ts.TermVectorizer(n_jobs=2, **options), CountVectorizer(**options)
    X, expected = ours.fit_transform(documents), theirs.fit_transform(documents)
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())
    assert [hex(tried[64 * row]) for row in (expected != X).nonzero()[0]] == []


@settings(max_examples=300)
@given(
    texts=st.lists(SPACED, min_size=1, max_size=6),
    kind=st.sampled_from(KINDS),
    ngram_range=st.sampled_from(RANGES),
    lowercase=st.booleans(),
    strip_accents=st.sampled_from([None, "ascii", "unicode"]),
)
def test_counts_equal_those_of_the_analyzer_as_a_function(texts, kind, ngram_range, lowercase, strip_accents):
    analyzer = ts.Analyzer(
        analyzer=kind, ngram_range=ngram_range, lowercase=lowercase, strip_accents=strip_accents
    )
    assert analyzer.has_kernel
    counts = ts.count(texts, list(range(len(texts))), analyzer=analyzer)
    found = [
        dict(zip(counts.terms[rows := column.nonzero()[0]].tolist(), column[rows].tolist(), strict=True))
        for column in counts.tf.toarray().T
    ]
    assert found == [Counter(analyzer(text)) for text in texts]
    assert counts.terms.tolist() == sorted(counts.terms)


@pytest.mark.parametrize("kind", KINDS)
def test_files_and_texts_have_equal_counts(tmp_path, kind, monkeypatch):
    texts = ["The  cat\tsat", "", "a\0b \0 c", "Große\u3000Füße 東京\n\nタワー", "cat"] * 30
    labels = ["x", "y", "x"] * 50
    analyzer = ts.Analyzer(analyzer=kind, ngram_range=(2, 4))
    pq.write_table(pa.table({"text": texts, "label": labels}), tmp_path / "all.parquet")
    expected = ts.count(texts, labels, analyzer=analyzer.__call__)
    assert expected.terms.tolist()
    monkeypatch.setattr(batches, "BATCH_CHARACTERS", 50)
    for n_jobs in (1, 3):
        options = {"analyzer": analyzer, "n_jobs": n_jobs}
        for counts in (
            ts.count(texts, labels, **options),
            ts.count(tmp_path / "all.parquet", text="text", label="label", **options),
            ts.count(tmp_path / "all.parquet", text="text", label="label", memory=1 << 12, **options),
        ):
            assert counts.terms.tolist() == expected.terms.tolist()
            assert (counts.df != expected.df).nnz == (counts.tf2 != expected.tf2).nnz == 0


def test_arrays_grow_for_long_texts_and_many_runs():
    rng = np.random.default_rng(0)
    long = "".join(map(chr, rng.integers(97, 123, 20_000)))
    texts = [long, long[::-1], "x" * 100_000, "Ж" * 1000 + " " + long[:9999].upper()]
    for kind in KINDS:
        same(*both(texts, texts[::2], n_jobs=2, analyzer=kind, ngram_range=(4, 6)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore:The parameter 'stop_words' will not be used")
def test_stop_words_and_patterns_are_ignored(kind):
    texts = ["the cat the", "a cat"]
    options = {"analyzer": kind, "ngram_range": (1, 3)}
    assert ts.TermVectorizer(**options, token_pattern=None)._kernel_analyzer() is not None
    same(*both(texts, **options, stop_words=["the", "a"]))
    counted = [
        ts.count(texts, [0, 1], analyzer=ts.Analyzer(**options, stop_words=s)) for s in ((), ["a", "t"])
    ]
    assert counted[0].terms.tolist() == counted[1].terms.tolist()


def test_fitted_vectorizer_replaces_lone_surrogates():
    texts, odd = ["a?b", "ab"], ["a\ud800b", "?"]
    for first, then in ((texts, odd), (odd, texts)):
        same(*both(first, then, analyzer="char", ngram_range=(1, 2)))


@pytest.mark.parametrize("options", [{}, {"analyzer": "char_wb", "ngram_range": (2, 3)}, {"min_length": 3}])
def test_every_engine_drops_html_tags_and_short_words(tmp_path, options):
    texts = ["<b>Cat</b> &amp; a dog", "no tags", "Größe <i>ab</i>"]
    analyzer = ts.Analyzer(html=True, **options)
    expected = ts.count(texts, [0, 1, 1], analyzer=analyzer.__call__)
    pq.write_table(pa.table({"text": texts, "label": [0, 1, 1]}), tmp_path / "all.parquet")
    pq.write_table(pa.table({"text": texts[:2], "label": [0, 1]}), tmp_path / "ascii.parquet")
    for counts in (
        ts.count(texts, [0, 1, 1], analyzer=analyzer),
        ts.count(tmp_path / "all.parquet", text="text", label="label", analyzer=analyzer),
    ):
        assert counts.terms.tolist() == expected.terms.tolist()
    ascii_alone = ts.count(tmp_path / "ascii.parquet", text="text", label="label", analyzer=analyzer)
    assert ascii_alone.terms.tolist() == sorted({term for text in texts[:2] for term in analyzer(text)})
