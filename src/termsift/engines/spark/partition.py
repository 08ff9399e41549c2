"""What a Spark worker runs: the documents of a partition become partial sums, in bounded memory."""

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

from termsift._typing import Array
from termsift.engines.accumulator import Accumulator
from termsift.engines.arrow_texts import arrow_bags, arrow_bytes, gathered, label_column, shortest_term
from termsift.engines.memory.matrix import as_weights
from termsift.engines.memory.texts import summed_part
from termsift.engines.spark.rows import arrow_schema, document_rows, sum_rows
from termsift.engines.weights import levels
from termsift.errors import InvalidInput
from termsift.labels import Labels


@dataclass(frozen=True, slots=True)
class PartialSums:
    """From the Arrow batches of a partition to rows of sums; a value that travels to the workers.

    analyzer : how a text becomes terms
    class_type : the Arrow type of a class: that of a label, or text where classes are pairs with a group
    several : whether a document may have several labels; with a group it has one pair
    weighted : whether there is a column of weights
    separator, on_missing : as for files
    memory : bytes that the sums may take before they leave
    grouped : whether there is a column of groups
    """

    analyzer: Any
    class_type: Any
    several: bool
    weighted: bool
    separator: str | None
    on_missing: str
    memory: int
    grouped: bool = False

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The rows of a partition."""
        keep_modules()
        return Partition(self).rows(batches)


@cache
def keep_modules() -> None:
    """Leave what is loaded so far out of the search for garbage, which Spark does after every task."""
    gc.freeze()


class Partition:
    """The sums of a partition so far: an accumulator for each level of the weights."""

    def __init__(self, job: PartialSums) -> None:
        self.job, self.schema = job, arrow_schema(job.class_type, job.weighted)
        self.sums: dict[int, Accumulator] = {}
        self.read = self.missing = 0

    def rows(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The rows of all batches."""
        for table in gathered(pa.Table.from_batches([batch]) for batch in batches):
            self.read += len(table)
            self.add(table)
            if self.nbytes > self.job.memory:
                for accumulator in self.sums.values():
                    accumulator.compact()
                if self.nbytes > self.job.memory / 2:
                    yield from self.given_up()
        yield from self.given_up()
        if self.read:
            yield from document_rows({None: (0, self.read, self.missing)}, 0, self.schema)

    @property
    def nbytes(self) -> int:
        """The memory the sums take."""
        return sum(accumulator.nbytes for accumulator in self.sums.values())

    def given_up(self) -> Iterator[Any]:
        """What was accumulated, which is let go."""
        while self.sums:
            level, accumulator = self.sums.popitem()
            yield from sum_rows(accumulator, self.job.several, level, self.schema)

    def add(self, table: Any) -> None:
        """Count some rows, without those that miss something."""
        texts = valid(table.column("text").combine_chunks().cast(pa.large_string()), "text")
        column = valid(table.column("label").combine_chunks(), "label")
        groups = valid(table.column("group").combine_chunks(), "group") if self.job.grouped else None
        try:
            labels = label_column(column, str, self.job.separator, groups)
            rows = self.whole_rows(table, labels.absent)
            known = labels.keep(rows).labels
        except InvalidInput as error:
            # rows of a cluster have no order
            raise InvalidInput(re.sub(r"^document \d+ ", "a row ", str(error))) from error
        if len(rows):
            kept = pa.array(rows)
            self.count(
                texts.take(kept), known, table.column("weight").take(kept) if self.job.weighted else None
            )

    def whole_rows(self, table: Any, lacking: dict[str, Array]) -> Array:
        """The rows that miss nothing; an error for the others, unless they are to be skipped."""
        absent = {"text": nulls(table.column("text")), **lacking}
        if self.job.weighted:
            absent["weight"] = nulls(table.column("weight"))
        missing = np.any(list(absent.values()), axis=0)
        if missing.any() and self.job.on_missing == "error":
            first = int(np.argmax(missing))
            what = next(name for name, rows in absent.items() if rows[first])
            raise InvalidInput(f"a row has no {what}; mend it, or leave such rows out: on_missing='skip'")
        self.missing += int(missing.sum())
        return np.flatnonzero(~missing)

    def count(self, texts: Any, labels: Labels, column: Any) -> None:
        """Count documents, at each level of their weights."""
        bags, lexicon = arrow_bags(texts, self.job.analyzer)
        weights: dict[int, Any] = {0: np.zeros(0)}
        if column is not None:
            weights = levels(as_weights(column.to_numpy(), len(texts)))
        for level, chunks in weights.items():
            if level not in self.sums:
                self.sums[level] = Accumulator(shortest_term(self.job.analyzer))
            self.sums[level].add(summed_part(bags, lexicon, labels, chunks))


def nulls(column: Any) -> Array:
    """(rows,) whether the value is null, or not a number."""
    found: Array = pc.is_null(column, nan_is_null=True).to_numpy(zero_copy_only=False)
    return found


def valid(column: Any, what: str) -> Any:
    """The column, if its strings are UTF-8: Spark does not look when it casts bytes."""
    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        raise InvalidInput(f"a {what} is not UTF-8{bad_byte(column)}; decode the bytes before") from error
    return column


def bad_byte(column: Any) -> str:
    """Where the first broken string breaks."""
    if not pa.types.is_large_string(column.type):
        return ""
    data, starts = arrow_bytes(column)
    for first, last in pairwise(starts):
        raw = data[first:last].tobytes()
        try:
            raw.decode()
        except UnicodeDecodeError as error:
            begin = raw[: error.start][:40].decode()
            return f": byte 0x{raw[error.start]:02x} at {error.start:,} of one that begins {begin!r}"
    return ""
