"""Columns of files: which are requested, their positions, and their values as Arrow arrays of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from termsift._internal.errors import InvalidInputError, UnknownNameError, check_name, unknown_column_error
from termsift._internal.resources import BATCH_BYTES
from termsift._internal.typing import Array
from termsift.counts import Labels, as_labels, is_missing, pair_labels_with_groups
from termsift.engines.files.encodings import AUTO
from termsift.engines.files.opening import InputFile
from termsift.engines.frames import TEXT_SEPARATOR, split_labels
from termsift.engines.texts import build_bags
from termsift.text import TOKEN_SEPARATOR, Analyzer, Bags, Lexicon, Scanner, preprocess_bytes

TEXT, LABEL, GROUP = "text", "label", "group"
# prefix of the roles of metadata that is passed through unchanged
KEEP_PREFIX = "keep"
# column by its name, or by its number from 1 if there is no header
Column: TypeAlias = str | int
# how a shell can write a tab
TABS = {"\\t": "\t", "tab": "\t"}
ENCODING_ERRORS, ON_BAD_FILE = ("strict", "replace"), ("error", "skip")


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """Requested columns of a file, and the options for reading its text.

    texts : columns whose texts are joined
    label : label column; if it is empty, all documents are in one class
    header : whether the first row has the names of the columns; else they are numbers from 1
    delimiter : column delimiter (detected if omitted)
    encoding, errors : encoding of text files, and the policy for undecodable bytes
    on_bad_file : policy for files of a folder that are not text
    metadata : other columns by role, such as "time"
    """

    texts: tuple[Column, ...] = (TEXT,)
    label: Column = LABEL
    group: Column | None = None
    header: bool = True
    delimiter: str | None = None
    encoding: str = "utf-8"
    errors: str = "strict"
    on_bad_file: str = "error"
    metadata: tuple[tuple[str, Column], ...] = ()

    def __post_init__(self) -> None:
        check_name("policy for undecodable bytes", self.errors, ENCODING_ERRORS)
        check_name("policy for files that are not text", self.on_bad_file, ON_BAD_FILE)
        try:
            "".encode("utf-8" if isinstance(self.encoding, str) and self.encoding == AUTO else self.encoding)
        except (LookupError, ValueError, TypeError) as error:
            message = f"no text encoding named {self.encoding!r}; try 'utf-8' or 'latin-1'"
            raise InvalidInputError(message) from error
        delimiter = self.delimiter
        if delimiter is not None:
            is_character = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter.isascii()
            if not is_character or delimiter in '"\r\n\0' or delimiter.isalnum():
                message = f"delimiter must be one character such as ',', ';', '|' or a tab, got {delimiter!r}"
                raise InvalidInputError(message)
        if not isinstance(self.header, bool):
            raise InvalidInputError(f"header must be True or False, got {self.header!r}")
        roles = self.by_role
        for role, name in roles.items():
            if self.header and not isinstance(name, str):
                message = f"column names must be strings, got {name!r}; numbers are only for header=False"
                raise InvalidInputError(message)
            if not self.header and not (type(name) is int and name >= 1):
                raise InvalidInputError(f"without a header, columns are numbered from 1, got {role}={name!r}")
        for role, second_role in combinations(roles, 2):
            # a column that is passed through may have another role too
            if roles[role] == roles[second_role] and not second_role.startswith(KEEP_PREFIX):
                message = f"{role} and {second_role} are both column {roles[role]!r}; name two columns"
                raise InvalidInputError(message)

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
    on_bad_file: str = "error",
    metadata: Mapping[str, Any] | None = None,
) -> ColumnSpec:
    """Return the requested columns from the options of `ts.count`; numbers may be strings."""
    if header is False and (text is None or label is None):
        message = "without a header, columns are numbered from 1; pass both, such as text=2, label=1"
        raise InvalidInputError(message)
    texts = list(text) if isinstance(text, list | tuple) else [TEXT if text is None else text]
    if not texts:
        raise InvalidInputError("text is an empty list; name at least one column")
    names = [*texts, LABEL if label is None else label, group, *(metadata or {}).values()]
    if header is False:
        names = [parse_column_number(name) for name in names]
    *texts, label, group = names[: len(texts) + 2]
    columns = tuple(zip(metadata or {}, names[len(texts) + 2 :], strict=True))
    delimiter = TABS.get(delimiter, delimiter) if isinstance(delimiter, str) else delimiter
    policies = encoding, encoding_errors, on_bad_file
    return ColumnSpec(tuple(texts), label, group, header, delimiter, *policies, columns)


def parse_column_number(name: Any) -> Any:
    """Convert a column number from the command line; return other names as they are."""
    is_number = isinstance(name, str) and name.isascii() and name.isdecimal() and len(name) < 9
    return int(name) if is_number else name


def find_columns(spec: ColumnSpec, columns: Sequence[Column], file: InputFile) -> dict[str, int]:
    """Return the position of each requested column in a file, except those that only folders have."""
    in_folders = dict(file.folder_columns)
    requested = {
        role: name
        for role, name in spec.by_role.items()
        if role.startswith(TEXT) or name in columns or name not in in_folders
    }
    for name in requested.values():
        check_column_exists(name, columns, file.name)
    return {role: columns.index(name) for role, name in requested.items()}


def required_columns(spec: ColumnSpec, file: InputFile) -> set[Column]:
    """Return the columns that the file itself must have."""
    in_folders = dict(file.folder_columns)
    return {name for name in spec.by_role.values() if name not in in_folders}


def check_column_exists(name: Column, columns: Sequence[Column], file: str) -> None:
    """Check that a file has a column exactly once."""
    if name not in columns and isinstance(name, int):
        raise UnknownNameError(f"column {name} is not in {file}; it has {len(columns)} columns")
    if name not in columns:
        names = [str(column) for column in columns]
        raise UnknownNameError(f"{unknown_column_error(str(name), names, file)}{hint_no_header(names)}")
    times = columns.count(name)
    if times > 1:
        raise InvalidInputError(f"{file} has {times} columns named {name!r}; rename all but one")


def hint_no_header(names: Sequence[str]) -> str:
    """Return how to read a file whose column names look like data; empty for other names.

    >>> hint_no_header(["free prize for you", "spam"])
    '; if the first row is data: header=False text=1 label=2'
    """
    numbers = [name for name in names if name.strip("+-").replace(".", "", 1).isdecimal()]
    if len(names) < 2 or not (numbers or any(len(name.split()) > 3 for name in names)):
        return ""
    by_length = sorted(range(1, len(names) + 1), key=lambda i: len(names[i - 1]))
    return f"; if the first row is data: header=False text={by_length[-1]} label={by_length[0]}"


def normalize_batch(records: Any, spec: ColumnSpec, folder_columns: dict[str, str | None]) -> Any:
    """Return a batch with one text per row and with the columns of folder names."""
    columns = {}
    for name in records.schema.names:
        column = records.column(name)
        is_short = pa.types.is_string(column.type) or pa.types.is_string_view(column.type)
        columns[name] = column.cast(pa.large_string()) if is_short else column
    for role, name in spec.by_role.items():
        if role not in columns:
            columns[role] = pa.repeat(pa.scalar(folder_columns[str(name)], pa.large_string()), len(records))
    text_roles = [role for role in spec.by_role if role.startswith(TEXT)]
    for role in text_roles:
        if is_list_type(columns[role].type):
            return pa.table({TEXT: cast_token_column(columns.pop(role), role, spec)} | columns)
    texts = [columns.pop(role).cast(pa.large_string()) for role in text_roles]
    joined = texts[0]
    if len(texts) > 1:
        separator = pa.scalar(TEXT_SEPARATOR, pa.large_string())
        joined = pc.binary_join_element_wise(*texts, separator, null_handling="skip")
        # a row has no text if it has none in any of the columns
        is_absent = reduce(pc.and_, [text.is_null() for text in texts])
        joined = pc.if_else(is_absent, pa.scalar(None, joined.type), joined)
    return pa.table({TEXT: joined, **{role: columns[role] for role in spec.by_role if role in columns}})


def is_list_type(kind: Any) -> bool:
    """Return whether an Arrow type is one of lists."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def cast_token_column(column: Any, role: str, spec: ColumnSpec) -> Any:
    """Return a column of lists of tokens with large offsets, or raise an error for other lists."""
    name, kind = spec.by_role[role], column.type.value_type
    if len(spec.texts) > 1:
        raise InvalidInputError(f"column {name!r} has lists of tokens, which cannot be joined; name it alone")
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
        raise InvalidInputError(f"column {name!r} has lists of {kind}; tokens must be strings")
    return column.cast(pa.large_list(pa.large_string()))


