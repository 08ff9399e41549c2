"""Load corpora by name, and read your own files. The corpus `docstrings` needs no file."""

from __future__ import annotations

from typing import Any

from termsift.corpora.catalogue import ENTRIES, find_entry, format_listing, names, table
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
from termsift.corpora.readers import reuters_stop_words


def load(name: str, *, data_dir: DataDir = None, **options: Any) -> Corpus:
    """Load a corpus by name.

    Parameters
    ----------
    name : one of `names()`
    data_dir : the folder of corpora; by default the one in TERMSIFT_DATA
    options : for "reuters21578": split ("modapte", "modlewis", "modhayes") and categories ("all", "both");
        for "20news": remove, any of "headers", "footers", "quotes"

    >>> load("docstrings").name
    'docstrings'

    """
    return find_entry(name).load(data_dir, **options)


__all__ = [
    "ENTRIES",
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
