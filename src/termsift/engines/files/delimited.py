"""Reader of CSV and TSV by pyarrow, with detection of delimiter and quotes, and of XLSX by openpyxl."""

from __future__ import annotations

import datetime
import re
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from termsift._internal.errors import EngineError, TermsiftError, UnreadableFileError
from termsift._internal.files import MAX_UNPACKED_BYTES
from termsift.engines.files.columns import TEXT, Column, ColumnSpec, find_columns, required_columns
from termsift.engines.files.encodings import decode_head, open_utf8_stream
from termsift.engines.files.opening import InputFile, open_zip_members

# size of the blocks that are read: at first, and at most, because a row must fit into one
BLOCK, MAX_BLOCK = 1 << 20, 1 << 28
# characters at the start of a file that are inspected, and the most that a header may have
HEAD, MAX_HEADER_CHARS = 1 << 20, 1 << 24
INSPECTED_ROWS = 200
# columns that a header may have; the names and types of all of them take memory and time
MAX_COLUMNS = 100_000
# delimiters in .csv files; spreadsheets write semicolons in some languages
DELIMITERS = (",", ";", "\t")
ROW_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class CellLayout:
    """Layout of a delimited file.

    columns : cells of the header, or numbers from 1
    skipped : number of rows before the first document: blank ones, and the header
    """

    columns: tuple[Column, ...]
    delimiter: str
    quoted: bool
    skipped: int


def detect_csv_layout(file: InputFile, spec: ColumnSpec) -> CellLayout:
    """Detect the layout of a CSV file: the delimiter with which it has the requested columns."""
    head = load_head(file)
    delimiters = DELIMITERS if spec.delimiter is None else (spec.delimiter,)
    layouts = [parse_layout(head, delimiter, True, spec.header) for delimiter in delimiters]
    if spec.header:
        matches = [layout for layout in layouts if required_columns(spec, file) <= {*layout.columns}]
    else:
        matches = [layout for layout in layouts if has_equal_row_lengths(head, layout)]
    return matches[0] if matches else max(layouts, key=lambda layout: len(layout.columns))


def has_equal_row_lengths(head: str, layout: CellLayout) -> bool:
    """Check whether the first rows have the same number of cells, and more than one."""
    rows = [row for row, _ in islice(parse_rows(head, layout.delimiter, layout.quoted), INSPECTED_ROWS)]
    # the last row may be cut
    widths = {len(row) for row in (rows[:-1] if len(rows) > 1 else rows) if row != [""]}
    return widths == {len(layout.columns)} and widths != {1}


def detect_tsv_layout(file: InputFile, spec: ColumnSpec) -> CellLayout:
    """Detect the layout of a TSV file; IANA defines no quotes, but many programs write them."""
    head, delimiter = load_head(file), spec.delimiter or "\t"
    is_quoted = re.search(rf'(?:^|[\r\n{re.escape(delimiter)}])"', head) is not None
    if is_quoted:
        rows = [(row, is_valid) for row, is_valid in parse_rows(head, delimiter, True) if row != [""]]
        complete = rows[:-1] if len(head) == HEAD else rows
        is_quoted = all(is_valid for _, is_valid in complete) and len({len(row) for row, _ in complete}) == 1
    return parse_layout(head, delimiter, is_quoted, spec.header)


def load_head(file: InputFile) -> str:
    """Return the start of a file, with at least its first row that is not blank."""
    size = HEAD
    while True:
        head = decode_head(file, size)
        if len(head) < size - 1 or ROW_END.search(head.lstrip("\r\n")):
            return head
        if size >= MAX_HEADER_CHARS:
            message = f"{file.name} has no line break in its first {MAX_HEADER_CHARS:,} characters"
            raise UnreadableFileError(message)
        size *= 16


