"""Files that Spark reads: a name that exists is that file; and weights as every engine adds them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import termsift as ts
from termsift.engines.files.opening import SourceFile
from termsift.engines.spark.decoding import spark_path
from termsift.engines.spark.sources import load_spark_frame, parse_spark_source, resolve_spark_files
from weighted_counts import assert_close

pytestmark = pytest.mark.xdist_group("spark")
ODD = ("a[1]", "a{b,c}", "a?", "a*", "a\\b", "a%20b", "label=2024/x", "ä #'")


def write(path, label):
    path.parent.mkdir(exist_ok=True)
    if path.suffix == ".csv":
        path.write_text(f"text,label\naa,{label}\nbb,other\n")
        return
    pq.write_table(pa.table({"text": ["aa", "bb"], "label": [label, "other"]}), path)


def labels_of(spark, path):
    return {row.label for row in load_spark_frame(spark, parse_spark_source(path)).collect()}


def test_a_name_that_exists_is_that_file(tmp_path, spark):
    for wrong in ("a1", "ab", "ac", "a b"):
        write(tmp_path / f"{wrong}.parquet", "wrong")
        write(tmp_path / f"{wrong}.csv", "wrong")
    for name in ODD:
        write(tmp_path / f"{name}.parquet", "right")
        write(tmp_path / f"{name}.csv", "right")
    for name in ODD:
        for ending in ("parquet", "csv"):
            assert labels_of(spark, tmp_path / f"{name}.{ending}") == {"right", "other"}, name
    assert labels_of(spark, tmp_path / "a[bc].parquet") == {"wrong", "other"}


def test_rejects_names_that_spark_ignores(tmp_path):
    for name in ("_a.csv", ".a.csv", "a.csv._COPYING_"):
        with pytest.raises(ts.UnreadableFileError, match="Spark ignores files with names like"):
            spark_path(SourceFile(str(tmp_path / name)))
    with pytest.raises(ts.UnreadableFileError, match="Spark cannot read names with a colon; rename"):
        spark_path(SourceFile(str(tmp_path / "a:b.csv")))
    with pytest.raises(ts.UnreadableFileError, match="has a name that is not UTF-8; rename it"):
        spark_path(SourceFile("a\udcff.csv"))


def test_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "http:" / "x.parquet", "right")
    for path, files in (
        ("http://x.parquet", [f"{tmp_path}/http:/x.parquet"]),
        ("s3a://mail/*.parquet", ["s3a://mail/*.parquet"]),
    ):
        kind, found = resolve_spark_files(parse_spark_source(path))
        assert (kind, [spark_path(file) for file in found]) == ("Parquet", files)


@pytest.mark.parametrize(
    ("path", "format", "kind"),
    [
        ("s3a://mail/a.csv", None, "CSV"),
        ("s3a://mail/a.jsonl.gz", None, "JSONL"),
        ("s3a://mail/a.orc", None, "ORC"),
        ("s3a://mail/a.csv.snappy", None, "CSV"),
        ("hdfs:///mail", None, "Parquet"),
        ("hdfs:///mail", "tsv", "TSV"),
        ("hdfs:///mail", "text", "one folder per class"),
    ],
)
def test_the_format_of_an_address(path, format, kind):
    assert resolve_spark_files(parse_spark_source(path, format=format))[0] == kind


@pytest.mark.parametrize("several", [False, True])
def test_weights_of_any_kind_give_the_sums_of_texts_up_to_rounding(spark, several):
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{word}" for word in rng.integers(0, 20, 15)) for _ in range(300)]
    weights = rng.random(300) * np.exp(rng.normal(0, 4, 300))
    labels = [["x", "y"][: 1 + i % 2] if several else "xyz"[i % 3] for i in range(300)]
    kind = "array<string>" if several else "string"
    rows = list(zip(texts, labels, weights.tolist(), strict=True))
    frame = spark.createDataFrame(rows, f"text string, label {kind}, weight double").repartition(3)
    assert_close(ts.count(frame, sample_weight="weight"), ts.count(texts, labels, sample_weight=weights))
