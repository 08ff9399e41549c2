"""Accuracies and times of each method and number of features, over the splits of a corpus."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import mean, stdev
from typing import TypeAlias

from termsift.studies.study import Row

Key: TypeAlias = tuple[str, str, str]
CORPORA = ("20news", "reuters10")


@dataclass(frozen=True, slots=True, eq=False)
class JiangOutcomes:
    """By corpus, method and features: the accuracies of the splits, in per cent, and the seconds."""

    accuracies: dict[Key, list[float]]
    times: dict[Key, list[float]]

    def accuracy(self, corpus: str, method: str, features: object) -> float:
        """The mean over splits."""
        return mean(self.accuracies[corpus, method, str(features)])

    def spread(self, key: Key) -> float:
        """The standard deviation over splits, 0 where there is one."""
        values = self.accuracies[key]
        return stdev(values) if len(values) > 1 else 0.0

    def seconds(self, corpus: str, method: str, features: object) -> float:
        """The mean over splits."""
        return mean(self.times[corpus, method, str(features)])

    def sizes(self, corpus: str, method: str) -> list[int]:
        """The numbers of features of a method, ascending."""
        return sorted(int(key[2]) for key in self.accuracies if key[:2] == (corpus, method))


def jiang_outcomes(rows: Iterable[Row]) -> JiangOutcomes:
    """The outcomes of the rows of all units."""
    accuracies: dict[Key, list[float]] = defaultdict(list)
    times: dict[Key, list[float]] = defaultdict(list)
    for row in rows:
        key = row["corpus"], row["method"], str(row["features"])
        accuracies[key].append(100 * int(row["right"]) / int(row["judged"]))
        times[key].append(float(row["seconds"]))
    return JiangOutcomes(dict(accuracies), dict(times))
