"""Spark worker code: the documents of a partition become rows of sums.

A row for each term and class, and a few rows without a term for the documents:

| term | class | df | tf | tf2 |
|---|---|---|---|---|
| t | c | of the term in the class | | |
| t | null | of the term in all documents, if they may have several labels | | |
| null | c | documents of the class | 0 | 0 |
| null | null | documents | rows read | rows dropped |

Sums are integers without weights, and doubles with weights.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array
from termsift.engines.files.columns import (
    arrow_bytes,
    coalesce_tables,
    encode_labels,
    min_term_tokens,
    scan_arrow_texts,
)
from termsift.engines.matrices import Accumulator, weights_or_empty
from termsift.engines.texts import sum_batches
from termsift.text import NEWLINE, Lexicon

SUM_COLUMNS = ("df", "tf", "tf2")
ROWS_PER_BATCH = 1 << 16
SCORED_ROWS = 1 << 17  # rows of sums that are scored at a time


@dataclass(frozen=True, slots=True)
class PartialSums:
    """Function from the Arrow batches of a partition to rows of sums; it is pickled for the workers.

    Parameters
    ----------
    analyzer : Analyzer or callable
    class_type : pyarrow.DataType
        Type of a class: that of a label, or string for pairs of label and group.
    is_multilabel : bool
        Whether a document may have several labels; with a group it has one pair.
    is_weighted : bool
        Whether there is a weight column.
    label_separator, on_missing
        As for files.
    memory : int
        Bytes that the sums may take before they are emitted.
    has_groups : bool
        Whether there is a group column.

    """

    analyzer: Any
    class_type: Any
    is_multilabel: bool
    is_weighted: bool
    label_separator: str | None
    on_missing: str
    memory: int
    has_groups: bool = False

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Return the rows of a partition."""
        exempt_modules_from_gc()
        return Partition(self).iter_sum_batches(batches)

    @property
    def arrow_schema(self) -> Any:
        """Arrow schema of the rows."""
        dtype = pa.float64() if self.is_weighted else pa.int64()
        return pa.schema({"term": pa.string(), "class": self.class_type, **dict.fromkeys(SUM_COLUMNS, dtype)})


@cache
def exempt_modules_from_gc() -> None:
    """Exclude the loaded modules from garbage collection, which Spark runs after every task."""
    gc.freeze()


