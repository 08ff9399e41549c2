"""Table of named columns, with export to Arrow, pandas, polars, CSV, JSON, Markdown and LaTeX."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain
from types import SimpleNamespace
from typing import Any, overload

import numpy as np

from termsift._internal.errors import InvalidInputError, escape_invisible, unknown_name_error
from termsift._internal.files import FilePath, atomic_write

MAX_ROWS = 60  # shown in a terminal or notebook
NEARLY_ZERO = "<1e-290"  # p-values below 1e-300 are computed as 0, and q-values are at most 1e10 times p


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table:
    """Named columns of equal length: the type of every table in termsift.

    Iterating yields a dict per row; `table["term"]` is a column, `len(table)` the number of rows.
    `table[3:10]` and `table[table["score"] > 2]` are tables of some rows.
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
    >>> table[table["score"] < 2]
    term  score
    win       1
    >>> print(table.head(1).to_csv(), end="")
    term,score
    free,2.5
    >>> print(table[1:].to_markdown(), end="")
    | term | score |
    |---|---:|
    | win | 1 |

    """

    columns: Mapping[str, np.ndarray[Any, Any]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    @overload
    def __getitem__(self, key: str) -> np.ndarray[Any, Any]: ...
    @overload
    def __getitem__(self, key: slice | np.ndarray[Any, Any] | Sequence[int]) -> Table: ...
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self.columns:
                raise unknown_name_error("column", key, self.columns)
            return self.columns[key]
        rows = key if isinstance(key, slice) else self._row_indices(key)
        return Table({name: column[rows] for name, column in self.columns.items()})

    def _row_indices(self, key: Any) -> np.ndarray[Any, Any]:
        """Return the indices of rows chosen by a mask or by their numbers."""
        if isinstance(key, np.ndarray | Sequence):
            # a column of True, False and None, where None is unknown, is a mask too
            rows = np.asarray(key)
            if rows.dtype == object and all(value is None or isinstance(value, bool) for value in rows):
                rows = rows == True  # noqa: E712
            if rows.ndim == 1 and rows.dtype.kind == "b" and len(rows) == len(self):
                return np.flatnonzero(rows)
            if rows.ndim == 1 and rows.dtype.kind == "b":
                message = f"the mask has {len(rows)} values, but the table has {len(self)} rows"
                raise InvalidInputError(message)
            if rows.ndim == 1 and (rows.dtype.kind == "i" or not len(rows)):
                out_of_range = rows[(rows < -len(self)) | (rows >= len(self))]
                if len(out_of_range):
                    raise InvalidInputError(
                        f"there is no row {out_of_range[0]}; the {len(self)} rows are numbered from 0"
                    )
                return rows.astype(np.intp)
        message = f"a table is indexed by a column name, a slice, row numbers or a mask, got {key!r}"
        raise InvalidInputError(message)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        lists = [column.tolist() for column in self.columns.values()]
        for row in zip(*lists, strict=True):
            yield dict(zip(self.columns, row, strict=True))

    @property
    def _with_p_value_bounds(self) -> Table:
        """Table with a bound in place of p- and q-values of 0, which no test has."""
        shown = {
            name: np.where(self.columns[name] == 0, NEARLY_ZERO, self.columns[name].astype(object))
            for name in ("p", "q")
            if name in self.columns
        }
        return Table({**self.columns, **shown})

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

        items = self.columns.items()
        return pa.table({k: v.tolist() if v.dtype == object else np.ascontiguousarray(v) for k, v in items})

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

    def to_csv(self, path: FilePath | None = None) -> Any:
        """Return the rows as CSV with a header, or write them to a file.

        Cells are written as they are, even if a spreadsheet may run them as formulas.

        Parameters
        ----------
        path : str or path, optional
            File to write.

        Returns
        -------
        str or None
            The text; None if it is written to a file.

        """
        rows = (row.values() for row in self)
        return _write_or_return(format_csv(chain([self.columns], rows)), path)

    def to_json(self, path: FilePath | None = None) -> Any:
        """Return the rows as a JSON array with one object per line, or write them to a file.

        Numbers that are not finite become null.

        Parameters
        ----------
        path : str or path, optional
            File to write.

        Returns
        -------
        str or None
            The text; None if it is written to a file.

        """
        null: Any = None
        columns = dict(self.columns)
        for name, column in columns.items():
            if column.dtype.kind == "f":
                columns[name] = np.where(np.isfinite(column), column.astype(object), null)
        rows = (json.dumps(row, ensure_ascii=False, default=str) for row in Table(columns))
        return _write_or_return("[\n" + ",\n".join(rows) + "\n]", path)

    def to_markdown(self, path: FilePath | None = None) -> Any:
        """Return the rows as a Markdown table, or write them to a file; numbers have four significant digits.

        Parameters
        ----------
        path : str or path, optional
            File to write.

        Returns
        -------
        str or None
            The text; None if it is written to a file.

        """
        rules = ["---:" if column.dtype.kind in "iuf" else "---" for column in self.columns.values()]
        cells = [_format_markdown(name) for name in self.columns]
        rows = [[_format_markdown(value) for value in row.values()] for row in self._with_p_value_bounds]
        lines = [f"| {' | '.join(cells)} |", f"|{'|'.join(rules)}|"]
        return _write_or_return("\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n", path)

    def to_latex(self, path: FilePath | None = None) -> Any:
        """Return the rows as a LaTeX tabular with the rules of booktabs, or write them to a file.

        Parameters
        ----------
        path : str or path, optional
            File to write.

        Returns
        -------
        str or None
            The text; None if it is written to a file.

        """
        alignment = "".join("r" if column.dtype.kind in "iuf" else "l" for column in self.columns.values())
        rows = [" & ".join(map(_format_latex, row.values())) + r" \\" for row in self._with_p_value_bounds]
        head = " & ".join(map(_format_latex, self.columns)) + r" \\"
        lines = [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", head, r"\midrule", *rows]
        return _write_or_return("\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""]), path)

    def __repr__(self) -> str:
        return format_table(self)

    def _repr_html_(self) -> str:
        # notebooks align all cells to the right
        sides = ["right" if column.dtype.kind in "iuf" else "left" for column in self.columns.values()]

        def format_row(tag: str, values: Iterable[Any]) -> str:
            cells = zip(sides, values, strict=True)
            return "".join(
                f'<{tag} style="text-align:{a}">{escape(format_cell(x))}</{tag}>' for a, x in cells
            )

        head = format_row("th", self.columns)
        body = "".join(
            f"<tr>{format_row('td', row.values())}</tr>" for row in self.head(MAX_ROWS)._with_p_value_bounds
        )
        note = f"<p>{len(self) - MAX_ROWS} more rows</p>" if len(self) > MAX_ROWS else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"


def render_table(table: Table, format_name: str) -> str:
    """Return the table in a format of TABLE_FORMATS, with a line break at the end."""
    text: str = TABLE_FORMATS[format_name](table)
    return text.removesuffix("\n") + "\n"


TABLE_FORMATS: dict[str, Callable[[Table], Any]] = {
    name: getattr(Table, f"to_{name}") for name in ("json", "csv", "markdown", "latex")
}
TABLE_EXTENSIONS = {".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex"}


def check_kept_columns(keep: Any, reserved: tuple[str, ...]) -> list[str]:
    """Return the names of columns that are copied to a table with some other columns."""
    if isinstance(keep, str) or not isinstance(keep, Iterable):
        raise InvalidInputError(f"keep must be a list of columns, got {keep!r}")
    names = [str(name) for name in keep]
    repeated = next((name for name in names if name in reserved or names.count(name) > 1), None)
    if repeated is not None:
        message = f"the result would have two columns named {repeated!r}; remove it from keep, or rename it"
        raise InvalidInputError(message)
    return names


def format_csv(rows: Iterable[Iterable[Any]], delimiter: str = ",") -> str:
    """Return rows as CSV."""
    lines: list[str] = []
    # the terminator \r\n makes csv quote cells that contain either \r or \n, as most readers require
    buffer = SimpleNamespace(write=lambda row: lines.append(row.removesuffix("\r\n") + "\n"))
    csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return "".join(lines)


def format_table(table: Table, max_rows: int = MAX_ROWS) -> str:
    """Return the table as aligned text, with numbers right-aligned and invisible characters escaped."""
    columns = []
    for name, values in table[:max_rows]._with_p_value_bounds.columns.items():
        cells = [format_cell(value) for value in [name, *values.tolist()]]
        width = max(map(len, cells))
        is_numeric = table[name].dtype.kind in "iuf"
        columns.append([cell.rjust(width) if is_numeric else cell.ljust(width) for cell in cells])
    rows = ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]
    if len(table) > max_rows:
        rows.append(f"... {len(table) - max_rows} more rows")
    return "\n".join(rows)


def format_cell(value: object) -> str:
    """Return a value as text: four significant digits for floats, invisible characters escaped."""
    if isinstance(value, float):
        # rates per million have no exponent
        size = abs(value)
        return f"{value:.4g}" if size < 1e4 else f"{value:.0f}" if size < 1e6 else f"{value:.4e}"
    return escape_invisible(str(value))


def _write_or_return(text: str, path: FilePath | None) -> str | None:
    """Write a text to a file and return None, or return it if there is no file."""
    if path is None:
        return text
    with atomic_write(path) as temporary:
        temporary.write_text(text.removesuffix("\n") + "\n", encoding="utf-8")
    return None


def _format_markdown(value: object) -> str:
    """Format a cell for Markdown, with the characters that end cells or start markup escaped."""
    if isinstance(value, float):
        return format_cell(value)
    return re.sub(r"([\\`*_<>|\[\]])", r"\\\1", format_cell("" if value is None else value))


LATEX_CHARACTERS = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}",
    **{mark: "\\" + mark for mark in "&%$#_{}"},
}  # fmt: skip


def _format_latex(value: object) -> str:
    """Format a cell for LaTeX, with its special characters escaped and numbers as formulas."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        mantissa, _, exponent = format_cell(value).partition("e")
        if exponent:
            return rf"${mantissa} \times 10^{{{int(exponent)}}}$"
        # a formula has the minus sign and the sign of infinity
        infinite = isinstance(value, float) and np.isinf(value)
        return f"${mantissa.replace('inf', chr(92) + 'infty')}$" if infinite or value < 0 else mantissa
    text = format_cell("" if value is None else value)
    return "".join(LATEX_CHARACTERS.get(character, character) for character in text)
