"""What the script of a page needs, as JSON: terms, counts, scores, rankings, lines, words in context."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import isinf
from typing import Any

import numpy as np

from termsift._typing import exact
from termsift.report.charts.page_charts import curve_chart, map_chart
from termsift.report.values.evidence import FULL_EFFECT
from termsift.report.values.lookup import Lookup
from termsift.report.values.summary import Findings, Summary
from termsift.report.values.term_maps import TermMap
from termsift.report.values.written import clipped

# inside a script these could end it, begin a comment, or break a line of JavaScript
UNSAFE = "<>&\u2028\u2029"


def held_json(summary: Summary) -> str:
    """The data of the script, and its charts."""
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
