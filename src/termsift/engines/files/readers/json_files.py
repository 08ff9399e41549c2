"""JSON, by DuckDB: a line for each document, or an array of objects."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from termsift.engines.files.database import database, database_faults, json_key
from termsift.engines.files.input_files import InputFile
from termsift.engines.files.readers.columns import TEXT, WantedColumns, placed_columns
from termsift.engines.files.text_files import head_text, utf8_path
from termsift.errors import UnreadableFile

# bytes of the longest object: each thread of DuckDB has a buffer of twice that, so most is asked for last
LONGEST = (1 << 24, 1 << 28)
TOO_LONG = "maximum_object_size"  # as DuckDB names it where it raises
ROWS = 2048
COMPRESSED = (".gz", ".zst")  # what DuckDB reads by itself
LINES, ARRAY, OBJECTS = "newline_delimited", "array", "unstructured"


def jsonl_batches(file: InputFile, wanted: WantedColumns) -> Iterator[Any]:
    """The documents of JSON lines."""
    return object_batches(file, wanted, LINES)


def json_batches(file: InputFile, wanted: WantedColumns) -> Iterator[Any]:
    """The documents of an array of objects; a file without brackets has one object after the other."""
    is_array = head_text(file, ROWS).lstrip().startswith("[")
    return object_batches(file, wanted, ARRAY if is_array else OBJECTS)


def object_batches(file: InputFile, wanted: WantedColumns, form: str) -> Iterator[Any]:
    """The documents of JSON objects. Labels stay JSON: a guess at types would rewrite texts like dates."""
    with utf8_path(file, () if form == ARRAY else COMPRESSED) as path, database([path]) as connection:
        if form == ARRAY:
            check_end(path, file.name)
        done = 0
        for longest in LONGEST:
            options = f"format='{form}', maximum_object_size={longest}, hive_partitioning=false"
            objects = f"read_json_objects($file, {options})"
            try:
                for batch in after(done, queried_batches(connection, objects, path, file, wanted)):
                    yield batch
                    done += len(batch)
                return
            except database_faults() as fault:
                if longest == LONGEST[-1] or TOO_LONG not in str(fault):
                    raise


def queried_batches(
    connection: Any, objects: str, path: str, file: InputFile, wanted: WantedColumns
) -> Iterator[Any]:
    """The wanted columns of all objects."""
    placed = placed_columns(wanted, object_keys(connection, objects, {"file": path}), file)
    columns = [object_column(role, str(wanted.columns[role])) for role in placed]
    query = f"SELECT {', '.join(columns)} FROM {objects}"
    yield from connection.sql(query, params={"file": path}).to_arrow_reader(ROWS)


def after(rows: int, batches: Iterator[Any]) -> Iterator[Any]:
    """What comes behind the first rows, which a reading of shorter objects has given already."""
    for batch in batches:
        skipped = min(rows, len(batch))
        rows -= skipped
        if skipped < len(batch):
            yield batch.slice(skipped)


def check_end(path: str, name: str) -> None:
    """An error for an array that is not closed: DuckDB takes one that was cut after a comma for whole."""
    with open(path, "rb") as opened:
        opened.seek(max(os.path.getsize(path) - ROWS, 0))
        if not opened.read().rstrip().endswith(b"]"):
            raise UnreadableFile(f"{name} cannot be read as JSON: the array has no end, so it may be cut")


def object_column(role: str, key: str) -> str:
    """The value of a key in SQL: of texts the string itself, of others JSON; null where it is missing."""
    value = f"json_extract(json, {json_key(key)})"
    if role.startswith(TEXT):
        return f"json_extract_string({value}, '$') AS \"{role}\""
    return f"nullif(CAST({value} AS VARCHAR), 'null') AS \"{role}\""


def object_keys(connection: Any, objects: str, given: dict[str, str]) -> list[str]:
    """The keys of the first objects, in order; one that an object has several times as often as that."""
    numbered = f"SELECT row_number() OVER () AS row, json FROM (FROM {objects} LIMIT 10000)"
    keys = f"SELECT row, unnest(json_keys(json)) AS key FROM ({numbered})"
    times = f"SELECT row, key, count(*) AS times FROM ({keys}) GROUP BY ALL"
    found = connection.execute(f"SELECT key, max(times) FROM ({times}) GROUP BY key ORDER BY key", given)
    return [key for key, most in found.fetchall() for _ in range(most)]