def parse_layout(head: str, delimiter: str, quoted: bool, header: bool) -> CellLayout:
    """Return the layout of a file with this delimiter."""
    blank = 0
    first: Sequence[str] = []
    for first, _ in parse_rows(head, delimiter, quoted):
        if first != [""]:
            break
        blank += 1
    columns: tuple[Column, ...] = tuple(first) if header else tuple(range(1, len(first) + 1))
    return CellLayout(columns, delimiter, quoted, blank + header)


def parse_rows(head: str, delimiter: str, quoted: bool) -> Iterator[tuple[list[str], bool]]:
    """Yield the cells of each row of a text, and whether they are quoted correctly; the last row may be cut.

    A quote that opens a cell is closed by the next one that is not doubled. Characters between it and the end
    of the cell belong to the cell, but then it is not quoted correctly.
    """
    plain = rf"[^{re.escape(delimiter)}\r\n]*"
    cell = re.compile(rf'"((?:[^"]|"")*+)("?)({plain})|({plain})' if quoted else rf"()()()({plain})")
    position, row, is_valid = 0, [], True
    while position < len(head):
        match = next(cell.finditer(head, position))
        is_quoted = match[4] is None
        row.append(match[1].replace('""', '"') + match[3] if is_quoted else match[4])
        is_valid &= not (is_quoted and (match[3] or not match[2]))
        position = match.end()
        if len(row) > MAX_COLUMNS:  # refused later, or the delimiter of another file
            yield row, False
            return
        if head[position : position + 1] == delimiter:
            position += 1
            if position < len(head):
                continue
            row.append("")
        end = ROW_END.match(head, position)
        position = len(head) if end is None else end.end()
        yield row, is_valid
        row, is_valid = [], True


def iter_delimited(
    file: InputFile, spec: ColumnSpec, detect_layout: Callable[[InputFile, ColumnSpec], CellLayout]
) -> Iterator[Any]:
    """Yield the documents of a delimited file; empty cells are null, unless they are texts."""
    # DuckDB's reader splits texts with line breaks wrongly where two of its buffers meet, and without threads
    # holds the file in memory, so pyarrow reads it
    layout = detect_layout(file, spec)
    if len(layout.columns) > MAX_COLUMNS:
        raise UnreadableFileError(
            f"{file.name} has more than {MAX_COLUMNS:,} columns; is {layout.delimiter!r} its delimiter? "
            "Give delimiter=..., or a file with fewer columns"
        )
    positions = find_columns(spec, layout.columns, file)
    names = [f"c{i}" for i in range(len(layout.columns))]
    used = list(dict.fromkeys(positions.values()))
    quote: Any = '"' if layout.quoted else False
    parse = arrow_csv.ParseOptions(delimiter=layout.delimiter, quote_char=quote, newlines_in_values=True)
    types = dict.fromkeys(names, pa.large_string())
    convert = arrow_csv.ConvertOptions(column_types=types, include_columns=[names[i] for i in used])
    # the header is skipped as a row, since its cells may contain line breaks
    read = arrow_csv.ReadOptions(block_size=BLOCK, column_names=names, skip_rows_after_names=layout.skipped)
    n_yielded = 0
    while True:
        n_rows = 0
        try:
            for records in arrow_csv.open_csv(open_utf8_stream(file), read, parse, convert):
                n_rows += len(records)
                if n_rows > n_yielded:
                    batch = records.slice(max(len(records) - (n_rows - n_yielded), 0))
                    columns = {role: batch.column(used.index(i)) for role, i in positions.items()}
                    yield pa.record_batch({role: null_empty_cells(role, columns[role]) for role in columns})
                    n_yielded = n_rows
            return
        except pa.ArrowInvalid as error:
            # a row is longer than a block
            if "straddl" not in str(error) or read.block_size >= MAX_BLOCK:
                raise
            read.block_size *= 16


def null_empty_cells(role: str, column: Any) -> Any:
    """Replace empty cells by null, unless they are texts."""
    if role.startswith(TEXT):
        return column
    # a scalar would make pyarrow import pandas
    is_filled = pc.cast(pc.binary_length(column), pa.bool_())
    return pc.if_else(is_filled, column, pa.nulls(len(column), column.type))


