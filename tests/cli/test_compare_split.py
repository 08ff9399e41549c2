"""termsift compare with the user's own split: groups, time, test documents, weights, several goals."""

from __future__ import annotations

import csv
import io
import json

import pandas as pd
import pytest

from compared_texts import authored, topical

ONE = ("--metric", "df", "-k", 20, "--classifier", "multinomial_nb")
QUICK = (*ONE, "--repeats", 1)


@pytest.fixture
def letters(tmp_path):
    texts, labels, authors = authored(20, 8)
    days = [f"2024-{1 + i % 12:02d}-01" for i in range(len(texts))]
    parts = ["test" if name.endswith(("8", "9")) else "train" for name in authors]
    frame = pd.DataFrame({"text": texts, "label": labels, "author": authors, "day": days, "part": parts})
    frame["weight"] = [1 + i % 3 for i in range(len(texts))]
    path = tmp_path / "letters.csv"
    frame.to_csv(path, index=False)
    return path


def test_groups_prevent_leakage_of_authors(run, letters):
    figures = []
    for more in ((), ("--group", "author")):
        code, out, err = run("compare", letters, *QUICK, *more, "--json")
        assert (code, err) == (0, "")
        rows = {row["method"]: row for row in json.loads(out)["candidates"]}
        figures.append(rows["all"]["mean"])
    assert figures[0] > 0.99
    assert figures[1] < 0.6


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["--time", "day", "--folds", 3],
            "3 time windows, each tested on a model trained on earlier documents",
        ),
        (["--split", "part"], "32 documents held out, ± by the jackknife over 20 blocks of them"),
        (["--split", "part", "--group", "author"], "held out, ± by the jackknife over 4 blocks of them"),
    ],
)
def test_the_answer_describes_the_split(run, letters, options, words):
    code, out, err = run("compare", letters, *ONE, *options)
    assert (code, err) == (0, "")
    assert words in out


def test_test_file_is_used_only_for_testing(run, tmp_path):
    texts, labels = topical(20)
    paths = [tmp_path / "train.csv", tmp_path / "test.jsonl"]
    pd.DataFrame({"body": texts[::2], "topic": labels[::2]}).to_csv(paths[0], index=False)
    pd.DataFrame({"body": texts[1::2], "topic": labels[1::2]}).to_json(paths[1], orient="records", lines=True)
    code, out, err = run("compare", paths[0], "--text", "body", "--label", "topic", *ONE, "--test", paths[1])
    assert (code, err) == (0, "")
    assert "30 documents held out" in out
    assert [line.split()[1] for line in out.splitlines()[1:4]] == ["10", "10", "10"]


def test_several_goals_are_columns_and_the_first_one_decides(run, letters):
    code, out, err = run(
        "compare",
        letters,
        *QUICK,
        "--goal",
        "mcc",
        "--goal",
        "f2_macro",
        "--goal",
        "average_precision",
        "--csv",
    )
    assert code == 0
    assert "Matthews' correlation" in err
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {"mean", "error", "f2_macro", "average_precision", "f1_macro"} <= set(rows[0])


class TestMistakes:
    @pytest.mark.parametrize(
        ("change", "options", "message"),
        [
            (
                {"author": None},
                ["--group", "author"],
                "row 1 of LETTERS has no group; fix it, or skip such",
            ),
            ({"author": "one"}, ["--group", "author"], "folds is 5 but there are only 1 groups"),
            (
                {},
                ["--group", "writer"],
                "column 'writer' is not in LETTERS; it has: text, label, author, day",
            ),
            ({"day": "soon"}, ["--time", "day"], "the times cannot be ordered: document 0 has 'soon'; use "),
            ({"day": ""}, ["--time", "day"], "row 1 of LETTERS has no time; fix it, or skip such rows"),
            (
                {"part": "dev"},
                ["--split", "part"],
                "--split must be train or test, got 'dev' for document 0",
            ),
            (
                {"weight": "much"},
                ["--weight", "weight"],
                "document 0 has weight 'much'; a weight must be a number",
            ),
            ({}, ["--split", "part", "--time", "day"], "give only one of --split and --time: each defines"),
            (
                {},
                ["--test", "OTHER"],
                "the training set lacks a class of the test set: 'new'; add training documents",
            ),
            ({}, ["--test", "BARE"], "column 'text' is not in BARE; it has: body, label"),
            ({}, ["--test", "OTHER", "--group", "author"], "column 'author' is not in OTHER"),
            ({}, ["--goal", "mcc", "--goal", "mcc"], "goal mcc is given twice; name each goal once"),
            ({}, ["--group", "label"], "label and group are both column 'label'; name two"),
        ],
    )
    def test_invalid_splits_are_one_line_errors(self, run, letters, change, options, message):
        pd.read_csv(letters).assign(**change).to_csv(letters, index=False)
        other, bare = letters.with_name("other.csv"), letters.with_name("bare.csv")
        pd.DataFrame({"text": ["a word", "two"], "label": ["new", "for"]}).to_csv(other, index=False)
        pd.DataFrame({"body": ["a word"], "label": ["for"]}).to_csv(bare, index=False)
        names = {"LETTERS": letters, "OTHER": other, "BARE": bare}
        given = [names.get(option, option) for option in options]
        for name, path in names.items():
            message = message.replace(name, str(path))
        code, out, err = run("compare", letters, *QUICK, *given)
        assert (code, out) == (1, "")
        assert message in err
        assert len(err.splitlines()) == 1

    def test_rows_without_a_group_can_be_skipped(self, run, letters):
        frame = pd.read_csv(letters)
        frame.loc[:2, "author"] = None
        frame.to_csv(letters, index=False)
        code, _, err = run("compare", letters, *QUICK, "--group", "author", "--on-missing", "skip")
        assert code == 0
        assert "3 of 160 rows" in err

    def test_a_named_corpus_has_no_columns(self, run):
        code, _, err = run("compare", "docstrings", "--group", "author")
        assert code == 1
        assert "the corpus docstrings has no columns for --group; give a file" in err
