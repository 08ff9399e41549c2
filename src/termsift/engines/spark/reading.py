"""Files as a Spark DataFrame, for as long as they are read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from termsift.engines.spark.session import session
from termsift.errors import UnreadableFile


@contextmanager
def reading(path: str, master: str = "local[*]") -> Iterator[Any]:
    """The Spark DataFrame of Parquet files (a path, a folder, a pattern), in a session as long as the block.

    A path without a scheme is one of this machine, which the workers must see too.
    """
    check_parquet(path)
    spark = session(master)
    try:
        from termsift.engines.spark.faults import clear_faults

        with clear_faults():
            frame = spark.read.parquet(path if "://" in path else os.path.abspath(path))
        yield frame
    finally:
        spark.stop()


def check_parquet(path: str) -> None:
    """An error for what is not Parquet, or not there."""
    if "://" in path:
        return
    from termsift.engines.files.sources import matching_files

    other = next((name for name in matching_files(path) if not name.lower().endswith(".parquet")), None)
    if other is not None:
        raise UnreadableFile(f"{other} is not Parquet, which Spark reads here; count it with --engine files")
