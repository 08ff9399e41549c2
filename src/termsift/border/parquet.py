"""Columns as one Parquet file, and back: the one reader of what `Counts.save` writes, whoever wrote the file.

A column that is missing, or of another type than asked for, or has gaps, is an InvalidInput without the
file's name, which the reader of the whole file adds. pyarrow is imported when a file is touched.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.errors import InvalidInput, UnreadableFile
from termsift.output import existing, replacing

# rows that each hold a term of their own take more bytes of a file than this part of one
ROWS_PER_BYTE = 100
DIGEST = "termsift.digest"


def write_parquet(path: str | Path, columns: Mapping[str, Any], metadata: Mapping[str, str]) -> None:
    """Write columns (anything pyarrow.array takes) as one Parquet file that appears whole or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        signed = dict(metadata) | {DIGEST: metadata_digest(metadata)}
        table = pa.table(dict(columns)).replace_schema_metadata(signed)
    except (pa.ArrowException, UnicodeError) as error:
        reason = " ".join(str(error).split())
        raise InvalidInput(f"{path} cannot hold these terms: {reason}") from error
    with replacing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_page_checksum=True)


def parquet_metadata(path: str | Path) -> dict[str, str]:
    """The metadata of a Parquet file's schema, empty where there is none; what is not UTF-8 is left out."""
    source = existing(path)
    if not has_mark(source):
        raise UnreadableFile(f"{path} is not a Parquet file, or is damaged")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with source.open("rb") as file:
            found = pq.read_schema(file).metadata or {}
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise UnreadableFile(f"{path} is not a Parquet file, or is damaged") from error
    texts = {decoded(key): decoded(value) for key, value in found.items() if not key.startswith(b"ARROW")}
    return {key: value for key, value in texts.items() if key is not None and value is not None}


def check_metadata(metadata: Mapping[str, str]) -> None:
    """An error where the metadata is not what was written; files of before have no digest."""
    if metadata.get(DIGEST) not in (None, metadata_digest(metadata)):
        raise InvalidInput("its metadata has another digest than it says")


def metadata_digest(metadata: Mapping[str, str]) -> str:
    """The SHA-256 of what termsift says in a file's metadata, as pages have checksums of their own."""
    own = sorted(pair for pair in metadata.items() if pair[0].startswith("termsift.") and pair[0] != DIGEST)
    return sha256(json.dumps(own).encode()).hexdigest()


def has_mark(path: Path) -> bool:
    """Whether a file begins as every Parquet file does, known without pyarrow, whose reader is large."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PAR1"
    except OSError:
        return False


def decoded(raw: bytes) -> str | None:
    """The bytes as text, None where they are not UTF-8."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def read_parquet(path: str | Path) -> Any:
    """The file as a pyarrow.Table of valid arrays; the checksums of its pages are compared, if it has any."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with Path(path).open("rb") as file:
            whole = pq.ParquetFile(file, page_checksum_verification=True)
            if whole.metadata.num_rows > ROWS_PER_BYTE * Path(path).stat().st_size:
                raise UnreadableFile(f"{path} is damaged: it has fewer bytes than rows")
            table = whole.read()
        table.validate(full=True)
    except (pa.ArrowException, OSError, UnicodeError) as error:
        if isinstance(error, UnreadableFile):
            raise
        raise UnreadableFile(f"{path} is not a Parquet file, or is damaged") from error
    return table


def text_column(table: Any, name: str) -> list[str]:
    """A column of texts."""
    import pyarrow as pa

    column = column_of(table, name)
    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    # of no terms at all Arrow knows no type
    if len(column) and not is_text:
        raise InvalidInput(f"its column {name!r} holds {column.type}, not texts")
    texts: list[str] = column.to_pylist()
    return texts


def number_column(table: Any, name: str) -> Array:
    """A column of numbers, as int64 or float64."""
    return numbers(column_of(table, name), name)


def list_column(table: Any, name: str) -> tuple[Array, Array]:
    """A column of lists of numbers: where each list begins, and the end; and the numbers of all lists."""
    import pyarrow as pa

    column = column_of(table, name)
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        raise InvalidInput(f"its column {name!r} holds {column.type}, not lists")
    joined = column.combine_chunks()
    values, offsets = joined.flatten(), joined.offsets.to_numpy()
    if values.null_count:
        raise InvalidInput(f"its column {name!r} has missing values")
    return offsets - offsets[0], numbers(values, name)


def column_of(table: Any, name: str) -> Any:
    """The one column of that name, without missing values."""
    times = table.column_names.count(name)
    if times != 1:
        raise InvalidInput(f"it has {'several columns' if times else 'no column'} {name!r}")
    column = table[name]
    if column.null_count:
        raise InvalidInput(f"its column {name!r} has missing values")
    return column


def numbers(values: Any, name: str) -> Array:
    """Arrow numbers without missing ones as int64 or float64."""
    import pyarrow as pa

    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
        raise InvalidInput(f"its column {name!r} holds {values.type}, not numbers")
    try:
        wide = values.cast(pa.int64() if pa.types.is_integer(values.type) else pa.float64())
    except pa.ArrowInvalid as error:
        raise InvalidInput(f"its column {name!r} has numbers beyond 64 bits") from error
    return np.asarray(
        wide.to_numpy() if isinstance(wide, pa.ChunkedArray) else wide.to_numpy(zero_copy_only=False)
    )


def ragged(offsets: Array, values: Array) -> Any:
    """An Arrow column of lists: row i holds values[offsets[i]:offsets[i + 1]]."""
    import pyarrow as pa

    return pa.LargeListArray.from_arrays(offsets.astype(np.int64), pa.array(values))


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


def unpacked(metadata: Mapping[str, str], key: str) -> list[Any]:
    """The scalars that `packed` wrote, of a key of a file's metadata."""
    import pyarrow as pa

    if key not in metadata:
        raise InvalidInput(f"it says nothing of {key!r}")
    try:
        with pa.ipc.open_stream(base64.b64decode(metadata[key], validate=True)) as stream:
            table = stream.read_all()
        table.validate(full=True)
        column = column_or_nulls(table)
        values: list[Any] = column.to_pylist()
    # of what lies behind a date or a zone that cannot be, Python says it in its own ways
    except (pa.ArrowException, OSError, ValueError, LookupError, OverflowError) as error:
        raise InvalidInput(f"what it says of {key!r} cannot be read") from error
    return values


def column_or_nulls(table: Any) -> Any:
    """The only column of a table, of plain scalars."""
    import pyarrow as pa

    if table.column_names != ["values"] or pa.types.is_nested(table.column(0).type):
        raise InvalidInput("there is more than a list of values")
    if isinstance(table.column(0).type, pa.BaseExtensionType | pa.DictionaryType):
        raise InvalidInput("there are values of an unknown type")
    return table.column(0)
