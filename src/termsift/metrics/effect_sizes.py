"""Effect sizes of a 2x2 table, each with its confidence interval.

The table counts documents or occurrences. For a term in no document, or a class with no or all documents, the
effect is 0 and its interval is unbounded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betainccinv, betaincinv, ndtri

from termsift._internal.errors import InvalidInputError, check_name
from termsift._internal.typing import Array
from termsift.counts import Cells, Counts, Totals, group_equal_pairs, ratio, select_cells

NEARLY_ONE = 1 - 1e-9  # comparisons leave this room for rounding
TINY = np.finfo(float).tiny


def log_ratio(cells: Cells) -> Array:
    """Log2 ratio of rates: log2 (A/pos) / (B/neg); a zero counts as one half. Hardie (2014).

    >>> print(log_ratio(Cells(*map(np.array, (40., 10., 60., 90.)))))
    2.0
    """
    a, b = np.where(cells.tp == 0, 0.5, cells.tp), np.where(cells.fp == 0, 0.5, cells.fp)
    rates = ratio(a * cells.neg, b * cells.pos)
    return cells.zero_undefined(np.log2(np.where(rates > 0, rates, 1)))


def log_ratio_interval(cells: Cells, level: float = 0.95) -> tuple[Array, Array]:
    """Return the Clopper-Pearson interval of A given A + B, transformed to the log2 ratio of rates.

    Toward an empty cell the interval is unbounded.
    """
    pairs, index = np.unique(np.ravel(cells.tp) + 1j * np.ravel(cells.fp), return_inverse=True)
    a, b, alpha = pairs.real, pairs.imag, (1 - validate_level(level)) / 2
    shape, offset = np.shape(cells.tp), _finite_log2(cells.neg) - _finite_log2(cells.pos)
    low = _lower_log2_odds(a, b, alpha)[index].reshape(shape) + offset
    high = offset - _lower_log2_odds(b, a, alpha)[index].reshape(shape)
    return _widen_undefined(cells, low, high)


def _lower_log2_odds(a: Array, b: Array, alpha: float) -> Array:
    """Return log2 p/(1-p), p the smallest share for which a or more of a + b has probability alpha.

    The smaller of p and 1-p is computed and subtracted from 1, which is accurate at both ends.
    """
    log_odds, is_large = np.full(np.shape(a), -np.inf), a > b
    small, large = np.flatnonzero((a > 0) & ~is_large), np.flatnonzero(is_large)
    p = np.maximum(betaincinv(a[small], b[small] + 1, alpha), TINY)
    log_odds[small] = np.log2(p) - _finite_log2(1 - p)
    p = np.maximum(betainccinv(b[large] + 1, a[large], alpha), TINY)
    log_odds[large] = -(np.log2(p) - _finite_log2(1 - p))
    return log_odds


def conservative_log_ratio(cells: Cells, *, level: float = 0.95) -> Array:
    """Return the limit of log_ratio's interval nearer to 0, or 0 if it contains 0. Evert (2022)."""
    alpha = (1 - validate_level(level)) / 2
    order: Any = "F" if np.isfortran(np.asarray(cells.tp)) else "C"
    flat = cells.map(lambda cell: np.ravel(cell, order=order))
    inside, outside = flat.tp * flat.neg, flat.fp * flat.pos
    limits = np.zeros(len(inside))
    # the interval contains the observed ratio, so for a ratio above 0 only the lower limit can be nearer
    # to 0, and vice versa
    above = np.flatnonzero((inside > NEARLY_ONE * outside) & (flat.tp > 0))
    low = _lowest_log_ratio(flat.tp[above], flat.fp[above], flat.neg[above], flat.pos[above], alpha)
    limits[above] = np.where(low > 0, low, 0.0)
    # a limit below 0 needs P(no occurrence in the class) below alpha: other cells are skipped
    log_absence = flat.df * np.log1p(-ratio(flat.pos, flat.documents * NEARLY_ONE**-1))
    can_be_below = log_absence < NEARLY_ONE * np.log(alpha)
    below = np.flatnonzero((outside > NEARLY_ONE * inside) & (flat.fp > 0) & can_be_below)
    high = _lowest_log_ratio(flat.fp[below], flat.tp[below], flat.pos[below], flat.neg[below], alpha)
    limits[below] = np.where(high > 0, -high, limits[below])
    return cells.zero_undefined(limits.reshape(np.shape(cells.tp), order=order))


def _lowest_log_ratio(a: Array, b: Array, b_total: Array, a_total: Array, alpha: float) -> Array:
    """Return the lower limit of log2 (a / a_total) / (b / b_total); equal pairs are computed once."""
    df = a.astype(np.intp) + b.astype(np.intp)
    if np.array_equal(a.astype(np.intp), a) and np.array_equal(df, a + b):
        first, index = group_equal_pairs(df, a.astype(np.intp))
    else:
        first, index = np.unique(a + 1j * b, return_index=True, return_inverse=True)[1:]
    offset: Array = _finite_log2(b_total) - _finite_log2(a_total)
    return offset + _lower_log2_odds(a[first], b[first], alpha)[index]


def log_odds_ratio(cells: Cells, smoothing: float = 0.5) -> Array:
    """Log odds ratio: log of AD / (BC), with `smoothing` added to each cell."""
    s = cells.smooth(smoothing)
    return cells.zero_undefined(np.log(s.tp * s.tn / (s.fn * s.fp)))


