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

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from termsift._typing import Array
from termsift.engines.accumulator import Accumulator
from termsift.engines.sums import Sums
from termsift.text.lexicon import Lexicon
from termsift.text.terms import NEW_LINE

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
