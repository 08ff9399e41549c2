"""Report page: HTML, data for its scripts, and the public functions `report_html` and `notebook_html`."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from html import escape
from importlib.metadata import version
from importlib.resources import files
from itertools import groupby
from math import isinf
from typing import TYPE_CHECKING, Any

import numpy as np

from termsift._internal.errors import InvalidInputError, check_flags, unknown_name_error
from termsift._internal.typing import to_exact_dtype, to_exact_number
from termsift.counts import Counts, as_counts
from termsift.engines import count, drop_duplicate_documents, find_full_forms, load_documents
from termsift.metrics import EXPECTED
from termsift.report.formatting import clip_name, format_count, format_number, format_percent
from termsift.report.rankings import FULL_EFFECT
from termsift.report.sections import SECTIONS, Section
from termsift.report.summary import Findings, Summary, build_summary
from termsift.report.term_maps import TermMap
from termsift.selection import AnyMethod
from termsift.text import Analyzer, parse_analyzer, plain_text, replace_surrogates

if TYPE_CHECKING:
    from jinja2 import Environment

# inside a script these could end it, begin a comment, or break a line of JavaScript
UNSAFE_CHARACTERS = "<>&\u2028\u2029"
SCRIPTS = ("format.js", "tables.js", "charts.js", "export.js", "explorer.js", "lookup.js", "report.js")
DEFAULT_TITLE = "Terms that distinguish the classes"
# options of `ts.count` that are not options of `load_documents`
COUNT_OPTIONS = ("analyzer", "sample_weight", "n_jobs", "min_df", "max_df", "drop_duplicates")


def report_html(
    data: Any,
    labels: Any = None,
    *,
    title: str = DEFAULT_TITLE,
    texts: Sequence[str] | None = None,
    findings: Findings | None = None,
    metric: AnyMethod | None = None,
    k: int | None = None,
    classes: Sequence[object] | None = None,
    keep_nested: bool = False,
    **count_options: Any,
) -> str:
    """Return a self-contained HTML page about a corpus and the terms that distinguish its classes.

    Parameters
    ----------
    data : Counts or their file, iterable of str, matrix, data frame, path, list of paths or Corpus
        Counts; or documents as for `ts.count`. A path may be a glob pattern. Texts are shown as words in
        context.
    labels : sequence, list of lists or indicator matrix, optional
        One label per document, or a list of labels per document.
    title : str, default "Terms that distinguish the classes"
        Heading of the page.
    texts : sequence of str, optional
        The counted documents, together with `labels`, if `data` is Counts; for words in context and lengths.
    findings : Findings, optional
        Results of a comparison, as returned by `Comparison.findings()`.
    metric : str, Metric, function of Cells or Method, default "ig"
        Metric the page opens with.
    k : int, default 50
        Number of terms per class the page opens with, at most 300.
    classes : sequence, optional
        Classes to show, in order (default: the largest).
    keep_nested : bool, default False
        Whether lists keep n-grams nested in longer n-grams with nearly the same documents.
    **count_options
        Options of `ts.count`: terms, text, label, header, delimiter, encoding, encoding_errors, format,
        label_separator, on_missing, analyzer, sample_weight, n_jobs, min_df, max_df, drop_duplicates.

    Returns
    -------
    str
        The page; it needs no network.

    Raises
    ------
    InvalidInputError
        If no document contains a term, there are fewer than two classes, or texts and labels do not match.
    UnknownNameError
        If a metric, class or option is unknown.
    UnreadableFileError
        If a file cannot be read.

    Examples
    --------
    >>> texts = ["free prize", "free lunch", "lunch today"]
    >>> page = report_html(texts, ["spam", "ham", "ham"], title="Mail <1>")
    >>> "<h1>Mail &lt;1&gt;</h1>" in page
    True

    """
    document_options = tuple(load_documents.__kwdefaults__ or ())
    for name in count_options:
        if name not in (*COUNT_OPTIONS, *document_options):
            options = [*(report_html.__kwdefaults__ or ()), *COUNT_OPTIONS, *document_options]
            raise unknown_name_error("option", name, options)
    check_flags(keep_nested=keep_nested)
    if not (findings is None or isinstance(findings, Findings)):
        raise InvalidInputError(f"findings must be the result of Comparison.findings(), got {findings!r}")
    data = as_counts(data)
    if isinstance(data, Counts):
        if count_options:
            name = next(iter(count_options))
            raise InvalidInputError(f"{name} is an option for documents, but the data are Counts; remove it")
        counts = data
    else:
        if texts is not None:
            raise InvalidInputError("texts= is only for Counts; the data already contain the documents")
        counting = {name: count_options.pop(name) for name in COUNT_OPTIONS if name in count_options}
        documents = load_documents(data, labels, **count_options)
        if counting.pop("drop_duplicates", False):
            documents = drop_duplicate_documents(documents, counting.get("analyzer"), counting.get("n_jobs"))
        if documents.texts is not None:
            full_forms = find_full_forms(counting.get("analyzer"), documents.texts)
            if full_forms is not None:
                counting["analyzer"] = replace(counting["analyzer"], stemmer=full_forms)
        counts = count(documents.data, documents.labels, terms=documents.terms, **counting)
        texts, labels = documents.texts, documents.labels
    texts = strip_markup(texts, parse_analyzer(counts.analyzer))
    summary = build_summary(counts, title, texts, labels, findings, metric, k, classes, keep_nested)
    return replace_surrogates(render_page(summary, version("termsift")))


def strip_markup(texts: Sequence[str] | None, analyzer: object) -> Sequence[str] | None:
    """Return the texts without HTML markup if the analyzer removes it."""
    if texts is None or not (isinstance(analyzer, Analyzer) and analyzer.html):
        return texts
    return [plain_text(text) for text in texts]


def notebook_html(page: str, height: int = 900) -> str:
    """Return a page as an iframe for a notebook, with its styles and scripts isolated.

    Parameters
    ----------
    page : str
        As returned by `report_html`.
    height : int, default 900
        Height of the frame, in pixels.

    Returns
    -------
    str
        HTML of the frame.

    Examples
    --------
    >>> notebook_html("<h1>Mail</h1>")[:7]
    '<iframe'

    """
    return (
        f'<iframe srcdoc="{escape(page)}" style="width: 100%; height: {height}px; border: 0" '
        'title="termsift report" loading="lazy"></iframe>'
    )


def render_page(summary: Summary, version: str, sections: Sequence[Section] = SECTIONS) -> str:
    """Render the page of a summary; sections without values are left out."""
    from markupsafe import Markup

    from termsift.report.charts import curve_chart, map_chart, vega_script

    filled = [(section, section.values(summary)) for section in sections]
    shown = [(section, values) for section, values in filled if values is not None]
    charts = {"map": map_chart()}
    if summary.findings is not None:
        charts["performance"] = curve_chart(summary.findings.goal, summary.findings.curve)
    # the scripts of the page are one function, so that they define no global names
    source = "\n".join(load_asset(name) for name in SCRIPTS)
    scripts = [vega_script(), f'(() => {{\n"use strict";\n{source}}})();']
    # the content security policy allows only scripts with these hashes
    hashes = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    # consecutive sections that follow the controls are shown together below them
    groups = [(explored, list(group)) for explored, group in groupby(shown, lambda s: s[0].explored)]
    template = template_environment().get_template("page.html")
    return template.render(
        summary=summary,
        version=version,
        sections=[section for section, _ in shown],
        groups=groups,
        style=Markup(load_asset("report.css")),
        page_data=Markup(encode_script_json({"data": build_page_data(summary), "charts": charts})),
        scripts=[Markup(script) for script in scripts],
        hashes=[f"sha256-{value}" for value in hashes],
    )


@cache
def template_environment() -> Environment:
    """Return the Jinja environment of all pages: values are escaped, undefined names are errors."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("termsift.report")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["FULL_EFFECT"] = FULL_EFFECT
    environment.globals["EXPECTED"] = EXPECTED
    filters = (format_count, clip_name, format_number, format_percent)
    environment.filters |= {function.__name__: function for function in filters}
    return environment


