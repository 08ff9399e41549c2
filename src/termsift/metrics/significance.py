"""Exact two-sided test of the 2x2 table of a term and a class, q-values and significance thresholds.

Given the marginals of a table, A is hypergeometric if labels and text are independent. The p-value is the
sum of the probabilities of all tables that are no more likely than the observed one: Fisher's exact test. It
does not depend on the metric that ranks the terms, but only on df, class size and N, so it is computed once
for all terms with the same marginals. Each row of marginals is computed alone and in the same order, so a
p-value is the same bit by bit in one process and on a cluster.

Within strata, A is a sum of independent hypergeometric variables, and its distribution their convolution.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from scipy.special import ndtr

from termsift._internal.errors import InvalidInputError, check_name
from termsift._internal.resources import spend_python_budget
from termsift._internal.typing import Array
from termsift.counts import Cells, Counts, iter_blocks, ratio

TIE = 1 + 1e-7  # tables are equally likely up to this ratio, as in scipy.stats.fisher_exact and R
NEGLIGIBLE = 1e-17  # share of a sum that changes none of its digits
REACH = 700.0  # tables in tails of a probability below 2 e^-700 are left out
THRESHOLD_REACH = 30.0  # for thresholds, those in tails below e^-30 of Bonferroni's level
ROUNDING = 1e-12  # of p-values, relative
NEARLY_ONE = 1 - 1e-9
MAX_VARIANCE = 1e9  # of A; beyond, the normal approximation is exact to many digits
BATCH_DRAWS = 1 << 21  # tables computed at once: 16 MB per array
PYTHON_COST = 20  # work of a table without compilation, in the unit of `spend_python_budget`
ALTERNATIVES = ("two-sided", "greater", "less")
EXPECTED = 0.05  # expected false positives of a list
MAX_MEMOIZED_P = 1 << 23  # p-values of more terms and classes are not kept: 64 MB


def has_integer_counts(counts: Counts) -> bool:
    """Return whether documents are unweighted, as the exact test requires."""
    tables = (counts.df, counts.term_df, counts.class_sizes)
    return all(table.dtype.kind in "iu" for table in tables) and float(counts.documents).is_integer()


def check_expected(expected: object) -> None:
    """Check that an expected number of false positives is above 0."""
    if not (isinstance(expected, int | float | np.number) and 0 < expected < np.inf):
        raise InvalidInputError(f"expected must be a number of terms above 0, got {expected!r}")


def fill_hypergeometric(
    df: Any, pos: Any, documents: Any, first: Any, starts: Any, probabilities: Any
) -> None:
    """Write the probabilities of A = first, first + 1, ... given the marginals of each row.

    P(A = a + 1) / P(A = a) = (df - a)(pos - a) / ((a + 1)(N - df - pos + a + 1)). Starting from the mode, no
    factorials are needed and nothing overflows; probabilities below 1e-306 times that of the mode are 0.
    """
    for i in range(len(df)):
        begin, end, d, k, rest = starts[i], starts[i + 1], df[i], pos[i], documents[i] - df[i] - pos[i]
        mode = min(max(int((d + 1) * ((k + 1) / (documents[i] + 2)) - first[i]), 0), end - begin - 1)
        weight = total = 1.0
        probabilities[begin + mode] = 1.0
        for j in range(mode + 1, end - begin):
            a = first[i] + j
            weight *= (d - a + 1) * (k - a + 1) / (a * (rest + a))
            if weight < 1e-306:
                break
            probabilities[begin + j] = weight
            total += weight
        weight = 1.0
        for j in range(mode - 1, -1, -1):
            a = first[i] + j
            weight *= (a + 1) * (rest + a + 1) / ((d - a) * (k - a))
            if weight < 1e-306:
                break
            probabilities[begin + j] = weight
            total += weight
        scale = 1.0 / total
        for j in range(begin, end):
            probabilities[j] *= scale


def fill_two_sided(starts: Any, probabilities: Any, tolerance: Any, p: Any) -> None:
    """Write for each table the sum of the probabilities of all tables that are no more likely.

    A distribution rises up to its mode and falls after it, so the least likely table left is always the
    first or the last one.
    """
    for i in range(len(starts) - 1):
        left, right, tail = starts[i], starts[i + 1] - 1, 0.0
        while left <= right:
            first, last = left, right
            level = min(probabilities[left], probabilities[right]) * tolerance
            while left <= right and probabilities[left] <= level:
                tail += probabilities[left]
                left += 1
            while left <= right and probabilities[right] <= level:
                tail += probabilities[right]
                right -= 1
            for j in range(first, left):
                p[j] = min(tail, 1.0)
            for j in range(right + 1, last + 1):
                p[j] = min(tail, 1.0)


def fill_low_p_values(
    start: Any, chance: Any, n_terms: Any, tolerance: Any, expected: Any, high: Any, low: Any
) -> None:
    """Write the attained p-values below `high`, each with its probability times the number of terms.

    Equally likely tables share one. `low` holds their number and the final `high`, then the pairs: terms of
    a row alone may exceed the expected number, so a threshold is below such a p-value.
    """
    n_written = 0
    for i in range(len(start) - 1):
        left, right, tail = start[i], start[i + 1] - 1, 0.0
        while left <= right:
            before, level = tail, min(chance[left], chance[right]) * tolerance
            while left <= right and chance[left] <= level:
                tail += chance[left]
                left += 1
            while left <= right and chance[right] <= level:
                tail += chance[right]
                right -= 1
            if tail >= high:
                break
            if n_terms[i] * tail > expected * (1 + 1e-9):
                high = tail
                break
            if tail > before:
                low[2 + 2 * n_written] = tail
                low[3 + 2 * n_written] = n_terms[i] * (tail - before)
                n_written += 1
    low[0], low[1] = n_written, high


def fill_p_values(
    df: Any,
    pos: Any,
    documents: Any,
    first: Any,
    last: Any,
    start: Any,
    a: Any,
    side: Any,
    weight: Any,
    p: Any,
) -> None:
    """Write the p-value of each A, in ascending order of A within the rows of marginals.

    Probabilities relative to that of the mode follow from the ratio in `fill_hypergeometric`, outwards until
    the rest changes no digit of any p-value. Each sum runs outwards too, so it does not depend on the other A
    of the row. `side` is 0 for two-sided p-values, 1 for the upper and -1 for the lower tail.
    """
    for i in range(len(df)):
        begin, end, d, k, rest = start[i], start[i + 1], df[i], pos[i], documents[i] - df[i] - pos[i]
        offset, size = first[i], int(last[i] - first[i]) + 1
        mode = min(max(int((d + 1) * ((k + 1) / (documents[i] + 2)) - offset), 0), size - 1)
        left, right, weight[mode] = mode, mode, 1.0
        above, below, upper, lower = 1.0, 1.0, 1.0, 1.0  # sums and last weights on both sides of the mode
        # first up to the outermost A, then until the rest is negligible
        leftmost, rightmost, smallest = max(int(a[begin] - offset), 0), int(a[end - 1] - offset), 1e-306
        for _ in range(2):
            while right < min(rightmost, size - 1) and upper > smallest:
                x = offset + right
                upper *= (d - x) * (k - x) / ((x + 1) * (rest + x + 1))
                right += 1
                weight[right] = upper
                above += upper
            while left > leftmost and lower > smallest:
                x = offset + left
                lower *= x * (rest + x) / ((d - x + 1) * (k - x + 1))
                left -= 1
                weight[left] = lower
                below += lower
            leftmost, rightmost, smallest = 0, size - 1, max(min(upper, lower) * NEGLIGIBLE, 1e-306)
        total = above + (below - 1.0)
        for t in range(begin, end):
            j = int(a[t] - offset)
            tail = 0.0
            if t > begin and a[t] == a[t - 1]:
                p[t] = p[t - 1]
                continue
            if side != 0:
                step = 1 if side == 1 else -1
                j = max(j, left) if side == 1 else min(j, right)
                while left <= j <= right and (weight[j] > tail * NEGLIGIBLE or (mode - j) * step > 0):
                    tail += weight[j]
                    j += step
            elif left <= j <= right:
                level = weight[j] * TIE
                if level >= 1.0:
                    p[t] = 1.0
                    continue
                step = 1 if j > mode else -1
                while weight[j - step] <= level:
                    j -= step
                # the first A on the other side that is no more likely
                inner, outer = (left - 1, mode) if step == 1 else (mode, right + 1)
                while outer - inner > 1:
                    middle = (inner + outer) // 2
                    if (weight[middle] <= level) == (step == 1):
                        inner = middle
                    else:
                        outer = middle
                other = inner if step == 1 else outer
                while left <= j <= right and weight[j] > tail * NEGLIGIBLE:
                    tail += weight[j]
                    j += step
                while left <= other <= right and weight[other] > tail * NEGLIGIBLE:
                    tail += weight[other]
                    other -= step
            p[t] = min(tail / total, 1.0)


def fill_with_kernel(name: str, work: int, *arguments: Any) -> Array:
    """Fill the last argument by a kernel, or by its Python function if there is little to compute."""
    output = arguments[-1]
    if spend_python_budget(PYTHON_COST * work):
        # lists are several times as fast as arrays
        lists = [x.tolist() if isinstance(x, np.ndarray) else x for x in arguments]
        globals()[name](*lists)
        output[:] = lists[-1]
    else:
        from termsift.metrics import _exact_kernel

        getattr(_exact_kernel, name)(*arguments)
    return np.asarray(output)


@dataclass(frozen=True, slots=True, eq=False)
class NullDistributions:
    """Null distributions of A for some rows, one after another.

    Parameters
    ----------
    first : (rows,) smallest A of each row
    start : (rows + 1,) where the values of each row start
    chance : probabilities of A = first, first + 1, ...

    """

    first: Array
    start: Array
    chance: Array

    def p_values(self) -> Array:
        """Return the two-sided p-value of each A."""
        size = len(self.chance)
        return fill_with_kernel("fill_two_sided", size, self.start, self.chance, TIE, np.zeros(size))

    def select_p_values(self, p: Array, rows: Array, a: Array) -> Array:
        """Return the p-values of A = a in some rows; 0 in the tails left out."""
        position, size = a - self.first[rows], np.diff(self.start)[rows]
        inside = self.start[rows] + np.clip(position, 0, size - 1).astype(np.intp)
        return np.where((position < 0) | (position >= size), 0.0, p[inside])


def hypergeometric_variance(df: Array, pos: Array, documents: Array) -> Array:
    """Return the variance of A given the marginals."""
    n = np.maximum(documents, 2)
    return np.asarray((df / n) * pos * ((n - df) / n) * ((n - pos) / (n - 1)))


def bound_tables(df: Array, pos: Array, documents: Array, reach: float = REACH) -> tuple[Array, Array]:
    """Return the smallest and the largest A of each row, without tails of a probability below 2 e^-reach.

    By Bernstein's inequality, which holds for draws without replacement too: Hoeffding (1963), section 6.
    """
    mean, variance = df * (pos / np.maximum(documents, 1)), hypergeometric_variance(df, pos, documents)
    distance = np.ceil(reach / 3 + np.sqrt(reach**2 / 9 + 2 * reach * variance)) + 1
    first = np.maximum(np.maximum(df + pos - documents, 0), np.floor(mean) - distance)
    return first, np.maximum(first, np.minimum(np.minimum(df, pos), np.ceil(mean) + distance))


def iter_null_distributions(
    df: Array, pos: Array, documents: Array, tail_exponent: float = REACH
) -> Iterator[tuple[slice, NullDistributions]]:
    """Yield the null distributions of rows of marginals in batches, each with its rows."""
    first, last = bound_tables(df, pos, documents, tail_exponent)
    ends = np.cumsum((last - first + 1).astype(np.int64))
    begin = 0
    while begin < len(df):
        drawn = ends[begin - 1] if begin else 0
        rows = slice(begin, max(int(np.searchsorted(ends, drawn + BATCH_DRAWS, side="right")), begin + 1))
        start = np.concatenate([[0], ends[rows] - drawn])
        marginals = (x[rows].astype(np.float64) for x in (df, pos, documents, first))
        size = int(start[-1])
        chance = fill_with_kernel("fill_hypergeometric", size, *marginals, start, np.zeros(size))
        yield rows, NullDistributions(first[rows], start, chance)
        begin = rows.stop


def sum_p_value(a: Array, df: Array, pos: Array, documents: Array) -> float:
    """Return the one-sided p-value of the sum of A over strata, given the marginals of each stratum."""
    first, chance = 0.0, np.ones(1)
    for _, draws in iter_null_distributions(df, pos, documents):
        first += draws.first.sum()
        for stratum in np.split(draws.chance, draws.start[1:-1]):
            chance = np.convolve(chance, stratum)
    return float(chance[max(round(a.sum() - first), 0) :].sum())


def normal_p(z: Array, alternative: str) -> Array:
    """Return the p-value of a standard normal z."""
    if alternative == "two-sided":
        return np.asarray(2 * ndtr(-np.abs(z)))
    return np.asarray(ndtr(-z if alternative == "greater" else z))


def exact_p_values(cells: Cells, alternative: str = "two-sided") -> Array:
    """Return the exact p-value of each table; those below 1e-300 may be 0.

    >>> print(exact_p_values(Cells(*map(np.array, (3., 1., 1., 3.)))).round(4))
    0.4857
    """
    check_name("alternative", alternative, ALTERNATIVES)
    flat = cells.map(lambda cell: np.ravel(cell).astype(np.float64))
    p = np.ones(flat.tp.size)
    variance = hypergeometric_variance(flat.df, flat.pos, flat.documents)
    is_large = variance > MAX_VARIANCE
    if is_large.any():
        z = ratio(flat.association, flat.documents * np.sqrt(variance))
        p[is_large] = normal_p(z, alternative)[is_large]
    tested = np.flatnonzero(flat.is_defined & ~is_large)
    columns = np.stack([flat.tp[tested], flat.df[tested], flat.pos[tested], flat.documents[tested]])
    order = _sort_tables(columns)
    columns, tested = columns[:, order], tested[order]
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (columns[1:, 1:] != columns[1:, :-1]).any(axis=0)
    start, marginals = np.append(np.flatnonzero(is_new), len(order)), columns[1:, is_new]
    first, last = bound_tables(*marginals)
    widths = last - first + 1
    side = {"two-sided": 0, "greater": 1, "less": -1}[alternative]
    weight, output = np.empty(int(widths.max(initial=0))), np.zeros(len(order))
    arguments = *marginals, first, last, start, columns[0], side, weight, output
    p[tested] = fill_with_kernel("fill_p_values", int(widths.sum()), *arguments)
    return p.reshape(np.shape(cells.tp))


def _sort_tables(columns: Array) -> Array:
    """Return the order of tables by the last column, then the one before it, and so on."""
    smallest = columns.min(axis=1, initial=np.inf)
    sizes = np.maximum(columns.max(axis=1, initial=0) - smallest + 1, 1)
    if not columns.size or sizes.prod() > 2**62:
        return np.lexsort(columns)
    # one integer per table is sorted several times as fast as four columns
    key = np.zeros(columns.shape[1], dtype=np.int64)
    for column, low, size in zip(columns[::-1], smallest[::-1], sizes[::-1], strict=True):
        key = key * np.int64(size) + (column - low).astype(np.int64)
    return np.argsort(key)


class ThresholdSearch:
    """Search for alpha, the largest attained p-value with at most `expected` false positives.

    A false positive is a term with p <= alpha though it is independent of the class; their exact expected
    number is the sum over terms of P(p <= alpha), which is far below alpha for rare terms, because they
    cannot reach small p-values.

    Parameters
    ----------
    expected : expected number of false positives
    n_terms : number of terms

    """

    def __init__(self, expected: float, n_terms: int) -> None:
        self.expected = expected
        # Bonferroni's level is always low enough, so only p-values above it are sorted
        self.bonferroni, self._high = min(expected / max(n_terms, 1), 1.0), np.inf
        self._below, self._n_continuous, self._attained = 0.0, 0, 0.0
        self._p, self._weight = np.zeros(0), np.zeros(0)

    def add_exact(self, distributions: NullDistributions, n_terms: Array) -> None:
        """Add null distributions with the number of terms that have each."""
        start, chance = distributions.start, distributions.chance
        output = np.zeros(2 + 2 * len(chance))
        arguments = start, chance, n_terms, TIE, self.expected, self._high, output
        n_low, self._high = fill_with_kernel("fill_low_p_values", len(chance), *arguments)[:2]
        p, weight = output[2 : 2 + 2 * int(n_low)].reshape(-1, 2).T
        is_below = p <= self.bonferroni
        self._below += float(weight[is_below].sum())
        self._attained = max(self._attained, float(p[is_below].max(initial=0.0)))
        self._p = np.append(self._p, p[~is_below])
        self._weight = np.append(self._weight, weight[~is_below])

    def add_continuous(self, n_terms: int) -> None:
        """Add terms with so many possible tables that P(p <= alpha) = alpha."""
        self._n_continuous += n_terms
        self._attained = self.bonferroni if n_terms else self._attained

    @property
    def threshold(self) -> float:
        """Alpha, after all distributions were added."""
        is_low = self._p < self._high
        p, weight = self._p[is_low], self._weight[is_low]
        order = np.argsort(p, kind="stable")
        p, total = p[order], self._below + np.cumsum(weight[order])
        total += self._n_continuous * p
        # tables with equal p-values are added together
        last = np.searchsorted(p, p * TIE, side="right") - 1
        is_low = total[last] <= self.expected * (1 + 1e-9)
        # raised by rounding error, so that p <= alpha holds for the tables whose p-value it is
        return min(float(p[last][is_low].max(initial=self._attained)) * (1 + ROUNDING), 1.0)


def significance_threshold(
    df: Array, n_terms: Array, pos: float, documents: float, expected: float = EXPECTED
) -> float:
    """Return alpha for a class: terms with p <= alpha are significant.

    Parameters
    ----------
    df, n_terms : the distinct document frequencies, ascending, and the number of terms with each
    pos : number of documents in the class
    documents : number of documents
    expected : expected number of false positives

    Examples
    --------
    >>> significance_threshold(np.array([5]), np.array([2]), 5, 10, expected=0.05).__round__(4)
    0.0079

    """
    check_expected(expected)
    search = ThresholdSearch(float(expected), int(n_terms.sum()))
    sizes, total = np.full(len(df), float(pos)), np.full(len(df), float(documents))
    is_large = hypergeometric_variance(df, sizes, total) > MAX_VARIANCE
    search.add_continuous(int(n_terms[is_large].sum()))
    df, sizes, total, n_exact = (x[~is_large] for x in (df, sizes, total, n_terms))
    # smaller p-values than Bonferroni's level only count together, so the far tails are not needed
    reach = min(THRESHOLD_REACH - np.log(min(search.bonferroni, 1.0)), REACH)
    for rows, draws in iter_null_distributions(df, sizes, total, reach):
        search.add_exact(draws, n_exact[rows])
    return search.threshold


class Test(Protocol):
    """Test of the terms of a class."""

    def p(self, name: Any) -> Array | None:
        """Return the (terms,) two-sided p-values of a class; None if there is no test."""

    def alpha(self, name: Any, expected: float) -> float | None:
        """Return the p-value up to which terms of a class are significant; None if there is no test."""


@dataclass(frozen=True, slots=True, eq=False)
class ExactTest:
    """Exact test of each 2x2 table of documents; there is none for weighted documents."""

    counts: Counts

    def p(self, name: Any) -> Array | None:
        """Return the (terms,) two-sided p-values of a class."""
        c = self.counts.class_index(name)
        p = self.all_p() if "p" in self.counts._memo else ExactTest(self.counts.of_class(name)).all_p()
        return None if p is None else p[:, min(c, p.shape[1] - 1)]

    def all_p(self, alternative: str = "two-sided") -> Array | None:
        """Return the (terms, classes) p-values; two-sided ones are kept unless there are many."""
        memo, counts = self.counts._memo, self.counts
        if not has_integer_counts(counts):
            return None
        if "p" in memo and alternative == "two-sided":
            p: Array = memo["p"]
            return p
        function = partial(exact_p_values, alternative=alternative)
        p = np.concatenate([block.map_cells(function) for block in iter_blocks(counts)])
        if alternative == "two-sided" and p.size <= MAX_MEMOIZED_P:
            memo["p"] = p
        return p

    def alpha(self, name: Any, expected: float) -> float | None:
        """Return the p-value up to which terms of a class are significant."""
        counts = self.counts
        if not has_integer_counts(counts):
            return None
        if "document_frequencies" not in counts._memo:
            counts._memo["document_frequencies"] = np.unique(counts.term_df, return_counts=True)
        df, n_terms = counts._memo["document_frequencies"]
        pos = counts.class_sizes[counts.class_index(name)]
        return significance_threshold(df, n_terms, pos, counts.documents, expected)


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
    # most terms are rare and have p = 1, up to rounding, and so q = 1
    is_below, q = p < NEARLY_ONE, np.ones(np.shape(p))
    total, below = np.size(p) if n_terms is None else n_terms.sum(), p[is_below]
    distinct, index, counts = np.unique(below, return_inverse=True, return_counts=True)
    rank = np.cumsum(counts if n_terms is None else n_terms[is_below])
    # a larger p-value has no smaller q-value
    q[is_below] = np.minimum.accumulate(np.minimum(distinct * total / rank, 1.0)[::-1])[::-1][index]
    return q
