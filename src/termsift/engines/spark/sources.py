"""Folders of classes on Spark: each file is a document, and the folder it is in its class."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from termsift._internal.errors import (
    InvalidInputError,
    UnknownNameError,
    UnreadableFileError,
    near_miss,
    unknown,
)
from termsift.counts import is_counts_file
from termsift.engines.files.columns import TEXT, WantedColumns, check_there_once, placed_columns
from termsift.engines.files.delimited import ROW_END, CellLayout, csv_layout, head_of, tsv_layout
from termsift.engines.files.encodings import file_head, first_bad_byte, wrongly_encoded
from termsift.engines.files.formats import (
    CLASSES,
    FORMATS,
    Format,
    check_uses,
    class_name,
    content_of,
    known_endings,
    texts_of,
)
from termsift.engines.files.opening import FoundFile, InputFile, ending, is_pipe
from termsift.engines.files.sources import (
    TEXTS,
    Source,
    file_format,
    files_at,
    is_of_classes,
    local_names,
    source_of,
)
from termsift.engines.spark.columns import UNPACKED, is_address, quoted, spark_path
from termsift.engines.spark.decoding import (
    Encoding,
    is_ascii_based,
    java_name,
    json_frame,
    jsonl_frame,
    text_files,
    united,
    with_given,
)
from termsift.engines.spark.session import clear_faults, quiet, session

PART = 256  # documents that are read at a time
NAMES = ("text", "label")


@dataclass(frozen=True, slots=True)
class ClassTexts:
    """From names of files to texts and classes; a value that travels to the workers.

    folder : what holds a folder for each class
    """

    folder: str
    encoding: Encoding

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The documents of a partition: of names that workers open, or with what Spark has read of each."""
        for batch in batches:
            for start in range(0, len(batch), PART):
                yield self.documents(batch.slice(start, PART))

    def documents(self, batch: Any) -> Any:
        """The texts and classes of some files."""
        names, contents = self.read(batch) if "content" in batch.schema.names else self.opened(batch)
        file = InputFile(self.folder, self.folder, encoding=self.encoding.name, errors=self.encoding.errors)
        labels = [class_name(name, self.folder) for name in names]
        return pa.record_batch([texts_of(names, contents, file), pa.array(labels, pa.string())], names=NAMES)

    def opened(self, batch: Any) -> tuple[list[str], list[bytes]]:
        """Names below the folder, and the contents of the files."""
        names = batch.column("name").to_pylist()
        return names, [content_of(self.folder, name) for name in names]

    def read(self, batch: Any) -> tuple[list[str], list[bytes]]:
        """The same of whole paths and contents; what lies in the folder itself is of no class."""
        parts = urlsplit(self.folder)
        root = f"{parts.netloc}{parts.path}".rstrip("/") + "/"
        found = zip(batch.column("path").to_pylist(), batch.column("content").to_pylist(), strict=True)
        named = [(path.partition(root)[2], content) for path, content in found]
        inside = [(name, content) for name, content in named if "/" in name]
        return [name for name, _ in inside], [content for _, content in inside]


def class_frame(spark: Any, folders: Sequence[FoundFile], wanted: WantedColumns) -> Any:
    """The documents of folders of classes."""
    if wanted.group is not None:
        raise UnreadableFileError(
            f"{folders[0].told} is a folder for each class, which has no column of groups"
        )
    encoding = Encoding(wanted.encoding, wanted.errors)
    frame = united(
        documents_at(spark, folder.path, encoding)
        if is_address(folder.path)
        else documents_in(spark, folder, encoding)
        for folder in folders
    )
    text, label = (quoted(str(wanted.columns[role])) for role in NAMES)
    return frame.selectExpr(f"text AS {text}", f"label AS {label}")


def documents_in(spark: Any, folder: FoundFile, encoding: Encoding) -> Any:
    """The documents of a folder of this machine: workers open what the engine of files would."""
    if not folder.documents:
        raise UnreadableFileError(f"{folder.told} is a folder without folders of files for each class")
    with quiet():
        names = spark.createDataFrame(pa.table({"name": list(folder.documents)}))
        return names.mapInArrow(ClassTexts(folder.path, encoding), "text STRING, label STRING")


