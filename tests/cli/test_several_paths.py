"""Several files in place of one, as the shell expands a pattern."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest

import termsift as ts
from mail_files import ROWS


@pytest.fixture
def days(tmp_path, monkeypatch):
    """The rows in two files, and in one."""
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(ROWS, columns=["text", "label"])
    frame["author"] = ["ann", "bob", "ann", "bob", "eve"]
    frame.to_csv("all.csv", index=False)
    frame[:2].to_csv("day1.csv", index=False)
    frame[2:].to_csv("day2.csv", index=False)
    return "day1.csv", "day2.csv"


@pytest.mark.parametrize(
    "arguments",
    [
        ("count", "--json"),
        ("score", "--top", 3),
        ("score", "--metric", "bns", "--class", "spam", "--csv"),
        ("select", "-k", 3),
        ("select", "--metric", "ig:jmi", "-k", 2),
        ("audit",),
        ("compare", "--folds", 2, "-k", 2, "--classifier", "multinomial_nb", "--json"),
    ],
)
def test_several_files_are_one_corpus(run, days, arguments):
    command, *options = arguments
    code, out, _ = run(command, *days, *options)
    assert code == 0
    outputs = [out, run(command, "all.csv", *options)[1], run(command, *options, *days)[1]]
    # compare reports measured times
    measured = r'"(seconds|documents_per_second)": [\d.e+-]+'
    assert len({re.sub(measured, "", output) for output in outputs}) == 1


def test_a_report_of_several_files_is_named_after_the_first(run, days, tmp_path):
    assert run("report", *days, "-o", "page.html")[0] == 0
    assert "<h1>Terms of day1.csv and 1 more</h1>" in (tmp_path / "page.html").read_text()


def test_saved_counts_of_several_files_are_added(run, days):
    for day in days:
        run("count", day, "-o", f"{day}.parquet")
    options = ("--metric", "bns", "--json")
    found = run("score", *(f"{day}.parquet" for day in days), *options)[1]
    assert json.loads(found) == json.loads(run("score", "all.csv", *options)[1])


def test_grouped_counts_of_several_files_are_added(run, days):
    for day in days:
        run("count", day, "--group", "author", "-o", f"{day}.parquet")
    assert run("count", *(f"{day}.parquet" for day in days), "-o", "sum.parquet", "--group", "author")[0] == 0
    grouped = ts.GroupedCounts.load("sum.parquet")
    assert grouped == ts.count("all.csv", group="author")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["count", "all.csv", "c.parquet"], "all.csv contains no saved counts, but other files do"),
        (["count", "all.csv", "none.csv"], "there is no file none.csv"),
        (
            ["count", "all.csv", "docstrings"],
            "docstrings is a corpus, which cannot be combined with other inputs",
        ),
        (["count", "-", "-"], "standard input can be read only once"),
        (["select", "day1.csv", "day2.csv", "-o", "day2.csv"], "day2.csv is also an input"),
    ],
)
def test_incompatible_inputs_are_one_line_errors(run, days, arguments, message):
    ts.count("day1.csv").save("c.parquet")
    code, out, err = run(*arguments)
    assert (code, out) == (1, "")
    assert err.startswith("termsift: ")
    assert err.count("\n") == 1
    assert message in err
