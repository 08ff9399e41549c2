"""Stemmers by the name of a language."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from threading import local

from termsift.errors import InvalidInput, unknown


@lru_cache(maxsize=8)
def stemmer_of(language: str) -> Callable[[str], str]:
    """The Snowball stemmer of a language ('porter' among them), which remembers what it has stemmed."""
    try:
        import snowballstemmer  # type: ignore[import-untyped]
    except ImportError as error:
        raise InvalidInput(
            f"stemmer={language!r} needs the package snowballstemmer; pip install snowballstemmer"
        ) from error
    if language not in snowballstemmer.algorithms():
        raise unknown("stemmer", language, snowballstemmer.algorithms())
    own = local()  # a stemmer holds the word it is at, so each thread has one

    def stem(word: str) -> str:
        if not hasattr(own, "stemmer"):
            own.stemmer = snowballstemmer.stemmer(language)
        return str(own.stemmer.stemWord(word))

    return lru_cache(maxsize=1 << 18)(stem)
