"""The cells of a 2x2 table of a term and a class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from termsift._typing import Array

T = TypeVar("T")
ROUNDING = 1e-13  # what rounding can make of nothing, as a share of the sums it comes from


@dataclass(frozen=True)
class Cells:
    """The 2x2 table of a term and a class; arrays of any one shape, which stay as they are.

    Sums and rates of cells are worked out once: of the same cells there are scores of many metrics.

    ```
                     in c   not in c
    contains t        tp       fp
    lacks t           fn       tn
    ```
    """

    tp: Array
    fp: Array
    fn: Array
    tn: Array
    _memo: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, function: Callable[[Cells], T]) -> T:
        """What a function gives of these cells, worked out once."""
        if function not in self._memo:
            self._memo[function] = function(self)
        known: T = self._memo[function]
        return known

    @cached_property
    def pos(self) -> Array:
        """Documents of the class."""
        return self.tp + self.fn

    @cached_property
    def neg(self) -> Array:
        """Documents outside the class."""
        return self.fp + self.tn

    @cached_property
    def df(self) -> Array:
        """Documents that contain the term."""
        return self.tp + self.fp

    @cached_property
    def documents(self) -> Array:
        """All documents."""
        return self.pos + self.neg

    @cached_property
    def tpr(self) -> Array:
        """The share of the class's documents that contain the term, 0 for an empty class."""
        return ratio(self.tp, self.pos)

    @cached_property
    def fpr(self) -> Array:
        """The share of the other documents that contain the term, 0 where there are none."""
        return ratio(self.fp, self.neg)

    @cached_property
    def lean(self) -> Array:
        """AD - BC: above 0 where the term speaks for the class, below 0 where against it."""
        ad, bc = self.tp * self.tn, self.fp * self.fn
        # weights leave a rounding error where term and class are independent
        return np.where(np.abs(ad - bc) <= ROUNDING * (ad + bc), 0.0, ad - bc)

    @cached_property
    def is_told(self) -> Array:
        """Whether there are documents with the term, in the class and outside."""
        return np.asarray((self.df > 0) & (self.pos > 0) & (self.neg > 0))

    def or_zero(self, values: Array) -> Array:
        """The values, and 0 for a term in no document or a class of no or all documents."""
        return np.where(self.is_told, values, 0.0)

    def smoothed(self, count: float) -> Cells:
        """Expected likelihood estimation: `count` added to each cell."""
        return Cells(self.tp + count, self.fp + count, self.fn + count, self.tn + count)


def ratio(numerator: Array, denominator: Array) -> Array:
    """Numerator / denominator, and 0 where the denominator is 0."""
    can_divide = np.asarray(denominator) != 0
    if can_divide.all():
        return np.asarray(np.divide(numerator, denominator))
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    order: Any = "F" if np.isfortran(np.asarray(numerator)) else "C"
    return np.divide(numerator, denominator, out=np.zeros(shape, order=order), where=can_divide)


def cells_of(tp: Array, term_df: Array, class_sizes: Array, documents: float) -> Cells:
    """Cells from the documents with both, with the term, with the class, and all.

    With several labels per document the classes overlap, so tn comes from N, not from the other classes.
    """
    fp, fn = term_df - tp, class_sizes - tp
    tn = documents - tp - fp - fn
    # sums of weights miss an empty cell by a rounding error, and metrics ask whether it is empty
    least = ROUNDING * documents
    return Cells(tp, *(np.where(cell <= least, 0.0, cell) for cell in (fp, fn, tn)))
