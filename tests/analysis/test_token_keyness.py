"""Token keyness against figures by other formulas: rates, LL, log ratio, %DIFF, dispersion."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency, power_divergence, ttest_ind, variation

import termsift as ts

RNG = np.random.default_rng(7)
WORDS = [f"w{i}" for i in range(30)]
TARGET, REFERENCE = (
    [" ".join(RNG.choice(WORDS, RNG.integers(3, 40), p=shares)) for _ in range(size)]
    for size, shares in ((25, RNG.dirichlet(np.ones(30))), (40, RNG.dirichlet(np.ones(30))))
)


def frequencies(texts):
    return Counter(word for text in texts for word in text.split())


@pytest.fixture(scope="module")
def table():
    return ts.keyness(TARGET, REFERENCE)


def test_frequencies_and_rates_are_those_of_the_words(table):
    a, b = frequencies(TARGET), frequencies(REFERENCE)
    n1, n2 = a.total(), b.total()
    assert set(table["term"]) == {*a, *b}
    for row in table:
        word = row["term"]
        assert (row["target"], row["reference"]) == (a[word], b[word])
        assert row["target_per_million"] == pytest.approx(a[word] / n1 * 1e6)
        assert row["reference_per_million"] == pytest.approx(b[word] / n2 * 1e6)
        assert row["more_in"] == ("target" if a[word] / n1 >= b[word] / n2 else "reference")


def test_statistics_equal_those_of_scipy_and_the_definitions(table):
    a, b = frequencies(TARGET), frequencies(REFERENCE)
    n1, n2 = a.total(), b.total()
    two_cells = {row["term"]: row["ll"] for row in ts.keyness(TARGET, REFERENCE, cells=2)}
    for row in table:
        x, y = a[row["term"]], b[row["term"]]
        cells = [[x, y], [n1 - x, n2 - y]]
        assert row["ll"] == pytest.approx(
            chi2_contingency(cells, correction=False, lambda_="log-likelihood")[0]
        )
        expected = [(x + y) * n1 / (n1 + n2), (x + y) * n2 / (n1 + n2)]
        assert two_cells[row["term"]] == pytest.approx(
            power_divergence([x, y], expected, lambda_=0).statistic
        )
        assert row["log_ratio"] == pytest.approx(math.log2((x or 0.5) / n1) - math.log2((y or 0.5) / n2))
        assert row["percent_diff"] == pytest.approx((x / n1 - (y or 0.5) / n2) * 100 / ((y or 0.5) / n2))


def reference_dispersion(word, texts):
    """Gries' DP and DPnorm by the sum over all parts, Juilland's D by SciPy's coefficient of variation."""
    counts, lengths = [text.split().count(word) for text in texts], [len(text.split()) for text in texts]
    shares = [length / sum(lengths) for length in lengths]
    dp = sum(abs(c / sum(counts) - s) for c, s in zip(counts, shares, strict=True)) / 2
    rates = [c / length for c, length in zip(counts, lengths, strict=True)]
    d = 1 - variation(rates) / math.sqrt(len(texts) - 1)
    return sum(c > 0 for c in counts), dp, dp / (1 - min(shares)), max(d, 0)


def test_dispersion_equals_the_definitions_in_the_corpus_with_more_of_the_word(table):
    for row in table:
        texts = TARGET if row["more_in"] == "target" else REFERENCE
        found = row["range"], row["dp"], row["dp_norm"], row["juilland_d"]
        assert found == pytest.approx(reference_dispersion(row["term"], texts), abs=1e-12)


def test_welch_t_equals_that_of_scipy_for_relative_frequencies(table):
    for row in table:
        rates = [
            [text.split().count(row["term"]) / len(text.split()) for text in texts]
            for texts in (TARGET, REFERENCE)
        ]
        assert row["welch_t"] == pytest.approx(ttest_ind(*rates, equal_var=False).statistic, rel=1e-9)
    assert np.isnan(ts.keyness(["one text"], REFERENCE)["welch_t"]).all()
    # documents without words have no relative frequencies
    padded = ts.keyness([*TARGET, "", "!"], REFERENCE)
    assert padded["welch_t"].tolist() == table["welch_t"].tolist()


def test_dispersion_of_a_published_example():
    # Gries (2008), table 3: five parts of 9, 10, 10, 10 and 11 words; "a" 1, 2, 3, 4, 5 times: DP 0.18
    rows = np.array([[1, 8], [2, 8], [3, 7], [4, 6], [5, 6]])
    measures = ts.dispersion(rows)
    assert measures["dp"][0] == pytest.approx(0.18)
    assert measures["range"].tolist() == [5, 5]
    # all occurrences in one of two equal parts, and an even word
    extremes = ts.dispersion([[4, 2, 4, 0], [0, 2, 8, 0]])
    assert extremes["dp"].round(6).tolist()[:2] == [0.5, 0.0]
    assert extremes["juilland_d"][0] == 0
    assert np.isnan(extremes["dp"][3])
    assert extremes["range"].tolist() == [1, 2, 2, 0]


