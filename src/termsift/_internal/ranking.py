"""N-grams that say the same: of a run and its parts, in nearly the same documents, the longest stands.

Who holds a run of words holds its parts: "new york city" is in a document only with "new york" and "york".
So the documents of the longer are among those of the shorter, and the Jaccard index of the two follows from
counts alone: the smaller document frequency over the larger. It is exact for n-grams of words and of
characters; for terms of a function of one's own, which promises nothing, it is the most the index can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from termsift._internal.resources import can_skip_kernels
from termsift._internal.typing import Array

# the Jaccard index of their documents from which on two terms say the same
MIN_JACCARD = 0.8


def drop_nested_terms(terms: Array, df: Array, *, characters: bool = False) -> Array:
    """The places of the terms that stand for themselves, ascending.

    Left out is each that is a run within a longer one that stays, where their documents are nearly the same.

    terms, df : (terms,) a list of distinct terms, and the documents that hold each
    characters : whether terms are runs of characters rather than of words

    >>> terms = np.array(["york", "new york city", "new york", "new"], dtype=object)
    >>> drop_nested_terms(terms, np.array([100, 85, 98, 400]))
    array([1, 3])
    """
    sequences = [sequence(term, characters) for term in terms.tolist()]
    numbers = df.tolist()
    containing: dict[tuple[str, ...] | str, list[float]] = {}
    stays = np.ones(len(sequences), dtype=bool)
    for i in sorted(range(len(sequences)), key=lambda i: -len(sequences[i])):
        stays[i] = not any(same(numbers[i], longer) for longer in containing.get(sequences[i], ()))
        if stays[i]:
            for part in sub_ngrams(sequences[i]):
                containing.setdefault(part, []).append(numbers[i])
    return np.flatnonzero(stays)


def top_without_nested(
    ranking: Callable[[int], Array], n: int, terms: Array, df: Array, *, characters: bool = False
) -> Array:
    """The rows of the first `n` terms of a ranking, without parts: it is read on until there are so many.

    ranking : gives the rows of its first terms, as many as asked for where there are so many
    """
    asked = n
    while True:
        rows = ranking(asked)
        lines: Array = rows[drop_nested_terms(terms[rows], df[rows], characters=characters)]
        if len(lines) >= n or len(rows) < asked:
            return lines[:n]
        asked += n - len(lines)


def has_char_ngrams(analyzer: str | None) -> bool:
    """Whether an analyzer, as counts name it, finds runs of characters.

    >>> has_char_ngrams("Analyzer(ngram_range=(2, 4), analyzer='char_wb')"), has_char_ngrams(None)
    (True, False)
    """
    return analyzer is not None and "analyzer='char" in analyzer


def sequence(term: object, characters: bool) -> tuple[str, ...] | str:
    """What a term is a run of."""
    return str(term) if characters else tuple(str(term).split(" "))


def sub_ngrams(run: tuple[str, ...] | str) -> Iterator[tuple[str, ...] | str]:
    """Every shorter run within a run, some of them twice."""
    for length in range(1, len(run)):
        for start in range(len(run) - length + 1):
            yield run[start : start + length]


def same(df: float, other: float) -> bool:
    """Whether two terms, one within the other, are in nearly the same documents."""
    return min(df, other) >= MIN_JACCARD * max(df, other)


SAMPLE = 4000  # values that are looked at first


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Terms, best first; a selection is a beginning of it.

    orders : one for all classes, or one per class
    local : whether each class has its own; k terms are then shared out among the classes
    """

    orders: tuple[Array, ...]
    local: bool = False

    def sizes(self, ks: Array) -> Array:
        """(ks,) how many terms of each order are chosen for k in all."""
        share = np.maximum(ks // len(self.orders), 1)
        return np.asarray(np.minimum(share, min(len(order) for order in self.orders)))

    def terms(self, sizes: Array) -> Array:
        """(sizes,) how many different terms are chosen."""
        if not self.local:
            return sizes
        return np.array([len(self.chosen(size)) for size in sizes.tolist()])

    def chosen(self, size: int) -> Array:
        """The terms that some class chooses; best first, the classes in turns."""
        if not self.local:
            return self.orders[0][:size]
        return unique_in_order(np.stack([order[:size] for order in self.orders], axis=1).ravel())


def unique_in_order(terms: Array) -> Array:
    """Each once, where it is first."""
    _, first = np.unique(terms, return_index=True)
    return terms[np.sort(first)]


def rank_terms(values: Array, df: Array, terms: Array, k: int | None = None) -> Array:
    """The indices of the `k` best terms (all where k is None), best first.

    Only the terms that reach the k-th largest value are sorted.

    >>> rank_terms(np.array([1., 2., 2., 0.]), np.array([5, 1, 3, 9]), np.array(list("abcd"), object), 2)
    array([2, 1])
    """
    n = len(values)
    if k is None or k >= n:
        return sort_terms(np.arange(n), values, df, terms)
    if k <= 0:
        return np.zeros(0, dtype=np.intp)
    return sort_terms(np.flatnonzero(values >= kth_largest(values, k)), values, df, terms)[:k]


def kth_largest(values: Array, k: int) -> float:
    """The k-th largest of at least k values, by partition.

    Scores tie by the thousand, which partition is slow at, so it sees those alone that a sample lets hope.
    """
    sample = values[:: max(len(values) // SAMPLE, 1)]
    enough = min(2 * k * len(sample) // len(values) + 10, len(sample))
    hopeful = values[values >= np.partition(sample, len(sample) - enough)[len(sample) - enough]]
    among = hopeful if len(hopeful) >= k else values
    return float(np.partition(among, len(among) - k)[len(among) - k])


def rank_rows(rows: Array, values: Array, df: Array, terms: Array, k: int) -> Array:
    """The `k` best of some rows, best first."""
    own = values[rows]
    chosen = rows if k >= len(rows) else rows[own >= kth_largest(own, k)]
    return sort_terms(chosen, values, df, terms)[:k]


def rank_terms_by_column(values: Array, df: Array, terms: Array, k: int | None = None) -> list[Array]:
    """For each column of (terms, columns) its `k` best terms, best first."""
    rank = code_point_rank(terms)
    return [rank_terms(column, df, rank, k) for column in values.T]


def sort_terms(chosen: Array, values: Array, df: Array, terms: Array) -> Array:
    """The chosen indices in the order of the rule."""
    order = np.lexsort((code_point_rank(terms[chosen]), -df[chosen], -values[chosen]))
    result: Array = chosen[order]
    return result


def code_point_rank(terms: Array) -> Array:
    """The place of each term in code-point order. Text engines give terms in that order already.

    Numbers are places already: who ranks many columns finds the places of the terms once.
    """
    if terms.dtype != object:
        return terms
    n = len(terms)
    if n < 2 or bool(np.all(terms[1:] > terms[:-1])):
        return np.arange(n)
    names = terms.tolist()
    rank = np.empty(n, dtype=np.intp)
    rank[sorted(range(n), key=names.__getitem__)] = np.arange(n)
    return rank


def round_robin(orders: list[Array], k: int) -> Array:
    """Round-robin: the orders take turns, each gives its first index not taken yet, until `k` are taken.

    The k best of each order are enough, since at most k - 1 of them can have been taken by the others.

    >>> round_robin([np.array([0, 1, 2]), np.array([0, 2, 1])], 3)
    array([0, 2, 1])
    """
    if len(orders) == 1:
        return unique_in_order(orders[0])[:k]
    if not can_skip_kernels(sum(map(len, orders))):
        return compiled_turns(orders, k)
    lists = [order.tolist() for order in orders]
    taken = bytearray(max((max(own) + 1 for own in lists if own), default=0))
    chosen: list[int] = []
    queues = [iter(own) for own in lists]
    while queues and len(chosen) < k:
        waiting = []
        for queue in queues:
            for index in queue if len(chosen) < k else ():
                if not taken[index]:
                    taken[index] = 1
                    chosen.append(index)
                    waiting.append(queue)
                    break
        queues = waiting
    return np.array(chosen, dtype=np.intp)


def compiled_turns(orders: list[Array], k: int) -> Array:
    """The same by a compiled loop."""
    from termsift._internal._ranking_kernel import round_robin_kernel

    joined = np.concatenate([np.zeros(0, dtype=np.intp), *orders]).astype(np.intp)
    starts = np.cumsum([0, *map(len, orders)], dtype=np.int64)
    found: Array = round_robin_kernel(joined, starts, int(joined.max(initial=-1)) + 1, k)
    return found


def interleave(positive: Array, negative: Array, ratio: float, k: int) -> Array:
    """K indices, the first n of which hold round(n ratio) positive ones, for every n.

    A term on both lists is taken as a positive one, and the negative list goes on behind it:
    k of each are always enough, since those passed over are taken already.

    >>> interleave(np.array([0, 1, 2]), np.array([9, 8, 7]), 0.5, 4)
    array([0, 9, 1, 8])
    """
    # half a unit is rounded up, so that a lone place goes to a positive term at ratio 0.5
    due = np.floor(np.arange(k + 1) * ratio + 0.5).astype(np.intp)
    is_positive = np.diff(due) > 0
    positive = positive[: due[k]]
    negative = negative[~np.isin(negative, positive)]
    chosen = np.empty(k, dtype=np.intp)
    chosen[is_positive] = positive
    chosen[~is_positive] = negative[: k - due[k]]
    return chosen
