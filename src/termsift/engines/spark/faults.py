"""What Spark says: its failures in one line of ours, and silence of what users cannot act on."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote

from termsift import errors
from termsift.errors import EngineFailure, TermsiftError, UnreadableFile

OURS = re.compile(r"termsift\.errors\.(\w+): (.+)")
# a file that Spark names in a report: an address of this machine is a path
UNREAD = re.compile(
    r"(?:error while reading file|Path does not exist:) (?:file:/{0,2}(?=/))?(.+?)"
    r"\.(?:\s+SQLSTATE| Could not)"
)
KNOWN = {
    "No module named 'termsift'": "the workers cannot import termsift: install it on every node, "
    "or send it along as an archive of an environment (spark.archives)",
    "spark.driver.maxResultSize": "the counts are larger than spark.driver.maxResultSize: raise it, "
    "raise min_df, or leave the scores on the cluster with ts.spark.top",
    "S3AFileSystem not found": "Spark reads no s3a:// address here: name org.apache.hadoop:hadoop-aws, of "
    "the version of its Hadoop, in spark.jars.packages",
    "MemoryError": "a worker ran out of memory again and again: give workers more, "
    "or give memory= a smaller number",
}


@contextmanager
def clear_faults() -> Iterator[None]:
    """What Spark raises as an error of ours: one that a worker raised, or one that says what to do."""
    from py4j.protocol import Py4JError
    from pyarrow import ArrowException
    from pyspark.errors import PySparkException

    try:
        yield
    # a Java that dies breaks the connection, and what comes through it
    except (PySparkException, Py4JError, ConnectionError, EOFError, ArrowException) as error:
        raise fault(str(error)) from error


def fault(report: str) -> TermsiftError:
    """The error that a report of Spark is about."""
    ours = OURS.search(report)
    if ours is not None:
        kind: type[TermsiftError] = getattr(errors, ours[1], EngineFailure)
        return kind(ours[2].strip())
    known = next((advice for mark, advice in KNOWN.items() if mark in report), None)
    if known is not None:
        return EngineFailure(known)
    unread = UNREAD.search(report)
    if unread is not None:
        return UnreadableFile(f"{unquote(unread[1])} {why_unread(report)}")
    raised = re.findall(r"^(?:: |Caused by: )?(\w[\w.]*(?:Error|Exception): .+)$", report, flags=re.MULTILINE)
    lines = raised[-1:] or [line for line in report.splitlines() if line.strip()] or ["no reason given"]
    return EngineFailure(f"Spark could not do the work: {lines[0].strip()[:300]}")


def why_unread(report: str) -> str:
    """Why a file could not be read."""
    if "PATH_NOT_FOUND" in report:
        return "is not there"
    row = re.search(r"MALFORMED_CSV_RECORD\] Malformed CSV record: (.*?) SQLSTATE", report, flags=re.DOTALL)
    if row is not None:
        return f"has a row with another number of fields than its first one: {row[1][:100]!r}"
    causes = re.findall(r"^Caused by: [\w.$]+: (.+)$", report, flags=re.MULTILINE)
    return f"cannot be read: {causes[-1][:300] if causes else 'Spark gives no reason'}"


@contextmanager
def quiet() -> Iterator[None]:
    """PySpark warns of pandas 3 wherever it might use pandas; nothing here does."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield
