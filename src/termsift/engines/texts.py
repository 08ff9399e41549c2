"""Counts of texts in memory: lists, and text columns of data frames."""

from __future__ import annotations

import copy
import hashlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.errors import InvalidInputError, unknown_name_error
from termsift._internal.resources import batch_edges, is_faster_in_python, map_in_order, resolve_n_jobs
from termsift._internal.typing import Array, as_term_array
from termsift.counts import Counts, Labels, as_list, is_missing, to_narwhals, validate_labels
from termsift.engines.matrices import (
    Accumulator,
    BatchSums,
    ClassSummer,
    Sums,
    as_weights,
    count_matrix,
    count_rows,
    drop_absent_terms,
    narrow_sums,
)
from termsift.text import (
    DEFAULT_ANALYZER,
    TOKEN_SEPARATOR,
    Analyzer,
    Bags,
    Lexicon,
    ScannerPool,
    consume,
    has_token_pattern,
    pack_terms,
    replace_surrogates,
    token_analyzer,
)

MAX_PENDING_ENTRIES = 1 << 21  # entries of unsummed batches that a thread holds: 16 MB


def count_texts(
    texts: Any, labels: Any, *, analyzer: Any = None, sample_weight: Any = None, n_jobs: int | None = None
) -> Counts:
    """Count texts, with terms in code-point order; the parameters are those of `ts.count`.

    A scikit-learn vectorizer is copied and fitted, so that its limits (min_df, ...) apply.

    Examples
    --------
    >>> count_texts(["a bad day", "a good day"], [0, 1]).terms
    array(['bad', 'day', 'good'], dtype=object)

    """
    documents = texts if isinstance(texts, TokenTexts) else validate_texts(as_list(texts))
    analyzer = resolve_analyzer(documents, analyzer)
    labels = validate_labels(labels, len(documents))
    if hasattr(analyzer, "fit_transform"):
        return count_by_vectorizer(documents, labels, analyzer, sample_weight)
    analyzer = validate_analyzer(analyzer)
    weights = as_weights(sample_weight, labels.size)
    n_threads = resolve_n_jobs(n_jobs)
    has_kernel = isinstance(analyzer, Analyzer) and analyzer.has_kernel
    if has_kernel and not is_faster_in_python(sum(map(len, documents)), text=True):
        return count_by_scanner(documents, labels, analyzer, weights, n_threads)
    return count_by_python(documents, labels, analyzer, weights)


def count_by_python(documents: list[str], labels: Labels, analyzer: Any, weights: Array) -> Counts:
    """Count documents by calling the analyzer on each."""
    rows, terms = document_term_matrix(documents, analyzer)
    return drop_absent_terms(count_rows(rows, labels, as_term_array(terms), weights, analyzer_name(analyzer)))


def validate_analyzer(analyzer: Any) -> Any:
    """Return the analyzer, or the default one for None; raise an error if it cannot count batches."""
    if hasattr(analyzer, "fit_transform"):
        raise InvalidInputError(
            "a vectorizer cannot count files, which are counted in batches; use an Analyzer or a function"
        )
    analyzer = DEFAULT_ANALYZER if analyzer is None else analyzer
    if not callable(analyzer):
        raise InvalidInputError(f"analyzer must be an Analyzer, a function or a vectorizer, got {analyzer!r}")
    return analyzer


