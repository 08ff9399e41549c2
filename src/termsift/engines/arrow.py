"""Documents as Arrow arrays, the form in which files and Spark bring them: their bags and their labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from termsift._internal.errors import InvalidInputError
from termsift._internal.threads import STREAM
from termsift._internal.typing import Array
from termsift.counts import Labels, as_labels, is_missing, paired_labels
from termsift.engines.texts import bags_by_row
from termsift.text import Analyzer, Bags, Lexicon, Scanner, with_prepared


def gathered(tables: Iterable[Any]) -> Iterator[Any]:
    """Tables put together until their texts, the first column, have about as many bytes as a batch."""
    held: list[Any] = []
    size = 0
    for table in tables:
        held.append(table)
        size += table.column(0).nbytes
        if size >= STREAM:
            yield joined_tables(held)
            held, size = [], 0
    if held:
        yield joined_tables(held)


def joined_tables(tables: list[Any]) -> Any:
    """Tables one after the other; an error where a column is of types that do not go together."""
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        for name in tables[0].schema.names:
            types = {str(table.schema.field(name).type): None for table in tables}
            if len(types) > 1:
                raise InvalidInputError(
                    f"{name}s are of different types in different files: {', '.join(types)}; make them one"
                ) from error
        raise


def arrow_bags(texts: Any, analyzer: Any) -> tuple[Bags, Lexicon]:
    """The bags of an Arrow array of texts, and the words they are of."""
    if not is_scanned(analyzer):
        return bags_by_row(texts.to_pylist(), analyzer)
    data, starts = arrow_bytes(texts)
    scanner = Scanner(analyzer)
    # of ASCII only tags are more than the scan can leave out, of the rest accents too
    if analyzer.html or (analyzer.strip_accents is not None and data.max(initial=0) >= 128):
        return scanner.bags(texts.to_pylist()), scanner.lexicon
    return scanner.scan(*with_prepared(data, starts, analyzer)), scanner.lexicon


def is_scanned(analyzer: Any) -> bool:
    """Whether the compiled scan follows the analyzer."""
    return isinstance(analyzer, Analyzer) and analyzer.is_compiled


def shortest_term(analyzer: Any) -> int:
    """The tokens of the shortest term, as the lexicon has them."""
    return int(analyzer.token_range[0]) if is_scanned(analyzer) else 1


def arrow_bytes(texts: Any) -> tuple[Array, Array]:
    """An Arrow array of strings as one run of bytes, and where each begins; nothing is copied."""
    _, offsets, data = texts.buffers()
    starts = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    run = np.zeros(0, dtype=np.uint8) if data is None else np.frombuffer(data, dtype=np.uint8)
    return run[starts[0] : starts[-1]], starts - starts[0]


def arrow_numbers(numbers: Array) -> Any:
    """Whole numbers of 64 bits as an Arrow array; pyarrow.array, as to_numpy below, would import pandas."""
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])


def numbers_of(array: Any, missing: int = 0) -> Array:
    """An Arrow array of whole numbers as NumPy's, with a number for what is missing."""
    if array.null_count:
        filled: Array = array.fill_null(missing).to_numpy()
        return filled
    kind = np.dtype(str(array.type))
    return np.frombuffer(
        array.buffers()[1], dtype=kind, count=len(array), offset=array.offset * kind.itemsize
    )


def absent_values(array: Any) -> Array:
    """(values,) whether each is missing."""
    if not array.null_count:
        return np.zeros(len(array), dtype=bool)
    absent: Array = array.is_null().to_numpy(zero_copy_only=False)
    return absent


@dataclass(frozen=True, slots=True, eq=False)
class LabelColumn:
    """The labels of some rows: different ones, lists as well as names, and which of them each row has.

    groups : the groups of the rows, where there are any
    """

    names: list[Any]
    codes: Array
    groups: LabelColumn | None = None

    @property
    def absent(self) -> dict[str, Array]:
        """(rows,) whether the label is missing, or one of a list of labels; and whether the group is."""
        lacking = np.array([is_lacking(name) for name in self.names], dtype=bool)[self.codes]
        return {"label": lacking} | ({} if self.groups is None else {"group": self.groups.absent["label"]})

    def keep(self, rows: Array) -> LabelColumn:
        """Those of some rows."""
        return LabelColumn(
            self.names, self.codes[rows], None if self.groups is None else self.groups.keep(rows)
        )

    @property
    def values(self) -> list[Any]:
        """The label, or list of labels, of each row."""
        return [self.names[code] for code in self.codes.tolist()]

    @property
    def labels(self) -> Labels:
        """The documents of each class; with groups those of each pair."""
        known = as_labels(self.values)
        return known if self.groups is None else paired_labels(known, self.groups.values)


def label_column(
    column: Any, meaning: Callable[[str], Any], separator: str | None, groups: Any = None
) -> LabelColumn:
    """The labels of an Arrow array, and the groups of another, if there is one.

    What a string means is asked once for each that is different.
    """
    grouped = None if groups is None else label_column(groups, meaning, None)
    if pa.types.is_nested(column.type):
        return LabelColumn(column.to_pylist(), np.arange(len(column)), grouped)
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    # the code of what is missing is the last
    names, codes = coded.dictionary.to_pylist(), numbers_of(coded.indices, len(coded.dictionary))
    if pa.types.is_string(coded.type.value_type) or pa.types.is_large_string(coded.type.value_type):
        names = [meant(i, names, codes, meaning) for i in range(len(names))]
        names = names if separator is None else [separated(name, separator) for name in names]
    return LabelColumn([*names, None], codes, grouped)


def meant(i: int, names: list[str], codes: Array, meaning: Callable[[str], Any]) -> Any:
    """What the i-th string means; an error names the first document that has it."""
    try:
        return meaning(names[i])
    except (ValueError, RecursionError) as error:
        document = int(np.argmax(codes == i))
        raise InvalidInputError(
            f"document {document} has a label that cannot be read: {names[i][:60]}"
        ) from error


def is_lacking(name: Any) -> bool:
    """Whether a label is missing, or one of a list of labels."""
    return any(map(is_missing, name)) if isinstance(name, list) else is_missing(name)


def separated(name: Any, separator: str) -> Any:
    """The labels of a field."""
    if not isinstance(name, str):
        return name
    return [label for label in (part.strip() for part in name.split(separator)) if label]
