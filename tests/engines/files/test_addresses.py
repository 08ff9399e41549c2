"""Folders and patterns of file systems that fsspec knows, by the one that it keeps in memory."""

from __future__ import annotations

import re

import fsspec
import pytest

import termsift as ts
from file_forms import CSV, FIRST, LABELS, SECOND, TEXTS, of_label, zip_bytes
from termsift.engines.files import opening as remote


@pytest.fixture
def system(monkeypatch):
    """A file system in memory, whose addresses are taken as those of others are."""
    monkeypatch.setattr(remote, "URL", re.compile("memory://.+"))
    monkeypatch.setitem(remote.LIBRARIES, "memory", "fsspec")
    memory = fsspec.filesystem("memory")
    yield memory
    memory.rm("/", recursive=True)


@pytest.mark.parametrize(
    ("files", "address"),
    [
        ({"m.csv": CSV}, "memory://mail/m.csv"),
        ({"1.csv": FIRST, "2.csv": SECOND, "_SUCCESS": b""}, "memory://mail"),
        ({"1.csv": FIRST, "2.csv": SECOND}, "memory://mail/"),
        ({"1.csv": FIRST, "2.csv": SECOND, "3.txt": b"other"}, "memory://mail/*.csv"),
        ({f"label={c}/m.jsonl": of_label(c) for c in ("ham", "spam")}, "memory://mail"),
        ({f"{c}/m.jsonl": of_label(c) for c in ("ham", "spam")}, "memory://mail"),
        ({"m.zip": zip_bytes({"a.csv": FIRST, "b.csv": SECOND})}, "memory://mail/m.zip"),
    ],
)
def test_counts_files_at_urls(system, files, address):
    for name, content in files.items():
        system.pipe(f"/mail/{name}", content)
    assert ts.count(address) == ts.count(TEXTS, LABELS)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("memory://mail/none.csv", "there is no file memory://mail/none.csv"),
        ("memory://mail/*.json", r"there is no file memory://mail/\*\.json"),
        ("memory://mail", "memory://mail contains no file of a known format: m.txt"),
        ("memory://mail/m.txt", "unknown format of memory://mail/m.txt"),
    ],
)
def test_rejects_unreadable_urls(system, address, message):
    system.pipe("/mail/m.txt", b"other")
    with pytest.raises(ts.UnreadableFileError, match=message):
        ts.count(address)


def test_a_library_that_is_missing(monkeypatch):
    monkeypatch.setitem(remote.LIBRARIES, "s3", "s3fs")
    with pytest.raises(ts.EngineError, match="reading s3:// URLs needs s3fs: pip install 's3fs'"):
        ts.count("s3://bucket/mail.csv")
