"""Information metrics of a term and a class, with natural logarithms unless bits are mentioned."""

from __future__ import annotations

import numpy as np
from scipy.special import rel_entr

from termsift._internal.typing import Array
from termsift.counts import Cells, ratio
from termsift.metrics.separation import check_above_zero, check_choice


def gain(cells: Cells) -> Array:
    """Mutual information of term and class in nats: P(t,c) log P(t,c) / (P(t) P(c)) over the cells."""
    with_term = cells.memoize(class_term_information) + cell_information(cells, cells.fp, cells.df, cells.neg)
    without = cells.memoize(class_absence_information)
    return with_term + without + cell_information(cells, cells.tn, cells.fn + cells.tn, cells.neg)


def class_term_information(cells: Cells) -> Array:
    """Information of the cell of documents in the class with the term."""
    return cell_information(cells, cells.tp, cells.df, cells.pos)


def class_absence_information(cells: Cells) -> Array:
    """Information of the cell of documents in the class without the term."""
    return cell_information(cells, cells.fn, cells.fn + cells.tn, cells.pos)


def cell_information(cells: Cells, cell: Array, row: Array, column: Array) -> Array:
    """P(cell) log [P(cell) / (P(row) P(column))], 0 for an empty cell."""
    n = cells.documents
    return ratio(rel_entr(cell, ratio(row * column, n)), n)


def ele_gain(cells: Cells) -> Array:
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
        check_choice("smoothing, if not a number,", smoothing, ("ele",))
        return cells.zero_undefined(ele_gain(cells))
    if smoothing != 0:
        check_above_zero("smoothing", smoothing)
        return cells.zero_undefined(np.maximum(gain(cells.smooth(smoothing)), 0))
    return cells.zero_undefined(np.maximum(cells.memoize(gain) / np.log(2), 0))


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
    """Expected cross entropy for text: P(t,c) log P(t,c) / (P(t) P(c)), 0 if they never occur together.

    Tang, Kay and He (2016), equation 7.
    """
    # sums of weights leave a rounding error if term and class are independent
    information = np.where(cells.association == 0, 0.0, cells.memoize(class_term_information))
    return cells.zero_undefined(information)


def ig_member(cells: Cells) -> Array:
    """Mutual information of the cells inside the class, with and without the term.

    Its sum over the classes is the mutual information of the term and all classes.
    Tang, Kay and He (2016), equation 8; Jiang and Lee, equation 1 for the sum.
    """
    information = cells.memoize(class_term_information) + cells.memoize(class_absence_information)
    return cells.zero_undefined(np.maximum(information, 0))


def g2(cells: Cells) -> Array:
    """Log-likelihood ratio: 2 sum of O ln(O / E) over the cells. Dunning (1993)."""
    return cells.zero_undefined(np.maximum(2 * cells.documents * cells.memoize(gain), 0))


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
