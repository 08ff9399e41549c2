"""Analysis within strata, such as authors or sources: metrics, exact test and effect size.

A stratum compares only documents of one group, so differences between groups do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import ndtri

from termsift._internal.typing import Array
from termsift.counts import Cells, GroupedCounts, ratio
from termsift.metrics.significance import (
    BATCH_DRAWS,
    NullDistributions,
    ThresholdSearch,
    has_integer_counts,
    hypergeometric_variance,
    iter_null_distributions,
    normal_p,
)

MIN_NORMAL_VARIANCE = 100.0  # of A, summed over the strata, from which it is taken as normal


@dataclass(frozen=True, slots=True)
class StratifiedMetric:
    """Metric of strata, computed from sums over them.

    summands : function of the cells of a stratum to the (summands, ...) numbers to add
    combine : function of the sums to the scores
    """

    summands: Callable[[Cells], Array]
    combine: Callable[[Array], Array]

    def __call__(self, grouped: GroupedCounts) -> Array:
        """Return the (terms, classes) scores, stratified by group."""
        return self.combine(sum_strata(grouped, self.summands))


def sum_strata(grouped: GroupedCounts, summands: Callable[[Cells], Array]) -> Array:
    """Return the (summands, terms, classes) sums over the strata."""
    shape = len(grouped.terms), len(grouped.classes)
    sums = np.zeros((len(summands(Cells(*np.ones((4, 1))))), *shape))
    for rows, cells in grouped.strata():
        sums[:, rows] += summands(cells)
    return sums


def cmh(cells: Cells) -> Array:
    """Cochran-Mantel-Haenszel z: sum of (A - E) / sqrt(sum of V) over the strata.

    E = pos df / N, V = pos neg df (N - df) / (N^2 (N - 1)). Cochran (1954), Mantel and Haenszel (1959).
    For a single stratum it is cc sqrt((N - 1) / N).

    >>> print(cmh(Cells(*map(np.array, (30., 10., 20., 40.)))).round(4))
    4.062
    """
    return cmh_z(excess_and_variance(cells))


def mh_odds(cells: Cells) -> Array:
    """Log of the Mantel-Haenszel odds ratio: sum of AD/N / sum of BC/N over the strata.

    If a sum is 0, one half is added to each cell of the informative strata; if this changed the sign of
    the association, the score is 0. Mantel and Haenszel (1959).

    >>> print(mh_odds(Cells(*map(np.array, (30., 10., 20., 40.)))).round(4))
    1.7918
    """
    return mh_log_odds(mh_summands(cells))


def excess_and_variance(cells: Cells) -> Array:
    """Return A - E and V of a stratum; (AD - BC) / N is A - E without rounding error."""
    n = cells.documents
    spread = cells.pos * cells.neg * cells.df * (n - cells.df)
    return np.stack([ratio(cells.association, n), ratio(spread, n**2 * np.maximum(n - 1, 0))])


def cmh_z(sums: Array) -> Array:
    """Return the sum of A - E in standard deviations, 0 without variance."""
    return ratio(sums[0], np.sqrt(sums[1]))


def mh_summands(cells: Cells) -> Array:
    """Return AD/N and BC/N of a stratum, then of its smoothed cells; 0 for uninformative strata."""
    tables = cells, cells.smooth(0.5)
    products = [ratio(x, t.documents) for t in tables for x in (t.tp * t.tn, t.fp * t.fn)]
    return np.where(is_informative(cells), np.stack(products), 0.0)


def is_informative(cells: Cells) -> Array:
    """Return whether a stratum has documents with and without the term, inside and outside the class."""
    return np.asarray(cells.pos * cells.neg * cells.df * (cells.fn + cells.tn) > 0)


def mh_log_odds(sums: Array) -> Array:
    """Return the log of the ratio of the sums, 0 without informative strata."""
    has_both_sums = (sums[0] > 0) & (sums[1] > 0)
    inside, outside = np.where(has_both_sums, sums[:2], sums[2:4])
    logs = np.log(ratio(inside, outside), out=np.zeros(inside.shape), where=inside > 0)
    # smoothing must not change the sign of the association
    return np.where(logs * (sums[0] - sums[1]) < 0, 0.0, logs)


def mh_interval_summands(cells: Cells) -> Array:
    """Return `mh_summands`, then the products PR, PS + QR and QS of both tables.

    P = (A + D)/N, Q = (B + C)/N, R = AD/N, S = BC/N: Robins, Breslow and Greenland (1986).
    """
    products = mh_summands(cells)
    rows = [products]
    for table, (r, s) in ((cells, products[:2]), (cells.smooth(0.5), products[2:])):
        p = ratio(table.tp + table.tn, table.documents)
        q = ratio(table.fp + table.fn, table.documents)
        rows.append(np.stack([p * r, p * s + q * r, q * s]))
    return np.concatenate(rows)


def mh_log_odds_with_interval(sums: Array, level: float = 0.95) -> Array:
    """Return the Mantel-Haenszel log odds ratio and the limits of its interval, from sums of products.

    Unbounded without informative strata.
    """
    has_both_sums = (sums[0] > 0) & (sums[1] > 0)
    r, s = np.where(has_both_sums, sums[:2], sums[2:4])
    pr, ps_qr, qs = np.where(has_both_sums, sums[4:7], sums[7:10])
    variance = ratio(pr, 2 * r**2) + ratio(ps_qr, 2 * r * s) + ratio(qs, 2 * s**2)
    half_width = float(ndtri((1 + level) / 2)) * np.sqrt(variance)
    center = np.log(ratio(r, s), out=np.zeros(r.shape), where=r > 0)
    is_defined = r > 0
    low = np.where(is_defined, center - half_width, -np.inf)
    return np.stack([mh_log_odds(sums), low, np.where(is_defined, center + half_width, np.inf)])


CMH = StratifiedMetric(excess_and_variance, cmh_z)
MH_ODDS = StratifiedMetric(mh_summands, mh_log_odds)


@dataclass(frozen=True, slots=True, eq=False)
class StratifiedTest:
    """Exact test within strata: given the marginals of each stratum, A is a sum of hypergeometric variables.

    From a variance of 100 on, A is taken as normal (Cochran-Mantel-Haenszel); below, that would be badly
    wrong for rare terms.
    """

    grouped: GroupedCounts
    _memo: dict[Any, Any] = field(default_factory=dict)

    def p(self, name: Any) -> Array | None:
        """Return the (terms,) two-sided p-values of a class; None for weighted documents."""
        if not has_integer_counts(self.grouped.pairs):
            return None
        c = self.grouped.counts.class_index(name)
        if c not in self._memo:
            counts = self.grouped.counts
            a = counts.df[:, [c]].toarray()[:, 0].astype(np.float64)
            p, patterns = self._normal_p(c), self._marginal_pattern_ids(c)
            for rows, draws, _ in self._iter_pattern_distributions(c):
                index = np.flatnonzero((patterns >= rows.start) & (patterns < rows.stop))
                position = patterns[index] - rows.start
                p[index] = draws.select_p_values(draws.p_values(), position, a[index])
            self._memo[c] = p
        p_values: Array = self._memo[c]
        return p_values

    def alpha(self, name: Any, expected: float) -> float | None:
        """Return the p-value up to which terms of a class are significant."""
        if not has_integer_counts(self.grouped.pairs):
            return None
        c = self.grouped.counts.class_index(name)
        search = ThresholdSearch(float(expected), len(self.grouped.terms))
        search.add_continuous(int(np.count_nonzero(self._marginal_pattern_ids(c) < 0)))
        for _, draws, n_terms in self._iter_pattern_distributions(c):
            search.add_exact(draws, n_terms)
        return search.threshold

    def effect_columns(self, rows: Array, names: list[Any]) -> dict[str, Array]:
        """Return the columns effect, low and high: Mantel-Haenszel log odds ratio with its interval.

        Robins, Breslow and Greenland (1986). If a sum is 0, one half is added to each cell of the informative
        strata.
        """
        if "effect" not in self._memo:
            self._memo["effect"] = mh_log_odds_with_interval(sum_strata(self.grouped, mh_interval_summands))
        columns = [self.grouped.counts.class_index(name) for name in names]
        estimates = self._memo["effect"][:, rows][:, :, columns]
        return {name: x.ravel() for name, x in zip(("effect", "low", "high"), estimates, strict=True)}

    def _moments(self) -> Array:
        """Return the (2, terms, classes) sums of A - E and of V."""
        if "moments" not in self._memo:
            self._memo["moments"] = sum_strata(self.grouped, excess_and_variance)
        moments: Array = self._memo["moments"]
        return moments

    def _normal_p(self, c: int) -> Array:
        """Return the p-values of the normal approximation, 1 without variance."""
        return normal_p(cmh_z(self._moments()[:, :, c]), "two-sided")

    def _marginal_pattern_ids(self, c: int) -> Array:
        """Return the number of each term's marginals among distinct ones; -1 for the normal approximation.

        Terms with the same document frequency in each stratum share a distribution.
        """
        if ("marginals", c) not in self._memo:
            is_exact = self._moments()[1, :, c] < MIN_NORMAL_VARIANCE
            table, numbers = self.grouped.group_df, dict[bytes, int]()
            patterns = np.full(len(is_exact), -1)
            for row in np.flatnonzero(is_exact).tolist():
                entries = slice(table.indptr[row], table.indptr[row + 1])
                key = table.indices[entries].tobytes() + table.data[entries].tobytes()
                patterns[row] = numbers.setdefault(key, len(numbers))
            self._memo["marginals", c] = patterns
        patterns_of_class: Array = self._memo["marginals", c]
        return patterns_of_class

    def _iter_pattern_distributions(self, c: int) -> Iterator[tuple[slice, NullDistributions, Array]]:
        """Yield batches of the distinct distributions with the number of terms that have each."""
        patterns, table = self._marginal_pattern_ids(c), self.grouped.group_df
        exact = np.flatnonzero(patterns >= 0)
        _, first_term, n_terms = np.unique(patterns[exact], return_index=True, return_counts=True)
        strata = self._stratum_distributions(c)
        begin, size, firsts, chances = 0, 0, [], []
        for number, row in enumerate(exact[first_term].tolist()):
            first, chance = 0.0, np.ones(1)
            for entry in range(table.indptr[row], table.indptr[row + 1]):
                stratum_first, stratum_chance = strata[table.indices[entry], table.data[entry]]
                first += stratum_first
                if len(stratum_chance) > 1:
                    chance = np.convolve(chance, stratum_chance)
            firsts.append(first)
            chances.append(chance)
            size += len(chance)
            if size >= BATCH_DRAWS or number + 1 == len(first_term):
                start = np.cumsum([0, *map(len, chances)])
                rows = slice(begin, number + 1)
                yield rows, NullDistributions(np.array(firsts), start, np.concatenate(chances)), n_terms[rows]
                begin, size, firsts, chances = number + 1, 0, [], []

    def _stratum_distributions(self, c: int) -> dict[tuple[int, int], tuple[float, Array]]:
        """Return smallest A and probabilities for each stratum and document frequency that occur."""
        table, sizes = self.grouped.group_df, self.grouped.group_sizes
        membership = self.grouped.membership[:, [c]].toarray()[:, 0]
        pairs = self.grouped.pairs.class_sizes * membership
        pos = np.bincount(self.grouped.group_of_pair, pairs, len(sizes))
        g, df = np.unique(np.stack([table.indices, table.data]), axis=1)
        # a stratum of large variance belongs only to terms with the normal approximation
        variance = hypergeometric_variance(df, pos[g], sizes[g])
        g, df = g[variance < MIN_NORMAL_VARIANCE], df[variance < MIN_NORMAL_VARIANCE]
        distributions = {}
        for rows, draws in iter_null_distributions(df, pos[g], sizes[g]):
            spans = zip(draws.start[:-1], draws.start[1:], strict=True)
            for stratum, size, first, span in zip(g[rows], df[rows], draws.first, spans, strict=True):
                distributions[stratum, size] = float(first), draws.chance[slice(*span)]
        return distributions
