"""Labelled documents in every form that `ts.count`, `ts.compare` and `ts.report` accept."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import TYPE_CHECKING, Any, overload

from termsift._internal.errors import InvalidInputError, TermsiftWarning, UnknownNameError, unknown_name_error
from termsift._internal.typing import Array
from termsift.counts import (
    Counts,
    GroupedCounts,
    Labels,
    as_labels,
    as_list,
    is_counts_file,
    is_frame,
    pair_labels_with_groups,
    resolve_df_limit,
    validate_labels,
)
from termsift.engines.texts import is_lazy_frame, load_columns, load_frame_documents

if TYPE_CHECKING:
    from termsift.engines.sampling import SampleFacts, SampleLimit


@dataclass(frozen=True, slots=True, eq=False)
class LabelledInput:
    """Documents in memory, as texts or as a matrix, with their labels.

    texts : one str per document; None of a matrix
    matrix : (documents, terms), CSR, each term at most once per row; None of texts
    terms : (terms,) str, the names of the matrix's columns; None of texts
    missing : rows of a file that lacked something and were left out
    metadata : values of other columns, one per document, by what they are for, such as "time"
    sample : what they were drawn from, where there was more than fits
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
    bound: SampleLimit | None = None,
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
    **strange: Any,
) -> LabelledInput:
    """Load the documents and labels of any input of `ts.count` except Spark into memory.

    metadata : other columns to read of a file or a data frame, by what they are for
    bound : what may be taken of files; of more a sample

    >>> load_documents(["free prize", "lunch"], ["spam", "ham"]).labels.classes
    ('ham', 'spam')
    """
    reject_unknown_keywords(load_documents, strange)
    if isinstance(data, LabelledInput):
        return data
    source, metadata = data, {role: name for role, name in (metadata or {}).items() if name is not None}
    given = {"terms": terms, "text": text, "label": label, "header": header, "delimiter": delimiter}
    given |= {"encoding": encoding, "encoding_errors": encoding_errors, "format": format}
    given |= {"label_separator": label_separator, "on_missing": on_missing}
    kind, data, labels, used = recognize_input(data, labels, given)
    if kind == "spark":
        raise InvalidInputError("a Spark DataFrame stays on its cluster; count it with ts.count first")
    check_metadata(kind, metadata)
    if kind == "files":
        return load_file_input(data, bound, metadata=metadata, **used)
    if kind == "matrix":
        from termsift.engines.matrices import parse_matrix

        rows, names = parse_matrix(data, used.get("terms"))
        return LabelledInput(validate_labels(labels, rows.shape[0]), None, rows, names)
    from termsift.engines.texts import validate_texts

    texts = validate_texts(as_list(data))
    columns = load_columns(source, list(metadata.values())) if metadata else {}
    found = {role: columns[name] for role, name in metadata.items()}
    return LabelledInput(validate_labels(labels, len(texts)), texts, metadata=found)


def check_metadata(kind: str, metadata: Mapping[str, Any]) -> None:
    """Check that the input has columns, if metadata columns are requested."""
    for role, name in metadata.items():
        if kind not in ("files", "frame"):
            raise InvalidInputError(
                f"{role}= names a column of a data frame or a file, and this is {KINDS[kind]}"
            )
        if not isinstance(name, Hashable):
            raise InvalidInputError(f"{role} must be the name of a column, got {name!r}")


