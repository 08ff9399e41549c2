"""Files that appear whole or not at all, and columns as one Parquet file with metadata, and back.

pyarrow is imported when a Parquet file is touched.
"""

from __future__ import annotations

import base64
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from termsift.errors import InvalidInput, UnreadableFile


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path`, renamed to it when the block ends well and removed otherwise.

    A device or a pipe, such as /dev/stdout, is written as it is.
    """
    target = writable(path)
    if target.exists() and not target.is_file():
        yield target
        return
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def writable(path: str | os.PathLike[str]) -> Path:
    """The path, if a file can be there: asked before long work, so that it is not lost at its end."""
    target = Path(path)
    if target.is_dir():
        raise UnreadableFile(f"{target} is a folder; give the name of a file to write")
    if not target.parent.is_dir():
        raise UnreadableFile(f"cannot write {target}: the folder {target.parent} does not exist")
    if not os.access(target.parent, os.W_OK):
        raise UnreadableFile(f"cannot write {target}: the folder {target.parent} may not be written to")
    return target


def existing(path: str | os.PathLike[str]) -> Path:
    """The path, if it is a file."""
    source = Path(path)
    if source.is_dir():
        raise UnreadableFile(f"{source} is a folder, not a file")
    if not source.exists():
        raise UnreadableFile(f"there is no file {source}")
    return source


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


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

    path = existing(path)
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
