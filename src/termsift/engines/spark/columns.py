"""Columns of a Spark DataFrame and their types, and paths that Spark can read."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa

from termsift._internal.errors import InvalidInputError, UnreadableFileError, unknown_column_error
from termsift._internal.files import scratch_folder
from termsift.engines.files.formats import wrap_read_errors
from termsift.engines.files.opening import InputFile, SourceFile, open_input_file

# what a label may be, by the name of its type in Spark; it travels as the second type
LABEL_TYPES = {
    "string": ("string", pa.string()),
    "boolean": ("boolean", pa.bool_()),
    "date": ("date", pa.date32()),
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), ("bigint", pa.int64())),
    **dict.fromkeys(("float", "double"), ("double", pa.float64())),
}
NUMBER_TYPES = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")


def select_document_columns(
    frame: Any, text: Any, label: str, weight: str | None, group: str | None
) -> tuple[Any, str, bool]:
    """Return a DataFrame of text, label, weight and group, the label type, and whether labels are arrays."""
    texts = list(text) if isinstance(text, list | tuple) else [text]
    named = {"text" if i == 1 else f"text {i}": name for i, name in enumerate(texts, 1)}
    named |= {role: name for role, name in (("label", label), ("group", group)) if name not in (None, "")}
    types = column_types(frame, [*named.values(), *([] if weight is None else [weight])])
    for one, other in combinations(named, 2):
        if named[one] == named[other]:
            raise InvalidInputError(f"{one} and {other} are both column {named[one]!r}; name two")
    for name in texts:
        check_type(name, types, ["string"], "texts must be of type string")
    several = label != "" and types[label].startswith("array<")
    kind = types[label].removeprefix("array<").removesuffix(">") if label != "" else "bigint"
    if kind not in LABEL_TYPES:
        known = "strings, whole numbers, floats, booleans or dates, or arrays of these"
        raise InvalidInputError(f"column {label!r} is of type {types[label]}; labels must be {known}")
    if weight is not None and not types[weight].startswith(NUMBER_TYPES):
        raise InvalidInputError(f"column {weight!r} is of type {types[weight]}; weights must be numbers")
    if group is not None:
        check_type(
            group, types, LABEL_TYPES, "groups must be strings, whole numbers, floats, booleans or dates"
        )
    class_type = LABEL_TYPES[kind][0]
    # without a label all documents are of one class
    own_label = quote_column(label) if label != "" else "0"
    selected = [("text", join_columns_sql(texts), "string")]
    selected += [("label", own_label, f"array<{class_type}>" if several else class_type)]
    selected += [] if weight is None else [("weight", quote_column(weight), "double")]
    selected += [] if group is None else [("group", quote_column(group), LABEL_TYPES[types[group]][0])]
    return (
        frame.selectExpr(*(f"CAST({value} AS {cast}) AS {role}" for role, value, cast in selected)),
        kind,
        several,
    )


def column_types(frame: Any, names: list[Any]) -> dict[str, str]:
    """Return the types of a frame; raise an error unless each of the names occurs once."""
    for name in names:
        if frame.columns.count(name) > 1:
            times = frame.columns.count(name)
            raise InvalidInputError(f"the frame has {times} columns named {name!r}; rename all but one")
        if name not in frame.columns:
            raise unknown_column_error(str(name), frame.columns, "the frame")
    return {field.name: field.dataType.simpleString() for field in frame.schema.fields}


def check_type(name: str, types: dict[str, str], known: Container[str], rule: str) -> None:
    """Check the type of a column."""
    if types[name] not in known:
        raise InvalidInputError(f"column {name!r} is of type {types[name]}; {rule}")


def join_columns_sql(texts: list[str]) -> str:
    """Return the SQL of joined text columns, null if all are null."""
    if len(texts) == 1:
        return quote_column(texts[0])
    names = ", ".join(map(quote_column, texts))
    return f"IF(COALESCE({names}) IS NULL, NULL, CONCAT_WS('\\n', {names}))"


def quote_column(name: str) -> str:
    """Quote a column name for Spark SQL."""
    return "`" + name.replace("`", "``") + "`"


SPARK_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://.*", flags=re.DOTALL)
HADOOP_COMPRESSIONS = (".deflate", ".lz4", ".snappy")  # compressed as Hadoop alone does it
SPARK_COMPRESSIONS = (".gz", ".bz2", ".zst", *HADOOP_COMPRESSIONS)
UNSUPPORTED_COMPRESSIONS = (".xz", ".zip", ".7z", ".rar", ".br", ".z", ".lzma")
HEAD_LINES = 1000  # of a file at an address that are looked at


def is_spark_url(path: str) -> bool:
    """Check whether a path is a URL for Spark, such as s3a://..., and not an existing file."""
    return SPARK_URL.fullmatch(path) is not None and not os.path.exists(path)


def spark_path(file: SourceFile) -> str:
    """Return the path for Spark; raise an error for files that Spark would skip or misread."""
    packed = Path(file.path.lower()).suffix
    if file.member or packed in UNSUPPORTED_COMPRESSIONS:
        known = ", ".join(SPARK_COMPRESSIONS)
        raise UnreadableFileError(
            f"Spark does not read {file.display_name}; {packed} is not one of {known}; use --engine files"
        )
    if is_spark_url(file.path):
        return file.path
    check_spark_name(file.path)
    return escape_glob(file.path)


def check_spark_name(path: str) -> None:
    """Check that Spark does not skip the file name and can read it."""
    name = os.path.basename(path)
    if name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_"):
        raise UnreadableFileError(
            f"Spark passes over names like {name}; rename {path}, or count it with --engine files"
        )
    if ":" in name:
        raise UnreadableFileError(
            f"Spark reads no name with a colon; rename {path}, or count it with --engine files"
        )
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise UnreadableFileError(
            f"{path} has a name that is not UTF-8; rename it, or count it with --engine files"
        ) from error


def escape_glob(name: str) -> str:
    """Return the absolute path with glob characters escaped, because Spark treats every path as a pattern."""
    return re.sub(r"([\\{}\[\]*?])", r"\\\1", os.path.abspath(name))


@contextmanager
def open_file_head(spark: Any, found: SourceFile, kind: str) -> Iterator[InputFile]:
    """Yield a file to inspect: itself, or a copy of its first lines if only Spark can open it."""
    if not is_spark_url(found.path) and Path(found.path.lower()).suffix not in HADOOP_COMPRESSIONS:
        with open_input_file(found) as file, wrap_read_errors(file, kind):
            yield file
        return
    with scratch_folder() as folder:
        lines = spark.read.text(spark_path(found), lineSep="\n").limit(HEAD_LINES)
        rows = lines.selectExpr("CAST(value AS BINARY) AS value").toArrow()["value"].to_pylist()
        copy = folder / "beginning"
        copy.write_bytes(b"".join(row + b"\n" for row in rows))
        yield InputFile(found.display_name, str(copy), given=found.given)
