"""Evaluation of models: scores, intervals, confusion matrix, words behind the errors."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score, precision_score, recall_score

import termsift as ts
from saved_models import saved, topic_texts


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return saved(tmp_path_factory.mktemp("models") / "model", "svm", k=[9])


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    return saved(tmp_path_factory.mktemp("models") / "model", "svm", k=[9], several=True)


def test_scores_equal_scikit_learn(model):
    texts, labels = topic_texts()
    evaluation, predicted = model.evaluate(texts, labels), model.predict(texts)
    figures = {row["measure"]: row for row in evaluation.measures}
    assert figures["accuracy"]["value"] == pytest.approx(accuracy_score(labels, predicted))
    for measure, score in (("F1", f1_score), ("precision", precision_score), ("recall", recall_score)):
        assert figures[f"macro {measure}"]["value"] == pytest.approx(
            score(labels, predicted, average="macro")
        )
    assert np.array_equal(
        evaluation.confusion, confusion_matrix(labels, predicted, labels=list(model.classes))
    )
    assert all(row["low"] <= row["value"] <= row["high"] for row in evaluation.measures)


def test_multilabel_scores_equal_scikit_learn(several):
    texts, labels = topic_texts(several=True)
    evaluation = several.evaluate(texts, labels)
    truth, predicted = (
        np.array([[name in document_labels for name in several.classes] for document_labels in names])
        for names in (labels, several.predict(texts))
    )
    figures = {row["measure"]: row["value"] for row in evaluation.measures}
    assert figures["accuracy"] == pytest.approx(accuracy_score(truth, predicted))
    assert figures["macro F1"] == pytest.approx(f1_score(truth, predicted, average="macro"))
    assert figures["micro F1"] == pytest.approx(f1_score(truth, predicted, average="micro"))


def test_the_interval_of_accuracy_is_that_of_a_proportion():
    from termsift._internal.tables import Table
    from termsift.models.evaluate import Evaluation

    identity = np.eye(2, dtype=bool)
    evaluation = Evaluation(
        ("a", "b"), identity[[0, 0]], identity[[0, 1]], np.array([80, 20]), True, Table({}), {}
    )
    low, high = (evaluation.measures[name][0] for name in ("low", "high"))
    # 1.96 times the root of .8 x .2 / 100
    assert (low, high) == pytest.approx((0.8 - 0.078, 0.8 + 0.078), abs=0.01)


def test_a_word_in_the_wrong_class_is_listed_as_misleading(model):
    texts, labels = topic_texts()
    assert "oil" in model.terms
    evaluation = model.evaluate([*texts, *["oil"] * 9], [*labels, *["cook"] * 9])
    worst = next(row for row in evaluation.misleading if row["term"] == "oil")
    assert (worst["truth"], worst["predicted"]) == ("cook", "motor")
    assert worst["documents"] >= 9
    oil = model.explain("oil", "motor", reference="cook")[0].words["contribution"][0]
    assert worst["weight"] >= 9 * oil * (1 - 1e-9)


def test_misleading_words_of_multilabel_documents_name_the_wrong_label(several):
    texts, labels = topic_texts(several=True)
    evaluation = several.evaluate([*texts, "oil oil oil"], [*labels, ["cook"]])
    assert {(row["truth"], row["predicted"]) for row in evaluation.misleading if row["term"] == "oil"} >= {
        ("", "motor")
    }


def test_evaluating_a_file_equals_evaluating_its_texts(model, tmp_path):
    texts, labels = topic_texts()
    lines = [json.dumps({"body": text, "topic": label}) for text, label in zip(texts, labels, strict=True)]
    (tmp_path / "test.jsonl").write_text("\n".join(lines))
    from_file = model.evaluate(tmp_path / "test.jsonl", text="body", label="topic")
    assert from_file.to_json() == model.evaluate(texts, labels).to_json()


def test_an_unknown_class_is_named(model, several):
    with pytest.raises(
        ts.InvalidInputError, match="the model has no class 'sport'; its classes are: 'cook', "
    ):
        model.evaluate(["soup", "ball"], ["cook", "sport"])
    with pytest.raises(ts.InvalidInputError, match="the model is single-label, but a document has 2 labels"):
        model.evaluate(["soup", "oil"], [["cook"], ["cook", "motor"]])


def test_a_numeric_class_matches_its_text(tmp_path):
    ts.compare(["aa xx", "bb yy"] * 10, [1, 2] * 10, k=[2], repeats=1, folds=2, metrics="ig").save(
        tmp_path / "model"
    )
    loaded = ts.load_model(tmp_path / "model")
    (tmp_path / "test.csv").write_text("text,label\naa xx,1\nbb yy,2\n")
    assert loaded.evaluate(tmp_path / "test.csv").measures["value"][0] == 1


def test_pages_escape_untrusted_text(tmp_path):
    markup = "<script>alert(1)</script>"
    texts = [f"soup {markup} tea"] * 6 + ["oil brake"] * 6
    comparison = ts.compare(
        texts, ["<b>cook</b>"] * 6 + ["motor"] * 6, k=[4], repeats=1, folds=2, metrics="ig"
    )
    comparison.save(tmp_path / "model")
    loaded = ts.load_model(tmp_path / "model")
    page = loaded.evaluate(["oil soup oil oil", "soup"], ["<b>cook</b>", "motor"]).to_html(markup)
    assert markup not in page
    assert "<b>cook" not in page
    from termsift.models.pages import render_explanation_page

    page = render_explanation_page(loaded.explain(texts[0]), [1], markup)
    assert markup not in page
    assert "&lt;" in page
    assert '<mark class="positive"' in page
