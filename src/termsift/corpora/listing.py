"""What there is: the corpora of the catalogue, and which of them are on this machine."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from termsift.corpora.catalogue import ENTRIES
from termsift.corpora.entry import VARIABLE, DataDir, Entry, data_folder
from termsift.tables import Table, text_table

SHOWN = ("name", "state", "documents", "classes", "file")


def listing(data_dir: DataDir = None) -> Table:
    """A row a corpus: its state, its facts, and where its publisher offers it.

    The state is 'built in', 'found', 'missing' or 'wrong size'; contents are not compared.

    >>> listing()["state"][0]
    'built in'
    """
    folder = data_folder(data_dir)
    columns = {
        "name": [entry.name for entry in ENTRIES],
        "state": [entry.state(folder) for entry in ENTRIES],
        "documents": [entry.documents for entry in ENTRIES],
        "classes": [entry.classes for entry in ENTRIES],
        "file": [entry.file for entry in ENTRIES],
        "bytes": [entry.size or None for entry in ENTRIES],
        "sha256": [entry.sha256 for entry in ENTRIES],
        "where": [entry.home for entry in ENTRIES],
        "citation": [entry.citation for entry in ENTRIES],
        "terms_of_use": [entry.terms_of_use for entry in ENTRIES],
    }
    return Table({name: np.array(column, dtype=object) for name, column in columns.items()})


def listing_text(data_dir: DataDir = None) -> str:
    """The listing for people: a table, files to mend, and where the publishers offer what is missing."""
    table, folder = listing(data_dir), data_folder(data_dir)
    shown = {
        name: np.array([cell(value, len(name)) for value in table[name]], dtype=object) for name in SHOWN
    }
    blocks = [text_table(Table(shown), most=len(ENTRIES))]
    wrong = [entry for entry in ENTRIES if entry.state(folder) == "wrong size"]
    missing = [entry for entry in ENTRIES if entry.state(folder) == "missing"]
    if folder is not None and wrong:
        blocks.append("\n".join(size_line(entry, folder) for entry in wrong))
    if missing:
        where = folder or f"the folder that {VARIABLE} or --data-dir names"
        blocks.append(
            f"Files are looked for below {where}.\nPublishers offer what is missing:\n{offers(missing)}"
        )
    return "\n\n".join(blocks)


def size_line(entry: Entry, folder: Path) -> str:
    """What is wrong with a file's size."""
    return f"{entry.file} has {(folder / entry.file).stat().st_size:,} bytes, not {entry.size:,}"


def cell(value: object, width: int) -> str:
    """A value as people read it: numbers to the right, nothing where it is not known."""
    return f"{value:>{width},}" if isinstance(value, int) else str(value or "")


def offers(entries: list[Entry]) -> str:
    """A line a publisher: the address and the corpora it offers."""
    by_home: dict[str, list[str]] = {}
    for entry in entries:
        by_home.setdefault(entry.home, []).append(entry.name)
    width = max(map(len, by_home))
    return "\n".join(f"  {home.ljust(width)}  {summed_up(names)}" for home, names in by_home.items())


def summed_up(names: list[str]) -> str:
    """The first name, and how many more there are.

    >>> summed_up(["a", "b", "c"])
    'a and 2 more'
    """
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
