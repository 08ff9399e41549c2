"""Report page: escaped, offline, complete without scripts, of limited size."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import numpy as np
import pytest

import termsift as ts
from report_pages import NASTY, Page, findings, held, nasty_corpus, nasty_page
from termsift._internal.tables import Table
from termsift.report.formatting import clip_name
from termsift.report.page import encode_script_json, notebook_html, report_html
from termsift.report.summary import MAX_CLASSES, choose_ks

ALWAYS = {
    "chosen",
    "positive-terms",
    "negative-terms",
    "every",
    "overlap",
    "correlation",
    "classes",
    "bands",
    "metrics",
}


# a table that changes with what is chosen: its name, its rows, and the row that the script copies
CHANGING = (
    r'<table id="([^"]+)"(?:(?!</table>).)*?<tbody>((?:(?!</table>).)*?)</tbody>\s*<template>(.*?)</template>'
)


def row_structure(row: str) -> str:
    """The elements of a row and their classes; several words count as one."""
    bare = re.sub(r">[^<]+<", "><", re.sub(r' (style="--share:|title=")[^"]*"', "", row))
    return re.sub(r'(<span class="word"><bdi></bdi></span>)+', "<word>", bare)


@pytest.fixture(scope="module")
def nasty() -> str:
    return nasty_page(k=5)


class TestClosed:
    def test_words_and_labels_never_become_markup(self, nasty, html):
        calm, wild = Page(html), Page(nasty)
        assert {tag for tag, _ in wild.tags} == {tag for tag, _ in calm.tags}
        assert len(wild.scripts) == 3
        assert not any(key.startswith("on") for _, found in wild.tags for key in found)
        for word in NASTY:
            assert word in wild.text

    def test_data_for_the_script_cannot_leave_it(self, nasty):
        own = Page(nasty).scripts[0]
        assert not set("<>&\u2028\u2029") & set(own)
        assert set(held(Page(nasty))["terms"]) == set(NASTY)
        assert json.loads(encode_script_json(list(NASTY))) == list(NASTY)

    def test_nothing_is_fetched_and_only_scripts_of_the_page_run(self, html):
        page = Page(html)
        addresses = [
            v for _, found in page.tags for k, v in found.items() if k in ("src", "href", "action", "srcset")
        ]
        assert addresses
        assert all(address.startswith("#") for address in addresses)
        assert "@import" not in html
        assert "url(" not in re.search("<style>(.*?)</style>", html, re.DOTALL)[1]
        policy = next(f["content"] for tag, f in page.tags if tag == "meta" and "http-equiv" in f)
        assert policy.startswith("default-src 'none'; script-src 'sha256-")
        assert "unsafe-eval" not in policy
        for script in page.scripts[1:]:
            digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy

    def test_lone_surrogates_are_replaced(self):
        counts = ts.count(["a\ud800b x", "y z"], ["p\ud800", "q"], analyzer=str.split)
        assert "a?b" in report_html(
            counts, title="\udfff", texts=["a\ud800b x", "y z"], labels=["p\ud800", "q"]
        )

    def test_the_same_input_gives_the_same_page(self, html, small):
        texts, labels, counts = small
        again = report_html(
            counts, title="Places & people", texts=texts, labels=labels, findings=findings(), k=7
        )
        assert again == html

    def test_a_notebook_shows_the_page_in_a_frame(self, html):
        ((tag, found),) = Page(notebook_html(html, 500)).tags
        assert tag == "iframe"
        assert found["srcdoc"] == html
        assert "500px" in found["style"]


class TestWithoutScript:
    def test_every_table_is_in_the_html(self, page):
        assert set(page.tables) == ALWAYS | {
            "context",
            "lengths",
            "curve",
            "best-chances",
            "by-class",
            "trade-off-table",
        }
        assert all(len(rows) > 1 for rows in page.tables.values())
        assert all(len({len(row) for row in rows}) == 1 for rows in page.tables.values())
        assert all(page.captions.values())

    def test_every_section_has_a_heading_and_every_control_a_label(self, html):
        page = Page(html)
        links = [found["href"][1:] for tag, found in page.tags if tag == "a"]
        identities = [found["id"] for _, found in page.tags if "id" in found]
        assert len(identities) == len(set(identities))
        assert set(links) <= set(identities)
        names = [tag for tag, _ in page.tags]
        assert names.count("section") == names.count("h2") == 10
        for control in ("class", "metric", "k", "search", "classifier"):
            assert re.search(rf'<label[^>]*>(?:(?!</label>).)*id="{control}"', html, re.DOTALL)


class TestTables:
    def test_the_template_row_has_the_structure_of_the_table_rows(self, html):
        filled = {}
        for name, body, model in re.findall(CHANGING, html, re.DOTALL):
            rows = [row_structure(row) for row in re.findall("<tr.*?</tr>", body)]
            assert set(rows) == {row_structure(model)}, name
            filled[name] = len(rows)
        assert set(filled) == {"chosen", "positive-terms", "negative-terms", "context", "every", "overlap"}
        assert all(filled.values())

    def test_scripts_contain_no_markup_of_rows_and_cells(self, html):
        own = Page(html).scripts[-1]
        assert not re.findall(r"""["'`<](table|thead|tbody|tr|td|th)\b["'`> ]""", own)
        assert "innerHTML" not in own

    def test_a_caption_has_the_same_pattern_for_page_and_script(self, nasty):
        said = {f["data-pattern"] for tag, f in Page(nasty).tags if tag == "caption" and "data-pattern" in f}
        assert "{k} best {direction}terms of {name} by {metric}" in said
        assert not any(word in caption for word in NASTY for caption in said)


class TestSizes:
    def test_many_classes_and_long_names_stay_below_the_size_limit(self):
        rng = np.random.default_rng(0)
        names = [f"{n:03} {'ü' * 200}" for n in range(320)]
        texts = [" ".join(f"w{n}{'é' * 90}" for n in rng.zipf(1.3, 40) % 30_000) for _ in range(700)]
        labels = [[names[d % 320], names[rng.integers(320)]] for d in range(len(texts))]
        html = report_html(ts.count(texts, labels, analyzer=str.split), texts=texts, labels=labels)
        assert len(html.encode()) < 8e6
        page = Page(html)
        assert f"{320 - MAX_CLASSES} more classes are not shown" in page.text
        start = page.text.index("Select them with")
        listed = page.text[start : page.text.index("Map of terms", start)]
        shown = {row[0] for row in page.tables["every"][1:]}
        assert all((clip_name(name) in shown) != (clip_name(name) in listed) for name in names)
        assert "the first 300 of 320" in page.captions["classes"]
        assert max(map(len, held(page)["terms"])) <= 100

    def test_the_number_of_terms_is_limited_by_vocabulary_and_page(self, small):
        counts = small[2]
        assert held(Page(report_html(counts, k=1000)))["ks"][-1] == len(counts.terms)
        assert choose_ks(5000, 1000) == ((5, 10, 20, 50, 100, 200, 300), 300)
        assert choose_ks(5000, None)[1] == 50

    def test_a_long_name_is_truncated(self):
        assert clip_name("é" * 500) == "é" * 48 + "…"
        assert len(clip_name("🙂" * 500).encode()) <= 100


class TestInvalidInput:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"k": 0}, "k must be at least 1, got 0"),
            ({"metric": "chi"}, "no metric named 'chi'; did you mean 'chi2'?"),
            ({"classes": ["se"]}, "no class named 'se'; did you mean 'sea'?"),
            ({"texts": ["a"]}, "texts were given without labels; pass both or neither"),
            ({"texts": ["a"], "labels": ["sea", "sea"]}, "1 texts but 2 labels"),
            ({"texts": ["a"], "labels": ["lake"]}, "no class named 'lake'"),
            ({"titel": "Places"}, "no option named 'titel'; did you mean 'title'?"),
            ({"label_seperator": "|"}, "no option named 'label_seperator'; did you mean 'label_separator'?"),
            ({"text": "body"}, "text is an option for documents, but the data are Counts; remove it"),
        ],
    )
    def test_rejects_invalid_options(self, small, options, message):
        with pytest.raises((ts.InvalidInputError, ts.UnknownNameError), match=re.escape(message)):
            report_html(small[2], **options)

    def test_rejects_invalid_counts(self):
        with pytest.raises(ts.InvalidInputError, match="labels are missing"):
            report_html(["aa bb"])
        with pytest.raises(ts.InvalidInputError, match="no document contains a term"):
            report_html([], [])
        with pytest.raises(ts.InvalidInputError, match="no document contains a term"):
            report_html(ts.Counts.empty())
        with pytest.raises(ts.InvalidInputError, match="only 1 class"):
            report_html(ts.count(["aa", "bb"], ["x", "x"]))

    def test_empty_findings_have_no_tables(self, small):
        empty = Table({"class": np.array([], dtype=object)})
        found = findings()
        from dataclasses import replace

        page = Page(report_html(small[2], findings=replace(found, classes=empty, chances=empty, warnings=[])))
        assert not {"best-chances", "by-class"} & set(page.tables)


def test_nasty_words_are_the_terms_that_are_tested():
    texts, labels = nasty_corpus()
    assert set(labels) == set(NASTY[:4])
    assert {word for text in texts for word in NASTY if word in text} == set(NASTY)
