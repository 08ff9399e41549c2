"""Parquet and Arrow: files of typed columns, read by DuckDB and pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from termsift.engines.files.compressions import compression, decompressed
from termsift.engines.files.database import database
from termsift.engines.files.input_files import InputFile
from termsift.engines.files.readers.columns import TEXT, WantedColumns, placed_columns
from termsift.errors import UnreadableFile

ROWS = 2048
STREAM_MARK = b"\xff\xff\xff\xff"  # how Arrow's form for streams begins


def parquet_batches(file: InputFile, wanted: WantedColumns) -> Iterator[Any]:
    """The documents of a Parquet file; columns go by their place, since to DuckDB Text and text are one."""
    import pyarrow.parquet as pq

    columns = pq.read_schema(file.path).names
    places = placed_columns(wanted, columns, file)
    names = ", ".join(f"c{i}" for i in range(len(columns)))
    rows = f"read_parquet($file, hive_partitioning=false) AS rows({names})"
    with database([file.path]) as connection:
        query = f"SELECT {selected(places)} FROM {rows}"
        yield from connection.sql(query, params={"file": file.path}).to_arrow_reader(ROWS)


def arrow_batches(file: InputFile, wanted: WantedColumns) -> Iterator[Any]:
    """The documents of an Arrow file, as Feather is one too; DuckDB makes strings of other texts."""
    with opened_arrow(file) as (schema, batches):
        places = placed_columns(wanted, schema.names, file)
        chosen = [schema.field(i) for i in places.values()]
        own = {role: i for i, role in enumerate(places)}
        own_schema = pa.schema([field.with_name(f"c{i}") for i, field in enumerate(chosen)])
        rows = (sound_columns(records, list(places.values()), own_schema) for records in batches)
        reader = pa.RecordBatchReader.from_batches(own_schema, rows)
        with database([]) as connection:
            connection.register("rows", reader)
            query = f"SELECT {selected(own)} FROM rows"
            yield from connection.sql(query).to_arrow_reader(ROWS)


def selected(places: dict[str, int]) -> str:
    """The columns at some places in SQL, texts as strings."""
    named = {
        role: f"CAST(c{i} AS VARCHAR)" if role.startswith(TEXT) else f"c{i}" for role, i in places.items()
    }
    return ", ".join(f'{value} AS "{role}"' for role, value in named.items())


@contextmanager
def opened_arrow(file: InputFile) -> Iterator[tuple[Any, Iterator[Any]]]:
    """The columns of an Arrow file, and its batches, in the form for files or the one for streams."""
    if compression(file.path):
        raise UnreadableFile(f"{file.name} is compressed as a whole; Arrow compresses its columns by itself")
    with decompressed(file) as stream:
        is_stream = stream.read(4) == STREAM_MARK
    with pa.OSFile(file.path) as source:
        if is_stream:
            reader = pa.ipc.open_stream(source)
            yield reader.schema, iter(reader)
        else:
            reader = pa.ipc.open_file(source)
            yield reader.schema, (reader.get_batch(i) for i in range(reader.num_record_batches))


def sound_columns(records: Any, places: list[int], schema: Any) -> Any:
    """Some columns of a batch; an error where what the file says of them cannot be."""
    chosen = pa.RecordBatch.from_arrays([records.column(i) for i in places], schema=schema)
    chosen.validate(full=True)
    return chosen
