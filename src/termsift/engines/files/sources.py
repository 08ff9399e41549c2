"""Sources: which files a path, pattern, folder, zip or URL contains, their format and their batches."""

from __future__ import annotations

import glob
import json
import lzma
import os
import re
import warnings
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, compress
from operator import not_
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from termsift._internal.errors import (
    InvalidInputError,
    TermsiftError,
    TermsiftWarning,
    UnreadableFileError,
    check_name,
)
from termsift._internal.files import scratch_folder
from termsift._internal.resources import map_in_order, resolve_n_jobs
from termsift.engines.files import columnar, encodings, opening
from termsift.engines.files.columns import KEEP_PREFIX, LABEL, ColumnSpec, normalize_batch, parse_column_spec
from termsift.engines.files.delimited import detect_csv_layout, detect_tsv_layout, iter_delimited, iter_xlsx
from termsift.engines.files.opening import (
    InputFile,
    SourceFile,
    format_extension,
    is_pipe,
    is_url,
    open_zip_members,
    url_path,
)

DOCUMENTS_PER_BATCH = 256
# the only metadata of a class folder: the name of the file
FILE = "file"
# most documents are smaller, so that one read suffices
CHUNK = 1 << 15


def iter_class_folder(folder: InputFile, spec: ColumnSpec) -> Iterator[Any]:
    """Yield the files of each folder as documents of its class."""
    if spec.group is not None:
        raise UnreadableFileError(f"{folder.name} has one folder per class and no group column")
    for role, name in spec.metadata:
        if not role.startswith(KEEP_PREFIX) or name != FILE:
            message = f"{folder.name} has one folder per class, so its only column is {FILE!r}, got {name!r}"
            raise UnreadableFileError(message)
    names = folder.documents
    is_folder = os.path.isdir(folder.path)

    def load_batch(start: int) -> Any:
        batch = list(names[start : start + DOCUMENTS_PER_BATCH])
        if is_folder:
            contents = [load_content(folder.path, name) for name in batch]
        else:
            with open_zip_members(folder.path, folder.name) as (archive, by_name):
                contents = [archive.read(by_name[name]) for name in batch]
        if spec.on_bad_file == "skip":
            is_text = [is_decodable(name, data, folder) for name, data in zip(batch, contents, strict=True)]
            for name in compress(batch, map(not_, is_text)):
                folder.guessed[os.path.join(folder.name, name)] = encodings.SKIPPED
            batch, contents = list(compress(batch, is_text)), list(compress(contents, is_text))
        labels = [parse_class_name(name[folder.top :], folder.name) for name in batch]
        printable = [name.encode("utf-8", "replace").decode() for name in batch]
        metadata = {f"{KEEP_PREFIX} {i}": printable for i in range(1, len(spec.metadata) + 1)}
        try:
            texts = decode_documents(batch, contents, folder)
        except UnreadableFileError as error:
            raise UnreadableFileError(f"{error}; to skip such files: on_bad_file='skip'") from error
        return pa.record_batch({"text": texts, "label": pa.array(labels, pa.string()), **metadata})

    # a zip is one file, which every thread would have to open again
    n_threads = resolve_n_jobs(None) if is_folder else 1
    yield from map_in_order(load_batch, range(0, len(names), DOCUMENTS_PER_BATCH), n_threads)


def load_content(folder: str, name: str) -> bytes:
    """Return the bytes of a document."""
    path = os.path.join(folder, name)
    try:
        # half as many system calls as with open()
        file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        try:
            return b"".join(iter(lambda: os.read(file, CHUNK), b""))
        finally:
            os.close(file)
    except OSError as error:
        raise UnreadableFileError(f"{path} cannot be read: {error.strerror}") from error


def is_decodable(name: str, content: bytes, folder: InputFile) -> bool:
    """Check whether a document is text in the encoding of its folder."""
    try:
        decode_documents([name], [content], folder)
    except UnreadableFileError:
        return False
    return True


def decode_documents(names: Sequence[str], contents: list[bytes], folder: InputFile) -> Any:
    """Decode documents into an Arrow array; raise an error for binary files."""
    marked_encodings = [encodings.wide_bom_encoding(content) for content in contents]
    for name, content, marked in zip(names, contents, marked_encodings, strict=True):
        encodings.check_document_is_text(os.path.join(folder.name, name), content, marked or folder.encoding)
    if not any(marked_encodings) and folder.encoding in ("utf-8", encodings.AUTO):
        # Arrow validates UTF-8 faster than Python decodes it
        with suppress(pa.ArrowInvalid):
            plain = [content.removeprefix(BOM_UTF8) for content in contents]
            return pa.array(plain, pa.large_binary()).cast(pa.large_string())
    utf8 = []
    for name, content in zip(names, contents, strict=True):
        text = encodings.decode_document(content, os.path.join(folder.name, name), folder)
        utf8.append(text.encode("utf-8", "replace"))
    return pa.array(utf8, pa.large_binary()).cast(pa.large_string())


