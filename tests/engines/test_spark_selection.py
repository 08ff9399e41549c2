"""A selection that is made of a Spark DataFrame, and applied by Spark ML."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pyarrow as pa
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import termsift as ts
from real_texts import sms, unicode_texts
from skipping import missing

pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture(scope="module")
def mail(data_folder):
    return tuple(part[:1500] for part in sms(data_folder))


@pytest.fixture(scope="module")
def frame(spark, mail):
    return spark.createDataFrame(pa.table({"body": mail[0], "kind": mail[1]})).repartition(2)


def test_a_selector_fitted_on_a_frame_is_that_of_the_counts(frame, mail):
    fitted = ts.TermSelector("bns", k=30).fit(frame, "kind")
    expected = ts.TermSelector.from_counts(ts.count(*mail), "bns", k=30)
    assert fitted.counts_ == expected.counts_
    assert fitted.selection_.tolist() == expected.selection_.tolist()
    assert fitted.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    X = CountVectorizer(vocabulary=fitted.counts_.terms).transform(mail[0])
    assert fitted.transform(X).shape == (len(mail[0]), 30)


@pytest.mark.parametrize("estimator", [ts.TermWeighter("rf"), ts.ClassWeightExtractor()], ids=repr)
def test_every_estimator_that_counts_fits_a_frame(frame, mail, estimator):
    fitted, expected = estimator.fit(frame, "kind"), estimator.from_counts(ts.count(*mail))
    assert fitted.counts_ == expected.counts_
    assert fitted.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()


@pytest.mark.parametrize(
    ("y", "weight", "message"),
    [
        (["spam"], None, "y and sample_weight must be names of columns"),
        (None, None, "y and sample_weight must be names of columns"),
        ("label", None, "must have exactly one text column besides 'label'; its columns are: body, kind"),
        ("kind", "body", "must have exactly one text column besides 'kind'"),
    ],
)
def test_columns_that_do_not_tell_the_texts(frame, y, weight, message):
    with pytest.raises(ts.InvalidInputError, match=message):
        ts.TermSelector("bns").fit(frame, y, weight)


@pytest.mark.parametrize(
    "analyzer",
    [
        ts.Analyzer(),
        ts.Analyzer(ngram_range=(1, 2), stop_words=["to", "the", "you"]),
        ts.Analyzer(ngram_range=(2, 3), token_pattern="[a-zA-Z]+", lowercase=False, min_length=3),
        ts.Analyzer(words="auto", ngram_range=(1, 2), stop_words=["to", "you"]),
        ts.Analyzer(words="unicode", hashtags=True, min_length=2),
    ],
)
def test_spark_ml_counts_the_chosen_terms_as_the_vectorizer_does(spark, mail, analyzer):
    scripts = ["यह अच्छी किताब", "東京都に住む", "ภาษาไทย", "don't pay #now @me 👍🏽 3.50", "ΟΔΟΣ straße"] * 9
    texts = mail[0][:300] + unicode_texts(None)[0][:100] + scripts
    counts = ts.count(texts, [i % 2 for i in range(len(texts))], analyzer=analyzer)
    chosen = ts.select(counts, "chi2", ts.TopK(200))
    frame = spark.createDataFrame(pa.table({"n": list(range(len(texts))), "text": texts}))
    rows = (
        ts.spark.vectorizer(chosen, analyzer=analyzer)
        .transform(frame)
        .orderBy("n")
        .select("features")
        .collect()
    )
    found = np.array([row.features.toArray() for row in rows])
    expected = CountVectorizer(vocabulary=chosen, analyzer=analyzer).transform(texts).toarray()
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("terms", "analyzer", "message"),
    [
        ([], None, "terms is empty; pass at least one term"),
        (["a"], ts.Analyzer(stemmer="english"), "Spark ML does not support Analyzer"),
        (["a"], ts.Analyzer(strip_accents="ascii"), "Spark ML does not support"),
        (["a"], ts.Analyzer(analyzer="char"), "Spark ML does not support"),
        (["a"], ts.Analyzer(words="auto", normalize="NFC"), "Spark ML does not support"),
        (["a"], ts.Analyzer(html=True), "Spark ML does not support"),
        (["a"], ts.Analyzer(token_pattern=r"a\w+b"), "Spark ML does not support"),
        (["a"], str.split, "Spark ML does not support"),
    ],
)
def test_analyzers_that_spark_ml_cannot_follow(terms, analyzer, message):
    with pytest.raises(ts.InvalidInputError, match=message):
        ts.spark.vectorizer(terms, analyzer=analyzer)


def test_a_selection_leaves_with_the_analyzer_it_was_counted_by(spark):
    analyzer = ts.Analyzer(ngram_range=(1, 2), lowercase=False)
    counts = ts.count(["Free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"], analyzer=analyzer)
    chosen = ts.select(counts, "bns", ts.TopK(3))
    frame = spark.createDataFrame(pa.table({"body": ["Free prize Free", "free prize", "lunch today"]}))
    rows = chosen.to_spark(text="body").transform(frame).select("features").collect()
    expected = chosen.to_vectorizer().transform(["Free prize Free", "free prize", "lunch today"])
    assert [row.features.toArray().tolist() for row in rows] == expected.toarray().tolist()


CONNECT = """
import pathlib
import tempfile
import warnings
import pyarrow as pa
import termsift as ts
from termsift.engines.spark.sessions import ignore_pandas_warning as quiet
with quiet():
    from pyspark.sql import SparkSession
    spark = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "2").getOrCreate()
