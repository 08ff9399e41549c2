"""Counts of a Spark DataFrame in one job: partial sums of the partitions, a groupBy, an Arrow table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from termsift._internal.errors import InvalidInputError, unknown_column_error
from termsift._internal.typing import Array, as_term_array, to_exact_dtype, to_exact_number
from termsift.counts import Counts, is_proportion, resolve_df_limits, sort_classes
from termsift.engines.frames import check_distinct_columns
from termsift.engines.inputs import check_count_options, warn_missing_rows
from termsift.engines.matrices import Sums, build_counts
from termsift.engines.spark.partition import SUM_COLUMNS, PartialSums
from termsift.engines.spark.sessions import ignore_pandas_warning, translate_spark_errors
from termsift.engines.texts import (
    analyzer_identifier,
    reject_token_analyzer,
    validate_analyzer,
)
from termsift.text import TOKEN_SEPARATOR, analyzer_for_joined_tokens

# Spark types of labels, each with the Spark and Arrow types to which it is cast
LABEL_TYPES = {
    "string": ("string", pa.string()),
    "boolean": ("boolean", pa.bool_()),
    "date": ("date", pa.date32()),
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), ("bigint", pa.int64())),
    **dict.fromkeys(("float", "double"), ("double", pa.float64())),
}
NUMBER_TYPES = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
DEFAULT_MEMORY = 1 << 27
DF_TOLERANCE = 1e-9  # relative; for sums of weights, which are rounded
CACHED_PLAN_SETTING = "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning"


def count_spark(frame: Any, *, min_df: float = 1, max_df: float = 1.0, **options: Any) -> Counts:
    """Count a Spark DataFrame; the cluster adds up the counts, and the driver receives only the sums.

    Parameters
    ----------
    frame : Spark DataFrame, classic or Connect
    min_df, max_df : float
        Terms in fewer, or in more, documents than this stay on the cluster.
    **options
        Parameters of `define_cluster_sums`.

    Returns
    -------
    Counts

    """
    sums = define_cluster_sums(frame, **options)
    with translate_spark_errors(), filter_sums_by_df(sums, min_df, max_df) as filtered:
        table = to_arrow(filtered.rows)
    return counts_from_rows(table, sums.job).with_df(min_df, max_df)


@dataclass(frozen=True, slots=True, eq=False)
class DocumentSums:
    """Classes, their sizes, the number of documents, and the numbers of rows read and dropped."""

    classes: tuple[Any, ...]
    class_sizes: Array
    n_documents: float
    n_rows: int
    n_missing: int


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """Sums that stay on the cluster, the common start of counting and scoring.

    Parameters
    ----------
    rows : Spark DataFrame
        Rows as described in partition.py, one for each term and class.
    job : PartialSums
        Function that made them.

    """

    rows: Any
    job: PartialSums

    def filter_by_df(self, min_df: float, max_df: float) -> ClusterSums:
        """Return the sums of terms in `min_df` to `max_df` documents, with a tolerance for weights."""
        if self.job.is_weighted:
            min_df, max_df = min_df * (1 - DF_TOLERANCE), max_df * (1 + DF_TOLERANCE)
        df = "IF(class IS NULL, df, 0)" if self.job.is_multilabel else "df"
        rows = self.rows.selectExpr("*", f"SUM({df}) OVER (PARTITION BY term) AS total")
        rows = rows.where(f"term IS NULL OR total BETWEEN DOUBLE('{min_df}') AND DOUBLE('{max_df}')")
        return replace(self, rows=rows.drop("total"))


def define_cluster_sums(
    frame: Any,
    *,
    text: Any = "text",
    label: str = "label",
    group: str | None = None,
    analyzer: Any = None,
    sample_weight: str | None = None,
    memory: int = DEFAULT_MEMORY,
    on_missing: str = "error",
    label_separator: str | None = None,
) -> ClusterSums:
    """Define the sums of a Spark DataFrame; Spark computes them when they are collected.

    Parameters
    ----------
    frame : Spark DataFrame
    text, label, group : str
        Columns. Several text columns are joined by line breaks; labels are scalars or arrays.
    analyzer : Analyzer or callable, optional
    sample_weight : str, optional
        Weight column.
    memory : int
        Bytes that the sums of a partition may take before they leave the worker.
    on_missing, label_separator
        As for files.

    """
    check_count_options(memory, on_missing, label_separator)
    if not (sample_weight is None or isinstance(sample_weight, str)):
        raise InvalidInputError(
            f"sample_weight must be a column name, because rows of Spark have no order, got {sample_weight!r}"
        )
    documents, label_type, has_arrays = select_document_columns(frame, text, label, sample_weight, group)
    first_text = text[0] if isinstance(text, list | tuple) else text
    if frame.schema[first_text].dataType.typeName() == "array":
        analyzer = analyzer_for_joined_tokens(analyzer)
    else:
        reject_token_analyzer(analyzer)
    is_multilabel = group is None and (has_arrays or label_separator is not None)
    spark_type, arrow_type = LABEL_TYPES["string" if group is not None else label_type]
    policies = label_separator, on_missing, memory, group is not None
    is_weighted = sample_weight is not None
    job = PartialSums(validate_analyzer(analyzer), arrow_type, is_multilabel, is_weighted, *policies)
    sum_type = "double" if job.is_weighted else "bigint"
    schema = f"term string, class {spark_type}, " + ", ".join(f"{name} {sum_type}" for name in SUM_COLUMNS)
    with ignore_pandas_warning():
        rows = documents.mapInArrow(job, schema)
    # partitioned by term, so that filtering and scoring by term need no other exchange
    sums = rows.repartition("term").groupBy("term", "class").agg(dict.fromkeys(SUM_COLUMNS, "sum"))
    sums = sums.selectExpr("term", "class", *(f"`sum({name})` AS {name}" for name in SUM_COLUMNS))
    return ClusterSums(sums, job)


@contextmanager
def filter_sums_by_df(sums: ClusterSums, min_df: float, max_df: float) -> Iterator[ClusterSums]:
    """Yield the sums of terms within the df limits."""
    if not is_proportion(min_df) and (max_df == 1 or not is_proportion(max_df)):
        low, high = resolve_df_limits(0, min_df, max_df)
        yield sums if low == 0 and high == float("inf") else sums.filter_by_df(low, high)
        return
    # proportions need the number of documents, which is collected first
    cached = persist_rows(sums.rows)
    try:
        sums = replace(sums, rows=cached)
        n_documents = sum_document_rows(to_arrow(cached.where("term IS NULL"))).n_documents
        yield sums.filter_by_df(*resolve_df_limits(n_documents, min_df, max_df))
    finally:
        cached.unpersist()


def persist_rows(rows: Any) -> Any:
    """Cache rows on the cluster, with small partitions coalesced as for rows that are not cached."""
    conf = rows.sparkSession.conf
    before = conf.get(CACHED_PLAN_SETTING)
    # Spark reads the setting at the moment of persist()
    conf.set(CACHED_PLAN_SETTING, "true")
    try:
        return rows.persist()
    finally:
        conf.set(CACHED_PLAN_SETTING, before)


def to_arrow(rows: Any) -> Any:
    """Collect a Spark DataFrame as an Arrow table."""
    with ignore_pandas_warning():
        return rows.toArrow()


def counts_from_rows(table: Any, job: PartialSums) -> Counts:
    """Build the Counts of rows of sums; warn if rows were dropped."""
    is_term = pc.is_valid(table["term"])
    document_sums = sum_document_rows(table.filter(pc.invert(is_term)))
    warn_missing_rows(document_sums.n_missing, document_sums.n_rows)
    return counts_from_term_rows(table.filter(is_term), document_sums, job)


def counts_from_term_rows(rows: Any, document_sums: DocumentSums, job: PartialSums) -> Counts:
    """Build the Counts of rows with a term; all rows of a term must be among them."""
    classes = document_sums.classes
    terms, term_index = rank_terms(rows["term"])
    class_index = find_class_indices(rows["class"], classes)
    values = [rows[name].to_numpy() for name in SUM_COLUMNS]
    order = np.lexsort((term_index, class_index))
    edges = np.searchsorted(class_index[order], np.arange(len(classes) + 2))
    sums: list[Sums] = []
    for start, end in pairwise(edges):
        chosen = order[start:end]
        df, tf, tf2 = (column[chosen] for column in values)
        sums.append((term_index[chosen], df, tf, tf2))
    total = sums[-1] if job.is_multilabel else None
    sizes = document_sums.class_sizes
    name = analyzer_identifier(job.analyzer)
    return build_counts(terms, classes, document_sums.n_documents, sizes, sums[:-1], total, name)


def sum_document_rows(rows: Any) -> DocumentSums:
    """Add up the rows without a term."""
    names = rows["class"].to_pylist()
    classes = sort_classes(name for name in names if name is not None)
    n_rows, n_missing = (int(np.sum(rows[name].to_numpy())) for name in ("tf", "tf2"))
    if not n_rows:
        raise InvalidInputError("the frame has no rows, so there are no documents")
    df = rows["df"].to_numpy()
    sizes = np.zeros(len(classes) + 1, dtype=df.dtype)
    np.add.at(sizes, find_class_indices(rows["class"], classes), df)
    return DocumentSums(classes, to_exact_dtype(sizes[:-1]), to_exact_number(sizes[-1]), n_rows, n_missing)


def rank_terms(column: Any) -> tuple[Array, Array]:
    """Return the distinct terms in code-point order, and the index of each row's term among them."""
    if not len(column):  # Arrow before 18 cannot combine zero chunks
        return as_term_array([]), np.zeros(0, dtype=np.int64)
    # all rows together may exceed the 32-bit offsets of Arrow strings
    encoded = column.cast(pa.large_string()).dictionary_encode().combine_chunks()
    # Arrow sorts strings by their bytes, which in UTF-8 is the order of code points
    order = pc.sort_indices(encoded.dictionary).to_numpy()
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    terms = encoded.dictionary.take(pa.array(order)).to_pylist()
    return as_term_array(terms), rank[encoded.indices.to_numpy()]


