"""Results of all trials as arrays: problems x trials x metrics x sizes, for each goal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from termsift._typing import Array
from termsift.evaluation import Confusion
from termsift.studies.forman2003.trials import ALL, METRICS, SIZES
from termsift.studies.study import Row

GOALS = ("f1", "precision", "recall", "accuracy")
HIGH_SKEW = 67


@dataclass(frozen=True, slots=True, eq=False)
class FormanOutcomes:
    """values : for each goal (problems, trials, metrics, sizes); everything : (problems, trials), all terms.

    problems : (set, class) each; skew : (problems,) documents outside the class for each one in it
    """

    problems: list[tuple[str, str]]
    skew: Array
    values: Mapping[str, Array]
    everything: Mapping[str, Array]

    def subset(self, name: str) -> Array:
        """Which problems are in a group: all, low skew or high skew."""
        high = self.skew > HIGH_SKEW
        return {"all": np.ones(len(high), dtype=bool), "low skew": ~high, "high skew": high}[name]

    def macro(self, goal: str, subset: str = "all") -> Array:
        """(metrics, sizes): the mean over trials and problems."""
        mean: Array = self.values[goal][self.subset(subset)].mean(axis=(0, 1))
        return mean

    def macro_of_all_terms(self, goal: str, subset: str = "all") -> float:
        """The same with all terms."""
        return float(self.everything[goal][self.subset(subset)].mean())

    def maxima(self, goal: str) -> Array:
        """(problems, metrics): the 'average maximum', the mean over trials of the best over sizes."""
        best: Array = self.values[goal].max(axis=3).mean(axis=1)
        return best


def forman_outcomes(rows: list[Row], methods: Sequence[str] = METRICS) -> FormanOutcomes:
    """The rows of all units as arrays."""
    problems = list(dict.fromkeys((row["set"], row["class"]) for row in rows))
    trials = sorted({int(row["trial"]) for row in rows})
    place = {problem: i for i, problem in enumerate(problems)}
    skew = np.zeros(len(problems))
    decisions = np.zeros((len(problems), len(trials), len(methods) + 1, len(SIZES), 4))
    size_of = {str(size): i for i, size in enumerate(SIZES.tolist())} | {ALL: 0}
    metric_of = {name: i for i, name in enumerate((*methods, ALL))}
    for row in rows:
        p = place[row["set"], row["class"]]
        tp, fp, fn, documents, positive = (
            int(row[name]) for name in ("tp", "fp", "fn", "documents", "positive")
        )
        skew[p] = (documents - positive) / positive
        at = p, trials.index(int(row["trial"])), metric_of[row["metric"]], size_of[row["size"]]
        decisions[at] = tp, fp, fn, documents
    measured = goal_values(decisions)
    return FormanOutcomes(
        problems,
        skew,
        {goal: values[:, :, :-1] for goal, values in measured.items()},
        {goal: values[:, :, -1, 0] for goal, values in measured.items()},
    )


def goal_values(decisions: Array) -> dict[str, Array]:
    """Each goal, from true and false positives, false negatives and documents along the last axis."""
    tp, fp, fn, documents = np.moveaxis(decisions, -1, 0)
    right = documents - fp - fn
    found = Confusion(("the class",), documents, tp[..., None], fp[..., None], fn[..., None], right)
    return {goal: getattr(found, goal)[..., 0] for goal in GOALS}
