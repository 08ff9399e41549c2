"""Some classes against some others, and corpora as classes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import termsift as ts
from strategies import Sample, samples
from termsift.counts.contingency import contrast_classes

TEXTS = ["free prize", "free lunch", "lunch today", "paris today", "paris lunch"]
LABELS = ["spam", "ham", "ham", "news", "news"]


@pytest.fixture
def counts():
    return ts.count(TEXTS, LABELS)


def counted(*classes):
    """The counts of the documents of some classes alone."""
    kept = [(text, label) for text, label in zip(TEXTS, LABELS, strict=True) if label in classes]
    return ts.count(*map(list, zip(*kept, strict=True)))


@given(samples(several_labels=False, weighted=False, least=1), st.data())
def test_counts_of_some_classes_equal_those_of_their_documents(sample, data):
    assume(all(sample.labels))
    known = sorted({name for names in sample.labels for name in names})
    chosen = data.draw(st.lists(st.sampled_from(known), min_size=1, unique=True))
    rows = [i for i, names in enumerate(sample.labels) if names[0] in chosen]
    alone = Sample([sample.documents[i] for i in rows], [sample.labels[i] for i in rows], None)
    assert sample.counts().only(chosen) == alone.counts()


@given(samples(weighted=False))
def test_as_class_equals_counting_under_one_label(sample):
    one = Sample(sample.documents, [["all"]] * len(sample.documents), None)
    assert sample.counts().as_class("all") == one.counts() or not sample.documents


def test_two_corpora_compare_as_two_classes(counts):
    both = counted("spam").as_class("a") + counted("ham").as_class("b")
    assert both == ts.count(TEXTS[:3], ["a", "b", "b"])


def test_contrast_of_two_classes_equals_counts_of_only_these(counts):
    found = ts.score(counts, "ig", for_class="spam", reference="ham")
    expected = ts.score(counted("spam", "ham"), "ig").of_class("spam")
    assert found.values.tolist() == expected.values.tolist()
    assert found.classes == ("spam",)
    assert list(found.top(n=3)) == list(expected.top("spam", 3))


def test_several_classes_are_merged_into_one(counts):
    found = ts.score(counts, "cc", for_class=["spam", "ham"], reference="news")
    expected = ts.score(ts.count(TEXTS, ["mail"] * 3 + ["news"] * 2), "cc").of_class("mail")
    assert found.classes == ("spam + ham",)
    assert found.values.tolist() == expected.values.tolist()
    rest = ts.score(counts, "cc", for_class=["ham", "spam"])
    assert rest.classes == ("ham + spam",)
    assert rest.values.tolist() == expected.values.tolist()


def test_single_class_is_compared_with_all_others(counts):
    found, all_classes = ts.score(counts, "cc", for_class="ham"), ts.score(counts, "cc")
    assert found.values[:, 0].tolist() == all_classes.column("ham").tolist()


@given(samples(several_labels=False, least=2))
def test_scores_of_one_class_equal_its_column_in_every_metric(sample):
    counts = sample.counts()
    assume(all(sample.labels) and np.count_nonzero(counts.class_sizes) > 1)
    for metric in ts.metrics():
        options = {"per_class": True} if metric.summed else {}
        scores = ts.score(counts, metric, **options)
        for name in scores.classes:
            one = ts.score(counts, metric, for_class=name, **options)
            assert one.values[:, 0].tolist() == scores.column(name).tolist()
            assert (one.sided, one.of, one.metric) == (scores.sided, scores.of, scores.metric)
            assert one.signs.tolist() == scores.of_class(name).signs.tolist()


def test_terms_are_selected_for_a_contrast(counts):
    chosen = ts.select(counts, "cc", ts.TopK(1), for_class="news", reference=["spam", "ham"])
    assert chosen == ["paris"]


def test_numeric_classes_can_be_contrasted():
    counts = ts.count(np.eye(3, dtype=int), [1, 2, 3])
    assert ts.score(counts, "cc", for_class=1, reference=[2, 3]).classes == ("1",)
    assert contrast_classes(counts, 1, "3")[0].classes == (1, 3)


@pytest.mark.parametrize(
    "for_class, reference, message",
    [
        ("spam", "spam", "class 'spam' is both target and reference; name two different classes"),
        ("spam", ["ham", "spam"], "class 'spam' is both target and reference"),
        ("spam", "nwes", "no class named 'nwes'; did you mean 'news'?"),
        ("spma", "news", "no class named 'spma'; did you mean 'spam'?"),
        (None, "news", "for_class is missing: name the class to compare with 'news'"),
        (["spam", "ham", "news"], None, "for_class names every class"),
        ("spam", [], "name at least one class"),
    ],
)
def test_rejects_invalid_contrasts(counts, for_class, reference, message):
    with pytest.raises(ts.TermsiftError) as told:
        ts.score(counts, "cc", for_class=for_class, reference=reference)
    assert message in str(told.value)
    with pytest.raises(ts.TermsiftError):
        ts.select(counts, "cc", for_class=for_class, reference=reference)


def test_rejects_selection_of_classes_that_share_documents():
    counts = ts.count(["a b", "a c", "b"], [["x", "y"], ["x"], ["z"]], analyzer=str.split)
    with pytest.raises(ts.InvalidInputError, match="classes cannot be selected from counts"):
        counts.only(["x", "z"])
    assert counts.as_class("all").class_sizes.tolist() == [3]


@pytest.mark.parametrize("name", [None, float("nan"), np.datetime64("NaT")])
def test_rejects_missing_class_names(counts, name):
    with pytest.raises(ts.InvalidInputError, match="a class needs a name"):
        counts.as_class(name)
