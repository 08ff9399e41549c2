"""Pipes: read once, to their end; one that nobody writes to is an error, not a wait without end."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest

import termsift as ts
from termsift.engines.files import opening as input_files
from termsift.engines.inputs import load_documents
from two_rows import CSV, ENDINGS, JSONL, LABELS, TEXTS, written_rows

EXPECTED = ts.count(TEXTS, LABELS)
COMMAND = [sys.executable, "-c", "from termsift.cli import main; main()"]


def pipe(path, data, silence=0.0):
    """A pipe, and somebody who writes to it, after a silence if need be."""
    os.mkfifo(path)

    def write():
        with path.open("wb") as file:
            time.sleep(silence)
            file.write(data)

    threading.Thread(target=write, daemon=True).start()
    return path


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("taker", [ts.count, load_documents])
def test_a_pipe_is_read_by_the_ending_of_its_name(tmp_path, taker, ending):
    data = written_rows(tmp_path / "file", ending).read_bytes()
    found = taker(pipe(tmp_path / f"pipe{ending}", data))
    assert (found == EXPECTED) if taker is ts.count else (found.texts == TEXTS)


def test_more_than_a_pipe_holds(tmp_path):
    data = "text,label\n" + "some words,x\nmore words,y\n" * 20_000
    assert ts.count(pipe(tmp_path / "pipe.csv", data.encode())).documents == 40_000


def test_slow_writer_of_pipe_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(input_files, "PIPE_TIMEOUT", 0.3)
    assert ts.count(pipe(tmp_path / "pipe.csv", CSV.encode(), silence=0.6)) == EXPECTED


def test_pipe_without_writer_raises_error(tmp_path, monkeypatch):
    monkeypatch.setattr(input_files, "PIPE_TIMEOUT", 0.1)
    os.mkfifo(tmp_path / "pipe.csv")
    for taker in (ts.count, load_documents):
        with pytest.raises(ts.UnreadableFileError, match=r"pipe\.csv has no writer; waited"):
            taker(tmp_path / "pipe.csv")


def test_a_pipe_of_the_shell(tmp_path):
    first, last = os.pipe()
    os.write(last, JSONL.encode())
    os.close(last)
    options = ["score", f"/dev/fd/{first}", "--format", "jsonl", "--top", "1", "--all", "--csv"]
    done = subprocess.run([*COMMAND, *options], pass_fds=[first], capture_output=True, text=True)
    os.close(first)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 3


def test_the_command_reads_a_pipe_by_the_ending_of_its_name_first(tmp_path, run):
    code, out, _ = run("score", pipe(tmp_path / "pipe.jsonl", JSONL.encode()), "--top", "1", "--all", "--csv")
    assert (code, len(out.splitlines())) == (0, 3)


def test_saved_counts_come_through_a_pipe(tmp_path, run):
    EXPECTED.save(tmp_path / "counts.parquet")
    data = (tmp_path / "counts.parquet").read_bytes()
    code, out, _ = run("score", pipe(tmp_path / "pipe.parquet", data), "--top", "1", "--all", "--csv")
    assert (code, len(out.splitlines())) == (0, 3)
