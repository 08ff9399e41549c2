"""What chance would give, of sums that stay on the cluster: q-values and floors from tallies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from termsift._typing import Array
from termsift.chance import Margins, Null, adjusted_distinct, chance_floor
from termsift.counts import Counts
from termsift.engines.spark.counting import DocumentSums, term_counts
from termsift.engines.spark.partition import PartialSums
from termsift.engines.spark.rows import whole_terms
from termsift.scores import Scores

TALLIES = "class bigint, value double, n bigint"
DFS = -1  # the tally of document frequencies, in place of a class


@dataclass(frozen=True, slots=True)
class ChanceTallies:
    """From the sums of a partition, sorted by term, to how many terms have each df, and each p of a class.

    function, sided : the metric; without a function there are no p-values
    """

    job: PartialSums
    whole: DocumentSums
    function: Null | None
    sided: int

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The tallies of a partition."""
        for rows in whole_terms(batches):
            counts = term_counts(rows, self.whole, self.job)
            yield tally(DFS, counts.term_df)
            for c, p in enumerate(self.p_by_class(counts)):
                yield tally(c, p)

    def p_by_class(self, counts: Counts) -> Iterable[Array]:
        """The p-values of each class."""
        unscored = np.zeros((len(counts.terms), len(counts.classes)))
        p = Scores(unscored, counts, "", self.sided, self.function).p
        return [] if p is None else p.T


def tally(c: int, values: Array) -> Any:
    """How many there are of each value, of a class."""
    distinct, times = np.unique(values.astype(np.float64), return_counts=True)
    return pa.record_batch(
        {"class": np.full(len(distinct), c), "value": distinct, "n": times.astype(np.int64)}
    )


@dataclass(frozen=True, slots=True, eq=False)
class ClusterChance:
    """The tallies of all partitions: (rows,) class, value and number, ascending."""

    whole: DocumentSums
    classes: Array
    values: Array
    numbers: Array

    @classmethod
    def of(cls, rows: Any, whole: DocumentSums) -> ClusterChance:
        """The tallies of the rows of all partitions, added up."""
        c, value, n = (rows[name].to_numpy() for name in ("class", "value", "n"))
        order = np.lexsort((value, c))
        c, value, n = c[order], value[order], n[order]
        new = np.ones(len(c), dtype=bool)
        new[1:] = (c[1:] != c[:-1]) | (value[1:] != value[:-1])
        first = np.flatnonzero(new)
        return cls(whole, c[first], value[first], np.add.reduceat(n, first) if len(first) else n)

    def q(self, c: Array, p: Array) -> Array:
        """The q-values of p-values of some classes."""
        found = np.zeros(len(p))
        for name in np.unique(c):
            own, here = self.classes == name, c == name
            values = self.values[own]
            found[here] = adjusted_distinct(values, self.numbers[own])[np.searchsorted(values, p[here])]
        return found

    def floor(self, function: Null, expected: float, sided: int, c: int | None = None) -> float:
        """The floor of a class, or of all together."""
        own, sizes = self.classes == DFS, np.unique(self.whole.sizes, return_counts=True)
        margins = Margins(self.whole.documents, self.values[own], self.numbers[own], *sizes)
        margins = margins if c is None else margins.of_size(self.whole.sizes[c])
        return chance_floor(margins, function, expected, sided=sided)
