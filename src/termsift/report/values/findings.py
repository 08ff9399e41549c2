"""What a comparison found, as a report shows it: plain tables and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from termsift.report.values.tables import MOST_ROWS, Cell, Column, ReportTable, shaded
from termsift.report.values.written import amount_text, clipped, share_text
from termsift.tables import Table

CURVE = (
    Column("method"),
    Column("classifier"),
    Column("terms", "number"),
    Column("mean", "number"),
    Column("standard error", "number"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """Figures of methods at numbers of terms, what follows from them, and in words.

    goal : the measure, as the reader is to see it, such as "macro-averaged F1"
    curve : method, classifier, terms, mean, error: one line per method, classifier and number of terms;
        `terms` is the number of terms on average, `error` the standard error of the mean
    best, chosen : the line of `curve` with the best mean, and the one that is recommended
    classes : class, method, classifier, terms, mean, error: the goal for each class apart
    chances : method, chance: how often a method is within tolerance of the best one
    answer : sentences: the recommendation, ties, gains and losses
    warnings : sentences: what misleads
    """

    goal: str
    curve: Table
    best: Mapping[str, Any]
    chosen: Mapping[str, Any]
    classes: Table
    chances: Table
    answer: Sequence[str]
    warnings: Sequence[str]

    @property
    def best_by_class(self) -> list[dict[str, Any]]:
        """For each class the line with the best mean, the first of equals."""
        best: dict[str, dict[str, Any]] = {}
        for row in self.classes:
            name = str(row["class"])
            if name not in best or row["mean"] > best[name]["mean"]:
                best[name] = row
        return list(best.values())


def curve_table(findings: Findings) -> ReportTable:
    """The goal against the number of terms."""
    caption = f"{findings.goal} by method, classifier and number of terms"
    return ReportTable("curve", caption, CURVE, [curve_cells(row) for row in findings.curve], tall=True)


def curve_cells(row: Mapping[str, Any]) -> list[str]:
    """A line of the curve."""
    figures = [f"{float(row[name]):.4f}" for name in ("mean", "error")]
    return [str(row["method"]), str(row["classifier"]), amount_text(round(float(row["terms"]))), *figures]


def marked_sentence(findings: Findings) -> str:
    """What is marked in the picture of the curve."""
    return (
        "Bands are one standard error each way. "
        f"Marked: {line_words(findings.chosen)}, which is recommended. Best: {line_words(findings.best)}."
    )


def line_words(line: Mapping[str, Any]) -> str:
    """A line of the curve in words."""
    method, classifier, terms, mean, error = curve_cells(line)
    return f"{method} with {classifier} and {terms} terms, {mean} ± {error}"


def chance_tables(findings: Findings) -> list[ReportTable]:
    """How often each method is among the best, and which is best for each class; those that have rows."""
    order = sorted(findings.chances, key=lambda row: -float(row["chance"]))
    chances: list[list[Cell]] = [
        [str(r["method"]), shaded(float(r["chance"]), share_text(float(r["chance"])))] for r in order
    ]
    best = [[clipped(row["class"]), *curve_cells(row)] for row in findings.best_by_class[:MOST_ROWS]]
    said = "How often a method is within tolerance of the best"
    tables = [
        ReportTable("best-chances", said, (Column("method"), Column("chance", "bar")), chances),
        ReportTable(
            "by-class",
            f"The best method for each class: {findings.goal}",
            (Column("class", "name"), *CURVE),
            best,
            tall=True,
        ),
    ]
    return [table for table in tables if table.rows]
