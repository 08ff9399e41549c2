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
from termsift.engines.files import delimited, encodings, sources
from termsift.engines.files.columns import TEXT, ColumnSpec, check_column_exists, find_columns
from termsift.engines.files.opening import FolderColumns, InputFile, SourceFile, format_extension, is_pipe
from termsift.engines.files.sources import CLASSES, FORMAT_BY_EXTENSION, Source
from termsift.engines.spark import decoding
from termsift.engines.spark.counting import quote_column
from termsift.engines.spark.decoding import (
    SPARK_COMPRESSIONS,
    Encoding,
    add_folder_columns,
    is_spark_url,
    spark_path,
    union_frames,
)
from termsift.engines.spark.sessions import ignore_pandas_warning, session, translate_spark_errors

NAMES = ("text", "label")


@dataclass(frozen=True, slots=True)
class ClassTexts:
    """Function from file names to texts and classes; it is pickled for the workers.

    folder : path or URL that contains a folder for each class
    """

    folder: str
    encoding: Encoding

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield the documents of a partition, from names to open or from contents that Spark has read."""
        for batch in batches:
            for start in range(0, len(batch), sources.DOCUMENTS_PER_BATCH):
                yield self.documents(batch.slice(start, sources.DOCUMENTS_PER_BATCH))

    def documents(self, batch: Any) -> Any:
        """Return the texts and classes of some files."""
        if "content" in batch.schema.names:
            url = urlsplit(self.folder)
            root = f"{url.netloc}{url.path}".rstrip("/") + "/"
            names = [path.partition(root)[2] for path in batch.column("path").to_pylist()]
            # files directly in the folder have no class
            in_class = [(name, i) for i, name in enumerate(names) if "/" in name]
            names = [name for name, _ in in_class]
            contents = [batch.column("content")[i].as_py() for _, i in in_class]
        else:
            names = batch.column("name").to_pylist()
            contents = [sources.load_content(self.folder, name) for name in names]
        file = InputFile(self.folder, self.folder, encoding=self.encoding.name, errors=self.encoding.errors)
        labels = pa.array([sources.parse_class_name(name, self.folder) for name in names], pa.string())
        return pa.record_batch([sources.decode_documents(names, contents, file), labels], names=NAMES)


def load_class_folders(spark: Any, folders: Sequence[SourceFile], spec: ColumnSpec, kind: str) -> Any:
    """Load folders with one folder per class."""
    if spec.group is not None:
        raise UnreadableFileError(f"{folders[0].display_name} has {kind} and no group column")
    encoding = Encoding(spec.encoding, spec.errors)
    frames = []
    for folder in folders:
        with ignore_pandas_warning():
            if is_spark_url(folder.path):
                reader = spark.read.format("binaryFile").option("recursiveFileLookup", True)
                files = reader.load(folder.path).select("path", "content")
            elif folder.documents:
                # the workers open the files
                files = spark.createDataFrame(pa.table({"name": list(folder.documents)}))
            else:
                raise UnreadableFileError(f"{folder.display_name} contains no folder of documents per class")
            frames.append(files.mapInArrow(ClassTexts(folder.path, encoding), "text STRING, label STRING"))
    columns = [f"{role} AS {quote_column(str(spec.by_role[role]))}" for role in NAMES]
    return union_frames(frames).selectExpr(*columns)


def load_typed_files(spark: Any, files: Sequence[SourceFile], spec: ColumnSpec, kind: str) -> Any:
    """Load the requested columns of Parquet or ORC files, grouped by the columns of their folders."""
    groups: dict[FolderColumns, list[SourceFile]] = {}
    for file in files:
        groups.setdefault(decoding.requested_folder_columns(file, spec), []).append(file)
    frames = []
    for columns, group in groups.items():
        frame = spark.read.format(kind.lower()).load([spark_path(file) for file in group])
        selected = select_requested_columns(frame, spec, group[0].display_name, dict(columns))
        frames.append(add_folder_columns(selected, columns))
    return union_frames(frames)


def select_requested_columns(frame: Any, spec: ColumnSpec, name: str, folder_columns: dict[str, Any]) -> Any:
    """Select the requested columns, except those that only folders have."""
    requested = [str(column) for column in spec.by_role.values()]
    in_files = [column for column in requested if column in frame.columns or column not in folder_columns]
    for column in in_files:
        check_column_exists(column, frame.columns, name)
    return frame.select(*map(quote_column, in_files))


def open_table(spark: Any, name: str) -> Any:
    """Open a table by name; raise an error with the closest name if it does not exist."""
    from pyspark.errors import AnalysisException, ParseException

    try:
        frame = spark.table(name)
        frame.schema  # noqa: B018 (Connect asks the server now)
    except ParseException as error:
        message = f"{name!r} is not a table name; expected name, db.name or catalog.db.name"
        raise InvalidInputError(message) from error
    except AnalysisException as error:
        if "NOT_FOUND" not in str(error.getCondition()):
            raise
        database, _, table = name.rpartition(".")
        try:
            tables = [entry.name for entry in spark.catalog.listTables(database or None)]
        except (AnalysisException, ParseException):
            message = f"there is no table {name}: the database {database} does not exist"
            raise UnknownNameError(message) from error
        closest = closest_name(table, tables)
        full_name = f"{database}.{closest}" if database else closest
        hint = f"; did you mean {full_name!r}?" if closest else ""
        raise UnknownNameError(f"there is no table {name}{hint}") from error
    return frame


# a character per byte
BYTES = "ISO-8859-1"
# not a character of BYTES
NO_QUOTE = "\uffff"
# default limit of Spark
MAX_COLUMNS = 20480


@dataclass(frozen=True, slots=True)
class Dialect:
    """Layout of delimited files, and the positions of the requested columns.

    positions : role and position of each column that is read from the file
    has_bom : whether the first cell of data starts with a UTF-8 byte order mark, which Java would remove
    folder_columns : the other columns, which the names of folders determine
    """

    layout: delimited.CellLayout
    positions: tuple[tuple[str, int], ...]
    line_end: str
    encoding: Encoding
    header: bool
    has_bom: bool
    folder_columns: FolderColumns

    @property
    def can_split_bytes(self) -> bool:
        """Whether delimiter, quote and line end are unambiguous ASCII bytes."""
        # second bytes of East Asian encodings are at least those of "0"
        is_ascii = decoding.is_ascii_based(self.encoding.name)
        return is_ascii and self.layout.delimiter < "0" and not self.has_bom

    @property
    def options(self) -> dict[str, Any]:
        """Options of the Spark reader; rows must have as many fields as the header."""
        quote = '"' if self.layout.quoted else NO_QUOTE
        return {
            "sep": self.layout.delimiter,
            "quote": quote,
            "escape": quote,
            # by default NUL characters would be escapes
            "charToEscapeQuoteEscaping": NO_QUOTE,
            "lineSep": self.line_end,
            "multiLine": True,
            "header": self.header,
            "encoding": BYTES if self.can_split_bytes else decoding.java_encoding_name(self.encoding.name),
            "mode": "FAILFAST",
            "columnPruning": False,
            "maxColumns": max(MAX_COLUMNS, len(self.layout.columns)),
        }

    def cell_sql(self, role: str, position: int) -> str:
        """Return the SQL of a cell: bytes or a string, null if it is empty, unless it is a text."""
        cell = f"c{position}"
        if self.line_end == "\n" and position == len(self.layout.columns) - 1:
            cell = f"IF(ENDSWITH({cell}, '\\r'), SUBSTRING({cell}, 1, LENGTH({cell}) - 1), {cell})"
        cell = f"COALESCE({cell}, '')" if role.startswith(TEXT) else f"NULLIF({cell}, '')"
        return f"ENCODE({cell}, '{BYTES}')" if self.can_split_bytes else cell


def load_delimited(spark: Any, files: Sequence[SourceFile], spec: ColumnSpec, kind: str) -> Any:
    """Load CSV or TSV files, grouped by dialect."""
    detect_layout = delimited.detect_csv_layout if kind == "CSV" else delimited.detect_tsv_layout
    groups: dict[Dialect, list[str]] = {}
    for path, file in decoding.iter_text_files(spark, files, spec, kind):
        layout = detect_layout(file, spec)
        positions = tuple(find_columns(spec, layout.columns, file).items())
        end = delimited.ROW_END.search(delimited.load_head(file))
        encoding, has_bom = Encoding(file.encoding, file.errors), not spec.header and has_utf8_bom(file)
        line_end = end[0] if end else "\n"
        dialect = Dialect(layout, positions, line_end, encoding, spec.header, has_bom, file.folder_columns)
        groups.setdefault(dialect, []).append(path)
    return union_frames(load_dialect(spark, paths, spec, dialect) for dialect, paths in groups.items())


def has_utf8_bom(file: InputFile) -> bool:
    """Check whether a file starts with a UTF-8 byte order mark; raise an error if it is not UTF-8."""
    if not encodings.load_file_head(file).startswith(codecs.BOM_UTF8):
        return False
    invalid = encodings.describe_invalid_byte(file, "utf-8") if file.errors == "strict" else None
    if invalid is not None:
        raise encodings.encoding_error(file.name, "utf-8", invalid)
    return True


def load_dialect(spark: Any, paths: list[str], spec: ColumnSpec, dialect: Dialect) -> Any:
    """Load the requested columns of files of one dialect."""
    schema = ", ".join(f"c{i} STRING" for i in range(len(dialect.layout.columns)))
    rows = spark.read.schema(schema).options(**dialect.options).csv(paths)
    cells = [
        f"{dialect.cell_sql(role, position)} AS {quote_column(str(spec.by_role[role]))}"
        for role, position in dialect.positions
    ]
    frame = rows.selectExpr(*cells)
    if dialect.can_split_bytes:
        frame = dialect.encoding.decode_frame(frame)
    return add_folder_columns(frame, dialect.folder_columns)


ORC, TABLE = "orc", "table"
# functions from a session, files, the requested columns and the name of the format to a frame
READERS: dict[str, Callable[[Any, Sequence[SourceFile], ColumnSpec, str], Any]] = {
    **dict.fromkeys(("CSV", "TSV"), load_delimited),
    **dict.fromkeys(("JSONL", "JSON"), decoding.load_json_objects),
    **dict.fromkeys(("Parquet", "ORC"), load_typed_files),
    CLASSES.name: load_class_folders,
}


@contextmanager
def read(data: Any, master: str = "local[*]", **options: Any) -> Iterator[Any]:
    """Open files, or a table, as a Spark DataFrame in a session that lasts as long as the block.

    The frame has the columns that are named. A path without a scheme is on this machine, and the workers must
    see it too.

    Parameters
    ----------
    data : str, path or list of these
        Path, glob pattern, folder or Spark URL such as s3a://...; with format="table", the name of a table.
    master : str, default "local[*]"
        URL of the master, as for `ts.spark.session`.
    **options
        Columns text, label and group; header, delimiter, encoding, encoding_errors and format, as for files
        in `ts.count`; format may also be "orc" or "table".

    Returns
    -------
    context manager
        It yields a pyspark.sql.DataFrame, and stops the session at the end of the block.

    Raises
    ------
    UnreadableFileError
        If a file is missing or in a format that Spark cannot read.
    UnknownNameError
        If a column, table or format does not exist.
    EngineError
        If Spark does not start or fails.

    Examples
    --------
    >>> with read("mail.csv", text="body", label="folder") as frame:  # doctest: +SKIP
    ...     frame.count()

    """
    source = parse_spark_source(data, **options)
    spark = session(master)
    try:
        # to Spark, Text and text would be one column
        spark.conf.set("spark.sql.caseSensitive", "true")
        yield load_spark_frame(spark, source)
    finally:
        with translate_spark_errors():
            spark.stop()


def parse_spark_source(data: Any, *, format: str | None = None, **options: Any) -> Source:
    """Return the source; raise an error for data that Spark cannot read before Java starts."""
    extensions = [extension[1:] for extension, kind in FORMAT_BY_EXTENSION.items() if kind.name in READERS]
    known_formats = [*extensions, sources.TEXTS, ORC, TABLE]
    if format is not None and format not in known_formats:
        raise unknown_name_error("format for Spark", format, known_formats)
    source = replace(sources.parse_source(data, **options), format=format)
    for path in () if format == TABLE else source.paths:
        if path == "/dev/stdin" or is_pipe(path):
            raise UnreadableFileError(f"Spark cannot read the stream {path}; use --engine files")
        if is_spark_url(path) and path.lower().startswith(("http:", "https:")):
            raise UnreadableFileError(f"Spark cannot read web URLs; use --engine files for {path}")
        if os.path.isfile(path) and is_counts_file(path):
            raise InvalidInputError(f"{path} contains counts, which do not need Spark; remove --engine spark")
    return source


def load_spark_frame(spark: Any, source: Source) -> Any:
    """Load the requested columns of a source as a DataFrame."""
    with translate_spark_errors():
        spec = source.spec
        if source.format == TABLE:
            tables = [(f"table {name}", open_table(spark, name)) for name in source.paths]
            return union_frames(select_requested_columns(frame, spec, name, {}) for name, frame in tables)
        kind, files = resolve_spark_files(source)
        return READERS[kind](spark, files, spec, kind)


def resolve_spark_files(source: Source) -> tuple[str, list[SourceFile]]:
    """Return the common format, and the files; Spark itself lists those at URLs."""
    is_remote = [is_spark_url(path) for path in source.paths]
    if any(is_remote) and not all(is_remote):
        raise UnreadableFileError(f"URLs and local files cannot be mixed, got {source.name}")
    if any(is_remote):
        return infer_remote_format(source), [SourceFile(path) for path in source.paths]
    format = ORC if source.format is None and any(map(is_orc_path, source.paths)) else source.format
    with ExitStack() as downloads:
        files = [file for path in source.paths for file in sources.list_files(path, format, downloads)]
    kind = "ORC" if format == ORC else sources.resolve_format(files, format, source.spec).name
    if kind not in READERS:
        message = f"Spark cannot read {kind} files such as {files[0].display_name}; use --engine files"
        raise UnreadableFileError(message)
    return kind, files


def is_orc_path(path: str) -> bool:
    """Check whether a path is an ORC file, or a folder of them."""
    names = sources.list_local_files(path) if os.path.isdir(path) else [path]
    return any(name.lower().endswith(f".{ORC}") for name in names)


def infer_remote_format(source: Source) -> str:
    """Return the format of URLs: as requested, by extension, or Parquet."""
    if source.format == sources.TEXTS:
        return CLASSES.name
    names = {extension: kind.name for extension, kind in FORMAT_BY_EXTENSION.items()}
    names[f".{ORC}"] = "ORC"
    extensions = {
        f".{source.format}" if source.format else url_format_extension(path) for path in source.paths
    }
    kinds = {names.get(extension, "Parquet") for extension in extensions}
    if len(kinds) > 1 or not kinds <= READERS.keys():
        raise UnreadableFileError(f"{source.name}: the files must have one format of {', '.join(READERS)}")
    return kinds.pop()


def url_format_extension(url: str) -> str:
    """Return the extension of a URL that determines the format."""
    path = PurePosixPath(urlsplit(url).path.lower())
    return format_extension(str(path.with_suffix("") if path.suffix in SPARK_COMPRESSIONS else path))
