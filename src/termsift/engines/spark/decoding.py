"""Paths that Spark can read, and decoding of the text and JSON files that it reads as bytes."""

from __future__ import annotations

import codecs
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa

from termsift._internal.errors import InvalidInputError, UnreadableFileError
from termsift._internal.files import scratch_folder
from termsift.engines.files.columns import TEXT, ColumnSpec, find_columns
from termsift.engines.files.encodings import decode_head, is_utf8, warn_guessed_encodings
from termsift.engines.files.opening import FolderColumns, InputFile, SourceFile, open_input_file
from termsift.engines.files.sources import with_detected_encoding, wrap_read_errors
from termsift.engines.spark.counting import quote_column
from termsift.engines.spark.sessions import ignore_pandas_warning

SPARK_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://.*", flags=re.DOTALL)
# compressions that only Hadoop can open
HADOOP_COMPRESSIONS = (".deflate", ".lz4", ".snappy")
SPARK_COMPRESSIONS = (".gz", ".bz2", ".zst", *HADOOP_COMPRESSIONS)
UNSUPPORTED_COMPRESSIONS = (".xz", ".zip", ".7z", ".rar", ".br", ".z", ".lzma")
# lines of a remote file that are inspected
HEAD_LINES = 1000
JAVA_ENCODINGS = {
    "utf-8-sig": "UTF-8",
    "utf-16-le": "UTF-16LE",
    "utf-16-be": "UTF-16BE",
    "utf-32-le": "UTF-32LE",
    "utf-32-be": "UTF-32BE",
}


def is_spark_url(path: str) -> bool:
    """Check whether a path is a URL for Spark, such as s3a://..., and not an existing file."""
    return SPARK_URL.fullmatch(path) is not None and not os.path.exists(path)


def spark_path(file: SourceFile) -> str:
    """Return the path for Spark; raise an error for files that Spark would skip or misread."""
    path, extension = file.path, Path(file.path.lower()).suffix
    if file.member or extension in UNSUPPORTED_COMPRESSIONS:
        supported, name = ", ".join(SPARK_COMPRESSIONS), file.display_name
        message = f"Spark cannot read {name}; {extension} is not one of {supported}; use --engine files"
        raise UnreadableFileError(message)
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


def is_ascii_based(encoding: str) -> bool:
    """Check whether ASCII bytes are ASCII in an encoding, unlike in UTF-16."""
    plain = bytes(range(128))
    try:
        return plain.decode(encoding) == plain.decode("ascii")
    except UnicodeError:
        return False


def java_encoding_name(encoding: str) -> str:
    """Return the Java name of an encoding."""
    name = codecs.lookup(encoding).name
    return JAVA_ENCODINGS.get(name, name)


@dataclass(frozen=True, slots=True)
class Encoding:
    """Encoding with its policy for undecodable bytes; it is pickled for the workers."""

    name: str
    errors: str

    def decode_frame(self, frame: Any) -> Any:
        """Decode a frame of bytes; UTF-8 is validated when it is counted."""
        names = [quote_column(name) for name in frame.columns]
        if is_utf8(self.name) and self.errors == "strict":
            return frame.selectExpr(*(f"CAST({name} AS STRING) AS {name}" for name in names))
        with ignore_pandas_warning():
            return frame.mapInArrow(self, ", ".join(f"{name} STRING" for name in names))

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield the texts of a partition."""
        for batch in batches:
            columns = [[self.decode(cell) for cell in column.to_pylist()] for column in batch.columns]
            strings = [pa.array(texts, pa.large_string()) for texts in columns]
            yield pa.record_batch(strings, names=batch.schema.names)

    def decode(self, content: bytes | None) -> str | None:
        """Decode bytes."""
        if content is None:
            return None
        try:
            text = content.decode(self.name, self.errors).removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            where = f"byte 0x{error.object[error.start]:02x} at {error.start:,}"
            message = f"a row is not {self.name}: {where}; specify its encoding, such as encoding='latin-1'"
            raise UnreadableFileError(message) from error
        return text.encode("utf-8", "replace").decode()


def iter_text_files(
    spark: Any, files: Iterable[SourceFile], spec: ColumnSpec, kind: str
) -> Iterator[tuple[str, InputFile]]:
    """Yield paths for Spark and text files with their detected encodings; warn of guessed ones."""
    guessed: dict[str, str] = {}
    for source_file in files:
        path, columns = spark_path(source_file), requested_folder_columns(source_file, spec)
        with open_file_head(spark, source_file, kind) as file:
            file = replace(file, folder_columns=columns, encoding=spec.encoding, errors=spec.errors)
            yield path, with_detected_encoding(replace(file, guessed=guessed), kind)
    warn_guessed_encodings(guessed)


def requested_folder_columns(file: SourceFile, spec: ColumnSpec) -> FolderColumns:
    """Return the requested columns that the folders of a file determine."""
    requested = spec.by_role.values()
    return tuple((name, value) for name, value in file.folder_columns if name in requested)


def add_folder_columns(frame: Any, folder_columns: FolderColumns) -> Any:
    """Add the columns that folder names determine and the files lack."""
    from pyspark.sql.functions import lit

    for name, value in folder_columns:
        if name not in frame.columns:
            frame = frame.withColumn(name, lit(value).cast("string"))
    return frame


def union_frames(frames: Iterable[Any]) -> Any:
    """Return the rows of all frames, which have the same column names."""
    return reduce(lambda union, frame: union.unionByName(frame), frames)


# rows from which the columns and the types of labels are inferred
SAMPLE_ROWS = 1000
# characters
HEAD = 2048
# Spark and Arrow types of labels in JSON
JSON_TYPES: dict[type, tuple[str, Any]] = {
    bool: ("boolean", pa.bool_()),
    int: ("bigint", pa.int64()),
    float: ("double", pa.float64()),
    str: ("string", pa.string()),
}


@dataclass(frozen=True, slots=True)
class JsonText:
    """Layout of JSON files; it is pickled for the workers.

    is_array : whether each file is an array of objects, and not an object per line
    folder_columns : columns that the names of folders determine
    """

    is_array: bool
    encoding: Encoding
    folder_columns: FolderColumns = ()

    def parse_objects(self, rows: Iterable[bytes]) -> Iterator[dict[str, Any]]:
        """Yield the objects of lines or of files; other values have no columns."""
        for content in rows:
            text = self.encoding.decode(content) or ""
            for document in [text] if self.is_array else text.split("\n"):
                if not document.strip():
                    continue
                try:
                    parsed = json.loads(document)
                except (ValueError, RecursionError) as error:
                    message = f"a row is not JSON: {error}; it begins {document[:60]!r}"
                    raise UnreadableFileError(message) from error
                for value in parsed if self.is_array and isinstance(parsed, list) else [parsed]:
                    yield value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class JsonColumns:
    """Function from lines of JSON to columns; it is pickled for the workers.

    types : Arrow type of each column; texts are strings
    texts : names of the text columns
    """

    layout: JsonText
    types: dict[str, Any]
    texts: tuple[str, ...]

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield the columns of a partition."""
        for batch in batches:
            objects = list(self.layout.parse_objects(batch.column(0).to_pylist()))
            yield pa.record_batch({name: self.column(name, objects) for name in self.types})

    def column(self, name: str, objects: list[dict[str, Any]]) -> Any:
        """Return a column of some objects; raise an error for labels of mixed types."""
        values = [item.get(name) for item in objects]
        if name in self.texts:
            return pa.array(map(format_json_value, values), pa.large_string())
        try:
            return pa.array(values, self.types[name])
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
            raise InvalidInputError(
                f"column {name!r} has values of different types, the first are {self.types[name]}; "
                "convert them to one type, or use --engine files"
            ) from error


