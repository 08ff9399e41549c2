"""Requested columns of a file, their positions, and the joining of several texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from termsift._internal.errors import InvalidInputError, UnknownNameError, unknown_column_error
from termsift.engines.files.encodings import check_encoding
from termsift.engines.files.opening import InputFile
from termsift.engines.texts import TEXT_SEPARATOR

TEXT, LABEL, GROUP = "text", "label", "group"
KEEP_PREFIX = "keep"  # how the roles of metadata begin that come along as they are
# a column by its name, or by its number from 1 where there is no header
Column: TypeAlias = str | int
TABS = {"\\t": "\t", "tab": "\t"}  # as a shell can write it


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """Requested columns of a file, and the options for reading its text.

    texts : the columns whose texts are joined
    label : without one, where it is empty, all documents are of one class
    header : whether the first row has the names of the columns; else they are numbers from 1
    delimiter : what parts columns, where it is not found by looking
    encoding, errors : of text files, and what is done with bytes that are no text
    metadata : other columns by what they are for, such as "time"
    """

    texts: tuple[Column, ...] = (TEXT,)
    label: Column = LABEL
    group: Column | None = None
    header: bool = True
    delimiter: str | None = None
    encoding: str = "utf-8"
    errors: str = "strict"
    metadata: tuple[tuple[str, Column], ...] = ()

    def __post_init__(self) -> None:
        check_encoding(self.encoding, self.errors)
        check_delimiter(self.delimiter)
        if not isinstance(self.header, bool):
            raise InvalidInputError(f"header must be True or False, got {self.header!r}")
        for role, name in self.by_role.items():
            check_column(role, name, self.header)
        for one, other in combinations(self.by_role, 2):
            # what comes along may be read as something else too
            if self.by_role[one] == self.by_role[other] and not other.startswith(KEEP_PREFIX):
                raise InvalidInputError(f"{one} and {other} are both column {self.by_role[one]!r}; name two")

    @property
    def by_role(self) -> dict[str, Column]:
        """Column of each text, of labels, groups and metadata, by role."""
        names = {TEXT if i == 1 else f"{TEXT} {i}": name for i, name in enumerate(self.texts, 1)}
        names |= {LABEL: self.label} if self.label != "" else {}
        names |= {} if self.group is None else {GROUP: self.group}
        return names | dict(self.metadata)


def parse_column_spec(
    text: Any = None,
    label: Any = None,
    group: Any = None,
    *,
    header: bool = True,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    encoding_errors: str = "strict",
    metadata: Mapping[str, Any] | None = None,
) -> ColumnSpec:
    """Return the requested columns from the options of `ts.count`; numbers may be strings."""
    if header is False and (text is None or label is None):
        raise InvalidInputError("without a header columns are numbers from 1; name both, as text=2, label=1")
    texts = list(text) if isinstance(text, list | tuple) else [TEXT if text is None else text]
    if not texts:
        raise InvalidInputError("text names no column; name one, or several")
    names, others = [*texts, LABEL if label is None else label, group], dict(metadata or {})
    if header is False:
        names, others = (
            [parse_column_number(name) for name in names],
            {k: parse_column_number(v) for k, v in others.items()},
        )
    *texts, label, group = names
    delimiter = TABS.get(delimiter, delimiter) if isinstance(delimiter, str) else delimiter
    how = (header, delimiter, encoding, encoding_errors)
    return ColumnSpec(tuple(texts), label, group, *how, tuple(others.items()))


def parse_column_number(name: Any) -> Any:
    """Convert a column number from the command line; return other names as they are."""
    is_number = isinstance(name, str) and name.isascii() and name.isdecimal() and len(name) < 9
    return int(name) if is_number else name


def check_column(role: str, name: Any, header: bool) -> None:
    """Check that the name or number of a column is valid."""
    if header and not isinstance(name, str):
        raise InvalidInputError(f"a column is named by a text, got {name!r}; numbers are for header=False")
    if not header and not (isinstance(name, int) and not isinstance(name, bool) and name >= 1):
        raise InvalidInputError(f"without a header columns are numbers from 1, got {role}={name!r}")


def check_delimiter(delimiter: Any) -> None:
    """Check that the delimiter is one punctuation character or a tab."""
    if delimiter is None:
        return
    is_sign = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter.isascii()
    if not is_sign or delimiter in '"\r\n\0' or delimiter.isalnum():
        raise InvalidInputError(
            f"delimiter must be one sign such as ',', ';', '|' or a tab, got {delimiter!r}"
        )


def find_columns(spec: ColumnSpec, columns: Sequence[Column], file: InputFile) -> dict[str, int]:
    """Return the position of each requested column in a file, except those that only folders have."""
    folders = dict(file.given)
    own = {
        role: name
        for role, name in spec.by_role.items()
        if role.startswith(TEXT) or name in columns or name not in folders
    }
    for name in own.values():
        check_column_exists(name, columns, file.name)
    return {role: columns.index(name) for role, name in own.items()}


def required_columns(spec: ColumnSpec, file: InputFile) -> set[Column]:
    """Return the columns that the file itself must have."""
    return {name for name in spec.by_role.values() if name not in dict(file.given)}


def check_column_exists(name: Column, columns: Sequence[Column], file: str) -> None:
    """Check that a file has a column exactly once."""
    if name not in columns and isinstance(name, int):
        raise UnknownNameError(f"there is no column {name} in {file}; it has {len(columns)}")
    if name not in columns:
        raise unknown_column_error(str(name), [str(column) for column in columns], file)
    if columns.count(name) > 1:
        raise InvalidInputError(
            f"{file} has {columns.count(name)} columns named {name!r}; rename all but one"
        )


def complete_batch(records: Any, spec: ColumnSpec, given: dict[str, str | None]) -> Any:
    """Return a batch with one text per row and with the columns of folder names."""
    names = [name for name in spec.by_role if name.startswith(TEXT)]
    columns = {name: to_large_strings(records.column(name)) for name in records.schema.names}
    for role, column in spec.by_role.items():
        if role not in columns:
            columns[role] = pa.repeat(pa.scalar(given[str(column)], pa.large_string()), len(records))
    texts = join_text_columns([columns.pop(name) for name in names])
    return pa.table({TEXT: texts, **{name: columns[name] for name in spec.by_role if name in columns}})


def to_large_strings(column: Any) -> Any:
    """Cast strings to large_string; return other columns as they are."""
    short = pa.types.is_string(column.type) or pa.types.is_string_view(column.type)
    return column.cast(pa.large_string()) if short else column


def join_text_columns(texts: list[Any]) -> Any:
    """Join text columns with line breaks; null if all are null."""
    texts = [text.cast(pa.large_string()) for text in texts]
    if len(texts) == 1:
        return texts[0]
    joined = pc.binary_join_element_wise(
        *texts, pa.scalar(TEXT_SEPARATOR, pa.large_string()), null_handling="skip"
    )
    absent = texts[0].is_null()
    for text in texts[1:]:
        absent = pc.and_(absent, text.is_null())
    return pc.if_else(absent, pa.scalar(None, joined.type), joined)
