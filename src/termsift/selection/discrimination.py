"""The JMH divergence of chosen terms: how far apart they hold the classes, each a distribution over terms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from termsift._internal.errors import InvalidInputError, listed, unknown
from termsift._internal.expressions import check_k
from termsift._internal.ranking import code_point_rank
from termsift._internal.typing import Array
from termsift.counts import Counts, dense, ratio
from termsift.metrics import check, metrics, score

Classes: TypeAlias = tuple[Array, Array, Array]
DIGITS = 52  # binary ones: sums of so many are exact in float64


@dataclass(frozen=True, slots=True, eq=False)
class ClassDistributions:
    """Each class over the terms, as multinomial naive Bayes sees it.

    The share of term t in class c is occurrences[t, c] / lengths[c].

    occurrences : (terms, classes) tf + 1
    lengths : (classes,) their sums
    mixing : (classes,) what an occurrence in a class counts for where classes are mixed: the share of t
        beside c is the sum of mixing * occurrences over the other classes, over the same sum of lengths
    told : (classes,) whether a class is told from the others; one that holds all documents is not
    """

    occurrences: Array
    lengths: Array
    mixing: Array
    told: Array

    @classmethod
    def of(cls, counts: Counts) -> ClassDistributions:
        """The distributions of the classes that have documents. Tang, Kay and He (2016), eq. 3 and 22."""
        check(counts, metrics()["md"], {})
        filled = np.flatnonzero(counts.class_sizes)
        if len(filled) < 2:
            name = counts.classes[filled[0]]
            raise InvalidInputError(f"only 1 class: {name!r}; a divergence is one of at least 2 classes")
        sizes = counts.class_sizes[filled]
        occurrences = round_for_exact_sums(dense(counts.tf)[:, filled] + 1)
        lengths = occurrences.sum(axis=0)
        # of two classes each is all there is beside the other, whatever its size
        mixing = ratio(sizes, lengths) if len(sizes) > 2 else np.ones(2)
        return cls(occurrences, lengths, mixing, sizes < counts.documents)

    @property
    def classes(self) -> Classes:
        """What the compiled loops ask of the classes."""
        return self.lengths, self.mixing, self.told


def round_for_exact_sums(values: Array) -> Array:
    """The values by rows, with as many binary digits as leave the sums of columns exact in any order.

    Whole numbers stay. Sums of weights that differ by rounding alone become one number.
    """
    totals = values.sum(axis=0)
    unit = np.exp2(np.ceil(np.log2(np.maximum(totals, 1))) - DIGITS)
    return np.ascontiguousarray(np.rint(values / unit) * unit)


def jmh_divergence(counts: Counts, terms: Iterable[Any], *, model: str = "multinomial") -> float:
    """The Jeffreys-Multi-Hypothesis divergence of some terms, with all other terms pooled into one.

    The sum over the classes of the Kullback-Leibler divergence of the class's distribution from the mixture
    of the other classes, weighted by size. For two classes it is the J divergence.
    Tang, Kay and He (2016), eq. 21, 22 and 26.

    Parameters
    ----------
    counts : Counts
    terms : the terms, by name or by index, in any order
    model : {"multinomial", "bernoulli", "poisson"}
        The naive Bayes model. The last two treat terms as independent: the divergence is their sum of `md`.

    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> round(jmh_divergence(counts, ["lunch", "prize"]), 4)
    0.3733

    """
    return float(divergences(counts, terms, model=model)[-1:].sum())


def divergences(counts: Counts, ranking: Iterable[Any], *, model: str = "multinomial") -> Array:
    """The JMH divergence of each prefix of a ranking: its first term, its first two terms, ...

    It never falls, for any ranking: theorem 1 of Tang, Kay and He (2016).

    Parameters
    ----------
    counts : Counts
    ranking : terms, by name or by index, best first
    model : the naive Bayes model, as in `jmh_divergence`

    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> divergences(counts, ["lunch", "prize", "free"]).round(4)
    array([0.2289, 0.3733, 0.431 ])

    """
    distributions, rows = ClassDistributions.of(counts), indices(counts, ranking)
    if model != "multinomial":
        return np.asarray(score(counts, "md", model=model))[rows].cumsum()
    gains, _ = gains_and_pool(distributions, rows)
    return gains.cumsum()


def gains_and_pool(distributions: ClassDistributions, ranking: Array) -> tuple[Array, Array]:
    """What each term of a ranking adds to the divergence, and the occurrences of all others, by class."""
    from termsift.selection._discrimination_kernel import gains_along

    gains, pool = gains_along(distributions.occurrences, ranking, distributions.classes)
    return gains, pool


def term_gains(distributions: ClassDistributions, ranking: Array) -> Array:
    """What each term adds: one of the ranking in its turn, any other if it came next."""
    from termsift.selection._discrimination_kernel import gains_next

    gains, pool = gains_and_pool(distributions, ranking)
    scores = np.empty(len(distributions.occurrences))
    scores[ranking] = gains
    rest = np.delete(np.arange(len(scores)), ranking)
    scores[rest] = gains_next(distributions.occurrences, rest, pool, distributions.classes)
    return scores


def indices(counts: Counts, terms: Iterable[Any]) -> Array:
    """The rows of terms that are given by name or by index, each once."""
    given = list(terms)
    if any(isinstance(term, str) for term in given):
        places = {term: i for i, term in enumerate(counts.terms)}
        for term in given:
            if term not in places:
                raise unknown("term", term, places)
        rows = np.array([places[term] for term in given], dtype=np.intp)
    else:
        rows = checked_rows(given, len(counts.terms))
    if len(set(rows.tolist())) < len(rows):
        again = [i for i, n in zip(*np.unique(rows, return_counts=True), strict=True) if n > 1]
        raise InvalidInputError(f"terms repeat: {listed(counts.terms[again])}")
    return rows


def checked_rows(given: list[Any], n: int) -> Array:
    """Indices of n terms."""
    rows = np.asarray(given if given else np.zeros(0, dtype=np.intp))
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        raise InvalidInputError(f"terms must be given by name or by index, got {listed(given)}")
    outside = rows[(rows < 0) | (rows >= n)]
    if outside.size:
        raise InvalidInputError(f"there is no term {outside[0]}: indices of {n} terms go from 0 to {n - 1}")
    return rows.astype(np.intp)


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
    return rank_greedily(ClassDistributions.of(counts), counts, len(counts.terms) if k is None else k)


def rank_greedily(distributions: ClassDistributions, counts: Counts, k: int) -> Array:
    """The first k terms of the counts that the distributions are of, or all where there are fewer."""
    order = tie_break_order(counts)
    wanted = min(k, len(order))
    seen = order[counts.term_df[order] > 0]
    found = found_greedily(distributions, seen, order, min(wanted, len(seen)))
    left = np.ones(len(order), dtype=bool)
    left[found] = False
    return np.concatenate([found, order[left[order]]])[:wanted]


def found_greedily(distributions: ClassDistributions, terms: Array, order: Array, k: int) -> Array:
    """The first k of the terms, or fewer if the rest add nothing."""
    if k == 0:
        return terms[:0]
    from termsift.selection._discrimination_kernel import greedy, greedy_of_two

    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    search = greedy_of_two if len(distributions.lengths) == 2 else greedy
    found: Array = search(*group_equal_rows(distributions.occurrences, terms), place, distributions.classes, k)
    return found


def group_equal_rows(occurrences: Array, terms: Array) -> tuple[Array, Array, Array]:
    """Terms of equal occurrences together: the distinct rows, where each begins, and the terms by row.

    Rows are in lexicographic order; the terms of a row keep the order they are given in.
    """
    rows = occurrences[terms]
    by_row = np.lexsort(rows.T[::-1])
    rows = rows[by_row]
    first = np.flatnonzero(np.r_[True, (rows[1:] != rows[:-1]).any(axis=1)])
    return rows[first], np.r_[first, len(rows)], terms[by_row]


def tie_break_order(counts: Counts) -> Array:
    """All terms as ties are broken: by document frequency, then by name."""
    return np.lexsort((code_point_rank(counts.terms), -counts.term_df))
