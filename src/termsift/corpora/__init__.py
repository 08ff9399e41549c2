"""Corpora by name, and readers of files of one's own. `docstrings` needs no file."""

from __future__ import annotations

from collections.abc import Callable

from termsift.corpora import docstrings
from termsift.corpora.arff import read_arff
from termsift.corpora.corpus import Corpus
from termsift.corpora.folder import read_folder
from termsift.corpora.svmlight import read_svmlight
from termsift.errors import unknown

__all__ = ["Corpus", "load", "names", "read_arff", "read_folder", "read_svmlight"]

_BUILT_IN: dict[str, Callable[[], Corpus]] = {"docstrings": docstrings.load}


def names() -> list[str]:
    """The corpora that can be loaded."""
    return list(_BUILT_IN)


def load(name: str) -> Corpus:
    """A corpus by its name.

    >>> load("docstrings").name
    'docstrings'
    """
    if name not in _BUILT_IN:
        raise unknown("corpus", name, _BUILT_IN)
    return _BUILT_IN[name]()
