"""Summary of a corpus and its terms: all values that a report page shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError
from termsift._internal.tables import Table
from termsift._internal.typing import Array, check_positive_integer
from termsift.counts import Counts, Labels, as_labels, ratio
from termsift.metrics import Metric, format_metric, metrics
from termsift.report.concordance import Snippet, Use, find_snippets
from termsift.report.formatting import clip_name
from termsift.report.keywords import DEFAULT_METRIC
from termsift.report.rankings import LIST_LENGTH, REPORT_METRICS, Rankings, rank_classes
from termsift.report.term_maps import Lookup, TermMap, build_term_maps, select_searchable_terms
from termsift.selection import AnyMethod, parse_method

BAND_EDGES = (1, 2, 3, 10, 100, 1000, 10_000, 100_000)
QUANTILES = (0.1, 0.5, 0.9)
TERM_NUMBERS = (5, 10, 20, 50, 100, 200)
DEFAULT_K, MAX_K = 50, 300
MAX_CLASSES = 40
MAX_USES = 1200  # terms shown in context, counted for each class and direction


@dataclass(frozen=True, slots=True)
class ClassFacts:
    """Statistics of a class.

    Parameters
    ----------
    name : name of the class
    documents : number of documents
    share : share of all documents
    skew : documents outside the class per document inside; 0 for an empty class
    length : mean occurrences of terms per document
    vocabulary : number of different terms
    words : words of the median document, if the texts are available

    """

    name: str
    documents: float
    share: float
    skew: float
    length: float
    vocabulary: int
    words: float | None


@dataclass(frozen=True, slots=True)
class Band:
    """Number of values in a range."""

    label: str
    number: int


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """Statistics of a corpus.

    Parameters
    ----------
    documents, terms, occurrences : totals
    labels : mean number of labels per document
    length : mean occurrences of terms per document
    classes : statistics of each class, largest first
    words : QUANTILES of the words per document, if the texts are available
    bands : terms by document frequency
    lengths : documents by number of words, if the texts are available

    """

    documents: float
    terms: int
    occurrences: float
    labels: float
    length: float
    classes: tuple[ClassFacts, ...]
    words: tuple[float, ...] | None
    bands: tuple[Band, ...]
    lengths: tuple[Band, ...]


def compute_corpus_facts(counts: Counts, texts: Sequence[str] | None, labels: Labels | None) -> CorpusFacts:
    """Compute the statistics of a corpus; those of words need texts and labels."""
    words = np.array([len(text.split()) for text in texts or ()], dtype=np.float64)
    documents, occurrences = float(counts.documents), float(counts.term_tf.sum())
    return CorpusFacts(
        documents=counts.documents,
        terms=int((counts.term_df > 0).sum()),
        occurrences=occurrences,
        labels=float(counts.class_sizes.sum()) / documents if documents else 0.0,
        length=occurrences / documents if documents else 0.0,
        classes=compute_class_facts(counts, words, labels),
        words=tuple(np.quantile(words, QUANTILES).tolist()) if len(words) else None,
        bands=count_bands(counts.term_df[counts.term_df > 0]),
        lengths=count_bands(words),
    )


def compute_class_facts(counts: Counts, words: Array, labels: Labels | None) -> tuple[ClassFacts, ...]:
    """Compute the statistics of each class, largest first."""
    sizes = counts.class_sizes.astype(np.float64)
    lengths = ratio(np.asarray(counts.tf.sum(axis=0), dtype=np.float64), sizes)
    vocabularies = np.bincount(counts.df.indices, minlength=len(sizes))
    skews = ratio(counts.documents - sizes, sizes)
    medians: dict[object, float] = {}
    if labels is not None:
        class_words = ((name, words[labels.class_documents(c)]) for c, name in enumerate(labels.classes))
        medians = {name: float(np.median(numbers)) for name, numbers in class_words if len(numbers)}
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
        for c in order_classes_by_size(counts)
    )


def order_classes_by_size(counts: Counts) -> list[int]:
    """Return the columns of the classes, largest first."""
    return [int(c) for c in np.argsort(-counts.class_sizes, kind="stable")]


def count_bands(values: Array) -> tuple[Band, ...]:
    """Count the values in each band, from the first to the last band that is not empty.

    >>> [(band.label, band.number) for band in count_bands(np.array([1, 1, 2, 5, 12]))]
    [('1', 2), ('2', 1), ('3 to 9', 1), ('10 to 99', 1)]
    """
    edges = [0, *BAND_EDGES] if (values < 1).any() else list(BAND_EDGES)
    numbers = np.histogram(values, [*edges, np.inf])[0]
    filled = np.flatnonzero(numbers).tolist()
    bands = []
    for i in range(filled[0], filled[-1] + 1) if filled else ():
        low, high = edges[i], [*edges, np.inf][i + 1] - 1
        label = f"{low:,} or more" if high == np.inf else f"{low:,} to {high:,}"
        bands.append(Band(f"{low:,}" if high == low else label, int(numbers[i])))
    return tuple(bands)


@dataclass(frozen=True, slots=True, eq=False)
class Findings:
    """Results of a comparison for a report.

    Attributes
    ----------
    goal : str
        Name of the measure, such as "macro-averaged F1".
    curve : Table
        One row per method, classifier and number of terms: method, classifier, terms, mean, error; `terms` is
        the mean number of terms, `error` the standard error of the mean.
    best, chosen : mapping
        Rows of `curve` with the best mean and of the recommendation.
    classes : Table
        The goal for each class: class, method, classifier, terms, mean, error.
    chances : Table
        How often a method is within tolerance of the best method: method, chance.
    answer : sequence of str
        Sentences about the recommendation.
    warnings : sequence of str
        Sentences about problems of the data or the comparison.
    trade_off : Table or None
        Candidates by size: terms, mean, error, method, classifier, answer; `answer` is the selection rule of
        the candidates that a rule selects.

    Examples
    --------
    >>> from termsift import compare
    >>> spam, ham = ["win a prize now", "free prize"] * 6, ["lunch at noon", "see you at lunch"] * 6
    >>> comparison = compare(spam + ham, ["spam"] * 12 + ["ham"] * 12, metrics=["ig"], k=[3], repeats=1)
    >>> comparison.findings().goal
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
        """Row with the best mean for each class; the first in case of ties."""
        best: dict[str, dict[str, Any]] = {}
        for row in self.classes:
            name = str(row["class"])
            if name not in best or row["mean"] > best[name]["mean"]:
                best[name] = row
        return list(best.values())


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """Values of a report.

    Parameters
    ----------
    title : heading of the page
    counts : counts of the terms that occur
    corpus : statistics of the corpus
    metrics : metrics to choose from; the page opens with the first
    ks : numbers of terms to choose from
    k : number of terms the page opens with
    maps : maps of the classes shown
    opening_class : index of the map the page opens with
    lookup : terms to look up
    rankings : rankings of the classes shown
    agreement : for each of `ks`, the overlap of metrics, (metrics, metrics)
    snippets : words in context
    findings : results of a comparison, if there is one

    """

    title: str
    counts: Counts
    corpus: CorpusFacts
    metrics: tuple[Metric, ...]
    ks: tuple[int, ...]
    k: int
    maps: tuple[TermMap, ...]
    opening_class: int
    lookup: Lookup
    rankings: Rankings
    agreement: tuple[Array, ...]
    snippets: dict[Use, tuple[Snippet, ...]]
    findings: Findings | None

    @property
    def opening_map(self) -> TermMap:
        """Map of the class the page opens with."""
        return self.maps[self.opening_class]

    def class_name(self, term_map: TermMap) -> str:
        """Return the clipped name of the class of a map."""
        return clip_name(self.counts.classes[term_map.column])

    def term_names(self, term_map: TermMap, indices: Array) -> list[str]:
        """Return the clipped names of drawn terms."""
        return [clip_name(term) for term in self.counts.terms[term_map.rows[indices]]]


