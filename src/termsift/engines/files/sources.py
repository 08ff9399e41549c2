"""What lies in a folder or a zip: files of documents, and what their folders say of them, or classes."""

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
from termsift.engines.files.columns import LABEL, WantedColumns, wanted_columns, whole_batch
from termsift.engines.files.encodings import HEAD, check_text, file_encoding, file_head, seeming
from termsift.engines.files.formats import CLASSES, Format, check_uses, known_endings, told_faults
from termsift.engines.files.opening import (
    FoundFile,
    InputFile,
    address_path,
    ending,
    fetch,
    input_file,
    is_address,
    is_pipe,
    member_names,
    remote_names,
)

PARTITION = re.compile(r"([^=]+)=(.*)", flags=re.DOTALL)
NOTHING = "__HIVE_DEFAULT_PARTITION__"  # how Hive writes a value that is missing
MAC = "__MACOSX"  # what macOS adds to a zip


def local_names(folder: str) -> list[str]:
    """The names of the files below a folder, in order; an error for what cannot be looked at.

    Links to folders are followed in the folder itself alone, so that none leads in a circle.
    """
    try:
        return sorted(names_below(folder, ""))
    except OSError as error:
        raise UnreadableFileError(f"{error.filename or folder} cannot be read: {error.strerror}") from error


