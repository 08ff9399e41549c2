"""The best scores under shuffled labels: chance, where the cells do not tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from termsift._typing import Array
from termsift.chance.drawing import TIE, reached
from termsift.chance.floors import lowest_within

KEPT = 1000  # the best scores of each class and shuffle; more than these chance terms are not counted


@dataclass(frozen=True, slots=True, eq=False)
class Shuffled:
    """The best scores of each class under shuffled labels; of one class where there is a score per term.

    best : (classes, shuffles, at most 1,000)
    lowest : the same of the negative scores, which speak against a class; None of a two-sided metric
    """

    best: Array
    lowest: Array | None = None

    def number(self, value: float, c: int | None = None, *, against: bool = False) -> float:
        """How many terms reach a value in a shuffle, on average; of one class or of all."""
        own, turned = self._pool(c, against)
        return float(reached(own, turned * value).sum() / self.best.shape[1])

    def floor(self, expected: float, c: int | None = None, *, against: bool = False) -> float:
        """The smallest score that shuffles gave to at most `expected` terms on average.

        Where even the largest was given too often, what is just above it.
        """
        own, turned = self._pool(c, against)
        own = -np.sort(-own)
        found = lowest_within(own, np.ones(len(own)), expected * self.best.shape[1])
        if np.isinf(found) and len(own):
            found = max(float(np.nextafter(own[0], np.inf)), float(own[0] + 2 * TIE * abs(own[0])))
        return turned * found

    def of_class(self, c: int) -> Shuffled:
        """The same of one class."""
        return Shuffled(self.best[[c]], None if self.lowest is None else self.lowest[[c]])

    def _pool(self, c: int | None, against: bool) -> tuple[Array, float]:
        turned = against and self.lowest is not None
        best: Array = self.lowest if turned else self.best  # type: ignore[assignment]
        return (best if c is None else best[c]).ravel(), -1.0 if turned else 1.0


def best_scores(values: Array) -> Array:
    """(classes, at most 1,000) the best scores of each class; (1, ...) where there is one per term."""
    columns = values[None, :] if values.ndim == 1 else values.T
    kept = min(KEPT, columns.shape[1])
    if kept == 0:
        return np.zeros((len(columns), 0))
    best: Array = np.partition(columns, columns.shape[1] - kept, axis=1)[:, columns.shape[1] - kept :]
    return best
