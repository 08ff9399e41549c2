"""Documents as Arrow arrays, the form in which files and Spark bring them: their bags and their labels."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from termsift._typing import Array
from termsift.engines.memory.texts import bags_by_row
from termsift.errors import InvalidInput, TermsiftWarning, unknown
from termsift.labels import Labels, as_labels
from termsift.text import Analyzer
from termsift.text.batches import STREAM
from termsift.text.lexicon import Lexicon
from termsift.text.scanner import Bags, Scanner

ON_MISSING = ("error", "skip")


def check_reading(memory: int, on_missing: str) -> None:
    """An error for a bound of memory, or a way with missing values, that cannot be."""
    if on_missing not in ON_MISSING:
        raise unknown("way with missing values", on_missing, ON_MISSING)
    if memory < 1:
        raise InvalidInput(f"memory must be at least 1 byte, got {memory}")


def warn_of_missing(missing: int, read: int) -> None:
    """A warning where rows were left out."""
    if missing:
        what = f"{missing:,} of {read:,} rows had no text or no label and were left out"
        warnings.warn(what, TermsiftWarning, stacklevel=4)


def gathered(tables: Iterable[Any]) -> Iterator[Any]:
    """Tables put together until their texts, the first column, have about as many bytes as a batch."""
    held: list[Any] = []
    size = 0
    for table in tables:
        held.append(table)
        size += table.column(0).nbytes
        if size >= STREAM:
            yield pa.concat_tables(held)
            held, size = [], 0
    if held:
        yield pa.concat_tables(held)


def arrow_bags(texts: Any, analyzer: Any) -> tuple[Bags, Lexicon]:
    """The bags of an Arrow array of texts, and the words they are of."""
    if not is_scanned(analyzer):
        return bags_by_row(texts.to_pylist(), analyzer)
    data, starts = arrow_bytes(texts)
    scanner = Scanner(analyzer)
    if len(data) and data.max() >= 128:
        return scanner.bags(texts.to_pylist()), scanner.lexicon
    return scanner.scan(data, starts), scanner.lexicon


def is_scanned(analyzer: Any) -> bool:
    """Whether the compiled scan follows the analyzer."""
    return isinstance(analyzer, Analyzer) and analyzer.is_compiled


def shortest_term(analyzer: Any) -> int:
    """The tokens of the shortest term, as the lexicon has them."""
    return analyzer.ngram_range[0] if is_scanned(analyzer) else 1


def arrow_bytes(texts: Any) -> tuple[Array, Array]:
    """An Arrow array of strings as one run of bytes, and where each begins; nothing is copied."""
    _, offsets, data = texts.buffers()
    starts = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    run = np.zeros(0, dtype=np.uint8) if data is None else np.frombuffer(data, dtype=np.uint8)
    return run[starts[0] : starts[-1]], starts - starts[0]


def arrow_labels(column: Any, meaning: Callable[[str], Any], separator: str | None) -> Labels:
    """The labels of an Arrow array; what a string means is asked once for each that is different."""
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return as_labels(column.to_pylist())
    coded = column.dictionary_encode()
    names = [meaning(name) for name in coded.dictionary.to_pylist()]
    names = names if separator is None else [separated(name, separator) for name in names]
    return as_labels([names[code] for code in coded.indices.to_numpy().tolist()])


def separated(name: Any, separator: str) -> Any:
    """The labels of a field."""
    if not isinstance(name, str):
        return name
    return [label for label in (part.strip() for part in name.split(separator)) if label]