def names_below(folder: str, before: str) -> Iterator[str]:
    """The names of the files below a folder, each after what stands before it."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=not before):
                yield from names_below(entry.path, f"{before}{entry.name}/")
            elif entry.is_file():
                yield before + entry.name
            elif entry.is_symlink():
                os.stat(entry.path)  # a link to nothing is an error, for it may have been a document


def visible(names: Sequence[str]) -> list[str]:
    """The names without those that are hidden, or that macOS adds."""
    parts = ((name, name.split("/")) for name in names)
    return [name for name, own in parts if own[0] != MAC and not any(part.startswith(".") for part in own)]


def without_top(names: Sequence[str]) -> int:
    """How many characters of all names are folders that all share, and that are no class: those of a zip."""
    shared = 0
    while all(name.count("/", shared) >= 2 for name in names):
        tops = {name[shared:].split("/", 1)[0] for name in names}
        if len(tops) != 1 or PARTITION.fullmatch(next(iter(tops))):
            break
        shared += len(tops.pop()) + 1
    return shared


def table_names(names: Sequence[str], where: str, format: str | None) -> list[str]:
    """Those of the files in a folder that hold tables of documents; none where each is a document.

    Tables are the files of known endings, or all where a format is named: those of the folder itself, of
    folders named as columns, and of other folders that hold nothing else.
    """
    if format == "text":
        return []
    unmarked = [name for name in names if name[0] != "_" and "/_" not in name]
    if format is not None:
        return unmarked
    known = known_endings()
    tables = [name for name in unmarked if ending(name) in known]
    others = unmarked if not tables else [name for name in unmarked if ending(name) not in known]
    direct = any("/" not in name for name in tables)
    if not direct and not any(map(is_partition, tables)) and any("/" in name for name in others):
        return []
    if direct and any("/" in name for name in others) and not any("/" in name for name in tables):
        raise UnreadableFileError(
            f"{where} holds {tables[0]} and folders of other files; give the files, or for the folders as "
            "classes format='text'"
        )
    warn_of_others(where, others if tables else [])
    return tables


def warn_of_others(where: str, others: Sequence[str]) -> None:
    """A warning that names files which are left out."""
    if others:
        more = f" and {len(others) - 3:,} more" if len(others) > 3 else ""
        what = f"left out of {where}, since their names say no format: {', '.join(others[:3])}{more}"
        warnings.warn(what, TermsiftWarning, stacklevel=4)


def is_partition(name: str) -> bool:
    """Whether a file is in a folder named as a column, `label=spam`."""
    return any(PARTITION.fullmatch(part) for part in name.split("/")[:-1])


def folder_columns(name: str, where: str) -> tuple[tuple[str, str | None], ...]:
    """What the folders of a file say: `label=spam` a column; another, that is the first, the label."""
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
    """Where documents come from, and what is wanted of them.

    paths : each a file, a pattern, a folder, a zip or an address
    format : that of files whose names do not say it
    """

    paths: tuple[str, ...]
    wanted: WantedColumns
    format: str | None = None

    @property
    def name(self) -> str:
        """What to call it in a message."""
        return self.paths[0] if len(self.paths) == 1 else f"{self.paths[0]} and {len(self.paths) - 1} more"


@dataclass(frozen=True, slots=True)
class Found:
    """The files of a source, which are read one after the other, and the format of all."""

    files: list[FoundFile]
    format: Format

    @property
    def size(self) -> int | None:
        """The bytes that will be read, where the disk says it: of files that are not compressed."""
        if self.format.name not in PLAIN or any(is_packed(file) for file in self.files):
            return None
        return sum(size_of(name) for file in self.files for name in disk_names(file))


PLAIN = ("CSV", "TSV", "JSONL", "JSON", CLASSES.name)


def is_packed(file: FoundFile) -> bool:
    """Whether the bytes of a file are not on disk as they are read."""
    packed = ending(file.path) != Path(file.path.lower()).suffix or file.member or is_address(file.path)
    return bool(packed) or is_pipe(file.path) or file.path.lower().endswith(ZIP)


def disk_names(file: FoundFile) -> list[str]:
    """The names on disk of a file, or of the documents of a folder."""
    return [os.path.join(file.path, name) for name in file.documents] or [file.path]


def source_of(data: Any, text: Any = None, label: Any = None, group: Any = None, **reading: Any) -> Source:
    """The source that a path, a pattern or a list of these names; an empty label: all are of one class."""
    paths = [data] if isinstance(data, str | os.PathLike) else list(data)
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise InvalidInputError(f"a list of paths holds paths only, got {type(path).__name__}")
    format = reading.pop("format", None)
    check_format(format)
    wanted = wanted_columns(text, label, group, **reading)
    return Source(tuple(os.fspath(path) for path in paths), wanted, format)


def check_format(format: Any) -> None:
    """An error for the name of a format that nobody reads."""
    known = [name.removeprefix(".") for name in (*known_endings(), ZIP)]
    if format is not None:
        check_name("format", format, [*known, TEXTS])


@contextmanager
def found_files(source: Source) -> Iterator[Found]:
    """The files of a source for as long as they are read; a zip at an address is fetched for it."""
    with ExitStack() as kept:
        files = [file for path in source.paths for file in files_at(path, source.format, kept)]
        of_classes = [file for file in files if is_of_classes(file)]
        if of_classes and len(of_classes) < len(files):
            raise UnreadableFileError(f"{of_classes[0].told} is a folder among files; give one kind")
        kind = CLASSES if of_classes else file_format(files, source.format)
        check_uses(kind, source.wanted)
        yield Found(files, kind)


def is_of_classes(file: FoundFile) -> bool:
    """Whether what was found is a folder, or a zip, whose files are documents."""
    return bool(file.documents) or os.path.isdir(file.path)


def files_at(path: str, format: str | None, kept: ExitStack) -> list[FoundFile]:
    """The files that a path names: itself, those in it, or those that match; an error for none."""
    if is_address(path):
        return files_at_address(path, format, kept)
    names = [path] if os.path.lexists(path) else sorted(glob.glob(path, recursive=True))
    files = [file for name in names for file in files_of(FoundFile(name), format)]
    if not files:
        raise UnreadableFileError(f"there is no file {path}")
    return files


def files_of(file: FoundFile, format: str | None) -> list[FoundFile]:
    """A file that is there, or those of a folder or a zip."""
    if os.path.isdir(file.path):
        return files_within(file, local_names(file.path), format)
    if not is_pipe(file.path) and size_of(file.path) == 0:
        raise UnreadableFileError(f"{file.told} is empty")
    if not (file.path.lower().endswith(ZIP) or format == "zip") or is_pipe(file.path):
        return [file]
    format = None if format == "zip" else format
    names = visible(member_names(file.path, file.told))
    if not names:
        raise UnreadableFileError(f"{file.told} holds no files")
    return files_within(file, names, format)


def files_at_address(address: str, format: str | None, kept: ExitStack) -> list[FoundFile]:
    """The files at an address; a zip is fetched, since it must be looked into."""
    names = remote_names(address)
    if names is None and address_path(address).lower().endswith(ZIP):
        copy = kept.enter_context(scratch_folder()) / f"file{ZIP}"
        fetch(address, copy)
        return files_of(FoundFile(str(copy), address), format)
    if names is None:
        return [FoundFile(address)]
    if not names:
        raise UnreadableFileError(f"there is no file {address}")
    if any(mark in address for mark in "*?["):
        return [FoundFile(own) for own in names.values()]
    tables = table_names(visible(list(names)), address, format)
    if not tables:
        raise UnreadableFileError(f"{address} holds no file of a known format: {', '.join(list(names)[:5])}")
    return [FoundFile(names[name], given=folder_columns(name, address)) for name in tables]


def files_within(outer: FoundFile, names: list[str], format: str | None) -> list[FoundFile]:
    """The files of documents in a folder or a zip, or the whole of it where it is one of classes."""
    is_zip = not os.path.isdir(outer.path)
    tables = table_names(names, outer.told, format)
    start = without_top(tables or names) if is_zip else 0
    if not tables:
        documents = tuple(name for name in names if "/" in name[start:])
        if is_zip and not documents:
            raise UnreadableFileError(f"{outer.told} holds no file of a known format: {', '.join(names[:5])}")
        return [replace(outer, documents=documents, top=start)]
    given = [folder_columns(name[start:], outer.told) for name in tables]
    if is_zip:
        return [replace(outer, member=name, given=own) for name, own in zip(tables, given, strict=True)]
    paths = [os.path.join(outer.path, name) for name in tables]
    for path in paths:
        if size_of(path) == 0:
            raise UnreadableFileError(f"{path} is empty")
    return [FoundFile(path, given=own) for path, own in zip(paths, given, strict=True)]


def matching_files(path: str) -> list[str]:
    """The files of this machine that a path names, in order; a folder of classes as it is."""
    with ExitStack() as kept:
        return [file.path for file in files_at(path, None, kept)]


def size_of(name: str) -> int:
    """The bytes of a file; a link to nothing is an error."""
    try:
        return os.path.getsize(name)
    except OSError as error:
        raise UnreadableFileError(f"{name} cannot be read: {error.strerror}") from error


def file_format(files: list[FoundFile], format: str | None = None) -> Format:
    """The format that the files' names say, or else the one that was named: one for all."""
    known = known_endings()
    kinds: dict[str, FoundFile] = {}
    for file in files:
        own = ending(file.member or (address_path(file.path) if is_address(file.path) else file.path))
        own = own if format in (None, "zip") else f".{format}"
        if own not in known:
            raise strange_file(file, list(known))
        kinds.setdefault(known[own].name, file)
    if len(kinds) > 1:
        (one, first), (other, second), *_ = sorted(kinds.items())
        told = f"{', '.join(sorted(kinds))}: {one} is {first.told}, {other} is {second.told}"
        raise UnreadableFileError(f"the files are of different formats: {told}; give those of one")
    return next(kind for kind in known.values() if kind.name in kinds)


