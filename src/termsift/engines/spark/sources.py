"""Files and tables as Spark DataFrames, with the documents that the local engine reads."""

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
    closest_name,
    unknown_name_error,
)
from termsift.counts import is_counts_file
from termsift.engines.files.columns import TEXT, ColumnSpec, check_column_exists, find_columns
from termsift.engines.files.delimited import (
    ROW_END,
    CellLayout,
    detect_csv_layout,
    detect_tsv_layout,
    load_head,
)
from termsift.engines.files.encodings import encoding_error, find_invalid_byte, load_file_head
from termsift.engines.files.formats import (
    CLASSES,
    FORMATS,
    Format,
    check_format_options,
    decode_documents,
    formats_by_extension,
    load_content,
    parse_class_name,
)
from termsift.engines.files.opening import InputFile, SourceFile, format_extension, is_pipe
from termsift.engines.files.sources import (
    TEXTS,
    Source,
    infer_format,
    is_class_folder,
    list_files,
    list_local_files,
    parse_source,
)
from termsift.engines.spark.columns import SPARK_COMPRESSIONS, is_spark_url, quote_column, spark_path
from termsift.engines.spark.decoding import (
    Encoding,
    add_folder_columns,
    is_ascii_based,
    iter_text_files,
    java_name,
    load_json,
    load_jsonl,
    union_frames,
)
from termsift.engines.spark.sessions import ignore_pandas_warning, session, translate_spark_errors

PART = 256  # documents that are read at a time
NAMES = ("text", "label")


