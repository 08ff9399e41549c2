"""Counts of a stream of documents, in bounded memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from termsift._typing import Array
from termsift.counts import Counts
from termsift.engines.accumulator import Accumulator, Part
from termsift.engines.files.sources import Source
from termsift.engines.files.spill import Spill
from termsift.engines.memory.matrix import as_weights
from termsift.engines.memory.texts import analyzer_of, bags_by_row, name_of, summed_part
from termsift.errors import InvalidInput, TermsiftWarning, unknown
from termsift.labels import Labels, as_labels
from termsift.text import Analyzer
from termsift.text.batches import STREAM, in_order, threads
from termsift.text.lexicon import Lexicon
from termsift.text.scanner import Bags, Scanner, encoded

MEMORY = 1 << 30
ON_MISSING = ("error", "skip")
Progress: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents of a stream: their texts as an Arrow array, their labels, and what they count for."""

    texts: Any
    labels: Labels
    weights: Array


def count_source(
    source: Source,
    *,
    analyzer: Any = None,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    memory: int = MEMORY,
    on_missing: str = "error",
    separator: str | None = None,
    progress: Progress | None = None,
) -> Counts:
    """Counts of the documents of files, larger than memory if need be.

    Parameters
    ----------
    memory : bytes that sums may take before they go to disk; the counts that result must fit by themselves
    on_missing : "error", or "skip" to leave out rows without a text or a label and warn of their number
    separator : what parts several labels in one field
    progress : called with the documents and the bytes of text so far

    """
    check_reading(memory, on_missing)
    analyzer = analyzer_of(analyzer)
    rows = Rows(source, on_missing, separator, sample_weight)
    with Spill(memory) as spill:
        accumulator = Accumulator(shortest(analyzer))
        done = [0, 0]
        for part, size in in_order(lambda batch: counted(batch, analyzer), rows.batches(), threads(n_jobs)):
            accumulator.add(part)
            done[0] += int(part.documents) if not rows.weighted else 0
            done[1] += size
            if progress is not None:
                progress(*done)
            if accumulator.nbytes > memory:
                accumulator.compact()
            if accumulator.nbytes > memory / 2:
                accumulator = spill.take(accumulator)
        rows.report()
        return spill.counts(accumulator, name_of(analyzer))


def documents_of_source(
    source: Source, *, on_missing: str = "error", separator: str | None = None
) -> tuple[list[str], list[Any]]:
    """The texts of a source and their labels: one each, or lists where a document has several or none."""
    check_reading(MEMORY, on_missing)
    rows = Rows(source, on_missing, separator, None)
    texts: list[str] = []
    names: list[list[Any]] = []
    for batch in rows.batches():
        texts += batch.texts.to_pylist()
        names += batch.labels.names
    rows.report()
    return texts, [own[0] for own in names] if all(len(own) == 1 for own in names) else names


def check_reading(memory: int, on_missing: str) -> None:
    """An error for a bound of memory, or a way with missing values, that cannot be."""
    if on_missing not in ON_MISSING:
        raise unknown("way with missing values", on_missing, ON_MISSING)
    if memory < 1:
        raise InvalidInput(f"memory must be at least 1 byte, got {memory}")


def counted(batch: Batch, analyzer: Any) -> tuple[Part, int]:
    """The sums of a batch, and the bytes of its texts."""
    bags, lexicon = bags_of(batch.texts, analyzer)
    return summed_part(bags, lexicon, batch.labels, batch.weights), bytes_of(batch.texts)[0].size


def bags_of(texts: Any, analyzer: Any) -> tuple[Bags, Lexicon]:
    """The bags of an Arrow array of texts, and the words they are of."""
    if not is_scanned(analyzer):
        return bags_by_row(texts.to_pylist(), analyzer)
    data, starts = bytes_of(texts)
    if len(data) and data.max() >= 128:
        data, starts = encoded(texts.to_pylist(), analyzer)
    scanner = Scanner(analyzer)
    return scanner.scan(data, starts), scanner.lexicon


