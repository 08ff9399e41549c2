"""CountVectorizer beside TermVectorizer: texts that tell them apart, and what must be equal."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

import termsift as ts

# what breaks tokenizers: capitals that change length or depend on place, marks, digits, joiners, controls
ODD = "aZé_9 -'.İıΣσςßẞǅﬁe\u0301\u0345क्ष०١𝟙Ⅷ中文🙂\u200d\u00a0\u2028\x00\x1f\x85\t\n\ud800"
# texts of ASCII alone take another way than the rest
TEXT = st.text(st.sampled_from(ODD) | st.characters(), max_size=30) | st.text(st.sampled_from("aAzZ9_ -\n\0"))


def same(ours, theirs):
    """Equal vocabulary and matrix, whatever the order of entries within a row."""
    assert ours[0].vocabulary_ == theirs[0].vocabulary_
    assert list(ours[0].get_feature_names_out()) == list(theirs[0].get_feature_names_out())
    for X, Y in zip(ours[1:], theirs[1:], strict=True):
        X, Y = X.copy(), Y.copy()
        X.sort_indices()
        Y.sort_indices()
        assert X.dtype == Y.dtype
        assert X.shape == Y.shape
        np.testing.assert_array_equal(X.indptr, Y.indptr)
        np.testing.assert_array_equal(X.indices, Y.indices)
        np.testing.assert_array_equal(X.data, Y.data)


def both(texts, others=None, n_jobs=None, **settings):
    """Both vectorizers fitted on texts, with their matrices of these and of others; or their complaint."""
    made = []
    for vectorizer in (ts.TermVectorizer(n_jobs=n_jobs, **settings), CountVectorizer(**settings)):
        try:
            X = vectorizer.fit_transform(texts)
        except ValueError as error:
            made.append(str(error))
        else:
            made.append((vectorizer, X, vectorizer.transform(texts if others is None else others)))
    return made
