"""What lies behind a score: how large the difference is, and where chance begins."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from termsift._typing import Array
from termsift.contingency import cells_of
from termsift.counts import Counts
from termsift.metrics import Metric

# the effect that a bar of full length stands for: the odds are three thousand times as high
FULL_EFFECT = 8.0
Z = 1.959963984540054
EXPECTED = 1.0


def effects(tp: Array, fp: Array, pos: float, neg: float) -> Array:
    """(3, terms): the log odds ratio of each term, one half added to each cell, and Woolf's interval of it."""
    cells = [part + 0.5 for part in (tp, fp, pos - tp, neg - fp)]
    value = np.log(cells[0] * cells[3] / (cells[1] * cells[2]))
    half = Z * np.sqrt(sum(1 / cell for cell in cells))
    return np.stack([value, value - half, value + half])


def class_floors(counts: Counts, column: int, metric: Metric) -> tuple[float | None, float | None]:
    """Where chance begins for a class: for terms that speak for it, and for those that speak against it."""
    pos, n = float(counts.class_sizes[column]), float(counts.documents)
    if not metric.of_cells or counts.class_sizes.dtype.kind == "f" or not 0 < pos < n:
        return None, None
    tp, df, expected = chance_cells(counts.term_df, pos, n)
    values = metric.function(cells_of(tp, df, np.array(pos), n))
    high = floor_of(values, expected)
    return high, high if metric.sided != 1 else (
        None if (low := floor_of(-values, expected)) is None else -low
    )


def chance_cells(term_df: Array, pos: float, n: float) -> tuple[Array, Array, Array]:
    distinct, times = np.unique(term_df, return_counts=True)
    lows, highs = np.maximum(0, distinct - (n - pos)), np.minimum(distinct, pos)
    sizes = (highs - lows + 1).astype(int)
    df = np.repeat(distinct, sizes).astype(float)
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    tp = np.arange(len(df)) - starts + np.repeat(lows, sizes)
    log = (
        gammaln(df + 1) - gammaln(tp + 1) - gammaln(df - tp + 1)
        + gammaln(n - df + 1) - gammaln(pos - tp + 1) - gammaln(n - df - pos + tp + 1)
        + gammaln(pos + 1) + gammaln(n - pos + 1) - gammaln(n + 1)
    )  # fmt: skip
    expected = np.repeat(times, sizes) * np.exp(log)
    seen = expected > 1e-9
    return tp[seen], df[seen], expected[seen]


def floor_of(values: Array, expected: Array) -> float | None:
    order = np.argsort(-values, kind="stable")
    ranked, sums = values[order], np.cumsum(expected[order])
    last = np.append(ranked[1:] != ranked[:-1], True)
    fitting = last & (sums <= EXPECTED)
    return float(ranked[fitting][-1]) if fitting.any() else None
