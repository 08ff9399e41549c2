"""Bad input and missing parts of Spark: one clear line each."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading

import pyarrow as pa
import pytest

import termsift as ts
from termsift.engines.spark.sessions import capture_stderr, last_message, parse_spark_error

pytestmark = pytest.mark.xdist_group("spark")
COMMAND = [sys.executable, "-c", "from termsift.cli import main; main()"]


def frame_of(spark, rows, schema):
    return spark.createDataFrame(rows, schema)


@pytest.mark.parametrize(
    ("schema", "options", "message"),
    [
        (
            "text string, label string",
            {"label": "labl"},
            "column 'labl' is not in the frame; did you mean 'label'",
        ),
        ("body string, label string", {}, "column 'text' is not in the frame; it has: body, label"),
        ("text binary, label string", {}, "column 'text' is of type binary; texts must be of type string"),
        ("text int, label string", {}, "column 'text' is of type int; texts must be"),
        (
            "text string, label map<string,int>",
            {},
            "column 'label' is of type map<string,int>; labels must be",
        ),
        ("text string, label array<array<string>>", {}, "is of type array<array<string>>; labels must be"),
        ("text string, label decimal(5,2)", {}, "is of type decimal"),
        (
            "text string, label string, text string",
            {},
            "the frame has 2 columns named 'text'; rename all but one",
        ),
        (
            "text string, label string",
            {"sample_weight": "label"},
            "column 'label' is of type string; weights must be",
        ),
        (
            "text string, label string",
            {"sample_weight": [1.0]},
            "sample_weight must be a column name, because rows of Spark have no order",
        ),
        ("text string, label string", {"on_missing": "drop"}, "no policy for missing values named 'drop'"),
        ("text string, label string", {"memory": 0}, "memory must be a number of bytes, at least 1, got 0"),
        ("text string, label string", {"label": "text"}, "text and label are both column 'text'; name two"),
        ("text string, label string", {"label_separator": ""}, "separator must be a string between labels"),
        ("text string, label string", {"mindf": 3}, "no option named 'mindf'; did you mean 'min_df'"),
        ("text string, label string", {"n_jobs": 3}, "n_jobs= is for texts"),
        ("text string, label string", {"labels": ["x"]}, "a Spark DataFrame contains its labels"),
        ("text string, label string", {"analyzer": 3}, "analyzer must be an Analyzer"),
        ("text string, label string", {}, "the frame has no rows, so there are no documents"),
    ],
)
def test_rejects_invalid_columns_and_options(spark, schema, options, message):
    with pytest.raises(ts.TermsiftError, match=message):
        ts.count(frame_of(spark, [], schema), **options)


@pytest.mark.parametrize(
    ("rows", "schema", "message"),
    [
        (
            [("a", "x"), (None, "y")],
            "text string, label string",
            "a row has no text; fix it, or skip such rows",
        ),
        (
            [("a", "x"), ("b", None)],
            "text string, label string",
            "a row has no label; fix it, or skip such rows",
        ),
        ([("a", float("nan"))], "text string, label double", "a row has no label"),
        ([("a", ["x", None])], "text string, label array<string>", "a row has no label"),
        ([("a", "x", None)], "text string, label string, weight double", "a row has no weight"),
        (
            [("a", "x", -1.0)],
            "text string, label string, weight double",
            "sample_weight must be finite and at least 0",
        ),
    ],
)
def test_rejects_invalid_values(spark, rows, schema, message):
    weight = "weight" if "weight" in schema else None
    with pytest.raises(ts.InvalidInputError, match=message):
        ts.count(frame_of(spark, rows, schema).repartition(2), sample_weight=weight)


def test_rows_with_something_missing_are_skipped_and_counted(spark):
    frame = frame_of(
        spark, [("aa bb", "x"), (None, "y"), ("bb", None), ("cc", "y")], "text string, label string"
    )
    with pytest.warns(ts.TermsiftWarning, match="2 of 4 rows without a text or a label were skipped"):
        assert ts.count(frame.repartition(3), on_missing="skip") == ts.count(["aa bb", "cc"], ["x", "y"])


def test_bytes_that_are_not_utf_8_are_named(spark):
    rows = [(b"good text", "x"), (b"gr\xfc\xdfe", "y")]
    frame = frame_of(spark, rows, "text binary, label string").selectExpr(
        "CAST(text AS string) AS text", "label"
    )
    with pytest.raises(
        ts.InvalidInputError, match="a text is not UTF-8: byte 0xfc at 2 of one that begins 'gr'"
    ):
        ts.count(frame.repartition(2))
    labels = frame.selectExpr("label AS text", "text AS label")
    with pytest.raises(ts.InvalidInputError, match="a label is not UTF-8"):
        ts.count(labels)


def test_error_of_analyzer_on_worker_has_reason(spark):
    def broken(text):
        return [text[99]]

    with pytest.raises(ts.EngineError, match=r"Spark failed: IndexError: string index out of range"):
        ts.count(frame_of(spark, [("a", "x")], "text string, label string"), analyzer=broken)
    with pytest.raises(
        ts.InvalidInputError, match="the analyzer returned 1, which is int; terms must be str"
    ):
        ts.count(frame_of(spark, [("a", "x")], "text string, label string"), analyzer=lambda text: [1])


@pytest.mark.parametrize(
    ("report", "kind", "message"),
    [
        (
            "x\nModuleNotFoundError: No module named 'termsift'",
            ts.EngineError,
            "the workers cannot import termsift",
        ),
        (
            "is bigger than spark.driver.maxResultSize (1024.0 MiB)",
            ts.EngineError,
            "the counts are larger than",
        ),
        (
            "Traceback\nnumpy.core._ArrayMemoryError: Unable to",
            ts.EngineError,
            "a worker ran out of memory repeatedly",
        ),
        (
            "x: java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found",
            ts.EngineError,
            "Spark cannot read s3a:// URLs: add org.apache.hadoop:hadoop-aws",
        ),
        (
            "Encountered error while reading file file:///tmp/a.csv.  SQLSTATE: KD001\n"
            "Caused by: x.Y: [MALFORMED_CSV_RECORD] Malformed CSV record: a SQLSTATE: KD000",
            ts.UnreadableFileError,
            "/tmp/a.csv has a row with a different number of fields than its first row: 'a'",
        ),
        (
            "Encountered error while reading file file:/tmp/a.parquet. Could not read footer.\n"
            "Caused by: java.lang.RuntimeException: corrupted file",
            ts.UnreadableFileError,
            "/tmp/a.parquet cannot be read: corrupted file",
        ),
        (
            "termsift._internal.errors.UnknownNameError: no such thing\n at x",
            ts.UnknownNameError,
            "no such thing",
        ),
        (
            "An error occurred while calling o1.parquet.\n: java.net.URISyntaxException: no path\n\tat x",
            ts.EngineError,
            "Spark failed: java.net.URISyntaxException: no path",
        ),
        ("\n", ts.EngineError, "Spark failed: no reason given"),
    ],
)
def test_reports_of_spark_become_lines(report, kind, message):
    error = parse_spark_error(report)
    assert type(error) is kind
    assert str(error).startswith(message)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        (
            {"PATH": "/nowhere", "JAVA_HOME": ""},
            "Spark needs Java 17 or later, but it is not on the PATH",
        ),
        (
            {"JAVA_HOME": "/nowhere"},
            "Spark needs Java 17 or later, but JAVA_HOME (/nowhere) does not contain it",
        ),
    ],
)
def test_no_java(mail, variables, message):
    command = [*COMMAND, "count", str(mail), "--engine", "spark"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | variables)
    assert done.returncode == 1
    assert done.stderr.startswith(f"termsift: {message}")
    assert len(done.stderr.splitlines()) == 1


def test_no_pyspark():
    code = "import sys; sys.modules['pyspark'] = None; import termsift as ts; ts.spark.session()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1].endswith("pip install 'termsift[spark]'")


def test_a_java_that_does_not_start(tmp_path):
    (tmp_path / "bin").mkdir()
    java = tmp_path / "bin" / "java"
    java.write_text("#!/bin/sh\necho 'this Java is too old' >&2\nexit 1\n")
    java.chmod(0o755)
    code = "import termsift as ts; ts.spark.session()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | {"JAVA_HOME": str(tmp_path)},
    )
    assert done.stderr.splitlines()[-1].endswith("EngineError: Spark did not start: this Java is too old")


def test_last_message_of_java_is_quoted():
    with capture_stderr() as talk:
        os.write(2, b"no memory\n\tat Some.place(Here.java)\n")
        assert last_message(talk) == "no memory"
    with capture_stderr() as talk:
        assert last_message(talk) == "no output from Java"


@pytest.mark.parametrize(
    ("master", "message"),
    [
        ("spark://127.0.0.1:1", "the master spark://127.0.0.1:1 does not answer: Connection refused"),
        ("spark://127.0.0.1:1,127.0.0.1:2", "does not answer: Connection refused"),
        ("sc://127.0.0.1:1/;token=x", "does not answer: Connection refused"),
        ("spark://127.0.0.1:here", "'here' is not a port number"),
        ("spark://127.0.0.1:99999", "does not answer"),
        ("sparks://somewhere", "unknown Spark master 'sparks://somewhere'; use"),
        ("spark://", "unknown Spark master 'spark://'"),
    ],
)
def test_masters_that_do_not_answer(master, message):
    with pytest.raises(ts.TermsiftError, match=message.replace("[", r"\[")):
        ts.spark.session(master)


def answering(reply):
    """A port that gives a caller its reply, and the address of a master there."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve():
        # a first caller sees whether anybody listens, the next asks
        for _ in range(2):
            connection, _ = server.accept()
            connection.sendall(reply)
            connection.close()

    threading.Thread(target=serve, daemon=True).start()
    return server, f"spark://127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize("reply", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", b"short"])
