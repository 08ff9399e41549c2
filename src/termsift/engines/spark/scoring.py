"""Scores of sums that stay on the cluster: the best terms of each class with p- and q-values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from termsift._internal.errors import InvalidInputError
from termsift._internal.ranking import rank_terms
from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_term_array, to_exact_dtype
from termsift.counts import Counts, Totals, split_into_blocks
from termsift.engines.inputs import warn_missing_rows
from termsift.engines.matrices import Sums, build_counts
from termsift.engines.spark import counting
from termsift.engines.spark.counting import DEFAULT_MEMORY, DocumentSums, to_arrow
from termsift.engines.spark.partition import PartialSums, iter_complete_terms
from termsift.engines.spark.sessions import ignore_pandas_warning, translate_spark_errors
from termsift.metrics import (
    EXPECTED,
    OCCURRENCES,
    ExactTest,
    Metric,
    Scores,
    build_scores,
    check_expected,
    check_reduction,
    check_scorable,
    check_single_label,
    exact_p_values,
    has_integer_counts,
    metrics,
    parse_metric,
    q_values,
    score_blocks,
    significance_threshold,
)

TALLY_SCHEMA = "class bigint, value double, n bigint"
# takes the place of a class in the tally of document frequencies
DF_TALLY = -1
CELLS = ("tp", "fp", "fn", "tn")
EFFECT = ("effect", "low", "high")
TOTALS_SCHEMA = "lengths array<double>, length double, vocabulary bigint, single boolean, integer boolean"
DDL_TYPES = {pa.string(): "string", pa.float64(): "double", pa.int64(): "bigint"}


def top(
    frame: Any,
    metric: str,
    k: int = 10,
    *,
    text: str = "text",
    label: str = "label",
    analyzer: Any = None,
    sample_weight: str | None = None,
    min_df: float = 1,
    max_df: float = 1.0,
    reduce: str | None = None,
    expected: float = EXPECTED,
    memory: int = DEFAULT_MEMORY,
    on_missing: str = "error",
    label_separator: str | None = None,
    **options: Any,
) -> Table:
    """Return the k best terms of each class of a Spark DataFrame, scored on the cluster.

    The rows are those of `ts.score(ts.count(frame, ...), metric).top(name, k)` for each class in order, ties
    included, but the other terms never leave the cluster. With `reduce`, or with a metric that has one score
    per term, they are the k best overall. All metrics work except `rand`, which numbers all terms.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        Documents.
    metric : str
        Name of the metric, with options as in "ig(smoothing='ele')".
    k : int, default 10
        Number of terms for each class.
    text : str, default "text"
        Text column.
    label : str, default "label"
        Label column.
    analyzer : Analyzer or callable, optional
        How a text becomes terms.
    sample_weight : str, optional
        Weight column.
    min_df : int or float, default 1
        Leave out terms in fewer documents than this.
    max_df : int or float, default 1.0
        Leave out terms in more documents than this.
    reduce : {"max", "mean", "weighted", "sum"}, optional
        How the scores of the classes are combined, for the k best overall.
    expected : float, default 1
        Expected false positives in each class, from which alpha follows.
    memory : int, default 128 MiB
        Bytes that the sums of a partition may take before they leave the worker.
    on_missing : {"error", "skip"}, default "error"
        Policy for rows without a text or a label.
    label_separator : str, optional
        Separator between several labels in one field.
    **options
        Options of the metric.

    Returns
    -------
    Table
        Best terms, with effect size, and for unweighted documents p, q and alpha: a term is significant if
        p <= alpha, as in `Scores.alpha`.

    Raises
    ------
    InvalidInputError
        If k, a column or an option cannot be used, or if the metric needs all terms at once.
    UnknownNameError
        If the metric or a column does not exist.
    EngineError
        If Spark fails.

    Examples
    --------
    >>> top(frame, 'bns', 20, text='body', label='folder')  # doctest: +SKIP

    """
    if k < 1:
        raise InvalidInputError(f"k must be at least 1, got {k}")
    check_expected(expected)
    if reduce is not None:
        check_reduction(reduce)
    entry, metric_options = parse_metric(metric)
    if entry not in metrics():
        raise InvalidInputError(
            f"{entry.name} is not in termsift.metrics(), and Spark workers load only those metrics; "
            "count on Spark and score the counts with ts.score"
        )
    if entry.of_all_terms:
        raise InvalidInputError(f"{entry.name} needs all terms at once; use ts.count, then ts.score")
    query = TopQuery(entry.name, metric_options | options, reduce, k, expected)
    columns: dict[str, Any] = {"text": text, "label": label, "sample_weight": sample_weight}
    columns |= {"label_separator": label_separator, "on_missing": on_missing}
    sums = counting.define_cluster_sums(frame, analyzer=analyzer, memory=memory, **columns)
    with translate_spark_errors(), counting.filter_sums_by_df(sums, min_df, max_df) as filtered:
        cached = counting.persist_rows(filtered.rows.sortWithinPartitions("term"))
        terms = cached.where("term IS NOT NULL")

        def map_and_collect(mapper: Any, schema: str, keys: tuple[str, ...] = ()) -> Any:
            with ignore_pandas_warning():
                rows = terms.mapInArrow(mapper, schema)
                if keys:
                    rows = rows.groupBy(*keys).agg({"n": "sum"}).withColumnRenamed("sum(n)", "n")
                return to_arrow(rows)

        try:
            documents = counting.sum_document_rows(to_arrow(cached.where("term IS NULL")))
            return find_best_terms(map_and_collect, sums.job, documents, query)
        finally:
            cached.unpersist()


@dataclass(frozen=True, slots=True)
class TopQuery:
    """Query for the best terms: metric, options, reduction, k and expected false positives."""

    metric: str
    options: dict[str, Any]
    reduce: str | None
    k: int
    expected: float = EXPECTED

    @property
    def catalogue_metric(self) -> Metric:
        """Metric of the catalogue, which workers look up because its functions are not pickled."""
        return metrics()[self.metric]

    def score(self, counts: Counts, totals: Totals) -> Array:
        """Return the scores of counts of some terms, given the totals of all terms."""
        blocks = split_into_blocks(counts, totals)
        return score_blocks(counts, self.catalogue_metric, self.options, self.reduce, blocks)


def find_best_terms(
    collect: Callable[..., Any], job: PartialSums, documents: DocumentSums, query: TopQuery
) -> Table:
    """Return the best terms of all partitions.

    collect : runs a function on the workers and returns its rows, of the schema given, as an Arrow table;
        with `keys`, it may add up the numbers `n` of rows with equal keys
    """
    warn_missing_rows(documents.n_missing, documents.n_rows)
    no_sums: list[Sums] = [(np.zeros(0, dtype=np.int64),) * 4 for _ in documents.classes]
    classes, sizes, no_terms = documents.classes, documents.class_sizes, as_term_array([])
    no_counts = build_counts(no_terms, classes, documents.n_documents, sizes, no_sums, None, None)
    check_scorable(no_counts, query.catalogue_metric, query.options)
    partial = collect(PartialTotals(job, documents), TOTALS_SCHEMA)
    lengths = np.array(partial["lengths"].to_pylist(), dtype=float).reshape(-1, len(classes)).sum(axis=0)
    length, vocabulary = (pc.sum(partial[name]).as_py() or 0 for name in ("length", "vocabulary"))
    totals = Totals(lengths, float(length), int(vocabulary), all(partial["single"].to_pylist()))
    check_single_label(query.catalogue_metric, totals.single_label)
    # the scores of zero terms show whether there is a score for each class
    by_class = query.score(no_counts, totals).ndim == 2
    is_exact = by_class and all(partial["integer"].to_pylist())
    best = BestTerms(job, documents, totals, query, by_class, is_exact)
    schema = ", ".join(f"{field.name} {DDL_TYPES[field.type]}" for field in best.schema)
    rows = select_best_rows(collect(best, schema), query.k)
    if is_exact:
        tallied = collect(TestTallies(job, documents), TALLY_SCHEMA, ("class", "value"))
        tests, chosen = ClusterTests.from_tallies(tallied, documents), rows["class"].to_numpy()
        q = tests.q(chosen, rows["p"].to_numpy())
        alphas = {c: tests.alpha(c, query.expected) for c in set(chosen.tolist())}
        alpha = np.array([alphas[c] for c in chosen.tolist()], dtype=np.float64)
        rows = rows.append_column("q", pa.array(q)).append_column("alpha", pa.array(alpha))
    return format_best_terms(rows, classes)


@dataclass(frozen=True, slots=True)
class PartitionFunction:
    """Base of functions of the sums of a partition, sorted by term; they are pickled for the workers."""

    job: PartialSums
    documents: DocumentSums

    def iter_complete_counts(self, sorted_sums: Iterable[Any]) -> Iterator[Counts]:
        """Yield the counts of some complete terms at a time."""
        for rows in iter_complete_terms(sorted_sums):
            yield counting.counts_from_term_rows(rows, self.documents, self.job)


@dataclass(frozen=True, slots=True)
class PartialTotals(PartitionFunction):
    """Function from sums of a partition to rows of totals."""

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield the totals of a partition."""
        for counts in self.iter_complete_counts(batches):
            totals = Totals.from_counts(counts)
            columns: dict[str, Any] = {"lengths": pa.array([totals.lengths.tolist()], pa.list_(pa.float64()))}
            columns |= {"length": [totals.length], "vocabulary": [totals.vocabulary]}
            columns |= {"single": [totals.single_label], "integer": [has_integer_counts(counts)]}
            yield pa.record_batch(columns)


