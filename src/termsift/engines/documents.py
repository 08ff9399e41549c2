"""Labelled documents as rows of term counts, the input of everything that evaluates selections."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array

from termsift._internal.errors import InvalidInputError, quote_names
from termsift._internal.typing import Array
from termsift.counts import Counts, Labels
from termsift.engines.matrices import count_rows
from termsift.text import Analyzer


@dataclass(frozen=True, eq=False)
class Documents:
    """Rows of term counts with the labels of each document.

    Parameters
    ----------
    rows : csr_array, (documents, terms)
    labels : Labels
    terms : Array, (terms,)
        Names of the columns, or their numbers.
    weights : Array, (documents,)
        Sample weights, or empty.
    dense : bool
        Whether they came as a dense matrix; scikit-learn classifiers then get one.
    texts : list of str, optional
        Original texts.
    settings : dict, optional
        Parameters of a CountVectorizer that makes the same rows from texts; None if none does.
    analyzer : Analyzer, optional
        Analyzer that made the rows from texts.
    is_mapped : bool
        Whether columns are features computed from terms, so that rows are not counts.
    groups : Array, (documents,)
        Group number of each document, or empty. Documents of a group stay in one fold.
    times : Array, (documents,)
        Numbers that order the documents in time, or empty.
    is_test : Array, (documents,)
        Whether each document is for testing rather than training, or empty.

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
    is_test: Array = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def __len__(self) -> int:
        return self.labels.size

    @cached_property
    def counts(self) -> Counts:
        """Counts of all classes."""
        return count_rows(self.rows, self.labels, self.terms, self.weights, None)

    @cached_property
    def tf(self) -> csc_array[Any]:
        """(terms, classes) occurrences, by class."""
        return self.counts.tf.tocsc()

    @cached_property
    def columns(self) -> csc_array[Any]:
        """Rows in column order: which documents contain a term."""
        return csc_array(self.rows)

    @property
    def binary(self) -> Documents:
        """Documents with every count replaced by 1."""
        return replace(self, rows=binarize_rows(self.rows))

    @cached_property
    def truth(self) -> Array:
        """(documents, classes) whether each document is in each class."""
        return np.asarray(self.labels.indicator.toarray(), dtype=bool)

    @property
    def is_single(self) -> bool:
        """Whether every document has exactly one label."""
        return self.labels.is_single_label

    @property
    def target(self) -> Any:
        """(documents,) index of the class if each document has one, else the indicator matrix."""
        return self.truth.argmax(axis=1) if self.is_single else self.labels.indicator

    def take(self, chosen: Array) -> Documents:
        """Return the documents at some indices, with all classes, even if they are now empty."""
        arrays = {name: getattr(self, name) for name in ("weights", "groups", "times", "is_test")}
        arrays = {name: values[chosen] if values.size else values for name, values in arrays.items()}
        texts = None if self.texts is None else [self.texts[i] for i in chosen]
        return replace(self, rows=self.rows[chosen], labels=self.labels.take(chosen), texts=texts, **arrays)

    def keep(self, terms: Array) -> Documents:
        """Return the documents with only the terms at some indices."""
        return replace(self, rows=self.rows[:, terms], terms=self.terms[terms])


def binarize_rows(rows: csr_array[Any]) -> csr_array[Any]:
    """Replace every stored count by 1."""
    return csr_array((np.ones_like(rows.data), rows.indices, rows.indptr), shape=rows.shape)


def check_labels(labels: Labels) -> None:
    """Check that there are classes to distinguish, with documents to train and to test on."""
    sizes = np.diff(labels.starts)
    nonempty = np.flatnonzero(sizes)
    if labels.is_single_label and len(nonempty) == 1:
        raise InvalidInputError(
            f"only 1 class: all {labels.size:,} documents are in {labels.classes[nonempty[0]]!r}; "
            "at least 2 classes are needed"
        )
    if labels.is_single_label and len(nonempty) == labels.size and labels.size:
        raise InvalidInputError(
            f"all {labels.size:,} labels are different, so no class has documents to train on; "
            "is this the label column?"
        )
    is_usable = (sizes >= 2) & (labels.size - sizes >= 2)
    if not is_usable.any() or (labels.is_single_label and is_usable.sum() < 2):
        names = quote_names([labels.classes[c] for c in nonempty], 5)
        raise InvalidInputError(
            "at least 2 classes need 2 documents each, one to train and one to test on; "
            f"the classes are {names}"
        )
