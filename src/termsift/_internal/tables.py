"""Table: named columns, which leave as Arrow, pandas, polars, CSV or JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from types import SimpleNamespace
from typing import Any

import numpy as np

from termsift._internal.errors import printable


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table:
    """Named columns of equal length, in order: the type of every table in termsift.

    columns : a mapping of names to NumPy arrays

    Iterating yields a dict per row; `table["term"]` is a column, `len(table)` the number of rows.
    Any library that supports the Arrow C stream (polars, pandas, DuckDB, ...) accepts a Table directly.

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
        """The first `n` rows."""
        return Table({name: column[:n] for name, column in self.columns.items()})

    def to_arrow(self) -> Any:
        """A pyarrow.Table."""
        import pyarrow as pa

        return pa.table({name: _arrow(column) for name, column in self.columns.items()})

    def to_pandas(self) -> Any:
        """A pandas.DataFrame."""
        import pandas as pd

        return pd.DataFrame({name: column.tolist() for name, column in self.columns.items()})

    def to_polars(self) -> Any:
        """A polars.DataFrame."""
        import polars as pl

        return pl.from_arrow(self.to_arrow())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_csv(self) -> str:
        """The rows as CSV with a header. Cells are not changed, even those that a spreadsheet would run."""
        lines: list[str] = []
        # with this end of a line Python quotes cells that hold either half of it, as readers need
        out = SimpleNamespace(write=lambda line: lines.append(line.removesuffix("\r\n") + "\n"))
        writer = csv.writer(out, lineterminator="\r\n")
        writer.writerow(self.columns)
        writer.writerows(row.values() for row in self)
        return "".join(lines)

    def to_json(self) -> str:
        """The rows as a JSON array of objects, one per line; null for interval ends that are not finite."""
        finite = Table({name: _finite(column) for name, column in self.columns.items()})
        rows = (json.dumps(row, ensure_ascii=False, default=str) for row in finite)
        return "[\n" + ",\n".join(rows) + "\n]"

    def __repr__(self) -> str:
        return text_table(self)

    def _repr_html_(self) -> str:
        shown = self.head(60)
        head = "".join(f"<th>{escape(cell(name))}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell(value))}</td>" for value in row.values()) + "</tr>"
            for row in shown
        )
        more = f"<p>{len(self) - len(shown)} more rows</p>" if len(self) > len(shown) else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def text_table(table: Table, most: int = 60) -> str:
    """The table as aligned text: numbers to the right, words to the left, the tail counted.

    It is for people: what a terminal would not show, or would obey, is written out.
    """
    shown = table.head(most)
    texts = {name: [cell(value) for value in column.tolist()] for name, column in shown.columns.items()}
    widths = {name: max([len(cell(name)), *map(len, column)]) for name, column in texts.items()}
    right = {name: column.dtype.kind in "iuf" for name, column in shown.columns.items()}

    def line(cells: Mapping[str, str]) -> str:
        parts = (v.rjust(widths[n]) if right[n] else v.ljust(widths[n]) for n, v in cells.items())
        return "  ".join(parts).rstrip()

    lines = [line({name: cell(name) for name in texts})]
    lines += [line({n: column[i] for n, column in texts.items()}) for i in range(len(shown))]
    if len(table) > most:
        lines.append(f"... {len(table) - most} more rows")
    return "\n".join(lines)


def cell(value: object) -> str:
    """One value as people read it: four significant digits, no trailing zeros, all of it to be seen."""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e6 else f"{value:.4e}"
    return printable(str(value))


def _finite(column: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The column, None in place of what JSON has no number for."""
    if column.dtype.kind != "f" or np.isfinite(column).all():
        return column
    held = column.astype(object)
    held[~np.isfinite(column)] = None
    return held


def _arrow(column: np.ndarray[Any, Any]) -> Any:
    import pyarrow as pa

    return pa.array(column.tolist() if column.dtype == object else np.ascontiguousarray(column))
