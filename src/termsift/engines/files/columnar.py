"""Reader of JSON, Parquet and Arrow files, mostly by DuckDB, restricted to the given files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from termsift._internal.errors import UnreadableFileError
from termsift.engines.files.columns import TEXT, ColumnSpec, find_columns
from termsift.engines.files.encodings import decode_head, provide_utf8_path
from termsift.engines.files.opening import InputFile, compression_extension, open_decompressed

# an extension is a program, which DuckDB would fetch from the network for a name such as http://mail.parquet
CLOSED = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}


@contextmanager
def open_database(files: Sequence[str], **settings: str) -> Iterator[Any]:
    """Open a DuckDB connection that can read only these files and prints no progress."""
    import duckdb

    with duckdb.connect(config={**CLOSED, **settings}) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(f"SET allowed_paths = [{', '.join(map(quote_sql, files))}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        yield connection


def database_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions of DuckDB, if it is loaded, and of Arrow streams."""
    duckdb = sys.modules.get("duckdb")
    return (*(() if duckdb is None else (duckdb.Error,)), pa.ArrowException, OSError, UnicodeError)


def quote_sql(text: str) -> str:
    """Quote a text for SQL."""
    return "'" + text.replace("'", "''") + "'"


def json_pointer(key: str) -> str:
    """Return the JSON pointer to a key of an object, quoted for SQL."""
    return quote_sql("/" + key.replace("~", "~0").replace("/", "~1"))


# bytes of the longest object: each thread of DuckDB has a buffer of twice that, so most is asked for last
LONGEST = (1 << 24, 1 << 28)
TOO_LONG = "maximum_object_size"  # as DuckDB names it where it raises
ROWS = 2048
COMPRESSED = (".gz", ".zst")  # what DuckDB reads by itself
LINES, ARRAY, OBJECTS = "newline_delimited", "array", "unstructured"


def iter_jsonl(file: InputFile, spec: ColumnSpec) -> Iterator[Any]:
    """Yield the documents of a JSON lines file."""
    return iter_objects(file, spec, LINES)


def iter_json(file: InputFile, spec: ColumnSpec) -> Iterator[Any]:
    """Yield the documents of an array of objects, or of objects one after the other."""
    is_array = decode_head(file, ROWS).lstrip().startswith("[")
    return iter_objects(file, spec, ARRAY if is_array else OBJECTS)


def iter_objects(file: InputFile, spec: ColumnSpec, form: str) -> Iterator[Any]:
    """Yield the documents of JSON objects; labels stay JSON, as type inference would change dates."""
    with (
        provide_utf8_path(file, () if form == ARRAY else COMPRESSED) as path,
        open_database([path]) as connection,
    ):
        if form == ARRAY:
            check_array_end(path, file.name)
        done = 0
        for longest in LONGEST:
            options = f"format='{form}', maximum_object_size={longest}, hive_partitioning=false"
            objects = f"read_json_objects($file, {options})"
            try:
                for batch in skip_rows(done, query_objects(connection, objects, path, file, spec)):
                    yield batch
                    done += len(batch)
                return
            except database_errors() as fault:
                if longest == LONGEST[-1] or TOO_LONG not in str(fault):
                    raise


def query_objects(
    connection: Any, objects: str, path: str, file: InputFile, spec: ColumnSpec
) -> Iterator[Any]:
    """Yield the requested columns of all objects."""
    placed = find_columns(spec, list_object_keys(connection, objects, {"file": path}), file)
    columns = [object_column_sql(role, str(spec.by_role[role])) for role in placed]
    query = f"SELECT {', '.join(columns)} FROM {objects}"
    yield from connection.sql(query, params={"file": path}).to_arrow_reader(ROWS)


def skip_rows(rows: int, batches: Iterator[Any]) -> Iterator[Any]:
    """Skip the first rows, which an attempt with a smaller buffer has yielded already."""
    for batch in batches:
        skipped = min(rows, len(batch))
        rows -= skipped
        if skipped < len(batch):
            yield batch.slice(skipped)


def check_array_end(path: str, name: str) -> None:
    """Check that the array is closed: DuckDB accepts one that was cut after a comma."""
    with open(path, "rb") as opened:
        opened.seek(max(os.path.getsize(path) - ROWS, 0))
        if not opened.read().rstrip().endswith(b"]"):
            raise UnreadableFileError(
                f"{name} cannot be read as JSON: the array has no end, so it may be cut"
            )


