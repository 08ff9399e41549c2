"""Results as arrays: splits x groups x methods x sizes, for each goal; and the paper's questions of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from termsift._typing import Array
from termsift.contingency import ratio
from termsift.evaluation import Confusion, wilcoxon
from termsift.studies.study import Row
from termsift.studies.uchyigit_clark.trials import SIZES

GOALS = ("precision", "recall", "f1", "f2")


@dataclass(frozen=True, eq=False)
class UchyigitOutcomes:
    """Decisions about groups, and how they are averaged.

    methods : their names
    decisions : (splits, groups, methods, sizes) for the group against the rest
    averaging : the name of a way of AVERAGES
    """

    methods: tuple[str, ...]
    decisions: Confusion
    averaging: str = "groups"

    @cached_property
    def values(self) -> dict[str, Array]:
        """For each goal (splits, groups, methods, sizes)."""
        found = self.decisions
        measured = found.precision, found.recall, found.f1, found.f_beta(2.0)
        return {goal: values[..., 0] for goal, values in zip(GOALS, measured, strict=True)}

    @cached_property
    def averages(self) -> dict[str, Array]:
        """For each goal (methods, sizes): the mean over splits and groups, the curves of figures 1 to 4."""
        return AVERAGES[self.averaging](self)

    def averaged(self, averaging: str) -> UchyigitOutcomes:
        """The same, averaged in another way."""
        return self if averaging == self.averaging else replace(self, averaging=averaging)

    def curve(self, goal: str, method: str) -> Array:
        """(sizes,): what a method reaches."""
        values: Array = self.averages[goal][self.methods.index(method)]
        return values

    def level(self, goal: str, method: str) -> float:
        """The mean of a curve over its sizes."""
        return float(self.curve(goal, method).mean())

    def deviation(self, goal: str, method: str) -> float:
        """The standard deviation of the level over splits."""
        levels = self.values[goal][:, :, self.methods.index(method)].mean(axis=(1, 2))
        return float(levels.std(ddof=1)) if len(levels) > 1 else 0.0

    def p_value(self, goal: str, better: str, worse: str) -> float:
        """Of Wilcoxon's test over groups that the level of one is not larger than the other's."""
        levels = self.values[goal].mean(axis=(0, 3))
        a, b = (levels[:, self.methods.index(method)] for method in (better, worse))
        return wilcoxon(a, b, alternative="greater").p_value


def of_groups(found: UchyigitOutcomes) -> dict[str, Array]:
    """Means over groups and splits; the precision of no decision is 0."""
    return {goal: values.mean(axis=(0, 1)) for goal, values in found.values.items()}


def where_defined(found: UchyigitOutcomes) -> dict[str, Array]:
    """The same, but precision is a mean over the groups of which some post is accepted."""
    accepted = (found.decisions.tp + found.decisions.fp)[..., 0] > 0
    precision = ratio(found.values["precision"].sum(axis=(0, 1)), accepted.sum(axis=(0, 1)))
    return of_groups(found) | {"precision": precision}


def of_means(found: UchyigitOutcomes) -> dict[str, Array]:
    """F1 and F2 of the means of precision and recall."""
    means = of_groups(found)
    p, r = means["precision"], means["recall"]
    return means | {"f1": ratio(2 * p * r, p + r), "f2": ratio(5 * p * r, 4 * p + r)}


def pooled_groups(found: UchyigitOutcomes) -> dict[str, Array]:
    """Of the decisions of all groups taken together."""
    return of_groups(UchyigitOutcomes(found.methods, found.decisions.pooled(axis=1)[:, None]))


AVERAGES: dict[str, Callable[[UchyigitOutcomes], dict[str, Array]]] = {
    "groups": of_groups,
    "where defined": where_defined,
    "of means": of_means,
    "pooled": pooled_groups,
}


def uchyigit_outcomes(rows: list[Row]) -> dict[str, UchyigitOutcomes]:
    """The rows of all units as arrays, by reading."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["reading"], []).append(row)
    return {reading: reading_outcomes(own) for reading, own in found.items()}


def reading_outcomes(rows: list[Row]) -> UchyigitOutcomes:
    """The rows of one reading as arrays."""
    splits, groups, methods = (
        {name: i for i, name in enumerate(dict.fromkeys(row[column] for row in rows))}
        for column in ("split", "group", "metric")
    )
    sizes = {str(size): i for i, size in enumerate(SIZES.tolist())}
    decisions = np.zeros((len(splits), len(groups), len(methods), len(sizes), 3))
    for row in rows:
        at = splits[row["split"]], groups[row["group"]], methods[row["metric"]], sizes[row["size"]]
        decisions[at] = int(row["tp"]), int(row["fp"]), int(row["fn"])
    return UchyigitOutcomes(tuple(methods), group_decisions(decisions))


def group_decisions(decisions: Array) -> Confusion:
    """Of true and false positives and false negatives along the last axis.

    The rows do not tell of posts rejected rightly, and none of the paper's measures reads them.
    """
    tp, fp, fn = np.moveaxis(decisions, -1, 0)
    return Confusion(("group",), tp + fp + fn, tp[..., None], fp[..., None], fn[..., None], tp)
