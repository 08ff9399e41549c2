"""What an Analyzer takes and gives at its borders: accents, long runs, strange stop words and terms."""

from __future__ import annotations

import sys
import unicodedata
from functools import cache

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import termsift as ts
from termsift.text.scanner import Lexicon, pack_terms

EVERY = "".join(chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000)
COMPOSED = [
    "Résumé NAÏVE Ångström",
    "Acme™ ＡＢＣ ㎏ ﬁne ½",
    "İstanbul ǅ ẞ ΑΣ",
    "plain Words",
    "한국어 ガギグ",
]
FORMS = ("NFC", "NFD", "NFKC", "NFKD")


@cache
def unstable_characters():
    """The characters that are taken apart, dropped or made small."""
    return [c for c in EVERY if unicodedata.combining(c) or unicodedata.normalize("NFKD", c.lower()) != c]


@pytest.mark.parametrize("accents", ["unicode", "ascii"])
@pytest.mark.parametrize("lowercase", [True, False])
class TestAccents:
    @pytest.mark.slow
    def test_every_character_is_analyzed_as_in_count_vectorizer(self, accents, lowercase):
        plain = CountVectorizer(strip_accents=accents, lowercase=lowercase, token_pattern=r"\S+")
        analyzer = ts.Analyzer(strip_accents=accents, lowercase=lowercase, token_pattern=r"\S+")
        prepare = plain.build_preprocessor()
        assert analyzer.preprocess(EVERY) == prepare(EVERY)
        # those that become others, by the compiled scan, within a word
        text = " ".join(f"Ab{c}Cd" for c in unstable_characters())
        expected = plain.fit([text]).get_feature_names_out().tolist()
        assert ts.count([text], ["a"], analyzer=analyzer).terms.tolist() == expected

    @pytest.mark.parametrize("form", FORMS)
    def test_words_in_every_normal_form_match_count_vectorizer(self, accents, lowercase, form, tmp_path):
        texts = [unicodedata.normalize(form, text) for text in COMPOSED]
        expected = (
            CountVectorizer(strip_accents=accents, lowercase=lowercase).fit(texts).get_feature_names_out()
        )
        analyzer = ts.Analyzer(strip_accents=accents, lowercase=lowercase)
        assert sorted({term for text in texts for term in analyzer(text)}) == expected.tolist()
        assert ts.count(texts, range(len(texts)), analyzer=analyzer).terms.tolist() == expected.tolist()
        path = tmp_path / "texts.csv"
        path.write_text(
            "text,label\n" + "".join(f"{text},{i}\n" for i, text in enumerate(texts)), encoding="utf-8"
        )
        found = ts.count(path, text="text", label="label", analyzer=analyzer)
        assert found.terms.tolist() == expected.tolist()


class TestRuns:
    words = " ".join(f"w{i}" for i in range(130))

    def test_longest_n_grams_are_complete(self):
        counts = ts.count([self.words], ["a"], analyzer=ts.Analyzer(ngram_range=(1, 100)))
        assert len(counts.terms) == sum(130 - n + 1 for n in range(1, 101))
        assert max(len(term.split()) for term in counts.terms) == 100

    @pytest.mark.parametrize("ends", [(1, 101), (1, 128), (1, 260), (1, 10**9), (200, 300), (1, 2**70)])
    @pytest.mark.parametrize("kind", ["word", "char", "char_wb"])
    def test_rejects_n_grams_longer_than_100(self, ends, kind):
        with pytest.raises(ts.InvalidInputError, match="ngram_range must not exceed 100, got"):
            ts.Analyzer(ngram_range=ends, analyzer=kind)

    @pytest.mark.parametrize(
        "ends", [(0, 1), (1,), 1, (1, 2, 3), ("1", "2"), (1.5, 2), None, (-1, 1), "12", np.array(3)]
    )
    def test_rejects_invalid_ngram_range(self, ends):
        with pytest.raises(ts.InvalidInputError, match="must be the smallest and largest n, such as"):
            ts.Analyzer(ngram_range=ends)

    @pytest.mark.parametrize("ends", [(1, 128), (127, 130), (2, 10**9)])
    def test_term_vectorizer_falls_back_to_count_vectorizer(self, ends):
        plain = CountVectorizer(ngram_range=ends).fit([self.words])
        ours = ts.TermVectorizer(ngram_range=ends).fit([self.words])
        assert ours.get_feature_names_out().tolist() == plain.get_feature_names_out().tolist()


