"""Where a command writes: places that can be written to, and that are not what it reads."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import termsift as ts
from termsift.cli.data import STDIN, Reading
from termsift.cli.talk import put
from termsift.errors import InvalidInput, UnreadableFile
from termsift.output import replacing, writable


def check_outputs(data: Sequence[str], reading: Reading, *paths: Path | None) -> None:
    """An error before the work where a result could not be written, or would replace what is read."""
    if sys.stdout is None and any(map(is_stdout, paths)):
        raise UnreadableFile("standard output is closed; write to a file")
    targets = {path: writable(path) for path in paths if path is not None}
    written = {file_number(target): path for path, target in targets.items() if target.is_file()}
    if not written:
        return
    for name in (file for one in data for file in input_files(one, reading)):
        path = written.get(file_number(name))
        if path is not None:
            raise InvalidInput(f"{path} is what is read, and would be replaced; write to another file")


def input_files(data: str, reading: Reading) -> Iterator[str | int | Path]:
    """Every file that the data names: itself, those of a pattern or a folder, of a corpus, standard input."""
    if data == STDIN:
        yield 0
    elif os.path.isdir(data):
        yield from Path(data).rglob("*")
    elif os.path.exists(data):
        yield data
    elif data in ts.corpora.names():
        yield from corpus_files(data, reading)
    else:
        yield from glob.iglob(data, recursive=True)


def corpus_files(name: str, reading: Reading) -> Iterator[Path]:
    """The file of a corpus, if it needs one and it is there."""
    from termsift.corpora.catalogue import ENTRIES
    from termsift.corpora.entry import data_folder

    folder = data_folder(reading.data_dir)
    for entry in ENTRIES:
        if entry.name == name and entry.file and folder is not None:
            yield folder / entry.file


def file_number(file: str | int | Path) -> tuple[int, int] | None:
    """What a file is, by whatever name or link; None for one that is not there."""
    try:
        found = os.stat(file)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def is_stdout(path: Path | None) -> bool:
    """Whether the path is standard output by another name."""
    return path is not None and file_number(path) == file_number(1) is not None


def write_text(path: Path, text: str) -> None:
    """Write text where it was asked for; to standard output as if nothing was."""
    if is_stdout(path):
        put(text)
        return
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
