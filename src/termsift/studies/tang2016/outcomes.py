"""Results of all parts, asked in the paper's terms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from termsift._typing import Array
from termsift.studies.study import Row
from termsift.studies.tang2016.trials import ALL, method_name

Key: TypeAlias = tuple[str, str, str]  # set, classifier, method
GOALS = ("accuracy", "f1")
MEASURED = (*GOALS, "divergence", "shared")


@dataclass(frozen=True, slots=True, eq=False)
class TangOutcomes:
    """parts : for each set, classifier and method, by measure (folds, sizes); sizes : by classifier.

    everything : by set and classifier, each goal with all terms, averaged over folds
    """

    parts: Mapping[Key, Mapping[str, Array]]
    sizes: Mapping[str, Array]
    everything: Mapping[tuple[str, str], Mapping[str, float]]

    @property
    def sets(self) -> list[str]:
        """The sets that there are results of."""
        return list(dict.fromkeys(name for name, *_ in self.parts))

    def curve(self, name: str, method: str, classifier: str = "NB", goal: str = "accuracy") -> Array:
        """(sizes,): a measure, averaged over folds."""
        mean: Array = self.parts[name, classifier, method][goal].mean(axis=0)
        return mean

    def at(self, size: int, name: str, method: str, classifier: str = "NB", goal: str = "accuracy") -> float:
        """A measure at a size."""
        return float(self.curve(name, method, classifier, goal)[self.sizes[classifier] == size][0])

    def above(
        self, name: str, method: str, other: str, classifier: str = "NB", goal: str = "accuracy"
    ) -> float:
        """The share of sizes at which a method is above another; one that ties is half above."""
        gains = self.curve(name, method, classifier, goal) - self.curve(name, other, classifier, goal)
        return float(np.mean((gains > 0) + 0.5 * (gains == 0)))

    def read_as(self, classifiers: Mapping[str, str], methods: Mapping[str, str]) -> TangOutcomes:
        """The outcomes with other names for some classifiers and methods, and without all that have none."""
        parts = {
            (name, classifiers[classifier], methods[method]): measured
            for (name, classifier, method), measured in self.parts.items()
            if classifier in classifiers and method in methods
        }
        sizes = {classifiers[own]: sizes for own, sizes in self.sizes.items() if own in classifiers}
        everything = {
            (name, classifiers[classifier]): goals
            for (name, classifier), goals in self.everything.items()
            if classifier in classifiers
        }
        return TangOutcomes(parts, sizes, everything)

    def reached(self, target: float, name: str, method: str) -> int | None:
        """The first size at which a method has an accuracy with naive Bayes, if any."""
        there = np.flatnonzero(self.curve(name, method) >= target)
        return int(self.sizes["NB"][there[0]]) if len(there) else None


def tang_outcomes(rows: list[Row]) -> TangOutcomes:
    """The rows of all units as arrays."""
    found: dict[Key, dict[tuple[int, int], Row]] = defaultdict(dict)
    whole: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row["method"] == ALL:
            whole[row["set"], row["classifier"]].append(row)
        elif row["method"]:
            key = row["set"], row["classifier"], row["method"]
            found[key][int(row["fold"]), int(row["size"])] = row
    sizes = {classifier: sorted({k for _, k in own}) for (_, classifier, _), own in found.items()}
    return TangOutcomes(
        {key: arrays(own) for key, own in found.items()},
        {classifier: np.array(own) for classifier, own in sizes.items()},
        {
            key: {goal: float(np.mean([float(row[goal]) for row in own])) for goal in GOALS}
            for key, own in whole.items()
        },
    )


def arrays(cells: Mapping[tuple[int, int], Row]) -> dict[str, Array]:
    """By measure (folds, sizes)."""
    folds, sizes = (sorted({key[i] for key in cells}) for i in (0, 1))
    return {
        measure: np.array([[float(cells[fold, size][measure]) for size in sizes] for fold in folds])
        for measure in MEASURED
    }


def percents_shown(values: Mapping[str, float]) -> str:
    """Methods with their values, in per cent.

    >>> percents_shown({"md": 0.96451, "chi2 max": 0.95})
    'MD 96.45, chi2 max 95.00'
    """
    return ", ".join(f"{method_name(method)} {100 * value:.2f}" for method, value in values.items())
