"""Files that Spark reads: a name that exists is that file; and weights as every engine adds them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import termsift as ts
from termsift.engines.spark.session import parquet_paths

pytestmark = pytest.mark.xdist_group("spark")
ODD = ("a[1]", "a{b,c}", "a?", "a*", "a\\b", "a%20b", "label=2024/x", "_ä #")


def write(path, label):
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.table({"text": ["aa", "bb"], "label": [label, "other"]}), path)


def labels_of(spark, path):
    return {row.label for row in spark.read.parquet(*parquet_paths(str(path))).select("label").collect()}


def test_a_name_that_exists_is_that_file(tmp_path, spark):
    for wrong in ("a1", "ab", "ac", "a b"):
        write(tmp_path / f"{wrong}.parquet", "wrong")
    for name in ODD:
        write(tmp_path / f"{name}.parquet", "right")
    for name in ODD[:-1]:
        assert labels_of(spark, tmp_path / f"{name}.parquet") == {"right", "other"}, name
    assert labels_of(spark, tmp_path / "a[bc].parquet") == {"wrong", "other"}


def test_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "http:" / "x.parquet", "right")
    assert parquet_paths("http://x.parquet") == [f"{tmp_path}/http:/x.parquet"]
    assert parquet_paths("s3a://mail/*.parquet") == ["s3a://mail/*.parquet"]
    (tmp_path / "m.csv").write_text("text,label\n")
    with pytest.raises(ts.UnreadableFile, match="is not Parquet, which Spark reads here"):
        parquet_paths("m.csv")


@pytest.mark.parametrize("several", [False, True])
def test_weights_of_any_kind_give_the_bytes_of_texts(tmp_path, spark, several):
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{word}" for word in rng.integers(0, 20, 15)) for _ in range(300)]
    weights = rng.random(300) * np.exp(rng.normal(0, 4, 300))
    labels = [["x", "y"][: 1 + i % 2] if several else "xyz"[i % 3] for i in range(300)]
    kind = "array<string>" if several else "string"
    rows = list(zip(texts, labels, weights.tolist(), strict=True))
    frame = spark.createDataFrame(rows, f"text string, label {kind}, weight double").repartition(3)
    ts.count(frame, sample_weight="weight").save(tmp_path / "found")
    ts.count(texts, labels, sample_weight=weights).save(tmp_path / "expected")
    assert (tmp_path / "found").read_bytes() == (tmp_path / "expected").read_bytes()
