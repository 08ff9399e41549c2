"""Lists of stop words by language: scikit-learn's for English, of the package stop-words for others."""

from __future__ import annotations

import re
from functools import lru_cache

from termsift.errors import unknown

PART, APOSTROPHE = re.compile(r"\w\w+"), re.compile(r"\w['’]\w")


@lru_cache(maxsize=8)
def stop_words_of(language: str) -> tuple[str, ...]:
    """The stop words of a language, by its name or its code of two letters, sorted.

    Of words with an apostrophe their parts are stop words too: "don't" is "don" to CountVectorizer's pattern.

    >>> "the" in stop_words_of("english"), stop_words_of("en") == stop_words_of("english")
    (True, True)
    """
    from stop_words import LANGUAGE_MAPPING, get_stop_words

    name = LANGUAGE_MAPPING.get(language.lower(), language.lower())
    if name not in LANGUAGE_MAPPING.values():
        raise unknown("list of stop words", language, sorted({*LANGUAGE_MAPPING.values()}))
    words = {word.lower() for word in get_stop_words(name)}
    joined = {word for word in words if APOSTROPHE.search(word)}
    parts = {part for word in joined for part in PART.findall(word)}
    return tuple(sorted((english_words() | joined if name == "english" else words) | parts))


def english_words() -> frozenset[str]:
    """Those of CountVectorizer: the package's own has a thousand more, such as "free" and "computer"."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    words: frozenset[str] = ENGLISH_STOP_WORDS
    return words
