"""Deterministic rankings of terms, round-robin merging of rankings, and removal of nested n-grams.

Ties are broken by document frequency (higher first), then by code-point order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from termsift._internal.resources import spend_python_budget
from termsift._internal.typing import Array

SAMPLE_SIZE = 4000  # values from which the k-th largest is first estimated
MIN_JACCARD = 0.8  # of the document sets of an n-gram and one nested in it, to treat them as redundant


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Terms, best first, in one order for all classes or in one order per class.

    orders : arrays of term indices
    local : whether each class has its own order, from which k terms are taken for each class
    """

    orders: tuple[Array, ...]
    local: bool = False

    def order_sizes(self, ks: Array) -> Array:
        """Return, for each k, the number of terms to take from each order."""
        return np.asarray(np.minimum(ks, min(len(order) for order in self.orders)))

    def count_terms(self, sizes: Array) -> Array:
        """Return, for each size, the number of distinct terms in the tops of all orders."""
        if not self.local:
            return sizes
        return np.array([len(self.terms_at_size(size)) for size in sizes.tolist()])

    def terms_at_size(self, size: int) -> Array:
        """Return the distinct terms among the first `size` of each order, alternating between orders."""
        if not self.local:
            return self.orders[0][:size]
        return unique_in_order(np.stack([order[:size] for order in self.orders], axis=1).ravel())


def unique_in_order(indices: Array) -> Array:
    """Return the distinct values in the order of their first occurrence."""
    _, first = np.unique(indices, return_index=True)
    return indices[np.sort(first)]


def rank_terms(values: Array, df: Array, terms: Array, k: int | None = None) -> Array:
    """Return the indices of the `k` best terms (default: all), best first.

    >>> rank_terms(np.array([1., 2., 2., 0.]), np.array([5, 1, 3, 9]), np.array(list("abcd"), object), 2)
    array([2, 1])
    """
    if k is None:
        k = len(values)
    return rank_subset(np.arange(len(values)), values, df, terms, k)


