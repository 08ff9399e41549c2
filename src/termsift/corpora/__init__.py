"""Load corpora by name, and read your own files. The corpus `docstrings` needs no file."""

from __future__ import annotations

from typing import Any

from termsift.corpora.catalogue import ENTRIES, entry_of, table, listing_text, names
from termsift.corpora.corpus import (
    EXACT,
    Corpus,
    DataDir,
    Entry,
    by_rows,
    catalogued,
    checksum,
    data_folder,
    decoded,
    read_folder,
)
from termsift.corpora.readers import read_svmlight, reuters_stop_words


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
    return entry_of(name).load(data_dir, **options)


__all__ = [
    "ENTRIES",
    "EXACT",
    "Corpus",
    "DataDir",
    "Entry",
    "by_rows",
    "catalogued",
    "checksum",
    "data_folder",
    "decoded",
    "entry_of",
    "table",
    "listing_text",
    "load",
    "names",
    "read_folder",
    "read_svmlight",
    "reuters_stop_words",
]