def count_by_scanner(
    documents: list[str], labels: Labels, analyzer: Analyzer, weights: Array, n_threads: int
) -> Counts:
    """Count documents by the compiled scanner: threads count batches, which are added up."""
    edges = batch_edges(list(map(len, documents)))
    n_threads = min(n_threads, max(len(edges) - 1, 1))
    scanners = ScannerPool(analyzer, n_threads)
    pending: list[list[tuple[Bags, Labels]]] = [[] for _ in scanners.all]

    def scan_batch(edge: tuple[int, int]) -> tuple[int, BatchSums | None]:
        first, last = edge
        with scanners.acquire() as (number, scanner):
            batch = scanner.scan_texts(documents[first:last]), labels.slice_documents(first, last)
            if weights.size:
                # summed batch by batch, so that rounding does not depend on the threads
                return number, sum_batches([batch], scanner.lexicon, weights[first:last])
            pending[number].append(batch)
            # integer sums are equal in any order, so a thread adds up many of its batches at once
            n_entries = sum(len(bags.codes) for bags, _ in pending[number])
            return sum_pending(number) if n_entries >= MAX_PENDING_ENTRIES else (number, None)

    def sum_pending(number: int) -> tuple[int, BatchSums]:
        batches, pending[number] = pending[number], []
        return number, sum_batches(batches, scanners.all[number].lexicon, np.zeros(0))

    results = list(map_in_order(scan_batch, pairwise(edges), n_threads))
    results += map_in_order(sum_pending, [i for i, batches in enumerate(pending) if batches], n_threads)
    scanner, numbers = scanners.merge()
    accumulator = Accumulator(analyzer.token_range[0], scanner.lexicon)
    del scanner
    for number, sums in consume(results):
        if sums is not None:
            accumulator.add_mapped(sums, *numbers[number])
    return accumulator.to_counts(analyzer_name(analyzer), labels.classes)


def sum_batches(batches: Sequence[tuple[Bags, Labels]], lexicon: Lexicon, weights: Array) -> BatchSums:
    """Sum the bags of batches with the same classes; weights are those of a single batch, or empty."""
    n_tokens = len(lexicon.tokens)
    all_labels = [labels for _, labels in batches]
    classes = all_labels[0].classes
    summer = ClassSummer([bags_to_csr(bags, lexicon) for bags, _ in batches], weights)

    def sum_by_code(documents: list[Array]) -> Sums:
        columns, df, tf, tf2 = summer.sum_documents(documents)
        return narrow_sums((np.where(columns < n_tokens, columns, n_tokens - 1 - columns), df, tf, tf2))

    members = {name: [labels.class_documents(c) for labels in all_labels] for c, name in enumerate(classes)}
    by_class = {name: sum_by_code(lists) for name, lists in members.items() if any(map(len, lists))}
    class_sizes = np.sum([labels.class_sizes(weights) for labels in all_labels], axis=0).tolist()
    n_documents = float(weights.sum()) if weights.size else sum(labels.size for labels in all_labels)
    is_single = all(labels.is_single_label for labels in all_labels)
    total = None if is_single else sum_by_code([np.arange(labels.size) for labels in all_labels])
    return BatchSums(lexicon, by_class, total, dict(zip(classes, class_sizes, strict=True)), n_documents)


def bags_to_csr(bags: Bags, lexicon: Lexicon) -> csr_array[Any]:
    """Return bags as a matrix whose columns are the tokens, then the n-grams."""
    n_tokens, n_ngrams = len(lexicon.tokens), int(lexicon.size[0])
    columns = np.where(bags.codes >= 0, bags.codes, n_tokens - 1 - bags.codes) if n_ngrams else bags.codes
    shape = (len(bags.indptr) - 1, n_tokens + n_ngrams)
    return csr_array((bags.counts, columns, bags.indptr), shape=shape)


def bags_by_python(documents: list[str], analyzer: Any) -> tuple[Bags, Lexicon]:
    """Return the bags of documents by an analyzer without a kernel, and their lexicon."""
    rows, terms = document_term_matrix(documents, analyzer)
    lexicon = Lexicon()
    lexicon.tokens.add(pack_terms([term.encode() for term in terms]))
    return Bags(rows.indptr, rows.indices, rows.data), lexicon


class TokenTexts(list[str]):
    """Documents that were lists of tokens, each a text of the tokens joined by TOKEN_SEPARATOR."""


def validate_texts(documents: list[Any]) -> list[str]:
    """Return the documents; raise an error unless each is a str, or each is a list of tokens."""
    if set(map(type, documents)) <= {str}:
        return documents
    if documents and is_token_list(documents[0]):
        return join_tokens(documents)
    for i, document in enumerate(documents):
        if is_token_list(document):
            raise InvalidInputError(
                f"document {i} is a list of tokens, but document 0 is a text; give only texts or only lists"
            )
        if not isinstance(document, str):
            problem = "is missing" if is_missing(document) else f"is {type(document).__name__}, not str"
            raise InvalidInputError(f"document {i} {problem}; every document must be a text")
    return documents


