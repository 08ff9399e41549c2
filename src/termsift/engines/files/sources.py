"""Sources: which files a path, pattern, folder, zip or URL contains, their format and their batches."""

from __future__ import annotations

import glob
import os
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from termsift._internal.errors import InvalidInputError, TermsiftWarning, UnreadableFileError, check_name
from termsift._internal.files import scratch_folder
from termsift.engines.files.columns import LABEL, ColumnSpec, complete_batch, parse_column_spec
from termsift.engines.files.encodings import (
    HEAD,
    check_text,
    detect_encoding,
    identify_content,
    load_file_head,
)
from termsift.engines.files.formats import (
    CLASSES,
    Format,
    check_format_options,
    formats_by_extension,
    wrap_read_errors,
)
from termsift.engines.files.opening import (
    InputFile,
    SourceFile,
    download,
    format_extension,
    is_pipe,
    is_url,
    list_members,
    list_remote_files,
    open_input_file,
    url_path,
)

PARTITION = re.compile(r"([^=]+)=(.*)", flags=re.DOTALL)
NOTHING = "__HIVE_DEFAULT_PARTITION__"  # how Hive writes a value that is missing
MAC = "__MACOSX"  # what macOS adds to a zip


def list_local_files(folder: str) -> list[str]:
    """Return the sorted names of the files below a folder; raise an error for unreadable entries.

    Links to folders are followed in the folder itself alone, so that none leads in a circle.
    """
    try:
        return sorted(iter_file_names(folder, ""))
    except OSError as error:
        raise UnreadableFileError(f"{error.filename or folder} cannot be read: {error.strerror}") from error


def iter_file_names(folder: str, before: str) -> Iterator[str]:
    """Yield the names of the files below a folder, each with a prefix."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=not before):
                yield from iter_file_names(entry.path, f"{before}{entry.name}/")
            elif entry.is_file():
                yield before + entry.name
            elif entry.is_symlink():
                os.stat(entry.path)  # a link to nothing is an error, for it may have been a document


def drop_hidden(names: Sequence[str]) -> list[str]:
    """Drop hidden files and those that macOS adds."""
    parts = ((name, name.split("/")) for name in names)
    return [name for name, own in parts if own[0] != MAC and not any(part.startswith(".") for part in own)]


def shared_prefix_length(names: Sequence[str]) -> int:
    """Return the length of the folder prefix that all names share, as in a zip of one folder."""
    shared = 0
    while all(name.count("/", shared) >= 2 for name in names):
        tops = {name[shared:].split("/", 1)[0] for name in names}
        if len(tops) != 1 or PARTITION.fullmatch(next(iter(tops))):
            break
        shared += len(tops.pop()) + 1
    return shared


def select_tables(names: Sequence[str], where: str, format: str | None) -> list[str]:
    """Return the files of a folder that contain tables of documents; none if each file is a document.

    Tables are the files of known endings, or all where a format is named: those of the folder itself, of
    folders named as columns, and of other folders that hold nothing else.
    """
    if format == "text":
        return []
    unmarked = [name for name in names if name[0] != "_" and "/_" not in name]
    if format is not None:
        return unmarked
    known = formats_by_extension()
    tables = [name for name in unmarked if format_extension(name) in known]
    others = unmarked if not tables else [name for name in unmarked if format_extension(name) not in known]
    direct = any("/" not in name for name in tables)
    if not direct and not any(map(is_partitioned, tables)) and any("/" in name for name in others):
        return []
    if direct and any("/" in name for name in others) and not any("/" in name for name in tables):
        raise UnreadableFileError(
            f"{where} holds {tables[0]} and folders of other files; give the files, or for the folders as "
            "classes format='text'"
        )
    warn_skipped_files(where, others if tables else [])
    return tables


def warn_skipped_files(where: str, others: Sequence[str]) -> None:
    """Warn of files that were skipped."""
    if others:
        more = f" and {len(others) - 3:,} more" if len(others) > 3 else ""
        what = f"left out of {where}, since their names say no format: {', '.join(others[:3])}{more}"
        warnings.warn(what, TermsiftWarning, stacklevel=4)


def is_partitioned(name: str) -> bool:
    """Check whether a file is in a folder named like a column, `label=spam`."""
    return any(PARTITION.fullmatch(part) for part in name.split("/")[:-1])


def parse_folder_columns(name: str, where: str) -> tuple[tuple[str, str | None], ...]:
    """Return the columns that folders determine: `label=spam`, or a top folder as label."""
    columns: dict[str, str | None] = {}
    for depth, part in enumerate(name.split("/")[:-1]):
        found = PARTITION.fullmatch(part)
        if found:
            columns[unquote(found[1])] = None if found[2] == NOTHING else unquote(found[2])
        elif depth == 0:
            columns[LABEL] = part
    try:
        "".join(f"{column}{value}" for column, value in columns.items()).encode()
    except UnicodeEncodeError as error:
        raise UnreadableFileError(f"the folder of {name} in {where} is not UTF-8; rename it") from error
    return tuple(columns.items())


ZIP = ".zip"
TEXTS = "text"  # the name of the format in which each file is a document


@dataclass(frozen=True, slots=True)
class Source:
    """Paths of documents, and the columns to read.

    paths : each a file, a pattern, a folder, a zip or an address
    format : that of files whose names do not say it
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
    def size(self) -> int | None:
        """Number of bytes to read, or None if files are compressed or remote."""
        if self.format.name not in PLAIN or any(is_packed(file) for file in self.files):
            return None
        return sum(file_size(name) for file in self.files for name in list_disk_files(file))


