"""The trade-off of terms against the goal as a drawing: where its points, marks and ticks lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Any, TypeAlias

import numpy as np

from termsift._internal.typing import Array
from termsift.report.formatting import (
    amount_text,
    clipped,
    interval_text,
    plain_number,
    score_text,
    share_text,
)
from termsift.report.rankings import FULL_EFFECT
from termsift.report.summary import Bar, CorpusFacts, Findings, Summary, columns_by_size
from termsift.report.term_maps import TermMap

WIDTH, HEIGHT = 520, 300
LEFT, RIGHT, TOP, BOTTOM = 58, 16, 16, 46


@dataclass(frozen=True, slots=True)
class Spot:
    """A point of the drawing: where it is, with the ends of its error, and the number of its answer or 0."""

    x: float
    y: float
    low: float
    high: float
    number: int
    told: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """What the template draws: points, steps between them, ticks, and the answers by their number."""

    spots: list[Spot]
    steps: str
    across: list[tuple[float, str]]
    up: list[tuple[float, str]]
    answers: list[tuple[int, str]]


def trade_off_drawing(findings: Findings) -> Drawing | None:
    """The drawing; None where there is no trade-off to draw."""
    rows = list(findings.trade_off or ())
    if len(rows) < 2:
        return None
    ends = max(float(rows[0]["terms"]), 1.0), max(float(rows[-1]["terms"]), 2.0)
    low = min(float(row["mean"]) - float(row["error"]) for row in rows)
    high = max(max(float(row["mean"]) + float(row["error"]) for row in rows), low + 1e-6)

    def at(terms: float) -> float:
        share = log10(max(terms, 1) / ends[0]) / max(log10(ends[1] / ends[0]), 1e-9)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def height(value: float) -> float:
        return round(TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM), 1)

    numbered = {id(row): n for n, row in enumerate((row for row in rows if row["answer"]), 1)}
    spots = [spot(row, at, height, numbered.get(id(row), 0)) for row in rows]
    best = [one for one, row in zip(spots, rows, strict=True) if is_ahead(row, rows)]
    steps = " ".join(f"{one.x},{one.y}" for one in best)
    ticks = [d * 10**n for n in range(9) for d in (1, 2, 5) if ends[0] <= d * 10**n <= ends[1]]
    across = [(at(tick), amount_text(tick)) for tick in thinned(ticks)]
    up = [(height(value), f"{value:.3f}") for value in (low, (low + high) / 2, high)]
    answers = [(numbered[id(row)], told_answer(row)) for row in rows if row["answer"]]
    return Drawing(spots, steps, across, up, answers)


def spot(row: Mapping[str, Any], at: Any, height: Any, number: int) -> Spot:
    """A row as a point."""
    mean, error = float(row["mean"]), float(row["error"])
    ends = height(mean - error), height(mean + error)
    return Spot(at(float(row["terms"])), height(mean), *ends, number, told_answer(row))


def is_ahead(row: Mapping[str, Any], rows: list[Any]) -> bool:
    """Whether no row of fewer terms, or as many, does better."""
    return all(one["mean"] <= row["mean"] for one in rows if one["terms"] <= row["terms"])


def told_answer(row: Mapping[str, Any]) -> str:
    """A row as a sentence names it, with the answer that it is."""
    figure = f"{float(row['mean']):.3f} ± {float(row['error']):.3f}"
    terms = amount_text(round(float(row["terms"])))
    said = f"{terms} terms by {row['method']} with {row['classifier']}, {figure}"
    return f"{row['answer']}: {said}" if row["answer"] else said


def thinned(ticks: list[int]) -> list[int]:
    """At most six of some numbers."""
    return ticks[:: -(-len(ticks) // 6)] if ticks else []


# rows of a table that has one for each class
MOST_ROWS = 300
SIDES_IN_WORDS = {0: "none", 1: "one", 2: "two"}

# a text; one with a share in per cent, which is drawn as a bar or a shade; several names
Cell: TypeAlias = str | tuple[str, float] | Sequence[str] | Sequence["Word"]
# its bar in per cent, and whether chance would lift it as high
Word: TypeAlias = tuple[str, float, bool]
Rows: TypeAlias = list[list[Cell]]
# by the names that the template of the section uses; None where there is nothing to show
Shown: TypeAlias = Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page.

    name : its identity on the page; page/templates/<name>.html is its template
    menu, heading : its name in the menu, and above it
    values : what its template shows beside the summary itself
    explored : whether it follows the choice of a class, a metric and a number of terms
    """

    name: str
    menu: str
    heading: str
    values: Callable[[Summary], Shown]
    explored: bool = False


