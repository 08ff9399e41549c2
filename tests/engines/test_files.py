"""Counts of files: every kind, several at once, and texts and labels as they were written."""

from __future__ import annotations

import csv
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import termsift as ts
from mail_files import ROWS, written
from termsift.engines.files import columnar as json_files
from termsift.engines.files import sources
from termsift.engines.files.columnar import skip_rows


@pytest.mark.parametrize(
    "ending", [".csv", ".csv.gz", ".tsv", ".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet"]
)
def test_a_file_of_every_kind_gives_the_counts_of_its_texts(tmp_path, ending):
    texts, labels = zip(*ROWS, strict=True)
    assert ts.count(written(tmp_path, ending)) == ts.count(list(texts), list(labels))


def test_a_pattern_reads_all_files_that_match(tmp_path, mail):
    (tmp_path / "more.csv").write_bytes(mail.read_bytes())
    texts, labels = zip(*ROWS, strict=True)
    assert ts.count(str(tmp_path / "*.csv")) == ts.count(list(texts) * 2, list(labels) * 2)


def test_reads_folder_of_parquet_files_written_by_spark(tmp_path):
    folder = tmp_path / "mail [1].parquet"
    folder.mkdir()
    written(folder, ".parquet").rename(folder / "part-00000.parquet")
    (folder / "_SUCCESS").touch()
    (folder / "_marked.parquet").write_text("not for readers")
    texts, labels = zip(*ROWS, strict=True)
    assert ts.count(folder) == ts.count(list(texts), list(labels))


def test_existing_name_with_pattern_characters_is_read_literally(tmp_path, mail):
    odd = tmp_path / "mail [1]*.csv"
    odd.write_bytes(mail.read_bytes())
    assert ts.count(odd) == ts.count(mail)


def test_labels_of_a_typed_file_keep_their_type_and_may_be_lists(tmp_path):
    path = tmp_path / "m.jsonl"
    path.write_text(
        '{"body": "a b", "tags": [1, 2]}\n{"body": "b", "tags": [2]}\n{"body": "c", "tags": []}\n'
    )
    counts = ts.count(path, text="body", label="tags", analyzer=str.split)
    assert counts == ts.count(["a b", "b", "c"], [[1, 2], [2], []], analyzer=str.split)


def test_an_empty_field_of_a_csv_is_an_empty_document(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("text,label\n,x\na b,y\n")
    assert ts.count(path, analyzer=str.split).class_sizes.tolist() == [1, 1]


def test_a_long_field_with_quotes_and_line_breaks(tmp_path):
    path = tmp_path / "m.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "label"), ('say "hi",\nthen go ' * 300_000, "x"), ("b", "y")])
    assert ts.count(path, analyzer=str.split).term_tf.max() == 300_000


def test_csv_rows_are_never_comments(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text('text,label\n"#sale ""today"", ok",spam\n#sale,spam\nlunch noon,ham\n')
    assert ts.count(path).class_sizes.tolist() == [1, 2]


def test_a_csv_of_a_spreadsheet_with_a_mark_and_carriage_returns(tmp_path):
    path = tmp_path / "m.csv"
    path.write_bytes("\ufefftext;label\r\nfree prize;spam\r\nlunch;ham\r\n".encode())
    assert ts.count(path).classes == ("ham", "spam")


def test_json_values_retain_types(tmp_path):
    path = tmp_path / "m.jsonl"
    rows = [('first\nfree "prize"', "2020-01-01"), ("2020-01-01T10:00:00Z", "A-b"), (5, "x y")]
    path.write_text("".join(json.dumps({"text/é": t, "a'b": c}) + "\n" for t, c in rows), encoding="utf-8")
    counts = ts.count(path, text="text/é", label="a'b")
    assert counts == ts.count([str(text) for text, _ in rows], [label for _, label in rows])


def test_weights_go_with_the_rows_of_a_file(mail):
    assert ts.count(mail, sample_weight=[2, 2, 1, 1, 0]).class_sizes.tolist() == [2, 4]


def lines_of(file, wanted):
    """A format of our own: a line a document, its label before a colon."""
    with open(file.path, encoding=wanted.encoding) as opened:
        pairs = [line.rstrip("\n").split(": ", 1) for line in opened]
    yield pa.record_batch(
        {"text": [text for _, text in pairs], "label": [label or None for label, _ in pairs]}
    )


def test_a_format_is_added_by_a_function_and_a_line_of_the_table(tmp_path, monkeypatch):
    added = sources.Format("lines", (".lines",), lines_of, str.upper)
    monkeypatch.setattr(sources, "FORMATS", (*sources.FORMATS, added))
    monkeypatch.setitem(sources.FORMAT_BY_EXTENSION, ".lines", added)
    path = tmp_path / "mail.lines"
    path.write_text("spam: free prize\nham|work: lunch\n: who knows\n")
    with pytest.warns(ts.TermsiftWarning, match="1 of 3 rows without a text or a label"):
        counts = ts.count([str(path)], label_separator="|", on_missing="skip")
    assert counts == ts.count(["free prize", "lunch"], [["SPAM"], ["HAM", "WORK"]])
    with pytest.raises(ts.InvalidInputError, match=r"row 3 of .*mail\.lines has no label"):
        ts.count(path)
    with pytest.raises(ts.UnreadableFileError, match=r"unknown format of .* \.xlsx, \.lines"):
        ts.count(__file__)


def test_ascii_texts_among_other_texts_have_equal_counts(tmp_path):
    texts = ["", "Plain ONE", "Größe ÉTÉ", "", "", "PLAIN two", "Иван Ёлка", "中文 İI", "last One", ""]
    labels = [str(i % 3) for i in range(len(texts))]
    pq.write_table(pa.table({"text": texts, "label": labels}), tmp_path / "mixed.parquet")
    for options in ({}, {"lowercase": False}, {"strip_accents": "unicode"}, {"normalize": "NFKC"}):
        analyzer = ts.Analyzer(**options)
        counts = ts.count(tmp_path / "mixed.parquet", text="text", label="label", analyzer=analyzer)
        assert counts == ts.count(texts, labels, analyzer=analyzer)


def test_an_object_too_long_for_a_small_buffer_loses_nothing(tmp_path, monkeypatch):
    attempts, list_keys = [], json_files.list_object_keys
    monkeypatch.setattr(
        json_files, "list_object_keys", lambda *arguments: attempts.append(1) or list_keys(*arguments)
    )
    texts = [f"w{i} again" for i in range(5000)] + ["long " * 7_000_000, "behind it"]
    labels = ["ab"[i % 2] for i in range(len(texts))]
    path, rows = tmp_path / "m.jsonl", zip(texts, labels, strict=True)
    path.write_text("\n".join(json.dumps({"text": text, "label": name}) for text, name in rows))
    assert ts.count(path) == ts.count(texts, labels)
    assert len(attempts) == 2


def test_rows_already_yielded_are_skipped():
    batches = [pa.RecordBatch.from_pydict({"text": own}) for own in (["a", "b"], ["c", "d", "e"], ["f"])]
    for done in range(8):
        left = [text for batch in skip_rows(done, iter(batches)) for text in batch.column(0).to_pylist()]
        assert left == list("abcdef")[done:]
