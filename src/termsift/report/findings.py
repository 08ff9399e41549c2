"""What a comparison found, as a report shows it: plain tables and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from termsift.tables import Table


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """Figures of methods at numbers of terms, what follows from them, and in words.

    goal : the measure, as the reader is to see it, such as "macro-averaged F1"
    curve : method, classifier, terms, mean, error: one line a method, classifier and number of terms;
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
