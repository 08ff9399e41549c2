"""Figures of a model on labelled documents, their intervals, what is confused, and the words that mislead."""

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


def test_figures_are_those_of_scikit_learn(model):
    texts, labels = topic_texts()
    found, decided = model.evaluate(texts, labels), model.predict(texts)
    figures = {row["measure"]: row for row in found.figures}
    assert figures["accuracy"]["value"] == pytest.approx(accuracy_score(labels, decided))
    for measure, score in (("F1", f1_score), ("precision", precision_score), ("recall", recall_score)):
        assert figures[f"macro {measure}"]["value"] == pytest.approx(score(labels, decided, average="macro"))
    assert np.array_equal(found.confusion, confusion_matrix(labels, decided, labels=list(model.classes)))
    assert all(row["low"] <= row["value"] <= row["high"] for row in found.figures)


def test_figures_of_several_labels_are_those_of_scikit_learn(several):
    texts, labels = topic_texts(several=True)
    found = several.evaluate(texts, labels)
    truth, decided = (
        np.array([[name in own for name in several.classes] for own in names])
        for names in (labels, several.predict(texts))
    )
    figures = {row["measure"]: row["value"] for row in found.figures}
    assert figures["accuracy"] == pytest.approx(accuracy_score(truth, decided))
    assert figures["macro F1"] == pytest.approx(f1_score(truth, decided, average="macro"))
    assert figures["micro F1"] == pytest.approx(f1_score(truth, decided, average="micro"))


def test_the_interval_of_accuracy_is_that_of_a_share():
    from termsift._internal.tables import Table
    from termsift.models.evaluate import Evaluation

    sides = np.eye(2, dtype=bool)
    found = Evaluation(("a", "b"), sides[[0, 0]], sides[[0, 1]], np.array([80, 20]), True, Table({}), {})
    low, high = (found.figures[name][0] for name in ("low", "high"))
    # 1.96 times the root of .8 x .2 / 100
    assert (low, high) == pytest.approx((0.8 - 0.078, 0.8 + 0.078), abs=0.01)


def test_the_word_that_was_put_among_others_misleads(model):
    texts, labels = topic_texts()
    assert "oil" in model.terms
    found = model.evaluate([*texts, *["oil"] * 9], [*labels, *["cook"] * 9])
    worst = next(row for row in found.misleading if row["term"] == "oil")
    assert (worst["truth"], worst["decided"]) == ("cook", "motor")
    assert worst["documents"] >= 9
    oil = model.explain("oil", "motor", against="cook")[0].words["contribution"][0]
    assert worst["push"] >= 9 * oil * (1 - 1e-9)


def test_words_mislead_to_labels_and_away_from_them(several):
    texts, labels = topic_texts(several=True)
    found = several.evaluate([*texts, "oil oil oil"], [*labels, ["cook"]])
    assert {(row["truth"], row["decided"]) for row in found.misleading if row["term"] == "oil"} >= {
        ("", "motor")
    }


def test_files_are_judged_as_texts_are(model, tmp_path):
    texts, labels = topic_texts()
    lines = [json.dumps({"body": text, "topic": label}) for text, label in zip(texts, labels, strict=True)]
    (tmp_path / "test.jsonl").write_text("\n".join(lines))
    of_file = model.evaluate(tmp_path / "test.jsonl", text="body", label="topic")
    assert of_file.to_json() == model.evaluate(texts, labels).to_json()


def test_a_class_that_the_model_does_not_know_is_named(model, several):
    with pytest.raises(
        ts.InvalidInputError, match="the model knows no class 'sport'; it was fitted to: 'cook', "
    ):
        model.evaluate(["soup", "ball"], ["cook", "sport"])
    with pytest.raises(ts.InvalidInputError, match="one label to each document, and one here has 2"):
        model.evaluate(["soup", "oil"], [["cook"], ["cook", "motor"]])


def test_a_class_by_its_number_is_known_as_text(tmp_path):
    ts.compare(["aa xx", "bb yy"] * 10, [1, 2] * 10, k=[2], repeats=1, folds=2, metrics="ig").save(
        tmp_path / "model"
    )
    loaded = ts.load_model(tmp_path / "model")
    (tmp_path / "test.csv").write_text("text,label\naa xx,1\nbb yy,2\n")
    assert loaded.evaluate(tmp_path / "test.csv").figures["value"][0] == 1


def test_the_page_escapes_what_strangers_wrote(tmp_path):
    bad = "<script>alert(1)</script>"
    texts = [f"soup {bad} tea"] * 6 + ["oil brake"] * 6
    found = ts.compare(texts, ["<b>cook</b>"] * 6 + ["motor"] * 6, k=[4], repeats=1, folds=2, metrics="ig")
    found.save(tmp_path / "model")
    loaded = ts.load_model(tmp_path / "model")
    page = loaded.evaluate(["oil soup oil oil", "soup"], ["<b>cook</b>", "motor"]).to_html(bad)
    assert bad not in page
    assert "<b>cook" not in page
    from termsift.models.pages import explanation_page

    page = explanation_page(loaded.explain(texts[0]), [1], bad)
    assert bad not in page
    assert "&lt;" in page
    assert '<mark class="for"' in page