KINDS = {
    "texts": "texts",
    "matrix": "a matrix",
    "frame": "a data frame",
    "files": "files",
    "spark": "a Spark DataFrame",
}
TEXT_KINDS = ("texts", "frame", "files")
# the kinds of data each option of `ts.count` is for
OPTIONS = {
    **dict.fromkeys(("sample_weight", "min_df", "max_df"), tuple(KINDS)),
    **dict.fromkeys(("text", "label", "group"), ("frame", "files", "spark")),
    "groups": ("texts", "matrix", "frame"),
    "terms": ("matrix",),
    "analyzer": (*TEXT_KINDS, "spark"),
    "n_jobs": TEXT_KINDS,
    **dict.fromkeys(("header", "delimiter", "encoding", "encoding_errors", "format", "progress"), ("files",)),
    **dict.fromkeys(("label_separator", "on_missing", "memory"), ("files", "spark")),
}
# what is said of an option where it has no use
MISPLACED_OPTIONS = {
    **dict.fromkeys(("text", "label"), "text= and label= name the columns of a data frame or a file"),
    "group": "group= names a column of a data frame or a file; of texts and matrices give groups=, one each",
    "groups": "files and frames of Spark bring their own groups; name their column by group=",
    "terms": "terms name the columns of a matrix; of texts they are found",
    "analyzer": "an analyzer is for texts; these are counts already",
    "n_jobs": "n_jobs is for threads that read texts; a matrix needs none, and Spark has its settings",
}
DEFAULTS = {"header": True, "encoding": "utf-8", "encoding_errors": "strict", "on_missing": "error"}


def recognize_input(data: Any, labels: Any, given: Mapping[str, Any]) -> tuple[str, Any, Any, dict[str, Any]]:
    """Return the kind of the input, the data, its labels, and the options that apply to it.

    The texts and labels of a data frame, and of a corpus, are those in it.
    """
    data, labels, terms = unpack_corpus(data, labels, given["terms"])
    given = {**given, "terms": terms}
    kind = detect_input_kind(data, labels, given["text"], given["label"])
    check_options(kind, labels, given)
    used = {name: value for name, value in given.items() if not is_default(name, value)}
    if kind == "frame":
        text, label, group = (used.pop(name, None) for name in ("text", "label", "group"))
        data, labels, groups = load_frame_documents(
            data, text, label, group, labels, used.pop("groups", None)
        )
        used |= {} if groups is None else {"groups": groups}
    return kind, data, labels, used


def detect_input_kind(data: Any, labels: Any, text: Any, label: Any) -> str:
    """Return the kind of the input, one of KINDS."""
    if is_spark(data):
        return "spark"
    is_named = text is not None or label is not None
    if is_path_input(data, labels, is_named):
        return "files"
    if is_lazy_frame(data) or (is_frame(data) and is_named):
        return "frame"
    from termsift.engines.matrices import is_matrix

    return "matrix" if is_matrix(data) else "texts"


def check_options(kind: str, labels: Any, given: Mapping[str, Any]) -> None:
    """Check that every option exists and applies to this kind of input."""
    if labels is not None and kind in ("files", "spark"):
        what = "a file" if kind == "files" else "a Spark DataFrame"
        raise InvalidInputError(
            f"{what} brings its own labels and terms; name its columns by text= and label="
        )
    for name in ("text", "label", "group"):
        value = given.get(name)
        several = value if name == "text" and isinstance(value, list) else [value]
        if not all(isinstance(one, Hashable) for one in several):
            raise InvalidInputError(f"{name} must be the name of a column, got {given[name]!r}")
    for name, value in given.items():
        if name not in OPTIONS:
            raise unknown_name_error(
                "option", name, [known for known, kinds in OPTIONS.items() if kind in kinds]
            )
        if kind in OPTIONS[name] or is_default(name, value):
            continue
        if name in MISPLACED_OPTIONS:
            raise InvalidInputError(MISPLACED_OPTIONS[name])
        others = " and ".join(KINDS[other] for other in OPTIONS[name])
        raise UnknownNameError(f"no option named {name!r} for {KINDS[kind]}: it is for {others}")


def reject_unknown_keywords(
    call: Callable[..., Any], strange: Mapping[str, Any], more: Iterable[str] = ()
) -> None:
    """Raise an error with the closest name for unknown keywords of a function."""
    if strange:
        parameters = signature(call).parameters.values()
        known = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]
        raise unknown_name_error("option", next(iter(strange)), dict.fromkeys([*known, *more]))


