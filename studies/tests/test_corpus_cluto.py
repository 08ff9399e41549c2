"""Files of CLUTO as text: what is read, and one line for what cannot be."""

from __future__ import annotations

import re

import pytest

import termsift as ts
from termsift_studies.matrices import load_cluto

ROWS = "3 4\n2 0 1 3 2\n1 2 5\n0\n"
CLASSES = "1 0 1\n0 1 0\n"


def written(folder, rows=ROWS, classes=CLASSES):
    path = folder / "sparse_x.txt"
    path.write_text(rows)
    if classes is not None:
        (folder / "x_correct.txt").write_text(classes)
    return path


def test_words_and_classes_are_numbers_from_0(tmp_path):
    corpus = load_cluto(written(tmp_path))
    assert corpus.name == "x"
    assert corpus.matrix.toarray().tolist() == [[1, 0, 0, 2], [0, 0, 5, 0], [0, 0, 0, 0]]
    assert corpus.labels == [0, 1, 0]


@pytest.mark.parametrize(
    "rows, classes, message",
    [
        ("", CLASSES, "is empty"),
        ("3\n0\n0\n0\n", CLASSES, "first line does not say"),
        ("4 4\n0\n0\n0\n", CLASSES, "first line does not say"),
        (ROWS.replace("2 0", "3 0"), CLASSES, "line 2 of"),
        (ROWS.replace("3 2\n", "4 2\n"), CLASSES, "one that is not below 4"),
        (ROWS.replace("0 1", "-1 1"), CLASSES, "one that is not below 4"),
        (ROWS.replace("3 2\n", "0 2\n"), CLASSES, "a word twice"),
        (ROWS.replace("2 5", "2 0"), CLASSES, "a count below 1"),
        (ROWS.replace("2 5", "2 a"), CLASSES, "whole numbers alone"),
        (ROWS.replace("2 5", f"2 {10**30}"), CLASSES, "whole numbers alone"),
        (ROWS.replace("2 5", "2 \u00e9"), CLASSES, "ascii"),
        (ROWS, None, "there is no file"),
        (ROWS, "1 0\n0 1\n", "one number for each of 3 documents"),
        (ROWS, "1 0 1\n1 1 0\n", "a document must have a 1"),
        (ROWS, "1 0 2\n0 1 0\n", "a document must have a 1"),
    ],
)
def test_one_clear_line(tmp_path, rows, classes, message):
    with pytest.raises(ts.UnreadableFileError, match=re.escape(message)):
        load_cluto(written(tmp_path, rows, classes))
