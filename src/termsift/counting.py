"""`ts.count`: which engine turns a corpus into counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, overload

from termsift.border.df_limits import df_limit
from termsift.counts import Counts
from termsift.groups import GroupedCounts, paired_labels
from termsift.inputs import recognized
from termsift.labels import as_labels, given_labels

__all__ = ["count"]


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
    sample_weight : weight of each document; for a Spark DataFrame, the name of the weight column
    n_jobs : number of threads for texts; None means all cores. The result does not depend on it
    min_df, max_df : leave out terms in fewer, or in more, documents than this: a number of documents, or a
        float from 0.0 to 1.0 for a share of all documents, as in scikit-learn. On Spark, terms that are left
        out stay on the cluster
    options : for files: header=False if there is no header, with columns numbered from 1; delimiter, detected
        by default; encoding of text files ("utf-8"), or "auto" to guess it for files that are not UTF-8;
        encoding_errors, "strict" or "replace"; format, if file names do not show it: "csv", "tsv", "jsonl",
        "json", "parquet", "arrow", "xlsx", or "text" for folders in which each file is a document;
        memory, the bytes that sums may take before they spill to disk (1 GiB);
        on_missing, "error" or "skip"; separator, between several labels in one field;
        progress, a function called with the documents and bytes done.
        For Spark: memory, for the sums of a partition (128 MiB); on_missing and separator as for files

    >>> count(["free prize", "free lunch"], ["spam", "ham"])
    Counts(3 terms, 2 classes, 2 documents)

    """
    given = {"terms": terms, "text": text, "label": label, "group": group, "groups": groups}
    given |= {"analyzer": analyzer, "n_jobs": n_jobs, **options}
    kind, data, labels, used = recognized(data, labels, given)
    used["sample_weight"] = sample_weight
    for name, limit in (("min_df", min_df), ("max_df", max_df)):
        df_limit(name, limit, 0)
    found = counted(kind, data, labels, used, min_df, max_df)
    return found if group is None and groups is None else GroupedCounts(found, group)


def counted(kind: str, data: Any, labels: Any, used: dict[str, Any], min_df: float, max_df: float) -> Counts:
    """The counts of one of the kinds of data; with groups those of pairs."""
    if kind == "spark":
        from termsift.engines.spark.counting import count_spark

        return count_spark(data, min_df=min_df, max_df=max_df, **used)
    if kind == "files":
        from termsift.engines.files.counting import count_files

        return count_files(data, **used).with_df(min_df, max_df)
    groups = used.pop("groups", None)
    if groups is not None:
        known = given_labels(None, 0) if labels is None else as_labels(labels)
        labels = paired_labels(known, groups)
    if kind == "matrix":
        from termsift.engines.memory.matrix import count_matrix

        return count_matrix(data, labels, **used).with_df(min_df, max_df)
    from termsift.engines.memory.texts import count_texts

    return count_texts(data, labels, **used).with_df(min_df, max_df)
