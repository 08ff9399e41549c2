"""Tokens at given edges: they may overlap and hold any byte, and are counted as Python would."""

from __future__ import annotations

from collections import Counter
from functools import partial

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import termsift as ts
from termsift.text._scan_kernel import scan
from termsift.text.analyzer import ngrams
from termsift.text.scanner import Scanner

TEXT = st.text(st.sampled_from("aAb\0 \nÉ中🙂"), max_size=40)


def scanner_of(edges, **options):
    """A scanner of documents whose tokens are known, as characters from one to another."""

    def find(data, starts):
        raw, found = data.tobytes(), []
        for first, last, own in zip(starts[:-1], starts[1:], edges, strict=True):
            text = raw[first:last].decode()
            at = np.cumsum([0, *(len(c.encode()) for c in text)]) + first
            found += [(at[a], at[b]) for a, b in own]
        return np.array(found, dtype=np.int64).reshape(-1, 2), np.cumsum([0, *map(len, edges)])

    def bind_scan(data, starts, lowercase, is_complex):
        token_edges, indptr = find(data, starts)
        return partial(scan, data, indptr, token_edges, None, lowercase, 1, None)

    scanner = Scanner(ts.Analyzer(**options))
    scanner.bind_scan = bind_scan
    return scanner


def named(scanner, bags, low):
    """The terms of each document by name, with their counts."""
    ranked = scanner.lexicon.rank_terms(low)
    names = [ranked.names[i] for i in ranked.ranks(bags.codes)]
    return [
        Counter(dict(zip(names[a:b], bags.counts[a:b].tolist(), strict=True)))
        for a, b in zip(bags.indptr[:-1], bags.indptr[1:], strict=True)
    ]


@st.composite
def edged(draw, text):
    """Texts, and the edges of tokens in each, in no order."""
    texts = draw(st.lists(text.filter(bool), max_size=4))
    return [
        (one, draw(st.lists(st.tuples(place, place).filter(lambda p: p[0] < p[1]), max_size=12)))
        for one in texts
        for place in [st.integers(0, len(one))]
    ]


@settings(max_examples=300)
@given(edged(TEXT), st.booleans())
def test_tokens_of_any_bytes(documents, lowercase):
    texts, edges = [t for t, _ in documents], [e for _, e in documents]
    scanner = scanner_of(edges, lowercase=lowercase)
    small = str.lower if lowercase else str
    expected = [Counter(small(t)[a:b] for a, b in own) for t, own in documents]
    assert named(scanner, scanner.scan_texts(texts), 1) == expected
    # once more, frozen: all are known
    assert named(scanner, scanner.scan_texts(texts, frozen=True), 1) == expected


@settings(max_examples=300)
@given(edged(st.text(st.sampled_from("abÉ中"), max_size=30)), st.sampled_from([(1, 2), (2, 3), (1, 4)]))
def test_n_grams_and_stop_words(documents, ngram_range):
    texts, edges = [t for t, _ in documents], [e for _, e in documents]
    scanner = scanner_of(edges, ngram_range=ngram_range, stop_words=["a", "bb"])
    tokens = [[t.lower()[a:b] for a, b in own if t.lower()[a:b] not in ("a", "bb")] for t, own in documents]
    expected = [Counter(map(" ".join, ngrams(own, *ngram_range))) for own in tokens]
    assert named(scanner, scanner.scan_texts(texts), ngram_range[0]) == expected


def test_frozen_scan_drops_unknown_tokens_and_their_n_grams():
    texts = ["a b c"]
    scanner = scanner_of([[(0, 1), (2, 3), (4, 5)]], ngram_range=(1, 2))
    codes = scanner.add_terms([b"a", b"c", b"a c"])
    bags = scanner.scan_texts(texts, frozen=True)
    assert sorted(bags.codes.tolist()) == sorted(codes[:2].tolist())


def test_tokens_that_differ_only_by_zero_bytes_are_distinct():
    words = [
        ("\0" * zeros + f"{i}" + "\0" * more) for i in range(3000) for zeros in range(3) for more in range(3)
    ]
    scanner = scanner_of([[(0, len(word))] for word in words])
    assert named(scanner, scanner.scan_texts(words), 1) == [Counter([word]) for word in words]
