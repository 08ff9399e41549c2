"""Counts of a list of texts."""

from __future__ import annotations

import copy
import hashlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.errors import InvalidInputError, unknown
from termsift._internal.resources import is_short
from termsift._internal.threads import batch_edges, in_order, threads
from termsift._internal.typing import Array, as_terms
from termsift.counts import Counts, Labels, any_frame, as_list, given_labels, is_missing
from termsift.engines.accumulator import BatchSums, LevelSums, Sums, found_somewhere, narrow, weight_levels
from termsift.engines.matrices import Summer, as_weights, count_matrix, summed
from termsift.text import USUAL, Analyzer, Bags, Lexicon, Scanners, drained, terms_of, without_surrogates

HELD = 1 << 21  # entries of documents that a thread holds before it adds them up: 16 MB


def count_texts(
    texts: Any,
    labels: Any,
    *,
    analyzer: Any = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
) -> Counts:
    """Counts of texts, terms in code-point order; the options are those of `ts.count`.

    A scikit-learn vectorizer is copied and fitted anew, so that its own limits (min_df, ...) hold.

    >>> count_texts(["a bad day", "a good day"], [0, 1]).terms
    array(['bad', 'day', 'good'], dtype=object)
    """
    documents = checked_texts(as_list(texts))
    known = given_labels(labels, len(documents))
    if hasattr(analyzer, "fit_transform"):
        return by_vectorizer(documents, known, analyzer, sample_weight)
    analyzer = analyzer_of(analyzer)
    weights = as_weights(sample_weight, known.size)
    n_threads = threads(n_jobs)
    if isinstance(analyzer, Analyzer) and analyzer.is_compiled and not is_short(sum(map(len, documents))):
        return by_scan(documents, known, analyzer, weights, n_threads)
    return by_python(documents, known, analyzer, weights)


def by_python(documents: list[str], labels: Labels, analyzer: Any, weights: Array) -> Counts:
    """Counts of what the analyzer gives for each document, or Python's `re` where these are few."""
    rows, terms = by_row(documents, analyzer)
    return found_somewhere(summed(rows, labels, as_terms(terms), weights, name_of(analyzer)))


def analyzer_of(analyzer: Any) -> Any:
    """The analyzer, or the default one."""
    if hasattr(analyzer, "fit_transform"):
        raise InvalidInputError(
            "files are counted in parts, which a vectorizer cannot; use an Analyzer or a function"
        )
    analyzer = USUAL if analyzer is None else analyzer
    if not callable(analyzer):
        raise InvalidInputError(f"analyzer must be an Analyzer, a function or a vectorizer, got {analyzer!r}")
    return analyzer


def by_scan(
    documents: list[str], labels: Labels, analyzer: Analyzer, weights: Array, n_threads: int
) -> Counts:
    """Counts by the compiled scan: threads count batches, which are added up.

    Whole numbers are the same in any order, so each thread adds up many of its batches at once; of weights
    each batch is added by itself, in their order.
    """
    edges = batch_edges(list(map(len, documents)))
    n_threads = min(n_threads, max(len(edges) - 1, 1))
    scanners = Scanners(analyzer, n_threads)
    held: list[list[tuple[Bags, Labels]]] = [[] for _ in scanners.all]

    def counted(edge: tuple[int, int]) -> tuple[int, dict[int, BatchSums]]:
        first, last = edge
        with scanners.one() as (number, scanner):
            held[number].append((scanner.bags(documents[first:last]), labels.between(first, last)))
            entries = sum(len(bags.codes) for bags, _ in held[number])
            if not weights.size and entries < HELD:
                return number, {}
            return added_up(number, weights[first:last])

    def added_up(number: int, own: Array = weights[:0]) -> tuple[int, dict[int, BatchSums]]:
        batches, held[number] = held[number], []
        lexicon = scanners.all[number].lexicon
        by_level = weight_levels(own, batches[0][0].counts)
        return number, {level: summed_batches(batches, lexicon, part) for level, part in by_level.items()}

    parts = list(in_order(counted, pairwise(edges), n_threads))
    parts += in_order(added_up, [number for number, own in enumerate(held) if own], n_threads)
    scanner, numbers = scanners.merged()
    sums = LevelSums(analyzer.token_range[0], scanner.lexicon)
    del scanner
    for number, part in drained(parts):
        sums.take(part, *numbers[number])
    return sums.counts(lambda _, level: level.counts(name_of(analyzer), labels.classes))


