"""Lists of words with their counts, and files of texts without labels."""

from __future__ import annotations

import pytest

import termsift as ts
from mail_files import ROWS, written
from termsift.analysis.differences import is_word_list_file, read_word_list_file


@pytest.mark.parametrize("name, separator", [("list.csv", ","), ("list.tsv", "\t"), ("semicolons.csv", ";")])
def test_word_list_is_one_document(tmp_path, name, separator):
    path = tmp_path / name
    path.write_text(
        f"rank{separator}term{separator}count\n1{separator}the{separator}120\n2{separator}sea{separator}0\n3{separator}éa{separator}7\n",
        encoding="utf-8",
    )
    assert is_word_list_file(path)
    counts = read_word_list_file(path)
    assert counts.terms.tolist() == ["the", "éa"]
    assert counts.term_tf.tolist() == [120, 7]
    assert (counts.documents, counts.classes, counts.analyzer) == (1, ("all",), None)
    counts.save(tmp_path / "c.parquet")
    assert ts.Counts.load(tmp_path / "c.parquet") == counts


def test_file_with_text_column_is_not_a_word_list(tmp_path, mail):
    both = tmp_path / "both.csv"
    both.write_text("term,count,text\na,1,hello\n")
    assert not is_word_list_file(both)
    assert is_word_list_file(both, text="body")
    assert not is_word_list_file(mail)
    assert not is_word_list_file(tmp_path / "missing.csv")
    assert not is_word_list_file(["a", "b"])


def test_word_list_rejects_unknown_encoding(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("term,count\na,1\n")
    with pytest.raises(ts.InvalidInputError, match="no text encoding named 'utf-9'"):
        ts.diff(["a b"], path, encoding="utf-9")


@pytest.mark.parametrize(
    "rows, message",
    [
        ("a,3\nb,-2\n", "row 2 of {} has the count '-2'; counts are whole numbers of at least 0"),
        ("a,3\nb,2.5\n", "row 2 of {} has the count '2.5'; counts are whole numbers"),
        ("a,3\nb,many\n", "row 2 of {} has the count 'many'"),
        ("a,3\nb,\n", "row 2 of {} has no count"),
        (
            f"a,{2**53 + 1}\n",
            "row 1 of {} has the count 9007199254740993, above the maximum of 2**53",
        ),
        (
            f"a,{'9' * 5000}\n",
            "row 1 of {} has the count 99999999999999999999, above the maximum of 2**53",
        ),
        ("a,3\nb,1\na,4\n", "row 3 of {} repeats the term 'a' of row 1; merge these rows"),
        ("a,3\n,4\n", "row 2 of {} has no term"),
        ("a,0\n", "{} has no words with a count above 0"),
    ],
)
def test_invalid_word_list_error_has_row(tmp_path, rows, message):
    path = tmp_path / "list.csv"
    path.write_text("term,count\n" + rows)
    with pytest.raises(ts.InvalidInputError) as told:
        read_word_list_file(path)
    assert message.format(path) in str(told.value)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".tsv", ".jsonl", ".jsonl.zst", ".parquet"])
def test_texts_without_labels_are_one_class(tmp_path, ending):
    path = written(tmp_path, ending)
    labelled, one = ts.count(path), ts.count(path, label="")
    assert one == labelled.as_class(0)
    assert one.documents == len(ROWS)


def test_a_file_need_not_have_a_column_of_labels(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text("text\nfree prize\nlunch\n")
    assert ts.count(path, label="").documents == 2
    with pytest.raises(ts.UnknownNameError, match="column 'label' is not in"):
        ts.count(path)


def test_missing_text_error_has_row(tmp_path):
    path = tmp_path / "texts.jsonl"
    path.write_text('{"text": "a b"}\n{"text": null}\n')
    with pytest.raises(ts.InvalidInputError, match=r"row 2 of .* has no text"):
        ts.count(path, label="")