def is_token_list(document: Any) -> bool:
    """Return whether a document is a list, tuple or array, as of tokens."""
    return isinstance(document, list | tuple | np.ndarray)


def join_tokens(documents: list[Any]) -> TokenTexts:
    """Return lists of tokens as texts; raise an error unless all are lists of str."""
    texts = TokenTexts()
    for i, document in enumerate(documents):
        if isinstance(document, str):
            raise InvalidInputError(
                f"document {i} is a text, but document 0 is a list of tokens; give only texts or only lists"
            )
        if not is_token_list(document):
            problem = "is missing" if is_missing(document) else f"is {type(document).__name__}"
            raise InvalidInputError(f"document {i} {problem}; every document must be a list of tokens")
        tokens = document.tolist() if isinstance(document, np.ndarray) else document
        try:
            texts.append(TOKEN_SEPARATOR.join(tokens))
        except TypeError as error:
            token = next(token for token in tokens if not isinstance(token, str))
            raise InvalidInputError(
                f"document {i} has the token {token!r}, which is {type(token).__name__}; tokens must be str"
            ) from error
    return texts


def resolve_analyzer(documents: Any, analyzer: Any) -> Any:
    """Return the analyzer for validated texts: for lists of tokens, one that takes the tokens as they are."""
    if isinstance(documents, TokenTexts):
        return token_analyzer(analyzer)
    check_takes_texts(analyzer)
    return analyzer


def check_takes_texts(analyzer: Any) -> None:
    """Check that texts are not counted by the analyzer of lists of tokens, which would leave them whole."""
    if has_token_pattern(analyzer):
        raise InvalidInputError("the analyzer is for lists of tokens, but the documents are texts; omit it")


def document_term_matrix(
    documents: list[str], analyzer: Callable[[str], Any]
) -> tuple[csr_array[Any], list[str]]:
    """Return the matrix of counts and its terms in code-point order; a lone surrogate counts as "?"."""
    column_index: dict[Any, int] = {}
    indptr, indices, values = array("q", [0]), array("q"), array("q")
    for document in documents:
        terms = analyzer(document)
        if not isinstance(terms, Iterable):
            raise InvalidInputError(f"the analyzer returned {terms!r} for a document, not a list of terms")
        terms = terms if isinstance(terms, list | tuple) else list(terms)
        try:
            occurrences = Counter(terms)
            indices.extend([column_index.setdefault(term, len(column_index)) for term in occurrences])
        except TypeError as error:
            # an unhashable term
            term = next(term for term in terms if not isinstance(term, str))
            kind = type(term).__name__
            message = f"the analyzer returned {term!r}, which is {kind}; terms must be str"
            raise InvalidInputError(message) from error
        values.extend(occurrences.values())
        indptr.append(len(indices))
    for term in column_index:
        if not isinstance(term, str):
            kind = type(term).__name__
            raise InvalidInputError(f"the analyzer returned {term!r}, which is {kind}; terms must be str")
    names = [replace_surrogates(term) for term in column_index]
    sorted_terms = sorted(set(names))
    rank = {term: i for i, term in enumerate(sorted_terms)}
    ranks = np.array([rank[name] for name in names], dtype=np.int64)
    columns = ranks[np.frombuffer(indices, dtype=np.int64)] if indices else np.zeros(0, np.int64)
    data = np.frombuffer(values, dtype=np.int64) if values else np.zeros(0, np.int64)
    shape = (len(documents), len(sorted_terms))
    rows = csr_array((data, columns, np.frombuffer(indptr, dtype=np.int64)), shape=shape)
    if len(sorted_terms) < len(names):
        rows = rows.copy()
        rows.sum_duplicates()
    return rows, sorted_terms