texts, labels = ["free prize", "lunch at noon", "free lunch", ""], ["spam", "ham", "ham", "spam"]
with quiet():
    frame = spark.createDataFrame(pa.table({"text": texts, "label": labels, "weight": [0.5, 1, 2, 1]}))
assert type(frame).__module__.startswith("pyspark.sql.connect"), type(frame)
assert ts.count(frame.repartition(3)) == ts.count(texts, labels)
weighted = ts.count(texts, labels, sample_weight=[0.5, 1, 2, 1])
assert ts.count(frame, sample_weight="weight") == weighted
best = ts.select(ts.count(texts, labels), "bns", ts.TopK(2))
assert ts.spark.top(frame, "bns", 2, reduce="max")["term"].tolist() == best
with quiet():
    rows = ts.spark.vectorizer(["free", "noon"]).transform(frame).select("features").collect()
assert [row.features.toArray().tolist() for row in rows] == [[1, 0], [0, 1], [1, 0], [0, 0]]
from termsift.engines.spark.sources import load_spark_frame, parse_spark_source
frame.createOrReplaceTempView("letters")
table = load_spark_frame(spark, parse_spark_source("letters", format="table"))
assert ts.count(table) == ts.count(texts, labels)
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "a.csv").write_text("text,label\\nfree prize,spam\\n")
    pathlib.Path(folder, "b.jsonl").write_text('{"text": "free prize", "label": "spam"}\\n')
    for name in ("a.csv", "b.jsonl"):
        found = load_spark_frame(spark, parse_spark_source(f"{folder}/{name}"))
        assert ts.count(found) == ts.count(["free prize"], ["spam"])
try:
    load_spark_frame(spark, parse_spark_source("lettres", format="table"))
except ts.UnknownNameError as error:
    print(error)
try:
    ts.count(frame.selectExpr("text", "NULL AS label").selectExpr("text", "CAST(label AS string) AS label"))
except ts.InvalidInputError as error:
    print(error)
spark.stop()
"""


def test_spark_connect_gives_the_same():
    if find_spec("grpc") is None or find_spec("pyspark") is None:
        missing("Spark Connect needs pyspark[connect]")
    done = subprocess.run(
        [sys.executable, "-W", "error::FutureWarning", "-c", CONNECT], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines() == [
        "there is no table lettres; did you mean 'letters'?",
        "a row has no label; fix it, or skip such rows: on_missing='skip'",
    ]