def test_port_of_other_service_is_not_a_spark_master(spark, reply):
    server, master = answering(reply)
    with server, pytest.raises(ts.EngineError, match="did not answer as a Spark master"):
        ts.spark.session(master)


def test_a_port_that_is_silent(spark, monkeypatch):
    # by its full name: `ts.spark.session` is the function
    monkeypatch.setattr(sys.modules["termsift.engines.spark.sessions"], "TIMEOUT", 0.4)
    with socket.create_server(("127.0.0.1", 0)) as server:
        master = f"spark://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ts.EngineError, match="did not answer as a Spark master within 0 seconds"):
            ts.spark.session(master)


def test_rejects_commands_without_spark_support(mail, run, tmp_path):
    (tmp_path / "a.xlsx").write_bytes(b"PK")
    ts.count(mail).save(tmp_path / "counts.parquet")
    for arguments, message in (
        (["count", mail, "--engine", "spork"], "no engine named 'spork'; did you mean 'spark'?"),
        (["count", mail, "--master", "local[2]"], "--master needs --engine spark"),
        (["compare", mail, "--engine", "spark"], "omit --engine spark"),
        (
            ["count", "https://127.0.0.1:1/a.csv", "--engine", "spark"],
            "Spark cannot read web URLs; use --engine files for",
        ),
        (["count", "-", "--engine", "spark"], "Spark cannot read the stream"),
        (
            ["count", tmp_path / "counts.parquet", "--engine", "spark"],
            "contains counts, which do not need Spark",
        ),
        (["count", mail, "--engine", "spark", "--format", "xlsx"], "no format for Spark named 'xlsx'"),
    ):
        code, _, err = run(*arguments)
        assert (code, message in err, len(err.splitlines())) == (1, True, 1), err


def test_no_warning_of_pandas_reaches_the_user(spark, recwarn):
    ts.count(spark.createDataFrame(pa.table({"text": ["aa"], "label": ["x"]})))
    # before 4.2 PySpark leaves a socket for Python to close
    assert not [one for one in recwarn.list if not str(one.message).startswith("unclosed <socket")]
