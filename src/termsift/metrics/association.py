"""Metrics of association between a term and a class, overall and within strata."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import erfcx, gammaln, rel_entr, xlog1py, xlogy

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array
from termsift.counts import Cells, ratio
from termsift.metrics.separation import check_above_zero

MAX_FACTORIAL = 1 << 22  # logarithms of factorials are tabulated up to here
# summands of a tail; beyond, with more than 10^8 documents, the remainder is a normal integral
MAX_STEPS = 1 << 15


def chi2(cells: Cells) -> Array:
    """Pearson's chi-squared of the 2x2 table: N (AD - BC)^2 / ((A+B)(C+D)(A+C)(B+D)).

    0 for an empty marginal. scikit-learn's chi2 leaves out the documents without the term:
    on binary data with two classes it is this times (1 - df/N).
    Forman (2003), table 1; Zheng, Wu and Srihari (2004), section 2.

    >>> print(chi2(Cells(*map(np.array, (30., 10., 20., 40.)))).round(4))
    16.6667
    """
    return cells.memoize(cc) ** 2


def chi2_joint(cells: Cells) -> Array:
    """(AD - BC)^2 / (ABCD), 0 where a cell is empty: the chi-squared as Tang, Kay and He (2016) print it.

    Equation 9 divides by the four joint probabilities instead of the marginals. So it equals r + 1/r - 2 with
    the odds ratio r = AD / (BC): it ranks by effect size, however few documents show the effect.

    >>> print(chi2_joint(Cells(*map(np.array, (30., 10., 20., 40.)))).round(4))
    4.1667
    """
    return ratio(cells.association**2, cells.tp * cells.fp * cells.fn * cells.tn)


def chi2_member(cells: Cells) -> Array:
    """Summand of a class in chi2_all: (1 - P(c)) chi2. Summed over the classes it is chi2_all.

    Pearson's chi-squared of the term's presence against all classes at once. Forman (2003), table 1.
    """
    return chi2(cells) * ratio(cells.neg, cells.documents)


def cc(cells: Cells) -> Array:
    """Correlation coefficient, the signed root of chi2: sqrt(N) (AD - BC) / sqrt((A+B)(C+D)(A+C)(B+D)).

    Zheng, Wu and Srihari (2004), section 2; the NGL coefficient of Uchyigit and Clark.
    """
    marginals = np.sqrt(cells.df * (cells.fn + cells.tn)) * np.sqrt(cells.pos * cells.neg)
    return ratio(np.sqrt(cells.documents) * cells.association, marginals)


def gss(cells: Cells) -> Array:
    """Simplified chi-squared: (AD - BC) / N^2. Tang, Kay and He (2016), equation 10."""
    return ratio(cells.association, cells.documents**2)


def gu(cells: Cells, *, printed: bool = False) -> Array:
    """GU metric: abs(z) A neg / (pos B), z for the difference of two proportions; B = 0 counts as half.

    printed=True computes z from raw counts, as in the paper's formula; its text describes proportions.
    Uchyigit and Clark, section 2.
    """
    difference = cells.tp - cells.fp if printed else cells.tpr - cells.fpr
    p = ratio(cells.df, cells.documents)
    spread = p * (1 - p) * ratio(cells.documents, cells.pos * cells.neg)
    z = ratio(difference, np.sqrt(np.maximum(spread, 0)))
    outside = np.where(cells.fp == 0, 0.5, cells.fp)
    return cells.zero_undefined(np.abs(z) * ratio(cells.tp * cells.neg, cells.pos * outside))


def hypergeometric(cells: Cells) -> Array:
    """Enrichment: -log10 of the probability of at least A documents of the class among A + B drawn.

    The upper tail of the hypergeometric distribution, computed in logarithms, so it is never infinite.
    """
    return cells.zero_undefined(np.maximum(-log_upper_tail(cells) / np.log(10), 0))


def log_upper_tail(cells: Cells) -> Array:
    """Log P(X >= A), X the documents of the class among A + B drawn from N without replacement.

    SciPy's sf underflows to 0 for the terms that matter most, and its logsf takes one element at a time.
    If A is above the mean, the tail is summed from A upwards; below it, the lower tail is summed downwards
    from A - 1 and subtracted from 1. Either way the summands decrease from the first one on.
    """
    flat = cells.map(np.ravel)
    tp, fp, fn, tn = flat.tp, flat.fp, flat.fn, flat.tn
    n = tp + fp + fn + tn
    log_tail = np.zeros(tp.size)
    is_positive = tp > 0
    above = is_positive & (tp * n >= (tp + fp) * (tp + fn))
    below = is_positive & ~above
    a, b, c, d = (x[above] for x in (tp, fp, fn, tn))
    log_tail[above] = np.minimum(log_mass(a, b, c, d) + np.log(sum_tail_ratios(a, b, c, d)), 0)
    # the cells at A - 1, and the tail as that of the complement of the class
    a, b, c, d = tp[below] - 1, fp[below] + 1, fn[below] + 1, tn[below] - 1
    lower = np.exp(log_mass(a, b, c, d)) * sum_tail_ratios(b, a, d, c)
    log_tail[below] = np.log1p(-np.minimum(lower, 1 - 1e-16))
    return log_tail.reshape(np.shape(cells.tp))


def log_mass(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Log P(X = A): factorials of the marginals over those of N and the cells."""
    n = a + b + c + d
    # a table of more factorials takes too much memory, and their differences lose too many digits
    is_large = n.max(initial=0) > MAX_FACTORIAL
    log_factorial = stirling_remainder if is_large else tabulate_log_factorials(a, b, c, d, n)
    marginals = log_factorial(a + b) + log_factorial(c + d) + log_factorial(a + c) + log_factorial(b + d)
    cell_factorials = log_factorial(a) + log_factorial(b) + log_factorial(c) + log_factorial(d)
    main = half_g2(a, b, c, d) if is_large else 0.0
    return np.where(np.minimum(a, d) < 0, -np.inf, marginals - cell_factorials - log_factorial(n) - main)


