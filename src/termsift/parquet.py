"""Columns as one Parquet file with metadata, and back. pyarrow is imported when a file is touched."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from termsift.errors import InvalidInput, UnreadableFile
from termsift.output import replacing


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
