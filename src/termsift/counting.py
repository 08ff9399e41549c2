"""Engines turn a corpus into counts. They are the only rooms that touch documents."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from termsift.counts import Counts
from termsift.errors import InvalidInput, unknown
from termsift.labels import any_frame, as_list, is_frame, is_sparse

__all__ = ["count"]


def count(
    data: Any,
    labels: Any = None,
    *,
    terms: Iterable[str] | None = None,
    text: str | None = None,
    label: str | None = None,
    analyzer: Any = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    encoding: str = "utf-8",
    **options: Any,
) -> Counts:
    """Count the terms of a corpus by class.

    Parameters
    ----------
    data : texts (a list, array, Series or Arrow array of str), a matrix of documents x terms (sparse of any
        format, dense, or a data frame of numbers), a data frame with `text` and `label` columns,
        a DataFrame of Spark with such columns, or the path of a file (CSV, TSV, JSONL, Parquet) with them
    labels : one label a document, a list of labels each, or an indicator matrix
    terms : names of a matrix's columns
    text, label : the columns of a data frame or file
    analyzer : how a text becomes terms: a termsift.Analyzer, a function, or a scikit-learn vectorizer
    sample_weight : what each document counts for; of a DataFrame of Spark the name of its column
    n_jobs : threads for texts; all cores where it is None. The result is the same for any number
    encoding : of text files
    options : for files: memory, the bytes that sums may take before they go to disk (1 GiB);
        on_missing, "error" or "skip"; separator, what parts several labels in one field;
        progress, a function of the documents and bytes done.
        For Spark: memory, of the sums of a partition (128 MiB); on_missing and separator likewise;
        min_df, terms in fewer documents stay on the cluster

    >>> count(["free prize", "free lunch"], ["spam", "ham"])
    Counts(3 terms, 2 classes, 2 documents)

    """
    if isinstance(data, str | os.PathLike):
        if labels is not None or terms is not None:
            raise InvalidInput("a file brings its own labels and terms; name its columns by text= and label=")
        from termsift.engines.files.counting import count_source
        from termsift.engines.files.sources import Source

        source = Source(os.fspath(data), text or "text", label or "label", encoding)
        return count_source(source, analyzer=analyzer, sample_weight=sample_weight, n_jobs=n_jobs, **options)
    if is_spark(data):
        if labels is not None or terms is not None:
            raise InvalidInput("a frame of Spark brings its labels; name its columns by text= and label=")
        from termsift.engines.spark.counting import check_options, count_frame

        check_options(n_jobs, options)
        columns: dict[str, Any] = {"text": text or "text", "label": label or "label"}
        return count_frame(data, **columns, analyzer=analyzer, sample_weight=sample_weight, **options)
    if options:
        raise unknown(
            "option", next(iter(options)), ("text", "label", "terms", "analyzer", "sample_weight", "n_jobs")
        )
    if text is not None or label is not None:
        if not is_frame(data):
            raise InvalidInput("text= and label= name the columns of a data frame or a file")
        data, labels = frame_columns(data, text, label, labels)
    if labels is None:
        raise InvalidInput("labels are missing: give one label a document")
    if is_matrix(data):
        if analyzer is not None:
            raise InvalidInput("an analyzer is for texts; these are counts already")
        from termsift.engines.memory.matrix import count_matrix

        return count_matrix(data, labels, terms=terms, sample_weight=sample_weight)
    if terms is not None:
        raise InvalidInput("terms name the columns of a matrix; of texts they are found")
    from termsift.engines.memory.texts import count_texts

    return count_texts(data, labels, analyzer=analyzer, sample_weight=sample_weight, n_jobs=n_jobs)


def is_spark(data: Any) -> bool:
    """Whether the data is a frame of Spark, classic or Connect; PySpark is not imported to see it."""
    kind = type(data)
    return kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.sql.")


def is_matrix(data: Any) -> bool:
    """Whether the data is documents x terms rather than texts."""
    if is_sparse(data) or is_frame(data):
        return True
    return isinstance(data, np.ndarray) and (data.ndim != 1 or data.dtype.kind in "iubf")


def frame_columns(frame: Any, text: str | None, label: str | None, labels: Any) -> tuple[list[Any], Any]:
    """The texts and labels of a data frame."""
    columns = any_frame(frame)
    for name in (text, label):
        if name is not None and name not in columns.columns:
            raise unknown("column", name, columns.columns)
    if text is None:
        raise InvalidInput("text= is missing: name the column that holds the texts")
    return as_list(columns[text]), labels if label is None else as_list(columns[label])
