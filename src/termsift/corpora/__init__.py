"""Corpora by name, and readers of files of one's own. `docstrings` needs no file."""

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
    """A corpus by its name.

    Parameters
    ----------
    name : one of `names()`
    data_dir : the folder of corpora; that of TERMSIFT_DATA where not given
    options : of "reuters21578": split ("modapte", "modlewis", "modhayes") and categories ("all", "both");
        of "20news": remove, any of "headers", "footers", "quotes"

    >>> load("docstrings").name
    'docstrings'

    """
    return entry_of(name).load(data_dir, **options)
