"""Terms in the order in which each adds most to the divergence that the ones before it have reached."""

from __future__ import annotations

import numpy as np

from termsift._typing import Array
from termsift.counts import Counts
from termsift.discrimination.divergence import Distributions
from termsift.policies import check_k
from termsift.ranking import code_point_rank


def greedy_ranking(counts: Counts, k: int | None = None) -> Array:
    """The indices of the first k terms, or of all, by greedy maximum discrimination. Exact.

    Each step takes the term that makes the JMH divergence of the terms taken largest; for two classes that is
    the J divergence. Ties go to the larger document frequency, then to the term first in code-point order.
    Terms in no document come last. Tang, Kay and He (2016), algorithm 1.

    counts : as returned by `ts.count`
    k : number of terms; None means all

    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> list(counts.terms[greedy_ranking(counts)])
    ['prize', 'free', 'lunch', 'today']
    """
    if k is not None:
        check_k(k)
    return ranking_of(Distributions.of(counts), counts, len(counts.terms) if k is None else k)


def ranking_of(distributions: Distributions, counts: Counts, k: int) -> Array:
    """The first k terms of the counts that the distributions are of, or all where there are fewer."""
    order = tie_order(counts)
    wanted = min(k, len(order))
    seen = order[counts.term_df[order] > 0]
    found = found_greedily(distributions, seen, order, min(wanted, len(seen)))
    left = np.ones(len(order), dtype=bool)
    left[found] = False
    return np.concatenate([found, order[left[order]]])[:wanted]


def found_greedily(distributions: Distributions, terms: Array, order: Array, k: int) -> Array:
    """The first k of the terms, or fewer if the rest add nothing."""
    if k == 0:
        return terms[:0]
    from termsift.discrimination._greedy_kernel import greedy
    from termsift.discrimination._hull_kernel import greedy_of_two

    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    search = greedy_of_two if len(distributions.lengths) == 2 else greedy
    found: Array = search(*alike(distributions.occurrences, terms), place, distributions.classes, k)
    return found


def alike(occurrences: Array, terms: Array) -> tuple[Array, Array, Array]:
    """Terms of equal occurrences together: the distinct rows, where each begins, and the terms by row.

    Rows are in lexicographic order; the terms of a row keep the order they are given in.
    """
    rows = occurrences[terms]
    by_row = np.lexsort(rows.T[::-1])
    rows = rows[by_row]
    first = np.flatnonzero(np.r_[True, (rows[1:] != rows[:-1]).any(axis=1)])
    return rows[first], np.r_[first, len(rows)], terms[by_row]


def tie_order(counts: Counts) -> Array:
    """All terms as ties are broken: by document frequency, then by name."""
    return np.lexsort((code_point_rank(counts.terms), -counts.term_df))
