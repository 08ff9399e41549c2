"""Counting on a cluster of Spark, against the engine of files on the same cores, and against Spark's own way.

A real standalone cluster: a master and two workers of one core each, on loopback. The corpus is that of
files.py as Parquet; `python benchmarks/spark.py 2` takes its size in GB. The engines take turns, each in a
process of its own, compiled and warm before its clock starts; the better of two times counts.
docs/make/scale_page.py shows the figures of the cluster.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import metrics
import newsgroups
import scale
import termsift as ts
from metrics import row, status

sys.path.append(str(Path(__file__).parent.parent / "tests"))

RESULTS = Path(__file__).parent / "results" / "spark.csv"
PART = 60e6  # bytes of text in a file
K = 1000


def main(size: float) -> None:
    rows = [*throughput(size), *own_way()]
    for line in rows:
        print(f"{line['what']:<72} {line['value']:>14}  {line['target']}", flush=True)
    metrics.save([*rows, row("version of pyspark", version())], RESULTS)


def version() -> str:
    import pyspark

    return pyspark.__version__


def throughput(size: float) -> Iterator[dict[str, str]]:
    """Bytes a second of the cluster and of the engine of files; the driver's memory."""
    from spark_cluster import Cluster

    with tempfile.TemporaryDirectory() as folder:
        whole, part = Path(folder) / "corpus", Path(folder) / "part"
        text = write(whole, size * 1e9)
        part.mkdir()
        for file in sorted(whole.iterdir())[: max(len(list(whole.iterdir())) // 4, 1)]:
            os.link(file, part / file.name)
        cluster = Cluster(Path(folder) / "cluster")
        try:
            cluster.add_worker()
            cluster.add_worker()
            turns = [
                (measured("on_cluster", whole, cluster.url), measured("by_files", whole)) for _ in range(2)
            ]
            memory = [measured("frequent", corpus, cluster.url) for corpus in (part, whole)]
        finally:
            cluster.stop()
    spark, files = (min(pair[i]["seconds"] for pair in turns) for i in (0, 1))
    yield row(f"{size:g} GB, engine of files: MB/s", f"{text / files / 1e6:.0f}")
    yield row(f"{size:g} GB, cluster: MB/s", f"{text / spark / 1e6:.0f}")
    yield row("cluster / engine of files", f"{files / spark:.2f}", "at least 0.6")
    counted = min((pair[0] for pair in turns), key=lambda run: run["seconds"])
    scale.save(
        "scale_cluster", [{"name": key, "value": value} for key, value in (counted | {"text": text}).items()]
    )
    yield row("partial rows, rows of the result", f"{counted['rows']:.0f}, {counted['result']:.0f}")
    yield row("bytes of the shuffle", f"{counted['shuffle']:.0f}")
    for share, one in zip((size / 4, size), memory, strict=True):
        peaks = f"{one['driver']:.0f}, {one['java']:.0f}"
        yield row(f"{share:g} GB, terms in 2 documents or more: driver's peak MB, Python and Java", peaks)


def write(folder: Path, size: float) -> float:
    """Parquet files of so many bytes of text: 20 Newsgroups drawn again, a new word in every thousand."""
    texts, labels = newsgroups.texts_and_labels()
    words = np.array([len(text) // 7 for text in texts])
    rng = np.random.default_rng(0)
    folder.mkdir()
    written = new = 0
    while written < size:
        bodies, names, filled = [], [], 0
        while filled < PART:
            i = int(rng.integers(len(texts)))
            n = int(rng.poisson(words[i] / 1000))
            bodies.append(texts[i] + "".join(f" w{new + j:x}" for j in range(n)))
            names.append(str(labels[i]))
            filled, new = filled + len(bodies[-1]), new + n
        table = pa.table({"text": bodies, "label": names})
        pq.write_table(table, folder / f"part-{len(list(folder.iterdir())):05}.parquet", row_group_size=5000)
        written += filled
    return written


def measured(what: str, folder: Path, *more: str) -> dict[str, float]:
    """Return the output of a function of this file in a fresh process."""
    code = f"import spark; spark.{what}(*{[str(folder), *more]!r})"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, stdout=PIPE, text=True, cwd=Path(__file__).parent
    )
    return json.loads(done.stdout.splitlines()[-1])


def by_files(folder: str) -> None:
    ts.count(["some text"], ["x"])
    start = perf_counter()
    ts.count(folder, n_jobs=2)
    print(json.dumps({"seconds": perf_counter() - start}))


def on_cluster(folder: str, master: str) -> None:
    with tempfile.TemporaryDirectory() as events:
        spark = session(master, events)
        frame = spark.read.parquet(folder)
        # both workers are there, have imported and compiled, before the clock starts
        ts.count(frame.limit(200).repartition(4))
        start = perf_counter()
        counts = ts.count(frame)
        seconds = perf_counter() - start
        spark.stop()
        print(json.dumps({"seconds": seconds, "result": counts.df.nnz, **shuffled(events)}))


def session(master: str, events: str):
    return ts.spark.session(
        master,
        spark_executor_memory="1g",
        spark_driver_memory="1g",
        spark_eventLog_enabled="true",
        spark_eventLog_dir=f"file://{events}",
        spark_eventLog_rolling_enabled="false",
        spark_eventLog_compress="false",
    )


def frequent(folder: str, master: str) -> None:
    """Print the peaks of a driver that leaves rare terms on the cluster."""
    spark = ts.spark.session(master, spark_executor_memory="1g", spark_driver_memory="1g")
    ts.count(spark.read.parquet(folder), min_df=2)
    print(json.dumps({"driver": status("VmHWM"), "java": java_peak()}))


def java_peak() -> float:
    """Return the peak memory of the driver's Java, in MB."""
    from pyspark import SparkContext

    pid = SparkContext._gateway.proc.pid
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


def shuffled(events: str) -> dict[str, float]:
    """Of the largest shuffle its rows and bytes, and the seconds of tasks before and after it.

    From Spark's own log of events.
    """
    tasks = [event for event in logged(events) if event["Event"] == "SparkListenerTaskEnd"]
    stages: dict[int, list[float]] = {}
    for task in tasks:
        written, found = (
            task["Task Metrics"]["Shuffle Write Metrics"],
            stages.setdefault(task["Stage ID"], [0, 0, 0]),
        )
        found[0] += written["Shuffle Records Written"]
        found[1] += written["Shuffle Bytes Written"]
        found[2] += task["Task Metrics"]["Executor Run Time"] / 1e3
    largest = max(stages, key=lambda stage: stages[stage][0])
    rows, size, before = stages[largest]
    after = sum(seconds for stage, (_, _, seconds) in stages.items() if stage > largest)
    return {"rows": rows, "shuffle": size, "before": before, "after": after}


def logged(events: str) -> Iterator[dict[str, Any]]:
    """Yield the events of Spark's log."""
    for file in Path(events).rglob("*"):
        if file.is_file() and not file.name.endswith(".crc"):
            yield from map(json.loads, file.read_text().splitlines())


def own_way() -> Iterator[dict[str, str]]:
    """Select the 1,000 best terms of 20 Newsgroups by chi2, with Spark ML and with termsift."""
    with tempfile.TemporaryDirectory() as folder:
        texts, labels = newsgroups.texts_and_labels()
        table = pa.table(
            {"text": texts, "name": labels.tolist(), "label": np.unique(labels, return_inverse=True)[1]}
        )
        pq.write_table(table, Path(folder) / "news.parquet", row_group_size=2000)
        found = measured("both_ways", Path(folder) / "news.parquet")
    yield row(f"20 Newsgroups to {K} terms by chi2: Spark ML, s", f"{found['theirs']:.1f}")
    yield row(f"20 Newsgroups to {K} terms by chi2: termsift on Spark, s", f"{found['ours']:.1f}")
    yield row("Spark ML / termsift on Spark", f"{found['theirs'] / found['ours']:.1f}", "at least 5")


def both_ways(path: str) -> None:
    spark = ts.spark.session("local[2]", spark_driver_memory="6g")
    frame = spark.read.parquet(path).repartition(4).cache()
    frame.count()
    ts.count(frame.limit(200), label="name")
    seconds = {}
    for name, way in (("ours", ours), ("theirs", theirs)):
        start = perf_counter()
        assert len(way(frame)) == K
        seconds[name] = perf_counter() - start
    print(json.dumps(seconds))


def ours(frame) -> list[str]:
    return ts.select(ts.count(frame, label="name"), "chi2", ts.TopK(K))


def theirs(frame) -> list[str]:
    from pyspark.ml import Pipeline
    from pyspark.ml.feature import CountVectorizer, Tokenizer, UnivariateFeatureSelector

    selector = UnivariateFeatureSelector(featuresCol="counts", outputCol="chosen", labelCol="label")
    selector.setFeatureType("categorical").setLabelType("categorical").setSelectionThreshold(K)
    stages = [
        Tokenizer(inputCol="text", outputCol="words"),
        CountVectorizer(inputCol="words", outputCol="counts"),
    ]
    _, vectorizer, chosen = Pipeline(stages=[*stages, selector]).fit(frame).stages
    words = vectorizer.vocabulary
    return [words[i] for i in chosen.selectedFeatures]


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 2)
