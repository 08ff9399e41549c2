"""DuckDB, shut in: it reads the files it is told of, loads nothing, and what it raises is known here."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

# an extension is a program, which DuckDB would fetch from the network for a name such as http://mail.parquet
CLOSED = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}


@contextmanager
def database(files: Sequence[str], **settings: str) -> Iterator[Any]:
    """A connection to DuckDB that can open these files alone, and keeps its progress to itself."""
    import duckdb

    with duckdb.connect(config={**CLOSED, **settings}) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(f"SET allowed_paths = [{', '.join(map(sql_text, files))}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        yield connection


def database_faults() -> tuple[type[Exception], ...]:
    """What DuckDB raises, if it is in use, and the Arrow stream in which its rows come."""
    duckdb = sys.modules.get("duckdb")
    return (*(() if duckdb is None else (duckdb.Error,)), pa.ArrowException, OSError, UnicodeError)


def sql_text(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def json_key(key: str) -> str:
    """A JSON pointer to a key of an object, as SQL writes it."""
    return sql_text("/" + key.replace("~", "~0").replace("/", "~1"))
