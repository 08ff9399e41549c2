"""What a corpus is: its classes, their sizes, the lengths of documents, the vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from termsift._typing import Array
from termsift.contingency import ratio
from termsift.counts import Counts
from termsift.labels import Labels

BANDS = (1, 2, 3, 10, 100, 1000, 10_000, 100_000)
QUANTILES = (0.1, 0.5, 0.9)


@dataclass(frozen=True, slots=True)
class ClassFacts:
    """A class.

    skew : documents outside the class for each one in it; 0 where it has none
    length : occurrences of terms in a document of it, on average
    words : words of its median document, where the texts are known
    """

    name: str
    documents: float
    share: float
    skew: float
    length: float
    vocabulary: int
    words: float | None


@dataclass(frozen=True, slots=True)
class Bar:
    """How many there are of a kind."""

    label: str
    number: int


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """A corpus.

    labels : on average a document
    length : occurrences of terms in a document, on average
    words : quantiles of the words of a document (QUANTILES), where the texts are known
    bands : terms by the number of documents that hold them
    lengths : documents by the number of their words, where the texts are known
    """

    documents: float
    terms: int
    occurrences: float
    labels: float
    length: float
    classes: tuple[ClassFacts, ...]
    words: tuple[float, ...] | None
    bands: tuple[Bar, ...]
    lengths: tuple[Bar, ...]


def corpus_facts(counts: Counts, texts: Sequence[str] | None, labels: Labels | None) -> CorpusFacts:
    """The facts of a corpus, the largest class first."""
    words = np.array([len(text.split()) for text in texts or ()], dtype=np.float64)
    documents = float(counts.documents)
    return CorpusFacts(
        documents=counts.documents,
        terms=int((counts.term_df > 0).sum()),
        occurrences=float(counts.term_tf.sum()),
        labels=float(counts.class_sizes.sum()) / documents if documents else 0.0,
        length=float(counts.term_tf.sum()) / documents if documents else 0.0,
        classes=class_facts(counts, words, labels),
        words=tuple(np.quantile(words, QUANTILES).tolist()) if len(words) else None,
        bands=bands(counts.term_df[counts.term_df > 0]),
        lengths=bands(words),
    )


def class_facts(counts: Counts, words: Array, labels: Labels | None) -> tuple[ClassFacts, ...]:
    """The facts of each class, the largest first."""
    sizes = counts.class_sizes.astype(np.float64)
    lengths = ratio(np.asarray(counts.tf.sum(axis=0), dtype=np.float64), sizes)
    vocabularies = np.bincount(counts.df.indices, minlength=len(sizes))
    skews = ratio(counts.documents - sizes, sizes)
    medians = median_words(words, labels)
    return tuple(
        ClassFacts(
            name=str(counts.classes[c]),
            documents=counts.class_sizes[c].item(),
            share=float(sizes[c] / counts.documents) if counts.documents else 0.0,
            skew=float(skews[c]),
            length=float(lengths[c]),
            vocabulary=int(vocabularies[c]),
            words=medians.get(counts.classes[c]),
        )
        for c in columns_by_size(counts)
    )


def columns_by_size(counts: Counts) -> list[int]:
    """The columns of the classes, the largest first."""
    order: list[int] = np.argsort(-counts.class_sizes, kind="stable").tolist()
    return order


def median_words(words: Array, labels: Labels | None) -> dict[object, float]:
    """The words of the median document of each class, where known."""
    if labels is None or not len(words):
        return {}
    members = ((name, labels.of(c)) for c, name in enumerate(labels.classes))
    return {name: float(np.median(words[rows])) for name, rows in members if len(rows)}


def bands(values: Array) -> tuple[Bar, ...]:
    """How many values lie in each band, from the first that has any to the last.

    >>> [(bar.label, bar.number) for bar in bands(np.array([1, 1, 2, 5, 12]))]
    [('1', 2), ('2', 1), ('3 to 9', 1), ('10 to 99', 1)]
    """
    edges = [0, *BANDS] if (values < 1).any() else list(BANDS)
    numbers = np.histogram(values, [*edges, np.inf])[0]
    filled = np.flatnonzero(numbers).tolist()
    ends = [*edges[1:], None]
    span = range(filled[0], filled[-1] + 1) if filled else range(0)
    return tuple(Bar(band_label(edges[i], ends[i]), int(numbers[i])) for i in span)


def band_label(low: int, high: int | None) -> str:
    """A band in words."""
    if high is None:
        return f"{low:,} or more"
    return f"{low:,}" if high == low + 1 else f"{low:,} to {high - 1:,}"
