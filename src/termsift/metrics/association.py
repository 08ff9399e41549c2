"""Whether a term and a class go together more than by chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import erfcx, gammaln, ndtr, xlog1py, xlogy

from termsift._internal.typing import Array
from termsift.counts import Cells, GroupedCounts, ratio
from termsift.metrics.significance import Draws, accumulate_draws

TABLE = 1 << 22  # the largest table of factorials
# steps of a tail that is summed; behind them, of more than 10^8 documents, the rest is an integral
STEPS = 1 << 15


def chi2(cells: Cells) -> Array:
    """Pearson's chi-squared of the 2x2 table: N (AD - BC)^2 / ((A+B)(C+D)(A+C)(B+D)), 0 for an empty margin.

    scikit-learn's chi2 leaves out the documents without the term:
    on binary data with two classes it is this times (1 - df/N).
    Forman (2003), table 1; Zheng, Wu and Srihari (2004), section 2.

    >>> print(chi2(Cells(*map(np.array, (30., 10., 20., 40.)))).round(4))
    16.6667
    """
    return cells.memoize(cc) ** 2


def chi2_joint(cells: Cells) -> Array:
    """(AD - BC)^2 / (ABCD), 0 where a cell is empty: the chi-squared as Tang, Kay and He (2016) print it.

    Equation 9 divides by the four joint probabilities instead of the margins. So it equals r + 1/r - 2 with
    the odds ratio r = AD / (BC): it ranks by effect size, however few documents show the effect.

    >>> print(chi2_joint(Cells(*map(np.array, (30., 10., 20., 40.)))).round(4))
    4.1667
    """
    return ratio(cells.association**2, cells.tp * cells.fp * cells.fn * cells.tn)


def chi2_member(cells: Cells) -> Array:
    """The contribution of one class to chi2_all: (1 - P(c)) chi2. Summed over the classes it is chi2_all.

    Pearson's chi-squared of the term's presence against all classes at once. Forman (2003), table 1.
    """
    return chi2(cells) * ratio(cells.neg, cells.documents)


def cc(cells: Cells) -> Array:
    """The correlation coefficient, the signed root of chi2: sqrt(N) (AD - BC) / sqrt((A+B)(C+D)(A+C)(B+D)).

    Zheng, Wu and Srihari (2004), section 2; the NGL coefficient of Uchyigit and Clark.
    """
    margins = np.sqrt(cells.df * (cells.fn + cells.tn)) * np.sqrt(cells.pos * cells.neg)
    return ratio(np.sqrt(cells.documents) * cells.association, margins)


def gss(cells: Cells) -> Array:
    """The simplified chi-squared: (AD - BC) / N^2. Tang, Kay and He (2016), equation 10."""
    return ratio(cells.association, cells.documents**2)


def gu(cells: Cells, *, printed: bool = False) -> Array:
    """The GU metric: abs(z) A neg / (pos B), z for the difference of two proportions; B = 0 counts as half.

    printed=True computes z from raw counts, as in the paper's formula; its text speaks of proportions.
    Uchyigit and Clark, section 2.
    """
    difference = cells.tp - cells.fp if printed else cells.tpr - cells.fpr
    p = ratio(cells.df, cells.documents)
    spread = p * (1 - p) * ratio(cells.documents, cells.pos * cells.neg)
    z = ratio(difference, np.sqrt(np.maximum(spread, 0)))
    outside = np.where(cells.fp == 0, 0.5, cells.fp)
    return cells.zero_undefined(np.abs(z) * ratio(cells.tp * cells.neg, cells.pos * outside))


def hypergeometric(cells: Cells) -> Array:
    """Enrichment: -log10 of the chance of drawing at least A documents of the class among A + B.

    The upper tail of the hypergeometric distribution, computed in logarithms, so it is never infinite.
    """
    return cells.zero_undefined(np.maximum(-log_upper_tail(cells) / np.log(10), 0))


@dataclass(frozen=True)
class Enrichment:
    """hypergeometric; the tails of all draws at once are running sums of their chances."""

    def __call__(self, cells: Cells) -> Array:
        """The scores of any cells."""
        return hypergeometric(cells)

    def score_draws(self, draws: Draws) -> Array:
        """(points, pairs) the scores of draws."""
        tail = draws.chance[::-1].copy()
        accumulate_draws(tail)
        tail = tail[::-1]
        logarithm = np.log10(np.where(tail > 0, tail, 1))
        return draws.cells.zero_undefined(np.where(tail > 0, np.maximum(-logarithm, 0), np.inf))


def log_upper_tail(cells: Cells) -> Array:
    """Log P(X >= A), X the documents of the class among A + B drawn from N without return.

    SciPy's sf underflows to 0 for the terms that matter most, and its logsf takes one element at a time.
    The tail is summed from A upwards where A is above the mean; below it, the other tail is summed
    downwards from A - 1 and taken from 1. Either way the terms shrink from the first one on.
    """
    tp, fp, fn, tn = (np.ravel(x) for x in (cells.tp, cells.fp, cells.fn, cells.tn))
    n = tp + fp + fn + tn
    out = np.zeros(tp.size)
    seen = tp > 0
    above = seen & (tp * n >= (tp + fp) * (tp + fn))
    below = seen & ~above
    a, b, c, d = (x[above] for x in (tp, fp, fn, tn))
    out[above] = np.minimum(log_mass(a, b, c, d) + np.log(falling_sum(a, b, c, d)), 0)
    # one document fewer in the class: the cells at A - 1, seen from the complement of the class
    a, b, c, d = tp[below] - 1, fp[below] + 1, fn[below] + 1, tn[below] - 1
    lower = np.exp(log_mass(a, b, c, d)) * falling_sum(b, a, d, c)
    out[below] = np.log1p(-np.minimum(lower, 1 - 1e-16))
    return out.reshape(np.shape(cells.tp))


def log_mass(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Log P(X = A): the product of the margins' factorials over those of N and the cells."""
    n = a + b + c + d
    large = n.max(initial=0) > TABLE
    log_factorial = stirling_rest if large else _log_factorials(a, b, c, d, n)
    margins = log_factorial(a + b) + log_factorial(c + d) + log_factorial(a + c) + log_factorial(b + d)
    cells = log_factorial(a) + log_factorial(b) + log_factorial(c) + log_factorial(d)
    main = departure(a, b, c, d) if large else 0.0
    return np.where(np.minimum(a, d) < 0, -np.inf, margins - cells - log_factorial(n) - main)