def colliding_words():
    """Words that stand where the table of tokens looks for the same words without leading zero bytes."""
    words = [f"w{i}" for i in range(20_000)]
    lexicon = Lexicon()
    mask = len(lexicon.tokens.table) - 1

    def places(names):
        from termsift.text._lexicon_kernel import HASH, hash_terms

        terms = pack_terms([name.encode() for name in names])
        rows = np.empty((len(names), 4), dtype=np.int64)
        hash_terms(terms.arena, terms.ends, rows)
        return rows[:, HASH] & mask

    plain = places(words)
    for zeros in (1, 2):
        longer = ["\0" * zeros + word for word in words]
        yield from ((words[i], longer[i]) for i in np.flatnonzero(places(longer) == plain))


class TestStopWords:
    def test_stop_word_with_zero_bytes_removes_no_other_token(self):
        pairs = list(colliding_words())
        assert pairs
        for word, with_zeros in pairs:
            analyzer = ts.Analyzer(stop_words=[with_zeros])
            assert ts.count([word], ["a"], analyzer=analyzer).terms.tolist() == [word]
            known = ts.TermVectorizer(vocabulary=[with_zeros, "other"])
            assert known.fit_transform([word]).nnz == 0

    def test_stop_word_with_a_lone_surrogate_removes_nothing(self):
        analyzer = ts.Analyzer(stop_words=["\ud800", "two"], token_pattern=r"\S+")
        assert ts.count(["? one two"], ["a"], analyzer=analyzer).terms.tolist() == ["?", "one"]

    @pytest.mark.parametrize("words", [5, [1, "a"], [None], ["a", ["b"]]])
    def test_rejects_stop_words_that_are_not_str(self, words):
        with pytest.raises(ts.InvalidInputError, match="stop_words must be a list of words, got"):
            ts.Analyzer(stop_words=words)


def halves(text):
    return ["\ud800", "\ud801", "zebra", "apple", *text.split()]


@pytest.mark.parametrize(
    "function, message",
    [
        (len, "the analyzer returned 1 for a document, not a list of terms"),
        (lambda text: None, "the analyzer returned None for a document"),
        (lambda text: [None], "the analyzer returned None, which is NoneType; terms must be str"),
    ],
)
def test_rejects_analyzer_functions_that_return_no_terms(function, message):
    for analyzer in (function, ts.Analyzer(analyzer=function)):
        with pytest.raises(ts.InvalidInputError, match=message):
            ts.count(["a"], ["x"], analyzer=analyzer)


def test_lone_surrogates_count_as_question_marks_in_every_engine(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("text,label\n? hello,a\nthere,b\n")
    found = ts.count(path, text="text", label="label", analyzer=halves)
    assert found.terms.tolist() == ["?", "apple", "hello", "there", "zebra"]
    assert found.tf.toarray()[0].tolist() == [3, 2]
    assert found.df.toarray()[0].tolist() == [1, 1]
    assert ts.count(["? hello", "there"], ["a", "b"], analyzer=halves) == found
    found.save(tmp_path / "c.parquet")
    assert ts.Counts.load(tmp_path / "c.parquet") == found


@pytest.mark.parametrize("pattern", ["a{99999999999999}", "(" * 5000 + ")" * 5000, "[", "(?P<a"])
def test_rejects_patterns_that_do_not_compile(pattern):
    with pytest.raises(ts.InvalidInputError, match="token_pattern is not a regular expression"):
        ts.Analyzer(token_pattern=pattern)
