"""What terms say of the class, alone and two together: mutual informations of presence, exact, in nats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.special import xlogy

from termsift._typing import Array


@dataclass(frozen=True, eq=False)
class Candidates:
    """Terms of which some are to be chosen, by the documents that hold them.

    rows : (documents, candidates) which document holds which term; all that is stored counts
    target : (documents,) the place of each document's class
    weights : (documents,) what each counts for, or empty where all count alike

    The table of all pairs, candidates x candidates x classes, is never held: a choice reads the line of each
    term it takes.
    """

    rows: csr_array[Any]
    target: Array
    weights: Array

    @cached_property
    def columns(self) -> csc_array[Any]:
        """The rows by column: which documents hold a term."""
        return csc_array(self.rows)

    @cached_property
    def sizes(self) -> Array:
        """(classes,) the documents of each class."""
        return np.bincount(self.target, self.weights if self.weights.size else None)

    @cached_property
    def df(self) -> Array:
        """(classes, candidates) the documents of each class that hold a term."""
        every = np.arange(self.rows.shape[0])
        return self._by_class(np.repeat(every, np.diff(self.rows.indptr)), self.rows.indices)

    @cached_property
    def relevance(self) -> Array:
        """(candidates,) what a term says of the class: I(X; C)."""
        return self._information((self.df, self.sizes[:, None] - self.df), self.sizes)

    def joint(self, j: int) -> Array:
        """(candidates,) what a term and the j-th say of the class together: I(X, Xj; C)."""
        both, other = self.together(j), self.df[:, [j]]
        neither = self.sizes[:, None] - self.df - other + both
        return self._information((both, self.df - both, other - both, neither), self.sizes)

    def shared(self, j: int) -> Array:
        """(candidates,) what a term says of the j-th: I(X; Xj)."""
        both, df = self.together(j).sum(axis=0), self.df.sum(axis=0)
        sizes = np.array([df[j], self.sizes.sum() - df[j]])
        held = np.stack([both, df - both])
        return self._information((held, sizes[:, None] - held), sizes)

    def together(self, j: int) -> Array:
        """(classes, candidates) the documents that hold a term and the j-th: a line of a sparse product."""
        holding = self.columns.indices[self.columns.indptr[j] : self.columns.indptr[j + 1]]
        rows = self.rows[holding]
        return self._by_class(np.repeat(holding, np.diff(rows.indptr)), rows.indices)

    def _by_class(self, documents: Array, terms: Array) -> Array:
        """(classes, candidates) the sums of documents that hold terms."""
        shape = len(self.sizes), self.rows.shape[1]
        weights = self.weights[documents] if self.weights.size else None
        place = self.target[documents] * shape[1] + terms
        return np.bincount(place, weights, minlength=shape[0] * shape[1]).reshape(shape)

    def _information(self, cells: Sequence[Array], sizes: Array) -> Array:
        """(candidates,) I(cell; class), of cells (classes, candidates) that part the documents."""
        f, whole = self._x_log_x, sizes.sum()
        parts = np.sum([f(cell).sum(axis=0) - f(cell.sum(axis=0)) for cell in cells], axis=0)
        return np.asarray(np.maximum(parts - f(sizes).sum() + f(whole), 0) / whole)

    @cached_property
    def _x_log_x(self) -> Callable[[Array], Array]:
        """Of counts n the n log n: looked up where they are whole, which is faster than a logarithm."""
        if self.weights.size:
            # differences of sums of weights may lie below 0 by rounding
            return lambda n: xlogy(np.maximum(n, 0), np.maximum(n, 1e-300))
        whole = np.arange(self.rows.shape[0] + 1, dtype=np.float64)
        return xlogy(whole, whole).take
