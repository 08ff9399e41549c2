"""The sections of a page that speak of the corpus, and of the page itself."""

from __future__ import annotations

from html import escape

from termsift.report.facts import Bar, ClassFacts
from termsift.report.markup import Column, bar, name_of, table, tag
from termsift.report.summary import Summary
from termsift.report.written import amount, clipped, plain, share

# rows of the table of classes
MOST_ROWS = 300
CLASSES = (
    Column("class"),
    Column("documents", "bar"),
    Column("share", "number"),
    Column("skew", "number", "documents outside the class for each one in it"),
    Column("length", "number", "occurrences of terms in a document, on average"),
    Column("vocabulary", "number", "different terms in its documents"),
)
MEDIAN = Column("words", "number", "words of its median document")


def figures(summary: Summary) -> str:
    """The corpus in a row of figures."""
    corpus = summary.corpus
    shown = [
        (amount(corpus.documents), "documents"),
        (f"{len(corpus.classes):,}", "classes"),
        (f"{corpus.terms:,}", "terms"),
        (plain(corpus.length, 3), "terms a document, on average"),
    ]
    if corpus.words is not None:
        shown.append((plain(corpus.words[1], 3), "words in the median document"))
    return tag("dl", *(tag("div", tag("dd", a), tag("dt", b)) for a, b in shown), class_="figures")


def corpus_section(summary: Summary) -> str:
    """Classes, sizes, skew, lengths, vocabulary."""
    corpus = summary.corpus
    known = corpus.words is not None
    shown = corpus.classes[:MOST_ROWS]
    most = max((one.documents for one in shown), default=0) or 1
    rows = [class_row(one, most, known) for one in shown]
    caption = "Classes, the largest first"
    if len(shown) < len(corpus.classes):
        caption += f": the first {len(shown):,} of {len(corpus.classes):,}"
    parts = [
        table("classes", caption, (*CLASSES, MEDIAN) if known else CLASSES, rows, tall=True),
        tag("div", *(tag("div", part) for part in band_tables(summary)), class_="beside even"),
    ]
    if corpus.words is not None:
        low, middle, high = (amount(round(value)) for value in corpus.words)
        said = (
            f"One document in ten has at most {low} words, half at most {middle}, nine in ten at most {high}."
        )
        parts.append(tag("p", said))
    return tag("section", tag("h2", "The corpus"), *parts, id="corpus")


def class_row(one: ClassFacts, most: float, known: bool) -> list[str]:
    """The row of a class."""
    row = [
        name_of(clipped(one.name)),
        bar(one.documents / most, amount(one.documents)),
        share(one.share),
        plain(one.skew, 3),
        plain(one.length, 3),
        f"{one.vocabulary:,}",
    ]
    if known:
        row.append("" if one.words is None else plain(one.words, 4))
    return row


def band_tables(summary: Summary) -> list[str]:
    """Terms by document frequency, and documents by length where known."""
    tables = [
        band_table(
            "bands",
            "Terms by the number of documents that hold them",
            "documents",
            "terms",
            summary.corpus.bands,
        )
    ]
    if summary.corpus.lengths:
        caption = "Documents by their number of words"
        tables.append(band_table("lengths", caption, "words", "documents", summary.corpus.lengths))
    return tables


def band_table(identity: str, caption: str, what: str, number: str, bars: tuple[Bar, ...]) -> str:
    """Bands with bars."""
    most = max(one.number for one in bars)
    rows = [[escape(one.label), bar(one.number / most, f"{one.number:,}")] for one in bars]
    return table(identity, caption, (Column(what), Column(number, "bar")), rows)


def about_section(summary: Summary, version: str) -> str:
    """What the metrics are, and what made the page."""
    columns = (Column("metric"), Column("sides"), Column("formula"), Column("source"))
    sides = {0: "none", 1: "one", 2: "two"}
    rows = [
        [escape(m.name), sides[m.sided], tag("code", escape(m.formula)), escape(m.source)]
        for m in summary.metrics
    ]
    analyzer = summary.counts.analyzer
    made = f"Made by termsift {version}." + (f" Terms are found by {analyzer}." if analyzer else "")
    return tag(
        "section",
        tag("h2", "The metrics"),
        tag(
            "p",
            "A, B: documents with the term inside and outside the class; C, D: those without it; N: all. "
            "A one-sided metric gives terms that speak against the class a negative score.",
        ),
        table("metrics", "Metrics of this page", columns, rows),
        tag("p", escape(made), class_="note"),
        id="metrics-section",
    )
