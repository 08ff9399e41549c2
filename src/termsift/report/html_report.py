"""The report: a corpus, and what is known beside it, as one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.metadata import version
from typing import Any

from termsift.counting import count
from termsift.counts import Counts
from termsift.errors import InvalidInput, check_flags, unknown
from termsift.inputs import labelled_documents
from termsift.methods import AnyMethod
from termsift.report.page.rendering import page_html
from termsift.report.values.summary import Findings, summary_of
from termsift.selection import analyzer_from
from termsift.text import Analyzer
from termsift.text.analyzer import without_surrogates
from termsift.text.markup import plain_text

TITLE = "The terms that tell the classes apart"
# what of `ts.count` is for the counting rather than the reading
COUNTING = ("analyzer", "sample_weight", "n_jobs", "min_df", "max_df")


def report_html(
    data: Any,
    labels: Any = None,
    *,
    title: str = TITLE,
    texts: Sequence[str] | None = None,
    findings: Findings | None = None,
    metric: AnyMethod | None = None,
    k: int | None = None,
    classes: Sequence[object] | None = None,
    keep_parts: bool = False,
    **reading: Any,
) -> str:
    """A self-contained HTML page that describes the corpus and the terms that tell its classes apart.

    Parameters
    ----------
    data : Counts; or documents as for `ts.count`: texts, a matrix, a data frame, the path of a file, a glob
        pattern, a list of paths, or a Corpus. Texts are shown as words in context
    labels : one label per document, a list of labels per document, or an indicator matrix
    title : the heading of the page
    texts : the documents that were counted, with their labels, for words in context and for lengths; without
        them, a page of Counts has only terms and counts
    findings : the findings of a comparison: performance by number of terms, chances, advice in words
    metric : the metric shown first; by default that of the findings, otherwise bns
    k : number of terms per class shown first; at most 300, and no more than there are, are shown
    classes : the classes to show, in order; by default the largest
    keep_parts : whether the lists include n-grams within longer ones, if both are in nearly the same
        documents
    reading : how documents are read and counted, as for `ts.count`: terms, text, label, header, delimiter,
        encoding, encoding_errors, format, separator, on_missing; analyzer, sample_weight, n_jobs,
        min_df, max_df

    >>> texts = ["free prize", "free lunch", "lunch today"]
    >>> page = report_html(texts, ["spam", "ham", "ham"], title="Mail <1>")
    >>> "<h1>Mail &lt;1&gt;</h1>" in page
    True

    """
    check_reading(reading)
    check_flags(keep_parts=keep_parts)
    if not (findings is None or isinstance(findings, Findings)):
        raise InvalidInput(f"findings must be those of a comparison, got {findings!r}")
    if isinstance(data, Counts):
        if reading:
            raise InvalidInput(f"{next(iter(reading))} says how documents are read; these are counts already")
        counts = data
    else:
        counts, texts, labels = counted_documents(data, labels, texts, reading)
    texts = seen_texts(texts, analyzer_from(counts.analyzer))
    summary = summary_of(counts, title, texts, labels, findings, metric, k, classes, keep_parts)
    return without_surrogates(page_html(summary, version("termsift")))


def seen_texts(texts: Sequence[str] | None, analyzer: object) -> Sequence[str] | None:
    """The texts as a page shows them: of HTML what is read, where the analyzer took it for that."""
    if texts is None or not (isinstance(analyzer, Analyzer) and analyzer.html):
        return texts
    return [plain_text(text) for text in texts]


def check_reading(reading: Mapping[str, Any]) -> None:
    """An error with the near miss for a keyword that nobody has."""
    known = (*COUNTING, *(labelled_documents.__kwdefaults__ or ()))
    for name in reading:
        if name not in known:
            raise unknown("option", name, [*(report_html.__kwdefaults__ or ()), *known])


def counted_documents(
    data: Any, labels: Any, texts: Sequence[str] | None, reading: Mapping[str, Any]
) -> tuple[Counts, list[str] | None, Any]:
    """The counts of documents, their texts where they are texts, and their labels."""
    if texts is not None:
        raise InvalidInput("texts= goes with Counts; here the documents are given already")
    counting = {name: value for name, value in reading.items() if name in COUNTING}
    found = labelled_documents(data, labels, **{n: v for n, v in reading.items() if n not in COUNTING})
    counts = count(found.data, found.labels, terms=found.terms, **counting)
    return counts, found.texts, found.labels


def notebook_html(page: str, height: int = 900) -> str:
    """A page as an iframe for a notebook, with its styles and scripts isolated.

    page : as returned by `report_html`
    height : height of the frame, in pixels

    >>> notebook_html("<h1>Mail</h1>")[:7]
    '<iframe'
    """
    return (
        f'<iframe srcdoc="{escape(page)}" style="width: 100%; height: {height}px; border: 0" '
        'title="termsift report" loading="lazy"></iframe>'
    )
