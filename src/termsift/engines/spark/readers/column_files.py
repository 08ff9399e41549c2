"""Parquet, ORC and tables: columns of types, as Spark reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from termsift.engines.files.input_files import FoundFile
from termsift.engines.files.readers.columns import WantedColumns, check_there_once
from termsift.engines.spark.columns import quoted
from termsift.engines.spark.paths import spark_path
from termsift.engines.spark.readers.decoding import united, with_given
from termsift.errors import InvalidInput, UnknownName, near_miss


def parquet_frame(spark: Any, files: Sequence[FoundFile], wanted: WantedColumns) -> Any:
    """The documents of Parquet files."""
    return typed_frame(spark.read.parquet, files, wanted)


def orc_frame(spark: Any, files: Sequence[FoundFile], wanted: WantedColumns) -> Any:
    """The documents of ORC files."""
    return typed_frame(lambda *paths: spark.read.orc(list(paths)), files, wanted)


def typed_frame(read: Any, files: Sequence[FoundFile], wanted: WantedColumns) -> Any:
    """The wanted columns of files; of those in folders that name a column, each folder's at once."""
    alike: dict[tuple[tuple[str, str | None], ...], list[FoundFile]] = {}
    for file in files:
        own = tuple((name, value) for name, value in file.given if name in wanted.columns.values())
        alike.setdefault(own, []).append(file)
    return united(
        with_given(wanted_frame(read(*map(spark_path, own)), wanted, own[0].told, dict(given)), wanted, given)
        for given, own in alike.items()
    )


def wanted_frame(frame: Any, wanted: WantedColumns, name: str, given: dict[str, Any]) -> Any:
    """The wanted columns of a frame, those left out that folders say and it lacks."""
    asked = [str(column) for column in wanted.columns.values()]
    own = [column for column in asked if column in frame.columns or column not in given]
    for column in own:
        check_there_once(column, frame.columns, name)
    return frame.select(*map(quoted, own))


def table_frame(spark: Any, names: Sequence[str], wanted: WantedColumns) -> Any:
    """The documents of tables by name."""
    return united(wanted_frame(known_table(spark, name), wanted, f"table {name}", {}) for name in names)


def known_table(spark: Any, name: str) -> Any:
    """A table by name; an error with the near miss where there is none."""
    from pyspark.errors import AnalysisException, ParseException

    try:
        frame = spark.table(name)
        frame.schema  # noqa: B018 (Connect asks the server now)
    except ParseException as error:
        raise InvalidInput(
            f"{name!r} names no table; write it as name, db.name or catalog.db.name"
        ) from error
    except AnalysisException as error:
        if "NOT_FOUND" not in str(error.getCondition()):
            raise
        raise missing_table(spark, name) from error
    return frame


def missing_table(spark: Any, name: str) -> UnknownName:
    """The error for a table that is not there, with the near miss of its database."""
    from pyspark.errors import AnalysisException, ParseException

    database, _, table = name.rpartition(".")
    try:
        known = [one.name for one in spark.catalog.listTables(database or None)]
    except (AnalysisException, ParseException):
        return UnknownName(f"there is no table {name}, nor a database {database}")
    near = near_miss(table, known)
    full = f"{database}.{near}" if database else near
    return UnknownName(f"there is no table {name}" + (f"; did you mean {full!r}?" if near else ""))
