"""The cells of a 2x2 table of a term and a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from termsift._typing import Array

ROUNDING = 1e-13  # what rounding can make of nothing, as a share of the sums it comes from


@dataclass(frozen=True, slots=True)
class Cells:
    """The 2x2 table of a term and a class; arrays of any one shape.

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

    @property
    def pos(self) -> Array:
        """Documents of the class."""
        return self.tp + self.fn

    @property
    def neg(self) -> Array:
        """Documents outside the class."""
        return self.fp + self.tn

    @property
    def df(self) -> Array:
        """Documents that contain the term."""
        return self.tp + self.fp

    @property
    def documents(self) -> Array:
        """All documents."""
        return self.pos + self.neg

    @property
    def tpr(self) -> Array:
        """The share of the class's documents that contain the term, 0 for an empty class."""
        return ratio(self.tp, self.pos)

    @property
    def fpr(self) -> Array:
        """The share of the other documents that contain the term, 0 where there are none."""
        return ratio(self.fp, self.neg)

    @property
    def lean(self) -> Array:
        """AD - BC: above 0 where the term speaks for the class, below 0 where against it."""
        ad, bc = self.tp * self.tn, self.fp * self.fn
        # weights leave a rounding error where term and class are independent
        return np.where(np.abs(ad - bc) <= ROUNDING * (ad + bc), 0.0, ad - bc)

    def or_zero(self, values: Array) -> Array:
        """The values, and 0 for a term in no document or a class of no or all documents."""
        return np.where((self.df > 0) & (self.pos > 0) & (self.neg > 0), values, 0.0)

    def smoothed(self, count: float) -> Cells:
        """Expected likelihood estimation: `count` added to each cell."""
        return Cells(self.tp + count, self.fp + count, self.fn + count, self.tn + count)


def ratio(numerator: Array, denominator: Array) -> Array:
    """Numerator / denominator, and 0 where the denominator is 0."""
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    order: Any = "F" if np.isfortran(np.asarray(numerator)) else "C"
    out = np.zeros(shape, order=order)
    return np.divide(numerator, denominator, out=out, where=np.asarray(denominator) != 0)


def cells_of(tp: Array, term_df: Array, class_sizes: Array, documents: float) -> Cells:
    """Cells from the documents with both, with the term, with the class, and all.

    With several labels per document the classes overlap, so tn comes from N, not from the other classes.
    """
    fp, fn = term_df - tp, class_sizes - tp
    tn = documents - tp - fp - fn
    # sums of weights miss an empty cell by a rounding error, and metrics ask whether it is empty
    least = ROUNDING * documents
    return Cells(tp, *(np.where(cell <= least, 0.0, cell) for cell in (fp, fn, tn)))