def stirling_remainder(x: Array) -> Array:
    """Log x! - (x log x - x)."""
    x = np.maximum(x, 0)
    series = np.maximum(x, 1)
    remainder = np.log(2 * np.pi * series) / 2 + 1 / (12 * series) - 1 / (360 * series**3)
    return np.where(x < 16, gammaln(x + 1) - xlogy(x, x) + x, remainder)


def half_g2(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Sum over the cells of O log(O / E), without differences of large numbers.

    All cells have the same distance from E, so the sum of O - E is 0 and can be subtracted.
    """
    n = a + b + c + d
    distance = ratio(a * d - b * c, n)
    total = np.zeros_like(n)
    for sign, row, column in ((1, a + b, a + c), (-1, a + b, b + d), (-1, c + d, a + c), (1, c + d, b + d)):
        expected = row * ratio(column, n)
        relative = np.maximum(ratio(sign * distance, expected), -1)
        total += expected * (xlog1py(1 + relative, relative) - relative)
    return total


def sum_tail_ratios(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Sum of P(X = A + j) / P(X = A) over j = 0, 1, ..., until the summands are negligible.

    After many steps the summands decrease as a normal density, and the remainder is its integral. Finished
    cells are removed whenever they are half of those left, which changes no sum.
    """
    sums = np.ones(a.size)
    total, term, active = np.ones(a.size), np.ones(a.size), np.arange(a.size)
    a, b, c, d = (x.astype(np.float64) for x in (a, b, c, d))
    for step in range(MAX_STEPS):
        a += 1
        d += 1
        term *= np.maximum(b, 0)
        term *= np.maximum(c, 0)
        term /= a * d
        b -= 1
        c -= 1
        total += term
        is_active = term > 1e-17 * total
        if 2 * np.count_nonzero(is_active) > is_active.size and step + 1 < MAX_STEPS:
            continue
        sums[active] = total
        active = active[is_active]
        total, term, a, b, c, d = (x[is_active] for x in (total, term, a, b, c, d))
        if not active.size:
            return sums
    sums[active] += term * integrate_tail_ratios(a, b, c, d)
    return sums


def integrate_tail_ratios(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Sum of P(X = A + j) / P(X = A) over j = 1, 2, ..., with logarithms approximated by a parabola."""
    slope = np.log(a + 1) + np.log(d + 1) - np.log(b) - np.log(c)
    curvature = 1 / (a + 1) + 1 / b + 1 / c + 1 / (d + 1)
    width = np.sqrt(np.pi / (2 * curvature))
    return np.asarray(width * erfcx(slope / np.sqrt(2 * curvature)) * np.exp(curvature / 8 - slope / 2))


def tabulate_log_factorials(*numbers: Array) -> Callable[[Array], Array]:
    """Return a function for log x!: by a table for integers, of which the last argument has the largest."""
    # sums of weights are not integers
    if not all(np.array_equal(x, np.floor(x)) for x in numbers):
        return lambda x: gammaln(np.maximum(x, 0) + 1)
    table = gammaln(np.arange(int(numbers[-1].max(initial=0)) + 2) + 1.0)
    return lambda x: table[np.maximum(x, 0).astype(np.intp)]


def mutual_information(cells: Cells) -> Array:
    """Mutual information of term and class in nats: P(t,c) log P(t,c) / (P(t) P(c)) over the cells."""
    with_term, without = cells.memoize(class_cell_information)
    with_term = with_term + cell_information(cells, cells.fp, cells.df, cells.neg)
    return with_term + without + cell_information(cells, cells.tn, cells.fn + cells.tn, cells.neg)


def class_cell_information(cells: Cells) -> tuple[Array, Array]:
    """Information of the cells of documents in the class, with the term and without it."""
    with_term = cell_information(cells, cells.tp, cells.df, cells.pos)
    return with_term, cell_information(cells, cells.fn, cells.fn + cells.tn, cells.pos)


def cell_information(cells: Cells, cell: Array, row: Array, column: Array) -> Array:
    """P(cell) log [P(cell) / (P(row) P(column))], 0 for an empty cell."""
    n = cells.documents
    return ratio(rel_entr(cell, ratio(row * column, n)), n)


def ele_mutual_information(cells: Cells) -> Array:
    """Mutual information in nats with each probability smoothed separately.

    A cell, row or column of n documents has the probability (n + 0.5) / (N + 1). The cells of a row do not
    sum to the row, so the result is above the unsmoothed one by about 1 / N.
    """

    def estimate(n: Array) -> Array:
        return np.asarray((n + 0.5) / (cells.documents + 1))

    def information(cell: Array, row: Array, column: Array) -> Array:
        return np.asarray(estimate(cell) * np.log(estimate(cell) / (estimate(row) * estimate(column))))

    present, absent, pos, neg = cells.df, cells.fn + cells.tn, cells.pos, cells.neg
    with_term = information(cells.tp, present, pos) + information(cells.fp, present, neg)
    return with_term + information(cells.fn, absent, pos) + information(cells.tn, absent, neg)


def ig(cells: Cells, *, smoothing: float | str = 0.0) -> Array:
    """Information gain in bits: e(pos, neg) - [P(t) e(tp, fp) + P(not t) e(fn, tn)], e the entropy.

    smoothing=0.5 adds half a count to each cell; the result is in nats. smoothing="ele" estimates each
    probability separately, in nats; it reproduces the figures of Zheng, Wu and Srihari (2004), table 7.
    Forman (2003), table 1.

    >>> print(ig(Cells(*map(np.array, (5., 0., 0., 5.)))).round(4))
    1.0
    """
    if isinstance(smoothing, str):
        if smoothing != "ele":
            raise InvalidInputError(f"smoothing must be a number or 'ele', got {smoothing!r}")
        return cells.zero_undefined(ele_mutual_information(cells))
    if smoothing != 0:
        check_above_zero("smoothing", smoothing)
        return cells.zero_undefined(np.maximum(mutual_information(cells.smooth(smoothing)), 0))
    return cells.zero_undefined(np.maximum(cells.memoize(mutual_information) / np.log(2), 0))


def sig(cells: Cells, *, smoothing: float | str = 0.5) -> Array:
    """Signed information gain: sign(AD - BC) ig, smoothed as ig. Zheng, Wu and Srihari (2004), section 2."""
    return np.sign(cells.association) * ig(cells, smoothing=smoothing)


def mi(cells: Cells, *, smoothing: float = 0.5) -> Array:
    """Pointwise mutual information: log P(t,c) / (P(t) P(c)).

    If term and class never occur together, `smoothing` is added to each cell,
    and the score is at most 0, because such a term is not a positive one.
    Tang, Kay and He (2016), equation 6.
    """
    check_above_zero("smoothing", smoothing)
    s = cells.smooth(smoothing)
    absent = np.minimum(0, np.log(s.tp * s.documents / (s.df * s.pos)))
    lift = ratio(cells.tp * cells.documents, cells.df * cells.pos)
    return cells.zero_undefined(np.where(cells.tp == 0, absent, np.log(np.where(lift > 0, lift, 1))))


def cet(cells: Cells) -> Array:
    """Cross entropy expected for text: P(t,c) log P(t,c) / (P(t) P(c)), 0 if they never occur together.

    Tang, Kay and He (2016), equation 7.
    """
    # sums of weights leave a rounding error if term and class are independent
    information = np.where(cells.association == 0, 0.0, cells.memoize(class_cell_information)[0])
    return cells.zero_undefined(information)


def gain_ratio(cells: Cells) -> Array:
    """Information gain as a share of the term's own entropy: ig / e(P(t), P(not t)). Quinlan (1986).

    1 for a term that is in all documents of a class and in no other; ig favours frequent terms more.

    >>> print(gain_ratio(Cells(*map(np.array, (30., 10., 20., 40.)))).round(4))
    0.1282
    """
    share = np.stack([cells.df, cells.fn + cells.tn]) / np.where(cells.documents > 0, cells.documents, 1)
    entropy = -xlogy(share, share).sum(axis=0) / np.log(2)
    return np.minimum(ratio(ig(cells), entropy), 1)


def ig_member(cells: Cells) -> Array:
    """Mutual information in bits of the cells inside the class, with and without the term.

    Its sum over the classes is the mutual information of the term and all classes.
    Tang, Kay and He (2016), equation 8; Jiang and Lee, equation 1 for the sum.
    """
    with_term, without = cells.memoize(class_cell_information)
    return cells.zero_undefined(np.maximum(with_term + without, 0) / np.log(2))


def g2(table: Cells, /, *, cells: int = 4) -> Array:
    """Log-likelihood ratio: 2 sum of O ln(O / E) over the cells. Dunning (1993).

    cells : 4 for the whole table; 2 for the cells of the term alone, as Rayson and Garside (2000) and most
        concordancers compute it

    >>> table = Cells(*map(np.array, (30., 10., 970., 990.)))
    >>> print(g2(table).round(2), g2(table, cells=2).round(2))
    10.67 10.46
    """
    if type(cells) is not int or cells not in (2, 4):
        raise InvalidInputError(f"cells must be 2 or 4, got {cells!r}")
    if cells == 4:
        return table.zero_undefined(np.maximum(2 * table.documents * table.memoize(mutual_information), 0))
    expected = [table.df * ratio(size, table.documents) for size in (table.pos, table.neg)]
    information = rel_entr(table.tp, expected[0]) + rel_entr(table.fp, expected[1])
    return table.zero_undefined(np.maximum(2 * information, 0))


def bic(cells: Cells) -> Array:
    """g2 minus ln N: above 0 if the class is worth a parameter by the Bayes factor; above 10, very strong.

    Wilson (2013), who uses it for occurrences.
    """
    return cells.zero_undefined(g2(cells) - np.log(np.where(cells.documents > 0, cells.documents, 1)))


def bernoulli_kl(p: Array, q: Array) -> Array:
    """Kullback-Leibler divergence between (p, 1 - p) and (q, 1 - q), for p and q above 0."""
    # a vocabulary of one term has p = q = 1, where the second summand is 0 log 0/0 = 0
    below_one = np.nextafter(1, 0)
    complement = np.log1p(-np.minimum(p, below_one)) - np.log1p(-np.minimum(q, below_one))
    complement *= 1 - p
    divergence = np.asarray(np.log(p))
    divergence -= np.log(q)
    divergence *= p
    divergence += complement
    return divergence
