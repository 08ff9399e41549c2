"""The 90 problems of ApteMod: a category against the rest, in the order of their sizes."""

from __future__ import annotations

import html
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array

from termsift import corpora
from termsift._typing import Array
from termsift.corpora import reuters_apte
from termsift.corpora.entry import DataDir
from termsift.estimators import TermVectorizer
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


@dataclass(frozen=True, eq=False)
class SortedDocuments:
    """Documents by row, with their counts, and by column."""

    rows: csr_array[Any]

    @cached_property
    def columns(self) -> csc_array[Any]:
        """The same by column: which documents hold a term."""
        return csc_array(self.rows)

    def take(self, chosen: Array) -> SortedDocuments:
        """Some of the documents."""
        return SortedDocuments(self.rows[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class Problems:
    """names : of the categories, the largest first, by name among equals; truth : (documents, categories)."""

    names: list[str]
    terms: Array
    train: SortedDocuments
    test: SortedDocuments
    truth: Array
    test_truth: Array
    checksum: str
    reading: ZhengReading


def problems(data_dir: DataDir = None, reading: ZhengReading = NEAREST) -> Problems:
    """Read ApteMod as the paper does.

    Terms are runs of letters, but for the stop words that come with the corpus, that are frequent enough in
    the training part.
    """
    corpus = corpora.load("reuters_apte", data_dir=data_dir)
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
    names = largest_first(train.labels)
    return Problems(
        names,
        vectorizer.get_feature_names_out()[kept],
        sorted_documents(rows[:, kept]),
        sorted_documents(test_rows[:, kept]),
        belongs(train.labels, names),
        belongs(test.labels, names),
        corpus.checksum or "",
        reading,
    )


def sorted_documents(rows: csr_array[Any]) -> SortedDocuments:
    """Documents whose terms stand in one order, so that equal terms give equal sums to the last bit."""
    rows.sort_indices()
    return SortedDocuments(rows)


def largest_first(labels: list[list[str]]) -> list[str]:
    """The categories, the one of most documents first."""
    every = [name for several in labels for name in several]
    return sorted(set(every), key=lambda name: (-every.count(name), name))


def belongs(labels: list[list[str]], names: list[str]) -> Array:
    """(documents, categories): whether each document is in each category."""
    return np.array([[name in several for name in names] for several in map(set, labels)])