@dataclass(frozen=True, slots=True)
class ClassTexts:
    """Function from file names to texts and classes; it is pickled for the workers.

    folder : what holds a folder for each class
    """

    folder: str
    encoding: Encoding

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield the documents of a partition, from names to open or from contents that Spark has read."""
        for batch in batches:
            for start in range(0, len(batch), PART):
                yield self.documents(batch.slice(start, PART))

    def documents(self, batch: Any) -> Any:
        """Return the texts and classes of some files."""
        names, contents = self.read(batch) if "content" in batch.schema.names else self.opened(batch)
        file = InputFile(self.folder, self.folder, encoding=self.encoding.name, errors=self.encoding.errors)
        labels = [parse_class_name(name, self.folder) for name in names]
        return pa.record_batch(
            [decode_documents(names, contents, file), pa.array(labels, pa.string())], names=NAMES
        )

    def opened(self, batch: Any) -> tuple[list[str], list[bytes]]:
        """Return names below the folder, and the contents of the files."""
        names = batch.column("name").to_pylist()
        return names, [load_content(self.folder, name) for name in names]

    def read(self, batch: Any) -> tuple[list[str], list[bytes]]:
        """Return names and contents of files that Spark has read, except those directly in the folder."""
        parts = urlsplit(self.folder)
        root = f"{parts.netloc}{parts.path}".rstrip("/") + "/"
        found = zip(batch.column("path").to_pylist(), batch.column("content").to_pylist(), strict=True)
        named = [(path.partition(root)[2], content) for path, content in found]
        inside = [(name, content) for name, content in named if "/" in name]
        return [name for name, _ in inside], [content for _, content in inside]


def load_class_folders(spark: Any, folders: Sequence[SourceFile], spec: ColumnSpec) -> Any:
    """Load folders with one folder per class."""
    if spec.group is not None:
        raise UnreadableFileError(
            f"{folders[0].display_name} is a folder for each class, which has no column of groups"
        )
    encoding = Encoding(spec.encoding, spec.errors)
    frame = union_frames(
        load_remote_folder(spark, folder.path, encoding)
        if is_spark_url(folder.path)
        else load_local_folder(spark, folder, encoding)
        for folder in folders
    )
    text, label = (quote_column(str(spec.by_role[role])) for role in NAMES)
    return frame.selectExpr(f"text AS {text}", f"label AS {label}")


def load_local_folder(spark: Any, folder: SourceFile, encoding: Encoding) -> Any:
    """Load a local folder; the workers open the files."""
    if not folder.documents:
        raise UnreadableFileError(
            f"{folder.display_name} is a folder without folders of files for each class"
        )
    with ignore_pandas_warning():
        names = spark.createDataFrame(pa.table({"name": list(folder.documents)}))
        return names.mapInArrow(ClassTexts(folder.path, encoding), "text STRING, label STRING")


def load_remote_folder(spark: Any, address: str, encoding: Encoding) -> Any:
    """Load a folder at a URL by Spark."""
    files = spark.read.format("binaryFile").option("recursiveFileLookup", True).load(address)
    with ignore_pandas_warning():
        return files.select("path", "content").mapInArrow(
            ClassTexts(address, encoding), "text STRING, label STRING"
        )


def load_parquet(spark: Any, files: Sequence[SourceFile], spec: ColumnSpec) -> Any:
    """Load Parquet files."""
    return load_typed_files(spark.read.parquet, files, spec)


def load_orc(spark: Any, files: Sequence[SourceFile], spec: ColumnSpec) -> Any:
    """Load ORC files."""
    return load_typed_files(lambda *paths: spark.read.orc(list(paths)), files, spec)


def load_typed_files(read: Any, files: Sequence[SourceFile], spec: ColumnSpec) -> Any:
    """Load the requested columns of files, grouped by the columns of their folders."""
    alike: dict[tuple[tuple[str, str | None], ...], list[SourceFile]] = {}
    for file in files:
        own = tuple((name, value) for name, value in file.given if name in spec.by_role.values())
        alike.setdefault(own, []).append(file)
    return union_frames(
        add_folder_columns(
            select_requested_columns(read(*map(spark_path, own)), spec, own[0].display_name, dict(given)),
            spec,
            given,
        )
        for given, own in alike.items()
    )


def select_requested_columns(frame: Any, spec: ColumnSpec, name: str, given: dict[str, Any]) -> Any:
    """Select the requested columns, except those that only folders have."""
    asked = [str(column) for column in spec.by_role.values()]
    own = [column for column in asked if column in frame.columns or column not in given]
    for column in own:
        check_column_exists(column, frame.columns, name)
    return frame.select(*map(quote_column, own))


def load_tables(spark: Any, names: Sequence[str], spec: ColumnSpec) -> Any:
    """Load tables by name."""
    return union_frames(
        select_requested_columns(open_table(spark, name), spec, f"table {name}", {}) for name in names
    )


def open_table(spark: Any, name: str) -> Any:
    """Open a table by name; raise an error with the closest name if it does not exist."""
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
        raise missing_table_error(spark, name) from error
    return frame


def missing_table_error(spark: Any, name: str) -> UnknownNameError:
    """Return the error for a missing table, with the closest name in its database."""
    from pyspark.errors import AnalysisException, ParseException

    database, _, table = name.rpartition(".")
    try:
        known = [one.name for one in spark.catalog.listTables(database or None)]
    except (AnalysisException, ParseException):
        return UnknownNameError(f"there is no table {name}, nor a database {database}")
    near = closest_name(table, known)
    full = f"{database}.{near}" if database else near
    return UnknownNameError(f"there is no table {name}" + (f"; did you mean {full!r}?" if near else ""))


BYTES = "ISO-8859-1"  # a character per byte
NO_QUOTE = "\uffff"  # no character of BYTES
MARK = codecs.BOM_UTF8
COLUMNS = 20480  # the most that Spark reads unless told


@dataclass(frozen=True, slots=True)
class Dialect:
    """Layout of delimited files, and the positions of the requested columns.

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
        """Whether delimiter, quote and line end are unambiguous ASCII bytes."""
        # second bytes of East Asian encodings are at least those of "0"
        return is_ascii_based(self.encoding.name) and self.layout.delimiter < "0" and not self.marked

    @property
    def options(self) -> dict[str, Any]:
        """Options of the Spark reader; a row with another number of fields than the header is an error."""
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
        """Return the SQL of a cell: bytes or a string, null if it is empty, unless it is a text."""
        cell = f"c{place}"
        if self.line_end == "\n" and place == len(self.layout.columns) - 1:
            cell = f"IF(ENDSWITH({cell}, '\\r'), SUBSTRING({cell}, 1, LENGTH({cell}) - 1), {cell})"
        cell = f"COALESCE({cell}, '')" if role.startswith(TEXT) else f"NULLIF({cell}, '')"
        return f"ENCODE({cell}, '{BYTES}')" if self.is_of_bytes else cell


