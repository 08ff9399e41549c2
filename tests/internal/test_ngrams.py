"""Of n-grams in nearly the same documents the longest stands for all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termsift as ts
from termsift._internal.ranking import (
    MIN_JACCARD,
    drop_nested_terms,
    has_char_ngrams,
    sub_ngrams,
    top_without_nested,
)

WORDS = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(" ".join)
LISTS = st.dictionaries(WORDS, st.integers(0, 12), max_size=12)
TEXTS = st.lists(
    st.lists(st.sampled_from(["new", "york", "city", "a"]), max_size=6).map(" ".join), max_size=12
)


def of(numbers: dict[str, int]):
    return np.array([*numbers, None], dtype=object)[:-1], np.array(list(numbers.values()))


def within(part: str, whole: str) -> bool:
    return part != whole and f" {part} " in f" {whole} "


def jaccard(a: int, b: int) -> float:
    return min(a, b) / max(a, b) if max(a, b) else 1.0


class TestLaws:
    @given(LISTS)
    def test_dropped_term_is_nested_in_retained_term_of_similar_df(self, numbers):
        terms, df = of(numbers)
        retained = terms[drop_nested_terms(terms, df)].tolist()
        for term in set(numbers) - set(retained):
            assert any(
                within(term, longer) and jaccard(numbers[term], numbers[longer]) >= MIN_JACCARD
                for longer in retained
            )

    @given(LISTS)
    def test_no_retained_term_is_nested_in_another_of_similar_df(self, numbers):
        terms, df = of(numbers)
        retained = terms[drop_nested_terms(terms, df)].tolist()
        pairs = [(a, b) for a in retained for b in retained if within(a, b)]
        assert not [(a, b) for a, b in pairs if jaccard(numbers[a], numbers[b]) >= MIN_JACCARD]

    @given(LISTS, st.randoms(use_true_random=False))
    def test_the_order_of_the_list_does_not_matter_and_once_is_enough(self, numbers, random):
        terms, df = of(numbers)
        kept = drop_nested_terms(terms, df)
        assert kept.tolist() == sorted(kept.tolist())
        order = np.array(random.sample(range(len(terms)), len(terms)), dtype=int)
        again = terms[order][drop_nested_terms(terms[order], df[order])]
        assert set(again) == set(terms[kept])
        assert len(drop_nested_terms(terms[kept], df[kept])) == len(kept)

    @given(LISTS, st.integers(1, 8))
    def test_list_has_requested_length_if_enough_terms_exist(self, numbers, n):
        terms, df = of(numbers)
        rows = top_without_nested(lambda k: np.arange(len(terms))[:k], n, terms, df)
        assert rows.tolist() == sorted(set(rows.tolist()))
        assert len(rows) == min(n, len(rows))
        assert len(rows) == n or len(rows) == len(drop_nested_terms(terms, df))

    @given(TEXTS, st.sampled_from(["word", "char", "char_wb"]))
    def test_the_index_from_counts_is_that_of_the_documents(self, texts, analyzer):
        reader = ts.Analyzer(analyzer=analyzer, ngram_range=(1, 3), token_pattern=r"\w+")
        characters = has_char_ngrams(str(reader))
        holding: dict[str, set[int]] = {}
        for d, text in enumerate(texts):
            for term in reader(text):
                holding.setdefault(term, set()).add(d)
        for whole, documents in holding.items():
            for run in sub_ngrams(whole if characters else tuple(whole.split(" "))):
                part = holding["".join(run) if characters else " ".join(run)]
                assert len(part & documents) / len(part | documents) == jaccard(len(part), len(documents))


def test_similar_words_are_not_nested():
    terms, df = of({"york": 9, "yorker": 9, "new york": 9, "newyork city": 9})
    assert terms[drop_nested_terms(terms, df)].tolist() == ["yorker", "new york", "newyork city"]
    assert terms[drop_nested_terms(terms, df, characters=True)].tolist() == [
        "yorker",
        "new york",
        "newyork city",
    ]


def test_character_ngrams_are_nested_if_substrings():
    terms, df = of({"ork": 10, "york": 10, " york": 9, "yo": 20})
    assert terms[drop_nested_terms(terms, df, characters=True)].tolist() == [" york", "yo"]


@pytest.mark.parametrize(("longer", "kept"), [(80, ["new york"]), (79, ["york", "new york"])])
def test_nearly_the_same_documents_begin_at_the_threshold(longer, kept):
    terms, df = of({"york": 100, "new york": longer})
    assert terms[drop_nested_terms(terms, df)].tolist() == kept


def test_an_empty_list_stays_empty():
    terms, df = of({})
    assert drop_nested_terms(terms, df).tolist() == []
    assert top_without_nested(lambda k: np.arange(0), 5, terms, df).tolist() == []


@pytest.mark.parametrize("analyzer", ["word", "char_wb"])
def test_top_without_nested_returns_best_terms(analyzer):
    texts = ["we like new york", "new york is far", "new york again", "we like it", "far again", "it is"]
    reader = ts.Analyzer(analyzer=analyzer, ngram_range=(1, 2) if analyzer == "word" else (2, 5))
    scores = ts.score(ts.count(texts, [1, 1, 1, 0, 0, 0], analyzer=reader), "chi2")
    whole = scores.top(1, 3, direction="positive")
    lines = scores.top(1, 3, direction="positive", keep_nested=False)
    assert len(lines) == 3
    assert (lines["score"][:-1] >= lines["score"][1:]).all()
    if analyzer == "word":
        assert whole["term"].tolist() == ["new", "new york", "york"]
        assert lines["term"].tolist()[0] == "new york"
    assert not [a for a in lines["term"] for b in lines["term"] if a != b and a in b and a not in "far"]
