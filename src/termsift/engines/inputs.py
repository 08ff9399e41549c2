"""Labelled documents in every form that `ts.count`, `ts.score`, `ts.compare` and `ts.report` accept."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any, NamedTuple, overload

import numpy as np
from scipy.sparse import coo_array, csr_array, vstack

from termsift._internal.errors import (
    InvalidInputError,
    TermsiftWarning,
    UnknownNameError,
    check_flags,
    check_name,
    unknown_name_error,
)
from termsift._internal.matrices import is_sparse
from termsift._internal.typing import Array
from termsift.counts import (
    Counts,
    GroupedCounts,
    Labels,
    as_labels,
    as_list,
    is_frame,
    pair_labels_with_groups,
    resolve_df_limit,
    to_narwhals,
    validate_labels,
)
from termsift.engines import frames, texts
from termsift.engines.documents import (
    MIN_NEAR_DUPLICATE_TERMS,
    SampleFacts,
    SampleLimit,
    find_duplicate_indices,
)
from termsift.engines.matrices import count_matrix, parse_matrix

# bounds the memory of counts with one class per text
TEXTS_PER_BATCH = 500


@dataclass(frozen=True, slots=True, eq=False)
class LabelledInput:
    """Documents in memory, as texts or as a matrix, with their labels.

    texts : one str per document; None for a matrix
    matrix : (documents, terms), CSR, each term at most once per row; None for texts
    terms : (terms,) str, the names of the matrix columns; None for texts
    missing : number of incomplete rows of a file that were dropped
    metadata : values of other columns, one per document, by role, such as "time"
    sample : facts about the stream, if the documents are a sample of it
    """

    labels: Labels
    texts: list[str] | None = None
    matrix: Any = None
    terms: Array | None = None
    missing: int = 0
    metadata: Mapping[str, list[Any]] = field(default_factory=dict)
    sample: SampleFacts | None = None

    @property
    def data(self) -> Any:
        """Texts or matrix."""
        return self.matrix if self.texts is None else self.texts


def load_documents(
    data: Any,
    labels: Any = None,
    metadata: Mapping[str, Any] | None = None,
    sample_limit: SampleLimit | None = None,
    *,
    terms: Iterable[str] | None = None,
    text: Any = None,
    label: Any = None,
    header: bool = True,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    encoding_errors: str = "strict",
    format: str | None = None,
    label_separator: str | None = None,
    on_missing: str = "error",
    on_bad_file: str = "error",
    **unknown: Any,
) -> LabelledInput:
    """Load the documents and labels of any input of `ts.count` except Spark into memory.

    metadata : other columns to read of a file or a data frame, by role
    bound : limit for documents of files; if there are more, a sample is drawn

    >>> load_documents(["free prize", "lunch"], ["spam", "ham"]).labels.classes
    ('ham', 'spam')
    """
    validate_read_options(load_documents, unknown)
    if isinstance(data, LabelledInput):
        return data
    metadata = {role: name for role, name in (metadata or {}).items() if name is not None}
    options = {"terms": terms, "text": text, "label": label, "header": header, "delimiter": delimiter}
    options |= {"encoding": encoding, "encoding_errors": encoding_errors, "format": format}
    options |= {"label_separator": label_separator, "on_missing": on_missing, "on_bad_file": on_bad_file}
    data, labels, options, n_missing = resolve_frame_columns(data, labels, options)
    source = data
    kind, data, labels, used = recognize_input(data, labels, options)
    if kind == "spark":
        message = "a Spark DataFrame cannot be loaded into memory; count it first with ts.count"
        raise InvalidInputError(message)
    for role, name in metadata.items():
        if kind not in ("files", "frame"):
            message = f"{role}= is a column of a data frame or a file, but the documents are {KINDS[kind]}"
            raise InvalidInputError(message)
        if not isinstance(name, Hashable):
            raise InvalidInputError(f"{role} must be the name of a column, got {name!r}")
    if kind == "files":
        from termsift.engines.files.counting import load_file_documents

        return load_file_documents(data, sample_limit, metadata=metadata, **used)
    if kind == "matrix":
        rows, names = parse_matrix(data, used.get("terms"))
        return LabelledInput(validate_labels(labels, rows.shape[0]), None, rows, names)
    documents = texts.validate_texts(as_list(data))
    columns = frames.load_columns(source, list(metadata.values())) if metadata else {}
    values = {role: columns[name] for role, name in metadata.items()}
    labels = validate_labels(labels, len(documents))
    return LabelledInput(labels, documents, missing=n_missing, metadata=values)


READ_OPTIONS = tuple(load_documents.__kwdefaults__ or ())
KINDS = {"texts": "texts", "matrix": "a matrix", "frame": "a data frame", "files": "files"}
KINDS |= {"spark": "a Spark DataFrame"}
TEXT_KINDS = ("texts", "frame", "files")
# the kinds of data that each option of `ts.count` applies to
OPTIONS = {
    **dict.fromkeys(("sample_weight", "min_df", "max_df"), tuple(KINDS)),
    **dict.fromkeys(("text", "label", "group"), ("frame", "files", "spark")),
    "groups": ("texts", "matrix", "frame"),
    "terms": ("matrix",),
    "analyzer": (*TEXT_KINDS, "spark"),
    "n_jobs": TEXT_KINDS,
    **dict.fromkeys(("header", "delimiter", "encoding", "encoding_errors", "format", "progress"), ("files",)),
    **dict.fromkeys(("label_separator", "on_missing"), ("frame", "files", "spark")),
    "memory": ("files", "spark"),
    "on_bad_file": ("files",),
}
# messages for options that do not apply to the kind of data
MISPLACED_OPTIONS = {
    **dict.fromkeys(("text", "label"), "text= and label= are columns of a data frame or a file"),
    "group": "group= is a column of a data frame or a file; for texts and matrices, pass a list as groups=",
    "groups": "groups= is for texts and matrices; for files and Spark, name the group column with group=",
    "terms": "terms= names the columns of a matrix; the analyzer determines the terms of texts",
    "analyzer": "analyzer= is for texts, but the data is a matrix of counts",
    "n_jobs": "n_jobs= is for texts; counting a matrix takes one thread, and Spark has its own settings",
}
DEFAULTS = {"header": True, "encoding": "utf-8", "encoding_errors": "strict", "on_missing": "error"}
DEFAULTS["on_bad_file"] = "error"


def recognize_input(
    data: Any, labels: Any, options: Mapping[str, Any]
) -> tuple[str, Any, Any, dict[str, Any]]:
    """Return the kind of the input, the data, its labels, and the options that apply to it.

    A data frame and a corpus contain their texts and labels.
    """
    if isinstance(data, Counts):
        raise InvalidInputError("Counts cannot be used here; pass the documents from which they were counted")
    if is_corpus(data):
        if labels is not None or options["terms"] is not None:
            raise InvalidInputError("a Corpus contains its labels and terms; do not pass them")
        options = {**options, "terms": None if data.matrix is None else data.terms}
        data, labels = data.texts if data.matrix is None else data.matrix, data.labels
    has_names = options["text"] is not None or options["label"] is not None
    if not has_names and labels is None and is_frame(data):
        raise InvalidInputError(
            "a data frame of texts needs the columns text and label, or their names as text= and label=; "
            "a data frame of counts needs labels"
        )
    is_array = isinstance(data, np.ndarray) and (data.ndim != 1 or data.dtype.kind in "iubf")
    if is_spark(data):
        kind = "spark"
    elif is_path_input(data, labels, has_names):
        kind = "files"
    elif isinstance(data, list):
        kind = "texts"
    elif frames.is_unloaded_frame(data) or (is_frame(data) and has_names):
        kind = "frame"
    else:
        kind = "matrix" if is_array or is_sparse(data) or is_frame(data) else "texts"
    check_options(kind, labels, options)
    used = {name: value for name, value in options.items() if not is_default(name, value)}
    if kind == "frame":
        text, label, group = (used.pop(name, None) for name in ("text", "label", "group"))
        used_groups = used.pop("groups", None)
        data, labels, groups = frames.load_frame_documents(data, text, label, group, labels, used_groups)
        used |= {} if groups is None else {"groups": groups}
        if (separator := used.pop("label_separator", None)) is not None:
            labels = [frames.split_labels(name, separator) for name in as_list(labels)]
    return kind, data, labels, used


class ResolvedFrame(NamedTuple):
    """Data frame without incomplete rows, and the options that name its columns."""

    data: Any
    labels: Any
    options: dict[str, Any]
    n_dropped_rows: int


def resolve_frame_columns(data: Any, labels: Any, options: Mapping[str, Any]) -> ResolvedFrame:
    """Find the columns text and label of a data frame, and drop its incomplete rows if they are skipped.

    Other data stay as they are.
    """
    options = dict(options)
    is_lazy = not isinstance(data, str | list) and frames.is_unloaded_frame(data)
    if not (is_lazy or is_frame(data)):
        return ResolvedFrame(data, labels, options, 0)
    columns = [] if is_lazy else to_narwhals(data).columns
    is_unnamed = options["text"] is None and options["label"] is None and labels is None
    if is_unnamed and "text" in columns and "label" in columns:
        options |= {"text": "text", "label": "label"}
    if not is_lazy and options["text"] is None and options["label"] is None:
        return ResolvedFrame(data, labels, options, 0)
    check_name("policy for missing values", options.get("on_missing", "error"), ("error", "skip"))
    if options.pop("on_missing", "error") == "error":
        return ResolvedFrame(data, labels, options, 0)
    text = "text" if options["text"] is None else options["text"]
    label = "label" if is_lazy and options["label"] is None and labels is None else options["label"]
    if labels is not None:
        raise InvalidInputError("on_missing='skip' needs the labels in a column; name it with label=")
    options |= {"text": text, "label": label}
    data, n_missing = frames.drop_incomplete_rows(data, text, label, options.get("group"))
    warn_missing_rows(n_missing, n_missing + len(data))
    return ResolvedFrame(data, labels, options, n_missing)


def check_options(kind: str, labels: Any, options: Mapping[str, Any]) -> None:
    """Check that every option exists and applies to this kind of input."""
    if labels is not None and kind in ("files", "spark"):
        container = "a file" if kind == "files" else "a Spark DataFrame"
        raise InvalidInputError(f"{container} contains its labels; name its columns with text= and label=")
    for name in ("text", "label", "group"):
        value = options.get(name)
        columns = value if name == "text" and isinstance(value, list) else [value]
        if not all(isinstance(column, Hashable) for column in columns):
            raise InvalidInputError(f"{name} must be the name of a column, got {value!r}")
    for name, value in options.items():
        if name not in OPTIONS:
            applicable = [option for option, kinds in OPTIONS.items() if kind in kinds]
            raise unknown_name_error("option", name, applicable)
        if kind in OPTIONS[name] or is_default(name, value):
            continue
        if name in MISPLACED_OPTIONS:
            raise InvalidInputError(MISPLACED_OPTIONS[name])
        *kinds_before, last = (KINDS[option_kind] for option_kind in OPTIONS[name])
        kinds = f"{', '.join(kinds_before)} and {last}" if kinds_before else last
        raise UnknownNameError(f"option {name!r} does not apply to {KINDS[kind]}, only to {kinds}")


def validate_read_options(caller: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the read options of a function; raise an error with the closest name for others."""
    unknown = [name for name in options if name not in READ_OPTIONS]
    if unknown:
        parameters = signature(caller).parameters.values()
        keywords = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
        raise unknown_name_error("option", unknown[0], dict.fromkeys([*keywords, *READ_OPTIONS]))
    return dict(options)


