"""Profiles: how the occurrences of each word are spread over the classes, words of the same spread as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._typing import Array
from termsift.contingency import ratio
from termsift.counts import Counts


@dataclass(frozen=True, slots=True, eq=False)
class Profiles:
    """The distinct distributions P(C | w).

    shares : (profiles, classes), sparse; each row adds up to 1
    mass : (profiles,) the sum of P(w) over the words of a profile; all add up to 1
    of_term : (terms,) the profile of each term, -1 for a term that no class has
    """

    shares: csr_array[Any]
    mass: Array
    of_term: Array

    def __len__(self) -> int:
        return len(self.mass)

    @property
    def rows(self) -> Array:
        """The profile of each stored share."""
        return np.repeat(np.arange(len(self)), np.diff(self.shares.indptr))

    @property
    def top_class(self) -> Array:
        """(profiles,) the class of the largest share, the first of several."""
        shares = self.shares
        order = np.lexsort((shares.indices, -shares.data, self.rows))
        top: Array = shares.indices[order[shares.indptr[:-1]]]
        return top

    @property
    def top_share(self) -> Array:
        """(profiles,) the largest share."""
        if not len(self):
            return np.zeros(0)
        largest: Array = np.maximum.reduceat(self.shares.data, self.shares.indptr[:-1])
        return largest

    def joint(self, labels: Array, k: int) -> Array:
        """(classes, k): P(c, W_j), the sums over the words of each cluster."""
        n_classes = self.shares.shape[1]
        cells = self.shares.indices.astype(np.int64) * k + labels[self.rows]
        sums = np.bincount(cells, self.mass[self.rows] * self.shares.data, n_classes * k)
        return sums.reshape(n_classes, k)

    def losses(self, labels: Array, q: Array) -> Array:
        """(profiles,) P(w) KL(P(C | w) || P(C | W_j)), W_j the cluster of w and q (classes, clusters)."""
        near = q[self.shares.indices, labels[self.rows]]
        parts = self.shares.data * np.log(self.shares.data / near)
        return self.mass * np.bincount(self.rows, parts, len(self))


def profiles_of(counts: Counts) -> Profiles:
    """The profiles of counts: P(c | w) is tf(w, c) by its sum over classes, P(w) in proportion to that sum.

    With several labels a document counts for each of its classes.
    Equal ratios of counts are equal to the last bit, since division is rounded correctly.
    """
    tf = counts.tf.copy()
    tf.eliminate_zeros()
    tf.sort_indices()
    totals = tf.sum(axis=1)
    shares = csr_array((tf.data / np.repeat(totals, np.diff(tf.indptr)), tf.indices, tf.indptr), tf.shape)
    of_term, first = distinct_rows(shares)
    seen = of_term >= 0
    mass = np.bincount(of_term[seen], ratio(totals[seen], totals.sum()), len(first))
    return Profiles(shares[first], mass, of_term)


def distinct_rows(matrix: csr_array[Any]) -> tuple[Array, Array]:
    """The number of each row among the distinct ones, -1 for an empty row; and where each occurs first."""
    number: dict[bytes, int] = {}
    of_row = np.full(matrix.shape[0], -1, dtype=np.intp)
    first: list[int] = []
    for i in np.flatnonzero(np.diff(matrix.indptr)):
        span = slice(matrix.indptr[i], matrix.indptr[i + 1])
        of_row[i] = number.setdefault(
            matrix.indices[span].tobytes() + matrix.data[span].tobytes(), len(number)
        )
        if len(number) > len(first):
            first.append(int(i))
    return of_row, np.array(first, dtype=np.intp)