def shaded(share: float, text: str) -> tuple[str, float]:
    """A cell with a share, 0 to 1, that is drawn."""
    return text, round(100 * min(max(share, 0.0), 1.0), 1)


def words_values(summary: Summary) -> Shown:
    """Each class with the words that speak for it and against it, and the classes that cannot be chosen."""
    shown = {one.column for one in summary.shown}
    others = [c for c in columns_by_size(summary.counts) if c not in shown]
    sizes = summary.counts.class_sizes
    return {
        "every": [
            [
                summary.class_name(one),
                amount_text(one.pos),
                word_cells(summary, one, one.rankings[0].speaking),
                word_cells(summary, one, one.rankings[0].against),
            ]
            for one in summary.shown
        ],
        "has_floor": any(floor is not None for one in summary.shown for floor in one.floors[0]),
        "others": [(clipped(summary.counts.classes[c]), amount_text(sizes[c])) for c in others[:MOST_ROWS]],
        "more": max(len(others) - MOST_ROWS, 0),
    }


def word_cells(summary: Summary, one: TermMap, places: Array) -> list[Word]:
    """Words with the length of their bars, and whether chance would lift them as high."""
    chance = one.is_chance(0)
    return [
        (name, effect_share(one.effects[0][i]), bool(chance[i]))
        for name, i in zip(summary.term_names(one, places), places.tolist(), strict=True)
    ]


def effect_share(effect: float) -> float:
    """The length of the bar of an effect, in per cent."""
    return round(100 * min(abs(float(effect)) / FULL_EFFECT, 1.0), 1)


def answer_values(summary: Summary) -> Shown:
    """What a comparison says of methods, in words."""
    return None if summary.findings is None else {}


def performance_values(summary: Summary) -> Shown:
    """The goal against the number of terms."""
    findings = summary.findings
    if findings is None:
        return None
    return {
        "classifiers": sorted({str(name) for name in findings.curve["classifier"]}),
        "chosen": curve_cells(findings.chosen),
        "best": curve_cells(findings.best),
        "curve": [curve_cells(row) for row in findings.curve],
    }


def trade_off_values(summary: Summary) -> Shown:
    """What more terms buy, and where the answers are."""
    drawing = None if summary.findings is None else trade_off_drawing(summary.findings)
    return None if drawing is None else {"drawing": drawing}


def chances_values(summary: Summary) -> Shown:
    """How often each method is among the best, and which is best for each class."""
    findings = summary.findings
    if findings is None or not (len(findings.chances) or len(findings.classes)):
        return None
    chances = sorted(findings.chances, key=lambda row: -float(row["chance"]))
    best = findings.best_by_class[:MOST_ROWS]
    return {
        "chances": [
            [str(row["method"]), shaded(float(row["chance"]), share_text(float(row["chance"])))]
            for row in chances
        ],
        "by_class": [[clipped(row["class"]), *curve_cells(row)] for row in best],
    }


def curve_cells(row: Mapping[str, Any]) -> list[str]:
    """A line of the curve."""
    figures = [f"{float(row[name]):.4f}" for name in ("mean", "error")]
    return [str(row["method"]), str(row["classifier"]), amount_text(round(float(row["terms"]))), *figures]


def terms_values(summary: Summary) -> Shown:
    """The terms that the opening metric chooses, those that are drawn, beside their map."""
    one = summary.open_map
    best = one.rankings[0].best[: summary.opening]
    names = summary.term_names(one, best)
    drawn = [(place, i) for place, i in enumerate(best.tolist()) if i >= 0]
    rows = [
        [
            f"{place + 1}",
            names[place],
            *count_cells(one, i),
            score_text(one.scores[0][i]),
            score_text(one.effects[0][i]),
        ]
        for place, i in drawn
    ]
    return {"chosen": rows, "chance": [bool(one.is_chance(0)[i]) for _, i in drawn]}


def count_cells(one: TermMap, i: int) -> list[str]:
    """The side of a drawn term, its counts and its rates."""
    tp, fp = float(one.tp[i]), float(one.fp[i])
    tpr, fpr = tp / one.pos if one.pos else 0.0, fp / one.neg if one.neg else 0.0
    side = "for" if tpr > fpr else "against" if tpr < fpr else "neither"
    return [side, amount_text(tp), amount_text(fp), share_text(tpr), share_text(fpr)]


