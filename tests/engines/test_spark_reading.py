"""What Spark reads, it reads as the engine of files does: the same documents, and the same refusals."""

from __future__ import annotations

import bz2
import gzip
import json
from functools import reduce

import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest

import termsift as ts
from termsift.engines.inputs import load_documents
from termsift.engines.spark.counting import select_document_columns
from termsift.engines.spark.sources import load_spark_frame, parse_spark_source

pytestmark = pytest.mark.xdist_group("spark")
TITLES = [
    "Grüße",
    "a, b",
    'say "hi"',
    "",
    "tab\there",
    "東京 tower",
    "first\nsecond",
    "x;y\r\nz",
    "é",
    'nul\x00 in "quotes"',
]
BODIES = [
    "plain words here",
    "more, with commas",
    "",
    'quotes "inside" it',
    "two\nlines\n",
    "naïve café",
    *"abcd",
]
ROWS = [
    {"title": f"{TITLES[i % 10]} word{i % 7}", "body": BODIES[i % 7], "label": f"cläss {i % 3}"}
    for i in range(40)
]
TITLE = {"text": "title", "label": "label"}


def spark_rows(spark, path, name="", **options):
    """The documents of a source as Spark reads them, under a name; nothing runs yet."""
    wanted = options.get("text", "text"), options.get("label", "label")
    frame = load_spark_frame(spark, parse_spark_source(path, **options))
    names = [list(map(str, wanted[0])) if isinstance(wanted[0], list) else wanted[0], str(wanted[1])]
    return select_document_columns(frame, *names, None, None)[0].selectExpr("*", f"'{name}' AS name")


def documents(frame):
    """The texts and labels of a frame by name, in an order of their own."""
    rows = frame.toArrow().to_pylist()
    names = {row["name"] for row in rows}
    return {
        name: in_order((row["text"], row["label"]) for row in rows if row["name"] == name) for name in names
    }


def in_order(rows):
    return sorted(rows, key=repr)


def files_rows(path, **options):
    """The documents of a source as the engine of files reads them."""
    found = load_documents(path, **options)
    labels = [own if len(own) > 1 else own[0] for own in found.labels.labels_per_document]
    return in_order(zip(found.texts, labels, strict=True))


def check_same_documents(spark, sources):
    """Both engines read the same documents, each a path with its options; one job for all."""
    frames = [spark_rows(spark, path, path, **options) for path, options in sources.items()]
    found = documents(reduce(lambda one, other: one.unionByName(other), frames))
    for path, options in sources.items():
        assert found[path] == files_rows(path, **options), path


def cells(rows, delimiter, quote='"', end="\n"):
    """Rows as a file of cells; without a quote blanks stand for what would break a row."""

    def cell(text):
        if quote:
            return f'"{text.replace(chr(34), 2 * chr(34))}"'
        return text.replace("\n", " ").replace("\r", " ").replace("\t", " ")

    return "".join(delimiter.join(map(cell, row)) + end for row in rows)


def table(header=True):
    return ([list(ROWS[0])] if header else []) + [list(row.values()) for row in ROWS]


DELIMITED = {
    "plain.csv": (cells(table(), ",").encode(), {}),
    "windows.csv": (cells(table(), ",", end="\r\n").encode() + b"\r\n", {}),
    "marked.csv": (b"\xef\xbb\xbf" + cells(table(), ",").encode(), {}),
    "spreadsheet.csv": (cells(table(), ";").encode(), {}),
    "bars.csv": (cells(table(), "|").encode(), {"delimiter": "|"}),
    "tabs.tsv": (cells(table(), "\t", quote="").encode(), {}),
    "quoted.tsv": (cells(table(), "\t").encode(), {}),
    "packed.csv.gz": (gzip.compress(cells(table(), ",").encode()), {}),
    "packed.csv.bz2": (bz2.compress(cells(table(), ",").encode()), {}),
    "packed.csv.zst": (pa.compress(cells(table(), ",").encode(), "zstd", asbytes=True), {}),
    "wide.csv": (cells(table(), ",").encode("utf-16"), {}),
    "broken.csv": (cells(table(), ",").encode("cp1252", "replace"), {"encoding_errors": "replace"}),
    "western.csv": (cells(table(), ",").encode("cp1252", "replace"), {"encoding": "cp1252"}),
    "japanese.csv": (cells(table(), ",").encode("shift_jis", "replace"), {"encoding": "shift_jis"}),
}


