"""Scores of sums that stay on the cluster: the best terms of each class with p-values and thresholds."""

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
from termsift.counts import Cells, Counts, Totals, split_into_blocks
from termsift.engines.accumulator import Sums, build_counts
from termsift.engines.inputs import warn_missing_rows
from termsift.engines.spark.counting import (
    DEFAULT_MEMORY,
    ClusterSums,
    DocumentSums,
    count_terms,
    filter_sums,
    persist_rows,
    sum_on_cluster,
    to_arrow,
)
from termsift.engines.spark.partition import PartialSums, iter_complete_terms
from termsift.engines.spark.sessions import ignore_pandas_warning, translate_spark_errors
from termsift.metrics import (
    Marginals,
    Scores,
    ThresholdSearch,
    build_scores,
    check_expected,
    check_reduction,
    check_scorable,
    check_single_label,
    has_integer_counts,
    metrics,
    p_values,
    parse_metric,
    q_values,
    score_blocks,
    significance_thresholds,
)

TALLY_SCHEMA = "class bigint, value double, n bigint"
DF_TALLY = -1  # the tally of document frequencies, in place of a class


@dataclass(frozen=True, slots=True)
class ChanceTallies:
    """Function from sums of a partition, sorted by term, to tallies of df and of p-values.

    function, sided : the metric; without a function there are no p-values
    """

    job: PartialSums
    whole: DocumentSums
    function: Callable[[Cells], Array] | None
    sided: int

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield the tallies of a partition."""
        for rows in iter_complete_terms(batches):
            counts = count_terms(rows, self.whole, self.job)
            yield tally_values(DF_TALLY, counts.term_df)
            for c, p in enumerate(self.p_by_class(counts)):
                yield tally_values(c, p)

    def p_by_class(self, counts: Counts) -> Iterable[Array]:
        """Return the p-values of each class."""
        unscored = np.zeros((len(counts.terms), len(counts.classes)))
        p = Scores(unscored, counts, "", self.sided, self.function).p
        return [] if p is None else p.T


def tally_values(c: int, values: Array) -> Any:
    """Return the number of terms with each value, for a class."""
    distinct, times = np.unique(values.astype(np.float64), return_counts=True)
    return pa.record_batch(
        {"class": np.full(len(distinct), c), "value": distinct, "n": times.astype(np.int64)}
    )


@dataclass(frozen=True, slots=True, eq=False)
class ClusterChance:
    """Tallies of all partitions: (rows,) class, value and number of terms, ascending."""

    whole: DocumentSums
    classes: Array
    values: Array
    numbers: Array

    @classmethod
    def of(cls, rows: Any, whole: DocumentSums) -> ClusterChance:
        """Add up the tallies of all partitions."""
        c, value, n = (rows[name].to_numpy() for name in ("class", "value", "n"))
        order = np.lexsort((value, c))
        c, value, n = c[order], value[order], n[order]
        new = np.ones(len(c), dtype=bool)
        new[1:] = (c[1:] != c[:-1]) | (value[1:] != value[:-1])
        first = np.flatnonzero(new)
        return cls(whole, c[first], value[first], np.add.reduceat(n, first) if len(first) else n)

    def q(self, c: Array, p: Array) -> Array:
        """Return the q-values of p-values of some classes."""
        found = np.zeros(len(p))
        for name in np.unique(c):
            own, here = self.classes == name, c == name
            values = self.values[own]
            found[here] = q_values(values, self.numbers[own])[np.searchsorted(values, p[here])]
        return found

    def floor(
        self, function: Callable[[Cells], Array], expected: float, sided: int, c: int | None = None
    ) -> float:
        """Return the significance threshold of a class, or of all classes together."""
        own, sizes = self.classes == DF_TALLY, np.unique(self.whole.class_sizes, return_counts=True)
        margins = Marginals(self.whole.n_documents, self.values[own], self.numbers[own], *sizes)
        margins = margins if c is None else margins.for_class_size(self.whole.class_sizes[c])
        return significance_thresholds(margins, [ThresholdSearch(function, expected, sided=sided)])[0]


CELLS = ("tp", "fp", "fn", "tn")
EFFECT = ("effect", "low", "high")
TOTALS_SCHEMA = "lengths array<double>, length double, vocabulary bigint, single boolean, whole boolean"


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
    expected: float = 1,
    memory: int = DEFAULT_MEMORY,
    on_missing: str = "error",
    label_separator: str | None = None,
    **options: Any,
) -> Table:
    """Return the k best terms of each class of a Spark DataFrame, scored on the cluster.

    The same rows as `ts.score(ts.count(frame, ...), metric).top(name, k)` for each class, one class below the
    other, ties included, but the other terms never leave the cluster. With `reduce`, or with a metric that
    has one score per term, the k best overall. If chance is known, there is a column `floor` besides p and q:
    the score that chance alone gives to at most `expected` terms of the class, as in `Scores.threshold`.

    All metrics work except `rand`, which numbers all terms. Options of
    the metric are written with it, as in "ig(smoothing='ele')", or passed separately.

    frame : a Spark DataFrame of documents
    metric, options : the metric and its options
    k : number of terms for each class
    text, label, sample_weight : the columns
    analyzer : how a text becomes terms
    min_df, max_df : leave out terms in fewer, or in more, documents than this
    reduce : how the scores of the classes are combined, for the k best overall
    expected : number of terms of a class that may be due to chance, for the floor
    memory : bytes that the sums of a partition may take before they leave the worker
    on_missing, label_separator : as for `ts.count`

    >>> top(frame, 'bns', 20, text='body', label='folder')  # doctest: +SKIP
    """
    if k < 1:
        raise InvalidInputError(f"k must be at least 1, got {k}")
    check_expected(expected)
    if reduce is not None:
        check_reduction(reduce)
    line, written = parse_metric(metric)
    if line not in metrics():
        raise InvalidInputError(
            f"{line.name} is none of termsift.metrics(), whose functions the workers have"
        )
    if line.of_all_terms:
        raise InvalidInputError(
            f"{line.name} looks at all terms at once, which stay on the cluster; count first"
        )
    sums = sum_on_cluster(
        frame,
        text=text,
        label=label,
        analyzer=analyzer,
        sample_weight=sample_weight,
        memory=memory,
        on_missing=on_missing,
        label_separator=label_separator,
    )
    with translate_spark_errors(), filter_sums(sums, min_df, max_df) as limited:
        held = persist_rows(limited.rows.sortWithinPartitions("term"))
        try:
            return find_best_terms(
                ClusterSums(held, sums.job), TopQuery(line.name, written | options, reduce, k, expected)
            )
        finally:
            held.unpersist()


@dataclass(frozen=True, slots=True)
class TopQuery:
    """Query for the best terms: metric, options, reduction, k and expected false positives."""

    metric: str
    options: dict[str, Any]
    reduce: str | None
    k: int
    expected: float = 1

    @property
    def function(self) -> Callable[[Cells], Array] | None:
        """Metric as a function of the 2x2 table, if its significance can be computed."""
        line = metrics()[self.metric]
        return line.document_function(self.options) if self.reduce in (None, "max") else None

    @property
    def sided(self) -> int:
        """Number of sides of the metric: 1 if the sign of a score shows its direction."""
        return 1 if self.options.get("signed") else metrics()[self.metric].sided


def find_best_terms(sums: ClusterSums, asked: TopQuery) -> Table:
    """Return the best terms of all partitions."""
    whole, job, terms = sums.collect_document_sums(), sums.job, sums.rows.where("term IS NOT NULL")
    warn_missing_rows(whole.n_missing, whole.n_rows)
    line = metrics()[asked.metric]
    check_scorable(empty_counts(whole), line, asked.options)
    with ignore_pandas_warning():
        parts = to_arrow(terms.mapInArrow(PartialTotals(job, whole), TOTALS_SCHEMA))
    totals = add_up_totals(parts, len(whole.classes))
    check_single_label(line, totals.single_label)
    exact = asked.function is not None and all(parts["whole"].to_pylist())
    scored = build_best_terms(job, whole, totals, asked, exact)
    with ignore_pandas_warning():
        rows = select_best_rows(to_arrow(terms.mapInArrow(scored, format_ddl(scored.schema))), asked.k)
    if not exact:
        return format_best_terms(rows, whole.classes)
    tallies = ChanceTallies(job, whole, asked.function if scored.by_class else None, asked.sided)
    with ignore_pandas_warning():
        tallied = terms.mapInArrow(tallies, TALLY_SCHEMA).groupBy("class", "value").agg({"n": "sum"})
        tallied = to_arrow(tallied.withColumnRenamed("sum(n)", "n"))
    return format_best_terms(add_significance(rows, ClusterChance.of(tallied, whole), asked), whole.classes)


def add_significance(rows: Any, chance: ClusterChance, asked: TopQuery) -> Any:
    """Add the columns q (for scores by class) and floor."""
    function: Any = asked.function
    if "class" not in rows.column_names:
        floor = chance.floor(function, asked.expected, asked.sided)
        return rows.append_column("floor", pa.array(np.full(len(rows), floor)))
    classes = rows["class"].to_numpy()
    q = chance.q(classes, rows["p"].to_numpy())
    by_class = {c: chance.floor(function, asked.expected, asked.sided, c) for c in set(classes.tolist())}
    floors = np.array([by_class[c] for c in classes.tolist()], dtype=np.float64)
    return rows.append_column("q", pa.array(q)).append_column("floor", pa.array(floors))


def empty_counts(whole: DocumentSums) -> Counts:
    """Return counts without terms, for checks that depend only on documents."""
    no_sums: list[Sums] = [(np.zeros(0, dtype=np.int64),) * 4 for _ in whole.classes]
    return build_counts(
        as_term_array([]), whole.classes, whole.n_documents, whole.class_sizes, no_sums, None, None
    )


@dataclass(frozen=True, slots=True)
class PartialTotals:
    """Function from sums of a partition, sorted by term, to rows of totals."""

    job: PartialSums
    whole: DocumentSums

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield the totals of a partition."""
        for rows in iter_complete_terms(batches):
            counts = count_terms(rows, self.whole, self.job)
            totals = Totals.from_counts(counts)
            yield pa.record_batch(
                {
                    "lengths": pa.array([totals.lengths.tolist()], pa.list_(pa.float64())),
                    "length": [totals.length],
                    "vocabulary": [totals.vocabulary],
                    "single": [totals.single_label],
                    "whole": [has_integer_counts(counts)],
                }
            )