def analyzer_name(analyzer: Any) -> str | None:
    """Return a name that identifies the analyzer across runs, or None if it has none."""
    if isinstance(analyzer, Analyzer):
        return repr(analyzer)
    name = getattr(analyzer, "__qualname__", None)
    if name is not None and "<" not in name:
        return f"{getattr(analyzer, '__module__', None) or 'builtins'}.{name}"
    # a representation with a memory address differs from run to run
    return None if " at 0x" in repr(analyzer) else repr(analyzer)


def vectorizer_name(vectorizer: Any) -> str | None:
    """Return the representation of a vectorizer with a digest of all its parameters, or None."""
    settings = repr(sorted(vectorizer.get_params(deep=False).items()))
    if " at 0x" in settings:
        return None
    return f"{' '.join(repr(vectorizer).split())} {hashlib.sha256(settings.encode()).hexdigest()[:12]}"


def count_by_vectorizer(documents: list[str], labels: Any, vectorizer: Any, sample_weight: Any) -> Counts:
    """Count the terms that a scikit-learn vectorizer extracts."""
    if not hasattr(vectorizer, "get_feature_names_out"):
        message = f"{type(vectorizer).__name__} does not store the names of its terms; use CountVectorizer"
        raise InvalidInputError(message)
    fitted = copy.deepcopy(vectorizer)
    if "use_idf" in fitted.get_params(deep=False):
        # counts are needed, not tf-idf weights
        fitted.set_params(use_idf=False, norm=None, sublinear_tf=False)
    X = fitted.fit_transform(documents)
    terms, name = fitted.get_feature_names_out(), vectorizer_name(vectorizer)
    return count_matrix(X, labels, terms=terms, sample_weight=sample_weight, analyzer=name)


TEXT_SEPARATOR = "\n"  # between the texts of several columns
# module and name of the classes of frames that are not in memory yet
LAZY_FRAME = ("polars.lazyframe.frame", "LazyFrame")
DATASET = ("datasets.arrow_dataset", "Dataset")
DATASET_DICTS = (("datasets.dataset_dict", "DatasetDict"), ("datasets.dataset_dict", "IterableDatasetDict"))
ITERABLE_DATASET = ("datasets.iterable_dataset", "IterableDataset")


def is_instance_by_name(data: Any, *classes: tuple[str, str]) -> bool:
    """Check whether the data is an instance of one of the classes, without importing their modules."""
    return any((base.__module__, base.__name__) in classes for base in type(data).__mro__)


def is_lazy_frame(data: Any) -> bool:
    """Check whether the data is a frame outside memory; its columns are text and label by default."""
    return is_instance_by_name(data, LAZY_FRAME, DATASET, ITERABLE_DATASET, *DATASET_DICTS)


def load_columns(data: Any, names: Sequence[Any]) -> dict[Any, list[Any]]:
    """Return columns of a frame as lists, with class labels of Hugging Face datasets by name."""
    if is_instance_by_name(data, ITERABLE_DATASET):
        message = "an IterableDataset cannot be counted; load the dataset without streaming=True"
        raise InvalidInputError(message)
    if is_instance_by_name(data, *DATASET_DICTS):
        raise InvalidInputError(
            f"the dataset has the splits {', '.join(map(repr, data))}; choose one, such as data['train']"
        )
    frame = None if is_lazy_frame(data) else to_narwhals(data)
    if frame is not None:
        columns = frame.columns
    elif is_instance_by_name(data, DATASET):
        columns = list(data.column_names)
    else:
        columns = list(data.collect_schema().names())
    for name in names:
        if name not in columns:
            raise unknown_name_error("column", name, columns)
    if is_instance_by_name(data, LAZY_FRAME):
        frame = to_narwhals(data.select(list(names)).collect())
    if frame is not None:
        return {name: as_list(frame[name]) for name in names}
    table = data.select_columns(list(names)).with_format("arrow")[:]
    return {name: decode_class_labels(table.column(name).to_pylist(), data.features[name]) for name in names}


