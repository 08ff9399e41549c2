"""A Spark session, or a clear line where there can be none; and files as a DataFrame in one."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from termsift.engines.spark.faults import clear_faults, quiet
from termsift.engines.spark.master import check_master, check_reachable
from termsift.errors import EngineFailure, UnreadableFile

SETTINGS = {
    "spark.app.name": "termsift",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}


def session(master: str = "local[*]", **settings: str) -> Any:
    """A Spark session on a master: local[*], spark://host:port, sc://host:port (Connect), yarn, k8s://...

    settings : Spark's own, with _ for each dot: spark_executor_memory="4g"
    """
    check_reachable(master)
    with quiet(), needed():
        from pyspark.sql import SparkSession

        given = {name.replace("_", "."): value for name, value in settings.items()}
        if master.startswith("sc://"):
            return SparkSession.builder.remote(master).getOrCreate()
        check_java()
        # the workers' Python is this one, unless the environment names another
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        return started(master, SETTINGS | given)


@contextmanager
def reading(path: str, master: str = "local[*]") -> Iterator[Any]:
    """The Spark DataFrame of Parquet files (a path, a folder, a pattern), in a session as long as the block.

    A path without a scheme is one of this machine, which the workers must see too.
    """
    check_parquet(path)
    spark = session(master)
    try:
        with clear_faults():
            frame = spark.read.parquet(path if "://" in path else os.path.abspath(path))
        yield frame
    finally:
        spark.stop()


def check_parquet(path: str) -> None:
    """An error for what is not Parquet, or not there."""
    if "://" in path:
        return
    from termsift.engines.files.sources import matching_files

    other = next((name for name in matching_files(path) if not name.lower().endswith(".parquet")), None)
    if other is not None:
        raise UnreadableFile(f"{other} is not Parquet, which Spark reads here; count it with --engine files")


@contextmanager
def needed() -> Iterator[None]:
    """A package that is missing as a line that says what to install."""
    try:
        yield
    except ImportError as error:
        reason = " ".join(str(error).split())
        raise EngineFailure(f"Spark is not whole here ({reason}); pip install 'termsift[spark]'") from error


def check_java() -> None:
    """An error unless there is a Java to run Spark."""
    home = os.environ.get("JAVA_HOME")
    found = os.path.join(home, "bin", "java") if home else "java"
    if shutil.which(found) is None:
        where = f"JAVA_HOME names {home}, which has none" if home else "there is none on the PATH"
        raise EngineFailure(f"Spark needs Java 17 or later, and {where}; install it, or set JAVA_HOME")


def started(master: str, settings: dict[str, str]) -> Any:
    """The session, once Java runs and the master has taken us in."""
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    with own_talk() as talk:
        try:
            # Java starts with the settings, and asks for the master before a context waits for it
            SparkContext._ensure_initialized(conf=SparkConf().setAll(list(settings.items())))
            check_master(master, SparkContext._jvm)
            return SparkSession.builder.master(master).config(map=settings).getOrCreate()
        except (PySparkException, Py4JError) as error:
            raise EngineFailure(f"Spark does not start: {last_line(talk)}") from error


@contextmanager
def own_talk() -> Iterator[Any]:
    """A file that takes what Java says while it starts, and after: stderr is the user's."""
    with tempfile.TemporaryFile() as talk:
        sys.stderr.flush()
        kept = os.dup(2)
        os.dup2(talk.fileno(), 2)
        try:
            yield talk
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def last_line(talk: Any) -> str:
    """The last line of what was said that is neither a place in a program nor of Spark's own scripts."""
    talk.seek(0)
    lines = [line.strip() for line in talk.read().decode(errors="replace").splitlines()]
    said = [
        line for line in lines if line and not line.startswith(("at ", "...")) and "/bin/spark-" not in line
    ]
    return said[-1] if said else "Java said nothing"
