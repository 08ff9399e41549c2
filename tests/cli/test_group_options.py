"""--group and --control: intervals over groups, and words that differ within them."""

from __future__ import annotations

import csv
import io

import numpy as np
import pandas as pd
import pytest

import termsift as ts


@pytest.fixture
def books(tmp_path):
    rng = np.random.default_rng(0)
    rows = []
    for sex, genre, n in [("f", "fantasy", 80), ("m", "fantasy", 20), ("f", "crime", 20), ("m", "crime", 80)]:
        for i in range(n):
            words = ["night"] if rng.random() < 0.5 else ["road"]
            words += ["dragon"] if rng.random() < (0.9 if genre == "fantasy" else 0.02) else []
            words += ["shawl"] if rng.random() < (0.4 if sex == "f" else 0.15) else []
            rows.append((" ".join(words), sex, genre, f"author {i % 12}"))
    path = tmp_path / "books.csv"
    pd.DataFrame(rows, columns=["text", "label", "genre", "author"]).to_csv(path, index=False)
    return path


def rows_of(out):
    return list(csv.DictReader(io.StringIO(out)))


def test_control_removes_differences_between_strata(run, books):
    assert rows_of(run("score", books, "--class", "f", "--csv")[1])[0]["term"] == "dragon"
    code, out, err = run("score", books, "--class", "f", "--control", "genre", "--csv")
    assert (code, err) == (0, "")
    assert rows_of(out)[0]["term"] == "shawl"


def test_group_shows_intervals_and_ranges(run, books):
    code, out, err = run("score", books, "--group", "author", "--csv")
    assert (code, err) == (0, "")
    row = rows_of(out)[0]
    assert float(row["low"]) <= float(row["score"]) <= float(row["high"])
    assert int(row["range"]) <= 12
    lines = run("score", books, "--group", "author", "--class", "f")[1].splitlines()
    assert lines[0] == "f (100 of 200 documents), by ig"
    assert lines[1] == "low-high: interval of the score over the groups; p = jackknife over the groups"
    assert lines[2].startswith(
        "range: number of groups with the term; expected: number expected by chance; DP"
    )
    assert lines[3].split()[-8:] == ["low", "high", "p", "q", "range", "expected", "DP", "D"]
    assert [line.split()[0] for line in lines[4:-1]] == ["dragon", "shawl"]
    assert lines[-1] == "All terms shown are significant (expected false positives: 0.05)."


def test_too_few_groups_show_ranges_with_a_message(run, books):
    code, out, err = run("score", books, "--group", "genre", "--csv")
    assert code == 0
    assert "no intervals over the groups, and p ignores them: at least 10 groups are needed, found 2" in err
    assert set(rows_of(out)[0]) >= {"range", "expected", "dp", "juilland_d"}
    assert "effect" in rows_of(out)[0]  # low and high are its own


def test_saved_counts_keep_their_groups(run, books, tmp_path):
    saved = tmp_path / "counts.parquet"
    code, _, err = run("count", books, "--group", "genre", "-o", saved)
    assert code == 0
    assert "2 groups" in err
    fresh, kept = (run("score", data, "--control", "genre", "--csv")[1] for data in (books, saved))
    assert fresh == kept
    assert run("score", saved, "--csv")[1] == run("score", books, "--csv")[1]
    assert ts.GroupedCounts.load(saved).by == "genre"
    assert "is grouped by 'genre', not by 'author'" in run("score", saved, "--group", "author")[2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--control", "gender"], "column 'gender' is not in"),
        (["--control", "genre", "--metric", "bns"], "bns cannot be stratified"),
        (["--control", "genre", "--group", "author"], "give only one of --group"),
    ],
)
def test_invalid_options_are_one_line_errors(run, books, options, message):
    code, out, err = run("score", books, *options)
    assert (code, out) == (1, "")
    assert message in err


def test_one_group_or_no_groups_are_errors(run, books, tmp_path):
    frame = pd.read_csv(books).assign(genre="crime")
    frame.to_csv(books, index=False)
    for option in ("--control", "--group"):
        code, _, err = run("score", books, option, "genre")
        assert code == 1
        assert "all documents are in group 'crime'" in err
    run("count", books, "-o", tmp_path / "counts.parquet")
    assert "has no groups" in run("score", tmp_path / "counts.parquet", "--control", "genre")[2]
    assert "has no columns to group by" in run("score", "sms_spam", "--group", "day")[2]
