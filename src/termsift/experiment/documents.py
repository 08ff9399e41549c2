"""Documents: what scikit-learn passes to fit, checked; and a class of them against the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array

from termsift._typing import Array
from termsift.counts import Counts
from termsift.engines.memory.matrix import summed
from termsift.labels import Labels


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A class against the rest.

    rows : (documents, terms)
    truth : (documents,) whether each is in the class
    weights : (documents,) what each counts for, or empty where all count alike
    dense : whether they came as a dense matrix, which is what a classifier is then given
    """

    rows: csr_array[Any]
    truth: Array
    weights: Array
    dense: bool

    @property
    def sides(self) -> tuple[Array, Array]:
        """What each document counts for in the class, and in the rest."""
        weights = self.weights if self.weights.size else np.ones(len(self.truth))
        return weights * self.truth, weights * ~self.truth

    @property
    def share(self) -> float:
        """The share of documents in the class."""
        inside, outside = (float(side.sum()) for side in self.sides)
        return inside / max(inside + outside, 1e-300)

    def matrix(self, columns: Array) -> Any:
        """Some columns, as the documents came."""
        chosen = self.rows[:, columns]
        return chosen.toarray() if self.dense else chosen


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """Rows of term counts, the labels of each, the names of the columns, and weights, empty for none."""

    rows: csr_array[Any]
    labels: Labels
    terms: Array
    weights: Array
    dense: bool

    @property
    def counts(self) -> Counts:
        """The sums of all classes."""
        return summed(self.rows, self.labels, self.terms, self.weights, None)

    @property
    def target(self) -> Any:
        """(documents,) the place of the class where each has one, else the indicator matrix."""
        if not self.labels.single:
            return self.labels.indicator
        places = np.empty(self.labels.size, dtype=np.intp)
        places[self.labels.documents] = np.repeat(
            np.arange(len(self.labels.classes)), np.diff(self.labels.starts)
        )
        return places

    def take(self, documents: Array) -> Documents:
        """Some of the documents. Their classes stay, also those that are now empty."""
        weights = self.weights[documents] if self.weights.size else self.weights
        return Documents(self.rows[documents], self.labels.take(documents), self.terms, weights, self.dense)

    def sample(self, c: int, columns: csc_array[Any]) -> Sample:
        """The c-th class against the rest, in some of the columns.

        From columns, rows come out sorted: documents of the same counts have the same sums to the last bit.
        """
        truth = np.zeros(self.labels.size, dtype=bool)
        truth[self.labels.of(c)] = True
        return Sample(columns.tocsr(), truth, self.weights, self.dense)