PLAIN = ("CSV", "TSV", "JSONL", "JSON", CLASSES.name)


def is_packed(file: SourceFile) -> bool:
    """Check whether a file is compressed, remote or a pipe."""
    packed = format_extension(file.path) != Path(file.path.lower()).suffix or file.member or is_url(file.path)
    return bool(packed) or is_pipe(file.path) or file.path.lower().endswith(ZIP)


def list_disk_files(file: SourceFile) -> list[str]:
    """Return the paths of a file, or of the documents of a folder."""
    return [os.path.join(file.path, name) for name in file.documents] or [file.path]


def parse_source(data: Any, text: Any = None, label: Any = None, group: Any = None, **reading: Any) -> Source:
    """Return the source for a path, a pattern or a list of these; an empty label means a single class."""
    paths = [data] if isinstance(data, str | os.PathLike) else list(data)
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise InvalidInputError(f"a list of paths holds paths only, got {type(path).__name__}")
    format = reading.pop("format", None)
    check_format(format)
    spec = parse_column_spec(text, label, group, **reading)
    return Source(tuple(os.fspath(path) for path in paths), spec, format)


def check_format(format: Any) -> None:
    """Check that the format is supported."""
    known = [name.removeprefix(".") for name in (*formats_by_extension(), ZIP)]
    if format is not None:
        check_name("format", format, [*known, TEXTS])


@contextmanager
def open_source(source: Source) -> Iterator[SourceFiles]:
    """Find the files of a source and yield them; a zip at a URL is downloaded first."""
    with ExitStack() as kept:
        files = [file for path in source.paths for file in list_files(path, source.format, kept)]
        of_classes = [file for file in files if is_class_folder(file)]
        if of_classes and len(of_classes) < len(files):
            raise UnreadableFileError(f"{of_classes[0].display_name} is a folder among files; give one kind")
        kind = CLASSES if of_classes else infer_format(files, source.format)
        check_format_options(kind, source.spec)
        yield SourceFiles(files, kind)


def is_class_folder(file: SourceFile) -> bool:
    """Check whether the file is a folder, or a zip, whose files are documents."""
    return bool(file.documents) or os.path.isdir(file.path)


def list_files(path: str, format: str | None, kept: ExitStack) -> list[SourceFile]:
    """Return the files that a path names: itself, those in it, or those that match it."""
    if is_url(path):
        return list_url_files(path, format, kept)
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
    format = None if format == "zip" else format
    names = drop_hidden(list_members(file.path, file.display_name))
    if not names:
        raise UnreadableFileError(f"{file.display_name} holds no files")
    return expand_folder(file, names, format)


def list_url_files(address: str, format: str | None, kept: ExitStack) -> list[SourceFile]:
    """Return the files at a URL; a zip is downloaded to list it."""
    names = list_remote_files(address)
    if names is None and url_path(address).lower().endswith(ZIP):
        copy = kept.enter_context(scratch_folder()) / f"file{ZIP}"
        download(address, copy)
        return expand_file(SourceFile(str(copy), address), format)
    if names is None:
        return [SourceFile(address)]
    if not names:
        raise UnreadableFileError(f"there is no file {address}")
    if any(mark in address for mark in "*?["):
        return [SourceFile(own) for own in names.values()]
    tables = select_tables(drop_hidden(list(names)), address, format)
    if not tables:
        raise UnreadableFileError(f"{address} holds no file of a known format: {', '.join(list(names)[:5])}")
    return [SourceFile(names[name], given=parse_folder_columns(name, address)) for name in tables]


