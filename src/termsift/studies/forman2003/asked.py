"""The outcomes, asked in the paper's terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from termsift._typing import Array
from termsift.evaluation import paired_t, wilcoxon
from termsift.evaluation.tolerance import gaps
from termsift.studies.forman2003.outcomes import Outcomes
from termsift.studies.forman2003.trials import METRICS, SIZES

PRINTED = ("Acc", "Acc2", "BNS", "Chi", "DFreq", "F1", "IG", "Odds", "OddN", "Pow", "PR", "Rand")
NAMES = dict(zip(METRICS, PRINTED, strict=True))
# within how much of the best a metric wins; the skew compresses the range of accuracy
TOLERANCE = {"f1": 0.01, "precision": 0.01, "recall": 0.01, "accuracy": 0.001}
LEVEL = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """Averages, leaders, tests and wins."""

    found: Outcomes

    def of(self, metric: str, goal: str, size: int, subset: str = "all") -> float:
        """A macro-average."""
        return float(self.found.macro(goal, subset)[METRICS.index(metric), SIZES.tolist().index(size)])

    def every(self, goal: str, size: int, subset: str = "all") -> dict[str, float]:
        """The macro-average of each metric at a size."""
        return {metric: self.of(metric, goal, size, subset) for metric in METRICS}

    def best(self, goal: str, subset: str = "all") -> dict[str, float]:
        """The best macro-average of each metric over sizes."""
        return dict(zip(METRICS, self.found.macro(goal, subset).max(axis=1).tolist(), strict=True))

    def by_size(self, metric: str, goal: str, subset: str = "all") -> Array:
        """(sizes,): the macro-averages of a metric."""
        values: Array = self.found.macro(goal, subset)[METRICS.index(metric)]
        return values

    def runs(self, metric: str, goal: str, size: int) -> Array:
        """(problems, trials) of a metric at a size."""
        values: Array = self.found.values[goal][:, :, METRICS.index(metric), SIZES.tolist().index(size)]
        return values

    def p_values(self, better: str, worse: str, goal: str, size: int) -> tuple[float, float]:
        """Of the t test over runs, which is the paper's, and of Wilcoxon's over problems."""
        a, b = self.runs(better, goal, size), self.runs(worse, goal, size)
        over_runs = paired_t(a.ravel(), b.ravel(), alternative="greater").p_value
        return over_runs, wilcoxon(a.mean(axis=1), b.mean(axis=1), alternative="greater").p_value

    def won(self, goal: str, tolerance: float | None = None) -> Array:
        """(problems, metrics): whether a metric comes within a tolerance of the best average maximum."""
        within = TOLERANCE[goal] if tolerance is None else tolerance
        won: Array = gaps(self.found.maxima(goal), relative=False) <= within
        return won

    def share(self, goal: str, tolerance: float | None = None) -> dict[str, float]:
        """The share of problems that each metric wins."""
        return dict(zip(METRICS, self.won(goal, tolerance).mean(axis=0).tolist(), strict=True))


def leader(values: dict[str, float]) -> str:
    """The metric of the largest value."""
    return max(values, key=lambda metric: values[metric])


def lead(values: dict[str, float]) -> float:
    """By how much the largest value is above the second."""
    return float(np.diff(sorted(values.values()))[-1])


def shown(values: dict[str, float], n: int = 4) -> str:
    """The n largest with their names, the largest first."""
    order = sorted(values, key=lambda metric: -values[metric])[:n]
    return ", ".join(f"{NAMES[metric]} {values[metric]:.3f}" for metric in order)


def span(values: Sequence[float] | Array) -> str:
    """The smallest and the largest difference."""
    return f"difference {min(values):+.3f} to {max(values):+.3f}"
