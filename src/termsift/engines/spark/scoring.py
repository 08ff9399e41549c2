"""The best terms of each class, scored where the sums are: the driver receives k rows per class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from termsift._typing import Array, as_terms, exact
from termsift.contingency import Totals, blocks_of_part
from termsift.counts import Counts
from termsift.engines.arrow_texts import warn_of_missing
from termsift.engines.spark.counting import (
    MEMORY,
    ClusterSums,
    DocumentSums,
    arrow_table,
    cluster_sums,
    limited_sums,
    term_counts,
)
from termsift.engines.spark.faults import clear_faults, quiet
from termsift.engines.spark.partition import PartialSums
from termsift.engines.sums import Sums, summed_counts
from termsift.errors import InvalidInput
from termsift.metrics import metrics
from termsift.policies import reduction_name
from termsift.ranking import best
from termsift.scoring import check, metric_with_options, scores_of, several_labels, table
from termsift.tables import Table

CHUNK = 1 << 17  # rows of sums that are scored at a time
CELLS = ("tp", "fp", "fn", "tn")
EFFECT = ("effect", "low", "high")
TOTALS = "lengths array<double>, length double, vocabulary bigint, single boolean"


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
    memory: int = MEMORY,
    on_missing: str = "error",
    separator: str | None = None,
    **options: Any,
) -> Table:
    """The k best terms of each class of a Spark DataFrame, scored on the cluster.

    What `ts.score(ts.count(frame, ...), metric).top(name, k)` says of each class, one under the other, ties
    included, without the rest of the terms ever leaving the cluster. With `reduce`, or for a metric that
    gives one score per term, the k best of all.

    Every metric will do but `rand`, which numbers all terms, and every reduction but round_robin; its options
    are written with it, as in "ig(smoothing='ele')", or given apart.
    """
    if k < 1:
        raise InvalidInput(f"k must be at least 1, got {k}")
    how = None if reduce is None else reduction_name(reduce)
    line, written = metric_with_options(metric)
    if line not in metrics():
        raise InvalidInput(f"{line.name} is none of termsift.metrics(), whose functions the workers have")
    if line.of_all_terms or how == "round_robin":
        raise InvalidInput(
            f"{how or line.name} looks at all terms at once, which stay on the cluster; count first"
        )
    sums = cluster_sums(
        frame,
        text=text,
        label=label,
        analyzer=analyzer,
        sample_weight=sample_weight,
        memory=memory,
        on_missing=on_missing,
        separator=separator,
    )
    with clear_faults(), limited_sums(sums, min_df, max_df) as limited:
        held = limited.rows.sortWithinPartitions("term").persist()
        try:
            return best_of_all(ClusterSums(held, sums.job), TopQuery(line.name, written | options, how, k))
        finally:
            held.unpersist()


@dataclass(frozen=True, slots=True)
class TopQuery:
    """Which scores: the metric, its options, a reduction, and how many."""

    metric: str
    options: dict[str, Any]
    reduce: str | None
    k: int


def best_of_all(sums: ClusterSums, asked: TopQuery) -> Table:
    """The best terms of all partitions."""
    whole, job, terms = sums.document_sums, sums.job, sums.rows.where("term IS NOT NULL")
    warn_of_missing(whole.missing, whole.read)
    line = metrics().named(asked.metric)
    check(without_terms(whole), line, asked.options)
    with quiet():
        parts = arrow_table(terms.mapInArrow(PartialTotals(job, whole), TOTALS))
    totals = totals_of(parts, len(whole.classes))
    if line.single_label and not totals.single_label:
        raise InvalidInput(several_labels(line))
    scored = best_terms(job, whole, totals, asked)
    with quiet():
        rows = arrow_table(terms.mapInArrow(scored, ddl(scored.schema)))
    return best_table(best_rows(rows, asked.k), whole.classes)


def without_terms(whole: DocumentSums) -> Counts:
    """The counts of no terms, for what depends on the documents alone."""
    no_sums: list[Sums] = [(np.zeros(0, dtype=np.int64),) * 4 for _ in whole.classes]
    return summed_counts(as_terms([]), whole.classes, whole.documents, whole.sizes, no_sums, None, None)


@dataclass(frozen=True, slots=True)
class PartialTotals:
    """From the sums of a partition, sorted by term, to a row of totals for each part of it."""

    job: PartialSums
    whole: DocumentSums

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The totals of a partition."""
        for rows in whole_terms(batches):
            totals = Totals.of(term_counts(rows, self.whole, self.job))
            yield pa.record_batch(
                {
                    "lengths": pa.array([totals.lengths.tolist()], pa.list_(pa.float64())),
                    "length": [totals.length],
                    "vocabulary": [totals.vocabulary],
                    "single": [totals.single_label],
                }
            )


def totals_of(parts: Any, n_classes: int) -> Totals:
    """The totals of all parts."""
    lengths = np.array(parts["lengths"].to_pylist(), dtype=float).reshape(-1, n_classes).sum(axis=0)
    length, vocabulary = (pc.sum(parts[name]).as_py() or 0 for name in ("length", "vocabulary"))
    return Totals(lengths, float(length), int(vocabulary), all(parts["single"].to_pylist()))