def parse_class_name(file: str, folder: str) -> str:
    """Return the class of a file: the name of its top folder, or of the folder itself if it has none."""
    name = file.split("/", 1)[0] if "/" in file else os.path.basename(os.path.realpath(folder))
    try:
        name.encode()
    except UnicodeEncodeError as error:
        message = f"the folder {name} in {folder} has a name that is not UTF-8; rename it"
        raise UnreadableFileError(message) from error
    return name


@dataclass(frozen=True, slots=True)
class Format:
    """File format.

    name, endings : name for messages, and the extensions of its files
    batches : function from a file and the requested columns to Arrow batches of (text, label[, group]),
        with null for missing values; `wrap_read_errors` lists the exceptions of its library
    parse_label : function that parses a label that is a string
    format_label : function that formats the name of a folder as the format writes labels
    takes : those of "encoding", "header" and "delimiter" that apply to it
    """

    name: str
    endings: tuple[str, ...]
    batches: Callable[[InputFile, ColumnSpec], Iterator[Any]]
    parse_label: Callable[[str], Any] = str
    format_label: Callable[[str], str] = str
    takes: tuple[str, ...] = ("encoding",)


CELLS = ("encoding", "header", "delimiter")
JSON_LINES = partial(columnar.iter_json, layout=columnar.LINES)
FORMATS = (
    Format("CSV", (".csv",), partial(iter_delimited, detect_layout=detect_csv_layout), takes=CELLS),
    Format("TSV", (".tsv", ".tab"), partial(iter_delimited, detect_layout=detect_tsv_layout), takes=CELLS),
    Format("JSONL", (".jsonl", ".ndjson"), JSON_LINES, json.loads, json.dumps),
    Format("JSON", (".json",), columnar.iter_json, json.loads, json.dumps),
    Format("Parquet", (".parquet",), columnar.iter_parquet, takes=()),
    Format("Arrow", (".arrow", ".feather", ".ipc"), columnar.iter_arrow, takes=()),
    Format("XLSX", (".xlsx",), iter_xlsx, takes=("header",)),
)
FORMAT_BY_EXTENSION = {ending: kind for kind in FORMATS for ending in kind.endings}
CLASSES = Format("one folder per class", (), iter_class_folder)


@contextmanager
def wrap_read_errors(file: InputFile, kind: str) -> Iterator[None]:
    """Raise errors of file libraries as UnreadableFileError that names the file."""
    # whatever DuckDB, Arrow, a decompressor or a parser raises for a damaged file
    errors: tuple[type[Exception], ...] = (lzma.LZMAError, EOFError, RecursionError, OverflowError)
    try:
        yield
    except errors + columnar.database_and_arrow_errors() as error:
        if isinstance(error, TermsiftError):
            raise
        raise encodings.unreadable_error(file, kind, error) from error


PARTITION = re.compile(r"([^=]+)=(.*)", flags=re.DOTALL)
# how Hive writes a missing value
HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
# folder that macOS adds to a zip
MACOS_FOLDER = "__MACOSX"


def list_local_files(folder: str) -> list[str]:
    """Return the sorted names of the files below a folder; raise an error for unreadable entries."""
    try:
        return sorted(iter_file_names(folder, ""))
    except OSError as error:
        raise UnreadableFileError(f"{error.filename or folder} cannot be read: {error.strerror}") from error


