"""Columns of a Spark DataFrame and their types, and paths that Spark can read."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from termsift._internal.errors import InvalidInputError, UnreadableFileError, unknown_column_error
from termsift._internal.files import scratch_folder
from termsift.engines.files.opening import InputFile, SourceFile, open_input_file
from termsift.engines.files.sources import wrap_read_errors
from termsift.engines.texts import check_distinct_columns
from termsift.text import TOKEN_SEPARATOR

# Spark types of labels, each with the Spark and Arrow types to which it is cast
LABEL_TYPES = {
    "string": ("string", pa.string()),
    "boolean": ("boolean", pa.bool_()),
    "date": ("date", pa.date32()),
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), ("bigint", pa.int64())),
    **dict.fromkeys(("float", "double"), ("double", pa.float64())),
}
NUMBER_TYPES = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")


def check_columns_exist(frame: Any, names: Sequence[Any]) -> dict[str, str]:
    """Check that a DataFrame has each column once; return the types of all columns."""
    for name in names:
        times = frame.columns.count(name)
        if times > 1:
            raise InvalidInputError(f"the frame has {times} columns named {name!r}; rename all but one")
        if not times:
            raise unknown_column_error(str(name), frame.columns, "the frame")
    return {field.name: field.dataType.simpleString() for field in frame.schema.fields}


def check_type(types: Mapping[str, str], name: str, is_valid: bool, rule: str) -> None:
    """Raise an error with the rule unless a column has a valid type."""
    if not is_valid:
        raise InvalidInputError(f"column {name!r} is of type {types[name]}; {rule}")


def join_texts(texts: Sequence[str], types: Mapping[str, str]) -> str:
    """Return the SQL expression of the texts of one column, of several that are joined, or of tokens."""
    for name in texts:
        is_text = types[name] == "string" or (types[name] == "array<string>" and len(texts) == 1)
        check_type(types, name, is_text, "texts must be of type string, or one column of array<string>")
    joined = quote_column(texts[0])
    if len(texts) > 1:
        names = ", ".join(map(quote_column, texts))
        return f"IF(COALESCE({names}) IS NULL, NULL, CONCAT_WS('\\n', {names}))"
    if types[texts[0]] == "string":
        return joined
    # a null among the tokens is an error, as in files
    message = f"column {texts[0]} has a token that is null; tokens must be strings".replace("'", "''")
    has_null = f"exists({joined}, token -> token IS NULL)"
    return f"IF({has_null}, raise_error('{message}'), array_join({joined}, '{TOKEN_SEPARATOR}'))"


def select_document_columns(
    frame: Any, text: Any, label: str, weight: str | None, group: str | None
) -> tuple[Any, str, bool]:
    """Return a DataFrame of text, label, weight and group, the label type, and whether labels are arrays."""
    texts = list(text) if isinstance(text, list | tuple) else [text]
    roles = {"text" if i == 1 else f"text {i}": name for i, name in enumerate(texts, 1)}
    roles |= {role: name for role, name in (("label", label), ("group", group)) if name not in (None, "")}
    types = check_columns_exist(frame, [*roles.values(), *([] if weight is None else [weight])])
    check_distinct_columns(roles)
    scalars = "strings, whole numbers, floats, booleans or dates"
    joined = join_texts(texts, types)
    has_arrays = label != "" and types[label].startswith("array<")
    kind = types[label].removeprefix("array<").removesuffix(">") if label != "" else "bigint"
    check_type(types, label, kind in LABEL_TYPES, f"labels must be {scalars}, or arrays of these")
    class_type = LABEL_TYPES[kind][0]
    # without a label all documents are of one class
    label_sql = quote_column(label) if label != "" else "0"
    selected = [("text", joined, "string")]
    selected.append(("label", label_sql, f"array<{class_type}>" if has_arrays else class_type))
    if weight is not None:
        check_type(types, weight, types[weight].startswith(NUMBER_TYPES), "weights must be numbers")
        selected.append(("weight", quote_column(weight), "double"))
    if group is not None:
        check_type(types, group, types[group] in LABEL_TYPES, f"groups must be {scalars}")
        selected.append(("group", quote_column(group), LABEL_TYPES[types[group]][0]))
    documents = frame.selectExpr(*(f"CAST({value} AS {cast}) AS {role}" for role, value, cast in selected))
    return documents, kind, has_arrays


def quote_column(name: str) -> str:
    """Quote a column name for Spark SQL."""
    return "`" + name.replace("`", "``") + "`"


SPARK_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://.*", flags=re.DOTALL)
# compressions that only Hadoop can open
HADOOP_COMPRESSIONS = (".deflate", ".lz4", ".snappy")
SPARK_COMPRESSIONS = (".gz", ".bz2", ".zst", *HADOOP_COMPRESSIONS)
UNSUPPORTED_COMPRESSIONS = (".xz", ".zip", ".7z", ".rar", ".br", ".z", ".lzma")
# lines of a remote file that are inspected
HEAD_LINES = 1000


def is_spark_url(path: str) -> bool:
    """Check whether a path is a URL for Spark, such as s3a://..., and not an existing file."""
    return SPARK_URL.fullmatch(path) is not None and not os.path.exists(path)


def spark_path(file: SourceFile) -> str:
    """Return the path for Spark; raise an error for files that Spark would skip or misread."""
    path, extension = file.path, Path(file.path.lower()).suffix
    if file.member or extension in UNSUPPORTED_COMPRESSIONS:
        supported, name = ", ".join(SPARK_COMPRESSIONS), file.display_name
        raise UnreadableFileError(
            f"Spark cannot read {name}; {extension} is not one of {supported}; use --engine files"
        )
    if is_spark_url(path):
        return path
    name, problem = os.path.basename(path), ""
    if name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_"):
        problem = f"Spark ignores files with names like {name}; rename {path}"
    elif ":" in name:
        problem = f"Spark cannot read names with a colon; rename {path}"
    elif re.search("[\ud800-\udfff]", path):
        problem = f"{path} has a name that is not UTF-8; rename it"
    if problem:
        raise UnreadableFileError(f"{problem}, or count it with --engine files")
    # Spark treats every path as a pattern
    return re.sub(r"([\\{}\[\]*?])", r"\\\1", os.path.abspath(path))


@contextmanager
def open_file_head(spark: Any, source_file: SourceFile, kind: str) -> Iterator[InputFile]:
    """Yield a file to inspect: itself, or a copy of its first lines if only Spark can open it."""
    path = source_file.path
    if not is_spark_url(path) and Path(path.lower()).suffix not in HADOOP_COMPRESSIONS:
        with open_input_file(source_file) as file, wrap_read_errors(file, kind):
            yield file
        return
    with scratch_folder() as folder:
        rows = spark.read.text(spark_path(source_file), lineSep="\n").limit(HEAD_LINES)
        values = rows.selectExpr("CAST(value AS BINARY) AS value").toArrow()["value"].to_pylist()
        copy = folder / "head"
        copy.write_bytes(b"".join(value + b"\n" for value in values))
        columns = source_file.folder_columns
        yield InputFile(source_file.display_name, str(copy), folder_columns=columns)
