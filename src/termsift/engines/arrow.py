"""Documents as Arrow arrays, the form in which files and Spark deliver them: bags and labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from termsift._internal.errors import InvalidInputError
from termsift._internal.threads import BATCH_BYTES
from termsift._internal.typing import Array
from termsift.counts import Labels, as_labels, is_missing, pair_labels_with_groups
from termsift.engines.texts import bags_by_python
from termsift.text import Analyzer, Bags, Lexicon, Scanner, preprocess_bytes


def coalesce_tables(tables: Iterable[Any]) -> Iterator[Any]:
    """Concatenate tables until their first column, the texts, has about BATCH_BYTES."""
    pending: list[Any] = []
    size = 0
    for table in tables:
        pending.append(table)
        size += table.column(0).nbytes
        if size >= BATCH_BYTES:
            yield concat_tables(pending)
            pending, size = [], 0
    if pending:
        yield concat_tables(pending)


def concat_tables(tables: list[Any]) -> Any:
    """Concatenate tables; raise an error that names a column of incompatible types."""
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        for name in tables[0].schema.names:
            types = {str(table.schema.field(name).type): None for table in tables}
            if len(types) > 1:
                raise InvalidInputError(
                    f"{name}s have different types in different files: {', '.join(types)}; use one type"
                ) from error
        raise


def scan_arrow_texts(texts: Any, analyzer: Any) -> tuple[Bags, Lexicon]:
    """Return the bags of an Arrow array of texts, and their lexicon."""
    if not has_kernel(analyzer):
        return bags_by_python(texts.to_pylist(), analyzer)
    data, starts = arrow_bytes(texts)
    scanner = Scanner(analyzer)
    # the scanner works on the bytes in place, unless HTML or accents must be removed first
    if analyzer.html or (analyzer.strip_accents is not None and data.max(initial=0) >= 128):
        return scanner.scan_texts(texts.to_pylist()), scanner.lexicon
    return scanner.scan_bytes(*preprocess_bytes(data, starts, analyzer)), scanner.lexicon


def has_kernel(analyzer: Any) -> bool:
    """Check whether a compiled scanner implements the analyzer."""
    return isinstance(analyzer, Analyzer) and analyzer.has_kernel


def min_term_tokens(analyzer: Any) -> int:
    """Return the number of tokens of the shortest term, as the lexicon stores it."""
    return int(analyzer.token_range[0]) if has_kernel(analyzer) else 1


def arrow_bytes(texts: Any) -> tuple[Array, Array]:
    """Return the bytes of an Arrow array of strings and the offset of each string, without copying."""
    _, offsets, data = texts.buffers()
    starts = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    content = np.zeros(0, dtype=np.uint8) if data is None else np.frombuffer(data, dtype=np.uint8)
    return content[starts[0] : starts[-1]], starts - starts[0]


def numpy_to_arrow(numbers: Array) -> Any:
    """Return int64 numbers as an Arrow array."""
    # pyarrow.array, like to_numpy below, would import pandas
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])


def arrow_to_numpy(array: Any, fill_value: int = 0) -> Array:
    """Return an Arrow array of integers as NumPy array, with a value for nulls."""
    if array.null_count:
        return np.asarray(array.fill_null(fill_value).to_numpy())
    dtype = np.dtype(str(array.type))
    offset = array.offset * dtype.itemsize
    return np.frombuffer(array.buffers()[1], dtype=dtype, count=len(array), offset=offset)


def null_mask(array: Any) -> Array:
    """Return (values,) whether each value is null."""
    if not array.null_count:
        return np.zeros(len(array), dtype=bool)
    return np.asarray(array.is_null().to_numpy(zero_copy_only=False))


@dataclass(frozen=True, slots=True, eq=False)
class LabelColumn:
    """Dictionary-encoded labels of some rows.

    Parameters
    ----------
    names : list
        Distinct labels, or lists of labels.
    codes : Array, (rows,)
        Index of each row's label in `names`.
    groups : LabelColumn, optional
        Groups of the rows.

    """

    names: list[Any]
    codes: Array
    groups: LabelColumn | None = None

    @property
    def missing_masks(self) -> dict[str, Array]:
        """(rows,) whether the label, or one of a list of labels, is missing; and whether the group is."""
        is_absent = [
            any(map(is_missing, name)) if isinstance(name, list) else is_missing(name) for name in self.names
        ]
        masks = {"label": np.array(is_absent, dtype=bool)[self.codes]}
        return masks if self.groups is None else masks | {"group": self.groups.missing_masks["label"]}

    def keep(self, rows: Array) -> LabelColumn:
        """Return the labels of some rows."""
        groups = None if self.groups is None else self.groups.keep(rows)
        return LabelColumn(self.names, self.codes[rows], groups)

    @property
    def values(self) -> list[Any]:
        """Label, or list of labels, of each row."""
        return [self.names[code] for code in self.codes.tolist()]

    @property
    def labels(self) -> Labels:
        """Documents of each class, or of each pair of class and group."""
        labels = as_labels(self.values)
        return labels if self.groups is None else pair_labels_with_groups(labels, self.groups.values)


def encode_labels(
    column: Any, parse: Callable[[str], Any], label_separator: str | None, groups: Any = None
) -> LabelColumn:
    """Encode the labels of an Arrow array, and the groups of another; each distinct string is parsed once."""
    group_column = None if groups is None else encode_labels(groups, parse, None)
    if pa.types.is_nested(column.type):
        return LabelColumn(column.to_pylist(), np.arange(len(column)), group_column)
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    names = encoded.dictionary.to_pylist()
    # the last code stands for null
    codes = arrow_to_numpy(encoded.indices, len(names))
    if pa.types.is_string(encoded.type.value_type) or pa.types.is_large_string(encoded.type.value_type):
        names = [parse_label(i, names, codes, parse) for i in range(len(names))]
        if label_separator is not None:
            names = [split_labels(name, label_separator) for name in names]
    return LabelColumn([*names, None], codes, group_column)


def parse_label(i: int, names: list[str], codes: Array, parse: Callable[[str], Any]) -> Any:
    """Parse the i-th distinct string; an error names the first document with it."""
    try:
        return parse(names[i])
    except (ValueError, RecursionError) as error:
        document = int(np.argmax(codes == i))
        raise InvalidInputError(f"document {document} has an invalid label: {names[i][:60]}") from error


def split_labels(name: Any, label_separator: str) -> Any:
    """Split a field into its labels."""
    if not isinstance(name, str):
        return name
    return [label for label in map(str.strip, name.split(label_separator)) if label]