def stirling_rest(x: Array) -> Array:
    """Log x! - (x log x - x)."""
    x = np.maximum(x, 0)
    series = np.maximum(x, 1)
    rest = np.log(2 * np.pi * series) / 2 + 1 / (12 * series) - 1 / (360 * series**3)
    return np.where(x < 16, gammaln(x + 1) - xlogy(x, x) + x, rest)


def departure(a: Array, b: Array, c: Array, d: Array) -> Array:
    """The sum over the cells of O log(O / E), without the differences of large numbers it is made of.

    Every cell is as far from E as the others, and where they sum up O - E goes.
    """
    n = a + b + c + d
    off = ratio(a * d - b * c, n)
    total = np.zeros_like(n)
    for sign, row, column in ((1, a + b, a + c), (-1, a + b, b + d), (-1, c + d, a + c), (1, c + d, b + d)):
        expected = row * ratio(column, n)
        part = np.maximum(ratio(sign * off, expected), -1)
        total += expected * (xlog1py(1 + part, part) - part)
    return total


def falling_sum(a: Array, b: Array, c: Array, d: Array) -> Array:
    """The sum of P(X = A + j) / P(X = A) over j = 0, 1, ..., until the terms no longer count.

    Where they do after many steps, they fall as a normal density, and the rest is its integral.
    Terms that no longer count change no sum, so cells are left behind when half of them are at their end.
    """
    out = np.ones(a.size)
    total, term, going = np.ones(a.size), np.ones(a.size), np.arange(a.size)
    a, b, c, d = (x.astype(np.float64) for x in (a, b, c, d))
    for step in range(STEPS):
        a += 1
        d += 1
        term *= np.maximum(b, 0)
        term *= np.maximum(c, 0)
        term /= a * d
        b -= 1
        c -= 1
        total += term
        more = term > 1e-17 * total
        if 2 * np.count_nonzero(more) > more.size and step + 1 < STEPS:
            continue
        out[going] = total
        going = going[more]
        total, term, a, b, c, d = (x[more] for x in (total, term, a, b, c, d))
        if not going.size:
            return out
    out[going] += term * normal_rest(a, b, c, d)
    return out