def best_terms(job: PartialSums, whole: DocumentSums, totals: Totals, asked: TopQuery) -> BestTerms:
    """What scores on the workers; the scores of no terms tell whether each class has its own."""
    nothing, line = without_terms(whole), metrics().named(asked.metric)
    values = table(nothing, line, asked.options, asked.reduce, blocks_of_part(nothing, totals))
    return BestTerms(job, whole, totals, asked, values.ndim == 2)


@dataclass(frozen=True, slots=True)
class BestTerms:
    """From the sums of a partition, sorted by term, to its best terms; of each class, or of all."""

    job: PartialSums
    whole: DocumentSums
    totals: Totals
    asked: TopQuery
    by_class: bool

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The k best of each class, or of all."""
        found = self.schema.empty_table()
        for rows in whole_terms(batches):
            found = best_rows(pa.concat_tables([found, self.scored(rows)]), self.asked.k)
        yield from found.combine_chunks().to_batches()

    @property
    def schema(self) -> Any:
        """The columns of a scored term, of a class where there are some."""
        own = {"term": pa.string(), "df": pa.float64(), "score": pa.float64()}
        if not self.by_class:
            return pa.schema(own)
        has_p = metrics().named(self.asked.metric).p_with(self.asked.options) is not None
        cells = dict.fromkeys((*CELLS, *(["p"] if has_p else []), *EFFECT), pa.float64())
        return pa.schema({"class": pa.int64(), "sign": pa.int64()} | own | cells)

    def scored(self, rows: Any) -> Any:
        """The best of some whole terms."""
        counts = term_counts(rows, self.whole, self.job)
        counts._memo["totals"] = self.totals  # the terms of a partition are not all of them
        line, options = metrics().named(self.asked.metric), self.asked.options
        runs = blocks_of_part(counts, self.totals)
        scores = scores_of(table(counts, line, options, self.asked.reduce, runs), counts, line, options)
        df = dict(zip(counts.terms, counts.term_df.tolist(), strict=True))
        if not self.by_class:
            return self.as_rows(0, scores.top(n=self.asked.k), df)
        return pa.concat_tables(
            self.as_rows(c, scores.top(name, self.asked.k), df) for c, name in enumerate(counts.classes)
        )

    def as_rows(self, c: int, scores: Table, df: dict[str, float]) -> Any:
        """A table of scores as rows of the schema; of which class, if the schema has some."""
        terms = scores["term"].tolist()
        own = {"class": [c] * len(terms), "term": terms, "df": [df[term] for term in terms]}
        given = dict(scores.columns) | own
        arrays = [pa.array(given[field.name]).cast(field.type) for field in self.schema]
        return pa.table(arrays, schema=self.schema)


def whole_terms(batches: Iterable[Any]) -> Iterator[Any]:
    """Tables of rows sorted by term, cut so that all rows of a term are in one."""
    held: list[Any] = []
    for batch in batches:
        held.append(batch)
        if sum(map(len, held)) < CHUNK:
            continue
        rows = pa.Table.from_batches(held)
        last = rows["term"][-1].as_py()
        # the last term may go on in the next batch
        cut = pc.index(rows["term"], last).as_py()
        if cut:
            yield rows.slice(0, cut)
        held = rows.slice(cut).to_batches()
    if held:
        yield pa.Table.from_batches(held)


def best_rows(rows: Any, k: int) -> Any:
    """The k best rows of each class, in order."""
    classes = (
        rows["class"].to_numpy() if "class" in rows.column_names else np.zeros(len(rows), dtype=np.int64)
    )
    terms, df, values = as_terms(rows["term"].to_pylist()), rows["df"].to_numpy(), rows["score"].to_numpy()
    chosen: list[Array] = [np.zeros(0, dtype=np.int64)]
    for c in np.unique(classes):
        own = np.flatnonzero(classes == c)
        chosen.append(own[best(values[own], df[own], terms[own], k)])
    return rows.take(pa.array(np.concatenate(chosen)))


def best_table(rows: Any, classes: tuple[Any, ...]) -> Table:
    """The rows as the tables of Scores have them."""
    columns = {name: rows[name].to_numpy() for name in rows.column_names if name != "term"}
    terms = as_terms(rows["term"].to_pylist())
    if "class" not in columns:
        return Table({"term": terms, "df": exact(columns["df"]), "score": columns["score"]})
    names = as_terms([classes[c] for c in columns["class"].tolist()])
    cells = {name: exact(columns[name]) for name in CELLS}
    more = {name: columns[name] for name in ("p", *EFFECT) if name in columns}
    head = {"term": terms, "class": names, "sign": columns["sign"]}
    return Table(head | cells | {"score": columns["score"]} | more)


def ddl(schema: Any) -> str:
    """An Arrow schema as Spark writes it."""
    kinds = {pa.string(): "string", pa.float64(): "double", pa.int64(): "bigint"}
    return ", ".join(f"{field.name} {kinds[field.type]}" for field in schema)
