"""Results of all trials as arrays, and the paper's questions of them: averages, tests and wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from termsift._typing import Array
from termsift.evaluation import paired_t, wilcoxon
from termsift.evaluation.chances import gaps
from termsift.studies.forman2003.trials import ALL, GOALS, METRICS, SIZES
from termsift.studies.study import Row

HIGH_SKEW = 67
# within how much of the best a metric wins; the skew compresses the range of accuracy
TOLERANCE = {"f1": 0.01, "precision": 0.01, "recall": 0.01, "accuracy": 0.001}


@dataclass(frozen=True, slots=True, eq=False)
class FormanOutcomes:
    """values : for each goal (problems, trials, metrics, sizes); everything : (problems, trials), all terms.

    methods : the metrics by name; problems : (set, class) each
    sizes : (problems, 2), documents inside the class and outside it
    relative : whether a tolerance is a share of the best rather than points of the goal
    """

    methods: Sequence[str]
    problems: list[tuple[str, str]]
    sizes: Array
    values: Mapping[str, Array]
    everything: Mapping[str, Array]
    relative: bool = False

    @property
    def skew(self) -> Array:
        """(problems,) documents outside the class for each one in it."""
        skew: Array = self.sizes[:, 1] / self.sizes[:, 0]
        return skew

    @property
    def groups(self) -> list[str]:
        """The groups that have problems."""
        return [name for name in ("all", "low skew", "high skew") if self.subset(name).any()]

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

    def of(self, metric: str, goal: str, size: int, subset: str = "all") -> float:
        """A macro-average."""
        return float(self.macro(goal, subset)[self.methods.index(metric), SIZES.tolist().index(size)])

    def every(self, goal: str, size: int, subset: str = "all") -> dict[str, float]:
        """The macro-average of each metric at a size."""
        return {metric: self.of(metric, goal, size, subset) for metric in self.methods}

    def best(self, goal: str, subset: str = "all") -> dict[str, float]:
        """The best macro-average of each metric over sizes."""
        return dict(zip(self.methods, self.macro(goal, subset).max(axis=1).tolist(), strict=True))

    def best_size(self, metric: str, goal: str) -> int:
        """The size at which a metric has its best macro-average."""
        return int(SIZES[int(np.argmax(self.by_size(metric, goal)))])

    def by_size(self, metric: str, goal: str, subset: str = "all") -> Array:
        """(sizes,): the macro-averages of a metric."""
        values: Array = self.macro(goal, subset)[self.methods.index(metric)]
        return values

    def runs(self, metric: str, goal: str, size: int, subset: str = "all") -> Array:
        """(problems, trials) of a metric at a size."""
        values: Array = self.values[goal][:, :, self.methods.index(metric), SIZES.tolist().index(size)]
        own: Array = values[self.subset(subset)]
        return own

    def p_values(
        self, better: str, worse: str, goal: str, size: int, subset: str = "all"
    ) -> tuple[float, float]:
        """Of the t test over runs, which is the paper's, and of Wilcoxon's over problems."""
        a, b = (self.runs(metric, goal, size, subset) for metric in (better, worse))
        over_runs = paired_t(a.ravel(), b.ravel(), alternative="greater").p_value
        return over_runs, wilcoxon(a.mean(axis=1), b.mean(axis=1), alternative="greater").p_value

    def won(self, goal: str, tolerance: float | None = None) -> Array:
        """(problems, metrics): whether a metric comes within a tolerance of the best average maximum."""
        within = TOLERANCE[goal] if tolerance is None else tolerance
        won: Array = gaps(self.maxima(goal), relative=self.relative) <= within
        return won

    def share(self, goal: str, tolerance: float | None = None) -> dict[str, float]:
        """The share of problems that each metric wins."""
        return dict(zip(self.methods, self.won(goal, tolerance).mean(axis=0).tolist(), strict=True))


def forman_outcomes(rows: list[Row], methods: Sequence[str] = METRICS) -> FormanOutcomes:
    """The rows of all units as arrays. Of the methods that they hold, all terms are the last."""
    problems = list(dict.fromkeys((row["set"], row["class"]) for row in rows))
    # beyond the paper there is one trial, which rows do not tell
    trials = {trial: i for i, trial in enumerate(sorted({int(row.get("trial", 0)) for row in rows}))}
    place = {problem: i for i, problem in enumerate(problems)}
    sizes = np.zeros((len(problems), 2), dtype=np.int64)
    values = np.zeros((len(GOALS), len(problems), len(trials), len(methods) + 1, len(SIZES)))
    size_of = {str(size): i for i, size in enumerate(SIZES.tolist())} | {ALL: 0}
    metric_of = {name: i for i, name in enumerate((*methods, ALL))}
    for row in rows:
        p = place[row["set"], row["class"]]
        documents, positive = int(row["documents"]), int(row["positive"])
        sizes[p] = positive, documents - positive
        at = p, trials[int(row.get("trial", 0))], metric_of[row["metric"]], size_of[row["size"]]
        values[:, *at] = [float(row[goal]) for goal in GOALS]
    measured = dict(zip(GOALS, values, strict=True))
    selected = {goal: own[:, :, :-1] for goal, own in measured.items()}
    everything = {goal: own[:, :, -1, 0] for goal, own in measured.items()}
    return FormanOutcomes(methods, problems, sizes, selected, everything)