def strange_file(file: FoundFile, known: list[str]) -> UnreadableFileError:
    """The error for a file whose name says no format, with what it seems to be."""
    what = None
    if os.path.isfile(file.path) and not file.member:
        with open(file.path, "rb") as opened:
            what = seeming(opened.read(HEAD))
    hint = f"it seems to be {what}; " if what else ""
    return UnreadableFileError(
        f"cannot tell the format of {file.told}; {hint}its name must end in {', '.join([*known, ZIP])}, "
        "or say it, as format='csv'"
    )


def file_batches(
    found: FoundFile, kind: Format, wanted: WantedColumns, guessed: dict[str, str] | None = None
) -> Iterator[Any]:
    """Tables of (text, label[, group]) of a file of some format, or of a folder of classes.

    guessed : takes the files whose encoding had to be guessed
    """
    with input_file(found) as plain:
        file = replace(
            plain, encoding=wanted.encoding, errors=wanted.errors, guessed={} if guessed is None else guessed
        )
        with told_faults(file, kind.name):
            if "encoding" in kind.takes and kind is not CLASSES:
                file = as_text(file, kind)
            given = {name: None if value is None else kind.spelled(value) for name, value in file.given}
            for records in kind.batches(file, wanted):
                yield whole_batch(records, wanted, given)


def as_text(file: InputFile, kind: Format) -> InputFile:
    """A text file with its encoding; an error for what is none."""
    check_text(file.name, file_head(file), kind.name)
    return replace(file, encoding=file_encoding(file, file.encoding))