ROWS = 2048
# the limit of Excel
MAX_SHEET_ROWS = 1 << 20
# columns of a sheet, and its rows
Sheet: TypeAlias = tuple[list[Column], Iterator[list[str]]]
# openpyxl trusts files, so a damaged one can raise almost any exception
OPENPYXL_ERRORS = (
    *(ArithmeticError, AttributeError, EOFError, LookupError, OSError, RuntimeError, SyntaxError, TypeError),
    *(ValueError, AssertionError, zipfile.BadZipFile, zlib.error),
)


def iter_xlsx(file: InputFile, spec: ColumnSpec) -> Iterator[Any]:
    """Yield the documents of the first sheet that has the columns."""
    # check the size that it would unpack to before openpyxl unpacks it
    with open_zip_members(file.path, file.name, MAX_UNPACKED_BYTES):
        pass
    columns, rows = choose_sheet(file, spec)
    positions = find_columns(spec, columns, file)
    while batch := take_rows(rows, file):
        # rows end with their last cell that is not empty
        cells = {role: [row[i] if i < len(row) else "" for row in batch] for role, i in positions.items()}
        arrays = {role: pa.array(values, pa.large_string()) for role, values in cells.items()}
        yield pa.record_batch({role: null_empty_cells(role, column) for role, column in arrays.items()})


def choose_sheet(file: InputFile, spec: ColumnSpec) -> Sheet:
    """Return the first sheet that has the requested columns, or else the first one."""
    first: Sheet | None = None
    for columns, rows in iter_sheets(file, spec.header):
        if required_columns(spec, file) <= {*columns}:
            return columns, rows
        first = first or ((columns, rows) if columns else None)
    if first is None:
        raise UnreadableFileError(f"{file.name} has no cells, so there are no documents")
    return first


def iter_sheets(file: InputFile, header: bool) -> Iterator[Sheet]:
    """Yield the columns and the rows of each sheet."""
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise EngineError("reading .xlsx files needs openpyxl: pip install 'termsift[xlsx]'") from error
    with wrap_openpyxl_errors(file):
        book = load_workbook(file.path, read_only=True, data_only=True)
    for sheet in book.worksheets:
        rows = iter_nonblank_rows(sheet, file)
        first = next(iter(take_rows(rows, file, 1)), [])
        if header:
            yield list(first), rows
        else:
            yield list(range(1, len(first) + 1)), chain([first] if first else [], rows)


def iter_nonblank_rows(sheet: Any, file: InputFile) -> Iterator[list[str]]:
    """Yield the cells of each row that is not blank, as texts."""
    # the size that a file states may be wrong
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(values_only=True)):
        if number >= MAX_SHEET_ROWS:
            raise UnreadableFileError(f"{file.name} is refused: it has more rows than a sheet can have")
        texts = [format_cell(cell) for cell in row]
        if any(texts):
            yield texts


def take_rows(rows: Iterator[list[str]], file: InputFile, size: int = ROWS) -> list[list[str]]:
    """Return the next rows."""
    with wrap_openpyxl_errors(file):
        return list(islice(rows, size))


@contextmanager
def wrap_openpyxl_errors(file: InputFile) -> Iterator[None]:
    """Raise errors of openpyxl as UnreadableFileError, and ignore its warnings."""
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    except OPENPYXL_ERRORS as error:
        if isinstance(error, TermsiftError):
            raise
        reason = f"{type(error).__name__}: {str(error)[:200]}"
        raise UnreadableFileError(f"{file.name} cannot be read as XLSX: it is damaged ({reason})") from error


def format_cell(cell: Any) -> str:
    """Format a cell as a spreadsheet writes it to CSV: integers without a point, ISO dates."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        return cell.date().isoformat()
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    return str(cell)
