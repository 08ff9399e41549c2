"""CSV and TSV, by pyarrow, and how a file of cells is written: what parts them, whether they are quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from termsift.engines.files.input_files import InputFile
from termsift.engines.files.readers.columns import (
    TEXT,
    Column,
    WantedColumns,
    names_within,
    placed_columns,
)
from termsift.engines.files.text_files import head_text, utf8_stream
from termsift.errors import UnreadableFile

LONGEST_ROW = 1 << 28
BLOCK = 1 << 20
HEAD = 1 << 20  # characters that are looked at
LONGEST_HEADER = 1 << 24
ROWS_LOOKED_AT = 200
DELIMITERS = (",", ";", "\t")  # of a file that is called .csv; spreadsheets write the second
ROW_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class CellLayout:
    """How the rows of a file are written.

    columns : the cells of the header, or numbers from 1
    skipped : rows before the first document: those that are blank, and the header
    """

    columns: tuple[Column, ...]
    delimiter: str
    quoted: bool
    skipped: int


def csv_batches(file: InputFile, wanted: WantedColumns) -> Iterator[Any]:
    """The documents of a CSV file."""
    return delimited_batches(file, wanted, csv_layout(file, wanted))


def tsv_batches(file: InputFile, wanted: WantedColumns) -> Iterator[Any]:
    """The documents of a TSV file."""
    return delimited_batches(file, wanted, tsv_layout(file, wanted))


def csv_layout(file: InputFile, wanted: WantedColumns) -> CellLayout:
    """How a CSV file is written: by the delimiter with which it has the columns that are wanted."""
    head = head_of(file)
    known = DELIMITERS if wanted.delimiter is None else (wanted.delimiter,)
    layouts = [layout_of(head, delimiter, True, wanted.header) for delimiter in known]
    if wanted.header:
        fitting = [layout for layout in layouts if names_within(wanted, file) <= {*layout.columns}]
    else:
        fitting = [layout for layout in layouts if is_even(head, layout)]
    return fitting[0] if fitting else max(layouts, key=lambda layout: len(layout.columns))


def is_even(head: str, layout: CellLayout) -> bool:
    """Whether the first rows have as many cells each, and more than one."""
    rows = [row for row, _ in islice(head_rows(head, layout.delimiter, layout.quoted), ROWS_LOOKED_AT)]
    widths = {len(row) for row in (rows[:-1] if len(rows) > 1 else rows) if row != [""]}
    return widths == {len(layout.columns)} and widths != {1}


def tsv_layout(file: InputFile, wanted: WantedColumns) -> CellLayout:
    """How a TSV file is written: as IANA has it nothing is quoted, but many programs do."""
    head, delimiter = head_of(file), wanted.delimiter or "\t"
    return layout_of(head, delimiter, is_quoted(head, delimiter), wanted.header)


def is_quoted(head: str, delimiter: str) -> bool:
    """Whether cells begin with quotes, each of them ends with one, and rows are then of one length."""
    cells = re.compile(rf'(?:^|[\r\n{re.escape(delimiter)}])(?=")')
    if not cells.search(head):
        return False
    rows = [(row, sound) for row, sound in head_rows(head, delimiter, True) if row != [""]]
    whole = rows[:-1] if len(head) == HEAD else rows
    return all(sound for _, sound in whole) and len({len(row) for row, _ in whole}) == 1


def head_of(file: InputFile) -> str:
    """The beginning of a file, at least its first row that is not blank."""
    size = HEAD
    while True:
        head = head_text(file, size)
        if len(head) < size - 1 or ROW_END.search(head.lstrip("\r\n")):
            return head
        if size >= LONGEST_HEADER:
            raise UnreadableFile(f"{file.name} has no end of a line in {LONGEST_HEADER:,} characters")
        size *= 16


def layout_of(head: str, delimiter: str, quoted: bool, header: bool) -> CellLayout:
    """How a file is written that has this delimiter."""
    blank = 0
    first: Sequence[str] = []
    for first, _ in head_rows(head, delimiter, quoted):
        if first != [""]:
            break
        blank += 1
    columns: tuple[Column, ...] = tuple(first) if header else tuple(range(1, len(first) + 1))
    return CellLayout(columns, delimiter, quoted, blank + header)


def head_rows(head: str, delimiter: str, quoted: bool) -> Iterator[tuple[list[str], bool]]:
    """The cells of each row of a text, and whether they are soundly quoted; the last row may be cut.

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


def delimited_batches(file: InputFile, wanted: WantedColumns, layout: CellLayout) -> Iterator[Any]:
    """The documents of a file of cells. An empty label is a missing one, for there is no other sign of it.

    By pyarrow: DuckDB's reader loses its place in texts with line breaks where two of its buffers meet,
    and without threads holds the whole file. A row longer than a block is read again with a larger one.
    """
    places = placed_columns(wanted, layout.columns, file)
    block, done = BLOCK, 0
    while True:
        seen = 0
        try:
            for records in open_csv(file, layout, places, block):
                seen += len(records)
                if seen > done:
                    yield records.slice(max(len(records) - (seen - done), 0))
                    done = seen
            return
        except pa.ArrowInvalid as error:
            if "straddl" not in str(error) or block >= LONGEST_ROW:
                raise
            block *= 16


def open_csv(file: InputFile, layout: CellLayout, places: dict[str, int], block: int) -> Iterator[Any]:
    """Record batches of some columns under other names; what is empty, texts aside, is missing."""
    names = [f"c{i}" for i in range(len(layout.columns))]
    own = list(dict.fromkeys(places.values()))
    quote: Any = '"' if layout.quoted else False
    reader = arrow_csv.open_csv(
        utf8_stream(file),
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
        yield pa.record_batch({role: cells(role, records.column(own.index(i))) for role, i in places.items()})


def cells(role: str, column: Any) -> Any:
    """A column of cells, null where they are empty, unless they are texts."""
    if role.startswith(TEXT):
        return column
    # without a scalar, for which pyarrow would import pandas
    filled = pc.cast(pc.binary_length(column), pa.bool_())
    return pc.if_else(filled, column, pa.nulls(len(column), column.type))
