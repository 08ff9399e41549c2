"""Files as Spark finds them: to Spark every path is a pattern, and some names and endings mean something."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from termsift.engines.files.formats import told_faults
from termsift.engines.files.input_files import FoundFile, InputFile, input_file
from termsift.errors import UnreadableFile
from termsift.output import scratch_folder

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://.*", flags=re.DOTALL)
HADOOP = (".deflate", ".lz4", ".snappy")  # compressed as Hadoop alone does it
UNPACKED = (".gz", ".bz2", ".zst", *HADOOP)
PACKED = (".xz", ".zip", ".7z", ".rar", ".br", ".z", ".lzma")
LINES = 1000  # of a file at an address that are looked at


def is_address(path: str) -> bool:
    """Whether a path is an address of Spark's, such as s3a://..., and not a file that is there."""
    return ADDRESS.fullmatch(path) is not None and not os.path.exists(path)


def spark_path(file: FoundFile) -> str:
    """What Spark is told to read; an error for what it would leave out or take for something else."""
    packed = Path(file.path.lower()).suffix
    if file.member or packed in PACKED:
        known = ", ".join(UNPACKED)
        raise UnreadableFile(
            f"Spark does not read {file.told}; {packed} is none of {known}; count it with --engine files"
        )
    if is_address(file.path):
        return file.path
    check_seen(file.path)
    return escaped(file.path)


def check_seen(path: str) -> None:
    """An error for a name that Spark passes over or cannot read."""
    name = os.path.basename(path)
    if name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_"):
        raise UnreadableFile(
            f"Spark passes over names like {name}; rename {path}, or count it with --engine files"
        )
    if ":" in name:
        raise UnreadableFile(
            f"Spark reads no name with a colon; rename {path}, or count it with --engine files"
        )
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise UnreadableFile(
            f"{path} has a name that is not UTF-8; rename it, or count it with --engine files"
        ) from error


def escaped(name: str) -> str:
    """The file's whole path as Spark reads it: to Spark, every path is a pattern."""
    return re.sub(r"([\\{}\[\]*?])", r"\\\1", os.path.abspath(name))


@contextmanager
def file_beginning(spark: Any, found: FoundFile, kind: str) -> Iterator[InputFile]:
    """A file of some format to look at: itself, or a copy of its first lines where only Spark can open it."""
    if not is_address(found.path) and Path(found.path.lower()).suffix not in HADOOP:
        with input_file(found) as file, told_faults(file, kind):
            yield file
        return
    with scratch_folder() as folder:
        lines = spark.read.text(spark_path(found), lineSep="\n").limit(LINES)
        rows = lines.selectExpr("CAST(value AS BINARY) AS value").toArrow()["value"].to_pylist()
        copy = folder / "beginning"
        copy.write_bytes(b"".join(row + b"\n" for row in rows))
        yield InputFile(found.told, str(copy), given=found.given)
