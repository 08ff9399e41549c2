"""Metrics of the difference between a term's rates inside and outside a class."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import MAX_EXACT, MIN_POSITIVE, Array
from termsift.counts import Block, Cells, ratio
from termsift.metrics.effect_sizes import (
    conservative_log_ratio,
    is_bonferroni,
    log_odds_ratio,
    validate_level,
)

MIN_RATE = 0.0005  # half a count in a thousand
ZEROS = ("clip", "replace")


def invert_negative_terms(cells: Cells) -> Cells:
    """Return cells with negative terms inverted, classes not reversed: tpr' = 1 - tpr, fpr' = 1 - fpr.

    Forman (2003), note to table 1.
    """
    is_negative = cells.association < 0
    swaps = (cells.fn, cells.tp), (cells.tn, cells.fp), (cells.tp, cells.fn), (cells.fp, cells.tn)
    return Cells(*(np.where(is_negative, inverted, cell) for inverted, cell in swaps))


def acc(cells: Cells) -> Array:
    """Accuracy as Forman simplifies it: tp - fp, inverted.

    Below 0 if even a positive term is in more documents outside the class than inside.
    Forman (2003), table 1.
    """
    t = cells.memoize(invert_negative_terms)
    return cells.zero_undefined(t.tp - t.fp)


def acc2(cells: Cells, *, signed: bool = False) -> Array:
    """Balanced accuracy: abs(tpr - fpr). Forman (2003), table 1."""
    difference = cells.zero_undefined(cells.tpr - cells.fpr)
    return difference if signed else np.abs(difference)


def bns(cells: Cells, *, signed: bool = False, zero: str = "clip") -> Array:
    """Bi-Normal Separation: abs(F(tpr) - F(fpr)), F the inverse of the normal distribution function.

    zero : "clip" keeps rates within [0.0005, 0.9995], half a count out of a thousand; "replace" changes only
        rates of 0 and 1, so with more than 2,000 documents a rate above 0 may be below 0.0005

    Forman (2003), section 2.1.

    >>> print(bns(Cells(*map(np.array, (80., 10., 20., 90.)))).round(4))
    2.1232
    """
    check_choice("zero", zero, ZEROS)
    difference = cells.zero_undefined(ndtri(bound_rate(cells.tpr, zero)) - ndtri(bound_rate(cells.fpr, zero)))
    return difference if signed else np.abs(difference)


def bound_rate(rate: Array, zero: str) -> Array:
    """Return rates strictly between 0 and 1, where F is finite."""
    low, high = MIN_RATE, 1 - MIN_RATE
    if zero == "replace":
        return np.where(rate <= 0, low, np.where(rate >= 1, high, rate))
    return np.clip(rate, low, high)


def f1(cells: Cells) -> Array:
    """F1 of the term as a classifier: 2 tp / (pos + tp + fp), inverted. Forman (2003), table 1."""
    t = cells.memoize(invert_negative_terms)
    return cells.zero_undefined(ratio(2 * t.tp, t.pos + t.tp + t.fp))


def oddn(cells: Cells) -> Array:
    """Numerator of the odds ratio: tpr (1 - fpr), inverted. Forman (2003), table 1."""
    t = cells.memoize(invert_negative_terms)
    return cells.zero_undefined(t.tpr * (1 - t.fpr))


def odds(cells: Cells) -> Array:
    """Odds ratio: tp tn / (fp fn), inverted; a zero in the denominator counts as one.

    Forman (2003), table 1 and section 2.1.
    """
    t = cells.memoize(invert_negative_terms)
    return cells.zero_undefined(t.tp * t.tn / (np.where(t.fp == 0, 1, t.fp) * np.where(t.fn == 0, 1, t.fn)))


def power(cells: Cells, *, k: float = 5) -> Array:
    """Power: (1 - fpr)^k - (1 - tpr)^k, inverted. Forman (2003), table 1, with k = 5."""
    check_above_zero("k", k)
    t = cells.memoize(invert_negative_terms)
    return cells.zero_undefined((1 - t.fpr) ** k - (1 - t.tpr) ** k)


def pr(cells: Cells) -> Array:
    """Probability ratio: tpr / fpr, inverted; fpr = 0 counts as 1e-8. Forman (2003), section 2.1."""
    t = cells.memoize(invert_negative_terms)
    return cells.zero_undefined(t.tpr / np.where(t.fpr == 0, 1e-8, t.fpr))


def log_odds(cells: Cells, *, smoothing: float = 0.5) -> Array:
    """Log odds ratio, with `smoothing` added to each cell.

    log [P(t|c) (1 - P(t|not c))] / [(1 - P(t|c)) P(t|not c)], with P(t|c) = (A + 0.5) / (pos + 1).
    Zheng, Wu and Srihari (2004), section 2.
    """
    check_above_zero("smoothing", smoothing)
    return log_odds_ratio(cells, smoothing)


def log_odds_squared(cells: Cells, *, smoothing: float = 0.5) -> Array:
    """Square of the log odds ratio: its two-sided form. Zheng, Wu and Srihari (2004), section 2."""
    return log_odds(cells, smoothing=smoothing) ** 2


def ndm(cells: Cells) -> Array:
    """Normalised difference: abs(tpr - fpr) / min(tpr, fpr); a rate of zero counts as half a document.

    Rehman, Javed, Babri (2017).
    """
    tpr = np.where(cells.tp == 0, ratio(np.full_like(cells.tp, 0.5), cells.pos), cells.tpr)
    fpr = np.where(cells.fp == 0, ratio(np.full_like(cells.fp, 0.5), cells.neg), cells.fpr)
    # a rate of zero is the smaller one, even if half a document of its class is more than the other rate
    smaller = np.where(cells.tp == 0, tpr, np.where(cells.fp == 0, fpr, np.minimum(tpr, fpr)))
    return cells.zero_undefined(ratio(np.abs(cells.tpr - cells.fpr), smaller))


def mmr(cells: Cells) -> Array:
    """Max-min ratio: max(tpr, fpr) abs(tpr - fpr) / min(tpr, fpr); a rate of zero counts as half a document.

    Rehman, Javed, Babri, Asim (2018).
    """
    return np.maximum(cells.tpr, cells.fpr) * ndm(cells)


def cpd(cells: Cells) -> Array:
    """Categorical proportional difference: (A - B) / (A + B). Simeon and Hilderman (2008).

    1 for a term only in the class, -1 for one only outside; 0 at A = B.
    """
    return cells.zero_undefined(ratio(cells.tp - cells.fp, cells.df))


def simple_maths(cells: Cells, *, n: float = 1) -> Array:
    """Ratio of rates: (A per million + n) / (B per million + n); a larger n favours more frequent terms.

    Kilgarriff (2009). Above 1 for a term more frequent in the class, below 1 for one less frequent.
    """
    check_above_zero("n", n)
    return cells.zero_undefined((1e6 * cells.tpr + n) / (1e6 * cells.fpr + n))


def percent_diff(cells: Cells) -> Array:
    """%DIFF: the difference of the rates in percent of the rate outside, 100 (A/pos - B/neg) / (B/neg).

    100 is twice as frequent as outside, 0 equally frequent, -100 absent from the class. B = 0 counts as one
    half, as in log_ratio. Gabrielatos and Marchi (2011).

    >>> print(percent_diff(Cells(*map(np.array, (30., 10., 970., 990.)))).round(4))
    200.0
    """
    outside = ratio(np.where(cells.fp == 0, 0.5, cells.fp), cells.neg)
    return cells.zero_undefined(100 * (ratio(cells.tpr, outside) - 1))


def lrc(block: Block, *, level: float = 0.95, adjust: str = "bonferroni", of: str = "tf") -> Array:
    """Conservative log ratio: the limit of log_ratio's interval nearer to 0, or 0 if it contains 0.

    level : level of the interval
    adjust : "bonferroni" divides 1 - level by the number of terms, so that all intervals hold at once, as in
        R's corpora::keyness; or "none"

    Evert (2022).
    """
    check_choice("of", of, ("df", "tf"))
    error = (1 - validate_level(level)) / (max(block.vocabulary, 1) if is_bonferroni(adjust) else 1)
    return block.map_cells(conservative_log_ratio, of, level=1 - error)


def gini(cells: Cells) -> Array:
    """Summand of a class in the Gini index, the sum over the classes: tpr^2 P(c|t)^2.

    Shang, Huang, Zhu, Lin, Qu and Wang (2007).
    """
    return cells.zero_undefined((cells.tpr * ratio(cells.tp, cells.df)) ** 2)


def rf(cells: Cells) -> Array:
    """Relevance frequency: log2(2 + A / max(1, B)), meant as a weight. Lan, Tan, Su, Lu (2009)."""
    return cells.zero_undefined(np.log2(2 + cells.tp / np.maximum(1, cells.fp)))


def dfs(cells: Cells) -> Array:
    """Summand of a class in the distinguishing feature selector, the sum over the classes.

    P(c|t) / (P(not t|c) + P(t|not c) + 1). Uysal and Gunal (2012).
    """
    absent = ratio(cells.fn, cells.pos)
    return cells.zero_undefined(ratio(cells.tp, cells.df) / (absent + cells.fpr + 1))


def igm(block: Block, *, of: str = "df") -> Array:
    """Inverse gravity moment: f_1 / sum of r f_r, f the term's class frequencies, descending. (terms,)

    of="df" counts documents, of="tf" occurrences. As a weight: 1 + 7 igm. Chen, Zhang, Long, Zhang (2016).
    """
    check_choice("of", of, ("df", "tf"))

    def score_chunk(chunk: Block) -> Array:
        descending = np.sort(-(chunk.df if of == "df" else chunk.tf), axis=1)
        np.negative(descending, out=descending)
        gravity = descending @ np.arange(1.0, chunk.shape[1] + 1)
        return ratio(descending.max(axis=1, initial=0.0), gravity)

    return block.map_chunks(score_chunk)


def igm_weight(igm_scores: Array) -> Array:
    """Weight 1 + 7 igm of Chen et al. (2016)."""
    return 1 + 7 * igm_scores


def check_above_zero(option: str, value: float) -> None:
    """Check that an option is above 0, and within the range of counts."""
    if not (isinstance(value, int | float) and 0 < value < np.inf):
        raise InvalidInputError(f"{option} must be above 0 and finite, got {value!r}")
    if not MIN_POSITIVE <= value <= MAX_EXACT:
        raise InvalidInputError(f"{option} must be between 2**-53 and 2**53, got {value!r}")


def check_choice(option: str, value: object, choices: tuple[str, ...]) -> None:
    """Check that an option has one of the values."""
    if not isinstance(value, str) or value not in choices:
        raise InvalidInputError(f"{option} must be one of {', '.join(map(repr, choices))}, got {value!r}")
