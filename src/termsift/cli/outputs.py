"""Where a command writes: places that can be written to, and are not what it reads. Counts as a table."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

import termsift as ts
from termsift._typing import Array
from termsift.cli.data import Reading
from termsift.cli.talk import STDIN, put
from termsift.counts import Counts
from termsift.errors import InvalidInput, UnreadableFile
from termsift.groups import GroupedCounts, pair_of, summed_columns
from termsift.output import replacing, writable
from termsift.tables import Table


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


TABLES: dict[str, Callable[[Table], str]] = {
    ".csv": Table.to_csv,
    ".json": lambda table: table.to_json() + "\n",
}


def write_counts(found: Counts | GroupedCounts, output: Path) -> None:
    """Write counts where they were asked for: as CSV or JSON by the ending of the name, else saved."""
    written = TABLES.get(output.suffix.lower())
    if written is not None and not is_stdout(output):
        write_text(output, written(count_table(found)))
    else:
        found.save("/dev/stdout" if is_stdout(output) else output)


def count_table(found: Counts | GroupedCounts) -> Table:
    """A row for every term in every class, and of grouped counts in every group, that holds it."""
    if isinstance(found, Counts):
        return cell_rows(found.terms, {"class": list(found.classes)}, found.df, found.tf, found.class_sizes)
    pairs = found.pairs
    cells = sorted_cells(found)
    places = {cell: i for i, cell in enumerate(cells)}
    own = [(p, places[group, label]) for p, (group, label) in pair_cells(found)]
    ones = np.ones(len(own), dtype=np.int64)
    rows, columns = np.array(own, dtype=np.int64).reshape(-1, 2).T
    joined = csr_array((ones, (rows, columns)), shape=(len(pairs.classes), len(cells)))
    names = {"class": [label for _, label in cells], "group": [group for group, _ in cells]}
    df, tf = summed_columns(pairs.df, joined), summed_columns(pairs.tf, joined)
    return cell_rows(pairs.terms, names, df, tf, pairs.class_sizes @ joined)


def pair_cells(found: GroupedCounts) -> list[tuple[int, tuple[Any, Any]]]:
    """The group and each of the labels of every pair, with its place."""
    pairs = [pair_of(name) for name in found.pairs.classes]
    return [(p, (group, label)) for p, (group, labels) in enumerate(pairs) for label in labels]


def sorted_cells(found: GroupedCounts) -> list[tuple[Any, Any]]:
    """Every group with a class that is in it, by class and group in their order."""
    classes, groups = ({name: i for i, name in enumerate(names)} for names in (found.classes, found.groups))
    cells = {cell for _, cell in pair_cells(found)}
    return sorted(cells, key=lambda cell: (classes[cell[1]], groups[cell[0]]))


def cell_rows(terms: Array, names: dict[str, list[Any]], df: Any, tf: Any, sizes: Array) -> Table:
    """The rows of a table of terms x columns, whose columns have these names and sizes."""
    df, tf = df.tocoo(), tf.tocsr()
    columns: dict[str, Array] = {"term": terms[df.row]}
    columns |= {name: np.array(values, dtype=object)[df.col] for name, values in names.items()}
    columns |= {"documents": df.data, "occurrences": np.asarray(tf[df.row, df.col]).ravel()}
    return Table(columns | {"class_documents": np.asarray(sizes)[df.col]})
