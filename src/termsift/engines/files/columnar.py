"""Reader of JSON, Parquet and Arrow files, mostly by DuckDB, restricted to the given files."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from termsift._internal.errors import InvalidInputError, UnreadableFileError
from termsift.engines.files.columns import TEXT, ColumnSpec, find_columns, is_list_type
from termsift.engines.files.encodings import decode_head, provide_utf8_path
from termsift.engines.files.opening import InputFile, compression_extension

# for a name such as http://mail.parquet DuckDB would download an extension, which is a program
SAFE_SETTINGS = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}


@contextmanager
def open_database(files: Sequence[str], **settings: str) -> Iterator[Any]:
    """Open a DuckDB connection that can read only these files and prints no progress."""
    import duckdb

    with duckdb.connect(config={**SAFE_SETTINGS, **settings}) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(f"SET allowed_paths = [{', '.join(map(quote_sql, files))}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        yield connection


def database_and_arrow_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions of DuckDB, if it is loaded, and of Arrow streams."""
    duckdb = sys.modules.get("duckdb")
    return (*(() if duckdb is None else (duckdb.Error,)), pa.ArrowException, OSError, UnicodeError)


def quote_sql(text: str) -> str:
    """Quote a text for SQL."""
    return "'" + text.replace("'", "''") + "'"


# bytes of the longest object; each thread of DuckDB has a buffer of twice this size, so try the smaller first
MAX_OBJECT_SIZES = (1 << 24, 1 << 28)
ROWS = 2048
# compressions that DuckDB reads by itself
DUCKDB_COMPRESSIONS = (".gz", ".zst")
IS_LIST = " is a list"  # ending of the columns that tell lists of tokens from texts
LINES, ARRAY, OBJECTS = "newline_delimited", "array", "unstructured"


def iter_json(file: InputFile, spec: ColumnSpec, layout: str = OBJECTS) -> Iterator[Any]:
    """Yield the documents of JSON objects; labels stay JSON, as type inference would change dates.

    form : LINES, or OBJECTS for objects one after the other or in an array
    """
    if layout == OBJECTS and decode_head(file, ROWS).lstrip().startswith("["):
        layout = ARRAY
    with (
        provide_utf8_path(file, () if layout == ARRAY else DUCKDB_COMPRESSIONS) as path,
        open_database([path]) as connection,
    ):
        if layout == ARRAY:
            check_array_end(path, file.name)
        n_yielded, file_parameter = 0, {"file": path}
        for size in MAX_OBJECT_SIZES:
            options = f"format='{layout}', maximum_object_size={size}, hive_partitioning=false"
            objects = f"read_json_objects($file, {options})"
            try:
                keys = list_object_keys(connection, objects, file_parameter)
                roles = find_columns(spec, keys, file)
                columns = ", ".join(object_column_sql(role, str(spec.by_role[role])) for role in roles)
                rows = connection.sql(f"SELECT {columns} FROM {objects}", params=file_parameter)
                for batch in skip_rows(n_yielded, rows.to_arrow_reader(ROWS)):
                    yield parse_token_lists(batch, n_yielded, file)
                    n_yielded += len(batch)
                return
            except database_and_arrow_errors() as error:
                if size == MAX_OBJECT_SIZES[-1] or "maximum_object_size" not in str(error):
                    raise


def parse_token_lists(batch: Any, n_before: int, file: InputFile) -> Any:
    """Return a batch with its texts that are JSON lists as lists of tokens.

    n_before : rows of the file before the batch
    """
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    for role in [role for role in columns if role + IS_LIST in columns]:
        is_list = columns.pop(role + IS_LIST)
        # most files have no lists
        if not pc.any(is_list).as_py():
            continue
        documents = []
        for row, (text, is_tokens) in enumerate(
            zip(columns[role].to_pylist(), is_list.to_pylist(), strict=True), n_before + 1
        ):
            if text is not None and not is_tokens:
                raise InvalidInputError(
                    f"row {row} of {file.name} has a text, but other rows have lists of tokens; use only one"
                )
            tokens = None if text is None else json.loads(text)
            invalid = [token for token in tokens or [] if not isinstance(token, str)]
            if invalid:
                raise InvalidInputError(
                    f"row {row} of {file.name} has the token {json.dumps(invalid[0])}; tokens must be strings"
                )
            documents.append(tokens)
        columns[role] = pa.array(documents, pa.large_list(pa.large_string()))
    return pa.record_batch(columns)


def skip_rows(n_rows: int, batches: Iterator[Any]) -> Iterator[Any]:
    """Skip the first rows, which an attempt with a smaller buffer has yielded already."""
    for batch in batches:
        n_skipped = min(n_rows, len(batch))
        n_rows -= n_skipped
        if n_skipped < len(batch):
            yield batch.slice(n_skipped)


