"""The sections of a page, in their order, and what each shows of a summary.

A new section is a function and a line here, its template, and a test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from termsift.report.values.findings import chance_tables, curve_table, marked_sentence
from termsift.report.values.sentences import (
    classes_sentence,
    correlation_sentence,
    drawn_sentence,
    length_sentence,
    opening_sentences,
)
from termsift.report.values.summary import Summary
from termsift.report.values.tables import band_tables, class_table, metric_table
from termsift.report.values.term_tables import (
    agreement_tables,
    chosen_table,
    context_table,
    every_table,
    side_tables,
)
from termsift.report.values.written import amount_text, plain_number

# by the names that the template of the section uses; None where there is nothing to show
Shown: TypeAlias = Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page.

    name : its identity on the page; page/templates/<name>.html is its template
    menu, heading : its name in the menu, and above it
    values : what its template shows
    explored : whether it follows the choice of a class, a metric and a number of terms
    """

    name: str
    menu: str
    heading: str
    values: Callable[[Summary], Shown]
    explored: bool = False


def summary_values(summary: Summary) -> Shown:
    """The answer in words, what may mislead, and the corpus in figures."""
    findings = summary.findings
    return {
        "sentences": opening_sentences(summary) if findings is None else findings.answer,
        "warnings": () if findings is None else findings.warnings,
        "figures": corpus_figures(summary),
    }


def corpus_figures(summary: Summary) -> list[tuple[str, str]]:
    """Figures of the corpus, and what they are of."""
    corpus = summary.corpus
    figures = [
        (amount_text(corpus.documents), "documents"),
        (f"{len(corpus.classes):,}", "classes"),
        (f"{corpus.terms:,}", "terms"),
        (plain_number(corpus.length, 3), "terms per document, on average"),
    ]
    if corpus.words is not None:
        figures.append((plain_number(corpus.words[1], 3), "words in the median document"))
    return figures


def performance_values(summary: Summary) -> Shown:
    """The goal against the number of terms."""
    findings = summary.findings
    if findings is None:
        return None
    return {
        "classifiers": sorted({str(name) for name in findings.curve["classifier"]}),
        "chosen": str(findings.chosen["classifier"]),
        "said": marked_sentence(findings),
        "curve": curve_table(findings),
    }


def chances_values(summary: Summary) -> Shown:
    """How often each method is among the best, and which is best for each class."""
    tables = [] if summary.findings is None else chance_tables(summary.findings)
    return {"tables": tables} if tables else None


def terms_values(summary: Summary) -> Shown:
    """The terms that are chosen, beside their map."""
    notes = (drawn_sentence(summary), classes_sentence(summary))
    return {"chosen": chosen_table(summary), "notes": [note for note in notes if note]}


def best_values(summary: Summary) -> Shown:
    """The best terms of a class on both sides, words in context, and the best of every class."""
    return {
        "sides": side_tables(summary),
        "context": context_table(summary),
        "every": every_table(summary),
    }


def agreement_values(summary: Summary) -> Shown:
    """How far the metrics agree."""
    return {"tables": agreement_tables(summary), "note": correlation_sentence(summary)}


def corpus_values(summary: Summary) -> Shown:
    """Classes, sizes, skew, lengths, vocabulary."""
    corpus = summary.corpus
    return {
        "classes": class_table(corpus),
        "bands": band_tables(corpus),
        "lengths": None if corpus.words is None else length_sentence(corpus.words),
    }


def metrics_values(summary: Summary) -> Shown:
    """What the metrics are, and how terms are found."""
    return {"metrics": metric_table(summary.metrics), "analyzer": summary.counts.analyzer}


SECTIONS = (
    Section("summary", "Summary", "Summary", summary_values),
    Section("performance", "How many terms", "How many terms", performance_values),
    Section("chances", "Chances", "Best chances", chances_values),
    Section("terms", "Map", "The map of terms", terms_values, explored=True),
    Section("best", "Best terms", "The best terms", best_values, explored=True),
    Section("agreement", "Agreement", "Where metrics agree", agreement_values, explored=True),
    Section("corpus", "Corpus", "The corpus", corpus_values),
    Section("metrics-section", "Metrics", "The metrics", metrics_values),
)
