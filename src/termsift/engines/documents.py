"""Documents: labelled documents as rows of terms. Everything that judges selections holds them so."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array

from termsift._internal.errors import InvalidInputError, listed
from termsift._internal.typing import Array
from termsift.counts import Counts, Labels
from termsift.engines.matrices import summed
from termsift.text import Analyzer


@dataclass(frozen=True, eq=False)
class Documents:
    """Rows of term counts, and the labels of each document.

    rows : (documents, terms)
    terms : (terms,) names of the columns, or their numbers where they have none
    weights : (documents,) what each counts for, or empty where all count alike
    dense : whether they came as a dense matrix, which is what a classifier of scikit-learn is then given
    texts : where they came as texts
    settings : of a CountVectorizer that makes the same rows of texts; None where no plain one does
    analyzer : the Analyzer that made them of texts; None where something else did
    is_mapped : whether columns are features made of terms, and rows no counts
    groups : (documents,) the number of each one's group, whose documents stay together; or empty
    times : (documents,) numbers that order them in time, equal for equal times; or empty
    held : (documents,) whether each is to be judged and not learned from; or empty
    """

    rows: csr_array[Any]
    labels: Labels
    terms: Array
    weights: Array = field(default_factory=lambda: np.zeros(0))
    dense: bool = False
    texts: list[str] | None = None
    settings: dict[str, Any] | None = None
    analyzer: Analyzer | None = None
    is_mapped: bool = False
    groups: Array = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    times: Array = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    held: Array = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def __len__(self) -> int:
        return self.labels.size

    @cached_property
    def counts(self) -> Counts:
        """The sums of all classes."""
        return summed(self.rows, self.labels, self.terms, self.weights, None)

    @cached_property
    def tf(self) -> csc_array[Any]:
        """(terms, classes) occurrences, by class."""
        return self.counts.tf.tocsc()

    @cached_property
    def columns(self) -> csc_array[Any]:
        """The rows by column: which documents hold a term."""
        return csc_array(self.rows)

    @property
    def binary(self) -> Documents:
        """The documents, every count a 1: whether each has a term."""
        return replace(self, rows=ones_of(self.rows))

    @cached_property
    def truth(self) -> Array:
        """(documents, classes) whether each document is in each class."""
        found: Array = self.labels.indicator.toarray().astype(bool)
        return found

    @property
    def is_single(self) -> bool:
        """Whether every document has exactly one label."""
        return self.labels.single

    @property
    def target(self) -> Any:
        """(documents,) the place of the class where each has one, else the indicator matrix."""
        return self.truth.argmax(axis=1) if self.is_single else self.labels.indicator

    def take(self, chosen: Array) -> Documents:
        """Some of the documents. Their classes stay, also those that are now empty."""
        marks = {name: getattr(self, name) for name in ("weights", "groups", "times", "held")}
        marks = {name: own[chosen] if own.size else own for name, own in marks.items()}
        texts = None if self.texts is None else [self.texts[i] for i in chosen]
        return replace(self, rows=self.rows[chosen], labels=self.labels.take(chosen), texts=texts, **marks)

    def keep(self, terms: Array) -> Documents:
        """The documents in some of the terms, by index."""
        return replace(self, rows=self.rows[:, terms], terms=self.terms[terms])


def ones_of(rows: csr_array[Any]) -> csr_array[Any]:
    """The rows, a 1 for every count."""
    return csr_array((np.ones_like(rows.data), rows.indices, rows.indptr), shape=rows.shape)


def check_labels(labels: Labels) -> None:
    """An error unless there is something to tell apart, and enough of it to learn and to judge."""
    sizes = np.diff(labels.starts)
    filled = np.flatnonzero(sizes)
    if labels.single and len(filled) == 1:
        only = labels.classes[filled[0]]
        raise InvalidInputError(
            f"only 1 class: all {labels.size:,} documents are in {only!r}, so there is nothing to tell apart"
        )
    usable = (sizes >= 2) & (labels.size - sizes >= 2)
    if labels.single and len(filled) == labels.size and labels.size:
        raise InvalidInputError(
            f"all {labels.size:,} labels are different, so no class has documents to learn from; "
            "is this the column of labels?"
        )
    if not usable.any() or (labels.single and usable.sum() < 2):
        named = listed([labels.classes[c] for c in filled], 5)
        raise InvalidInputError(
            "at least 2 classes need 2 documents each, to learn from one and judge the other; "
            f"the classes are {named}"
        )
