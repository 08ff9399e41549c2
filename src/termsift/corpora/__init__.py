"""Load corpora by name, and read your own files. The corpus `docstrings` needs no file."""

from __future__ import annotations

from typing import Any

from termsift.corpora import reuters_apte
from termsift.corpora.catalogue import entry_of, listing, names
from termsift.corpora.corpus import Corpus
from termsift.corpora.entry import DataDir
from termsift.corpora.files import read_folder
from termsift.corpora.formats.arff import read_arff
from termsift.corpora.formats.svmlight import read_svmlight

__all__ = ["Corpus", "listing", "load", "names", "read_arff", "read_folder", "read_svmlight", "reuters_apte"]


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