@dataclass(frozen=True, slots=True)
class TestTallies(PartitionFunction):
    """Function from sums of a partition to the numbers of terms with each df and with each p-value."""

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield the tallies of a partition."""
        for counts in self.iter_complete_counts(batches):
            p = ExactTest(counts).all_p()
            for c, values in [(DF_TALLY, counts.term_df), *enumerate([] if p is None else p.T)]:
                distinct, times = np.unique(values.astype(np.float64), return_counts=True)
                tally = {"class": np.full(len(distinct), c), "value": distinct, "n": times.astype(np.int64)}
                yield pa.record_batch(tally)


@dataclass(frozen=True, slots=True, eq=False)
class ClusterTests:
    """Tallies of all partitions: (rows,) class, value and number of terms, ascending."""

    documents: DocumentSums
    classes: Array
    values: Array
    numbers: Array

    @classmethod
    def from_tallies(cls, rows: Any, documents: DocumentSums) -> ClusterTests:
        """Add up the tallies of all partitions."""
        c, value, n = (rows[name].to_numpy() for name in ("class", "value", "n"))
        order = np.lexsort((value, c))
        c, value, n = c[order], value[order], n[order]
        is_new = np.ones(len(c), dtype=bool)
        is_new[1:] = (c[1:] != c[:-1]) | (value[1:] != value[:-1])
        first = np.flatnonzero(is_new)
        return cls(documents, c[first], value[first], np.add.reduceat(n, first) if len(first) else n)

    def q(self, class_indices: Array, p_values: Array) -> Array:
        """Return the q-values of p-values of some classes."""
        q = np.zeros(len(p_values))
        for number in np.unique(class_indices):
            in_tally, in_rows = self.classes == number, class_indices == number
            values = self.values[in_tally]
            q[in_rows] = q_values(values, self.numbers[in_tally])[np.searchsorted(values, p_values[in_rows])]
        return q

    def alpha(self, c: int, expected: float) -> float:
        """Return the p-value up to which terms of a class are significant."""
        is_df, pos = self.classes == DF_TALLY, float(self.documents.class_sizes[c])
        df, n_terms = self.values[is_df], self.numbers[is_df]
        return significance_threshold(df, n_terms, pos, self.documents.n_documents, expected)


@dataclass(frozen=True, slots=True)
class BestTerms(PartitionFunction):
    """Function from sums of a partition to its best terms.

    is_exact : whether there are p-values
    """

    totals: Totals
    query: TopQuery
    by_class: bool
    is_exact: bool

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield the k best terms of each class, or of all."""
        best = self.schema.empty_table()
        for counts in self.iter_complete_counts(batches):
            best = select_best_rows(pa.concat_tables([best, self.select_best_terms(counts)]), self.query.k)
        yield from best.combine_chunks().to_batches()

    @property
    def schema(self) -> pa.Schema:
        """Arrow schema of a scored term."""
        fields = {"term": pa.string(), "df": pa.float64(), "score": pa.float64()}
        if not self.by_class:
            return pa.schema(fields)
        names = (*CELLS, *self.occurrence_columns, *(["p"] if self.is_exact else []), *EFFECT)
        cells = dict.fromkeys(names, pa.float64())
        return pa.schema({"class": pa.int64(), "sign": pa.int64()} | fields | cells)

    @property
    def occurrence_columns(self) -> tuple[str, ...]:
        """Columns of metrics that count occurrences."""
        return OCCURRENCES if self.query.catalogue_metric.count_type(self.query.options) == "tf" else ()

    def select_best_terms(self, counts: Counts) -> pa.Table:
        """Return the best of some complete terms as rows of the schema."""
        # the terms of a partition are not all terms
        counts._memo["totals"] = self.totals
        query, k = self.query, self.query.k
        scores = build_scores(query.score(counts, self.totals), counts, query.catalogue_metric, query.options)
        if not self.by_class:
            tables: list[dict[str, Any]] = [dict(scores.top(n=k).columns)]
        else:
            tables = [self.best_term_columns(scores, c) for c in range(len(counts.classes))]
        df = dict(zip(counts.terms, counts.term_df.tolist(), strict=True))
        batches = []
        for c, columns in enumerate(tables):
            terms = columns["term"].tolist()
            columns |= {"class": [c] * len(terms), "term": terms, "df": [df[term] for term in terms]}
            arrays = [pa.array(columns[field.name]).cast(field.type) for field in self.schema]
            batches.append(pa.table(arrays, schema=self.schema))
        return pa.concat_tables(batches)

    def best_term_columns(self, scores: Scores, class_index: int) -> dict[str, Any]:
        """Return the best terms of a class, with p-values if available."""
        rows = scores.top_rows(scores.classes[class_index], self.query.k)
        columns = scores.descriptive_columns(rows, [class_index]) | scores.default_effect.columns(
            scores.counts, rows, [class_index]
        )
        if not self.is_exact:
            return columns
        return columns | {"p": exact_p_values(scores.cells(rows, [class_index])).ravel()}


