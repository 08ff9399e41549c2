"""Micro- and macro-averages of the results over categories, by method."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from termsift._typing import Array
from termsift.evaluation import Confusion
from termsift.studies.study import Row

Key: TypeAlias = tuple[str, str, str, str]  # classifier, method, size, how ties are broken

TESTED = 3019  # documents of the test part
TWO_SIDED = {"sig": "IG", "cc": "CHI", "or": "ORS"}
SCENARIOS = {"one-sided": "{}", "ideal": "i{}", "practical": "i{}'", "cv": "i{} cv"}
# documents outside the category for each one inside, by lot or the nearest
SAMPLES = {"lot 1": "CHI lot 1:1", "lot 5": "CHI lot 5:1", "zone 1": "CHI zone 1:1", "zone 5": "CHI zone 5:1"}


def method_of(metric: str, scenario: str) -> str:
    """The name of a method, the paper's where it has one.

    >>> method_of("cc", "practical"), method_of("or", "two-sided"), method_of("gss", "two-sided")
    ("iCC'", 'ORS', '|GSS|')
    """
    if scenario == "none":
        return "none"
    if scenario in SAMPLES:
        return SAMPLES[scenario]
    name = metric.upper()
    if scenario == "two-sided":
        return TWO_SIDED.get(metric, f"|{name}|")
    return SCENARIOS[scenario].format(name)


@dataclass(frozen=True, slots=True, eq=False)
class ZhengOutcomes:
    """confusions : of each method, its classes the categories; ratio : (categories,) of positive terms.

    Categories are those asked for, in their order.
    """

    categories: list[int]
    confusions: Mapping[Key, Confusion]
    ratio: Mapping[Key, Array]

    def average(self, name: str, key: Key) -> float:
        """The F1 of the pooled decisions (micro), or the mean of the categories' F1 (macro)."""
        own = self.confusions[key]
        return float((own.micro if name == "micro" else own.macro).f1)

    def micro(self, key: Key) -> float:
        """F1 of the pooled decisions."""
        return self.average("micro", key)


def zheng_outcomes(rows: list[Row], categories: Collection[int]) -> ZhengOutcomes:
    """The decisions of all methods that have results for each of the categories."""
    counts: dict[Key, dict[int, list[float]]] = defaultdict(dict)
    ratio: dict[Key, dict[int, float]] = defaultdict(dict)
    for row in rows:
        scenario = row["scenario"]
        if scenario in SCENARIOS or scenario in SAMPLES or scenario in ("none", "two-sided"):
            key = row["classifier"], method_of(row["metric"], scenario), row["size"], row["ties"]
            counts[key][int(row["category"])] = [float(row[name]) for name in ("tp", "fp", "fn")]
            ratio[key][int(row["category"])] = float(row["ratio"] or "nan")
    order = sorted(categories)
    full = [key for key, found in counts.items() if all(c in found for c in order)]
    return ZhengOutcomes(
        order,
        {key: category_confusion([counts[key][c] for c in order], order) for key in full},
        {key: np.array([ratio[key][c] for c in order]) for key in full},
    )


def category_confusion(counts: list[list[float]], categories: list[int]) -> Confusion:
    """Decisions from the tp, fp and fn of each category, which has its own cut: no document is right."""
    tp, fp, fn = np.array(counts).T
    return Confusion(tuple(categories), TESTED, tp, fp, fn, 0)
