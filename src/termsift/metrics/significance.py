"""Exact null distributions of scores: p-values, q-values, significance thresholds, permutation results.

Under random labels the documents of a class that contain a term follow a hypergeometric distribution, which
depends only on the term's document frequency and the class's size: a pair. The possible counts of a pair are
called draws. Arrays have the shape (draws, pairs), so that each step is done for many pairs at once, and the
arithmetic of a pair never depends on other pairs: a value is the same bit by bit in one process and on a
cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy.special import xlogy

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array
from termsift.counts import Cells, Counts
from termsift.metrics.effect_sizes import TINY

REACH = 50.0  # draws in tails of a probability below 2 e^-50 are truncated
TIE = 1e-9  # scores closer than this, relative to their size, are equal
MANY_PAIRS = 200  # from here on, adding row by row is faster than np.cumsum down the columns
BATCH_POINTS = 1 << 18  # draws of a batch: 2 MB per array
MAX_DRAWS = 1 << 16  # draws of a pair; if more are possible, each represents several
BINS = 1 << 12  # at most this many values are sorted to find a threshold
MAX_CANDIDATES = 1 << 22  # scores in memory; beyond, neighbours merge: thresholds are good to a millionth
MAX_TOP_SCORES = 1000  # scores per class and permutation: false positives beyond this number are not counted
P_VALUE_REACH = 30.0  # draws left out of a p-value change it by less than e^-30 of it
MAX_REACH = 800.0  # beyond, probabilities are below the smallest float

CellFunction = Callable[[Cells], Array]


def has_integer_counts(counts: Counts) -> bool:
    """Return whether documents are unweighted, as hypergeometric draws require."""
    tables = (counts.df, counts.term_df, counts.class_sizes)
    return all(table.dtype.kind in "iu" for table in tables) and float(counts.documents).is_integer()


def is_at_least(values: Array, threshold: Array | float) -> Array:
    """Return whether values reach a threshold, ties included."""
    tolerance = TIE * np.abs(np.where(np.isfinite(threshold), threshold, 0.0))
    return values >= threshold - tolerance


def check_expected(expected: object) -> None:
    """Check that an expected number of false positives is above 0."""
    if not (isinstance(expected, int | float | np.number) and 0 < expected < np.inf):
        raise InvalidInputError(f"expected must be a number of terms above 0, got {expected!r}")


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Possible draws of some pairs of document frequency and class size: arrays of (draws, pairs).

    Parameters
    ----------
    index : (pairs,) index of each pair among those requested
    stride : (pairs,) distance of neighbouring draws, 1 except for millions of documents
    cells : cells of each draw; after the last draw of a pair they are repeated with probability 0
    flat_cells : the same as 1-d arrays, shared by all metrics of these draws with their sums and rates
    chance : probability of each draw, with sum 1 for a pair

    """

    index: Array
    stride: Array
    cells: Cells
    flat_cells: Cells
    chance: Array

    def values(self, function: CellFunction) -> Array:
        """Return the (draws, pairs) scores; a function with `score_draws` has a faster way for all draws."""
        if hasattr(function, "score_draws"):
            return np.asarray(function.score_draws(self))
        scores = np.asarray(function(self.flat_cells))
        if bool(np.isnan(scores).any()):
            name = getattr(function, "__name__", "the metric")
            raise InvalidInputError(
                f"{name} returned NaN for possible cells; a metric must return a number for all cells"
            )
        return scores.reshape(self.cells.tp.shape)