def is_default(name: str, value: Any) -> bool:
    """Check whether an option has its default value."""
    # other values may be arrays, whose comparison has no truth value
    return value is None or (isinstance(value, str | bool) and value == DEFAULTS.get(name))


def is_corpus(data: Any) -> bool:
    """Check whether the data is a Corpus, without importing corpora."""
    # engines and corpora are on one layer, so neither may import the other
    kind = type(data)
    return (kind.__module__, kind.__name__) == ("termsift.corpora.corpus", "Corpus")


def is_spark(data: Any) -> bool:
    """Check whether the data is a Spark DataFrame, classic or Connect, without importing PySpark."""
    kind = type(data)
    return kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.sql.")


def is_path_input(data: Any, labels: Any, has_column_names: bool = False) -> bool:
    """Check whether the data is a path, a pattern, or a list of these rather than of texts.

    A list of URLs is a list of texts unless columns are named, so that no untrusted text is fetched.
    """
    if isinstance(data, str | os.PathLike):
        return True
    if not isinstance(data, list | tuple) or not data:
        return False
    # each type is checked once, because there may be many documents
    if any(issubclass(kind, os.PathLike) for kind in set(map(type, data))):
        return True
    # texts have labels; strings without labels may be names of files
    if labels is not None or not isinstance(data[0], str):
        return False
    from termsift.engines.files.opening import format_extension, is_url
    from termsift.engines.files.sources import FORMAT_BY_EXTENSION

    extensions = {*FORMAT_BY_EXTENSION, ".zip"}
    for item in data:
        if not isinstance(item, str) or (is_url(item) and not has_column_names):
            return False
        if not (is_url(item) or format_extension(item) in extensions or os.path.exists(item)):
            return False
    return True


