"""Goals are scikit-learn's measures."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

import termsift as ts
from termsift.evaluation.confusion import Confusion
from termsift.evaluation.goals import parse_goal
from termsift.evaluation.measures import average_precision, precision_at_recall

LOT = np.random.default_rng(0)
TRUTH, GIVEN = LOT.integers(0, 4, 200), LOT.integers(0, 4, 200)
WEIGHTS = LOT.random(200)
MANY, GUESSED = LOT.random((200, 3)) < 0.3, LOT.random((200, 3)) < 0.3


@pytest.mark.parametrize(
    ("goal", "measure"),
    [
        ("f2_macro", lambda *a, **w: metrics.fbeta_score(*a, beta=2, average="macro", **w)),
        ("f0.5_micro", lambda *a, **w: metrics.fbeta_score(*a, beta=0.5, average="micro", **w)),
        ("balanced_accuracy", metrics.balanced_accuracy_score),
        ("mcc", metrics.matthews_corrcoef),
        ("accuracy", metrics.accuracy_score),
    ],
)
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["alike", "weighted"])
def test_goals_of_decisions_equal_scikit_learn(goal, measure, weights):
    accepted, truth = (labels[:, None] == np.arange(4) for labels in (GIVEN, TRUTH))
    found = parse_goal(goal).evaluate(Confusion.from_decisions(accepted, truth, range(4), weights))
    assert found == pytest.approx(measure(TRUTH, GIVEN, sample_weight=weights))


def test_multilabel_goals_are_means_over_one_vs_rest():
    found = Confusion.from_decisions(GUESSED, MANY, range(3))
    columns = list(zip(MANY.T, GUESSED.T, strict=True))
    own = np.mean([metrics.matthews_corrcoef(truth, given) for truth, given in columns])
    assert parse_goal("mcc").evaluate(found) == pytest.approx(own)
    balanced = np.mean([metrics.balanced_accuracy_score(truth, given) for truth, given in columns])
    assert parse_goal("balanced_accuracy").evaluate(found) == pytest.approx(balanced)


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["alike", "weighted"])
@pytest.mark.parametrize("digits", [1, 6])
def test_rank_measures_equal_scikit_learn(digits, weights):
    scores, truth = LOT.random(200).round(digits), MANY[:, 0]
    own = average_precision(scores, truth, weights)
    assert own == pytest.approx(metrics.average_precision_score(truth, scores, sample_weight=weights))
    precision, recall, _ = metrics.precision_recall_curve(truth, scores, sample_weight=weights)
    for min_recall in (0.1, 0.5, 0.9, 1.0):
        best = precision[recall >= min_recall - 1e-12].max()
        assert precision_at_recall(scores, truth, min_recall, weights) == pytest.approx(best)


def test_rank_measures_of_an_absent_class_are_zero():
    assert average_precision([0.1, 0.2], [0, 0]) == 0
    assert precision_at_recall([0.1, 0.2], [0, 0], 0.5) == 0


def test_equal_betas_give_one_goal_name():
    assert parse_goal("f2.0_macro").name == parse_goal("f2_macro").name == "f2_macro"


@pytest.mark.parametrize(
    "name", ["f1", "f2", "precision", "matthews", "f_macro", "f-1_macro", "precision_at_recall", "AUC", None]
)
def test_unknown_names_are_errors(name):
    with pytest.raises(ts.UnknownNameError, match="no goal named"):
        parse_goal(name)