class Partition:
    """Running sums of a partition."""

    def __init__(self, job: PartialSums) -> None:
        self.job = job
        self.accumulator = Accumulator(min_term_tokens(job.analyzer))
        self.n_rows = self.n_missing = 0

    def iter_sum_batches(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield the rows of all batches."""
        for table in coalesce_tables(pa.Table.from_batches([batch]) for batch in batches):
            self.n_rows += len(table)
            self.add(table)
            if self.accumulator.nbytes > self.job.memory:
                self.accumulator.compact()
                if self.accumulator.nbytes > self.job.memory / 2:
                    yield from self.drain()
        yield from self.drain()
        if self.n_rows:
            yield from self.document_row_batches({None: (0, self.n_rows, self.n_missing)})

    def drain(self) -> Iterator[Any]:
        """Yield the accumulated rows, and start again from zero."""
        accumulator, self.accumulator = self.accumulator, Accumulator(min_term_tokens(self.job.analyzer))
        if not accumulator.class_sizes and not accumulator.n_documents:
            return
        adder, ranks = accumulator.lexicon_order_adder()
        batches = list(accumulator.by_class.items())
        if self.job.is_multilabel:
            batches.append((None, accumulator.total))
        sums = [adder.add_up(class_batches, ranks) for _, class_batches in batches]
        empty = [np.zeros(0, np.int64)] * 4
        numbers, *values = (np.concatenate(columns) for columns in zip(empty, *sums, strict=True))
        class_index = np.repeat(np.arange(len(batches)), [len(class_sums[0]) for class_sums in sums])
        classes = pa.array([name for name, _ in batches], self.job.class_type).take(pa.array(class_index))
        terms = lexicon_terms(accumulator.lexicon).take(pa.array(numbers))
        yield from self.to_batches(terms, classes, values)
        sizes = {**accumulator.class_sizes, None: accumulator.n_documents}
        yield from self.document_row_batches({name: (size, 0, 0) for name, size in sizes.items()})

    def document_row_batches(self, sums: dict[Any, tuple[float, int, int]]) -> Iterator[Any]:
        """Yield the rows without a term, by class."""
        classes = pa.array(list(sums), self.job.class_type)
        return self.to_batches(pa.nulls(len(sums), pa.string()), classes, np.array(list(sums.values())).T)

    def to_batches(self, terms: Any, classes: Any, values: Iterable[Array]) -> Iterator[Any]:
        """Return columns as Arrow batches of the schema."""
        schema = self.job.arrow_schema
        sums = [pa.array(np.ascontiguousarray(column)).cast(schema.field("df").type) for column in values]
        return iter(pa.table([terms, classes, *sums], schema=schema).to_batches(ROWS_PER_BATCH))

    def add(self, table: Any) -> None:
        """Count the complete rows of a table."""
        job = self.job
        texts = validate_utf8(table.column("text").combine_chunks().cast(pa.large_string()), "text")
        column = validate_utf8(table.column("label").combine_chunks(), "label")
        groups = validate_utf8(table.column("group").combine_chunks(), "group") if job.has_groups else None
        try:
            label_column = encode_labels(column, str, job.label_separator, groups)
            rows = self.find_complete_rows(table, label_column.missing_masks)
            labels = label_column.keep(rows).labels
        except InvalidInputError as error:
            # rows of a cluster have no order, so a number would not help
            raise InvalidInputError(re.sub(r"^document \d+ ", "a row ", str(error))) from error
        if not len(rows):
            return
        weights = np.zeros(0)
        if job.is_weighted:
            weights = weights_or_empty(table.column("weight").take(pa.array(rows)).to_numpy(), len(rows))
        bags, lexicon = scan_arrow_texts(texts.take(pa.array(rows)), job.analyzer)
        self.accumulator.add(sum_batches([(bags, labels)], lexicon, weights))

    def find_complete_rows(self, table: Any, missing_masks: dict[str, Array]) -> Array:
        """Return the indices of rows without missing values; others are an error, unless skipped."""
        names = ("text", "weight") if self.job.is_weighted else ("text",)
        masks = {
            name: np.asarray(pc.is_null(table.column(name), nan_is_null=True).to_numpy(zero_copy_only=False))
            for name in names
        }
        masks |= missing_masks
        is_incomplete = np.any(list(masks.values()), axis=0)
        if is_incomplete.any() and self.job.on_missing == "error":
            first = int(np.argmax(is_incomplete))
            name = next(name for name, mask in masks.items() if mask[first])
            raise InvalidInputError(f"a row has no {name}; fix it, or skip such rows: on_missing='skip'")
        self.n_missing += int(is_incomplete.sum())
        return np.flatnonzero(~is_incomplete)


def lexicon_terms(lexicon: Lexicon) -> Any:
    """Return the tokens, then the n-grams, as an Arrow array; the bytes of the tokens are not copied."""
    terms, n_ngrams = lexicon.tokens.terms, int(lexicon.size[0])
    tokens = string_array(terms.arena, np.concatenate([[0], terms.ends]))
    if not n_ngrams:
        return tokens
    joined = lexicon.join_term_bytes(np.arange(len(terms), len(terms) + n_ngrams))
    ends = np.flatnonzero(joined == NEWLINE)
    offsets = np.concatenate([[0], ends - np.arange(n_ngrams)])
    return pa.concat_arrays([tokens, string_array(joined[joined != NEWLINE], offsets)])


def string_array(data: Array, offsets: Array) -> Any:
    """Return bytes and the offset of each string as an Arrow array of strings."""
    buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(np.ascontiguousarray(data))]
    return pa.Array.from_buffers(pa.string(), len(offsets) - 1, buffers)


def iter_complete_terms(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield tables of rows sorted by term, with all rows of a term in one table."""
    pending: list[Any] = []
    for batch in batches:
        pending.append(batch)
        if sum(map(len, pending)) < SCORED_ROWS:
            continue
        rows = pa.Table.from_batches(pending)
        # the last term may continue in the next batch
        cut = pc.index(rows["term"], rows["term"][-1].as_py()).as_py()
        if cut:
            yield rows.slice(0, cut)
        pending = rows.slice(cut).to_batches()
    if pending:
        yield pa.Table.from_batches(pending)


def validate_utf8(column: Any, role: str) -> Any:
    """Return the column; raise an error unless its strings are UTF-8, which Spark does not check."""
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        message = f"a {role} is not UTF-8{describe_invalid_byte(column)}; decode the bytes first"
        raise InvalidInputError(message) from error
    return column


def describe_invalid_byte(column: Any) -> str:
    """Return the position of the first undecodable byte, or an empty string."""
    if not pa.types.is_large_string(column.type):
        return ""
    data, starts = arrow_bytes(column)
    for first, last in pairwise(starts):
        content = data[first:last].tobytes()
        try:
            content.decode()
        except UnicodeDecodeError as error:
            start = content[: error.start][:40].decode()
            return f": byte 0x{content[error.start]:02x} at {error.start:,} of one that begins {start!r}"
    return ""