def decode_class_labels(values: list[Any], feature: Any) -> list[Any]:
    """Replace class numbers of a Hugging Face feature, or lists of them, by names; -1 means missing."""
    feature = feature[0] if isinstance(feature, list) else getattr(feature, "feature", feature)
    names = getattr(feature, "names", None)
    if names is None:
        return values

    def decode(value: Any) -> Any:
        if isinstance(value, list):
            return [decode(item) for item in value]
        return None if value is None or value < 0 else names[value]

    return [decode(value) for value in values]


def load_frame_documents(
    frame: Any, text: Any, label: Any, group: Any, labels: Any, groups: Any
) -> tuple[list[Any], Any, Any]:
    """Return the texts, labels and groups of a data frame; texts of several columns are joined."""
    if is_lazy_frame(frame):
        text, label = "text" if text is None else text, "label" if (label, labels) == (None, None) else label
    if text is None:
        raise InvalidInputError("text= is missing: name the text column")
    text_columns = text if isinstance(text, list | tuple) else [text]
    roles = {f"text {i}" if i > 1 else "text": name for i, name in enumerate(text_columns, 1)}
    roles |= {role: name for role, name in (("label", label), ("group", group)) if name is not None}
    check_distinct_columns(roles)
    if label is not None and labels is not None:
        raise InvalidInputError("labels are given twice; pass either labels or the column name label=")
    if group is not None and groups is not None:
        raise InvalidInputError("groups are given twice; pass either groups= or the column name group=")
    columns = load_columns(frame, list(roles.values()))
    texts = [columns[name] for name in text_columns]
    for name, column in zip(text_columns, texts, strict=True):
        if len(texts) > 1 and any(map(is_token_list, column)):
            message = f"column {name!r} has lists of tokens, which cannot be joined; name it alone"
            raise InvalidInputError(message)
    joined = texts[0] if len(texts) == 1 else [join_texts(row) for row in zip(*texts, strict=True)]
    for role, values in (("text", joined), ("label", columns.get(label, []))):
        row = next((i for i, value in enumerate(values, 1) if is_missing(value)), None)
        if row is not None:
            raise InvalidInputError(
                f"row {row} of the data frame has no {role}; fix it, or skip such rows: on_missing='skip'"
            )
    return joined, labels if label is None else columns[label], groups if group is None else columns[group]


def check_distinct_columns(roles: Mapping[str, Any]) -> None:
    """Check that no column has two roles."""
    for role, other_role in combinations(roles, 2):
        if roles[role] == roles[other_role]:
            message = f"{role} and {other_role} are both column {roles[role]!r}; name two columns"
            raise InvalidInputError(message)


def drop_incomplete_rows(frame: Any, text: Any, label: Any, group: Any) -> tuple[Any, int]:
    """Return a data frame without the rows that lack the text, label or group, and their number."""
    texts = list(text) if isinstance(text, list | tuple) else [text]
    columns = load_columns(frame, [*texts, *(name for name in (label, group) if name is not None)])
    values = [[join_texts(row) for row in zip(*(columns[name] for name in texts), strict=True)]]
    values += [columns[name] for name in (label, group) if name is not None]
    rows = [i for i, row in enumerate(zip(*values, strict=True)) if not any(map(is_missing, row))]
    n_dropped = len(values[0]) - len(rows)
    if not n_dropped:
        return frame, 0
    if is_instance_by_name(frame, DATASET):
        return frame.select(rows), n_dropped
    frame = to_narwhals(frame.collect() if is_instance_by_name(frame, LAZY_FRAME) else frame)
    return frame[rows].to_native(), n_dropped


def split_labels(name: Any, label_separator: str) -> Any:
    """Split a field into its labels."""
    if not isinstance(name, str):
        return name
    return [label for label in map(str.strip, name.split(label_separator)) if label]


def join_texts(texts: Sequence[Any]) -> Any:
    """Join the texts that are not missing; return a value that is not a text for validation to report."""
    present = [text for text in texts if not is_missing(text)]
    for text in present:
        if not isinstance(text, str):
            return text
    return TEXT_SEPARATOR.join(present) if present else None
