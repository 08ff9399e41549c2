"""`termsift corpora`: what is there, what is missing and where to get it; corpora by name in commands."""

from __future__ import annotations

import csv
import io
import json

import pytest

import termsift as ts
from corpus_files import zipped
from termsift.corpora.readers import ENTRIES

LINES = b"ham\tlunch at noon\nham\tsee you\nspam\tfree prize\n"


@pytest.fixture
def folder(tmp_path):
    """A data folder with one corpus, smaller than the publisher's."""
    (tmp_path / "sms_spam").mkdir()
    (tmp_path / "sms_spam" / "SMSSpamCollection").write_bytes(LINES)
    return tmp_path


@pytest.fixture
def nowhere(monkeypatch):
    """No data folder is set."""
    monkeypatch.delenv("TERMSIFT_DATA", raising=False)


def test_all_corpora_are_found_in_the_data_folder(run, data_folder, monkeypatch):
    monkeypatch.setenv("TERMSIFT_DATA", str(data_folder))
    code, out, err = run("corpora")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0].split() == ["name", "state", "documents", "classes", "file"]
    assert lines[1].split() == ["docstrings", "built", "in"]
    assert lines[2].split() == ["reuters21578", "found", "12,902", "118", "reuters21578/reuters21578.tar.gz"]
    assert len(lines) == 1 + len(ENTRIES)
    assert sum("found" in line for line in lines) == len(ENTRIES) - 1


@pytest.mark.usefixtures("nowhere")
def test_publishers_are_listed_without_a_data_folder(run):
    code, out, err = run("corpora")
    assert (code, err) == (0, "")
    assert sum(" missing " in line for line in out.splitlines()[:6]) == 4
    assert "Data folder: not set; use TERMSIFT_DATA or --data-dir" in out
    for entry in ENTRIES:
        assert entry.home in out
    assert max(map(len, out.splitlines())) <= 100


def test_files_of_the_wrong_size_are_reported(run, folder):
    code, out, _ = run("corpora", "--data-dir", folder)
    assert code == 0
    assert "sms_spam      wrong size" in out
    assert f"sms_spam/SMSSpamCollection has {len(LINES)} bytes, expected 477,907" in out


def test_a_missing_data_folder_is_reported(run, tmp_path):
    code, out, err = run("corpora", "--data-dir", tmp_path / "none")
    assert code == 0
    assert err == f"termsift: there is no folder {tmp_path / 'none'}\n"
    assert "found" not in out


@pytest.mark.usefixtures("nowhere")
def test_json_and_csv_have_all_facts(run):
    rows = json.loads(run("corpora", "--json")[1])
    assert [row["name"] for row in rows] == ts.corpora.names()
    assert {row["state"] for row in rows} == {"built in", "missing"}
    assert rows[4]["where"] == "https://archive.ics.uci.edu/dataset/228"
    assert rows[4]["bytes"] == 477_907
    assert len(list(csv.DictReader(io.StringIO(run("corpora", "--csv")[1])))) == len(rows)


def test_every_entry_has_its_facts():
    for entry in ENTRIES[1:]:
        assert entry.size > 0
        assert len(entry.sha256) == 64
        assert entry.home.startswith("http")
        assert entry.documents > entry.classes > 1
        assert entry.citation
    assert len(set(ts.corpora.names())) == len(ENTRIES) == 5


class TestByName:
    def test_texts(self, run, folder):
        code, out, _ = run("count", "sms_spam", "--data-dir", folder, "--json")
        assert code == 0
        assert [(row["class"], row["documents"]) for row in json.loads(out)] == [("ham", 2), ("spam", 1)]

    def test_several_labels(self, run, tmp_path):
        files = {
            "cats.txt": "test/1 a b\ntraining/2 a\n",
            "stopwords": "",
            "test/1": "tea",
            "training/2": "jam",
        }
        path = tmp_path / "reuters_apte" / "reuters.zip"
        zipped(path, {f"reuters/{name}": text for name, text in files.items()})
        rows = json.loads(run("count", "reuters_apte", "--data-dir", tmp_path, "--json")[1])
        assert [(row["class"], row["documents"]) for row in rows] == [("a", 2), ("b", 1)]

    @pytest.mark.usefixtures("nowhere")
    def test_a_missing_corpus_is_a_one_line_error(self, run, tmp_path):
        for arguments in (["sms_spam"], ["sms_spam", "--data-dir", tmp_path]):
            code, out, err = run("score", *arguments)
            assert (code, out, err.count("\n")) == (1, "", 1)
            assert "https://archive.ics.uci.edu/dataset/228" in err

    def test_a_near_miss_is_suggested(self, run):
        err = run("score", "20newz")[2]
        assert err.endswith("no file or corpus named 20newz; did you mean '20news'?\n")
        assert "`termsift corpora` lists the corpora" in run("score", "nothing")[2]
