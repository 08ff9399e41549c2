"""Sheets of Excel (.xlsx), by calamine: cells as a CSV file would have them."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, TypeAlias

import pyarrow as pa

from termsift.border.archives import LIMIT
from termsift.engines.files.input_files import InputFile
from termsift.engines.files.readers.columns import Column, WantedColumns, names_within, placed_columns
from termsift.engines.files.readers.delimited import cells
from termsift.engines.files.zip_files import opened_members
from termsift.errors import EngineFailure, UnreadableFile

ROWS = 2048
# the columns of a sheet, and its rows
Sheet: TypeAlias = tuple[list[Column], Iterator[list[Any]]]


def xlsx_batches(file: InputFile, wanted: WantedColumns) -> Iterator[Any]:
    """The documents of the first sheet that has the columns."""
    with opened_members(file.path, file.name, LIMIT):
        pass  # what it would unpack to is bounded before calamine unpacks it
    columns, rows = chosen_sheet(file, wanted)
    places = placed_columns(wanted, columns, file)
    while batch := list(islice(rows, ROWS)):
        yield pa.record_batch(
            {
                role: cells(role, pa.array([cell_text(row[i]) for row in batch], pa.large_string()))
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
    """The columns and the rows of each sheet, blank rows left out."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError as error:
        raise EngineFailure("to read .xlsx termsift needs calamine: pip install 'termsift[xlsx]'") from error
    try:
        with CalamineWorkbook.from_path(file.path) as book:
            for name in book.sheet_names:
                rows = (row for row in book.get_sheet_by_name(name).iter_rows() if any(map(cell_text, row)))
                first: list[Any] = next(rows, [])
                if header:
                    yield [cell_text(cell) for cell in first], rows
                else:
                    yield list(range(1, len(first) + 1)), chain([first] if first else [], rows)
    except CalamineError as error:
        raise UnreadableFile(f"{file.name} cannot be read as XLSX: {str(error)[:300]}") from error


def cell_text(cell: Any) -> str:
    """A cell as a spreadsheet writes it to CSV: whole numbers without a point, dates as ISO has them."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    return str(cell)