@overload
def count(
    data: Any, labels: Any = None, *, group: None = None, groups: None = None, **options: Any
) -> Counts: ...
@overload
def count(data: Any, labels: Any = None, *, group: str, **options: Any) -> GroupedCounts: ...
@overload
def count(data: Any, labels: Any = None, *, groups: Any, **options: Any) -> GroupedCounts: ...
def count(
    data: Any,
    labels: Any = None,
    *,
    terms: Iterable[str] | None = None,
    text: Any = None,
    label: Any = None,
    group: Any = None,
    groups: Any = None,
    analyzer: Any = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    min_df: float = 1,
    max_df: float = 1.0,
    drop_duplicates: bool = False,
    **options: Any,
) -> Counts | GroupedCounts:
    """Count the terms of a corpus by class, or by class and group.

    Parameters
    ----------
    data : list of str, array, Series, matrix, data frame, path, URL or Corpus
        Texts, or lists of tokens, which are taken as they are; a document-term matrix (sparse in any format,
        dense, or a data frame of numbers); a data frame,
        polars LazyFrame, Hugging Face Dataset or Spark DataFrame with `text` and `label` columns; the path of
        a file with such columns (CSV, TSV, JSON, JSONL, Parquet, Arrow, XLSX, or a zip of these); a folder, a
        glob pattern, a URL, or a list of these; or a Corpus.
    labels : list or array, optional
        One label per document, a list of labels per document, or an indicator matrix.
    terms : iterable of str, optional
        Names of the matrix columns.
    text : str, int or list, default "text"
        Text column of the data frame or file. Texts of several columns are joined with line breaks.
    label : str or int, default "label"
        Label column of the data frame or file.
    group : str or int, optional
        Group column of the data frame or file. With groups, the result is a GroupedCounts.
    groups : list or array, optional
        For texts and matrices, one group per document: its author, source, day, ...
    analyzer : Analyzer, callable or vectorizer, optional
        How a text becomes terms: a termsift.Analyzer, a function, or a scikit-learn vectorizer. Of an
        Analyzer, only n-grams, stop words, stemmer and min_length apply to lists of tokens.
    sample_weight : list, array or str, optional
        Weight of each document; for a Spark DataFrame, the name of the weight column. Weighted counts are
        float64 sums: they agree to a relative 1e-12 between engines, batches and orders of the documents.
        Counts without weights are integers and always identical.
    n_jobs : int, optional
        Number of threads for texts (default: all cores). The result does not depend on it.
    min_df : int or float, default 1
        Leave out terms in fewer documents than this: a number of documents, or a float from 0.0 to 1.0 for a
        share of all documents, as in scikit-learn. On Spark, terms that are left out stay on the cluster.
    max_df : int or float, default 1.0
        Leave out terms in more documents than this, in the same units.
    drop_duplicates : bool, default False
        Leave out documents that duplicate an earlier one, exactly or nearly (80 % of the terms in common).
        The documents must fit into memory; not for Spark.
    **options
        For files: header=False if there is no header, with columns numbered from 1; delimiter, detected
        by default; encoding of text files ("utf-8"), or "auto" to detect it for files that are not UTF-8;
        encoding_errors, "strict" or "replace"; format, if file names do not show it: "csv", "tsv", "jsonl",
        "json", "parquet", "arrow", "xlsx", or "text" for folders in which each file is a document;
        memory, the bytes that sums may take before they spill to disk (1 GiB);
        on_missing, "error" or "skip"; label_separator, between several labels in one field (both also for
        data frames); on_bad_file, "error" or "skip", for files of folders that are not text;
        progress, a function called with the documents and bytes done.
        For Spark: memory, for the sums of a partition (128 MiB); on_missing and label_separator.

    Returns
    -------
    Counts or GroupedCounts

    Raises
    ------
    InvalidInputError
        If the data, the labels or an option cannot be used.
    UnknownNameError
        If a column or an option does not exist.
    UnreadableFileError
        If a file is missing, damaged or not in the expected format.
    EngineError
        If Spark or an optional package is missing or fails.

    Examples
    --------
    >>> count(["free prize", "free lunch"], ["spam", "ham"])
    Counts(3 terms, 2 classes, 2 documents)

    """
    columns, limits = {"text": text, "label": label, "group": group}, {"min_df": min_df, "max_df": max_df}
    check_flags(drop_duplicates=drop_duplicates)
    if drop_duplicates:
        if groups is not None or sample_weight is not None:
            name = "sample_weight" if groups is None else "groups"
            raise InvalidInputError(f"drop_duplicates cannot be combined with {name}; name a group column")
        options = {"terms": terms, **columns, **options}
        distinct: Counts | GroupedCounts = count_deduplicated(data, labels, options, analyzer, n_jobs, limits)
        return distinct
    options = {"terms": terms, **columns, "groups": groups, "analyzer": analyzer, "n_jobs": n_jobs, **options}
    data, labels, options, _ = resolve_frame_columns(data, labels, options)
    kind, data, labels, used = recognize_input(data, labels, options)
    used["sample_weight"] = sample_weight
    for name, limit in limits.items():
        resolve_df_limit(name, limit, 0)
    paired_groups = used.pop("groups", None)
    if paired_groups is not None:
        # every engine counts pairs of class and group as if they were classes
        class_labels = validate_labels(None, 0) if labels is None else as_labels(labels)
        labels = pair_labels_with_groups(class_labels, paired_groups)
    if kind == "spark":
        from termsift.engines.spark.counting import count_spark

        counts = count_spark(data, **limits, **used)
    elif kind == "files":
        from termsift.engines.files.counting import count_files

        counts = count_files(data, **used).with_df(**limits)
    elif kind == "matrix":
        counts = count_matrix(data, labels, **used).with_df(**limits)
    else:
        counts = texts.count_texts(data, labels, **used).with_df(**limits)
    return counts if group is None and groups is None else GroupedCounts(counts, group)


