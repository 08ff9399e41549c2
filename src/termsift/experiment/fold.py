"""Fold: documents to learn from and documents to judge. What is chosen is chosen by the former alone."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array

from termsift._typing import Array
from termsift.counts import Counts
from termsift.experiment.documents import Documents
from termsift.nested.unit_rows import inverse_document_frequencies, tf_idf


class Fold:
    """The training part in its own terms, and the test part in those terms.

    train : the documents to learn from; a term that none of them holds is not there
    test : (documents, terms) of those to judge
    columns : (terms,) where each term stands in the whole corpus
    truth : (judged, classes)
    seed : for what is drawn by lot inside the fold
    """

    def __init__(self, whole: Documents, learned: Array, judged: Array, seed: int) -> None:
        part = whole.take(learned)
        self.columns = np.flatnonzero(np.bincount(part.rows.indices, minlength=part.rows.shape[1]))
        self.train = Documents(
            part.rows[:, self.columns], part.labels, whole.terms[self.columns], part.weights, False
        )
        self.test: csr_array[Any] = whole.rows[judged][:, self.columns]
        self.truth: Array = whole.labels.take(judged).indicator.toarray().astype(bool)
        self.seed = seed
        self.rankings: dict[tuple[str, int], Any] = {}

    @cached_property
    def counts(self) -> Counts:
        """The sums of the training part."""
        return self.train.counts

    @cached_property
    def labelled(self) -> Array:
        """(learned, classes): which documents are in which class."""
        found: Array = self.train.labels.indicator.toarray().astype(bool)
        return found

    @property
    def single(self) -> bool:
        """Whether every document learned from has one label."""
        return self.train.labels.single

    @cached_property
    def weighted(self) -> tuple[csc_array[Any], csc_array[Any]]:
        """The tf-idf of both parts, by column, its document frequencies those of the training part."""
        idf = inverse_document_frequencies(self.counts.term_df, self.counts.documents)
        return tf_idf(csc_array(self.train.rows), idf), tf_idf(csc_array(self.test), idf)
