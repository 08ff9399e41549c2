"""The report: counts, and what is known beside them, as one page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.metadata import version
from typing import Any

from termsift.counts import Counts
from termsift.report.page.rendering import page_html
from termsift.report.values.findings import Findings
from termsift.report.values.summary import summary_of
from termsift.text.analyzer import without_surrogates

TITLE = "The terms that tell the classes apart"


def report_html(
    counts: Counts,
    *,
    title: str = TITLE,
    texts: Sequence[str] | None = None,
    labels: Any = None,
    findings: Findings | None = None,
    metric: str | None = None,
    k: int | None = None,
    classes: Sequence[object] | None = None,
) -> str:
    """One HTML page that needs nothing else: what the corpus is, and the terms that tell its classes apart.

    Parameters
    ----------
    title : the heading of the page
    texts, labels : the documents, for words in context and for lengths; without them the page holds terms and
        counts alone
    findings : what a comparison found: performance against number of terms, chances, advice in words
    metric : the metric that the page opens with; that of the findings, else bns
    k : how many terms of a class it opens with; of more than 300, and of all terms, the page shows fewer
    classes : those to show, the first of them first; where none are named, the largest

    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> page = report_html(counts, title="Mail <1>")
    >>> "<h1>Mail &lt;1&gt;</h1>" in page
    True

    """
    summary = summary_of(counts, title, texts, labels, findings, metric, k, classes)
    return without_surrogates(page_html(summary, version("termsift")))


def notebook_html(page: str, height: int = 900) -> str:
    """A page as a frame that a notebook shows: its styles and scripts stay its own."""
    return (
        f'<iframe srcdoc="{escape(page)}" style="width: 100%; height: {height}px; border: 0" '
        'title="termsift report" loading="lazy"></iframe>'
    )
