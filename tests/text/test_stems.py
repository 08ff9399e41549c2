"""The scan of stemmed words finds what the analyzer finds text by text."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import termsift as ts
from termsift.engines.texts import build_vocabulary, document_term_matrix, index_vocabulary
from termsift.text import FullForms, scanner
from termsift.text.analyzer import load_stemmer

# the english stem of "''s" and the nepali ones of the last two words are empty
WORDS = ["running", "runs", "run", "The", "cat's", "cats", "cat", "''s", "'", "policies", "policy", "#tags"]
WORDS += ["naïve", "straße", "東京都", "3.50", "\ud800x", "छ", "रत"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join), min_size=1, max_size=8)
ANALYZERS = st.one_of(
    st.fixed_dictionaries({"words": st.sampled_from(["auto", "unicode"]), "hashtags": st.booleans()}),
    st.fixed_dictionaries({"token_pattern": st.sampled_from([r"\w+", "[a-z']+", r"\S+"])}),
)
STEMMERS = ["english", "nepali", FullForms("english", {"run": "running", "cat": "cats"})]


@given(
    texts=TEXTS,
    settings=ANALYZERS,
    stemmer=st.sampled_from(STEMMERS),
    ngram_range=st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 3)]),
    stop_words=st.sampled_from([(), ("the", "cat"), ("run", "cats")]),
    n_threads=st.sampled_from([1, 2]),
)
def test_the_scan_finds_the_stems_of_the_analyzer(
    texts, settings, stemmer, ngram_range, stop_words, n_threads
):
    analyzer = ts.Analyzer(**settings, stemmer=stemmer, ngram_range=ngram_range, stop_words=stop_words)
    expected, terms = document_term_matrix(texts, analyzer)
    if not analyzer.has_kernel:  # words of any characters have no n-grams by the scan
        assert settings.get("token_pattern") == r"\S+"
        return
    index, rows = build_vocabulary(texts, analyzer, np.int64, n_threads)
    assert list(index.vocabulary) == terms
    assert_equal(rows, expected)
    # of a fixed vocabulary: all terms again, and every second one
    assert_equal(index.count(texts, np.int64, n_threads), expected)
    half = {term: i for i, term in enumerate(terms[::2])}
    assert_equal(index_vocabulary(analyzer, half).count(texts, np.int64, n_threads), expected[:, ::2])


def assert_equal(rows, expected):
    assert rows.shape == expected.shape
    assert (csr_array(rows) != expected).nnz == 0


def test_a_stream_of_new_words_takes_bounded_memory(monkeypatch):
    monkeypatch.setattr(scanner, "MAX_FROZEN_WORDS", 10)
    analyzer = ts.Analyzer(stemmer="english", ngram_range=(1, 2))
    index = index_vocabulary(analyzer, {"cat": 0, "cat run": 1})
    for i in range(5):
        texts = [" ".join(f"word{i}x{k}" for k in range(20)) + " cats running"]
        assert index.count_batch(index.scanner, texts).codes.tolist() == [0, 1]
        assert len(index.scanner.words.tokens) == 0
    assert len(index.scanner.lexicon.tokens) == 2


@pytest.mark.parametrize("language", ["english", "porter", "german", "finnish"])
def test_stems_are_those_of_snowball_in_python(language):
    # `snowballstemmer.stemmer` would take PyStemmer if it is installed
    module = importlib.import_module(f"snowballstemmer.{language}_stemmer")
    reference = getattr(module, f"{language.title()}Stemmer")()
    letters = np.random.default_rng(0).choice(list("aeiostingedlyäß'"), (2_000, 9))
    words = ["", "'", "a\x00ing", *("".join(row[: 1 + i % 9]) for i, row in enumerate(letters.tolist()))]
    assert load_stemmer(language)(words) == [reference.stemWord(word) for word in words]
