"""JMH divergence of terms, and greedy maximum discrimination (Tang, Kay and He 2016)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from scipy.special import rel_entr

from termsift._internal.errors import InvalidInputError, quote_names, unknown_name_error
from termsift._internal.ranking import code_point_ranks
from termsift._internal.typing import Array, check_positive_integer
from termsift.counts import Counts, ratio, to_dense
from termsift.metrics import check_scorable, metrics, score

MANTISSA_BITS = 52  # sums of numbers with at most this many bits are exact in float64


@dataclass(frozen=True, slots=True, eq=False)
class ClassDistributions:
    """Distribution of each class over the terms, as in multinomial naive Bayes.

    The share of term t in class c is occurrences[t, c] / lengths[c], where lengths is classes[0].

    occurrences : (terms, classes) tf + 1
    classes : arguments of the kernels that describe the classes, each an array (classes,)
        lengths, the sums of the occurrences;
        mixing, the weight of an occurrence of each class in a mixture: the share of t in the classes other
        than c is their sum of mixing * occurrences over the same sum of lengths;
        is_contrasted, whether some documents are outside the class
    """

    occurrences: Array
    classes: tuple[Array, Array, Array]

    @classmethod
    def from_counts(cls, counts: Counts) -> ClassDistributions:
        """Return the distributions of the nonempty classes. Tang, Kay and He (2016), eq. 3 and 22."""
        check_scorable(counts, metrics()["md"], {})
        nonempty = np.flatnonzero(counts.class_sizes)
        if len(nonempty) < 2:
            name = counts.classes[nonempty[0]]
            raise InvalidInputError(f"only 1 class: {name!r}; a divergence needs at least 2 classes")
        sizes = counts.class_sizes[nonempty]
        occurrences = round_for_exact_sums(to_dense(counts.tf)[:, nonempty] + 1)
        lengths = occurrences.sum(axis=0)
        # with two classes the mixture of the other classes is a single class, whatever its size
        mixing = ratio(sizes, lengths) if len(sizes) > 2 else np.ones(2)
        return cls(occurrences, (lengths, mixing, sizes < counts.documents))


def round_for_exact_sums(values: Array) -> Array:
    """Round values so that sums of columns are exact in any order; integers are unchanged.

    Sums of weights that differ only by rounding become equal.
    """
    totals = values.sum(axis=0)
    unit = np.exp2(np.ceil(np.log2(np.maximum(totals, 1))) - MANTISSA_BITS)
    return np.ascontiguousarray(np.rint(values / unit) * unit)


def jmh_divergence(counts: Counts, terms: Iterable[Any], *, model: str = "multinomial") -> float:
    """Return the Jeffreys-Multi-Hypothesis divergence of some terms, with all other terms pooled into one.

    The sum over the classes of the Kullback-Leibler divergence of the class's distribution from the mixture
    of the other classes, weighted by size. For two classes it is the J divergence.
    Tang, Kay and He (2016), eq. 21, 22 and 26.

    Parameters
    ----------
    counts : Counts
        As returned by `ts.count`.
    terms : iterable of str or int
        Distinct terms, by name or by index, in any order.
    model : {"multinomial", "bernoulli", "poisson"}, default "multinomial"
        Naive Bayes model. The last two treat terms as independent: the divergence is their sum of `md`.

    Returns
    -------
    float
        Divergence in nats; 0 for no terms.

    Raises
    ------
    InvalidInputError
        If terms are repeated, an index is out of range, the model is unknown, or fewer than two classes have
        documents.
    UnknownNameError
        If a term is unknown.

    Examples
    --------
    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> round(jmh_divergence(counts, ["lunch", "prize"]), 4)
    0.3733

    """
    return float(divergences(counts, terms, model=model)[-1:].sum())


def divergences(counts: Counts, ranking: Iterable[Any], *, model: str = "multinomial") -> Array:
    """Return the JMH divergence of each prefix of a ranking: its first term, its first two terms, ...

    It never falls, for any ranking: theorem 1 of Tang, Kay and He (2016).

    Parameters
    ----------
    counts : Counts
        As returned by `ts.count`.
    ranking : iterable of str or int
        Distinct terms, by name or by index, best first.
    model : {"multinomial", "bernoulli", "poisson"}, default "multinomial"
        Naive Bayes model, as in `jmh_divergence`.

    Returns
    -------
    ndarray of float, shape (n_ranked,)
        Divergence of each prefix, in nats.

    Raises
    ------
    InvalidInputError
        If terms are repeated, an index is out of range, the model is unknown, or fewer than two classes have
        documents.
    UnknownNameError
        If a term is unknown.

    Examples
    --------
    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> divergences(counts, ["lunch", "prize", "free"]).round(4)
    array([0.2289, 0.3733, 0.431 ])

    """
    distributions, rows = ClassDistributions.from_counts(counts), find_term_rows(counts, ranking)
    if model != "multinomial":
        return np.asarray(score(counts, "md", model=model))[rows].cumsum()
    from termsift.selection._discrimination_kernel import ranking_gains

    gains: Array = ranking_gains(distributions.occurrences, rows, len(rows), distributions.classes)
    return gains.cumsum()


def kl_divergence(p: Any, q: Any) -> Array:
    """Return the Kullback-Leibler divergence of distributions p from q: the sum of p log(p / q).

    Tang, Kay and He (2016), eq. 11; J divergence is kl_divergence(p, q) + kl_divergence(q, p), eq. 12.

    Parameters
    ----------
    p, q : array-like, shape (..., outcomes)
        Probabilities; the last axis sums to 1. Other axes are broadcast.

    Returns
    -------
    ndarray of float
        Divergences in nats; infinite if p has an outcome that q lacks.

    Raises
    ------
    InvalidInputError
        If a value is negative or not finite, or a distribution does not sum to 1.

    Examples
    --------
    >>> float(kl_divergence([0.5, 0.5], [0.25, 0.75]).round(4))
    0.1438
    >>> kl_divergence([[1, 0], [0.5, 0.5]], [0, 1])
    array([inf, inf])

    """
    arrays = [np.asarray(values, dtype=float) for values in (p, q)]
    for name, values in zip("pq", arrays, strict=True):
        if not (values.ndim and np.all(np.isfinite(values)) and np.all(values >= 0)):
            raise InvalidInputError(f"{name} must be an array of probabilities, got {values!r}")
        if not np.allclose(values.sum(axis=-1), 1):
            raise InvalidInputError(f"{name} must sum to 1, got a sum of {values.sum(axis=-1)}")
    return np.asarray(rel_entr(*arrays).sum(axis=-1))


@dataclass(frozen=True, slots=True)
class TopTwoTerms:
    """Comparison of the two best terms by the condition of Tang, Kay and He (2016), eq. 34.

    Eq. 34 keeps of each J divergence (eq. 12) the divergence of the first class from the second, as eq. 30
    does; so the condition may fail if both halves matter.

    Parameters
    ----------
    first, second : str or int
        The best and the second-best term by the J divergence, in the order of algorithm 2.
    delta : float
        Eq. 33, in nats.
    bound : float
        Right side of eq. 34.

    Examples
    --------
    >>> TopTwoTerms("prize", "lunch", -0.4177, -0.4267).is_within_bound
    False

    """

    first: Any
    second: Any
    delta: float
    bound: float

    @property
    def is_within_bound(self) -> bool:
        """Whether delta is at most the bound: eq. 34."""
        return self.delta <= self.bound


def compare_top_two_terms(counts: Counts) -> TopTwoTerms:
    """Compare the two best terms by eq. 33 and 34 of Tang, Kay and He (2016), section 4.2.

    p of a term is its share of the occurrences in a class, with Laplace smoothing.

    Parameters
    ----------
    counts : Counts
        As returned by `ts.count`, of two classes and at least two terms.

    Returns
    -------
    TopTwoTerms
        The two terms, both sides of the condition, and whether it holds.

    Raises
    ------
    InvalidInputError
        If there are not two classes with documents, or fewer than two terms.

    Examples
    --------
    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> found = compare_top_two_terms(counts)
    >>> found.first, found.second, found.is_within_bound
    ('prize', 'lunch', False)

    """
    distributions = ClassDistributions.from_counts(counts)
    lengths = distributions.classes[0]
    if len(lengths) != 2 or len(counts.terms) < 2:
        raise InvalidInputError(
            f"eq. 33 is for two classes and at least two terms, got {len(lengths)} classes and "
            f"{len(counts.terms)} terms"
        )
    p = distributions.occurrences / lengths
    # J divergence of a term against all others together, eq. 12
    binary = np.stack([p, 1 - p], axis=-1)
    j = kl_divergence(binary[:, 0], binary[:, 1]) + kl_divergence(binary[:, 1], binary[:, 0])
    order = np.lexsort((code_point_ranks(counts.terms), -counts.term_df, -j))
    (p11, p12), (p21, p22) = p[order[:2]].tolist()
    delta = (1 - p21) * log((1 - p21) / (1 - p22)) - (1 - p11) * log((1 - p11) / (1 - p12))
    bound = p11 * log(p11 / p12) - p21 * log(p21 / p22)
    first, second = counts.terms[order[:2]].tolist()
    return TopTwoTerms(first, second, delta, bound)


def term_gains(distributions: ClassDistributions, ranking: Array) -> Array:
    """Return the divergence that each term adds: ranked terms at their position, others if they came next."""
    from termsift.selection._discrimination_kernel import ranking_gains

    scores = np.empty(len(distributions.occurrences))
    order = np.concatenate([ranking, np.delete(np.arange(len(scores)), ranking)])
    scores[order] = ranking_gains(distributions.occurrences, order, len(ranking), distributions.classes)
    return scores


def find_term_rows(counts: Counts, terms: Iterable[Any]) -> Array:
    """Return the rows of distinct terms, given by name or by index."""
    names, n = list(terms), len(counts.terms)
    if any(isinstance(term, str) for term in names):
        row_by_term = {term: i for i, term in enumerate(counts.terms)}
        for term in names:
            if term not in row_by_term:
                raise unknown_name_error("term", term, row_by_term)
        rows = np.array([row_by_term[term] for term in names], dtype=np.intp)
    else:
        rows = np.asarray(names if names else np.zeros(0, dtype=np.intp))
        if rows.ndim != 1 or rows.dtype.kind not in "iu":
            raise InvalidInputError(f"terms must be names or indices, got {quote_names(names)}")
        outside = rows[(rows < 0) | (rows >= n)]
        if outside.size:
            raise InvalidInputError(f"term index {outside[0]} is out of range; valid indices: 0 to {n - 1}")
        rows = rows.astype(np.intp)
    distinct, frequencies = np.unique(rows, return_counts=True)
    if len(distinct) < len(rows):
        repeated = counts.terms[distinct[frequencies > 1]]
        raise InvalidInputError(f"terms must be distinct; repeated: {quote_names(repeated)}")
    return rows


def greedy_ranking(counts: Counts, k: int | None = None) -> Array:
    """Return the indices of the first k terms, or of all, by greedy maximum discrimination.

    Each step chooses the term that makes the JMH divergence of the chosen terms largest; for two classes that
    is the J divergence. The search is exact. Ties go to the larger document frequency, then to the term first
    in code-point order. Terms in no document come last. Tang, Kay and He (2016), algorithm 1.

    Parameters
    ----------
    counts : Counts
        As returned by `ts.count`.
    k : int, optional
        Number of terms (default: all).

    Returns
    -------
    ndarray of int
        Indices of the terms, in the order in which they are chosen.

    Raises
    ------
    InvalidInputError
        If `k` is not a positive integer, or fewer than two classes have documents.

    Examples
    --------
    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> list(counts.terms[greedy_ranking(counts)])
    ['prize', 'free', 'lunch', 'today']

    """
    if k is not None:
        check_positive_integer(k)
    distributions = ClassDistributions.from_counts(counts)
    return rank_greedily(distributions, counts, len(counts.terms) if k is None else k)


def rank_greedily(distributions: ClassDistributions, counts: Counts, k: int) -> Array:
    """Return the first k terms in greedy order, given the distributions of the counts."""
    # ties are broken by document frequency, then by name
    order = np.lexsort((code_point_ranks(counts.terms), -counts.term_df))
    occurring = order[counts.term_df[order] > 0]
    ranked = occurring[:0]
    if len(occurring):
        from termsift.selection._discrimination_kernel import rank_terms_many_classes, rank_terms_two_classes

        tie_rank = np.empty(len(order), dtype=np.intp)
        tie_rank[order] = np.arange(len(order))
        # terms with equal occurrences have equal gains, so the kernels examine each distinct row once
        groups = group_equal_rows(distributions.occurrences, occurring)
        kernel = rank_terms_two_classes if len(distributions.classes[0]) == 2 else rank_terms_many_classes
        ranked = kernel(*groups, tie_rank, distributions.classes, min(k, len(occurring)))
    is_unranked = np.ones(len(order), dtype=bool)
    is_unranked[ranked] = False
    return np.concatenate([ranked, order[is_unranked[order]]])[:k]


def group_equal_rows(occurrences: Array, terms: Array) -> tuple[Array, Array, Array]:
    """Group terms with equal occurrences: return the distinct rows, the start of each group, and the terms.

    Rows are in lexicographic order; the terms of a group keep their order.
    """
    rows = occurrences[terms]
    by_row = np.lexsort(rows.T[::-1])
    rows = rows[by_row]
    first = np.flatnonzero(np.r_[True, (rows[1:] != rows[:-1]).any(axis=1)])
    return rows[first], np.r_[first, len(rows)], terms[by_row]