def object_column_sql(role: str, key: str) -> str:
    """Return the SQL of a key: a string for texts, JSON for others, null if it is missing."""
    value = f"json_extract(json, {json_pointer(key)})"
    if role.startswith(TEXT):
        return f"json_extract_string({value}, '$') AS \"{role}\""
    return f"nullif(CAST({value} AS VARCHAR), 'null') AS \"{role}\""


def list_object_keys(connection: Any, objects: str, given: dict[str, str]) -> list[str]:
    """Return the sorted keys of the first objects; a key repeated in an object is repeated here."""
    numbered = f"SELECT row_number() OVER () AS row, json FROM (FROM {objects} LIMIT 10000)"
    keys = f"SELECT row, unnest(json_keys(json)) AS key FROM ({numbered})"
    times = f"SELECT row, key, count(*) AS times FROM ({keys}) GROUP BY ALL"
    found = connection.execute(f"SELECT key, max(times) FROM ({times}) GROUP BY key ORDER BY key", given)
    return [key for key, most in found.fetchall() for _ in range(most)]


COLUMN_FILES_ROWS = 2048
STREAM_MARK = b"\xff\xff\xff\xff"  # how Arrow's form for streams begins


def iter_parquet(file: InputFile, spec: ColumnSpec) -> Iterator[Any]:
    """Yield the documents of a Parquet file; columns go by position, because DuckDB ignores case."""
    import pyarrow.parquet as pq

    columns = pq.read_schema(file.path).names
    places = find_columns(spec, columns, file)
    names = ", ".join(f"c{i}" for i in range(len(columns)))
    rows = f"read_parquet($file, hive_partitioning=false) AS rows({names})"
    with open_database([file.path]) as connection:
        query = f"SELECT {select_columns_sql(places)} FROM {rows}"
        yield from connection.sql(query, params={"file": file.path}).to_arrow_reader(COLUMN_FILES_ROWS)


def iter_arrow(file: InputFile, spec: ColumnSpec) -> Iterator[Any]:
    """Yield the documents of an Arrow or Feather file; DuckDB casts texts of other types to strings."""
    with open_arrow_file(file) as (schema, batches):
        places = find_columns(spec, schema.names, file)
        chosen = [schema.field(i) for i in places.values()]
        own = {role: i for i, role in enumerate(places)}
        own_schema = pa.schema([field.with_name(f"c{i}") for i, field in enumerate(chosen)])
        rows = (validate_columns(records, list(places.values()), own_schema) for records in batches)
        reader = pa.RecordBatchReader.from_batches(own_schema, rows)
        with open_database([]) as connection:
            connection.register("rows", reader)
            query = f"SELECT {select_columns_sql(own)} FROM rows"
            yield from connection.sql(query).to_arrow_reader(COLUMN_FILES_ROWS)


def select_columns_sql(places: dict[str, int]) -> str:
    """Return the SQL of the columns at some positions, with texts as strings."""
    named = {
        role: f"CAST(c{i} AS VARCHAR)" if role.startswith(TEXT) else f"c{i}" for role, i in places.items()
    }
    return ", ".join(f'{value} AS "{role}"' for role, value in named.items())


@contextmanager
def open_arrow_file(file: InputFile) -> Iterator[tuple[Any, Iterator[Any]]]:
    """Open an Arrow file or stream; yield its schema and its batches."""
    if compression_extension(file.path):
        raise UnreadableFileError(
            f"{file.name} is compressed as a whole; Arrow compresses its columns by itself"
        )
    with open_decompressed(file) as stream:
        is_stream = stream.read(4) == STREAM_MARK
    with pa.OSFile(file.path) as source:
        if is_stream:
            reader = pa.ipc.open_stream(source)
            yield reader.schema, iter(reader)
        else:
            reader = pa.ipc.open_file(source)
            yield reader.schema, (reader.get_batch(i) for i in range(reader.num_record_batches))


def validate_columns(records: Any, places: list[int], schema: Any) -> Any:
    """Return some columns of a batch; raise an error if their buffers are invalid."""
    chosen = pa.RecordBatch.from_arrays([records.column(i) for i in places], schema=schema)
    chosen.validate(full=True)
    return chosen
