"""What a corpus is: its classes, their sizes, the lengths of documents, the vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError
from termsift._internal.expressions import check_k
from termsift._internal.tables import Table
from termsift._internal.typing import Array
from termsift.counts import Counts, Labels, as_labels, ratio
from termsift.metrics import Metric, metrics, written_metric
from termsift.report.concordance import Snippet, Use, snippets
from termsift.report.formatting import clipped
from termsift.report.keywords import FOR_READING
from termsift.report.rankings import OFFERED, Rankings, class_rankings
from termsift.report.term_maps import Lookup, TermMap, lookup_of, term_maps
from termsift.selection import AnyMethod, Method, parse_method

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


STOPS = (5, 10, 20, 50, 100, 200)
OPENING, MOST_K = 50, 300
MOST_CLASSES = 40
# terms that are shown in context, once for each class and side
MOST_USES = 1200


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """The findings of a comparison for a report: figures by method and number of terms, and advice in words.

    goal : the measure as shown to the reader, such as "macro-averaged F1"
    curve : method, classifier, terms, mean, error: one row per method, classifier and number of terms;
        `terms` is the mean number of terms, `error` the standard error of the mean
    best, chosen : the row of `curve` with the best mean, and the recommended one
    classes : class, method, classifier, terms, mean, error: the goal for each class
    chances : method, chance: how often a method is within tolerance of the best one
    answer : sentences about the recommendation, ties, gains and losses
    warnings : sentences about what may mislead
    trade_off : terms, mean, error, method, classifier, answer: what more terms gain, and which rows meet a
        given criterion

    >>> from termsift import compare
    >>> spam, ham = ["win a prize now", "free prize"] * 6, ["lunch at noon", "see you at lunch"] * 6
    >>> found = compare(spam + ham, ["spam"] * 12 + ["ham"] * 12, metrics=["ig"], k=[3], repeats=1)
    >>> found.findings().goal
    'macro-averaged F1'
    """

    goal: str
    curve: Table
    best: Mapping[str, Any]
    chosen: Mapping[str, Any]
    classes: Table
    chances: Table
    answer: Sequence[str]
    warnings: Sequence[str]
    trade_off: Table | None = None

    @property
    def best_by_class(self) -> list[dict[str, Any]]:
        """The row with the best mean for each class, the first one in case of ties."""
        best: dict[str, dict[str, Any]] = {}
        for row in self.classes:
            name = str(row["class"])
            if name not in best or row["mean"] > best[name]["mean"]:
                best[name] = row
        return list(best.values())


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """A report.

    counts : of the terms that occur
    metrics : those offered, the one it opens with first
    ks : the numbers of terms of a class to choose from; `opening` is the one it opens with
    shown : the maps of the classes shown, in their order; `first` is the place of the one it opens with
    lookup : the terms that can be looked up
    agreement : for each k the overlap of two metrics, (metrics, metrics)
    uses : words in context
    """

    title: str
    counts: Counts
    corpus: CorpusFacts
    metrics: tuple[Metric, ...]
    ks: tuple[int, ...]
    opening: int
    shown: tuple[TermMap, ...]
    first: int
    lookup: Lookup
    rankings: Rankings
    agreement: tuple[Array, ...]
    uses: dict[Use, tuple[Snippet, ...]]
    findings: Findings | None

    @property
    def open_map(self) -> TermMap:
        """The map of the class it opens with."""
        return self.shown[self.first]

    @property
    def open_agreement(self) -> Array:
        """The overlap of two metrics at the number of terms it opens with."""
        return self.agreement[self.ks.index(self.opening)]

    def class_name(self, one: TermMap) -> str:
        """The name of the class of a map, as the page writes it."""
        return clipped(self.counts.classes[one.column])

    def term_names(self, one: TermMap, places: Array) -> list[str]:
        """The names of terms by their places among the drawn, as the page writes them."""
        return [clipped(term) for term in self.counts.terms[one.rows[places]]]


def summary_of(
    counts: Counts,
    title: str,
    texts: Sequence[str] | None,
    labels: Any,
    findings: Findings | None,
    metric: AnyMethod | None,
    k: int | None,
    classes: Sequence[object] | None,
    keep_parts: bool = False,
) -> Summary:
    """The summary of a corpus."""
    known = known_labels(counts, texts, labels)
    counts = occurring(counts)
    columns = columns_shown(counts, classes)
    offered = metrics_offered(opening_metric(metric))
    ks, opening = numbers_of_terms(len(counts.terms), k)
    ranked = class_rankings(counts, columns, offered, ks[-1], keep_parts)
    maps = term_maps(counts, columns, offered, ranked, ks)
    uses: dict[Use, tuple[Snippet, ...]] = {}
    if texts is not None and known is not None:
        uses = snippets(texts, known, wanted_uses(counts, maps), counts.classes)
    return Summary(
        title=title,
        counts=counts,
        corpus=corpus_facts(counts, texts, known),
        metrics=offered,
        ks=ks,
        opening=opening,
        shown=maps,
        first=columns.index(first_column(counts, columns, classes)),
        lookup=lookup_of(counts, maps),
        rankings=ranked,
        agreement=tuple(ranked.overlap(n) for n in ks),
        uses=uses,
        findings=findings,
    )


def known_labels(counts: Counts, texts: Sequence[str] | None, labels: Any) -> Labels | None:
    """The labels of the texts, if there are texts."""
    if texts is None:
        return None
    if labels is None:
        raise InvalidInputError("texts without labels: give the labels too, or neither")
    known = as_labels(labels)
    if known.size != len(texts):
        raise InvalidInputError(f"{len(texts)} texts but {known.size} labels; there must be one label each")
    for name in known.classes:
        counts.class_index(name)
    return known


def occurring(counts: Counts) -> Counts:
    """The counts of the terms that occur."""
    found = counts.keep(np.flatnonzero(counts.term_df > 0))
    if not len(found.terms):
        raise InvalidInputError("no document holds a term, so there is nothing to report")
    return found


def columns_shown(counts: Counts, classes: Sequence[object] | None) -> list[int]:
    """The classes to show: those named, else the largest that have documents both inside and outside."""
    if not (classes is None or isinstance(classes, Iterable)):
        raise InvalidInputError(f"classes must be a list of classes to show, got {classes!r}")
    if classes is not None and len(list(classes)):
        return list(dict.fromkeys(counts.class_index(name) for name in classes))[:MOST_CLASSES]
    sizes = counts.class_sizes
    apart = [c for c in columns_by_size(counts) if 0 < sizes[c] < counts.documents]
    largest = apart[:MOST_CLASSES]
    return sorted(largest) or columns_by_size(counts)[:MOST_CLASSES]


def first_column(counts: Counts, columns: list[int], classes: Sequence[object] | None) -> int:
    """The class to open with: the first named; of two alone the second; else the largest."""
    if classes:
        return columns[0]
    if len(counts.classes) == 2 and counts.single_label:
        return columns[-1]
    return next(c for c in columns_by_size(counts) if c in columns)


def opening_metric(metric: AnyMethod | None) -> Metric:
    """The metric that was asked for, else the one whose words are best to read."""
    return with_options(parse_method(FOR_READING if metric is None else metric))


def with_options(method: Method) -> Metric:
    """The metric of a method, its options in it, by the name that they are written with."""
    line, options = method.metric, dict(method.options)
    options.pop("per_class", None)  # what scoring makes of a metric's parts, and no function takes
    if not options:
        return line
    own = partial(line.function, **options)
    name = written_metric(line, options)
    return replace(line, name=name, function=own, cell_function=line.of_documents(options))


def metrics_offered(first: Metric) -> tuple[Metric, ...]:
    """The metrics of a page, the first one first."""
    others = (metrics()[name] for name in OFFERED if name != first.name)
    return (first, *others)


def numbers_of_terms(terms: int, k: int | None) -> tuple[tuple[int, ...], int]:
    """The numbers of terms to choose from, and the one to open with."""
    if k is not None:
        check_k(k)
    opening = min(k or OPENING, MOST_K, terms)
    stops = {n for n in STOPS if n <= terms} | {opening}
    return tuple(sorted(stops)), opening


def wanted_uses(counts: Counts, maps: Sequence[TermMap]) -> list[Use]:
    """The uses to look for: for each metric in turn, the terms shown as bars of each class."""
    uses: dict[Use, None] = {}
    for m in range(len(maps[0].rankings) if maps else 0):
        for one in maps:
            ranking = one.rankings[m]
            for places, inside in ((ranking.speaking, True), (ranking.against, False)):
                uses |= {(counts.terms[one.rows[i]], one.column, inside): None for i in places.tolist()}
    return list(uses)[:MOST_USES]