def documents_at(spark: Any, address: str, encoding: Encoding) -> Any:
    """The documents of a folder at an address, which Spark reads."""
    files = spark.read.format("binaryFile").option("recursiveFileLookup", True).load(address)
    with quiet():
        return files.select("path", "content").mapInArrow(
            ClassTexts(address, encoding), "text STRING, label STRING"
        )


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
        raise InvalidInputError(
            f"{name!r} names no table; write it as name, db.name or catalog.db.name"
        ) from error
    except AnalysisException as error:
        if "NOT_FOUND" not in str(error.getCondition()):
            raise
        raise missing_table(spark, name) from error
    return frame


def missing_table(spark: Any, name: str) -> UnknownNameError:
    """The error for a table that is not there, with the near miss of its database."""
    from pyspark.errors import AnalysisException, ParseException

    database, _, table = name.rpartition(".")
    try:
        known = [one.name for one in spark.catalog.listTables(database or None)]
    except (AnalysisException, ParseException):
        return UnknownNameError(f"there is no table {name}, nor a database {database}")
    near = near_miss(table, known)
    full = f"{database}.{near}" if database else near
    return UnknownNameError(f"there is no table {name}" + (f"; did you mean {full!r}?" if near else ""))


BYTES = "ISO-8859-1"  # a character per byte
NO_QUOTE = "\uffff"  # no character of BYTES
MARK = codecs.BOM_UTF8
COLUMNS = 20480  # the most that Spark reads unless told


@dataclass(frozen=True, slots=True)
class Dialect:
    """How some files of fields are written, and where in them the wanted columns are.

    places : the role of each column that is wanted of the file, and its place
    line_end : what ends a row
    marked : whether the mark of UTF-8 stands before the first cell, which Java takes away
    given : what the names of folders say of the others
    """

    layout: CellLayout
    places: tuple[tuple[str, int], ...]
    line_end: str
    encoding: Encoding
    header: bool
    marked: bool
    given: tuple[tuple[str, str | None], ...]

    @property
    def is_of_bytes(self) -> bool:
        """Whether delimiter, quote and line end have the bytes of ASCII, which nothing else has."""
        # second bytes of East Asian encodings are at least those of "0"
        return is_ascii_based(self.encoding.name) and self.layout.delimiter < "0" and not self.marked

    @property
    def options(self) -> dict[str, Any]:
        """The settings of Spark's reader. A row with more or fewer fields than the header is an error."""
        quote = '"' if self.layout.quoted else NO_QUOTE
        return {
            "sep": self.layout.delimiter,
            "quote": quote,
            "escape": quote,
            "charToEscapeQuoteEscaping": NO_QUOTE,  # where it is not set, NUL characters are taken for it
            "lineSep": self.line_end,
            "multiLine": True,
            "header": self.header,
            "encoding": BYTES if self.is_of_bytes else java_name(self.encoding.name),
            "mode": "FAILFAST",
            "columnPruning": False,
            "maxColumns": max(COLUMNS, len(self.layout.columns)),
        }

    def cell(self, role: str, place: int) -> str:
        """The cell of a column in SQL: bytes, or a string; null where it is empty, unless it is a text."""
        cell = f"c{place}"
        if self.line_end == "\n" and place == len(self.layout.columns) - 1:
            cell = f"IF(ENDSWITH({cell}, '\\r'), SUBSTRING({cell}, 1, LENGTH({cell}) - 1), {cell})"
        cell = f"COALESCE({cell}, '')" if role.startswith(TEXT) else f"NULLIF({cell}, '')"
        return f"ENCODE({cell}, '{BYTES}')" if self.is_of_bytes else cell


def csv_frame(spark: Any, files: Sequence[FoundFile], wanted: WantedColumns) -> Any:
    """The documents of CSV files."""
    return delimited_frame(spark, files, wanted, known_endings()[".csv"], csv_layout)