def join_token_lists(lists: Any) -> Any:
    """Return an Arrow array of lists of tokens as texts; a list with a missing token is an error."""
    if lists.flatten().null_count:
        for i, tokens in enumerate(lists.to_pylist()):
            if tokens is not None and None in tokens:
                raise InvalidInputError(f"document {i} has a token that is null; tokens must be strings")
    return pc.binary_join(lists, pa.scalar(TOKEN_SEPARATOR, pa.large_string()))


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
                message = f"{name}s have different types in different files: {', '.join(types)}; use one type"
                raise InvalidInputError(message) from error
        raise


def scan_arrow_texts(texts: Any, analyzer: Any) -> tuple[Bags, Lexicon]:
    """Return the bags of an Arrow array of texts, and their lexicon."""
    if not has_kernel(analyzer):
        return build_bags(texts.to_pylist(), analyzer)
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


def arrow_to_numpy(array: Any, fill_value: int = 0) -> Array:
    """Return an Arrow array of integers as NumPy array, with a value for nulls."""
    # to_numpy would import pandas
    if array.null_count:
        return np.asarray(array.fill_null(fill_value).to_numpy())
    dtype = np.dtype(str(array.type))
    offset = array.offset * dtype.itemsize
    return np.frombuffer(array.buffers()[1], dtype=dtype, count=len(array), offset=offset)


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
        is_absent = [any(map(is_missing, name if isinstance(name, list) else [name])) for name in self.names]
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
    column: Any, parse_label: Callable[[str], Any], label_separator: str | None, groups: Any = None
) -> LabelColumn:
    """Encode the labels of an Arrow array, and the groups of another; each distinct string is parsed once."""
    group_column = None if groups is None else encode_labels(groups, parse_label, None)
    if pa.types.is_nested(column.type):
        return LabelColumn(column.to_pylist(), np.arange(len(column)), group_column)
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    names = encoded.dictionary.to_pylist()
    # the last code stands for null
    codes = arrow_to_numpy(encoded.indices, len(names))
    if pa.types.is_string(encoded.type.value_type) or pa.types.is_large_string(encoded.type.value_type):
        for i, name in enumerate(names):
            try:
                names[i] = parse_label(name)
            except (ValueError, RecursionError) as error:
                first = int(np.argmax(codes == i))
                raise InvalidInputError(f"document {first} has an invalid label: {name[:60]}") from error
        if label_separator is not None:
            names = [split_labels(name, label_separator) for name in names]
    return LabelColumn([*names, None], codes, group_column)