def is_scanned(analyzer: Any) -> bool:
    """Whether the compiled scan follows the analyzer."""
    return isinstance(analyzer, Analyzer) and analyzer.is_compiled


def shortest(analyzer: Any) -> int:
    """The tokens of the shortest term, as the lexicon has them."""
    return analyzer.ngram_range[0] if is_scanned(analyzer) else 1


def bytes_of(texts: Any) -> tuple[Array, Array]:
    """An Arrow array of strings as one run of bytes, and where each begins; nothing is copied."""
    _, offsets, data = texts.buffers()
    starts = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    run = np.zeros(0, dtype=np.uint8) if data is None else np.frombuffer(data, dtype=np.uint8)
    return run[starts[0] : starts[-1]], starts - starts[0]


class Rows:
    """The rows of a source in batches of about as many bytes; what is missing is counted."""

    def __init__(self, source: Source, on_missing: str, separator: str | None, sample_weight: Any) -> None:
        self.source, self.on_missing, self.separator = source, on_missing, separator
        self.empty_is_missing, self.json = source.may_be_empty, source.has_json_labels
        self.weighted = sample_weight is not None
        self.sample_weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        self.seen = self.missing = 0

    def batches(self) -> Iterator[Batch]:
        """The batches."""
        held: list[Any] = []
        size = 0
        for records in self.source.batches():
            held.append(self.checked(records))
            size += held[-1].column("text").nbytes
            if size >= STREAM:
                yield self.batch(held)
                held, size = [], 0
        if held:
            yield self.batch(held)
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
        labels = table.column("label")
        absent = pc.equal(labels, "") if self.empty_is_missing else pc.is_null(labels)
        if self.json:
            absent = pc.or_(absent, pc.fill_null(pc.equal(labels, "null"), True))
        absent = pc.or_(absent, pc.is_null(texts))
        count = pc.sum(absent).as_py() or 0
        if count and self.on_missing == "error":
            row = pc.index(absent, True).as_py()
            what = "text" if texts[row].as_py() is None else "label"
            where = f"row {numbers[row].as_py() + 1} of {self.source.name}"
            raise InvalidInput(f"{where} has no {what}; mend it, or leave such rows out: on_missing='skip'")
        self.missing += count
        return table.filter(pc.invert(absent)) if count else table

    def batch(self, tables: list[Any]) -> Batch:
        """Some tables as one batch."""
        table = pa.concat_tables(tables).combine_chunks()
        rows = table.column("row").to_numpy()
        weights = np.zeros(0)
        if self.sample_weight is not None:
            if self.seen > len(self.sample_weight):
                raise InvalidInput(f"sample_weight has {len(self.sample_weight)} values; there are more rows")
            weights = as_weights(self.sample_weight[rows], len(rows))
        texts = table.column("text").combine_chunks()
        return Batch(texts, self.labels(table.column("label").combine_chunks()), weights)

    def labels(self, column: Any) -> Labels:
        """The labels of a column: scalars, lists, JSON, or fields with several in them."""
        return labels_of(column, self.parsed)

    def parsed(self, name: Any) -> Any:
        """The label, or labels, that a field holds."""
        name = json.loads(name) if self.json else name
        return name if self.separator is None else split(name, self.separator)

    def report(self) -> None:
        """Warn of what was left out."""
        if self.missing:
            import warnings

            what = f"{self.missing:,} of {self.seen:,} rows had no text or no label and were left out"
            warnings.warn(what, TermsiftWarning, stacklevel=4)


def labels_of(column: Any, parsed: Callable[[Any], Any]) -> Labels:
    """The labels of an Arrow array; what a string means is asked once for each that is different."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return as_labels(column.to_pylist())
    encoded_column = column.dictionary_encode()
    names = [parsed(name) for name in encoded_column.dictionary.to_pylist()]
    return as_labels([names[code] for code in encoded_column.indices.to_numpy().tolist()])


def split(name: Any, separator: str) -> Any:
    """The labels of a field."""
    if not isinstance(name, str):
        return name
    return [label for label in (part.strip() for part in name.split(separator)) if label]