@cache
def load_asset(name: str) -> str:
    """Return the text of a file in the package's assets folder."""
    return (files("termsift.report") / "assets" / name).read_text(encoding="utf-8")


def encode_script_json(value: Any) -> str:
    """Encode JSON for a script element: no text in it can end the element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in UNSAFE_CHARACTERS:
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def build_page_data(summary: Summary) -> dict[str, Any]:
    """Return the data of the scripts; terms are stored once and referred to by index."""
    lookup, findings = summary.lookup, summary.findings
    results = None
    if findings is not None:
        curve = [curve_point(row) for row in findings.curve]
        results = {"goal": findings.goal, "curve": curve, "chosen": curve_point(findings.chosen)}
    class_index = {term_map.column: i for i, term_map in enumerate(summary.maps)}
    term_index = {term: i for i, term in enumerate(summary.counts.terms[lookup.rows])}
    # keys: index of the class, index of the term, 1 inside the class or 0 outside
    snippets = {
        f"{class_index[column]} {term_index[term]} {int(inside)}": [snippet.cells for snippet in use_snippets]
        for (term, column, inside), use_snippets in summary.snippets.items()
    }
    return {
        "terms": [clip_name(term) for term in summary.counts.terms[lookup.rows]],
        "counts": lookup.counts,
        "minDf": None if isinf(lookup.min_df) else to_exact_number(lookup.min_df),
        "metrics": [
            {"name": m.name, "drawn": m.is_function_of_cells, "sided": m.sided} for m in summary.metrics
        ],
        "ks": list(summary.ks),
        "openingK": summary.ks.index(summary.k),
        "openingClass": summary.opening_class,
        "vocabulary": len(summary.counts.terms),
        "fullEffect": FULL_EFFECT,
        "classes": [class_data(summary, term_map) for term_map in summary.maps],
        "overlap": [np.round(table, 3).tolist() for table in summary.agreement],
        "snippets": snippets,
        "findings": results,
    }


def class_data(summary: Summary, term_map: TermMap) -> dict[str, Any]:
    """Return the data of a class: its drawn terms, and their scores and rankings by each metric."""
    rankings = {
        direction: [getattr(ranking, direction).tolist() for ranking in term_map.rankings]
        for direction in ("best", "positive", "negative")
    }
    return {
        "name": summary.class_name(term_map),
        "pos": to_exact_number(term_map.pos),
        "neg": to_exact_number(term_map.neg),
        "terms": np.searchsorted(summary.lookup.rows, term_map.rows).tolist(),
        "tp": to_exact_dtype(term_map.tp).tolist(),
        "fp": to_exact_dtype(term_map.fp).tolist(),
        "rates": term_map.rates.tolist(),
        **dict(zip(("effect", "low", "high"), term_map.effects.tolist(), strict=True)),
        "alpha": term_map.alpha,
        "p": [float(f"{value:.4g}") for value in term_map.p.tolist()],
        "q": [float(f"{value:.4g}") for value in term_map.q.tolist()],
        "significant": None
        if term_map.alpha is None
        else (term_map.p <= term_map.alpha).astype(int).tolist(),
        "omitted": [sum(ranking.n_omitted) for ranking in term_map.rankings],
        # integers are shorter in JSON than floats
        "scores": [
            [int(value) if value.is_integer() and abs(value) < 1e15 else value for value in row]
            for row in term_map.scores.tolist()
        ],
        **rankings,
        "lines": list(term_map.isoclines),
    }


def curve_point(row: Mapping[str, Any]) -> list[Any]:
    """Return a row of the curve: method, classifier, terms, mean, standard error."""
    figures = (round(float(row["mean"]), 6), round(float(row["error"]), 6))
    return [str(row["method"]), str(row["classifier"]), round(float(row["terms"])), *figures]