def summed_levels(bags: Bags, lexicon: Lexicon, labels: Labels, weights: Array) -> dict[int, BatchSums]:
    """The sums of bags by class, at each level of their weights."""
    by_level = weight_levels(weights, bags.counts)
    return {level: summed_part(bags, lexicon, labels, own) for level, own in by_level.items()}


def summed_part(bags: Bags, lexicon: Lexicon, labels: Labels, weights: Array) -> BatchSums:
    """The sums of bags by class."""
    return summed_batches([(bags, labels)], lexicon, weights)


def summed_batches(batches: Sequence[tuple[Bags, Labels]], lexicon: Lexicon, weights: Array) -> BatchSums:
    """The sums by class of the bags of batches, which have the same classes; weights are of one batch."""
    n_tokens = len(lexicon.tokens)
    labels = [own for _, own in batches]
    classes = labels[0].classes
    summer = Summer([columned(bags, lexicon) for bags, _ in batches], weights)

    def coded(documents: list[Array]) -> Sums:
        terms, df, tf, tf2 = summer.of(documents)
        return narrow((np.where(terms < n_tokens, terms, n_tokens - 1 - terms), df, tf, tf2))

    members = {name: [own.of(c) for own in labels] for c, name in enumerate(classes)}
    by_class = {name: coded(own) for name, own in members.items() if any(map(len, own))}
    sizes = np.sum([own.sizes(weights) for own in labels], axis=0)
    total = sum(weights.tolist()) if weights.size else sum(own.size for own in labels)
    every = None if all(own.single for own in labels) else coded([np.arange(own.size) for own in labels])
    return BatchSums(lexicon, by_class, every, dict(zip(classes, sizes.tolist(), strict=True)), total)


def columned(bags: Bags, lexicon: Lexicon) -> csr_array[Any]:
    """Bags as a matrix for the kernel: its columns are the tokens, then the n-grams."""
    n_tokens, n_grams = len(lexicon.tokens), int(lexicon.size[0])
    columns = np.where(bags.codes >= 0, bags.codes, n_tokens - 1 - bags.codes) if n_grams else bags.codes
    shape = (len(bags.indptr) - 1, n_tokens + n_grams)
    return csr_array((bags.counts, columns, bags.indptr), shape=shape)


def bags_by_row(documents: list[str], analyzer: Any) -> tuple[Bags, Lexicon]:
    """The bags of documents by an analyzer that the scan cannot follow, and the words they are of."""
    rows, terms = by_row(documents, analyzer)
    lexicon = Lexicon()
    lexicon.tokens.add(terms_of([term.encode() for term in terms]))
    return Bags(rows.indptr, rows.indices, rows.data), lexicon


def checked_texts(documents: list[Any]) -> list[str]:
    """The documents, if each is a str."""
    if set(map(type, documents)) <= {str}:
        return documents
    for i, document in enumerate(documents):
        if not isinstance(document, str):
            what = "is missing" if is_missing(document) else f"is {type(document).__name__}, not str"
            raise InvalidInputError(f"document {i} {what}; every document must be a text")
    return documents


def counted_terms(terms: Iterable[str]) -> Counter[str]:
    """How often each term of a document occurs; an error for what cannot be a term."""
    if not isinstance(terms, Iterable):
        raise InvalidInputError(f"the analyzer gave {terms!r} for a document; it must give a list of terms")
    given = terms if isinstance(terms, list | tuple) else list(terms)
    try:
        return Counter(given)
    except TypeError as error:
        strange = next(term for term in given if not isinstance(term, str))
        raise InvalidInputError(
            f"the analyzer gave {strange!r}, which is {type(strange).__name__}; terms must be str"
        ) from error


