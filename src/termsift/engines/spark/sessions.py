"""Spark sessions, and translation of Spark failures into short errors."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any
from urllib.parse import unquote

from termsift._internal import errors
from termsift._internal.errors import EngineError, InvalidInputError, TermsiftError, UnreadableFileError

TERMSIFT_ERROR = re.compile(r"termsift\._internal\.errors\.(\w+): (.+)")
# a file that Spark names in a report: an address of this machine is a path
UNREAD_FILE = re.compile(
    r"(?:error while reading file|Path does not exist:) (?:file:/{0,2}(?=/))?(.+?)"
    r"\.(?:\s+SQLSTATE| Could not)"
)
KNOWN_ERRORS = {
    "No module named 'termsift'": "the workers cannot import termsift: install it on every node, "
    "or ship a packed environment (spark.archives)",
    "spark.driver.maxResultSize": "the counts are larger than spark.driver.maxResultSize: raise it, "
    "raise min_df, or score on the cluster with ts.spark.top",
    "S3AFileSystem not found": "Spark cannot read s3a:// URLs: add org.apache.hadoop:hadoop-aws, in the "
    "version of its Hadoop, to spark.jars.packages",
    "MemoryError": "a worker ran out of memory repeatedly: give workers more memory, "
    "or pass a smaller memory=",
}


@contextmanager
def translate_spark_errors() -> Iterator[None]:
    """Raise errors of Spark as errors of termsift: the one a worker raised, or one with a remedy."""
    from py4j.protocol import Py4JError
    from pyarrow import ArrowException
    from pyspark.errors import PySparkException

    try:
        yield
    # a Java that dies breaks the connection, and what comes through it
    except (PySparkException, Py4JError, ConnectionError, EOFError, ArrowException) as error:
        raise parse_spark_error(str(error)) from error


def parse_spark_error(report: str) -> TermsiftError:
    """Return the error that a Spark report is about."""
    ours = TERMSIFT_ERROR.search(report)
    if ours is not None:
        kind: type[TermsiftError] = getattr(errors, ours[1], EngineError)
        return kind(ours[2].strip())
    known = next((advice for mark, advice in KNOWN_ERRORS.items() if mark in report), None)
    if known is not None:
        return EngineError(known)
    unread = UNREAD_FILE.search(report)
    if unread is not None:
        return UnreadableFileError(f"{unquote(unread[1])} {explain_unreadable_file(report)}")
    raised = re.findall(r"^(?:: |Caused by: )?(\w[\w.]*(?:Error|Exception): .+)$", report, flags=re.MULTILINE)
    lines = raised[-1:] or [line for line in report.splitlines() if line.strip()] or ["no reason given"]
    return EngineError(f"Spark failed: {lines[0].strip()[:300]}")


def explain_unreadable_file(report: str) -> str:
    """Return the reason why a file could not be read."""
    if "PATH_NOT_FOUND" in report:
        return "does not exist"
    row = re.search(r"MALFORMED_CSV_RECORD\] Malformed CSV record: (.*?) SQLSTATE", report, flags=re.DOTALL)
    if row is not None:
        return f"has a row with a different number of fields than its first row: {row[1][:100]!r}"
    causes = re.findall(r"^Caused by: [\w.$]+: (.+)$", report, flags=re.MULTILINE)
    return f"cannot be read: {causes[-1][:300] if causes else 'Spark gives no reason'}"


@contextmanager
def ignore_pandas_warning() -> Iterator[None]:
    """Ignore the PySpark warning about pandas 3, which is not used here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


TIMEOUT = 6.0  # seconds for a connection, and again for an answer
DEFAULT_PORTS = {"spark": 7077, "sc": 15002}
SETTINGS = {
    "spark.app.name": "termsift",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}


def session(master: str = "local[*]", **settings: str) -> Any:
    """Start a Spark session: local[*], spark://host:port, sc://host:port (Connect), yarn, k8s://...

    Parameters
    ----------
    master : str, default "local[*]"
        URL of the master.
    **settings : str
        Spark settings, with _ for each dot: spark_executor_memory="4g".

    Returns
    -------
    pyspark.sql.SparkSession

    Raises
    ------
    EngineError
        If PySpark or Java is missing, or if the master does not answer.
    InvalidInputError
        If the URL of the master is invalid.

    Examples
    --------
    >>> spark = session('local[2]')  # doctest: +SKIP

    """
    check_reachable(master)
    with ignore_pandas_warning(), require_pyspark():
        from pyspark.sql import SparkSession

        given = {name.replace("_", "."): value for name, value in settings.items()}
        if master.startswith("sc://"):
            return SparkSession.builder.remote(master).getOrCreate()
        check_java()
        # the workers' Python is this one, unless the environment names another
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        return start_session(master, SETTINGS | given)


