"""Every metric against a reference that knows nothing of termsift."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import termsift as ts
from reference import REFERENCES
from reference_cases import (
    ANY_LABEL_CASES,
    CASES,
    CORPORA,
    SEVERAL_LABELS,
    SINGLE_LABEL,
    SINGLE_LABEL_CASES,
    Case,
    Corpus,
    assert_close,
    case_id,
    expected,
    scores,
    single_label,
)


def test_every_metric_has_a_reference() -> None:
    assert {metric.name for metric in ts.metrics()} == {*REFERENCES, "rand"}


def test_every_option_of_every_metric_is_tested() -> None:
    tried = {(case.metric, option) for case in CASES for option in case.options}
    assert tried == {(m.name, option) for m in ts.metrics() for option in m.options if m.name != "rand"}


@pytest.mark.parametrize("case", CASES, ids=case_id)
@pytest.mark.parametrize("name", SINGLE_LABEL)
def test_scores_equal_the_reference(name: str, case: Case) -> None:
    corpus = CORPORA[name]
    # the likelihood of many occurrences is a small difference of large sums, here and in SciPy
    nothing = 1e-10 if case.options.get("of") == "tf" else 1e-12
    assert_close(scores(corpus.counts, case), expected(corpus, case), atol=nothing)


@pytest.mark.parametrize("case", ANY_LABEL_CASES, ids=case_id)
def test_scores_equal_the_reference_with_several_labels(case: Case) -> None:
    corpus = CORPORA["several_labels"]
    assert_close(scores(corpus.counts, case), expected(corpus, case))


@pytest.mark.parametrize("case", ANY_LABEL_CASES, ids=case_id)
def test_scores_equal_the_reference_with_an_indicator_matrix(case: Case) -> None:
    corpus = CORPORA["indicator_matrix"]
    assert_close(scores(corpus.counts, case), expected(corpus, case))


@pytest.mark.parametrize("case", SINGLE_LABEL_CASES, ids=case_id)
@pytest.mark.parametrize("name", SEVERAL_LABELS)
def test_single_label_metric_rejects_several_labels(name: str, case: Case) -> None:
    with pytest.raises(ts.InvalidInputError):
        scores(CORPORA[name].counts, case)


@pytest.mark.parametrize("name", CORPORA)
def test_columns_are_the_classes_in_order(name: str) -> None:
    assert list(CORPORA[name].counts.classes) == CORPORA[name].classes


def test_the_long_corpus_has_terms_in_more_than_a_thousand_documents() -> None:
    df = (CORPORA["long"].X > 0).sum(axis=0)
    assert (df > 1000).sum() >= 5
    assert (df < 1000).sum() >= 5


@pytest.mark.parametrize("metric", [m for m in ts.metrics() if m.aliases], ids=lambda m: m.name)
def test_an_alias_scores_as_its_name(metric: Any) -> None:
    counts = CORPORA["three_classes"].counts
    for alias in metric.aliases:
        np.testing.assert_array_equal(ts.score(counts, alias), ts.score(counts, metric.name))


def test_rand_is_one_seeded_uniform_number_per_term() -> None:
    counts = CORPORA["long"].counts
    first, again, other = (np.asarray(ts.score(counts, "rand", random_state=seed)) for seed in (7, 7, 8))
    assert first.shape == (60,)
    assert ((first >= 0) & (first < 1)).all()
    assert len(set(first)) == 60
    np.testing.assert_array_equal(first, again)
    assert (first != other).all()


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    """Up to 8 documents, 5 terms, 3 classes; no, one or several labels a document."""
    documents, terms = draw(st.integers(1, 8)), draw(st.integers(1, 5))
    row = st.lists(st.sampled_from([0, 0, 1, 3]), min_size=terms, max_size=terms)
    X = np.array(draw(st.lists(row, min_size=documents, max_size=documents)))
    subset = st.lists(st.sampled_from("abc"), unique=True, max_size=draw(st.integers(1, 3)))
    labels = draw(st.lists(subset, min_size=documents, max_size=documents))
    held = [set(row) for row in labels]
    assume(0 < sum("a" in row for row in held) < documents)  # something to tell apart
    return Corpus(X, labels, held, sorted(set().union(*held)))


@given(corpora())
def test_scores_of_any_small_corpus_equal_the_reference(corpus: Corpus) -> None:
    counts = corpus.counts
    for case in ANY_LABEL_CASES:
        assert_close(scores(counts, case), expected(corpus, case), err_msg=case_id(case))


@given(corpora(), st.data())
def test_scores_of_any_small_single_label_corpus_equal_the_reference(
    corpus: Corpus, data: st.DataObject
) -> None:
    labels = data.draw(
        st.lists(st.sampled_from("abc"), min_size=len(corpus.labels), max_size=len(corpus.labels))
    )
    assume(len(set(labels)) > 1)
    one_label = single_label(corpus.X, labels)
    for case in SINGLE_LABEL_CASES:
        assert_close(scores(one_label.counts, case), expected(one_label, case), err_msg=case_id(case))