def check_array_end(path: str, name: str) -> None:
    """Check that the array is closed: DuckDB accepts one that was cut after a comma."""
    with open(path, "rb") as stream:
        stream.seek(max(os.path.getsize(path) - ROWS, 0))
        if not stream.read().rstrip().endswith(b"]"):
            message = f"{name} cannot be read as JSON: the array is not closed, so the file may be truncated"
            raise UnreadableFileError(message)


def object_column_sql(role: str, key: str) -> str:
    """Return the SQL of a key: a string for texts, JSON for others, null if it is missing."""
    pointer = quote_sql("/" + key.replace("~", "~0").replace("/", "~1"))
    value = f"json_extract(json, {pointer})"
    if role.startswith(TEXT):
        is_list = f"coalesce(json_type({value}) = 'ARRAY', false) AS \"{role}{IS_LIST}\""
        return f"json_extract_string({value}, '$') AS \"{role}\", {is_list}"
    return f"nullif(CAST({value} AS VARCHAR), 'null') AS \"{role}\""


def list_object_keys(connection: Any, objects: str, parameters: dict[str, str]) -> list[str]:
    """Return the sorted keys of the first objects; a key repeated in an object is repeated here."""
    numbered = f"SELECT row_number() OVER () AS row, json FROM (FROM {objects} LIMIT 10000)"
    keys = f"SELECT row, unnest(json_keys(json)) AS key FROM ({numbered})"
    times = f"SELECT row, key, count(*) AS times FROM ({keys}) GROUP BY ALL"
    query = f"SELECT key, max(times) FROM ({times}) GROUP BY key ORDER BY key"
    return [key for key, n in connection.execute(query, parameters).fetchall() for _ in range(n)]


def iter_parquet(file: InputFile, spec: ColumnSpec) -> Iterator[Any]:
    """Yield the documents of a Parquet file; columns go by position, because DuckDB ignores case."""
    import pyarrow.parquet as pq

    schema = pq.read_schema(file.path)
    positions = find_columns(spec, schema.names, file)
    names = ", ".join(f"c{i}" for i in range(len(schema.names)))
    lists = {i for i in positions.values() if is_list_type(schema.field(i).type)}
    rows = f"read_parquet($file, hive_partitioning=false) AS rows({names})"
    with open_database([file.path]) as connection:
        query = f"SELECT {select_columns_sql(positions, lists)} FROM {rows}"
        yield from connection.sql(query, params={"file": file.path}).to_arrow_reader(ROWS)


def iter_arrow(file: InputFile, spec: ColumnSpec) -> Iterator[Any]:
    """Yield the documents of an Arrow or Feather file; DuckDB casts texts of other types to strings."""
    with open_arrow_file(file) as (schema, batches):
        roles = find_columns(spec, schema.names, file)
        positions = list(roles.values())
        fields = [schema.field(i).with_name(f"c{n}") for n, i in enumerate(positions)]
        selected_schema = pa.schema(fields)

        def select_columns(records: Any) -> Any:
            arrays = [records.column(i) for i in positions]
            selected = pa.RecordBatch.from_arrays(arrays, schema=selected_schema)
            # offsets of a damaged file could point outside its buffers
            selected.validate(full=True)
            return selected

        reader = pa.RecordBatchReader.from_batches(selected_schema, map(select_columns, batches))
        with open_database([]) as connection:
            connection.register("rows", reader)
            lists = {n for n, field in enumerate(fields) if is_list_type(field.type)}
            query = f"SELECT {select_columns_sql({role: n for n, role in enumerate(roles)}, lists)} FROM rows"
            yield from connection.sql(query).to_arrow_reader(ROWS)


def select_columns_sql(positions: dict[str, int], list_positions: set[int]) -> str:
    """Return the SQL of the columns at some positions, with texts as strings, except lists of tokens."""
    return ", ".join(
        f'CAST(c{i} AS VARCHAR) AS "{role}"'
        if role.startswith(TEXT) and i not in list_positions
        else f'c{i} AS "{role}"'
        for role, i in positions.items()
    )


@contextmanager
def open_arrow_file(file: InputFile) -> Iterator[tuple[Any, Iterator[Any]]]:
    """Open an Arrow file or stream; yield its schema and its batches."""
    if compression_extension(file.path):
        raise UnreadableFileError(f"{file.name} is a compressed Arrow file; decompress it first")
    with pa.OSFile(file.path) as source:
        # streams have no footer, and start with a continuation marker
        is_stream = source.read(4) == b"\xff\xff\xff\xff"
        source.seek(0)
        if is_stream:
            reader = pa.ipc.open_stream(source)
            yield reader.schema, iter(reader)
        else:
            reader = pa.ipc.open_file(source)
            yield reader.schema, (reader.get_batch(i) for i in range(reader.num_record_batches))