def by_row(
    documents: list[str], analyzer: Callable[[str], Iterable[str]]
) -> tuple[csr_array[Any], list[str]]:
    """The matrix of counts, and its terms in code-point order; half a surrogate pair counts as "?"."""
    place: dict[str, int] = {}
    indptr, indices, values = array("q", [0]), array("q"), array("q")
    for document in documents:
        found = counted_terms(analyzer(document))
        indices.extend([place.setdefault(term, len(place)) for term in found])
        values.extend(found.values())
        indptr.append(len(indices))
    strange = [term for term in place if not isinstance(term, str)]
    if strange:
        kind = type(strange[0]).__name__
        raise InvalidInputError(f"the analyzer gave {strange[0]!r}, which is {kind}; terms must be str")
    names = [without_surrogates(term) for term in place]
    terms = sorted(set(names))
    at = {term: i for i, term in enumerate(terms)}
    rank = np.array([at[name] for name in names], dtype=np.int64)
    columns = rank[np.frombuffer(indices, dtype=np.int64)] if indices else np.zeros(0, np.int64)
    data = np.frombuffer(values, dtype=np.int64) if values else np.zeros(0, np.int64)
    shape = (len(documents), len(terms))
    rows = csr_array((data, columns, np.frombuffer(indptr, dtype=np.int64)), shape=shape)
    if len(terms) < len(names):
        rows = rows.copy()
        rows.sum_duplicates()
    return rows, terms


def name_of(analyzer: Any) -> str | None:
    """What tells one analyzer from another, the same today and tomorrow; None where nothing does."""
    if isinstance(analyzer, Analyzer):
        return repr(analyzer)
    name = getattr(analyzer, "__qualname__", None)
    if name is not None and "<" not in name:
        return f"{getattr(analyzer, '__module__', None) or 'builtins'}.{name}"
    named = repr(analyzer)
    return None if " at 0x" in named else named


def name_of_vectorizer(vectorizer: Any) -> str | None:
    """The vectorizer as it prints, and a digest of all its settings, which it may not print in full."""
    settings = repr(sorted(vectorizer.get_params(deep=False).items()))
    if " at 0x" in settings:
        return None
    digest = hashlib.sha256(settings.encode()).hexdigest()[:12]
    return f"{' '.join(repr(vectorizer).split())} {digest}"


def by_vectorizer(documents: list[str], labels: Any, vectorizer: Any, sample_weight: Any) -> Counts:
    """Counts of what a scikit-learn vectorizer finds."""
    if not hasattr(vectorizer, "get_feature_names_out"):
        name = type(vectorizer).__name__
        raise InvalidInputError(
            f"{name} keeps no names of its terms; use one that does, such as CountVectorizer"
        )
    own = copy.deepcopy(vectorizer)
    if "use_idf" in own.get_params(deep=False):
        # counts are wanted, not weights
        own.set_params(use_idf=False, norm=None, sublinear_tf=False)
    X = own.fit_transform(documents)
    terms, named = own.get_feature_names_out(), name_of_vectorizer(vectorizer)
    return count_matrix(X, labels, terms=terms, sample_weight=sample_weight, analyzer=named)


BETWEEN = "\n"  # the texts of several columns
# frames that are not in memory yet: the module that a class is of, its name
LAZY = ("polars.lazyframe.frame", "LazyFrame")
DATASET = ("datasets.arrow_dataset", "Dataset")
OTHERS = (("datasets.dataset_dict", "DatasetDict"), ("datasets.dataset_dict", "IterableDatasetDict"))
STREAM = ("datasets.iterable_dataset", "IterableDataset")


