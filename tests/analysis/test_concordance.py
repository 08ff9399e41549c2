"""Keyword in context: every occurrence, in its context, in the requested order."""

from __future__ import annotations

import csv
import io
import json
import re

import pandas as pd
import pytest

import termsift as ts

TEXTS = [
    "Win a prize now! A PRIZE, really.",
    "no prize\n today",
    "prizes are not it",
    "b prize b",
    "a prize a",
]
LABELS = ["spam", "ham", "ham", "ham", "spam"]


def expected_lines(texts, word, width=50):
    """Split the texts at the word: document, left words, term, right words."""
    for i, text in enumerate(texts):
        for match in re.finditer(rf"(?i)\b{word}\b", text):
            left, right = text[: match.start()].split(), text[match.end() :].split()
            yield i, " ".join(left), match.group(), " ".join(right)


def test_every_occurrence_is_a_row_with_its_context():
    table = ts.concordance(TEXTS, "prize")
    rows = [(row["document"], row["left"], row["term"], row["right"]) for row in table]
    assert rows == list(expected_lines(TEXTS, "prize"))
    assert len(rows) == 5


def test_rows_are_sorted_by_the_words_to_the_right_or_the_nearest_to_the_left():
    right = ts.concordance(TEXTS, "prize", sort="right")["right"].tolist()
    assert right == ["a", "b", "now! A PRIZE, really.", ", really.", "today"]
    left = ts.concordance(TEXTS, "prize", sort="left")["left"].tolist()
    assert left == ["a", "Win a prize now! A", "Win a", "b", "no"]


def test_phrases_and_wildcards_match_words():
    assert ts.concordance(TEXTS, "PRIZE now")["term"].tolist() == ["prize now"]
    assert ts.concordance(TEXTS, "pri*")["term"].tolist() == [
        "prize",
        "PRIZE",
        "prize",
        "prizes",
        "prize",
        "prize",
    ]
    assert ts.concordance(TEXTS, "n* pri*")["term"].tolist() == ["no prize"]


def test_labels_and_classes_choose_documents():
    table = ts.concordance(TEXTS, "prize", LABELS, for_class="ham")
    assert table["document"].tolist() == [1, 3]
    assert table["label"].tolist() == ["ham", "ham"]
    frame = pd.DataFrame({"body": TEXTS, "kind": LABELS})
    assert list(ts.concordance(frame, "prize", text="body", label="kind", for_class="ham")) == list(table)
    assert "label" not in ts.concordance(frame, "prize", text="body").columns
    assert ts.concordance(TEXTS, "prize", [1, 2, 2, 2, 1], for_class="2")["document"].tolist() == [1, 3]


def test_the_number_of_rows_and_the_width_are_limited():
    assert list(ts.concordance(TEXTS, "prize", n=2)) == list(ts.concordance(TEXTS, "prize").head(2))
    long = ["one two three four prize five six seven eight"]
    (row,) = ts.concordance(long, "prize", width=9)
    assert (row["left"], row["right"]) == ("…four", "five six…")


def test_lists_of_tokens_are_shown_with_spaces():
    (row,) = ts.concordance([["win", "a prize", "now"]], "prize")
    assert (row["left"], row["term"], row["right"]) == ("win a", "prize", "now")


@pytest.mark.parametrize(
    "term, options, message",
    [
        ("prise", {}, "'prise' does not occur in the 5 documents; did you mean 'prize'?"),
        ("zzz", {}, "'zzz' does not occur in the 5 documents"),
        ("today prize", {}, "'today prize' does not occur in the 5 documents, but its words do, apart"),
        (" ", {}, "the term must be a word or phrase, got ' '"),
        ("prize", {"sort": "rigth"}, "no order named 'rigth'; did you mean 'right'?"),
        ("prize", {"n": 0}, "n must be at least 1, got 0"),
        ("prize", {"for_class": "spam"}, "for_class needs labels"),
        ("prize", {"labels": LABELS, "for_class": "spma"}, "no class named 'spma'; did you mean 'spam'?"),
    ],
)
def test_a_term_that_does_not_occur_and_wrong_options_are_one_line(term, options, message):
    with pytest.raises(ts.TermsiftError, match=re.escape(message)):
        ts.concordance(TEXTS, term, **options)


def test_the_command_prints_lines_and_tables(run, tmp_path):
    path = tmp_path / "mail.csv"
    pd.DataFrame({"text": TEXTS, "kind": LABELS}).to_csv(path, index=False)
    code, out, err = run("concordance", path, "prize", "--top", 2)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    # terms are in one column
    assert lines[0].index("prize now"[:5]) == lines[0].index("  prize") + 2
    assert lines[-1] == "3 more occurrences; --top 5 shows all"
    table = ts.concordance(TEXTS, "prize", LABELS, width=40, sort="left")
    options = ("--label", "kind", "--sort", "left")
    read = list(csv.DictReader(io.StringIO(run("concordance", path, "prize", *options, "--csv")[1])))
    assert [row["left"] for row in read] == table["left"].tolist()
    assert json.loads(run("concordance", path, "prize", *options, "--json")[1]) == list(table)
    assert run("concordance", path, "prize", "-o", tmp_path / "lines.md")[0] == 0
    assert (tmp_path / "lines.md").read_text().startswith("| document | left | term | right |")
    code, out, err = run("concordance", path, "prise")
    assert (code, out) == (1, "")
    assert err == "termsift: 'prise' does not occur in the 5 documents; did you mean 'prize'?\n"
