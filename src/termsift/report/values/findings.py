"""What a comparison found, as a report shows it: plain tables and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from termsift.report.values.written import amount_text
from termsift.tables import Table


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


def curve_cells(row: Mapping[str, Any]) -> list[str]:
    """A line of the curve."""
    figures = [f"{float(row[name]):.4f}" for name in ("mean", "error")]
    return [str(row["method"]), str(row["classifier"]), amount_text(round(float(row["terms"]))), *figures]
