"""Columns, headers, options and labels of files that cannot be: one clear line that names file and row."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import termsift as ts
from termsift.engines.files import columns as arrow_texts
from two_rows import CSV, ENDINGS, LABELS, TEXTS, fails, written_rows

EXPECTED = ts.count(TEXTS, LABELS)


class TestColumns:
    def test_rejects_two_columns_with_equal_name(self, tmp_path):
        (tmp_path / "m.csv").write_text("text,label,text\naa,x,cc\nbb,y,dd\n")
        (tmp_path / "m.tsv").write_text("label\tlabel\ttext\naa\tx\tcc\n")
        (tmp_path / "m.jsonl").write_text('{"text": "a", "label": "x"}\n{"text": "a", "text": "b"}\n')
        columns = [pa.array(["aa"]), pa.array(["x"]), pa.array(["cc"])]
        pq.write_table(pa.Table.from_arrays(columns, ["text", "label", "text"]), tmp_path / "m.parquet")
        for name, column in [("csv", "text"), ("tsv", "label"), ("jsonl", "text"), ("parquet", "text")]:
            fails(f"m.{name} has 2 columns named '{column}'; rename all but one", tmp_path / f"m.{name}")

    def test_names_that_differ_in_capitals_are_two(self, tmp_path):
        table = pa.table(
            {"Text": ["aa bb", "cc"], "LABEL": ["p", "q"], "text": ["dd", "ee"], "label": [1, 2]}
        )
        pq.write_table(table, tmp_path / "m.parquet")
        assert list(ts.count(tmp_path / "m.parquet").terms) == ["dd", "ee"]
        assert ts.count(tmp_path / "m.parquet", text="Text", label="LABEL").classes == ("p", "q")

    @pytest.mark.parametrize("ending", ENDINGS)
    def test_rejects_column_with_two_roles(self, tmp_path, ending):
        path = written_rows(tmp_path / f"m{ending}", ending)
        fails("text and label are both column 'label'; name two", path, text="label")
        fails("text and label are both column 'text'; name two", path, label="text")

    def test_nor_in_a_data_frame(self):
        frame = pd.DataFrame({"a": ["aa", "bb"]})
        fails("text and label are both column 'a'; name two", frame, text="a", label="a")

    @pytest.mark.parametrize(
        "header",
        [
            ",".join(f"column_{i}" for i in range(9000)),
            '"of two\nlines"',
            '"of two\r\nlines ""quoted"""',
            "a\u2028b\x85c\x0bd",
            '5" disk',
            "x" * 100_000,
        ],
        ids=["long", "two lines", "quotes", "other line ends", "a quote", "a long cell"],
    )
    @pytest.mark.parametrize("mark", [",", ";"])
    def test_headers(self, tmp_path, header, mark):
        path, width = tmp_path / "m.csv", header.count(",") + 1
        lines = [header.replace(",", mark) + f"{mark}text{mark}label"]
        lines += ["0" * (width > 0) + f"{mark}0" * (width - 1) + f"{mark}{row}" for row in ("aa bb", "cc")]
        lines = [lines[0], f"{lines[1]}{mark}x", f"{lines[2]}{mark}y"]
        path.write_bytes(("\n".join(lines) + "\n").encode())
        assert ts.count(path) == EXPECTED

    def test_rejects_header_without_line_break(self, tmp_path):
        for name, mark in (("m.csv", b","), ("m.tsv", b"\t")):
            (tmp_path / name).write_bytes(
                b"a" * (1 << 24) + mark.join([b"", b"text", b"label\n1", b"aa", b"x\n"])
            )
            fails("has no line break in its first 16,777,216 characters", tmp_path / name)

    @pytest.mark.parametrize(("name", "mark"), [("m.csv", ";"), ("m.tsv", "\t")])
    def test_rejects_a_header_of_too_many_columns(self, tmp_path, name, mark):
        empty = mark * 99_999
        (tmp_path / name).write_text(f"text{mark}label{empty}\naa bb{mark}x{empty}\ncc{mark}y{empty}\n")
        fails(f"{name} has more than 100,000 columns; is", tmp_path / name)


