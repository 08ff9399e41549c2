"""Each class as a distribution over the terms, as multinomial naive Bayes sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from termsift._typing import Array
from termsift.contingency import dense, ratio
from termsift.counts import Counts
from termsift.errors import InvalidInput
from termsift.metrics import metrics
from termsift.scoring import check

Classes: TypeAlias = tuple[Array, Array, Array]
DIGITS = 52  # binary ones: sums of so many are exact in float64


@dataclass(frozen=True, slots=True, eq=False)
class Distributions:
    """The share of term t in class c is occurrences[t, c] / lengths[c].

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
    def of(cls, counts: Counts) -> Distributions:
        """The distributions of the classes that have documents. Tang, Kay and He (2016), eq. 3 and 22."""
        check(counts, metrics()["md"], {})
        filled = np.flatnonzero(counts.class_sizes)
        if len(filled) < 2:
            name = counts.classes[filled[0]]
            raise InvalidInput(f"only 1 class: {name!r}; a divergence is one of at least 2 classes")
        sizes = counts.class_sizes[filled]
        occurrences = exactly_summed(dense(counts.tf)[:, filled] + 1)
        lengths = occurrences.sum(axis=0)
        # of two classes each is all there is beside the other, whatever its size
        mixing = ratio(sizes, lengths) if len(sizes) > 2 else np.ones(2)
        return cls(occurrences, lengths, mixing, sizes < counts.documents)

    @property
    def classes(self) -> Classes:
        """What the compiled loops ask of the classes."""
        return self.lengths, self.mixing, self.told


def exactly_summed(values: Array) -> Array:
    """The values by rows, with as many binary digits as leave the sums of columns exact in any order.

    Whole numbers stay. Sums of weights that differ by rounding alone become one number.
    """
    totals = values.sum(axis=0)
    unit = np.exp2(np.ceil(np.log2(np.maximum(totals, 1))) - DIGITS)
    return np.ascontiguousarray(np.rint(values / unit) * unit)
