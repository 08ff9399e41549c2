"""CSV and TSV by Spark's reader, set so that its rows are those of the engine of files.

Spark parts the fields of bytes, as characters of Latin-1, of which none is lost; what they say is decoded by
Python, as the engine of files does it. Encodings that write a comma otherwise than ASCII are left to Java.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from termsift.engines.files.encodings import wrongly_encoded
from termsift.engines.files.formats import Format, known_endings
from termsift.engines.files.input_files import FoundFile, InputFile
from termsift.engines.files.readers.columns import TEXT, WantedColumns, placed_columns
from termsift.engines.files.readers.delimited import ROW_END, CellLayout, csv_layout, head_of, tsv_layout
from termsift.engines.files.text_files import file_head, first_bad_byte
from termsift.engines.spark.columns import quoted
from termsift.engines.spark.paths import spark_path
from termsift.engines.spark.readers.decoding import (
    Encoding,
    is_ascii_based,
    java_name,
    text_files,
    united,
    with_given,
)

BYTES = "ISO-8859-1"  # a character per byte
NO_QUOTE = "\uffff"  # no character of BYTES
MARK = codecs.BOM_UTF8
COLUMNS = 20480  # the most that Spark reads unless told


@dataclass(frozen=True, slots=True)
class Dialect:
    """How some files of fields are written, and where in them the wanted columns are.

    places : the role of each column that is wanted of the file, and its place
    line_end : what ends a row
    marked : whether the mark of UTF-8 stands before the first cell, which Java takes away
    given : what the names of folders say of the others
    """

    layout: CellLayout
    places: tuple[tuple[str, int], ...]
    line_end: str
    encoding: Encoding
    header: bool
    marked: bool
    given: tuple[tuple[str, str | None], ...]

    @property
    def is_of_bytes(self) -> bool:
        """Whether delimiter, quote and line end have the bytes of ASCII, which nothing else has."""
        # second bytes of East Asian encodings are at least those of "0"
        return is_ascii_based(self.encoding.name) and self.layout.delimiter < "0" and not self.marked

    @property
    def options(self) -> dict[str, Any]:
        """The settings of Spark's reader. A row with more or fewer fields than the header is an error."""
        quote = '"' if self.layout.quoted else NO_QUOTE
        return {
            "sep": self.layout.delimiter,
            "quote": quote,
            "escape": quote,
            "charToEscapeQuoteEscaping": NO_QUOTE,  # where it is not set, NUL characters are taken for it
            "lineSep": self.line_end,
            "multiLine": True,
            "header": self.header,
            "encoding": BYTES if self.is_of_bytes else java_name(self.encoding.name),
            "mode": "FAILFAST",
            "columnPruning": False,
            "maxColumns": max(COLUMNS, len(self.layout.columns)),
        }

    def cell(self, role: str, place: int) -> str:
        """The cell of a column in SQL: bytes, or a string; null where it is empty, unless it is a text."""
        cell = f"c{place}"
        if self.line_end == "\n" and place == len(self.layout.columns) - 1:
            cell = f"IF(ENDSWITH({cell}, '\\r'), SUBSTRING({cell}, 1, LENGTH({cell}) - 1), {cell})"
        cell = f"COALESCE({cell}, '')" if role.startswith(TEXT) else f"NULLIF({cell}, '')"
        return f"ENCODE({cell}, '{BYTES}')" if self.is_of_bytes else cell


def csv_frame(spark: Any, files: Sequence[FoundFile], wanted: WantedColumns) -> Any:
    """The documents of CSV files."""
    return delimited_frame(spark, files, wanted, known_endings()[".csv"], csv_layout)


def tsv_frame(spark: Any, files: Sequence[FoundFile], wanted: WantedColumns) -> Any:
    """The documents of TSV files."""
    return delimited_frame(spark, files, wanted, known_endings()[".tsv"], tsv_layout)


def delimited_frame(
    spark: Any,
    files: Sequence[FoundFile],
    wanted: WantedColumns,
    kind: Format,
    layout_of: Callable[[InputFile, WantedColumns], CellLayout],
) -> Any:
    """The documents of files of fields, those that are written alike at once."""
    alike: dict[Dialect, list[str]] = {}
    for found, file in text_files(spark, files, wanted, kind):
        dialect = dialect_of(file, wanted, layout_of(file, wanted))
        alike.setdefault(dialect, []).append(spark_path(found))
    return united(dialect_frame(spark, paths, wanted, dialect) for dialect, paths in alike.items())


def dialect_of(file: InputFile, wanted: WantedColumns, layout: CellLayout) -> Dialect:
    """How a file is written."""
    places = placed_columns(wanted, layout.columns, file)
    end = ROW_END.search(head_of(file))
    encoding = Encoding(file.encoding, file.errors)
    given = tuple((name, value) for name, value in file.given if name in wanted.columns.values())
    return Dialect(
        layout,
        tuple(places.items()),
        end[0] if end else "\n",
        encoding,
        wanted.header,
        not wanted.header and is_marked(file),
        given,
    )


def is_marked(file: InputFile) -> bool:
    """Whether a file begins with the mark of UTF-8; an error where it is none, which Java would not say."""
    if not file_head(file).startswith(MARK):
        return False
    bad = first_bad_byte(file, "utf-8") if file.errors == "strict" else None
    if bad is not None:
        raise wrongly_encoded(file.name, "utf-8", bad)
    return True


def dialect_frame(spark: Any, paths: list[str], wanted: WantedColumns, dialect: Dialect) -> Any:
    """The wanted columns of files that are written alike, under their own names."""
    schema = ", ".join(f"c{i} STRING" for i in range(len(dialect.layout.columns)))
    rows = spark.read.schema(schema).options(**dialect.options).csv(paths)
    names = {role: str(wanted.columns[role]) for role, _ in dialect.places}
    cells = [f"{dialect.cell(role, place)} AS {quoted(names[role])}" for role, place in dialect.places]
    frame = rows.selectExpr(*cells)
    if dialect.is_of_bytes:
        frame = dialect.encoding.decoded(frame)
    return with_given(frame, wanted, dialect.given)