def load_csv(spark: Any, files: Sequence[SourceFile], spec: ColumnSpec) -> Any:
    """Load CSV files."""
    return load_delimited(spark, files, spec, formats_by_extension()[".csv"], detect_csv_layout)


def load_tsv(spark: Any, files: Sequence[SourceFile], spec: ColumnSpec) -> Any:
    """Load TSV files."""
    return load_delimited(spark, files, spec, formats_by_extension()[".tsv"], detect_tsv_layout)


def load_delimited(
    spark: Any,
    files: Sequence[SourceFile],
    spec: ColumnSpec,
    kind: Format,
    layout_of: Callable[[InputFile, ColumnSpec], CellLayout],
) -> Any:
    """Load delimited files, grouped by dialect."""
    alike: dict[Dialect, list[str]] = {}
    for found, file in iter_text_files(spark, files, spec, kind):
        dialect = detect_dialect(file, spec, layout_of(file, spec))
        alike.setdefault(dialect, []).append(spark_path(found))
    return union_frames(load_dialect(spark, paths, spec, dialect) for dialect, paths in alike.items())


def detect_dialect(file: InputFile, spec: ColumnSpec, layout: CellLayout) -> Dialect:
    """Detect the dialect of a file."""
    places = find_columns(spec, layout.columns, file)
    end = ROW_END.search(load_head(file))
    encoding = Encoding(file.encoding, file.errors)
    given = tuple((name, value) for name, value in file.given if name in spec.by_role.values())
    return Dialect(
        layout,
        tuple(places.items()),
        end[0] if end else "\n",
        encoding,
        spec.header,
        not spec.header and has_utf8_bom(file),
        given,
    )


def has_utf8_bom(file: InputFile) -> bool:
    """Check whether a file starts with a UTF-8 byte order mark; raise an error if it is not UTF-8."""
    if not load_file_head(file).startswith(MARK):
        return False
    bad = find_invalid_byte(file, "utf-8") if file.errors == "strict" else None
    if bad is not None:
        raise encoding_error(file.name, "utf-8", bad)
    return True


def load_dialect(spark: Any, paths: list[str], spec: ColumnSpec, dialect: Dialect) -> Any:
    """Load the requested columns of files of one dialect."""
    schema = ", ".join(f"c{i} STRING" for i in range(len(dialect.layout.columns)))
    rows = spark.read.schema(schema).options(**dialect.options).csv(paths)
    names = {role: str(spec.by_role[role]) for role, _ in dialect.places}
    cells = [f"{dialect.cell(role, place)} AS {quote_column(names[role])}" for role, place in dialect.places]
    frame = rows.selectExpr(*cells)
    if dialect.is_of_bytes:
        frame = dialect.encoding.decoded(frame)
    return add_folder_columns(frame, spec, dialect.given)


ORC, TABLE = "orc", "table"
# the readers by the names of formats: a function from a session, files and what is wanted to a frame
READERS: dict[str, Callable[[Any, Sequence[SourceFile], ColumnSpec], Any]] = {
    "CSV": load_csv,
    "TSV": load_tsv,
    "JSONL": load_jsonl,
    "JSON": load_json,
    "Parquet": load_parquet,
    "ORC": load_orc,
    CLASSES.name: load_class_folders,
}


@contextmanager
def read(data: Any, master: str = "local[*]", **how: Any) -> Iterator[Any]:
    """Open files, or a table, as a Spark DataFrame in a session that lasts as long as the block.

    data : a path, a glob pattern, a folder, a Spark URL such as s3a://..., or a list of these; with
        format="table", the name of a table
    how : the columns text, label and group; header, delimiter, encoding, encoding_errors and format, as for
        files in `ts.count`; format may also be "orc" or "table"

    The frame has the columns that are named. A path without a scheme is on this machine, and the workers must
    see it too.

    master : as for `ts.spark.session`

    >>> with read("mail.csv", text="body", label="folder") as frame:  # doctest: +SKIP
    ...     frame.count()
    """
    source = parse_spark_source(data, **how)
    spark = session(master)
    try:
        # to Spark, Text and text would be one column
        spark.conf.set("spark.sql.caseSensitive", "true")
        yield load_spark_frame(spark, source)
    finally:
        with translate_spark_errors():
            spark.stop()


