"""Measures of decisions: scikit-learn as the reference, laws of adding, edges."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import accuracy_score, fbeta_score, precision_recall_fscore_support
from sklearn.preprocessing import MultiLabelBinarizer

import termsift as ts
from termsift.evaluation.confusion import Confusion
from termsift.evaluation.measures import accuracy, f1, f_beta, precision, recall

NAMES = ("a", "b", "ß", "中文")


@st.composite
def decisions(draw: st.DrawFn) -> tuple[list[set[str]], list[set[str]]]:
    """True and predicted labels, several a document, of few documents."""
    one = st.sets(st.sampled_from(NAMES), max_size=3)
    pairs = draw(st.lists(st.tuples(one, one), max_size=9))
    return [true for true, _ in pairs], [predicted for _, predicted in pairs]


def indicators(labels: tuple[list[set[str]], list[set[str]]]) -> list[np.ndarray]:
    """True and predicted labels as scikit-learn's indicator matrices, a column for each name."""
    binarizer = MultiLabelBinarizer(classes=NAMES).fit([])
    return [binarizer.transform(part) for part in labels]


def columns(confusion: Confusion) -> list[int]:
    """The columns of the classes; there are always more, since scikit-learn reads a lone one as labels."""
    return [NAMES.index(name) for name in confusion.classes]


some_decisions = decisions().filter(lambda labels: any(map(any, labels)))


@given(some_decisions)
def test_measures_of_each_class_and_sizes_are_those_of_scikit_learn(labels):
    confusion = Confusion.from_labels(*labels)
    expected = precision_recall_fscore_support(
        *indicators(labels), labels=columns(confusion), zero_division=0
    )
    ours = (confusion.precision, confusion.recall, confusion.f1, confusion.sizes)
    for mine, theirs in zip(ours, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-13)


@pytest.mark.parametrize("average", ["micro", "macro", "weighted"])
@given(labels=some_decisions, beta=st.sampled_from([0.5, 1.0, 2.0]))
def test_averages_are_those_of_scikit_learn(average, labels, beta):
    confusion = Confusion.from_labels(*labels)
    p, r, f, _ = precision_recall_fscore_support(
        *indicators(labels), labels=columns(confusion), beta=beta, average=average, zero_division=0
    )
    ours = getattr(confusion, average)
    assert (ours.precision, ours.recall, ours.f_beta(beta)) == pytest.approx((p, r, f), rel=1e-13)


@given(some_decisions)
def test_accuracy_is_that_of_scikit_learn_and_micro_and_macro_agree(labels):
    confusion = Confusion.from_labels(*labels)
    true, predicted = (part[:, columns(confusion)] for part in indicators(labels))
    expected = [accuracy_score(t, p) for t, p in zip(true.T, predicted.T, strict=True)]
    np.testing.assert_allclose(confusion.accuracy, expected)
    assert confusion.macro.accuracy == pytest.approx(np.mean(expected))
    assert confusion.micro.accuracy == pytest.approx(np.mean(expected))


@given(decisions())
def test_the_four_counts_of_every_class_add_up_to_the_documents(labels):
    confusion = Confusion.from_labels(*labels)
    totals = confusion.tp + confusion.fp + confusion.fn + confusion.tn
    assert totals.tolist() == [len(labels[0])] * len(confusion.classes)


@given(decisions(), decisions())
def test_confusions_of_subsets_add_up(first, second):
    whole = Confusion.from_labels(first[0] + second[0], first[1] + second[1])
    assert Confusion.from_labels(*first) + Confusion.from_labels(*second) == whole
    assert sum([Confusion.from_labels(*second), Confusion.from_labels(*first)]) == whole


@given(decisions())
def test_adding_the_empty_confusion_changes_nothing(labels):
    confusion = Confusion.from_labels(*labels)
    assert confusion + Confusion.empty() == confusion == Confusion.empty() + confusion


def test_adding_a_new_class_counts_true_negatives():
    both = Confusion.from_labels(["a", "a"], ["a", "a"]) + Confusion.from_labels(["b"], ["a"])
    assert both.classes == ("a", "b")
    assert both.tn.tolist() == [0, 2]
    assert both.fp.tolist() == [1, 0]