def best_values(summary: Summary) -> Shown:
    """The best terms of a class on both sides, and words in context."""
    one, ranking = summary.open_map, summary.open_map.rankings[0]
    sides = {"for": ranking.speaking, "against": ranking.against}
    return {
        "sides": {side: side_rows(summary, places) for side, places in sides.items()},
        "chance": {side: one.is_chance(0)[places].tolist() for side, places in sides.items()},
        "context": context_rows(summary),
    }


def side_rows(summary: Summary, places: Array) -> Rows:
    """The terms of one side, with the bars of their effects."""
    one = summary.open_map
    return [
        [
            name,
            (score_text(one.effects[0][i]), effect_share(one.effects[0][i])),
            interval_text(*one.effects[1:, i].tolist()),
            score_text(one.scores[0][i]),
            amount_text(one.tp[i]),
            amount_text(one.fp[i]),
        ]
        for name, i in zip(summary.term_names(one, places), places.tolist(), strict=True)
    ]


def context_rows(summary: Summary) -> Rows | None:
    """Words in context, of the terms that speak for the opening class; None where no texts are known."""
    if not summary.uses:
        return None
    one = summary.open_map
    return [
        [snippet.before, snippet.term, snippet.after, clipped(snippet.label)]
        for term in summary.counts.terms[one.rows[one.rankings[0].speaking]]
        for snippet in summary.uses.get((term, one.column, True), ())
    ]


def agreement_values(summary: Summary) -> Shown:
    """How far the metrics agree: their best terms, and their ranks; on average, and which two least."""
    table = summary.open_agreement
    above = np.triu_indices(len(table), 1)
    shares, extremes = table[above], None
    if len(shares):
        least = int(np.argmin(shares))
        two = [summary.metrics[int(axis[least])].name for axis in above]
        extremes = {"mean": float(shares.mean()), "least": float(shares[least]), "two": two}
    return {
        "extremes": extremes,
        "overlap": heat_rows(summary, summary.open_agreement, share_text),
        "correlation": heat_rows(summary, summary.rankings.correlation, "{:.2f}".format),
    }


def heat_rows(summary: Summary, table: Array, written: Callable[[float], str]) -> Rows:
    """A square table of the metrics."""
    return [
        [metric.name, *(shaded(value, written(value)) for value in row)]
        for metric, row in zip(summary.metrics, table.round(3).tolist(), strict=True)
    ]


def corpus_values(summary: Summary) -> Shown:
    """Classes, sizes, skew, lengths, vocabulary; terms by frequency, and documents by length where known."""
    corpus = summary.corpus
    return {
        "classes": class_rows(corpus),
        "bands": band_rows(corpus.bands),
        "lengths": band_rows(corpus.lengths),
    }


def class_rows(corpus: CorpusFacts) -> Rows:
    """A class each, with the words of its median document where there are texts."""
    shown = corpus.classes[:MOST_ROWS]
    most = max((one.documents for one in shown), default=0) or 1
    rows: Rows = [
        [
            clipped(one.name),
            shaded(one.documents / most, amount_text(one.documents)),
            share_text(one.share),
            plain_number(one.skew, 3),
            plain_number(one.length, 3),
            f"{one.vocabulary:,}",
            "" if one.words is None else plain_number(one.words, 4),
        ]
        for one in shown
    ]
    return rows if corpus.words is not None else [row[:-1] for row in rows]


def band_rows(bars: Sequence[Bar]) -> Rows:
    """Bands with bars."""
    most = max((one.number for one in bars), default=0)
    return [[one.label, shaded(one.number / most, f"{one.number:,}")] for one in bars]


def metrics_values(summary: Summary) -> Shown:
    """What the metrics are."""
    return {"metrics": [[m.name, SIDES_IN_WORDS[m.sided], m.formula, m.source] for m in summary.metrics]}


SECTIONS = (
    Section("words", "Words", "The words of each class", words_values, explored=True),
    Section("terms", "Map", "The map of terms", terms_values, explored=True),
    Section("best", "In context", "Words in context", best_values, explored=True),
    Section("agreement", "Agreement", "Where metrics agree", agreement_values, explored=True),
    Section("answer", "Method", "Which method, and how many terms", answer_values),
    Section("performance", "How many terms", "How many terms", performance_values),
    Section("trade-off", "Trade-off", "What more terms buy", trade_off_values),
    Section("chances", "Chances", "Best chances", chances_values),
    Section("corpus", "Corpus", "The corpus", corpus_values),
    Section("metrics-section", "Metrics", "The metrics", metrics_values),
)
