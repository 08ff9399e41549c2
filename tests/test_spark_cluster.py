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
from conftest import missing
from spark_cluster import READY, Cluster, Fatal

pytestmark = pytest.mark.xdist_group("spark")
COMMAND = [sys.executable, "-c", "from termsift.cli import main; main()"]
JOB = """
import sys
import termsift as ts
from spark_cluster import Fatal
master, data, note, grief, output = sys.argv[1:]
spark = ts.spark.session(master, spark_executor_memory="512m", spark_executor_pyspark_memory="16g")
frame = spark.read.parquet(data).repartition(4)
ts.count(frame, analyzer=Fatal(note, grief)).save(output)
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A master and two workers."""
    try:
        from termsift.engines.spark.session import check_java, needed

        with needed():
            import pyspark  # noqa: F401
        check_java()
    except ts.EngineFailure as error:
        missing(str(error))
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        cluster.add_worker()
        cluster.add_worker()
        yield cluster
    finally:
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


def test_the_command_on_a_folder_of_parquet_files_and_the_same_line_with_files(cluster, mail, tmp_path):
    folder, texts, labels = mail
    line = ["count", str(folder), "--text", "body", "--label", "kind", "--csv"]
    for name, engine in (
        ("spark", ["--engine", "spark", "--master", cluster.url]),
        ("files", ["--engine", "files"]),
    ):
        done = subprocess.run(
            [*COMMAND, *line, *engine, "-o", str(tmp_path / name)],
            capture_output=True,
            text=True,
            env=environment(),
        )
        assert done.returncode == 0, done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert (tmp_path / "spark").read_bytes() == (tmp_path / "files").read_bytes()
    assert ts.Counts.load(tmp_path / "spark") == ts.count(texts, labels)


def job(cluster, mail, tmp_path, grief):
    """A driver that counts with an analyzer that comes to grief once, and what it should find."""
    _, texts, labels = mail
    data = tmp_path / "data.parquet"
    pq.write_table(pa.table({"text": texts, "label": labels}), data)
    note, output = tmp_path / "note", tmp_path / "counts"
    arguments = [cluster.url, str(data), str(note), grief, str(output)]
    driver = subprocess.Popen([sys.executable, "-c", JOB, *arguments], env=environment())
    return driver, note, output, lambda: ts.count(texts, labels, analyzer=Fatal(str(note), grief))


def test_a_worker_that_runs_out_of_memory_once(cluster, mail, tmp_path):
    driver, note, output, expected = job(cluster, mail, tmp_path, "memory")
    assert driver.wait() == 0
    assert note.exists()
    assert ts.Counts.load(output) == expected()


def test_a_worker_killed_in_the_middle(cluster, mail, tmp_path):
    driver, note, output, expected = job(cluster, mail, tmp_path, "killed")
    deadline = time.monotonic() + READY
    while not (note.exists() and note.read_text().endswith("\n")) and driver.poll() is None:
        assert time.monotonic() < deadline, "no worker came to the trap"
        time.sleep(0.05)
    worker = cluster.worker_of(int(note.read_text()))
    os.kill(worker.pid, signal.SIGKILL)
    assert driver.wait() == 0
    assert worker.wait() == -signal.SIGKILL
    assert ts.Counts.load(output) == expected()