def find_class_indices(column: Any, classes: tuple[Any, ...]) -> Array:
    """Return the index of each row's class; null is the number of classes."""
    encoded = column.dictionary_encode().combine_chunks()
    index = {name: c for c, name in enumerate(classes)}
    indices = [index[name] for name in encoded.dictionary.to_pylist()]
    codes = encoded.indices.fill_null(len(indices)).to_numpy()
    return np.asarray(np.array([*indices, len(classes)], dtype=np.int64)[codes])


def check_columns_exist(frame: Any, names: Sequence[Any]) -> dict[str, str]:
    """Check that a DataFrame has each column once; return the types of all columns."""
    for name in names:
        times = frame.columns.count(name)
        if times > 1:
            raise InvalidInputError(f"the frame has {times} columns named {name!r}; rename all but one")
        if not times:
            raise unknown_column_error(str(name), frame.columns, "the frame")
    return {field.name: field.dataType.simpleString() for field in frame.schema.fields}


def check_type(types: Mapping[str, str], name: str, is_valid: bool, rule: str) -> None:
    """Raise an error with the rule unless a column has a valid type."""
    if not is_valid:
        raise InvalidInputError(f"column {name!r} is of type {types[name]}; {rule}")


def text_column_sql(columns: Sequence[str], types: Mapping[str, str]) -> str:
    """Return the SQL expression of the texts of one column, of several that are joined, or of tokens."""
    for name in columns:
        is_text = types[name] == "string" or (types[name] == "array<string>" and len(columns) == 1)
        check_type(types, name, is_text, "texts must be of type string, or one column of array<string>")
    joined = quote_column(columns[0])
    if len(columns) > 1:
        names = ", ".join(map(quote_column, columns))
        return f"IF(COALESCE({names}) IS NULL, NULL, CONCAT_WS('\\n', {names}))"
    if types[columns[0]] == "string":
        return joined
    # a null among the tokens is an error, as in files
    message = f"column {columns[0]} has a token that is null; tokens must be strings".replace("'", "''")
    has_null = f"exists({joined}, token -> token IS NULL)"
    return f"IF({has_null}, raise_error('{message}'), array_join({joined}, '{TOKEN_SEPARATOR}'))"


