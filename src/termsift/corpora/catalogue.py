"""Catalogue of the corpora that can be loaded by name."""

from __future__ import annotations

import numpy as np

from termsift._internal.errors import unknown_name_error
from termsift._internal.tables import Table, format_table
from termsift.corpora import readers
from termsift.corpora.corpus import VARIABLE, DataDir, Entry, data_folder, entries_from_table

# readers of corpora.csv by folder, in the order of the listing
READERS = {
    "reuters21578": readers.read_reuters21578,
    "reuters_apte": readers.read_reuters_apte,
    "20news": readers.read_newsgroups,
    "sms_spam": readers.read_sms_spam,
}
ENTRIES: tuple[Entry, ...] = (
    Entry(name="docstrings", reader=readers.read_docstrings),
    *(entry for folder, reader in READERS.items() for entry in entries_from_table(folder, reader)),
)
LISTED_COLUMNS = ("name", "state", "documents", "classes", "file")


def names() -> list[str]:
    """List the corpora that can be loaded.

    Returns
    -------
    list of str
        Names, in the order of the catalogue.

    Examples
    --------
    >>> names()[0]
    'docstrings'

    """
    return [entry.name for entry in ENTRIES]


def find_entry(name: str) -> Entry:
    """Return the catalogue entry of a corpus."""
    if name not in names():
        raise unknown_name_error("corpus", name, names())
    return ENTRIES[names().index(name)]


def reuters_stop_words(data_dir: DataDir = None) -> frozenset[str]:
    """Return the stop list that is part of the corpus reuters_apte."""
    files = readers.read_apte_files(find_entry("reuters_apte").path(data_dir))
    return frozenset(files["stopwords"].split())


def table(data_dir: DataDir = None) -> Table:
    """Return a row per corpus: its state, its facts, and the URL of its publisher.

    Parameters
    ----------
    data_dir : str or path, optional
        Folder of corpora (default: the environment variable TERMSIFT_DATA).

    Returns
    -------
    Table
        Columns name, state, documents, classes, file, bytes, sha256, where, citation and terms_of_use. The
        state is 'built in', 'found', 'missing' or 'wrong size'; file contents are not checked.

    Examples
    --------
    >>> table()["state"][0]
    'built in'

    """
    folder = data_folder(data_dir)
    columns = {
        "name": names(),
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


def format_listing(data_dir: DataDir = None) -> str:
    """Format the table for the terminal, with files of the wrong size and URLs of missing corpora."""
    corpora, folder = table(data_dir), data_folder(data_dir)
    columns = {}
    for name in LISTED_COLUMNS:
        # numbers are aligned to the right of their heading, and unknown ones are blank
        cells = [
            f"{value:>{len(name)},}" if isinstance(value, int) else str(value or "")
            for value in corpora[name]
        ]
        columns[name] = np.array(cells, dtype=object)
    blocks = [format_table(Table(columns), max_rows=len(ENTRIES))]
    wrong = [entry for entry in ENTRIES if entry.state(folder) == "wrong size"]
    if folder is not None and wrong:
        sizes = [(entry, (folder / entry.file).stat().st_size) for entry in wrong]
        messages = [f"{entry.file} has {size:,} bytes, expected {entry.size:,}" for entry, size in sizes]
        blocks.append("\n".join(messages))
    missing: dict[str, list[str]] = {}
    for entry in ENTRIES:
        if entry.state(folder) == "missing":
            missing.setdefault(entry.home, []).append(entry.name)
    if missing:
        location = folder or f"not set; use {VARIABLE} or --data-dir"
        blocks.append(f"Data folder: {location}\nMissing files are available from their publishers:")
        width = max(map(len, missing))
        for home, titles in missing.items():
            remainder = f" and {len(titles) - 1} more" if len(titles) > 1 else ""
            blocks[-1] += f"\n  {home.ljust(width)}  {titles[0]}{remainder}"
    return "\n\n".join(blocks)
