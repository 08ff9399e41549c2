"""Reader of CSV and TSV by pyarrow, with detection of delimiter and quotes, and of XLSX by openpyxl."""

from __future__ import annotations

import datetime
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
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
from termsift.engines.files.opening import InputFile, open_archive

MAX_ROW_BYTES = 1 << 28
BLOCK = 1 << 20
HEAD = 1 << 20  # characters that are looked at
MAX_HEADER_CHARS = 1 << 24
ROWS_LOOKED_AT = 200
DELIMITERS = (",", ";", "\t")  # of a file that is called .csv; spreadsheets write the second
ROW_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class CellLayout:
    """Layout of a delimited file.

    columns : the cells of the header, or numbers from 1
    skipped : rows before the first document: those that are blank, and the header
    """

    columns: tuple[Column, ...]
    delimiter: str
    quoted: bool
    skipped: int


def iter_csv(file: InputFile, spec: ColumnSpec) -> Iterator[Any]:
    """Yield the documents of a CSV file."""
    return iter_delimited(file, spec, detect_csv_layout(file, spec))


def iter_tsv(file: InputFile, spec: ColumnSpec) -> Iterator[Any]:
    """Yield the documents of a TSV file."""
    return iter_delimited(file, spec, detect_tsv_layout(file, spec))


def detect_csv_layout(file: InputFile, spec: ColumnSpec) -> CellLayout:
    """Detect the layout of a CSV file: the delimiter with which it has the requested columns."""
    head = load_head(file)
    known = DELIMITERS if spec.delimiter is None else (spec.delimiter,)
    layouts = [parse_layout(head, delimiter, True, spec.header) for delimiter in known]
    if spec.header:
        fitting = [layout for layout in layouts if required_columns(spec, file) <= {*layout.columns}]
    else:
        fitting = [layout for layout in layouts if has_equal_rows(head, layout)]
    return fitting[0] if fitting else max(layouts, key=lambda layout: len(layout.columns))


def has_equal_rows(head: str, layout: CellLayout) -> bool:
    """Check whether the first rows have the same number of cells, and more than one."""
    rows = [row for row, _ in islice(parse_rows(head, layout.delimiter, layout.quoted), ROWS_LOOKED_AT)]
    widths = {len(row) for row in (rows[:-1] if len(rows) > 1 else rows) if row != [""]}
    return widths == {len(layout.columns)} and widths != {1}


def detect_tsv_layout(file: InputFile, spec: ColumnSpec) -> CellLayout:
    """Detect the layout of a TSV file; IANA defines no quotes, but many programs write them."""
    head, delimiter = load_head(file), spec.delimiter or "\t"
    return parse_layout(head, delimiter, has_quoted_cells(head, delimiter), spec.header)


def has_quoted_cells(head: str, delimiter: str) -> bool:
    """Check whether cells are quoted correctly and rows then have the same number of cells."""
    cells = re.compile(rf'(?:^|[\r\n{re.escape(delimiter)}])(?=")')
    if not cells.search(head):
        return False
    rows = [(row, sound) for row, sound in parse_rows(head, delimiter, True) if row != [""]]
    whole = rows[:-1] if len(head) == HEAD else rows
    return all(sound for _, sound in whole) and len({len(row) for row, _ in whole}) == 1