@contextmanager
def require_pyspark() -> Iterator[None]:
    """Raise missing packages as EngineError with the installation command."""
    try:
        yield
    except ImportError as error:
        reason = " ".join(str(error).split())
        message = f"PySpark is not installed completely ({reason}); pip install 'termsift[spark]'"
        raise EngineError(message) from error


def check_java() -> None:
    """Check that Java is installed."""
    home = os.environ.get("JAVA_HOME")
    found = os.path.join(home, "bin", "java") if home else "java"
    if shutil.which(found) is None:
        where = f"JAVA_HOME ({home}) does not contain it" if home else "it is not on the PATH"
        raise EngineError(f"Spark needs Java 17 or later, but {where}; install it, or set JAVA_HOME")


def start_session(master: str, settings: dict[str, str]) -> Any:
    """Start Java, check the master, and return the session."""
    from py4j.protocol import Py4JError
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    with capture_stderr() as talk:
        try:
            # Java starts with the settings, and asks for the master before a context waits for it
            SparkContext._ensure_initialized(conf=SparkConf().setAll(list(settings.items())))
            check_master(master, SparkContext._jvm)
            return SparkSession.builder.master(master).config(map=settings).getOrCreate()
        except (PySparkException, Py4JError) as error:
            raise EngineError(f"Spark did not start: {last_message(talk)}") from error


@contextmanager
def capture_stderr() -> Iterator[IO[bytes]]:
    """Redirect the stderr of Java to a temporary file, and yield the file."""
    with tempfile.TemporaryFile() as talk:
        sys.stderr.flush()
        kept = os.dup(2)
        os.dup2(talk.fileno(), 2)
        try:
            yield talk
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def last_message(stderr: Any) -> str:
    """Return the last line of the output that is not a stack frame or from a Spark script."""
    stderr.seek(0)
    lines = [line.strip() for line in stderr.read().decode(errors="replace").splitlines()]
    said = [row for row in lines if row and not row.startswith(("at ", "...")) and "/bin/spark-" not in row]
    return said[-1] if said else "no output from Java"


def parse_master_hosts(master: str) -> list[tuple[str, int]]:
    """Return the hosts and ports of a master URL; none for masters that Spark resolves, such as yarn."""
    kind, _, rest = master.partition("://")
    if kind in DEFAULT_PORTS and rest:
        return [parse_host(host.partition("/")[0], DEFAULT_PORTS[kind]) for host in rest.split(",")]
    if not master.startswith(("local", "yarn", "k8s://")):
        message = f"unknown Spark master {master!r}; use local[*], spark://host:port, yarn or k8s://..."
        raise InvalidInputError(message)
    return []


def parse_host(host: str, default_port: int) -> tuple[str, int]:
    """Return the name of a host and its port, or the default one."""
    name, _, port = host.partition(":")
    if port and not port.isdigit():
        raise InvalidInputError(f"{port!r} is not a port number")
    return name, int(port or default_port)


def check_reachable(master: str) -> None:
    """Check that a host of the master URL accepts connections."""
    faults = [connection_error(*host) for host in parse_master_hosts(master)]
    if faults and all(faults):
        raise EngineError(f"the master {master} does not answer: {faults[0]}")


def connection_error(host: str, port: int) -> str | None:
    """Return the reason why a connection fails, or None."""
    try:
        with socket.create_connection((host, port), timeout=TIMEOUT):
            return None
    except TimeoutError:
        return f"no answer within {TIMEOUT:.0f} seconds"
    except (OSError, OverflowError) as error:
        return str(getattr(error, "strerror", None) or error)


def check_master(master: str, jvm: Any) -> None:
    """Check that a host of spark://... answers as a Spark master."""
    hosts = parse_master_hosts(master) if master.startswith("spark://") else []
    if hosts and not any(is_master(jvm, host, port) for host, port in hosts):
        raise EngineError(f"{master} did not answer as a Spark master within {TIMEOUT:.0f} seconds")


def is_master(jvm: Any, host: str, port: int) -> bool:
    """Check whether a Spark master answers, with the settings and secrets of the session."""
    from py4j.protocol import Py4JJavaError

    environment = create_rpc_environment(jvm)
    try:
        environment.setupEndpointRef(jvm.org.apache.spark.rpc.RpcAddress(host, port), "Master")
    except Py4JJavaError:
        return False
    else:
        return True
    finally:
        environment.shutdown()


def create_rpc_environment(jvm: Any) -> Any:
    """Create the RPC environment of Spark, with our timeout."""
    spark = jvm.org.apache.spark
    conf = spark.SparkConf()
    for name in ("spark.rpc.lookupTimeout", "spark.rpc.askTimeout"):
        conf.set(name, f"{TIMEOUT * 1000:.0f}ms")
    secret = getattr(getattr(spark.internal.config, "package$"), "MODULE$").AUTH_SECRET_FILE()
    security = spark.SecurityManager(conf, jvm.scala.Option.empty(), secret)
    return spark.rpc.RpcEnv.create("termsift", spark.util.Utils.localHostName(), 0, conf, security, True)
