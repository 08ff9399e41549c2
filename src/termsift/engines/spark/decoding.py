"""Decoding of text and JSON files that Spark reads as bytes, with the results of the local engine."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import pyarrow as pa

from termsift._internal.errors import InvalidInputError, UnreadableFileError
from termsift.engines.files.columns import TEXT, ColumnSpec, find_columns
from termsift.engines.files.encodings import decode_head, is_utf8, warn_guessed_encodings
from termsift.engines.files.formats import Format, formats_by_extension
from termsift.engines.files.opening import InputFile, SourceFile
from termsift.engines.files.sources import with_encoding
from termsift.engines.spark.columns import open_file_head, quote_column, spark_path
from termsift.engines.spark.sessions import ignore_pandas_warning

JAVA_ENCODINGS = {
    "utf-8-sig": "UTF-8",
    "utf-16-le": "UTF-16LE",
    "utf-16-be": "UTF-16BE",
    "utf-32-le": "UTF-32LE",
    "utf-32-be": "UTF-32BE",
}


def is_ascii_based(encoding: str) -> bool:
    """Check whether ASCII bytes are ASCII in an encoding, unlike in UTF-16."""
    plain = bytes(range(128))
    try:
        return plain.decode(encoding) == plain.decode("ascii")
    except UnicodeError:
        return False


def java_name(encoding: str) -> str:
    """Return the Java name of an encoding."""
    name = codecs.lookup(encoding).name
    return JAVA_ENCODINGS.get(name, name)


@dataclass(frozen=True, slots=True)
class Encoding:
    """Encoding with its policy for undecodable bytes; it is pickled for the workers."""

    name: str
    errors: str

    def decoded(self, frame: Any) -> Any:
        """Decode a frame of bytes; UTF-8 is validated when it is counted."""
        names = [quote_column(name) for name in frame.columns]
        if is_utf8(self.name) and self.errors == "strict":
            return frame.selectExpr(*(f"CAST({name} AS STRING) AS {name}" for name in names))
        with ignore_pandas_warning():
            return frame.mapInArrow(self, ", ".join(f"{name} STRING" for name in names))

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield the texts of a partition."""
        for batch in batches:
            columns = [[self.text(cell) for cell in column.to_pylist()] for column in batch.columns]
            strings = [pa.array(texts, pa.large_string()) for texts in columns]
            yield pa.record_batch(strings, names=batch.schema.names)

    def text(self, content: bytes | None) -> str | None:
        """Decode bytes."""
        if content is None:
            return None
        try:
            text = content.decode(self.name, self.errors).removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            where = f"byte 0x{error.object[error.start]:02x} at {error.start:,}"
            raise UnreadableFileError(
                f"a row is not {self.name}: {where}; name its encoding, such as encoding='latin-1'"
            ) from error
        return text.encode("utf-8", "replace").decode()


def iter_text_files(
    spark: Any, files: Iterable[SourceFile], spec: ColumnSpec, kind: Format
) -> Iterator[tuple[SourceFile, InputFile]]:
    """Yield text files with their detected encodings; warn of guessed ones."""
    guessed: dict[str, str] = {}
    for found in files:
        spark_path(found)  # what Spark cannot read is not looked at
        with open_file_head(spark, found, kind.name) as file:
            file = replace(file, encoding=spec.encoding, errors=spec.errors, guessed=guessed)
            yield found, with_encoding(file, kind)
    warn_guessed_encodings(guessed)


def add_folder_columns(frame: Any, spec: ColumnSpec, given: Iterable[tuple[str, str | None]]) -> Any:
    """Add the columns that folder names determine and the files lack."""
    from pyspark.sql.functions import lit

    for name, value in given:
        if name in spec.by_role.values() and name not in frame.columns:
            frame = frame.withColumn(name, lit(value).cast("string"))
    return frame


def union_frames(frames: Iterable[Any]) -> Any:
    """Return the rows of all frames, which have the same column names."""
    return reduce(lambda one, other: one.unionByName(other), frames)


SAMPLE_ROWS = 1000  # rows that tell the columns, and of which types labels are
HEAD = 2048  # characters
# what a label may be in JSON, from the narrowest on: its type in Spark, and how it travels
JSON_TYPES: dict[type, tuple[str, Any]] = {
    bool: ("boolean", pa.bool_()),
    int: ("bigint", pa.int64()),
    float: ("double", pa.float64()),
    str: ("string", pa.string()),
}


@dataclass(frozen=True, slots=True)
class JsonText:
    """Layout of JSON files; it is pickled for the workers.

    is_array : whether each is an array of objects, and not an object per line
    given : what the names of folders say
    """

    is_array: bool
    encoding: Encoding
    given: tuple[tuple[str, str | None], ...] = ()

    def frame(self, spark: Any, paths: list[str]) -> Any:
        """Return a frame of bytes: lines if the encoding allows it, else complete files."""
        whole = self.is_array or not is_ascii_based(self.encoding.name)
        rows = spark.read.text(paths, wholetext=whole, lineSep=None if whole else "\n")
        return rows.selectExpr("CAST(value AS BINARY) AS value")

    def objects(self, content: bytes) -> Iterator[dict[str, Any]]:
        """Yield the objects of a line or of a file; other values have no columns."""
        text = self.encoding.text(content) or ""
        for part in [text] if self.is_array else text.split("\n"):
            if part.strip():
                found = parse_json(part)
                for value in found if self.is_array and isinstance(found, list) else [found]:
                    yield value if isinstance(value, dict) else {}


