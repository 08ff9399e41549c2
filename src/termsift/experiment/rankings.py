"""Ranking: the terms of a fold in order, for all classes alike or for each its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from termsift._typing import Array


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """Terms, best first; a selection is a beginning of it.

    orders : one for all classes, or one a class
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
        return distinct(np.stack([order[:size] for order in self.orders], axis=1).ravel())


def distinct(terms: Array) -> Array:
    """Each once, where it is first."""
    _, first = np.unique(terms, return_index=True)
    return terms[np.sort(first)]