def add_up_totals(parts: Any, n_classes: int) -> Totals:
    """Add up the totals of all partitions."""
    lengths = np.array(parts["lengths"].to_pylist(), dtype=float).reshape(-1, n_classes).sum(axis=0)
    length, vocabulary = (pc.sum(parts[name]).as_py() or 0 for name in ("length", "vocabulary"))
    return Totals(lengths, float(length), int(vocabulary), all(parts["single"].to_pylist()))


def build_best_terms(
    job: PartialSums, whole: DocumentSums, totals: Totals, asked: TopQuery, exact: bool
) -> BestTerms:
    """Return the function for the workers; scoring zero terms shows whether scores are by class."""
    nothing, line = empty_counts(whole), metrics()[asked.metric]
    values = score_blocks(nothing, line, asked.options, asked.reduce, split_into_blocks(nothing, totals))
    return BestTerms(job, whole, totals, asked, values.ndim == 2, exact)


@dataclass(frozen=True, slots=True)
class BestTerms:
    """Function from sums of a partition, sorted by term, to its best terms.

    exact : whether there are p-values
    """

    job: PartialSums
    whole: DocumentSums
    totals: Totals
    asked: TopQuery
    by_class: bool
    exact: bool

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield the k best terms of each class, or of all."""
        found = self.schema.empty_table()
        for rows in iter_complete_terms(batches):
            found = select_best_rows(pa.concat_tables([found, self.scored(rows)]), self.asked.k)
        yield from found.combine_chunks().to_batches()

    @property
    def schema(self) -> Any:
        """Arrow schema of a scored term."""
        own = {"term": pa.string(), "df": pa.float64(), "score": pa.float64()}
        if not self.by_class:
            return pa.schema(own)
        cells = dict.fromkeys((*CELLS, *(["p"] if self.exact else []), *EFFECT), pa.float64())
        return pa.schema({"class": pa.int64(), "sign": pa.int64()} | own | cells)

    def scored(self, rows: Any) -> Any:
        """Return the best of some complete terms."""
        counts = count_terms(rows, self.whole, self.job)
        counts._memo["totals"] = self.totals  # the terms of a partition are not all of them
        line, options = metrics()[self.asked.metric], self.asked.options
        runs = split_into_blocks(counts, self.totals)
        scores = build_scores(
            score_blocks(counts, line, options, self.asked.reduce, runs), counts, line, options
        )
        df = dict(zip(counts.terms, counts.term_df.tolist(), strict=True))
        if not self.by_class:
            return self.as_rows(0, dict(scores.top(n=self.asked.k).columns), df)
        return pa.concat_tables(
            self.as_rows(c, self.best_of_class(scores, c), df) for c in range(len(counts.classes))
        )

    def best_of_class(self, scores: Scores, c: int) -> dict[str, Array]:
        """Return the best terms of a class, with p-values if available."""
        rows = scores.top_rows(scores.classes[c], self.asked.k)
        own = scores.score_columns(rows, [c]) | scores.default_effect.columns(scores.counts, rows, [c])
        if not self.exact:
            return own
        function: Any = self.asked.function
        return own | {"p": p_values(scores.cells(rows, [c]), function, scores.sided).ravel()}

    def as_rows(self, c: int, columns: dict[str, Array], df: dict[str, float]) -> Any:
        """Return columns of scores as rows of the schema."""
        terms = columns["term"].tolist()
        own = {"class": [c] * len(terms), "term": terms, "df": [df[term] for term in terms]}
        given = columns | own
        arrays = [pa.array(given[field.name]).cast(field.type) for field in self.schema]
        return pa.table(arrays, schema=self.schema)


def select_best_rows(rows: Any, k: int) -> Any:
    """Return the k best rows of each class, in order."""
    classes = (
        rows["class"].to_numpy() if "class" in rows.column_names else np.zeros(len(rows), dtype=np.int64)
    )
    terms, df, values = (
        as_term_array(rows["term"].to_pylist()),
        rows["df"].to_numpy(),
        rows["score"].to_numpy(),
    )
    chosen: list[Array] = [np.zeros(0, dtype=np.int64)]
    for c in np.unique(classes):
        own = np.flatnonzero(classes == c)
        chosen.append(own[rank_terms(values[own], df[own], terms[own], k)])
    return rows.take(pa.array(np.concatenate(chosen)))


def format_best_terms(rows: Any, classes: tuple[Any, ...]) -> Table:
    """Return the rows as a Table like those of Scores."""
    columns = {name: rows[name].to_numpy() for name in rows.column_names if name != "term"}
    terms = as_term_array(rows["term"].to_pylist())
    if "class" not in columns:
        floor = {"floor": columns["floor"]} if "floor" in columns else {}
        return Table({"term": terms, "df": to_exact_dtype(columns["df"]), "score": columns["score"]} | floor)
    names = as_term_array([classes[c] for c in columns["class"].tolist()])
    cells = {name: to_exact_dtype(columns[name]) for name in CELLS}
    head = {"term": terms, "class": names, "sign": columns["sign"]}
    more = {name: columns[name] for name in ("score", "p", "q", *EFFECT, "floor") if name in columns}
    return Table(head | cells | more)


def format_ddl(schema: Any) -> str:
    """Format an Arrow schema as Spark DDL."""
    kinds = {pa.string(): "string", pa.float64(): "double", pa.int64(): "bigint"}
    return ", ".join(f"{field.name} {kinds[field.type]}" for field in schema)
