"""Sections of a report: the values that each section's template shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from termsift._internal.typing import Array
from termsift.report.formatting import (
    clip_name,
    format_count,
    format_count_and_share,
    format_number,
    format_p,
    format_percent,
    format_score,
)
from termsift.report.rankings import FULL_EFFECT, LIST_LENGTH
from termsift.report.summary import Band, Summary, order_classes_by_size
from termsift.report.term_maps import TermMap

MAX_ROWS = 300  # of tables with one row per class
SIDED = {0: "unsigned", 1: "one-sided", 2: "two-sided"}

# term, width of its bar in per cent, shares of the documents that contain it
Word: TypeAlias = tuple[str, float, str]
# text; text with a percentage that is drawn as a bar or shade; several words
Cell: TypeAlias = str | tuple[str, float] | Sequence[str] | Sequence[Word]
Rows: TypeAlias = list[list[Cell]]
# values by the names that the template uses; None if there is nothing to show
SectionValues: TypeAlias = Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Section:
    """Section of the page.

    Parameters
    ----------
    name : HTML id; its template is templates/<name>.html
    menu, heading : texts in the menu and above the section
    values : function that computes the values of the template
    explored : whether it follows the chosen class, metric and number of terms

    """

    name: str
    menu: str
    heading: str
    values: Callable[[Summary], SectionValues]
    explored: bool = False


def bar_cell(share: float, text: str) -> tuple[str, float]:
    """Return a cell with a bar or shade; the share is clipped to 0 to 1."""
    return text, round(100 * min(max(share, 0.0), 1.0), 1)


def effect_bar_percent(effect: float) -> float:
    """Return the width of the bar of an effect, in per cent."""
    return round(100 * min(abs(float(effect)) / FULL_EFFECT, 1.0), 1)


def words_values(summary: Summary) -> SectionValues:
    """Return the positive and negative terms of each class, and the classes that are not shown."""
    shown = {term_map.column for term_map in summary.maps}
    hidden = [c for c in order_classes_by_size(summary.counts) if c not in shown]
    sizes = summary.counts.class_sizes
    return {
        "every": [
            [
                summary.class_name(term_map),
                format_count(term_map.pos),
                word_cells(summary, term_map, term_map.rankings[0].positive),
                word_cells(summary, term_map, term_map.rankings[0].negative),
            ]
            for term_map in summary.maps
        ],
        "has_test": any(term_map.alpha is not None for term_map in summary.maps),
        "n_omitted": sum(sum(term_map.rankings[0].n_omitted) for term_map in summary.maps),
        "hidden": [(clip_name(summary.counts.classes[c]), format_count(sizes[c])) for c in hidden[:MAX_ROWS]],
        "n_unlisted": max(len(hidden) - MAX_ROWS, 0),
    }


def word_cells(summary: Summary, term_map: TermMap, indices: Array) -> list[Word]:
    """Return the first drawn terms with the widths of their bars and their shares."""
    rows = list_drawn_terms(summary, term_map, indices[:LIST_LENGTH])
    return [
        (name, effect_bar_percent(term_map.effects[0][i]), f"in class {inside}, outside {outside}")
        for _, i, name, inside, outside in rows
    ]


def list_drawn_terms(
    summary: Summary, term_map: TermMap, indices: Array
) -> list[tuple[int, int, str, str, str]]:
    """Return rank, index, name, and counts with shares inside and outside the class of drawn terms."""
    ranks = np.flatnonzero(indices >= 0)
    names = summary.term_names(term_map, indices[ranks])
    return [
        (
            rank + 1,
            i,
            name,
            format_count_and_share(term_map.tp[i], term_map.pos),
            format_count_and_share(term_map.fp[i], term_map.neg),
        )
        for rank, i, name in zip(ranks.tolist(), indices[ranks].tolist(), names, strict=True)
    ]


def term_map_values(summary: Summary) -> SectionValues:
    """Return the best positive terms of the opening class that are drawn."""
    term_map = summary.opening_map
    rows = list_drawn_terms(summary, term_map, term_map.rankings[0].positive[: summary.k])
    figures = term_map.scores[0], term_map.effects[0]
    return {
        "chosen": [
            [f"{rank}", name, "positive", *shares, *(format_score(values[i]) for values in figures)]
            for rank, i, name, *shares in rows
        ]
    }


def best_terms_values(summary: Summary) -> SectionValues:
    """Return the best positive and negative terms of the opening class, and words in context."""
    term_map, ranking = summary.opening_map, summary.opening_map.rankings[0]
    lists = {"positive": ranking.positive, "negative": ranking.negative}
    listed = ranking.positive[:LIST_LENGTH]
    context = [
        snippet.cells
        for term in summary.counts.terms[term_map.rows[listed[listed >= 0]]]
        for snippet in summary.snippets.get((term, term_map.column, True), ())
    ]
    return {
        "lists": {direction: effect_rows(summary, indices) for direction, indices in lists.items()},
        "context": context if summary.snippets else None,
    }


def effect_rows(summary: Summary, indices: Array) -> Rows:
    """Return drawn terms of the opening class with effect, interval, counts, rates, score, p and q."""
    term_map = summary.opening_map
    return [
        [
            name,
            (format_score(term_map.effects[0][i]), effect_bar_percent(term_map.effects[0][i])),
            " to ".join(map(format_score, term_map.effects[1:, i].tolist())),
            inside,
            outside,
            " / ".join(map(format_score, term_map.rates[:, i].tolist())),
            format_score(term_map.scores[0][i]),
            *(format_p(x[i]) if len(x) else "" for x in (term_map.p, term_map.q)),
        ]
        for _, i, name, inside, outside in list_drawn_terms(summary, term_map, indices[:LIST_LENGTH])
    ]


def agreement_values(summary: Summary) -> SectionValues:
    """Return the overlap and rank correlation of metrics, their mean, and the pair with least overlap."""
    overlap = summary.agreement[summary.ks.index(summary.k)]
    upper = np.triu_indices(len(overlap), 1)
    shares = overlap[upper]
    lowest = int(np.argmin(shares))
    pair = [summary.metrics[int(axis[lowest])].name for axis in upper]
    extremes = {"mean": float(shares.mean()), "lowest": float(shares[lowest]), "pair": pair}
    return {
        "extremes": extremes,
        "overlap": metric_matrix(summary, overlap, format_percent),
        "correlation": metric_matrix(summary, summary.rankings.correlation, "{:.2f}".format),
    }


def metric_matrix(summary: Summary, matrix: Array, format_value: Callable[[float], str]) -> Rows:
    """Return the rows of a matrix (metrics, metrics)."""
    return [
        [metric.name, *(bar_cell(value, format_value(value)) for value in row)]
        for metric, row in zip(summary.metrics, matrix.round(3).tolist(), strict=True)
    ]


def answer_values(summary: Summary) -> SectionValues:
    """Return no values: the template shows the sentences of the findings."""
    return None if summary.findings is None else {}


def goal_curve_values(summary: Summary) -> SectionValues:
    """Return the goal by method, classifier and number of terms."""
    findings = summary.findings
    if findings is None:
        return None
    return {
        "classifiers": sorted({str(name) for name in findings.curve["classifier"]}),
        "chosen": curve_cells(findings.chosen),
        "best": curve_cells(findings.best),
        "curve": [curve_cells(row) for row in findings.curve],
    }


def curve_cells(row: Mapping[str, Any]) -> list[str]:
    """Format a row of the curve."""
    figures = [f"{float(row[name]):.4f}" for name in ("mean", "error")]
    return [str(row["method"]), str(row["classifier"]), format_count(round(float(row["terms"]))), *figures]


def best_method_values(summary: Summary) -> SectionValues:
    """Return how often each method is among the best, and the best method of each class."""
    findings = summary.findings
    if findings is None or not (len(findings.chances) or len(findings.classes)):
        return None
    chances = sorted(findings.chances, key=lambda row: -float(row["chance"]))
    shares = [(str(row["method"]), float(row["chance"])) for row in chances]
    by_class = findings.best_by_class[:MAX_ROWS]
    return {
        "chances": [[method, bar_cell(share, format_percent(share))] for method, share in shares],
        "by_class": [[clip_name(row["class"]), *curve_cells(row)] for row in by_class],
    }


def trade_off_values(summary: Summary) -> SectionValues:
    """Return the candidates that no smaller one beats, with the rules that recommend them."""
    rows = list((summary.findings and summary.findings.trade_off) or ())
    return {"rows": [[row["answer"], *curve_cells(row)] for row in rows]} if len(rows) > 1 else None


def corpus_values(summary: Summary) -> SectionValues:
    """Return the statistics of classes, terms by frequency and documents by length."""
    corpus = summary.corpus
    classes = corpus.classes[:MAX_ROWS]
    largest = max((facts.documents for facts in classes), default=0) or 1
    rows: Rows = [
        [
            clip_name(facts.name),
            bar_cell(facts.documents / largest, format_count(facts.documents)),
            format_percent(facts.share),
            format_number(facts.skew, 3),
            format_number(facts.length, 3),
            f"{facts.vocabulary:,}",
            "" if facts.words is None else format_number(facts.words, 4),
        ]
        for facts in classes
    ]
    return {
        "classes": rows if corpus.words is not None else [row[:-1] for row in rows],
        "bands": band_rows(corpus.bands),
        "lengths": band_rows(corpus.lengths),
    }


def band_rows(bands: Sequence[Band]) -> Rows:
    """Return bands with bars."""
    largest = max((band.number for band in bands), default=0)
    return [[band.label, bar_cell(band.number / largest, f"{band.number:,}")] for band in bands]


def metrics_values(summary: Summary) -> SectionValues:
    """Return name, kind, formula and source of each metric."""
    return {"metrics": [[m.name, SIDED[m.sided], m.formula, m.source] for m in summary.metrics]}


SECTIONS = (
    Section("words", "Words", "Words of each class", words_values, explored=True),
    Section("terms", "Map", "Map of terms", term_map_values, explored=True),
    Section("best", "Best terms", "Best terms in detail", best_terms_values, explored=True),
    Section("agreement", "Agreement", "Agreement of metrics", agreement_values, explored=True),
    Section("answer", "Method", "Recommended method and number of terms", answer_values),
    Section("performance", "Scores", "Score by number of terms", goal_curve_values),
    Section("trade-off", "Size", "Size vs. accuracy", trade_off_values),
    Section("chances", "Per class", "Best method per class", best_method_values),
    Section("corpus", "Corpus", "Corpus", corpus_values),
    Section("metrics-section", "Metrics", "Metrics", metrics_values),
)
