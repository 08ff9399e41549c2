"""Corpora by name, and folders of files as corpora. The corpus `docstrings` needs no file."""

from __future__ import annotations

from typing import Any

from termsift.corpora.catalogue import find_entry, format_listing, names, reuters_stop_words, table
from termsift.corpora.corpus import (
    MAX_EXACT_INTEGER,
    Corpus,
    DataDir,
    Entry,
    as_count_matrix,
    data_folder,
    decode_bytes,
    entries_from_table,
    file_checksum,
    read_folder,
)


def load(name: str, *, data_dir: DataDir = None, **options: Any) -> Corpus:
    """Load a corpus by name.

    Parameters
    ----------
    name : str
        One of `names()`.
    data_dir : str or path, optional
        Folder of corpora (default: the environment variable TERMSIFT_DATA).
    **options
        For "reuters21578": split ("modapte", "modlewis", "modhayes") and categories ("all", "both").
        For "20news": remove, any of "headers", "footers", "quotes".

    Returns
    -------
    Corpus
        The documents with their labels.

    Raises
    ------
    InvalidInputError
        If the corpus has no options and one is given.
    UnknownNameError
        If the corpus or an option is unknown.
    UnreadableFileError
        If the file is missing or damaged.

    Examples
    --------
    >>> load("docstrings").name
    'docstrings'

    """
    return find_entry(name).load(data_dir, **options)


__all__ = [
    "MAX_EXACT_INTEGER",
    "Corpus",
    "DataDir",
    "Entry",
    "as_count_matrix",
    "data_folder",
    "decode_bytes",
    "entries_from_table",
    "file_checksum",
    "find_entry",
    "format_listing",
    "load",
    "names",
    "read_folder",
    "reuters_stop_words",
    "table",
]
