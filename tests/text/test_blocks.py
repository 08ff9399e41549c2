"""The scan takes 64 bytes at a time, 32 tokens at a time and eight bytes of a token at a time.

Texts are long enough here that tokens lie across the edges of each, and are counted as Python would.
"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import termsift as ts
from termsift.text.scanner import Scanner

PARTS = st.sampled_from(
    ["a", "Zz", "longword", "UPPERCASEWORDS", "_9", " ", "-", ", ", "\0", "é", "中", "🙂", "ß\u0301"]
)
LONG = st.lists(PARTS, max_size=120).map("".join)
PATTERNS = [r"(?u)\b\w\w+\b", r"\w{3,}", r"[a-z]+", r"[A-Z0-9]+"]


def counted(analyzer, texts, frozen_of=()):
    """The terms of each text by name with their counts, as the scan has them."""
    scanner = Scanner(analyzer)
    if frozen_of:
        scanner.scan_texts(frozen_of)
    bags = scanner.scan_texts(texts, frozen=bool(frozen_of))
    ranked = scanner.lexicon.rank_terms(analyzer.token_range[0])
    names = [ranked.names[i] for i in ranked.ranks(bags.codes)]
    return [
        Counter(dict(zip(names[a:b], bags.counts[a:b].tolist(), strict=True)))
        for a, b in zip(bags.indptr[:-1], bags.indptr[1:], strict=True)
    ]


@pytest.mark.parametrize("pattern", PATTERNS)
@settings(max_examples=40)
@given(texts=st.lists(LONG, max_size=3), lowercase=st.booleans(), high=st.integers(1, 3))
def test_tokens_across_block_edges_are_complete(pattern, texts, lowercase, high):
    analyzer = ts.Analyzer(token_pattern=pattern, lowercase=lowercase, ngram_range=(1, high), words="sklearn")
    assert analyzer.has_kernel
    assert counted(analyzer, texts) == [Counter(analyzer(text)) for text in texts]


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128, 129])
def test_token_may_end_at_any_position_of_a_block(size):
    texts = ["x" * size, " " * size + "yy", "x" * size + " yy", "é" * size, "x" * size + "中🙂中"]
    analyzer = ts.Analyzer()
    assert counted(analyzer, texts) == [Counter(analyzer(text)) for text in texts]


@settings(max_examples=60)
@given(known=LONG, text=LONG)
def test_frozen_scan_counts_only_vocabulary_terms(known, text):
    analyzer = ts.Analyzer(ngram_range=(1, 2), words="sklearn")
    terms = set(analyzer(known))
    tokens = [token for token in analyzer(text) if token in terms]
    (found,) = counted(analyzer, [text], [known])
    assert found == Counter(tokens)
