"""On real corpora TermVectorizer and ts.count give what CountVectorizer gives, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import termsift as ts
from real_texts import newsgroups, reuters, sms


@pytest.mark.parametrize("corpus", [newsgroups, reuters, sms])
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2)])
def test_a_real_corpus(data_folder, corpus, ngram_range):
    texts, labels = corpus(data_folder)
    most = 8000 if ngram_range == (1, 1) else 3000
    texts, labels = texts[:most], labels[:most]
    theirs, ours = (
        CountVectorizer(ngram_range=ngram_range),
        ts.TermVectorizer(ngram_range=ngram_range, n_jobs=2),
    )
    X, Y = theirs.fit_transform(texts), ours.fit_transform(texts)
    X.sort_indices()
    Y.sort_indices()
    assert ours.vocabulary_ == theirs.vocabulary_
    for x, y in ((X.indptr, Y.indptr), (X.indices, Y.indices), (X.data, Y.data)):
        np.testing.assert_array_equal(x, y)
    expected = ts.count(X, labels, terms=theirs.get_feature_names_out())
    counts = ts.count(texts, labels, analyzer=ts.Analyzer(ngram_range=ngram_range))
    np.testing.assert_array_equal(counts.df.data, expected.df.data)
    np.testing.assert_array_equal(counts.df.indices, expected.df.indices)
    assert list(counts.terms) == list(expected.terms)
    np.testing.assert_array_equal(counts.tf2.data, expected.tf2.data)
    np.testing.assert_array_equal(counts.term_tf, expected.term_tf)