def load_head(file: InputFile) -> str:
    """Return the start of a file, with at least its first row that is not blank."""
    size = HEAD
    while True:
        head = decode_head(file, size)
        if len(head) < size - 1 or ROW_END.search(head.lstrip("\r\n")):
            return head
        if size >= MAX_HEADER_CHARS:
            raise UnreadableFileError(f"{file.name} has no end of a line in {MAX_HEADER_CHARS:,} characters")
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

    A quote that opens a cell is closed by the next that is not doubled. What stands between it and the end
    of the cell is part of it, and not sound.
    """
    part = re.escape(delimiter)
    plain = rf"[^{part}\r\n]*"
    cell = re.compile(rf'"((?:[^"]|"")*+)("?)({plain})|({plain})' if quoted else rf"()()()({plain})")
    place, row, sound = 0, [], True
    while place < len(head):
        found = next(cell.finditer(head, place))
        opened = found[4] is None
        row.append(found[1].replace('""', '"') + found[3] if opened else found[4])
        sound &= not (opened and (found[3] or not found[2]))
        place = found.end()
        if head[place : place + 1] == delimiter:
            place += 1
            if place < len(head):
                continue
            row.append("")
        end = ROW_END.match(head, place)
        place = len(head) if end is None else end.end()
        yield row, sound
        row, sound = [], True


def iter_delimited(file: InputFile, spec: ColumnSpec, layout: CellLayout) -> Iterator[Any]:
    """Yield the documents of a delimited file; an empty label is missing.

    By pyarrow: DuckDB's reader loses its place in texts with line breaks where two of its buffers meet,
    and without threads holds the whole file. A row longer than a block is read again with a larger one.
    """
    places = find_columns(spec, layout.columns, file)
    block, done = BLOCK, 0
    while True:
        seen = 0
        try:
            for records in iter_csv_records(file, layout, places, block):
                seen += len(records)
                if seen > done:
                    yield records.slice(max(len(records) - (seen - done), 0))
                    done = seen
            return
        except pa.ArrowInvalid as error:
            if "straddl" not in str(error) or block >= MAX_ROW_BYTES:
                raise
            block *= 16


def iter_csv_records(
    file: InputFile, layout: CellLayout, places: dict[str, int], block: int
) -> Iterator[Any]:
    """Yield record batches of the requested columns by role, with empty cells as null, except texts."""
    names = [f"c{i}" for i in range(len(layout.columns))]
    own = list(dict.fromkeys(places.values()))
    quote: Any = '"' if layout.quoted else False
    reader = arrow_csv.open_csv(
        open_utf8_stream(file),
        # the header is skipped as a row, since its cells may hold line breaks
        read_options=arrow_csv.ReadOptions(
            block_size=block, column_names=names, skip_rows_after_names=layout.skipped
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=layout.delimiter, quote_char=quote, newlines_in_values=True
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.large_string()),
            include_columns=[names[i] for i in own],
        ),
    )
    for records in reader:
        yield pa.record_batch(
            {role: null_empty_cells(role, records.column(own.index(i))) for role, i in places.items()}
        )


def null_empty_cells(role: str, column: Any) -> Any:
    """Replace empty cells by null, unless they are texts."""
    if role.startswith(TEXT):
        return column
    # without a scalar, for which pyarrow would import pandas
    filled = pc.cast(pc.binary_length(column), pa.bool_())
    return pc.if_else(filled, column, pa.nulls(len(column), column.type))


ROWS = 2048
MAX_SHEET_ROWS = 1 << 20  # of a sheet, as Excel has it
# the columns of a sheet, and its rows
Sheet: TypeAlias = tuple[list[Column], Iterator[list[str]]]
# what openpyxl raises of a file that is damaged: whatever Python does where it trusts a file
FAULTS = (
    *(ArithmeticError, AttributeError, EOFError, LookupError, OSError, RuntimeError, SyntaxError, TypeError),
    *(ValueError, AssertionError, zipfile.BadZipFile, zlib.error),
)


def iter_xlsx(file: InputFile, spec: ColumnSpec) -> Iterator[Any]:
    """Yield the documents of the first sheet that has the columns."""
    with open_archive(file.path, file.name, MAX_UNPACKED_BYTES):
        pass  # what it would unpack to is bounded before openpyxl unpacks it
    columns, rows = choose_sheet(file, spec)
    places = find_columns(spec, columns, file)
    while batch := take_rows(rows, file):
        yield pa.record_batch(
            {
                role: null_empty_cells(role, pa.array([get_cell(row, i) for row in batch], pa.large_string()))
                for role, i in places.items()
            }
        )


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
        raise EngineError("to read .xlsx termsift needs openpyxl: pip install 'termsift[xlsx]'") from error
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
    sheet.reset_dimensions()  # what a file says of its size need not be so
    for number, row in enumerate(sheet.iter_rows(values_only=True)):
        if number >= MAX_SHEET_ROWS:
            raise UnreadableFileError(
                f"{file.name} is refused: it has a row after the last that a sheet can have"
            )
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
    except FAULTS as error:
        if isinstance(error, TermsiftError):
            raise
        what = f"{type(error).__name__}: {str(error)[:200]}"
        raise UnreadableFileError(f"{file.name} cannot be read as XLSX: it is damaged ({what})") from error


def get_cell(row: list[str], place: int) -> str:
    """Return a cell of a row, which may be shorter."""
    return row[place] if place < len(row) else ""


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
