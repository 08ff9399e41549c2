"""Every engine for what is in memory gives the sums of the plain-loop oracle."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

import termsift as ts
from oracle import as_sums, sums
from strategies import WORDS, samples


def as_matrix(sample, words=WORDS):
    """The sample as an array of documents x words."""
    X = np.zeros((len(sample.documents), len(words)), dtype=np.int64)
    for row, bag in zip(X, sample.bags, strict=True):
        for word, value in bag.items():
            row[words.index(word)] = value
    return X


def with_repeats(X):
    """A CSR matrix whose rows hold columns twice, unsorted, with stored zeros."""
    half = sp.coo_array(X)
    rows = np.concatenate([half.row, half.row, np.arange(X.shape[0])])
    columns = np.concatenate([half.col, half.col, np.zeros(X.shape[0], dtype=int)])
    data = np.concatenate([half.data - 1, np.ones(half.nnz, dtype=int), np.zeros(X.shape[0], dtype=int)])
    order = np.lexsort((-columns, rows))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=X.shape[0]))])
    return sp.csr_array((data[order], columns[order], indptr), shape=X.shape)


FORMS = {
    "dense": lambda X: X,
    "dense, by columns": np.asfortranarray,
    "small integers": lambda X: X.astype(np.uint8),
    "32-bit floats": lambda X: X.astype(np.float32),
    "csr_array": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
    "csc_array": sp.csc_array,
    "coo_array": sp.coo_array,
    "lil_array": sp.lil_array,
    "dok_array": sp.dok_array,
    "bsr_array": sp.bsr_array,
    "dia_array": sp.dia_array,
    "repeats": with_repeats,
    "64-bit indices": lambda X: _wide(sp.csr_array(X)),
    "pandas": lambda X: pd.DataFrame(X, columns=list(WORDS)),
    "pandas, sparse": lambda X: pd.DataFrame.sparse.from_spmatrix(sp.csr_array(X), columns=list(WORDS)),
    "polars": lambda X: pl.DataFrame(X, schema=list(WORDS)),
    "arrow": lambda X: pa.table({word: X[:, i] for i, word in enumerate(WORDS)}),
}


def _wide(X):
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


@pytest.mark.parametrize("form", FORMS)
@given(sample=samples(least=1))
def test_a_matrix_of_every_form_agrees_with_the_oracle(form, sample):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SparseEfficiencyWarning)
        X = FORMS[form](as_matrix(sample))
    counts = ts.count(X, sample.labels, terms=WORDS, sample_weight=sample.weights)
    assert as_sums(counts) == sums(sample.bags, sample.labels, sample.weights)
    assert list(counts.terms) == list(WORDS)


@given(samples())
def test_texts_agree_with_the_oracle_and_come_in_code_point_order(sample):
    counts = sample.counts()
    assert as_sums(counts) == sums(sample.bags, sample.labels, sample.weights)
    assert list(counts.terms) == sorted(counts.terms)


@given(samples(several_labels=False, least=1))
def test_single_labels_may_have_any_sequence_type(sample):
    X, labels = as_matrix(sample), [names[0] for names in sample.labels]
    expected = ts.count(X, labels)
    forms = [
        tuple(labels),
        np.array(labels),
        np.array(labels, dtype=object),
        pd.Series(labels),
        pl.Series(labels),
    ]
    for form in [*forms, pa.array(labels), pa.chunked_array([labels])]:
        counts = ts.count(X, form)
        assert counts == expected
        assert [type(name) for name in counts.classes] == [type(name) for name in expected.classes]


@given(samples(least=1), st.sampled_from(["array", "csr", "csc", "frame", "bool"]))
def test_an_indicator_matrix_gives_its_columns_as_classes(sample, form):
    names = sorted({name for labels in sample.labels for name in labels})
    Y = np.zeros((len(sample.labels), len(names)), dtype=int)
    for row, labels in zip(Y, sample.labels, strict=True):
        row[[names.index(name) for name in labels]] = 1
    made = {
        "array": lambda: Y,
        "csr": lambda: sp.csr_matrix(Y),
        "csc": lambda: sp.csc_array(Y),
        "frame": lambda: pd.DataFrame(Y, columns=names),
        "bool": lambda: Y.astype(bool),
    }[form]()
    counts = ts.count(as_matrix(sample), made, terms=WORDS, sample_weight=sample.weights)
    named = (
        [[names.index(name) for name in labels] for labels in sample.labels]
        if form != "frame"
        else sample.labels
    )
    documents, sizes, cells, totals = sums(sample.bags, named, sample.weights)
    assert as_sums(counts) == (documents, sizes, cells, totals)


@pytest.mark.parametrize("form", [sp.coo_array, sp.coo_matrix, sp.csr_array, sp.csc_array])
def test_repeated_entries_of_a_boolean_matrix_are_one(form):
    entries = np.array([1, 1, 1, 1, 1, 0], bool), ([0, 0, 1, 2, 2, 2], [0, 0, 1, 1, 1, 0])
    X = sp.coo_array(entries, shape=(3, 2))
    if form is sp.csr_array:  # with its repeats, which the conversion would sum
        X = sp.csr_array((entries[0], entries[1][1], [0, 2, 3, 6]), shape=(3, 2))
    counts = ts.count(form(X), ["a", "b", "b"])
    assert counts.tf.toarray().tolist() == counts.df.toarray().tolist() == [[1, 0], [0, 2]]
    assert counts.term_tf2.tolist() == [1, 2]


def test_the_caller_s_matrix_is_not_changed():
    X = with_repeats(np.array([[2, 1], [3, 0]]))
    before = X.copy()
    ts.count(X, [0, 1])
    assert (X.data == before.data).all()
    assert (X.indices == before.indices).all()


def test_unit_weights_equal_no_weights():
    X = np.array([[1, 2], [0, 1]])
    weighted = ts.count(X, [0, 1], sample_weight=np.ones(2))
    assert weighted == ts.count(X, [0, 1])
    assert weighted.df.dtype == np.int64


def test_a_large_class_and_a_small_one_take_both_ways_of_the_kernel():
    rng = np.random.default_rng(0)
    X = sp.random_array(
        (300, 2000), density=0.02, random_state=rng, data_sampler=lambda size: rng.integers(1, 4, size)
    )
    y = np.array([0] * 299 + [1])
    counts = ts.count(X, y)
    dense = X.toarray()
    for c in (0, 1):
        assert counts.df[:, [c]].toarray()[:, 0].tolist() == (dense[y == c] > 0).sum(axis=0).tolist()
        assert counts.tf2[:, [c]].toarray()[:, 0].tolist() == (dense[y == c] ** 2).sum(axis=0).tolist()


def test_large_counts_do_not_overflow():
    X = np.array([[2**40, 1], [0, 1]])
    counts = ts.count(X, [0, 1])
    assert counts.tf2[0, 0] == 2.0**80
    assert ts.count(X[:, 1:], [0, 1], sample_weight=[2.0**52, 1]).documents == 2**52 + 1
    # as many documents as the squares of the largest whole counts leave 64 bits for, and more
    many = sp.csr_array(np.full((1 << 23, 1), 1 << 20, dtype=np.int32))
    assert ts.count(many, np.zeros(1 << 23, dtype=np.int8)).term_tf2[0] == 2.0**63


def test_frames_of_every_library_name_their_columns():
    for frame in (
        pa.table({"aa": [1, 0], "bb": [0, 2]}),
        pd.DataFrame({"aa": [1, 0], "bb": [0, 2]}, dtype="Int64"),
    ):
        assert ts.count(frame, ["x", "y"]) == ts.count(
            np.array([[1, 0], [0, 2]]), ["x", "y"], terms=["aa", "bb"]
        )
    X, Y = np.eye(2, dtype=int), {"p": [1, 0], "q": [1, 1]}
    for frame in (pd.DataFrame(Y), pl.DataFrame(Y), pa.table(Y)):
        assert ts.count(X, frame).classes == ("p", "q")


def test_a_column_of_labels_is_a_list_of_labels():
    X = np.eye(2, dtype=int)
    for labels in (pd.DataFrame({"label": ["a", "b"]}), np.array([["a"], ["b"]])):
        assert ts.count(X, labels) == ts.count(X, ["a", "b"])


def test_dates_of_numpy_are_dates():
    labels = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[ns]")
    assert [name.year for name in ts.count(np.eye(2, dtype=int), labels).classes] == [2020, 2021]


def test_labels_may_be_read_once_only():
    counts = ts.count(["a b", "b c"], (name for name in "xy"), analyzer=CountVectorizer(token_pattern=r"\w+"))
    assert counts.class_sizes.tolist() == [1, 1]


class TestVectorizers:
    TEXTS = ("Free prize, free entry", "free lunch today", "lunch at noon", "noon noon")
    LABELS = ("spam", "ham", "ham", "ham")

    def test_the_default_analyzer_is_that_of_count_vectorizer(self):
        X = CountVectorizer()
        matrix = X.fit_transform(self.TEXTS)
        expected = ts.count(matrix, list(self.LABELS), terms=X.get_feature_names_out())
        counts = ts.count(list(self.TEXTS), list(self.LABELS))
        assert as_sums(counts) == as_sums(expected)
        assert list(counts.terms) == list(expected.terms)

    @pytest.mark.parametrize("settings", [{}, {"min_df": 2}, {"binary": True}, {"ngram_range": (1, 2)}])
    def test_count_vectorizer_settings_apply(self, settings):
        vectorizer = CountVectorizer(**settings)
        counts = ts.count(list(self.TEXTS), list(self.LABELS), analyzer=vectorizer)
        X = vectorizer.fit_transform(self.TEXTS)
        expected = ts.count(X, list(self.LABELS), terms=vectorizer.get_feature_names_out())
        assert as_sums(counts) == as_sums(expected)

    def test_a_tfidf_vectorizer_gives_counts_not_weights(self):
        counts = ts.count(list(self.TEXTS), list(self.LABELS), analyzer=TfidfVectorizer(sublinear_tf=True))
        assert as_sums(counts) == as_sums(ts.count(list(self.TEXTS), list(self.LABELS)))

    def test_the_caller_s_vectorizer_is_not_fitted(self):
        vectorizer = CountVectorizer()
        ts.count(list(self.TEXTS), list(self.LABELS), analyzer=vectorizer)
        assert not hasattr(vectorizer, "vocabulary_")

    def test_rejects_hashing_vectorizer(self):
        with pytest.raises(
            ts.InvalidInputError, match="HashingVectorizer does not store the names of its terms"
        ):
            ts.count(["a"], ["x"], analyzer=HashingVectorizer())

    def test_ngrams_and_stop_words_agree_with_count_vectorizer(self):
        analyzer = ts.Analyzer(stop_words=["free", "at"], ngram_range=(1, 3), lowercase=False)
        vectorizer = CountVectorizer(stop_words=["free", "at"], ngram_range=(1, 3), lowercase=False)
        vectorizer.fit(self.TEXTS)
        counts = ts.count(list(self.TEXTS), list(self.LABELS), analyzer=analyzer)
        assert list(counts.terms) == list(vectorizer.get_feature_names_out())


class TestTextsOfEveryKind:
    TEXTS = ("one two", "two")

    @pytest.mark.parametrize(
        "kind", [tuple, np.array, pd.Series, pl.Series, pa.array, lambda t: pa.chunked_array([t])]
    )
    def test_a_sequence_of_texts(self, kind):
        assert ts.count(kind(list(self.TEXTS)), [0, 1]) == ts.count(list(self.TEXTS), [0, 1])

    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
    def test_the_columns_of_a_frame(self, frame):
        data = frame({"body": list(self.TEXTS), "folder": ["x", "y"]})
        assert ts.count(data, text="body", label="folder") == ts.count(list(self.TEXTS), ["x", "y"])
        assert ts.count(data, ["x", "y"], text="body") == ts.count(list(self.TEXTS), ["x", "y"])
