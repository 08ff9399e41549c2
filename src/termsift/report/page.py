"""What the script of a page needs, as JSON: terms, counts, scores, rankings, lines, words in context."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from importlib.metadata import version
from importlib.resources import files
from itertools import groupby
from math import isinf
from typing import TYPE_CHECKING, Any

import numpy as np

from termsift._internal.errors import InvalidInputError, check_flags, unknown
from termsift._internal.typing import exact
from termsift.counts import Counts
from termsift.engines import count, labelled_documents
from termsift.report.formatting import amount_text, clipped, plain_number, share_text
from termsift.report.rankings import FULL_EFFECT
from termsift.report.sections import SECTIONS, Section
from termsift.report.summary import Findings, Summary, summary_of
from termsift.report.term_maps import Lookup, TermMap
from termsift.selection import AnyMethod
from termsift.text import Analyzer, analyzer_from, plain_text, without_surrogates

if TYPE_CHECKING:
    from jinja2 import Environment

# inside a script these could end it, begin a comment, or break a line of JavaScript
UNSAFE = "<>&\u2028\u2029"


def held_json(summary: Summary) -> str:
    """The data of the script, and its charts."""
    from termsift.report.charts import curve_chart, map_chart

    charts = {"map": map_chart()}
    if summary.findings is not None:
        charts["performance"] = curve_chart(summary.findings.goal, summary.findings.curve)
    return script_json({"data": payload(summary), "charts": charts})


def script_json(value: Any) -> str:
    """JSON that stays inside its script element, whatever the words are."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for unsafe in UNSAFE:
        text = text.replace(unsafe, f"\\u{ord(unsafe):04x}")
    return text


def payload(summary: Summary) -> dict[str, Any]:
    """The summary as values that JSON holds. Terms stand once, and are numbers elsewhere."""
    known = summary.lookup
    return {
        "terms": [clipped(term) for term in summary.counts.terms[known.rows]],
        "counts": lookup_payload(known),
        "least": None if isinf(known.least) else exact(np.array([known.least]))[0].item(),
        "metrics": [
            {"name": m.name, "drawn": m.follows_from_cells, "sided": m.sided} for m in summary.metrics
        ],
        "ks": list(summary.ks),
        "opening": summary.ks.index(summary.opening),
        "first": summary.first,
        "vocabulary": len(summary.counts.terms),
        "full": FULL_EFFECT,
        "classes": [class_payload(summary, one) for one in summary.shown],
        "overlap": [np.round(table, 3).tolist() for table in summary.agreement],
        "uses": uses_payload(summary),
        "findings": None if summary.findings is None else findings_payload(summary.findings),
    }


def lookup_payload(known: Lookup) -> list[float]:
    """For each term its documents, the number of classes that hold it, then each class and its documents."""
    flat: list[float] = []
    for df, inside in zip(exact(known.df).tolist(), known.inside, strict=True):
        flat += [df, len(inside)]
        for place, documents in inside:
            flat += [place, documents]
    return flat


def class_payload(summary: Summary, one: TermMap) -> dict[str, Any]:
    """A class: its drawn terms by number, and what each metric makes of them."""
    effect, low, high = one.effects.tolist()
    return {
        "name": summary.class_name(one),
        "pos": exact(np.array([one.pos]))[0].item(),
        "neg": exact(np.array([one.neg]))[0].item(),
        "terms": np.searchsorted(summary.lookup.rows, one.rows).tolist(),
        "tp": exact(one.tp).tolist(),
        "fp": exact(one.fp).tolist(),
        "effect": effect,
        "low": low,
        "high": high,
        "floors": [list(floors) for floors in one.floors],
        "scores": [whole_numbers(row) for row in one.scores.tolist()],
        "best": [ranking.best.tolist() for ranking in one.rankings],
        "speaking": [ranking.speaking.tolist() for ranking in one.rankings],
        "against": [ranking.against.tolist() for ranking in one.rankings],
        "lines": list(one.isoclines),
        "floorLines": list(one.floor_lines),
    }


def whole_numbers(values: Iterable[float]) -> list[float]:
    """The values, whole ones without a point."""
    return [int(value) if value.is_integer() and abs(value) < 1e15 else value for value in values]


def uses_payload(summary: Summary) -> dict[str, list[list[str]]]:
    """Words in context, by the number of the class shown, of the term, and the side."""
    place = {one.column: i for i, one in enumerate(summary.shown)}
    number = {term: i for i, term in enumerate(summary.counts.terms[summary.lookup.rows])}
    return {
        f"{place[column]} {number[term]} {int(inside)}": [
            [snippet.before, snippet.term, snippet.after, clipped(snippet.label)] for snippet in seen
        ]
        for (term, column, inside), seen in summary.uses.items()
    }


def findings_payload(findings: Findings) -> dict[str, Any]:
    """The curve, line by line, and the line that is marked."""
    curve = [curve_line(row) for row in findings.curve]
    return {"goal": findings.goal, "curve": curve, "chosen": curve_line(findings.chosen)}


def curve_line(line: Mapping[str, Any]) -> list[Any]:
    """A line of the curve."""
    figures = (round(float(line["mean"]), 6), round(float(line["error"]), 6))
    return [str(line["method"]), str(line["classifier"]), round(float(line["terms"])), *figures]


SCRIPTS = ("written.js", "tables.js", "charts.js", "explorer.js", "lookup.js", "report.js")


def page_html(summary: Summary, version: str, sections: Sequence[Section] = SECTIONS) -> str:
    """The page of a summary."""
    filled = [(section, section.values(summary)) for section in sections]
    shown = [(section, values) for section, values in filled if values is not None]
    from markupsafe import Markup

    from termsift.report.charts import vega_script

    scripts = [vega_script(), own_script()]
    return (
        templates()
        .get_template("page.html")
        .render(
            summary=summary,
            version=version,
            parts=[section for section, _ in shown],
            groups=[(explored, list(own)) for explored, own in groupby(shown, lambda part: part[0].explored)],
            style=Markup(asset("report.css")),
            held=Markup(held_json(summary)),
            scripts=[Markup(script) for script in scripts],
            digests=[digest(script) for script in scripts],
        )
    )


@cache
def templates() -> Environment:
    """The templates of the page: every value is escaped where it enters, and a name they lack is an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("termsift.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["FULL_EFFECT"] = FULL_EFFECT
    environment.filters |= {f.__name__: f for f in (amount_text, clipped, plain_number, share_text)}
    return environment


def digest(script: str) -> str:
    """What a policy knows a script by."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


@cache
def own_script() -> str:
    """Our own script, one piece in a scope of its own."""
    parts = "\n".join(asset(name) for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();'


@cache
def asset(name: str) -> str:
    """A file of the page that comes with the package."""
    return (files("termsift.report") / "assets" / name).read_text(encoding="utf-8")


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
        raise InvalidInputError(f"findings must be those of a comparison, got {findings!r}")
    if isinstance(data, Counts):
        if reading:
            raise InvalidInputError(
                f"{next(iter(reading))} says how documents are read; these are counts already"
            )
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
        raise InvalidInputError("texts= goes with Counts; here the documents are given already")
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
