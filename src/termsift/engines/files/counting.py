"""Counts of a stream of documents, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from termsift._typing import Array
from termsift.counts import Counts
from termsift.engines.accumulator import Accumulator, BatchSums
from termsift.engines.arrow_texts import (
    arrow_bags,
    arrow_bytes,
    arrow_labels,
    check_reading,
    gathered,
    shortest_term,
    warn_of_missing,
)
from termsift.engines.files.sources import Source, source_of
from termsift.engines.files.spill import Spill
from termsift.engines.memory.matrix import as_weights
from termsift.engines.memory.texts import analyzer_of, name_of, summed_part
from termsift.errors import InvalidInput
from termsift.labels import Labels
from termsift.machine.capacity import check_capacity, told
from termsift.output import scratch_folder
from termsift.text.batches import in_order, threads

MEMORY = 1 << 30
HELD = 13  # bytes of memory that a byte of text takes where documents are held and counted, as measured
SAMPLED = (
    "Take a sample of the documents, or count them, which needs none in memory: ts.count, termsift count"
)
Progress: TypeAlias = Callable[[int, int], None]
# documents of a stream: their texts as an Arrow array, their labels, and what they count for
Batch: TypeAlias = tuple[Any, Labels, Array]


def count_files(
    data: Any,
    *,
    text: str | None = None,
    label: str | None = None,
    encoding: str = "utf-8",
    analyzer: Any = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    memory: int = MEMORY,
    on_missing: str = "error",
    separator: str | None = None,
    progress: Progress | None = None,
) -> Counts:
    """Counts of the documents of files, larger than memory if need be; the options are those of `ts.count`.

    The counts that result must fit into memory by themselves.
    """
    check_reading(memory, on_missing)
    analyzer = analyzer_of(analyzer)
    source = source_of(data, text, label, encoding)
    rows = SourceRows(source, on_missing, separator, sample_weight)
    with scratch_folder() as folder:
        accumulator, spill = Accumulator(shortest_term(analyzer)), Spill(str(folder), memory)
        done = [0, 0]
        for part, size in in_order(
            lambda batch: batch_sums(batch, analyzer), rows.batches(), threads(n_jobs)
        ):
            accumulator.add(part)
            done[0] += int(part.documents) if rows.sample_weight is None else 0
            done[1] += size
            if progress is not None:
                progress(*done)
            if accumulator.nbytes > memory:
                accumulator.compact()
            if accumulator.nbytes > memory / 2:
                spill.take(accumulator)
        warn_of_missing(rows.missing, rows.seen)
        return spill.counts(accumulator, name_of(analyzer))


def file_documents(
    source: Source, *, on_missing: str = "error", separator: str | None = None
) -> tuple[list[str], list[list[Any]]]:
    """The texts of a source, and the list of labels of each."""
    check_reading(MEMORY, on_missing)
    rows = SourceRows(source, on_missing, separator, None)
    texts: list[str] = []
    names: list[list[Any]] = []
    held = 0
    for own_texts, labels, _ in rows.batches():
        held += own_texts.nbytes
        check_capacity(held * HELD, f"{told(held)} of texts of {source.name}, and perhaps more,", SAMPLED)
        texts += own_texts.to_pylist()
        names += labels.names
    warn_of_missing(rows.missing, rows.seen)
    return texts, names


def batch_sums(batch: Batch, analyzer: Any) -> tuple[BatchSums, int]:
    """The sums of a batch, and the bytes of its texts."""
    texts, labels, weights = batch
    return summed_part(*arrow_bags(texts, analyzer), labels, weights), arrow_bytes(texts)[0].size


class SourceRows:
    """The rows of a source in batches of about as many bytes; what is missing is counted."""

    def __init__(self, source: Source, on_missing: str, separator: str | None, sample_weight: Any) -> None:
        self.source, self.on_missing, self.separator = source, on_missing, separator
        self.meaning = source.format.meaning
        self.sample_weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        self.seen = self.missing = 0

    def batches(self) -> Iterator[Batch]:
        """The batches."""
        for table in gathered(map(self.checked, self.source.batches())):
            yield self.batch(table.combine_chunks())
        if not self.seen:
            raise InvalidInput(f"{self.source.name} has no rows, so there are no documents")
        if self.sample_weight is not None and len(self.sample_weight) != self.seen:
            raise InvalidInput(
                f"{self.seen} documents but sample_weight has shape {self.sample_weight.shape}"
            )

    def checked(self, records: Any) -> Any:
        """The records with their row numbers, those with something missing dealt with."""
        table = pa.Table.from_batches([records])
        texts = table.column("text").cast(pa.large_string())
        numbers = pa.array(np.arange(self.seen, self.seen + len(table)))
        table = pa.table({"text": texts, "label": table.column("label"), "row": numbers})
        self.seen += len(table)
        absent = pc.or_(pc.is_null(table.column("label")), pc.is_null(texts))
        count = pc.sum(absent).as_py() or 0
        if count and self.on_missing == "error":
            row = pc.index(absent, True).as_py()
            what = "text" if texts[row].as_py() is None else "label"
            where = f"row {numbers[row].as_py() + 1} of {self.source.name}"
            raise InvalidInput(f"{where} has no {what}; mend it, or leave such rows out: on_missing='skip'")
        self.missing += count
        return table.filter(pc.invert(absent)) if count else table

    def batch(self, table: Any) -> Batch:
        """A table as a batch."""
        rows = table.column("row").to_numpy()
        weights = np.zeros(0)
        if self.sample_weight is not None:
            if self.seen > len(self.sample_weight):
                raise InvalidInput(f"sample_weight has {len(self.sample_weight)} values; there are more rows")
            weights = as_weights(self.sample_weight[rows], len(rows))
        texts, labels = (table.column(name).combine_chunks() for name in ("text", "label"))
        return texts, arrow_labels(labels, self.meaning, self.separator), weights
