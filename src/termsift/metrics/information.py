"""How much is learned of a class by seeing a term. Natural logarithms, unless a line says bits."""

from __future__ import annotations

import numpy as np
from scipy.special import rel_entr

from termsift._internal.typing import Array
from termsift.counts import Cells, ratio
from termsift.metrics.separation import check_above_zero, one_of


def gain(cells: Cells) -> Array:
    """The mutual information of term and class in nats: P(t,c) log P(t,c) / (P(t) P(c)) over the cells."""
    with_term = cells.memoize(inside_with) + in_cell(cells, cells.fp, cells.df, cells.neg)
    without = cells.memoize(inside_without)
    return with_term + without + in_cell(cells, cells.tn, cells.fn + cells.tn, cells.neg)


def inside_with(cells: Cells) -> Array:
    """The part of the class's documents with the term in the gain."""
    return in_cell(cells, cells.tp, cells.df, cells.pos)


def inside_without(cells: Cells) -> Array:
    """The part of the class's documents without the term in the gain."""
    return in_cell(cells, cells.fn, cells.fn + cells.tn, cells.pos)


def in_cell(cells: Cells, cell: Array, row: Array, column: Array) -> Array:
    """P(cell) log [P(cell) / (P(row) P(column))], 0 for an empty cell."""
    n = cells.documents
    return ratio(rel_entr(cell, ratio(row * column, n)), n)


def estimated_gain(cells: Cells) -> Array:
    """The gain in nats of probabilities estimated each apart, of a cell, a row or a column of n documents.

    Each is (n + 0.5) / (N + 1), so the cells of a row do not add up to the row: the gain is above that of
    the counts by about 1 / N.
    """

    def estimate(n: Array) -> Array:
        return np.asarray((n + 0.5) / (cells.documents + 1))

    def part(cell: Array, row: Array, column: Array) -> Array:
        return np.asarray(estimate(cell) * np.log(estimate(cell) / (estimate(row) * estimate(column))))

    present, absent, pos, neg = cells.df, cells.fn + cells.tn, cells.pos, cells.neg
    with_term = part(cells.tp, present, pos) + part(cells.fp, present, neg)
    return with_term + part(cells.fn, absent, pos) + part(cells.tn, absent, neg)


def ig(cells: Cells, *, smoothing: float | str = 0.0) -> Array:
    """Information gain in bits: e(pos, neg) - [P(t) e(tp, fp) + P(not t) e(fn, tn)], e the entropy.

    smoothing=0.5 adds half a count to each cell; the result is in nats. smoothing="ele" estimates each
    probability separately, in nats; it reproduces the figures of Zheng, Wu and Srihari (2004), table 7.
    Forman (2003), table 1.

    >>> print(ig(Cells(*map(np.array, (5., 0., 0., 5.)))).round(4))
    1.0
    """
    if isinstance(smoothing, str):
        one_of("smoothing, where it is no number,", smoothing, ("ele",))
        return cells.zero_undefined(estimated_gain(cells))
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
    and the score is at most 0, because such a term cannot speak for the class.
    Tang, Kay and He (2016), equation 6.
    """
    check_above_zero("smoothing", smoothing)
    s = cells.smooth(smoothing)
    unseen = np.minimum(0, np.log(s.tp * s.documents / (s.df * s.pos)))
    lift = ratio(cells.tp * cells.documents, cells.df * cells.pos)
    return cells.zero_undefined(np.where(cells.tp == 0, unseen, np.log(np.where(lift > 0, lift, 1))))


def cet(cells: Cells) -> Array:
    """Expected cross entropy for text: P(t,c) log P(t,c) / (P(t) P(c)), 0 if they never occur together.

    Tang, Kay and He (2016), equation 7.
    """
    return cells.zero_undefined(cells.memoize(inside_with))


def ig_member(cells: Cells) -> Array:
    """The part of the gain from the class's own documents, with and without the term.

    Summed over the classes, it is the gain of all classes at once.
    Tang, Kay and He (2016), equation 8; Jiang and Lee, equation 1 for the sum.
    """
    both = cells.memoize(inside_with) + cells.memoize(inside_without)
    return cells.zero_undefined(np.maximum(both, 0))


def g2(cells: Cells) -> Array:
    """The log-likelihood ratio: 2 sum of O ln(O / E) over the cells. Dunning (1993)."""
    return cells.zero_undefined(np.maximum(2 * cells.documents * cells.memoize(gain), 0))


def bic(cells: Cells) -> Array:
    """g2 minus ln N: above 0 if the class is worth a parameter by the Bayes factor; above 10, very strong.

    Wilson (2013), who uses it for occurrences.
    """
    return cells.zero_undefined(g2(cells) - np.log(np.where(cells.documents > 0, cells.documents, 1)))


def bernoulli_kl(p: Array, q: Array) -> Array:
    """KL between (p, 1 - p) and (q, 1 - q), for p and q above 0."""
    # a vocabulary of one term has p = q = 1, where the second half is 0 log 0/0 = 0
    below_one = np.nextafter(1, 0)
    rest = np.log1p(-np.minimum(p, below_one)) - np.log1p(-np.minimum(q, below_one))
    rest *= 1 - p
    divergence = np.asarray(np.log(p))
    divergence -= np.log(q)
    divergence *= p
    divergence += rest
    return divergence
