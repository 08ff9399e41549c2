"""Files of every kind, in any memory and with any threads, give what their texts give."""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from contextlib import suppress

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import termsift as ts
from termsift.engines.files import columns as arrow_texts
from termsift.engines.files import counting as streams


@pytest.fixture(scope="module")
def reuters(data_folder):
    """Texts and label lists of all 10,788 stories of Reuters ApteMod."""
    archive = zipfile.ZipFile(data_folder / "reuters_apte" / "reuters.zip")
    lines = [line.split() for line in archive.read("reuters/cats.txt").decode("latin-1").splitlines()]
    texts = [archive.read(f"reuters/{name}").decode("latin-1") for name, *_ in lines]
    return texts, [labels for _, *labels in lines]


@pytest.fixture(scope="module")
def expected(reuters):
    return ts.count(*reuters)


@pytest.fixture(scope="module")
def first_labels(reuters):
    texts, labels = reuters
    return ts.count(texts, [names[0] for names in labels])


def in_csv(folder, texts, labels):
    frame = pd.DataFrame({"text": texts, "label": ["|".join(names) for names in labels]})
    frame.to_csv(folder / "r.csv", index=False)
    return folder / "r.csv", {"label_separator": "|"}


def in_csv_gz(folder, texts, labels):
    frame = pd.DataFrame({"text": texts, "label": ["|".join(names) for names in labels]})
    frame[:5000].to_csv(folder / "r1.csv.gz", index=False)
    frame[5000:].to_csv(folder / "r2.csv.gz", index=False)
    return folder / "r*.csv.gz", {"label_separator": "|"}


def in_tsv(folder, texts, labels):
    rows = (
        f"{' '.join(text.split())}\t{'|'.join(names)}\n" for text, names in zip(texts, labels, strict=True)
    )
    (folder / "r.tsv").write_text("text\tlabel\n" + "".join(rows), encoding="utf-8")
    return folder / "r.tsv", {"label_separator": "|"}


def in_jsonl_zst(folder, texts, labels):
    with pa.CompressedOutputStream(str(folder / "r.jsonl.zst"), "zstd") as stream:
        for text, names in zip(texts, labels, strict=True):
            stream.write(json.dumps({"text": text, "label": names}).encode() + b"\n")
    return folder / "r.jsonl.zst", {}


def in_parquet(folder, texts, labels):
    pq.write_table(pa.table({"text": texts, "label": labels}), folder / "r.parquet")
    return folder / "r.parquet", {}


FORMS = [in_csv, in_csv_gz, in_tsv, in_jsonl_zst, in_parquet]


@pytest.fixture(scope="module")
def written(reuters, tmp_path_factory):
    """The stories in a form, written once, and how it is read."""
    return functools.cache(lambda form: form(tmp_path_factory.mktemp(form.__name__), *reuters))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("memory", [streams.DEFAULT_MEMORY, 1 << 16])
def test_every_form_any_threads_any_memory(written, expected, form, n_jobs, memory, monkeypatch):
    monkeypatch.setattr(arrow_texts, "BATCH_BYTES", 1 << 18)
    path, options = written(form)
    assert ts.count(path, n_jobs=n_jobs, memory=memory, **options) == expected


def test_spilling_gives_equal_counts_and_leaves_no_file(tmp_path, written, expected, monkeypatch):
    monkeypatch.setattr(arrow_texts, "BATCH_BYTES", 1 << 18)
    folder = tmp_path / "it's [temporary]"
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    folder.mkdir()
    path, options = written(in_parquet)
    ts.count(path, memory=1 << 16, **options).save(tmp_path / "spilled")
    expected.save(tmp_path / "expected")
    assert (tmp_path / "spilled").read_bytes() == (tmp_path / "expected").read_bytes()
    assert list(folder.iterdir()) == []


def test_a_folder_for_each_class(tmp_path, reuters, first_labels):
    for i, (text, names) in enumerate(zip(*reuters, strict=True)):
        (tmp_path / names[0]).mkdir(exist_ok=True)
        (tmp_path / names[0] / f"{i:05}.txt").write_text(text, encoding="latin-1")
    assert ts.count(tmp_path, encoding="latin-1") == first_labels


def test_weights_and_n_grams_and_other_analyzers(tmp_path, reuters):
    texts, labels = (part[:400] for part in reuters)
    path, options = in_parquet(tmp_path, texts, labels)
    weights = np.arange(400) % 5 / 4
    for analyzer in (
        ts.Analyzer(ngram_range=(1, 2), stop_words=["the"]),
        ts.Analyzer(analyzer="char_wb"),
        str.split,
    ):
        for memory in (streams.DEFAULT_MEMORY, 1 << 16):
            counts = ts.count(path, analyzer=analyzer, sample_weight=weights, memory=memory, **options)
            assert counts == ts.count(texts, labels, analyzer=analyzer, sample_weight=weights)


def test_rows_with_something_missing_are_skipped_and_counted(tmp_path):
    rows = [
        {"text": "a b", "label": "x"},
        {"text": None, "label": "y"},
        {"text": "b"},
        {"text": "c", "label": "y"},
    ]
    path = tmp_path / "m.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.warns(ts.TermsiftWarning, match="2 of 4 rows without a text or a label were skipped"):
        counts = ts.count(path, on_missing="skip", analyzer=str.split)
    assert counts == ts.count(["a b", "c"], ["x", "y"], analyzer=str.split)
    with pytest.raises(ts.InvalidInputError, match=r"row 2 of .* has no text; fix it, or skip such rows"):
        ts.count(path)


