"""A summary as one HTML page: styles, scripts, data and tables in one file, and no way out of it."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from html import escape
from importlib.resources import files

from termsift.report.charts import performance, term_map
from termsift.report.corpus_section import about_section, corpus_section, figures
from termsift.report.findings_section import answer, chances_section, paragraphs, performance_section
from termsift.report.markup import script_json, tag
from termsift.report.payload import payload
from termsift.report.sections import agreement_section, best_section, controls, term_section
from termsift.report.sentences import opening_sentences
from termsift.report.summary import Summary

SCRIPTS = ("written.js", "tables.js", "charts.js", "explorer.js", "report.js")


def page(summary: Summary, version: str) -> str:
    """The page of a summary."""
    scripts = [vega(), own_script()]
    body = tag(
        "body", header(summary), main(summary, version), data(summary), *(tag("script", s) for s in scripts)
    )
    return f'<!doctype html>\n<html lang="en">{head(summary.title, scripts)}{body}</html>\n'


def head(title: str, scripts: list[str]) -> str:
    """The head: only our own scripts run, and nothing is fetched."""
    policy = (
        f"default-src 'none'; script-src {' '.join(map(digest, scripts))}; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return tag(
        "head",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="referrer" content="no-referrer">',
        tag("title", escape(title)),
        tag("style", asset("report.css")),
    )


def digest(script: str) -> str:
    """What a policy knows a script by."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def header(summary: Summary) -> str:
    """Title, sections, the switch between light and dark."""
    names = {"summary": "Summary", "performance": "How many terms", "chances": "Chances"}
    if summary.findings is None:
        names = {"summary": "Summary"}
    names |= {"terms": "Map", "best": "Best terms", "agreement": "Agreement", "corpus": "Corpus"}
    names |= {"metrics-section": "Metrics"}
    links = "".join(tag("li", tag("a", text, href=f"#{name}")) for name, text in names.items())
    switch = tag("button", "Dark mode", type="button", id="theme", aria_pressed="false", data_script=True)
    return tag("a", "Skip to the summary", href="#summary", class_="skip") + tag(
        "header",
        tag("div", tag("p", "termsift report", class_="brand"), switch, class_="top"),
        tag("h1", escape(summary.title)),
        tag("nav", tag("ul", links), aria_label="Sections"),
    )


def main(summary: Summary, version: str) -> str:
    """The sections in their order: the answer, what it rests on, the terms, the corpus."""
    findings = summary.findings
    said = opening_sentences(summary)
    lead = paragraphs(said) if findings is None else answer(findings)
    words = tag("div", lead)
    first = tag("section", tag("h2", "Summary"), words, figures(summary), id="summary", tabindex=-1)
    silent = tag(
        "noscript",
        tag(
            "p",
            "Charts and choices need JavaScript. The tables below are complete without it.",
            class_="note",
        ),
    )
    found = "" if findings is None else performance_section(findings) + chances_section(findings)
    explorer = tag(
        "div",
        controls(summary),
        term_section(summary),
        best_section(summary),
        agreement_section(summary),
        class_="explorer",
    )
    return tag(
        "main",
        first,
        silent,
        found,
        explorer,
        corpus_section(summary),
        about_section(summary, version),
        id="main",
    )


def data(summary: Summary) -> str:
    """The data of the script, and its charts."""
    charts = {"map": term_map()}
    if summary.findings is not None:
        charts["performance"] = performance(summary.findings)
    held = {"data": payload(summary), "charts": charts}
    return tag("script", script_json(held), type="application/json", id="held")


@cache
def vega() -> str:
    """Vega, Vega-Lite and Vega-Embed, as vl-convert bundles them for the version Altair writes for."""
    import altair as alt
    import vl_convert

    version = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=version)
    return bundle


@cache
def own_script() -> str:
    """Our own script, one piece in a scope of its own."""
    parts = "\n".join(asset(name) for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();'


@cache
def asset(name: str) -> str:
    """A file of the page that comes with the package."""
    return (files("termsift.report") / "assets" / name).read_text(encoding="utf-8")
