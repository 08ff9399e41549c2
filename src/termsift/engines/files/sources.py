"""Which files a path names: a file, a pattern, a folder of Parquet files or of classes. Their documents."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from termsift.engines.files.formats import Format, WantedColumns, known_endings, told_faults
from termsift.engines.files.input_files import InputFile, input_file, is_pipe
from termsift.engines.files.text_files import ending, file_text
from termsift.errors import InvalidInput, UnreadableFile


@dataclass(frozen=True, slots=True)
class Source:
    """Where documents come from, and what is wanted of them.

    paths : each a file, a pattern, a folder of Parquet files, or a folder with a folder of files per class
    """

    paths: tuple[str, ...]
    wanted: WantedColumns

    @property
    def name(self) -> str:
        """What to call it in a message."""
        return self.paths[0] if len(self.paths) == 1 else f"{self.paths[0]} and {len(self.paths) - 1} more"

    @property
    def has_classes(self) -> bool:
        """Whether the paths are folders with a folder for each class."""
        folders = [has_classes(path) for path in self.paths]
        if any(folders) and not all(folders):
            raise UnreadableFile(f"{self.paths[folders.index(True)]} is a folder among files; give one kind")
        return all(folders)

    @property
    def size(self) -> int:
        """The bytes on disk."""
        named = class_files if self.has_classes else matching_files
        return sum(size_of(file) for path in self.paths for file in named(path))

    @property
    def format(self) -> Format:
        """The format of all files, or that of folders of classes."""
        return CLASSES if self.has_classes else file_format(self.files)

    @property
    def files(self) -> list[str]:
        """What is read one after the other: files, or folders of classes."""
        if self.has_classes:
            return list(self.paths)
        return [file for path in self.paths for file in matching_files(path)]


def file_batches(name: str, kind: Format, wanted: WantedColumns) -> Iterator[Any]:
    """Record batches of (text, label[, group]) of a file of some format, or of a folder of classes."""
    with input_file(name) as file, told_faults(file, kind.name, wanted.encoding):
        yield from kind.batches(file, wanted)


def source_of(
    data: Any,
    text: str | None = None,
    label: str | None = None,
    encoding: str = "utf-8",
    group: str | None = None,
) -> Source:
    """The source that a path, a pattern or a list of these names; an empty label: all are of one class."""
    paths = [data] if isinstance(data, str | os.PathLike) else list(data)
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise InvalidInput(f"a list of paths holds paths only, got {type(path).__name__}")
    wanted = WantedColumns(text or "text", "label" if label is None else label, encoding, group)
    return Source(tuple(os.fspath(path) for path in paths), wanted)


def has_classes(path: str) -> bool:
    """Whether the path is a folder, and not one of Parquet files."""
    return os.path.isdir(path) and not parquet_files(path)


def parquet_files(folder: str) -> list[str]:
    """The Parquet files of a folder, in order; like Spark, which writes such folders, without marked ones."""
    files = glob.glob(os.path.join(glob.escape(folder), "*.parquet"))
    return sorted(name for name in files if not os.path.basename(name).startswith(("_", ".")))


def class_files(path: str) -> list[str]:
    """The files of a folder of folders, in order; what cannot be looked at is an error, for it may be one."""

    def refused(error: OSError) -> None:
        raise error

    try:
        classes = [entry.path for entry in os.scandir(path) if entry.is_dir()]
        walks = [walk for folder in classes for walk in os.walk(folder, onerror=refused)]
        named = [os.path.join(folder, name) for folder, _, files in walks for name in files if name[0] != "."]
        return sorted(name for name in named if stat.S_ISREG(os.stat(name).st_mode))
    except OSError as error:
        raise UnreadableFile(f"{error.filename or path} cannot be read: {error.strerror}") from error


def class_batches(folder: InputFile, wanted: WantedColumns) -> Iterator[Any]:
    """The files of each folder as documents of its class."""
    if wanted.group is not None:
        raise UnreadableFile(f"{folder.name} is a folder for each class, which has no column of groups")
    files = class_files(folder.path)
    if not files:
        raise UnreadableFile(
            f"{folder.name} is a folder without a folder of files for each class; give a file"
        )
    for start in range(0, len(files), 256):
        names = files[start : start + 256]
        labels = [class_name(name, folder.path) for name in names]
        texts = [file_text(name, wanted.encoding) for name in names]
        yield pa.record_batch({"text": texts, "label": labels})


def class_name(file: str, folder: str) -> str:
    """The class of a file: the folder below the folder of all."""
    name = Path(file).relative_to(folder).parts[0]
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise UnreadableFile(
            f"the folder {name} in {folder} has a name that is not UTF-8; rename it"
        ) from error
    return name


CLASSES = Format("a folder for each class", (), class_batches)


def matching_files(path: str) -> list[str]:
    """The file of that name, or the files that match the pattern, in order."""
    if has_classes(path):
        raise UnreadableFile(
            f"{path} is a folder; give a file, or a pattern such as {path.rstrip('/')}/*.csv"
        )
    files = parquet_files(path) if os.path.isdir(path) else [path] if os.path.exists(path) else []
    files = files or sorted(glob.glob(path, recursive=True))
    if not files:
        raise UnreadableFile(f"there is no file {path}")
    for name in files:
        if not is_pipe(name) and size_of(name) == 0:
            raise UnreadableFile(f"{name} is empty")
    return files


def size_of(name: str) -> int:
    """The bytes of a file; a link to nothing is an error."""
    try:
        return os.path.getsize(name)
    except OSError as error:
        raise UnreadableFile(f"{name} cannot be read: {error.strerror}") from error


def file_format(files: list[str]) -> Format:
    """The format that the files' names say, one for all."""
    known = known_endings()
    strange = next((name for name in files if ending(name) not in known), None)
    if strange is not None:
        raise UnreadableFile(f"cannot tell the format of {strange}; its name must end in {', '.join(known)}")
    kinds = {known[ending(name)].name: known[ending(name)] for name in files}
    if len(kinds) > 1:
        raise UnreadableFile(f"the files are of different formats: {', '.join(sorted(kinds))}")
    return next(iter(kinds.values()))
