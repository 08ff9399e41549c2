"""How large a difference is, and how sure: effect sizes of a 2x2 table, each with its interval.

The table is of documents or of occurrences. Where a metric would say 0 since there is nothing to compare, a
term in no document, a class of none or of all, the effect is 0 and its interval is without ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betainccinv, betaincinv, ndtri

from termsift._internal.errors import InvalidInputError, check_name
from termsift._internal.typing import Array
from termsift.counts import Cells, Counts, document_cells, ratio, stand_ins, token_cells

OF = ("df", "tf")
ADJUSTMENTS = ("none", "bonferroni")
NEARLY = 1 - 1e-9  # what rounding cannot reach
TINY = np.finfo(float).tiny


def log_ratio(cells: Cells) -> Array:
    """Log2 of (A/pos) / (B/neg), how many times the rate doubles; a zero counts as one half. Hardie (2014).

    >>> print(log_ratio(Cells(*map(np.array, (40., 10., 60., 90.)))))
    2.0
    """
    a, b = np.where(cells.tp == 0, 0.5, cells.tp), np.where(cells.fp == 0, 0.5, cells.fp)
    rates = ratio(a * cells.neg, b * cells.pos)
    return cells.or_zero(np.log2(np.where(rates > 0, rates, 1)))


def log_ratio_interval(cells: Cells, level: float = 0.95) -> tuple[Array, Array]:
    """Given A + B, A is binomial: its share's interval by Clopper and Pearson, carried over to the ratio.

    Without an end on the side of an empty cell.
    """
    pairs, place = np.unique(np.ravel(cells.tp) + 1j * np.ravel(cells.fp), return_inverse=True)
    a, b, alpha = pairs.real, pairs.imag, (1 - check_level(level)) / 2
    shape, sizes = np.shape(cells.tp), np.log2(positive(cells.neg)) - np.log2(positive(cells.pos))
    low = least_log_odds(a, b, alpha)[place].reshape(shape) + sizes
    high = sizes - least_log_odds(b, a, alpha)[place].reshape(shape)
    return endless(cells, low, high)


def least_log_odds(a: Array, b: Array, alpha: float) -> Array:
    """Log2 of p/(1-p), p the smallest share that gives a of a + b or more with a chance of alpha.

    The smaller of p and 1-p is looked for, about, and the other one is what it leaves of 1.
    """
    out, is_more = np.full(np.shape(a), -np.inf), a > b
    for turned, own in ((False, np.flatnonzero((a > 0) & ~is_more)), (True, np.flatnonzero(is_more))):
        x, y = a[own], b[own] + 1
        found = positive(betainccinv(y, x, alpha) if turned else betaincinv(x, y, alpha))
        odds = np.log2(found) - np.log2(positive(1 - found))
        out[own] = -odds if turned else odds
    return out


def lrc(cells: Cells, *, level: float = 0.95) -> Array:
    """The end of the interval of log_ratio that is nearer to 0, and 0 where it holds 0: at least so large.

    A conservative log ratio. Evert (2022), who takes a level of 1 - 0.05 / terms.
    """
    alpha = (1 - check_level(level)) / 2
    order: Any = "F" if np.isfortran(np.asarray(cells.tp)) else "C"
    flat = Cells(*(np.ravel(cell, order=order) for cell in (cells.tp, cells.fp, cells.fn, cells.tn)))
    return cells.or_zero(nearer_ends(flat, alpha).reshape(np.shape(cells.tp), order=order))


def nearer_ends(cells: Cells, alpha: float) -> Array:
    """(cells,) the end of each interval that is nearer to 0, 0 where it holds 0.

    An interval holds what was seen, so where that is above 0 its upper end is too, and the other way round.
    And where not to see a term in a class at all has a chance above alpha, nothing speaks against the class.
    """
    seen, due = cells.tp * cells.neg, cells.fp * cells.pos
    values = np.zeros(len(seen))
    above = np.flatnonzero((seen > NEARLY * due) & (cells.tp > 0))
    low = log_odds_beside(cells.tp[above], cells.fp[above], cells.neg[above], cells.pos[above], alpha)
    values[above] = np.where(low > 0, low, 0.0)
    never = cells.df * np.log1p(-ratio(cells.pos, cells.documents * NEARLY**-1))
    below = np.flatnonzero((due > NEARLY * seen) & (cells.fp > 0) & (never < NEARLY * np.log(alpha)))
    high = log_odds_beside(cells.fp[below], cells.tp[below], cells.pos[below], cells.neg[below], alpha)
    values[below] = np.where(high > 0, -high, values[below])
    return values


def log_odds_beside(a: Array, b: Array, others: Array, own: Array, alpha: float) -> Array:
    """The least log odds of a against b, above those of the classes' sizes; each pair is looked up once."""
    first, place = like_pairs(a, b)
    beside: Array = np.log2(positive(others)) - np.log2(positive(own))
    return beside + least_log_odds(a[first], b[first], alpha)[place]


def like_pairs(a: Array, b: Array) -> tuple[Array, Array]:
    """Pairs that stand for all that are alike, and for each pair the place of its own among them."""
    whole = a.astype(np.intp), (a + b).astype(np.intp)
    if np.array_equal(whole[0], a) and np.array_equal(whole[1] - whole[0], b):
        return stand_ins(whole[1], whole[0])
    return np.unique(a + 1j * b, return_index=True, return_inverse=True)[1:]


