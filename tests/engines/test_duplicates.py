"""Duplicates are left out of every analysis, and lists of terms warn of them."""

from __future__ import annotations

import csv
import random

import numpy as np
import pytest

import termsift as ts

WORDS = [f"word{i}" for i in range(60)]
ADVERT = "limited crypto offer guaranteed returns join the channel now"


@pytest.fixture(scope="module")
def posts():
    """560 different posts, and 40 adverts in one class that differ in one word."""
    draw = random.Random(1)
    rows = [(" ".join(draw.choices(WORDS, k=12)), draw.choice(["blog", "news"])) for _ in range(560)]
    rows += [(f"{ADVERT} {draw.choice(WORDS)}", "blog") for _ in range(40)]
    draw.shuffle(rows)
    return rows


@pytest.fixture
def files(posts, tmp_path):
    """All posts as a file with groups, and those of each class."""
    for name, kept in (
        ("all", posts),
        *((c, [row for row in posts if row[1] == c]) for c in ("blog", "news")),
    ):
        with open(tmp_path / f"{name}.csv", "w", newline="") as file:
            csv.writer(file).writerows(
                [("text", "label", "author"), *((*row, i % 20) for i, row in enumerate(kept))]
            )
    return tmp_path


def test_counts_without_duplicates_are_those_of_the_first_ones(posts):
    first = next(i for i, (text, _) in enumerate(posts) if ADVERT in text)
    kept = [row for i, row in enumerate(posts) if ADVERT not in row[0] or i == first]
    texts, labels = zip(*posts, strict=True)
    assert ts.count(texts, labels, drop_duplicates=True) == ts.count(*zip(*kept, strict=True))


def test_matrices_and_files_lose_the_same_documents(posts, files):
    expected = ts.count(*zip(*posts, strict=True), drop_duplicates=True)
    assert ts.count(files / "all.csv", drop_duplicates=True) == expected
    X = np.array(
        [[2, 1, 0, 1, 1, 1], [2, 1, 0, 1, 1, 1], [0, 1, 1, 0, 0, 0], [0, 1, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0]]
    )
    counts = ts.count(X, list("xxyyy"), drop_duplicates=True)
    assert (counts.documents, counts.class_sizes.tolist()) == (3, [1, 2])


def test_groups_keep_the_first_of_the_duplicates(files):
    grouped = ts.count(files / "all.csv", group="author", drop_duplicates=True)
    assert grouped.counts.documents == 561
    assert len(grouped.groups) == 20


def test_scores_and_differences_do_not_rank_the_words_of_duplicates_first(posts, files):
    texts, labels = zip(*posts, strict=True)
    assert ts.score(texts, labels, "ig").top("blog", 1)["term"][0] in ADVERT
    assert ts.score(texts, labels, "ig", drop_duplicates=True).top("blog", 1)["term"][0] not in ADVERT
    corpora = files / "blog.csv", files / "news.csv"
    assert set(ts.diff(*corpora).more(3)["term"]) < set(ADVERT.split())
    assert not set(ts.diff(*corpora, drop_duplicates=True).more(3)["term"]) & set(ADVERT.split())


def test_an_audit_without_duplicates_finds_none(posts):
    texts, labels = zip(*posts, strict=True)
    checks = {finding.check for finding in ts.audit(texts, labels).findings}
    assert "duplicates" in checks
    assert "duplicates" not in {f.check for f in ts.audit(texts, labels, drop_duplicates=True).findings}


LEFT_OUT = "termsift: left out 39 of 600 documents as duplicates"


@pytest.mark.parametrize(
    "command",
    [
        ["score", "all.csv", "--class", "blog"],
        ["score", "all.csv", "--class", "blog", "--group", "author"],
        ["select", "all.csv", "-k", "5"],
        ["report", "all.csv", "-o", "page.html"],
        ["audit", "all.csv"],
        ["diff", "blog.csv", "news.csv"],
    ],
    ids=lambda command: command[0],
)
def test_commands_leave_duplicates_out(run, files, monkeypatch, command):
    monkeypatch.chdir(files)
    code, out, err = run(*command, "--drop-duplicates")
    assert code == 0
    assert "left out 39 of " in err
    assert "mostly in duplicate" not in err
    if command[0] == "score":
        assert " 40 " not in out


def test_lists_warn_of_terms_that_are_mostly_in_duplicates(run, files, monkeypatch):
    monkeypatch.chdir(files)
    for command in (["score", "all.csv", "--class", "blog", "--top", "5"], ["diff", "blog.csv", "news.csv"]):
        code, _, err = run(*command)
        assert code == 0
        assert "'channel' (39 of 40)" in err
        assert "mostly in duplicate documents; --drop-duplicates leaves them out" in err
    # no warning for terms of different documents
    assert run("score", "all.csv", "--class", "news", "--top", "5")[2] == ""


def test_rejects_counts_which_have_no_documents(run, files, posts):
    counts = ts.count(*zip(*posts, strict=True))
    with pytest.raises(ts.InvalidInputError, match="drop_duplicates needs documents"):
        ts.score(counts, "ig", drop_duplicates=True)
    counts.save(files / "posts.counts")
    code, out, err = run("score", files / "posts.counts", "--drop-duplicates")
    assert (code, out) == (1, "")
    assert "contains counts; pass the documents from which they were counted" in err
    code, _, err = run("score", files / "all.csv", "--drop-duplicates", "--engine", "spark")
    assert code == 1
    assert "cannot use Spark; omit --engine spark" in err
