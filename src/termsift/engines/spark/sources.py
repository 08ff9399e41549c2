"""Files and tables as a Spark DataFrame: which of Spark's readers brings the documents of what was named."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from termsift.counts import is_counts_file
from termsift.engines.files.compressions import ending
from termsift.engines.files.folders import local_names
from termsift.engines.files.formats import CLASSES, FORMATS, check_uses, known_endings
from termsift.engines.files.input_files import FoundFile, is_pipe
from termsift.engines.files.readers.columns import WantedColumns
from termsift.engines.files.sources import TEXTS, Source, file_format, files_at, is_of_classes, source_of
from termsift.engines.spark.faults import clear_faults
from termsift.engines.spark.paths import UNPACKED, is_address
from termsift.engines.spark.readers.class_texts import class_frame
from termsift.engines.spark.readers.column_files import orc_frame, parquet_frame, table_frame
from termsift.engines.spark.readers.delimited import csv_frame, tsv_frame
from termsift.engines.spark.readers.json_files import json_frame, jsonl_frame
from termsift.engines.spark.session import session
from termsift.errors import InvalidInput, UnreadableFile, unknown

ORC, TABLE = "orc", "table"
# the readers by the names of formats: a function from a session, files and what is wanted to a frame
READERS: dict[str, Callable[[Any, Sequence[FoundFile], WantedColumns], Any]] = {
    "CSV": csv_frame,
    "TSV": tsv_frame,
    "JSONL": jsonl_frame,
    "JSON": json_frame,
    "Parquet": parquet_frame,
    "ORC": orc_frame,
    CLASSES.name: class_frame,
}


@contextmanager
def reading(data: Any, master: str = "local[*]", **how: Any) -> Iterator[Any]:
    """Open files, or a table, as a Spark DataFrame, in a session that lasts as long as the block.

    data : a path, a glob pattern, a folder, a Spark URL such as s3a://..., or a list of these; with
        format="table", the name of a table
    how : the columns text, label and group; header, delimiter, encoding, encoding_errors and format, as for
        files in `ts.count`; format may also be "orc" or "table"

    The frame has the columns that are named. A path without a scheme is on this machine, and the workers must
    see it too.

    master : as for `ts.spark.session`

    >>> with reading("mail.csv", text="body", label="folder") as frame:  # doctest: +SKIP
    ...     frame.count()
    """
    source = cluster_source(data, **how)
    spark = session(master)
    try:
        # to Spark, Text and text would be one column
        spark.conf.set("spark.sql.caseSensitive", "true")
        yield documents_frame(spark, source)
    finally:
        with clear_faults():
            spark.stop()


def cluster_source(data: Any, *, format: str | None = None, **how: Any) -> Source:
    """What was named, and what is wanted of it; an error for what Spark cannot read, before Java starts."""
    known = [
        *(end[1:] for kind in FORMATS if kind.name in READERS for end in kind.endings),
        TEXTS,
        ORC,
        TABLE,
    ]
    if format is not None and format not in known:
        raise unknown("format for Spark", format, known)
    source = replace(source_of(data, **how), format=format)
    for path in () if format == TABLE else source.paths:
        check_there(path)
    return source


def check_there(path: str) -> None:
    """An error for a stream, a page of the web, or counts: none are documents that workers can read."""
    if path == "/dev/stdin" or is_pipe(path):
        raise UnreadableFile(f"Spark reads files, and {path} is a stream; count it with --engine files")
    if is_address(path) and path.lower().startswith(("http:", "https:")):
        raise UnreadableFile(f"Spark reads nothing of the web; count {path} with --engine files")
    if os.path.isfile(path) and is_counts_file(path):
        raise InvalidInput(f"{path} holds counts, which are read without Spark; leave out --engine spark")


def documents_frame(spark: Any, source: Source) -> Any:
    """The wanted columns of a source as a DataFrame, under their own names."""
    with clear_faults():
        if source.format == TABLE:
            return table_frame(spark, source.paths, source.wanted)
        kind, files = found_by_spark(source)
        return READERS[kind](spark, files, source.wanted)


def found_by_spark(source: Source) -> tuple[str, list[FoundFile]]:
    """The name of the format of all files, and the files; those at addresses are Spark's to find."""
    remote = [is_address(path) for path in source.paths]
    if any(remote) and not all(remote):
        raise UnreadableFile(f"{source.name}: some are addresses and some files; give one kind")
    if any(remote):
        return remote_format(source), [FoundFile(path) for path in source.paths]
    format = ORC if source.format is None and any(map(holds_orc, source.paths)) else source.format
    with ExitStack() as kept:
        files = [file for path in source.paths for file in files_at(path, format, kept)]
    of_classes = [file for file in files if is_of_classes(file)]
    if of_classes and len(of_classes) < len(files):
        raise UnreadableFile(f"{of_classes[0].told} is a folder of classes among files; give one kind")
    if format == ORC:
        return "ORC", files
    kind = CLASSES if of_classes else file_format(files, format)
    if kind.name not in READERS:
        raise UnreadableFile(
            f"Spark does not read {kind.name}, as {files[0].told} is; count it with --engine files"
        )
    check_uses(kind, source.wanted)
    return kind.name, files


def holds_orc(path: str) -> bool:
    """Whether a path is an ORC file, or a folder or pattern of such."""
    if os.path.isdir(path):
        return any(name.lower().endswith(f".{ORC}") for name in local_names(path))
    return path.lower().endswith(f".{ORC}")


def remote_format(source: Source) -> str:
    """The format of addresses: as named, as their ending says, or Parquet, which is what Spark writes."""
    if source.format == TEXTS:
        return CLASSES.name
    ends = {f".{source.format}" if source.format else remote_ending(path) for path in source.paths}
    kinds = {
        "ORC" if end == f".{ORC}" else known_endings()[end].name if end in known_endings() else "Parquet"
        for end in ends
    }
    if len(kinds) > 1 or not kinds <= READERS.keys():
        raise UnreadableFile(f"{source.name}: Spark reads one format at a time, of {', '.join(READERS)}")
    return kinds.pop()


def remote_ending(address: str) -> str:
    """The ending of an address that names a format."""
    path = PurePosixPath(urlsplit(address).path.lower())
    return ending(str(path.with_suffix("") if path.suffix in UNPACKED else path))