def parse_spark_source(data: Any, *, format: str | None = None, **how: Any) -> Source:
    """Return the source; raise an error for data that Spark cannot read before Java starts."""
    known = [
        *(end[1:] for kind in FORMATS if kind.name in READERS for end in kind.endings),
        TEXTS,
        ORC,
        TABLE,
    ]
    if format is not None and format not in known:
        raise unknown_name_error("format for Spark", format, known)
    source = replace(parse_source(data, **how), format=format)
    for path in () if format == TABLE else source.paths:
        check_spark_path(path)
    return source


def check_spark_path(path: str) -> None:
    """Check that a path is not a stream, a web page or saved counts."""
    if path == "/dev/stdin" or is_pipe(path):
        raise UnreadableFileError(f"Spark reads files, and {path} is a stream; count it with --engine files")
    if is_spark_url(path) and path.lower().startswith(("http:", "https:")):
        raise UnreadableFileError(f"Spark reads nothing of the web; count {path} with --engine files")
    if os.path.isfile(path) and is_counts_file(path):
        raise InvalidInputError(
            f"{path} holds counts, which are read without Spark; leave out --engine spark"
        )


def load_spark_frame(spark: Any, source: Source) -> Any:
    """Load the requested columns of a source as a DataFrame."""
    with translate_spark_errors():
        if source.format == TABLE:
            return load_tables(spark, source.paths, source.spec)
        kind, files = resolve_spark_files(source)
        return READERS[kind](spark, files, source.spec)


def resolve_spark_files(source: Source) -> tuple[str, list[SourceFile]]:
    """Return the common format, and the files; Spark itself lists those at URLs."""
    remote = [is_spark_url(path) for path in source.paths]
    if any(remote) and not all(remote):
        raise UnreadableFileError(f"{source.name}: some are addresses and some files; give one kind")
    if any(remote):
        return infer_remote_format(source), [SourceFile(path) for path in source.paths]
    format = ORC if source.format is None and any(map(has_orc, source.paths)) else source.format
    with ExitStack() as kept:
        files = [file for path in source.paths for file in list_files(path, format, kept)]
    of_classes = [file for file in files if is_class_folder(file)]
    if of_classes and len(of_classes) < len(files):
        raise UnreadableFileError(
            f"{of_classes[0].display_name} is a folder of classes among files; give one kind"
        )
    if format == ORC:
        return "ORC", files
    kind = CLASSES if of_classes else infer_format(files, format)
    if kind.name not in READERS:
        raise UnreadableFileError(
            f"Spark does not read {kind.name}, as {files[0].display_name} is; count it with --engine files"
        )
    check_format_options(kind, source.spec)
    return kind.name, files


def has_orc(path: str) -> bool:
    """Check whether a path is an ORC file, or a folder of them."""
    if os.path.isdir(path):
        return any(name.lower().endswith(f".{ORC}") for name in list_local_files(path))
    return path.lower().endswith(f".{ORC}")


def infer_remote_format(source: Source) -> str:
    """Return the format of URLs: as requested, by extension, or Parquet."""
    if source.format == TEXTS:
        return CLASSES.name
    ends = {f".{source.format}" if source.format else url_extension(path) for path in source.paths}
    kinds = {
        "ORC"
        if end == f".{ORC}"
        else formats_by_extension()[end].name
        if end in formats_by_extension()
        else "Parquet"
        for end in ends
    }
    if len(kinds) > 1 or not kinds <= READERS.keys():
        raise UnreadableFileError(f"{source.name}: Spark reads one format at a time, of {', '.join(READERS)}")
    return kinds.pop()


def url_extension(address: str) -> str:
    """Return the extension of a URL that determines the format."""
    path = PurePosixPath(urlsplit(address).path.lower())
    return format_extension(str(path.with_suffix("") if path.suffix in SPARK_COMPRESSIONS else path))