class DocumentColumns(NamedTuple):
    """DataFrame of text, label, weight and group, and the type of its labels."""

    frame: Any
    label_type: str
    has_label_arrays: bool


def select_document_columns(
    frame: Any, text: Any, label: str, weight: str | None, group: str | None
) -> DocumentColumns:
    """Select text, label, weight and group under these names, and check their types."""
    texts = list(text) if isinstance(text, list | tuple) else [text]
    roles = {"text" if i == 1 else f"text {i}": name for i, name in enumerate(texts, 1)}
    roles |= {role: name for role, name in (("label", label), ("group", group)) if name not in (None, "")}
    types = check_columns_exist(frame, [*roles.values(), *([] if weight is None else [weight])])
    check_distinct_columns(roles)
    scalars = "strings, whole numbers, floats, booleans or dates"
    joined = text_column_sql(texts, types)
    has_arrays = label != "" and types[label].startswith("array<")
    kind = types[label].removeprefix("array<").removesuffix(">") if label != "" else "bigint"
    check_type(types, label, kind in LABEL_TYPES, f"labels must be {scalars}, or arrays of these")
    class_type = LABEL_TYPES[kind][0]
    # without a label all documents are of one class
    label_sql = quote_column(label) if label != "" else "0"
    selected = [("text", joined, "string")]
    selected.append(("label", label_sql, f"array<{class_type}>" if has_arrays else class_type))
    if weight is not None:
        check_type(types, weight, types[weight].startswith(NUMBER_TYPES), "weights must be numbers")
        selected.append(("weight", quote_column(weight), "double"))
    if group is not None:
        check_type(types, group, types[group] in LABEL_TYPES, f"groups must be {scalars}")
        selected.append(("group", quote_column(group), LABEL_TYPES[types[group]][0]))
    documents = frame.selectExpr(*(f"CAST({value} AS {cast}) AS {role}" for role, value, cast in selected))
    return DocumentColumns(documents, kind, has_arrays)


def quote_column(name: str) -> str:
    """Quote a column name for Spark SQL."""
    return "`" + name.replace("`", "``") + "`"
