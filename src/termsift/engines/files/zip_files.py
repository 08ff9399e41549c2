"""Zips of documents: the files in one, each unpacked when it is read and gone after."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from termsift.border.archives import opened_zip, spoken_damage
from termsift.errors import UnreadableFile
from termsift.output import told_disk_faults

ROOM = 1 << 40  # bytes that all members may have: they go to disk one by one, or a document at a time


def member_names(path: str, name: str) -> list[str]:
    """The names of the files in a zip, none of them twice; `name` is what messages call it."""
    with opened_members(path, name) as (_, by_name):
        return list(by_name)


def unpack(path: str, name: str, member: str, target: Path) -> None:
    """Write a member to a file."""
    with (
        opened_members(path, name) as (archive, by_name),
        archive.open(by_name[member]) as packed,
        told_disk_faults(target),
        target.open("wb") as file,
    ):
        shutil.copyfileobj(packed, file, 1 << 20)


def member_contents(path: str, name: str, members: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The name and the content of some members."""
    with opened_members(path, name) as (archive, by_name):
        for member in members:
            yield member, archive.read(by_name[member])


@contextmanager
def opened_members(path: str, name: str, limit: int = ROOM) -> Iterator[tuple[Any, dict[str, Any]]]:
    """A zip of so many bytes at most, and what it says of each file by name; what is wrong as one line."""
    try:
        with spoken_damage(Path(path)), opened_zip(Path(path), limit) as (archive, files):
            by_name = {info.filename: info for info in files}
            if len(by_name) < len(files):
                raise UnreadableFile(f"{path} is refused: it holds two files of one name")
            yield archive, by_name
    except UnreadableFile as error:
        raise UnreadableFile(str(error).replace(path, name)) from error
