"""Columns with names: they leave as Arrow, pandas, polars, CSV, JSON or Parquet, and come back from Parquet.

The only room, with engines, that knows pyarrow; it is imported when a table leaves.
"""

from __future__ import annotations

import base64
import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from termsift.errors import InvalidInput, UnreadableFile
from termsift.output import replacing


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Table:
    """Named columns of equal length, in order.

    Iterating gives a dict a row; `table["term"]` is a column.
    Any library that speaks the Arrow C stream (polars, pandas, DuckDB, ...) takes a Table as it is.

    >>> table = Table({"term": np.array(["free", "win"], dtype=object), "score": np.array([2.5, 1.0])})
    >>> table
    term  score
    free    2.5
    win       1
    >>> list(table)[0]
    {'term': 'free', 'score': 2.5}
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
        """The rows as CSV with a header."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(row.values() for row in self)
        return out.getvalue()

    def to_json(self) -> str:
        """The rows as a JSON array of objects, one a line."""
        rows = (json.dumps(row, ensure_ascii=False, default=str) for row in self)
        return "[\n" + ",\n".join(rows) + "\n]"

    def __repr__(self) -> str:
        return text_table(self)

    def _repr_html_(self) -> str:
        shown = self.head(60)
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell(value))}</td>" for value in row.values()) + "</tr>"
            for row in shown
        )
        more = f"<p>{len(self) - len(shown)} more rows</p>" if len(self) > len(shown) else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def text_table(table: Table, most: int = 60) -> str:
    """The table as aligned text: numbers to the right, words to the left, the tail counted."""
    shown = table.head(most)
    texts = {name: [cell(value) for value in column.tolist()] for name, column in shown.columns.items()}
    widths = {name: max([len(name), *map(len, column)]) for name, column in texts.items()}
    right = {name: column.dtype.kind in "iuf" for name, column in shown.columns.items()}

    def line(cells: Mapping[str, str]) -> str:
        parts = (v.rjust(widths[n]) if right[n] else v.ljust(widths[n]) for n, v in cells.items())
        return "  ".join(parts).rstrip()

    lines = [line({name: name for name in texts})]
    lines += [line({n: column[i] for n, column in texts.items()}) for i in range(len(shown))]
    if len(table) > most:
        lines.append(f"... {len(table) - most} more rows")
    return "\n".join(lines)


def cell(value: object) -> str:
    """One value as people read it: four significant digits, no trailing zeros."""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e6 else f"{value:.4e}"
    return str(value)


def _arrow(column: np.ndarray[Any, Any]) -> Any:
    import pyarrow as pa

    return pa.array(column.tolist() if column.dtype == object else np.ascontiguousarray(column))


def write_parquet(path: str | Path, columns: Mapping[str, Any], metadata: Mapping[str, str]) -> None:
    """Write columns (anything pyarrow.array takes) as one Parquet file that appears whole or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pa.table(dict(columns)).replace_schema_metadata(dict(metadata))
    except (pa.ArrowException, UnicodeError) as error:
        reason = " ".join(str(error).split())
        raise InvalidInput(f"{path} cannot hold these terms: {reason}") from error
    with replacing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def parquet_metadata(path: str | Path) -> dict[str, str]:
    """The metadata of a Parquet file's schema, empty where there is none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = Path(path)
    if path.is_dir():
        raise UnreadableFile(f"{path} is a folder, not a file")
    if not path.exists():
        raise UnreadableFile(f"there is no file {path}")
    try:
        schema = pq.read_schema(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise UnreadableFile(f"{path} is not a Parquet file, or is damaged") from error
    found = schema.metadata or {}
    return {key.decode(): value.decode() for key, value in found.items() if not key.startswith(b"ARROW")}


def read_parquet(path: str | Path) -> Any:
    """The file as a pyarrow.Table."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise UnreadableFile(f"{path} is not a Parquet file, or is damaged") from error


def ragged(offsets: np.ndarray[Any, Any], values: np.ndarray[Any, Any]) -> Any:
    """An Arrow column of lists: row i holds values[offsets[i]:offsets[i + 1]]."""
    import pyarrow as pa

    return pa.LargeListArray.from_arrays(offsets.astype(np.int64), pa.array(values))


def unravelled(column: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The offsets and the values of a column of lists."""
    joined = column.combine_chunks()
    return joined.offsets.to_numpy(), joined.flatten().to_numpy(zero_copy_only=False)


def packed(values: list[Any]) -> str:
    """Scalars of one type, with their type, as text that fits a file's metadata."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    try:
        batch = pa.record_batch({"values": pa.array(values)})
    except (pa.ArrowException, OverflowError, UnicodeError) as error:
        raise InvalidInput(f"a file cannot hold the class names {values[:3]}: {error}") from error
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return base64.b64encode(sink.getvalue().to_pybytes()).decode()


def unpacked(text: str) -> list[Any]:
    """The scalars that `packed` wrote."""
    import pyarrow as pa

    with pa.ipc.open_stream(base64.b64decode(text)) as stream:
        values: list[Any] = stream.read_all()["values"].to_pylist()
    return values
