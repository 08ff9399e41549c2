"""The trade-off of terms against the goal as a drawing: where its points, marks and ticks lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log10
from typing import Any

from termsift.report.values.summary import Findings
from termsift.report.values.written import amount_text

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
