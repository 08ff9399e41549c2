"""The 90 problems of ApteMod: a category against the rest, in the order of their sizes."""

from __future__ import annotations

import html
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from termsift._typing import Array
from termsift.corpora import reuters_apte
from termsift.corpora.corpus import Corpus
from termsift.corpora.entry import DataDir
from termsift.estimators import TermVectorizer
from termsift.evaluation.confusion import indicator
from termsift.experiment.documents import Documents
from termsift.experiment.folds import Fold
from termsift.labels import Labels, as_labels
from termsift.text import Analyzer

FEWEST = 3


@dataclass(frozen=True, slots=True)
class ZhengReading:
    """How the paper is read where it is silent. The default is the one that comes nearest to its tables.

    stems : words are reduced to their stems, by Porter's algorithm
    references : the names in character references (&lt;) are words
    by_documents : words are left out that are in fewer than three documents, else those that occur less often
    quotient : naive Bayes ranks by the quotient of the log posteriors, as printed, else by their difference
    """

    stems: bool = True
    references: bool = False
    by_documents: bool = False
    quotient: bool = True


NEAREST = ZhengReading()


def apte_fold(corpus: Corpus, data_dir: DataDir = None, reading: ZhengReading = NEAREST) -> Fold:
    """ApteMod as the paper reads it, in all its categories.

    Terms are runs of letters, but for the stop words that come with the corpus, that are frequent enough in
    the training part.
    """
    train, test = corpus.part("train"), corpus.part("test")
    stop_words = reuters_apte.stop_words(data_dir)
    stemmer = "porter" if reading.stems else None
    vectorizer = TermVectorizer(
        analyzer=Analyzer(token_pattern=r"[a-z]+", stop_words=stop_words, stemmer=stemmer)
    )
    prepared = str if reading.references else html.unescape
    rows = csr_array(vectorizer.fit_transform(map(prepared, train.texts or [])))
    test_rows = csr_array(vectorizer.transform(map(prepared, test.texts or [])))
    kept = np.flatnonzero((rows > 0 if reading.by_documents else rows).sum(axis=0) >= FEWEST)
    rows, test_rows = rows[:, kept], test_rows[:, kept]
    # the terms of a document stand in one order, so that equal terms give equal sums to the last bit
    rows.sort_indices()
    test_rows.sort_indices()
    learned = Documents(rows, as_labels(train.labels), vectorizer.get_feature_names_out()[kept])
    return Fold(learned, test_rows, indicator(as_labels(test.labels), learned.labels.classes))


def largest_first(labels: Labels) -> Array:
    """(classes,): the places of the classes, the one of most documents first, by name among equals.

    >>> largest_first(as_labels([["acq"], ["earn"], ["acq", "dlr"], ["acq"], ["earn"]]))
    array([0, 2, 1])
    """
    order: Array = np.argsort(-np.diff(labels.starts), kind="stable")
    return order
