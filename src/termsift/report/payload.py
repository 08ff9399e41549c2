"""What the script of a page needs, as JSON: terms, counts, scores, rankings, lines, words in context."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.arrays import exact
from termsift.report.findings import Findings
from termsift.report.snippets import Snippet
from termsift.report.summary import Summary
from termsift.report.term_maps import TermMap
from termsift.report.written import clipped


def payload(summary: Summary) -> dict[str, Any]:
    """The summary as values that JSON holds. Terms stand once, and are numbers elsewhere."""
    drawn = np.unique(np.concatenate([one.rows for one in summary.shown]))
    return {
        "terms": [clipped(term) for term in summary.counts.terms[drawn]],
        "metrics": [
            {"name": m.name, "formula": m.formula, "sided": m.sided, "drawn": m.drawn}
            for m in summary.metrics
        ],
        "ks": list(summary.ks),
        "opening": summary.ks.index(summary.opening),
        "first": summary.first,
        "vocabulary": len(summary.counts.terms),
        "classes": [class_payload(summary, one, drawn) for one in summary.shown],
        "overlap": [np.round(table, 3).tolist() for table in summary.agreement],
        "correlation": np.round(summary.rankings.correlation, 3).tolist(),
        "uses": uses_payload(summary, drawn),
        "findings": None if summary.findings is None else findings_payload(summary.findings),
    }


def class_payload(summary: Summary, one: TermMap, drawn: Array) -> dict[str, Any]:
    """A class: its drawn terms by number, and what each metric makes of them."""
    return {
        "name": clipped(summary.counts.classes[one.column]),
        "pos": exact(np.array([one.pos]))[0].item(),
        "neg": exact(np.array([one.neg]))[0].item(),
        "terms": np.searchsorted(drawn, one.rows).tolist(),
        "tp": exact(one.tp).tolist(),
        "fp": exact(one.fp).tolist(),
        "scores": [short(row) for row in one.scores.tolist()],
        "best": [ranking.best.tolist() for ranking in one.rankings],
        "speaking": [ranking.speaking.tolist() for ranking in one.rankings],
        "against": [ranking.against.tolist() for ranking in one.rankings],
        "lines": list(one.isoclines),
    }


def short(values: Iterable[float]) -> list[float]:
    """Values to four digits that count, whole ones without a point."""
    rounded = (float(f"{value:.4g}") for value in values)
    return [int(value) if value.is_integer() and abs(value) < 1e15 else value for value in rounded]


def uses_payload(summary: Summary, drawn: Array) -> dict[str, list[list[str]]]:
    """Words in context, by the number of the class shown, of the term, and the side."""
    place = {one.column: i for i, one in enumerate(summary.shown)}
    number = {term: i for i, term in enumerate(summary.counts.terms[drawn])}
    return {
        f"{place[column]} {number[term]} {int(inside)}": [written(snippet) for snippet in seen]
        for (term, column, inside), seen in summary.uses.items()
    }


def written(snippet: Snippet) -> list[str]:
    """A use as the page shows it."""
    return [snippet.before, snippet.term, snippet.after, clipped(snippet.label)]


def findings_payload(findings: Findings) -> dict[str, Any]:
    """The curve, a line each, and the lines that are marked."""
    return {
        "goal": findings.goal,
        "curve": [marked(row) for row in findings.curve],
        "best": marked(findings.best),
        "chosen": marked(findings.chosen),
    }


def marked(line: Any) -> list[Any]:
    """A line of the curve."""
    figures = (round(float(line["mean"]), 6), round(float(line["error"]), 6))
    return [str(line["method"]), str(line["classifier"]), round(float(line["terms"])), *figures]
