"""Results as arrays: splits x groups x methods x sizes, for each goal; and the paper's questions of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from termsift._typing import Array
from termsift.evaluation import Confusion, wilcoxon
from termsift.studies.study import Row
from termsift.studies.uchyigit_clark.trials import METHODS, SIZES

GOALS = ("precision", "recall", "f1", "f2")
NAMES = tuple(METHODS)


@dataclass(frozen=True, eq=False)
class UchyigitOutcomes:
    """decisions : (splits, groups, methods, sizes) for the group against the rest."""

    decisions: Confusion

    @cached_property
    def values(self) -> dict[str, Array]:
        """For each goal (splits, groups, methods, sizes)."""
        found = self.decisions
        measured = found.precision, found.recall, found.f1, found.f_beta(2.0)
        return {goal: values[..., 0] for goal, values in zip(GOALS, measured, strict=True)}

    @cached_property
    def averages(self) -> dict[str, Array]:
        """For each goal (methods, sizes): the mean over splits and groups, the curves of figures 1 to 4."""
        return {goal: values.mean(axis=(0, 1)) for goal, values in self.values.items()}

    @property
    def pooled(self) -> UchyigitOutcomes:
        """The same with the decisions of all groups taken together."""
        return UchyigitOutcomes(self.decisions.pooled(axis=1)[:, None])

    def curve(self, goal: str, method: str) -> Array:
        """(sizes,): what a method reaches."""
        values: Array = self.averages[goal][NAMES.index(method)]
        return values

    def level(self, goal: str, method: str) -> float:
        """The mean of a curve over its sizes."""
        return float(self.curve(goal, method).mean())

    def deviation(self, goal: str, method: str) -> float:
        """The standard deviation of the level over splits."""
        levels = self.values[goal][:, :, NAMES.index(method)].mean(axis=(1, 2))
        return float(levels.std(ddof=1)) if len(levels) > 1 else 0.0

    def p_value(self, goal: str, better: str, worse: str) -> float:
        """Of Wilcoxon's test over groups that the level of one is not larger than the other's."""
        levels = self.values[goal].mean(axis=(0, 3))
        a, b = (levels[:, NAMES.index(method)] for method in (better, worse))
        return wilcoxon(a, b, alternative="greater").p_value


def uchyigit_outcomes(rows: list[Row]) -> dict[str, UchyigitOutcomes]:
    """The rows of all units as arrays, by reading."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["reading"], []).append(row)
    return {reading: UchyigitOutcomes(decisions_of(own)) for reading, own in found.items()}


def decisions_of(rows: list[Row]) -> Confusion:
    """(splits, groups, methods, sizes) of one reading."""
    splits = {name: i for i, name in enumerate(dict.fromkeys(row["split"] for row in rows))}
    groups = {name: i for i, name in enumerate(dict.fromkeys(row["group"] for row in rows))}
    sizes = {str(size): i for i, size in enumerate(SIZES.tolist())}
    decisions = np.zeros((len(splits), len(groups), len(NAMES), len(sizes), 3))
    for row in rows:
        at = splits[row["split"]], groups[row["group"]], NAMES.index(row["metric"]), sizes[row["size"]]
        decisions[at] = int(row["tp"]), int(row["fp"]), int(row["fn"])
    return group_decisions(decisions)


def group_decisions(decisions: Array) -> Confusion:
    """Of true and false positives and false negatives along the last axis.

    The rows do not tell of posts rejected rightly, and none of the paper's measures reads them.
    """
    tp, fp, fn = np.moveaxis(decisions, -1, 0)
    return Confusion(("group",), tp + fp + fn, tp[..., None], fp[..., None], fn[..., None], tp)