def test_groups_are_the_parts_if_they_are_named(tmp_path):
    frames = []
    for name, texts in (("a", TARGET), ("b", REFERENCE)):
        frame = pd.DataFrame({"text": texts, "author": [i % 4 for i in range(len(texts))]})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
        frames.append([" ".join(part) for _, part in frame.groupby("author")["text"]])
    table = ts.keyness(tmp_path / "a.csv", tmp_path / "b.csv", group="author")
    assert list(table) == list(ts.keyness(*frames))
    assert table["range"].max() == 4


def test_lists_are_sorted_and_filtered(table):
    positive = table[table["more_in"] == "target"]
    assert (np.diff(positive["ll"]) <= 0).all()
    assert list(ts.keyness(TARGET, REFERENCE, direction="positive")) == list(positive)
    assert set(ts.keyness(TARGET, REFERENCE, direction="negative")["more_in"]) == {"reference"}
    assert list(ts.keyness(TARGET, REFERENCE, direction="positive", n=3)) == list(positive.head(3))
    frequent = ts.keyness(TARGET, REFERENCE, min_frequency=40)
    assert (frequent["target"] + frequent["reference"] >= 40).all()
    assert len(frequent) == (table["target"] + table["reference"] >= 40).sum()
    by_ratio = ts.keyness(TARGET, REFERENCE, direction="negative", sort="log_ratio")["log_ratio"]
    assert (np.diff(np.abs(by_ratio)) <= 0).all()
    by_frequency = ts.keyness(TARGET, REFERENCE, direction="negative", sort="frequency")["reference"]
    assert (np.diff(by_frequency) <= 0).all()
    terms = ts.keyness(TARGET, REFERENCE, direction="negative", sort="term")["term"].tolist()
    assert terms == sorted(terms)


def test_counts_and_word_lists_have_the_frequencies_without_dispersion(table, tmp_path):
    plain = ts.keyness(TARGET, REFERENCE, dispersed=False)
    names = list(plain.columns)
    assert "dp" not in names
    assert list(plain) == [{name: row[name] for name in names} for row in table]
    counts = [ts.count(texts, ["all"] * len(texts)) for texts in (TARGET, REFERENCE)]
    assert list(ts.keyness(*counts)) == list(plain)
    mixed = ts.keyness(TARGET, dict(frequencies(REFERENCE)))
    assert mixed["ll"].tolist() == plain["ll"].tolist()
    assert np.isnan(mixed["dp"]).tolist() == (mixed["more_in"] == "reference").tolist()
    assert np.isnan(mixed["welch_t"]).all()
    assert json.loads(mixed.to_json())[-1]["dp"] is None


@pytest.mark.parametrize(
    "options, message",
    [
        ({"sort": "LLL"}, "no order named 'LLL'; did you mean 'll'?"),
        ({"direction": "up"}, "no direction named 'up'; there are: 'positive', 'negative', 'both'"),
        ({"cells": 3}, "cells must be 2 or 4, got 3"),
        ({"min_frequency": 0}, "min_frequency must be at least 1, got 0"),
        ({"min_frequency": 10**6}, "no term has 1,000,000 occurrences; the most frequent has"),
        ({"names": ("a", "a")}, "names must be two different names"),
    ],
)
def test_wrong_options_are_one_line(options, message):
    with pytest.raises(ts.TermsiftError, match=re.escape(message)):
        ts.keyness(TARGET, REFERENCE, **options)


def test_an_empty_corpus_is_named():
    with pytest.raises(ts.InvalidInputError, match="the corpus reference has no occurrences of any term"):
        ts.keyness(TARGET, ["", ""])


def test_the_command_prints_both_directions_and_writes_tables(run, tmp_path, table):
    for name, texts in (("a", TARGET), ("b", REFERENCE)):
        pd.DataFrame({"text": texts}).to_csv(tmp_path / f"{name}.csv", index=False)
    files = tmp_path / "a.csv", tmp_path / "b.csv"
    code, out, err = run("keyness", *files, "--top", 3)
    assert (code, err) == (0, "")
    assert [line for line in out.splitlines() if line.startswith("More")] == [
        "More frequent in a.csv:",
        "More frequent in b.csv:",
    ]
    read = list(csv.DictReader(io.StringIO(run("keyness", *files, "--csv")[1])))
    assert [row["term"] for row in read] == table["term"].tolist()
    assert [float(row["ll"]) for row in read] == table["ll"].tolist()
    assert run("keyness", *files, "-o", tmp_path / "list.tex", "--no-dispersion")[0] == 0
    assert "dp" not in (tmp_path / "list.tex").read_text()
    code, out, err = run("keyness", *files, "--min-df", 2)
    assert (code, out, err) == (
        1,
        "",
        "termsift: --min-df and --max-df count documents; use --min-frequency\n",
    )
