"""A session of Spark, or a clear line where there can be none."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

from termsift.engines.spark.quiet import quiet
from termsift.errors import EngineFailure, InvalidInput

PATIENCE = 5.0  # seconds for a port to answer
REGISTRATION = 22.0  # seconds for a master to take us in, the start of Java included
SETTINGS = {
    "spark.app.name": "termsift",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}


def session(master: str = "local[*]", **settings: str) -> Any:
    """A session of Spark on a master: local[*], spark://host:port, sc://host:port (Connect), yarn, k8s://...

    settings : Spark's own, with _ for each dot: spark_executor_memory="4g"
    """
    check_address(master)
    with quiet():
        from pyspark.sql import SparkSession

        given = {name.replace("_", "."): value for name, value in settings.items()}
        if master.startswith("sc://"):
            return SparkSession.builder.remote(master).getOrCreate()
        check_java()
        # the workers' Python is this one, unless the environment names another
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.master(master).config(map=SETTINGS | given)
        return started(builder, master)


def check_java() -> None:
    """An error unless there is a Java to run Spark."""
    home = os.environ.get("JAVA_HOME")
    found = os.path.join(home, "bin", "java") if home else "java"
    if shutil.which(found) is None:
        where = f"JAVA_HOME names {home}, which has none" if home else "there is none on the PATH"
        raise EngineFailure(f"Spark needs Java 17 or later, and {where}; install it, or set JAVA_HOME")


def check_address(master: str) -> None:
    """An error unless one of the hosts of a master's address answers."""
    kind, _, rest = master.partition("://")
    if kind not in ("spark", "sc") or not rest:
        if not master.startswith(("local", "yarn", "k8s://")):
            raise InvalidInput(f"no master like {master!r}; use local[*], spark://host:port, yarn or k8s://...")
        return
    hosts = [host.split("/")[0] for host in rest.split(",")]
    faults = [silence(host, "7077" if kind == "spark" else "15002") for host in hosts]
    if all(faults):
        raise EngineFailure(f"the master {master} does not answer: {faults[0]}")


def silence(host: str, port: str) -> str | None:
    """Why a host does not answer, or None if it does."""
    name, _, given = host.partition(":")
    if given and not given.isdigit():
        raise InvalidInput(f"{given!r} is not the number of a port")
    try:
        socket.create_connection((name, int(given or port)), timeout=PATIENCE).close()
    except (OSError, OverflowError) as error:
        return str(getattr(error, "strerror", None) or error)
    return None


def started(builder: Any, master: str) -> Any:
    """The session, once Java runs and the master has taken us in."""
    found: list[Any] = []
    with own_talk() as talk:
        start = Thread(target=attempt, args=(builder, found), daemon=True)
        start.start()
        start.join(REGISTRATION if master.startswith("spark://") else None)
        if not found:
            stop_java()
            raise EngineFailure(f"the master {master} does not take us in: no answer of a Spark master")
        if isinstance(found[0], Exception):
            raise EngineFailure(f"Spark does not start: {last_line(talk)}") from found[0]
    return found[0]


def attempt(builder: Any, found: list[Any]) -> None:
    """Put a session, or the reason why there is none, into the list."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        found.append(builder.getOrCreate())
    except (PySparkException, Py4JError, OSError) as error:
        found.append(error)


def stop_java() -> None:
    """End the Java that waits for a master."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    process = getattr(gateway, "proc", None)
    if process is not None:
        process.kill()
    SparkContext._gateway = SparkContext._jvm = None


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
    """The last line of what was said that is no place in a program."""
    talk.seek(0)
    lines = [line.strip() for line in talk.read().decode(errors="replace").splitlines()]
    said = [line for line in lines if line and not line.startswith(("at ", "..."))]
    return said[-1] if said else "Java said nothing"
