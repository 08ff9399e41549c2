"""How sums travel: a row for each term and class, and a few rows without a term for the documents.

| term | class | df | tf | tf2 |
|---|---|---|---|---|
| t | c | of the term in the class | | |
| t | null | of the term in all documents, where they may have several labels | | |
| null | c | documents of the class | 0 | 0 |
| null | null | documents | rows read | rows left out |

With weights there is a column `level` too: see engines/weights.py.
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
from termsift.counts import Labels
from termsift.engines.accumulator import Accumulator, Sums, levels
from termsift.engines.arrow import arrow_bags, arrow_bytes, gathered, label_column, shortest_term
from termsift.engines.matrices import as_weights
from termsift.engines.texts import summed_part
from termsift.text import NEW_LINE, Lexicon

SUMS = ("df", "tf", "tf2")
CHUNK = 1 << 16  # rows of a batch
PUT_TOGETHER = "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning"
SCORED = 1 << 17  # rows of sums that are scored at a time


def arrow_schema(class_type: Any, weighted: bool) -> Any:
    """The columns of the rows; classes are of the labels' type."""
    level = {"level": pa.int32()} if weighted else {}
    return pa.schema({"term": pa.string(), "class": class_type, **level, **dict.fromkeys(SUMS, pa.int64())})


def sum_rows(accumulator: Accumulator, several: bool, level: int, schema: Any) -> Iterator[Any]:
    """What was accumulated as batches of rows. The class of sums over all documents is null."""
    lexicon = accumulator.lexicon
    adder, places = accumulator.unsorted()
    parts = [*accumulator.by_class.items(), *([(None, accumulator.every)] if several else [])]
    sums = [adder.of(one, places) for _, one in parts]
    numbers, *values = (
        np.concatenate([np.zeros(0, np.int64), *columns]) for columns in zip(*sums, strict=True)
    )
    of_part = np.repeat(np.arange(len(parts)), [len(one[0]) for one in sums])
    classes = pa.array([name for name, _ in parts], schema.field("class").type).take(pa.array(of_part))
    yield from row_batches(lexicon_terms(lexicon).take(pa.array(numbers)), classes, level, values, schema)
    sizes = {**accumulator.sizes, None: accumulator.documents}
    yield from document_rows({name: (size, 0, 0) for name, size in sizes.items()}, level, schema)


def document_rows(sums: dict[Any, tuple[float, int, int]], level: int, schema: Any) -> Iterator[Any]:
    """The rows without a term, by class."""
    classes = pa.array(list(sums), schema.field("class").type)
    values = list(np.array(list(sums.values()), dtype=np.int64).T)
    return row_batches(pa.nulls(len(sums), pa.string()), classes, level, values, schema)


def row_batches(terms: Any, classes: Any, level: int, values: list[Array], schema: Any) -> Iterator[Any]:
    """Rows in batches."""
    given = {"term": terms, "class": classes, "level": pa.repeat(pa.scalar(level, pa.int32()), len(terms))}
    given |= dict(zip(SUMS, values, strict=True))
    table = pa.table([given[column] for column in schema.names], schema=schema)
    return iter(table.to_batches(CHUNK))


def lexicon_terms(lexicon: Lexicon) -> Any:
    """The tokens, then the n-grams, as an Arrow array; the bytes of the tokens are not copied."""
    terms, n = lexicon.tokens.terms, int(lexicon.size[0])
    tokens = string_array(terms.arena, np.concatenate([[0], terms.ends]))
    if not n:
        return tokens
    lines = lexicon.name_lines(np.arange(len(terms), len(terms) + n))
    ends = np.flatnonzero(lines == NEW_LINE)
    n_grams = string_array(lines[lines != NEW_LINE], np.concatenate([[0], ends - np.arange(n)]))
    return pa.concat_arrays([tokens, n_grams])


def string_array(data: Array, offsets: Array) -> Any:
    """Bytes, and where each string begins, as an Arrow array of strings."""
    buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(np.ascontiguousarray(data))]
    return pa.Array.from_buffers(pa.string(), len(offsets) - 1, buffers)


def kept_rows(rows: Any) -> Any:
    """The rows, kept on the cluster to be read again; small parts are put together, as of rows not kept.

    The setting is that of the moment in which Spark is told to keep them.
    """
    settings = rows.sparkSession.conf
    before = settings.get(PUT_TOGETHER)
    settings.set(PUT_TOGETHER, "true")
    try:
        return rows.persist()
    finally:
        settings.set(PUT_TOGETHER, before)


def split_sums(numbers: Array, classes: Array, values: list[Array], n_classes: int) -> list[Sums]:
    """Sums of all classes, by class and ascending by term."""
    order = np.lexsort((numbers, classes))
    edges = np.searchsorted(classes[order], np.arange(n_classes + 1))
    spans = [order[a:b] for a, b in pairwise(edges)]
    return [(numbers[span], *(value[span] for value in values)) for span in spans]  # type: ignore[misc]


def whole_terms(batches: Iterable[Any]) -> Iterator[Any]:
    """Tables of rows sorted by term, cut so that all rows of a term are in one."""
    held: list[Any] = []
    for batch in batches:
        held.append(batch)
        if sum(map(len, held)) < SCORED:
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
        except InvalidInputError as error:
            # rows of a cluster have no order
            raise InvalidInputError(re.sub(r"^document \d+ ", "a row ", str(error))) from error
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
            raise InvalidInputError(
                f"a row has no {what}; mend it, or leave such rows out: on_missing='skip'"
            )
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
        raise InvalidInputError(
            f"a {what} is not UTF-8{bad_byte(column)}; decode the bytes before"
        ) from error
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
