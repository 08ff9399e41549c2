"""What lies behind a score: how large the difference is, and where chance begins."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from termsift._typing import Array
from termsift.chance import Margins, has_whole_documents
from termsift.chance.floors import FloorSearch, chance_floors
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
    searches = [floor_searches(metric) for metric in metrics]
    margins = Margins.of(counts).of_size(size)
    found = iter(chance_floors(margins, [search for own in searches for search in own]))
    floors = [[next(found) for _ in own] for own in searches]
    # of two-sided scores there is one for both sides
    return tuple((own[0], own[-1]) if own else (None, None) for own in floors)


def floor_searches(metric: Metric) -> list[FloorSearch]:
    """The floors to look for: of all terms, and of a one-sided metric of those against the class."""
    function = metric.of_documents({})
    if function is None:
        return []
    both = [FloorSearch(function, EXPECTED)]
    return both if metric.sided != 1 else [*both, FloorSearch(function, EXPECTED, -1, 1)]