def test_micro_pools_decisions_and_macro_averages_classes():
    confusion = Confusion.from_labels(["a"] * 8 + ["b"] * 2, ["a"] * 8 + ["a", "b"])
    assert confusion.micro.f1 == pytest.approx(0.9)
    assert confusion.macro.f1 == pytest.approx((16 / 17 + 2 / 3) / 2)
    assert confusion.weighted.f1 == pytest.approx(0.8 * 16 / 17 + 0.2 * 2 / 3)


TRUE, PREDICTED = np.array([[1, 0], [1, 1], [0, 0]]), np.array([[1, 0], [0, 1], [0, 1]])
FORMS = {
    "dense": np.asarray,
    "booleans": lambda matrix: matrix.astype(bool),
    "floats": lambda matrix: matrix.astype(float),
    "csr": sparse.csr_array,
    "coo": sparse.coo_array,
    "csc matrix": sparse.csc_matrix,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lists": lambda matrix: [np.flatnonzero(row).tolist() for row in matrix],
    "sets": lambda matrix: [set(np.flatnonzero(row)) for row in matrix],
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_of_labels_gives_the_same_confusion(form):
    confusion = Confusion.from_labels(form(TRUE), form(PREDICTED))
    assert confusion.classes == (("column_0", "column_1") if form is pl.DataFrame else (0, 1))
    assert (confusion.tp.tolist(), confusion.fp.tolist(), confusion.fn.tolist()) == ([1, 1], [0, 1], [1, 0])


def test_leading_axes_are_kept_and_pooled():
    truth = np.array([[1, 0], [0, 1], [1, 0]], dtype=bool)
    accepted = np.array([truth, ~truth, truth])
    along = Confusion.from_decisions(accepted, truth, "ab")
    assert along.tp.tolist() == [[2, 1], [0, 0], [2, 1]]
    assert along.macro.f1.tolist() == [1, 0, 1]
    assert along.micro.accuracy.tolist() == [1, 0, 1]
    assert along.exact_match_ratio.tolist() == [1, 0, 1]
    assert along.pool() == along[0] + along[1] + along[2] == sum([along[0], along[1], along[2]])
    stacked = Confusion.stack([along, along])
    assert stacked.pool(axis=0) == along + along
    assert stacked.tn.shape == (2, 3, 2)
    assert (stacked.tp + stacked.fp + stacked.fn + stacked.tn == 3).all()


def test_a_frame_of_indicators_keeps_the_names_of_its_columns():
    truth = pd.DataFrame({"grain": [1, 0], "trade": [1, 1]})
    assert Confusion.from_labels(truth, truth).classes == ("grain", "trade")


@pytest.mark.parametrize(
    "form", [list, tuple, np.array, pd.Series, pl.Series], ids=lambda form: form.__name__
)
def test_one_label_a_document_may_come_in_any_sequence(form):
    confusion = Confusion.from_labels(form(["a", "b", "b"]), form(["a", "a", "b"]))
    assert confusion == Confusion.from_labels([["a"], ["b"], ["b"]], [["a"], ["a"], ["b"]])


def test_an_indicator_keeps_the_classes_that_no_document_has():
    confusion = Confusion.from_labels(np.zeros((2, 3), dtype=int), np.zeros((2, 3), dtype=int))
    assert confusion.classes == (0, 1, 2)
    assert confusion.tn.tolist() == [2, 2, 2]
    assert confusion.macro.f1 == confusion.weighted.f1 == confusion.micro.f1 == 0


def test_an_indicator_of_no_documents_has_its_classes():
    confusion = Confusion.from_labels(sparse.csr_array((0, 2)), sparse.csr_array((0, 2)))
    assert (confusion.classes, confusion.documents, confusion.accuracy.tolist()) == ((0, 1), 0, [0, 0])


def test_no_documents_measure_zero():
    confusion = Confusion.from_labels([], [])
    assert (confusion.classes, confusion.documents) == ((), 0)
    for average in (confusion.micro, confusion.macro, confusion.weighted):
        assert (average.precision, average.recall, average.f1, average.accuracy) == (0, 0, 0, 0)


def test_indicator_argument_is_not_modified():
    stored = sparse.csr_array((np.array([0, 1]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    Confusion.from_labels(stored, stored)
    assert stored.nnz == 2


def test_confusions_compare_by_value_with_confusions_only():
    assert Confusion.from_labels(["a"], ["a"]) != Confusion.from_labels(["a"], ["b"])
    assert Confusion.from_labels(["a"], ["a"]) != Confusion.from_labels(["a", "a"], ["a", "a"])
    assert Confusion.empty() != 0
    with pytest.raises(TypeError):
        Confusion.empty() + 1
    with pytest.raises(TypeError):
        1 + Confusion.empty()


counts = st.integers(0, 50)


@given(st.lists(st.tuples(counts, counts, counts, counts), min_size=1, max_size=6))
def test_measures_of_arrays_are_those_of_their_elements(rows):
    tp, fp, fn, tn = np.array(rows).T
    for i, (a, b, c, d) in enumerate(rows):
        assert precision(tp, fp)[i] == precision(a, b)
        assert recall(tp, fn)[i] == recall(a, c)
        assert f1(tp, fp, fn)[i] == f1(a, b, c)
        assert accuracy(tp, fp, fn, tn)[i] == accuracy(a, b, c, d)
        truth, given_ = [1] * (a + c) + [0] * (b + d), [1] * a + [0] * c + [1] * b + [0] * d
        if truth:
            expected = fbeta_score(truth, given_, beta=3, zero_division=0)
            assert f_beta(tp, fp, fn, beta=3)[i] == pytest.approx(expected)


def test_measures_keep_any_shape():
    tp = np.arange(24).reshape(2, 3, 4)
    assert f1(tp, 1, tp).shape == (2, 3, 4)
    assert f1(tp, 1, tp)[1, 2, 3] == pytest.approx(46 / 70)


@pytest.mark.parametrize("measure", [precision, recall])
def test_zero_divided_by_zero_is_zero(measure):
    assert measure(0, 0) == 0
    assert f1(0, 0, 0) == accuracy(0, 0, 0, 0) == 0


def test_f_with_beta_zero_is_precision():
    assert f_beta(3, 1, 5, beta=0) == precision(3, 1)


@pytest.mark.parametrize("beta", [-1, np.nan, np.inf])
def test_rejects_invalid_beta(beta):
    with pytest.raises(ts.InvalidInputError, match="beta must be at least 0 and finite"):
        f_beta(1, 1, 1, beta=beta)


@pytest.mark.parametrize(
    "labels, message",
    [
        (["a"], "truth has 2 documents but predicted has 1"),
        ([["a"], "b"], "document 1 has the label 'b', others have lists of labels"),
        (["a", None], "document 1 has a missing label"),
        (["a", float("nan")], "document 1 has a missing label"),
        ([1, "a"], "class names are of mixed types"),
        ([[["a"]], []], r"document 0 has the label \['a'\], which is not a single value"),
        ("ab", "must be lists, one item (a|per) document, got str"),
        (7, "must be lists, one item (a|per) document, got int"),
        (np.array([[2, 0], [0, 1]]), "holds 0 and 1 only, got 2"),
        (np.array([["a", "b"], ["b", "a"]]), "must be an indicator of 0 and 1, got <U1"),
    ],
)
def test_invalid_labels_are_one_line_errors(labels, message):
    with pytest.raises(ts.InvalidInputError, match=message):
        Confusion.from_labels(["a", "b"], labels)


def test_indicators_of_different_widths_are_an_error():
    with pytest.raises(ts.InvalidInputError, match=r"truth has 2 columns \(classes\) but predicted has 3"):
        Confusion.from_labels(np.eye(2), np.eye(2, 3))


def test_evaluation_is_an_attribute_of_the_package():
    assert ts.evaluation.Confusion is Confusion