def count_deduplicated(data: Any, labels: Any, options: Any, analyzer: Any, n_jobs: Any, limits: Any) -> Any:
    """Count documents without those that duplicate an earlier one."""
    # memory and progress are options of counting in batches
    read_options = {name: value for name, value in options.items() if name in READ_OPTIONS}
    group = options["group"]
    documents = load_documents(data, labels, None if group is None else {"group": group}, **read_options)
    documents = drop_duplicate_documents(documents, analyzer, n_jobs)
    groups = documents.metadata.get("group")
    limits |= {"analyzer": analyzer, "n_jobs": None if documents.texts is None else n_jobs}
    counts: Any = count(documents.data, documents.labels, terms=documents.terms, groups=groups, **limits)
    return GroupedCounts(counts.pairs, group) if groups is not None else counts


ON_MISSING = ("error", "skip")


def check_count_options(memory: int, on_missing: str, label_separator: str | None) -> None:
    """Check the memory limit, the policy for missing values, and the label separator."""
    if not (isinstance(on_missing, str) and on_missing in ON_MISSING):
        raise unknown_name_error("policy for missing values", on_missing, ON_MISSING)
    if not (isinstance(memory, int | float) and memory >= 1):
        raise InvalidInputError(f"memory must be a number of bytes, at least 1, got {memory!r}")
    if not (label_separator is None or (isinstance(label_separator, str) and label_separator)):
        message = f"label_separator must be a string between labels, such as '|', got {label_separator!r}"
        raise InvalidInputError(message)


