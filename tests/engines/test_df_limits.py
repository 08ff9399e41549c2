"""min_df and max_df leave out the same terms in every engine, those that scikit-learn would."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

import termsift as ts
from oracle import as_sums, sums, within
from strategies import WORDS, samples, tokens

TEXTS, LABELS = ["aa bb", "aa cc cc", "aa bb dd", "aa bb"], [0, 1, 0, 1]
LIMITS = st.tuples(st.sampled_from([1, 2, 3, 0.0, 0.25, 0.5, 1.0]), st.sampled_from([1.0, 5, 9, 0.75]))


def matrix_of(sample):
    bags = sample.bags
    return np.array([[bag[word] for word in WORDS] for bag in bags], dtype=int).reshape(len(bags), len(WORDS))


def possible(limits, documents):
    """Whether the limits leave room, as numbers of documents; a share of 1.0 is no limit."""
    low, high = (x * documents if isinstance(x, float) else x for x in limits)
    return limits[1] == 1.0 or low <= high


@given(samples(), LIMITS)
def test_texts_and_matrices_agree_with_the_oracle(sample, limits):
    found = sums(sample.bags, sample.labels, sample.weights)
    assume(possible(limits, found[0]))
    options = {"min_df": limits[0], "max_df": limits[1], "sample_weight": sample.weights}
    texts = ["\t".join(document) for document in sample.documents]
    expected = within(found, *limits)
    assert as_sums(ts.count(texts, sample.labels, analyzer=tokens, **options)) == expected
    assert as_sums(ts.count(matrix_of(sample), sample.labels, terms=WORDS, **options)) == expected


@given(samples(least=1, weighted=False), LIMITS)
def test_files_agree_with_the_oracle(tmp_path_factory, sample, limits):
    assume(possible(limits, len(sample.documents)))
    path = tmp_path_factory.mktemp("files") / "m.jsonl"
    labels = [[str(name) for name in names] for names in sample.labels]
    texts = ["\t".join(document) for document in sample.documents]
    rows = [{"text": text, "label": names} for text, names in zip(texts, labels, strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    counts = ts.count(path, analyzer=tokens, min_df=limits[0], max_df=limits[1])
    assert as_sums(counts) == within(sums(sample.bags, labels), *limits)


@pytest.mark.parametrize(("min_df", "max_df"), [(2, 1.0), (1, 3), (0.5, 1.0), (1, 0.5), (0.3, 0.8), (1, 1)])
def test_the_terms_are_those_of_scikit_learn(min_df, max_df):
    vectorizer = CountVectorizer(min_df=min_df, max_df=max_df).fit(TEXTS)
    counts = ts.count(TEXTS, LABELS, min_df=min_df, max_df=max_df)
    assert list(counts.terms) == list(vectorizer.get_feature_names_out())
    assert ts.count(TEXTS, LABELS).with_df(min_df, max_df) == counts


def test_limits_hold_for_the_sum_of_parts_not_for_each():
    parts = ts.count(TEXTS[:2], LABELS[:2]) + ts.count(TEXTS[2:], LABELS[2:])
    assert parts.with_df(min_df=2) == ts.count(TEXTS, LABELS, min_df=2)


def test_default_df_limits_keep_all_terms():
    assert len(ts.count(np.zeros((2, 3), int), [0, 1]).terms) == 3
    assert len(ts.count(TEXTS, LABELS, sample_weight=[0.1] * 4).terms) == 4
    assert ts.count(TEXTS, LABELS, min_df=9).terms.tolist() == []


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"min_df": -1}, "min_df must be a number of documents or a share from 0.0 to 1.0, got -1"),
        ({"max_df": "many"}, "max_df must be a number of documents or a share .* got 'many'"),
        ({"min_df": True}, "min_df must be a number"),
        ({"max_df": float("nan")}, "max_df must be a number"),
        ({"min_df": 4, "max_df": 0.5}, "min_df=4 is more documents than max_df=0.5, which removes all terms"),
    ],
)
def test_rejects_invalid_df_limits(limits, message):
    with pytest.raises(ts.InvalidInputError, match=message):
        ts.count(TEXTS, LABELS, **limits)