def expand_folder(outer: SourceFile, names: list[str], format: str | None) -> list[SourceFile]:
    """Return the tables in a folder or a zip, or the folder itself if its files are documents."""
    is_zip = not os.path.isdir(outer.path)
    tables = select_tables(names, outer.display_name, format)
    start = shared_prefix_length(tables or names) if is_zip else 0
    if not tables:
        documents = tuple(name for name in names if "/" in name[start:])
        if is_zip and not documents:
            raise UnreadableFileError(
                f"{outer.display_name} holds no file of a known format: {', '.join(names[:5])}"
            )
        return [replace(outer, documents=documents, top=start)]
    given = [parse_folder_columns(name[start:], outer.display_name) for name in tables]
    if is_zip:
        return [replace(outer, member=name, given=own) for name, own in zip(tables, given, strict=True)]
    paths = [os.path.join(outer.path, name) for name in tables]
    for path in paths:
        if file_size(path) == 0:
            raise UnreadableFileError(f"{path} is empty")
    return [SourceFile(path, given=own) for path, own in zip(paths, given, strict=True)]


def match_files(path: str) -> list[str]:
    """Return the local files that a path names, sorted; a class folder stays as it is."""
    with ExitStack() as kept:
        return [file.path for file in list_files(path, None, kept)]


def file_size(name: str) -> int:
    """Return the size of a file in bytes; a broken link is an error."""
    try:
        return os.path.getsize(name)
    except OSError as error:
        raise UnreadableFileError(f"{name} cannot be read: {error.strerror}") from error


def infer_format(files: list[SourceFile], format: str | None = None) -> Format:
    """Return the common format of files, from their extensions or as requested."""
    known = formats_by_extension()
    kinds: dict[str, SourceFile] = {}
    for file in files:
        own = format_extension(file.member or (url_path(file.path) if is_url(file.path) else file.path))
        own = own if format in (None, "zip") else f".{format}"
        if own not in known:
            raise unknown_format_error(file, list(known))
        kinds.setdefault(known[own].name, file)
    if len(kinds) > 1:
        (one, first), (other, second), *_ = sorted(kinds.items())
        summary = (
            f"{', '.join(sorted(kinds))}: {one} is {first.display_name}, {other} is {second.display_name}"
        )
        raise UnreadableFileError(f"the files are of different formats: {summary}; give files of one format")
    return next(kind for kind in known.values() if kind.name in kinds)


def unknown_format_error(file: SourceFile, known: list[str]) -> UnreadableFileError:
    """Return the error for a file of unknown extension, with what it seems to be."""
    what = None
    if os.path.isfile(file.path) and not file.member:
        with open(file.path, "rb") as opened:
            what = identify_content(opened.read(HEAD))
    hint = f"it seems to be {what}; " if what else ""
    return UnreadableFileError(
        f"cannot tell the format of {file.display_name}; {hint}"
        f"its extension must be one of {', '.join([*known, ZIP])}, or name the format, as format='csv'"
    )


def iter_file_batches(
    found: SourceFile, kind: Format, spec: ColumnSpec, guessed: dict[str, str] | None = None
) -> Iterator[Any]:
    """Yield tables of (text, label[, group]) of a file or a class folder.

    guessed : takes the files whose encoding had to be guessed
    """
    with open_input_file(found) as plain:
        file = replace(
            plain, encoding=spec.encoding, errors=spec.errors, guessed={} if guessed is None else guessed
        )
        with wrap_read_errors(file, kind.name):
            if "encoding" in kind.takes and kind is not CLASSES:
                file = with_encoding(file, kind)
            given = {name: None if value is None else kind.format_label(value) for name, value in file.given}
            for records in kind.batches(file, spec):
                yield complete_batch(records, spec, given)


def with_encoding(file: InputFile, kind: Format) -> InputFile:
    """Return the text file with its detected encoding; raise an error for a binary file."""
    check_text(file.name, load_file_head(file), kind.name)
    return replace(file, encoding=detect_encoding(file, file.encoding))
