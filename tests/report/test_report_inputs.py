"""Reports of documents in every input format equal the report of their counts and texts."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import termsift as ts
from report_pages import Page, held
from termsift.corpora.corpus import Corpus
from termsift.report.page import report_html

ROWS = [
    ("win a free prize now", "spam"),
    ("free prize inside", "spam"),
    ("lunch at noon", "ham"),
    ("free for lunch at noon", "ham"),
    ("noon is too late for the prize", "ham"),
]
TEXTS, LABELS = (list(column) for column in zip(*ROWS, strict=True))


@pytest.fixture
def folder(tmp_path):
    """The documents in two files, and in one."""
    frame = pd.DataFrame(ROWS, columns=["body", "kind"])
    frame[:2].to_csv(tmp_path / "a.csv", index=False)
    frame[2:].to_csv(tmp_path / "b.csv", index=False)
    frame.to_json(tmp_path / "all.jsonl", orient="records", lines=True)
    return tmp_path


@pytest.fixture(scope="module")
def wanted() -> str:
    return report_html(ts.count(TEXTS, LABELS), texts=TEXTS, labels=LABELS, title="Mail")


def test_texts_and_labels(wanted):
    assert report_html(TEXTS, LABELS, title="Mail") == wanted
    assert ts.report(TEXTS, LABELS, title="Mail") == wanted


def test_texts_of_a_significant_term_are_shown_in_context():
    page = Page(report_html(TEXTS * 4, LABELS * 4))
    assert {row[1] for row in page.tables["context"][1:]} == {"free", "prize"}


def test_a_data_frame(wanted):
    frame = pd.DataFrame(ROWS, columns=["body", "kind"])
    assert report_html(frame, text="body", label="kind", title="Mail") == wanted


@pytest.mark.parametrize(
    "named", [lambda f: f / "all.jsonl", lambda f: str(f / "*.csv"), lambda f: [f / "a.csv", f / "b.csv"]]
)
def test_a_path_a_pattern_and_a_list_of_paths(wanted, folder, named):
    assert report_html(named(folder), text="body", label="kind", title="Mail") == wanted


def test_a_corpus(wanted):
    assert report_html(Corpus("mail", LABELS, "a test", TEXTS), title="Mail") == wanted


def test_a_matrix_has_no_words_in_context():
    page = Page(report_html(np.array([[1, 0], [0, 2], [1, 1]]), ["x", "y", "x"], terms=["aa", "bb"]))
    assert held(page)["terms"] == ["aa", "bb"]
    assert "context" not in page.tables


def test_the_analyzer_defines_the_terms():
    page = Page(report_html(TEXTS, LABELS, analyzer=ts.Analyzer(ngram_range=(2, 2))))
    assert "free prize" in held(page)["terms"]


def test_terms_may_be_limited_by_document_frequency(folder):
    page = Page(report_html(folder / "all.jsonl", text="body", label="kind", min_df=3))
    assert held(page)["terms"] == ["free", "noon", "prize"]


def test_the_page_opens_with_a_user_defined_metric():
    def both(cells):
        return cells.tp * cells.tn

    page = Page(report_html(TEXTS * 5, LABELS * 5, metric=both, k=2))
    scores = ts.score(ts.count(TEXTS * 5, LABELS * 5), both)
    top = scores.top("spam", 2, direction="positive", expected=0.05)["term"].tolist()
    assert page.captions["chosen"] == "2 best positive terms of spam by both"
    assert [row[1] for row in page.tables["chosen"][1:]] == top


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"texts": TEXTS}, "texts= is only for Counts; the data already contain the documents"),
        ({"lable": "kind"}, "no option named 'lable'; did you mean 'label'?"),
        ({"labels": LABELS[:2]}, "5 documents but 2 labels"),
    ],
)
def test_invalid_arguments_raise_one_line_errors(options, message):
    with pytest.raises(ts.TermsiftError, match=re.escape(message)):
        report_html(TEXTS, **({"labels": LABELS} | options))