def warn_missing_rows(n_missing: int, n_rows: int) -> None:
    """Warn of dropped rows."""
    if n_missing:
        message = f"{n_missing:,} of {n_rows:,} rows without a text or a label were skipped"
        warnings.warn(message, TermsiftWarning, stacklevel=4)


def build_term_matrix(
    documents: LabelledInput, terms: Array, count_options: dict[str, Any]
) -> csr_array[Any]:
    """Return the occurrences (documents, terms) of these terms."""
    if documents.texts is None:
        return csr_array(documents.matrix[:, np.flatnonzero(np.isin(np.asarray(documents.terms), terms))])
    index = {term: i for i, term in enumerate(terms.tolist())}
    # a vectorizer has its own df limits, which apply to all texts together
    is_vectorizer = hasattr(count_options.get("analyzer"), "fit_transform")
    step = len(documents.texts) if is_vectorizer else TEXTS_PER_BATCH
    batches = []
    for start in range(0, len(documents.texts), step):
        texts = type(documents.texts)(documents.texts[start : start + step])
        # with one class per text, the table of occurrences by class has the rows
        counts: Counts = count(texts, np.arange(len(texts)), **count_options)
        columns = np.array([index.get(term, -1) for term in counts.terms.tolist()], dtype=np.int64)
        table = counts.tf[np.flatnonzero(columns >= 0)].tocoo()
        entries = (table.data, (table.col, columns[columns >= 0][table.row]))
        batches.append(csr_array(coo_array(entries, shape=(len(texts), len(terms)))))
    return csr_array(vstack(batches, format="csr"))


