"""A model on Spark labels documents as it does on this machine."""

from __future__ import annotations

import csv

import pytest

import termsift as ts
from saved_models import compared, topic_texts
from termsift.cli import main

pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture(scope="module")
def model():
    return compared("svm").model


def numbered(spark, texts):
    return spark.createDataFrame(list(enumerate(texts)), "id long, body string").repartition(3)


def test_labels_equal_those_of_the_local_engine(spark, model):
    texts, _ = topic_texts()
    rows = model.predict_spark(numbered(spark, texts), text="body", keep=["id"]).collect()
    assert {row.id: row.label for row in rows} == dict(enumerate(model.predict(texts)))


def test_several_labels_are_an_array(spark):
    model, (texts, _) = compared("multinomial_nb", several=True).model, topic_texts(True)
    rows = model.predict_spark(numbered(spark, texts), text="body", keep=["id"]).collect()
    assert {row.id: row.label for row in rows} == dict(enumerate(model.predict(texts)))


def test_a_missing_text_has_no_label_and_texts_of_columns_are_joined(spark, model):
    frame = spark.createDataFrame(
        [("soup", "bread", 1), (None, "oil", 2), (None, None, 3)], "a string, b string, n int"
    )
    rows = model.predict_spark(frame, text=["a", "b"], keep=["n"]).collect()
    assert {row.n: row.label for row in rows} == {1: "cook", 2: "motor", 3: None}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text": "boddy"}, "column 'boddy' is not in the frame; did you mean 'body'"),
        ({"text": "id"}, "column 'id' is of type bigint; texts must be of type string"),
        ({"text": "body", "keep": ["idd"]}, "did you mean 'id'"),
        ({"text": "body", "keep": "id"}, "keep must be a list of columns, got 'id'"),
        ({"text": "body", "keep": ["id", "id"]}, "two columns named 'id'"),
    ],
)
def test_columns_are_checked_before_spark_starts_work(spark, model, options, message):
    with pytest.raises((ts.InvalidInputError, ts.UnknownNameError), match=message):
        model.predict_spark(numbered(spark, ["soup"]), **options)


def test_data_that_are_not_of_spark_are_refused(model):
    with pytest.raises(ts.InvalidInputError, match="expected a Spark DataFrame, got list"):
        model.predict_spark(["soup"])


def test_the_command_labels_by_spark(spark, model, tmp_path, monkeypatch):
    # the session of the other tests goes on
    monkeypatch.setattr(type(spark), "stop", lambda session: None)
    file, texts = model.save(tmp_path / "model"), topic_texts()[0][:20]
    with (tmp_path / "new.csv").open("w", newline="") as data:
        csv.writer(data).writerows([["id", "text"], *enumerate(texts)])
    words = ["predict", file, tmp_path / "new.csv", "--engine", "spark", "--keep", "id"]
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in [*words, "-o", tmp_path / "labels.csv"]])
    assert not ended.value.code
    with (tmp_path / "labels.csv").open(newline="") as written:
        labels = {int(row["id"]): row["label"] for row in csv.DictReader(written)}
    assert labels == dict(enumerate(model.predict(texts)))