def tsv_frame(spark: Any, files: Sequence[FoundFile], wanted: WantedColumns) -> Any:
    """The documents of TSV files."""
    return delimited_frame(spark, files, wanted, known_endings()[".tsv"], tsv_layout)


def delimited_frame(
    spark: Any,
    files: Sequence[FoundFile],
    wanted: WantedColumns,
    kind: Format,
    layout_of: Callable[[InputFile, WantedColumns], CellLayout],
) -> Any:
    """The documents of files of fields, those that are written alike at once."""
    alike: dict[Dialect, list[str]] = {}
    for found, file in text_files(spark, files, wanted, kind):
        dialect = dialect_of(file, wanted, layout_of(file, wanted))
        alike.setdefault(dialect, []).append(spark_path(found))
    return united(dialect_frame(spark, paths, wanted, dialect) for dialect, paths in alike.items())


def dialect_of(file: InputFile, wanted: WantedColumns, layout: CellLayout) -> Dialect:
    """How a file is written."""
    places = placed_columns(wanted, layout.columns, file)
    end = ROW_END.search(head_of(file))
    encoding = Encoding(file.encoding, file.errors)
    given = tuple((name, value) for name, value in file.given if name in wanted.columns.values())
    return Dialect(
        layout,
        tuple(places.items()),
        end[0] if end else "\n",
        encoding,
        wanted.header,
        not wanted.header and is_marked(file),
        given,
    )


def is_marked(file: InputFile) -> bool:
    """Whether a file begins with the mark of UTF-8; an error where it is none, which Java would not say."""
    if not file_head(file).startswith(MARK):
        return False
    bad = first_bad_byte(file, "utf-8") if file.errors == "strict" else None
    if bad is not None:
        raise wrongly_encoded(file.name, "utf-8", bad)
    return True


def dialect_frame(spark: Any, paths: list[str], wanted: WantedColumns, dialect: Dialect) -> Any:
    """The wanted columns of files that are written alike, under their own names."""
    schema = ", ".join(f"c{i} STRING" for i in range(len(dialect.layout.columns)))
    rows = spark.read.schema(schema).options(**dialect.options).csv(paths)
    names = {role: str(wanted.columns[role]) for role, _ in dialect.places}
    cells = [f"{dialect.cell(role, place)} AS {quoted(names[role])}" for role, place in dialect.places]
    frame = rows.selectExpr(*cells)
    if dialect.is_of_bytes:
        frame = dialect.encoding.decoded(frame)
    return with_given(frame, wanted, dialect.given)


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
        raise UnreadableFileError(f"Spark reads files, and {path} is a stream; count it with --engine files")
    if is_address(path) and path.lower().startswith(("http:", "https:")):
        raise UnreadableFileError(f"Spark reads nothing of the web; count {path} with --engine files")
    if os.path.isfile(path) and is_counts_file(path):
        raise InvalidInputError(
            f"{path} holds counts, which are read without Spark; leave out --engine spark"
        )


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
        raise UnreadableFileError(f"{source.name}: some are addresses and some files; give one kind")
    if any(remote):
        return remote_format(source), [FoundFile(path) for path in source.paths]
    format = ORC if source.format is None and any(map(holds_orc, source.paths)) else source.format
    with ExitStack() as kept:
        files = [file for path in source.paths for file in files_at(path, format, kept)]
    of_classes = [file for file in files if is_of_classes(file)]
    if of_classes and len(of_classes) < len(files):
        raise UnreadableFileError(f"{of_classes[0].told} is a folder of classes among files; give one kind")
    if format == ORC:
        return "ORC", files
    kind = CLASSES if of_classes else file_format(files, format)
    if kind.name not in READERS:
        raise UnreadableFileError(
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
        raise UnreadableFileError(f"{source.name}: Spark reads one format at a time, of {', '.join(READERS)}")
    return kinds.pop()


def remote_ending(address: str) -> str:
    """The ending of an address that names a format."""
    path = PurePosixPath(urlsplit(address).path.lower())
    return ending(str(path.with_suffix("") if path.suffix in UNPACKED else path))
