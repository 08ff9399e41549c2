"""DuckDB: a connection, and names as its SQL writes them."""

from __future__ import annotations

from typing import Any

import duckdb


def database(**settings: str) -> Any:
    """A connection that keeps its progress to itself: stdout is the user's."""
    connection = duckdb.connect(config=dict(settings))
    connection.execute("SET enable_progress_bar = false")
    return connection


def sql_text(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def sql_name(name: str) -> str:
    """A column's name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'