def iter_draws(df: Array, pos: Array, documents: Array, reach: Array) -> Iterator[Draws]:
    """Yield the draws of pairs in batches of pairs with similar numbers of draws.

    reach : draws in tails with a probability below 2 e^-reach are left out, by Bernstein's inequality, which
        holds for draws without replacement too: Hoeffding (1963), section 6
    """
    n = np.maximum(documents, 1)
    term_rate, class_rate = df / n, pos / n
    variance = np.minimum(
        np.minimum(df, documents - df) * class_rate * (1 - class_rate),
        np.minimum(pos, documents - pos) * term_rate * (1 - term_rate),
    )
    distance = reach / 3 + np.sqrt(reach**2 / 9 + 2 * reach * variance)
    mean = df * class_rate
    low = np.maximum(np.maximum(df - (documents - pos), 0), np.ceil(mean - distance))
    high = np.maximum(low, np.minimum(np.minimum(df, pos), np.floor(mean + distance)))
    stride = np.ceil((high - low + 1) / MAX_DRAWS)
    n_draws = np.floor((high - low) / stride).astype(np.intp) + 1
    # pairs of a batch are padded to its largest number of draws, so these numbers differ by a fifth at most
    order = np.argsort(-n_draws, kind="stable")
    ascending = -n_draws[order]
    start = 0
    while start < len(order):
        most_draws = int(-ascending[start])
        end = int(np.searchsorted(ascending, -int(0.8 * most_draws), side="right"))
        similar = order[start:end]
        # pairs of a class size are neighbours, so that their rates can share a table
        similar = similar[np.lexsort((documents[similar], pos[similar]))]
        step = max(1, BATCH_POINTS // most_draws)
        for first in range(0, len(similar), step):
            index = similar[first : first + step]
            points = np.arange(n_draws[index].max())[:, None]
            tp = low[index] + stride[index] * np.minimum(points, n_draws[index] - 1)
            fp, fn = df[index] - tp, pos[index] - tp
            cells = Cells(tp, fp, fn, (documents - df)[index] - fn)
            chance = _draw_probabilities(cells, stride[index], n_draws[index])
            yield Draws(index, stride[index], cells, cells.map(np.ravel), chance)
        start = end


def _draw_probabilities(cells: Cells, stride: Array, n_draws: Array) -> Array:
    """Return the probability of each draw from the log ratios of neighbours, normalized to sum 1.

    P(a+1) / P(a) = (df - a)(pos - a) / ((a + 1)(N - df - pos + a + 1)). With a stride above 1, the ratio in
    the middle of the stride represents all its steps.
    """
    previous = cells.map(lambda cell: cell[:-1])
    middle = (stride - 1) / 2 if (stride > 1).any() else 0.0
    logs = np.zeros(cells.tp.shape)
    ratios = logs[1:]
    np.multiply(previous.fp - middle, previous.fn - middle, out=ratios)
    ratios /= (previous.tp + (1 + middle)) * (previous.tn + (1 + middle))
    with np.errstate(divide="ignore", invalid="ignore"):  # rows after the last draw of a pair
        np.log(ratios, out=ratios)
    ratios *= stride
    np.copyto(ratios, -np.inf, where=np.arange(1, len(logs))[:, None] >= n_draws)
    accumulate_draws(logs)
    logs -= logs.max(axis=0)
    chance = np.exp(logs, out=logs)
    chance /= _sum_draws(chance)
    return chance


def accumulate_draws(values: Array) -> None:
    """Replace the values of each pair by their running sums, in place."""
    if values.shape[1] < MANY_PAIRS:
        np.cumsum(values, axis=0, out=values)
        return
    for previous, current in pairwise(values):
        current += previous


def _sum_draws(values: Array) -> Array:
    """Return the sum of each pair's values, added in order: trailing zeros do not change a bit."""
    # for a single pair NumPy would use pairwise summation, and the sum would depend on the padding
    is_single = values.shape[1] == 1
    sums = np.cumsum(values, axis=0)[-1] if is_single else np.ascontiguousarray(values).sum(axis=0)
    return np.asarray(sums)


@dataclass(frozen=True, slots=True, eq=False)
class Marginals:
    """Marginals of all tables: how many terms have each document frequency, and classes each size.

    Parameters
    ----------
    documents : number of documents
    dfs, terms : the distinct document frequencies, and the number of terms with each
    sizes, classes : the distinct class sizes, and the number of classes with each

    """

    documents: float
    dfs: Array
    terms: Array
    sizes: Array
    classes: Array

    @classmethod
    def from_counts(cls, counts: Counts, c: int | None = None) -> Marginals:
        """Return the marginals of counts, with all classes or only class c."""
        df, sizes = counts.term_df, counts.class_sizes if c is None else counts.class_sizes[[c]]
        if df.dtype.kind not in "iu" or df.max(initial=0) > 16 * len(df):
            dfs, terms = np.unique(df, return_counts=True)
        else:
            # most terms are in few documents: a histogram needs no sorting
            histogram = np.bincount(df)
            dfs = np.flatnonzero(histogram)
            terms = histogram[dfs]
        return cls(counts.documents, dfs, terms, *np.unique(sizes, return_counts=True))

    def for_class_size(self, size: float) -> Marginals:
        """Return the marginals with a single class of this size."""
        return replace(self, sizes=np.array([size]), classes=np.ones(1, dtype=np.int64))


def expected_false_positives(
    marginals: Marginals, function: CellFunction, value: float, sign: int = 0, sided: int = 2
) -> float:
    """Return the sum over terms and classes of P(score >= value), ties included.

    sign : 1 for positive terms only, -1 for negative ones; for a one-sided metric negative terms are counted
        from the lowest score: P(score <= value)
    """
    orientation = -1.0 if sign == -1 and sided == 1 else 1.0
    total = 0.0
    for draws, n_terms in _iter_weighted_draws(marginals):
        n_terms = _select_direction(draws, n_terms, sign)
        is_possible = n_terms > 0
        scores = orientation * draws.values(function)[is_possible]
        total += n_terms[is_possible][is_at_least(scores, orientation * value)].sum()
    return float(total)


def significance_thresholds(marginals: Marginals, searches: Sequence[ThresholdSearch]) -> list[float]:
    """Return the thresholds of several metrics or directions; the draws are computed once for all.

    A threshold is the smallest attainable score that chance gives to at most the expected number of terms;
    for negative terms of a one-sided metric, the largest. Infinite if there is none.
    """
    for draws, n_terms in _iter_weighted_draws(marginals):
        scores: dict[int, Array] = {}
        for search in searches:
            key = id(search.function)
            if key not in scores:
                scores[key] = draws.values(search.function)
            search.add_scores(scores[key], _select_direction(draws, n_terms, search.sign))
    return [search.threshold for search in searches]


class ThresholdSearch:
    """Search for a significance threshold among scores that arrive in batches.

    Parameters
    ----------
    function : the metric as a function of cells
    expected : number of false positives
    sign : 1 for positive terms only, -1 for negative ones, 0 for both
    sided : as in `Metric`

    """

    def __init__(self, function: CellFunction, expected: float, sign: int = 0, sided: int = 2) -> None:
        self.function, self.expected, self.sign = function, expected, sign
        self._orientation = -1.0 if sign == -1 and sided == 1 else 1.0
        self._lower_bound, self._capacity = -np.inf, BATCH_POINTS
        self._values, self._n_terms = np.zeros(0), np.zeros(0)

    def add_scores(self, values: Array, n_terms: Array) -> None:
        """Add possible scores, with the number of terms expected to have each."""
        values = self._orientation * values
        is_candidate = (n_terms > 0) & (values >= self._lower_bound)
        values = np.append(self._values, values[is_candidate])
        n_terms = np.append(self._n_terms, n_terms[is_candidate])
        if len(values) > self._capacity:
            self._lower_bound = _below_ties(_bracket_threshold(values, n_terms, self.expected)[0])
            is_candidate = values >= self._lower_bound
            values, n_terms = values[is_candidate], n_terms[is_candidate]
            if len(values) > MAX_CANDIDATES:
                # neighbours with a millionth of the expected number together merge at the lowest of them
                order = np.argsort(-values, kind="stable")
                values, n_terms = values[order], n_terms[order]
                merged = np.floor(np.cumsum(n_terms) / (1e-6 * self.expected))
                first = np.flatnonzero(np.diff(merged, prepend=-1))
                values = values[np.append(first[1:], len(values)) - 1]
                n_terms = np.add.reduceat(n_terms, first)
            self._capacity = max(BATCH_POINTS, 2 * len(values))
        self._values, self._n_terms = values, n_terms

    @property
    def threshold(self) -> float:
        """Threshold, after all scores were added."""
        values, n_terms = self._values, self._n_terms
        low, high = _bracket_threshold(values, n_terms, self.expected)
        # only scores near the threshold are sorted: those far above are joined, those far below dropped
        is_above = values > -_below_ties(-high)
        is_near = (values >= _below_ties(low)) & ~is_above
        if is_above.any():
            lowest, n_above = values[is_above].min(), n_terms[is_above].sum()
            values, n_terms = np.append(values[is_near], lowest), np.append(n_terms[is_near], n_above)
        else:
            values, n_terms = values[is_near], n_terms[is_near]
        order = np.argsort(-values, kind="stable")
        return self._orientation * _lowest_significant(values[order], n_terms[order], self.expected)


def _bracket_threshold(values: Array, n_terms: Array, expected: float) -> tuple[float, float]:
    """Return two close values between which the number of terms at least as high passes `expected`.

    Nothing is sorted: values are put into bins, and those of the decisive bin into bins again. Both ends are
    infinite if the number is passed at once, or never.
    """
    is_finite, above = np.isfinite(values), 0.0
    if not is_finite.all():
        above = float(n_terms[values == np.inf].sum())
        values, n_terms = values[is_finite], n_terms[is_finite]
    if above > expected:
        return np.inf, np.inf
    if above + n_terms.sum() <= expected:
        return -np.inf, -np.inf
    while True:
        low, high = values.min(), values.max()
        width = (high - low) / (BINS - 1)
        if len(values) <= BINS or not TINY < width < np.inf:
            return float(low), float(high)
        bins = ((values - low) / width).astype(np.intp)
        down = above + np.cumsum(np.bincount(bins, weights=n_terms, minlength=BINS)[::-1])
        decisive = min(int(np.searchsorted(down, expected, side="right")), BINS - 1)
        above = down[decisive - 1] if decisive else above
        is_inside = bins == BINS - 1 - decisive
        values, n_terms = values[is_inside], n_terms[is_inside]


def _below_ties(value: float) -> float:
    """Return a number below a value and all its ties."""
    return value - 2 * TIE * abs(value) if np.isfinite(value) else value


def _lowest_significant(values: Array, n_terms: Array, expected: float) -> float:
    """Return the last of descending values that at most `expected` terms reach, with ties; or infinity."""
    total = np.cumsum(n_terms)
    last_tie = np.searchsorted(-values, -(values - TIE * np.abs(values)), side="right") - 1
    significant = np.flatnonzero(total[last_tie] <= expected)
    return float(values[significant[-1]]) if len(significant) else np.inf


def _select_direction(draws: Draws, n_terms: Array, sign: int) -> Array:
    """Return the numbers of terms with draws of this sign of association, 0 for other draws; sign 0: all."""
    if not sign:
        return n_terms
    return np.where(np.sign(draws.cells.association) == sign, n_terms, 0.0)


def _iter_weighted_draws(marginals: Marginals) -> Iterator[tuple[Draws, Array]]:
    """Yield draws of all distinct pairs, and the expected number of terms with each draw."""
    df, pos = (x.ravel().astype(np.float64) for x in np.meshgrid(marginals.dfs, marginals.sizes))
    weight = np.outer(marginals.classes, marginals.terms).ravel()
    documents = np.full(len(df), float(marginals.documents))
    for draws in iter_draws(df, pos, documents, np.full(len(df), REACH)):
        yield draws, draws.chance * weight[draws.index]


@dataclass(frozen=True, slots=True, eq=False)
class PermutationScores:
    """Best scores of each class under permuted labels; of a single class if there is one score per term.

    Parameters
    ----------
    best : (classes, permutations, at most 1,000) largest scores
    lowest : the same of the negated scores, for negative terms; None for a two-sided metric

    """

    best: Array
    lowest: Array | None = None

    def expected_false_positives(
        self, value: float, c: int | None = None, *, negative: bool = False
    ) -> float:
        """Return the mean number of terms that reach a value in a permutation, for one class or all."""
        scores, orientation = self._select_scores(c, negative)
        return float(is_at_least(scores, orientation * value).sum() / self.best.shape[1])

    def threshold(self, expected: float, c: int | None = None, *, negative: bool = False) -> float:
        """Return the smallest score that at most `expected` terms reach in a permutation, on average.

        If even the largest score is too frequent, the threshold is just above it.
        """
        scores, orientation = self._select_scores(c, negative)
        scores = -np.sort(-scores)
        threshold = _lowest_significant(scores, np.ones(len(scores)), expected * self.best.shape[1])
        if np.isinf(threshold) and len(scores):
            largest = float(scores[0])
            threshold = max(float(np.nextafter(largest, np.inf)), largest + 2 * TIE * abs(largest))
        return orientation * threshold

    def of_class(self, c: int) -> PermutationScores:
        """Return the scores of one class."""
        return PermutationScores(self.best[[c]], None if self.lowest is None else self.lowest[[c]])

    def _select_scores(self, c: int | None, negative: bool) -> tuple[Array, float]:
        scores, orientation = self.best, 1.0
        if negative and self.lowest is not None:
            scores, orientation = self.lowest, -1.0
        return (scores if c is None else scores[c]).ravel(), orientation


def top_scores(values: Array) -> Array:
    """Return (classes, at most 1,000) the best scores of each class; (1, ...) if there is one per term."""
    columns = values[None, :] if values.ndim == 1 else values.T
    n_top = min(MAX_TOP_SCORES, columns.shape[1])
    if n_top == 0:
        return np.zeros((len(columns), 0))
    n_dropped = columns.shape[1] - n_top
    return np.asarray(np.partition(columns, n_dropped, axis=1)[:, n_dropped:])


def p_values(cells: Cells, function: CellFunction, sided: int) -> Array:
    """Return P(score >= s) for each cell, s the function's score; ties have a relative tolerance of 1e-9.

    For negative terms of a one-sided metric, P(score <= s). Values below the smallest float are 0.
    """
    flat = cells.map(lambda cell: np.ravel(cell).astype(np.float64))
    sign = np.where(flat.association < 0, -1.0, 1.0) if sided == 1 else np.ones(flat.tp.shape)
    pairs, pair_of_cell = _distinct_rows(flat.df, flat.pos, flat.documents, _choose_reach(flat))
    order = np.argsort(pair_of_cell, kind="stable")
    first = np.searchsorted(pair_of_cell[order], np.arange(len(pairs[0]) + 1))
    p = np.zeros(len(sign))
    for draws in iter_draws(*pairs):
        null_scores = draws.values(function)
        n_cells = first[draws.index + 1] - first[draws.index]
        pair_index = np.repeat(np.arange(len(n_cells)), n_cells)
        offset = np.cumsum(n_cells) - n_cells
        batch_cells = order[(first[draws.index] - offset)[pair_index] + np.arange(len(pair_index))]
        step = max(1, BATCH_POINTS // len(null_scores))
        for start in range(0, len(batch_cells), step):
            chunk, chunk_pairs = batch_cells[start : start + step], pair_index[start : start + step]
            scores = np.take(null_scores, chunk_pairs, axis=1) * sign[chunk]
            # the row of the draw that is nearest to the observed cell: with a stride, some are not drawn
            rows = np.rint((flat.tp[chunk] - draws.cells.tp[0, chunk_pairs]) / draws.stride[chunk_pairs])
            nearest = np.clip(rows, 0, len(null_scores) - 1).astype(np.intp)
            observed = scores[nearest, np.arange(len(chunk))]
            p[chunk] = _sum_draws(np.take(draws.chance, chunk_pairs, axis=1) * is_at_least(scores, observed))
    return np.minimum(p, 1.0).reshape(np.shape(cells.tp))


def _choose_reach(cells: Cells) -> Array:
    """Return how far draws must reach for the p-value of a cell: past the cell, of probability e^-(g2/2).

    Rounded up to a power of 2 times REACH, so that cells of the same df and class share their draws.
    """
    n = np.maximum(cells.documents, 1)
    without_term = cells.fn + cells.tn
    rows = (cells.df, cells.df, without_term, without_term)
    columns = (cells.pos, cells.neg, cells.pos, cells.neg)
    half_g2 = np.zeros(cells.tp.shape)
    for cell, row, column in zip((cells.tp, cells.fp, cells.fn, cells.tn), rows, columns, strict=True):
        expected = row * (column / n)
        half_g2 += xlogy(cell, np.where(expected > 0, cell / np.where(expected > 0, expected, 1), 1))
    doublings = np.ceil(np.log2(np.maximum((half_g2 + P_VALUE_REACH) / REACH, 1)))
    return np.minimum(REACH * 2**doublings, MAX_REACH)


def _distinct_rows(*columns: Array) -> tuple[list[Array], Array]:
    """Return the distinct rows of some columns, and for each row its index among them."""
    order = np.lexsort(columns)
    ordered = [column[order] for column in columns]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = np.any([column[1:] != column[:-1] for column in ordered], axis=0)
    index = np.empty(len(order), dtype=np.intp)
    index[order] = np.cumsum(is_new) - 1
    return [column[is_new] for column in ordered], index


def q_values(p: Array, n_terms: Array | None = None) -> Array:
    """Return the q-values of p-values: the false discovery rate among p-values at most as large.

    Benjamini and Hochberg (1995).

    Parameters
    ----------
    p : p-values of any shape; ascending and distinct with `n_terms`
    n_terms : number of terms with each p-value

    Examples
    --------
    >>> q_values(np.array([0.01, 0.02, 0.04, 0.5]))
    array([0.04      , 0.04      , 0.05333333, 0.5       ])

    """
    if n_terms is None:
        distinct, index, n_terms = np.unique(p, return_inverse=True, return_counts=True)
        return q_values(distinct, n_terms)[index.reshape(np.shape(p))]
    rank = np.cumsum(n_terms)
    q = p * rank[-1] / rank if len(p) else np.zeros(0)
    # a larger p-value has no smaller q-value
    return np.asarray(np.minimum.accumulate(np.minimum(q, 1.0)[::-1])[::-1])
