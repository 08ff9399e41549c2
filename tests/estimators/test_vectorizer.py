"""TermVectorizer is CountVectorizer, and the compiled scan finds what Python's own `re` finds."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils import estimator_checks
from snowballstemmer.porter_stemmer import PorterStemmer

import termsift as ts
from both_vectorizers import TEXT, both, same
from termsift._internal import kernels as compiled
from termsift._internal import resources as batches
from termsift.text.analyzer import load_stemmer
from termsift.text.characters import parse_run

PATTERNS = [
    r"(?u)\b\w\w+\b",
    r"(?u)\b\w+\b",
    r"\w+",
    r"\w{3,}",
    r"[a-zé]+",
    r"[^\W\d_]+",
    r"\d+",
    r"\S+",
    r"\b[a-z]+\b",
]
RANGES = [(1, 1), (1, 2), (2, 2), (1, 3), (2, 4)]


@settings(max_examples=2000)
@given(
    texts=st.lists(TEXT, max_size=6),
    others=st.lists(TEXT, max_size=3),
    pattern=st.sampled_from(PATTERNS),
    ngram_range=st.sampled_from(RANGES),
    lowercase=st.booleans(),
    strip_accents=st.sampled_from([None, "ascii", "unicode"]),
    stop_words=st.sampled_from([None, ["aa", "é", "zz"], "english"]),
    limits=st.sampled_from([{}, {"min_df": 2}, {"max_df": 0.5}, {"max_features": 2}, {"binary": True}]),
)
def test_every_option_on_every_text(
    texts, others, pattern, ngram_range, lowercase, strip_accents, stop_words, limits
):
    texts, others = (
        [t.replace("\ud800", "?") if pattern == r"\S+" else t for t in ts_] for ts_ in (texts, others)
    )
    ours, theirs = both(
        texts, others, token_pattern=pattern, ngram_range=ngram_range, lowercase=lowercase,
        strip_accents=strip_accents, stop_words=stop_words, **limits,
    )  # fmt: skip
    if isinstance(ours, str) or isinstance(theirs, str):
        assert ours == theirs
    else:
        same(ours, theirs)


@pytest.mark.slow
# between letters it does not matter where a text begins and ends: one holds many code points
@pytest.mark.parametrize(("form", "step"), [("xy?zw ", 64), ("?? a??", 1), ("Xy?", 1)])
def test_every_code_point_between_letters_doubled_and_at_the_end(form, step):
    every = [form.replace("?", chr(c)) for c in range(sys.maxunicode + 1)]
    documents = ["".join(every[at : at + step]) for at in range(0, len(every), step)]
    ours = ts.TermVectorizer(n_jobs=2)
    X = ours.fit_transform(documents)
    # to CountVectorizer the end of a text is as a blank: it reads all of them as one, with a word between
    found = CountVectorizer().build_analyzer()(" between ".join(documents))
    names = sorted({*found} - {"between"})
    assert list(ours.get_feature_names_out()) == names
    places = {"between": -1} | {name: place for place, name in enumerate(names)}
    columns = np.array([places[word] for word in found])
    of_texts = columns >= 0
    cells = np.cumsum(~of_texts)[of_texts], columns[of_texts]
    expected = csr_array((np.ones(of_texts.sum(), dtype=np.int64), cells), shape=X.shape)
    assert [hex(step * row) for row in (expected != X).nonzero()[0]] == []


@pytest.mark.parametrize("n_jobs", [1, 2, 5, -1])
def test_threads_change_nothing(n_jobs, monkeypatch):
    monkeypatch.setattr(batches, "BATCH_CHARACTERS", 50)
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{i}" for i in rng.zipf(1.3, 20) if i < 10**6) for _ in range(200)]
    for ngram_range in ((1, 1), (1, 2)):
        same(*both(texts, texts[::3], n_jobs=n_jobs, ngram_range=ngram_range))


def test_arrays_grow_as_they_fill():
    long = " ".join(f"token{i}" for i in range(40_000))
    many = ["b" * i + " c" for i in range(2, 300)]
    for ngram_range in ((1, 1), (1, 2)):
        same(*both([long, "a b", long[::-1], *many, "x" * 300_000], ngram_range=ngram_range))


class TestDropIn:
    TEXTS = ("The cat sat", "a cat and a dog", "dogs and cats and cats")

    @pytest.mark.parametrize(
        "settings",
        [
            {"analyzer": "char", "ngram_range": (2, 3)},
            {"analyzer": "char_wb", "ngram_range": (2, 3)},
            {"tokenizer": str.split, "token_pattern": None},
            {"preprocessor": str.upper},
            {"analyzer": str.split},
            {"token_pattern": r"(\w)\w+"},
            {"strip_accents": str.title},
            {"dtype": np.float32},
            {"vocabulary": ["cat", "and", "zebra"]},
            {"vocabulary": {"cat": 1, "dog": 0}},
            {"vocabulary": ["cat and", "cat", "and cats and"], "ngram_range": (1, 3)},
            {"stop_words": "english", "ngram_range": (1, 2)},
            {"min_df": 2, "ngram_range": (1, 2)},
        ],
    )
    def test_settings_of_every_kind(self, settings):
        ours, theirs = both(list(self.TEXTS), **settings)
        same(ours, theirs)
        assert [sorted(row) for row in ours[0].inverse_transform(ours[1])] == [
            sorted(row) for row in theirs[0].inverse_transform(theirs[1])
        ]

    def test_documents_of_bytes_and_files(self, tmp_path):
        raw = [text.encode("latin-1") for text in ("café noir", "noir")]
        same(*both(raw, encoding="latin-1"))
        (tmp_path / "a.txt").write_text("a cat")
        same(*both([tmp_path / "a.txt"], input="filename"))
        files = (ts.TermVectorizer(input="file"), CountVectorizer(input="file"))
        X, Y = (vectorizer.fit_transform([io.StringIO("a cat")]) for vectorizer in files)
        assert (X != Y).nnz == 0

    def test_documents_may_come_one_by_one(self):
        assert ts.TermVectorizer().fit_transform(text for text in self.TEXTS).shape[0] == 3

    def test_errors_are_those_of_count_vectorizer(self):
        for wrong in ("a string", [b"\xff"], [np.nan]):
            messages = []
            for vectorizer in (ts.TermVectorizer(), CountVectorizer()):
                with pytest.raises(ValueError, match=r".+") as caught:
                    vectorizer.fit_transform(wrong)
                messages.append(str(caught.value))
            assert messages[0] == messages[1]

    def test_pickling_and_cloning(self):
        vectorizer = ts.TermVectorizer(n_jobs=2, ngram_range=(1, 2)).fit(self.TEXTS)
        expected = vectorizer.transform(self.TEXTS)
        again = pickle.loads(pickle.dumps(vectorizer))
        assert (again.transform(self.TEXTS) != expected).nnz == 0
        assert clone(vectorizer).n_jobs == 2

    def test_replaced_vocabulary_is_used(self):
        vectorizer = ts.TermVectorizer().fit(self.TEXTS)
        vectorizer.vocabulary_ = {"dog": 0}
        assert vectorizer.transform(self.TEXTS).toarray().tolist() == [[0], [1], [0]]

    def test_threads_below_one(self):
        with pytest.raises(
            ts.InvalidInputError, match="n_jobs must be at least 1, or -1 for all cores, got 0"
        ):
            ts.TermVectorizer(n_jobs=0).fit(self.TEXTS)

    # scikit-learn's generator has no checks for texts; these are the ones that need no data
    @pytest.mark.parametrize(
        "check",
        [
            estimator_checks.check_estimator_cloneable,
            estimator_checks.check_estimator_repr,
            estimator_checks.check_get_params_invariance,
            estimator_checks.check_no_attributes_set_in_init,
            estimator_checks.check_parameters_default_constructible,
            estimator_checks.check_set_params,
            estimator_checks.check_valid_tag_types,
        ],
    )
    def test_scikit_learn_s_checks(self, check):
        check("TermVectorizer", ts.TermVectorizer())


class TestScan:
    @pytest.mark.parametrize("pattern", PATTERNS)
    def test_a_pattern_is_scanned_or_left_to_re(self, pattern):
        scanned = pattern not in (r"\S+", r"\b[a-z]+\b")
        assert ts.Analyzer(token_pattern=pattern).has_kernel == scanned

    def test_tokens_with_ends_of_lines_in_them(self):
        texts = ["ab\ncd ef", "gh"]
        counts = ts.count(texts, [0, 1], analyzer=ts.Analyzer(token_pattern=r"[a-z\n]+"))
        assert list(counts.terms) == ["ab\ncd", "ef", "gh"]

    def test_other_patterns(self):
        for pattern in (r"\w+@\w+", r"(\w+)", r"\w*", r"\b\w+", r"[a-z]+|\d+", r"\w{2,3}", r"\w{0,}"):
            assert parse_run(pattern) is None

    def test_an_unsupported_pattern_is_matched_by_re(self):
        analyzer = ts.Analyzer(token_pattern=r"(\w+)")
        assert not analyzer.has_kernel
        assert list(ts.count(["a bb", "c"], [0, 1], analyzer=analyzer).terms) == ["a", "bb", "c"]


class TestCompiling:
    @pytest.mark.slow
    def test_compiling_is_announced_once(self, tmp_path):
        code = "import termsift as ts; ts.count(['aa bb', 'cc'], [0, 1]); ts.count(['aa'], [0])"
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "TERMSIFT_COMPILED_FROM": "0"}
        first, again = (
            subprocess.run(
                [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
            )
            for _ in range(2)
        )
        assert first.stderr == "termsift: compiling kernels for this machine (once, takes some seconds)\n"
        assert again.stderr == ""

    def test_one_of_many_threads_announces_compiling(self, monkeypatch, capsys):
        monkeypatch.setattr(compiled, "ANNOUNCED", Lock())
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: compiled.announce_compilation(), range(64)))
        assert len(capsys.readouterr().err.splitlines()) == 1


class TestAnalyzer:
    @settings(max_examples=300)
    @given(
        text=TEXT,
        kind=st.sampled_from(["word", "char", "char_wb"]),
        ngram_range=st.sampled_from(RANGES),
        strip_accents=st.sampled_from([None, "ascii", "unicode"]),
    )
    def test_analyzer_returns_the_terms_of_count_vectorizer(self, text, kind, ngram_range, strip_accents):
        text = text.replace("\ud800", "?")
        options = {"analyzer": kind, "ngram_range": ngram_range, "strip_accents": strip_accents}
        expected = CountVectorizer(**options).build_analyzer()(text)
        assert sorted(ts.Analyzer(**options)(text)) == sorted(expected)

    def test_a_lone_surrogate_counts_as_a_question_mark(self):
        assert ts.Analyzer(token_pattern=r"\S+")("a\ud800b") == ["a?b"]
        counts = ts.count(["ab\ud800cd", "ab"], [0, 1])
        assert list(counts.terms) == ["ab", "cd"]

    def test_stems(self):
        assert ts.Analyzer(stemmer="porter", stop_words=["the"])("The cats ran running") == [
            "cat",
            "ran",
            "run",
        ]
        assert ts.Analyzer(stemmer=lambda token: token[:2])("cats dogs") == ["ca", "do"]
        assert list(
            ts.count(["running runs", "cat"], [0, 1], analyzer=ts.Analyzer(stemmer="porter")).terms
        ) == ["cat", "run"]

    def test_functions_as_analyzers(self):
        assert ts.Analyzer(analyzer=str.split)("a B") == ["a", "B"]

    def test_unknown_names(self):
        for options, message in [
            ({"analyzer": "words"}, "no analyzer named 'words'; did you mean 'word'"),
            ({"strip_accents": "ascci"}, "did you mean 'ascii'"),
            ({"stemmer": "prter"}, "no stemmer named 'prter'; did you mean 'porter'"),
        ]:
            with pytest.raises(ts.UnknownNameError, match=message):
                ts.Analyzer(**options)

    def test_threads_stem_as_one_does(self):
        draw = np.random.default_rng(0).choice(list("aeiostingedly"), (20_000, 9))
        words = ["".join(letters) for letters in draw.tolist()]
        # the implementation in Python; `snowballstemmer.stemmer` would take PyStemmer if it is installed
        expected = [PorterStemmer().stemWord(word) for word in words]
        stem = load_stemmer.__wrapped__("porter")
        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            with ThreadPoolExecutor(4) as pool:
                found = list(pool.map(lambda _: stem(words), range(4)))
        finally:
            sys.setswitchinterval(before)
        assert all(one == expected for one in found)

    def test_a_stemmer_that_is_not_installed(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "Stemmer", None)
        with pytest.raises(ts.InvalidInputError, match="pip install PyStemmer"):
            ts.Analyzer(stemmer="danish")


class TestCounting:
    @settings(max_examples=200)
    @given(
        texts=st.lists(TEXT, min_size=1, max_size=8),
        ngram_range=st.sampled_from(RANGES),
        weighted=st.booleans(),
        n_jobs=st.sampled_from([1, 3]),
        data=st.data(),
    )
    def test_texts_give_the_counts_of_count_vectorizer_s_matrix(
        self, texts, ngram_range, weighted, n_jobs, data
    ):
        labels = data.draw(
            st.lists(st.lists(st.sampled_from("xyz"), max_size=2), min_size=len(texts), max_size=len(texts))
        )
        weights = np.arange(len(texts)) / 4 if weighted else None
        vectorizer = CountVectorizer(ngram_range=ngram_range, stop_words=["aa"])
        try:
            X = vectorizer.fit_transform(texts)
        except ValueError:
            return
        expected = ts.count(X, labels, terms=vectorizer.get_feature_names_out(), sample_weight=weights)
        analyzer = ts.Analyzer(ngram_range=ngram_range, stop_words=["aa"])
        counts = ts.count(texts, labels, analyzer=analyzer, sample_weight=weights, n_jobs=n_jobs)
        heavy = np.flatnonzero(expected.term_df > 0)
        light = np.flatnonzero(counts.term_df > 0)
        assert counts.keep(light).df.toarray().tolist() == expected.keep(heavy).df.toarray().tolist()
        assert counts.keep(light).tf2.toarray().tolist() == expected.keep(heavy).tf2.toarray().tolist()
        assert list(counts.terms[light]) == list(expected.terms[heavy])
        assert counts.class_sizes.tolist() == expected.class_sizes.tolist()

    def test_the_bytes_are_the_same_for_any_number_of_threads(self, tmp_path, monkeypatch):
        monkeypatch.setattr(batches.batch_edges, "__defaults__", (60,))
        rng = np.random.default_rng(1)
        texts = [" ".join(f"w{i}" for i in rng.zipf(1.3, 30) if i < 1000) for _ in range(120)]
        labels, weights = rng.integers(0, 4, 120), rng.random(120)
        for n in (1, 2, 7):
            ts.count(texts, labels, sample_weight=weights, n_jobs=n).save(tmp_path / f"{n}")
        assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes() == (tmp_path / "7").read_bytes()


def test_n_grams_of_tokens_that_hold_ends_of_lines():
    texts = ["a\nb c d\ne", "c d\ne f", "a b", "a c"]
    settings = {"token_pattern": r"[a-z\n]+", "ngram_range": (1, 3)}
    same(*both(texts, texts, **settings))
    counts = ts.count(texts, [0, 1, 0, 1], analyzer=ts.Analyzer(**settings))
    assert list(counts.terms) == sorted(counts.terms)
