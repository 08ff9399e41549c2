"""What lies behind a score: how large the difference is, and where chance begins."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from termsift._typing import Array
from termsift.chance import Margins, chance_floor, has_whole_documents
from termsift.contingency import Cells
from termsift.contingency.effects import odds_ratio, odds_ratio_interval
from termsift.counts import Counts
from termsift.metrics import Metric

# of terms that speak for a class, and of those against it; None where chance is not known
Floors: TypeAlias = tuple[float | None, float | None]
# the effect that a bar of full length stands for: the odds are three thousand times as high
FULL_EFFECT, MOST_EFFECT = 8.0, 99.0
# of the terms of a class, so many reach the floor by chance
EXPECTED = 1.0


def effects(tp: Array, fp: Array, pos: float, neg: float) -> Array:
    """(3, terms): the log odds ratio of each term, one half added to each cell, and its interval by Woolf."""
    cells = Cells(tp, fp, pos - tp, neg - fp)
    # an end that is infinite is far beyond the page
    ends = np.stack([odds_ratio(cells), *odds_ratio_interval(cells)])
    return ends.clip(-MOST_EFFECT, MOST_EFFECT)


def class_floors(counts: Counts, column: int, metrics: tuple[Metric, ...]) -> tuple[Floors, ...]:
    """For each metric where chance begins for a class; a floor that no term can reach is infinite."""
    size = counts.class_sizes[column]
    if not has_whole_documents(counts) or not 0 < size < counts.documents:
        return ((None, None),) * len(metrics)
    margins = Margins.of(counts).of_size(size)
    return tuple(metric_floors(margins, metric) for metric in metrics)


def metric_floors(margins: Margins, metric: Metric) -> Floors:
    """Where chance begins for the only class of the margins; of two-sided scores one for both sides."""
    function = metric.of_documents({})
    if function is None:
        return None, None
    floor = chance_floor(margins, function, EXPECTED)
    if metric.sided != 1:
        return floor, floor
    return floor, chance_floor(margins, function, EXPECTED, -1, 1)