# documents that contain a term, of which most are duplicates, for a warning
MIN_TERM_DOCUMENTS = 5


def drop_duplicate_documents(
    documents: LabelledInput, analyzer: Any = None, n_jobs: int | None = None
) -> LabelledInput:
    """Return the documents that duplicate no earlier one, exactly or nearly."""
    duplicates = find_duplicate_indices(vectorize_documents(documents, analyzer, n_jobs)[0])
    if not len(duplicates):
        return documents
    kept = np.setdiff1d(np.arange(len(documents.labels)), duplicates)
    texts = documents.texts
    return replace(
        documents,
        labels=documents.labels.take(kept),
        texts=None if texts is None else type(texts)(texts[i] for i in kept.tolist()),
        matrix=None if documents.matrix is None else documents.matrix[kept],
        metadata={role: [values[i] for i in kept] for role, values in documents.metadata.items()},
    )


class TermDuplicates(NamedTuple):
    """Number of documents with a term, and of the duplicates among them."""

    term: str
    n_documents: int
    n_duplicates: int


def find_terms_in_duplicates(
    documents: LabelledInput, terms: Sequence[str], analyzer: Any = None, n_jobs: int | None = None
) -> list[TermDuplicates]:
    """Return the terms of which most documents are duplicates."""
    rows, names = vectorize_documents(documents, analyzer, n_jobs)
    index = {term: i for i, term in enumerate(names.tolist())}
    listed = [term for term in dict.fromkeys(terms) if term in index]
    chosen = rows[:, [index[term] for term in listed]].tocsc()
    # duplicates of documents with a term have it too, or nearly so: others need no comparison;
    # documents of a few terms may be equal without being copies
    is_long = np.diff(rows.indptr) >= MIN_NEAR_DUPLICATE_TERMS
    holding = np.unique(chosen.indices)
    holding = holding[is_long[holding]]
    is_duplicate = np.zeros(rows.shape[0], dtype=bool)
    is_duplicate[holding[find_duplicate_indices(rows[holding])]] = True
    found = []
    for term, start, end in zip(listed, chosen.indptr[:-1], chosen.indptr[1:], strict=True):
        n_duplicates = int(np.count_nonzero(is_duplicate[chosen.indices[start:end]]))
        if end - start >= MIN_TERM_DOCUMENTS and 2 * n_duplicates > end - start:
            found.append(TermDuplicates(term, int(end - start), n_duplicates))
    return found


def vectorize_documents(
    documents: LabelledInput, analyzer: Any, n_jobs: int | None
) -> tuple[csr_array[Any], Array]:
    """Return the occurrences (documents, terms) and the terms."""
    if documents.texts is None:
        return csr_array(documents.matrix), np.asarray(documents.terms)
    options = {"analyzer": texts.resolve_analyzer(documents.texts, analyzer), "n_jobs": n_jobs}
    terms = count(documents.texts, documents.labels, **options).terms
    return build_term_matrix(documents, terms, options), terms