def build_summary(
    counts: Counts,
    title: str,
    texts: Sequence[str] | None,
    labels: Any,
    findings: Findings | None,
    metric: AnyMethod | None,
    k: int | None,
    classes: Sequence[object] | None,
    keep_nested: bool = False,
) -> Summary:
    """Compute all values of a report; for the parameters see `report_html`."""
    text_labels = None if texts is None else check_text_labels(counts, texts, labels)
    # counts of a matrix may have terms without documents
    counts = counts.keep(np.flatnonzero(counts.term_df > 0))
    if not len(counts.terms):
        raise InvalidInputError("no document contains a term; check the texts and the analyzer")
    columns = select_columns(counts, classes)
    # the first class given; the second of two; otherwise the largest
    opening = next(c for c in order_classes_by_size(counts) if c in columns)
    if classes:
        opening = columns[0]
    elif len(counts.classes) == 2 and counts.single_label:
        opening = columns[-1]
    report_metrics = select_metrics(metric)
    ks, opening_k = choose_ks(len(counts.terms), k)
    rankings = rank_classes(counts, columns, report_metrics, ks[-1], keep_nested)
    maps = build_term_maps(counts, columns, report_metrics, rankings, ks)
    snippets: dict[Use, tuple[Snippet, ...]] = {}
    if texts is not None and text_labels is not None:
        snippets = find_snippets(texts, text_labels, list_uses(counts, maps), counts.classes)
    return Summary(
        title=title,
        counts=counts,
        corpus=compute_corpus_facts(counts, texts, text_labels),
        metrics=report_metrics,
        ks=ks,
        k=opening_k,
        maps=maps,
        opening_class=columns.index(opening),
        lookup=select_searchable_terms(counts, maps),
        rankings=rankings,
        agreement=tuple(rankings.overlap(n) for n in ks),
        snippets=snippets,
        findings=findings,
    )


