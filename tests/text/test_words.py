"""Words of every script: what an Analyzer finds by each of its ways, and what it refuses."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

import termsift as ts
from termsift.text.analyzer import DEFAULT_ANALYZER
from termsift.text.scanner import Scanner

UNICODE = ts.Analyzer(words="unicode")
ENGLAND = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
# each text, its words by "auto" and by "unicode"
FOUND = [
    ("Don't pay $3.50 at 9:30, OK?", "don pay 50 at 30 ok", "don't pay 3.50 at 9 30 ok"),
    ("snake_case __init__ x", "snake_case __init__", "snake_case __init__ x"),
    ("l·l a.b e\u0301te\u0301", "e\u0301te\u0301", "l·l a.b e\u0301te\u0301"),
    ("m² ½ Ⅻ ①②", "m² ①②", "m ⅻ"),
    ("यह अच्छी किताब है", "यह अच्छी किताब है", "यह अच्छी किताब है"),
    ("می‌خواهم", "می\u200cخواهم", "می\u200cخواهم"),
    ("הַשָּׁלוֹם צה\"ל ג'", "הַשָּׁלוֹם צה", "הַשָּׁלוֹם צה\"ל ג'"),
    ("東京都の iPhone手机", "東京 京都 都の iphone 手机", "東京 京都 都の iphone 手机"),
    ("カ ガ \u30ab\u3099\u30ad ｶﾞｷ", "カ ガ カ\u3099キ ｶﾞｷ", "カ ガ カ\u3099キ ｶﾞｷ"),
    ("𠀀𠀁𠀂", "𠀀𠀁 𠀁𠀂", "𠀀𠀁 𠀁𠀂"),
    ("ภาษาไทย", "ภา าษ ษา าไ ไท ทย", "ภา าษ ษา าไ ไท ทย"),
    ("น้ำ ๒๕๖๗", "น้ำ ๒๕๖๗", "น้ำ ๒๕๖๗"),
    ("កម្ពុជា မြန်မာ", "កម្ពុ ម្ពុជា မြန် န်မာ", "កម្ពុ ម្ពុជា မြန် န်မာ"),
    ("ไทย中国", "ไท ทย 中国", "ไท ทย 中国"),
    ("𞤀𞤁𞤂", "𞤢𞤣𞤤", "𞤢𞤣𞤤"),
    ("ന്\u200d അവന്\u200d\u200d", "അവന്\u200d", "ന്\u200d അവന്\u200d"),
    ("שלום\u200f abc\u00ad", "שלום abc", "שלום abc"),
    ("👨‍👩‍👧 🇩🇪🇫🇷 👍🏽 1️⃣ #️⃣ ❤️ ❤ © ©️", "", "👨‍👩‍👧 🇩🇪 🇫🇷 👍🏽 1️⃣ #️⃣ ❤️ ❤ ©️"),
    (f"{ENGLAND}!", "", ENGLAND),
    ("İstanbul ISPARTA", "i\u0307stanbul isparta", "i\u0307stanbul isparta"),
    ("", "", ""),
]  # fmt: skip
# characters of all planes, the special ones often
CHARACTERS = st.one_of(
    st.characters(exclude_categories=["Cs"]),
    st.characters(categories=["Mn", "Mc", "Me", "Cf"]),
    st.sampled_from(
        "aA1_'\".,;·#@&* \n\u05d0\u0e01\u0e33\u4e00\u30a2\u3099\uff9e\u1000\u1039\u17d2\u094d\u200b"
    ),
    st.sampled_from("\u200c\u200d\u00ad\ufe0f\u20e3👍🏽👩🔬🇩🇪©❤İ"),
)
TEXTS = st.text(CHARACTERS, max_size=20)


@pytest.mark.parametrize("text, auto, by_uax", FOUND)
def test_words_of_a_text(text, auto, by_uax):
    assert DEFAULT_ANALYZER(text) == auto.split()
    assert UNICODE(text) == by_uax.split()


@pytest.mark.parametrize("words", ["auto", "unicode"])
@pytest.mark.parametrize("hashtags", [False, True])
class TestSettings:
    @given(texts=st.lists(TEXTS, min_size=1, max_size=4))
    @settings(max_examples=60)
    def test_count_vectorizer_with_the_pattern_finds_the_same_terms(self, words, hashtags, texts):
        analyzer = ts.Analyzer(words=words, hashtags=hashtags, ngram_range=(1, 2), stop_words=["aa"])
        plain = CountVectorizer(**analyzer.vectorizer_options).build_analyzer()
        assert [plain(text) for text in texts] == [analyzer(text) for text in texts]


@pytest.mark.parametrize("words", ["auto", "unicode"])
@pytest.mark.parametrize("hashtags", [False, True])
class TestCompiled:
    @given(texts=st.lists(TEXTS, min_size=1, max_size=5), least=st.sampled_from([1, 1, 3]))
    @settings(max_examples=150)
    def test_scan_finds_the_terms_of_the_pattern(self, words, hashtags, texts, least):
        analyzer = ts.Analyzer(words=words, hashtags=hashtags, ngram_range=(1, 2), min_length=least)
        assert scanned(texts, analyzer) == [Counter(analyzer(text)) for text in texts]

    @pytest.mark.slow
    def test_scan_agrees_with_the_pattern_on_every_character(self, words, hashtags):
        analyzer = ts.Analyzer(words=words, hashtags=hashtags, lowercase=False)
        # of Han, Hangul and what is unassigned some are enough
        many = [range(0x3400, 0xD800, 97), range(0x20000, 0x110000, 997)]
        codes = itertools.chain(range(0x3400), range(0xE000, 0x20000), range(0xE0000, 0xE0200), *many)
        texts = [f"ab{c}cd {c}e f{c} {c}{c}" for c in map(chr, codes)]
        assert scanned(texts, analyzer) == [Counter(analyzer(text)) for text in texts]

    def test_term_vectorizer_accepts_an_analyzer(self, words, hashtags):
        analyzer = ts.Analyzer(words=words, hashtags=hashtags, normalize="NFKC", stop_words=["है"])
        texts = [text for text, _, _ in FOUND]
        ours, theirs = ts.TermVectorizer(analyzer=analyzer), CountVectorizer(analyzer=analyzer)
        assert_same_rows(ours.fit_transform(texts), theirs.fit_transform(texts))
        assert ours.vocabulary_ == theirs.vocabulary_
        assert_same_rows(ours.transform(texts[:5]), theirs.transform(texts[:5]))

    def test_term_vectorizer_recognizes_the_pattern(self, words, hashtags):
        own = ts.TermVectorizer(**ts.Analyzer(words=words, hashtags=hashtags).vectorizer_options)
        assert own._kernel_analyzer() == ts.Analyzer(words=words, hashtags=hashtags)


def scanned(texts, analyzer):
    """The terms of texts and their numbers, by the compiled scan."""
    scanner = Scanner(analyzer)
    bags = scanner.scan_texts(texts)
    ranked = scanner.lexicon.rank_terms(1)
    names = [ranked.names[place] for place in ranked.ranks(bags.codes).tolist()]
    pairs = list(zip(names, bags.counts.tolist(), strict=True))
    return [Counter(dict(pairs[a:b])) for a, b in itertools.pairwise(bags.indptr.tolist())]


def assert_same_rows(ours, theirs):
    assert (ours != theirs).nnz == 0


def test_rejects_text_options_together_with_an_analyzer():
    own = ts.TermVectorizer(analyzer=ts.Analyzer(), ngram_range=(1, 2))
    with pytest.raises(ts.InvalidInputError, match=r"ngram_range=\(1, 2\) has no effect with an Analyzer"):
        own.fit(["a text"])


@given(text=st.text(st.characters(exclude_categories=["Cs", "Mn", "Mc", "Me"]), max_size=40))
@settings(max_examples=200)
def test_auto_words_equal_count_vectorizer_for_scripts_with_spaces_and_no_marks(text):
    from termsift.text.characters import common_classes

    special = [common_classes()[name] for name in ("mark", "joiner", "ideograph", "cluster")]
    # what is small may have marks, or be one
    plain = "".join(c for c in text.lower() if not any(kind[ord(c)] for kind in special))
    assert DEFAULT_ANALYZER(plain) == CountVectorizer().build_analyzer()(plain)


class TestTags:
    text = "#Wow @anna_b says a@b.com &#39; ##two #東京都 #1, #don't @ #"

    def test_tags_and_names_are_words(self):
        found = ts.Analyzer(words="auto", hashtags=True)(self.text)
        assert found == ["#wow", "@anna_b", "says", "com", "39", "#two", "#東京都", "#1", "#don"]

    def test_words_follow_uax_29(self):
        found = ts.Analyzer(words="unicode", hashtags=True)(self.text)
        assert found == ["#wow", "@anna_b", "says", "a", "b.com", "39", "#two", "#東京都", "#1", "#don", "t"]


class TestSegmenters:
    def test_segmenter_splits_runs_without_spaces(self):
        seen = []

        def halves(run):
            seen.append(run)
            return [run[:2], " ", run[2:], "。"]

        found = ts.Analyzer(words="auto", segmenter=halves)("Die 東京都民は ok 2024年 ไทย中国 ABC")
        assert found == ["die", "東京", "都民は", "ok", "2024", "年", "ไท", "ย", "中国", "abc"]
        assert seen == ["東京都民は", "年", "ไทย", "中国"]

    @pytest.mark.parametrize("given", ["ab", None, 3])
    def test_rejects_segmenters_that_return_no_list(self, given):
        with pytest.raises(ts.InvalidInputError, match="segmenter must return a list of words, got"):
            ts.Analyzer(words="auto", segmenter=lambda run: given)("東京")

    def test_rejects_segmenters_that_return_non_str(self):
        with pytest.raises(ts.InvalidInputError, match="segmenter must return words as str, got 1"):
            ts.Analyzer(words="auto", segmenter=lambda run: [1])("東京")

    def test_repr_of_functions_is_stable(self):
        assert "segmenter=<builtins.list>" in repr(ts.Analyzer(words="auto", segmenter=list))


class TestForms:
    @pytest.mark.parametrize("form", ["NFC", "NFKC"])
    def test_texts_in_any_form_have_the_same_words(self, form):
        analyzer = ts.Analyzer(words="auto", normalize=form)
        for text in ("Ångström café", "ガギグ 한국어"):
            assert analyzer(unicodedata.normalize("NFD", text)) == analyzer(text)

    def test_nfkc_normalizes_wide_letters(self):
        assert ts.Analyzer(words="auto", normalize="NFKC")("ＡＢＣ ℡ ｶﾞｷ ﬁne") == [
            "abc",
            "tel",
            "ガキ",
            "fine",
        ]

    def test_html_is_removed_first(self):
        assert ts.Analyzer(html=True)("<p class=big>caf&eacute; <b>now</b></p>") == ["café", "now"]


class TestLengths:
    @pytest.mark.parametrize("words", ["sklearn", "auto", "unicode"])
    def test_short_words_are_dropped(self, words):
        analyzer = ts.Analyzer(words=words, min_length=4, ngram_range=(1, 2))
        assert analyzer("It took three long") == ["took", "three", "long", "took three", "three long"]

    def test_settings_with_min_length_find_the_same_terms_for_runs(self):
        analyzer = ts.Analyzer(min_length=4)
        plain = CountVectorizer(**analyzer.vectorizer_options).build_analyzer()
        assert plain("It took three") == analyzer("It took three") == ["took", "three"]

    @pytest.mark.parametrize("options", [{"token_pattern": r"\w+@\w+"}, {"words": "auto"}])
    def test_settings_with_min_length_are_none_for_words_that_are_not_runs(self, options):
        assert ts.Analyzer(min_length=4, **options).vectorizer_options is None


@pytest.mark.parametrize(
    "options, message",
    [
        ({"words": "unicod"}, "no tokenization mode named 'unicod'; did you mean 'unicode'?"),
        ({"words": None}, "no tokenization mode named None"),
        ({"normalize": "NFD"}, "no Unicode normalization named 'NFD'; did you mean"),
        ({"min_length": 0}, "min_length must be an integer from 1 to 1,000,000, got 0"),
        ({"min_length": 2.5}, "min_length must be an integer from 1 to 1,000,000, got 2.5"),
        ({"min_length": 2**63}, "min_length must be an integer from 1 to 1,000,000, got 92"),
        ({"min_length": True}, "min_length must be an integer"),
        ({"min_length": 2, "analyzer": "char"}, "min_length=2 needs analyzer='word', got analyzer='char'"),
        ({"segmenter": "jieba"}, "segmenter must be a function that splits a text into words, got 'jieba'"),
        ({"segmenter": list}, "segmenter must not be set with words='sklearn'; use words='auto'"),
        ({"hashtags": True}, "hashtags must not be set with words='sklearn'; use words='auto'"),
        ({"hashtags": "yes", "words": "auto"}, "hashtags must be True or False, got 'yes'"),
        ({"html": "yes"}, "html must be True or False, got 'yes'"),
        ({"words": "auto", "token_pattern": r"\w+"}, r"needs words='sklearn', got words='auto'"),
        ({"stop_words": "klingon"}, "klingon"),
    ],
)  # fmt: skip
def test_rejects_invalid_options(options, message):
    with pytest.raises((ts.InvalidInputError, ts.UnknownNameError), match=re.escape(message)):
        ts.Analyzer(**options)


def test_stop_words_of_a_language():
    assert ts.Analyzer(stop_words="english")("the cat and the dog") == ["cat", "dog"]


@pytest.mark.parametrize("own", [{"stemmer": "english"}, {"normalize": "NFC"}, {"html": True}])
def test_settings_are_none_if_text_or_words_are_changed(own):
    assert ts.Analyzer(**own).vectorizer_options is None


def test_repr_of_older_options_is_unchanged():
    old = (
        r"Analyzer(lowercase=True, token_pattern='(?u)\\b\\w\\w+\\b', stop_words=(), ngram_range=(1, 1), "
        "strip_accents=None, analyzer='word', stemmer=None)"
    )
    assert repr(ts.Analyzer()) == old
    assert repr(DEFAULT_ANALYZER) == old[:-1] + ", words='auto')"
    assert repr(ts.Analyzer(words="unicode", min_length=3)) == old[:-1] + ", words='unicode', min_length=3)"
