"""Corpora by name, and folders of files as corpora. The corpus `docstrings` needs no file."""

from __future__ import annotations

from typing import Any

from termsift.corpora.corpus import MAX_EXACT_INTEGER as MAX_EXACT_INTEGER
from termsift.corpora.corpus import Corpus as Corpus
from termsift.corpora.corpus import DataDir as DataDir
from termsift.corpora.corpus import Entry as Entry
from termsift.corpora.corpus import as_finite_csr as as_finite_csr
from termsift.corpora.corpus import data_folder as data_folder
from termsift.corpora.corpus import decode_bytes as decode_bytes
from termsift.corpora.corpus import entries_from_table as entries_from_table
from termsift.corpora.corpus import file_checksum as file_checksum
from termsift.corpora.corpus import read_folder as read_folder
from termsift.corpora.readers import find_entry as find_entry
from termsift.corpora.readers import format_listing as format_listing
from termsift.corpora.readers import names as names
from termsift.corpora.readers import reuters_stop_words as reuters_stop_words
from termsift.corpora.readers import table as table


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