def test_files_of_cells(spark, tmp_path):
    for name, (content, _) in DELIMITED.items():
        (tmp_path / name).write_bytes(content)
    bare = {"text": ["1", "2"], "label": "3", "header": False}
    (tmp_path / "bare.csv").write_bytes(b"\xef\xbb\xbf" + cells(table(header=False), ",").encode())
    sources = {name: TITLE | options for name, (_, options) in DELIMITED.items()} | {"bare.csv": bare}
    check_same_documents(spark, {str(tmp_path / name): options for name, options in sources.items()})


def test_files_of_one_source_may_have_different_dialects(spark, tmp_path):
    (tmp_path / "a.csv").write_text("text,label\none,x\n")
    (tmp_path / "b.csv").write_text("label;id;text\r\ny;1;two\r\n")
    (tmp_path / "c.csv").write_bytes("text,label\nthrée,z\n".encode("utf-16"))
    (tmp_path / "label=w").mkdir()
    (tmp_path / "label=w" / "d.csv").write_text("text\nfour\n")
    check_same_documents(spark, {str(tmp_path): {}, str(tmp_path / "[ab].csv"): {}})


JSON = [
    {"text": row["title"], "label": row["label"], "n": i % 3, "of": ["x", "y"][: 1 + i % 2], "t": None}
    for i, row in enumerate(ROWS)
]


def lines(**more):
    return "".join(json.dumps(row, **more) + "\n" for row in JSON)


def test_json(spark, tmp_path):
    contents = {
        "escaped.jsonl": lines().encode(),
        "plain.jsonl": lines(ensure_ascii=False).encode() + b"\r\n\n",
        "wide.jsonl": lines(ensure_ascii=False).encode("utf-16"),
        "packed.jsonl.gz": gzip.compress(lines().encode()),
        "array.json": json.dumps(JSON, indent=1).encode(),
        "packed.json.bz2": bz2.compress(json.dumps(JSON).encode()),
        "lines.json": lines().encode(),
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    check_same_documents(spark, {str(tmp_path / name): {} for name in contents})
    frame = spark_rows(spark, str(tmp_path / "array.json"), label="n")
    assert documents(frame)[""] == files_rows(str(tmp_path / "array.json"), label="n")
    frame = spark_rows(spark, str(tmp_path / "plain.jsonl"), label="of")
    assert [set(labels) for _, labels in documents(frame)[""]] == [
        set(labels) for _, labels in files_rows(str(tmp_path / "plain.jsonl"), label="of")
    ]


def test_typed_columns_and_folder_columns(spark, tmp_path):
    whole = pa.table({"text": ["aa", "bb"], "Text": ["no", "no"], "label": [2024, 2025]})
    for folder in ("label=7", "label=8"):
        (tmp_path / "own" / folder).mkdir(parents=True)
        (tmp_path / "hive" / folder).mkdir(parents=True)
        pq.write_table(whole.drop(["Text"]), tmp_path / "own" / folder / "x.parquet")
        pq.write_table(whole.select(["text"]), tmp_path / "hive" / folder / "x.parquet")
    check_same_documents(spark, {str(tmp_path / "hive"): {}})
    assert documents(spark_rows(spark, str(tmp_path / "own")))[""] == files_rows(str(tmp_path / "own"))


def test_orc_and_tables(spark, tmp_path):
    rows = pa.table({"text": ["aa", "bb"], "label": ["x", "y"]})
    (tmp_path / "mail").mkdir()
    orc.write_table(rows, tmp_path / "mail" / "part-0.orc")
    expected = [("aa", "x"), ("bb", "y")]
    for path in ("mail", "mail/part-0.orc", "mail/*.orc"):
        assert documents(spark_rows(spark, str(tmp_path / path)))[""] == expected
    spark.createDataFrame(rows).createOrReplaceTempView("letters")
    assert documents(spark_rows(spark, "letters", format="table"))[""] == expected


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("lettres", "there is no table lettres; did you mean 'letters'"),
        ("no.letters", "there is no table no.letters: the database no does not exist"),
        ("not a table", "'not a table' is not a table name; expected name, db.name"),
    ],
)
def test_tables_that_are_not_there(spark, name, message):
    spark.createDataFrame(pa.table({"text": ["aa"], "label": ["x"]})).createOrReplaceTempView("letters")
    with pytest.raises(ts.TermsiftError, match=message):
        load_spark_frame(spark, parse_spark_source(name, format="table"))


