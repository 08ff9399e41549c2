"""Probability calibration, checked on documents the model was not fitted to."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

import termsift as ts
from saved_models import compared, saved, topic_texts
from termsift.models import predict_tables
from termsift.models.calibration import fit_calibration


def test_fit_recovers_slope_and_intercept():
    rng = np.random.default_rng(0)
    decision_values = rng.normal(size=20_000)
    is_member = rng.random(20_000) < expit(2 * decision_values - 0.5)
    calibration = fit_calibration(
        np.stack([-decision_values, decision_values], 1), np.stack([~is_member, is_member], 1), True
    )
    assert calibration.slopes == pytest.approx([2, 2], abs=0.1)
    assert calibration.intercepts == pytest.approx([0.5, -0.5], abs=0.1)
    assert calibration.probabilities(np.array([[-1.0, 1.0]])).sum() == pytest.approx(1)


def test_separable_decision_values_give_probabilities_below_one():
    decision_values = np.array([-3.0, -2, 2, 3])
    calibration = fit_calibration(decision_values[:, None], (decision_values > 0)[:, None], False)
    assert 0.5 < calibration.probabilities(np.array([[3.0]]))[0, 0] < 0.95


def test_uninformative_decision_values_give_the_base_rate():
    calibration = fit_calibration(np.zeros((10, 1)), np.array([[True]] * 3 + [[False]] * 7), False)
    assert calibration.probabilities(np.array([[5.0]]))[0, 0] == pytest.approx(0.35, abs=0.05)
    falling = fit_calibration(-np.arange(10.0)[:, None], (np.arange(10) > 4)[:, None], False)
    assert falling.slopes == pytest.approx([0])


def test_calibrated_probabilities_hold_on_new_documents(tmp_path):
    loaded = saved(tmp_path / "model", "svm", calibrate=True, two=True, k=[4])
    texts, labels = topic_texts()
    calibration = loaded.predict_proba(texts)
    assert calibration.sum(axis=1) == pytest.approx(np.ones(len(texts)))
    assert calibration[:, 0].mean() == pytest.approx(np.mean([name == "cook" for name in labels]), abs=0.1)
    assert loaded.calibration.documents == len(texts)
    # probabilities increase with decision values
    assert np.array_equal(np.argsort(calibration[:, 0]), np.argsort(loaded.decision_function(texts)[:, 0]))


@pytest.mark.parametrize("options", [{}, {"several": True}, {"classifier": "multinomial_nb"}])
def test_all_kinds_of_models_can_be_calibrated(tmp_path, options):
    loaded = saved(tmp_path / "model", **({"classifier": "svm"} | options), calibrate=True)
    calibration = loaded.predict_proba(["soup tea", "oil brake", ""])
    assert calibration.shape == (3, 3)
    assert np.all((calibration >= 0) & (calibration <= 1))
    assert loaded.is_multilabel or calibration.sum(axis=1) == pytest.approx(np.ones(3))


def test_without_calibration_probabilities_come_from_the_classifier(tmp_path):
    loaded = saved(tmp_path / "multinomial_nb", "multinomial_nb")
    assert loaded.predict_proba(["soup"]).sum() == pytest.approx(1)
    with pytest.raises(
        ts.InvalidInputError,
        match="svm does not provide probabilities; run compare with calibrate=True",
    ):
        saved(tmp_path / "svm").predict_proba(["soup"])


def test_calibration_is_fitted_out_of_fold():
    texts, _ = topic_texts()
    labels = ["a", "b"] * 60  # labels independent of the words
    calibration = ts.compare(
        texts, labels, metrics="ig", k=[30], classifiers=["svm"], folds=3, repeats=1, calibrate=True
    )
    shares = calibration.model.calibration.probabilities(np.array([[-1.0, 1.0]]))
    # fitted to all, the model is nearly always right about these; out of fold it is not
    assert shares[0, 1] < 0.75


def test_a_class_missing_in_a_fold_is_calibrated_on_the_other_folds():
    texts, labels = topic_texts()
    texts, labels = [*texts, "odd one", "odd two"], [*labels, "odd", "odd"]
    comparison = ts.compare(
        texts, labels, metrics="ig", k=[12], folds=5, repeats=1, classifiers=["svm"], calibrate=True
    )
    assert np.isfinite(comparison.model.calibration.slopes).all()
    assert compared("svm").model.calibration is None


@pytest.mark.parametrize("flag", ["decision_values", "probabilities"])
def test_flags_must_be_true_or_false(tmp_path, flag):
    with pytest.raises(ts.InvalidInputError, match=f"{flag} must be True or False"):
        list(predict_tables(saved(tmp_path), ["soup"], **{flag: np.array([True, False])}))
