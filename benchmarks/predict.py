"""Documents per second that a saved model labels, against scikit-learn, with one thread; and on Spark.

    predict.py                 against scikit-learn: exported pipeline; TfidfVectorizer + LinearSVC
    predict.py spark [texts]   Spark on two cores, with a Python worker killed; 1,000,000 short texts

All sides take turns on the same texts, with kernels loaded; the best processor time of each counts.
The command on short texts is timed as a whole, by the processor and by the clock.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import metrics
import newsgroups
import termsift as ts
from metrics import alternating, row

RESULTS = Path(__file__).parent / "results"
ROUNDS = 5
SHORT_TEXTS = 100
PARTITIONS = 64  # of the frame: enough that the killed worker is in the middle of its work


def main(texts: list[str], labels: list[Any]) -> None:
    """Measure both corpora, and the command on short texts."""
    os.environ["TERMSIFT_COMPILED_FROM"] = "0"  # also for few texts; the command below loads no kernel
    rows = [*measure("SMS", texts, labels), *measure("20 Newsgroups", *newsgroups.texts_and_labels())]
    del os.environ["TERMSIFT_COMPILED_FROM"]
    rows += shell(fit(texts, labels), texts[:SHORT_TEXTS])
    metrics.save(rows, RESULTS / "predict.csv")


def fit(texts: list[str], labels: list[Any]) -> ts.Model:
    """Return a model of 200 terms by bns with a linear SVM."""
    found = ts.compare(
        texts, labels, metrics="bns", k=[200], classifiers="svm", folds=2, repeats=1, max_terms=200
    )
    return found.model


def measure(name: str, texts: list[str], labels: list[Any]) -> list[Any]:
    """Return the rows of a corpus."""
    model = fit(texts, labels)
    exported, plain = model.to_sklearn(), make_pipeline(TfidfVectorizer(), LinearSVC()).fit(texts, labels)
    model.predict(texts)  # loads the kernels
    jobs = {
        f"termsift, {len(model.terms)} terms": lambda: model.predict(texts, n_jobs=1),
        "exported pipeline": lambda: exported.predict(texts),
        "TfidfVectorizer + LinearSVC": lambda: plain.predict(texts),
    }
    seconds = alternating(jobs, ROUNDS, time.process_time)
    ours, exported_seconds, plain_seconds = seconds.values()
    return [
        *(row(f"{name}: {side}", f"{len(texts) / best:,.0f} documents/s") for side, best in seconds.items()),
        row(f"{name}: termsift / exported pipeline", f"{exported_seconds / ours:.1f}"),
        row(f"{name}: termsift / TfidfVectorizer + LinearSVC", f"{plain_seconds / ours:.1f}", "at least 10"),
    ]


def shell(model: ts.Model, texts: list[str]) -> list[Any]:
    """Return the time of `termsift predict` of short texts."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = ["text", *(f'"{text.replace(chr(34), "")}"' for text in texts)]
        (folder / "short.csv").write_text("\n".join(lines), encoding="utf-8")
        file = model.save(folder / "model")
        command = [sys.executable, "-m", "termsift", "predict", file, folder / "short.csv"]
        jobs = {"": lambda: subprocess.run(command, check=True, capture_output=True)}
        wall = alternating(jobs, ROUNDS)[""]
        processor = alternating(jobs, ROUNDS, children_seconds)[""]
    what = f"predict of {len(texts)} short texts from the shell"
    return [
        row(f"{what}, by the clock", f"{wall:.2f} s", "at most 1 s"),
        row(f"{what}, by the processor", f"{processor:.2f} s", "at most 1 s"),
    ]


