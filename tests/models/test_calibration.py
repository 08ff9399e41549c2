"""Probabilities hold on documents a model was not fitted to."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

import termsift as ts
from saved_models import compared, saved, topic_texts
from termsift.models.decision_values import fitted_calibration


def test_a_curve_is_found_again():
    lot = np.random.default_rng(0)
    margins = lot.normal(size=20_000)
    inside = lot.random(20_000) < expit(2 * margins - 0.5)
    found = fitted_calibration(np.stack([-margins, margins], 1), np.stack([~inside, inside], 1), True)
    assert found.slopes == pytest.approx([2, 2], abs=0.1)
    assert found.starts == pytest.approx([0.5, -0.5], abs=0.1)
    assert found.probabilities(np.array([[-1.0, 1.0]])).sum() == pytest.approx(1)


def test_margins_that_part_the_classes_give_no_certainty():
    margins = np.array([-3.0, -2, 2, 3])
    found = fitted_calibration(margins[:, None], (margins > 0)[:, None], False)
    assert 0.5 < found.probabilities(np.array([[3.0]]))[0, 0] < 0.95


def test_margins_that_say_nothing_give_the_share():
    found = fitted_calibration(np.zeros((10, 1)), np.array([[True]] * 3 + [[False]] * 7), False)
    assert found.probabilities(np.array([[5.0]]))[0, 0] == pytest.approx(0.35, abs=0.05)
    falling = fitted_calibration(-np.arange(10.0)[:, None], (np.arange(10) > 4)[:, None], False)
    assert falling.slopes == pytest.approx([0])


def test_calibrated_probabilities_hold_on_new_documents(tmp_path):
    loaded = saved(tmp_path / "model", "svm", calibrate=True, two=True, k=[4])
    texts, labels = topic_texts()
    found = loaded.probabilities(texts)
    assert found.sum(axis=1) == pytest.approx(np.ones(len(texts)))
    assert found[:, 0].mean() == pytest.approx(np.mean([name == "cook" for name in labels]), abs=0.1)
    assert loaded.calibration.documents == len(texts)
    # a larger margin is a larger probability
    assert np.array_equal(np.argsort(found[:, 0]), np.argsort(loaded.margins(texts)[:, 0]))


@pytest.mark.parametrize("options", [{}, {"several": True}, {"classifier": "multinomial_nb"}])
def test_all_kinds_of_models_can_be_calibrated(tmp_path, options):
    loaded = saved(tmp_path / "model", **({"classifier": "svm"} | options), calibrate=True)
    found = loaded.probabilities(["soup tea", "oil brake", ""])
    assert found.shape == (3, 3)
    assert np.all((found >= 0) & (found <= 1))
    assert loaded.several_labels or found.sum(axis=1) == pytest.approx(np.ones(3))


def test_probabilities_are_the_classifiers_own_without_a_calibration(tmp_path):
    loaded = saved(tmp_path / "multinomial_nb", "multinomial_nb")
    assert loaded.probabilities(["soup"]).sum() == pytest.approx(1)
    with pytest.raises(
        ts.InvalidInputError, match="svm says no probabilities; compare and save again with calibrate=True"
    ):
        saved(tmp_path / "svm").probabilities(["soup"])


def test_calibration_is_found_out_of_fold():
    texts, _ = topic_texts()
    labels = ["a", "b"] * 60  # labels that no word tells
    found = ts.compare(
        texts, labels, metrics="ig", k=[30], classifiers=["svm"], folds=3, repeats=1, calibrate=True
    )
    shares = found.models[0].calibration.probabilities(np.array([[-1.0, 1.0]]))
    # fitted to all, the model is nearly always right about these; out of fold it is not
    assert shares[0, 1] < 0.75


def test_a_class_that_a_fold_lacks_is_calibrated_by_the_others():
    texts, labels = topic_texts()
    found = ts.compare([*texts, "odd one", "odd two"], [*labels, "odd", "odd"], metrics="ig", k=[12], folds=5,
                       repeats=1, classifiers=["svm"], calibrate=True)  # fmt: skip
    assert np.isfinite(found.models[0].calibration.slopes).all()
    assert compared("svm").models[0].calibration is None


@pytest.mark.parametrize("flag", ["margins", "probabilities"])
def test_what_is_neither_true_nor_false_is_no_flag(tmp_path, flag):
    with pytest.raises(ts.InvalidInputError, match=f"{flag} must be True or False"):
        list(saved(tmp_path).predictions(["soup"], **{flag: np.array([True, False])}))
