"""A section is a function and an entry of SECTIONS in sections.py, a template, and a test such as this."""

from __future__ import annotations

from importlib.resources import files

import pytest
from jinja2 import ChoiceLoader, DictLoader, UndefinedError

from report_pages import Page
from termsift.report.page import render_page, template_environment
from termsift.report.sections import SECTIONS, Section
from termsift.report.summary import build_summary

# what the page is made of beside its sections
PAGES = {"audit.html", "evaluation.html", "explanation.html", "page.html", "plain-page.html"}
FRAME = PAGES | {"benchmark.html", "controls.html", "model-page.html", "table.html"}


@pytest.fixture(scope="module")
def summary(small):
    return build_summary(small[2], "Places", None, None, None, None, 5, None)


@pytest.fixture
def with_template(monkeypatch):
    """Adds templates to those of the package."""

    def add(**texts):
        named = {f"{name}.html": text for name, text in texts.items()}
        monkeypatch.setattr(
            template_environment(), "loader", ChoiceLoader([DictLoader(named), template_environment().loader])
        )

    return add


def longest_values(summary):
    """The first of three places: what the section shows."""
    term = max(summary.counts.terms, key=len)
    return {"longest": [[term, f"{len(term)} <letters>"]]}


# the line of the list
LONGEST = Section("long", "Long", "Long terms", longest_values)
# the second of three places: its template
TEMPLATE = """{% from "table.html" import table %}
{{ table("longest", "The longest term", [("term", "text"), ("length", "text")], shown.longest) }}"""


def test_a_new_section_is_a_function_an_entry_and_a_template(summary, with_template):
    with_template(long=TEMPLATE)
    html = render_page(summary, "1", (*SECTIONS, LONGEST))
    assert Page(html).tables["longest"] == [["term", "length"], ["harbour", "7 <letters>"]]
    assert '<li><a href="#long">Long</a></li>' in html
    assert "<h2>Long terms</h2>" in html


def test_a_section_without_values_is_neither_on_the_page_nor_in_the_menu(summary):
    html = render_page(summary, "1", (*SECTIONS, Section("long", "Long", "Long terms", lambda summary: None)))
    assert html == render_page(summary, "1")


def test_a_template_variable_without_a_value_is_an_error(summary, with_template):
    with_template(long="{{ shown.absent }}")
    with pytest.raises(UndefinedError, match="absent"):
        render_page(summary, "1", (*SECTIONS, LONGEST))


def test_templates_and_sections_correspond():
    found = {path.name for path in (files("termsift.report") / "templates").iterdir()}
    assert found - FRAME == {f"{section.name}.html" for section in SECTIONS}


def test_every_section_is_on_the_page_once_in_its_order(html):
    identities = [found["id"] for tag, found in Page(html).tags if tag == "section"]
    assert identities == [section.name for section in SECTIONS]


def test_only_sections_that_follow_the_controls_are_below_them(html):
    inside = html[html.index('<div class="explorer">') : html.index('<section id="answer"')]
    explored = [found["id"] for tag, found in Page(inside).tags if tag == "section"]
    assert explored == [section.name for section in SECTIONS if section.explored]