def odds_ratio(cells: Cells, added: float = 0.5) -> Array:
    """Log of AD / (BC), one half added to each cell."""
    s = cells.smoothed(added)
    return cells.or_zero(np.log(s.tp * s.tn / (s.fn * s.fp)))


def odds_ratio_interval(cells: Cells, level: float = 0.95) -> tuple[Array, Array]:
    """Woolf's interval: z sqrt(1/A + 1/B + 1/C + 1/D) of the added cells on either side. Woolf (1955)."""
    s = cells.smoothed(0.5)
    half = normal_quantile(level) * np.sqrt(1 / s.tp + 1 / s.fp + 1 / s.fn + 1 / s.tn)
    value = odds_ratio(cells)
    return endless(cells, value - half, value + half)


def rate_difference(cells: Cells) -> Array:
    """The difference of the rates: tpr - fpr."""
    return cells.or_zero(cells.tpr - cells.fpr)


def rate_difference_interval(cells: Cells, level: float = 0.95) -> tuple[Array, Array]:
    """Newcombe's interval, from Wilson's of either rate. Newcombe (1998), method 10."""
    z = normal_quantile(level)
    (l1, u1), (l2, u2) = wilson(cells.tp, cells.pos, z), wilson(cells.fp, cells.neg, z)
    p1, p2 = cells.tpr, cells.fpr
    low = p1 - p2 - np.hypot(p1 - l1, u2 - p2)
    high = p1 - p2 + np.hypot(u1 - p1, p2 - l2)
    return endless(cells, low, high)


def wilson(x: Array, n: Array, z: float) -> tuple[Array, Array]:
    """Wilson's interval of a rate of x in n."""
    middle = (x + z**2 / 2) / (n + z**2)
    half = z / (n + z**2) * np.sqrt(ratio(x * np.maximum(n - x, 0), n) + z**2 / 4)
    return np.maximum(middle - half, 0), np.minimum(middle + half, 1)


def endless(cells: Cells, low: Array, high: Array) -> tuple[Array, Array]:
    """The ends of an interval, none where there is nothing to compare."""
    told = (cells.df > 0) & (cells.pos > 0) & (cells.neg > 0)
    return np.where(told, low, -np.inf), np.where(told, high, np.inf)


def positive(values: Array) -> Array:
    """The values, none below the smallest number there is a logarithm of."""
    return np.maximum(values, TINY)


def normal_quantile(level: float) -> float:
    """The z of a two-sided interval: 1.96 of a level of 0.95."""
    return float(-ndtri((1 - check_level(level)) / 2))


def check_level(level: Any) -> float:
    """The level, if it is a number between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0 < level < 1:
        raise InvalidInputError(f"level must lie between 0 and 1, as 0.95 does, got {level!r}")
    return float(level)


Interval = Callable[[Cells, float], tuple[Array, Array]]
# by its name: the value, the interval, what it is of where nobody says, and what it is in words
EFFECTS: dict[str, tuple[Callable[..., Array], Interval, str, str]] = {
    "odds_ratio": (odds_ratio, odds_ratio_interval, "df", "the log of the odds ratio"),
    "log_ratio": (log_ratio, log_ratio_interval, "tf", "how many times the share doubles"),
    "lrc": (lrc, log_ratio_interval, "tf", "how many times the share doubles at least"),
    "rate_difference": (rate_difference, rate_difference_interval, "df", "the difference of the shares"),
}


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect size to be shown beside scores.

    name : of EFFECTS
    level : of its interval
    adjust : "bonferroni" shares 1 - level among all terms, so that all intervals hold at once; or "none"
    of : "df", a table of documents, or "tf", of occurrences; the effect's own where it is None
    """

    name: str = "odds_ratio"
    level: float = 0.95
    adjust: str = "none"
    of: str | None = None

    def __post_init__(self) -> None:
        check_name("effect", self.name, EFFECTS)
        check_name("adjustment", self.adjust, ADJUSTMENTS)
        check_level(self.level)
        if self.of is not None:
            check_name("table, of 'df' or of 'tf',", self.of, OF)

    @property
    def words(self) -> str:
        """What the columns effect, low and high are.

        >>> Effect().words
        'effect: the log of the odds ratio; low, high: its interval at 0.95'
        """
        many = " for all terms at once" if self.adjust == "bonferroni" else ""
        return f"effect: {EFFECTS[self.name][3]}; low, high: its interval at {self.level:.4g}{many}"

    def columns(self, counts: Counts, rows: Array, classes: Any) -> dict[str, Array]:
        """The columns effect, low and high of some terms and classes, the classes of a term together."""
        value, interval, of, _ = EFFECTS[self.name]
        table = token_cells if (self.of or of) == "tf" else document_cells
        cells = table(counts, rows, classes)
        tests = max(len(counts.terms), 1) if self.adjust == "bonferroni" else 1
        level = 1 - (1 - self.level) / tests
        low, high = interval(cells, level)
        effect = value(cells, level=level) if self.name == "lrc" else value(cells)
        return {"effect": effect.ravel(), "low": low.ravel(), "high": high.ravel()}