def iter_file_names(folder: str, prefix: str) -> Iterator[str]:
    """Yield the names of the files below a folder, each with a prefix."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            # links to folders are followed only at the top, so that none leads in a circle
            if entry.is_dir(follow_symlinks=not prefix):
                yield from iter_file_names(entry.path, f"{prefix}{entry.name}/")
            elif entry.is_file():
                yield prefix + entry.name
            elif entry.is_symlink():
                # raise an error for a broken link, which may have been a document
                os.stat(entry.path)


def drop_hidden(names: Sequence[str]) -> list[str]:
    """Drop hidden files and those that macOS adds."""
    return [name for name in names if name.split("/")[0] != MACOS_FOLDER and "/." not in f"/{name}"]


def shared_folders_length(names: Sequence[str]) -> int:
    """Return the length of the folder prefix that all names share, as in a zip of one folder."""
    shared = 0
    while all(name.count("/", shared) >= 2 for name in names):
        tops = {name[shared:].split("/", 1)[0] for name in names}
        if len(tops) != 1 or PARTITION.fullmatch(next(iter(tops))):
            break
        shared += len(tops.pop()) + 1
    return shared


def select_table_files(names: Sequence[str], folder_name: str, format: str | None) -> list[str]:
    """Return the files of a folder that contain tables of documents; none if each file is a document.

    Tables are the files with known extensions, or all if a format is given: those of the folder itself, of
    folders named as columns, and of other folders that contain nothing else.
    """
    if format == "text":
        return []
    unmarked = [name for name in names if name[0] != "_" and "/_" not in name]
    if format is not None:
        return unmarked
    extensions = FORMAT_BY_EXTENSION
    tables = [name for name in unmarked if format_extension(name) in extensions]
    skipped = [name for name in unmarked if format_extension(name) not in extensions]
    is_direct = any("/" not in name for name in tables)
    has_other_folders = any("/" in name for name in skipped)
    # a folder named like a column, `label=spam`
    is_partitioned = any(PARTITION.fullmatch(folder) for name in tables for folder in name.split("/")[:-1])
    if not is_direct and not is_partitioned and has_other_folders:
        return []
    if is_direct and has_other_folders and not any("/" in name for name in tables):
        raise UnreadableFileError(
            f"{folder_name} contains {tables[0]} and folders of other files; pass the files, or "
            "format='text' if the folders are classes"
        )
    if tables and skipped:
        remainder = f" and {len(skipped) - 3:,} more" if len(skipped) > 3 else ""
        examples = ", ".join(skipped[:3]) + remainder
        message = f"skipped files of unknown format in {folder_name}: {examples}"
        warnings.warn(message, TermsiftWarning, stacklevel=3)
    return tables


def parse_folder_columns(name: str, folder_name: str) -> opening.FolderColumns:
    """Return the columns that folders determine: `label=spam`, or a top folder as label."""
    columns: dict[str, str | None] = {}
    for depth, folder in enumerate(name.split("/")[:-1]):
        match = PARTITION.fullmatch(folder)
        if match:
            columns[unquote(match[1])] = None if match[2] == HIVE_NULL else unquote(match[2])
        elif depth == 0:
            columns[LABEL] = folder
    try:
        "".join(f"{column}{value}" for column, value in columns.items()).encode()
    except UnicodeEncodeError as error:
        raise UnreadableFileError(
            f"the folder name of {name} in {folder_name} is not UTF-8; rename it"
        ) from error
    return tuple(columns.items())


ZIP = ".zip"
# format in which each file is a document
TEXTS = "text"


@dataclass(frozen=True, slots=True)
class Source:
    """Paths of documents, and the columns to read.

    paths : files, patterns, folders, zips or URLs
    format : format of files whose extensions do not show it
    """

    paths: tuple[str, ...]
    spec: ColumnSpec
    format: str | None = None

    @property
    def name(self) -> str:
        """Name for messages."""
        return self.paths[0] if len(self.paths) == 1 else f"{self.paths[0]} and {len(self.paths) - 1} more"


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """Files of a source, read one after the other, and their common format."""

    files: list[SourceFile]
    format: Format

    @property
    def nbytes(self) -> int | None:
        """Number of bytes to read, or None if files are compressed or remote."""
        if self.format.name not in PLAIN_FORMATS or any(map(has_unknown_size, self.files)):
            return None
        # a class folder consists of its documents
        files = self.files
        paths = ([os.path.join(file.path, name) for name in file.documents] or [file.path] for file in files)
        return sum(map(file_size, chain.from_iterable(paths)))


PLAIN_FORMATS = ("CSV", "TSV", "JSONL", "JSON", CLASSES.name)


def has_unknown_size(file: SourceFile) -> bool:
    """Check whether a file is compressed, remote or a pipe."""
    name = file.path.lower()
    is_compressed = format_extension(name) != Path(name).suffix or name.endswith(ZIP)
    return is_compressed or bool(file.member) or is_url(file.path) or is_pipe(file.path)


def parse_source(data: Any, format: str | None = None, **options: Any) -> Source:
    """Return the source for a path, a pattern or a list of these; an empty label means a single class."""
    paths = [data] if isinstance(data, str | os.PathLike) else list(data)
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise InvalidInputError(f"a list of paths must contain only paths, got {type(path).__name__}")
    check_format(format)
    return Source(tuple(os.fspath(path) for path in paths), parse_column_spec(**options), format)


def check_format(format: Any) -> None:
    """Check that the format is supported."""
    if format is not None:
        names = [name.removeprefix(".") for name in (*FORMAT_BY_EXTENSION, ZIP)]
        check_name("format", format, [*names, TEXTS])


@contextmanager
def open_source(source: Source) -> Iterator[SourceFiles]:
    """Find the files of a source and yield them; a zip at a URL is downloaded first."""
    with ExitStack() as downloads:
        files = [file for path in source.paths for file in list_files(path, source.format, downloads)]
        files = group_text_files(files, source.format)
        yield SourceFiles(files, resolve_format(files, source.format, source.spec))


def group_text_files(files: list[SourceFile], format: str | None) -> list[SourceFile]:
    """Return each folder of plain text files instead of the files, unless they may be tables."""
    extensions = (*FORMAT_BY_EXTENSION, ZIP)
    is_plain = [
        os.path.isfile(file.path) and not file.member and format_extension(file.path) not in extensions
        for file in files
    ]
    # a single file of unknown format is more likely a table
    if not all(is_plain) or not (format == TEXTS or (format is None and len(files) > 1)):
        return files
    folders: dict[str, list[str]] = {}
    for file in files:
        folder, name = os.path.split(file.path)
        folders.setdefault(folder or os.curdir, []).append(name)
    return [SourceFile(folder, documents=tuple(names)) for folder, names in folders.items()]


def resolve_format(files: list[SourceFile], format: str | None, spec: ColumnSpec) -> Format:
    """Return the common format of files, or CLASSES; check that the options apply to it."""
    folders = [file for file in files if file.documents or os.path.isdir(file.path)]
    if folders and len(folders) < len(files):
        message = f"folders of documents and files cannot be mixed, got the folder {folders[0].display_name}"
        raise UnreadableFileError(message)
    for folder in folders:
        has_classes = any("/" in name for name in folder.documents)
        if not folder.documents or (spec.label and not has_classes and len(folders) == 1):
            raise UnreadableFileError(
                f"{folder.display_name} contains neither data files nor one folder of documents per class"
            )
    kind = CLASSES if folders else infer_common_format(files, format)
    for name, value in (("header", spec.header), ("delimiter", spec.delimiter)):
        if value not in (True, None) and name not in kind.takes:
            formats = ", ".join(format.name for format in FORMATS if name in format.takes)
            raise InvalidInputError(f"{name}={value!r} applies only to {formats}, not to {kind.name}")
    return kind


def list_files(path: str, format: str | None, downloads: ExitStack) -> list[SourceFile]:
    """Return the files that a path names: itself, those in it, or those that match it."""
    if is_url(path):
        return list_url_files(path, format, downloads)
    names = [path] if os.path.lexists(path) else sorted(glob.glob(path, recursive=True))
    files = [file for name in names for file in expand_file(SourceFile(name), format)]
    if not files:
        raise UnreadableFileError(f"there is no file {path}")
    return files


def expand_file(file: SourceFile, format: str | None) -> list[SourceFile]:
    """Return an existing file, or the files of a folder or a zip."""
    if os.path.isdir(file.path):
        return expand_folder(file, list_local_files(file.path), format)
    if not is_pipe(file.path) and file_size(file.path) == 0:
        raise UnreadableFileError(f"{file.display_name} is empty")
    if not (file.path.lower().endswith(ZIP) or format == "zip") or is_pipe(file.path):
        return [file]
    with opening.open_zip_members(file.path, file.display_name) as (_, by_name):
        names = drop_hidden(list(by_name))
    if not names:
        raise UnreadableFileError(f"{file.display_name} contains no files")
    return expand_folder(file, names, None if format == "zip" else format)


def list_url_files(url: str, format: str | None, downloads: ExitStack) -> list[SourceFile]:
    """Return the files at a URL; a zip is downloaded to list it."""
    names = opening.list_remote_files(url)
    if names is None and url_path(url).lower().endswith(ZIP):
        copy = downloads.enter_context(scratch_folder()) / f"file{ZIP}"
        opening.download(url, copy)
        return expand_file(SourceFile(str(copy), url), format)
    if names is None:
        return [SourceFile(url)]
    if not names:
        raise UnreadableFileError(f"there is no file {url}")
    if any(mark in url for mark in "*?["):
        return [SourceFile(file_url) for file_url in names.values()]
    tables = select_table_files(drop_hidden(list(names)), url, format)
    if not tables:
        raise UnreadableFileError(f"{url} contains no file of a known format: {', '.join(list(names)[:5])}")
    return [SourceFile(names[name], folder_columns=parse_folder_columns(name, url)) for name in tables]


def expand_folder(folder: SourceFile, names: list[str], format: str | None) -> list[SourceFile]:
    """Return the tables in a folder or a zip, or the folder itself if its files are documents."""
    is_zip = not os.path.isdir(folder.path)
    tables = select_table_files(names, folder.display_name, format)
    start = shared_folders_length(tables or names) if is_zip else 0
    if not tables:
        documents = tuple(name for name in names if "/" in name[start:])
        # a folder of documents without classes
        documents = documents or (() if is_zip else tuple(names))
        if is_zip and not documents:
            message = f"{folder.display_name} contains no file of a known format: {', '.join(names[:5])}"
            raise UnreadableFileError(message)
        return [replace(folder, documents=documents, top=start)]
    files = []
    for name in tables:
        columns = parse_folder_columns(name[start:], folder.display_name)
        path = os.path.join(folder.path, name)
        if is_zip:
            files.append(replace(folder, member=name, folder_columns=columns))
        elif file_size(path) == 0:
            raise UnreadableFileError(f"{path} is empty")
        else:
            files.append(SourceFile(path, folder_columns=columns))
    return files


def file_size(name: str) -> int:
    """Return the size of a file in bytes; a broken link is an error."""
    try:
        return os.path.getsize(name)
    except OSError as error:
        raise UnreadableFileError(f"{name} cannot be read: {error.strerror}") from error


def infer_common_format(files: list[SourceFile], format: str | None = None) -> Format:
    """Return the common format of files, from their extensions or as requested."""
    by_extension = FORMAT_BY_EXTENSION
    examples: dict[str, SourceFile] = {}
    for file in files:
        name = file.member or (url_path(file.path) if is_url(file.path) else file.path)
        extension = format_extension(name) if format in (None, "zip") else f".{format}"
        if extension not in by_extension:
            raise unknown_format_error(file, list(by_extension))
        examples.setdefault(by_extension[extension].name, file)
    if len(examples) > 1:
        names = sorted(examples)
        pairs = ", ".join(f"{name} is {examples[name].display_name}" for name in names[:2])
        message = f"the files have different formats: {', '.join(names)}: {pairs}; pass files of one format"
        raise UnreadableFileError(message)
    return next(kind for kind in by_extension.values() if kind.name in examples)


def unknown_format_error(file: SourceFile, extensions: list[str]) -> UnreadableFileError:
    """Return the error for a file of unknown extension, with what it seems to be."""
    kind = None
    if os.path.isfile(file.path) and not file.member:
        with open(file.path, "rb") as stream:
            kind = encodings.describe_binary_format(stream.read(encodings.HEAD))
    hint = f"it seems to be {kind}; " if kind else ""
    return UnreadableFileError(
        f"unknown format of {file.display_name}; {hint}"
        f"its extension must be one of {', '.join([*extensions, ZIP])}, or specify it, such as format='csv'"
    )


def iter_file_batches(
    source_file: SourceFile, kind: Format, spec: ColumnSpec, guessed: dict[str, str] | None = None
) -> Iterator[Any]:
    """Yield tables of (text, label[, group]) of a file or a class folder.

    guessed : receives the files whose encoding had to be guessed
    """
    guessed = {} if guessed is None else guessed
    with opening.open_input_file(source_file) as file:
        file = replace(file, encoding=spec.encoding, errors=spec.errors, guessed=guessed)
        with wrap_read_errors(file, kind.name):
            if "encoding" in kind.takes and kind is not CLASSES:
                file = with_detected_encoding(file, kind.name)
            folder_columns = {
                name: None if value is None else kind.format_label(value)
                for name, value in file.folder_columns
            }
            for records in kind.batches(file, spec):
                yield normalize_batch(records, spec, folder_columns)


def with_detected_encoding(file: InputFile, kind: str) -> InputFile:
    """Return the text file with its detected encoding; raise an error for a binary file."""
    encodings.check_not_binary(file.name, encodings.load_file_head(file), kind)
    return replace(file, encoding=encodings.detect_encoding(file, file.encoding))
