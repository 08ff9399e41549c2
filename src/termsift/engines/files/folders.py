"""What lies in a folder or a zip: files of documents, and what their folders say of them, or classes."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from termsift.engines.files.compressions import ending
from termsift.engines.files.formats import known_endings
from termsift.engines.files.readers.columns import LABEL
from termsift.errors import TermsiftWarning, UnreadableFile

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
        raise UnreadableFile(f"{error.filename or folder} cannot be read: {error.strerror}") from error


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
        raise UnreadableFile(
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
        raise UnreadableFile(f"the folder of {name} in {where} is not UTF-8; rename it") from error
    return tuple(columns.items())
