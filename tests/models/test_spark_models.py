"""A model on Spark labels documents as it does on this machine."""

from __future__ import annotations

import csv
import os
import subprocess
import sys

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


def test_a_stream_is_labelled_batch_by_batch(spark, model, tmp_path):
    texts, _ = topic_texts()
    frame = numbered(spark, texts)
    frame.write.parquet(str(tmp_path / "mail"))
    stream = (
        spark.readStream.schema(frame.schema).option("maxFilesPerTrigger", 1).parquet(str(tmp_path / "mail"))
    )
    numbers = []

    def label(batch, number):
        numbers.append(number)
        labels = model.predict_spark(batch, text="body", keep=["id"])
        labels.write.mode("append").parquet(str(tmp_path / "labels"))

    query = stream.writeStream.foreachBatch(label).trigger(availableNow=True)
    query.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination()
    rows = spark.read.parquet(str(tmp_path / "labels")).collect()
    assert sorted((row.id, row.label) for row in rows) == list(enumerate(model.predict(texts)))
    assert len(numbers) > 1


def test_a_labelled_stream_is_a_stream(spark, model, tmp_path):
    texts, _ = topic_texts()
    numbered(spark, texts).write.parquet(str(tmp_path / "mail"))
    stream = spark.readStream.schema("id long, body string").parquet(str(tmp_path / "mail"))
    labels = model.predict_spark(stream, text="body", keep=["id"])
    query = labels.writeStream.format("memory").queryName("labelled").trigger(availableNow=True)
    query.start().awaitTermination()
    rows = spark.table("labelled").collect()
    assert sorted((row.id, row.label) for row in rows) == list(enumerate(model.predict(texts)))


# a process of its own, because Spark has either classic sessions or those of Connect in one process
CONNECT = """
import pathlib
import sys
import warnings
import pyarrow as pa
import termsift as ts
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
folder, model = pathlib.Path(sys.argv[1]), ts.load_model(sys.argv[2])
texts = (folder / "texts").read_text().splitlines()
expected = list(enumerate(model.predict(texts)))
builder = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "2")
spark = builder.getOrCreate()
frame = spark.createDataFrame(pa.table({"id": list(range(len(texts))), "body": texts}))
assert type(frame).__module__.startswith("pyspark.sql.connect"), type(frame)
found = model.predict_spark(frame, text="body", keep=["id"]).collect()
assert sorted((row.id, row.label) for row in found) == expected

frame.repartition(2).write.parquet(str(folder / "mail"))
stream = spark.readStream.schema(frame.schema).option("maxFilesPerTrigger", 1).parquet(str(folder / "mail"))
labels = str(folder / "labels")


def label(batch, number):
    model.predict_spark(batch, text="body", keep=["id"]).write.mode("append").parquet(labels)


writer = stream.writeStream.foreachBatch(label).trigger(availableNow=True)
writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
# the server waits ten seconds for the Python of a stream, which a busy machine may not start in time
for last in (False, False, True):
    try:
        query = writer.start()
        break
    except PySparkException as error:
        if last or "Timed out while waiting for the Python worker" not in str(error):
            raise
query.awaitTermination()
found = spark.read.parquet(labels).collect()
assert sorted((row.id, row.label) for row in found) == expected
spark.stop()
print("equal")
"""


def test_frames_and_streams_of_spark_connect_are_labelled(model, tmp_path):
    (tmp_path / "texts").write_text("\n".join(topic_texts()[0]))
    command = [sys.executable, "-c", CONNECT, str(tmp_path), str(model.save(tmp_path / "model"))]
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout) == (0, "equal\n"), done.stderr[-3000:]


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