def log_odds_ratio_interval(cells: Cells, level: float = 0.95) -> tuple[Array, Array]:
    """Return Woolf's interval: z sqrt(1/A + 1/B + 1/C + 1/D) of the smoothed cells. Woolf (1955)."""
    s = cells.smooth(0.5)
    half_width = _two_sided_z(level) * np.sqrt(1 / s.tp + 1 / s.fp + 1 / s.fn + 1 / s.tn)
    value = log_odds_ratio(cells)
    return _widen_undefined(cells, value - half_width, value + half_width)


def rate_difference(cells: Cells) -> Array:
    """Difference of the rates: tpr - fpr."""
    return cells.zero_undefined(cells.tpr - cells.fpr)


def rate_difference_interval(cells: Cells, level: float = 0.95) -> tuple[Array, Array]:
    """Return Newcombe's interval, from Wilson's intervals of both rates. Newcombe (1998), method 10."""
    z = _two_sided_z(level)
    (l1, u1), (l2, u2) = _wilson_interval(cells.tp, cells.pos, z), _wilson_interval(cells.fp, cells.neg, z)
    p1, p2 = cells.tpr, cells.fpr
    low = p1 - p2 - np.hypot(p1 - l1, u2 - p2)
    high = p1 - p2 + np.hypot(u1 - p1, p2 - l2)
    return _widen_undefined(cells, low, high)


def _wilson_interval(x: Array, n: Array, z: float) -> tuple[Array, Array]:
    center = (x + z**2 / 2) / (n + z**2)
    half_width = z / (n + z**2) * np.sqrt(ratio(x * np.maximum(n - x, 0), n) + z**2 / 4)
    return np.maximum(center - half_width, 0), np.minimum(center + half_width, 1)


def _widen_undefined(cells: Cells, low: Array, high: Array) -> tuple[Array, Array]:
    """Make the limits infinite for cells that have nothing to compare."""
    return np.where(cells.is_defined, low, -np.inf), np.where(cells.is_defined, high, np.inf)


def _finite_log2(values: Array) -> Array:
    """Return log2, for 0 that of the smallest float."""
    return np.asarray(np.log2(np.maximum(values, TINY)))


def _two_sided_z(level: float) -> float:
    """Return the z of a two-sided interval: 1.96 for a level of 0.95."""
    return float(-ndtri((1 - validate_level(level)) / 2))


def validate_level(level: Any) -> float:
    """Return a confidence level, or raise an error if it is not between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0 < level < 1:
        raise InvalidInputError(f"level must be between 0 and 1, such as 0.95, got {level!r}")
    return float(level)


def is_bonferroni(name: Any) -> bool:
    """Return whether intervals are adjusted for the number of terms; the name must be valid."""
    check_name("adjustment", name, ("none", "bonferroni"))
    return bool(name == "bonferroni")


Interval = Callable[[Cells, float], tuple[Array, Array]]
CONSERVATIVE = "conservative log2 ratio (1 = at least twice as frequent)"
# by name: value, interval, default table (documents or occurrences), description
EFFECTS: dict[str, tuple[Callable[..., Array], Interval, str, str]] = {
    "odds_ratio": (log_odds_ratio, log_odds_ratio_interval, "df", "log odds ratio"),
    "log_ratio": (log_ratio, log_ratio_interval, "tf", "log2 ratio (1 = twice as frequent)"),
    "lrc": (conservative_log_ratio, log_ratio_interval, "tf", CONSERVATIVE),
    "rate_difference": (rate_difference, rate_difference_interval, "df", "difference of rates"),
}


@dataclass(frozen=True, slots=True)
class Effect:
    """Effect size shown with scores.

    Parameters
    ----------
    name : "odds_ratio", "log_ratio", "lrc" or "rate_difference"
    level : confidence level of the interval
    adjust : "bonferroni" divides 1 - level by the number of terms, so that all intervals hold at once; or
        "none"
    of : "df" for a table of documents, "tf" for one of occurrences; by default that of the effect

    """

    name: str = "odds_ratio"
    level: float = 0.95
    adjust: str = "none"
    of: str | None = None

    def __post_init__(self) -> None:
        check_name("effect", self.name, EFFECTS)
        is_bonferroni(self.adjust)
        validate_level(self.level)
        if self.of is not None and str(self.of) not in ("df", "tf"):
            raise InvalidInputError(f"of must be one of 'df', 'tf', got {self.of!r}")

    @property
    def description(self) -> str:
        """Explanation of the columns effect, low and high.

        >>> Effect().description
        'effect = log odds ratio; low-high = 95% confidence interval'
        """
        scope = ", for all terms at once" if self.adjust == "bonferroni" else ""
        interval = f"{100 * self.level:.4g}% confidence interval{scope}"
        return f"effect = {EFFECTS[self.name][3]}; low-high = {interval}"

    def estimate(self, cells: Cells, n_tests: int = 1) -> tuple[Array, Array, Array]:
        """Return the effect and the limits of its interval, with 1 - level divided by `n_tests`."""
        value, interval, _, _ = EFFECTS[self.name]
        level = 1 - (1 - self.level) / n_tests
        effect = value(cells, level=level) if self.name == "lrc" else value(cells)
        return effect, *interval(cells, level)

    def columns(self, counts: Counts, rows: Array, classes: Any) -> dict[str, Array]:
        """Return the columns effect, low and high for some terms and classes, term by term."""
        # the totals are those of all terms, even if the counts are of some that Spark scores together
        n_tests = max(Totals.from_counts(counts).vocabulary, 1) if self.adjust == "bonferroni" else 1
        cells = select_cells(counts, rows, classes, self.of or EFFECTS[self.name][2])
        estimates = self.estimate(cells, n_tests)
        return {name: x.ravel() for name, x in zip(("effect", "low", "high"), estimates, strict=True)}