def rank_subset(indices: Array, values: Array, df: Array, terms: Array, k: int) -> Array:
    """Return the `k` best of the given rows, best first."""
    if k <= 0:
        return np.zeros(0, dtype=np.intp)
    if k < len(indices):
        # only rows that reach the k-th largest value need to be sorted. Scores have many ties, for which
        # np.partition is slow, so it sees only values above a bound that is estimated from a sample
        row_values = values[indices]
        sample = row_values[:: max(len(indices) // SAMPLE_SIZE, 1)]
        n_above = min(2 * k * len(sample) // len(indices) + 10, len(sample))
        bound = np.partition(sample, len(sample) - n_above)[len(sample) - n_above]
        candidates = row_values[row_values >= bound]
        if len(candidates) < k:
            candidates = row_values
        indices = indices[row_values >= np.partition(candidates, len(candidates) - k)[len(candidates) - k]]
    return sort_terms(indices, values, df, terms)[:k]


def sort_terms(indices: Array, values: Array, df: Array, terms: Array) -> Array:
    """Return the indices sorted by value and document frequency, descending, then by code points."""
    order = np.lexsort((code_point_ranks(terms[indices]), -df[indices], -values[indices]))
    return np.asarray(indices[order])


def code_point_ranks(terms: Array) -> Array:
    """Return the rank of each term in code-point order.

    A numeric array is returned as it is: callers that rank many columns compute the ranks once.
    """
    if terms.dtype != object:
        return terms
    n = len(terms)
    # text engines return terms in code-point order already
    if n < 2 or bool(np.all(terms[1:] > terms[:-1])):
        return np.arange(n)
    names = terms.tolist()
    ranks = np.empty(n, dtype=np.intp)
    ranks[sorted(range(n), key=names.__getitem__)] = np.arange(n)
    return ranks


def round_robin(orders: list[Array], k: int) -> Array:
    """Return `k` distinct indices: the orders take turns, each adds its first index not chosen yet.

    The k best of each order are enough, since at most k - 1 of them can have been chosen by others.

    >>> round_robin([np.array([0, 1, 2]), np.array([0, 2, 1])], 3)
    array([0, 2, 1])
    """
    if len(orders) == 1:
        return unique_in_order(orders[0])[:k]
    if not spend_python_budget(sum(map(len, orders))):
        return run_round_robin_kernel(orders, k)
    chosen: dict[int, None] = {}  # an ordered set
    queues = [iter(order.tolist()) for order in orders]
    while queues and len(chosen) < k:
        remaining = []
        for queue in queues:
            index = next((index for index in queue if index not in chosen), None)
            if index is not None and len(chosen) < k:
                chosen[index] = None
                remaining.append(queue)
        queues = remaining
    return np.array(list(chosen), dtype=np.intp)


def run_round_robin_kernel(orders: list[Array], k: int) -> Array:
    """Return the result of `round_robin`, computed by a kernel."""
    from termsift._internal._ranking_kernel import round_robin_kernel

    joined = np.concatenate([np.zeros(0, dtype=np.intp), *orders]).astype(np.intp)
    starts = np.cumsum([0, *map(len, orders)], dtype=np.int64)
    return np.asarray(round_robin_kernel(joined, starts, int(joined.max(initial=-1)) + 1, k))


def interleave(positive: Array, negative: Array, ratio: float, k: int) -> Array:
    """Return k indices such that the first n contain round(n * ratio) positive ones, for every n.

    An index in both arrays counts as positive and is skipped among the negative ones; k indices of each
    are always enough.

    >>> interleave(np.array([0, 1, 2]), np.array([9, 8, 7]), 0.5, 4)
    array([0, 9, 1, 8])
    """
    # halves are rounded up, so that k = 1 takes a positive term at ratio 0.5
    n_positive = np.floor(np.arange(k + 1) * ratio + 0.5).astype(np.intp)
    is_positive = np.diff(n_positive) > 0
    positive = positive[: n_positive[k]]
    negative = negative[~np.isin(negative, positive)]
    merged = np.empty(k, dtype=np.intp)
    merged[is_positive] = positive
    merged[~is_positive] = negative[: k - n_positive[k]]
    return merged


def drop_nested_terms(terms: Array, df: Array, *, characters: bool = False) -> Array:
    """Return the indices of the terms, ascending, without n-grams nested in a longer one of similar df.

    Every document that contains "new york city" contains "new york", so the Jaccard index of the two
    document sets is the smaller document frequency over the larger. This is exact for n-grams of words
    and characters; for terms of a custom analyzer it is an upper bound.

    terms, df : distinct terms and their document frequencies
    characters : whether terms are n-grams of characters rather than words

    >>> terms = np.array(["york", "new york city", "new york", "new"], dtype=object)
    >>> drop_nested_terms(terms, np.array([100, 85, 98, 400]))
    array([1, 3])
    """
    ngrams = [str(term) if characters else tuple(str(term).split(" ")) for term in terms.tolist()]
    frequencies = df.tolist()
    containing: dict[tuple[str, ...] | str, list[float]] = {}  # df of retained n-grams around each key
    is_retained = np.ones(len(ngrams), dtype=bool)
    # longest first, so that every n-gram that could contain this one has been decided
    for i in sorted(range(len(ngrams)), key=lambda i: -len(ngrams[i])):
        is_retained[i] = not any(
            min(frequencies[i], longer_df) >= MIN_JACCARD * max(frequencies[i], longer_df)
            for longer_df in containing.get(ngrams[i], ())
        )
        if is_retained[i]:
            for nested in sub_ngrams(ngrams[i]):
                containing.setdefault(nested, []).append(frequencies[i])
    return np.flatnonzero(is_retained)


def sub_ngrams(ngram: tuple[str, ...] | str) -> Iterator[tuple[str, ...] | str]:
    """Yield every shorter n-gram within an n-gram, with repetitions."""
    for length in range(1, len(ngram)):
        for start in range(len(ngram) - length + 1):
            yield ngram[start : start + length]


def top_without_nested(
    rank_top: Callable[[int], Array], n: int, terms: Array, df: Array, *, characters: bool = False
) -> Array:
    """Return the first `n` rows of a ranking after nested terms are dropped.

    ranking : function that returns the first k rows of the ranking, or all if there are fewer
    """
    depth = n
    while True:
        rows = rank_top(depth)
        retained: Array = rows[drop_nested_terms(terms[rows], df[rows], characters=characters)]
        if len(retained) >= n or len(rows) < depth:
            return retained[:n]
        depth += n - len(retained)


def has_char_ngrams(analyzer_repr: str | None) -> bool:
    """Return whether an analyzer, given by its repr, produces n-grams of characters.

    >>> has_char_ngrams("Analyzer(ngram_range=(2, 4), analyzer='char_wb')"), has_char_ngrams(None)
    (True, False)
    """
    return analyzer_repr is not None and "analyzer='char" in analyzer_repr
