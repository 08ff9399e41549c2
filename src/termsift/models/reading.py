"""The documents of files as a stream, without labels, and what is kept of their rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import numpy as np
import pyarrow as pa

from termsift._typing import Array
from termsift.engines.arrow_texts import check_reading, gathered, warn_of_missing
from termsift.engines.files.counting import MEMORY, SourceRows
from termsift.engines.files.encodings import warn_of_guesses
from termsift.engines.files.formats import Format
from termsift.engines.files.readers.columns import KEPT
from termsift.engines.files.sources import Source, found_files
from termsift.errors import InvalidInput


def text_stream(
    source: Source, on_missing: str = "error"
) -> Iterator[tuple[Array, list[str], list[list[Any]]]]:
    """The numbers of rows from 1, over all files, their texts, and what is kept of them, some at a time."""
    check_reading(MEMORY, on_missing, None)
    with found_files(source) as found:
        rows = SourceRows(source, found, on_missing, None, None)
        with closing(rows.numbered()) as tables:
            for table in gathered(tables):
                yield stream_batch(table.combine_chunks(), rows)
        if not rows.seen:
            raise InvalidInput(f"{source.name} has no rows, so there are no documents")
    warn_of_missing(rows.missing, rows.seen)
    warn_of_guesses(rows.guessed)


def stream_batch(table: Any, rows: SourceRows) -> tuple[Array, list[str], list[list[Any]]]:
    """Some rows with a text; without one they are an error, or skipped."""
    numbers = table.column("row").to_numpy()
    absent = table.column("text").combine_chunks().is_null().to_numpy(zero_copy_only=False)
    if absent.any():
        if rows.on_missing == "error":
            first = int(np.argmax(absent))
            what = f"document {first} has no text; mend it, or leave such rows out: on_missing='skip'"
            raise InvalidInput(rows.located(what, numbers))
        rows.missing += int(absent.sum())
        table, numbers = table.take(pa.array(np.flatnonzero(~absent))), numbers[~absent]
    kept = [
        kept_values(table.column(name), rows.format) for name in table.schema.names if name.startswith(KEPT)
    ]
    return numbers + 1, table.column("text").to_pylist(), kept


def kept_values(column: Any, format: Format) -> list[Any]:
    """The values of a column that comes along; those of JSON are what they mean."""
    values = column.to_pylist()
    is_json = format.name.startswith("JSON")
    return [format.meaning(value) if is_json and isinstance(value, str) else value for value in values]