def format_json_value(value: Any) -> str | None:
    """Return a string as it is, another value as JSON, or None."""
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode()


def load_json_objects(spark: Any, files: Sequence[SourceFile], spec: ColumnSpec, kind: str) -> Any:
    """Load JSON objects, grouping files of the same layout; JSON without brackets has an object per line."""
    groups: dict[JsonText, list[tuple[str, InputFile]]] = {}
    for path, file in iter_text_files(spark, files, spec, kind):
        is_array = kind == "JSON" and decode_head(file, HEAD).lstrip().startswith("[")
        layout = JsonText(is_array, Encoding(file.encoding, file.errors), file.folder_columns)
        groups.setdefault(layout, []).append((path, file))
    return union_frames(load_json_frame(spark, group, spec, layout) for layout, group in groups.items())


def load_json_frame(
    spark: Any, files: list[tuple[str, InputFile]], spec: ColumnSpec, layout: JsonText
) -> Any:
    """Load the requested columns of files of the same layout."""
    # bytes of complete files, unless lines can be told apart in the encoding
    is_complete = layout.is_array or not is_ascii_based(layout.encoding.name)
    paths = [path for path, _ in files]
    rows = spark.read.text(paths, wholetext=is_complete, lineSep=None if is_complete else "\n")
    rows = rows.selectExpr("CAST(value AS BINARY) AS value")
    with ignore_pandas_warning():
        head = rows.limit(SAMPLE_ROWS).toArrow()["value"].to_pylist()
    objects = list(layout.parse_objects(head))[:SAMPLE_ROWS]
    keys = list(dict.fromkeys(key for item in objects for key in item))
    roles = {str(spec.by_role[role]): role for role in find_columns(spec, keys, files[0][1])}
    texts = tuple(name for name, role in roles.items() if role.startswith(TEXT))
    text_type = ("string", pa.large_string())
    types = {name: text_type if name in texts else infer_column_type(objects, name) for name in roles}
    columns = JsonColumns(layout, {name: arrow_type for name, (_, arrow_type) in types.items()}, texts)
    schema = ", ".join(f"{quote_column(name)} {spark_type}" for name, (spark_type, _) in types.items())
    with ignore_pandas_warning():
        return add_folder_columns(rows.mapInArrow(columns, schema), layout.folder_columns)


def infer_column_type(objects: list[dict[str, Any]], name: str) -> tuple[str, Any]:
    """Return the Spark and Arrow types that fit the values of the first objects."""
    values = [item[name] for item in objects if item.get(name) is not None]
    has_lists = any(isinstance(value, list) for value in values)
    scalars = [scalar for value in values for scalar in (value if isinstance(value, list) else [value])]
    types = {type(scalar) for scalar in scalars if scalar is not None}
    types = {float} if types == {int, float} else types or {str}
    spark_type, arrow_type = next((JSON_TYPES[kind] for kind in types if kind in JSON_TYPES), JSON_TYPES[str])
    return (f"array<{spark_type}>", pa.list_(arrow_type)) if has_lists else (spark_type, arrow_type)