def is_one_of(data: Any, *kinds: tuple[str, str]) -> bool:
    """Whether the data is of such a class; no library is imported to see it."""
    return any((kind.__module__, kind.__name__) in kinds for kind in type(data).__mro__)


def is_unread(data: Any) -> bool:
    """Whether the data is a frame that must be read first; its columns have the usual names if no others."""
    return is_one_of(data, LAZY, DATASET, STREAM, *OTHERS)


def columns_read(data: Any, names: Sequence[Any]) -> dict[Any, list[Any]]:
    """Some columns of a frame, each as a list; labels of Hugging Face's datasets by their names."""
    if is_one_of(data, STREAM):
        raise InvalidInputError("an IterableDataset is a stream; load it without streaming=True")
    if is_one_of(data, *OTHERS):
        raise InvalidInputError(
            f"this has the splits {', '.join(map(repr, data))}; give one, as data['train']"
        )
    frame = None if is_unread(data) else any_frame(data)
    known = known_columns(data) if frame is None else frame.columns
    for name in names:
        if name not in known:
            raise unknown("column", name, known)
    if is_one_of(data, LAZY):
        frame = any_frame(data.select(list(names)).collect())
    if frame is not None:
        return {name: as_list(frame[name]) for name in names}
    table = data.select_columns(list(names)).with_format("arrow")[:]
    return {name: named_labels(table.column(name).to_pylist(), data.features[name]) for name in names}


def known_columns(data: Any) -> list[Any]:
    """The names of the columns of a frame that is not in memory yet."""
    return list(data.column_names) if is_one_of(data, DATASET) else list(data.collect_schema().names())


def named_labels(values: list[Any], feature: Any) -> list[Any]:
    """Values of a column, or lists of them, by the names of the classes where it has such; -1 is none."""
    own = feature[0] if isinstance(feature, list) else getattr(feature, "feature", feature)
    names = getattr(own, "names", None)
    if names is None:
        return values

    def named(value: Any) -> Any:
        if isinstance(value, list):
            return [named(one) for one in value]
        return None if value is None or value < 0 else names[value]

    return [named(value) for value in values]


def frame_documents(
    frame: Any, text: Any, label: Any, group: Any, labels: Any, groups: Any
) -> tuple[list[Any], Any, Any]:
    """The texts, labels and groups of a data frame; the texts of several columns are joined."""
    if is_unread(frame):
        text, label = "text" if text is None else text, "label" if (label, labels) == (None, None) else label
    if text is None:
        raise InvalidInputError("text= is missing: name the column that holds the texts")
    several = isinstance(text, list | tuple)
    named = {f"text {i}" if i > 1 else "text": name for i, name in enumerate(text if several else [text], 1)}
    named |= {role: name for role, name in (("label", label), ("group", group)) if name is not None}
    for one, other in combinations(named, 2):
        if named[one] == named[other]:
            raise InvalidInputError(f"{one} and {other} are both column {named[one]!r}; name two")
    if label is not None and labels is not None:
        raise InvalidInputError("labels are given twice: by themselves, and by label=, the name of a column")
    if group is not None and groups is not None:
        raise InvalidInputError("groups are given twice: by themselves, and by group=, the name of a column")
    columns = columns_read(frame, list(named.values()))
    texts = joined_columns([columns[name] for role, name in named.items() if role.startswith("text")])
    labels = labels if label is None else columns[label]
    return texts, labels, groups if group is None else columns[group]


def joined_columns(columns: list[list[Any]]) -> list[Any]:
    """The texts of several columns as one; missing where all of them are."""
    if len(columns) == 1:
        return columns[0]
    return [joined_parts(parts) for parts in zip(*columns, strict=True)]


def joined_parts(parts: Sequence[Any]) -> Any:
    """Texts as one, those that are missing left out; what is no text as it is, to be told of."""
    there = [part for part in parts if not is_missing(part)]
    strange = next((part for part in there if not isinstance(part, str)), None)
    if strange is not None:
        return strange
    return BETWEEN.join(there) if there else None