def children_seconds() -> float:
    """Return the processor time of the processes that this one has started."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def on_spark(texts: list[str], labels: list[Any], size: int) -> None:
    """Label many short texts on Spark, whole and with a worker killed, and on this machine without Spark."""
    model = fit(texts, labels)
    many = [texts[i] for i in np.random.default_rng(0).integers(len(texts), size=size)]
    # a local Spark gives up at the first failure unless told how many to accept
    spark = ts.spark.session("local[2,4]", spark_driver_memory="2g")
    with tempfile.TemporaryDirectory() as name:
        path = write_parquet(many, Path(name) / "texts.parquet")
        expected, local = timed(lambda: model.predict(many))
        frame = spark.read.parquet(path).repartition(PARTITIONS)
        # both workers have imported, and have loaded kernels if there is enough text
        model.predict_spark(frame.sample(0.2), keep=["id"]).toArrow()
        labelled, quiet = timed(lambda: model.predict_spark(frame, keep=["id"]).toArrow())
        check_labels(labelled, expected)
        killed: list[int] = []
        killer = threading.Thread(target=kill_worker, args=(killed, quiet / 3))
        killer.start()
        labelled, disturbed = timed(lambda: model.predict_spark(frame, keep=["id"]).toArrow())
        killer.join()
        check_labels(labelled, expected)
        failures = failed_tasks(spark)
        assert killed, "no worker was there when one was to be killed"
        assert failures, "the worker that was killed was idle; label more texts"
    spark.stop()
    rows = [
        row(f"{size:,} short texts: this machine, 2 threads", f"{local:.1f} s"),
        row(f"{size:,} short texts: Spark local[2]", f"{quiet:.1f} s"),
        row(f"{size:,} short texts: Spark local[2], {len(killed)} worker killed", f"{disturbed:.1f} s"),
        row("tasks that failed and were repeated", f"{failures}", "at least 1"),
        row("labels that differ", "0", "0"),
    ]
    for line in rows:
        print(f"{line['what']:<72} {line['value']:>14}  {line['target']}", flush=True)
    metrics.save(rows, RESULTS / "predict_spark.csv")


def write_parquet(texts: list[str], path: Path) -> str:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"id": range(len(texts)), "text": texts}), path)
    return str(path)


def timed(job: Any) -> tuple[Any, float]:
    begin = time.perf_counter()
    result = job()
    return result, time.perf_counter() - begin


def check_labels(labelled: Any, expected: list[Any]) -> None:
    """Check that the labels on Spark equal those of this machine, each of its text."""
    found = dict(zip(labelled["id"].to_pylist(), labelled["label"].to_pylist(), strict=True))
    assert len(found) == labelled.num_rows == len(expected), "a text is missing, or labelled twice"
    assert [found[i] for i in range(len(expected))] == list(map(str, expected)), "labels differ"


def kill_worker(killed: list[int], delay: float) -> None:
    """Kill a Python worker of Spark, below the daemon that forks them."""
    time.sleep(delay)
    workers = [pid for pid in descendants(os.getpid()) if b"pyspark.daemon" in command_line(pid)]
    # the daemon is the parent of the others
    workers = [pid for pid in workers if parent(pid) in workers]
    if workers:
        os.kill(workers[0], signal.SIGKILL)
        killed.append(workers[0])


def failed_tasks(spark: Any) -> int:
    """Return the number of tasks that failed since the session began."""
    tracker = spark.sparkContext.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup()]
    stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
    return sum(stage.numFailedTasks for stage in stages if stage)


def parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def descendants(root: int) -> list[int]:
    """Return the processes below one."""
    parents = {pid: parent(pid) for pid in (int(path.name) for path in Path("/proc").glob("[0-9]*"))}
    found = {root}
    while more := {pid for pid, above in parents.items() if above in found} - found:
        found |= more
    return sorted(found - {root})


if __name__ == "__main__":
    sms = ts.corpora.load("sms_spam")
    single = [names[0] if isinstance(names, list) else names for names in sms.labels]
    if sys.argv[1:2] == ["spark"]:
        on_spark(sms.texts, single, int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000)
    else:
        main(sms.texts, single)