def test_an_encoding_that_is_named(tmp_path):
    path = tmp_path / "m.csv"
    path.write_bytes("text,label\ngrüße,x\nplain,y\n".encode("latin-1"))
    assert list(ts.count(path, encoding="latin-1").terms) == ["grüße", "plain"]
    with pytest.raises(ts.UnreadableFileError, match="is not UTF-8: byte 0xfc at 13; specify its encoding"):
        ts.count(path)
    with pytest.raises(ts.UnreadableFileError, match="is not ascii"):
        ts.count(path, encoding="ascii")
    with pytest.raises(ts.InvalidInputError, match="no text encoding named 'latine'"):
        ts.count(path, encoding="latine")


def test_json_lines_and_folders_of_another_encoding(tmp_path):
    path = tmp_path / "m.jsonl"
    path.write_bytes('{"text": "grüße", "label": "x"}\n{"text": "plain", "label": "y"}\n'.encode("latin-1"))
    assert list(ts.count(path, encoding="latin-1").terms) == ["grüße", "plain"]
    with pytest.raises(ts.UnreadableFileError, match="is not ascii: byte 0xfc at 12"):
        ts.count(path, encoding="ascii")
    for name in ("x", "y"):
        (tmp_path / "mail" / name).mkdir(parents=True)
        (tmp_path / "mail" / name / "1.txt").write_bytes(f"grüße {name}y".encode("latin-1"))
    assert list(ts.count(tmp_path / "mail", encoding="latin-1").terms) == ["grüße", "xy", "yy"]
    with pytest.raises(
        ts.UnreadableFileError, match=r"1\.txt is not UTF-8: byte 0xfc at 2; specify its encoding"
    ):
        ts.count(tmp_path / "mail")


def test_progress_is_reported(written, reuters, monkeypatch):
    monkeypatch.setattr(arrow_texts, "BATCH_BYTES", 1 << 18)
    told = []
    path, options = written(in_parquet)
    ts.count(path, progress=lambda *done: told.append(done), **options)
    assert told[-1][0] == 10_788
    assert told == sorted(told)
    assert told[-1][1] == sum(len(text.encode()) for text in reuters[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"on_missing": "ignore"}, "no policy for missing values named 'ignore'"),
        ({"memory": 0}, "memory must be a number of bytes, at least 1, got 0"),
        ({"sample_weight": [1.0]}, "sample_weight has 1 values, but there are more rows"),
        ({"sample_weight": [1.0] * 9}, "2 documents but sample_weight has shape"),
    ],
)
def test_options_out_of_range(tmp_path, options, message):
    (tmp_path / "m.csv").write_text("text,label\na,x\nb,y\n")
    with pytest.raises(ts.TermsiftError, match=message):
        ts.count(tmp_path / "m.csv", **options)


def test_rejects_vectorizer_for_files(tmp_path):
    from sklearn.feature_extraction.text import CountVectorizer

    (tmp_path / "m.csv").write_text("text,label\na,x\n")
    with pytest.raises(ts.InvalidInputError, match="a vectorizer cannot count files"):
        ts.count(tmp_path / "m.csv", analyzer=CountVectorizer())
    with pytest.raises(ts.UnknownNameError, match="option 'memory' does not apply"):
        ts.count(["a"], ["x"], memory=5)


def test_texts_with_line_breaks_that_fill_many_blocks(tmp_path):
    texts = [f'line {i}\nsaid "so", or not\n' * 300 for i in range(800)]
    labels = ["x" if i % 3 else "y" for i in range(800)]
    pd.DataFrame({"text": texts, "label": labels}).to_csv(tmp_path / "m.csv", index=False)
    assert ts.count(tmp_path / "m.csv") == ts.count(texts, labels)


def test_a_line_of_many_megabytes(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("text,label\naa,x\nbb,y\n" + "word " * 8_000_000 + ",x\ncc,y\n")
    assert ts.count(path).term_tf.tolist() == [1, 1, 1, 8_000_000]


def is_read(path, pid):
    """Whether a process has a file open."""
    for place in os.listdir(f"/proc/{pid}/fd"):
        with suppress(FileNotFoundError):  # others are opened and closed meanwhile
            if os.readlink(f"/proc/{pid}/fd/{place}") == str(path):
                return True
    return False


def test_killed_count_leaves_no_file_and_can_be_repeated(tmp_path):
    rows = pd.DataFrame({"text": ["some words of a long text " * 400] * 20_000, "label": ["x", "y"] * 10_000})
    rows.to_parquet(tmp_path / "m.parquet")
    command = [
        sys.executable,
        "-c",
        "from termsift.cli import main; main()",
        "count",
        str(tmp_path / "m.parquet"),
    ]
    output = tmp_path / "counts.parquet"
    running = subprocess.Popen(
        [*command, "-o", str(output)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while not is_read(tmp_path / "m.parquet", running.pid):
        assert running.poll() is None, "the count ended before its time"
        time.sleep(0.01)
    os.kill(running.pid, signal.SIGKILL)
    assert running.wait() == -signal.SIGKILL
    assert not output.exists()
    subprocess.run([*command, "-o", str(output)], check=True, capture_output=True)
    assert ts.Counts.load(output).documents == 20_000


def test_standard_input(tmp_path):
    command = [
        sys.executable,
        "-c",
        "from termsift.cli import main; main()",
        "score",
        "-",
        "--top",
        "1",
        "--all",
        "--csv",
    ]
    done = subprocess.run(
        command, input="text,label\nfree prize,spam\nlunch,ham\n", capture_output=True, text=True, check=True
    )
    assert len(done.stdout.splitlines()) == 3
    wrong = subprocess.run([*command, "--format", "xls"], input="", capture_output=True, text=True)
    assert wrong.returncode == 1
    assert "no format named 'xls'" in wrong.stderr
