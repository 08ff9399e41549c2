"""Goals are scikit-learn's measures."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

import termsift as ts
from termsift.evaluation.confusion import Confusion
from termsift.evaluation.goals import goal_from
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
def test_of_decisions(goal, measure, weights):
    accepted, truth = (labels[:, None] == np.arange(4) for labels in (GIVEN, TRUTH))
    found = goal_from(goal).values(Confusion.of_decisions(accepted, truth, range(4), weights))
    assert found == pytest.approx(measure(TRUTH, GIVEN, sample_weight=weights))


def test_of_several_labels_each_class_stands_against_the_rest():
    found = Confusion.of_decisions(GUESSED, MANY, range(3))
    columns = list(zip(MANY.T, GUESSED.T, strict=True))
    own = np.mean([metrics.matthews_corrcoef(truth, given) for truth, given in columns])
    assert goal_from("mcc").values(found) == pytest.approx(own)
    balanced = np.mean([metrics.balanced_accuracy_score(truth, given) for truth, given in columns])
    assert goal_from("balanced_accuracy").values(found) == pytest.approx(balanced)


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["alike", "weighted"])
@pytest.mark.parametrize("digits", [1, 6])
def test_of_ranks(digits, weights):
    scores, truth = LOT.random(200).round(digits), MANY[:, 0]
    own = average_precision(scores, truth, weights)
    assert own == pytest.approx(metrics.average_precision_score(truth, scores, sample_weight=weights))
    precision, recall, _ = metrics.precision_recall_curve(truth, scores, sample_weight=weights)
    for least in (0.1, 0.5, 0.9, 1.0):
        best = precision[recall >= least - 1e-12].max()
        assert precision_at_recall(scores, truth, least, weights) == pytest.approx(best)


def test_a_class_of_which_there_is_nothing_has_no_rank():
    assert average_precision([0.1, 0.2], [0, 0]) == 0
    assert precision_at_recall([0.1, 0.2], [0, 0], 0.5) == 0


@pytest.mark.parametrize("name", ["f2", "f2_macro", "f2.0_macro"])
def test_a_beta_is_written_in_several_ways(name):
    assert goal_from(name).name == "f2_macro"


@pytest.mark.parametrize("name", ["f_macro", "f-1_macro", "precision_at_recall", "AUC", None])
def test_a_name_nobody_has(name):
    with pytest.raises(ts.UnknownNameError, match="no goal named"):
        goal_from(name)