def check_text_labels(counts: Counts, texts: Sequence[str], labels: Any) -> Labels:
    """Validate the labels of the texts."""
    if labels is None:
        raise InvalidInputError("texts were given without labels; pass both or neither")
    text_labels = as_labels(labels)
    if text_labels.size != len(texts):
        raise InvalidInputError(f"{len(texts)} texts but {text_labels.size} labels; each text needs a label")
    for name in text_labels.classes:
        counts.class_index(name)
    return text_labels


def select_columns(counts: Counts, classes: Sequence[object] | None) -> list[int]:
    """Return the classes to show: the given ones, or the largest that do not contain all documents."""
    if not (classes is None or isinstance(classes, Iterable)):
        raise InvalidInputError(f"classes must be a list of class names, got {classes!r}")
    if classes is not None and len(list(classes)):
        return list(dict.fromkeys(counts.class_index(name) for name in classes))[:MAX_CLASSES]
    by_size = order_classes_by_size(counts)
    # no term can be characteristic of a class with all documents or none
    divided = [c for c in by_size if 0 < counts.class_sizes[c] < counts.documents]
    return sorted(divided[:MAX_CLASSES]) or by_size[:MAX_CLASSES]


def select_metrics(metric: AnyMethod | None) -> tuple[Metric, ...]:
    """Return the metrics of a page, the given one (with its options bound) first."""
    method = parse_method(DEFAULT_METRIC if metric is None else metric)
    first, options = method.metric, dict(method.options)
    options.pop("per_class", None)  # an option of scoring, not of the metric's function
    if options:
        handled = first.scoring_options if first.of_cells else {}
        bound = {name: value for name, value in options.items() if name not in handled}
        unit = first.count_type(options) if first.of else ""
        function = partial(first.function, **bound)
        first = replace(first, name=format_metric(first, options), function=function, of=unit)
    return (first, *(metrics()[name] for name in REPORT_METRICS if name != first.name))


def choose_ks(n_terms: int, k: int | None) -> tuple[tuple[int, ...], int]:
    """Return the numbers of terms to choose from, and the one to open with."""
    if k is not None:
        check_positive_integer(k)
    opening = min(k or DEFAULT_K, MAX_K, n_terms)
    return tuple(sorted({n for n in TERM_NUMBERS if n <= n_terms} | {opening})), opening


def list_uses(counts: Counts, maps: Sequence[TermMap]) -> list[Use]:
    """Return the uses of all listed terms, first those of the first metric."""
    uses: dict[Use, None] = {}
    for m in range(len(maps[0].rankings)):
        for term_map in maps:
            ranking = term_map.rankings[m]
            for indices, inside in ((ranking.positive, True), (ranking.negative, False)):
                listed = indices[:LIST_LENGTH]
                terms = counts.terms[term_map.rows[listed[listed >= 0]]]
                uses |= dict.fromkeys((term, term_map.column, inside) for term in terms)
    return list(uses)[:MAX_USES]
