"""The sections of a page that say what a comparison found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from termsift.report.findings import Findings
from termsift.report.markup import Column, bar, name_of, table, tag
from termsift.report.written import amount, clipped, share

CURVE = (
    Column("method"),
    Column("classifier"),
    Column("terms", "number"),
    Column("mean", "number"),
    Column("standard error", "number"),
)
# classes whose best methods are listed
MOST_ROWS = 300


def performance_section(findings: Findings) -> str:
    """The goal against the number of terms."""
    chart = tag("div", "", class_="chart", id="performance-chart", data_script=True)
    names = sorted({str(name) for name in findings.curve["classifier"]})
    chosen = str(findings.chosen["classifier"])
    options = "".join(tag("option", escape(n), value=n, selected=n == chosen) for n in names)
    choice = tag("label", "Classifier ", tag("select", options, id="classifier", autocomplete="off"))
    legend = tag("ul", "", class_="legend", id="methods")
    rows = [curve_row(row) for row in findings.curve]
    figures = table(
        "curve", f"{findings.goal} by method, classifier and number of terms", CURVE, rows, tall=True
    )
    said = (
        f"Bands are one standard error each way. Marked: {line_said(findings.chosen)}, which is recommended. "
        f"Best: {line_said(findings.best)}."
    )
    return tag(
        "section",
        tag("h2", "How many terms"),
        tag("form", choice, class_="controls small", id="performance-controls", data_script=True),
        tag("figure", legend, chart, tag("figcaption", escape(said))),
        tag("details", tag("summary", "All figures"), figures),
        id="performance",
    )


def line_said(line: Mapping[str, Any]) -> str:
    """A line of the curve in words."""
    return (
        f"{line['method']} with {line['classifier']} and {amount(round(float(line['terms'])))} terms, "
        f"{float(line['mean']):.4f} ± {float(line['error']):.4f}"
    )


def curve_row(row: Mapping[str, Any]) -> list[str]:
    """A row of the curve."""
    return [
        escape(str(row["method"])),
        escape(str(row["classifier"])),
        amount(round(float(row["terms"]))),
        f"{float(row['mean']):.4f}",
        f"{float(row['error']):.4f}",
    ]


def chances_section(findings: Findings) -> str:
    """How often each method is among the best, and which is best for each class."""
    columns = (Column("method"), Column("chance", "bar"))
    order = sorted(findings.chances, key=lambda row: -float(row["chance"]))
    rows = [[escape(str(r["method"])), bar(float(r["chance"]), share(float(r["chance"])))] for r in order]
    best = best_by_class(findings)[:MOST_ROWS]
    own = [Column("class"), *CURVE]
    by_class = [[name_of(clipped(row["class"])), *curve_row(row)] for row in best]
    parts = (
        [table("best-chances", "How often a method is within tolerance of the best", columns, rows)]
        if rows
        else []
    )
    if by_class:
        caption = f"The best method for each class: {findings.goal}"
        parts.append(table("by-class", caption, own, by_class, tall=True))
    return tag("section", tag("h2", "Best chances"), *parts, id="chances") if parts else ""


def best_by_class(findings: Findings) -> list[dict[str, Any]]:
    """For each class the line with the best mean, the first of equals."""
    best: dict[str, dict[str, Any]] = {}
    for row in findings.classes:
        name = str(row["class"])
        if name not in best or row["mean"] > best[name]["mean"]:
            best[name] = row
    return list(best.values())


def answer(findings: Findings) -> str:
    """The advice, and what misleads."""
    said = paragraphs(findings.answer)
    if not findings.warnings:
        return said
    warned = "".join(tag("li", escape(sentence)) for sentence in findings.warnings)
    return said + tag("aside", tag("h3", "What may mislead"), tag("ul", warned), class_="warning")


def paragraphs(sentences: Sequence[str]) -> str:
    """Sentences, a paragraph each, the first one large."""
    return "".join(
        tag("p", escape(sentence), class_=None if i else "answer") for i, sentence in enumerate(sentences)
    )