def validate_read_options(call: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the read options of a function; raise an error with the closest name for others."""
    known = load_documents.__kwdefaults__ or {}
    reject_unknown_keywords(call, {name: value for name, value in given.items() if name not in known}, known)
    return dict(given)


def is_default(name: str, value: Any) -> bool:
    """Check whether an option has its default value."""
    return value is None or (isinstance(value, str | bool) and value == DEFAULTS.get(name))


def unpack_corpus(data: Any, labels: Any, terms: Any) -> tuple[Any, Any, Any]:
    """Return the texts or the matrix of a Corpus, its labels and terms; other data as it is."""
    if isinstance(data, Counts):
        raise InvalidInputError("these are counts; this needs the documents they were counted from")
    if not is_corpus(data):
        return data, labels, terms
    if labels is not None or terms is not None:
        raise InvalidInputError("a corpus brings its own labels and terms")
    if data.matrix is not None:
        return data.matrix, data.labels, data.terms
    return data.texts, data.labels, None


def is_corpus(data: Any) -> bool:
    """Check whether the data is a Corpus, without importing corpora."""
    kind = type(data)
    return (kind.__module__, kind.__name__) == ("termsift.corpora.corpus", "Corpus")


def is_spark(data: Any) -> bool:
    """Check whether the data is a Spark DataFrame, classic or Connect, without importing PySpark."""
    kind = type(data)
    return kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.sql.")


def is_path_input(data: Any, labels: Any, columns: bool = False) -> bool:
    """Check whether the data is a path, a pattern, or a list of these rather than of texts.

    A list of addresses is one of texts unless columns are named: no text of a stranger is fetched.
    """
    if isinstance(data, str | os.PathLike):
        return True
    if not isinstance(data, list | tuple) or not data:
        return False
    # of each type once: documents may be many
    if any(issubclass(kind, os.PathLike) for kind in set(map(type, data))):
        return True
    # texts have labels; strings without any may be names of files
    return labels is None and all(isinstance(item, str) and looks_like_file(item, columns) for item in data)


def looks_like_file(name: str, columns: bool) -> bool:
    """Check whether a file has the name, or a known extension; URLs count only if columns are named."""
    from termsift.engines.files.formats import formats_by_extension
    from termsift.engines.files.opening import format_extension, is_url

    if is_url(name):
        return columns
    return format_extension(name) in (*formats_by_extension(), ".zip") or os.path.exists(name)


def load_file_input(
    data: Any,
    bound: SampleLimit | None = None,
    *,
    label_separator: str | None = None,
    on_missing: str = "error",
    **reading: Any,
) -> LabelledInput:
    """Load the documents of files."""
    from termsift.engines.files.counting import load_file_documents, sample_documents
    from termsift.engines.files.opening import is_pipe
    from termsift.engines.files.sources import parse_source

    source = parse_source(data, **reading)
    # what was read of a pipe would be lost to its reader
    saved = next((path for path in source.paths if not is_pipe(path) and is_counts_file(path)), None)
    if saved is not None:
        raise InvalidInputError(f"{saved} holds counts; this needs the documents they were counted from")
    if bound is not None:
        sample, facts, missing = sample_documents(
            source, bound, on_missing=on_missing, label_separator=label_separator
        )
        return LabelledInput(
            as_labels(sample.names), sample.texts, None, None, missing, sample.metadata, facts
        )
    texts, labels, missing, metadata = load_file_documents(
        source, on_missing=on_missing, label_separator=label_separator
    )
    return LabelledInput(as_labels(labels), texts, missing=missing, metadata=metadata)


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
    **options: Any,
) -> Counts | GroupedCounts:
    """Count the terms of a corpus by class, or by class and group.

    Parameters
    ----------
    data : texts (a list, array, Series or Arrow array of str); a document-term matrix (sparse in any format,
        dense, or a data frame of numbers); a data frame, polars LazyFrame, Hugging Face Dataset or Spark
        DataFrame with `text` and `label` columns; the path of a file with such columns (CSV, TSV, JSON,
        JSONL, Parquet, Arrow, XLSX, or a zip of these); a folder, a glob pattern, a URL, or a list of these;
        or a Corpus
    labels : one label per document, a list of labels per document, or an indicator matrix
    terms : names of the matrix columns
    text, label, group : columns of the data frame or file. For a list of text columns, the texts are joined
        with line breaks. With `group`, the result is a GroupedCounts
    groups : for texts and matrices, one group per document: its author, source, day, ...
    analyzer : how a text becomes terms: a termsift.Analyzer, a function, or a scikit-learn vectorizer
    sample_weight : weight of each document; for a Spark DataFrame, the name of the weight column. Weighted
        counts are float64 sums: they agree to a relative 1e-12 between engines, batches and orders of the
        documents, while counts without weights are integers and always identical
    n_jobs : number of threads for texts; None means all cores. The result does not depend on it
    min_df, max_df : leave out terms in fewer, or in more, documents than this: a number of documents, or a
        float from 0.0 to 1.0 for a share of all documents, as in scikit-learn. On Spark, terms that are left
        out stay on the cluster
    options : for files: header=False if there is no header, with columns numbered from 1; delimiter, detected
        by default; encoding of text files ("utf-8"), or "auto" to guess it for files that are not UTF-8;
        encoding_errors, "strict" or "replace"; format, if file names do not show it: "csv", "tsv", "jsonl",
        "json", "parquet", "arrow", "xlsx", or "text" for folders in which each file is a document;
        memory, the bytes that sums may take before they spill to disk (1 GiB);
        on_missing, "error" or "skip"; label_separator, between several labels in one field;
        progress, a function called with the documents and bytes done.
        For Spark: memory, for the sums of a partition (128 MiB); on_missing and label_separator as for files

    >>> count(["free prize", "free lunch"], ["spam", "ham"])
    Counts(3 terms, 2 classes, 2 documents)

    """
    given = {"terms": terms, "text": text, "label": label, "group": group, "groups": groups}
    given |= {"analyzer": analyzer, "n_jobs": n_jobs, **options}
    kind, data, labels, used = recognize_input(data, labels, given)
    used["sample_weight"] = sample_weight
    for name, limit in (("min_df", min_df), ("max_df", max_df)):
        resolve_df_limit(name, limit, 0)
    found = dispatch_count(kind, data, labels, used, min_df, max_df)
    return found if group is None and groups is None else GroupedCounts(found, group)


def dispatch_count(
    kind: str, data: Any, labels: Any, used: dict[str, Any], min_df: float, max_df: float
) -> Counts:
    """Count one of the kinds of data; with groups, pairs of class and group."""
    if kind == "spark":
        from termsift.engines.spark.counting import count_spark

        return count_spark(data, min_df=min_df, max_df=max_df, **used)
    if kind == "files":
        from termsift.engines.files.counting import count_files

        return count_files(data, **used).with_df(min_df, max_df)
    groups = used.pop("groups", None)
    if groups is not None:
        known = validate_labels(None, 0) if labels is None else as_labels(labels)
        labels = pair_labels_with_groups(known, groups)
    if kind == "matrix":
        from termsift.engines.matrices import count_matrix

        return count_matrix(data, labels, **used).with_df(min_df, max_df)
    from termsift.engines.texts import count_texts

    return count_texts(data, labels, **used).with_df(min_df, max_df)


ON_MISSING = ("error", "skip")


def check_count_options(memory: int, on_missing: str, label_separator: str | None) -> None:
    """Check the memory limit, the policy for missing values, and the label separator."""
    if not (isinstance(on_missing, str) and on_missing in ON_MISSING):
        raise unknown_name_error("way with missing values", on_missing, ON_MISSING)
    if not (isinstance(memory, int | float) and memory >= 1):
        raise InvalidInputError(f"memory must be at least 1 byte, got {memory!r}")
    if not (label_separator is None or (isinstance(label_separator, str) and label_separator)):
        raise InvalidInputError(
            f"label_separator must be a text between two labels, such as '|', got {label_separator!r}"
        )


def warn_missing_rows(missing: int, read: int) -> None:
    """Warn of dropped rows."""
    if missing:
        what = f"{missing:,} of {read:,} rows had no text or no label and were left out"
        warnings.warn(what, TermsiftWarning, stacklevel=4)
