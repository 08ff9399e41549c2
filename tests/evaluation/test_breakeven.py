"""The break-even point, against every threshold there is."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termsift as ts
from termsift.evaluation.confusion import Confusion
from termsift.evaluation.measures import (
    BreakEven,
    break_even,
    break_even_counts,
    break_even_f1,
    shared_break_even_counts,
)

FEW = st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 1.0, np.nextafter(1, 2), 5e-324, 1e308, np.inf])
PROBLEMS = st.lists(st.tuples(FEW | st.floats(allow_nan=False), st.booleans()), max_size=9)


def at_threshold(pairs, accepts) -> tuple[int, int, int]:
    """tp, fp, fn of the documents a rule accepts."""
    tp = sum(accepts(score) and true for score, true in pairs)
    fp = sum(accepts(score) and not true for score, true in pairs)
    return tp, fp, sum(true for _, true in pairs) - tp


def oracle(pairs) -> tuple[int, int, int]:
    """Every cut from the highest down, by the definition: FP - FN, then F1, then the higher."""
    values = sorted({score for score, _ in pairs}, reverse=True)
    lowest = [at_threshold(pairs, lambda score, value=value: score >= value) for value in values]
    cuts = [at_threshold(pairs, lambda score: False), *lowest]

    def f1(tp, fp, fn):
        return Fraction(2 * tp, 2 * tp + fp + fn) if tp else Fraction(0)

    return min(cuts, key=lambda cut: (abs(cut[1] - cut[2]), -f1(*cut)))


def parts(pairs) -> tuple[list[float], list[bool]]:
    return [score for score, _ in pairs], [true for _, true in pairs]


@given(PROBLEMS)
def test_the_counts_are_those_of_the_best_of_all_thresholds(pairs):
    point = break_even(*parts(pairs))
    assert (point.tp, point.fp, point.fn) == oracle(pairs)


@given(PROBLEMS)
def test_the_threshold_accepts_exactly_the_counted_documents(pairs):
    point = break_even(*parts(pairs))
    accepted = at_threshold(pairs, lambda score: score >= point.threshold)
    assert accepted == (point.tp, point.fp, point.fn)


@given(PROBLEMS, st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_matter(pairs, random):
    shuffled = list(pairs)
    random.shuffle(shuffled)
    assert repr(break_even(*parts(shuffled))) == repr(break_even(*parts(pairs)))


@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), max_size=9))
def test_only_the_order_of_scores_matters(pairs):
    scores, truth = parts(pairs)
    stretched = [score**3 + 7 for score in scores]
    one, other = break_even(scores, truth), break_even(stretched, truth)
    assert (one.tp, one.fp, one.fn) == (other.tp, other.fp, other.fn)


@given(st.integers(0, 12), st.integers(0, 4), st.booleans(), st.integers(0, 2**32 - 1))
def test_problems_do_not_influence_each_other(documents, problems, shared, seed):
    random = np.random.default_rng(seed)
    scores = random.integers(0, 5, size=(documents, problems)) / 4
    truth = random.random(documents if shared else (documents, problems)) < 0.4
    tp, fp, fn = break_even_counts(scores, truth)
    assert tp.shape == fp.shape == fn.shape == (problems,)
    f1 = break_even_f1(scores, truth)
    for j in range(problems):
        alone = break_even(scores[:, j], truth if shared else truth[:, j])
        assert (tp[j], fp[j], fn[j], f1[j]) == (alone.tp, alone.fp, alone.fn, alone.f1)


def test_one_problem_gives_counts_without_a_dimension():
    tp, fp, fn = break_even_counts([3.0, 2.0, 1.0], [1, 0, 1])
    assert all(isinstance(count, np.ndarray) and count.shape == () for count in (tp, fp, fn))
    assert (tp, fp, fn) == (1, 1, 1)
    assert break_even_f1([3.0, 2.0, 1.0], [1, 0, 1]) == 0.5


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=30, unique=True), st.data())
def test_without_ties_precision_recall_and_f1_are_equal(scores, data):
    truth = data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    point = break_even(scores, truth)
    assert point.fp == point.fn
    assert point.precision == point.recall == pytest.approx(point.f1)


def test_tied_documents_stay_together():
    # two belong; cuts are at 0, 3 and 4 accepted, and 3 is nearest
    assert break_even([1, 1, 1, 0], [1, 0, 0, 1]) == BreakEven(0.5, tp=1, fp=2, fn=1)


def test_equally_near_cuts_are_decided_by_f1():
    # two belong; one accepted (tp 1) or three (tp 2)
    assert break_even([9, 5, 5, 1], [1, 1, 0, 0]) == BreakEven(3.0, tp=2, fp=1, fn=0)
    # one accepted (tp 1) or three (tp 1)
    assert break_even([9, 5, 5, 1], [1, 0, 0, 1]) == BreakEven(7.0, tp=1, fp=0, fn=1)


def test_equally_good_cuts_are_decided_by_the_higher_score():
    assert break_even([5, 5, 1], [0, 0, 1]) == BreakEven(np.inf, tp=0, fp=0, fn=1)


def test_nothing_is_accepted_for_an_empty_class():
    point = break_even([3.0, 1.0], [False, False])
    assert point == BreakEven(np.inf, tp=0, fp=0, fn=0)
    assert (point.precision, point.recall, point.f1) == (0, 0, 0)


def test_everything_is_accepted_for_a_class_of_all_documents():
    point = break_even([3.0, -np.inf], [True, True])
    assert point == BreakEven(-np.inf, tp=2, fp=0, fn=0)
    assert point.f1 == 1


def test_no_documents_have_zero_counts():
    assert break_even([], []) == BreakEven(np.inf, tp=0, fp=0, fn=0)
    assert break_even_f1(np.zeros((0, 2)), np.zeros(0, dtype=bool)).tolist() == [0, 0]


@pytest.mark.parametrize("true, f1", [(True, 1.0), (False, 0.0)])
def test_one_document_is_accepted_if_it_belongs(true, f1):
    assert break_even([0.3], [true]).f1 == f1


def test_threshold_above_infinite_scores_is_nan():
    assert np.isnan(break_even([np.inf], [False]).threshold)


def test_f1_at_break_even_is_tp_over_tp_and_half_the_errors():
    point = break_even([6, 5, 4, 4, 2, 1], [1, 0, 1, 0, 1, 0])
    assert point.f1 == pytest.approx(point.tp / (point.tp + (point.fp + point.fn) / 2))


@pytest.mark.parametrize(
    "ties, counted", [("together", break_even_counts), ("shared", shared_break_even_counts)]
)
@pytest.mark.parametrize("shape", [(2, 3, 20, 4), (1, 20, 1), (20, 3), (0, 20, 3)])
def test_a_confusion_at_break_even_has_the_counts_of_each_class_and_step(ties, counted, shape):
    rng = np.random.default_rng(0)
    margins, truth = rng.integers(0, 5, shape) * 1.0, rng.random(shape[-2:]) < 0.3
    found = Confusion.at_break_even(margins, truth, range(shape[-1]), ties=ties)
    for place in np.ndindex(shape[:-2]):
        expected = counted(margins[place], truth)
        assert np.array_equal([found.tp[place], found.fp[place], found.fn[place]], expected)
    assert found.tp.shape == (*shape[:-2], shape[-1])


def test_threshold_separates_neighbouring_floats():
    scores = sorted({5e-324, 0.0, 1.0, np.nextafter(1, 2), np.finfo(float).max, -np.finfo(float).max})
    for lower, upper in pairwise(scores):
        point = break_even([lower, upper], [False, True])
        assert lower < point.threshold <= upper


@pytest.mark.parametrize(
    "scores, truth, message",
    [
        ([1.0, np.nan], [True, False], "scores must not be NaN; the score of document 1 is NaN"),
        ([1.0], [True, False], r"scores must have shape .*; got \(1,\) and \(2,\)"),
        (1.0, True, r"scores must have shape .*; got \(\) and"),
        ([1.0, 2.0], [0, 2], "truth must contain True and False or 1 and 0 only; got 2"),
        (["x"], [1], "scores must be numbers"),
        ([[1.0]], [True], "scores must have one dimension, got 2 dimensions"),
    ],
)
def test_invalid_scores_and_truth_are_one_line_errors(scores, truth, message):
    with pytest.raises(ts.InvalidInputError, match=message):
        break_even(scores, truth)


def shared_oracle(pairs) -> Fraction:
    """The mean of true positives among the P highest, over the orders of tied documents, by counting."""
    size = sum(true for _, true in pairs)
    tp, left = Fraction(0), size
    for value in sorted({score for score, _ in pairs}, reverse=True):
        group = [true for score, true in pairs if score == value]
        taken = min(left, len(group))
        tp += Fraction(taken * sum(group), len(group))
        left -= taken
    return tp


@given(PROBLEMS)
def test_tied_documents_share_the_cut(pairs):
    tp, fp, fn = shared_break_even_counts(*parts(pairs))
    assert tp == pytest.approx(float(shared_oracle(pairs)), abs=1e-12)
    assert fp == fn == sum(true for _, true in pairs) - tp


@given(PROBLEMS)
def test_without_ties_sharing_changes_nothing(pairs):
    distinct = list(dict(pairs).items())
    plain = [int(count) for count in break_even_counts(*parts(distinct))]
    assert [float(count) for count in shared_break_even_counts(*parts(distinct))] == plain


def test_shared_counts_of_several_problems():
    scores, truth = np.array([[0.9, 0.5], [0.5, 0.5], [0.5, 0.1]]), np.array([True, True, False])
    tp, fp, fn = shared_break_even_counts(scores, truth)
    assert tp.tolist() == [1.5, 2.0]
    assert fp.tolist() == fn.tolist() == [0.5, 0.0]