def test_folders_of_classes(spark, tmp_path):
    for i, row in enumerate(ROWS[:6]):
        folder = tmp_path / f"cläss {i % 2}" / "deep"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"_{i} [x]?.txt").write_text(row["title"])
    (tmp_path / "cläss 0" / ".hidden").write_text("no")
    check_same_documents(spark, {str(tmp_path): {}})


def test_spark_urls_are_read_by_spark(spark, tmp_path):
    (tmp_path / "mail").mkdir()
    (tmp_path / "mail" / "a.csv").write_text("label;text\nx;one\n")
    (tmp_path / "mail" / "a.jsonl").write_text('{"label": "x", "text": "one"}\n')
    (tmp_path / "of" / "x").mkdir(parents=True)
    (tmp_path / "of" / "x" / "1.txt").write_text("one")
    base = tmp_path.as_uri()
    for path, options in (("mail/a.csv", {}), ("mail/*.jsonl", {}), ("of", {"format": "text"})):
        assert documents(spark_rows(spark, f"{base}/{path}", **options))[""] == [("one", "x")], path


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("a.csv", b"text,label\na\n", {}, "a.csv .* a different number of fields"),
        ("a.csv", b"text,label\na,x\nb,y,z\n", {}, "a.csv .* a different number of fields"),
        ("a.csv", b"text,label\n\xfc,x\n", {}, "a text is not UTF-8: byte 0xfc at 0"),
        (
            "a.csv",
            b"text,label\na,x\n",
            {"label": "labl"},
            "column 'labl' is not in .*a.csv; did you mean 'label'",
        ),
        (
            "a.csv",
            b"a,x\n",
            {"header": False, "text": 1, "label": 3},
            "column 3 is not in .*a.csv; it has 2 columns",
        ),
        ("a.csv", b"PAR1", {}, "a.csv is not CSV: it seems to be a Parquet file"),
        ("a.csv.xz", b"x", {}, "Spark cannot read .*a.csv.xz; .xz is not one of .gz"),
        ("a.zip", b"x", {}, "a.zip"),
        ("a.xlsx", b"x", {}, "Spark cannot read XLSX files such as .*a.xlsx; use --engine files"),
        ("a.doc", b"x", {}, "unknown format of .*a.doc"),
        ("a.csv", b"x", {"format": "xlsx"}, "no format for Spark named 'xlsx'"),
        ("_a.csv", b"text,label\na,x\n", {}, "Spark ignores files with names like _a.csv; rename"),
        ("a.jsonl", b'{"text": "a", "label": 1\n', {}, 'a row is not JSON: .*; it begins \'{"text"'),
        (
            "a.jsonl",
            b'{"text": "a", "lable": 1}\n',
            {},
            "column 'label' is not in .*a.jsonl; did you mean 'lable'",
        ),
        ("a.jsonl", b'{"text": "\xfc", "label": 1}\n', {}, "a row is not utf-8: byte 0xfc"),
        ("a.parquet", b"PAR1", {}, "a.parquet"),
    ],
)
def test_rejects_unreadable_input(spark, tmp_path, name, content, options, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ts.TermsiftError, match=message) as fault:
        ts.count(spark_rows(spark, str(tmp_path / name), **options))
    assert "\n" not in str(fault.value)


def test_the_counts_are_those_of_files_to_the_byte(spark, tmp_path):
    (tmp_path / "a.csv").write_bytes(DELIMITED["plain.csv"][0])
    options = {"text": ["title", "body"], "label": "label"}
    how = {"analyzer": ts.Analyzer(ngram_range=(1, 2))}
    ts.count(tmp_path / "a.csv", **options, **how).save(tmp_path / "files")
    frame = load_spark_frame(spark, parse_spark_source(tmp_path / "a.csv", **options))
    ts.count(frame, **options, **how).save(tmp_path / "spark")
    assert (tmp_path / "spark").read_bytes() == (tmp_path / "files").read_bytes()