def normal_rest(a: Array, b: Array, c: Array, d: Array) -> Array:
    """The sum of P(X = A + j) / P(X = A) over j = 1, 2, ..., the logarithms of which fall as a parabola."""
    fall = np.log(a + 1) + np.log(d + 1) - np.log(b) - np.log(c)
    bend = 1 / (a + 1) + 1 / b + 1 / c + 1 / (d + 1)
    width = np.sqrt(np.pi / (2 * bend))
    return np.asarray(width * erfcx(fall / np.sqrt(2 * bend)) * np.exp(bend / 8 - fall / 2))


def _log_factorials(*numbers: Array) -> Callable[[Array], Array]:
    """Log x! for whole numbers, the largest the last, from a table; else one by one."""
    most = int(numbers[-1].max(initial=0))
    if most > TABLE or not all(np.array_equal(x, np.floor(x)) for x in numbers):
        return lambda x: gammaln(np.maximum(x, 0) + 1)
    table = gammaln(np.arange(most + 2) + 1.0)
    return lambda x: table[np.maximum(x, 0).astype(np.intp)]


@dataclass(frozen=True, slots=True)
class StratifiedMetric:
    """A metric of strata.

    parts : of the cells of a stratum the numbers to add up, (parts, ...)
    joined : the score of their sums
    p : the p-values of scores
    """

    parts: Callable[[Cells], Array]
    joined: Callable[[Array], Array]
    p: Callable[[Array], Array] | None = None

    def __call__(self, grouped: GroupedCounts) -> Array:
        """(terms, classes) the scores within the groups."""
        shape = len(grouped.terms), len(grouped.classes)
        sums = np.zeros((len(self.parts(one_cell())), *shape))
        for rows, cells in grouped.strata():
            sums[:, rows] += self.parts(cells)
        return self.joined(sums)


def one_cell() -> Cells:
    """Cells of one term and class, to see how many parts there are."""
    return Cells(*np.ones((4, 1)))


def cmh(cells: Cells) -> Array:
    """Cochran, Mantel and Haenszel's z: sum of (A - E) / sqrt(sum of V) over the strata.

    E = pos df / N, V = pos neg df (N - df) / (N^2 (N - 1)). Cochran (1954), Mantel and Haenszel (1959).
    For a single stratum it is cc sqrt((N - 1) / N).

    >>> print(cmh(Cells(*map(np.array, (30., 10., 20., 40.)))).round(4))
    4.062
    """
    return z_of(excess_and_variance(cells))


def mh_odds(cells: Cells) -> Array:
    """The log of Mantel and Haenszel's odds ratio: sum of AD/N / sum of BC/N over the strata.

    If a sum is 0, one half is added to each cell of the informative strata, and a side that this would turn
    around is 0. Mantel and Haenszel (1959).

    >>> print(mh_odds(Cells(*map(np.array, (30., 10., 20., 40.)))).round(4))
    1.7918
    """
    return log_odds_of(products(cells))


def excess_and_variance(cells: Cells) -> Array:
    """A - E and V of a stratum; (AD - BC) / N is A - E without the rounding."""
    n = cells.documents
    spread = cells.pos * cells.neg * cells.df * (n - cells.df)
    return np.stack([ratio(cells.association, n), ratio(spread, n**2 * np.maximum(n - 1, 0))])


def z_of(sums: Array) -> Array:
    """The sum of excesses in its standard deviations, 0 where nothing can vary."""
    return ratio(sums[0], np.sqrt(sums[1]))


def normal_p(z: Array) -> Array:
    """The chance of a z as far on its side."""
    tail: Array = ndtr(-np.abs(z))
    return tail


def products(cells: Cells) -> Array:
    """AD/N and BC/N of a stratum, and the same of cells with one half more; none of what tells nothing."""
    telling = cells.pos * cells.neg * cells.df * (cells.fn + cells.tn) > 0
    more = cells.smooth(0.5)
    parts = [(one.tp * one.tn, one.fp * one.fn, one.documents) for one in (cells, more)]
    return np.stack(
        [np.where(telling, ratio(product, n), 0.0) for ad, bc, n in parts for product in (ad, bc)]
    )


def log_odds_of(sums: Array) -> Array:
    """The log of the ratio of the sums, 0 where no stratum tells anything."""
    whole = (sums[0] > 0) & (sums[1] > 0)
    inside, outside = np.where(whole, sums[:2], sums[2:])
    logs = np.log(ratio(inside, outside), out=np.zeros(inside.shape), where=inside > 0)
    # halves never turn a side around
    return np.where(logs * (sums[0] - sums[1]) < 0, 0.0, logs)


CMH = StratifiedMetric(excess_and_variance, z_of, normal_p)
MH_ODDS = StratifiedMetric(products, log_odds_of)
