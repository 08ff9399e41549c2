"""Bytes that Spark brings as the texts that Python reads in them."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import pyarrow as pa

from termsift.engines.files.encodings import is_utf8, warn_of_guesses
from termsift.engines.files.formats import Format
from termsift.engines.files.input_files import FoundFile, InputFile
from termsift.engines.files.readers.columns import WantedColumns
from termsift.engines.files.sources import as_text
from termsift.engines.spark.columns import quoted
from termsift.engines.spark.faults import quiet
from termsift.engines.spark.paths import file_beginning, spark_path
from termsift.errors import UnreadableFile

JAVA = {
    "utf-8-sig": "UTF-8",
    "utf-16-le": "UTF-16LE",
    "utf-16-be": "UTF-16BE",
    "utf-32-le": "UTF-32LE",
    "utf-32-be": "UTF-32BE",
}


def is_ascii_based(encoding: str) -> bool:
    """Whether the bytes of ASCII are ASCII in an encoding, as they are not in UTF-16."""
    plain = bytes(range(128))
    try:
        return plain.decode(encoding) == plain.decode("ascii")
    except UnicodeError:
        return False


def java_name(encoding: str) -> str:
    """An encoding as Java calls it."""
    name = codecs.lookup(encoding).name
    return JAVA.get(name, name)


@dataclass(frozen=True, slots=True)
class Encoding:
    """An encoding, and what is done with bytes that are no text of it; a value that travels to workers."""

    name: str
    errors: str

    def decoded(self, frame: Any) -> Any:
        """A frame of bytes as one of strings; UTF-8 is looked at where it is counted."""
        names = [quoted(name) for name in frame.columns]
        if is_utf8(self.name) and self.errors == "strict":
            return frame.selectExpr(*(f"CAST({name} AS STRING) AS {name}" for name in names))
        with quiet():
            return frame.mapInArrow(self, ", ".join(f"{name} STRING" for name in names))

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The texts of a partition."""
        for batch in batches:
            columns = [[self.text(cell) for cell in column.to_pylist()] for column in batch.columns]
            strings = [pa.array(texts, pa.large_string()) for texts in columns]
            yield pa.record_batch(strings, names=batch.schema.names)

    def text(self, content: bytes | None) -> str | None:
        """The text of bytes; an error for what is none."""
        if content is None:
            return None
        try:
            text = content.decode(self.name, self.errors).removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            where = f"byte 0x{error.object[error.start]:02x} at {error.start:,}"
            raise UnreadableFile(
                f"a row is not {self.name}: {where}; name its encoding, such as encoding='latin-1'"
            ) from error
        return text.encode("utf-8", "replace").decode()


def text_files(
    spark: Any, files: Iterable[FoundFile], wanted: WantedColumns, kind: Format
) -> Iterator[tuple[FoundFile, InputFile]]:
    """Text files with how each is to be looked at; a warning where encodings had to be guessed."""
    guessed: dict[str, str] = {}
    for found in files:
        spark_path(found)  # what Spark cannot read is not looked at
        with file_beginning(spark, found, kind.name) as file:
            file = replace(file, encoding=wanted.encoding, errors=wanted.errors, guessed=guessed)
            yield found, as_text(file, kind)
    warn_of_guesses(guessed)


def with_given(frame: Any, wanted: WantedColumns, given: Iterable[tuple[str, str | None]]) -> Any:
    """A frame with what the names of folders say, where its files have no such column."""
    from pyspark.sql.functions import lit

    for name, value in given:
        if name in wanted.columns.values() and name not in frame.columns:
            frame = frame.withColumn(name, lit(value).cast("string"))
    return frame


def united(frames: Iterable[Any]) -> Any:
    """The rows of all frames, whose columns have the same names."""
    return reduce(lambda one, other: one.unionByName(other), frames)