def parse_json(text: str) -> Any:
    """Parse a JSON text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableFileError(f"a row is not JSON: {error}; it begins {text[:60]!r}") from error


@dataclass(frozen=True, slots=True)
class JsonColumns:
    """Function from lines of JSON to columns; it is pickled for the workers.

    kinds : the names of the columns with their Arrow types; those of texts are strings
    texts : which of them are texts
    """

    written: JsonText
    kinds: dict[str, Any]
    texts: tuple[str, ...]

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield the columns of a partition."""
        for batch in batches:
            found = [one for row in batch.column(0).to_pylist() for one in self.written.objects(row)]
            yield pa.record_batch({name: self.column(name, found) for name in self.kinds})

    def column(self, name: str, objects: list[dict[str, Any]]) -> Any:
        """Return a column of some objects; raise an error for labels of mixed types."""
        values = [one.get(name) for one in objects]
        if name in self.texts:
            return pa.array(map(format_json_value, values), pa.large_string())
        try:
            return pa.array(values, self.kinds[name])
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
            raise InvalidInputError(
                f"column {name!r} has values of several types, of which the first are {self.kinds[name]}; "
                "make them one, or count it with --engine files"
            ) from error


def format_json_value(value: Any) -> str | None:
    """Return a string as it is, another value as JSON, or None."""
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode()


def load_jsonl(spark: Any, files: Sequence[SourceFile], spec: ColumnSpec) -> Any:
    """Load JSON lines."""
    return load_json_objects(spark, files, spec, formats_by_extension()[".jsonl"])


def load_json(spark: Any, files: Sequence[SourceFile], spec: ColumnSpec) -> Any:
    """Load arrays of objects; a file without brackets has an object per line."""
    return load_json_objects(spark, files, spec, formats_by_extension()[".json"])


def load_json_objects(spark: Any, files: Sequence[SourceFile], spec: ColumnSpec, kind: Format) -> Any:
    """Load JSON objects, grouping files of the same layout."""
    alike: dict[JsonText, list[SourceFile]] = {}
    for found, file in iter_text_files(spark, files, spec, kind):
        alike.setdefault(detect_json_text(file, kind), []).append(found)
    return union_frames(load_json_frame(spark, own, spec, written) for written, own in alike.items())


def detect_json_text(file: InputFile, kind: Format) -> JsonText:
    """Detect the layout of a JSON file."""
    is_array = kind.name == "JSON" and decode_head(file, HEAD).lstrip().startswith("[")
    return JsonText(is_array, Encoding(file.encoding, file.errors), file.given)


def load_json_frame(spark: Any, files: list[SourceFile], spec: ColumnSpec, written: JsonText) -> Any:
    """Load the requested columns of files of the same layout."""
    rows = written.frame(spark, [spark_path(file) for file in files])
    first = [one for row in load_first_rows(rows) for one in written.objects(row)][:SAMPLE_ROWS]
    keys = list(dict.fromkeys(key for one in first for key in one))
    placed = find_columns(spec, keys, InputFile(files[0].display_name, "", given=written.given))
    names = {str(spec.by_role[role]): role for role in placed}
    kinds = {
        name: ("string", pa.large_string()) if role.startswith(TEXT) else infer_column_type(first, name)
        for name, role in names.items()
    }
    texts = tuple(name for name, role in names.items() if role.startswith(TEXT))
    work = JsonColumns(written, {name: kind for name, (_, kind) in kinds.items()}, texts)
    with ignore_pandas_warning():
        frame = rows.mapInArrow(
            work, ", ".join(f"{quote_column(name)} {kind}" for name, (kind, _) in kinds.items())
        )
    return add_folder_columns(frame, spec, written.given)


def load_first_rows(rows: Any) -> list[bytes]:
    """Return the first rows of bytes."""
    with ignore_pandas_warning():
        found: list[bytes] = rows.limit(SAMPLE_ROWS).toArrow()["value"].to_pylist()
    return found


def infer_column_type(objects: list[dict[str, Any]], name: str) -> tuple[str, Any]:
    """Return the Spark and Arrow types that fit the values of the first objects."""
    values = [one[name] for one in objects if one.get(name) is not None]
    several = any(isinstance(value, list) for value in values)
    flat = [one for value in values for one in (value if isinstance(value, list) else [value])]
    types = {type(value) for value in flat if value is not None}
    types = {float} if types == {int, float} else types or {str}
    kind = next((JSON_TYPES[own] for own in types if own in JSON_TYPES), JSON_TYPES[str])
    return (f"array<{kind[0]}>", pa.list_(kind[1])) if several else kind
