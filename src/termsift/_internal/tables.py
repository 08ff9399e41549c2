"""Table of named columns, with export to Arrow, pandas, polars, CSV and JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from types import SimpleNamespace
from typing import Any

import numpy as np

from termsift._internal.errors import escape_invisible

MAX_ROWS = 60  # shown in a terminal or notebook


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table:
    """Named columns of equal length: the type of every table in termsift.

    Iterating yields a dict per row; `table["term"]` is a column, `len(table)` the number of rows.
    Any library that supports the Arrow C stream (polars, pandas, DuckDB, ...) accepts a Table directly.

    Parameters
    ----------
    columns : mapping of str to array
        Columns by name, in order, as NumPy arrays of equal length.

    Attributes
    ----------
    columns : mapping of str to array
        Columns by name.

    Examples
    --------
    >>> table = Table({"term": np.array(["free", "win"], dtype=object), "score": np.array([2.5, 1.0])})
    >>> table
    term  score
    free    2.5
    win       1
    >>> list(table)[0]
    {'term': 'free', 'score': 2.5}
    >>> print(table.head(1).to_csv(), end="")
    term,score
    free,2.5

    """

    columns: Mapping[str, np.ndarray[Any, Any]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> np.ndarray[Any, Any]:
        return self.columns[name]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        lists = [column.tolist() for column in self.columns.values()]
        for row in zip(*lists, strict=True):
            yield dict(zip(self.columns, row, strict=True))

    def head(self, n: int) -> Table:
        """Return the first rows.

        Parameters
        ----------
        n : int
            Maximum number of rows.

        Returns
        -------
        Table

        """
        return Table({name: column[:n] for name, column in self.columns.items()})

    def to_arrow(self) -> Any:
        """Return the table as an Arrow table.

        Returns
        -------
        pyarrow.Table

        """
        import pyarrow as pa

        return pa.table({name: _to_arrow_array(column) for name, column in self.columns.items()})

    def to_pandas(self) -> Any:
        """Return the table as a pandas data frame.

        Returns
        -------
        pandas.DataFrame

        """
        import pandas as pd

        return pd.DataFrame({name: column.tolist() for name, column in self.columns.items()})

    def to_polars(self) -> Any:
        """Return the table as a polars data frame.

        Returns
        -------
        polars.DataFrame

        """
        import polars as pl

        return pl.from_arrow(self.to_arrow())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_csv(self) -> str:
        """Return the rows as CSV with a header.

        Cells are written as they are, even if a spreadsheet may run them as formulas.

        Returns
        -------
        str

        """
        rows: list[str] = []
        # the terminator \r\n makes csv quote cells that contain either \r or \n, as most readers require
        buffer = SimpleNamespace(write=lambda row: rows.append(row.removesuffix("\r\n") + "\n"))
        writer = csv.writer(buffer, lineterminator="\r\n")
        writer.writerow(self.columns)
        writer.writerows(row.values() for row in self)
        return "".join(rows)

    def to_json(self) -> str:
        """Return the rows as a JSON array with one object per line; non-finite numbers become null.

        Returns
        -------
        str

        """
        finite = Table({name: _replace_nonfinite(column) for name, column in self.columns.items()})
        rows = (json.dumps(row, ensure_ascii=False, default=str) for row in finite)
        return "[\n" + ",\n".join(rows) + "\n]"

    def __repr__(self) -> str:
        return format_table(self)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(format_cell(name))}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(format_cell(value))}</td>" for value in row.values()) + "</tr>"
            for row in self.head(MAX_ROWS)
        )
        note = f"<p>{len(self) - MAX_ROWS} more rows</p>" if len(self) > MAX_ROWS else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"


def format_table(table: Table, max_rows: int = MAX_ROWS) -> str:
    """Return the table as aligned text, with numbers right-aligned and invisible characters escaped."""
    columns = []
    for name, values in table.head(max_rows).columns.items():
        cells = [format_cell(value) for value in [name, *values.tolist()]]
        width = max(map(len, cells))
        is_numeric = values.dtype.kind in "iuf"
        columns.append([cell.rjust(width) if is_numeric else cell.ljust(width) for cell in cells])
    rows = ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]
    if len(table) > max_rows:
        rows.append(f"... {len(table) - max_rows} more rows")
    return "\n".join(rows)


def format_cell(value: object) -> str:
    """Return a value as text: four significant digits for floats, invisible characters escaped."""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e6 else f"{value:.4e}"
    return escape_invisible(str(value))


def _replace_nonfinite(column: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if column.dtype.kind != "f" or np.isfinite(column).all():
        return column
    values = column.astype(object)
    values[~np.isfinite(column)] = None
    return values


def _to_arrow_array(column: np.ndarray[Any, Any]) -> Any:
    import pyarrow as pa

    return pa.array(column.tolist() if column.dtype == object else np.ascontiguousarray(column))
