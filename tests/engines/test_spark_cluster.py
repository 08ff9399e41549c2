"""A real cluster, a master and two workers on loopback: same counts, also when a worker dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import termsift as ts
from skipping import missing
from spark_cluster import GRIEFS, READY, Cluster, Fatal

pytestmark = pytest.mark.xdist_group("spark")
COMMAND = [sys.executable, "-c", "from termsift.cli import main; main()"]
DRIVER = """
import sys
import termsift as ts
from spark_cluster import GRIEFS, Fatal
master, folder = sys.argv[1:]
spark = ts.spark.session(master, spark_executor_memory="512m", spark_executor_pyspark_memory="16g")
frame = spark.read.parquet(f"{folder}/data.parquet").repartition(3)
for grief in GRIEFS:
    ts.count(frame, analyzer=Fatal(f"{folder}/{grief}.note", grief)).save(f"{folder}/{grief}.counts")
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A master and two workers."""
    try:
        from termsift.engines.spark.sessions import check_java, require_pyspark

        with require_pyspark():
            import pyspark  # noqa: F401
        check_java()
    except ts.EngineError as error:
        missing(str(error))
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.stop()


@pytest.fixture
def mail(tmp_path):
    """A folder of Parquet files, as Spark writes them, and its texts and labels."""
    texts = [f"word{i % 50} number{i} grüße 東京" + (" trap" if i == 77 else "") for i in range(400)]
    labels = ["spam" if i % 3 else "ham" for i in range(400)]
    folder = tmp_path / "mail.parquet"
    folder.mkdir()
    for i in range(4):
        part = slice(100 * i, 100 * (i + 1))
        pq.write_table(pa.table({"body": texts[part], "kind": labels[part]}), folder / f"part-{i:05}.parquet")
    (folder / "_SUCCESS").touch()
    return folder, texts, labels


def environment():
    return os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def test_the_command_on_a_folder_of_parquet_files_and_the_same_line_with_files(cluster, mail, run, tmp_path):
    folder, texts, labels = mail
    line = ["count", str(folder), "--text", "body", "--label", "kind", "--csv"]
    spark = ["--engine", "spark", "--master", cluster.url, "-o", str(tmp_path / "spark")]
    command = [*COMMAND, *line, *spark]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment()) as on_spark:
        code, _, with_files = run(*line, "--engine", "files", "-o", tmp_path / "files")
        said = on_spark.stderr.read()
    assert (code, len(with_files.splitlines())) == (0, 1), with_files
    assert (on_spark.returncode, len(said.splitlines())) == (0, 1), said
    assert (tmp_path / "spark").read_bytes() == (tmp_path / "files").read_bytes()
    assert ts.Counts.load(tmp_path / "spark") == ts.count(texts, labels)


@pytest.fixture(scope="module")
def survived(cluster, tmp_path_factory):
    """Counts made while one worker ran out of memory and then one was killed; and what they should be."""
    folder = tmp_path_factory.mktemp("survived")
    texts = [f"word{i % 50} number{i}" + (" trap" if i == 77 else "") for i in range(400)]
    labels = ["spam" if i % 3 else "ham" for i in range(400)]
    pq.write_table(pa.table({"text": texts, "label": labels}), folder / "data.parquet")
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, cluster.url, str(folder)], env=environment())
    worker = cluster.worker_of(noted(folder / "killed.note", driver))
    os.kill(worker.pid, signal.SIGKILL)
    assert driver.wait() == 0
    assert worker.wait() == -signal.SIGKILL
    assert (folder / "memory.note").exists()

    def found_and_expected(grief):
        analyzer = Fatal(str(folder / f"{grief}.note"), grief)
        return ts.Counts.load(folder / f"{grief}.counts"), ts.count(texts, labels, analyzer=analyzer)

    return found_and_expected


def noted(note, driver):
    """The process that left a note, once it is there."""
    deadline = time.monotonic() + 3 * READY
    while not (note.exists() and note.read_text().endswith("\n")):
        assert driver.poll() is None, "the driver ended before its time"
        assert time.monotonic() < deadline, "no worker came to the trap"
        time.sleep(0.05)
    return int(note.read_text())


@pytest.mark.parametrize("grief", GRIEFS)
def test_worker_failure_does_not_change_counts(survived, grief):
    found, expected = survived(grief)
    assert found == expected
