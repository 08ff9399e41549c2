"""Tables: choice of rows, and export to Markdown, LaTeX, CSV and JSON, to text or to a file."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

import termsift as ts

TERMS = np.array(["a|b", "50%_x", r"\cmd{}", None], dtype=object)
TABLE = ts.Table({"term": TERMS, "p": np.array([1.2e-9, -3.5, np.inf, 0.5]), "n": np.arange(4)})


@pytest.mark.parametrize(
    "rows, expected",
    [
        (slice(1, 3), [1, 2]),
        (slice(None, None, -1), [3, 2, 1, 0]),
        (TABLE["p"] > 0, [0, 2, 3]),
        ([3, 0], [3, 0]),
        (np.array([-1]), [3]),
        ([], []),
        (np.array([True, None, False, True], dtype=object), [0, 3]),
        ([False] * 4, []),
    ],
)
def test_slices_masks_and_numbers_choose_rows(rows, expected):
    chosen = TABLE[rows]
    assert isinstance(chosen, ts.Table)
    assert chosen["n"].tolist() == expected
    assert list(chosen.columns) == ["term", "p", "n"]


@pytest.mark.parametrize(
    "key, message",
    [
        ("terms", "no column named 'terms'; did you mean 'term'?"),
        ([9], "there is no row 9; the 4 rows are numbered from 0"),
        (np.array([True]), "the mask has 1 values, but the table has 4 rows"),
        (1, "a table is indexed by a column name, a slice, row numbers or a mask, got 1"),
        ([0.5], "a table is indexed by a column name, a slice, row numbers or a mask, got [0.5]"),
    ],
)
def test_rejects_columns_and_rows_that_do_not_exist(key, message):
    with pytest.raises(ts.TermsiftError, match=re.escape(message)):
        TABLE[key]


def test_markdown_escapes_what_ends_a_cell_and_aligns_numbers():
    head, rule, *rows = TABLE.to_markdown().splitlines()
    assert (head, rule) == ("| term | p | n |", "|---|---:|---:|")
    assert rows == [
        r"| a\|b | 1.2e-09 | 0 |",
        r"| 50%\_x | -3.5 | 1 |",
        r"| \\cmd{} | inf | 2 |",
        "|  | 0.5 | 3 |",
    ]


def test_latex_escapes_its_special_characters_and_sets_numbers_as_formulas():
    lines = TABLE.to_latex().splitlines()
    assert lines[:4] == [r"\begin{tabular}{lrr}", r"\toprule", r"term & p & n \\", r"\midrule"]
    assert lines[4:-2] == [
        r"a\textbar{}b & $1.2 \times 10^{-9}$ & 0 \\",
        r"50\%\_x & $-3.5$ & 1 \\",
        r"\textbackslash{}cmd\{\} & $\infty$ & 2 \\",
        r" & 0.5 & 3 \\",
    ]
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]


def test_p_values_too_small_to_be_computed_are_shown_by_a_bound():
    table = ts.Table(
        {"term": np.array(["a"]), "p": np.zeros(1), "q": np.array([1e-295]), "score": np.zeros(1)}
    )
    assert table.to_markdown().splitlines()[-1] == r"| a | \<1e-290 | 1e-295 | 0 |"
    assert table.to_latex().splitlines()[4] == r"a & \textless{}1e-290 & $1 \times 10^{-295}$ & 0 \\"
    assert repr(table).splitlines()[-1].split() == ["a", "<1e-290", "1e-295", "0"]
    assert ">&lt;1e-290</td>" in table._repr_html_()
    # data stay numbers
    assert table.to_csv().splitlines()[-1] == "a,0.0,1e-295,0.0"


def test_numbers_below_a_million_have_no_positive_exponent():
    values = np.array([12806.4, 952.94, -45678.9, 1234567.8])
    shown = [row.split()[-1] for row in repr(ts.Table({"rate": values})).splitlines()[1:]]
    assert shown == ["12806", "952.9", "-45679", "1.2346e+06"]


@pytest.mark.parametrize("name", ["csv", "json", "markdown", "latex"])
def test_a_file_holds_the_same_text(name, tmp_path):
    write = getattr(TABLE, f"to_{name}")
    assert write(tmp_path / "table") is None
    assert (tmp_path / "table").read_text().rstrip("\n") == write().rstrip("\n")


def test_exported_rows_are_read_back_by_pandas(tmp_path):
    TABLE.to_csv(tmp_path / "table.csv")
    read = pd.read_csv(tmp_path / "table.csv")
    assert read["n"].tolist() == [0, 1, 2, 3]
    assert read["p"].tolist() == TABLE["p"].tolist()
    assert [row["p"] for row in json.loads(TABLE.to_json())] == [1.2e-9, -3.5, None, 0.5]