class TestOptions:
    @pytest.mark.parametrize(
        "encoding", ["zlib", "hex", "rot13", "base64", "undefined", "utf-9", "a\0b", "é", 5, "x" * 5000]
    )
    @pytest.mark.parametrize("ending", [".csv", ".jsonl"])
    def test_rejects_encodings_that_are_not_for_text(self, tmp_path, encoding, ending):
        fails(
            "no text encoding named .*; try 'utf-8'",
            written_rows(tmp_path / "m", ending),
            encoding=encoding,
        )

    @pytest.mark.parametrize(
        "encoding", ["utf-16", "utf-32", "idna", "punycode", "utf-7", "cp037", "utf-8-sig"]
    )
    def test_undecodable_file_raises_one_line_error(self, tmp_path, encoding):
        (tmp_path / "mail" / "x").mkdir(parents=True)
        (tmp_path / "mail" / "x" / "1.txt").write_bytes(b"\xff\xe9 a")
        for ending in (".csv", ".jsonl"):
            (tmp_path / f"m{ending}").write_bytes(CSV.encode().replace(b"aa", b"\xff\xe9"))
        for path in (tmp_path / "mail", tmp_path / "m.csv", tmp_path / "m.jsonl"):
            try:
                ts.count(path, encoding=encoding)
            except ts.TermsiftError as error:
                assert path.name in str(error)  # noqa: PT017

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"label_separator": ""}, "separator must be a string between labels"),
            ({"label_separator": 5}, "separator must be a string between labels"),
            ({"text": 5}, "column names must be strings, got 5"),
            ({"memory": "a"}, "memory must be a number of bytes, at least 1, got 'a'"),
            ({"memory": float("nan")}, "memory must be a number of bytes, at least 1, got nan"),
            ({"progress": 5}, "progress must be a function"),
            ({"n_jobs": "a"}, "n_jobs must be at least 1"),
            ({"sample_weight": "a"}, "sample_weight must be numbers"),
            ({"sample_weight": [[1, 2], [3]]}, "sample_weight must be numbers"),
            ({"sample_weight": [[1, 2], [3, 4]]}, "2 documents but sample_weight has shape"),
            ({"sample_weight": [1, float("nan")]}, "finite and at least 0"),
        ],
    )
    def test_options_of_a_wrong_kind(self, tmp_path, options, message):
        with pytest.raises(ts.InvalidInputError, match=message):
            ts.count(written_rows(tmp_path / "m.csv", ".csv"), **options)

    def test_scalar_weight_applies_to_each_row(self, tmp_path):
        path = written_rows(tmp_path / "m.csv", ".csv")
        assert ts.count(path, sample_weight=2) == ts.count(path, sample_weight=[2, 2])


def with_label(label):
    """JSON lines, the second of which has this label."""
    return f'{{"text": "aa", "label": "x"}}\n{{"text": "bb", "label": {label}}}\n'


class TestRows:
    @pytest.mark.parametrize(
        ("label", "message"),
        [
            ("[" * 20_000 + "]" * 20_000, r"row 2 of .*m\.jsonl has an invalid label: \[\[\["),
            ("1" * 5_000, r"row 2 of .*m\.jsonl has an invalid label: 111"),
            ("[" * 20_000, r"m\.jsonl cannot be read as JSONL"),
            ('{"a": 1}', r"row 2 of .*m\.jsonl has the label {'a': 1}, which is not a single value"),
            ('["y"]', r"row 1 of .*m\.jsonl has the label 'x', others have lists of labels"),
        ],
        ids=["brackets", "digits", "open brackets", "an object", "a list"],
    )
    def test_rejects_invalid_json_labels(self, tmp_path, label, message):
        (tmp_path / "m.jsonl").write_text(with_label(label))
        fails(message, tmp_path / "m.jsonl")

    @pytest.mark.parametrize("depth", [400, 900, 990, 1100])
    def test_brackets_of_any_depth(self, tmp_path, depth):
        (tmp_path / "m.jsonl").write_text(with_label("[" * depth + "]" * depth))
        fails("row [12] of", tmp_path / "m.jsonl")

    @pytest.mark.parametrize("labels", [[1.0, np.nan], [["x"], ["y", None]], [[1.0], [np.nan]], ["x", None]])
    def test_a_missing_label_is_named_by_file_and_row_and_can_be_skipped(self, tmp_path, labels):
        for name, own in (("a", labels[:1] * 2), ("b", labels), ("c", labels[:1] * 2)):
            pq.write_table(pa.table({"text": ["aa", "bb"], "label": own}), tmp_path / f"{name}.parquet")
        pattern = str(tmp_path / "*.parquet")
        fails(r"row 2 of .*b\.parquet has no label; fix it, or skip such rows", pattern)
        with pytest.warns(ts.TermsiftWarning, match="1 of 6 rows without a text or a label"):
            counts = ts.count(pattern, on_missing="skip")
        assert counts == ts.count(["aa", "bb", "aa", "aa", "bb"], labels[:1] * 5)

    @pytest.mark.parametrize("label", ["NaN", '["x", null]', "null"])
    def test_missing_labels_of_json(self, tmp_path, label):
        (tmp_path / "m.jsonl").write_text(with_label(label))
        fails(r"row 2 of .*m\.jsonl has no label", tmp_path / "m.jsonl")
        with pytest.warns(ts.TermsiftWarning, match="1 of 2 rows"):
            assert ts.count(tmp_path / "m.jsonl", on_missing="skip").documents == 1

    def test_rows_are_numbered_in_each_file_across_batches(self, tmp_path, monkeypatch):
        monkeypatch.setattr(arrow_texts, "BATCH_BYTES", 1)
        rows = [{"text": f"word{i}", "label": "x" if i != 4_500 else None} for i in range(5_000)]
        (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[:3_000]))
        (tmp_path / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[3_000:]))
        fails(r"row 1501 of .*b\.jsonl has no label", str(tmp_path / "*.jsonl"))

    def test_metadata_that_is_not_utf_8(self, tmp_path):
        columns = {"text": ["aa bb", "cc"], "label": ["x", "y"]}
        table = pa.table(columns).replace_schema_metadata({b"\xff": b"\xfe"})
        pq.write_table(table, tmp_path / "m.parquet")
        assert ts.count(tmp_path / "m.parquet") == EXPECTED