def select_best_rows(rows: Any, k: int) -> pa.Table:
    """Return the k best rows of each class, in order."""
    has_classes = "class" in rows.column_names
    classes = rows["class"].to_numpy() if has_classes else np.zeros(len(rows), dtype=np.int64)
    terms, df = as_term_array(rows["term"].to_pylist()), rows["df"].to_numpy()
    scores = rows["score"].to_numpy()
    chosen: list[Array] = [np.zeros(0, dtype=np.int64)]
    for c in np.unique(classes):
        in_class = np.flatnonzero(classes == c)
        chosen.append(in_class[rank_terms(scores[in_class], df[in_class], terms[in_class], k)])
    return rows.take(pa.array(np.concatenate(chosen)))


def format_best_terms(rows: Any, classes: tuple[Any, ...]) -> Table:
    """Return the rows as a Table like those of Scores."""
    columns = {name: rows[name].to_numpy() for name in rows.column_names if name != "term"}
    head = {"term": as_term_array(rows["term"].to_pylist())}
    if "class" in columns:
        names = as_term_array([classes[c] for c in columns["class"].tolist()])
        counted = (*CELLS, *(name for name in OCCURRENCES[:2] if name in columns))
        cells = {name: to_exact_dtype(columns[name]) for name in counted}
        head |= {"class": names, "sign": columns["sign"], **cells}
    else:
        head["df"] = to_exact_dtype(columns["df"])
    measures = (*OCCURRENCES[2:], "score", "p", "q", *EFFECT, "alpha")
    return Table(head | {name: columns[name] for name in measures if name in columns})
