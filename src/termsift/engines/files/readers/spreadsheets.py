"""Sheets of Excel (.xlsx), by openpyxl, row by row: cells as a CSV file would have them.

Readers that lay a sheet out as a whole end the process where a file says that it has a cell far away.
"""

from __future__ import annotations

import datetime
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any, TypeAlias

import pyarrow as pa

from termsift.border.archives import LIMIT
from termsift.engines.files.input_files import InputFile
from termsift.engines.files.readers.columns import Column, WantedColumns, names_within, placed_columns
from termsift.engines.files.readers.delimited import cells
from termsift.engines.files.zip_files import opened_members
from termsift.errors import EngineFailure, TermsiftError, UnreadableFile

ROWS = 2048
MOST_ROWS = 1 << 20  # of a sheet, as Excel has it
# the columns of a sheet, and its rows
Sheet: TypeAlias = tuple[list[Column], Iterator[list[str]]]
# what openpyxl raises of a file that is damaged: whatever Python does where it trusts a file
FAULTS = (
    *(ArithmeticError, AttributeError, EOFError, LookupError, OSError, RuntimeError, SyntaxError, TypeError),
    *(ValueError, AssertionError, zipfile.BadZipFile, zlib.error),
)


def xlsx_batches(file: InputFile, wanted: WantedColumns) -> Iterator[Any]:
    """The documents of the first sheet that has the columns."""
    with opened_members(file.path, file.name, LIMIT):
        pass  # what it would unpack to is bounded before openpyxl unpacks it
    columns, rows = chosen_sheet(file, wanted)
    places = placed_columns(wanted, columns, file)
    while batch := read_rows(rows, file):
        yield pa.record_batch(
            {
                role: cells(role, pa.array([cell_at(row, i) for row in batch], pa.large_string()))
                for role, i in places.items()
            }
        )


def chosen_sheet(file: InputFile, wanted: WantedColumns) -> Sheet:
    """The first sheet that has the wanted columns; the first, if none has."""
    first: Sheet | None = None
    for columns, rows in sheets(file, wanted.header):
        if names_within(wanted, file) <= {*columns}:
            return columns, rows
        first = first or ((columns, rows) if columns else None)
    if first is None:
        raise UnreadableFile(f"{file.name} has no cells, so there are no documents")
    return first


def sheets(file: InputFile, header: bool) -> Iterator[Sheet]:
    """The columns and the rows of each sheet."""
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise EngineFailure("to read .xlsx termsift needs openpyxl: pip install 'termsift[xlsx]'") from error
    with told_damage(file):
        book = load_workbook(file.path, read_only=True, data_only=True)
    for sheet in book.worksheets:
        rows = written_rows(sheet, file)
        first = next(iter(read_rows(rows, file, 1)), [])
        if header:
            yield list(first), rows
        else:
            yield list(range(1, len(first) + 1)), chain([first] if first else [], rows)


def written_rows(sheet: Any, file: InputFile) -> Iterator[list[str]]:
    """The cells of the rows of a sheet that are not blank, as text."""
    sheet.reset_dimensions()  # what a file says of its size need not be so
    for number, row in enumerate(sheet.iter_rows(values_only=True)):
        if number >= MOST_ROWS:
            raise UnreadableFile(f"{file.name} is refused: it has a row after the last that a sheet can have")
        texts = [cell_text(cell) for cell in row]
        if any(texts):
            yield texts


def read_rows(rows: Iterator[list[str]], file: InputFile, size: int = ROWS) -> list[list[str]]:
    """The next rows."""
    with told_damage(file):
        return list(islice(rows, size))


@contextmanager
def told_damage(file: InputFile) -> Iterator[None]:
    """What openpyxl raises as one line; what it warns of is not ours."""
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    except FAULTS as error:
        if isinstance(error, TermsiftError):
            raise
        what = f"{type(error).__name__}: {str(error)[:200]}"
        raise UnreadableFile(f"{file.name} cannot be read as XLSX: it is damaged ({what})") from error


def cell_at(row: list[str], place: int) -> str:
    """The cell of a row, which may end before it."""
    return row[place] if place < len(row) else ""


def cell_text(cell: Any) -> str:
    """A cell as a spreadsheet writes it to CSV: whole numbers without a point, dates as ISO has them."""
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
