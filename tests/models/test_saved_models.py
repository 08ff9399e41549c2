"""Predictions equal those of scikit-learn; contributions add up to decision values."""

from __future__ import annotations

import numpy as np
import pytest

import termsift as ts
from saved_models import saved, topic_texts

KINDS = {
    "svm of three": {"classifier": "svm"},
    "svm of two": {"classifier": "svm", "two": True},
    "bayes of three": {"classifier": "multinomial_nb"},
    "bayes of two": {"classifier": "multinomial_nb", "two": True},
    "logistic of three": {"classifier": "logistic"},
    "several labels, svm": {"classifier": "svm", "several": True},
    "several labels, bayes": {"classifier": "multinomial_nb", "several": True},
    "own terms, svm": {"classifier": "svm", "metrics": "bns:per_class"},
    "own terms, bayes": {"classifier": "multinomial_nb", "metrics": "bns:per_class", "several": True},
    "complement bayes": {"classifier": "complement_nb"},
    "tuned thresholds": {"classifier": "svm_tuned"},
    "clusters": {"classifier": "svm", "metrics": "divisive(5)", "several": True},
    "pairs of words": {"classifier": "svm", "analyzer": ts.Analyzer(ngram_range=(1, 2))},
}


@pytest.fixture(scope="module", params=list(KINDS))
def model(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "model"
    return folder, saved(folder, **KINDS[request.param])


def test_labels_equal_those_of_the_scikit_learn_pipeline(model):
    _, loaded = model
    texts, _ = topic_texts(loaded.is_multilabel)
    pipeline = loaded.to_sklearn()
    plain, values = pipeline.predict(texts), pipeline.decision_function(texts)
    if loaded.is_multilabel:
        names = pipeline.classes_.tolist()
        plain = [[name for name, yes in zip(names, row, strict=True) if yes] for row in plain]
    assert loaded.predict(texts) == list(plain)
    expected = values if values.ndim == 2 else np.stack([-values, values], axis=1)
    assert np.abs(loaded.decision_function(texts) - expected).max() < 1e-9


def test_labels_follow_from_decision_values(model):
    _, loaded = model
    texts, _ = topic_texts(loaded.is_multilabel)
    decision_values = loaded.decision_function(texts)
    assert decision_values.shape == (len(texts), len(loaded.classes))
    if loaded.is_multilabel:
        found = [[loaded.classes[c] for c in np.flatnonzero(row > 0)] for row in decision_values]
    else:
        found = [loaded.classes[c] for c in decision_values.argmax(axis=1)]
    assert loaded.predict(texts) == found


def test_contributions_add_up_to_the_decision_value(model):
    _, loaded = model
    texts, _ = topic_texts(loaded.is_multilabel)
    decision_values = loaded.decision_function(texts)
    for text, row in zip(texts[:10], decision_values[:10], strict=True):
        for c, name in enumerate(loaded.classes):
            (found,) = loaded.explain(text, name)
            assert found.decision_value == pytest.approx(row[c])
            assert found.words["contribution"].sum() + found.intercept == pytest.approx(row[c])


def test_a_text_without_known_words_is_labelled_and_explained(model):
    _, loaded = model
    (found,) = loaded.explain("zzz")
    assert len(found.words) == 0
    assert found.decision_value == pytest.approx(found.intercept)


def test_the_predicted_label_is_explained_by_default(tmp_path):
    loaded = saved(tmp_path / "model")
    texts, _ = topic_texts()
    for text, label in zip(texts[:20], loaded.predict(texts[:20]), strict=True):
        (found,) = loaded.explain(text)
        assert found.name == label
        assert found.labels == (label,)


def test_an_explanation_with_a_reference_is_the_difference_of_decision_values(tmp_path):
    loaded = saved(tmp_path / "model")
    text = topic_texts()[0][0]
    cook, motor, _ = loaded.decision_function([text])[0]
    (found,) = loaded.explain(text, "cook", reference="motor")
    assert found.decision_value == pytest.approx(cook - motor)
    with pytest.raises(ts.InvalidInputError, match="must be different"):
        loaded.explain(text, "cook", reference="cook")


def test_words_are_marked_at_their_positions(tmp_path):
    loaded = saved(tmp_path / "model", k=[27])
    (found,) = loaded.explain("Soup, bread & the OIL of a soup")
    pieces = [found.text[start:end].lower() for start, end, _ in found.marks]
    assert [found.words["term"][row] for _, _, row in found.marks] == pieces
    assert {"soup", "bread", "oil"} <= set(pieces)


def test_stemmed_words_are_marked_at_their_positions(tmp_path):
    loaded = saved(tmp_path / "model", analyzer=ts.Analyzer(stemmer="english"), k=[27])
    (found,) = loaded.explain("many wheels, roses")
    assert {found.text[start:end] for start, end, _ in found.marks} >= {"roses"} | {"wheels,"}


def test_a_model_of_counts_takes_rows_of_its_terms(tmp_path):
    rows = np.array([[2, 0, 1], [3, 0, 0], [0, 2, 1], [0, 1, 2]] * 5)
    found = ts.compare(rows, ["a", "a", "b", "b"] * 5, terms=["x", "y", "z"], k=[2], repeats=1, folds=2)
    found.save(tmp_path / "model")
    loaded = ts.load_model(tmp_path / "model")
    chosen = [["x", "y", "z"].index(term) for term in loaded.terms]
    assert loaded.predict(rows[:, chosen]) == ["a", "a", "b", "b"] * 5
    with pytest.raises(ts.InvalidInputError, match="takes term counts, not texts"):
        loaded.predict(["a text"])
    with pytest.raises(ts.InvalidInputError, match="takes term counts, not texts"):
        loaded.explain(["a text"])


def test_an_unknown_class_has_its_near_miss(tmp_path):
    with pytest.raises(ts.UnknownNameError, match="did you mean 'cook'"):
        saved(tmp_path / "model").explain("soup", "cok")


def test_input_must_be_a_list_of_texts(tmp_path):
    loaded = saved(tmp_path / "model", "multinomial_nb")
    with pytest.raises(ts.InvalidInputError, match="got a single text"):
        loaded.predict("soup")
    with pytest.raises(ts.InvalidInputError, match="document 1 is int, not str"):
        loaded.predict(["soup", 3])
    assert loaded.predict([]) == []
    assert loaded.decision_function([]).shape == loaded.predict_proba([]).shape == (0, 3)
